//! A grid world with an agent that acts by soft values: where the true reward is known.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::trajectories::{End, Trajectories};

pub const GAMMA: f64 = 0.9;

/// A grid whose moves fail with some probability: then another direction is taken, each alike.
pub struct Grid {
    pub side: usize,
    pub slip: f64,
}

impl Grid {
    pub fn states(&self) -> usize {
        self.side * self.side
    }

    fn moved(&self, state: usize, action: usize) -> usize {
        let (x, y) = (state % self.side, state / self.side);
        let most = self.side - 1;
        let (x, y) =
            [(x, y.saturating_sub(1)), ((x + 1).min(most), y), (x, (y + 1).min(most)), (x.saturating_sub(1), y)]
                [action];
        y * self.side + x
    }

    pub fn outcomes(&self, state: usize, action: usize) -> Vec<(usize, f64)> {
        let mut chances = vec![0.0; self.states()];
        for other in 0..4 {
            let chance = if other == action { 1.0 - self.slip } else { self.slip / 3.0 };
            chances[self.moved(state, other)] += chance;
        }
        chances.into_iter().enumerate().filter(|(_, p)| *p > 0.0).collect()
    }

    /// V and π of a reward of states, by plain soft value iteration.
    pub fn soft(&self, reward: &[f64]) -> (Vec<f64>, Vec<[f64; 4]>) {
        let mut values = vec![0.0; self.states()];
        let mut policy = vec![[0.0; 4]; self.states()];
        for _ in 0..400 {
            let before = values.clone();
            for s in 0..self.states() {
                let q: [f64; 4] = std::array::from_fn(|a| {
                    reward[s] + GAMMA * self.outcomes(s, a).iter().map(|&(t, p)| p * before[t]).sum::<f64>()
                });
                values[s] = q.iter().map(|q| q.exp()).sum::<f64>().ln();
                policy[s] = q.map(|q| (q - values[s]).exp());
            }
        }
        (values, policy)
    }

    /// Walks of an agent with this policy.
    pub fn walks(&self, policy: &[[f64; 4]], count: usize, steps: usize, seed: u64) -> Trajectories {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |chances: &mut dyn Iterator<Item = (usize, f64)>| {
            let mut left: f64 = random.random();
            let mut last = 0;
            for (at, chance) in chances {
                last = at;
                left -= chance;
                if left < 0.0 {
                    break;
                }
            }
            last
        };
        let mut builder = Trajectories::builder();
        let n = self.states();
        for _ in 0..count {
            let mut state = pick(&mut (0..n).map(|s| (s, 1.0 / n as f64)));
            let (mut states, mut actions) = (vec![state as u32], Vec::new());
            for _ in 0..steps {
                let action = pick(&mut policy[state].iter().copied().enumerate());
                state = pick(&mut self.outcomes(state, action).into_iter());
                actions.push(action as u32);
                states.push(state as u32);
            }
            builder.push_episode(&states, &actions, None, End::Truncated).unwrap();
        }
        builder.build()
    }
}

/// A reward for every state, between −1 and 1.
pub fn truth(states: usize, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..states).map(|_| 2.0 * random.random::<f64>() - 1.0).collect()
}
