//! Experiment 1: are equivalent rewards recognised when few transitions are known?

mod claims;

use super::sparsity::{self, PAPER_ROLLOUTS, Sparsity, Story};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::values::{Estimation, Fraction, GRIDS, Preset, Size};
use srrd_worlds::Model;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "coverage",
    about: "Experiment 1: equivalent rewards, limited sampling and feasibility constraints",
    preset,
    build: |parameters| Sparsity::build(&STORY, parameters),
};

static STORY: Story = Story {
    name: "coverage",
    title: "Are equivalent rewards recognised from few transitions?",
    lead: &[
        "A reward and a copy of it with potential shaping ask for the same behaviour. Both are known only on the transitions \
         that random walks have met, each reward on walks of its own. A metric that sees through shaping finds a distance \
         near 0; a metric that does not finds two rewards that seem to differ.",
        "Limited sampling (ε > 0): now and then a walk jumps anywhere, so more walks reach more of all conceivable \
         transitions. Feasibility constraints (ε = 0): only moves to neighbours exist, and most transitions can never be \
         sampled.",
    ],
    claims: claims::claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: GRIDS.to_vec(),
        epsilon: vec![Fraction(0.1), Fraction(0.0)],
        estimator: vec![Estimation::Double, Estimation::Unbiased],
        as_published: Some(false),
        ..sparsity::common()
    };
    match preset {
        Preset::Quick => Parameters {
            size: vec![Size::square(20)],
            model: vec![Model::Polynomial, Model::Random],
            rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200],
            trials: 20,
            ..common
        },
        Preset::Paper => Parameters {
            size: vec![Size::square(10), Size::square(20)],
            model: Model::ALL.to_vec(),
            rollouts: PAPER_ROLLOUTS.to_vec(),
            trials: 200,
            ..common
        },
    }
}
