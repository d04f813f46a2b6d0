//! What a caller may choose. Every type here can only be built valid, so the rest of the library never checks again.

use std::num::NonZeroUsize;
use thiserror::Error;

use crate::compare::Correlation;
use crate::metric::METRICS;
use crate::potential::Potential;

/// A choice among names, which is declared here and nowhere else: command, Python, help and messages take the names from it.
///
/// ```
/// use srrd::Choice;
/// use srrd::settings::Support;
/// assert_eq!(Support::named("own"), Ok(Support::Own));
/// assert_eq!(Support::named("none").unwrap_err().to_string(), "'none' is not one of pair, own, space");
/// ```
pub trait Choice: Copy + PartialEq + 'static {
    /// All of them, in the order in which they are shown.
    const ALL: &'static [Self];

    /// Their names in commands and files, in the same order.
    const NAMES: &'static [&'static str];

    /// All names.
    fn names() -> Vec<&'static str> {
        Self::NAMES.to_vec()
    }

    /// The name in commands and files.
    fn name(self) -> &'static str {
        const { assert!(Self::ALL.len() == Self::NAMES.len(), "one name each") };
        let place = Self::ALL.iter().position(|choice| *choice == self);
        Self::NAMES[place.expect("all choices are listed")]
    }

    /// The choice of this name.
    ///
    /// # Errors
    /// When there is none; the message lists all.
    fn named(name: &str) -> Result<Self, SettingError> {
        let place = Self::NAMES.iter().position(|known| *known == name);
        let unknown = || SettingError::Choice { given: name.to_owned(), choices: Self::names() };
        place.map(|place| Self::ALL[place]).ok_or_else(unknown)
    }
}

/// A setting that is not one of those possible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SettingError {
    /// No metric of this name.
    #[error("there is no metric '{0}': choose among {list}", list = METRICS.each_ref().map(|info| info.name).join(", "))]
    Metric(String),
    /// A discount factor outside [0, 1].
    #[error("the discount factor is {0}, but it must lie between 0 and 1")]
    Gamma(f64),
    /// A leaf of a regression tree of no transitions.
    #[error("a leaf of a regression tree needs at least one transition")]
    EmptyLeaf,
    /// A level outside (0, 1).
    #[error("the level is {0}, but it must lie between 0 and 1, such as 0.95")]
    Level(f64),
    /// Too few draws to tell anything, or more than anyone can wait for.
    #[error("the number of draws is {0}, but it must lie between {LEAST_DRAWS} and {MOST_DRAWS}", LEAST_DRAWS = crate::sure::Draws::LEAST, MOST_DRAWS = crate::sure::Draws::MOST)]
    Draws(usize),
    /// A batch of no states.
    #[error("a batch needs at least one state")]
    EmptyBatch,
    /// A name that is none of those possible.
    #[error("'{given}' is not one of {}", choices.join(", "))]
    Choice {
        /// What was given.
        given: String,
        /// What is possible.
        choices: Vec<&'static str>,
    },
    /// Neither a discount factor nor `auto`.
    #[error("'{0}' is neither a number between 0 and 1 nor `auto`")]
    NotAGamma(String),
    /// No potential of this name.
    #[error("'{0}' is none of tabular, linear, quadratic, auto and fourier:N, N being a whole number from 1 to {MOST_WAVES}", MOST_WAVES = Potential::MOST_WAVES)]
    NotAPotential(String),
    /// Neither a size nor `all`.
    #[error("'{0}' is neither `all` nor a whole number from 1 up")]
    NotABatch(String),
    /// A count of 0.
    #[error("it must be at least 1")]
    LessThanOne,
    /// Not a whole number that fits.
    #[error("'{0}' is not a whole number from 0 to 2^64 - 1")]
    NotWhole(String),
    /// Not a number.
    #[error("'{0}' is not a number")]
    NotANumber(String),
    /// Neither true nor false.
    #[error("'{0}' is neither true nor false")]
    NotAFlag(String),
    /// Probabilities that are none.
    #[error("{0}")]
    Model(String),
    /// What classification does not take.
    #[error("{0}")]
    Classify(String),
    /// A margin that tells nothing apart.
    #[error("the margin is {0}, but it must lie above 0 and be at most 0.5: unrelated rewards are at 0.71")]
    Margin(f64),
    /// A shrinkage below 0.
    #[error("the shrinkage is {0}, but it must be a number from 0 on")]
    Shrinkage(f64),
}

