//! The interval of `projected`: how much the distance changes when the states of a group are left out.
//!
//! What it is about: the distance over *all* transitions that could be met, of which the shared ones are a sample. Transitions that share a
//! state have rewards and residuals that go together, so that they must leave together. With u and v the residuals in units of their
//! lengths, c = u·v, z = artanh c, m transitions and ν degrees of freedom:
//!
//! - states are hashed into G = 20 groups. For each group, the transitions that start in it *or* lead to it are left out, shaping is
//!   taken out of the others anew, and z_g is taken of what is left;
//! - se_J = (t/q) · sqrt((G − 1)/G · Σ (z_g − z̄)²), q and t the quantiles of the normal and of Student's distribution with G − 1
//!   degrees of freedom;
//! - se_F = 1 / sqrt(ν − 2): Fisher's, which is right for independent normal rewards;
//! - se_H = sqrt(m/ν · Σ e²) / (1 − c²), e = uv − c (u² + v²)/2: right for independent rewards with heavy tails.
//!
//! Where there are many transitions, residuals without a group are found from those of all (`project/without.rs`) instead
//! of anew.
//!
//! The interval is tanh(z ± q · max(se_J, se_F, se_H)). Where Fisher's z alone held the distance in 14 to 94 of 100 cases, depending on
//! the rewards, it held it in more than 95 (`srrd reproduce validity`), *if an end was seen*: walks that were cut off before any end have
//! met a part of a world only, and with smooth rewards or goals their intervals held the distance in 70 to 76 of 100 cases. So they have none,
//! unless the caller says that episodes never end, or neither reward tells any pattern: both look independent from transition to transition
//! (`dependence`), and neither has a level. Independent rewards are at the ends what they are elsewhere, wherever the walks were. A level
//! (a step cost) is shaping where nothing ends and is much of a reward where something does, so that it is seen at the ends alone; one
//! too small to be told from 0 in n transitions explains at most some 4/n of the squares, which is less than the interval leaves open.

use std::borrow::Cow;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::super::dependence::{FOR_INTERVAL, p_of_levels};
use super::{IntervalSettings, Level, NoInterval, Range};
use crate::compare::{
    Agreement, Columns, Correlation, InSpace, Measured, Pair, Projected, SharedEnds, agreement_of_residuals,
};
use crate::project::{Residuals, Space};
use crate::run::{Steps, checkpoint};
use crate::settings::EndRule;
use crate::stats::{normal_quantile, student_quantile};

/// Into how many groups states are hashed.
pub const GROUPS: usize = 20;
/// So many of them must tell something.
const LEAST_GROUPS: usize = 4;
/// Fewer degrees of freedom tell nothing of a group.
const LEAST_FREEDOM: usize = 5;
/// Of so many rows, what is left without a group is found from what is left of all: projecting them anew takes long only there.
const MANY: usize = 20_000;
/// Of the distance: the precision of residuals. Cosines have its square.
const PRECISION: f64 = 1e-4;
/// At this level rewards have a level other than 0.
const LEVELS: f64 = 0.05;
/// A correlation closer to 1 is 1 but for rounding.
const EQUAL: f64 = 1e-9;

/// What an interval by groups of states came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateBlocks {
    /// The degrees of freedom of the distance.
    pub degrees_of_freedom: usize,
    /// How many groups of states told something.
    pub groups: usize,
    /// The standard error of z that was taken: the largest of three.
    pub standard_error: f64,
}

