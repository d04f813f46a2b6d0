//! Given probabilities of transitions: a sample whose rewards are probabilities.

use super::RewardSample;
use crate::compare::common_transitions;

/// By how much probabilities of one (s, a) may miss 1.
const ROUNDING: f64 = 1e-6;

impl RewardSample {
    /// How likely a transition is, given its state and action, as a model says; 1 without one.
    pub(crate) fn probability(&self, transition: usize) -> f64 {
        self.probabilities.as_ref().map_or(1.0, |probabilities| probabilities[transition])
    }

    /// Takes the probability of every transition from a model; 0 for those that it does not hold.
    pub(crate) fn take_probabilities(&mut self, model: &RewardSample) {
        let mut probabilities = vec![0.0; self.len()];
        for (ours, theirs) in common_transitions(self, model) {
            probabilities[ours as usize] = model.rewards()[theirs as usize];
        }
        self.probabilities = Some(probabilities);
    }

    /// Notes where the sample lacks something that a model calls possible.
    pub(crate) fn note_incomplete(&mut self, model: &RewardSample) {
        let mut held = vec![false; model.len()];
        common_transitions(self, model).iter().for_each(|&(_, theirs)| held[theirs as usize] = true);
        let possible = |i: &usize| model.rewards()[*i] > 0.0;
        let lacking = (0..model.len()).filter(possible).filter(|&i| !held[i]);
        let ours = model.states().ids_in(self.states());
        let sources: Vec<u32> = model.ids().map(|(s, _, _)| s).collect();
        let mut states: Vec<u32> = lacking.map(|i| ours[sources[i] as usize]).collect();
        states.sort_unstable();
        states.dedup();
        self.incomplete = Some(states);
    }

    /// Whether the rewards are probabilities of next states.
    ///
    /// # Errors
    /// Which are not.
    pub(crate) fn check_probabilities(&self) -> Result<(), String> {
        let mut rows: Vec<(u32, u32, f64)> = self.ids().zip(self.rewards()).map(|((s, a, _), &p)| (s, a, p)).collect();
        rows.sort_unstable_by_key(|row| (row.0, row.1));
        for group in rows.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let (state, action) = (self.states.token(group[0].0), self.actions.token(group[0].1));
            if let Some(row) = group.iter().find(|row| !(0.0..=1.0).contains(&row.2)) {
                return Err(format!(
                    "state {state} and action {action} have a probability of {}, not between 0 and 1",
                    row.2
                ));
            }
            let total: f64 = group.iter().map(|row| row.2).sum();
            if (total - 1.0).abs() > ROUNDING {
                return Err(format!(
                    "the probabilities of state {state} and action {action} add up to {total}, not to 1"
                ));
            }
        }
        Ok(())
    }
}
