//! Nearest neighbours by brute force, as products of matrices: ‖x − y‖² = ‖x‖² + ‖y‖² − 2x·y.

use rayon::prelude::*;

use super::dense::{Matrix, multiply};
use crate::run::checkpoint;

/// So many points are looked at together.
const BLOCK: usize = 256;

/// Points, one after the other, and the episodes they are of.
type Points<'a> = (&'a [f64], Option<&'a [u32]>);

/// The distance of every point to the nearest place that is not of its own episode, where episodes are known; infinite where there is none.
/// O(points · places · columns).
pub(crate) fn nearest((points, of): Points<'_>, (places, theirs): Points<'_>, columns: usize) -> Vec<f64> {
    if columns == 0 {
        return Vec::new();
    }
    let square = |point: &[f64]| point.iter().map(|v| v * v).sum::<f64>();
    let squares: Vec<f64> = places.chunks_exact(columns).map(square).collect();
    let block = |(number, points): (usize, &[f64])| {
        checkpoint();
        let count = points.len() / columns;
        let mut products = vec![0.0; count * squares.len()];
        let (left, right) = (Matrix::new(points, columns), Matrix::new(places, columns).transposed());
        multiply(1.0, left, right, 0.0, &mut products, squares.len());
        let one = |(i, products): (usize, &[f64])| {
            let own = of.map(|of| of[number * BLOCK + i]);
            let other = |j: usize| own.is_none() || own != theirs.map(|theirs| theirs[j]);
            let apart = products.iter().zip(&squares).enumerate().filter(|(j, _)| other(*j));
            let least = apart.map(|(_, (product, square))| square - 2.0 * product).fold(f64::INFINITY, f64::min);
            (least + square(&points[i * columns..][..columns])).max(0.0).sqrt()
        };
        products.chunks_exact(squares.len().max(1)).enumerate().map(one).collect::<Vec<f64>>()
    };
    points.par_chunks(BLOCK * columns).enumerate().map(block).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_of_another_episode_is_found() {
        let value = |i: usize| ((i * i * 37 + 11 * i) % 101) as f64 / 10.0;
        let points: Vec<f64> = (0..3 * 600).map(value).collect();
        let episodes: Vec<u32> = (0..600).map(|i| i / 30).collect();
        let at = |i: usize| &points[3 * i..][..3];
        let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let apart = nearest((&points, Some(&episodes)), (&points, Some(&episodes)), 3);
        let any = nearest((&points, None), (&points[300..900], None), 3);
        for i in 0..600 {
            let others = (0..600).filter(|&j| episodes[j] != episodes[i]);
            let expected = others.map(|j| far(at(i), at(j))).fold(f64::INFINITY, f64::min);
            assert!((apart[i] - expected).abs() < 1e-6, "{i}");
            let expected = (100..300).map(|j| far(at(i), at(j))).fold(f64::INFINITY, f64::min);
            assert!((any[i] - expected).abs() < 1e-6, "{i}");
        }
    }
}
