//! What the paper says about the estimators, beside what was measured.

use crate::experiments::shared::show::upper;
use crate::experiments::shared::verdicts::Tally;
use crate::experiments::sparsity::{Measured, Results};
use crate::values::Estimation;
use srrd::Metric;
use srrd_show::page::Claim;

pub fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    for metric in [Metric::Epic, Metric::Dard, Metric::Srrd] {
        let ways = [Estimation::Unbiased, Estimation::Double].map(|e| results.way(metric, e));
        let [Some(unbiased), Some(double)] = ways else { continue };
        let tally = Tally::of(results, unbiased, double, |m| m.cell.epsilon > 0.0);
        let paper = format!("{}: the unbiased estimates tend to outperform the double batch.", upper(metric));
        claims.extend(tally.claim(paper, "Unbiased against double batch"));
    }
    for estimation in [Estimation::Unbiased, Estimation::Double] {
        for other in [Metric::Epic, Metric::Dard] {
            let ways = [Metric::Srrd, other].map(|m| results.way(m, estimation));
            let [Some(srrd), Some(rival)] = ways else { continue };
            let low = |m: &Measured| m.cell.epsilon > 0.0 && m.coverage.mean() <= 0.2;
            let tally = Tally::of(results, srrd, rival, low);
            let other = upper(other);
            let paper =
                format!("With {estimation} estimates, too, SRRD outperforms {other} at low coverage (up to 20 %).");
            claims.extend(tally.claim(paper, &format!("SRRD against {other}")));
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sparsity::made::{Level, cell, results, verdict};
    use crate::values::Noise;
    use srrd_show::page::Verdict;
    use srrd_worlds::Model;

    const SAYS: [&str; 7] = [
        "EPIC: the unbiased estimates",
        "DARD: the unbiased estimates",
        "SRRD: the unbiased estimates",
        "With unbiased estimates, too, SRRD outperforms EPIC",
        "With unbiased estimates, too, SRRD outperforms DARD",
        "With double estimates, too, SRRD outperforms EPIC",
        "With double estimates, too, SRRD outperforms DARD",
    ];

    fn verdicts(level: impl Fn(Metric, Estimation) -> Level) -> [Verdict; 7] {
        let place = cell(Model::Random, 0.1, Noise::None);
        let claims = claims(&results(&[place], &[Estimation::Unbiased, Estimation::Double], |m, e, _| level(m, e)));
        assert_eq!(claims.len(), SAYS.len());
        SAYS.map(|says| verdict(&claims, says))
    }

    /// A lower distance for SRRD and for unbiased estimates, or a higher one.
    fn apart(metric: Metric, estimation: Estimation, by: f64) -> Level {
        let srrd = if metric == Metric::Srrd { by } else { 0.0 };
        let unbiased = if estimation == Estimation::Unbiased { by } else { 0.0 };
        Level::Clear(0.5 - srrd - unbiased)
    }

    #[test]
    fn every_claim_agrees_disagrees_or_is_undecided() {
        assert_eq!(verdicts(|m, e| apart(m, e, 0.1)), [Verdict::Agrees; 7]);
        assert_eq!(verdicts(|m, e| apart(m, e, -0.1)), [Verdict::Disagrees; 7]);
        assert_eq!(verdicts(|_, _| Level::Unclear(0.5)), [Verdict::Undecided; 7]);
    }

    #[test]
    fn only_low_coverage_counts_for_the_order_of_metrics() {
        let mut place = cell(Model::Random, 0.1, Noise::None);
        place.coverage = 0.5;
        let claims = claims(&results(&[place], &[Estimation::Double], |_, _, _| Level::Clear(0.5)));
        assert!(claims.is_empty());
    }
}