/// A discount factor: a number in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gamma(f64);

impl Gamma {
    /// No discount.
    pub(crate) const ONE: Gamma = Gamma(1.0);

    /// # Errors
    /// When `value` is not in [0, 1].
    pub fn new(value: f64) -> Result<Self, SettingError> {
        if (0.0..=1.0).contains(&value) { Ok(Gamma(value)) } else { Err(SettingError::Gamma(value)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for Gamma {
    fn default() -> Self {
        Gamma(0.9)
    }
}

/// How far correlations over few transitions are drawn to 0: λ in ρ · n / (n + λ), n being how many transitions are shared.
///
/// Over three transitions rewards that have nothing in common correlate by chance, often strongly. Whoever looks for the *nearest* of many
/// samples finds just those pairs. With λ a correlation counts as much as n transitions are worth beside λ that say nothing.
///
/// ```
/// use srrd::settings::Shrinkage;
/// let shrinkage = Shrinkage::new(20.0)?;
/// assert_eq!(shrinkage.of(0.9, 5.0), 0.18);
/// assert_eq!(Shrinkage::default().of(0.9, 5.0), 0.9);
/// # Ok::<(), srrd::settings::SettingError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Shrinkage(f64);

impl Shrinkage {
    /// What classification takes unless it is told otherwise: documented with the comparison that it was chosen by.
    pub const OF_NEIGHBOURS: Shrinkage = Shrinkage(50.0);

    /// # Errors
    /// When `lambda` is negative or no number.
    pub fn new(lambda: f64) -> Result<Self, SettingError> {
        if lambda >= 0.0 && lambda.is_finite() { Ok(Shrinkage(lambda)) } else { Err(SettingError::Shrinkage(lambda)) }
    }

    /// λ.
    pub fn get(self) -> f64 {
        self.0
    }

    /// A correlation over so many transitions, drawn to 0.
    pub fn of(self, correlation: f64, shared: f64) -> f64 {
        correlation * shared / (shared + self.0)
    }
}

/// Which discount factor is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Discount {
    /// This one.
    Given(Gamma),
    /// The one at which shaping explains most of the rewards.
    FromData,
}

impl Default for Discount {
    fn default() -> Self {
        Discount::Given(Gamma::default())
    }
}

/// How reward expectations are estimated from a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// Sums over the cross-products of the sets intersected with a batch B; an unsampled transition adds 0 to the sum and 1
    /// to the denominator.
    Double {
        /// How actions enter.
        actions: Actions,
        /// B.
        batch: Batch,
    },
    /// Means over the sampled transitions between two sets, counting every action separately. No batch.
    Unbiased,
}

impl Estimator {
    /// What it is called, with what predicts rewards that were not sampled.
    ///
    /// ```
    /// use srrd::settings::{Estimator, EstimatorName, Regression};
    /// let double = Estimator::default();
    /// assert_eq!(double.called(None), EstimatorName::Double);
    /// assert_eq!(double.called(Some(Regression::Linear)), EstimatorName::Regressed);
    /// ```
    pub fn called(self, regression: Option<Regression>) -> EstimatorName {
        match (self, regression) {
            (Estimator::Double { .. }, None) => EstimatorName::Double,
            (Estimator::Double { .. }, Some(_)) => EstimatorName::Regressed,
            (Estimator::Unbiased, _) => EstimatorName::Unbiased,
        }
    }

    /// How actions enter, and how large the batch is, where there is one.
    pub(crate) fn double(self) -> Option<(Actions, Batch)> {
        match self {
            Estimator::Double { actions, batch } => Some((actions, batch)),
            Estimator::Unbiased => None,
        }
    }

    /// As people say it, with what predicts rewards that were not sampled and the seed of the batch.
    pub(crate) fn in_words(self, regression: Option<Regression>, seed: u64) -> String {
        let (actions, batch) = match self {
            Estimator::Double { actions, batch } => (actions, batch),
            Estimator::Unbiased => return "unbiased estimates".to_owned(),
        };
        let of = match actions {
            Actions::Marginal => "states",
            Actions::Joint => "pairs of state and action",
        };
        let batch = match batch {
            Batch::All => format!("double batch of all {of}"),
            Batch::Size(size) => format!("double batch, size {size}, of {of} (seed {seed})"),
        };
        match regression {
            None => batch,
            Some(Regression::Linear) => format!("{batch}, the rest predicted by linear regression"),
            Some(Regression::Tree(_)) => format!("{batch}, the rest predicted by a regression tree"),
        }
    }
}

impl Default for Estimator {
    fn default() -> Self {
        Estimator::Double { actions: Actions::default(), batch: Batch::default() }
    }
}

/// The name of an estimator, as it is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EstimatorName {
    /// The double batch.
    #[default]
    Double,
    /// Means over the sampled transitions.
    Unbiased,
    /// The double batch with predicted rewards for unsampled transitions.
    Regressed,
}

impl Choice for EstimatorName {
    const ALL: &'static [Self] = &[EstimatorName::Double, EstimatorName::Unbiased, EstimatorName::Regressed];
    const NAMES: &'static [&'static str] = &["double", "unbiased", "regressed"];
}

