//! What the paper says about instability, beside what was measured.

use super::{COVERAGES, PAPER_EPIC, Results};
use crate::experiments::shared::verdicts::holds;
use crate::statistics::Moments;
use crate::values::Estimation;
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};
use srrd_show::words::number;

pub fn claims(results: &Results) -> Vec<Claim> {
    let double = |metric| results.combinations.iter().position(|&c| c == (metric, Estimation::Double));
    let mut claims: Vec<Claim> = full_coverage(&results.sds[0]).into_iter().collect();
    let (Some(epic), Some(dard), Some(srrd)) = (double(Metric::Epic), double(Metric::Dard), double(Metric::Srrd))
    else {
        return claims;
    };
    claims.extend(
        [1, 2].into_iter().filter_map(|level| partial_coverage(&results.sds[level], level, [epic, dard, srrd])),
    );
    claims
}

fn full_coverage(row: &[Moments]) -> Option<Claim> {
    if row.iter().any(|sds| sds.mean().is_nan()) {
        return None;
    }
    let largest = row.iter().map(Moments::mean).fold(0.0, f64::max);
    // Rewards are up to 31: what is left is rounding.
    let agrees = largest < 1e-9;
    let note = if agrees { "Agrees: what is left is rounding." } else { "Does not agree." };
    let measured = format!("The largest of all metrics is {}.", number(largest, 2));
    Some(Claim::new("With full coverage the standard deviation is 0.", measured, holds(agrees), note))
}

fn partial_coverage(row: &[Moments], level: usize, [epic, dard, srrd]: [usize; 3]) -> Option<Claim> {
    if row.iter().any(|moments| moments.count() < 2) {
        return None;
    }
    let [epic_sd, dard_sd, srrd_sd] = [epic, dard, srrd].map(|combination| row[combination].mean());
    let ratio = epic_sd / dard_sd.max(srrd_sd);
    let verdict = holds(ratio > 2.0);
    let note = match verdict {
        Verdict::Agrees => format!("Agrees: EPIC lies {ratio:.1} times above the others."),
        _ => format!("Does not agree: EPIC lies only {ratio:.1} times above the others."),
    };
    let paper = format!(
        "At {:.0} % coverage EPIC has a standard deviation of {}; DARD and SRRD have lower ones.",
        100.0 * COVERAGES[level],
        PAPER_EPIC[level]
    );
    let measured = format!(
        "EPIC {epic_sd:.2}, DARD {dard_sd:.2}, SRRD {srrd_sd:.2} on average over {} random graphs.",
        row[epic].count()
    );
    Some(Claim::new(paper, measured, verdict, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Standard deviations of EPIC, DARD and SRRD at each coverage.
    fn results(levels: [[f64; 3]; 3]) -> Results {
        let combinations =
            [Metric::Epic, Metric::Dard, Metric::Srrd].map(|metric| (metric, Estimation::Double)).to_vec();
        let row = |level: [f64; 3]| level.map(|sd| [sd, sd].into_iter().collect::<Moments>()).to_vec();
        Results { combinations, sds: levels.map(row).to_vec() }
    }

    fn verdicts(results: &Results) -> Vec<Verdict> {
        claims(results).iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn every_claim_agrees_or_disagrees() {
        let paper = results([[1e-13; 3], [3.0, 1.0, 0.5], [7.0, 1.0, 2.0]]);
        assert_eq!(verdicts(&paper), [Verdict::Agrees; 3]);
        let other = results([[1e-13, 0.1, 0.0], [3.0, 1.0, 2.0], [1.0, 1.0, 2.0]]);
        assert_eq!(verdicts(&other), [Verdict::Disagrees; 3]);
    }

    #[test]
    fn too_few_graphs_say_nothing() {
        let mut none = results([[0.0; 3]; 3]);
        none.sds = vec![vec![Moments::default(); 3]; 3];
        assert!(claims(&none).is_empty());
        none.sds[1] = vec![[1.0].into_iter().collect(); 3];
        assert!(claims(&none).is_empty());
    }
}
