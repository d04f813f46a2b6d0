//! What is left of the metrics when the second reward is not just shaped.

mod claims;

use super::sparsity::{self, PAPER_ROLLOUTS, Sparsity, Story};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::values::{Estimation, Fraction, Noise, Preset, Size, WorldKind};
use srrd_worlds::Model;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "noise",
    about: "none, mild and high deviations from potential shaping",
    preset,
    build: |parameters| Sparsity::build(&STORY, parameters),
};

static STORY: Story = Story {
    name: "noise",
    title: "What if it is not only shaping?",
    lead: &[
        "Uniform noise is added to the shaped reward: none, mild (up to the largest shaped reward) or high (up to five times as \
         much). Noise is a real difference between two rewards, so distances should grow with it; canonicalization helps as \
         long as shaping is most of the difference.",
    ],
    claims: claims::claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::Gridworld],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial],
        epsilon: vec![Fraction(0.1)],
        noise: vec![Noise::None, Noise::Mild, Noise::High],
        estimator: vec![Estimation::Double],
        ..sparsity::common()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], trials: 20, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}
