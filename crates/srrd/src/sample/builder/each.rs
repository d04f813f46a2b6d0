//! Several samples of the same rows, each with rewards of its own.

use std::sync::Arc;

use super::{Duplicates, Placement, SampleBuilder, SampleError, check_reward};
use crate::run::parallel;
use crate::sample::RewardSample;
use crate::sample::assemble::{Rows, assemble};

/// A sample, and which of its transitions have a reward of their own; `None`: all.
pub type Scored = (RewardSample, Option<Vec<bool>>);

/// What is wrong, and with which list of rewards; that of the pushed ones is 0.
pub type OfList = (usize, SampleError);

/// A sample of the rows that have its reward.
#[derive(Clone, Debug)]
pub struct Apart {
    /// The sample.
    pub sample: RewardSample,
    /// Which rows these are, and which transition each became; `None`: all rows.
    pub own: Option<OwnRows>,
}

/// Some of the rows that samples were built from.
#[derive(Clone, Debug)]
pub struct OwnRows {
    /// Their numbers among all rows, in order.
    pub rows: Vec<u32>,
    /// Which transition each of them became.
    pub placement: Placement,
}

impl SampleBuilder {
    /// Builds several samples of the same rows: with the rewards that were pushed, and with each of these lists of rewards, one per
    /// row. Tokens are sorted once for all, and so are the rows unless some of them repeat others.
    ///
    /// # Errors
    /// As [`build`](Self::build), or a list of another length, or rewards that are refused; with the number of the list, that of the
    /// pushed rewards being 0.
    pub fn build_each(
        self,
        others: Vec<Vec<f64>>,
        duplicates: Duplicates,
    ) -> Result<(Vec<RewardSample>, Placement), OfList> {
        let (first, mut samples, placement) = self.build_lists(others, duplicates, |lists, rewards| {
            lists.check(&rewards, false)?;
            lists.whole(rewards)
        })?;
        samples.insert(0, first);
        Ok((samples, placement))
    }

    /// As [`build_each`](Self::build_each), of lists in which NaN says that a row has no such reward: a transition is made of those of its
    /// rows that have one. A transition without any has the reward 0 and is marked.
    ///
    /// # Errors
    /// As [`build_each`](Self::build_each).
    pub fn build_scored(
        self,
        others: Vec<Vec<f64>>,
        duplicates: Duplicates,
    ) -> Result<(Vec<Scored>, Placement), OfList> {
        let (first, mut samples, placement) = self.build_lists(others, duplicates, |lists, rewards| {
            lists.check(&rewards, true)?;
            match lacks_some(&rewards) {
                true => lists.of_some(&rewards),
                false => Ok((lists.whole(rewards)?, None)),
            }
        })?;
        samples.insert(0, (first, None));
        Ok((samples, placement))
    }

    /// As [`build_scored`](Self::build_scored), but each list becomes a sample of the rows that have such a reward and of no others, the same as
    /// if these rows alone had been pushed; `None` where no row has one. What was pushed only says where rows lead, which the samples of lists with
    /// all rewards share; its rewards count for nothing.
    ///
    /// ```
    /// use srrd::{Duplicates, SampleBuilder};
    /// let mut builder = SampleBuilder::new();
    /// for next in ["b", "c"] {
    ///     builder.push("a".into(), "go".into(), next.into(), 0.0)?;
    /// }
    /// let lists = vec![vec![1.0, 2.0], vec![f64::NAN, 5.0], vec![f64::NAN; 2]];
    /// let (built, _) = builder.build_apart(lists, Duplicates::Mean).map_err(|(_, error)| error)?;
    /// let lengths: Vec<_> = built.iter().map(|apart| apart.as_ref().map(|apart| apart.sample.len())).collect();
    /// assert_eq!(lengths, [Some(2), Some(1), None]);
    /// assert_eq!(built[1].as_ref().unwrap().sample.states().len(), 2);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// As [`build_each`](Self::build_each), with the number of the list among these.
    pub fn build_apart(
        self,
        lists: Vec<Vec<f64>>,
        duplicates: Duplicates,
    ) -> Result<(Vec<Option<Apart>>, Placement), OfList> {
        let built = self.build_lists(lists, duplicates, |lists, rewards| {
            lists.check(&rewards, true)?;
            match lacks_some(&rewards) {
                true => lists.apart(&rewards),
                false => Ok(Some(Apart { sample: lists.whole(rewards)?, own: None })),
            }
        });
        let (_, samples, placement) = built.map_err(|(list, error)| (list.saturating_sub(1), error))?;
        Ok((samples, placement))
    }