impl Measured<'_> {
    pub(super) fn blocks(
        &self,
        (columns, projected): (&Columns, &Projected),
        found: Agreement,
        how: &IntervalSettings<'_>,
    ) -> Result<(Range, StateBlocks), NoInterval> {
        match self.check_ends(projected.ends) {
            Err(NoInterval::EndsUnseen) if self.ends_are_like_the_rest(columns, projected, how.seed) => {}
            other => other?,
        }
        let degrees_of_freedom = projected.shaping().degrees_of_freedom;
        let freedom = degrees_of_freedom as f64;
        if degrees_of_freedom < LEAST_FREEDOM {
            return Err(NoInterval::TooFewDegreesOfFreedom { degrees_of_freedom: freedom });
        }
        if found.correlation > 1.0 - EQUAL {
            // No transition tells the two apart: that many could differ unseen.
            let range = Range { low: 0.0, high: (1.5 / freedom).sqrt() };
            return Ok((range, StateBlocks { degrees_of_freedom, groups: 0, standard_error: 0.0 }));
        }
        if found.correlation < EQUAL - 1.0 {
            // Exact opposites, likewise.
            let range = Range { low: (1.0 - 1.5 / freedom).sqrt(), high: 1.0 };
            return Ok((range, StateBlocks { degrees_of_freedom, groups: 0, standard_error: 0.0 }));
        }
        let z: Vec<f64> = self.without_groups(columns, projected, found.distance);
        if z.len() < LEAST_GROUPS {
            return Err(NoInterval::FewGroups { groups: z.len() });
        }
        let quantile = normal_quantile(0.5 + 0.5 * how.level.get());
        let groups = z.len() as f64;
        let mean = z.iter().sum::<f64>() / groups;
        let squares: f64 = z.iter().map(|z| (z - mean) * (z - mean)).sum();
        let student = student_quantile(0.5 + 0.5 * how.level.get(), groups - 1.0);
        let by_groups = student / quantile * ((groups - 1.0) / groups * squares).sqrt();
        let by_freedom = match self.settings.correlation {
            Correlation::Pearson => 1.0,
            Correlation::Spearman => 1.0 + 0.5 * found.correlation * found.correlation,
        };
        let by_freedom = (by_freedom / (freedom - 2.0)).sqrt();
        let by_rows = match self.settings.correlation {
            Correlation::Pearson => by_rows(columns, found, freedom),
            // Ranks have no tails.
            Correlation::Spearman => 0.0,
        };
        let standard_error = by_groups.max(by_freedom).max(by_rows);
        let range = ends(found, quantile * standard_error);
        Ok((range, StateBlocks { degrees_of_freedom, groups: z.len(), standard_error }))
    }

    /// Whether it is known, and was seen, where episodes end.
    fn check_ends(&self, ends: SharedEnds) -> Result<(), NoInterval> {
        // Marks without a single end may be those of episodes that were cut off before anything could be seen at their ends.
        let by_marks = ends.known && matches!(self.settings.ends, EndRule::Auto | EndRule::Marked);
        match ends.unseen || (by_marks && ends.ending == 0) {
            true => Err(NoInterval::EndsUnseen),
            false if ends.open() => Err(NoInterval::EndsUnknown),
            false => Ok(()),
        }
    }

    /// Whether nothing tells that rewards go with states or actions or have a level, so that the ends, which nobody saw, are like the
    /// transitions that were seen.
    fn ends_are_like_the_rest(&self, columns: &Columns, projected: &Projected, seed: u64) -> bool {
        let [a, b] = &projected.rewards(self.pair);
        p_of_levels([a, b]) >= LEVELS && self.dependence(columns, projected, seed).iter().all(|p| *p >= FOR_INTERVAL)
    }

    /// What the errors of predictions leave possible, and how many groups of episodes told how far they may be off.
    pub(super) fn of_predictions(&self, space: &InSpace, level: Level) -> Result<(Range, usize), NoInterval> {
        self.check_ends(space.ends)?;
        if space.groups < LEAST_GROUPS {
            return Err(NoInterval::FewGroups { groups: space.groups });
        }
        let errors = student_quantile(0.5 + 0.5 * level.get(), space.groups as f64 - 1.0);
        let [low, high] = space.range(errors).map(|distance| self.metric.told(distance));
        Ok((Range { low, high }, space.groups))
    }

    /// z with every group of states left out, where that leaves enough.
    fn without_groups(&self, columns: &Columns, projected: &Projected, distance: f64) -> Vec<f64> {
        let left_out = LeftOut::new(self.pair, columns, projected, self.settings.correlation, distance);
        let steps = Steps::begin("groups left out", GROUPS as u64);
        let one = |group: u32| {
            checkpoint();
            steps.add(1);
            let gone = left_out.rows_of(group);
            left_out.quickly(&gone).unwrap_or_else(|| left_out.anew(&gone)).map(|found| z(found.distance))
        };
        let found: Vec<Option<f64>> = (0..GROUPS as u32).into_par_iter().map(one).collect();
        // A group without which the rewards are equal says that it carries all of the difference; its z would be infinite.
        found.into_iter().flatten().filter(|z| z.is_finite()).collect()
    }
}

/// Distances without some of the rows.
struct LeftOut<'a> {
    columns: &'a Columns,
    projected: &'a Projected,
    pair: &'a Pair<'a>,
    correlation: Correlation,
    /// By row: a bit for every group that it touches.
    groups: Vec<u32>,
    /// What is left on all rows, if that tells what is left on some.
    residuals: Option<Residuals<'a>>,
    /// How precise residuals have to be.
    within: f64,
    /// By row; where projecting anew takes them.
    rewards: OnceLock<[Cow<'a, [f64]>; 2]>,
}

