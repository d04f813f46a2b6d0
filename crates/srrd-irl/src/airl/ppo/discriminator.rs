//! The discriminator: nets g and h.

use rand_chacha::ChaCha8Rng;

use super::agent::Trainee;
use super::{AirlPpo, Steps};
use crate::maxent::RewardOf;

#[derive(Clone, Debug)]
pub(super) struct Discriminator {
    g: Trainee,
    h: Trainee,
    of: RewardOf,
    actions: usize,
    gamma: f32,
}

/// What steps are worth: g and f of each.
pub(super) struct Worth {
    pub g: Vec<f32>,
    pub f: Vec<f32>,
}

/// How well steps were told apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub loss: f64,
    pub right: f64,
}

impl Discriminator {
    pub fn new(inputs: usize, actions: usize, settings: &AirlPpo, random: &mut ChaCha8Rng) -> Self {
        let wide = inputs + if settings.reward == RewardOf::StateAction { actions } else { 0 };
        Discriminator {
            g: Trainee::new(wide, 1, settings, random),
            h: Trainee::new(inputs, 1, settings, random),
            of: settings.reward,
            actions,
            gamma: settings.gamma.get() as f32,
        }
    }

    /// What g sees.
    fn inputs(&self, steps: &Steps) -> Vec<f32> {
        let inputs = self.h.net.inputs();
        match self.of {
            RewardOf::State => steps.before.clone(),
            RewardOf::NextState => steps.after.clone(),
            RewardOf::StateAction => {
                let mut rows = vec![0.0; steps.len() * (inputs + self.actions)];
                let both = rows.chunks_exact_mut(inputs + self.actions).zip(steps.before.chunks_exact(inputs));
                for ((row, seen), &action) in both.zip(&steps.action) {
                    row[..inputs].copy_from_slice(seen);
                    row[inputs + action as usize] = 1.0;
                }
                rows
            }
        }
    }

    /// g and f of every step.
    pub fn worth(&mut self, steps: &Steps) -> Worth {
        let inputs = self.inputs(steps);
        let both: Vec<f32> = steps.before.iter().chain(&steps.after).copied().collect();
        let Discriminator { g, h, gamma, .. } = self;
        let (g, h) = rayon::join(|| g.forward(&inputs).to_vec(), || h.forward(&both));
        let (now, then) = h.split_at(g.len());
        let after = |row: usize| if steps.terminated[row] { 0.0 } else { *gamma * then[row] };
        Worth { f: (0..g.len()).map(|row| g[row] + after(row) - now[row]).collect(), g }
    }

    /// One step on steps of which the first half were demonstrated; their log π is given.
    pub fn learn(&mut self, steps: &Steps, log_probability: &[f32]) -> Told {
        let f = self.worth(steps).f;
        let (rows, shown) = (f.len(), f.len() / 2);
        let mut told = Told::default();
        let mut slope = Vec::with_capacity(rows);
        for (row, (f, log)) in f.iter().zip(log_probability).enumerate() {
            let (logit, real) = (f - log, if row < shown { 1.0 } else { 0.0 });
            let share = 1.0 / (1.0 + (-logit).exp());
            slope.push((share - real) / rows as f32);
            let wrong = f64::from(if row < shown { -logit } else { logit });
            // log(1 + exp x), whatever the size of x.
            told.loss += (wrong.max(0.0) + (-wrong.abs()).exp().ln_1p()) / rows as f64;
            told.right += f64::from(u8::from((logit > 0.0) == (row < shown))) / rows as f64;
        }
        let after = |(row, slope): (usize, &f32)| if steps.terminated[row] { 0.0 } else { self.gamma * slope };
        let of_h: Vec<f32> = slope.iter().map(|slope| -slope).chain(slope.iter().enumerate().map(after)).collect();
        let Discriminator { g, h, .. } = self;
        rayon::join(|| g.step(&slope), || h.step(&of_h));
        told
    }

    pub fn is_finite(&self) -> bool {
        self.g.is_finite() && self.h.is_finite()
    }
}
