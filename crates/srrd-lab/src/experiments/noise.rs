//! What is left of the metrics when the second reward is not just shaped.

use super::pairs::Noise;
use super::sparsity::{Measured, PAPER_GAMMA, PAPER_ROLLOUTS, Results, Sparsity, Story};
use super::verdicts::{Tally, all, sentence};
use crate::experiment::Kind;
use crate::parameters::{Estimation, Number, Parameters, Preset, Size, WorldKind};
use crate::statistics::Moments;
use srrd::{Batch, Metric};
use srrd_show::page::{Claim, Verdict};
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
    claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: vec![WorldKind::Gridworld],
        size: vec![Size::square(20)],
        model: vec![Model::Polynomial],
        epsilon: vec![Number(0.1)],
        noise: Noise::ALL.to_vec(),
        gamma: vec![PAPER_GAMMA],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double],
        batch: vec![Batch::All],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters { rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], trials: 20, ..common },
        Preset::Paper => Parameters { rollouts: PAPER_ROLLOUTS.to_vec(), trials: 200, ..common },
    }
}

/// With high noise, means this close count as "nearly identical".
const NEARLY: f64 = 0.02;

fn claims(results: &Results) -> Vec<Claim> {
    let ways = Metric::PAPER.map(|metric| results.ways.iter().position(|way| way.metric == metric));
    let [Some(direct), Some(epic), Some(dard), Some(srrd)] = ways else { return Vec::new() };
    let mut claims = Vec::new();
    for (noise, paper) in [
        (Noise::None, "Without noise the order is SRRD, DARD, EPIC, DIRECT."),
        (Noise::Mild, "With mild noise SRRD is still ahead of the others."),
    ] {
        let steps = match noise {
            Noise::None => vec![
                (srrd, dard, "SRRD against DARD"),
                (dard, epic, "DARD against EPIC"),
                (epic, direct, "EPIC against DIRECT"),
            ],
            _ => {
                vec![(srrd, dard, "SRRD against DARD"), (srrd, epic, "against EPIC"), (srrd, direct, "against DIRECT")]
            }
        };
        let tallies: Vec<(&str, Tally)> = (steps.into_iter())
            .map(|(way, other, words)| (words, Tally::of(results, way, other, |m| m.cell.noise == noise)))
            .collect();
        if tallies[0].1.cells() == 0 {
            continue;
        }
        let verdict = all(tallies.iter().map(|(_, tally)| tally.verdict()));
        let words: Vec<String> = tallies.iter().map(|(words, tally)| format!("{words}: {}", tally.words())).collect();
        claims.push(Claim {
            paper: paper.to_owned(),
            measured: format!("{}.", words.join("; ")),
            verdict,
            note: sentence(verdict).to_owned(),
        });
    }
    claims.extend(high(results, [direct, epic, dard, srrd]));
    claims
}

fn high(results: &Results, ways: [usize; 4]) -> Option<Claim> {
    let counted = |m: &&Measured| m.cell.noise == Noise::High && m.common.mean() >= srrd::FEW_COMMON as f64;
    let spread = |m: &Measured| {
        let means = ways.map(|w| m.moments(w).mean());
        means.iter().fold(f64::MIN, |a, &b| a.max(b)) - means.iter().fold(f64::MAX, |a, &b| a.min(b))
    };
    let spreads: Moments = results.cells.iter().filter(counted).map(spread).collect();
    if spreads.count() == 0 {
        return None;
    }
    let verdict = if spreads.mean() <= NEARLY { Verdict::Agrees } else { Verdict::Disagrees };
    Some(Claim {
        paper: "With high noise SRRD is nearly identical to all others, DIRECT included.".to_owned(),
        measured: format!(
            "The four means lie {:.3} apart on average over {} settings (up to {NEARLY} counts as nearly identical).",
            spreads.mean(),
            spreads.count()
        ),
        verdict,
        note: sentence(verdict).to_owned(),
    })
}
