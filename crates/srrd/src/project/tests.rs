//! The projection against dense least squares, in every regime of γ.

use super::*;
use crate::sparse::dot;
use proptest::prelude::*;

fn projection(pairs: &[(u32, u32)], gamma: f64) -> Projection {
    Projection::on(pairs.iter().copied(), Gamma::new(gamma).unwrap())
}

/// As a projection, with conjugate gradients alone.
fn iterated(pairs: &[(u32, u32)], gamma: f64, values: &[f64]) -> Vec<f64> {
    let graph = ShapingGraph::new(pairs.iter().copied());
    let solver = Solver::new(&graph, gamma, Border::Exact, solve::TOLERANCE).without_factor(&graph);
    let means = graph.means(values);
    let rest = solver.fit(&graph, &means).rest;
    graph.edge_of.iter().zip(values).map(|(&e, value)| value - means[e as usize] + rest[e as usize]).collect()
}

/// The residual by Gram-Schmidt on the columns of W^½A, three times: dense, slow and independent of the above. Also the rank.
fn dense(pairs: &[(u32, u32)], gamma: f64, values: &[f64]) -> (Vec<f64>, usize) {
    let states = pairs.iter().flat_map(|&(s, t)| [s, t]).filter(|&x| x != END).max().unwrap() + 1;
    let mut columns: Vec<Vec<f64>> = (0..states)
        .map(|state| {
            let entry = |&(s, t): &(u32, u32)| f64::from(t == state) * gamma - f64::from(s == state);
            pairs.iter().map(entry).collect()
        })
        .collect();
    if pairs.iter().all(|&(_, t)| t != END) {
        // A shift changes no behaviour. With γ < 1 it is shaping anyway.
        columns.push(vec![f64::from(gamma == 1.0); pairs.len()]);
    }
    beside(columns, values)
}

/// What is left of values beside the space of some columns, and the rank of that space.
pub(super) fn beside(columns: Vec<Vec<f64>>, values: &[f64]) -> (Vec<f64>, usize) {
    let (basis, _) = orthonormal(columns);
    (without(&basis, values), basis.len())
}

/// An orthonormal basis of the space of some columns, by Gram-Schmidt, three times; and how much of each column is not of those before it.
pub(crate) fn orthonormal(columns: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (mut basis, mut shares): (Vec<Vec<f64>>, Vec<f64>) = Default::default();
    for mut column in columns {
        let before = dot(&column, &column).sqrt();
        (0..3).for_each(|_| take_out(&basis, &mut column));
        let length = dot(&column, &column).sqrt();
        if length > 1e-9 * before.max(1e-30) {
            basis.push(column.iter().map(|c| c / length).collect());
        }
        shares.push(length / before);
    }
    (basis, shares)
}

/// What is left of values beside a basis.
pub(crate) fn without(basis: &[Vec<f64>], values: &[f64]) -> Vec<f64> {
    let mut rest = values.to_vec();
    (0..2).for_each(|_| take_out(basis, &mut rest));
    rest
}

fn take_out(basis: &[Vec<f64>], of: &mut [f64]) {
    for b in basis {
        let part = dot(of, b);
        of.iter_mut().zip(b).for_each(|(x, b)| *x -= part * b);
    }
}

fn assert_close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }
}

/// Where iterations alone reach eight digits: with a small γ, potentials grow so much along chains that they stop before. Graphs
/// of this size are always factorized.
fn alone(gamma: f64) -> bool {
    gamma == 0.0 || gamma >= 0.5
}

/// Every regime: no discount, none left, the usual, and those in which the equations are nearly singular.
fn gammas() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.05..0.97f64, Just(0.999_999), 0.97..1.0f64]
}

