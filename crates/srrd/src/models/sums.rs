//! Sums over prompts, of which all numbers are made.

use super::{BEST_OF, MARGINS, ROUNDING};

/// How many properties of responses can be held against disagreements.
pub(super) const MOST_NUISANCES: usize = 4;

/// What one prompt adds.
#[derive(Clone, Copy)]
pub(super) struct Counted(pub Sums);

/// Sums over prompts, of which all numbers are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sums(pub(super) [f64; Sums::SIZE]);

impl Default for Sums {
    fn default() -> Self {
        Sums([0.0; Sums::SIZE])
    }
}

impl Sums {
    pub const AB: usize = 0;
    pub const AA: usize = 1;
    pub const BB: usize = 2;
    pub const RESPONSES: usize = 3;
    pub const PROMPTS: usize = 4;
    pub const ALIKE: usize = 5;
    pub const OPPOSITE: usize = 6;
    pub const TAU: usize = 7;
    pub const TAUS: usize = 8;
    pub const TOP: usize = 9;
    /// By margin, pairs that are ordered alike and oppositely.
    pub const MARGIN: usize = 10;
    /// By n, the loss of B, the loss of A, and how many prompts have so many responses.
    pub const LOSS: usize = Self::MARGIN + 2 * MARGINS.len();
    /// By property of responses, its product with A's scores, that with B's, and those with the properties up to itself.
    const PROPERTY: usize = Self::LOSS + 3 * BEST_OF.len();
    const SIZE: usize = Self::PROPERTY + 2 * MOST_NUISANCES + MOST_NUISANCES * (MOST_NUISANCES + 1) / 2;

    /// Where the product of a property with the scores of A (0) or B (1) is.
    pub const fn with_scores(property: usize, of: usize) -> usize {
        Self::PROPERTY + 2 * property + of
    }

    /// Where the product of two properties is, the larger first.
    pub const fn of_properties(one: usize, other: usize) -> usize {
        Self::PROPERTY + 2 * MOST_NUISANCES + one * (one + 1) / 2 + other
    }

    /// Adds as many of the other.
    pub fn add(&mut self, other: &Sums, times: f64) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, value)| *sum += times * value);
    }

    fn share(&self, part: usize, of: f64) -> Option<f64> {
        (of > 0.0).then(|| self.0[part] / of)
    }

    pub fn distance(&self) -> Option<f64> {
        Some((0.5 * (1.0 - self.cosine()?)).clamp(0.0, 1.0).sqrt())
    }

    /// The cosine of the angle between the scores.
    pub fn cosine(&self) -> Option<f64> {
        let length = (self.0[Self::AA] * self.0[Self::BB]).sqrt();
        (length > 0.0).then(|| self.0[Self::AB] / length)
    }

    pub fn accuracy(&self) -> Option<f64> {
        self.share(Self::ALIKE, self.0[Self::ALIKE] + self.0[Self::OPPOSITE])
    }

    pub fn tau_b(&self) -> Option<f64> {
        self.share(Self::TAU, self.0[Self::TAUS])
    }

    pub fn top1(&self) -> Option<f64> {
        self.share(Self::TOP, self.0[Self::PROMPTS])
    }

    /// The loss at this place of [`BEST_OF`]: of B (0) or of A (1), in standard deviations of its own.
    pub fn loss(&self, place: usize, of: usize) -> Option<f64> {
        let freedom = self.0[Self::RESPONSES] - self.0[Self::PROMPTS];
        let deviation = (self.0[[Self::BB, Self::AA][of]] / freedom).sqrt();
        let mean = self.share(Self::LOSS + 3 * place + of, self.0[Self::LOSS + 3 * place + 2])?;
        // What remains where both choose the same is rounding.
        let clean = |loss: f64| if loss.abs() < ROUNDING { 0.0 } else { loss };
        (deviation > 0.0).then(|| clean(mean / deviation))
    }

    pub fn responses(&self) -> usize {
        self.0[Self::RESPONSES] as usize
    }

    pub fn accuracy_at(&self, place: usize) -> Option<f64> {
        let at = Self::MARGIN + 2 * place;
        self.share(at, self.0[at] + self.0[at + 1])
    }

    pub fn pairs_at(&self, place: usize) -> u64 {
        (self.0[Self::MARGIN + 2 * place] + self.0[Self::MARGIN + 2 * place + 1]) as u64
    }
}
