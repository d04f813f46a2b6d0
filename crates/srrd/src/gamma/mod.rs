//! The discount factor that shaping was made with, estimated from rewards.
//!
//! A reward is R = γφ(s') − φ(s) + ε: shaping with an unknown potential and an unknown γ, and what is not shaping. Where ε has no
//! pattern that shaping could explain, the γ at which least of the rewards is left after the projection is the true one but for
//! chance. Let r be the residual of a sample at some γ, φ the potential that was fitted, and d the residual of the vector φ(s'),
//! the direction in which the fit moves with γ. Then rᵀd = −½ ∂‖r‖²/∂γ. When ε is normal, r and φ are independent at the true γ, so
//! that rᵀd/(‖r‖‖d‖) is one coordinate of a random direction in as many dimensions as there are degrees of freedom: *exactly*, whatever
//! the potential. The interval is the set of γ around the estimate at which it is no larger than chance makes it 95 times in 100.
//! (How fast ‖r‖² grows away from its minimum, the measure for models with few parameters, would give intervals that are too short:
//! the potential has a parameter a state, and the slope of ‖r‖² varies with their errors as well.)
//!
//! **The ends.** At γ = 1 the shaping space loses the constants of components, and at γ = 0 the columns of the states that only end
//! transitions. Residuals of spaces of different dimension cannot be compared, so both ends are taken as limits from within:
//! the constants stay at γ = 1, and an offset for every end state at γ = 0.
//!
//! **A level.** Rewards have means other than 0, a step cost above all. Where nothing ends that is shaping with a constant potential. Where
//! episodes end it is not, and a γ that is too small would explain more of it; so a constant is fitted beside the potential there.
//!
//! **Several samples** have their own potentials and scales. What is smallest at the estimate is Σ νₖ ln‖rₖ‖², νₖ the degrees of
//! freedom: the log-likelihood of normal ε with a scale a sample. The slopes are added with the weights that this gives them;
//! their variance is 1 a sample by construction, plus the products of those samples whose residuals go together.

mod profile;
mod quantile;
mod search;

use std::fmt;

use rayon::prelude::*;
use serde::Serialize;

use crate::compare::Row;
use crate::project::Projection;
use crate::sample::RewardSample;
use crate::settings::Gamma;
use crate::sure::dependence::{FOR_GAMMA, Reference};
use profile::Pool;
use search::Search;

/// A discount factor estimated from rewards, with its 95 % interval.
#[derive(Clone, Debug, PartialEq)]
pub struct GammaEstimate {
    /// The γ at which shaping explains most of the rewards. Where nothing tells one γ from another (no degrees of freedom, or a
    /// profile that is flat to rounding) it is the default, 0.9: read [`identified`](Self::identified) first.
    pub gamma: Gamma,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end of the 95 % interval.
    pub high: f64,
    /// Whether the data can tell.
    pub identified: bool,
    /// Why they cannot.
    pub why_not: Option<NotIdentified>,
    /// (γ, what is left) in ascending order of γ, for every γ that was looked at: the grid 0, 0.05 … 1, and more around the estimate
    /// and the ends of the interval. What is left is ‖residual‖ / ‖rewards − their mean‖, between 0 and 1; of several samples the
    /// geometric mean, each counted with its degrees of freedom.
    pub profile: Vec<(f64, f64)>,
    /// Transitions minus the rank of the space of shaping and a constant for 0 < γ < 1, summed over the samples that vary.
    pub degrees_of_freedom: usize,
}

impl GammaEstimate {
    /// The γ that is taken: four digits are more than data can tell, and can be given again as a number.
    pub fn taken(&self) -> Gamma {
        Gamma::new(rounded(self.gamma.get())).unwrap_or(self.gamma)
    }
}

/// To four digits.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

/// Why data cannot tell γ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NotIdentified {
    /// Shaping with any γ leaves nothing, or the same.
    NothingLeft,
    /// The estimate is 0 or 1.
    Border,
    /// The interval is wide.
    Wide,
    /// The rewards are not shaped, as far as can be told.
    NoShaping,
    /// What is left goes with states or actions. A reward of the next state fits every γ: f(s') + γφ(s') − φ(s) is shaping with another
    /// γ of another such reward.
    Dependent,
}

impl NotIdentified {
    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            NotIdentified::NothingLeft => "nothing_left",
            NotIdentified::Border => "border",
            NotIdentified::Wide => "wide",
            NotIdentified::NoShaping => "no_shaping",
            NotIdentified::Dependent => "dependent",
        }
    }
}