    /// The sample of what was pushed, and what `build` makes of the other lists.
    fn build_lists<T>(
        self,
        others: Vec<Vec<f64>>,
        duplicates: Duplicates,
        build: impl Fn(&Lists<'_>, Vec<f64>) -> Result<T, SampleError>,
    ) -> Result<(RewardSample, Vec<T>, Placement), OfList> {
        let SampleBuilder { states, actions, mut source, mut action, mut target, reward } = self;
        let count = reward.len();
        let (states, actions) = parallel::join(
            count,
            || {
                let (states, renumbered) = states.sort(&[&source, &target]);
                renumbered.apply(&mut source);
                renumbered.apply(&mut target);
                states
            },
            || {
                let (actions, renumbered) = actions.sort(&[&action]);
                renumbered.apply(&mut action);
                actions
            },
        );
        let (states, actions) = (Arc::new(states), Arc::new(actions));
        let rows = Rows { source: source.into(), action: action.into(), target: target.into(), reward: reward.into() };
        let (first, placement) = assemble(states, actions, rows, duplicates).map_err(|error| (0, error))?;
        // Only where rows repeat others, they have to be merged anew; until then, nothing is held of them.
        let repeated = !others.is_empty() && first.duplicates().repeated > 0;
        let lists = Lists {
            columns: repeated.then(|| Columns::of(&first, &placement)),
            first: &first,
            placement: &placement,
            duplicates,
        };
        let mut samples = Vec::with_capacity(others.len());
        for (number, rewards) in (1..).zip(others) {
            samples.push(build(&lists, rewards).map_err(|error| (number, error))?);
        }
        drop(lists);
        Ok((first, samples, placement))
    }
}

fn lacks_some(rewards: &[f64]) -> bool {
    rewards.iter().any(|reward| reward.is_nan())
}

/// The rows that have a reward.
fn there(rewards: &[f64]) -> Vec<usize> {
    (0..rewards.len()).filter(|&row| !rewards[row].is_nan()).collect()
}

/// What lists of rewards are put into.
struct Lists<'a> {
    /// Where rows repeat others.
    columns: Option<Columns>,
    first: &'a RewardSample,
    placement: &'a Placement,
    duplicates: Duplicates,
}