proptest! {
    #[test]
    fn residual_and_rank_equal_dense_least_squares(
        mut pairs in prop::collection::vec((0..14u32, 0..14u32), 1..50), islands in any::<bool>(),
        ends in prop::option::of(prop::collection::vec(0..10u32, 50)),
        values in prop::collection::vec(-5.0..5.0f64, 50), gamma in gammas(),
    ) {
        if islands {
            pairs.iter_mut().for_each(|(s, t)| *t = *t / 7 * 7 + *s % 7);
        }
        // About one in ten ends, in half of the cases.
        for (pair, _) in pairs.iter_mut().zip(ends.iter().flatten()).filter(|(_, end)| **end == 0) {
            pair.1 = END;
        }
        pairs.sort_unstable();
        let values = &values[..pairs.len()];
        let plain = projection(&pairs, gamma);
        let (expected, rank) = dense(&pairs, gamma, values);
        prop_assert_eq!(plain.shaping().rank, rank);
        // The columns as they stand are nearly dependent close to γ = 1, so Gram-Schmidt loses digits there.
        let within = if (0.99..1.0).contains(&gamma) { 1e-7 } else { 1e-8 };
        assert_close(&plain.residual(values), &expected, within);
        if alone(gamma) && !ShapingGraph::new(pairs.iter().copied()).shift_is_extra(gamma) {
            assert_close(&iterated(&pairs, gamma, values), &expected, within);
        }
    }

    #[test]
    fn shaping_leaves_nothing(
        mut pairs in prop::collection::vec((0..20u32, 0..20u32), 1..80),
        potential in prop::collection::vec(-20.0..20.0f64, 20),
        gamma in prop_oneof![0.0..=1.0f64, (-5.0..0.0f64).prop_map(|e| 10f64.powf(e)), (-8.0..0.0f64).prop_map(|e| 1.0 - 10f64.powf(e))],
    ) {
        pairs.sort_unstable();
        let shaping: Vec<f64> =
            pairs.iter().map(|&(s, t)| gamma * potential[t as usize] - potential[s as usize]).collect();
        prop_assert!(projection(&pairs, gamma).residual(&shaping).iter().all(|r| r.abs() < 1e-9));
        if alone(gamma) {
            prop_assert!(iterated(&pairs, gamma, &shaping).iter().all(|r| r.abs() < 1e-9));
        }
    }

    /// Layers that every transition but a few leads on from: a potential that grows by 1/γ from layer to layer shapes nothing but
    /// the few, and there next to nothing. No pivot of the normal equations shows it.
    #[test]
    fn shaping_leaves_nothing_on_layers(
        width in 1..5u32, layers in 3..60u32, moves in prop::collection::vec((0..600u32, 0..5u32, 0..5u32), 2..400),
        others in prop::collection::vec((0..300u32, 0..300u32), 1..4),
        potential in prop::collection::vec(-20.0..20.0f64, 300), exponent in -5.0..0.0f64,
    ) {
        let gamma = 10f64.powf(exponent);
        let mut pairs: Vec<(u32, u32)> = moves.iter()
            .map(|&(layer, s, t)| (layer % (layers - 1) * width + s % width, (layer % (layers - 1) + 1) * width + t % width))
            .chain(others.iter().map(|&(s, t)| (s % (width * layers), t % width)))
            .chain([(0, 0)])
            .collect();
        pairs.sort_unstable();
        let shaping: Vec<f64> =
            pairs.iter().map(|&(s, t)| gamma * potential[t as usize] - potential[s as usize]).collect();
        let left = projection(&pairs, gamma).residual(&shaping);
        prop_assert!(left.iter().all(|r| r.abs() < 1e-8), "γ = {gamma}: {left:?}");
        // What is left of anything else is what is left of it with shaping, and nothing more can be taken out.
        let values: Vec<f64> = (0..pairs.len()).map(|i| ((i * 7919) % 1009) as f64 / 100.0).collect();
        let once = projection(&pairs, gamma).residual(&values);
        let shaped: Vec<f64> = values.iter().zip(&shaping).map(|(value, shaping)| value + shaping).collect();
        assert_close(&projection(&pairs, gamma).residual(&shaped), &once, 1e-8);
        assert_close(&projection(&pairs, gamma).residual(&once), &once, 1e-8);
    }

    #[test]
    fn the_limits_are_continuous(
        mut pairs in prop::collection::vec((0..10u32, 0..10u32), 1..40),
        values in prop::collection::vec(-5.0..5.0f64, 40),
    ) {
        pairs.sort_unstable();
        let graph = ShapingGraph::new(pairs.iter().copied());
        let means = graph.means(&values[..pairs.len()]);
        let rest = |gamma| Solver::new(&graph, gamma, Border::Limit, solve::TOLERANCE).fit(&graph, &means).rest;
        assert_close(&rest(1.0), &rest(1.0 - 1e-9), 1e-6);
        // What the exact space explains, its limit explains as well.
        for gamma in [0.0, 1.0] {
            let exact = Solver::new(&graph, gamma, Border::Exact, solve::TOLERANCE).fit(&graph, &means).rest;
            prop_assert!(graph.squared(&rest(gamma)) <= graph.squared(&exact) + 1e-9);
        }
    }
}