/// How actions enter the double batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Actions {
    /// B is a set of states; R(x, y) is the mean reward over the actions sampled for (x, y).
    #[default]
    Marginal,
    /// B is a set of (state, action) pairs, and set sizes count pairs.
    Joint,
}

impl Choice for Actions {
    const ALL: &'static [Self] = &[Actions::Marginal, Actions::Joint];
    const NAMES: &'static [&'static str] = &["marginal", "joint"];
}

/// How large the batch B is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Batch {
    /// All explored states (or pairs of an explored state and an explored action).
    #[default]
    All,
    /// So many of them, drawn without replacement; all when there are no more.
    Size(NonZeroUsize),
}

impl Batch {
    /// # Errors
    /// When `size` is 0.
    pub fn size(size: usize) -> Result<Self, SettingError> {
        NonZeroUsize::new(size).map(Batch::Size).ok_or(SettingError::EmptyBatch)
    }
}

/// What predicts the rewards of unsampled transitions, where it is asked for
/// ([`RewardSample::with_regression`](crate::RewardSample::with_regression)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Regression {
    /// Linear least squares with an intercept; of several solutions the one of minimal norm, features counted in standard
    /// deviations.
    #[default]
    Linear,
    /// A regression tree.
    Tree(TreeLimits),
}

impl Choice for Regression {
    const ALL: &'static [Self] = &[Regression::Linear, Regression::Tree(TreeLimits::USUAL)];
    const NAMES: &'static [&'static str] = &["linear", "tree"];

    fn name(self) -> &'static str {
        Self::NAMES[usize::from(self != Regression::Linear)]
    }
}

/// How far a regression tree grows: by default 8 splits deep (256 leaves at most), 5 transitions a leaf at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    max_depth: usize,
    min_leaf: NonZeroUsize,
}

impl TreeLimits {
    /// At most `max_depth` splits above a leaf (0 predicts the mean everywhere), at least `min_leaf` transitions in it.
    ///
    /// # Errors
    /// When `min_leaf` is 0.
    pub fn new(max_depth: usize, min_leaf: usize) -> Result<Self, SettingError> {
        let min_leaf = NonZeroUsize::new(min_leaf).ok_or(SettingError::EmptyLeaf)?;
        Ok(TreeLimits { max_depth, min_leaf })
    }

    /// The default.
    const USUAL: TreeLimits = TreeLimits { max_depth: 8, min_leaf: NonZeroUsize::new(5).unwrap() };

    /// The largest number of splits above a leaf.
    pub fn max_depth(self) -> usize {
        self.max_depth
    }

    /// The least number of transitions in a leaf.
    pub fn min_leaf(self) -> usize {
        self.min_leaf.get()
    }
}

impl Default for TreeLimits {
    fn default() -> Self {
        TreeLimits::USUAL
    }
}

