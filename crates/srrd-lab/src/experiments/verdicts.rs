//! Does a claim hold? Decided on differences between metrics over the same trials.

use super::sparsity::{Measured, Results};
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
        for measured in results.cells.iter().filter(|m| m.common.mean() >= srrd::FEW_COMMON as f64 && counted(m)) {
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

    /// "below in 12, above in 1, not to be told in 3 of 16 settings"
    pub fn words(&self) -> String {
        let Tally { below, above, unclear } = self;
        format!("below in {below}, above in {above}, not to be told in {unclear} of {} settings", self.cells())
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

/// One sentence on agreement.
pub fn sentence(verdict: Verdict) -> &'static str {
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
