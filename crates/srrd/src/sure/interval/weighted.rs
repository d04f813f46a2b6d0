//! The distance of resampled pairs, every pair counted as often as it was drawn, and what a single pair does to it.

use crate::compare::{Columns, Correlation, RankOrder, Undefined};

/// Pairs of canonical rewards, prepared for many draws.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    /// Around their means, in units of the largest deviation, so that squares neither overflow nor vanish.
    x: Vec<f64>,
    y: Vec<f64>,
    /// In the same units: a root mean square at most this is rounding.
    noise: [f64; 2],
    /// For ranks, which change with every draw.
    orders: Option<[RankOrder; 2]>,
}

/// Memory for the ranks of a draw.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Weighted {
    /// # Errors
    /// [`Undefined::Constant`] when a side does not vary.
    pub fn new(columns: &Columns, correlation: Correlation) -> Result<Self, Undefined> {
        let (mut x, mut y, noise) = (columns.x.clone(), columns.y.clone(), columns.noise);
        let orders = match correlation {
            Correlation::Pearson => None,
            Correlation::Spearman => Some([RankOrder::new(&x, noise[0]), RankOrder::new(&y, noise[1])]),
        };
        let noise = [standardize(&mut x, noise[0])?, standardize(&mut y, noise[1])?];
        Ok(Weighted { x, y, noise, orders })
    }

    /// How many pairs.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// D = sqrt((1 − ρ) / 2) where pair i occurs `weight(i)` times. O(n).
    ///
    /// # Errors
    /// [`Undefined::Constant`] when a side does not vary over the pairs that occur.
    pub fn distance(&self, weight: impl Fn(usize) -> f64, scratch: &mut Scratch) -> Result<f64, Undefined> {
        let Some([first, second]) = &self.orders else {
            return distance(&self.x, &self.y, weight, self.noise);
        };
        let n = self.len();
        scratch.x.resize(n, 0.0);
        scratch.y.resize(n, 0.0);
        first.weighted_ranks(&weight, &mut scratch.x);
        second.weighted_ranks(&weight, &mut scratch.y);
        // Ranks are multiples of a half: what varies, varies by far more.
        distance(&scratch.x, &scratch.y, weight, [1e-6, 1e-6])
    }

    /// The empirical influence of every pair on ρ, dρ/d(weight of the pair) · n, at equal weights. Their sum is 0. O(n).
    ///
    /// Of values: u·v − ρ(u² + v²)/2, u and v standardized. Of ranks, which a further pair moves as well:
    /// with centred ranks c and d, dS_cd/dw = c·d + Σ_j s(x_j − x) d_j + Σ_j s(y_j − y) c_j, s being 1 above 0, ½ at 0 and 0 below;
    /// S_cc and S_dd alike.
    pub fn influence(&self) -> Vec<f64> {
        let n = self.len() as f64;
        let pairs: Vec<[f64; 3]> = match &self.orders {
            None => self.x.iter().zip(&self.y).map(|(&x, &y)| [x * y, x * x, y * y]).collect(),
            Some([first, second]) => {
                let (mut c, mut d) = (vec![0.0; self.len()], vec![0.0; self.len()]);
                first.weighted_ranks(|_| 1.0, &mut c);
                second.weighted_ranks(|_| 1.0, &mut d);
                let (dc, cc) = (sums_above(first, &d), sums_above(first, &c));
                let (cd, dd) = (sums_above(second, &c), sums_above(second, &d));
                (0..self.len())
                    .map(|i| [c[i] * d[i] + dc[i] + cd[i], c[i] * c[i] + 2.0 * cc[i], d[i] * d[i] + 2.0 * dd[i]])
                    .collect()
            }
        };
        let mean = |k: usize| pairs.iter().map(|p| p[k]).sum::<f64>() / n;
        // Of ranks the sums of products are of degree 3 in the weights, so that their derivatives sum up to three times them: the
        // same factor in all three, which the quotients below do not see.
        let (xy, xx, yy) = (mean(0), mean(1), mean(2));
        let rho = xy / (xx * yy).sqrt();
        pairs.iter().map(|p| p[0] / (xx * yy).sqrt() - 0.5 * rho * (p[1] / xx + p[2] / yy)).collect()
    }
}

/// Σ_j s(x_j − x_i) v_j for every i, in one sweep from the top.
fn sums_above(order: &RankOrder, values: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; values.len()];
    let mut above = 0.0;
    for group in order.groups().rev() {
        let own: f64 = group.iter().map(|&j| values[j as usize]).sum();
        group.iter().for_each(|&i| sums[i as usize] = above + 0.5 * own);
        above += own;
    }
    sums
}

/// Values around their mean, in units of the largest deviation; returns the noise in these units.
fn standardize(values: &mut [f64], noise: f64) -> Result<f64, Undefined> {
    let Some(&origin) = values.first() else { return Err(Undefined::TooFewCommon) };
    let mean = origin + values.iter().map(|v| v - origin).sum::<f64>() / values.len() as f64;
    let largest = values.iter().fold(0.0f64, |most, v| most.max((v - mean).abs()));
    if largest <= noise {
        return Err(Undefined::Constant);
    }
    values.iter_mut().for_each(|v| *v = (*v - mean) / largest);
    // Beside the rounding of the values themselves, that of this very step.
    Ok((noise / largest).max(1e-14))
}

