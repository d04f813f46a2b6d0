//! How well a metric classifies: repeated random splits with hyper-parameters chosen inside the training part.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::distances::{GammaDistances, Other, nearest_first};
use super::scores::{Confusion, Scores, Spread};
use super::votes::{Votes, most_frequent};
use super::{Classes, ClassifyError};
use crate::run::checkpoint;

/// The numbers of neighbours that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Ascending, without repetitions.
    ks: Vec<usize>,
}

impl Grid {
    /// In any order.
    ///
    /// # Errors
    /// When there is none, or one is 0.
    pub fn new(ks: &[usize]) -> Result<Self, ClassifyError> {
        let mut ks = ks.to_vec();
        ks.sort_unstable();
        ks.dedup();
        match ks.first() {
            None => Err(ClassifyError::Setting("there is no number of neighbours to try".to_owned())),
            Some(0) => Err(ClassifyError::Setting("the number of neighbours must be at least 1".to_owned())),
            Some(_) => Ok(Grid { ks }),
        }
    }

    /// The numbers, ascending.
    pub(crate) fn ks(&self) -> &[usize] {
        &self.ks
    }
}

impl Default for Grid {
    /// 10, 20 … 100.
    fn default() -> Self {
        Grid { ks: (1..=10).map(|k| 10 * k).collect() }
    }
}

/// How samples are split: every class by itself, so that all have the same share in both parts.
///
/// Where the parts are drawn from all samples at once, a class that has many samples in the training part has few left in the test part. Neighbours
/// that say nothing then point at classes that are rare among those who ask, and accuracies fall below chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splits {
    train: f64,
    repeats: usize,
    seed: u64,
}

/// Samples in three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The halves of the training part: in the cross-validation each is predicted by the other.
    pub folds: [Vec<u32>; 2],
    /// The test part.
    pub test: Vec<u32>,
}

impl Split {
    /// The training part.
    pub fn train(&self) -> Vec<u32> {
        self.folds.concat()
    }
}

impl Splits {
    /// `repeats` random splits with the share `train` of every class in the training part.
    ///
    /// # Errors
    /// When the share is not between 0 and 1, or there are no repeats.
    pub fn new(train: f64, repeats: usize, seed: u64) -> Result<Self, ClassifyError> {
        if !(train > 0.0 && train < 1.0) {
            return Err(ClassifyError::Setting(format!(
                "the training share is {train}, but it must lie between 0 and 1"
            )));
        }
        if repeats == 0 {
            return Err(ClassifyError::Setting("there must be at least one repeat".to_owned()));
        }
        Ok(Splits { train, repeats, seed })
    }

    /// How many there are.
    pub(crate) fn repeats(&self) -> usize {
        self.repeats
    }

    /// How many samples are for training.
    pub fn train_size(&self, classes: &Classes) -> usize {
        classes.members().iter().map(|members| self.trained(members.len())).sum()
    }

    /// How many of so many samples of a class are for training: at least one, and where there are two not all.
    fn trained(&self, samples: usize) -> usize {
        let rounded = (self.train * samples as f64).round() as usize;
        rounded.min(samples.saturating_sub(1)).max(samples.min(1))
    }

    /// The split with this number. It depends on the seed, the number and the classes, not on the metric.
    pub fn split(&self, repeat: usize, classes: &Classes) -> Split {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(repeat as u64);
        let mut split = Split { folds: [Vec::new(), Vec::new()], test: Vec::new() };
        for mut members in classes.members() {
            members.shuffle(&mut rng);
            split.test.extend(members.split_off(self.trained(members.len())));
            add_halves(&mut split.folds, &members);
        }
        split
    }
}

/// Puts the first half of the samples of a class into the first fold and the rest into the other: were it in turns for samples left over, folds
/// would have other shares of the classes.
fn add_halves(folds: &mut [Vec<u32>; 2], members: &[u32]) {
    let (first, second) = members.split_at(members.len() / 2);
    folds[0].extend_from_slice(first);
    folds[1].extend_from_slice(second);
}

impl Default for Splits {
    /// 200 splits, 70 % of every class for training, seed 0.
    fn default() -> Self {
        Splits { train: 0.7, repeats: 200, seed: 0 }
    }
}

/// What one split gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// On the test part.
    pub scores: Scores,
    /// On the test part.
    pub confusion: Confusion,
    /// The number of the chosen γ.
    pub gamma: usize,
    /// The chosen number of neighbours.
    pub k: usize,
    /// The accuracy of the choice in the cross-validation.
    pub validation: f64,
    /// How many samples of the test part have no neighbour at a defined distance: they got the most frequent class of the training part.
    pub guessed: usize,
}

/// What all splits gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// In the order of the splits.
    pub repeats: Vec<Repeat>,
}

