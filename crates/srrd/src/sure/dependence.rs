//! Whether a reward goes with states or actions, or is independent from transition to transition.
//!
//! Two smooth rewards, or two rewards that depend on the next state, are alike or unalike by chance far more often than independent ones
//! of as many transitions. Tests that count transitions (Student's t, permutations) are valid if *one* of two rewards is independent per
//! transition. This is the test of that.
//!
//! With u the residual of a reward in units of its length, and rows (s, a, s'):
//!
//! - q_K = Σ over groups of rows with the same K of (Σ u)², for K = s, s', a, (s, a), (a, s'); a K with nearly as many groups as rows is
//!   left out;
//! - q_lag = Σ over (x, a) of (Σ of u over rows into x by a) · (Σ of u over rows out of x by a), without products of a row with itself;
//! - each is held against what [`REFERENCES`] vectors of independent normal numbers have, whose residuals are taken once: a scaled χ²
//!   for q_K (two-sided), Student's t for q_lag;
//! - an F-test of effects of states beyond shaping: the fit a(s) + b(s') against that of shaping.
//!
//! The smallest of the seven probabilities, times seven, tells.

use rand::RngExt;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::compare::Row;
use crate::project::Projection;
use crate::run::checkpoint;
use crate::run::random::{Purpose, normal, stream};
use crate::settings::Gamma;
use crate::stats::{chi_squared_upper_tail, f_upper_tail, student_upper_tail};

/// How many random vectors are held against.
const REFERENCES: usize = 50;
/// Groups of a kind, as a share of the rows, beyond which it tells nothing.
const NEARLY_ALL: f64 = 0.95;
/// Of the squared length of a residual: what is rounding.
const NOTHING: f64 = 1e-9;
/// How many probabilities are looked at.
const TESTS: f64 = 7.0;

/// At this level a test against chance is withheld.
pub(crate) const FOR_CHANCE: f64 = 0.2;
/// At this level there is no interval where no end was seen.
pub(crate) const FOR_INTERVAL: f64 = 0.05;
/// At this level γ is not identified.
pub(crate) const FOR_GAMMA: f64 = 0.05;

/// What independent rewards have on some rows, so that several rewards can be held against it.
pub(crate) struct Reference {
    kinds: Vec<Groups>,
    /// Groups of rows into and out of (x, a).
    into: Groups,
    out_of: Groups,
    /// Rows that lead into the very (x, a) that they start from.
    loops: Vec<u32>,
    /// By kind, and of the lag at the end: the mean and the standard deviation.
    expected: Vec<(f64, f64)>,
    effects: Projection,
}

/// The group of every row.
struct Groups {
    of_row: Vec<u32>,
    count: usize,
}

impl Groups {
    fn new<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> Self {
        let mut numbers = FxHashMap::default();
        let of_row = keys.map(|key| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        });
        let of_row = of_row.collect();
        Groups { of_row, count: numbers.len() }
    }

    fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        self.of_row.iter().zip(values).for_each(|(&group, value)| sums[group as usize] += value);
        sums
    }
}

impl Reference {
    /// `residual` is what takes out of rewards what is not to be tested: shaping, or the mean. O(50 residuals).
    pub fn new(rows: &[Row], residual: impl Fn(&[f64]) -> Vec<f64> + Sync, seed: u64) -> Self {
        let kinds = [
            Groups::new(rows.iter().map(|row| row.state)),
            Groups::new(rows.iter().map(|row| row.next)),
            Groups::new(rows.iter().map(|row| row.action)),
            Groups::new(rows.iter().map(|row| (row.state, row.action))),
            Groups::new(rows.iter().map(|row| (row.action, row.next))),
        ];
        let kinds = kinds.into_iter().filter(|kind| kind.count as f64 <= NEARLY_ALL * rows.len() as f64).collect();
        // One numbering of (x, a) for both sides.
        let both = Groups::new(
            rows.iter().map(|row| (row.next, row.action)).chain(rows.iter().map(|row| (row.state, row.action))),
        );
        let (into, out_of) = both.of_row.split_at(rows.len());
        let [into, out_of] = [into, out_of].map(|ids| Groups { of_row: ids.to_vec(), count: both.count });
        let loops = (0u32..).zip(rows).filter(|(_, row)| row.state == row.next).map(|(i, _)| i).collect();
        // States as starts and as ends, each with an effect of its own.
        let starts = 1 + rows.iter().map(|row| row.state.max(row.next)).max().unwrap_or(0);
        let effects = Projection::on(rows.iter().map(|row| (row.state, starts + row.next)), Gamma::ONE);
        let mut reference = Reference { kinds, into, out_of, loops, expected: Vec::new(), effects };
        let drawn: Vec<Vec<f64>> = (0..REFERENCES)
            .into_par_iter()
            .map(|draw| {
                checkpoint();
                let mut rng = stream(seed, Purpose::Reference, draw);
                let values: Vec<f64> = (0..rows.len()).map(|_| normal(&mut || rng.random())).collect();
                reference.statistics(&unit(residual(&values)))
            })
            .collect();
        let n = REFERENCES as f64;
        let moments = |kind: usize| {
            let mean = drawn.iter().map(|values| values[kind]).sum::<f64>() / n;
            let squares: f64 = drawn.iter().map(|values| (values[kind] - mean).powi(2)).sum();
            (mean, (squares / (n - 1.0)).sqrt())
        };
        reference.expected = (0..=reference.kinds.len()).map(moments).collect();
        reference
    }

