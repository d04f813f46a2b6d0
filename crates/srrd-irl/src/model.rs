//! Where actions lead, and where episodes end.

use std::borrow::Cow;

use srrd::RewardSample;
use srrd::dynamics::Dynamics;
use srrd::sample::Vocabulary;

use crate::demonstrations::{Demonstrations, Row, Set};
use crate::problem::Problem;

/// Where the probabilities of next states come from.
#[derive(Clone, Debug, Default)]
pub enum ModelChoice {
    /// Counted from each set by itself.
    #[default]
    Set,
    /// Counted from all sets together.
    Pooled,
    /// Given: a sample whose rewards are probabilities.
    Given(Box<RewardSample>),
}

/// P(s' | s, a) with the share of every outcome that ends an episode. Pairs (s, a) that were never seen are absent: nobody can choose
/// them, and nothing is guessed.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    states: Cow<'a, Vocabulary>,
    actions: Cow<'a, Vocabulary>,
    dynamics: Dynamics,
    ended: Vec<f64>,
}

/// (s, a, s'), how often, and how often it ended its episode.
type Seen = (u32, u32, u32, f64, f64);

impl<'a> Model<'a> {
    /// Counted from one set. States and actions have the numbers of its sample.
    pub fn of_set(set: &'a Set) -> Self {
        let seen = |row: &Row| (row.state, row.action, row.next_state, row.count, row.count * row.ended);
        let sample = &set.sample().sample;
        Self::counted(
            Cow::Borrowed(sample.states()),
            Cow::Borrowed(sample.actions()),
            set.rows().iter().map(seen).collect(),
        )
    }