impl Lists<'_> {
    fn check(&self, rewards: &[f64], may_lack: bool) -> Result<(), SampleError> {
        let expected = self.placement.transition.len();
        if rewards.len() != expected {
            return Err(SampleError::WrongLength { expected, found: rewards.len() });
        }
        let checked = |(row, &reward): (usize, &f64)| {
            if may_lack && reward.is_nan() { Ok(()) } else { check_reward(reward, row) }
        };
        (0..).zip(rewards).try_for_each(checked)
    }

    /// The sample with a reward for every row.
    fn whole(&self, rewards: Vec<f64>) -> Result<RewardSample, SampleError> {
        let first = self.first;
        if let Some(columns) = &self.columns {
            let (sample, _) = self.merged(columns.rows(rewards))?;
            // Which transitions there are, rewards do not say.
            let (graph, action) = (Arc::clone(&first.graph), Arc::clone(&first.action));
            return Ok(RewardSample { graph, action, ..sample });
        }
        let mut sorted = vec![0.0; rewards.len()];
        for (&transition, reward) in self.placement.transition.iter().zip(&rewards) {
            // Zero has two signs; as a reward it has one value.
            sorted[transition as usize] = reward + 0.0;
        }
        first.with_rewards(sorted)
    }

    /// The sample with a reward for some rows.
    fn of_some(&self, rewards: &[f64]) -> Result<Scored, SampleError> {
        let there = there(rewards);
        let of_row = |row: usize| self.placement.transition[row] as usize;
        let mut scored = vec![false; self.first.len()];
        let mut sorted = vec![0.0; self.first.len()];
        there.iter().for_each(|&row| scored[of_row(row)] = true);
        match self.columns.as_ref().filter(|_| !there.is_empty()) {
            None => there.iter().for_each(|&row| sorted[of_row(row)] = rewards[row] + 0.0),
            Some(columns) => {
                let merged = self.merged(columns.some_rows(&there, rewards));
                let (sample, placement) = merged.map_err(|error| as_given(error, &there))?;
                for (&row, &transition) in there.iter().zip(&placement.transition) {
                    sorted[of_row(row)] = sample.rewards()[transition as usize];
                }
            }
        }
        let sample = self.first.with_rewards(sorted)?;
        Ok((RewardSample { duplicates: self.first.duplicates, ..sample }, Some(scored)))
    }

    /// The sample of the rows that have a reward, with the states and actions that these have.
    fn apart(&self, rewards: &[f64]) -> Result<Option<Apart>, SampleError> {
        let there = there(rewards);
        if there.is_empty() {
            return Ok(None);
        }
        let made;
        let columns = match &self.columns {
            Some(columns) => columns,
            None => {
                made = Columns::of(self.first, self.placement);
                &made
            }
        };
        let Rows { mut source, mut action, mut target, reward } = columns.some_rows(&there, rewards);
        let (states, state_ranks) = self.first.states.only(&[&source, &target]);
        let (actions, action_ranks) = self.first.actions.only(&[&action]);
        for (ids, ranks) in [(&mut source, &state_ranks), (&mut target, &state_ranks), (&mut action, &action_ranks)] {
            ids.to_mut().iter_mut().for_each(|id| *id = ranks[*id as usize]);
        }
        let rows = Rows { source, action, target, reward };
        let (sample, placement) = assemble(Arc::new(states), Arc::new(actions), rows, self.duplicates)
            .map_err(|error| as_given(error, &there))?;
        let rows = there.into_iter().map(|row| row as u32).collect();
        Ok(Some(Apart { sample, own: Some(OwnRows { rows, placement }) }))
    }

    fn merged(&self, rows: Rows<'_>) -> Result<(RewardSample, Placement), SampleError> {
        let (states, actions) = (Arc::clone(&self.first.states), Arc::clone(&self.first.actions));
        assemble(states, actions, rows, self.duplicates)
    }
}

/// An error about some of the rows, which are counted as they were given.
fn as_given(error: SampleError, rows: &[usize]) -> SampleError {
    match error {
        SampleError::Conflict { first_row, second_row, state, action, next_state, first, second } => {
            let [first_row, second_row] = [first_row, second_row].map(|row| rows[row]);
            SampleError::Conflict { first_row, second_row, state, action, next_state, first, second }
        }
        other => other,
    }
}

/// The rows that became a sample, by the ranks of their tokens.
struct Columns {
    source: Vec<u32>,
    action: Vec<u32>,
    target: Vec<u32>,
}

impl Columns {
    fn of(sample: &RewardSample, placement: &Placement) -> Self {
        let ids: Vec<(u32, u32, u32)> = sample.ids().collect();
        let by_row = |part: fn(&(u32, u32, u32)) -> u32| {
            parallel::map(placement.transition.len(), |row| part(&ids[placement.transition[row] as usize]))
        };
        Columns { source: by_row(|ids| ids.0), action: by_row(|ids| ids.1), target: by_row(|ids| ids.2) }
    }

    fn rows(&self, reward: Vec<f64>) -> Rows<'_> {
        let [source, action, target] = [&self.source, &self.action, &self.target].map(|ids| ids.as_slice().into());
        Rows { source, action, target, reward: reward.into() }
    }

    fn some_rows(&self, there: &[usize], reward: &[f64]) -> Rows<'static> {
        let of = |ids: &[u32]| there.iter().map(|&row| ids[row]).collect::<Vec<u32>>().into();
        let reward = there.iter().map(|&row| reward[row]).collect::<Vec<f64>>().into();
        Rows { source: of(&self.source), action: of(&self.action), target: of(&self.target), reward }
    }
}