    /// q by kind, then q_lag.
    fn statistics(&self, u: &[f64]) -> Vec<f64> {
        let squares = |kind: &Groups| kind.sums(u).iter().map(|sum| sum * sum).sum::<f64>();
        let lag: f64 = self.into.sums(u).iter().zip(self.out_of.sums(u)).map(|(a, b)| a * b).sum();
        let with_itself: f64 = self.loops.iter().map(|&i| u[i as usize] * u[i as usize]).sum();
        self.kinds.iter().map(squares).chain([lag - with_itself]).collect()
    }

    /// Seven times the smallest probability: how likely independent rewards look as dependent as these. `rewards` are those whose residual
    /// is given, and `rank` the dimension of what was taken out.
    pub fn p(&self, rewards: &[f64], residual: &[f64], rank: usize) -> f64 {
        let found = self.statistics(&unit(residual.to_vec()));
        let (lag, kinds) = found.split_last().expect("the lag is always there");
        let (&(mean, deviation), expected) = self.expected.split_last().expect("as many as found");
        let mut least = 1.0f64;
        for (q, &(mean, deviation)) in kinds.iter().zip(expected) {
            // Sums that shaping (or the mean) takes out in any case are rounding.
            if mean > NOTHING && deviation > NOTHING * mean {
                let freedom = 2.0 * (mean / deviation).powi(2);
                let upper = chi_squared_upper_tail(q * freedom / mean, freedom);
                least = least.min(2.0 * upper.min(1.0 - upper));
            }
        }
        if deviation > NOTHING {
            let n = REFERENCES as f64;
            let t = (lag - mean).abs() / (deviation * (1.0 + 1.0 / n).sqrt());
            least = least.min(2.0 * student_upper_tail(t, n - 1.0));
        }
        least = least.min(self.p_of_effects(rewards, residual, rank));
        (TESTS * least).min(1.0)
    }

    /// The F-test.
    fn p_of_effects(&self, rewards: &[f64], residual: &[f64], rank: usize) -> f64 {
        let effects = self.effects.shaping();
        let (more, left) = (effects.rank.saturating_sub(rank), effects.degrees_of_freedom);
        if more == 0 || left == 0 {
            return 1.0;
        }
        let squares = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let (without, with) = (squares(residual), squares(&self.effects.residual(rewards)));
        if with >= without {
            return 1.0;
        }
        let f = (without - with) / more as f64 / (with / left as f64);
        f_upper_tail(f, more as f64, left as f64)
    }
}

/// Hotelling's test that two rewards have the mean 0, whatever they have to do with one another: its probability. All sums of multiples of
/// the two, their difference above all, are tested with them.
pub(crate) fn p_of_levels([a, b]: [&[f64]; 2]) -> f64 {
    let n = a.len() as f64;
    let [of_a, of_b] = [a, b].map(crate::units::scale);
    let mean = |values: &[f64], scale: f64| values.iter().map(|value| value * scale).sum::<f64>() / n;
    let (mean_a, mean_b) = (mean(a, of_a), mean(b, of_b));
    let (mut aa, mut ab, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b).map(|(x, y)| (x * of_a - mean_a, y * of_b - mean_b)) {
        aa += x * x;
        ab += x * y;
        bb += y * y;
    }
    // Covariances are these by n − 1. Rewards of which one is a multiple of the other count as one: the shift between them, if there is
    // any, is a difference without any error.
    let determinant = aa * bb - ab * ab;
    if determinant <= NOTHING * aa * bb {
        let shift = mean_b * aa.sqrt() - mean_a * bb.sqrt() * ab.signum();
        if aa == 0.0 || shift.abs() > NOTHING.sqrt() * (aa * bb / n).sqrt() {
            return 0.0;
        }
        let t = (n * (n - 1.0) / aa).sqrt() * mean_a.abs();
        return 2.0 * student_upper_tail(t, n - 1.0);
    }
    let squared = n * (bb * mean_a * mean_a - 2.0 * ab * mean_a * mean_b + aa * mean_b * mean_b) / determinant;
    f_upper_tail(0.5 * (n - 2.0) * squared, 2.0, n - 2.0)
}

/// In units of its length.
fn unit(mut values: Vec<f64>) -> Vec<f64> {
    let largest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    if largest > 0.0 {
        values.iter_mut().for_each(|v| *v /= largest);
        let length = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        values.iter_mut().for_each(|v| *v /= length);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_where_there_are_any() {
        let draw = |seed: u64, draw: usize| {
            let mut rng = stream(seed, Purpose::Reference, draw);
            (0..60).map(|_| normal(&mut || rng.random())).collect::<Vec<f64>>()
        };
        // Of 1,000 pairs without a level 5 % are called otherwise; the limits are 3.5 standard errors from it.
        let alarms = (0..1000).filter(|&i| p_of_levels([&draw(1, i), &draw(2, i)]) < 0.05).count();
        assert!((26..=74).contains(&alarms), "{alarms}");
        let [a, b] = [draw(3, 0), draw(4, 0)];
        let plus = |values: &[f64], level: f64| values.iter().map(|v| v + level).collect::<Vec<f64>>();
        assert!(p_of_levels([&plus(&a, 1.0), &b]) < 1e-6 && p_of_levels([&b, &plus(&a, -1.0)]) < 1e-6);
        // The same twice has the level of one; a shift between two that are otherwise the same is no chance, however small.
        let centred = plus(&a, -a.iter().sum::<f64>() / 60.0);
        let twice: Vec<f64> = centred.iter().map(|v| 2.0 * v).collect();
        assert!(p_of_levels([&centred, &twice]) > 0.99);
        assert_eq!(p_of_levels([&centred, &plus(&centred, 0.01)]), 0.0);
    }
}
