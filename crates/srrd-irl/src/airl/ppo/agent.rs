//! The generator: a policy and values, both nets.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{AirlPpo, Steps};
use crate::net::{Adam, Bend, Mlp, Pass, clip};

/// Gradients are scaled down to this norm.
const MOST_SLOPE: f64 = 0.5;

/// A net with what it needs to be trained.
#[derive(Clone, Debug)]
pub(super) struct Trainee {
    pub net: Mlp<f32>,
    adam: Adam<f32>,
    pass: Pass<f32>,
    gradient: Vec<f32>,
}

impl Trainee {
    pub fn new(inputs: usize, outputs: usize, settings: &AirlPpo, random: &mut ChaCha8Rng) -> Self {
        let net = Mlp::new(inputs, &settings.hidden, outputs, Bend::Relu, random);
        let size = net.parameters().len();
        Trainee { net, adam: Adam::new(size, settings.rate), pass: Pass::default(), gradient: vec![0.0; size] }
    }

    pub fn forward(&mut self, inputs: &[f32]) -> &[f32] {
        self.net.forward(inputs, &mut self.pass)
    }

    /// One step down the loss whose slope along the last outputs is given.
    pub fn step(&mut self, slope: &[f32]) {
        self.net.backward(&mut self.pass, slope, &mut self.gradient);
        clip(&mut self.gradient, MOST_SLOPE);
        self.adam.step(self.net.parameters_mut(), &self.gradient);
    }

    /// Whether all parameters are still numbers.
    pub fn is_finite(&self) -> bool {
        self.net.parameters().iter().all(|x| x.is_finite())
    }
}

/// Turns rows of logits into logarithms of probabilities, of the allowed actions.
fn log_softmax(logits: &mut [f32], allowed: &[bool], actions: usize) {
    for (row, allowed) in logits.chunks_exact_mut(actions).zip(allowed.chunks_exact(actions)) {
        row.iter_mut().zip(allowed).filter(|(_, allowed)| !**allowed).for_each(|(logit, _)| *logit = f32::NEG_INFINITY);
        let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let total = most + row.iter().map(|logit| (logit - most).exp()).sum::<f32>().ln();
        row.iter_mut().for_each(|logit| *logit -= total);
    }
}

#[derive(Clone, Debug)]
pub(super) struct Agent {
    pub policy: Trainee,
    pub values: Trainee,
    actions: usize,
}

/// What a batch taught: steps with the probabilities that they had, and what came of them.
pub(super) struct Lesson<'a> {
    pub steps: &'a Steps,
    pub log_probability: &'a [f32],
    pub advantage: Vec<f32>,
    pub goal: Vec<f32>,
    /// The minibatches, one after the other.
    pub order: Vec<Vec<u32>>,
}

impl Agent {
    pub fn new(inputs: usize, actions: usize, settings: &AirlPpo, random: &mut ChaCha8Rng) -> Self {
        let policy = Trainee::new(inputs, actions, settings, random);
        Agent { policy, values: Trainee::new(inputs, 1, settings, random), actions }
    }

    /// log π of all actions, row by row.
    pub fn log_policy(&mut self, seen: &[f32], allowed: &[bool]) -> Vec<f32> {
        let mut logits = self.policy.forward(seen).to_vec();
        log_softmax(&mut logits, allowed, self.actions);
        logits
    }

    /// log π of what was done.
    pub fn log_probability(&mut self, steps: &Steps) -> Vec<f32> {
        let all = self.log_policy(&steps.before, &steps.allowed);
        steps.action.iter().enumerate().map(|(row, &action)| all[row * self.actions + action as usize]).collect()
    }

    /// An action for every row, and its log π.
    pub fn act(&mut self, seen: &[f32], allowed: &[bool], random: &mut ChaCha8Rng) -> Vec<(u32, f32)> {
        let all = self.log_policy(seen, allowed);
        let draw = |row: &[f32]| {
            let mut left: f32 = random.random();
            // Rounding may leave a little: the last possible action takes it.
            let mut chosen = row.iter().rposition(|log| *log > f32::NEG_INFINITY).unwrap_or(0);
            for (action, log) in row.iter().enumerate() {
                left -= log.exp();
                if left < 0.0 {
                    chosen = action;
                    break;
                }
            }
            (chosen as u32, row[chosen])
        };
        all.chunks_exact(self.actions).map(draw).collect()
    }

    /// Trains policy and values side by side.
    pub fn learn(&mut self, lesson: &Lesson<'_>, settings: &AirlPpo) {
        let Agent { policy, values, actions } = self;
        rayon::join(|| improve(policy, *actions, lesson, settings), || appraise(values, lesson));
    }
}

/// The rows of a minibatch side by side.
fn gathered<T: Copy>(rows: &[u32], from: &[T], width: usize) -> Vec<T> {
    rows.iter().flat_map(|&row| &from[row as usize * width..(row as usize + 1) * width]).copied().collect()
}

/// The policy: −min(ρ A, clip(ρ) A), whose slope along log π is −ρ A, or 0 where the ratio is beyond what counts.
fn improve(policy: &mut Trainee, actions: usize, lesson: &Lesson<'_>, settings: &AirlPpo) {
    let (steps, clip) = (lesson.steps, settings.clip as f32);
    let inputs = policy.net.inputs();
    for rows in &lesson.order {
        srrd::run::checkpoint();
        let allowed = gathered(rows, &steps.allowed, actions);
        let mut log = policy.forward(&gathered(rows, &steps.before, inputs)).to_vec();
        log_softmax(&mut log, &allowed, actions);
        for (row, log) in rows.iter().zip(log.chunks_exact_mut(actions)) {
            let (row, advantage) = (*row as usize, lesson.advantage[*row as usize]);
            let action = steps.action[row] as usize;
            let ratio = (log[action] - lesson.log_probability[row]).exp();
            let beyond = if advantage > 0.0 { ratio > 1.0 + clip } else { ratio < 1.0 - clip };
            let slope = if beyond { 0.0 } else { -ratio * advantage / rows.len() as f32 };
            // ∂ log π(a) / ∂ logit(b) = [a = b] − π(b)
            log.iter_mut().for_each(|log| *log = -slope * log.exp());
            log[action] += slope;
        }
        policy.step(&log);
    }
}

/// Values: the mean square of what they are off by.
fn appraise(values: &mut Trainee, lesson: &Lesson<'_>) {
    let inputs = values.net.inputs();
    for rows in &lesson.order {
        srrd::run::checkpoint();
        let found = values.forward(&gathered(rows, &lesson.steps.before, inputs));
        let off = |(value, row): (&f32, &u32)| (value - lesson.goal[*row as usize]) / rows.len() as f32;
        let slope: Vec<f32> = found.iter().zip(rows).map(off).collect();
        values.step(&slope);
    }
}