impl<'a> LeftOut<'a> {
    fn new(
        pair: &'a Pair<'a>,
        columns: &'a Columns,
        projected: &'a Projected,
        correlation: Correlation,
        distance: f64,
    ) -> Self {
        let states = projected.rows.iter().map(|row| row.state.max(row.next) + 1).max().unwrap_or(0);
        let groups = projected.bits(&(0..states).map(|state| 1 << group_of(state)).collect::<Vec<u32>>());
        let residuals = match &projected.space {
            Space::States(projection) if projected.len() >= MANY => projection.residuals([&columns.x, &columns.y]),
            _ => None,
        };
        let within = match correlation {
            Correlation::Pearson => distance * PRECISION,
            // Ranks change with every error, cosines with its square.
            Correlation::Spearman => PRECISION * PRECISION,
        };
        LeftOut { columns, projected, pair, correlation, groups, residuals, within, rewards: OnceLock::new() }
    }

    /// The rows that touch a group, ascending.
    fn rows_of(&self, group: u32) -> Vec<u32> {
        (0u32..).zip(&self.groups).filter(|(_, groups)| *groups >> group & 1 == 1).map(|(row, _)| row).collect()
    }

    /// From the residuals on all rows; `None` where that does not do.
    fn quickly(&self, gone: &[u32]) -> Option<Option<Agreement>> {
        let left = self.residuals.as_ref()?.without(gone, LEAST_FREEDOM, self.within)?;
        Some(agreement_of_residuals(self.correlation, || left.pairs(), self.columns.noise).ok())
    }

    /// By the definition: shaping is taken out of the rewards on the rows that are kept.
    fn anew(&self, gone: &[u32]) -> Option<Agreement> {
        let mut gone = gone.iter().peekable();
        let rows = 0..self.projected.len() as u32;
        let kept: Vec<u32> = rows.filter(|row| gone.next_if_eq(&row).is_none()).collect();
        let projection = self.projected.on(&kept)?;
        if projection.shaping().degrees_of_freedom < LEAST_FREEDOM {
            return None;
        }
        let of_kept = |values: &[f64]| kept.iter().map(|&i| values[i as usize]).collect::<Vec<f64>>();
        let rewards = self.rewards.get_or_init(|| self.projected.rewards(self.pair));
        let [x, y] = rewards.each_ref().map(|values| projection.residual(&of_kept(values)));
        let pairs = || x.iter().copied().zip(y.iter().copied());
        agreement_of_residuals(self.correlation, pairs, self.columns.noise).ok()
    }
}

/// artanh(1 − 2D²), which loses nothing near D = 0.
fn z(distance: f64) -> f64 {
    ((1.0 - distance * distance).sqrt() / distance).ln()
}

/// The sandwich of independent rows.
fn by_rows(columns: &Columns, found: Agreement, freedom: f64) -> f64 {
    // In units of the lengths of the two sides, by way of units in which squares stay in range.
    let unit = |values: &[f64]| {
        let scale = crate::units::scale(values);
        (scale, values.iter().map(|v| (v * scale).powi(2)).sum::<f64>().sqrt())
    };
    let ((of_x, x_length), (of_y, y_length)) = (unit(&columns.x), unit(&columns.y));
    let influence = |(x, y): (&f64, &f64)| {
        let (u, v) = (x * of_x / x_length, y * of_y / y_length);
        // uv − c(u² + v²)/2 with c = 1 − 2D², in which nothing cancels near D = 0.
        let (apart, squared) = ((u - v) * (u - v), found.distance * found.distance);
        squared * (u * u + v * v) - 0.5 * apart
    };
    let squares: f64 = columns.x.iter().zip(&columns.y).map(influence).map(|e| e * e).sum();
    let unexplained = 4.0 * found.distance.powi(2) * (1.0 - found.distance.powi(2));
    (columns.x.len() as f64 / freedom * squares).sqrt() / unexplained
}

/// The distances at z ± reach.
fn ends(found: Agreement, reach: f64) -> Range {
    let z = z(found.distance);
    let distance = |z: f64| 1.0 / (1.0 + (2.0 * z).exp()).sqrt();
    Range { low: distance(z + reach), high: distance(z - reach) }
}