#[test]
fn small_discounts_lose_no_digits() {
    // A way of five steps behind a loop: its last potential times γ⁴ is all that the loop sees of it.
    let mut pairs = vec![
        (3, 3),
        (3, 7),
        (7, 8),
        (8, 2),
        (2, 17),
        (7, 0),
        (7, 11),
        (5, 0),
        (5, 9),
        (12, 0),
        (3, 1),
        (4, 1),
        (13, 4),
    ];
    // The same with two states a step, so that no state has one transition alone.
    let double: Vec<(u32, u32)> = (0..5u32)
        .flat_map(|k| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(s, t)| (2 * k + s, 2 * k + 2 + t)))
        .chain([(0, 0), (1, 0)])
        .collect();
    pairs.sort_unstable();
    for pairs in [pairs, double] {
        for gamma in [1e-8, 1e-5, 0.000_3, 0.002, 0.018_324_640_341_861_195, 0.05, 0.3] {
            let potential = |s: u32| f64::from(s * 7 % 23) - 11.0;
            let shaping: Vec<f64> = pairs.iter().map(|&(s, t)| gamma * potential(t) - potential(s)).collect();
            let left = projection(&pairs, gamma).residual(&shaping);
            assert!(left.iter().all(|r| r.abs() < 1e-12), "γ = {gamma}: {left:?}");
        }
    }
}

#[test]
fn rank_counts_balanced_components() {
    // A chain is balanced for every γ, a cycle only for γ = 1, a self-loop is one.
    let rank = |pairs: &[(u32, u32)], gamma: f64| {
        let Shaping { rank, components, degrees_of_freedom } = projection(pairs, gamma).shaping();
        (rank, components, degrees_of_freedom)
    };
    assert_eq!(rank(&[(0, 1), (1, 2), (5, 6)], 0.5), (3, 2, 0));
    assert_eq!(rank(&[(0, 1), (1, 2), (2, 0)], 0.5), (3, 1, 0));
    // With γ = 1 a shift changes no behaviour, and is no shaping there.
    assert_eq!(rank(&[(0, 1), (1, 2), (2, 0)], 1.0), (3, 1, 0));
    assert_eq!(rank(&[(0, 0)], 0.5), (1, 1, 0));
    assert_eq!(rank(&[(0, 0)], 1.0), (1, 1, 0));
    // Where something ends, every potential counts, and a shift changes behaviour.
    assert_eq!(rank(&[(0, 1), (1, 0), (1, END)], 0.5), (2, 1, 1));
    assert_eq!(rank(&[(0, 1), (1, 0), (1, END)], 1.0), (2, 1, 1));
    assert_eq!(rank(&[(0, END), (0, END), (1, END)], 0.9), (2, 2, 1));
    // Two ways of the same length between two states are still balanced; of different lengths they are not.
    assert_eq!(rank(&[(0, 1), (0, 2), (1, 3), (2, 3)], 0.5), (3, 1, 1));
    assert_eq!(rank(&[(0, 1), (0, 3), (1, 3)], 0.5), (3, 1, 0));
    // γ = 0 shapes by the state that is left alone.
    assert_eq!(rank(&[(0, 1), (0, 2), (1, 2)], 0.0), (2, 1, 1));
}

