//! Dynamics counted from what was seen.

use super::Dynamics;
use crate::sample::RewardSample;
use crate::trajectories::Trajectories;

impl Dynamics {
    /// How often every action led where, and where episodes started. States and actions are places in
    /// [`Trajectories::states`] and [`Trajectories::actions`]; pairs in which nobody acted are absent. O(steps · log steps).
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// use srrd::trajectories::{End, Trajectories};
    /// let mut builder = Trajectories::builder();
    /// builder.push_episode(&[0, 1, 0], &[0, 0], None, End::Truncated)?;
    /// let dynamics = Dynamics::counted(&builder.build());
    /// assert_eq!(dynamics.initial(), Some(&[1.0, 0.0][..]));
    /// assert_eq!(dynamics.next(1, 0).unwrap().states, [0]);
    /// # Ok::<(), srrd::trajectories::TrajectoryError>(())
    /// ```
    pub fn counted(trajectories: &Trajectories) -> Self {
        let (states, actions) = (trajectories.states().len(), trajectories.actions().len());
        let mut seen: Vec<[u32; 3]> =
            trajectories.steps().map(|step| [step.state, step.action, step.next_state]).collect();
        seen.sort_unstable();
        let dynamics = Self::from_sorted(states, actions, frequencies(&seen));
        let mut initial = vec![0.0; states];
        trajectories.episodes().for_each(|episode| initial[episode.states()[0] as usize] += 1.0);
        let episodes = trajectories.len() as f64;
        initial.iter_mut().for_each(|count| *count /= episodes);
        Dynamics { initial: (episodes > 0.0).then_some(initial), ..dynamics }
    }

    /// Where every action of a sample led. A sample is a set and has forgotten how often: next states of one pair are taken to be
    /// equally likely, which is exact where every pair has one. States and actions are places in [`RewardSample::states`] and
    /// [`RewardSample::actions`]. O(transitions · log transitions).
    ///
    /// ```
    /// use srrd::{Duplicates, RewardSample, dynamics::Dynamics};
    /// let sample = RewardSample::from_rows([(0, 0, 1, 0.5), (0, 0, 2, 1.5), (1, 0, 0, 0.0)], Duplicates::Mean)?;
    /// let dynamics = Dynamics::of_sample(&sample);
    /// assert_eq!(dynamics.next(0, 0).unwrap().probabilities, [0.5, 0.5]);
    /// assert_eq!(dynamics.initial(), None);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn of_sample(sample: &RewardSample) -> Self {
        let mut seen: Vec<[u32; 3]> = sample.ids().map(|(state, action, next)| [state, action, next]).collect();
        seen.sort_unstable();
        Self::from_sorted(sample.states().len(), sample.actions().len(), frequencies(&seen))
    }
}

/// (s, a, s') and its share among all of (s, a), of sorted transitions.
fn frequencies(seen: &[[u32; 3]]) -> impl Iterator<Item = (usize, usize, usize, f64)> + '_ {
    seen.chunk_by(|one, other| one[..2] == other[..2]).flat_map(|pair| {
        let same = pair.chunk_by(|one, other| one == other);
        same.map(|one| {
            let [s, a, t] = one[0].map(|id| id as usize);
            (s, a, t, one.len() as f64 / pair.len() as f64)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{DynamicsError, Outcomes};
    use super::*;
    use crate::trajectories::End;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_counted_adds_up_to_one(
            episodes in prop::collection::vec((prop::collection::vec(0u32..6, 8), prop::collection::vec(0u32..3, 7)), 1..8),
        ) {
            let mut builder = Trajectories::builder();
            for (states, actions) in &episodes {
                builder.push_episode(states, actions, None, End::Unknown).unwrap();
            }
            let walks = builder.build();
            let dynamics = Dynamics::counted(&walks);
            let sums = |p: &[f64]| (p.iter().sum::<f64>() - 1.0).abs() < 1e-12;
            prop_assert!(sums(dynamics.initial().unwrap()));
            for (state, action, ahead) in dynamics.iter() {
                prop_assert!(sums(ahead.probabilities) && ahead.states.is_sorted());
                let times = walks.steps().filter(|step| (step.state, step.action) == (state, action)).count();
                for (next, probability) in ahead.iter() {
                    let step = |step: &crate::trajectories::Step| {
                        (step.state, step.action, step.next_state) == (state, action, next as u32)
                    };
                    let count = walks.steps().filter(step).count();
                    prop_assert!(count > 0 && probability == count as f64 / times as f64);
                }
            }
            for step in walks.steps() {
                prop_assert!(dynamics.next(step.state, step.action).is_some());
            }
            // What is counted can be given, densely where it is complete.
            let rows = |(s, a, ahead): (u32, u32, Outcomes<'_>)| {
                ahead.iter().map(|(t, p)| (s as usize, a as usize, t, p)).collect::<Vec<_>>()
            };
            let rows: Vec<_> = dynamics.iter().flat_map(rows).collect();
            let given = Dynamics::new(dynamics.states(), dynamics.actions(), rows.into_iter().rev()).unwrap();
            let given = given.with_initial(dynamics.initial().unwrap().to_vec()).unwrap();
            prop_assert_eq!(&given, &dynamics);
            match Dynamics::dense(dynamics.states(), dynamics.actions(), &dynamics.to_dense()) {
                Ok(dense) => prop_assert_eq!(dense.with_initial(dynamics.initial().unwrap().to_vec()).unwrap(), dynamics),
                Err(_) => prop_assert!(!dynamics.is_complete() && dynamics.check_complete().is_err()),
            }
        }
    }

    #[test]
    fn wrong_dynamics_are_refused_with_the_place() {
        let message =
            |given: &[(usize, usize, usize, f64)]| Dynamics::new(2, 2, given.iter().copied()).unwrap_err().to_string();
        assert_eq!(message(&[(2, 0, 0, 1.0)]), "there is no state 2: there are 2, numbered from 0");
        assert_eq!(message(&[(0, 3, 0, 1.0)]), "there is no action 3: there are 2, numbered from 0");
        assert_eq!(message(&[(0, 0, 9, 1.0)]), "there is no next state 9: there are 2, numbered from 0");
        assert_eq!(message(&[(0, 0, 1, 0.5), (0, 0, 1, 0.5)]), "there are two probabilities for transition (0, 0, 1)");
        assert_eq!(
            message(&[(1, 1, 0, 0.5), (1, 1, 1, 0.6)]),
            "the transition model of state 1 and action 1 is not a probability distribution: it adds up to 1.1"
        );
        assert!(message(&[(0, 0, 0, f64::NAN)]).ends_with("it holds NaN"));
        let known = Dynamics::new(2, 2, [(0, 0, 1, 1.0), (0, 1, 1, 1.0), (1, 1, 0, 1.0)]).unwrap();
        assert_eq!(known.check_complete(), Err(DynamicsError::Unknown { state: 1, action: 0 }));
        assert!(known.clone().with_initial(vec![1.0]).is_err() && known.with_initial(vec![0.5, 0.6]).is_err());
        assert!(Dynamics::dense(2, 0, &[]).unwrap_err().to_string().ends_with("there are no actions"));
        assert!(Dynamics::dense(usize::MAX, 2, &[]).is_err());
    }
}
