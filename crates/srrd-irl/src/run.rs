//! Learning from all sets, each by itself.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use srrd::run::Steps;
use srrd::trajectories::End;

use crate::demonstrations::{Demonstrations, Set};
use crate::learned::{Caution, Learned};
use crate::model::{Model, ModelChoice};
use crate::problem::Problem;

/// A method with its settings.
pub trait Learner: Sync {
    /// The reward of one set.
    ///
    /// # Errors
    /// When the demonstrations do not determine one, or learning diverges.
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem>;
}

/// What a method gets: a set, where actions lead, and the other sets.
#[derive(Debug)]
pub struct Task<'a> {
    /// All sets.
    pub demonstrations: &'a Demonstrations,
    /// Which of them is to be explained.
    pub index: usize,
    /// Where actions lead.
    pub model: &'a Model<'a>,
    /// By state of the set, its number in the model.
    state: Cow<'a, [u32]>,
    /// By row of the set, its pair and outcome in the model.
    place: Vec<(u32, u32)>,
}

impl<'a> Task<'a> {
    /// Finds the rows of a set in a model.
    ///
    /// # Errors
    /// When the model does not know one of them.
    pub fn new(demonstrations: &'a Demonstrations, index: usize, model: &'a Model<'a>) -> Result<Self, Problem> {
        let set = &demonstrations.sets()[index];
        let sample = &set.sample().sample;
        let (state, action) = (sample.states().ids_in(model.states()), sample.actions().ids_in(model.actions()));
        let known = |row: &crate::Row| {
            let [s, a, t] = [state[row.state as usize], action[row.action as usize], state[row.next_state as usize]];
            let found = [s, a, t].iter().all(|&id| id != u32::MAX).then(|| model.find(s, a, t)).flatten();
            found.map(|(pair, outcome)| (pair as u32, outcome as u32)).ok_or_else(|| Problem::NotInModel {
                set: set.name().to_owned(),
                state: sample.states().token(row.state).to_string(),
                action: sample.actions().token(row.action).to_string(),
                next_state: sample.states().token(row.next_state).to_string(),
            })
        };
        let place = set.rows().iter().map(known).collect::<Result<_, _>>()?;
        Ok(Task { demonstrations, index, model, state: state.into(), place })
    }

    /// The set that is to be explained.
    pub fn set(&self) -> &'a Set {
        &self.demonstrations.sets()[self.index]
    }

    /// The number of a state of the set in the model.
    pub fn state_in_model(&self, state: u32) -> u32 {
        self.state[state as usize]
    }

    /// By row of the set, the number of its pair (s, a) and of its outcome in the [`Dynamics`](srrd::Dynamics) of the model.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.place.iter().map(|&(pair, outcome)| (pair as usize, outcome as usize))
    }

    /// By row of the set, whether its reward is that of a step that ended its episode.
    ///
    /// A transition may end some episodes and not others. Values count the share of ends, but a row of rewards has one mark: it ends only if
    /// all steps of the set that took it did. Its reward is that of a step so marked; a mixture of both would be the reward of neither, and
    /// shaping would not leave it.
    pub fn ends(&self) -> impl ExactSizeIterator<Item = bool> {
        let marks = self.set().sample().sample.ends();
        self.place.iter().enumerate().map(|(row, &(_, outcome))| {
            let share = self.model.ended()[outcome as usize];
            share == 1.0 || (share > 0.0 && marks.at(row) == Some(true))
        })
    }

    /// By pair (s, a) of the model, how many steps of the set took it.
    pub fn pair_counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.model.dynamics().pairs()];
        for (row, (pair, _)) in self.set().rows().iter().zip(self.places()) {
            counts[pair] += row.count;
        }
        counts
    }

    /// What every method has to say about the set.
    pub fn cautions(&self) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let dynamics = self.model.dynamics();
        let mut acted = vec![false; dynamics.states()];
        self.set().rows().iter().for_each(|row| acted[self.state_in_model(row.state) as usize] = true);
        let of = acted.iter().filter(|acted| **acted).count();
        let states = (0..acted.len()).filter(|&s| acted[s] && dynamics.pairs_of(s).len() == 1).count();
        if states > 0 {
            cautions.push(Caution::SingleAction { states, of });
        }
        let unknown = |episode: &srrd::trajectories::Episode<'_>| episode.end() == End::Unknown;
        let episodes = self.set().trajectories().episodes().filter(unknown).count();
        if episodes > 0 {
            cautions.push(Caution::EndsUnknown { episodes });
        }
        cautions
    }

    /// Random numbers for this set, the same whatever other sets there are. Different purposes never share a stream.
    pub fn random(&self, seed: u64, purpose: u16) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        // FNV-1a of the name, which is what tells sets apart.
        let hash =
            self.set().name().bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        random.set_stream(u64::from(purpose) << 48 | hash >> 16);
        random
    }
}

