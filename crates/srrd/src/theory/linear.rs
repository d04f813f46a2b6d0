//! The two linear problems of a small Markov chain: discounted values and stationary distributions.

use crate::run::checkpoint;

/// Solves (I − γP) x = b, P stochastic and row-major. Such a matrix is strictly diagonally dominant, so elimination needs no
/// pivoting. O(n³).
pub(crate) fn discounted(step: &[f64], gamma: f64, b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let mut matrix: Vec<f64> = step.iter().map(|p| -gamma * p).collect();
    (0..n).for_each(|i| matrix[i * n + i] += 1.0);
    let mut x = b;
    for k in 0..n {
        checkpoint();
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for (i, row) in below.chunks_exact_mut(n).enumerate() {
            let factor = row[k] / pivot_row[k];
            if factor != 0.0 {
                row[k..].iter_mut().zip(&pivot_row[k..]).for_each(|(a, p)| *a -= factor * p);
                x[k + 1 + i] -= factor * x[k];
            }
        }
    }
    for k in (0..n).rev() {
        let row = &matrix[k * n..(k + 1) * n];
        let known: f64 = row[k + 1..].iter().zip(&x[k + 1..]).map(|(a, x)| a * x).sum();
        x[k] = (x[k] - known) / row[k];
    }
    x
}

/// A stationary distribution of the chain P: every recurrent class has a weight in proportion to its number of states,
/// transient states have 0. By the elimination of Grassmann, Taksar and Heyman, which never subtracts: every digit counts,
/// however slowly the chain mixes. O(n³).
pub(super) fn stationary(step: &[f64], n: usize) -> Vec<f64> {
    let reach = reachable(step, n);
    let recurrent = |x: usize| (0..n).all(|y| !reach[x * n + y] || reach[y * n + x]);
    let total = (0..n).filter(|&x| recurrent(x)).count() as f64;
    let mut distribution = vec![0.0; n];
    let mut done = vec![false; n];
    for first in 0..n {
        if done[first] || !recurrent(first) {
            continue;
        }
        let class: Vec<usize> = (0..n).filter(|&y| reach[first * n + y]).collect();
        let mut p: Vec<Vec<f64>> = class.iter().map(|&x| class.iter().map(|&y| step[x * n + y]).collect()).collect();
        let m = class.len();
        for k in (1..m).rev() {
            checkpoint();
            let out: f64 = p[k][..k].iter().sum();
            let (before, after) = p.split_at_mut(k);
            for row in before.iter_mut() {
                row[k] /= out;
                let through = row[k];
                row[..k].iter_mut().zip(&after[0][..k]).for_each(|(a, b)| *a += through * b);
            }
        }
        let mut weight = vec![1.0; m];
        for k in 1..m {
            weight[k] = (0..k).map(|i| weight[i] * p[i][k]).sum();
        }
        let scale = m as f64 / total / weight.iter().sum::<f64>();
        for (&x, w) in class.iter().zip(&weight) {
            distribution[x] = w * scale;
            done[x] = true;
        }
    }
    distribution
}

/// reach[x · n + y]: whether y can be reached from x in any number of steps, 0 included. O(n³).
pub(super) fn reachable(step: &[f64], n: usize) -> Vec<bool> {
    let mut reach = vec![false; n * n];
    let mut open = Vec::new();
    for x in 0..n {
        checkpoint();
        let row = &mut reach[x * n..(x + 1) * n];
        row[x] = true;
        open.push(x);
        while let Some(y) = open.pop() {
            for z in 0..n {
                if step[y * n + z] > 0.0 && !row[z] {
                    row[z] = true;
                    open.push(z);
                }
            }
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_distributions_are_those_worked_out_by_hand() {
        // 0 -> 0 or 1 alike, 1 -> 1: v(1) = 2 / (1 − ½) = 4, v(0) = 1 + ½ (½ v(0) + ½ v(1)) = 8/3.
        let step = [0.5, 0.5, 0.0, 1.0];
        let v = discounted(&step, 0.5, vec![1.0, 2.0]);
        assert!((v[0] - 8.0 / 3.0).abs() < 1e-15 && (v[1] - 4.0).abs() < 1e-15, "{v:?}");
        assert_eq!(stationary(&step, 2), [0.0, 1.0]);
        // 0 <-> 1 with probabilities 1/4 and 3/4 and a state by itself: two classes, of 2 and 1 states.
        let step = [0.75, 0.25, 0.0, 0.75, 0.25, 0.0, 0.0, 0.0, 1.0];
        let d = stationary(&step, 3);
        let expected = [2.0 / 3.0 * 0.75, 2.0 / 3.0 * 0.25, 1.0 / 3.0];
        assert!(d.iter().zip(expected).all(|(d, e)| (d - e).abs() < 1e-15), "{d:?}");
        assert_eq!(reachable(&step, 3), [true, true, false, true, true, false, false, false, true]);
        // A cycle of three is periodic: powers of it would never settle.
        let cycle = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
        assert!(stationary(&cycle, 3).iter().all(|d| (d - 1.0 / 3.0).abs() < 1e-15));
    }
}
