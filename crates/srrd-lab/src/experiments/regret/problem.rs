//! Random decision problems, and what can be known of a reward in them.
//!
//! 32 states and 4 actions. An action leads to one random state, or by chance to up to three. Problems that end have two exits among the
//! 32 states, each entered by four pairs of state and action; whatever is done, a step costs something there.

use crate::error::LabError;
use crate::experiments::shared::correlated::normal;
use crate::row::Choice;
use rand::RngExt;
use srrd::returns::Walks;
use srrd::trajectories::{End, Trajectories};
use srrd::{Duplicates, Dynamics, RewardSample, SampleBuilder};
use srrd_worlds::Stream;

/// States, exits included.
pub const STATES: usize = 32;
pub const ACTIONS: usize = 4;
/// Where episodes can end.
const EXITS: usize = 2;
/// Pairs of state and action that lead to each exit.
const DOORS: usize = 4;
/// The most steps of an episode.
const HORIZON: usize = 32;
/// Chances of up to three next states, in eighths.
const CHANCES: [[u32; 3]; 4] = [[6, 1, 1], [5, 2, 1], [4, 3, 1], [3, 3, 2]];
const EIGHTHS: u32 = 8;
/// What a step costs, drawn once per reward.
const COSTS: std::ops::Range<f64> = 0.2..1.0;
/// The standard deviation of rewards of single transitions beside these costs …
const SPREAD: f64 = 0.3;
/// … and of what an exit is worth.
const WORTH: f64 = 3.0;

/// Whether chance has a part in where an action leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    Deterministic,
    Stochastic,
}

impl Choice for Moves {
    const ALL: &'static [Self] = &[Moves::Deterministic, Moves::Stochastic];
    const NAMES: &'static [&'static str] = &["deterministic", "stochastic"];
}

impl Moves {
    /// At the beginning of a sentence.
    pub fn title(self) -> &'static str {
        match self {
            Moves::Deterministic => "Deterministic",
            Moves::Stochastic => "Stochastic",
        }
    }
}

/// Whether episodes end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Episodes {
    GoOn,
    End,
}

impl Choice for Episodes {
    const ALL: &'static [Self] = &[Episodes::GoOn, Episodes::End];
    const NAMES: &'static [&'static str] = &["continuing", "ending"];
}

/// A transition that can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Possible {
    pub state: u32,
    pub action: u32,
    pub next: u32,
    /// How likely it is, in eighths.
    pub eighths: u32,
    pub ends: bool,
}

/// A decision problem.
pub struct Problem {
    pub episodes: Episodes,
    /// In the order of (state, action, next state).
    pub possible: Vec<Possible>,
    /// Of the states that are no exits, with all of them as equally likely starts.
    pub dynamics: Dynamics,
}

/// A reward of every possible transition, in their order.
pub type Reward = Vec<f64>;

impl Problem {
    /// Draws a problem.
    pub fn draw(moves: Moves, episodes: Episodes, rng: &mut Stream) -> Result<Self, LabError> {
        let acting = match episodes {
            Episodes::GoOn => STATES,
            Episodes::End => STATES - EXITS,
        };
        let mut doors: Vec<Option<usize>> = vec![None; acting * ACTIONS];
        if episodes == Episodes::End {
            for exit in (acting..STATES).flat_map(|exit| [exit; DOORS]) {
                let free: Vec<usize> = (0..doors.len()).filter(|&pair| doors[pair].is_none()).collect();
                doors[free[rng.random_range(0..free.len())]] = Some(exit);
            }
        }
        let mut possible: Vec<Possible> = Vec::new();
        for (pair, door) in doors.iter().enumerate() {
            let weights: &[u32] = match moves {
                Moves::Deterministic => &[EIGHTHS],
                Moves::Stochastic => &CHANCES[rng.random_range(0..CHANCES.len())],
            };
            // The likeliest next state of a door is the exit.
            let next = |place: usize, rng: &mut Stream| match door {
                Some(exit) if place == 0 => *exit,
                _ => rng.random_range(0..acting),
            };
            let mut ahead: Vec<(usize, u32)> = Vec::new();
            for (place, &eighths) in weights.iter().enumerate() {
                let next = next(place, rng);
                match ahead.iter_mut().find(|(known, _)| *known == next) {
                    Some((_, sum)) => *sum += eighths,
                    None => ahead.push((next, eighths)),
                }
            }
            ahead.sort_unstable();
            possible.extend(ahead.into_iter().map(|(next, eighths)| Possible {
                state: (pair / ACTIONS) as u32,
                action: (pair % ACTIONS) as u32,
                next: next as u32,
                eighths,
                ends: next >= acting,
            }));
        }
        let known = possible.iter().map(|p| {
            let chance = f64::from(p.eighths) / f64::from(EIGHTHS);
            (p.state as usize, p.action as usize, p.next as usize, chance)
        });
        let starts = (0..STATES).map(|s| if s < acting { 1.0 / acting as f64 } else { 0.0 }).collect();
        let dynamics = Dynamics::new(STATES, ACTIONS, known).and_then(|d| d.with_initial(starts));
        Ok(Problem { episodes, dynamics: dynamics.map_err(LabError::failed)?, possible })
    }

