//! Unsampled rewards inferred by regression.

use super::pairs::Noise;
use super::sparsity::{Measured, PAPER_GAMMA, PAPER_ROLLOUTS, Results, Sparsity, Story};
use super::verdicts::{Tally, all, sentence};
use crate::experiment::Kind;
use crate::parameters::{Estimation, Number, Parameters, Preset, Size, WorldKind};
use srrd::{Batch, Metric};
use srrd_show::page::Claim;
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
    claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::BouncingBalls],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial, Model::Sinusoidal, Model::Random],
        epsilon: vec![Number(0.0)],
        noise: vec![Noise::None],
        gamma: vec![PAPER_GAMMA],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double, Estimation::RegressedLinear, Estimation::RegressedTree],
        batch: vec![Batch::All],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100], trials: 10, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}

fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    let better = |models: &'static [Model], regressed: bool, paper: &str| {
        let mut tallies = Vec::new();
        for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
            let ways = [Estimation::RegressedLinear, Estimation::Double].map(|e| results.way(metric, e));
            let [Some(linear), Some(double)] = ways else { return None };
            let (way, other) = if regressed { (linear, double) } else { (double, linear) };
            let counted = |m: &Measured| models.contains(&m.cell.model);
            tallies.push((metric, Tally::of(results, way, other, counted)));
        }
        if tallies[0].1.cells() == 0 {
            return None;
        }
        let verdict = all(tallies.iter().map(|(_, tally)| tally.verdict()));
        let words: Vec<String> = (tallies.iter())
            .map(|(metric, tally)| format!("{} {}", metric.to_string().to_uppercase(), tally.words()))
            .collect();
        let subject = if regressed {
            "Linear regression against the double batch"
        } else {
            "Double batch against linear regression"
        };
        Some(Claim {
            paper: paper.to_owned(),
            measured: format!("{subject}: {}.", words.join("; ")),
            verdict,
            note: sentence(verdict).to_owned(),
        })
    };
    claims.extend(better(
        &[Model::Polynomial],
        true,
        "With polynomial rewards the metrics with regressed rewards generally outperform those without.",
    ));
    claims.extend(better(
        &[Model::Sinusoidal, Model::Random],
        false,
        "With sinusoidal and random rewards the metrics without regression tend to do better.",
    ));
    let linear = |metric| results.way(metric, Estimation::RegressedLinear);
    if let (Some(epic), Some(dard), Some(srrd)) = (linear(Metric::Epic), linear(Metric::Dard), linear(Metric::Srrd)) {
        let [to_dard, to_epic] = [dard, epic].map(|other| Tally::of(results, srrd, other, |_| true));
        if to_dard.cells() > 0 {
            let verdict = all([to_dard.verdict(), to_epic.verdict()]);
            claims.push(Claim {
                paper: "The regressed SRRD outperforms all other regressed metrics.".to_owned(),
                measured: format!("SRRD against DARD: {}; against EPIC: {}.", to_dard.words(), to_epic.words()),
                verdict,
                note: sentence(verdict).to_owned(),
            });
        }
    }
    for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
        let ways = [Estimation::RegressedLinear, Estimation::RegressedTree].map(|e| results.way(metric, e));
        let [Some(linear), Some(tree)] = ways else { continue };
        let tally = Tally::of(results, linear, tree, |_| true);
        if tally.cells() > 0 {
            claims.push(Claim {
                paper: format!(
                    "Linear regression gave the best results ({}; compared with decision trees and neural networks).",
                    metric.to_string().to_uppercase()
                ),
                measured: format!("Linear regression against regression trees: {}.", tally.words()),
                verdict: tally.verdict(),
                note: sentence(tally.verdict()).to_owned(),
            });
        }
    }
    claims
}
