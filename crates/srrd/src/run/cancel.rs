//! Stopping a computation from outside: what Ctrl-C in an interactive session needs.
//!
//! A token is carried by the threads of a pool, so that no function takes one more argument: long loops pass a checkpoint now and
//! then, which unwinds when the token of its thread is cancelled, and the pool turns the unwinding into an error. Threads of other
//! pools carry no token, and nothing ever stops there. Unwinding leaves nothing half done: samples are immutable, and results
//! belong to the call that was to return them.

use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

thread_local! {
    /// The token of this thread, if it is one of a [`CancellablePool`]; never changed afterwards.
    static TOKEN: OnceCell<Cancellation> = const { OnceCell::new() };
}

/// A switch that stops what a [`CancellablePool`] is computing. Clones are the same switch.
///
/// ```
/// use srrd::{Cancellation, Cancelled};
/// let cancellation = Cancellation::new();
/// let pool = cancellation.pool(2)?;
/// assert_eq!(pool.run(|| 6 * 7), Ok(42));
/// cancellation.cancel(); // from any thread, at any time
/// assert_eq!(pool.run(|| 6 * 7), Err(Cancelled));
/// cancellation.reset();
/// assert_eq!(pool.run(|| 6 * 7), Ok(42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops everything that runs on pools of this switch, and everything that is started there until it is
    /// [`reset`](Self::reset).
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Turns the switch off again. What had not noticed that it was on goes on: call this when [`CancellablePool::run`] has
    /// returned.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the switch is on.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// A pool of so many threads (0: as many as there are processors) whose computations this switch stops.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn pool(&self, threads: usize) -> Result<CancellablePool, ThreadPoolBuildError> {
        let token = self.clone();
        let carry = move |_| TOKEN.with(|own| drop(own.set(token.clone())));
        let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(carry).build()?;
        Ok(CancellablePool { pool, cancellation: self.clone() })
    }
}

/// Threads on which computations can be stopped; made by [`Cancellation::pool`].
#[derive(Debug)]
pub struct CancellablePool {
    pool: ThreadPool,
    cancellation: Cancellation,
}

impl CancellablePool {
    /// Computes `f` on the threads of the pool. All functions of this library called in it can be stopped, usually within some
    /// ten milliseconds; what they return does not depend on where they run. A panic goes through.
    ///
    /// # Errors
    /// When the pool's switch was on before or while `f` ran, unless `f` was done before it noticed.
    pub fn run<T: Send>(&self, f: impl FnOnce() -> T + Send) -> Result<T, Cancelled> {
        if self.cancellation.is_cancelled() {
            return Err(Cancelled);
        }
        // Whoever calls this decides what else `f` has touched, and learns from the error that it was stopped.
        match catch_unwind(AssertUnwindSafe(|| self.pool.install(f))) {
            Ok(value) => Ok(value),
            Err(payload) if payload.is::<Stop>() => Err(Cancelled),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Starts `f` on the threads of the pool and returns at once. It must not panic: [`run`](Self::run) inside it says how it ends.
    pub fn spawn(&self, f: impl FnOnce() + Send + 'static) {
        self.pool.spawn(f);
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The pool's switch.
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }
}

/// A computation was stopped by its [`Cancellation`].
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the computation was cancelled")]
pub struct Cancelled;

/// What a stopped computation unwinds with.
struct Stop;

/// Stops here if that was asked for: for loops of other crates that run on a [`CancellablePool`]. It takes some nanoseconds and is for places
/// that are passed every few milliseconds, not for innermost loops.
///
/// ```
/// use srrd::{Cancellation, Cancelled, checkpoint};
/// let cancellation = Cancellation::new();
/// let stopped = cancellation.pool(1)?.run(|| loop {
///     cancellation.cancel(); // usually from another thread
///     checkpoint();
/// });
/// assert_eq!(stopped, Err::<(), Cancelled>(Cancelled));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[inline]
pub fn checkpoint() {
    if TOKEN.with(|token| token.get().is_some_and(Cancellation::is_cancelled)) {
        // Not a panic: nothing went wrong, and nothing is to be printed.
        resume_unwind(Box::new(Stop));
    }
}

/// A checkpoint for loops whose steps take very different times: it counts work, and looks at the token at the first step and once
/// in a while after it.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Steps until the next look.
    left: usize,
}

impl Pace {
    /// So many additions or look-ups take a millisecond or a few.
    const STEPS: usize = 1 << 20;

    /// Notes that so many steps were or will be made.
    #[inline]
    pub fn spend(&mut self, steps: usize) {
        if steps < self.left {
            self.left -= steps;
        } else {
            self.left = Self::STEPS;
            checkpoint();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn only_threads_of_the_pool_stop() {
        let cancellation = Cancellation::new();
        let pool = cancellation.pool(2).unwrap();
        assert_eq!(pool.threads(), 2);
        let stopped = pool.run(|| {
            cancellation.cancel();
            (0..64).into_par_iter().for_each(|_| checkpoint());
        });
        assert_eq!(stopped, Err(Cancelled));
        assert!(pool.cancellation().is_cancelled());
        checkpoint();
        rayon::scope(|_| checkpoint());
        cancellation.reset();
        assert_eq!(pool.run(|| (0..64u64).into_par_iter().inspect(|_| checkpoint()).sum::<u64>()), Ok(2016));
    }

    #[test]
    fn other_panics_go_through() {
        let pool = Cancellation::new().pool(1).unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| pool.run(|| resume_unwind(Box::new("a real one")))));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"a real one"));
        assert_eq!(pool.run(|| 1), Ok(1));
    }

    #[test]
    fn work_is_counted() {
        let cancellation = Cancellation::new();
        let pool = cancellation.pool(1).unwrap();
        let mut rounds = 0;
        let stopped = pool.run(|| {
            let mut pace = Pace::default();
            for _ in 0..100 {
                pace.spend(Pace::STEPS / 4);
                cancellation.cancel();
                rounds += 1;
            }
        });
        assert_eq!((stopped, rounds), (Err(Cancelled), 4));
    }
}