    /// Draws a reward: standard normal per transition where episodes go on; a step cost, exits of different worth and small differences
    /// between transitions where they end.
    pub fn reward(&self, rng: &mut Stream) -> Reward {
        match self.episodes {
            Episodes::GoOn => self.possible.iter().map(|_| normal(rng)).collect(),
            Episodes::End => {
                let cost = rng.random_range(COSTS);
                let worth: Vec<f64> = (0..EXITS).map(|_| WORTH * normal(rng)).collect();
                let of = |p: &Possible| {
                    let exit = (p.next as usize + EXITS).checked_sub(STATES).map_or(0.0, |exit| worth[exit]);
                    exit + SPREAD * normal(rng) - cost
                };
                self.possible.iter().map(of).collect()
            }
        }
    }

    /// The reward with valid shaping: exits have potential 0. Its mean magnitude is `factor` times that of the reward.
    pub fn shaped(&self, reward: &[f64], gamma: f64, factor: f64, rng: &mut Stream) -> Reward {
        let potential: Vec<f64> = (0..STATES).map(|_| rng.random_range(-1.0..=1.0)).collect();
        let term = |p: &Possible| {
            let ahead = if p.ends { 0.0 } else { gamma * potential[p.next as usize] };
            ahead - potential[p.state as usize]
        };
        let total = |values: &mut dyn Iterator<Item = f64>| values.map(f64::abs).sum::<f64>();
        let scale = factor * total(&mut reward.iter().copied()) / total(&mut self.possible.iter().map(term));
        reward.iter().zip(&self.possible).map(|(r, p)| r + scale * term(p)).collect()
    }

    /// The mean of a reward over next states, for every pair of state and action in their order.
    pub fn expected(&self, reward: &[f64]) -> Vec<f64> {
        let pairs = self.possible.chunk_by(|one, other| (one.state, one.action) == (other.state, other.action));
        let mut place = 0;
        let mean = |pair: &[Possible]| {
            let here = &reward[place..place + pair.len()];
            place += pair.len();
            pair.iter().zip(here).map(|(p, r)| f64::from(p.eighths) * r).sum::<f64>() / f64::from(EIGHTHS)
        };
        pairs.map(mean).collect()
    }

    /// The reward as an array [s, a, s'] over all states, with dynamics in which exits lead to themselves and pay nothing.
    pub fn array(&self, reward: &[f64]) -> Vec<f64> {
        let mut array = vec![0.0; STATES * ACTIONS * STATES];
        for (p, r) in self.possible.iter().zip(reward) {
            array[(p.state as usize * ACTIONS + p.action as usize) * STATES + p.next as usize] = *r;
        }
        array
    }

    /// The dynamics of [`array`](Self::array).
    pub fn closed(&self) -> Result<Dynamics, LabError> {
        let known = self
            .dynamics
            .iter()
            .flat_map(|(s, a, ahead)| ahead.iter().map(move |(next, chance)| (s as usize, a as usize, next, chance)));
        let exits = (0..STATES).filter(|&s| self.dynamics.actions_of(s as u32).is_empty());
        let stays = exits.flat_map(|s| (0..ACTIONS).map(move |a| (s, a, s, 1.0)));
        Dynamics::new(STATES, ACTIONS, known.chain(stays)).map_err(LabError::failed)
    }

    /// Walks of a uniform policy from random states: the numbers of the transitions that they meet.
    pub fn walks(&self, count: usize, rng: &mut Stream) -> Vec<Vec<usize>> {
        let mut walks = Vec::with_capacity(count);
        let acting = 1 + self.possible[self.possible.len() - 1].state;
        for _ in 0..count {
            let mut state = rng.random_range(0..acting);
            let mut walk = Vec::new();
            while walk.len() < HORIZON {
                let action = rng.random_range(0..ACTIONS as u32);
                let first = self.possible.partition_point(|p| (p.state, p.action) < (state, action));
                let mut left = rng.random_range(0..EIGHTHS);
                let mut met = first;
                while left >= self.possible[met].eighths {
                    left -= self.possible[met].eighths;
                    met += 1;
                }
                walk.push(met);
                state = self.possible[met].next;
                if self.possible[met].ends {
                    break;
                }
            }
            walks.push(walk);
        }
        walks
    }

