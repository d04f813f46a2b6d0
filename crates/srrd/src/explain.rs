//! Where two rewards differ: what every shared transition, and every state, carries of their distance.
//!
//! Let x and y be the canonical rewards of two samples (or what projection leaves of them) on the n transitions they share, each
//! around its mean and in units of its own standard deviation. Then Σ x² = Σ y² = n, Σ xy = nρ, and
//!
//! D² = (1 − ρ) / 2 = Σ (x − y)² / 4n.
//!
//! So the squared distance is a sum over transitions, of which transition i carries the share (xᵢ − yᵢ)² / 4nD². Shares are
//! positive and add up to 1. What a state carries is the sum over the transitions that start in it, and beside it the sum over
//! those that end in it. With Spearman's correlation x and y are ranks.

use std::borrow::Cow;

use crate::compare::{Columns, Correlation, Distance, Measured, Outcomes, Pair, RankOrder, Undefined};
use crate::sample::RewardSample;

/// What a shared transition carries of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// Its index in the first sample ([`RewardSample::transition`]).
    pub a: u32,
    /// Its index in the second sample.
    pub b: u32,
    /// Its canonical rewards.
    pub canonical: [f64; 2],
    /// The canonical reward of the first less that of the second, each in standard deviations of its own on the shared
    /// transitions, or its ranks where ranks are compared.
    pub difference: f64,
    /// Its share of the squared distance.
    pub share: f64,
}

/// What the transitions at a state carry of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateShare {
    /// The state, as an id into [`RewardSample::states`] of the first sample.
    pub state: u32,
    /// How many shared transitions start in it.
    pub started: usize,
    /// Their share of the squared distance.
    pub starting: f64,
    /// The share of the shared transitions that end in it.
    pub ending: f64,
}

/// Where two rewards differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The distance that is explained; always defined.
    pub distance: Distance,
    /// Every shared transition, the largest share first. The shares add up to 1, unless the distance is 0: then all are 0.
    pub transitions: Vec<Contribution>,
    /// Every state of a shared transition, the largest share that starts there first.
    pub states: Vec<StateShare>,
}

impl Explanation {
    /// The least number of transitions that together carry this fraction of the squared distance; 0 when the distance is 0.
    pub fn carrying(&self, fraction: f64) -> usize {
        let mut carried = 0.0;
        let mut count = 0;
        for contribution in self.transitions.iter().take_while(|contribution| contribution.share > 0.0) {
            if carried >= fraction {
                break;
            }
            carried += contribution.share;
            count += 1;
        }
        count
    }
}

impl Measured<'_> {
    /// Where two rewards differ: what every shared transition carries of their distance.
    ///
    /// The squared distance is a sum over the shared transitions, D² = Σ (x − y)² / 4n, x and y the canonical rewards around their mean
    /// (`projected`: around 0) and in units of their standard deviation. Scale and shift of canonical rewards change nothing of it, and with `projected` shaping
    /// changes nothing either. O(transitions · log transitions).
    ///
    /// A distance near 10⁻⁹ and below is rounding, and so are its shares.
    ///
    /// # Errors
    /// Why there is no distance to explain.
    ///
    /// ```
    /// use srrd::{Duplicates, Metric, Pair, RewardSample, Settings};
    /// let rows = (0..5).flat_map(|s| (0..5).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t) % 7))));
    /// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
    /// // The same rewards, but for the transition from 2 to 3.
    /// let changed = a.transitions().map(|t| match (t.state.as_int(), t.next_state.as_int()) {
    ///     (Some(2), Some(3)) => t.reward + 10.0,
    ///     _ => t.reward,
    /// });
    /// let b = a.with_rewards(changed.collect())?;
    /// let pair = Pair::new(&a, &b);
    /// let explanation = pair.measure(Metric::Projected, &Settings::default()).explanation().unwrap();
    /// let most = explanation.transitions[0];
    /// assert_eq!(a.transition(most.a as usize).state.as_int(), Some(2));
    /// // Lower in the first reward, and most of the difference.
    /// assert!(most.difference < 0.0 && most.share > 0.5);
    /// assert_eq!(explanation.carrying(0.5), 1);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn explanation(&self) -> Result<Explanation, Undefined> {
        let differences = Differences::of(self)?;
        let mut transitions: Vec<Contribution> = differences.contributions().collect();
        // In the order of the first sample's transitions.
        transitions.sort_unstable_by_key(|contribution| contribution.a);
        let states = by_state(self.pair.a, transitions.iter().map(|contribution| (contribution.a, contribution.share)));
        transitions.sort_by(|p, q| q.share.total_cmp(&p.share).then(p.a.cmp(&q.a)));
        Ok(Explanation { distance: self.distance(), transitions, states })
    }

    /// The [`states`](Explanation::states) of an explanation, without a list of all transitions where none is needed.
    pub(crate) fn states_that_differ(&self) -> Result<Vec<StateShare>, Undefined> {
        let differences = Differences::of(self)?;
        let shares = differences.contributions().map(|contribution| (contribution.a, contribution.share));
        if differences.outcomes().is_none() {
            // Shared transitions are in the order of those of the first sample.
            return Ok(by_state(self.pair.a, shares));
        }
        let mut shares: Vec<(u32, f64)> = shares.collect();
        shares.sort_unstable_by_key(|&(a, _)| a);
        Ok(by_state(self.pair.a, shares.into_iter()))
    }
}

