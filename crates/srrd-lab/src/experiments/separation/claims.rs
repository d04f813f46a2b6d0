//! What can be expected of distances, beside what was measured. The paper says none of this.

use super::{Discount, Measured, Results};
use crate::experiments::shared::correlated::true_distance;
use crate::statistics::Moments;
use crate::values::Noise;
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};
use srrd_show::words::number;

/// With fewer degrees of freedom on average a setting says little, whatever the metric.
const ENOUGH_FREEDOM: f64 = 20.0;

pub fn claims(results: &Results) -> Vec<Claim> {
    let Some(projected) = results.way(Discount::Known, Metric::Projected) else { return Vec::new() };
    let mut claims: Vec<Claim> = zero(results, projected).into_iter().collect();
    claims.extend(truth(results, projected));
    claims.extend(told_apart(results, projected));
    claims.extend(gamma(results));
    claims
}

fn clean(results: &Results) -> impl Iterator<Item = &Measured> {
    results.there().filter(|m| m.cell.source.noise == Noise::None)
}

fn enough(m: &Measured) -> bool {
    m.freedom.mean() >= ENOUGH_FREEDOM
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, &value| most.max(value))
}

fn zero(results: &Results, projected: usize) -> Option<Claim> {
    let equivalent: Vec<f64> = (clean(results).filter(|m| m.cell.correlation == 1.0))
        .flat_map(|m| m.distances[projected].iter().copied())
        .collect();
    if equivalent.is_empty() {
        return None;
    }
    let largest = largest(&equivalent);
    let note = if largest < 1e-6 { "It is 0 but for rounding." } else { "It is not 0 everywhere." };
    let measured = format!("The largest of {} such distances is {} (γ known).", equivalent.len(), number(largest, 2));
    let paper = "Equivalent pairs have the projected distance 0 at any coverage.";
    Some(Claim::new(paper, measured, Verdict::NotInPaper, note))
}

fn truth(results: &Results, projected: usize) -> Option<Claim> {
    let errors = |wanted: bool| -> Vec<f64> {
        (clean(results).filter(|m| m.cell.correlation < 1.0 && enough(m) == wanted))
            .filter(|m| m.moments(projected).count() > 0)
            .map(|m| (m.moments(projected).mean() - true_distance(m.cell.correlation)).abs())
            .collect()
    };
    let (with, without) = (errors(true), errors(false));
    if with.is_empty() {
        return None;
    }
    let describe = |errors: &[f64]| {
        let (off, most) = (errors.iter().copied().collect::<Moments>(), largest(errors));
        format!("{:.4} off on average and {most:.4} at most over {} settings", off.mean(), off.count())
    };
    let fewer = if without.is_empty() { String::new() } else { format!(" With fewer: {}.", describe(&without)) };
    let mean = with.iter().copied().collect::<Moments>().mean();
    Some(Claim::new(
        format!("The projected distance is the true one on average, with {ENOUGH_FREEDOM} degrees of freedom or more."),
        format!("The mean of a setting is {}.{fewer}", describe(&with)),
        Verdict::NotInPaper,
        format!(
            "{} What is expected of normal rewards is within 0.02 of the truth from 6 degrees of freedom on; with 1 a correlation \
             is 1 or −1, and the mean distance 0.295 where the truth is 0.447.",
            if mean < 0.02 { "It is within 0.02." } else { "It is more than 0.02 off." }
        ),
    ))
}

fn told_apart(results: &Results, projected: usize) -> Option<Claim> {
    let srrd = results.way(Discount::Known, Metric::Srrd)?;
    let range = |way: usize| {
        let cells = clean(results).filter(|m| enough(m) && m.cell.correlation < 1.0);
        let aucs: Vec<f64> = cells.filter_map(|m| Some(results.auc(m, way)?.value)).collect();
        let low = aucs.iter().fold(f64::INFINITY, |least, &auc| least.min(auc));
        (!aucs.is_empty()).then(|| format!("{low:.3} to {:.3}", largest(&aucs)))
    };
    let (ours, theirs) = (range(projected)?, range(srrd)?);
    Some(Claim::new(
        "Equivalent pairs are told from different ones.",
        format!("AUC with {ENOUGH_FREEDOM} degrees of freedom or more: projected {ours}, SRRD {theirs}."),
        Verdict::NotInPaper,
        "1 is perfect, 0.5 is guessing.",
    ))
}

