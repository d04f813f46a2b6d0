//! What the paper says about Experiment 1, beside what was measured.

use crate::experiments::shared::verdicts::{Order, Tally, all, judged, order};
use crate::experiments::sparsity::{Measured, Results};
use crate::values::{Estimation, GRIDS};
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};
use srrd_worlds::Model;

/// The claims of Experiment 1, and those that follow from the text.
pub fn claims(results: &Results) -> Vec<Claim> {
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
            let measured = format!("SRRD against DARD: {}; against EPIC: {}.", to_dard.words(), to_epic.words());
            claims.push(judged(paper, measured, verdict));
        }
        let tally = Tally::of(results, dard, epic, |_| true);
        if tally.cells() > 0 {
            let measured = format!("DARD against EPIC: {}.", tally.words());
            claims.push(judged("DARD generally outperforms EPIC.", measured, tally.verdict()));
        }
    }
    if let (Some(direct), [Some(epic), Some(dard), Some(srrd)]) = (direct, [epic, dard, srrd]) {
        let tallies = [("EPIC", epic), ("DARD", dard), ("SRRD", srrd)]
            .map(|(name, way)| (name, Tally::of(results, way, direct, |_| true)));
        if tallies[0].1.cells() > 0 {
            let verdict = all(tallies.iter().map(|(_, tally)| tally.verdict()));
            let words: Vec<String> = tallies.iter().map(|(name, tally)| format!("{name} {}", tally.words())).collect();
            let measured = format!("Against DIRECT: {}.", words.join("; "));
            claims.push(judged("All pseudometrics generally outperform DIRECT.", measured, verdict));
        }
        claims.extend(constrained_random(results, [direct, epic, dard, srrd]));
    }
    claims.extend(unbiased_lowest(results));
    claims.extend(as_published(results));
    claims
}

/// Why figures differ from the paper's: what its code computes, beside the definition.
fn as_published(results: &Results) -> Option<Claim> {
    let published = results.published_dard()?;
    let [srrd, dard] = [Metric::Srrd, Metric::Dard].map(|metric| results.way(metric, Estimation::Double));
    let (srrd, dard) = (srrd?, dard?);
    let [to_code, to_definition] = [published, dard].map(|other| Tally::of(results, srrd, other, |_| true));
    if to_code.cells() == 0 {
        return None;
    }
    let counted = |m: &&Measured| m.common.mean() >= srrd::settings::FEW_COMMON as f64;
    let mean = |way: usize| {
        let means: Vec<f64> = results.cells.iter().filter(counted).map(|m| m.moments(way).mean()).collect();
        means.iter().sum::<f64>() / means.len().max(1) as f64
    };
    let measured = format!(
        "Mean distance of equivalent rewards: SRRD {:.3}, DARD as defined {:.3}, DARD as published {:.3}. SRRD against DARD as published: {}; \
         against DARD as defined: {}.",
        mean(srrd),
        mean(dard),
        mean(published),
        to_code.words(),
        to_definition.words()
    );
    let comment =
        "The published code takes the successors of s in all three places of DARD and leaves γ out of its last term";
    let verdict = to_code.verdict();
    let order = match (verdict, to_definition.verdict()) {
        (Verdict::Agrees, Verdict::Agrees) => "the paper's order comes out with its code and with its definition",
        (Verdict::Agrees, _) => "the paper's order comes out with its code, and not with its definition",
        _ => "the paper's order does not come out with its code here",
    };
    let paper = "SRRD is below DARD: with DARD as the paper's code computes it.";
    Some(Claim::new(paper.to_owned(), measured, verdict, format!("{comment}: {order}.")))
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
    let by_world: Vec<String> = (GRIDS.into_iter())
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
    let paper = "Feasibility constraints, random rewards, 100 rollouts or more: SRRD below DARD below EPIC, and EPIC hardly below \
                 DIRECT.";
    let measured = format!(
        "The order holds beyond the intervals in {in_order} of {} settings ({}); EPIC and DIRECT differ by at most {gap:.3}.",
        cells.len(),
        by_world.join(", ")
    );
    Some(judged(paper, measured, verdict))
}

