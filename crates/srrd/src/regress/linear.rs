//! Linear least squares with an intercept.
//!
//! R(s, a, s') ≈ intercept + Σ_j c_j z_j, z_j the features of s, s' and a in standard deviations from their means over the rows.
//! A feature that does not vary over the rows gets c_j = 0. Where features are collinear, of all solutions the one with the least
//! Σ c_j² is taken: it depends neither on the order nor on the units of the features.
//!
//! Rows are folded one by one into a triangular factor by Givens rotations (no normal equations, which would square the condition
//! number), of which a one-sided Jacobi method takes the singular values. O(rows · features² + features³) time,
//! O(features²) memory.

use super::{ACTION, Factor, Known, Product, SOURCE, TARGET};
use crate::run::{Pace, checkpoint};
use crate::sparse::dot;

/// A feature that varies over the rows by less than this part of the largest one is constant.
const CONSTANT: f64 = 1e-13;
/// Of the largest singular value: what is below it is rounding, and its direction is left out.
const RANK: f64 = 1e-9;
/// Jacobi sweeps converge quadratically; some ten are needed, whatever the matrix.
const SWEEPS: usize = 60;

/// The fitted model, evaluated: what each id of s, s' and a adds to a prediction (the intercept is with s).
#[derive(Debug)]
pub(crate) struct Linear {
    parts: [Vec<f64>; 3],
}

/// A feature, and how it is brought to mean 0 and standard deviation 1 over the rows.
struct Column {
    part: usize,
    feature: usize,
    /// The largest magnitude of all ids: divided by it, nothing can overflow.
    largest: f64,
    mean: f64,
    spread: f64,
}

impl Column {
    /// `None` if the feature does not vary.
    fn of(known: &Known<'_>, part: usize, feature: usize) -> Option<Self> {
        let features = &known.features[part];
        let ids = features.values.len() / features.count;
        let largest = (0..ids as u32).fold(0.0f64, |most, id| most.max(features.get(id, feature).abs()));
        if largest == 0.0 {
            return None;
        }
        let values = || known.rows.iter().map(|row| features.get(row[part], feature) / largest);
        let rows = known.rows.len() as f64;
        let mean = values().sum::<f64>() / rows;
        let spread = (values().map(|value| (value - mean).powi(2)).sum::<f64>() / rows).sqrt();
        (spread > CONSTANT).then_some(Column { part, feature, largest, mean, spread })
    }

    fn standardized(&self, known: &Known<'_>, id: u32) -> f64 {
        (known.features[self.part].get(id, self.feature) / self.largest - self.mean) / self.spread
    }
}

impl Linear {
    pub(super) fn fit(known: &Known<'_>) -> Self {
        let columns: Vec<Column> =
            known.columns().filter_map(|(part, feature)| Column::of(known, part, feature)).collect();
        // Squares of the largest rewards would come close to the end of the range.
        let largest = known.rewards.iter().fold(0.0f64, |most, r| most.max(r.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let mean = known.rewards.iter().map(|r| r / scale).sum::<f64>() / known.rewards.len() as f64;

        let mut factor = Triangle::new(columns.len());
        let mut values = vec![0.0; columns.len()];
        let mut pace = Pace::default();
        for (row, reward) in known.rows.iter().zip(&known.rewards) {
            pace.spend(columns.len() * (columns.len() + 1));
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = column.standardized(known, row[column.part]);
            }
            factor.fold_in(&mut values, reward / scale - mean);
        }
        let coefficients = factor.solve();

        let parts = std::array::from_fn(|part| {
            let features = &known.features[part];
            let ids = features.values.len().checked_div(features.count).unwrap_or(0) as u32;
            let intercept = if part == SOURCE { mean } else { 0.0 };
            let add = |id: u32| {
                let own = columns.iter().zip(&coefficients).filter(|(column, _)| column.part == part);
                let sum: f64 = own.map(|(column, c)| c * column.standardized(known, id)).sum();
                (intercept + sum) * scale
            };
            (0..ids).map(add).collect()
        });
        Linear { parts }
    }

    pub(super) fn predict(&self, transition: [u32; 3]) -> f64 {
        let [source, target, action] = transition.map(|id| id as usize);
        self.parts[SOURCE][source] + self.parts[TARGET][target] + self.parts[ACTION].get(action).copied().unwrap_or(0.0)
    }

    /// One product for each of s, s' and a, the other factors being 1.
    pub(super) fn products(&self) -> Vec<Product<'_>> {
        let mut products = Vec::with_capacity(self.parts.len());
        for (part, values) in self.parts.iter().enumerate().filter(|(_, values)| !values.is_empty()) {
            let mut factors = [Factor::One, Factor::One, Factor::One];
            factors[part] = Factor::Values(values);
            products.push(Product { value: 1.0, factors });
        }
        products
    }

