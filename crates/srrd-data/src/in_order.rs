//! Things that threads work on side by side, and that are handed on in their order.

use std::collections::VecDeque;
use std::mem::take;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many things are there at a time, for every thread: one is worked on, others wait for one before them.
const SLOTS: usize = 4;

/// Fills things with `next` as long as it says `true`, does `work` on several at a time, and hands them to `hand_on` in the order they
/// were filled in, as long as it says to go on. `slots` are what is filled, again and again; there are as many as threads need.
///
/// Every thread takes whatever comes first: a thing that can be handed on, or a free one to fill and to work on. So nobody waits for
/// anybody unless all that is there is being worked on.
///
/// # Errors
/// The first of `next` or `hand_on`, in the order of the things: all before it were handed on.
pub(crate) fn in_order<T: Default + Send, E: Send>(
    slots: &mut Vec<T>,
    next: impl FnMut(&mut T) -> Result<bool, E> + Send,
    work: impl Fn(&mut T) + Sync,
    hand_on: impl FnMut(&mut T) -> Result<ControlFlow<()>, E> + Send,
) -> Result<(), E> {
    let threads = rayon::current_num_threads();
    slots.resize_with(SLOTS * threads, T::default);
    let line = Line {
        state: Mutex::new(State {
            free: take(slots),
            done: VecDeque::new(),
            filled: 0,
            handed_on: 0,
            handing_on: false,
            ended: false,
            over: false,
            outcome: Ok(()),
        }),
        changed: Condvar::new(),
        next: Mutex::new(next),
        work,
        hand_on: Mutex::new(hand_on),
    };
    rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| line.run())));
    let state = line.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    *slots = state.free;
    state.outcome
}

struct Line<T, E, N, W, H> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
    next: Mutex<N>,
    work: W,
    hand_on: Mutex<H>,
}

struct State<T, E> {
    free: Vec<T>,
    /// From the first that was not handed on yet: what was filled, once the work on it is done, or why it could not be.
    done: VecDeque<Option<Result<T, E>>>,
    /// How many were filled, or could not be.
    filled: usize,
    /// How many of them were taken out of `done`.
    handed_on: usize,
    /// Whether a thread is at it.
    handing_on: bool,
    /// Whether there is no more to be filled.
    ended: bool,
    /// Whether there is nothing left to do.
    over: bool,
    outcome: Result<(), E>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T, E, N, W, H> Line<T, E, N, W, H>
where
    N: FnMut(&mut T) -> Result<bool, E>,
    W: Fn(&mut T),
    H: FnMut(&mut T) -> Result<ControlFlow<()>, E>,
{
    /// What every thread does.
    fn run(&self) {
        let _over = OverWhenPanicking(self);
        let mut state = lock(&self.state);
        while !state.over {
            if !state.handing_on && matches!(state.done.front(), Some(Some(_))) {
                state = self.hand_on(state);
            } else if let (false, Some(thing)) = (state.ended, state.free.pop()) {
                drop(state);
                state = self.fill(thing);
            } else if state.ended && state.filled == state.handed_on && !state.handing_on {
                state.over = true;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            self.changed.notify_all();
        }
    }

    /// Hands on the first that is filled.
    fn hand_on<'a>(&'a self, mut state: MutexGuard<'a, State<T, E>>) -> MutexGuard<'a, State<T, E>> {
        let first = state.done.pop_front().flatten();
        state.handed_on += 1;
        state.handing_on = true;
        drop(state);
        let (thing, outcome) = match first {
            Some(Ok(mut thing)) => {
                let outcome = lock(&self.hand_on)(&mut thing);
                (Some(thing), outcome)
            }
            Some(Err(error)) => (None, Err(error)),
            None => (None, Ok(ControlFlow::Continue(()))),
        };
        let mut state = lock(&self.state);
        state.handing_on = false;
        state.free.extend(thing);
        match outcome {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ControlFlow::Break(())) => state.over = true,
            Err(error) => (state.over, state.outcome) = (true, Err(error)),
        }
        state
    }

    /// Fills a thing and works on it.
    fn fill(&self, mut thing: T) -> MutexGuard<'_, State<T, E>> {
        let mut next = lock(&self.next);
        // Another thread may have found the end meanwhile.
        let filled = if lock(&self.state).ended { Ok(false) } else { next(&mut thing) };
        let mut state = lock(&self.state);
        state.ended |= !matches!(filled, Ok(true));
        if let Ok(false) = filled {
            state.free.push(thing);
            return state;
        }
        let number = state.filled;
        state.filled += 1;
        drop(state);
        drop(next);
        let done = filled.map(|_| {
            (self.work)(&mut thing);
            thing
        });
        let mut state = lock(&self.state);
        let place = number - state.handed_on;
        if state.done.len() <= place {
            state.done.resize_with(place + 1, || None);
        }
        state.done[place] = Some(done);
        state
    }
}

/// Ends the wait of the other threads when this one has panicked.
struct OverWhenPanicking<'a, T, E, N, W, H>(&'a Line<T, E, N, W, H>);

impl<T, E, N, W, H> Drop for OverWhenPanicking<'_, T, E, N, W, H> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(&self.0.state).over = true;
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is handed on of so many numbers when filling fails, and handing on stops, at some of them.
    fn run(threads: usize, count: usize, fails: usize, stops: usize) -> (Vec<usize>, Result<(), usize>) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut slots: Vec<(usize, usize)> = Vec::new();
        let mut seen = Vec::new();
        let mut numbers = 0..;
        let outcome = pool.install(|| {
            in_order(
                &mut slots,
                |slot| {
                    slot.0 = numbers.next().unwrap();
                    if slot.0 == fails { Err(fails) } else { Ok(slot.0 < count) }
                },
                |slot| {
                    // Some take far longer than others.
                    slot.1 = (0..slot.0 % 7 * 1000).fold(0, |sum: usize, i| std::hint::black_box(sum ^ i));
                    slot.1 = slot.0 * slot.0;
                },
                |slot| {
                    assert_eq!(slot.1, slot.0 * slot.0);
                    seen.push(slot.0);
                    Ok(if slot.0 == stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
                },
            )
        });
        (seen, outcome)
    }

    #[test]
    fn all_are_handed_on_in_order_up_to_an_error_or_a_stop() {
        for threads in [1, 2, 5] {
            for count in [0, 1, 2, 3, 50, 1000] {
                assert_eq!(run(threads, count, usize::MAX, usize::MAX), ((0..count).collect(), Ok(())));
                assert_eq!(run(threads, count, count / 2, usize::MAX), ((0..count / 2).collect(), Err(count / 2)));
            }
            assert_eq!(run(threads, 1000, 700, 300), ((0..=300).collect(), Ok(())));
            assert_eq!(run(threads, 1000, 300, 700), ((0..300).collect(), Err(300)));
        }
    }

    #[test]
    fn a_panic_reaches_the_caller_and_leaves_nobody_waiting() {
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let mut numbers = 0..;
                pool.install(|| {
                    in_order(
                        &mut Vec::new(),
                        |slot: &mut usize| {
                            *slot = numbers.next().unwrap();
                            Ok::<_, ()>(true)
                        },
                        |slot| assert!(*slot != 10, "the tenth"),
                        |_| Ok(ControlFlow::Continue(())),
                    )
                })
            }));
            assert!(panicked.is_err());
        }
    }
}