impl fmt::Display for NotIdentified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotIdentified::NothingLeft => "shaping with any gamma explains the rewards alike",
            NotIdentified::Border => "the best fit is at the border, 0 or 1",
            NotIdentified::Wide => "the interval is wide",
            NotIdentified::NoShaping => "the rewards show no shaping",
            NotIdentified::Dependent => {
                "what shaping leaves goes with states or actions, and such rewards fit every gamma"
            }
        })
    }
}

/// An interval that is wider tells nothing.
const WIDE: f64 = 0.2;
/// Of the rewards: what is left is rounding where it is less.
const ONLY_SHAPING: f64 = 1e-7;
/// Above this probability shaping is not significant.
const NO_SHAPING: f64 = 0.01;

/// Estimates one discount factor for all samples: the γ at which shaping leaves least of their rewards unexplained.
///
/// The 95 % interval is exact for one sample with independent normal rewards of equal variance (before shaping), and approximate
/// beyond that. What it cannot see is a reward that looks like shaping itself: one of s alone is shaping with γ = 0, and one of s'
/// alone pulls towards 1.
///
/// A grid of 21 values, then the root of the slope between the neighbours of the best, then the ends of the interval: about 45 values of
/// γ with one factorization and two solutions per sample; the order of elimination is found once.
///
/// ```
/// use srrd::{estimate_gamma, Duplicates, RewardSample};
/// // Rewards without pattern, shaped with γ = 0.6.
/// let noise = |s: u32, t: u32| f64::from((s * 7919 + t * 104_729 + s * t * 31) % 101) / 101.0;
/// let potential = |s: u32| f64::from(s * 37 % 23);
/// let pairs = (0..30).flat_map(|s| [1, 7, 12, 18].map(move |step| (s, (s + step) % 30)));
/// let rows = pairs.map(|(s, t)| (s, 0, t, noise(s, t) + 0.6 * potential(t) - potential(s)));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let estimate = estimate_gamma(&[&sample]);
/// assert!(estimate.identified && (estimate.gamma.get() - 0.6).abs() < 0.02);
/// assert!(estimate.low < 0.6 && 0.6 < estimate.high);
/// assert_eq!(estimate.degrees_of_freedom, 90);
/// # Ok::<(), srrd::SampleError>(())
/// ```
pub fn estimate_gamma(samples: &[&RewardSample]) -> GammaEstimate {
    let pool = Pool::new(samples);
    let search = Search::over(&pool);
    let degrees_of_freedom = pool.degrees_of_freedom();
    let (gamma, low, high) = match search.is_flat() {
        true => (Gamma::default(), 0.0, 1.0),
        false => {
            let (best, low, high) = search.estimate();
            (Gamma::new(best.clamp(0.0, 1.0)).unwrap_or_default(), low, high)
        }
    };
    let why_not = match gamma.get() {
        _ if search.is_flat() => Some(NotIdentified::NothingLeft),
        0.0 | 1.0 => Some(NotIdentified::Border),
        _ if high - low > WIDE => Some(NotIdentified::Wide),
        value if pool.p_of_shaping(value) > NO_SHAPING => Some(NotIdentified::NoShaping),
        _ if depends(samples, gamma) => Some(NotIdentified::Dependent),
        _ => None,
    };
    let identified = why_not.is_none();
    GammaEstimate { gamma, low, high, identified, why_not, profile: search.profile(), degrees_of_freedom }
}

/// Whether what shaping leaves of any sample goes with states or actions.
fn depends(samples: &[&RewardSample], gamma: Gamma) -> bool {
    let fires = |sample: &&RewardSample| {
        let projection = Projection::new(sample, gamma);
        if projection.shaping().degrees_of_freedom == 0 {
            return false;
        }
        let rows: Vec<Row> =
            sample.ids().map(|(state, action, next)| Row { state, action, next, ends: false, open: false }).collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let length = |values: &[f64]| product(values, values).sqrt();
        // A level is fitted beside the potential where it is no shaping.
        let level = projection.residual(&vec![1.0; rows.len()]);
        let level = Some(level).filter(|level| length(level) > ONLY_SHAPING * (rows.len() as f64).sqrt());
        let left = |values: &[f64]| {
            let mut left = projection.residual(values);
            if let Some(level) = &level {
                let by = product(&left, level) / product(level, level);
                left.iter_mut().zip(level).for_each(|(left, level)| *left -= by * level);
            }
            left
        };
        let reference = Reference::new(&rows, left, 0);
        let residual = left(sample.rewards());
        if length(&residual) <= ONLY_SHAPING * length(sample.rewards()) {
            return false;
        }
        let rank = projection.shaping().rank + usize::from(level.is_some());
        // Each of several samples may fire by chance.
        reference.p(sample.rewards(), &residual, rank) * (samples.len() as f64) < FOR_GAMMA
    };
    samples.par_iter().any(fires)
}
