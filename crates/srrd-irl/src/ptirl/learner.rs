//! PTIRL on demonstrations: every set in turn is the target.

use rand::RngExt;

use super::{Objective, Ptirl, PtirlProblem, Sets, solve};
use crate::demonstrations::{Demonstrations, Set};
use crate::learned::{Caution, Learned};
use crate::problem::Problem;
use crate::run::{Learner, Task};

/// Of draws of others' walks, among the purposes of random numbers.
const OTHERS: u16 = 2;

impl Learner for Ptirl {
    fn learn(&self, task: &Task<'_>) -> Result<Learned, Problem> {
        let set = task.set();
        let problem = |problem| Problem::Ptirl { set: set.name().to_owned(), problem };
        self.check().map_err(problem)?;
        let (sets, own) = gather(self, task)?;
        let solution = solve(&sets, self).map_err(problem)?;
        let rewards = own.iter().map(|&at| solution.rewards[at]).collect();
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(rewards).expect("rewards lie within the caps");
        let mut learned = Learned::new(sample);
        learned.iterations = solution.steps;
        if self.objective == Objective::Spread {
            learned.cautions.push(Caution::ManyRewards { spread: solution.spread });
        }
        Ok(learned)
    }
}

/// Who a set is compared as: its label, or else its name.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::Demonstrations;
/// use srrd_irl::ptirl::class;
/// let mut walks = Trajectories::builder();
/// walks.push_episode(&["home", "park"], &["walk"], None, End::Truncated)?;
/// let walks = walks.build();
/// let shown = Demonstrations::new([walks.clone().named("1", Some("ann")), walks.named("2", None)])?;
/// assert_eq!(shown.sets().iter().map(class).collect::<Vec<_>>(), ["ann", "2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn class(set: &Set) -> &str {
    set.label().unwrap_or(set.name())
}

/// That there are sets of this class to be targets.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::Demonstrations;
/// use srrd_irl::ptirl::check_target;
/// let mut walks = Trajectories::builder();
/// walks.push_episode(&["home", "park"], &["walk"], None, End::Truncated)?;
/// let shown = Demonstrations::new([walks.build().named("1", Some("ann"))])?;
/// assert!(check_target(&shown, "ann").is_ok() && check_target(&shown, "bob").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are none; the problem names those that there are.
pub fn check_target(shown: &Demonstrations, target: &str) -> Result<(), Problem> {
    if shown.sets().iter().any(|set| class(set) == target) {
        return Ok(());
    }
    let mut known: Vec<String> = shown.sets().iter().map(|set| class(set).to_owned()).collect();
    known.sort_unstable();
    known.dedup();
    Err(Problem::Ptirl {
        set: String::new(),
        problem: PtirlProblem::UnknownTarget { target: target.to_owned(), known },
    })
}

/// The walks of the target and of others, and for every row of the target's set its transition.
fn gather(settings: &Ptirl, task: &Task<'_>) -> Result<(Sets, Vec<usize>), Problem> {
    let target: Vec<Vec<[u32; 3]>> = walks(task.set()).collect();
    let other = others(settings, task);
    let mut taken: Vec<[u32; 3]> = target.iter().chain(&other).flatten().copied().collect();
    taken.sort_unstable();
    taken.dedup();
    let place = |transition: &[u32; 3]| taken.binary_search(transition).expect("all of them were collected");
    let number = |walks: &[Vec<[u32; 3]>]| -> Vec<Vec<u32>> {
        walks.iter().map(|walk| walk.iter().map(|transition| place(transition) as u32).collect()).collect()
    };
    let probability = probabilities(task, &taken)?;
    let own = task.set().rows().iter().map(|row| place(&shared(task.set(), row))).collect();
    Ok((Sets { probability, target: number(&target), other: number(&other) }, own))
}

/// A row by the numbers that all sets share.
fn shared(set: &Set, row: &crate::Row) -> [u32; 3] {
    let state = |id: u32| set.shared_states()[id as usize];
    [state(row.state), set.shared_actions()[row.action as usize], state(row.next_state)]
}

fn walks(set: &Set) -> impl Iterator<Item = Vec<[u32; 3]>> {
    set.episodes().map(|(steps, _)| steps.iter().map(|&at| shared(set, &set.rows()[at as usize])).collect())
}

/// Walks of sets of other classes: all, or as many as were asked for, drawn without replacement.
fn others(settings: &Ptirl, task: &Task<'_>) -> Vec<Vec<[u32; 3]>> {
    let (sets, class_of_target) = (task.demonstrations.sets(), class(task.set()));
    let of_others = |set: &&Set| class(set) != class_of_target;
    let mut places: Vec<(usize, usize)> = (sets.iter().enumerate())
        .filter(|(_, set)| of_others(set))
        .flat_map(|(index, set)| (0..set.trajectories().len()).map(move |walk| (index, walk)))
        .collect();
    if let Some(count) = settings.others.filter(|&count| count < places.len()) {
        let (mut random, all) = (task.random(settings.seed, OTHERS), places.len() as u64);
        for at in 0..count {
            places.swap(at, random.random_range(at as u64..all) as usize);
        }
        places.truncate(count);
    }
    let walk = |&(index, walk): &(usize, usize)| {
        let set: &Set = &sets[index];
        let (steps, _) = set.episodes().nth(walk).expect("walks were counted");
        steps.iter().map(|&at| shared(set, &set.rows()[at as usize])).collect()
    };
    places.iter().map(walk).collect()
}

/// P(s' | s, a) of transitions.
fn probabilities(task: &Task<'_>, taken: &[[u32; 3]]) -> Result<Vec<f64>, Problem> {
    let (shown, model): (&Demonstrations, _) = (task.demonstrations, task.model);
    let (states, actions) = (shown.states().ids_in(model.states()), shown.actions().ids_in(model.actions()));
    let probability = |&[s, a, t]: &[u32; 3]| {
        let ids = [states[s as usize], actions[a as usize], states[t as usize]];
        let known = ids.iter().all(|&id| id != u32::MAX).then(|| model.find(ids[0], ids[1], ids[2])).flatten();
        let Some((pair, outcome)) = known else {
            return Err(Problem::NotInModel {
                set: task.set().name().to_owned(),
                state: shown.states().token(s).to_string(),
                action: shown.actions().token(a).to_string(),
                next_state: shown.states().token(t).to_string(),
            });
        };
        let dynamics = model.dynamics();
        Ok(dynamics.of_pair(pair).probabilities[outcome - dynamics.outcomes_of(pair).start])
    };
    taken.iter().map(probability).collect()
}
