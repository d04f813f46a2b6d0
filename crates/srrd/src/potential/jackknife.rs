//! What is left of two rewards when episodes are left out and potentials are fitted to the others anew.
//!
//! With x and y the residuals on all rows, leaving out the rows of a group g leaves x·y less what the group adds, less what weights that
//! are fitted anew explain: Σ xy − bₓᵀ(AᵀA)⁻¹b_y, all sums over the rows kept, b = Aᵀx. Over all rows b is 0, so what the group adds is all
//! that is needed. It is taken of residuals, not of rewards: what shaping explains would cost digits. O(rows · columns² + groups · columns³).

use rayon::prelude::*;

use super::BasisProjection;
use super::basis::Row;
use super::factor::Factor;
use super::groups::LeftOut;

/// Sums of products of two residuals, and the degrees of freedom that they have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    pub xx: f64,
    pub xy: f64,
    pub yy: f64,
    pub degrees_of_freedom: usize,
}

impl BasisProjection {
    /// What is left of two residuals without every one of about as large groups of episodes. An error where there are too few
    /// episodes: how many connected parts the rows have.
    pub fn without_episodes(&self, residuals: [&[f64]; 2], groups: usize, seed: u64) -> Result<Vec<Left>, usize> {
        if self.groups.left_out != LeftOut::Episodes {
            return Err(self.groups.parts);
        }
        let lots = self.groups.lots(seed, groups, usize::MAX);
        let all = products(residuals, 0..self.rows.len());
        Ok(lots.par_iter().map(|lot| self.without(lot, residuals, all)).collect())
    }

    fn without(&self, lot: &[u32], residuals: [&[f64]; 2], all: [f64; 3]) -> Left {
        let rows: Vec<Row> = lot.iter().map(|&i| self.rows[i as usize]).collect();
        let mut values: Vec<f64> = lot.iter().flat_map(|&i| residuals.map(|side| side[i as usize])).collect();
        let theirs = self.design.gram(&rows);
        let right = self.design.subtract(&rows, None, &mut values, 2);
        let gram: Vec<f64> = self.gram.iter().zip(&theirs).map(|(all, theirs)| all - theirs).collect();
        let factor = Factor::new(&gram, &self.design.basis.classes());
        let side = |side: usize| -> Vec<f64> { right.iter().skip(side).step_by(2).copied().collect() };
        let sides = [side(0), side(1)];
        let weights = [0, 1].map(|i| factor.solve(&sides[i], factor.classes()));
        let explained = |a: usize, b: usize| sides[a].iter().zip(&weights[b]).map(|(b, w)| b * w).sum::<f64>();
        let gone = products(residuals, lot.iter().map(|&i| i as usize));
        let rank = factor.rank(factor.classes());
        Left {
            xx: all[0] - gone[0] - explained(0, 0),
            xy: all[1] - gone[1] - explained(0, 1),
            yy: all[2] - gone[2] - explained(1, 1),
            degrees_of_freedom: (self.rows.len() - lot.len()).saturating_sub(rank),
        }
    }
}

/// Σ x², Σ xy and Σ y² over some rows.
fn products([x, y]: [&[f64]; 2], rows: impl Iterator<Item = usize>) -> [f64; 3] {
    rows.fold([0.0; 3], |[xx, xy, yy], i| [xx + x[i] * x[i], xy + x[i] * y[i], yy + y[i] * y[i]])
}
