//! Unbiased estimates against the double batch.

use super::pairs::Noise;
use super::sparsity::{PAPER_GAMMA, PAPER_ROLLOUTS, Results, Sparsity, Story};
use super::verdicts::{Tally, sentence};
use crate::experiment::Kind;
use crate::parameters::{Estimation, Number, Parameters, Preset, Size, WorldKind};
use srrd::{Batch, Metric};
use srrd_show::page::Claim;
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
    claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::Gridworld],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial, Model::Random],
        epsilon: vec![Number(0.1)],
        noise: vec![Noise::None],
        gamma: vec![PAPER_GAMMA],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Unbiased, Estimation::Double],
        batch: vec![Batch::All],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], trials: 20, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}

fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
        let ways = [Estimation::Unbiased, Estimation::Double].map(|e| results.way(metric, e));
        let [Some(unbiased), Some(double)] = ways else { continue };
        let tally = Tally::of(results, unbiased, double, |m| m.cell.epsilon > 0.0);
        if tally.cells() > 0 {
            claims.push(Claim {
                paper: format!("{}: the unbiased estimates tend to outperform the double batch.", name(metric)),
                measured: format!("Unbiased against double batch: {}.", tally.words()),
                verdict: tally.verdict(),
                note: sentence(tally.verdict()).to_owned(),
            });
        }
    }
    for estimation in [Estimation::Unbiased, Estimation::Double] {
        for other in [Metric::Epic, Metric::Dard] {
            let ways = [Metric::Srrd, other].map(|m| results.way(m, estimation));
            let [Some(srrd), Some(rival)] = ways else { continue };
            let low = |m: &super::sparsity::Measured| m.cell.epsilon > 0.0 && m.coverage.mean() <= 0.2;
            let tally = Tally::of(results, srrd, rival, low);
            if tally.cells() > 0 {
                let paper = format!(
                    "With {estimation} estimates, too, SRRD outperforms {} at low coverage (up to 20 %).",
                    name(other)
                );
                claims.push(Claim {
                    paper,
                    measured: format!("SRRD against {}: {}.", name(other), tally.words()),
                    verdict: tally.verdict(),
                    note: sentence(tally.verdict()).to_owned(),
                });
            }
        }
    }
    claims
}

fn name(metric: Metric) -> String {
    metric.to_string().to_uppercase()
}