/// Under limited sampling the unbiased SRRD is the lowest of all.
fn unbiased_lowest(results: &Results) -> Option<Claim> {
    let unbiased = results.way(Metric::Srrd, Estimation::Unbiased)?;
    let rivals: Vec<usize> = (0..results.ways.len())
        .filter(|&w| w != unbiased && Metric::PAPER.contains(&results.ways[w].measure.metric))
        .collect();
    let counted = |m: &&Measured| m.cell.epsilon > 0.0 && m.common.mean() >= srrd::settings::FEW_COMMON as f64;
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
    let paper = "Under limited sampling the unbiased estimates do better than the double batch, and SRRD best of all.";
    let measured = format!(
        "The unbiased SRRD has the lowest mean in {lowest} of {cells} settings; another one is below it beyond the interval in \
         {beaten}."
    );
    Some(judged(paper, measured, verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sparsity::made::{Level, Place, cell, results, verdict};
    use crate::values::{Measure, Noise};

    const PLACES: [Place; 2] = [cell(Model::Random, 0.1, Noise::None), cell(Model::Random, 0.0, Noise::None)];
    const BOTH: [Estimation; 2] = [Estimation::Double, Estimation::Unbiased];

    const LIMITED: &str = "Under limited sampling SRRD outperforms";
    const CONSTRAINED: &str = "Under feasibility constraints SRRD significantly";
    const DARD: &str = "DARD generally outperforms EPIC";
    const DIRECT: &str = "All pseudometrics generally outperform DIRECT";
    const ORDER: &str = "SRRD below DARD below EPIC, and EPIC hardly";
    const UNBIASED: &str = "the unbiased estimates do better";

    fn means(metric: Metric, [direct, epic, dard, srrd]: [f64; 4]) -> f64 {
        match metric {
            Metric::Direct => direct,
            Metric::Epic => epic,
            Metric::Dard => dard,
            _ => srrd,
        }
    }

    #[test]
    fn all_agree_when_distances_are_in_the_papers_order() {
        let better = |estimation| if estimation == Estimation::Unbiased { 0.05 } else { 0.0 };
        let level = |m, e, _| Level::Clear(means(m, [0.55, 0.54, 0.3, 0.25]) - better(e));
        let claims = claims(&results(&PLACES, &BOTH, level));
        for says in [LIMITED, CONSTRAINED, DARD, DIRECT, ORDER, UNBIASED] {
            assert_eq!(verdict(&claims, says), Verdict::Agrees, "{says}");
        }
    }

    #[test]
    fn none_agrees_when_the_order_is_turned_round() {
        let worse = |estimation| if estimation == Estimation::Unbiased { 0.05 } else { 0.0 };
        let level = |m, e, _| Level::Clear(means(m, [0.2, 0.3, 0.4, 0.5]) + worse(e));
        let claims = claims(&results(&PLACES, &BOTH, level));
        for says in [LIMITED, CONSTRAINED, DARD, DIRECT, ORDER, UNBIASED] {
            assert_eq!(verdict(&claims, says), Verdict::Disagrees, "{says}");
        }
    }

    #[test]
    fn nothing_is_decided_when_differences_scatter() {
        let claims = claims(&results(&PLACES, &BOTH, |_, _, _| Level::Unclear(0.5)));
        for says in [LIMITED, CONSTRAINED, DARD, DIRECT, ORDER] {
            assert_eq!(verdict(&claims, says), Verdict::Undecided, "{says}");
        }
    }

    #[test]
    fn an_unbiased_srrd_that_is_neither_lowest_nor_beaten_decides_nothing() {
        let level = |metric, estimation, _| match (metric, estimation) {
            (Metric::Srrd, Estimation::Unbiased) => Level::Unclear(0.31),
            _ => Level::Clear(0.3),
        };
        assert_eq!(verdict(&claims(&results(&PLACES, &BOTH, level)), UNBIASED), Verdict::Undecided);
    }

    #[test]
    fn what_the_code_computes_is_told_from_what_is_defined() {
        let mut found = results(&PLACES, &BOTH[..1], |m, _, _| Level::Clear(means(m, [0.55, 0.54, 0.25, 0.25])));
        assert!(as_published(&found).is_none());
        let dard = found.way(Metric::Dard, Estimation::Double).unwrap();
        found.ways.push(crate::experiments::sparsity::Way { measure: Measure::PUBLISHED[1], ..found.ways[dard] });
        for cell in &mut found.cells {
            let code = cell.distances[dard].iter().map(|distance| distance + 0.2).collect();
            cell.distances.push(code);
        }
        let claim = as_published(&found).unwrap();
        assert_eq!(claim.verdict, Verdict::Agrees);
        assert!(claim.measured.contains("DARD as published 0.450"), "{}", claim.measured);
        // The definition's DARD stays what the other claims are about.
        assert_eq!(found.way(Metric::Dard, Estimation::Double), Some(dard));
    }

    #[test]
    fn claims_that_the_results_say_nothing_about_are_left_out() {
        let claims = claims(&results(&PLACES[..1], &BOTH[..1], |_, _, _| Level::Clear(0.5)));
        assert!(claims.iter().all(|claim| !claim.paper.contains(CONSTRAINED) && !claim.paper.contains(UNBIASED)));
    }
}
