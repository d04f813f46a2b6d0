//! What speaks against an answer that distance and interval alone would give.
//!
//! - **Noise.** Transitions that were met several times tell how noisy rewards are, and so how far apart two noisy copies of one reward are
//!   to be expected. A distance that such noise explains is no difference.
//! - **Chance.** Where an action has several next states, behaviour depends on the mean over them. Rewards that differ only in how it is
//!   shared out ask for the same, which `projected` sees with means (`dynamics`). Where actions lead to a great many states this is not looked at.
//! - **Hidden.** Correlations are about squares: a few very large rewards that both share hide whatever the others want. Agents that have
//!   learned to avoid them choose among the others. So the transitions that carry most are taken out, round by round, half of the squares at a
//!   time: if what is left, at most as small as [`VISIBLE`], is about as far apart as unrelated rewards are, "same" would be wrong.
//! - **Nothing follows.** A state that starts no transition and ends no episode has a potential of its own, which explains any reward of
//!   what leads there. Where most transitions do, as where next states are written in another form than states, little is compared; and where
//!   these carry a good part of a reward, as goals do that nobody marked, it must not matter whether episodes end there.
//! - **Left out.** Rows of which nobody knows where they lead are in no sample. Where they carry a good part of a reward, they may differ in it.
//! - **Time limits.** A column `done` may hold them. Then an action ends here and goes on there, and what is different may be the limits alone.
//! - **γ.** Found from data, it has an interval, or cannot be told: an answer that is another one for a γ that is possible is none.

use std::collections::HashSet;

use crate::compare::{Correlation, Measured, Pair, Row, agreement_of_residuals};
use crate::gamma::GammaEstimate;
use crate::metric::Metric;
use crate::potential::Potential;
use crate::run::checkpoint;
use crate::settings::{DynamicsRule, EndRule, Gamma, Settings};
use crate::sure::Range;
use crate::units;
use crate::verdict::{Answer, LEAST_FREEDOM, Why};

/// Of the length of what shaping leaves of a reward: what is smaller is not worth a doubt.
const VISIBLE: f64 = 1e-3;
/// At most this share of the transitions is taken out as the large ones.
const FEW: f64 = 0.5;
/// Of the squares: what the transitions that are taken out in a round carry.
const MOST: f64 = 0.5;
/// From this distance on, what is left of two rewards has little in common.
const UNLIKE: f64 = 0.5;
/// So many entries per transition equations of means may have before they are solved.
const DENSE: usize = 64;
/// Into how many steps the interval of γ is divided.
const GAMMAS: i32 = 16;
/// Of the squares of a reward: what transitions that lead to where nothing starts may carry without a doubt.
pub(crate) const UNFOLLOWED: f64 = 0.1;
/// Distances by several γ that differ by less are the same: γ does not matter, as in one-step problems.
const NO_MATTER: f64 = 1e-6;

