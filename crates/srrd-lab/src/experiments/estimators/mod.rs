//! Unbiased estimates against the double batch.

mod claims;

use super::sparsity::{self, PAPER_ROLLOUTS, Sparsity, Story};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::values::{Estimation, Fraction, Preset, Size, WorldKind};
use srrd_worlds::Model;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "estimators",
    about: "unbiased estimates against the double batch, under limited sampling",
    preset,
    build: |parameters| Sparsity::build(&STORY, parameters),
};

static STORY: Story = Story {
    name: "estimators",
    title: "Unbiased estimates or a double batch?",
    lead: &[
        "The double batch counts a transition that was never sampled as a reward of 0; the unbiased estimates take the mean \
         over what was sampled. Both are compared on the same samples of equivalent rewards, where the right distance is 0.",
    ],
    claims: claims::claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::Gridworld],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial, Model::Random],
        epsilon: vec![Fraction(0.1)],
        estimator: vec![Estimation::Unbiased, Estimation::Double],
        ..sparsity::common()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], trials: 20, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}
