//! What intervals promise, beside what was measured. The paper has none.

use super::Measured;
use srrd_show::page::{Claim, Verdict};

pub fn claims(measured: &[Measured]) -> Vec<Claim> {
    measured.iter().map(claim).collect()
}

fn claim(m: &Measured) -> Claim {
    let (share, low, high) = m.share();
    let note = match share {
        s if (0.92..=0.98).contains(&s) => "It does.",
        _ if high >= 0.92 && low <= 0.98 => "These trials do not exclude it.",
        _ => "It does not.",
    };
    let paper = format!(
        "The 95 % interval of the {} ({} rollouts) holds the truth 92 to 98 % of the time.",
        m.part.words(),
        m.rollouts
    );
    let measured = format!(
        "{}; the estimate is {:.3} off on average, the interval {:.3} wide.",
        m.percent(),
        m.off.mean(),
        m.width.mean()
    );
    Claim::new(paper, measured, Verdict::NotInPaper, note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(covered: u64, count: usize) -> String {
        let off = std::iter::repeat_n(0.1, count);
        let m = Measured { covered, error: off.clone().collect(), off: off.collect(), ..Measured::default() };
        claims(&[m]).remove(0).note
    }

    #[test]
    fn an_interval_holds_what_it_promises_or_not_or_cannot_tell() {
        assert_eq!(note(95, 100), "It does.");
        assert_eq!(note(70, 100), "It does not.");
        assert_eq!(note(1000, 1000), "It does not.");
        assert_eq!(note(9, 10), "These trials do not exclude it.");
        assert_eq!(note(3, 3), "These trials do not exclude it.");
    }
}