/// What every shared transition carries of a distance.
struct Differences<'a> {
    pair: &'a Pair<'a>,
    columns: &'a Columns,
    x: Standardized<'a>,
    y: Standardized<'a>,
    /// Σ (x − y)².
    squares: f64,
}

impl<'a> Differences<'a> {
    fn of(measured: &'a Measured<'_>) -> Result<Self, Undefined> {
        let (columns, _) = measured.defined()?;
        let correlation = measured.settings.correlation;
        // Residuals are compared as they are: their mean is a part of them.
        let centred = columns.projected().is_none() || correlation == Correlation::Spearman;
        let x = Standardized::new(&columns.x, columns.noise[0], correlation, centred);
        let y = Standardized::new(&columns.y, columns.noise[1], correlation, centred);
        let squares =
            (0..columns.x.len()).map(|row| x.at(row) - y.at(row)).map(|difference| difference * difference).sum();
        Ok(Differences { pair: measured.pair, columns, x, y, squares })
    }

    /// Where chance decides: the pairs (s, a), which are then the rows.
    fn outcomes(&self) -> Option<&'a Outcomes> {
        self.columns.projected().and_then(|found| found.outcomes.as_ref())
    }

    /// By row.
    fn contributions(&self) -> impl Iterator<Item = Contribution> {
        let outcomes = self.outcomes();
        (0..self.columns.x.len()).flat_map(move |row| {
            // What a pair (s, a) carries, its transitions carry by their shares.
            let of_pair = outcomes.into_iter().flat_map(move |outcomes| outcomes.of(row));
            let by_itself = outcomes.is_none().then_some((row, 1.0));
            of_pair.chain(by_itself).map(move |(transition, part)| self.contribution(row, transition, part))
        })
    }

    fn contribution(&self, row: usize, transition: usize, part: f64) -> Contribution {
        let Columns { x, y, center, .. } = self.columns;
        let (a, b) = self.pair.common[transition];
        let difference = self.x.at(row) - self.y.at(row);
        Contribution {
            a,
            b,
            canonical: [x[row] + center[0], y[row] + center[1]],
            difference,
            share: if self.squares > 0.0 { part * difference * difference / self.squares } else { 0.0 },
        }
    }
}

/// Values around their mean (or 0) in units of their standard deviation; values that vary.
struct Standardized<'a> {
    values: Cow<'a, [f64]>,
    mean: f64,
    /// Values are in units of the largest before they are in units of their deviation: squares of rewards may leave the range of doubles.
    largest: f64,
    deviation: f64,
}

impl<'a> Standardized<'a> {
    fn new(values: &'a [f64], noise: f64, correlation: Correlation, centred: bool) -> Self {
        let values = match correlation {
            Correlation::Pearson => Cow::Borrowed(values),
            Correlation::Spearman => {
                let mut ranks = vec![0.0; values.len()];
                RankOrder::new(values, noise).weighted_ranks(|_| 1.0, &mut ranks);
                Cow::Owned(ranks)
            }
        };
        let n = values.len() as f64;
        // Differences from the first value, so that values that are far from 0 lose nothing.
        let origin = values.first().copied().unwrap_or(0.0);
        let mean = if centred { origin + values.iter().map(|v| v - origin).sum::<f64>() / n } else { 0.0 };
        let largest = values.iter().fold(0.0f64, |most, v| most.max((v - mean).abs()));
        let deviation = (values.iter().map(|v| (v - mean) / largest).map(|v| v * v).sum::<f64>() / n).sqrt();
        Standardized { values, mean, largest, deviation }
    }

