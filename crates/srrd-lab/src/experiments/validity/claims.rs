//! What is promised, beside what was measured. The paper has none of it.

use super::Part;
use super::rewards::RewardKind;
use super::tally::{Cell, Share, Tally};
use srrd_show::page::{Claim, Verdict};

/// What a part promises: the share that is asked of it is at least, or at most, this.
enum Promise {
    AtLeast(f64),
    AtMost(f64),
}

/// Intervals that are given hold the truth at least so often.
const COVERAGE: f64 = 0.90;
/// Tests that are given are wrong at most so often.
const ALARMS: f64 = 0.07;
/// For independent rewards at most so much is withheld.
const WITHHELD: f64 = 0.05;
/// "Same" is wrong at most so often.
const WRONG_SAME: f64 = 0.01;
/// With fewer trials a share of a cell is not judged.
pub const FEW: u64 = 20;

pub fn claims(cells: &[Cell]) -> Vec<Claim> {
    let parts = [
        (
            Part::Projected,
            Promise::AtLeast(COVERAGE),
            "The 95 % interval of projected, where it is given, holds the distance over all \
          transitions at least 90 % of the time, whatever the rewards.",
        ),
        (
            Part::Direct,
            Promise::AtLeast(COVERAGE),
            "The 95 % interval of direct, where it is given, holds the distance over all transitions \
          at least 90 % of the time, whatever the rewards.",
        ),
        (
            Part::Chance,
            Promise::AtMost(ALARMS),
            "The test by projected, where it is given, calls unrelated rewards alike at most 7 % of the \
          time, whatever the rewards.",
        ),
        (
            Part::ChanceDirect,
            Promise::AtMost(ALARMS),
            "The test by direct, where it is given, calls unrelated rewards alike at most 7 % of \
          the time, whatever the rewards.",
        ),
        (
            Part::Gamma,
            Promise::AtLeast(COVERAGE),
            "The 95 % interval of γ, where it is given, holds γ at least 90 % of the time, whatever the \
          rewards.",
        ),
        (Part::Verdict, Promise::AtMost(WRONG_SAME), "At most 1 % of the answers \"same\" come with a loss above 5 %."),
        (Part::Copy, Promise::AtMost(0.0), "No shaped and scaled copy is called different."),
    ];
    let mut claims: Vec<Claim> =
        parts.into_iter().filter_map(|(part, promise, words)| claim(cells, part, &promise, words)).collect();
    claims.extend([Part::Projected, Part::Chance, Part::Gamma].into_iter().filter_map(|part| withheld(cells, part)));
    claims
}

/// Judged on every cell where something was given, and on all of them together.
fn claim(cells: &[Cell], part: Part, promise: &Promise, words: &str) -> Option<Claim> {
    let of = || cells.iter().filter(|cell| cell.part == part && cell.tally.share(part).count > 0);
    let together = of().fold(Tally::default(), |sum, cell| sum.joined(&cell.tally)).share(part);
    if together.count == 0 {
        return None;
    }
    let worse = |cell: &&Cell| {
        let share = cell.tally.share(part);
        share.count >= FEW && broken(&share, promise)
    };
    let (judged, bad) = (of().filter(|cell| cell.tally.share(part).count >= FEW).count(), of().filter(worse).count());
    let most = of().filter(|cell| cell.tally.share(part).count >= FEW).map(|cell| (cell, cell.tally.share(part)));
    let worst = match promise {
        Promise::AtLeast(_) => most.min_by(|a, b| a.1.value.total_cmp(&b.1.value)),
        Promise::AtMost(_) => most.max_by(|a, b| a.1.value.total_cmp(&b.1.value)),
    };
    let worst =
        worst.map_or(String::new(), |(cell, share)| format!("; worst cell {} ({})", percent(&share), cell.title()));
    let holds = match promise {
        Promise::AtLeast(least) => together.value >= *least,
        Promise::AtMost(most) => together.value <= *most,
    };
    let note = match (holds, bad) {
        (true, 0) => "It does.".to_owned(),
        (_, 0) => "Not all of them together do; no cell alone shows it.".to_owned(),
        (_, bad) => format!("Not in {bad} of {judged} cells with at least {FEW} cases."),
    };
    let measured = format!("{} of {} cases{worst}.", percent(&together), together.count);
    Some(Claim::new(words, measured, Verdict::NotInPaper, note))
}

/// Whether the interval of a share excludes what is promised.
fn broken(share: &Share, promise: &Promise) -> bool {
    match promise {
        Promise::AtLeast(least) => share.high < *least,
        Promise::AtMost(most) => share.low > *most,
    }
}

pub fn percent(share: &Share) -> String {
    format!("{:.1} % ({:.1} to {:.1})", 100.0 * share.value, 100.0 * share.low, 100.0 * share.high)
}

fn withheld(cells: &[Cell], part: Part) -> Option<Claim> {
    let of = cells.iter().filter(|cell| cell.part == part && cell.kind == RewardKind::Independent);
    let tally = of.fold(Tally::default(), |sum, cell| sum.joined(&cell.tally));
    if tally.trials == 0 {
        return None;
    }
    let share = Share::of(tally.trials - tally.given, tally.trials);
    let reasons: Vec<String> = tally.reasons.iter().map(|(why, count)| format!("{why} {count}")).collect();
    let reasons = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
    let note = match share {
        Share { value, .. } if value < WITHHELD => "It is.",
        Share { low, .. } if low < WITHHELD => "These trials do not exclude it.",
        _ => "It is not.",
    };
    let words = format!("Of the {} less than 5 % is withheld where rewards are independent.", part.title());
    let measured = format!("{} of {} cases{reasons}.", percent(&share), share.count);
    Some(Claim::new(words, measured, Verdict::NotInPaper, note))
}

impl Cell {
    /// As people read it.
    pub fn title(&self) -> String {
        use crate::row::Choice;
        let Cell { size, epsilon, kind, rollouts, .. } = self;
        format!("{size}, ε = {epsilon}, {}, {rollouts} rollouts", kind.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Fraction, Size};

    fn note(given: u64, covered: u64) -> Vec<Claim> {
        let tally = Tally { trials: 100, given, covered, ..Tally::default() };
        let (size, epsilon) = (Size::square(10), Fraction(0.0));
        let cell = Cell { size, epsilon, kind: RewardKind::Independent, rollouts: 5, part: Part::Projected, tally };
        claims(&[cell])
    }

    #[test]
    fn intervals_hold_or_not_and_what_is_withheld_is_told() {
        let found = note(100, 95);
        assert_eq!((found[0].note.as_str(), found[1].note.as_str()), ("It does.", "It is."));
        let found = note(50, 30);
        assert_eq!(found[0].note, "Not in 1 of 1 cells with at least 20 cases.");
        assert_eq!(found[1].note, "It is not.");
        assert!(found[1].measured.starts_with("50.0 %"));
    }
}
