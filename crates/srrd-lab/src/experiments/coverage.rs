//! Experiment 1: are equivalent rewards recognised when few transitions are known?

use super::pairs::Noise;
use super::sparsity::{Measured, PAPER_GAMMA, PAPER_ROLLOUTS, Results, Sparsity, Story};
use super::verdicts::{Order, Tally, all, order, sentence};
use crate::experiment::Kind;
use crate::parameters::{Estimation, Number, Parameters, Preset, Size, WorldKind};
use srrd::{Batch, Metric};
use srrd_show::page::{Claim, Verdict};
use srrd_worlds::Model;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "coverage",
    about: "Experiment 1: the distance of equivalent rewards under limited sampling and feasibility constraints",
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
    claims,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: WorldKind::GRIDS.to_vec(),
        epsilon: vec![Number(0.1), Number(0.0)],
        noise: vec![Noise::None],
        gamma: vec![PAPER_GAMMA],
        metric: Metric::PAPER.to_vec(),
        estimator: vec![Estimation::Double, Estimation::Unbiased],
        batch: vec![Batch::All],
        ..Parameters::default()
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

/// The claims of Experiment 1, and those that follow from the text.
fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    let limited = |m: &Measured| m.cell.epsilon > 0.0;
    let constrained = |m: &Measured| m.cell.epsilon == 0.0;
    let double = |metric| results.way(metric, Estimation::Double);
    let (direct, epic, dard, srrd) =
        (double(Metric::Direct), double(Metric::Epic), double(Metric::Dard), double(Metric::Srrd));
    let both = [
        ("Under limited sampling SRRD outperforms EPIC and DARD.", &limited as &dyn Fn(&Measured) -> bool),
        ("Under feasibility constraints SRRD significantly outperforms all the baselines.", &constrained),
    ];
    if let (Some(epic), Some(dard), Some(srrd)) = (epic, dard, srrd) {
        for (paper, counted) in both {
            let [to_dard, to_epic] = [dard, epic].map(|other| Tally::of(results, srrd, other, counted));
            if to_dard.cells() == 0 {
                continue;
            }
            let verdict = all([to_dard.verdict(), to_epic.verdict()]);
            claims.push(Claim {
                paper: paper.to_owned(),
                measured: format!("SRRD against DARD: {}; against EPIC: {}.", to_dard.words(), to_epic.words()),
                verdict,
                note: sentence(verdict).to_owned(),
            });
        }
        let tally = Tally::of(results, dard, epic, |_| true);
        if tally.cells() > 0 {
            claims.push(Claim {
                paper: "DARD generally outperforms EPIC.".to_owned(),
                measured: format!("DARD against EPIC: {}.", tally.words()),
                verdict: tally.verdict(),
                note: sentence(tally.verdict()).to_owned(),
            });
        }
    }
    if let (Some(direct), [Some(epic), Some(dard), Some(srrd)]) = (direct, [epic, dard, srrd]) {
        let tallies = [("EPIC", epic), ("DARD", dard), ("SRRD", srrd)]
            .map(|(name, way)| (name, Tally::of(results, way, direct, |_| true)));
        if tallies[0].1.cells() > 0 {
            let verdict = all(tallies.iter().map(|(_, tally)| tally.verdict()));
            let words: Vec<String> = tallies.iter().map(|(name, tally)| format!("{name} {}", tally.words())).collect();
            claims.push(Claim {
                paper: "All pseudometrics generally outperform DIRECT.".to_owned(),
                measured: format!("Against DIRECT: {}.", words.join("; ")),
                verdict,
                note: sentence(verdict).to_owned(),
            });
        }
        claims.extend(constrained_random(results, [direct, epic, dard, srrd]));
    }
    claims.extend(unbiased_lowest(results));
    claims
}

/// Feasibility constraints, random rewards, many rollouts: the order in full, and how little EPIC gains over DIRECT.
fn constrained_random(results: &Results, [direct, epic, dard, srrd]: [usize; 4]) -> Option<Claim> {
    let counted = |m: &&Measured| {
        m.cell.epsilon == 0.0 && m.cell.model == Model::Random && m.cell.rollouts >= 100 && m.coverage.count() > 1
    };
    let cells: Vec<&Measured> = results.cells.iter().filter(counted).collect();
    if cells.is_empty() {
        return None;
    }
    let ordered = |m: &&&Measured| {
        order(&m.difference(srrd, dard)) == Order::Below && order(&m.difference(dard, epic)) == Order::Below
    };
    let in_order = cells.iter().filter(ordered).count();
    let by_world: Vec<String> = (WorldKind::GRIDS.into_iter())
        .map(|world| (world, cells.iter().filter(move |m| m.cell.world == world)))
        .filter(|(_, cells)| cells.clone().count() > 0)
        .map(|(world, here)| {
            format!("{} of {} in {}", here.clone().filter(ordered).count(), here.count(), world.title())
        })
        .collect();
    let gap = cells.iter().map(|m| (m.moments(epic).mean() - m.moments(direct).mean()).abs()).fold(0.0, f64::max);
    let verdict = if in_order == cells.len() && gap <= 0.02 {
        Verdict::Agrees
    } else if cells.iter().any(|m| order(&m.difference(dard, srrd)) == Order::Below) || gap > 0.05 {
        Verdict::Disagrees
    } else {
        Verdict::Undecided
    };
    Some(Claim {
        paper: "Feasibility constraints, random rewards, 100 rollouts or more: SRRD below DARD below EPIC, and EPIC hardly \
                below DIRECT."
            .to_owned(),
        measured: format!(
            "The order holds beyond the intervals in {in_order} of {} settings ({}); EPIC and DIRECT differ by at most {gap:.3}.",
            cells.len(),
            by_world.join(", ")
        ),
        verdict,
        note: sentence(verdict).to_owned(),
    })
}

/// Under limited sampling the unbiased SRRD is the lowest of all.
fn unbiased_lowest(results: &Results) -> Option<Claim> {
    let unbiased = results.way(Metric::Srrd, Estimation::Unbiased)?;
    let rivals: Vec<usize> =
        (0..results.ways.len()).filter(|&w| w != unbiased && Metric::PAPER.contains(&results.ways[w].metric)).collect();
    let counted = |m: &&Measured| m.cell.epsilon > 0.0 && m.common.mean() >= srrd::FEW_COMMON as f64;
    let (mut lowest, mut beaten, mut cells) = (0, 0, 0);
    for m in results.cells.iter().filter(counted) {
        cells += 1;
        lowest += usize::from(rivals.iter().all(|&w| m.moments(unbiased).mean() <= m.moments(w).mean()));
        beaten += usize::from(rivals.iter().any(|&w| order(&m.difference(w, unbiased)) == Order::Below));
    }
    if cells == 0 {
        return None;
    }
    let verdict = if 10 * beaten <= cells && 2 * lowest > cells {
        Verdict::Agrees
    } else if 2 * beaten > cells {
        Verdict::Disagrees
    } else {
        Verdict::Undecided
    };
    Some(Claim {
        paper: "Under limited sampling the unbiased estimates do better than the double batch, and SRRD best of all."
            .to_owned(),
        measured: format!(
            "The unbiased SRRD has the lowest mean in {lowest} of {cells} settings; another one is below it beyond the \
             interval in {beaten}."
        ),
        verdict,
        note: sentence(verdict).to_owned(),
    })
}