/// The group of a state. Numbers of states are ranks of their tokens, so that it depends on the sample alone.
fn group_of(state: u32) -> u32 {
    // A finalizer that spreads neighbouring numbers.
    let mut hash = u64::from(state).wrapping_add(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((hash ^ (hash >> 31)) % GROUPS as u64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(distance: f64) -> Agreement {
        Agreement { distance, correlation: 1.0 - 2.0 * distance * distance }
    }

    #[test]
    fn ends_stay_between_0_and_1() {
        for distance in [1e-9, 1e-3, 0.3, 0.7, 0.999] {
            let (narrow, wide) = (ends(at(distance), 0.3), ends(at(distance), 0.5));
            assert!(0.0 < wide.low && wide.low < narrow.low && narrow.low < distance);
            assert!(distance < narrow.high && narrow.high < wide.high && wide.high < 1.0);
        }
        // ρ = 0.5 and z = 0.549306.
        assert!((z(0.5) - 0.5f64.atanh()).abs() < 1e-12);
    }

    #[test]
    fn influences_are_those_of_the_formula() {
        let (x, y): (Vec<f64>, Vec<f64>) =
            (0..40).map(|i| (f64::from(i * 7 % 11) - 5.0, f64::from(i * i % 13) - 6.0)).unzip();
        let columns = Columns::plain(&x, &y);
        let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let c = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / length(&x) / length(&y);
        let e = |(x, y): (&f64, &f64)| {
            let (u, v) = (x / length(&x_all()), y / length(&y_all()));
            u * v - c * (u * u + v * v) / 2.0
        };
        fn x_all() -> Vec<f64> {
            (0..40).map(|i| f64::from(i * 7 % 11) - 5.0).collect()
        }
        fn y_all() -> Vec<f64> {
            (0..40).map(|i| f64::from(i * i % 13) - 6.0).collect()
        }
        let expected = (40.0 / 33.0 * x.iter().zip(&y).map(e).map(|e| e * e).sum::<f64>()).sqrt() / (1.0 - c * c);
        let found = by_rows(&columns, at(((1.0 - c) / 2.0).sqrt()), 33.0);
        assert!((found / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn groups_are_about_as_large() {
        let mut counts = [0; GROUPS];
        (0..20_000).for_each(|state| counts[group_of(state) as usize] += 1);
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    /// Moves on a grid with ends, and two rewards: unrelated, or the same but for a hundredth and shaping.
    fn samples(alike: bool) -> [crate::RewardSample; 2] {
        const SIDE: i64 = 72;
        let moves = (0..SIDE * SIDE).flat_map(|at| {
            let (x, y) = (at % SIDE, at / SIDE);
            [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)].into_iter().enumerate().map(move |(action, (x, y))| {
                let to = y.clamp(0, SIDE - 1) * SIDE + x.clamp(0, SIDE - 1);
                (at, action as i64, to)
            })
        });
        let mut random = crate::run::random::stream(7, crate::run::random::Purpose::Resample, 0);
        let mut draw = || rand::RngExt::random::<f64>(&mut random) - 0.5;
        let rows: Vec<_> = moves.map(|(s, a, t)| (s, a, t, draw())).collect();
        let a = crate::RewardSample::from_rows(rows, crate::Duplicates::Mean).unwrap();
        let other = a.transitions().map(|t| {
            let [s, n] = [t.state, t.next_state].map(|token| token.as_int().unwrap() as f64);
            if alike { 3.0 * t.reward + 0.03 * draw() + 0.9 * n - s } else { draw() }
        });
        let b = a.with_rewards(other.collect()).unwrap();
        [a, b]
    }

    #[test]
    fn groups_are_left_out_as_by_the_definition() {
        let settings = crate::Settings { ends: EndRule::None, ..crate::Settings::default() };
        for alike in [false, true] {
            let [a, b] = samples(alike);
            let pair = crate::Pair::new(&a, &b);
            let measured = pair.measure(crate::Metric::Projected, &settings);
            let (columns, found) = measured.defined().unwrap();
            let projected = columns.projected().unwrap();
            assert!(projected.len() >= MANY);
            let left_out = LeftOut::new(&pair, columns, projected, Correlation::Pearson, found.distance);
            for group in [0, 7, 13] {
                let gone = left_out.rows_of(group);
                let quick = left_out.quickly(&gone).expect("not given up").unwrap();
                let literal = left_out.anew(&gone).unwrap();
                // z has errors of the square of what residuals have.
                assert!((z(quick.distance) - z(literal.distance)).abs() < 1e-6, "{quick:?} is not {literal:?}");
            }
        }
    }
}
