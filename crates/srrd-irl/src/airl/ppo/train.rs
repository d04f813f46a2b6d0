//! Rounds of acting and learning.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::agent::{Agent, Lesson};
use super::discriminator::{Discriminator, Told};
use super::{AirlPpo, Environment, Stepped, Steps};
use crate::problem::Problem;

/// What was learned: g and h, and the policy that acts by them.
#[derive(Clone, Debug)]
pub struct Trained {
    agent: Agent,
    discriminator: Discriminator,
}

/// One round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Its number, from 1.
    pub round: usize,
    /// The loss of the discriminator per pair of a demonstrated and a generated step; 2 log 2 where it cannot tell them apart.
    pub loss: f64,
    /// The share of steps that it told right.
    pub accuracy: f64,
    /// The sum of g over the steps of the policy, per episode that it began.
    pub returns: f64,
}

impl Trained {
    /// What steps are worth: g, or f where `shaped`.
    pub fn rewards(&mut self, steps: &Steps, shaped: bool) -> Vec<f64> {
        let worth = self.discriminator.worth(steps);
        (if shaped { worth.f } else { worth.g }).into_iter().map(f64::from).collect()
    }

    /// π(a | s) of all actions, row by row.
    pub fn policy(&mut self, seen: &[f32], allowed: &[bool]) -> Vec<f64> {
        self.agent.log_policy(seen, allowed).into_iter().map(|log| f64::from(log).exp()).collect()
    }
}

/// A batch of steps, with where episodes were cut.
pub(super) struct Batch {
    pub steps: Steps,
    pub log_probability: Vec<f32>,
    /// By step, whether an episode stopped after it.
    pub stopped: Vec<bool>,
    /// How many steps of one environment lie side by side.
    pub each: usize,
    pub episodes: usize,
}

/// Learns a reward from demonstrated steps, acting in environments of one kind. `watch` sees every round with what was learned so far, and
/// may end it by `true`.
///
/// ```
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::airl::ppo::{AirlPpo, ModelWorld, train};
/// use srrd_irl::{Demonstrations, Model, Task};
/// let mut builder = Trajectories::builder();
/// for door in ["left", "left", "right", "left"] {
///     builder.push_episode(&["hall", door, "street"], &[door, "leave"], None, End::Terminated)?;
/// }
/// let shown = Demonstrations::new([builder.build()])?;
/// let model = Model::of_set(&shown.sets()[0]);
/// let task = Task::new(&shown, 0, &model)?;
/// let small = AirlPpo { hidden: vec![16], steps: 512, batch: 128, minibatch: 64, ..AirlPpo::default() };
/// let mut worlds = vec![ModelWorld::new(&task); small.environments];
/// let mut rounds = 0;
/// train(&mut worlds, &ModelWorld::demonstrated(&task), &small, "visitor", &mut |_, _| { rounds += 1; false })?;
/// assert_eq!(rounds, 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a setting cannot be used, there are no demonstrated steps or environments, an environment fails, or learning diverges.
pub fn train<E: Environment>(
    environments: &mut [E],
    demonstrated: &Steps,
    settings: &AirlPpo,
    set: &str,
    watch: &mut dyn FnMut(Round, &mut Trained) -> bool,
) -> Result<Trained, Problem> {
    settings.check()?;
    let Some(first) = environments.first() else {
        return Err(Problem::value("environments", "it must be at least 1"));
    };
    if demonstrated.is_empty() {
        return Err(Problem::NoSteps { set: set.to_owned() });
    }
    let (inputs, actions) = (first.inputs(), first.actions());
    let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
    let mut trained = Trained {
        agent: Agent::new(inputs, actions, settings, &mut random),
        discriminator: Discriminator::new(inputs, actions, settings, &mut random),
    };
    environments.iter_mut().try_for_each(|environment| environment.reset(&mut random))?;
    let rounds = settings.steps.div_ceil(settings.batch);
    for round in 1..=rounds {
        srrd::run::checkpoint();
        let batch = act(environments, &mut trained.agent, settings, &mut random)?;
        let worth = trained.discriminator.worth(&batch.steps);
        let returns = worth.g.iter().map(|g| f64::from(*g)).sum::<f64>() / batch.episodes as f64;
        let rewards: Vec<f32> = worth.f.iter().zip(&batch.log_probability).map(|(f, log)| f - log).collect();
        let lesson = teach(&batch, &rewards, &mut trained.agent, settings, &mut random);
        trained.agent.learn(&lesson, settings);
        let told = discriminate(&mut trained, demonstrated, &batch.steps, settings, &mut random);
        let numbers = [returns, told.loss].iter().all(|number| number.is_finite());
        let agent = &trained.agent;
        if !numbers || !agent.policy.is_finite() || !agent.values.is_finite() || !trained.discriminator.is_finite() {
            return Err(Problem::Diverged { set: set.to_owned(), iteration: round });
        }
        let round = Round { round, loss: 2.0 * told.loss, accuracy: told.right, returns };
        if watch(round, &mut trained) {
            break;
        }
    }
    Ok(trained)
}

