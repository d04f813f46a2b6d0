//! Which basis fits: what potentials explain of rewards on rows that they were not fitted on.
//!
//! `projected` takes out of each reward what shaping can explain, so a basis is good if its potentials explain *each* reward where they have
//! not seen it. That does not look at how alike the two rewards are, so choosing a basis does not make them alike. Five folds of
//! episodes are left out in turn; U(r) is the sum of squares that is left of reward r on the rows left out, and the score of a basis
//!
//! log U(a) + log U(b).
//!
//! Of linear, quadratic and Fourier bases, `auto` takes the kind with the least score, the simpler one where they are equal. Of Fourier
//! bases it takes the largest whose score is near the best: sets of 64 and of 512 random functions stand for the same smooth functions, more
//! or less finely. What too coarse a basis leaves of shaping is a bias of the distance, while a function too many costs one degree of
//! freedom; and where rewards hold much that is no shaping, that hides from the score what a coarse basis leaves.
//!
//! The logarithm matters: with heavy shaping on one side every basis leaves little of that side, and the last percent of it may be as
//! large as all of the other reward.
//!
//! Few episodes visit few states, and combinations of random functions that are nearly 0 on all rows seen may be anything elsewhere. So
//! the squared lengths of random functions are increased by a small part of them (ridge regression), and U is the least over a few
//! such parts. The projection itself needs none of that: it is taken on the rows that it is fitted on.
//!
//! The bases are nested, so that one Gram matrix per fold and one factorization serve all of them. O(rows · columns²).

use rayon::prelude::*;

use super::Potential;
use super::basis::Row;
use super::design::Design;
use super::fit::{self, Fold};

/// Of log U(a) + log U(b): a larger basis must gain so much.
const GAIN: f64 = 1e-3;
/// Of log U(a) + log U(b): as near to the best as that, a finer basis is as good.
const NEAR: f64 = 0.25;
/// Parts of their squared lengths by which those of random functions are increased.
const RIDGES: [f64; 3] = [1e-6, 1e-4, 1e-2];
/// Of a sum of squares: below this all is explained.
const ALL: f64 = 1e-20;

/// What a basis explains of two rewards on rows that it was not fitted on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judged {
    pub potential: Potential,
    /// The share of the sum of squares of each reward that is explained: 1 − U(r) / U₀(r), U₀ with no potential but, where no row ends, with
    /// a constant. Below 0 where potentials do harm. `None` of a reward that is constant, and where there is one fold only.
    pub explained: [Option<f64>; 2],
}

/// Judges the nested bases of a design on rows with two rewards each, and takes one of `among`, which are in ascending order.
pub(super) fn judge(design: &Design, rows: &[Row], rewards: &[f64], among: &[Potential], folds: &[Vec<u32>]) -> Judged {
    let unexplained = unexplained(design, rows, rewards, folds);
    let share = |class: usize, side: usize| {
        let all = unexplained[0][side];
        (folds.len() > 1 && all > 0.0).then(|| (unexplained[class + 1][side] / all).max(ALL))
    };
    let score = |class: usize| (0..2).filter_map(|side| share(class, side)).map(f64::ln).sum::<f64>();
    let levels = design.basis.levels();
    let class_of = |potential: Potential| levels.iter().position(|level| *level == potential).map(|level| level + 1);
    let candidates: Vec<usize> = among.iter().filter_map(|&potential| class_of(potential)).collect();
    let better = |best: usize, next: usize| if score(next) < score(best) - GAIN { next } else { best };
    let best = candidates.iter().copied().reduce(better).unwrap_or(1);
    let is_fourier = |class: usize| levels[class - 1].waves() > 0;
    let as_good = |class: &usize| is_fourier(best) && is_fourier(*class) && score(*class) <= score(best) + NEAR;
    let class = candidates.into_iter().rfind(as_good).unwrap_or(best);
    let explained = [0, 1].map(|side| share(class, side).map(|share| 1.0 - share));
    Judged { potential: levels[class - 1], explained }
}

/// The sums of squares of both rewards that are left on rows that potentials were not fitted on: with none at all, then by class.
fn unexplained(design: &Design, rows: &[Row], rewards: &[f64], folds: &[Vec<u32>]) -> Vec<[f64; 2]> {
    let parts: Vec<Fold> = folds.iter().map(|fold| Fold::new(design, rows, rewards, 2, fold)).collect();
    let count = design.basis.levels().len() + 1;
    let fourier = design.basis.levels().iter().any(|level| level.waves() > 0);
    let ridges = if fourier { &RIDGES[..] } else { &RIDGES[..1] };
    let pieces: Vec<(usize, f64)> =
        ridges.iter().flat_map(|&ridge| (0..parts.len()).map(move |i| (i, ridge))).collect();
    let found: Vec<Vec<[f64; 2]>> =
        pieces.par_iter().map(|&(i, ridge)| left_of_fold(design, &parts, i, ridge)).collect();
    let mut left = vec![[f64::INFINITY; 2]; count];
    for folds in found.chunks(parts.len()) {
        for (class, left) in left.iter_mut().enumerate() {
            for (side, left) in left.iter_mut().enumerate() {
                *left = left.min(folds.iter().map(|fold| fold[class][side]).sum());
            }
        }
    }
    let squares =
        |side: usize| parts.iter().flat_map(|part| part.values.iter().skip(side).step_by(2)).map(|v| v * v).sum();
    let nothing = if design.how.ends { [squares(0), squares(1)] } else { left[0] };
    left.insert(0, nothing);
    left
}

/// The sums of squares of both rewards on the rows of one fold, by class, with potentials that were fitted on the others.
fn left_of_fold(design: &Design, parts: &[Fold], left_out: usize, ridge: f64) -> Vec<[f64; 2]> {
    let count = design.basis.levels().len() + 1;
    // What random functions do not span is left as it is.
    let waves = 1 + design.basis.levels().iter().filter(|level| level.waves() == 0).count();
    let weights = fit::without(design, parts, left_out, ridge, waves);
    let fold = &parts[left_out];
    let mut rest: Vec<f64> = (fold.values.chunks_exact(2)).flat_map(|pair| pair.repeat(count)).collect();
    design.subtract(&fold.rows, Some(&weights), &mut rest, 2 * count);
    let mut left = vec![[0.0; 2]; count];
    for row in rest.chunks_exact(2 * count) {
        for (left, values) in left.iter_mut().zip(row.chunks_exact(2)) {
            left.iter_mut().zip(values).for_each(|(left, value)| *left += value * value);
        }
    }
    left
}
