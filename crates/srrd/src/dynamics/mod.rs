//! Dynamics: where actions lead, and how likely.
//!
//! [`Dynamics`] hold P(s' | s, a) sparsely: only pairs (s, a) that are known and only next states that are possible. A pair that was
//! never seen is absent, and nothing is guessed for it.
//!
//! ```
//! use srrd::dynamics::Dynamics;
//!
//! // The hall is state 0, the door state 1; walking out of the hall leads to the door two times in three.
//! let dynamics = Dynamics::new(2, 1, [(0, 0, 0, 1.0 / 3.0), (0, 0, 1, 2.0 / 3.0)])?;
//! let ahead = dynamics.next(0, 0).unwrap();
//! assert_eq!((ahead.states, ahead.probabilities), (&[0, 1][..], &[1.0 / 3.0, 2.0 / 3.0][..]));
//! assert_eq!(dynamics.next(1, 0), None); // nobody acted there
//! # Ok::<(), srrd::dynamics::DynamicsError>(())
//! ```

use thiserror::Error;

/// How far the probabilities of a distribution may be from adding up to 1.
const PROBABILITY_TOLERANCE: f64 = 1e-9;

/// Sparse transition probabilities P(s' | s, a) and, where it is known, the distribution of the states that episodes start in. They can
/// only be built valid. The [module](self) has an example.
///
/// States and actions are numbers from 0. Memory and time of everything here are in proportion to what is known, not to states² · actions,
/// except for what is dense by its nature.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    actions: usize,
    /// By state, where its pairs start, and how many there are at the end.
    pairs: Vec<usize>,
    /// The action of every pair; ascending within a state.
    action: Vec<u32>,
    /// By pair, where its outcomes start, and how many there are at the end.
    outcomes: Vec<usize>,
    /// The next state of every outcome; ascending within a pair.
    next: Vec<u32>,
    probability: Vec<f64>,
    initial: Option<Vec<f64>>,
}

/// Where an action leads from a state: next states, ascending, and their probabilities, all above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcomes<'a> {
    /// s'
    pub states: &'a [u32],
    /// P(s' | s, a)
    pub probabilities: &'a [f64],
}

impl<'a> Outcomes<'a> {
    /// The pairs (s', P(s' | s, a)).
    pub fn iter(self) -> impl ExactSizeIterator<Item = (usize, f64)> + 'a {
        self.states.iter().zip(self.probabilities).map(|(&state, &probability)| (state as usize, probability))
    }

    /// The mean of a value over the next states.
    pub(crate) fn mean(self, value: impl Fn(usize) -> f64) -> f64 {
        self.iter().map(|(state, probability)| probability * value(state)).sum()
    }
}

/// Why dynamics could not be built or used.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DynamicsError {
    /// An array of the wrong length.
    #[error("the {what} has {found} numbers where {expected} are needed")]
    Length {
        /// Which array.
        what: &'static str,
        /// How long it has to be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// Not a distribution.
    #[error("the {what} is not a probability distribution: {why}")]
    Distribution {
        /// Which numbers.
        what: String,
        /// What is wrong with them.
        why: String,
    },
    /// A state or an action that does not exist.
    #[error("there is no {what} {id}: there are {count}, numbered from 0")]
    OutOfRange {
        /// `state`, `action` or `next state`.
        what: &'static str,
        /// Its number.
        id: usize,
        /// How many there are.
        count: usize,
    },
    /// Two probabilities for one transition.
    #[error("there are two probabilities for transition ({state}, {action}, {next_state})")]
    Twice {
        /// s
        state: usize,
        /// a
        action: usize,
        /// s'
        next_state: usize,
    },
    /// More states or actions than 32-bit numbers can tell apart.
    #[error("there are more than {} states or actions", u32::MAX)]
    TooLarge,
    /// A pair that has to be known, and is not.
    #[error("nothing is known of action {action} in state {state}: every action has to be known in every state")]
    Unknown {
        /// s
        state: usize,
        /// a
        action: usize,
    },
    /// Where episodes start has to be known, and is not.
    #[error("it is not known where episodes start: add a distribution with `with_initial`")]
    NoInitial,
}

