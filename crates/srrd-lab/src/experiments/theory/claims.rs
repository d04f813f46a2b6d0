//! What the paper proves, beside what was measured.

use super::{LEVELS, Results, Setting};
use crate::experiments::shared::verdicts::{holds, judged};
use srrd_show::page::{Claim, Verdict};

pub fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = shaping_error(results);
    claims.extend(regret(results));
    claims.extend(generalized(results));
    claims
}

/// Theorem 1, and the order of the metrics that follows from it.
fn shaping_error(results: &Results) -> Vec<Claim> {
    let found = results.of(|s| matches!(s, Setting::ShapingError { .. }));
    let mut words = Vec::new();
    let (mut below, mut order) = (true, true);
    for (setting, rows) in &found {
        below &= rows.iter().all(|(_, m)| m.held == m.value.count());
        // EPIC, DARD, SRRD.
        order &= rows.windows(2).all(|pair| pair[1].1.value.mean() <= pair[0].1.value.mean());
        let shares: Vec<String> = (rows.iter().zip(["EPIC", "DARD", "SRRD"]))
            .map(|((_, m), metric)| format!("{:.1} % ({metric})", 100.0 * m.share.mean()))
            .collect();
        words.push(format!("{}: within the bound on {} of the transitions", setting.title(), shares.join(", ")));
    }
    if found.is_empty() {
        return Vec::new();
    }
    let bound = Claim::new(
        "Theorem 1: when forward transitions are sampled, RSE is at most M/Z for EPIC, 2M/(3Z) for DARD and M/(3Z) for SRRD (M \
         the largest potential, Z the largest reward).",
        format!("{}.", words.join("; ")),
        if below { Verdict::Agrees } else { Verdict::Undecided },
        if below {
            "Agrees on every transition of every sample."
        } else {
            "These samples do not meet the theorem's assumption everywhere, and where they do not its bound can be exceeded."
        },
    );
    let measured = match order {
        true => "The largest error is on average in this order in every setting.",
        false => "The largest errors are not in this order in every setting; see the table.",
    };
    vec![bound, judged("SRRD has the lowest shaping error, then DARD, then EPIC.", measured, holds(order))]
}

fn regret(results: &Results) -> Option<Claim> {
    let (mut held, mut count, mut largest) = (0, 0, 0.0f64);
    for (_, rows) in results.of(|s| matches!(s, Setting::Regret { .. })) {
        for (_, m) in rows {
            held += m.held;
            count += m.value.count();
            largest = largest.max(m.largest_ratio);
        }
    }
    let measured = format!("The bounds hold in {held} of {count} cases; regret is at most {largest:.3} of a bound.");
    let claim = || judged("Theorem 2: regret is at most 32 K ‖R‖ D_SRRD / (1 − γ).", measured, holds(held == count));
    (count > 0).then(claim)
}

fn generalized(results: &Results) -> Option<Claim> {
    let (_, rows) = results.of(|s| s == Setting::GeneralizedExact).into_iter().next()?;
    let held = rows.iter().all(|(_, m)| m.held == m.value.count());
    let (first, last) = (rows.first()?.1.value.mean(), rows.last()?.1.value.mean());
    let measured = format!(
        "In the exact form from {first:.3} of the largest potential (n = 1) to {last:.4} (n = {LEVELS}); it is below 2γⁿ(1 + γ) in \
         {} problems.",
        if held { "all" } else { "not all" }
    );
    Some(judged("The residual shaping of C_n shrinks like γⁿ.", measured, holds(held)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::theory::{Measured, Quantity};

    const ERRORS: Setting = Setting::ShapingError { epsilon: 0.0, rollouts: 5 };
    const REGRET: Setting = Setting::Regret { deterministic: true };

    /// The value and the share of the n-th quantity of a setting.
    type Found = fn(usize) -> (f64, f64);

    /// Two trials of every quantity of a setting with these values and shares; all bounds are 1.
    fn results(settings: &[(Setting, Found)]) -> Results {
        let measured = |(i, quantity): (usize, Quantity), found: Found| {
            let mut measured = Measured::default();
            let (value, share) = found(i);
            (0..2).for_each(|_| measured.add(value, 1.0, share));
            (quantity, measured)
        };
        let rows = |&(setting, found): &(Setting, Found)| {
            (setting, setting.quantities().into_iter().enumerate().map(|row| measured(row, found)).collect())
        };
        Results { settings: settings.iter().map(rows).collect() }
    }

    fn verdicts(results: &Results) -> Vec<Verdict> {
        claims(results).iter().map(|claim| claim.verdict).collect()
    }

    #[test]
    fn every_claim_agrees_when_bounds_hold() {
        let fine: Found = |i| (0.9 - 0.1 * i as f64, 1.0);
        let all = results(&[(ERRORS, fine), (REGRET, fine), (Setting::GeneralizedExact, fine)]);
        assert_eq!(verdicts(&all), [Verdict::Agrees; 4]);
    }

    #[test]
    fn bounds_that_are_exceeded_disagree() {
        let over: Found = |i| (1.1 + 0.1 * i as f64, 0.5);
        let all = results(&[(ERRORS, over), (REGRET, over), (Setting::GeneralizedExact, over)]);
        // The samples of Theorem 1 need not meet its assumption.
        let expected = [Verdict::Undecided, Verdict::Disagrees, Verdict::Disagrees, Verdict::Disagrees];
        assert_eq!(verdicts(&all), expected);
    }

    #[test]
    fn what_was_not_run_has_no_claim() {
        assert!(claims(&results(&[])).is_empty());
        let samples = Setting::Generalized { epsilon: 0.0, rollouts: 5 };
        assert!(claims(&results(&[(samples, |_| (2.0, 0.0))])).is_empty());
        let unfinished = Results { settings: vec![(REGRET, vec![(Quantity::Theorem, Measured::default())])] };
        assert!(claims(&unfinished).is_empty());
    }
}
