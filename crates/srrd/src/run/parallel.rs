//! Parallel loops whose results do not depend on the number of threads: every element is computed by itself.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::run::checkpoint;

/// Below this many elements a loop stays on one thread: waking another costs more than it saves.
const SMALL: usize = 1 << 14;
/// How many elements a thread takes at a time.
const CHUNK: usize = 1 << 12;
/// How many elements are computed between two checkpoints, where each takes little time.
const STRIDE: usize = 1 << 9;
/// How much work, where that is known.
const STRIDE_WORK: u64 = 1 << 20;

/// `(0..n).map(f)`, on all threads.
pub(crate) fn map<T: Copy + Default + Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if n < SMALL {
        let mut values = Vec::with_capacity(n);
        for start in (0..n).step_by(STRIDE) {
            checkpoint();
            values.extend((start..n.min(start + STRIDE)).map(&f));
        }
        return values;
    }
    let mut values = vec![T::default(); n];
    let chunks = values.par_chunks_mut(CHUNK).with_min_len(piece(n / CHUNK));
    chunks.enumerate().for_each(|(chunk, values)| {
        for (stride, values) in values.chunks_mut(STRIDE).enumerate() {
            checkpoint();
            values.iter_mut().zip(chunk * CHUNK + stride * STRIDE..).for_each(|(value, i)| *value = f(i));
        }
    });
    values
}

/// As [`map`], for `work` steps in all, with scratch memory: `make` is called once per thread. `blank` is any value.
pub(crate) fn map_with<S: Send, T: Copy + Send>(
    n: usize,
    work: u64,
    blank: T,
    make: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, usize) -> T + Sync + Send,
) -> Vec<T> {
    let mut values = vec![blank; n];
    let stride = (n as u64 * STRIDE_WORK / work.max(1)).clamp(1, STRIDE as u64) as usize;
    let scratches = Mutex::new(Vec::new());
    let lock = || scratches.lock().unwrap_or_else(PoisonError::into_inner);
    let fill = |values: &mut [T], first: usize| {
        let kept = lock().pop();
        let mut scratch = kept.unwrap_or_else(&make);
        for (values, first) in values.chunks_mut(stride).zip((first..).step_by(stride)) {
            checkpoint();
            values.iter_mut().zip(first..).for_each(|(value, i)| *value = f(&mut scratch, i));
        }
        lock().push(scratch);
    };
    if work < SMALL as u64 {
        fill(&mut values, 0);
    } else {
        let block = block(n);
        values.par_chunks_mut(block).enumerate().for_each(|(i, values)| fill(values, i * block));
    }
    values
}

/// Fills values that lie in rows, one row per state, in blocks of states: `f(states, values of their rows)`. `start(x)` is where
/// the row of x starts, and that of one past the last state the number of values; `work` is what all takes.
pub(crate) fn fill_rows(
    states: usize,
    start: impl Fn(u32) -> usize,
    work: u64,
    f: impl Fn(Range<u32>, &mut [f64]) + Sync + Send,
) -> Vec<f64> {
    let mut values = vec![0.0; start(states as u32)];
    checkpoint();
    if work < SMALL as u64 {
        f(0..states as u32, &mut values);
        return values;
    }
    let block = block(states);
    let mut rest = values.as_mut_slice();
    let blocks: Vec<(Range<u32>, &mut [f64])> = (0..states)
        .step_by(block)
        .map(|first| {
            let range = first as u32..(first + block).min(states) as u32;
            let (values, after) = std::mem::take(&mut rest).split_at_mut(start(range.end) - start(range.start));
            rest = after;
            (range, values)
        })
        .collect();
    blocks.into_par_iter().for_each(|(range, values)| {
        checkpoint();
        f(range, values);
    });
    values
}

/// Both results; on two threads, if together they take so many steps.
pub(crate) fn join<A: Send, B: Send>(
    work: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if work < SMALL { (a(), b()) } else { rayon::join(a, b) }
}

/// The sum of integers, on all threads.
pub(crate) fn sum<T: Sync>(values: &[T], f: impl Fn(&T) -> u64 + Sync + Send) -> u64 {
    let sum = |values: &[T]| values.iter().map(&f).sum::<u64>();
    if values.len() < SMALL {
        return sum(values);
    }
    values.par_chunks(SMALL).map(sum).sum()
}

/// Whether `f` holds of any part of the values.
pub(crate) fn any<T: Sync>(values: &[T], f: impl Fn(&[T]) -> bool + Sync + Send) -> bool {
    if values.len() < SMALL { f(values) } else { values.par_chunks(SMALL).any(f) }
}

/// Which ids below `count` occur.
pub(crate) fn occurring(columns: &[&[u32]], count: usize) -> Vec<bool> {
    let small = columns.iter().map(|ids| ids.len()).sum::<usize>() < SMALL;
    let mut occurs = Vec::new();
    occurs.resize_with(count, || AtomicBool::new(false));
    let mark = |ids: &[u32]| {
        for id in ids {
            // Reading first: most are marked already, and threads that write to one place wait for each other.
            if let Some(occurs) = occurs.get(*id as usize)
                && !occurs.load(Ordering::Relaxed)
            {
                occurs.store(true, Ordering::Relaxed);
            }
        }
    };
    match small {
        true => columns.iter().for_each(|ids| mark(ids)),
        false => columns.iter().for_each(|ids| ids.par_chunks(SMALL).for_each(mark)),
    }
    occurs.into_iter().map(AtomicBool::into_inner).collect()
}

/// Zeros that threads can write to side by side.
pub(crate) fn zeros(count: usize) -> Vec<AtomicU32> {
    let zero = |_| AtomicU32::new(0);
    if count < SMALL {
        (0..count).map(zero).collect()
    } else {
        (0..count).into_par_iter().with_min_len(SMALL).map(zero).collect()
    }
}

/// A copy, made on all threads.
pub(crate) fn copy<T: Copy + Send + Sync>(values: &[T]) -> Vec<T> {
    if values.len() < SMALL || rayon::current_num_threads() == 1 {
        return values.to_vec();
    }
    values.par_iter().with_min_len(SMALL).copied().collect()
}

/// How many of n elements a thread should take at least: few enough to share the work evenly, so many that a computation that is
/// stopped, where every piece unwinds by itself, is over soon.
pub(crate) fn piece(n: usize) -> usize {
    (n / (64 * rayon::current_num_threads())).max(1)
}

/// A block length that gives every thread a few blocks.
fn block(n: usize) -> usize {
    n.div_ceil(8 * rayon::current_num_threads()).max(1)
}