impl Dynamics {
    /// Dynamics given by (s, a, s', P(s' | s, a)), in any order. Probabilities of 0 may be left out; pairs of which nothing is given are
    /// absent. O(n log n).
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// let slippery = Dynamics::new(3, 2, [(0, 1, 1, 0.8), (0, 1, 0, 0.2), (1, 1, 2, 1.0)])?;
    /// assert_eq!((slippery.pairs(), slippery.outcomes()), (2, 3));
    /// assert_eq!(slippery.actions_of(0), [1]);
    /// assert!(Dynamics::new(3, 2, [(0, 0, 1, 0.5)]).is_err());
    /// # Ok::<(), srrd::dynamics::DynamicsError>(())
    /// ```
    ///
    /// # Errors
    /// When a number is out of range, a transition is given twice, or the probabilities of a pair are not a distribution.
    pub fn new(
        states: usize,
        actions: usize,
        given: impl IntoIterator<Item = (usize, usize, usize, f64)>,
    ) -> Result<Self, DynamicsError> {
        if states.max(actions) > u32::MAX as usize {
            return Err(DynamicsError::TooLarge);
        }
        let mut rows: Vec<(usize, usize, usize, f64)> = given.into_iter().collect();
        for &(s, a, t, _) in &rows {
            for (what, id, count) in [("state", s, states), ("action", a, actions), ("next state", t, states)] {
                if id >= count {
                    return Err(DynamicsError::OutOfRange { what, id, count });
                }
            }
        }
        rows.sort_unstable_by_key(|&(s, a, t, _)| (s, a, t));
        if let Some(twice) =
            rows.windows(2).find(|two| (two[0].0, two[0].1, two[0].2) == (two[1].0, two[1].1, two[1].2))
        {
            let (state, action, next_state, _) = twice[0];
            return Err(DynamicsError::Twice { state, action, next_state });
        }
        for pair in rows.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            check_pair(pair[0].0, pair[0].1, pair.iter().map(|row| row.3))?;
        }
        Ok(Self::from_sorted(states, actions, rows.into_iter()))
    }

    /// Dynamics given by T[s, a, s'], row-major: everything is known.
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// let dynamics = Dynamics::dense(2, 1, &[0.5, 0.5, 0.0, 1.0])?;
    /// assert!(dynamics.is_complete());
    /// assert_eq!(dynamics.next(1, 0).unwrap().states, [1]);
    /// # Ok::<(), srrd::dynamics::DynamicsError>(())
    /// ```
    ///
    /// # Errors
    /// When the length is wrong, there are no actions, or a row T[s, a, ·] is not a distribution.
    pub fn dense(states: usize, actions: usize, transition: &[f64]) -> Result<Self, DynamicsError> {
        let expected = states.checked_mul(actions).and_then(|rows| rows.checked_mul(states)).unwrap_or(usize::MAX);
        if transition.len() != expected {
            let what = "transition model";
            return Err(DynamicsError::Length { what, expected, found: transition.len() });
        }
        if actions == 0 {
            let why = "there are no actions".to_owned();
            return Err(DynamicsError::Distribution { what: "transition model".to_owned(), why });
        }
        for (row, next) in transition.chunks_exact(states.max(1)).enumerate() {
            check_pair(row / actions, row % actions, next.iter().copied())?;
        }
        let rows =
            transition.iter().enumerate().map(|(i, &p)| (i / states / actions, i / states % actions, i % states, p));
        Ok(Self::from_sorted(states, actions, rows))
    }

    /// Of valid rows, ascending. Those of probability 0 are left out.
    fn from_sorted(states: usize, actions: usize, rows: impl Iterator<Item = (usize, usize, usize, f64)>) -> Self {
        let mut dynamics = Dynamics {
            actions,
            pairs: vec![0; states + 1],
            action: Vec::new(),
            outcomes: Vec::new(),
            next: Vec::new(),
            probability: Vec::new(),
            initial: None,
        };
        let mut last = None;
        for (s, a, t, p) in rows.filter(|row| row.3 > 0.0) {
            if last != Some((s, a)) {
                dynamics.outcomes.push(dynamics.next.len());
                dynamics.action.push(a as u32);
                dynamics.pairs[s + 1] += 1;
                last = Some((s, a));
            }
            dynamics.next.push(t as u32);
            dynamics.probability.push(p);
        }
        dynamics.outcomes.push(dynamics.next.len());
        for s in 0..states {
            dynamics.pairs[s + 1] += dynamics.pairs[s];
        }
        dynamics
    }

    /// The same dynamics, with the distribution of the states that episodes start in.
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// let dynamics = Dynamics::new(2, 1, [(0, 0, 1, 1.0)])?.with_initial(vec![1.0, 0.0])?;
    /// assert_eq!(dynamics.initial(), Some(&[1.0, 0.0][..]));
    /// # Ok::<(), srrd::dynamics::DynamicsError>(())
    /// ```
    ///
    /// # Errors
    /// When it is not a distribution over the states.
    pub fn with_initial(self, initial: Vec<f64>) -> Result<Self, DynamicsError> {
        let (what, expected, found) = ("initial distribution", self.states(), initial.len());
        if expected != found {
            return Err(DynamicsError::Length { what, expected, found });
        }
        check_probabilities(initial.iter().copied())
            .map_err(|why| DynamicsError::Distribution { what: what.to_owned(), why })?;
        Ok(Dynamics { initial: Some(initial), ..self })
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.pairs.len() - 1
    }

    /// How many actions there are.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// How many pairs (s, a) are known.
    pub fn pairs(&self) -> usize {
        self.action.len()
    }

    /// How many transitions (s, a, s') are possible.
    pub fn outcomes(&self) -> usize {
        self.next.len()
    }

    /// The distribution of the states that episodes start in, where it is known.
    pub fn initial(&self) -> Option<&[f64]> {
        self.initial.as_deref()
    }

    /// The actions that are known in a state, ascending.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn actions_of(&self, state: u32) -> &[u32] {
        &self.action[self.pairs[state as usize]..self.pairs[state as usize + 1]]
    }

    /// Where an action leads from a state; `None` where that is not known. O(log actions).
    ///
    /// # Panics
    /// If there is no such state.
    pub fn next(&self, state: u32, action: u32) -> Option<Outcomes<'_>> {
        let known = self.actions_of(state);
        // In most dynamics every action is known in every state.
        let at = match known.get(action as usize) {
            Some(&here) if here == action => action as usize,
            _ => known.binary_search(&action).ok()?,
        };
        Some(self.of_pair(self.pairs[state as usize] + at))
    }

    /// The numbers of the known pairs of a state, in the order of [`iter`](Self::iter).
    ///
    /// # Panics
    /// If there is no such state.
    pub fn pairs_of(&self, state: usize) -> std::ops::Range<usize> {
        self.pairs[state]..self.pairs[state + 1]
    }

    /// Where the pair of this number leads.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn of_pair(&self, pair: usize) -> Outcomes<'_> {
        let here = self.outcomes[pair]..self.outcomes[pair + 1];
        Outcomes { states: &self.next[here.clone()], probabilities: &self.probability[here] }
    }

    /// The numbers of the outcomes of a pair, in the order of pairs and next states: for whoever keeps something for every outcome.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn outcomes_of(&self, pair: usize) -> std::ops::Range<usize> {
        self.outcomes[pair]..self.outcomes[pair + 1]
    }

    /// All known pairs (s, a) with where they lead, ascending.
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// let dynamics = Dynamics::new(3, 2, [(2, 0, 1, 1.0), (0, 1, 1, 1.0)])?;
    /// let known: Vec<(u32, u32)> = dynamics.iter().map(|(s, a, _)| (s, a)).collect();
    /// assert_eq!(known, [(0, 1), (2, 0)]);
    /// # Ok::<(), srrd::dynamics::DynamicsError>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Outcomes<'_>)> {
        (0..self.states()).flat_map(move |s| {
            (self.pairs[s]..self.pairs[s + 1]).map(move |pair| (s as u32, self.action[pair], self.of_pair(pair)))
        })
    }

    /// Whether every action is known in every state.
    pub fn is_complete(&self) -> bool {
        self.action.len() == self.states() * self.actions
    }

    /// T[s, a, s'], row-major; all 0 where a pair is absent. O(states² · actions).
    ///
    /// ```
    /// use srrd::dynamics::Dynamics;
    /// let dynamics = Dynamics::new(2, 1, [(1, 0, 0, 1.0)])?;
    /// assert_eq!(dynamics.to_dense(), [0.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), srrd::dynamics::DynamicsError>(())
    /// ```
    pub fn to_dense(&self) -> Vec<f64> {
        let (n, m) = (self.states(), self.actions);
        let mut transition = vec![0.0; n * m * n];
        for (s, a, ahead) in self.iter() {
            let row = (s as usize * m + a as usize) * n;
            ahead.iter().for_each(|(t, p)| transition[row + t] = p);
        }
        transition
    }

    /// The first pair of which nothing is known is an error.
    pub(crate) fn check_complete(&self) -> Result<(), DynamicsError> {
        for s in (0..self.states()).filter(|_| !self.is_complete()) {
            let known = self.actions_of(s as u32);
            if let Some(action) = (0..self.actions).find(|&a| known.get(a) != Some(&(a as u32))) {
                return Err(DynamicsError::Unknown { state: s, action });
            }
        }
        Ok(())
    }

    /// The same with probabilities that add up to 1 to the last bits, so that solving stays well-posed.
    pub(crate) fn normalized(mut self) -> Self {
        for pair in 0..self.pairs() {
            normalize(&mut self.probability[self.outcomes[pair]..self.outcomes[pair + 1]]);
        }
        if let Some(initial) = &mut self.initial {
            normalize(initial);
        }
        self
    }

    /// Where one step leads when the action is drawn from a distribution: row s is Σ_a D_A(a) P(· | s, a). Dense.
    pub(crate) fn step(&self, action_distribution: &[f64]) -> Vec<f64> {
        let n = self.states();
        let mut step = vec![0.0; n * n];
        for (s, a, ahead) in self.iter() {
            let weight = action_distribution[a as usize];
            ahead.iter().for_each(|(t, p)| step[s as usize * n + t] += weight * p);
        }
        step
    }

    /// Where one step leads when every state has one action: row s is P(· | s, policy(s)). Dense; zeros where that is not known.
    pub(crate) fn step_of(&self, policy: &[usize]) -> Vec<f64> {
        let n = self.states();
        let mut step = vec![0.0; n * n];
        for (s, &a) in policy.iter().enumerate() {
            for (t, p) in self.next(s as u32, a as u32).into_iter().flat_map(Outcomes::iter) {
                step[s * n + t] = p;
            }
        }
        step
    }
}

