//! What the paper says about regression, beside what was measured.

use crate::experiments::shared::show::upper;
use crate::experiments::shared::verdicts::{Tally, all, judged};
use crate::experiments::sparsity::{Measured, Results};
use crate::values::Estimation;
use srrd::Metric;
use srrd_show::page::Claim;
use srrd_worlds::Model;

pub fn claims(results: &Results) -> Vec<Claim> {
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
        let words: Vec<String> =
            (tallies.iter()).map(|(metric, tally)| format!("{} {}", upper(*metric), tally.words())).collect();
        let subject = if regressed {
            "Linear regression against the double batch"
        } else {
            "Double batch against linear regression"
        };
        Some(judged(paper, format!("{subject}: {}.", words.join("; ")), verdict))
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
            let measured = format!("SRRD against DARD: {}; against EPIC: {}.", to_dard.words(), to_epic.words());
            claims.push(judged("The regressed SRRD outperforms all other regressed metrics.", measured, verdict));
        }
    }
    for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
        let ways = [Estimation::RegressedLinear, Estimation::RegressedTree].map(|e| results.way(metric, e));
        let [Some(linear), Some(tree)] = ways else { continue };
        let tally = Tally::of(results, linear, tree, |_| true);
        let paper = format!(
            "Linear regression gave the best results ({}; compared with decision trees and neural networks).",
            upper(metric)
        );
        claims.extend(tally.claim(paper, "Linear regression against regression trees"));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sparsity::made::{Level, cell, results, verdict};
    use crate::values::Noise;
    use srrd_show::page::Verdict;

    const SAYS: [&str; 6] = [
        "With polynomial rewards",
        "With sinusoidal and random rewards",
        "The regressed SRRD outperforms",
        "gave the best results (EPIC",
        "gave the best results (DARD",
        "gave the best results (SRRD",
    ];

    fn verdicts(level: impl Fn(Metric, Estimation, Model) -> Level) -> [Verdict; 6] {
        let places = [Model::Polynomial, Model::Random].map(|model| cell(model, 0.0, Noise::None));
        let estimations = [Estimation::Double, Estimation::RegressedLinear, Estimation::RegressedTree];
        let claims = claims(&results(&places, &estimations, |m, e, place| level(m, e, place.model)));
        assert_eq!(claims.len(), SAYS.len());
        SAYS.map(|says| verdict(&claims, says))
    }

    /// As the paper has it, or with a negative `by` the other way round.
    fn apart(metric: Metric, estimation: Estimation, model: Model, by: f64) -> Level {
        let srrd = if metric == Metric::Srrd { by / 4.0 } else { 0.0 };
        let without = if model == Model::Polynomial { by } else { -by };
        Level::Clear(match estimation {
            Estimation::RegressedLinear => 0.5 - srrd,
            Estimation::RegressedTree => 0.5 - srrd + by,
            _ => 0.5 - srrd + without,
        })
    }

    #[test]
    fn every_claim_agrees_disagrees_or_is_undecided() {
        assert_eq!(verdicts(|m, e, model| apart(m, e, model, 0.1)), [Verdict::Agrees; 6]);
        assert_eq!(verdicts(|m, e, model| apart(m, e, model, -0.1)), [Verdict::Disagrees; 6]);
        assert_eq!(verdicts(|_, _, _| Level::Unclear(0.5)), [Verdict::Undecided; 6]);
    }
}
