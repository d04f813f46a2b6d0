//! Unsampled rewards inferred by regression.

mod claims;

use super::sparsity::{self, PAPER_ROLLOUTS, Sparsity, Story};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::values::{Estimation, Fraction, Preset, Size, WorldKind};
use srrd_worlds::Model;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "regression",
    about: "unsampled rewards inferred by linear regression and by decision trees",
    preset,
    build: |parameters| Sparsity::build(&STORY, parameters),
};

static STORY: Story = Story {
    name: "regression",
    title: "Does it help to guess the rewards that were not sampled?",
    lead: &[
        "The double batch counts a transition that was never sampled as a reward of 0. Here a model is fitted to the sampled \
         rewards, from the features of the two states, and its prediction takes the place of the 0: linear least squares or a \
         regression tree. The right distance is 0.",
    ],
    claims: claims::claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::BouncingBalls],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial, Model::Sinusoidal, Model::Random],
        epsilon: vec![Fraction(0.0)],
        estimator: vec![Estimation::Double, Estimation::RegressedLinear, Estimation::RegressedTree],
        ..sparsity::common()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100], trials: 10, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}