/// How far learning is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many sets are done.
    pub sets: usize,
    /// How many there are.
    pub of: usize,
}

/// Learns the rewards of all sets, in parallel; `progress` is told after every one of them, from any thread.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, ModelChoice, learn_all, maxent};
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["home", "street", "park"], &["walk", "walk"], None, End::Terminated)?;
/// builder.push_episode(&["home", "home", "street"], &["wait", "walk"], None, End::Truncated)?;
/// let shown = Demonstrations::new([builder.build().named("agent", None)])?;
/// let learned = learn_all(&shown, &ModelChoice::Set, &maxent::MaxEnt::default(), &|_| ())?;
/// assert_eq!(learned.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The problem of the first set that has one.
pub fn learn_all(
    demonstrations: &Demonstrations,
    model: &ModelChoice,
    learner: &dyn Learner,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Vec<Learned>, Problem> {
    learn_kept(demonstrations, model, learner, progress, &|_| true, &|_| None, &|_, _| ())
}

/// As [`learn_all`], of the sets that are `wanted`; some may be `known` already by their numbers, and `keep` is shown every other one as
/// soon as it is done, from any thread.
///
/// ```
/// use std::sync::Mutex;
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::{Demonstrations, Learned, ModelChoice, learn_kept, maxent};
/// let mut builder = Trajectories::builder();
/// builder.push_episode(&["home", "street", "park"], &["walk", "walk"], None, End::Terminated)?;
/// builder.push_episode(&["home", "home", "street"], &["wait", "walk"], None, End::Truncated)?;
/// let shown = Demonstrations::new([builder.build().named("agent", None)])?;
/// let kept = Mutex::new(Vec::new());
/// let keep = |set: usize, learned: &Learned| kept.lock().unwrap().push((set, learned.clone()));
/// let settings = maxent::MaxEnt::default();
/// let first = learn_kept(&shown, &ModelChoice::Set, &settings, &|_| (), &|_| true, &|_| None, &keep)?;
/// // What was learned before is not learned again.
/// let known = |_| Some(first[0].clone());
/// learn_kept(&shown, &ModelChoice::Set, &settings, &|_| (), &|_| true, &known, &keep)?;
/// assert_eq!(kept.lock().unwrap().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The problem of the first set that has one.
pub fn learn_kept(
    demonstrations: &Demonstrations,
    model: &ModelChoice,
    learner: &dyn Learner,
    progress: &(dyn Fn(Progress) + Sync),
    wanted: &dyn Fn(&Set) -> bool,
    known: &(dyn Fn(usize) -> Option<Learned> + Sync),
    keep: &(dyn Fn(usize, &Learned) + Sync),
) -> Result<Vec<Learned>, Problem> {
    let shared = match model {
        ModelChoice::Set => None,
        ModelChoice::Pooled => Some(Model::pooled(demonstrations)),
        ModelChoice::Given(model) => Some(Model::given(model, demonstrations)?),
    };
    let chosen: Vec<usize> =
        (0..).zip(demonstrations.sets()).filter(|(_, set)| wanted(set)).map(|(at, _)| at).collect();
    let (done, of) = (AtomicUsize::new(0), chosen.len());
    // Of one set, its iterations are counted.
    let steps = (of > 1).then(|| Steps::begin("sets", of as u64));
    let learn = |index: usize| {
        srrd::run::checkpoint();
        let learned = match (known(index), &shared) {
            (Some(known), _) => Ok(known),
            (None, shared) => {
                let learned = match shared {
                    Some(model) => Task::new(demonstrations, index, model).and_then(|task| learner.learn(&task)),
                    None => {
                        let model = Model::of_set(&demonstrations.sets()[index]);
                        Task::new(demonstrations, index, &model).and_then(|task| learner.learn(&task))
                    }
                };
                learned.inspect(|learned| keep(index, learned))
            }
        };
        if let Some(steps) = &steps {
            steps.add(1);
        }
        progress(Progress { sets: done.fetch_add(1, Ordering::Relaxed) + 1, of });
        learned
    };
    // All are collected before the first problem is looked for: which one it is must not depend on threads.
    chosen.into_par_iter().with_max_len(1).map(learn).collect::<Vec<_>>().into_iter().collect()
}
