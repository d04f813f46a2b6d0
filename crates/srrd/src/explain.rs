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

use crate::compare::{Correlation, Distance, Measured, RankOrder, Undefined};
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
        let (columns, _) = self.defined()?;
        let correlation = self.settings.correlation;
        // Residuals are compared as they are: their mean is a part of them.
        let centred = columns.projected().is_none() || correlation == Correlation::Spearman;
        let x = standardized(&columns.x, columns.noise[0], correlation, centred);
        let y = standardized(&columns.y, columns.noise[1], correlation, centred);
        let squares: f64 = x.iter().zip(&y).map(|(x, y)| (x - y) * (x - y)).sum();
        let contribution = |row: usize, transition: usize, part: f64| {
            let (a, b) = self.pair.common[transition];
            let difference = x[row] - y[row];
            Contribution {
                a,
                b,
                canonical: [columns.x[row] + columns.center[0], columns.y[row] + columns.center[1]],
                difference,
                share: if squares > 0.0 { part * difference * difference / squares } else { 0.0 },
            }
        };
        let mut transitions: Vec<Contribution> = match columns.projected().and_then(|found| found.outcomes.as_ref()) {
            None => (0..x.len()).map(|i| contribution(i, i, 1.0)).collect(),
            // What a pair (s, a) carries, its transitions carry by their shares.
            Some(outcomes) => (0..x.len())
                .flat_map(|row| outcomes.of(row).map(move |(i, part)| (row, i, part)))
                .map(|(row, i, part)| contribution(row, i, part))
                .collect(),
        };
        // In the order of the first sample's transitions.
        transitions.sort_unstable_by_key(|contribution| contribution.a);
        let states = by_state(self.pair.a, &transitions);
        transitions.sort_by(|p, q| q.share.total_cmp(&p.share).then(p.a.cmp(&q.a)));
        Ok(Explanation { distance: self.distance(), transitions, states })
    }
}

/// Values around their mean (or 0) in units of their standard deviation; values that vary.
fn standardized(values: &[f64], noise: f64, correlation: Correlation, centred: bool) -> Vec<f64> {
    let mut standard = match correlation {
        Correlation::Pearson => values.to_vec(),
        Correlation::Spearman => {
            let mut ranks = vec![0.0; values.len()];
            RankOrder::new(values, noise).weighted_ranks(|_| 1.0, &mut ranks);
            ranks
        }
    };
    let n = standard.len() as f64;
    if centred {
        // Differences from the first value, so that values that are far from 0 lose nothing.
        let origin = standard.first().copied().unwrap_or(0.0);
        let mean = origin + standard.iter().map(|v| v - origin).sum::<f64>() / n;
        standard.iter_mut().for_each(|v| *v -= mean);
    }
    // In units of the largest first: squares of rewards may leave the range of doubles.
    let largest = standard.iter().fold(0.0f64, |most, v| most.max(v.abs()));
    standard.iter_mut().for_each(|v| *v /= largest);
    let deviation = (standard.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
    standard.iter_mut().for_each(|v| *v /= deviation);
    standard
}

/// What the states carry, of contributions in the order of the transitions.
fn by_state(a: &RewardSample, transitions: &[Contribution]) -> Vec<StateShare> {
    let mut states: Vec<StateShare> = (0..a.states().len() as u32)
        .map(|state| StateShare { state, started: 0, starting: 0.0, ending: 0.0 })
        .collect();
    let mut met = vec![false; states.len()];
    let mut ids = a.ids().enumerate();
    for contribution in transitions {
        // Both are in the order of the first sample's transitions.
        let Some((_, (s, _, t))) = ids.find(|(index, _)| *index == contribution.a as usize) else { break };
        let (s, t) = (s as usize, t as usize);
        states[s].started += 1;
        states[s].starting += contribution.share;
        states[t].ending += contribution.share;
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