/// Makes a distribution add up to 1 to the last bits.
pub(crate) fn normalize(distribution: &mut [f64]) {
    let total: f64 = distribution.iter().sum();
    distribution.iter_mut().for_each(|p| *p /= total);
}

fn check_pair(state: usize, action: usize, next: impl Iterator<Item = f64> + Clone) -> Result<(), DynamicsError> {
    check_probabilities(next).map_err(|why| DynamicsError::Distribution {
        what: format!("transition model of state {state} and action {action}"),
        why,
    })
}

/// Whether some numbers are a distribution; if not, why.
pub(crate) fn check_probabilities(numbers: impl Iterator<Item = f64> + Clone) -> Result<(), String> {
    let total: f64 = numbers.clone().sum();
    if numbers.clone().next().is_none() {
        Err("it is empty".to_owned())
    } else if let Some(bad) = numbers.into_iter().find(|p| !(0.0..=1.0 + PROBABILITY_TOLERANCE).contains(p)) {
        Err(format!("it holds {bad}"))
    } else if (total - 1.0).abs() > PROBABILITY_TOLERANCE {
        Err(format!("it adds up to {total}"))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_the_same_in_any_order_and_dense() {
        let rows = [(0, 0, 0, 0.25), (0, 0, 1, 0.75), (0, 1, 1, 1.0), (1, 0, 0, 1.0), (1, 1, 0, 0.5), (1, 1, 1, 0.5)];
        let given = Dynamics::new(2, 2, rows).unwrap().with_initial(vec![0.5, 0.5]).unwrap();
        let backwards = Dynamics::new(2, 2, rows.into_iter().rev()).unwrap().with_initial(vec![0.5, 0.5]).unwrap();
        assert_eq!(given, backwards);
        for (_, _, ahead) in given.iter() {
            assert!(ahead.states.is_sorted() && (ahead.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let dense = Dynamics::dense(2, 2, &given.to_dense()).unwrap();
        assert_eq!(dense.with_initial(given.initial().unwrap().to_vec()).unwrap(), given);
        let some = Dynamics::new(2, 2, rows[1..3].iter().map(|&(s, a, t, _)| (s, a, t, 1.0))).unwrap();
        assert!(!some.is_complete() && Dynamics::dense(2, 2, &some.to_dense()).is_err());
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