    /// Counted from all sets. States and actions have the numbers of the demonstrations.
    pub fn pooled(shown: &'a Demonstrations) -> Self {
        let of_set = |set: &'a Set| {
            let (states, actions) = (set.shared_states(), set.shared_actions());
            set.rows().iter().map(|row| {
                let [state, next] = [row.state, row.next_state].map(|id| states[id as usize]);
                (state, actions[row.action as usize], next, row.count, row.count * row.ended)
            })
        };
        let seen = shown.sets().iter().flat_map(of_set).collect();
        Self::counted(Cow::Borrowed(shown.states()), Cow::Borrowed(shown.actions()), seen)
    }

    /// Given: the rewards of `model` are probabilities. Where it does not say which transitions end an episode, the demonstrations do:
    /// by the share of their steps, and where they never took a transition, by whether its state only ever ended episodes.
    ///
    /// # Errors
    /// When the probabilities of a pair are not a distribution.
    pub fn given(model: &'a RewardSample, shown: &'a Demonstrations) -> Result<Self, Problem> {
        let (states, actions) = (model.states(), model.actions());
        let rows = model.ids().zip(model.rewards()).map(|((s, a, t), &p)| (s as usize, a as usize, t as usize, p));
        check(model)?;
        let dynamics = Dynamics::new(states.len(), actions.len(), rows).map_err(Problem::Dynamics)?;
        let mut ended = vec![0.0; dynamics.outcomes()];
        let mut found =
            Model { states: Cow::Borrowed(states), actions: Cow::Borrowed(actions), dynamics, ended: Vec::new() };
        if model.ends().are_known() {
            for (transition, (s, a, t)) in model.ids().enumerate() {
                if let (Some(true), Some((_, outcome))) = (model.ends().at(transition), found.find(s, a, t)) {
                    ended[outcome] = 1.0;
                }
            }
        } else {
            let pooled = Model::pooled(shown);
            let ids = (pooled.states.ids_in(states), pooled.actions.ids_in(actions));
            // By state: how often episodes ended there, and how often somebody came there.
            let mut arrived = vec![[0.0; 2]; states.len()];
            for (pair, (s, a, ahead)) in pooled.dynamics.iter().enumerate() {
                for ((t, p), share) in ahead.iter().zip(&pooled.ended[pooled.dynamics.outcomes_of(pair)]) {
                    let [s, a, t] = [ids.0[s as usize], ids.1[a as usize], ids.0[t]];
                    if let Some(arrived) = arrived.get_mut(t as usize) {
                        *arrived = [arrived[0] + share * p, arrived[1] + p];
                    }
                    if [s, a, t].iter().all(|&id| id != u32::MAX)
                        && let Some((_, outcome)) = found.find(s, a, t)
                    {
                        ended[outcome] = *share;
                    }
                }
            }
            let only_ends = |t: usize| arrived[t][1] > 0.0 && arrived[t][0] == arrived[t][1];
            for pair in 0..found.dynamics.pairs() {
                for (outcome, (t, _)) in found.dynamics.outcomes_of(pair).zip(found.dynamics.of_pair(pair).iter()) {
                    if only_ends(t) {
                        ended[outcome] = 1.0;
                    }
                }
            }
        }
        found.ended = ended;
        Ok(found)
    }

    fn counted(states: Cow<'a, Vocabulary>, actions: Cow<'a, Vocabulary>, mut seen: Vec<Seen>) -> Self {
        seen.sort_unstable_by_key(|row| (row.0, row.1, row.2));
        let (mut given, mut ended) = (Vec::with_capacity(seen.len()), Vec::with_capacity(seen.len()));
        for pair in seen.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let total: f64 = pair.iter().map(|row| row.3).sum();
            for same in pair.chunk_by(|one, other| one.2 == other.2) {
                let [count, over] = same.iter().fold([0.0, 0.0], |sum, row| [sum[0] + row.3, sum[1] + row.4]);
                let [s, a, t] = [same[0].0, same[0].1, same[0].2].map(|id| id as usize);
                given.push((s, a, t, count / total));
                ended.push(over / count);
            }
        }
        let dynamics = Dynamics::new(states.len(), actions.len(), given).expect("shares of counts are distributions");
        Model { states, actions, dynamics, ended }
    }

    /// The states, sorted: their numbers are those of the dynamics.
    pub fn states(&self) -> &Vocabulary {
        &self.states
    }

    /// The actions, sorted: their numbers are those of the dynamics.
    pub fn actions(&self) -> &Vocabulary {
        &self.actions
    }

    /// P(s' | s, a)
    pub fn dynamics(&self) -> &Dynamics {
        &self.dynamics
    }

    /// By outcome, in the order of [`Dynamics::outcomes_of`], the share that ends its episode: a value after it counts 1 − this.
    pub fn ended(&self) -> &[f64] {
        &self.ended
    }

    /// The numbers of the pair (s, a) and of its outcome s'; `None` where that is not possible.
    pub fn find(&self, state: u32, action: u32, next_state: u32) -> Option<(usize, usize)> {
        let pairs = self.dynamics.pairs_of(state as usize);
        let pair = pairs.start + self.dynamics.actions_of(state).binary_search(&action).ok()?;
        let place = self.dynamics.of_pair(pair).states.binary_search(&next_state).ok()?;
        Some((pair, self.dynamics.outcomes_of(pair).start + place))
    }
}

/// That the rewards of every pair are a distribution, so that what is wrong is said by names.
fn check(model: &RewardSample) -> Result<(), Problem> {
    let mut rows: Vec<((u32, u32), f64)> =
        model.ids().zip(model.rewards()).map(|((s, a, _), &p)| ((s, a), p)).collect();
    // Samples are in the order of s and s'.
    rows.sort_by_key(|row| row.0);
    for pair in rows.chunk_by(|one, other| one.0 == other.0) {
        let sum: f64 = pair.iter().map(|row| row.1).sum();
        let why = match pair.iter().find(|row| !(0.0..=1.0).contains(&row.1)) {
            Some((_, p)) => format!("hold {p}, which is none: a probability lies between 0 and 1"),
            // As exact as the dynamics are.
            None if (sum - 1.0).abs() > 1e-9 => {
                format!("add up to {sum}, not to 1 (a row that occurs twice counts once)")
            }
            None => continue,
        };
        let (s, a) = pair[0].0;
        let [state, action] = [model.states().token(s).to_string(), model.actions().token(a).to_string()];
        return Err(Problem::Distribution { state, action, why });
    }
    Ok(())
}
