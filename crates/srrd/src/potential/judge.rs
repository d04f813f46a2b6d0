//! Which basis fits: what potentials explain of rewards on rows that they were not fitted on.
//!
//! `projected` takes out of each reward what shaping can explain, so a basis is good if its potentials explain *each* reward where they have
//! not seen it. That does not look at how alike the two rewards are, so choosing a basis does not make them alike. Five folds of
//! episodes are left out in turn; with U(r) the sum of squares that is left of reward r on the rows left out, `auto` takes the basis with the
//! least
//!
//! log U(a) + log U(b).
//!
//! The logarithm matters: with heavy shaping on one side every basis leaves little of that side, and the last percent of it may be as
//! large as all of the other reward.
//!
//! The bases are nested, so that one Gram matrix per fold and one factorization serve all of them. O(rows · columns²).

use super::Potential;
use super::basis::Row;
use super::design::Design;
use super::factor::Factor;
use super::groups::{LeftOut, folds};

/// Of log U(a) + log U(b): a larger basis must gain so much.
const GAIN: f64 = 1e-3;
/// Added to the squared lengths of random features when potentials are fitted for rows that they have not seen: combinations of these that
/// are nearly 0 on all rows that they have seen may be anything elsewhere.
const RIDGE: f64 = 1e-7;
/// Of a sum of squares: below this all is explained.
const ALL: f64 = 1e-20;

/// What a basis explains of two rewards on rows that it was not fitted on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    pub potential: Potential,
    /// The share of the sum of squares of each reward that is explained: 1 − U(r) / U₀(r), U₀ with no potential but, where no row ends, with
    /// a constant. Below 0 where potentials do harm. `None` of a reward that is constant, and where there is one fold only.
    pub explained: [Option<f64>; 2],
    /// What was left out at a time.
    pub left_out: LeftOut,
}

/// Judges the nested bases of a design on rows with two rewards each; the first of `among` is the one to take where none is better.
pub(super) fn judge(design: &Design, rows: &[Row], rewards: &[f64], among: &[Potential], seed: u64) -> Judged {
    let (left_out, folds) = folds(rows, seed);
    let classes: Vec<usize> = (0..=design.basis.levels().len()).collect();
    let unexplained = unexplained(design, rows, rewards, &folds);
    let share = |class: usize, side: usize| {
        let all = unexplained[0][side];
        (folds.len() > 1 && all > 0.0).then(|| (unexplained[class + 1][side] / all).max(ALL))
    };
    let score = |class: usize| (0..2).filter_map(|side| share(class, side)).map(f64::ln).sum::<f64>();
    let class_of =
        |potential: Potential| classes[1..].iter().copied().find(|&c| design.basis.levels()[c - 1] == potential);
    let mut candidates = among.iter().filter_map(|&potential| Some((potential, class_of(potential)?)));
    let first = candidates.next().unwrap_or((Potential::Linear, 1));
    let better = |best: (Potential, usize), next: (Potential, usize)| {
        if score(next.1) < score(best.1) - GAIN { next } else { best }
    };
    let (potential, class) = candidates.fold(first, better);
    Judged { potential, explained: [0, 1].map(|side| share(class, side).map(|share| 1.0 - share)), left_out }
}

/// The sums of squares of both rewards that are left on rows that potentials were not fitted on: with none at all, then by class.
fn unexplained(design: &Design, rows: &[Row], rewards: &[f64], folds: &[Vec<u32>]) -> Vec<[f64; 2]> {
    let (width, classes) = (design.basis.len(), design.basis.classes());
    let parts: Vec<Fold> = folds.iter().map(|fold| Fold::new(design, rows, rewards, fold)).collect();
    let count = design.basis.levels().len() + 1;
    let waves = 1 + design.basis.levels().iter().filter(|level| level.waves() == 0).count()..count;
    let mut left = vec![[0.0; 2]; count + 1];
    for (i, fold) in parts.iter().enumerate() {
        let others = || parts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, part)| part);
        let add = |of: fn(&Fold) -> &[f64], length: usize| {
            let mut sum = vec![0.0; length];
            others().for_each(|part| sum.iter_mut().zip(of(part)).for_each(|(sum, value)| *sum += value));
            sum
        };
        let mut gram = add(|part| &part.gram, width * width);
        for (j, class) in classes.iter().enumerate() {
            gram[j * width + j] *= if waves.contains(class) { 1.0 + RIDGE } else { 1.0 };
        }
        let factor = Factor::new(&gram, &classes);
        let right = add(|part| &part.right, width * 2);
        // One column of weights per class and reward.
        let sides = 2 * count;
        let mut weights = vec![0.0; width * sides];
        for side in 0..2 {
            let right: Vec<f64> = right.iter().skip(side).step_by(2).copied().collect();
            for class in 0..count {
                let column = factor.solve(&right, class);
                column.iter().enumerate().for_each(|(j, weight)| weights[j * sides + 2 * class + side] = *weight);
            }
        }
        let mut rest: Vec<f64> = (fold.rewards.chunks_exact(2)).flat_map(|pair| pair.repeat(count)).collect();
        design.subtract(&fold.rows, Some(&weights), &mut rest, sides);
        for row in rest.chunks_exact(sides) {
            for (left, values) in left[1..].iter_mut().zip(row.chunks_exact(2)) {
                left.iter_mut().zip(values).for_each(|(left, value)| *left += value * value);
            }
        }
        for pair in fold.rewards.chunks_exact(2) {
            left[0].iter_mut().zip(pair).for_each(|(left, value)| *left += value * value);
        }
    }
    if !design.how.ends {
        left[0] = left[1];
    }
    left
}

/// What one fold adds to the equations.
struct Fold {
    rows: Vec<Row>,
    /// Both rewards of a row side by side.
    rewards: Vec<f64>,
    gram: Vec<f64>,
    right: Vec<f64>,
}

impl Fold {
    fn new(design: &Design, rows: &[Row], rewards: &[f64], numbers: &[u32]) -> Self {
        let rows: Vec<Row> = numbers.iter().map(|&i| rows[i as usize]).collect();
        let mut rewards: Vec<f64> =
            numbers.iter().flat_map(|&i| [rewards[2 * i as usize], rewards[2 * i as usize + 1]]).collect();
        let gram = design.gram(&rows);
        let right = design.subtract(&rows, None, &mut rewards, 2);
        Fold { rows, rewards, gram, right }
    }
}
