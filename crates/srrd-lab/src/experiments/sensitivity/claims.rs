//! What the paper says about sampling policies, beside what was measured.

use super::{PAPER_ALL, Results};
use crate::experiments::shared::verdicts::{holds, judged};
use crate::statistics::Moments;
use srrd::Metric;
use srrd_show::page::Claim;

pub fn claims(results: &Results) -> Vec<Claim> {
    let way = |metric| results.metrics.iter().position(|&m| m == metric);
    let Some(srrd) = way(Metric::Srrd) else { return Vec::new() };
    let mut claims: Vec<Claim> = closeness(results, srrd).into_iter().collect();
    if claims.is_empty() {
        return claims;
    }
    claims.extend(more_trajectories(results, srrd));
    if let (Some(epic), Some(dard)) = (way(Metric::Epic), way(Metric::Dard)) {
        let sampled = &results.settings[1..];
        let higher = |w: usize| sampled.iter().filter(|m| m.distances[w].mean() > m.distances[srrd].mean()).count();
        let (epic, dard) = (higher(epic), higher(dard));
        let measured = format!("EPIC is above SRRD in {epic} and DARD in {dard} of {} settings.", sampled.len());
        let verdict = holds(epic == sampled.len() && dard == sampled.len());
        claims.push(judged("EPIC and DARD give higher distances than SRRD.", measured, verdict));
    }
    claims
}

/// Which policies come close to the distance over all feasible transitions.
fn closeness(results: &Results, srrd: usize) -> Option<Claim> {
    let all = results.settings[0].distances[srrd].mean();
    let gap = |policies: [&str; 2]| {
        let settings = results.settings.iter().filter(|m| policies.contains(&m.policy));
        settings.map(|m| (m.distances[srrd].mean() - all).abs()).collect::<Moments>().mean()
    };
    let (near, far) = (gap(["uniform", "diagonal"]), gap(["top", "left"]));
    if near.is_nan() || far.is_nan() {
        return None;
    }
    let paper = format!(
        "Over all feasible transitions SRRD finds {PAPER_ALL}; uniform and diagonal sampling come close to it, top and left \
         deviate more."
    );
    let measured = format!(
        "Over all feasible transitions {all:.3}; uniform and diagonal differ from it by {near:.3} on average, top and left by \
         {far:.3}."
    );
    Some(judged(paper, measured, holds(near < far)))
}

fn more_trajectories(results: &Results, srrd: usize) -> Option<Claim> {
    let pairs = results.settings[1..].windows(2).filter(|pair| pair[0].policy == pair[1].policy);
    let steps: Vec<f64> = pairs.map(|pair| pair[1].distances[srrd].mean() - pair[0].distances[srrd].mean()).collect();
    if steps.is_empty() {
        return None;
    }
    let fewer = steps.iter().filter(|&&step| step < 0.0).count();
    let measured = format!("The mean falls in {fewer} of {} steps to more trajectories.", steps.len());
    let paper = "More trajectories generally lead to lower SRRD distances.";
    Some(judged(paper, measured, holds(2 * fewer > steps.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::sensitivity::Measured;
    use srrd_show::page::Verdict;

    /// Distances of EPIC, DARD and SRRD.
    fn results(settings: &[(&'static str, usize, [f64; 3])]) -> Results {
        let measured = |&(policy, rollouts, distances): &(&'static str, usize, [f64; 3])| Measured {
            policy,
            rollouts,
            coverage: [0.5].into_iter().collect(),
            distances: distances.map(|d| [d, d].into_iter().collect()).to_vec(),
            undefined: vec![0; 3],
        };
        let metrics = vec![Metric::Epic, Metric::Dard, Metric::Srrd];
        Results { metrics, settings: settings.iter().map(measured).collect() }
    }

    fn verdicts(results: &Results) -> Vec<Verdict> {
        claims(results).iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn every_claim_agrees_or_disagrees() {
        let paper = results(&[
            ("all", 0, [0.6, 0.6, 0.5]),
            ("uniform", 50, [0.7, 0.7, 0.52]),
            ("uniform", 100, [0.7, 0.7, 0.51]),
            ("top", 50, [0.9, 0.9, 0.8]),
            ("top", 100, [0.9, 0.9, 0.7]),
        ]);
        assert_eq!(verdicts(&paper), [Verdict::Agrees; 3]);
        let other = results(&[
            ("all", 0, [0.6, 0.6, 0.5]),
            ("uniform", 50, [0.7, 0.7, 0.8]),
            ("uniform", 100, [0.7, 0.7, 0.9]),
            ("left", 50, [0.9, 0.4, 0.5]),
            ("left", 100, [0.9, 0.4, 0.6]),
        ]);
        assert_eq!(verdicts(&other), [Verdict::Disagrees; 3]);
    }

    #[test]
    fn without_all_policies_there_is_nothing_to_say() {
        assert!(claims(&results(&[("all", 0, [0.6, 0.6, 0.5]), ("top", 50, [0.7; 3])])).is_empty());
        let mut without = results(&[("all", 0, [0.5; 3]), ("uniform", 50, [0.5; 3]), ("left", 50, [0.5; 3])]);
        assert_eq!(claims(&without).len(), 2, "one count of trajectories has no steps");
        without.metrics[2] = Metric::Direct;
        assert!(claims(&without).is_empty());
    }
}