/// Acts in all environments, step by step; the steps of one environment then lie side by side.
pub(super) fn act<E: Environment>(
    environments: &mut [E],
    agent: &mut Agent,
    settings: &AirlPpo,
    random: &mut ChaCha8Rng,
) -> Result<Batch, Problem> {
    let each = settings.batch.div_ceil(environments.len());
    let (inputs, actions) = (environments[0].inputs(), environments[0].actions());
    let mut lists = vec![Steps::default(); environments.len()];
    let (mut logs, mut stops) = (vec![Vec::new(); lists.len()], vec![Vec::new(); lists.len()]);
    let (mut seen, mut allowed) = (vec![0.0; lists.len() * inputs], vec![true; lists.len() * actions]);
    let mut episodes = environments.len();
    for _ in 0..each {
        srrd::run::checkpoint();
        for (at, environment) in environments.iter().enumerate() {
            environment.observe(&mut seen[at * inputs..(at + 1) * inputs]);
            (0..actions).for_each(|action| allowed[at * actions + action] = environment.allows(action));
        }
        let chosen = agent.act(&seen, &allowed, random);
        for (at, (environment, (action, log))) in environments.iter_mut().zip(chosen).enumerate() {
            let stepped = environment.step(action as usize, random)?;
            let steps = &mut lists[at];
            steps.before.extend_from_slice(&seen[at * inputs..(at + 1) * inputs]);
            steps.allowed.extend_from_slice(&allowed[at * actions..(at + 1) * actions]);
            steps.after.resize(steps.before.len(), 0.0);
            let from = steps.after.len() - inputs;
            environment.observe(&mut steps.after[from..]);
            steps.action.push(action);
            steps.terminated.push(stepped == Stepped::Terminated);
            logs[at].push(log);
            stops[at].push(stepped != Stepped::On);
            if stepped != Stepped::On {
                environment.reset(random)?;
                episodes += 1;
            }
        }
    }
    let mut steps = Steps::default();
    for list in lists {
        steps.before.extend(list.before);
        steps.after.extend(list.after);
        steps.allowed.extend(list.allowed);
        steps.action.extend(list.action);
        steps.terminated.extend(list.terminated);
    }
    Ok(Batch { steps, log_probability: logs.concat(), stopped: stops.concat(), each, episodes })
}

/// Advantages, what values should be, and the minibatches of all epochs.
pub(super) fn teach<'a>(
    batch: &'a Batch,
    rewards: &[f32],
    agent: &mut Agent,
    settings: &AirlPpo,
    random: &mut ChaCha8Rng,
) -> Lesson<'a> {
    let (gamma, lambda) = (settings.gamma.get() as f32, settings.lambda as f32);
    let now = agent.values.forward(&batch.steps.before).to_vec();
    let then = agent.values.forward(&batch.steps.after);
    let count = batch.steps.len();
    let mut advantage = vec![0.0f32; count];
    let mut carried = 0.0;
    for at in (0..count).rev() {
        // Nothing is carried over from the next episode, nor from another environment.
        if batch.stopped[at] || at % batch.each == batch.each - 1 {
            carried = 0.0;
        }
        let after = if batch.steps.terminated[at] { 0.0 } else { then[at] };
        carried = rewards[at] + gamma * after - now[at] + gamma * lambda * carried;
        advantage[at] = carried;
    }
    let goal = advantage.iter().zip(&now).map(|(advantage, value)| advantage + value).collect();
    let mean = advantage.iter().sum::<f32>() / count as f32;
    let square = advantage.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>() / count as f32;
    advantage.iter_mut().for_each(|a| *a = (*a - mean) / (square.sqrt() + 1e-8));
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut minibatches = Vec::new();
    for _ in 0..settings.epochs {
        for at in (1..count).rev() {
            order.swap(at, random.random_range(0..=at as u32) as usize);
        }
        minibatches.extend(order.chunks(settings.minibatch).map(<[u32]>::to_vec));
    }
    Lesson { steps: &batch.steps, log_probability: &batch.log_probability, advantage, goal, order: minibatches }
}

/// The steps of the discriminator: as many demonstrated steps as generated ones in each.
fn discriminate(
    trained: &mut Trained,
    demonstrated: &Steps,
    generated: &Steps,
    settings: &AirlPpo,
    random: &mut ChaCha8Rng,
) -> Told {
    let mut told = Told::default();
    for _ in 0..settings.discriminator_steps {
        let mut steps = Steps::default();
        for list in [demonstrated, generated] {
            for _ in 0..settings.minibatch {
                steps.push_from(list, random.random_range(0..list.len() as u64) as usize);
            }
        }
        let log_probability = trained.agent.log_probability(&steps);
        let one = trained.discriminator.learn(&steps, &log_probability);
        told.loss += one.loss / settings.discriminator_steps as f64;
        told.right += one.right / settings.discriminator_steps as f64;
    }
    told
}
