//! What potentials that are functions of features leave open: how much of what is left of two rewards may still be shaping.
//!
//! A basis holds smooth potentials. A potential that is no function of it leaves shaping in both residuals, where it looks like a difference or
//! like something in common. That cannot be told from rewards without pattern: where states do not repeat, *any* values can be shaping by
//! potentials that are wild enough. But it can be told from rewards that are smooth in state, step and action and yet no shaping: potentials
//! that are no smooth functions make no smooth shaping. So a residual is learned as a function of all features of a transition (see
//! [`Predictor`]) and predicted in episodes that were left out; what is predicted is no shaping, and of the rest nobody knows.
//!
//! With u and v the residuals in units of their lengths, θ the angle between them, p_u and p_v their predictions and α_u, α_v the angles between
//! residuals and predictions, the true part of u (what is no shaping) lies within α_u of p_u, and its length is cos α_u at least:
//!
//! - **at least**: the true parts are arccos(u·p_v / (|p_v| cos α_u)) − α_v apart, and the same with the sides exchanged; the larger of
//!   the two. Here u and v are first freed of what finer potentials foresee of them. With `auto` it is 0: who leaves the functions to the data
//!   says nothing about potentials.
//! - **at most**: arcsin(sin θ / cos α), α the larger one of both, or θ + α_u + α_v by the triangle inequality, whichever is less. That
//!   cos α is below a [twentieth](LEAST_TRUE) is not believed: shaping out of reach would be twenty times as large as all that rewards want.
//!
//! Every angle is taken at the end of its own 95 % interval: a jackknife over groups of episodes. O(n · f² + f³) for n transitions (at most
//! [`MOST_ROWS`], whole episodes) and f functions.

use std::f64::consts::{FRAC_PI_2, PI};

use super::columns::Columns;
use super::measured::Measured;
use super::pearson::Undefined;
use super::space::{GROUPS, Inputs, MOST_ROWS};
use crate::potential::{BasisProjection, FOLDS, Groups, LeftOut, Potential, Predictor};
use crate::stats::student_quantile;
use crate::sure::NoInterval;

/// Of the length of what is left of a reward: so much at least is not shaping.
const LEAST_TRUE: f64 = 0.05;
/// A correlation closer to 1 is 1 but for rounding.
const EQUAL: f64 = 1e-9;

/// Distances that are possible, and how many groups of episodes told so.
pub(crate) struct Beyond {
    pub low: f64,
    pub high: f64,
    pub groups: usize,
}

impl Measured<'_> {
    /// The distances that sampling and shaping out of reach leave possible, at a level.
    pub(crate) fn beyond(&self, columns: &Columns, space: &BasisProjection, level: f64) -> Result<Beyond, NoInterval> {
        let groups = space.groups();
        if groups.left_out != LeftOut::Episodes {
            return Err(NoInterval::FewEpisodes);
        }
        let freedom = space.shaping().degrees_of_freedom as f64;
        let (u, v) = (unit(&columns.x), unit(&columns.y));
        let cosine = product(&u, &v);
        if cosine > 1.0 - EQUAL {
            // The second is the first and shaping by known functions on every row: it does not matter what the first is made of.
            return Ok(Beyond { low: 0.0, high: (1.5 / freedom).sqrt(), groups: 0 });
        }
        let all: Vec<u32> = (0..u.len() as u32).collect();
        let lots = groups.lots(self.settings.seed, GROUPS, usize::MAX);
        let errors = student_quantile(0.5 + 0.5 * level, lots.len() as f64 - 1.0);
        let angle = jackknifed([&u, &v], &all, &lots);
        let spread = errors * angle.error * (u.len() as f64 / freedom).sqrt();
        let most = angle.value + spread;
        let learned = Learned::new(self, space, [&u, &v], errors)?;
        let [first, second] = learned.share(&learned.whole).map(|share| share.max(LEAST_TRUE));
        let by_triangle = most + first.acos() + second.acos();
        let ratio = most.sin() / first.min(second);
        let by_parts = if most < FRAC_PI_2 && ratio < 1.0 { ratio.asin() } else { f64::INFINITY };
        // Who leaves the functions to the data says nothing about potentials, and a copy with wild shaping must not be called different.
        let low = if self.settings.potential == Potential::Auto { 0.0 } else { learned.apart(space) };
        let distance = |angle: f64| (angle.clamp(0.0, PI) / 2.0).sin();
        Ok(Beyond { low: distance(low), high: distance(by_triangle.min(by_parts)), groups: lots.len() })
    }
}

/// What is learned of two vectors on whole episodes.
struct Learned {
    inputs: Inputs,
    /// The rows of the space, and their numbers among the inputs.
    kept: Vec<u32>,
    numbers: Vec<u32>,
    groups: Groups,
    rows: Vec<u32>,
    lots: Vec<Vec<u32>>,
    whole: [Vec<f64>; 2],
    /// So many standard errors.
    errors: f64,
    seed: u64,
}

impl Learned {
    fn new(
        measured: &Measured<'_>,
        space: &BasisProjection,
        vectors: [&[f64]; 2],
        errors: f64,
    ) -> Result<Self, NoInterval> {
        let seed = measured.settings.seed;
        let kept = taken(space.groups(), seed);
        let inputs = match Inputs::new(measured.pair, &measured.settings) {
            Err(Undefined::ManyActions) => return Err(NoInterval::ManyActions),
            inputs => inputs?.0,
        };
        let numbers = kept.iter().map(|&row| measured.pair.common[row as usize].0).collect();
        let groups = space.groups().among(&kept);
        let (rows, lots) = ((0..kept.len() as u32).collect(), groups.lots(seed, GROUPS, usize::MAX));
        let whole = vectors.map(|vector| kept.iter().map(|&row| vector[row as usize]).collect());
        Ok(Learned { inputs, kept, numbers, groups, rows, lots, whole, errors, seed })
    }