    pub(super) fn bound(&self) -> f64 {
        self.parts.iter().map(|values| values.iter().fold(0.0f64, |most, v| most.max(v.abs()))).sum()
    }
}

/// The triangular factor of a least-squares problem, and its right-hand side.
struct Triangle {
    size: usize,
    /// Row after row; zero below the diagonal.
    cells: Vec<f64>,
    right: Vec<f64>,
}

impl Triangle {
    fn new(size: usize) -> Self {
        Triangle { size, cells: vec![0.0; size * size], right: vec![0.0; size] }
    }

    /// Adds one equation, `row` · c = `right`, which is overwritten.
    fn fold_in(&mut self, row: &mut [f64], mut right: f64) {
        for j in 0..self.size {
            if row[j] == 0.0 {
                continue;
            }
            let own = &mut self.cells[j * self.size..(j + 1) * self.size];
            let length = own[j].hypot(row[j]);
            let (cos, sin) = (own[j] / length, row[j] / length);
            for (above, below) in own[j..].iter_mut().zip(&mut row[j..]) {
                (*above, *below) = (cos * *above + sin * *below, cos * *below - sin * *above);
            }
            let above = &mut self.right[j];
            (*above, right) = (cos * *above + sin * right, cos * right - sin * *above);
        }
    }

    /// The solution of minimal norm.
    ///
    /// Columns are rotated against each other until all are orthogonal: they are then singular vectors times singular values,
    /// and the rotations are the other singular vectors.
    fn solve(self) -> Vec<f64> {
        let n = self.size;
        let mut columns: Vec<Vec<f64>> = (0..n).map(|j| (0..n).map(|i| self.cells[i * n + j]).collect()).collect();
        let mut rotations: Vec<Vec<f64>> =
            (0..n).map(|j| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect()).collect();
        for _ in 0..SWEEPS {
            let mut rotated = false;
            for j in 1..n {
                checkpoint();
                for i in 0..j {
                    let (a, b) = (dot(&columns[i], &columns[i]), dot(&columns[j], &columns[j]));
                    let c = dot(&columns[i], &columns[j]);
                    if c.abs() <= 1e-15 * (a * b).sqrt() {
                        continue;
                    }
                    rotated = true;
                    let zeta = (b - a) / (2.0 * c);
                    let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let cos = 1.0 / tan.hypot(1.0);
                    rotate(&mut columns, i, j, cos, cos * tan);
                    rotate(&mut rotations, i, j, cos, cos * tan);
                }
            }
            if !rotated {
                break;
            }
        }
        let squares: Vec<f64> = columns.iter().map(|column| dot(column, column)).collect();
        let least = squares.iter().fold(0.0f64, |most, &s| most.max(s)) * RANK * RANK;
        let mut solution = vec![0.0; n];
        for ((column, rotation), square) in columns.iter().zip(&rotations).zip(squares) {
            if square > least {
                let along = dot(column, &self.right) / square;
                solution.iter_mut().zip(rotation).for_each(|(c, r)| *c += along * r);
            }
        }
        solution
    }
}

fn rotate(columns: &mut [Vec<f64>], i: usize, j: usize, cos: f64, sin: f64) {
    let (before, after) = columns.split_at_mut(j);
    for (a, b) in before[i].iter_mut().zip(&mut after[0]) {
        (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
    }
}
