//! Least squares for many rows and few unknowns.

use super::minimal::Row;
use crate::run::Pace;

/// Of the largest pivot: below this a further unknown changes nothing that the others do not.
const RANK: f64 = 1e-13;

/// An x with which Σ (target + Σ coefficient · x)² is least. Rows are rotated into a triangle one by one (Givens), and the triangle is
/// factorized with pivots (Householder), so that nothing is squared and unknowns that make no difference stay 0. O(rows · unknowns²).
pub(super) fn squares(unknowns: usize, rows: &[Row]) -> Vec<f64> {
    let width = unknowns + 1;
    // Row i starts at column i; the last column is the right-hand side.
    let mut triangle = vec![0.0f64; unknowns * width];
    let mut work = vec![0.0; width];
    let mut pace = Pace::default();
    for row in rows {
        pace.spend(unknowns * unknowns);
        work.fill(0.0);
        row.terms.iter().for_each(|&(j, c)| work[j] = c);
        work[unknowns] = -row.target;
        for k in 0..unknowns {
            if work[k] == 0.0 {
                continue;
            }
            let (a, b) = (triangle[k * width + k], work[k]);
            let length = a.hypot(b);
            let (cos, sin) = (a / length, b / length);
            for (t, w) in triangle[k * width + k..(k + 1) * width].iter_mut().zip(&mut work[k..]) {
                (*t, *w) = (cos * *t + sin * *w, cos * *w - sin * *t);
            }
        }
    }
    pivoted(unknowns, triangle)
}

/// A basic solution of a square system in the sense of least squares: [A | b], row-major.
fn pivoted(n: usize, mut matrix: Vec<f64>) -> Vec<f64> {
    let width = n + 1;
    let mut order: Vec<usize> = (0..n).collect();
    let (mut rank, mut first) = (n, 0.0);
    for k in 0..n {
        let length = |matrix: &[f64], j: usize| (k..n).fold(0.0, |sum: f64, i| sum.hypot(matrix[i * width + j]));
        let (pivot, norm) = (k..n)
            .map(|j| (j, length(&matrix, order[j])))
            .fold((k, -1.0), |best, next| if next.1 > best.1 { next } else { best });
        if k == 0 {
            first = norm;
        }
        if norm <= RANK * first || norm == 0.0 {
            rank = k;
            break;
        }
        order.swap(k, pivot);
        let column = order[k];
        // The reflection that leaves only its first number of the pivot column.
        let alpha = if matrix[k * width + column] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = (k..n).map(|i| matrix[i * width + column]).collect();
        v[0] -= alpha;
        let square: f64 = v.iter().map(|v| v * v).sum();
        for j in order[k..].iter().copied().chain([n]) {
            let along: f64 = v.iter().zip(k..n).map(|(v, i)| v * matrix[i * width + j]).sum();
            let scale = 2.0 * along / square;
            v.iter().zip(k..n).for_each(|(v, i)| matrix[i * width + j] -= scale * v);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..rank).rev() {
        let known: f64 = (k + 1..rank).map(|j| matrix[k * width + order[j]] * x[order[j]]).sum();
        x[order[k]] = (matrix[k * width + n] - known) / matrix[k * width + order[k]];
    }
    x
}
