//! The canonical rewards of two samples side by side: what distances, intervals, tests, noise floors and explanations are computed from.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::outcomes::Outcomes;
use super::pair::Pair;
use super::pearson::{Agreement, Undefined};
use super::ranks::{agreement, agreement_of_residuals};
use super::shared::{Row, SharedEnds};
use crate::metric::Metric;
use crate::potential::BasisUsed;
use crate::project::{MeanProjection, MeanRows, Projection, Shaping, Space};
use crate::settings::{Gamma, Settings};

/// The canonical rewards of two samples on the transitions they share, in order.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// What was subtracted from all canonical rewards of a side.
    pub center: [f64; 2],
    /// How far apart values of a side may be that are equal but for rounding.
    pub noise: [f64; 2],
    /// Where shaping was projected out on the shared transitions.
    projected: Option<Projected>,
}

/// What took shaping out on the shared transitions.
#[derive(Clone, Debug)]
pub(crate) struct Projected {
    pub space: Space,
    /// The shared transitions.
    pub rows: Vec<Row>,
    /// Where chance decides: the pairs (s, a), which are then the rows of the space.
    pub outcomes: Option<Outcomes>,
    pub ends: SharedEnds,
    gamma: Gamma,
    constant: OnceLock<Option<Vec<f64>>>,
}

/// Of 1: what of a residual of a constant is rounding.
const NO_CONSTANT: f64 = 1e-9;

impl Projected {
    pub fn new(space: Space, rows: Vec<Row>, outcomes: Option<Outcomes>, ends: SharedEnds, gamma: Gamma) -> Self {
        Projected { space, rows, outcomes, ends, gamma, constant: OnceLock::new() }
    }

    /// How many rows the space has: transitions, or pairs (s, a).
    pub fn len(&self) -> usize {
        self.outcomes.as_ref().map_or(self.rows.len(), Outcomes::len)
    }

    /// The rewards of the two samples by row of the space.
    pub fn rewards<'a>(&self, pair: &Pair<'a>) -> [Cow<'a, [f64]>; 2] {
        by_row(pair, self.outcomes.as_ref())
    }

    /// The rows of the space. A pair that leads to several states leads to none that others lead to.
    pub fn space_rows(&self) -> Cow<'_, [Row]> {
        let Some(outcomes) = &self.outcomes else { return Cow::Borrowed(&self.rows) };
        let most = self.rows.iter().map(|row| row.state.max(row.next)).max().unwrap_or(0);
        let row = |number: usize| {
            let mut leads = outcomes.of(number).map(|(i, _)| self.rows[i]);
            let first = leads.next().expect("a pair has a transition");
            if leads.next().is_some() { Row { next: most + 1 + number as u32, ..first } } else { first }
        };
        (0..outcomes.len()).map(row).collect()
    }

    /// For every row of the space, the bits of the states that it starts in or leads to.
    pub fn bits(&self, of_state: &[u32]) -> Vec<u32> {
        let of = |row: &Row| of_state[row.state as usize] | of_state[row.next as usize];
        match &self.outcomes {
            None => self.rows.iter().map(of).collect(),
            Some(outcomes) => (0..outcomes.len())
                .map(|row| outcomes.of(row).fold(0, |bits, (i, _)| bits | of(&self.rows[i])))
                .collect(),
        }
    }

    pub fn shaping(&self) -> Shaping {
        self.space.shaping()
    }

    /// Whether a model lists what can happen and both samples hold all of it, but for what would follow on the ends of episodes. Then there
    /// is nothing unseen, and a distance is not an estimate.
    pub fn is_complete(&self, pair: &Pair<'_>) -> bool {
        let mut over = vec![false; pair.a.states().len()];
        self.rows.iter().filter(|row| row.ends).for_each(|row| over[row.next as usize] = true);
        // Rows have the numbers of the first sample.
        let theirs = pair.b.states().ids_in(pair.a.states());
        let in_a = |state: u32| over.get(state as usize).is_some_and(|over| *over);
        let in_b = |state: u32| theirs.get(state as usize).is_some_and(|&state| in_a(state));
        let all = |sample: &crate::RewardSample, over: &dyn Fn(u32) -> bool| {
            sample.incomplete.as_ref().is_some_and(|states| states.iter().all(|&state| over(state)))
        };
        all(pair.a, &in_a) && all(pair.b, &in_b)
    }

    /// The projection on some rows of the space, ascending, by one free potential per state; `None` when there are no rows.
    pub fn on(&self, rows: &[u32]) -> Option<Space> {
        let some = || match &self.outcomes {
            None => {
                let leads = rows.iter().map(|&i| self.rows[i as usize].leads_to());
                Space::States(Projection::on(leads, self.gamma))
            }
            Some(outcomes) => Space::Means(mean_projection(&self.rows, outcomes, rows.iter().copied(), self.gamma)),
        };
        (!rows.is_empty()).then(some)
    }

    /// What is left of a constant 1, where that is not nothing: where episodes end. Rewards around a mean that is not 0 have so much in
    /// common, whatever their relation is.
    pub fn constant(&self) -> Option<&[f64]> {
        let left = self.constant.get_or_init(|| {
            let left = self.space.residual(&vec![1.0; self.len()]);
            let share = left.iter().map(|v| v * v).sum::<f64>() / left.len() as f64;
            (share > NO_CONSTANT).then_some(left)
        });
        left.as_deref()
    }
}