/// A torus of `side` × `side` states, with moves in all four directions; every fifth is missing.
fn torus(side: u32) -> Vec<(u32, u32)> {
    let mut pairs: Vec<(u32, u32)> = (0..side * side)
        .flat_map(|s| {
            let (x, y) = (s % side, s / side);
            let moves =
                [((x + 1) % side, y), ((x + side - 1) % side, y), (x, (y + 1) % side), (x, (y + side - 1) % side)];
            moves.map(|(x, y)| (s, y * side + x))
        })
        .filter(|&(s, t)| (s * 31 + t * 17) % 5 != 0)
        .collect();
    pairs.sort_unstable();
    pairs
}

#[test]
fn factorization_and_iterations_agree_on_larger_graphs() {
    let torus = torus(40);
    // A long chain with a way back is the worst case for iterations close to γ = 1, a dense graph that for factorizing.
    let chain: Vec<(u32, u32)> = (0..1500).map(|s| (s, (s + 1) % 1500)).chain((0..1490).map(|s| (s, s + 10))).collect();
    // Hubs: a star, and a chain whose states can all be reset; a few of them end nowhere.
    let star: Vec<(u32, u32)> = (1..1500).flat_map(|leaf| [(0, leaf), (leaf, 0), (leaf, leaf)]).collect();
    let resets: Vec<(u32, u32)> = (1..1500).flat_map(|s| [(0, s), (s, 0), (s, s + 1), (s, 1550 + s % 7)]).collect();
    let dense: Vec<(u32, u32)> = (0..90).flat_map(|s| (0..90).map(move |t| (s, t))).collect();
    for (pairs, gamma, within) in [
        (&torus, 0.9, 1e-11),
        (&torus, 0.999_999, 1e-9),
        (&chain, 0.9, 1e-9),
        (&chain, 0.5, 1e-9),
        (&star, 0.9, 1e-11),
        (&star, 0.999_999, 1e-9),
        (&resets, 0.9, 1e-9),
        (&resets, 0.3, 1e-9),
        (&dense, 0.7, 1e-11),
        (&dense, 0.999_999, 1e-11),
    ] {
        let values: Vec<f64> = (0..pairs.len()).map(|i| ((i * 7919) % 1009) as f64 / 100.0).collect();
        let direct = projection(pairs, gamma).residual(&values);
        assert_close(&iterated(pairs, gamma, &values), &direct, within);
        // What is left is orthogonal to every column.
        let mut products = vec![0.0; 1600];
        for (&(s, t), r) in pairs.iter().zip(&direct) {
            products[s as usize] -= r;
            products[t as usize] += gamma * r;
        }
        assert!(products.iter().all(|p| p.abs() < 1e-10), "γ = {gamma}");
    }
}

#[test]
fn long_chains_are_no_burden() {
    // One episode of 200,000 steps that passes its start again: only a factorization gets across it.
    let n = 200_000u32;
    let pairs: Vec<(u32, u32)> = (0..n).map(|s| (s, (s + 1) % (n - 1))).collect();
    let potential = |s: u32| f64::from(s * 7 % 1001) / 10.0;
    for gamma in [0.99, 0.999_999, 1.0] {
        let shaping: Vec<f64> = pairs.iter().map(|&(s, t)| gamma * potential(t) - potential(s)).collect();
        let graph = ShapingGraph::new(pairs.iter().copied());
        assert!(graph.core().system.elimination(gamma > 0.99).is_some());
        let rest = Solver::new(&graph, gamma, Border::Exact, solve::TOLERANCE).fit(&graph, &graph.means(&shaping)).rest;
        assert!(rest.iter().all(|r| r.abs() < 1e-8), "γ = {gamma}");
    }
}