    /// A sample in which every possible transition occurs as often as it is likely.
    pub fn everything(&self, reward: &[f64]) -> Result<RewardSample, LabError> {
        let all = self.possible.iter().enumerate().flat_map(|(i, p)| std::iter::repeat_n(i, p.eighths as usize));
        self.sample(all, reward)
    }

    /// A sample of the transitions of these numbers, with true marks of ends.
    pub fn sample(&self, met: impl Iterator<Item = usize>, reward: &[f64]) -> Result<RewardSample, LabError> {
        let mut builder = SampleBuilder::new();
        let mut ends = Vec::new();
        for number in met {
            let Possible { state, action, next, ends: last, .. } = self.possible[number];
            builder.push(state.into(), action.into(), next.into(), reward[number]).map_err(LabError::failed)?;
            ends.push(last);
        }
        let (sample, placement) = builder.build_with_placement(Duplicates::Mean).map_err(LabError::failed)?;
        sample.with_row_ends(&placement, &ends).map_err(LabError::failed)
    }

    /// Walks with rewards, for what is asked of whole episodes.
    pub fn episodes(&self, walks: &[Vec<usize>], reward: &[f64]) -> Result<Walks, LabError> {
        let mut builder = Trajectories::builder();
        for walk in walks {
            for (step, &number) in walk.iter().enumerate() {
                let Possible { state, action, next, .. } = self.possible[number];
                if step == 0 {
                    builder.begin(state).map_err(LabError::failed)?;
                }
                builder.step(action, next, Some(reward[number])).map_err(LabError::failed)?;
            }
            let ended = walk.last().is_some_and(|&number| self.possible[number].ends);
            builder.end(if ended { End::Terminated } else { End::Truncated });
        }
        Ok(Walks::numbered(builder.build()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::regret::mutual_regret;
    use srrd::{Gamma, Metric, Settings, distance};
    use srrd_worlds::stream;

    fn each() -> impl Iterator<Item = (Moves, Episodes, Problem, Stream)> {
        let kinds = Moves::ALL.iter().flat_map(|&moves| Episodes::ALL.iter().map(move |&episodes| (moves, episodes)));
        kinds.map(|(moves, episodes)| {
            let mut rng = stream(7, "problem");
            (moves, episodes, Problem::draw(moves, episodes, &mut rng).unwrap(), rng)
        })
    }

    #[test]
    fn problems_are_what_they_are_said_to_be() {
        for (moves, episodes, problem, _) in each() {
            let ending = problem.possible.iter().filter(|p| p.ends).count();
            let acting = STATES - if episodes == Episodes::End { EXITS } else { 0 };
            assert_eq!(problem.dynamics.pairs(), acting * ACTIONS);
            assert_eq!(ending, if episodes == Episodes::End { EXITS * DOORS } else { 0 });
            assert_eq!(moves == Moves::Deterministic, problem.possible.len() == acting * ACTIONS);
        }
    }

    #[test]
    fn shaping_changes_neither_regret_nor_the_projected_distance() {
        for (_, _, problem, mut rng) in each() {
            let reward = problem.reward(&mut rng);
            let shaped = problem.shaped(&reward, 0.9, 3.0, &mut rng);
            let [a, b] = [&reward, &shaped].map(|reward| problem.expected(reward));
            let found = mutual_regret(&problem.dynamics, &a, &b, Gamma::default()).unwrap();
            assert!(found.a_under_b.regret.unwrap() < 1e-9 && found.b_under_a.regret.unwrap() < 1e-9);
            let [a, b] = [&reward, &shaped].map(|reward| problem.everything(reward).unwrap());
            assert!(distance(&a, &b, Metric::Projected, &Settings::default()).distance().unwrap() < 1e-6);
            assert!(distance(&a, &b, Metric::Direct, &Settings::default()).distance().unwrap() > 0.2);
        }
    }

    #[test]
    fn walks_go_from_state_to_state_and_stop_at_ends() {
        for (_, _, problem, mut rng) in each() {
            for walk in problem.walks(20, &mut rng) {
                let steps: Vec<&Possible> = walk.iter().map(|&number| &problem.possible[number]).collect();
                assert!(steps.windows(2).all(|two| two[0].next == two[1].state && !two[0].ends));
                assert!(steps.len() == HORIZON || steps[steps.len() - 1].ends);
            }
        }
    }
}
