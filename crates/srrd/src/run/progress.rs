//! How far a computation is: what a line on a terminal needs.
//!
//! A gauge is carried by the threads of a pool, as a [`Cancellation`](super::Cancellation) is, so that no function takes one more
//! argument. A loop that may take long says how many steps it has and counts them; threads without a gauge count nothing. Loops are
//! nested: the outermost one that counts is what the gauge shows.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    /// The gauge of this thread, if it has one; never changed afterwards.
    static GAUGE: OnceCell<Gauge> = const { OnceCell::new() };
}

/// What steps are: "pairs", "draws".
type What = &'static str;

/// Where a computation stands. Clones are the same gauge.
///
/// ```
/// use srrd::run::{Gauge, Steps};
/// let gauge = Gauge::new();
/// gauge.carry(); // in every thread of a pool
/// let steps = Steps::begin("pairs", 6);
/// steps.add(2);
/// let seen = gauge.read().unwrap();
/// assert_eq!((seen.what, seen.done, seen.all), ("pairs", 2, 6));
/// drop(steps);
/// assert!(gauge.read().is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gauge(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    done: AtomicU64,
    /// What is counted, how many there are, and how often something was begun to be counted.
    stage: Mutex<(Option<(What, u64)>, u64)>,
}

/// How far a computation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// What steps are.
    pub what: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are.
    pub all: u64,
    /// Which loop it is, counted from 1: the next one begins anew.
    pub stage: u64,
}

impl Gauge {
    /// A gauge that shows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets what this thread computes count here, for as long as the thread lives; the first gauge of a thread stays.
    pub fn carry(&self) {
        GAUGE.with(|own| drop(own.set(self.clone())));
    }

    /// Where the computation stands; `None` while nothing is counted.
    pub fn read(&self) -> Option<Seen> {
        let (stage, number) = *self.0.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let (what, all) = stage?;
        Some(Seen { what, done: self.0.done.load(Ordering::Relaxed).min(all), all, stage: number })
    }
}

/// The steps of a loop, shown by the gauge of the thread that began them, if it has one and shows no other loop.
#[derive(Debug)]
pub struct Steps(Option<Gauge>);

impl Steps {
    /// Begins a loop of so many steps.
    pub fn begin(what: &'static str, all: u64) -> Self {
        let gauge = GAUGE.with(|gauge| gauge.get().cloned());
        Steps(gauge.filter(|gauge| {
            let mut stage = gauge.0.stage.lock().unwrap_or_else(PoisonError::into_inner);
            let free = stage.0.is_none();
            if free {
                gauge.0.done.store(0, Ordering::Relaxed);
                *stage = (Some((what, all)), stage.1 + 1);
            }
            free
        }))
    }

    /// Counts steps that are done, from any thread. It takes some nanoseconds.
    #[inline]
    pub fn add(&self, steps: u64) {
        if let Some(gauge) = &self.0 {
            gauge.0.done.fetch_add(steps, Ordering::Relaxed);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(gauge) = &self.0 {
            gauge.0.stage.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn the_outermost_loop_is_shown() {
        let gauge = Gauge::new();
        let carried = gauge.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(move |_| carried.carry());
        pool.build().unwrap().install(|| {
            let outer = Steps::begin("pairs", 3);
            (0..2).into_par_iter().for_each(|_| {
                let inner = Steps::begin("draws", 100);
                inner.add(50);
                outer.add(1);
            });
            assert_eq!(gauge.read(), Some(Seen { what: "pairs", done: 2, all: 3, stage: 1 }));
            drop(outer);
            assert_eq!(gauge.read(), None);
            let next = Steps::begin("draws", 100);
            next.add(300);
            assert_eq!(gauge.read(), Some(Seen { what: "draws", done: 100, all: 100, stage: 2 }));
        });
    }

    #[test]
    fn threads_without_a_gauge_count_nothing() {
        std::thread::spawn(|| Steps::begin("pairs", 3).add(1)).join().unwrap();
    }
}
