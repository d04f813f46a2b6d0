//! Potentials over continuous states: φ(s) = w·Ψ(s), Ψ a basis of functions of the state's features.
//!
//! Where states hardly repeat, one free potential per state explains every reward, and nothing is left to compare. A potential that is a smooth
//! function of the features has few weights instead. All shaping by such potentials is the column space of a matrix A with one row
//! γΨ(s') − Ψ(s) per transition (−Ψ(s) where the episode ends), and `projected` takes the least-squares projection on it out of the
//! rewards, as with one potential per state.
//!
//! The parts: `basis` has the functions, `design` the matrix A in blocks, `factor` the rank and the equations, `judge` what a basis explains
//! where it was not fitted, `fit` weights without some of the rows, `predict` rewards
//! where they were not sampled, `dense` products of matrices, `trig` sines and cosines.

mod basis;
mod dense;
mod design;
mod factor;
mod fit;
mod groups;
mod judge;
mod near;
mod predict;
mod trig;

pub use basis::MOST_MULTIPLIED;
pub use groups::LeftOut;

use std::fmt;
use std::str::FromStr;

pub(crate) use basis::{Row, StateFeatures};
pub(crate) use groups::{FOLDS, Groups};
use judge::Judged;
pub(crate) use near::nearest;
pub(crate) use predict::{Predictor, Rows};

use crate::project::Shaping;
use crate::settings::{Gamma, SettingError};
use crate::units;
use basis::{Basis, Discounting};
use design::Design;
use factor::Factor;

/// What potentials `projected` takes shaping to be made of.
///
/// ```
/// use srrd::potential::Potential;
/// assert_eq!("fourier:64".parse(), Ok(Potential::Fourier(64)));
/// assert_eq!(Potential::Fourier(64).to_string(), "fourier:64");
/// assert!("fourier:0".parse::<Potential>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Potential {
    /// One free number per state.
    #[default]
    Tabular,
    /// Linear in the features of a state.
    Linear,
    /// Linear in the features and their products of two.
    Quadratic,
    /// Linear in the features, their products of two, and so many random Fourier features.
    Fourier(usize),
    /// The one of these that explains most of the rewards where it was not fitted.
    Auto,
}

impl Potential {
    /// No more random features than this.
    pub const MOST_WAVES: usize = 2048;
    /// No more functions in a basis than this: the time grows with the square of their number.
    pub const MOST_WEIGHTS: usize = 4096;
    /// What `auto` chooses among.
    pub const CANDIDATES: [Potential; 6] = [
        Potential::Linear,
        Potential::Quadratic,
        Potential::Fourier(64),
        Potential::Fourier(128),
        Potential::Fourier(256),
        Potential::Fourier(512),
    ];
    /// Those that have no number.
    const NAMED: [(&'static str, Potential); 4] = [
        ("tabular", Potential::Tabular),
        ("linear", Potential::Linear),
        ("quadratic", Potential::Quadratic),
        ("auto", Potential::Auto),
    ];

    /// How many random features it has.
    fn waves(self) -> usize {
        if let Potential::Fourier(count) = self { count } else { 0 }
    }

    /// How many weights it has at most over so many feature columns.
    pub fn weights(self, columns: usize) -> usize {
        let products = columns * (columns + 1) / 2;
        1 + match self {
            Potential::Tabular | Potential::Auto | Potential::Linear => columns,
            Potential::Quadratic => columns + products,
            Potential::Fourier(count) if columns <= MOST_MULTIPLIED => columns + products + count,
            Potential::Fourier(count) => columns + count,
        }
    }
}

impl fmt::Display for Potential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Self::NAMED.iter().find(|(_, potential)| potential == self) {
            Some((name, _)) => f.write_str(name),
            None => write!(f, "fourier:{}", self.waves()),
        }
    }
}

impl FromStr for Potential {
    type Err = SettingError;

    fn from_str(name: &str) -> Result<Self, SettingError> {
        if let Some((_, potential)) = Self::NAMED.iter().find(|(known, _)| *known == name) {
            return Ok(*potential);
        }
        let count = name.strip_prefix("fourier:").and_then(|count| count.parse().ok());
        match count {
            Some(count) if (1..=Self::MOST_WAVES).contains(&count) => Ok(Potential::Fourier(count)),
            _ => Err(SettingError::NotAPotential(name.to_owned())),
        }
    }
}

/// The basis that potentials were made of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BasisUsed {
    /// Which one: not `tabular` and not `auto`.
    pub potential: Potential,
    /// How many functions it has, the constant included.
    pub functions: usize,
    /// What share of each reward's sum of squares (around its mean where no row ends) its potentials explain on rows that they were not
    /// fitted on; below 0 where they do harm. `None` where that cannot be told: constant rewards, a single state.
    pub explained: [Option<f64>; 2],
    /// What was left out in turn to tell that.
    pub left_out: LeftOut,
}

