//! Principal components: the directions along which rows vary most, the eigenvectors of their covariance.
//!
//! The covariance is a sum over rows, O(rows · features²). Its eigenvectors are found by Jacobi rotations, O(features³) per sweep and about ten
//! sweeps, which are exact to rounding whatever the spectrum is.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Rows;

/// More features would take minutes.
const MOST_FEATURES: usize = 600;
/// Rows that are summed up together.
const PIECE: usize = 4096;

/// Principal components of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Components {
    means: Vec<f64>,
    /// Directions of length 1, one behind the other, by falling variance.
    directions: Vec<f64>,
    /// The variance along each of them, n − 1 in the denominator.
    pub variances: Vec<f64>,
    /// The variance of all features.
    pub total: f64,
}

impl Components {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.variances.len()
    }

    /// The share of the variance that they hold.
    pub fn explained(&self) -> f64 {
        if self.total > 0.0 { self.variances.iter().sum::<f64>() / self.total } else { 1.0 }
    }

    /// Rows in terms of the components.
    pub fn project(&self, rows: &Rows) -> Rows {
        let width = rows.width;
        let along = |row: &[f64]| -> Vec<f64> {
            let place =
                |direction: &[f64]| row.iter().zip(&self.means).zip(direction).map(|((v, m), d)| (v - m) * d).sum();
            self.directions.chunks_exact(width).map(place).collect()
        };
        let values: Vec<Vec<f64>> = rows.values.par_chunks(width).map(along).collect();
        Rows { width: self.count(), values: values.concat() }
    }
}

/// The first principal components of rows.
///
/// ```
/// use srrd_data::discretize::{Rows, principal_components};
/// let rows = Rows { width: 2, values: vec![0.0, 0.0, 1.0, 2.0, 2.0, 4.0] };
/// let found = principal_components(&rows, 1)?;
/// assert!((found.variances[0] - 5.0).abs() < 1e-12 && (found.explained() - 1.0).abs() < 1e-12);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// More components than features or rows, or too many features.
pub fn principal_components(rows: &Rows, count: usize) -> Result<Components, String> {
    let width = rows.width;
    if count == 0 || count > width.min(rows.len()) {
        return Err(format!(
            "{count} principal components of {width} features in {} rows; there are fewer",
            rows.len()
        ));
    }
    if width > MOST_FEATURES {
        return Err(format!("principal components are found of at most {MOST_FEATURES} features, not of {width}"));
    }
    let means: Vec<f64> = (0..width)
        .map(|feature| rows.values.iter().skip(feature).step_by(width).sum::<f64>() / rows.len() as f64)
        .collect();
    let covariance = covariance(rows, &means);
    let total = (0..width).map(|at| covariance[at * width + at]).sum();
    let (values, vectors) = eigen(covariance, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    order.truncate(count);
    let direction = |&at: &usize| {
        let mut direction: Vec<f64> = (0..width).map(|row| vectors[row * width + at]).collect();
        // A direction and its opposite are the same; the largest entry is positive.
        let largest =
            direction.iter().copied().fold(0.0, |most: f64, it| if it.abs() > most.abs() { it } else { most });
        direction.iter_mut().for_each(|it| *it *= largest.signum());
        direction
    };
    Ok(Components {
        directions: order.iter().flat_map(direction).collect(),
        variances: order.iter().map(|&at| values[at].max(0.0)).collect(),
        means,
        total,
    })
}

fn covariance(rows: &Rows, means: &[f64]) -> Vec<f64> {
    let width = rows.width;
    let of_piece = |piece: &[f64]| {
        let mut sums = vec![0.0; width * width];
        let mut centred = vec![0.0; width];
        for row in piece.chunks_exact(width) {
            centred.iter_mut().zip(row).zip(means).for_each(|((to, value), mean)| *to = value - mean);
            for (at, &value) in centred.iter().enumerate() {
                let sums = &mut sums[at * width..(at + 1) * width];
                sums.iter_mut().zip(&centred).for_each(|(sum, other)| *sum += value * other);
            }
        }
        sums
    };
    let pieces: Vec<Vec<f64>> = rows.values.par_chunks(PIECE * width).map(of_piece).collect();
    let mut sums = vec![0.0; width * width];
    pieces.iter().for_each(|piece| sums.iter_mut().zip(piece).for_each(|(to, from)| *to += from));
    let freedom = (rows.len() as f64 - 1.0).max(1.0);
    sums.iter_mut().for_each(|sum| *sum /= freedom);
    sums
}

/// Eigenvalues and, in columns, eigenvectors of a symmetric matrix: rotations that make one entry after the other zero.
fn eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|at| vectors[at * n + at] = 1.0);
    let scale: f64 = a.iter().map(|entry| entry * entry).sum();
    for _ in 0..60 {
        srrd::run::checkpoint();
        let off: f64 = (0..n * n).filter(|at| at / n != at % n).map(|at| a[at] * a[at]).sum();
        if off <= 1e-30 * scale {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[p * n + q];
                if apq == 0.0 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
                    (vectors[k * n + p], vectors[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    ((0..n).map(|at| a[at * n + at]).collect(), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_are_what_they_are_called() {
        let a = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 1.0];
        let (values, vectors) = eigen(a.to_vec(), 3);
        for (at, value) in values.iter().enumerate() {
            for row in 0..3 {
                let product: f64 = (0..3).map(|k| a[row * 3 + k] * vectors[k * 3 + at]).sum();
                assert!((product - value * vectors[row * 3 + at]).abs() < 1e-12);
            }
        }
        assert!((values.iter().sum::<f64>() - 8.0).abs() < 1e-12);
    }

    #[test]
    fn too_many_components_are_refused() {
        let rows = Rows { width: 2, values: vec![0.0, 1.0, 2.0, 3.0] };
        assert!(principal_components(&rows, 3).unwrap_err().contains("there are fewer"));
    }
}