fn distance(x: &[f64], y: &[f64], weight: impl Fn(usize) -> f64, noise: [f64; 2]) -> Result<f64, Undefined> {
    let (mut total, mut sum, mut square, mut product) = (0.0, [0.0; 2], [0.0; 2], 0.0);
    for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
        let w = weight(i);
        total += w;
        sum[0] += w * x;
        sum[1] += w * y;
        square[0] += w * x * x;
        square[1] += w * y * y;
        product += w * x * y;
    }
    let mean = [sum[0] / total, sum[1] / total];
    let square = [square[0] - sum[0] * mean[0], square[1] - sum[1] * mean[1]];
    // The difference of two sums loses what is 10⁻¹⁵ of them: below a root mean square of 10⁻⁷ of the values it is nothing.
    let constant = |k: usize| square[k] <= total * noise[k].max(1e-7 * mean[k].abs()).powi(2);
    if total <= 0.0 || constant(0) || constant(1) {
        return Err(Undefined::Constant);
    }
    let deviation = [square[0].sqrt(), square[1].sqrt()];
    let rho = (product - sum[0] * mean[1]) / (deviation[0] * deviation[1]);
    if rho <= 0.9 {
        return Ok(((1.0 - rho.max(-1.0)) / 2.0).sqrt());
    }
    // 1 − ρ would lose its digits: half the length of the difference of the standardized sides instead.
    let quarter = x.iter().zip(y).enumerate().map(|(i, (&x, &y))| {
        let difference = (x - mean[0]) / deviation[0] - (y - mean[1]) / deviation[1];
        weight(i) * difference * difference / 4.0
    });
    Ok(quarter.sum::<f64>().sqrt().min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Choice;
    use crate::{pearson, spearman};
    use proptest::prelude::*;

    fn weighted(x: &[f64], y: &[f64], correlation: Correlation) -> Result<Weighted, Undefined> {
        Weighted::new(&Columns::plain(x, y), correlation)
    }

    fn literal(x: &[f64], y: &[f64], correlation: Correlation) -> Result<f64, Undefined> {
        match correlation {
            Correlation::Pearson => pearson(x, y),
            Correlation::Spearman => spearman(x, y),
        }
        .map(|agreement| agreement.distance)
    }

    proptest! {
        #[test]
        fn weights_are_repetitions(
            pairs in prop::collection::vec((-3..4i32, -3..4i32, 0..4usize), 2..40), scale in 0.001..1000.0f64, shift in -1e5..1e5f64,
        ) {
            let x: Vec<f64> = pairs.iter().map(|p| f64::from(p.0) * scale + shift).collect();
            let y: Vec<f64> = pairs.iter().map(|p| f64::from(p.1 + p.0)).collect();
            let repeated = |v: &[f64]| -> Vec<f64> {
                v.iter().zip(&pairs).flat_map(|(&v, p)| std::iter::repeat_n(v, p.2)).collect()
            };
            for &correlation in Correlation::ALL {
                let Ok(weighted) = weighted(&x, &y, correlation) else { continue };
                let found = weighted.distance(|i| pairs[i].2 as f64, &mut Scratch::default());
                match literal(&repeated(&x), &repeated(&y), correlation) {
                    Ok(expected) => prop_assert!((found.unwrap() - expected).abs() < 1e-7, "{found:?} is not {expected}"),
                    Err(_) => prop_assert_eq!(found, Err(Undefined::Constant)),
                }
            }
        }

        #[test]
        fn influence_is_the_derivative(pairs in prop::collection::vec((-3.0..3.0f64, -3..4i32), 5..25)) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().map(|&(x, y)| (x, f64::from(y) + 0.3 * x.round())).unzip();
            for &correlation in Correlation::ALL {
                let Ok(weighted) = weighted(&x, &y, correlation) else { continue };
                let influence = weighted.influence();
                prop_assert!(influence.iter().sum::<f64>().abs() < 1e-8 * x.len() as f64);
                let rho = |which: usize, by: f64| {
                    let d = weighted.distance(|i| if i == which { 1.0 + by } else { 1.0 }, &mut Scratch::default());
                    1.0 - 2.0 * d.unwrap().powi(2)
                };
                // Influences are known up to one factor for all pairs: 1 for values, and the same for all ranks.
                let slope = |i: usize| (rho(i, 1e-4) - rho(i, -1e-4)) / 2e-4 * x.len() as f64;
                let most = (0..x.len()).max_by(|&i, &j| influence[i].abs().total_cmp(&influence[j].abs())).unwrap();
                if influence[most].abs() < 1e-3 {
                    continue;
                }
                let factor = slope(most) / influence[most];
                prop_assert!(factor > 0.0);
                for (i, &of) in influence.iter().enumerate() {
                    prop_assert!((slope(i) - factor * of).abs() < 1e-3 * (1.0 + of.abs()), "{correlation:?} {i}");
                }
            }
        }
    }

    #[test]
    fn equal_sides_are_at_0_and_constant_draws_undefined() {
        let x: Vec<f64> = (0..20).map(|i| f64::from(i * i % 7)).collect();
        let weighted = weighted(&x, &x, Correlation::Pearson).unwrap();
        let mut scratch = Scratch::default();
        assert!(weighted.distance(|i| (i % 3) as f64, &mut scratch).unwrap() < 1e-15);
        assert_eq!(weighted.distance(|i| f64::from(x[i] == 4.0), &mut scratch), Err(Undefined::Constant));
        assert_eq!(weighted.distance(|_| 0.0, &mut scratch), Err(Undefined::Constant));
    }
}