/// The least-squares projection on all shaping by potentials of a basis.
///
/// The Gram matrix of the shaping vectors is factorized with pivots; its rank is that of the vectors of which more than 3·10⁻⁶ of their
/// length is left beside the others. One step of refinement removes what rounding in the Gram matrix leaves.
#[derive(Clone, Debug)]
pub(crate) struct BasisProjection {
    design: Design,
    rows: Vec<Row>,
    factor: Factor,
    judged: Judged,
    groups: Groups,
}

impl BasisProjection {
    /// On the rows of a support whose states have their features in `features`; columns are standardized over the states of `together`. The
    /// two rewards say what a basis explains, and which one `auto` takes.
    pub fn new(
        features: &StateFeatures,
        together: &[&StateFeatures],
        rows: Vec<Row>,
        rewards: [&[f64]; 2],
        settings: (Potential, Gamma, u64),
    ) -> Self {
        let ends = rows.iter().any(|row| row.next.is_none());
        Self::with_ends(features, together, rows, rewards, settings, ends)
    }

    /// The same, of which it is known whether rows end that are not among these: where some do, a shift of all rewards is no shaping.
    pub fn with_ends(
        features: &StateFeatures,
        together: &[&StateFeatures],
        rows: Vec<Row>,
        rewards: [&[f64]; 2],
        (potential, gamma, seed): (Potential, Gamma, u64),
        ends: bool,
    ) -> Self {
        let how = Discounting { gamma: gamma.get(), ends };
        let sides = rewards.map(units::scaled);
        let values: Vec<f64> = sides[0].iter().zip(&sides[1]).flat_map(|(a, b)| [*a, *b]).collect();
        let groups = Groups::of(&rows);
        let folds = groups.lots(seed, FOLDS, groups::MOST_ROWS);
        let design = |levels: &[Potential]| Design {
            basis: Basis::new(together, levels, seed),
            features: features.clone(),
            how,
        };
        let (design, judged) = match potential {
            Potential::Auto => {
                let among = candidates(rows.len(), features.columns());
                let all = design(&among);
                let judged = judge::judge(&all, &rows, &values, &among, &folds);
                (design(&[judged.potential]), judged)
            }
            given => {
                let design = design(&[given]);
                let judged = judge::judge(&design, &rows, &values, &[given], &folds);
                (design, judged)
            }
        };
        let factor = Factor::new(&design.gram(&rows), &design.basis.classes());
        BasisProjection { design, rows, factor, judged, groups }
    }

    /// Which basis was taken, and what it explains where it was not fitted.
    pub fn basis(&self) -> BasisUsed {
        let Judged { potential, explained } = self.judged;
        let (functions, left_out) = (self.design.basis.len(), self.groups.left_out);
        BasisUsed { potential, functions, explained, left_out }
    }

    /// What shaping can explain on these rows.
    pub fn shaping(&self) -> Shaping {
        let rank = self.factor.rank(self.factor.classes());
        Shaping { rank, components: self.groups.parts, degrees_of_freedom: self.rows.len().saturating_sub(rank) }
    }

    /// Some vectors of values without their projections. O(3 · rows · columns) for each, the shaping vectors computed three times
    /// for all of them.
    ///
    /// # Panics
    /// When there are more or fewer values than rows.
    pub fn residuals<const SIDES: usize>(&self, values: [&[f64]; SIDES]) -> [Vec<f64>; SIDES] {
        let rows = self.rows.len();
        let scales = values.map(units::scale);
        let mut rest = vec![0.0; rows * SIDES];
        for (side, (values, scale)) in values.iter().zip(&scales).enumerate() {
            assert_eq!(values.len(), rows, "one value per transition");
            rest.iter_mut().skip(side).step_by(SIDES).zip(*values).for_each(|(rest, value)| *rest = value * scale);
        }
        let mut right = self.design.subtract(&self.rows, None, &mut rest, SIDES);
        for _ in 0..2 {
            let weights = weights(&right, SIDES, &self.factor);
            right = self.design.subtract(&self.rows, Some(&weights), &mut rest, SIDES);
        }
        let side =
            |side: usize| rest.iter().skip(side).step_by(SIDES).map(|value| value * (1.0 / scales[side])).collect();
        std::array::from_fn(side)
    }
}

/// The weights with which A w is nearest, from AᵀV, one column per side.
fn weights(right: &[f64], sides: usize, factor: &Factor) -> Vec<f64> {
    let mut weights = vec![0.0; right.len()];
    for side in 0..sides {
        let right: Vec<f64> = right.iter().skip(side).step_by(sides).copied().collect();
        let column = factor.solve(&right, factor.classes());
        weights.iter_mut().skip(side).step_by(sides).zip(column).for_each(|(weight, value)| *weight = value);
    }
    weights
}

/// What `auto` chooses among: bases with at most a third as many weights as there are rows, but always the linear one.
pub(crate) fn candidates(rows: usize, columns: usize) -> Vec<Potential> {
    let fits = |potential: &Potential| match potential {
        Potential::Linear => true,
        Potential::Quadratic if columns > MOST_MULTIPLIED => false,
        potential => 3 * potential.weights(columns) <= rows,
    };
    Potential::CANDIDATES.into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests;