impl Measured<'_> {
    /// Why a difference may be none.
    pub(crate) fn doubt_difference(&self, distance: f64, range: Range, margin: f64) -> Option<Why> {
        self.doubt_by_noise(distance, range, margin).or_else(|| self.doubt_by_chance(distance, margin))
    }

    fn doubt_by_noise(&self, distance: f64, range: Range, margin: f64) -> Option<Why> {
        // Few rows tell next to nothing of noise: one transition with a reward that changed is no noise of all.
        let told = [self.pair.a, self.pair.b].into_iter().filter_map(|sample| sample.noise());
        if told.map(|noise| noise.degrees_of_freedom).sum::<usize>() < LEAST_FREEDOM {
            return None;
        }
        let floor = self.noise_floor()?.distance;
        let explained = if range.low > margin { range.low <= floor } else { distance <= 2.0 * floor };
        explained.then_some(Why::Noise { distance, floor })
    }

    fn doubt_by_chance(&self, distance: f64, margin: f64) -> Option<Why> {
        let (columns, _) = self.defined().ok()?;
        if self.settings.dynamics != DynamicsRule::Deterministic || !chance_decides(&columns.projected()?.rows) {
            return None;
        }
        let by_means = Settings { dynamics: DynamicsRule::Sampled, ..self.settings };
        let by_means = self.pair.distance(Metric::Projected, &by_means).distance()?;
        (by_means <= margin).then_some(Why::Chance { distance, by_means })
    }

    fn doubt_by_what_follows(&self, rows: &[Row], distance: f64, margin: f64) -> Option<Why> {
        let [total, leading] = self.ends()?.going_on;
        let of_side = |rewards: &[f64]| {
            let scaled = units::scaled(rewards);
            let open: Vec<f64> =
                rows.iter().zip(&scaled).filter(|(row, _)| row.open).map(|(_, reward)| *reward).collect();
            squares(&open) / squares(&scaled).max(f64::MIN_POSITIVE)
        };
        let carried = self.pair.rewards().map(|rewards| of_side(&rewards)).into_iter().fold(0.0, f64::max);
        let why = Why::NothingFollows { distance, leading, total, carried };
        if 2 * leading > total {
            return Some(why);
        }
        let matters = || {
            let if_ends = Settings { ends: EndRule::Sinks, ..self.settings };
            self.pair.distance(self.metric, &if_ends).distance().is_some_and(|if_ends| if_ends > margin)
        };
        (carried >= UNFOLLOWED && matters()).then_some(why)
    }

    /// Why a difference may be none where a column `done` may hold time limits: the same action of a state then ends in some rows and goes on
    /// in others. Without those that end there, nothing may be different.
    pub(crate) fn doubt_by_limits(&self, distance: f64, margin: f64) -> Option<Why> {
        let (columns, _) = self.defined().ok()?;
        let projected = columns.projected().filter(|projected| projected.outcomes.is_none())?;
        let going_on: HashSet<(u32, u32)> =
            projected.rows.iter().filter(|row| !row.ends).map(|row| (row.state, row.action)).collect();
        let stays = |row: &Row| !row.ends || !going_on.contains(&(row.state, row.action));
        let kept: Vec<u32> = (0u32..).zip(&projected.rows).filter(|(_, row)| stays(row)).map(|(i, _)| i).collect();
        let mixed = projected.len() - kept.len();
        if mixed == 0 {
            return None;
        }
        let space = projected.on(&kept)?;
        let [x, y] = projected.rewards(self.pair).map(|rewards| {
            let of_kept: Vec<f64> = kept.iter().map(|&i| rewards[i as usize]).collect();
            space.residual(&of_kept)
        });
        let pairs = || x.iter().copied().zip(y.iter().copied());
        let without = agreement_of_residuals(Correlation::Pearson, pairs, columns.noise).ok()?.distance;
        (without <= margin).then_some(Why::Limits { distance, without, mixed })
    }

    /// Why two rewards that are close may ask for different behaviour all the same.
    pub(crate) fn doubt_sameness(&self, distance: f64, margin: f64) -> Option<Why> {
        if self.settings.potential != Potential::Tabular {
            return None;
        }
        let (columns, _) = self.defined().ok()?;
        let projected = columns.projected()?;
        if let Some(why) = self.doubt_by_what_follows(&projected.rows, distance, margin) {
            return Some(why);
        }
        if distance < VISIBLE {
            return None;
        }
        let rewards = projected.rewards(self.pair);
        let units = [units::scale(&columns.x), units::scale(&columns.y)];
        let mut left = [units::scaled(&columns.x), units::scaled(&columns.y)];
        let whole = left.each_ref().map(|left| squares(left));
        let mut kept: Vec<u32> = (0..projected.len() as u32).collect();
        let most_taken = (FEW * projected.len() as f64) as usize;
        loop {
            checkpoint();
            let stays = without_largest(&left);
            kept = stays.into_iter().map(|i| kept[i as usize]).collect();
            let taken = projected.len() - kept.len();
            if taken > most_taken {
                return None;
            }
            let space = projected.on(&kept)?;
            if space.shaping().degrees_of_freedom < LEAST_FREEDOM {
                return None;
            }
            left = [0, 1].map(|side| {
                let values: Vec<f64> = kept.iter().map(|&i| rewards[side][i as usize]).collect();
                let mut left = space.residual(&values);
                left.iter_mut().for_each(|value| *value *= units[side]);
                left
            });
            let seen = [0, 1].map(|side| squares(&left[side]) > VISIBLE * VISIBLE * whole[side]);
            let rest = match seen {
                [false, false] => return None,
                [true, true] => {
                    let [x, y] = &left;
                    let pairs = || x.iter().copied().zip(y.iter().copied());
                    agreement_of_residuals(Correlation::Pearson, pairs, [0.0; 2]).ok()?.distance
                }
                // One of them is indifferent to what the other one wants.
                _ => std::f64::consts::FRAC_1_SQRT_2,
            };
            if rest >= UNLIKE {
                return Some(Why::Hidden { distance, rest, taken });
            }
        }
    }
}