impl Evaluation {
    /// One score over all splits.
    pub fn spread(&self, score: impl Fn(&Scores) -> f64) -> Spread {
        Spread::of(&self.repeats.iter().map(|repeat| score(&repeat.scores)).collect::<Vec<_>>())
    }

    /// The accuracies of the splits.
    pub fn accuracies(&self) -> Vec<f64> {
        self.repeats.iter().map(|repeat| repeat.scores.accuracy).collect()
    }

    /// How many samples of the test parts have no neighbour at a defined distance, over all splits.
    pub fn guessed(&self) -> usize {
        self.repeats.iter().map(|repeat| repeat.guessed).sum()
    }

    /// The test parts of all splits together.
    pub fn confusion(&self) -> Option<Confusion> {
        let mut all = self.repeats.first()?.confusion.clone();
        self.repeats[1..].iter().for_each(|repeat| all.merge(&repeat.confusion));
        Some(all)
    }
}

/// Classifies the test part of every split by its nearest neighbours in the training part. γ and k are those with the best
/// accuracy in a twofold cross-validation inside the training part; of equally good ones the smaller γ, then the smaller k. Where
/// there are fewer than k neighbours at a defined distance, all of them vote; without any, the most frequent class of the training part is
/// taken.
///
/// O(γ · samples² · log samples + repeats · γ · samples · k · samples / training samples), in parallel; 16 bytes per pair of samples.
///
/// ```
/// use srrd::Gamma;
/// use srrd::classify::{Classes, GammaDistances, Grid, Splits, evaluate};
/// // Two classes of six samples: 0.1 apart within a class, 0.7 between them.
/// let class = |i: usize| i / 6;
/// let cell = |i: usize| match (i / 12, i % 12) {
///     (a, b) if a == b => 0.0,
///     (a, b) => if class(a) == class(b) { 0.1 } else { 0.7 },
/// };
/// let distances = GammaDistances::from_matrices(12, vec![Gamma::new(0.9)?], vec![(0..144).map(cell).collect()]);
/// let labels: Vec<&str> = (0..12).map(|i| ["careful", "bold"][class(i)]).collect();
/// let found = evaluate(&distances, &Classes::new(&labels), &Grid::new(&[1, 3])?, &Splits::new(0.5, 20, 0)?)?;
/// assert!(found.repeats.iter().all(|repeat| repeat.scores.accuracy == 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one label per sample, fewer than two classes, or too few samples to split.
pub fn evaluate(
    distances: &GammaDistances,
    classes: &Classes,
    grid: &Grid,
    splits: &Splits,
) -> Result<Evaluation, ClassifyError> {
    let size = distances.size();
    if classes.of().len() != size {
        return Err(ClassifyError::Labels { samples: size, labels: classes.of().len() });
    }
    if let [only] = classes.names() {
        return Err(ClassifyError::OneClass(only.clone()));
    }
    let train = splits.train_size(classes);
    if train < 2 || train >= size {
        let why = "two to train with and one to test with, of a class that has another";
        return Err(ClassifyError::TooFew { found: size, needed: (classes.names().len() + 1).max(4), why });
    }
    // Where γ changes nothing, the first is as good as any.
    let gammas = if distances.is_constant() { 1 } else { distances.gammas().len() };
    let mut best = vec![Choice { hits: 0, gamma: 0, k: 0 }; splits.repeats];
    for gamma in 0..gammas {
        let order = nearest_first(distances.matrix(gamma), size);
        best.par_iter_mut().enumerate().for_each(|(repeat, best)| {
            checkpoint();
            let hits = validate(&order, classes, grid, &splits.split(repeat, classes).folds);
            for (k, &hits) in hits.iter().enumerate() {
                if hits > best.hits {
                    *best = Choice { hits, gamma, k };
                }
            }
        });
    }
    let mut repeats: Vec<Option<Repeat>> = vec![None; splits.repeats];
    for gamma in 0..gammas {
        if best.iter().all(|choice| choice.gamma != gamma) {
            continue;
        }
        let order = nearest_first(distances.matrix(gamma), size);
        let chosen = repeats.par_iter_mut().zip(&best).enumerate().filter(|(_, (_, choice))| choice.gamma == gamma);
        chosen.for_each(|(repeat, (place, choice))| {
            checkpoint();
            let split = splits.split(repeat, classes);
            let train = split.train();
            let k = grid.ks[choice.k];
            let mut confusion = Confusion::new(classes.names().len());
            let of = classes.of();
            let add = |sample: usize, _, class| confusion.add(of[sample], class);
            let guessed = predict(&order, classes, &[k], &train, &split.test, add);
            let validation = choice.hits as f64 / train.len() as f64;
            *place = Some(Repeat { scores: confusion.scores(), confusion, gamma, k, validation, guessed });
        });
    }
    Ok(Evaluation { repeats: repeats.into_iter().flatten().collect() })
}