/// All that a distance needs to know beside the samples and the metric.
///
/// The default is the command's: γ = 0.9, double batch over all states, marginal actions, seed 0, 3 shared transitions,
/// shaping projected out on those, Pearson's correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// γ
    pub gamma: Gamma,
    /// How expectations are estimated.
    pub estimator: Estimator,
    /// The seed of the batch.
    pub seed: u64,
    /// How many transitions two samples must share for their distance to be defined. Two points always correlate perfectly,
    /// hence 3 by default; below [`FEW_COMMON`] a distance is mostly noise.
    pub min_common: usize,
    /// Where `projected` takes shaping out.
    pub support: Support,
    /// What potentials it takes shaping to be made of. Those of a basis are taken out on what a pair shares, whatever `support` says.
    pub potential: Potential,
    /// Of what kind the correlation is.
    pub correlation: Correlation,
    /// Which transitions end an episode, for `projected`.
    pub ends: EndRule,
    /// What decides where an action leads, for `projected`.
    pub dynamics: DynamicsRule,
    /// How far correlations over few transitions are drawn to 0 before they become distances. Intervals, tests and explanations are of
    /// the correlation as it is.
    pub shrinkage: Shrinkage,
}

/// What decides where an action leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DynamicsRule {
    /// Every transition counts by itself.
    #[default]
    Deterministic,
    /// Chance: rewards count as means over next states, by how often each occurs in the two samples together.
    Sampled,
    /// Chance, with given probabilities.
    Given,
}

impl Choice for DynamicsRule {
    const ALL: &'static [Self] = &[DynamicsRule::Deterministic, DynamicsRule::Sampled, DynamicsRule::Given];
    const NAMES: &'static [&'static str] = &["deterministic", "sampled", "given"];
}

/// Which transitions end an episode. Shaping keeps behaviour only if what an episode ends in has potential 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EndRule {
    /// Those that the samples mark. Where nothing is marked, none; states that start nothing then have free potentials.
    #[default]
    Auto,
    /// Those that the samples mark, which they must.
    Marked,
    /// Those that lead to a state that starts nothing.
    Sinks,
    /// None: episodes go on.
    None,
}

impl Choice for EndRule {
    const ALL: &'static [Self] = &[EndRule::Auto, EndRule::Marked, EndRule::Sinks, EndRule::None];
    const NAMES: &'static [&'static str] = &["auto", "marked", "sinks", "none"];
}

/// On which transitions `projected` takes shaping out before two samples are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// On the transitions that the two samples share: equivalent rewards have distance 0, exactly. A projection of both samples
    /// for every pair.
    #[default]
    Pair,
    /// On all transitions of each sample, once per sample: cheap for many of them. Each residual is as blind to shaping as the other
    /// way, but where the samples hold different transitions their residuals are of different spaces, so that equivalent rewards
    /// do not get exactly 0.
    Own,
    /// On the transitions of each sample, where potentials are functions of features: each reward is predicted where the other was
    /// sampled. What is done anyway where samples in one space share too few transitions.
    Space,
}

impl Choice for Support {
    const ALL: &'static [Self] = &[Support::Pair, Support::Own, Support::Space];
    const NAMES: &'static [&'static str] = &["pair", "own", "space"];
}

/// With fewer shared transitions than this a distance is mostly noise.
pub const FEW_COMMON: usize = 20;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gamma: Gamma::default(),
            estimator: Estimator::default(),
            seed: 0,
            min_common: 3,
            support: Support::default(),
            potential: Potential::default(),
            correlation: Correlation::Pearson,
            ends: EndRule::Auto,
            dynamics: DynamicsRule::Deterministic,
            shrinkage: Shrinkage::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_settings_can_be_built() {
        for value in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Gamma::new(value).is_err(), "{value}");
        }
        assert_eq!(Gamma::new(1.0).unwrap().get(), 1.0);
        for value in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(Shrinkage::new(value).is_err(), "{value}");
        }
        assert_eq!(Batch::size(0), Err(SettingError::EmptyBatch));
        assert_eq!(TreeLimits::new(3, 0), Err(SettingError::EmptyLeaf));
        assert_eq!(TreeLimits::new(8, 5), Ok(TreeLimits::default()));
    }
}