/// What γ from the data leaves of an answer by the best γ, which came to `distance`.
pub(crate) fn doubt_by_gamma(
    pair: &Pair<'_>,
    settings: &Settings,
    estimate: &GammaEstimate,
    (answer, distance, margin): (Answer, f64, f64),
) -> Option<Why> {
    let at = |gamma: f64| {
        let settings = Settings { gamma: Gamma::new(gamma).ok()?, ..*settings };
        pair.distance(Metric::Projected, &settings).distance()
    };
    // The distance of a copy rises steeply on either side of its γ, wherever between these that is.
    let (low, high) = if estimate.identified { (estimate.low, estimate.high) } else { (0.0, 1.0) };
    let between = |steps: i32| (0..=steps).map(move |i| low + (high - low) * f64::from(i) / f64::from(steps));
    let holds = match (answer, estimate.identified) {
        (Answer::Unknown, _) => true,
        (Answer::Same, _) => between(1).all(|gamma| at(gamma).is_some_and(|other| other <= margin)),
        (Answer::Different, true) => between(GAMMAS).all(|gamma| at(gamma).is_some_and(|other| other > margin)),
        // It may be anywhere, so that it must not matter.
        (Answer::Different, false) => {
            between(2).all(|gamma| at(gamma).is_some_and(|other| (other - distance).abs() < NO_MATTER))
        }
    };
    (!holds).then_some(Why::GammaUncertain { gammas: [low, high], identified: estimate.identified })
}

/// Whether actions lead to several states, and not to so many that equations of means over them would be dense: from a hub to all others.
fn chance_decides(rows: &[Row]) -> bool {
    let mut leads: Vec<(u32, u32)> = Vec::new();
    let (mut several, mut entries) = (false, 0);
    for of_state in rows.chunk_by(|one, other| one.state == other.state) {
        leads.clear();
        leads.extend(of_state.iter().map(|row| (row.action, row.next)));
        leads.sort_unstable();
        leads.dedup();
        for of_action in leads.chunk_by(|one, other| one.0 == other.0) {
            several |= of_action.len() > 1;
            entries += of_action.len() * of_action.len();
        }
    }
    several && entries <= DENSE * rows.len()
}

/// The rows but for the largest ones, which carry [`MOST`] of the squares of both values.
fn without_largest(values: &[Vec<f64>; 2]) -> Vec<u32> {
    // Where nothing is left of a reward, nothing is carried of it.
    let scale = values.each_ref().map(|values| squares(values).max(f64::MIN_POSITIVE));
    let carries = |i: u32| {
        let [x, y] = [0, 1].map(|side: usize| values[side][i as usize]);
        x * x / scale[0] + y * y / scale[1]
    };
    let mut rows: Vec<u32> = (0..values[0].len() as u32).collect();
    rows.sort_by(|&i, &j| carries(j).total_cmp(&carries(i)).then(i.cmp(&j)));
    let mut carried = 0.0;
    let large = rows.iter().take_while(|&&i| {
        let goes_on = carried < 2.0 * MOST;
        carried += carries(i);
        goes_on
    });
    let large = large.count();
    let mut rest = rows.split_off(large.min(rows.len()));
    rest.sort_unstable();
    rest
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_looked_at_where_equations_stay_sparse() {
        let row = |state, action, next| Row { state, action, next, ends: false, open: false };
        let certain: Vec<Row> = (0..100).map(|s| row(s, 0, (s + 1) % 100)).collect();
        let slips: Vec<Row> = (0..100).flat_map(|s| [row(s, 0, (s + 1) % 100), row(s, 0, (s + 2) % 100)]).collect();
        // A star of a million states would take minutes.
        let hub: Vec<Row> = (1..400).map(|leaf| row(0, 0, leaf)).chain((1..400).map(|leaf| row(leaf, 0, 0))).collect();
        assert_eq!([&certain, &slips, &hub].map(|rows| chance_decides(rows)), [false, true, false]);
    }
}
