//! What `projected` should do beside what it does. The paper has no such study.

use super::measures::{Measure, Sampled};
use super::problem::Episodes;
use super::ranks::{Found, Judged};
use srrd::Metric;
use srrd_show::page::{Claim, Verdict};

/// What the rank correlation on episodic problems with step costs should be at least, where everything is known.
const ENOUGH: f64 = 0.85;

pub fn claims(judged: &[Judged]) -> Vec<Claim> {
    let ending = || judged.iter().filter(|one| one.kind.episodes == Episodes::End);
    let full = ending().filter(|one| one.sampled == Sampled::Everything).filter_map(enough);
    let sparse = ending().filter(|one| one.sampled != Sampled::Everything).filter_map(above_all);
    full.chain(sparse).collect()
}

fn projected(judged: &Judged) -> Option<&Found> {
    judged.measures.iter().find(|found| found.measure == Measure::Metric(Metric::Projected))
}

fn shown(found: &Found) -> String {
    format!("{:.3} ({:.3} to {:.3})", found.correlation, found.low, found.high)
}

fn enough(judged: &Judged) -> Option<Claim> {
    let found = projected(judged)?;
    let note = match found {
        Found { correlation, .. } if *correlation >= ENOUGH => "It is.",
        Found { high, .. } if *high >= ENOUGH => "These problems do not exclude it.",
        _ => "It is not.",
    };
    let paper = format!(
        "{} problems with step costs, every transition known: the rank correlation of {} with regret is at least {ENOUGH}.",
        judged.kind.moves.title(),
        found.measure.title()
    );
    Some(Claim::new(paper, shown(found), Verdict::NotInPaper, note))
}

fn above_all(judged: &Judged) -> Option<Claim> {
    let found = projected(judged)?;
    // Forms of the same correlation are no other metrics.
    let others = || judged.measures.iter().filter(|other| !other.measure.projected());
    let best = others().max_by(|a, b| a.correlation.total_cmp(&b.correlation))?;
    let behind = others().filter(|other| other.less_than(found).0 > 0.0).count();
    let ahead = others().filter(|other| other.less_than(found).1 < 0.0).count();
    let note = match (ahead, others().count() - behind) {
        (0, 0) => "It is.".to_owned(),
        (0, left) if best.correlation < found.correlation => {
            format!("It is in these problems; of {left} others the interval of the difference holds 0.")
        }
        (0, _) => "These problems do not decide it.".to_owned(),
        _ => "It is not.".to_owned(),
    };
    let paper = format!(
        "{} problems with step costs, {}: {} ranks pairs by regret better than every other metric.",
        judged.kind.moves.title(),
        judged.sampled.title(),
        found.measure.title()
    );
    let measured = format!("{}; the best other is {}, {}.", shown(found), best.measure.title(), shown(best));
    Some(Claim::new(paper, measured, Verdict::NotInPaper, note))
}

#[cfg(test)]
mod tests {
    use super::super::ranks::tests::ranked;
    use super::*;

    #[test]
    fn a_metric_that_ranks_every_pair_rightly_is_above_the_others() {
        let claims = claims(&[ranked().judge(0)]);
        assert_eq!(claims.len(), 1);
        assert_eq!(claims[0].note, "It is.");
        assert!(claims[0].measured.starts_with("1.000 (1.000 to 1.000); the best other is"));
    }
}
