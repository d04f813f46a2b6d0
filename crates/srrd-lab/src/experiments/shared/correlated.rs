//! Pairs of rewards with a known true correlation, each with shaping of its own.
//!
//! R_B = ρ R_A + √(1 − ρ²) R', with R_A and R' standard normal for every transition of the world and independent: the true
//! distance is √((1 − ρ)/2), whatever is sampled. ρ = 1 makes equivalent rewards.

use super::pairs::{SHAPING, shape};
use crate::error::LabError;
use crate::values::{Noise, Size, WorldKind};
use rand::RngExt;
use srrd::{Gamma, RewardSample};
use srrd_worlds::{
    BouncingBalls, Gridworld, Met, Model, Policy, PotentialFunction, RewardFunction, Stream, Triple, World,
    derive_seed, met, stream,
};

/// What a pair is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// The world.
    pub world: WorldKind,
    /// Its size.
    pub size: Size,
    /// The probability of a random transition.
    pub epsilon: f64,
    /// Noise on every reward.
    pub noise: Noise,
    /// The discount factor of the shaping.
    pub gamma: Gamma,
    /// How many rollouts each sample has.
    pub rollouts: usize,
}

/// Two samples.
pub struct Pair {
    /// R_A.
    pub a: RewardSample,
    /// R_B.
    pub b: RewardSample,
    /// Sampled transitions / all of the world's, the mean of the two.
    pub coverage: f64,
}

/// The distance of rewards with this correlation.
pub fn true_distance(correlation: f64) -> f64 {
    (0.5 * (1.0 - correlation)).sqrt()
}

/// The standard deviation of noise, beside rewards of standard deviation 1.
pub fn noise_sd(noise: Noise) -> f64 {
    match noise {
        Noise::None => 0.0,
        Noise::Mild => 0.25,
        Noise::High => 1.0,
    }
}

/// Draws the pair of a trial; without `shaped` the rewards are left as they are.
pub fn pair(source: &Source, correlation: f64, shaped: bool, seed: u64) -> Result<Pair, LabError> {
    let Size { width, height } = source.size;
    match source.world {
        WorldKind::Gridworld => {
            let world = Gridworld::new(width, height, source.epsilon).map_err(LabError::failed)?;
            pair_in(&world, source, correlation, shaped, seed)
        }
        WorldKind::BouncingBalls => {
            let world = BouncingBalls::new(width, height, source.epsilon).map_err(LabError::failed)?;
            pair_in(&world, source, correlation, shaped, seed)
        }
        other => Err(LabError::failed(format!("{other} has no size to choose"))),
    }
}

fn pair_in<W: World<Agent = Policy>>(
    world: &W,
    source: &Source,
    correlation: f64,
    shaped: bool,
    seed: u64,
) -> Result<Pair, LabError> {
    let uniform = Policy::uniform(world.actions()).map_err(LabError::failed)?;
    let walk = |purpose| met(world, &uniform, source.rollouts, &mut stream(seed, purpose));
    let (first, second) = (walk("rollouts of a"), walk("rollouts of b"));
    let base = Normal::new(world, derive_seed(seed, "base"));
    let other = Normal::new(world, derive_seed(seed, "other"));
    let weight = (1.0 - correlation * correlation).max(0.0).sqrt();
    let of_a = base.rewards(&first.transitions);
    let of_b = base.rewards(&second.transitions).into_iter().zip(other.rewards(&second.transitions));
    let of_b: Vec<f64> = of_b.map(|(r, o)| correlation * r + weight * o).collect();
    let finish = |met: &Met, mut rewards: Vec<f64>, which: &str| {
        if source.noise != Noise::None {
            let mut rng = stream(seed, &format!("noise of {which}"));
            rewards.iter_mut().for_each(|reward| *reward += noise_sd(source.noise) * normal(&mut rng));
        }
        if shaped {
            let seed = derive_seed(seed, &format!("shaping of {which}"));
            let potential = PotentialFunction::new(world, Model::Random, seed);
            let factor = stream(seed, "factor").random_range(SHAPING);
            rewards = shape(&potential, source.gamma, factor, met, rewards)?;
        }
        met.sample(rewards).map_err(LabError::failed)
    };
    let all = (world.states() * world.states() * world.actions()) as f64;
    Ok(Pair {
        coverage: 0.5 * (first.transitions.len() + second.transitions.len()) as f64 / all,
        a: finish(&first, of_a, "a")?,
        b: finish(&second, of_b, "b")?,
    })
}

/// A standard normal reward for every transition of a world, as a function of a seed.
pub struct Normal {
    radius: RewardFunction,
    angle: RewardFunction,
}

impl Normal {
    /// The reward of a seed.
    pub fn new<W: World>(world: &W, seed: u64) -> Self {
        let uniform = |purpose| RewardFunction::new(world, Model::Random, derive_seed(seed, purpose));
        Normal { radius: uniform("radius"), angle: uniform("angle") }
    }

    /// Its values on these transitions.
    pub fn rewards(&self, transitions: &[Triple]) -> Vec<f64> {
        let (radius, angle) = (self.radius.rewards(transitions), self.angle.rewards(transitions));
        // Uniform in [−1, 1) to uniform in (0, 1].
        radius.into_iter().zip(angle).map(|(r, a)| from_uniform(0.5 * (1.0 - r), a)).collect()
    }
}

/// One standard normal number from two uniform ones (Box and Muller): `u` in (0, 1], `angle` in [−1, 1).
fn from_uniform(u: f64, angle: f64) -> f64 {
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::PI * angle).cos()
}

/// A standard normal number.
pub fn normal(rng: &mut Stream) -> f64 {
    from_uniform(1.0 - rng.random::<f64>(), rng.random_range(-1.0..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Moments;
    use srrd::compare::common_transitions;
    use srrd::{Metric, Settings, distance};

    fn source() -> Source {
        Source {
            world: WorldKind::Gridworld,
            size: Size { width: 20, height: 15 },
            epsilon: 0.3,
            noise: Noise::None,
            gamma: Gamma::new(0.7).unwrap(),
            rollouts: 200,
        }
    }

    #[test]
    fn rewards_have_the_promised_correlation() {
        for correlation in [0.0, 0.6, 1.0] {
            let Pair { a, b, .. } = pair(&source(), correlation, false, 3).unwrap();
            assert!(common_transitions(&a, &b).len() > 1000);
            let found = distance(&a, &b, Metric::Direct, &Settings::default()).distance().unwrap();
            assert!((found - true_distance(correlation)).abs() < 0.04, "{correlation}: {found}");
            let moments: Moments = a.rewards().iter().copied().collect();
            assert!(moments.mean().abs() < 0.05 && (moments.sd() - 1.0).abs() < 0.05);
        }
    }

    #[test]
    fn equivalent_pairs_are_projected_to_0() {
        let Pair { a, b, .. } = pair(&source(), 1.0, true, 4).unwrap();
        let settings = Settings { gamma: Gamma::new(0.7).unwrap(), ..Settings::default() };
        assert!(distance(&a, &b, Metric::Projected, &settings).distance().unwrap() < 1e-6);
        assert!(distance(&a, &b, Metric::Direct, &settings).distance().unwrap() > 0.3);
    }

    #[test]
    fn noise_takes_correlation_away() {
        let noisy = Source { noise: Noise::High, ..source() };
        let Pair { a, b, .. } = pair(&noisy, 1.0, false, 5).unwrap();
        let found = distance(&a, &b, Metric::Direct, &Settings::default()).correlation().unwrap();
        assert!((found - 0.5).abs() < 0.06, "{found}");
    }
}
