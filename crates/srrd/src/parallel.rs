//! Parallel loops whose results do not depend on the number of threads: every element is computed by itself.

use rayon::prelude::*;

use crate::graph::Graph;

/// Below this many elements a loop stays on one thread: waking another costs more than it saves.
const SMALL: usize = 4096;

/// `(0..n).map(f)`, on all threads.
pub(crate) fn map<T: Send>(n: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if n < SMALL { (0..n).map(f).collect() } else { (0..n).into_par_iter().with_min_len(SMALL / 4).map(f).collect() }
}

/// As [`map`], for work that needs scratch memory: `make` is called a few times, not once an element.
pub(crate) fn map_with<S, T: Send>(
    n: usize,
    heavy: bool,
    make: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, usize) -> T + Sync + Send,
) -> Vec<T> {
    if n < SMALL && !heavy {
        let mut scratch = make();
        (0..n).map(|i| f(&mut scratch, i)).collect()
    } else {
        (0..n).into_par_iter().with_min_len(block(n)).map_init(make, f).collect()
    }
}

/// Fills one value an edge: `f(scratch, x, values of the edges that leave x)` for every state x.
pub(crate) fn fill_rows<S>(
    graph: &Graph,
    make: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, u32, &mut [f64]) + Sync + Send,
) -> Vec<f64> {
    let mut values = vec![0.0; graph.edges()];
    let mut rows = Vec::with_capacity(graph.states());
    let mut rest = values.as_mut_slice();
    for x in 0..graph.states() as u32 {
        let (row, after) = rest.split_at_mut(graph.out_edges(x).len());
        rows.push((x, row));
        rest = after;
    }
    if graph.edges() < SMALL {
        let mut scratch = make();
        rows.into_iter().for_each(|(x, row)| f(&mut scratch, x, row));
    } else {
        let least = block(rows.len());
        rows.into_par_iter().with_min_len(least).for_each_init(make, |scratch, (x, row)| f(scratch, x, row));
    }
    values
}

/// A block length that gives every thread a few blocks.
fn block(n: usize) -> usize {
    n.div_ceil(4 * rayon::current_num_threads()).max(1)
}
