//! A picture of a distance matrix: points in the plane whose distances come near the given ones.

/// Classical multidimensional scaling: the two coordinates of every sample, row after row.
///
/// With B = −½ J D² J (D² the squared distances, J the centring), the coordinates are the two leading eigenvectors of B, each times
/// the root of its eigenvalue; a negative eigenvalue gives 0. Found by orthogonal iteration from fixed starting vectors, so that
/// the same matrix gives the same picture; the sign of an axis is chosen so that its largest coordinate is positive.
/// O(iterations · n²).
///
/// ```
/// use srrd::compare::embed;
/// // Three points on a line: 0, 1 and 3.
/// let points = embed(&[0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0], 3);
/// assert!(((points[2][0] - points[0][0]).abs() - 3.0).abs() < 1e-6);
/// assert!(points.iter().all(|point| point[1].abs() < 1e-6));
/// ```
///
/// # Panics
/// If `distances` is not `n` × `n`.
pub fn embed(distances: &[f64], n: usize) -> Vec<[f64; 2]> {
    assert_eq!(distances.len(), n * n, "a square matrix");
    let mut b: Vec<f64> = distances.iter().map(|d| -0.5 * d * d).collect();
    let rows: Vec<f64> = b.chunks(n.max(1)).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let all = rows.iter().sum::<f64>() / n.max(1) as f64;
    b.iter_mut().enumerate().for_each(|(i, value)| *value += all - rows[i / n] - rows[i % n]);
    // Eigenvalues of either sign: shifted, the largest is the most positive one.
    let shift = b.chunks(n.max(1)).map(|row| row.iter().map(|v| v.abs()).sum::<f64>()).fold(0.0, f64::max);
    let times = |v: &[f64]| -> Vec<f64> {
        let product = |row: &[f64]| row.iter().zip(v).map(|(a, x)| a * x).sum::<f64>();
        b.chunks(n.max(1)).zip(v).map(|(row, x)| product(row) + shift * x).collect()
    };
    let mut first = normalized((0..n).map(|i| ((i * 7919 + 13) % 1009) as f64 - 504.0).collect());
    let mut second: Vec<f64> = (0..n).map(|i| ((i * 104_729 + 71) % 997) as f64 - 498.0).collect();
    second = normalized(without(second, &first));
    for _ in 0..ITERATIONS {
        crate::run::checkpoint();
        let next_first = normalized(times(&first));
        let next_second = normalized(without(times(&second), &next_first));
        let moved = change(&first, &next_first).max(change(&second, &next_second));
        (first, second) = (next_first, next_second);
        if moved < 1e-10 {
            break;
        }
    }
    let axis = |v: Vec<f64>| -> Vec<f64> {
        let image = times(&v);
        let eigenvalue = image.iter().zip(&v).map(|(a, x)| a * x).sum::<f64>() - shift;
        let largest = v.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0);
        let scale = eigenvalue.max(0.0).sqrt() * largest.signum();
        v.into_iter().map(|x| x * scale).collect()
    };
    axis(first).into_iter().zip(axis(second)).map(|(x, y)| [x, y]).collect()
}

/// Enough for a picture; nearly equal eigenvalues only turn it.
const ITERATIONS: usize = 500;

fn normalized(v: Vec<f64>) -> Vec<f64> {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 { v.into_iter().map(|x| x / length).collect() } else { v }
}

fn without(v: Vec<f64>, unit: &[f64]) -> Vec<f64> {
    let along: f64 = v.iter().zip(unit).map(|(x, u)| x * u).sum();
    v.into_iter().zip(unit).map(|(x, u)| x - along * u).collect()
}

fn change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_plane_keep_their_distances() {
        let n = 17;
        let places: Vec<[f64; 2]> = (0..n).map(|i| [((i * 5) % 11) as f64, 0.5 * ((i * 3) % 7) as f64]).collect();
        let between = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let matrix: Vec<f64> = (0..n * n).map(|i| between(places[i / n], places[i % n])).collect();
        let found = embed(&matrix, n);
        for i in 0..n {
            for j in 0..n {
                assert!((between(found[i], found[j]) - matrix[i * n + j]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn nothing_and_one_point_and_equal_points() {
        assert!(embed(&[], 0).is_empty());
        assert_eq!(embed(&[0.0], 1), [[0.0, 0.0]]);
        assert!(embed(&[0.0; 9], 3).iter().flatten().all(|x| x.abs() < 1e-12));
    }
}