/// The rewards of two samples on the transitions that they share, or their means over outcomes.
pub(crate) fn by_row<'a>(pair: &Pair<'a>, outcomes: Option<&Outcomes>) -> [Cow<'a, [f64]>; 2] {
    let rewards = pair.rewards();
    match outcomes {
        None => rewards,
        Some(outcomes) => rewards.map(|values| outcomes.means(&values).into()),
    }
}

/// Shaping as means over next states, on some of the pairs (s, a).
pub(crate) fn mean_projection(
    rows: &[Row],
    outcomes: &Outcomes,
    pairs: impl Iterator<Item = u32>,
    gamma: Gamma,
) -> MeanProjection {
    let mut means = MeanRows::default();
    for pair in pairs {
        let members = outcomes.of(pair as usize);
        let source = members.clone().next().map_or(0, |(i, _)| rows[i].state);
        let ends = members.clone().any(|(i, _)| rows[i].ends);
        let leads = members.filter(|(i, _)| !rows[*i].ends).map(|(i, share)| (rows[i].next, share));
        means.push(source, leads, ends);
    }
    MeanProjection::on(&means, gamma)
}

impl Columns {
    /// # Errors
    /// Why there is no distance, as far as the transitions tell, and what shaping can explain on them where that is known. That a side
    /// is constant shows in [`agreement`](Self::agreement).
    pub fn new(pair: &Pair<'_>, metric: Metric, settings: &Settings) -> Result<Self, (Undefined, Option<Shaping>)> {
        if metric.by_pair(settings) {
            return metric.columns_of_pair(pair, settings);
        }
        if pair.common.len() < settings.min_common.max(1) {
            return Err((Undefined::TooFewCommon, None));
        }
        let [a, b] = pair.canonical(metric, settings);
        let (center, noise) = ([a.center, b.center], [a.noise, b.noise]);
        let x = a.into_centred(pair.common.iter().map(|both| both.0));
        let y = b.into_centred(pair.common.iter().map(|both| both.1));
        Ok(Columns { x, y, center, noise, projected: None })
    }

    /// Residuals on the shared transitions.
    pub fn of_residuals(x: Vec<f64>, y: Vec<f64>, noise: [f64; 2], projected: Projected) -> Self {
        Columns { x, y, center: [0.0, 0.0], noise, projected: Some(projected) }
    }

    /// Values that are exact and around 0, for tests.
    #[cfg(test)]
    pub fn plain(x: &[f64], y: &[f64]) -> Self {
        Columns { x: x.to_vec(), y: y.to_vec(), center: [0.0; 2], noise: [0.0; 2], projected: None }
    }

    /// The distance: to the last bit that of [`distance`](crate::distance).
    pub fn agreement(&self, settings: &Settings) -> Result<Agreement, Undefined> {
        self.agreement_with(settings, |i| self.y[i], self.noise[1])
    }

    /// The distance of the first side to other values in the place of the second.
    pub fn agreement_with(
        &self,
        settings: &Settings,
        y: impl Fn(usize) -> f64,
        noise: f64,
    ) -> Result<Agreement, Undefined> {
        let at = |i: usize| (self.x[i], y(i));
        let (n, noise) = (self.x.len(), [self.noise[0], noise]);
        match self.projected {
            Some(_) => agreement_of_residuals(settings.correlation, || (0..n).map(&at), noise),
            None => agreement(settings.correlation, n, at, noise),
        }
    }

    /// What took shaping out on the shared transitions, if that was done.
    pub fn projected(&self) -> Option<&Projected> {
        self.projected.as_ref()
    }

    /// The basis of potentials that are functions of features.
    pub fn basis(&self) -> Option<BasisUsed> {
        self.projected()?.space.basis()
    }

    /// What shaping can explain on the shared transitions, if it was projected out there.
    pub fn shaping(&self) -> Option<Shaping> {
        self.projected().map(Projected::shaping)
    }
}
