//! How good predictions are.

/// How often samples of one class were taken for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    classes: usize,
    counts: Vec<u64>,
}

impl Confusion {
    /// Nothing predicted yet.
    pub fn new(classes: usize) -> Self {
        Confusion { classes, counts: vec![0; classes * classes] }
    }

    /// A sample of class `truth` was taken for one of class `predicted`.
    pub fn add(&mut self, truth: usize, predicted: usize) {
        self.counts[truth * self.classes + predicted] += 1;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Confusion) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
    }

    /// How often class `truth` was taken for class `predicted`.
    pub fn get(&self, truth: usize, predicted: usize) -> u64 {
        self.counts[truth * self.classes + predicted]
    }

    /// Row after row: true classes down, predicted ones across.
    pub fn as_slice(&self) -> &[u64] {
        &self.counts
    }

    /// Accuracy, and precision, recall and F1 averaged over classes.
    ///
    /// The average is over the classes that occur among the samples or the predictions, each counting the same; a precision or
    /// recall without a case is 0.
    pub fn scores(&self) -> Scores {
        let n = self.classes;
        let total: u64 = self.counts.iter().sum();
        let (mut right, mut there) = (0, 0u32);
        let (mut precision, mut recall, mut f1) = (0.0, 0.0, 0.0);
        for class in 0..n {
            let hit = self.get(class, class);
            let truth: u64 = (0..n).map(|other| self.get(class, other)).sum();
            let predicted: u64 = (0..n).map(|other| self.get(other, class)).sum();
            right += hit;
            if truth + predicted == 0 {
                continue;
            }
            there += 1;
            let share = |of: u64| if of == 0 { 0.0 } else { hit as f64 / of as f64 };
            precision += share(predicted);
            recall += share(truth);
            f1 += 2.0 * hit as f64 / (truth + predicted) as f64;
        }
        let mean = |sum: f64| if there == 0 { f64::NAN } else { sum / f64::from(there) };
        Scores {
            accuracy: if total == 0 { f64::NAN } else { right as f64 / total as f64 },
            precision: mean(precision),
            recall: mean(recall),
            f1: mean(f1),
        }
    }
}

/// How good predictions are; all between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// The share that is right.
    pub accuracy: f64,
    /// Of what was taken for a class, the share that is of it; averaged over classes.
    pub precision: f64,
    /// Of what is of a class, the share that was taken for it; averaged over classes.
    pub recall: f64,
    /// The harmonic mean of the two, averaged over classes.
    pub f1: f64,
}

/// A score over repeated splits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation (n − 1 below the line); NaN for one split.
    pub sd: f64,
    /// 2.5 % of the splits have a lower score.
    pub low: f64,
    /// 2.5 % of the splits have a higher score.
    pub high: f64,
}

impl Spread {
    /// Of one score a split. The interval holds the middle 95 % of the splits (linear interpolation between them). It is not an
    /// interval of the mean: the splits share samples, so the mean of many of them is less certain than their number suggests.
    pub fn of(scores: &[f64]) -> Self {
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        let mut sorted = scores.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quantile = |p: f64| {
            let place = p * (n - 1.0).max(0.0);
            let below = sorted.get(place.floor() as usize).copied().unwrap_or(f64::NAN);
            let above = sorted.get(place.ceil() as usize).copied().unwrap_or(f64::NAN);
            below + (above - below) * place.fract()
        };
        let sd = if n < 2.0 { f64::NAN } else { (squares / (n - 1.0)).sqrt() };
        Spread { mean, sd, low: quantile(0.025), high: quantile(0.975) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_a_small_case() {
        // truth 0 0 0 1 1 2, predicted 0 0 1 1 0 1; class 3 never occurs
        let mut confusion = Confusion::new(4);
        for (truth, predicted) in [(0, 0), (0, 0), (0, 1), (1, 1), (1, 0), (2, 1)] {
            confusion.add(truth, predicted);
        }
        let scores = confusion.scores();
        assert_eq!(scores.accuracy, 0.5);
        assert!((scores.precision - (2.0 / 3.0 + 1.0 / 3.0 + 0.0) / 3.0).abs() < 1e-15);
        assert!((scores.recall - (2.0 / 3.0 + 0.5 + 0.0) / 3.0).abs() < 1e-15);
        assert!((scores.f1 - (2.0 / 3.0 + 0.4 + 0.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn a_spread_holds_the_middle_of_the_splits() {
        let spread = Spread::of(&(0..=40).map(f64::from).collect::<Vec<_>>());
        assert_eq!((spread.mean, spread.low, spread.high), (20.0, 1.0, 39.0));
        assert!((spread.sd - (41.0f64 * 42.0 / 12.0).sqrt()).abs() < 1e-12);
        assert!(Spread::of(&[0.5]).sd.is_nan());
    }
}
