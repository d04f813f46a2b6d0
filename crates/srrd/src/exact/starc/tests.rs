//! The linear programs against all of their vertices, and against shaping.

use super::least;
use super::minimal::Row;
use super::vertex::{least_sum, strictly_least_maximum};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows like those of shaping, with integers or real numbers, more than one the same.
fn random(rng: &mut ChaCha8Rng, unknowns: usize, count: usize, whole: bool) -> Vec<Row> {
    let gamma = [0.5, 0.9, 1.0][rng.random_range(0..3)];
    let row = |rng: &mut ChaCha8Rng| {
        let (s, t) = (rng.random_range(0..unknowns), rng.random_range(0..unknowns));
        let terms = if s == t { vec![(s, gamma - 1.0)] } else { vec![(s, -1.0), (t, gamma)] };
        let target = if whole { f64::from(rng.random_range(-1..=1)) } else { rng.random_range(-1.0..1.0) };
        Row { terms: terms.into_iter().filter(|term| term.1 != 0.0).collect(), target }
    };
    (0..count).map(|_| row(rng)).collect()
}

fn values(rows: &[Row], x: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| row.at(x)).collect()
}

fn sum(values: &[f64]) -> f64 {
    values.iter().map(|v| v.abs()).sum()
}

fn most(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
}

/// Solves a small system by Cramer's rule, if it has one solution.
fn cramer(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    fn determinant(m: &[Vec<f64>]) -> f64 {
        if m.is_empty() {
            return 1.0;
        }
        let minor = |k: usize| -> Vec<Vec<f64>> {
            m[1..].iter().map(|r| r.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, v)| *v).collect()).collect()
        };
        (0..m.len()).map(|k| if k % 2 == 0 { 1.0 } else { -1.0 } * m[0][k] * determinant(&minor(k))).sum()
    }
    let whole = determinant(matrix);
    let with = |k: usize| -> Vec<Vec<f64>> {
        let mut replaced = matrix.to_vec();
        replaced.iter_mut().zip(right).for_each(|(row, b)| row[k] = *b);
        replaced
    };
    (whole.abs() > 1e-9).then(|| (0..matrix.len()).map(|k| determinant(&with(k)) / whole).collect())
}

fn dense(row: &Row, unknowns: usize) -> Vec<f64> {
    let mut values = vec![0.0; unknowns];
    row.terms.iter().for_each(|&(j, c)| values[j] = c);
    values
}

/// All ways to choose `k` of `n`.
fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![Vec::new()];
    }
    let longer = |mut some: Vec<usize>| {
        let next = some.last().map_or(0, |last| last + 1);
        (next..n).map(move |i| {
            some.truncate(k - 1);
            [some.clone(), vec![i]].concat()
        })
    };
    choices(n, k - 1).into_iter().flat_map(longer).collect()
}

/// The least sum and the least maximum over all vertices, of few rows.
fn by_all_vertices(unknowns: usize, rows: &[Row]) -> (f64, f64) {
    // With γ = 1 one unknown can be held, and every unknown may be of no use: rows that hold them complete a vertex.
    let held = (0..unknowns).map(|j| Row { terms: vec![(j, 1.0)], target: 0.0 });
    let all: Vec<Row> = rows.iter().cloned().chain(held).collect();
    let (mut least_sum, mut least_most) = (f64::INFINITY, f64::INFINITY);
    for chosen in choices(all.len(), unknowns) {
        let matrix: Vec<Vec<f64>> = chosen.iter().map(|&i| dense(&all[i], unknowns)).collect();
        let right: Vec<f64> = chosen.iter().map(|&i| -all[i].target).collect();
        if let Some(x) = cramer(&matrix, &right) {
            least_sum = least_sum.min(sum(&values(rows, &x)));
        }
    }
    // Either side of a row may be at the maximum, which is the last unknown.
    let side = |row: &Row, sign: f64, ours: f64| -> (Vec<f64>, f64) {
        (dense(row, unknowns).iter().map(|c| -sign * c).chain([ours]).collect(), sign * row.target)
    };
    let sides: Vec<(Vec<f64>, f64)> = (rows.iter().flat_map(|row| [side(row, 1.0, 1.0), side(row, -1.0, 1.0)]))
        .chain(all[rows.len()..].iter().map(|row| side(row, 1.0, 0.0)))
        .collect();
    for chosen in choices(sides.len(), unknowns + 1) {
        let (matrix, right): (Vec<Vec<f64>>, Vec<f64>) = chosen.iter().map(|&i| sides[i].clone()).unzip();
        if let Some(x) = cramer(&matrix, &right) {
            least_most = least_most.min(most(&values(rows, &x[..unknowns])));
        }
    }
    (least_sum, least_most)
}

#[test]
fn no_vertex_is_lower() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for round in 0..300 {
        let (unknowns, count) = (1 + round % 3, 1 + round % 7);
        let rows = random(&mut rng, unknowns, count, round % 2 == 0);
        let (least, least_most) = by_all_vertices(unknowns, &rows);
        let found = sum(&values(&rows, &least_sum(unknowns, &rows).unwrap()));
        assert!((found - least).abs() < 1e-9, "{round}: {found} {least} {rows:?}");
        let found = most(&values(&rows, &strictly_least_maximum(unknowns, &rows).unwrap()));
        assert!((found - least_most).abs() < 1e-9, "{round}: {found} {least_most} {rows:?}");
    }
}

#[test]
fn shaping_changes_no_solution() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for round in 0..200 {
        let (unknowns, count) = (2 + round % 8, 10 + round % 50);
        let rows = random(&mut rng, unknowns, count, round % 2 == 0);
        let potential: Vec<f64> = (0..unknowns).map(|_| rng.random_range(-3.0..3.0)).collect();
        let shaped: Vec<Row> = rows.iter().map(|row| Row { target: row.at(&potential), ..row.clone() }).collect();
        // The strict solution is one; that of order 1 is one when it starts from what shaping does not change.
        let strict = |rows: &[Row]| values(rows, &strictly_least_maximum(unknowns, rows).unwrap());
        let summed = |rows: &[Row]| {
            let start = least::squares(unknowns, rows);
            let left: Vec<Row> = rows.iter().map(|row| Row { target: row.at(&start), ..row.clone() }).collect();
            values(&left, &least_sum(unknowns, &left).unwrap())
        };
        for (ours, theirs) in [(strict(&rows), strict(&shaped)), (summed(&rows), summed(&shaped))] {
            let apart = most(&ours.iter().zip(&theirs).map(|(a, b)| a - b).collect::<Vec<_>>());
            assert!(apart < 1e-8, "{round}: {apart}\n{ours:?}\n{theirs:?}");
        }
    }
}

#[test]
fn the_least_squares_leave_nothing_that_shaping_explains() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for round in 0..300 {
        let (unknowns, count) = (1 + round % 12, 1 + round % 60);
        let rows = random(&mut rng, unknowns, count, false);
        let left = values(&rows, &least::squares(unknowns, &rows));
        for j in 0..unknowns {
            let along: f64 = rows.iter().zip(&left).map(|(row, v)| dense(row, unknowns)[j] * v).sum();
            assert!(along.abs() < 1e-11, "{round}: {along}");
        }
    }
}