    fn at(&self, row: usize) -> f64 {
        (self.values[row] - self.mean) / self.largest / self.deviation
    }
}

/// What the states carry, of contributions in the order of the transitions.
fn by_state(a: &RewardSample, shares: impl Iterator<Item = (u32, f64)>) -> Vec<StateShare> {
    let mut states: Vec<StateShare> = (0..a.states().len() as u32)
        .map(|state| StateShare { state, started: 0, starting: 0.0, ending: 0.0 })
        .collect();
    let mut met = vec![false; states.len()];
    let mut ids = a.ids().enumerate();
    for (transition, carried) in shares {
        // Both are in the order of the first sample's transitions.
        let Some((_, (s, _, t))) = ids.find(|(index, _)| *index == transition as usize) else { break };
        let (s, t) = (s as usize, t as usize);
        states[s].started += 1;
        states[s].starting += carried;
        states[t].ending += carried;
        met[s] = true;
        met[t] = true;
    }
    states.retain(|share| met[share.state as usize]);
    let larger = |p: &StateShare, q: &StateShare| {
        q.starting.total_cmp(&p.starting).then(q.ending.total_cmp(&p.ending)).then(p.state.cmp(&q.state))
    };
    states.sort_by(larger);
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Duplicates;
    use crate::{Metric, Pair, Settings};

    /// Transitions (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1) and rewards for them.
    fn pair(x: [f64; 4], y: [f64; 4]) -> (RewardSample, RewardSample) {
        let rows = [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().zip(x).map(|((s, t), r)| (s, 0, t, r));
        let a = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
        let b = a.with_rewards(y.to_vec()).unwrap();
        (a, b)
    }

    #[test]
    fn shares_are_those_worked_out_by_hand() {
        // Standardized: (−1, −1, 1, 1) and (−1, 1, −1, 1). Uncorrelated; the two in the middle differ by 2 each.
        let (a, b) = pair([3.0, 3.0, 7.0, 7.0], [-2.0, 0.0, -2.0, 0.0]);
        let explanation = Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).explanation().unwrap();
        assert!((explanation.distance.distance().unwrap() - 0.5f64.sqrt()).abs() < 1e-15);
        let found: Vec<(u32, f64, f64)> =
            explanation.transitions.iter().map(|c| (c.a, c.difference, c.share)).collect();
        assert_eq!(found, [(1, -2.0, 0.5), (2, 2.0, 0.5), (0, 0.0, 0.0), (3, 0.0, 0.0)]);
        assert_eq!(explanation.transitions[0].canonical, [3.0, 0.0]);
        let states: Vec<_> = explanation.states.iter().map(|s| (s.state, s.started, s.starting, s.ending)).collect();
        assert_eq!(states, [(0, 2, 0.5, 0.5), (1, 2, 0.5, 0.5)]);
        assert_eq!([0.0, 0.4, 0.5, 0.6, 1.0].map(|f| explanation.carrying(f)), [0, 1, 1, 2, 2]);
    }

    #[test]
    fn nothing_is_carried_by_equal_rewards_and_undefined_distances_say_why() {
        let (a, b) = pair([1.0, 2.0, 4.0, 8.0], [5.0, 5.0, 5.0, 5.0]);
        let same = Pair::new(&a, &a).measure(Metric::Direct, &Settings::default()).explanation().unwrap();
        assert!(same.transitions.iter().all(|c| c.share == 0.0));
        assert_eq!(same.carrying(1.0), 0);
        assert_eq!(
            Pair::new(&a, &b).measure(Metric::Direct, &Settings::default()).explanation(),
            Err(Undefined::Constant)
        );
        let many = Settings { min_common: 5, ..Settings::default() };
        assert_eq!(Pair::new(&a, &a).measure(Metric::Srrd, &many).explanation(), Err(Undefined::TooFewCommon));
    }

    #[test]
    fn ranks_are_explained_where_ranks_are_compared() {
        // One huge reward: all of the difference for values, little of it for ranks.
        let (a, b) = pair([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 1e9]);
        let ranks = Settings { correlation: Correlation::Spearman, ..Settings::default() };
        let explanation = Pair::new(&a, &b).measure(Metric::Direct, &ranks).explanation().unwrap();
        let shares: Vec<(u32, f64)> = explanation.transitions.iter().map(|c| (c.a, c.share)).collect();
        assert_eq!(shares, [(0, 0.5), (1, 0.5), (2, 0.0), (3, 0.0)]);
    }
}