/// The γ (its number) and the k with the best accuracy in one twofold cross-validation over all samples, and that accuracy: what to
/// predict new samples with. Chosen as in [`evaluate`].
///
/// ```
/// use srrd::Gamma;
/// use srrd::classify::{Classes, GammaDistances, Grid, choose};
/// // Two classes of six samples: 0.1 apart within a class, 0.7 between them.
/// let class = |i: usize| i / 6;
/// let cell = |i: usize| match (i / 12, i % 12) {
///     (a, b) if a == b => 0.0,
///     (a, b) => if class(a) == class(b) { 0.1 } else { 0.7 },
/// };
/// let distances = GammaDistances::from_matrices(12, vec![Gamma::new(0.9)?], vec![(0..144).map(cell).collect()]);
/// let labels: Vec<&str> = (0..12).map(|i| ["careful", "bold"][class(i)]).collect();
/// let (gamma, k, accuracy) = choose(&distances, &Classes::new(&labels), &Grid::new(&[1, 3])?, 0)?;
/// assert_eq!((gamma, k, accuracy), (0, 1, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is not one label per sample, or there are fewer than two samples.
pub fn choose(
    distances: &GammaDistances,
    classes: &Classes,
    grid: &Grid,
    seed: u64,
) -> Result<(usize, usize, f64), ClassifyError> {
    let size = distances.size();
    if classes.of().len() != size {
        return Err(ClassifyError::Labels { samples: size, labels: classes.of().len() });
    }
    if size < 2 {
        return Err(ClassifyError::TooFew { found: size, needed: 2, why: "one to learn from and one to check with" });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut folds = [Vec::new(), Vec::new()];
    for mut members in classes.members() {
        members.shuffle(&mut rng);
        add_halves(&mut folds, &members);
    }
    let gammas = if distances.is_constant() { 1 } else { distances.gammas().len() };
    let mut best = Choice { hits: 0, gamma: 0, k: 0 };
    for gamma in 0..gammas {
        let hits = validate(&nearest_first(distances.matrix(gamma), size), classes, grid, &folds);
        for (k, &hits) in hits.iter().enumerate() {
            if hits > best.hits {
                best = Choice { hits, gamma, k };
            }
        }
    }
    Ok((best.gamma, grid.ks[best.k], best.hits as f64 / size as f64))
}

#[derive(Clone, Copy)]
struct Choice {
    hits: usize,
    gamma: usize,
    /// The number in the grid.
    k: usize,
}

/// Twofold cross-validation: for every k how many training samples are predicted right by the other half.
fn validate(order: &[Vec<Other>], classes: &Classes, grid: &Grid, [first, second]: &[Vec<u32>; 2]) -> Vec<usize> {
    let mut hits = vec![0; grid.ks.len()];
    for (reference, held_out) in [(first, second), (second, first)] {
        predict(order, classes, &grid.ks, reference, held_out, |sample, k, class| {
            hits[k] += usize::from(classes.of()[sample] == class);
        });
    }
    hits
}

/// Predicts every sample of `asked` by its nearest neighbours in `reference`, for every k (ascending) at once:
/// `found(sample, number of k, class)`. Returns how many samples have no neighbour.
fn predict(
    order: &[Vec<Other>],
    classes: &Classes,
    ks: &[usize],
    reference: &[u32],
    asked: &[u32],
    mut found: impl FnMut(usize, usize, usize),
) -> usize {
    let of = classes.of();
    let mut member = vec![false; of.len()];
    reference.iter().for_each(|&sample| member[sample as usize] = true);
    let usual = most_frequent(classes.names().len(), reference.iter().map(|&sample| of[sample as usize]));
    let mut votes = Votes::new(classes.names().len());
    let mut guessed = 0;
    for &sample in asked {
        let sample = sample as usize;
        votes.clear();
        let (mut next, mut last) = (0, 0.0);
        for other in order[sample].iter().filter(|other| member[other.sample as usize]) {
            // Who is as near as the k-th neighbour votes, too.
            if votes.seen() >= ks[next] && other.distance > last {
                let winner = votes.winner().unwrap_or(usual);
                while next < ks.len() && ks[next] <= votes.seen() {
                    found(sample, next, winner);
                    next += 1;
                }
                if next == ks.len() {
                    break;
                }
            }
            last = other.distance;
            votes.add(of[other.sample as usize], other.distance);
        }
        guessed += usize::from(votes.seen() == 0);
        // No more neighbours: all of them have voted.
        let winner = votes.winner().unwrap_or(usual);
        (next..ks.len()).for_each(|k| found(sample, k, winner));
    }
    guessed
}
