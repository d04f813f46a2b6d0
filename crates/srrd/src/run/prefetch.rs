//! Asking for memory before it is needed: on graphs larger than the caches, the rows of next states lie anywhere, and waiting for
//! one after the other takes several times as long as computing with them.

use std::ops::Range;

use crate::graph::Graph;

/// How many edges before its use the start of a row is asked for, and how many the row itself, whose place must be known by then.
const START_AHEAD: usize = 48;
const ROW_AHEAD: usize = 24;
/// Numbers of 4 bytes in a cache line.
const LINE: usize = 16;
/// So far apart two states lie in different parts of the memory.
const FAR: u32 = 1 << 12;

/// Asks for rows of a graph, if many of its edges lead far away; where they do not, as on grids, rows are in a cache already.
#[derive(Clone, Copy)]
pub(crate) struct RowsAhead<'a> {
    graph: &'a Graph,
    far: bool,
}

impl<'a> RowsAhead<'a> {
    /// Looks at some of the edges.
    pub fn new(graph: &'a Graph) -> Self {
        const LOOKED_AT: usize = 256;
        let step = graph.edges().div_ceil(LOOKED_AT).max(1);
        let is_far = |&e: &usize| graph.source(e).abs_diff(graph.target(e)) > FAR;
        let far = (0..graph.edges()).step_by(step).filter(is_far).count();
        RowsAhead { graph, far: far * step > graph.edges() / 4 }
    }

    /// Asks for the rows of `target(e)` for an edge e a little after `edge`: while edges are gone through in order, the successors
    /// of the states that they lead to are there when they are looked at. `also(y, edges that leave y)` may ask for more.
    #[inline]
    pub fn of(self, edge: usize, also: impl Fn(u32, Range<usize>)) {
        let start = |y| line(self.graph.row_starts(), y as usize);
        let row = |y| {
            let edges = self.graph.out_edges(y);
            lines(self.graph.targets(), &edges);
            also(y, edges);
        };
        self.ask(edge, start, row);
    }

    /// As [`of`](Self::of), with other rows: `start(y)` asks for what tells where the row of y is, and `row(y)`, some time later,
    /// for the row.
    #[inline]
    pub fn ask(self, edge: usize, start: impl Fn(u32), row: impl Fn(u32)) {
        if !self.far {
            return;
        }
        let targets = self.graph.targets();
        if let Some(&y) = targets.get(edge + START_AHEAD) {
            start(y);
        }
        if let Some(&y) = targets.get(edge + ROW_AHEAD) {
            row(y);
        }
    }
}

/// Asks for the first lines of a part of a list, those that a short row takes.
#[inline]
pub(crate) fn lines<T>(list: &[T], part: &Range<usize>) {
    line(list, part.start);
    // Where the part ends in another line, that too; two are enough for most rows, and long ones are fetched as they are read.
    line(list, part.end.min(part.start + LINE));
}

/// Asks for the cache line of one element. Does nothing but save time, wherever the index points.
#[inline]
pub(crate) fn line<T>(list: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing; an address that is not mapped is ignored.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(list.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (list, index);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn ring(states: u32, step: u32) -> Graph {
        let (source, target) = ((0..states).collect(), (0..states).map(|x| (x + step) % states).collect());
        Graph::new((0..=states).collect(), source, target, (0..=states).collect())
    }

    #[test]
    fn rows_are_asked_for_where_edges_lead_far() {
        for (step, expected) in [(1, 0), (FAR + 1, 20_000 - ROW_AHEAD)] {
            let graph = ring(20_000, step);
            let ahead = RowsAhead::new(&graph);
            let asked = Cell::new(0);
            for edge in 0..graph.edges() {
                ahead.of(edge, |y, edges| {
                    assert_eq!(y, graph.target(edge + ROW_AHEAD));
                    assert_eq!(edges, graph.out_edges(y));
                    asked.set(asked.get() + 1);
                });
            }
            assert_eq!(asked.get(), expected);
        }
    }

    #[test]
    fn any_index_may_be_asked_for() {
        line(&[0u8; 3], 2);
        line::<u64>(&[], usize::MAX);
        lines(&[1, 2, 3], &(1..3));
    }
}
