//! Demonstrations: sets of episodes whose rewards are to be found.

use srrd::sample::Vocabulary;
use srrd::trajectories::{End, Trajectories};
use srrd::{Duplicates, NamedSample};

use crate::problem::Problem;

/// The episodes of one agent, and the distinct transitions in them.
///
/// States and actions are numbered as in [`sample`](Self::sample), whose features are in the order of their names.
#[derive(Clone, Debug)]
pub struct Set {
    trajectories: Trajectories,
    sample: NamedSample,
    /// By step, its transition.
    transition: Vec<u32>,
    rows: Vec<Row>,
    /// By state or action, its number among those of all sets.
    shared_states: Vec<u32>,
    shared_actions: Vec<u32>,
}

/// One distinct transition of a set: one row of what is learned. Numbers are those of the set's [`sample`](Set::sample).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// s
    pub state: u32,
    /// a
    pub action: u32,
    /// s'
    pub next_state: u32,
    /// How many steps took it.
    pub count: f64,
    /// Which share of them ended its episode: nothing of value follows.
    pub ended: f64,
}

impl Set {
    fn new(trajectories: Trajectories) -> Result<Self, Problem> {
        let name = trajectories.name().to_owned();
        if trajectories.step_count() == 0 {
            return Err(Problem::NoSteps { set: name });
        }
        let (sample, placement) = trajectories
            .to_transitions(Duplicates::Mean)
            .map_err(|error| Problem::Trajectories { set: name, error: Box::new(error) })?;
        let ids = sample.sample.ids();
        let row = |(state, action, next_state)| Row { state, action, next_state, count: 0.0, ended: 0.0 };
        let mut rows: Vec<Row> = ids.map(row).collect();
        for (step, &transition) in trajectories.steps().zip(&placement.transition) {
            let row = &mut rows[transition as usize];
            row.count += 1.0;
            row.ended += f64::from(u8::from(step.is_terminated()));
        }
        rows.iter_mut().for_each(|row| row.ended /= row.count);
        let (shared_states, shared_actions) = (Vec::new(), Vec::new());
        Ok(Set { trajectories, sample, transition: placement.transition, rows, shared_states, shared_actions })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.trajectories.name()
    }

    /// The class of its agent.
    pub fn label(&self) -> Option<&str> {
        self.trajectories.label()
    }

    /// The episodes, as they were given. Their numbers of states and actions are their own.
    pub fn trajectories(&self) -> &Trajectories {
        &self.trajectories
    }

    /// The distinct transitions, with the rewards that were recorded, 0 where none were.
    pub fn sample(&self) -> &NamedSample {
        &self.sample
    }

    /// The distinct transitions with how often they were taken, in the order of [`sample`](Self::sample).
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// By episode, the rows that its steps took, in their order.
    pub fn episodes(&self) -> impl ExactSizeIterator<Item = (&[u32], End)> {
        let mut from = 0;
        self.trajectories.episodes().map(move |episode| {
            let steps = &self.transition[from..from + episode.len()];
            from += episode.len();
            (steps, episode.end())
        })
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.transition.len()
    }

    /// By state of this set, its number among [`Demonstrations::states`].
    pub(crate) fn shared_states(&self) -> &[u32] {
        &self.shared_states
    }

    /// By action of this set, its number among [`Demonstrations::actions`].
    pub(crate) fn shared_actions(&self) -> &[u32] {
        &self.shared_actions
    }
}

/// Sets of episodes with one list of states and one of actions.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::Demonstrations;
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["home", "street", "park"], &["walk", "walk"], None, End::Terminated)?;
/// let shown = Demonstrations::new([builder.build().named("agent", None)])?;
/// assert_eq!((shown.sets().len(), shown.states().len()), (1, 3));
/// assert_eq!(shown.sets()[0].rows()[0].count, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Demonstrations {
    sets: Vec<Set>,
    states: Vocabulary,
    actions: Vocabulary,
}

impl Demonstrations {
    /// The sets, in their order. O(steps · log steps).
    ///
    /// # Errors
    /// When there are none, one has no steps, or their states or actions are of different kinds.
    pub fn new(sets: impl IntoIterator<Item = Trajectories>) -> Result<Self, Problem> {
        use rayon::prelude::*;
        let given: Vec<Trajectories> = sets.into_iter().collect();
        let found = given.into_par_iter().map(|set| {
            srrd::run::checkpoint();
            Set::new(set)
        });
        // The first problem, whatever thread finds one first.
        let mut sets = found.collect::<Vec<_>>().into_iter().collect::<Result<Vec<Set>, Problem>>()?;
        let Some(first) = sets.first() else { return Err(Problem::NoSets) };
        let kinds = |set: &Set| (set.sample.state_features.clone(), set.sample.action_features.clone());
        let expected = kinds(first);
        if let Some(other) = sets.iter().find(|set| kinds(set) != expected) {
            return Err(Problem::OtherFeatures { sets: [first.name().to_owned(), other.name().to_owned()] });
        }
        let states = Vocabulary::union(sets.iter().map(|set| set.sample.sample.states())).ok_or(Problem::TooLarge)?;
        let actions = Vocabulary::union(sets.iter().map(|set| set.sample.sample.actions())).ok_or(Problem::TooLarge)?;
        sets.par_iter_mut().for_each(|set| {
            set.shared_states = set.sample.sample.states().ids_in(&states);
            set.shared_actions = set.sample.sample.actions().ids_in(&actions);
        });
        Ok(Demonstrations { sets, states, actions })
    }

    /// The sets, in the order in which they were given.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The states of all sets, sorted.
    pub fn states(&self) -> &Vocabulary {
        &self.states
    }

    /// The actions of all sets, sorted.
    pub fn actions(&self) -> &Vocabulary {
        &self.actions
    }
}
