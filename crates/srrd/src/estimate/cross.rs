//! DARD's sums over succ(s) × succ(s'), the only ones that depend on both ends of a transition.

use super::classes::SuccessorClasses;
use super::hubs::Hubs;
use super::local::{LocalMap, StateSet};
use crate::graph::Graph;
use crate::run::parallel;
use crate::run::prefetch::{self, RowsAhead};
use crate::run::{Pace, checkpoint};
use rayon::prelude::*;

/// Columns that are summed side by side in the dense form; enough to keep vector units busy, few enough for registers.
const PANEL: usize = 16;

/// For every edge (s, s'): Σ_{x ∈ succ(s)} Σ_{y ∈ succ(s')} value(x, y), `edge_values` holding the value of every edge and
/// all other pairs adding nothing.
///
/// For a fixed s, v(y) = Σ_{x ∈ succ(s)} value(x, y) is kept in a small map, from which every s' then picks:
/// O(Σ_s Σ_{x ∈ succ(s)} |succ(x)|), the same as one sweep over two steps. On dense graphs rows are added whole, once for
/// every *distinct* set of successors. Both add in the same order and give the same bits. Where a few states make most of the walks,
/// these are looked up instead ([`Hubs`]).
pub(crate) fn cross_sums(graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
    let dense_cells = (graph.states() * graph.states()) as u64;
    if graph.edges() as u64 * 4 > dense_cells {
        dense(graph, edge_values)
    } else if graph.is_uneven() {
        Hubs::choose(graph).cross_sums(graph, edge_values)
    } else {
        sparse(graph, edge_values)
    }
}

fn sparse(graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
    let ahead = RowsAhead::new(graph);
    parallel::fill_rows(
        graph.states(),
        |x| graph.first_edge(x),
        graph.two_step_walks(),
        |range, values| {
            let mut v = LocalMap::new(graph.states());
            let mut values = values.iter_mut();
            let mut pace = Pace::default();
            for s in range {
                let middle = graph.successors(s);
                let walks = middle.iter().map(|&x| graph.out_edges(x).len()).sum();
                pace.spend(walks);
                v.begin(|| walks);
                for (e, &x) in graph.out_edges(s).zip(middle) {
                    ahead.of(e, |_, edges| prefetch::lines(edge_values, &edges));
                    for e in graph.out_edges(x) {
                        v.add(graph.target(e), edge_values[e]);
                    }
                }
                // succ(s') is part of what was reached: s' is itself one of the middle states.
                for (&next, value) in middle.iter().zip(&mut values) {
                    *value = graph.successors(next).iter().fold(0.0, |sum, &y| sum + v.get(y));
                }
            }
        },
    )
}

fn dense(graph: &Graph, edge_values: &[f64]) -> Vec<f64> {
    let states = graph.states();
    let SuccessorClasses { class_of, representative } = SuccessorClasses::of(graph);
    let values = panels(states, graph, edge_values);

    // Classes of s in blocks of PANEL: v is stored with the block's classes side by side, which is again a panel.
    let blocks: Vec<Vec<[f64; PANEL]>> = representative
        .par_chunks(PANEL)
        .map(|block| {
            let mut spread = vec![[0.0; PANEL]; states];
            for (i, &s) in block.iter().enumerate() {
                checkpoint();
                for (p, panel) in values.iter().enumerate() {
                    let sum = add_rows(panel, graph.successors(s));
                    for (j, value) in sum.into_iter().enumerate().take(states - p * PANEL) {
                        spread[p * PANEL + j][i] = value;
                    }
                }
            }
            let mut pace = Pace::default();
            let sums = representative.iter().map(|&next| {
                let rows = graph.successors(next);
                pace.spend(rows.len() * PANEL);
                add_rows(&spread, rows)
            });
            sums.collect()
        })
        .collect();

    parallel::map(graph.edges(), |e| {
        let s = class_of[graph.source(e) as usize] as usize;
        let next = class_of[graph.target(e) as usize] as usize;
        blocks[s / PANEL][next][s % PANEL]
    })
}

/// The edge values as a dense matrix, cut into panels of PANEL columns.
fn panels(states: usize, graph: &Graph, edge_values: &[f64]) -> Vec<Vec<[f64; PANEL]>> {
    let mut panels = vec![vec![[0.0; PANEL]; states]; states.div_ceil(PANEL)];
    for (e, &value) in edge_values.iter().enumerate() {
        let (x, y) = (graph.source(e) as usize, graph.target(e) as usize);
        panels[y / PANEL][x][y % PANEL] = value;
    }
    panels
}

#[inline]
fn add_rows(panel: &[[f64; PANEL]], rows: &[u32]) -> [f64; PANEL] {
    let mut sum = [0.0; PANEL];
    for &row in rows {
        let row = &panel[row as usize];
        for k in 0..PANEL {
            sum[k] += row[k];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{Duplicates, RewardSample};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_give_the_right_sums_and_sparse_and_dense_the_same_bits(
            edges in prop::collection::vec((0..40u32, 0..40u32, -5.0..5.0f64), 1..900), repeat in 1..4u32,
            hub in any::<bool>(),
        ) {
            // Or a few hubs: states below 5, to which most edges lead.
            let fewer = |x: u32| if hub && x > 20 { x % 5 } else { x };
            let edges = edges.iter().map(|&(x, y, r)| (fewer(x), fewer(y), r)).collect::<Vec<_>>();
            // Copies of states give successor sets that occur several times.
            let rows = edges.iter().flat_map(|&(x, y, r)| (0..repeat).map(move |i| (x + 40 * i, 0, y, r)));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            let graph = &sample.graph;
            let values = sample.rewards();
            let result = sparse(graph, values);
            prop_assert_eq!(&result, &dense(graph, values));
            let by_hubs = Hubs::choose(graph).cross_sums(graph, values);
            for (e, found) in result.iter().enumerate() {
                let mut expected = 0.0;
                for &x in graph.successors(graph.source(e)) {
                    for inner in graph.out_edges(x) {
                        if graph.successors(graph.target(e)).contains(&graph.target(inner)) {
                            expected += values[inner];
                        }
                    }
                }
                prop_assert!((found - expected).abs() < 1e-9);
                prop_assert!((by_hubs[e] - expected).abs() < 1e-9);
            }
        }
    }
}