fn gamma(results: &Results) -> Option<Claim> {
    let truth = results.gamma.get();
    let off: Moments = clean(results).filter(|m| enough(m)).map(|m| (m.gamma.mean() - truth).abs()).collect();
    let claim = || {
        Claim::new(
            "γ can be estimated from the two samples.",
            format!(
                "With {ENOUGH_FREEDOM} degrees of freedom or more the mean estimate of a setting is {:.3} off on average (the truth is \
                 {truth}).",
                off.mean()
            ),
            Verdict::NotInPaper,
            "By what shaping leaves unexplained, never by the smallest distance.",
        )
    };
    (off.count() > 0).then(claim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::separation::{Cell, ways};
    use crate::experiments::shared::correlated::Source;
    use crate::values::{Size, WorldKind, gamma};

    /// Equivalent pairs and pairs of correlation 0, with these distances and degrees of freedom.
    fn results(equivalent: [f64; 2], different: [f64; 2], freedom: f64) -> Results {
        let ways = ways(&[Metric::Srrd, Metric::Projected]);
        let source = Source {
            world: WorldKind::Gridworld,
            size: Size::square(20),
            epsilon: 0.0,
            noise: Noise::None,
            gamma: gamma(0.7),
            rollouts: 20,
        };
        let cell = |correlation, distances: [f64; 2]| {
            let mut measured = Measured::new(Cell { source, correlation }, ways.len());
            for m in [&mut measured.coverage, &mut measured.common] {
                m.add(0.5);
            }
            measured.freedom.add(freedom);
            measured.gamma.add(0.75);
            measured.distances = vec![distances.to_vec(); ways.len()];
            measured
        };
        let cells = vec![cell(1.0, equivalent), cell(0.0, different)];
        Results { gamma: gamma(0.7), cells, ways }
    }

    const ZERO: usize = 0;
    const TRUTH: usize = 1;
    const APART: usize = 2;
    const GAMMA: usize = 3;

    #[test]
    fn what_is_expected_is_confirmed() {
        let claims = claims(&results([0.0, 1e-9], [0.70, 0.71], 50.0));
        assert_eq!(claims.len(), 4);
        assert_eq!(claims[ZERO].note, "It is 0 but for rounding.");
        assert!(claims[TRUTH].note.starts_with("It is within 0.02."));
        assert!(claims[APART].measured.contains("projected 1.000 to 1.000, SRRD 1.000 to 1.000"));
        assert!(claims[GAMMA].measured.contains("0.050 off on average (the truth is 0.7)"));
        assert!(claims.iter().all(|claim| claim.verdict == Verdict::NotInPaper));
    }

    #[test]
    fn what_is_not_as_expected_is_said() {
        let claims = claims(&results([0.0, 0.3], [0.2, 0.25], 50.0));
        assert_eq!(claims[ZERO].note, "It is not 0 everywhere.");
        assert!(claims[TRUTH].note.starts_with("It is more than 0.02 off."));
        assert!(claims[APART].measured.contains("projected 0.500 to 0.500"));
    }

    #[test]
    fn few_degrees_of_freedom_cannot_tell() {
        let few = claims(&results([0.0, 0.0], [0.7, 0.7], 5.0));
        assert_eq!(few.len(), 1, "only that equivalent pairs have distance 0 holds at any coverage");
        let mut without = results([0.0; 2], [0.7; 2], 50.0);
        without.ways.iter_mut().for_each(|way| way.metric = Metric::Srrd);
        assert!(claims(&without).is_empty());
    }
}
