//! What the paper says about noise, beside what was measured.

use crate::experiments::shared::verdicts::{Tally, all, holds, judged};
use crate::experiments::sparsity::{Measured, Results};
use crate::statistics::Moments;
use crate::values::Noise;
use srrd::Metric;
use srrd_show::page::Claim;

/// With high noise, means this close count as "nearly identical".
const NEARLY: f64 = 0.02;

pub fn claims(results: &Results) -> Vec<Claim> {
    let ways = Metric::PAPER.map(|metric| results.ways.iter().position(|way| way.measure.metric == metric));
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
        claims.push(judged(paper, format!("{}.", words.join("; ")), verdict));
    }
    claims.extend(high(results, [direct, epic, dard, srrd]));
    claims
}

fn high(results: &Results, ways: [usize; 4]) -> Option<Claim> {
    let counted = |m: &&Measured| m.cell.noise == Noise::High && m.common.mean() >= srrd::settings::FEW_COMMON as f64;
    let spread = |m: &Measured| {
        let means = ways.map(|w| m.moments(w).mean());
        means.iter().fold(f64::MIN, |a, &b| a.max(b)) - means.iter().fold(f64::MAX, |a, &b| a.min(b))
    };
    let spreads: Moments = results.cells.iter().filter(counted).map(spread).collect();
    if spreads.count() == 0 {
        return None;
    }
    let measured = format!(
        "The four means lie {:.3} apart on average over {} settings (up to {NEARLY} counts as nearly identical).",
        spreads.mean(),
        spreads.count()
    );
    let paper = "With high noise SRRD is nearly identical to all others, DIRECT included.";
    Some(judged(paper, measured, holds(spreads.mean() <= NEARLY)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sparsity::made::{Level, cell, results, verdict};
    use crate::values::Estimation;
    use srrd_show::page::Verdict;
    use srrd_worlds::Model;

    const SAYS: [&str; 3] =
        ["Without noise the order is", "With mild noise SRRD is still", "With high noise SRRD is nearly"];

    fn verdicts(level: impl Fn(Metric, Noise) -> Level) -> [Verdict; 3] {
        let places = [Noise::None, Noise::Mild, Noise::High].map(|noise| cell(Model::Polynomial, 0.1, noise));
        let claims = claims(&results(&places, &[Estimation::Double], |m, _, place| level(m, place.noise)));
        SAYS.map(|says| verdict(&claims, says))
    }

    fn step(metric: Metric) -> f64 {
        Metric::PAPER.iter().position(|&m| m == metric).unwrap() as f64
    }

    #[test]
    fn every_claim_agrees_or_disagrees() {
        let better = |metric, noise| match noise {
            Noise::High => Level::Clear(0.5 - 0.005 * step(metric)),
            _ => Level::Clear(0.5 - 0.1 * step(metric)),
        };
        assert_eq!(verdicts(better), [Verdict::Agrees; 3]);
        let worse = |metric, _| Level::Clear(0.5 + 0.1 * step(metric));
        assert_eq!(verdicts(worse), [Verdict::Disagrees; 3]);
    }

    #[test]
    fn differences_that_scatter_decide_nothing() {
        assert_eq!(verdicts(|_, _| Level::Unclear(0.5))[..2], [Verdict::Undecided; 2]);
    }

    #[test]
    fn a_noise_that_was_not_run_has_no_claim() {
        let none = cell(Model::Polynomial, 0.1, Noise::None);
        let claims = claims(&results(&[none], &[Estimation::Double], |_, _, _| Level::Clear(0.5)));
        assert_eq!(claims.len(), 1);
    }
}
