//! Does a claim hold? Decided on differences between metrics over the same trials.

use crate::experiments::sparsity::{Measured, Results};
use crate::statistics::Moments;
use srrd_show::page::{Claim, Verdict};

/// What the interval of a mean difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first is smaller: the 95 % interval of the difference lies below 0.
    Below,
    /// The first is larger.
    Above,
    /// The interval holds 0, or there are too few trials.
    Unclear,
}

/// Whether differences lie below or above 0.
pub fn order(difference: &Moments) -> Order {
    let (low, high) = difference.interval();
    if high < 0.0 {
        Order::Below
    } else if low > 0.0 {
        Order::Above
    } else {
        Order::Unclear
    }
}

/// In how many cells the first way is below, above, or neither of the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cells where the first is smaller.
    pub below: usize,
    /// Cells where it is larger.
    pub above: usize,
    /// Cells where the trials do not tell.
    pub unclear: usize,
}

impl Tally {
    /// Counts the cells that `counted` lets through and where enough transitions are shared for a distance to mean something.
    pub fn of(results: &Results, way: usize, other: usize, counted: impl Fn(&Measured) -> bool) -> Self {
        let mut tally = Tally::default();
        for measured in
            results.cells.iter().filter(|m| m.common.mean() >= srrd::settings::FEW_COMMON as f64 && counted(m))
        {
            match order(&measured.difference(way, other)) {
                Order::Below => tally.below += 1,
                Order::Above => tally.above += 1,
                Order::Unclear => tally.unclear += 1,
            }
        }
        tally
    }

    /// How many cells there were.
    pub fn cells(&self) -> usize {
        self.below + self.above + self.unclear
    }

    /// The claim "smaller in general": where the trials tell, smaller at least three times as often as larger.
    pub fn verdict(&self) -> Verdict {
        let told = self.below + self.above;
        if told == 0 || 2 * told < self.cells() {
            Verdict::Undecided
        } else if self.below >= 3 * self.above {
            Verdict::Agrees
        } else {
            Verdict::Disagrees
        }
    }

    /// "below in 12, above in 1, undecided in 3 of 16 settings"
    pub fn words(&self) -> String {
        let Tally { below, above, unclear } = self;
        format!("below in {below}, above in {above}, undecided in {unclear} of {} settings", self.cells())
    }

    /// The claim that the first way, against the second, is smaller; none where there were no cells.
    pub fn claim(&self, paper: String, against: &str) -> Option<Claim> {
        (self.cells() > 0).then(|| judged(paper, format!("{against}: {}.", self.words()), self.verdict()))
    }
}

/// The weakest of several verdicts: a claim of several parts holds when all do.
pub fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut all = Verdict::Agrees;
    for verdict in verdicts {
        match verdict {
            Verdict::Disagrees => return Verdict::Disagrees,
            Verdict::Undecided => all = Verdict::Undecided,
            Verdict::Agrees | Verdict::NotInPaper => {}
        }
    }
    all
}

/// A claim with its verdict, and one sentence on the agreement.
pub fn judged(paper: impl Into<String>, measured: impl Into<String>, verdict: Verdict) -> Claim {
    Claim::new(paper, measured, verdict, sentence(verdict))
}

/// Whether something that either holds or not agrees with the paper.
pub fn holds(agrees: bool) -> Verdict {
    if agrees { Verdict::Agrees } else { Verdict::Disagrees }
}

fn sentence(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "Agrees.",
        Verdict::Disagrees => "Does not come out as stated.",
        Verdict::Undecided => "These trials do not decide it; more of them may.",
        Verdict::NotInPaper => "The paper does not say.",
    }
}

/// The claims for the end of a run.
pub fn as_text(claims: &[Claim], text: &mut String) {
    for claim in claims {
        let mark = match claim.verdict {
            Verdict::Agrees => "agrees",
            Verdict::Disagrees => "DIFFERS",
            Verdict::Undecided => "undecided",
            Verdict::NotInPaper => "new",
        };
        *text += &format!("\n[{mark}] {}\n    measured: {}\n", claim.paper, claim.measured);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(below: usize, above: usize, unclear: usize) -> Tally {
        Tally { below, above, unclear }
    }

    #[test]
    fn a_tally_agrees_disagrees_or_cannot_tell() {
        assert_eq!(tally(3, 1, 2).verdict(), Verdict::Agrees);
        assert_eq!(tally(5, 2, 0).verdict(), Verdict::Disagrees);
        assert_eq!(tally(0, 4, 0).verdict(), Verdict::Disagrees);
        assert_eq!(tally(1, 0, 2).verdict(), Verdict::Undecided);
        assert_eq!(tally(0, 0, 0).verdict(), Verdict::Undecided);
        assert_eq!(tally(3, 1, 2).words(), "below in 3, above in 1, undecided in 2 of 6 settings");
    }

    #[test]
    fn a_claim_of_several_parts_is_as_weak_as_its_weakest() {
        use Verdict::{Agrees, Disagrees, Undecided};
        assert_eq!(all([Agrees, Agrees]), Agrees);
        assert_eq!(all([Agrees, Undecided]), Undecided);
        assert_eq!(all([Undecided, Disagrees, Agrees]), Disagrees);
    }

    #[test]
    fn an_order_needs_an_interval_on_one_side_of_0() {
        let of = |values: [f64; 3]| order(&values.into_iter().collect());
        assert_eq!(of([-1.0, -1.1, -0.9]), Order::Below);
        assert_eq!(of([1.0, 1.1, 0.9]), Order::Above);
        assert_eq!(of([-1.0, 1.0, 0.1]), Order::Unclear);
        assert_eq!(order(&[1.0].into_iter().collect()), Order::Unclear);
    }
}