    fn foreseen(&self, values: &[f64]) -> Vec<f64> {
        Predictor::new(&self.inputs.rows, &self.numbers, values, &self.groups, self.seed).own
    }

    /// The angle between two vectors at the upper or the lower end of its interval.
    fn angle(&self, vectors: [&[f64]; 2], side: f64) -> f64 {
        let found = jackknifed(vectors, &self.rows, &self.lots);
        (found.value + side * self.errors * found.error).clamp(0.0, PI)
    }

    /// The cosines between vectors and what is foreseen of them, at the lower end.
    fn share(&self, vectors: &[Vec<f64>; 2]) -> [f64; 2] {
        [0, 1].map(|i| self.angle([&vectors[i], &self.foreseen(&vectors[i])], 1.0).min(FRAC_PI_2).cos())
    }

    /// How far apart the true parts are at least.
    fn apart(&self, space: &BasisProjection) -> f64 {
        let free = [0, 1].map(|i| {
            let shaping = space.foreseen(&self.kept, &self.whole[i], &self.groups, self.seed);
            self.whole[i].iter().zip(shaping).map(|(value, shaping)| value - shaping).collect::<Vec<f64>>()
        });
        let foreseen = [0, 1].map(|i| self.foreseen(&free[i]));
        let alpha = [0, 1].map(|i| self.angle([&free[i], &foreseen[i]], 1.0).min(FRAC_PI_2));
        let of = |i: usize| {
            let cosine = self.angle([&free[i], &foreseen[1 - i]], -1.0).cos() / alpha[i].cos().max(LEAST_TRUE);
            cosine.clamp(-1.0, 1.0).acos() - alpha[1 - i]
        };
        of(0).max(of(1)).max(0.0)
    }
}

/// The rows that predictions are learned from: whole episodes.
fn taken(groups: &Groups, seed: u64) -> Vec<u32> {
    if groups.of_row.len() <= MOST_ROWS {
        return (0..groups.of_row.len() as u32).collect();
    }
    let mut kept = groups.lots(seed, FOLDS, MOST_ROWS).concat();
    kept.sort_unstable();
    kept
}

struct Angle {
    value: f64,
    error: f64,
}

/// The angle between two vectors, and its standard error: lots of rows are left out in turn. A right angle where one of them is nothing.
fn jackknifed([x, y]: [&[f64]; 2], rows: &[u32], lots: &[Vec<u32>]) -> Angle {
    let sums = |rows: &[u32]| {
        rows.iter().fold([0.0; 3], |[xx, xy, yy], &row| {
            let (x, y) = (x[row as usize], y[row as usize]);
            [xx + x * x, xy + x * y, yy + y * y]
        })
    };
    let angle = |[xx, xy, yy]: [f64; 3]| {
        let cosine = xy / (xx * yy).sqrt();
        if cosine.is_finite() { cosine.clamp(-1.0, 1.0).acos() } else { FRAC_PI_2 }
    };
    let all = sums(rows);
    let without = |lot: &Vec<u32>| {
        let gone = sums(lot);
        angle([all[0] - gone[0], all[1] - gone[1], all[2] - gone[2]])
    };
    let angles: Vec<f64> = lots.iter().map(without).collect();
    let count = angles.len() as f64;
    let mean = angles.iter().sum::<f64>() / count;
    let squares: f64 = angles.iter().map(|angle| (angle - mean) * (angle - mean)).sum();
    Angle { value: angle(all), error: ((count - 1.0) / count * squares).sqrt() }
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// In units of its length.
fn unit(values: &[f64]) -> Vec<f64> {
    let values = crate::units::scaled(values);
    let length = product(&values, &values).sqrt();
    values.iter().map(|value| value / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_the_definition() {
        let (x, y) = (vec![1.0, 2.0, 0.0, -1.0, 0.5, 3.0], vec![0.5, 1.0, 2.0, -1.0, 0.0, 1.0]);
        let rows: Vec<u32> = (0..6).collect();
        let lots = vec![vec![0, 1], vec![2, 3], vec![4, 5]];
        let found = jackknifed([&x, &y], &rows, &lots);
        let literal = |keep: &[usize]| {
            let sum = |a: &[f64], b: &[f64]| keep.iter().map(|&i| a[i] * b[i]).sum::<f64>();
            (sum(&x, &y) / (sum(&x, &x) * sum(&y, &y)).sqrt()).acos()
        };
        let each = [literal(&[2, 3, 4, 5]), literal(&[0, 1, 4, 5]), literal(&[0, 1, 2, 3])];
        let mean = each.iter().sum::<f64>() / 3.0;
        let error = (2.0 / 3.0 * each.iter().map(|a| (a - mean).powi(2)).sum::<f64>()).sqrt();
        assert!((found.value - literal(&[0, 1, 2, 3, 4, 5])).abs() < 1e-12 && (found.error - error).abs() < 1e-12);
        assert_eq!(jackknifed([&x, &[0.0; 6]], &rows, &lots).value, FRAC_PI_2);
    }
}
