//! What is asked about samples: options as they were given, checked together, and settled with the data.

use std::borrow::Cow;

use crate::compare::Correlation;
use crate::gamma::{GammaEstimate, estimate_gamma};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::sample::{Duplicates, NamedSample, RewardSample, SampleError};
use crate::settings::{
    Actions, Batch, Discount, EndRule, Estimator, EstimatorName, Regression, RegressionName, SettingError, Settings,
    Support, TreeLimits,
};
use crate::sure::{Draws, Level};
use crate::warning::Warning;

/// Options as they were given. Each is valid by itself; [`question`](Self::question) checks them together.
///
/// ```
/// use srrd::{Metric, Options};
/// let question = Options { metrics: vec![Metric::Projected], ..Options::default() }.question()?;
/// assert_eq!(question.metrics(), [Metric::Projected]);
/// # Ok::<(), srrd::Problem>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The metrics; none for the default of whoever asks.
    pub metrics: Vec<Metric>,
    /// γ.
    pub gamma: Discount,
    /// How expectations are estimated.
    pub estimator: EstimatorName,
    /// What predicts rewards, for the regressed estimator.
    pub regression: Option<RegressionName>,
    /// How actions enter the double batch.
    pub actions: Actions,
    /// The size of the double batch.
    pub batch: Batch,
    /// The seed of the batch and of all draws.
    pub seed: u64,
    /// Which reward a transition gets that occurs with unequal ones: for those who make samples.
    pub duplicates: Duplicates,
    /// How many transitions two samples must share.
    pub min_common: usize,
    /// Of what kind the correlation is.
    pub correlation: Correlation,
    /// Where `projected` takes shaping out.
    pub support: Support,
    /// Which transitions end an episode, for `projected`.
    pub ends: EndRule,
    /// The level of the interval that is asked for.
    pub interval: Option<Level>,
    /// Whether a test against chance is asked for.
    pub chance: bool,
    /// How many draws intervals and tests make.
    pub draws: Draws,
    /// Whether to tell what noise in the rewards leaves possible: for those who have room for it.
    pub noise_floor: bool,
}

impl Default for Options {
    fn default() -> Self {
        let Settings { seed, min_common, support, correlation, ends, .. } = Settings::default();
        Options {
            metrics: Vec::new(),
            gamma: Discount::default(),
            estimator: EstimatorName::default(),
            regression: None,
            actions: Actions::default(),
            batch: Batch::default(),
            seed,
            duplicates: Duplicates::default(),
            min_common,
            correlation,
            support,
            ends,
            interval: None,
            chance: false,
            draws: Draws::default(),
            noise_floor: false,
        }
    }
}

impl Options {
    /// The question, by `srrd` where no metric is named.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn question(&self) -> Result<Question, Problem> {
        self.question_by(&[Metric::Srrd])
    }

    /// The question, by these metrics where none is named.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn question_by(&self, default: &[Metric]) -> Result<Question, Problem> {
        let Options { actions, batch, seed, min_common, support, correlation, ends, .. } = *self;
        if min_common == 0 {
            return Err(Problem::Value { option: "min-common", error: SettingError::LessThanOne });
        }
        let estimator = match self.estimator {
            EstimatorName::Double | EstimatorName::Regressed => Estimator::Double { actions, batch },
            EstimatorName::Unbiased if batch != Batch::All => return Err(Problem::BatchOfUnbiased),
            EstimatorName::Unbiased if actions != Actions::Marginal => return Err(Problem::ActionsOfUnbiased),
            EstimatorName::Unbiased => Estimator::Unbiased,
        };
        let regression = match (self.estimator, self.regression) {
            (EstimatorName::Regressed, None | Some(RegressionName::Linear)) => Some(Regression::Linear),
            (EstimatorName::Regressed, Some(RegressionName::Tree)) => Some(Regression::Tree(TreeLimits::default())),
            (_, None) => None,
            (_, Some(_)) => return Err(Problem::RegressionOfOthers),
        };
        let metrics = if self.metrics.is_empty() { default.to_vec() } else { self.metrics.clone() };
        let projects = metrics.contains(&Metric::Projected);
        if support == Support::Own && !projects {
            return Err(Problem::OptionOfProjected { option: "support" });
        }
        if ends != EndRule::Auto && !(projects || metrics.contains(&Metric::Npec)) {
            return Err(Problem::OptionOfProjected { option: "ends" });
        }
        let gamma = match self.gamma {
            Discount::Given(gamma) => gamma,
            Discount::FromData => Default::default(),
        };
        Ok(Question {
            settings: Settings { gamma, estimator, seed, min_common, support, correlation, ends },
            metrics,
            regression,
            gamma_from_data: self.gamma == Discount::FromData,
            certainty: Certainty {
                interval: self.interval,
                chance: self.chance,
                draws: self.draws,
                noise_floor: self.noise_floor,
            },
        })
    }
}

/// How sure a distance should be known to be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Certainty {
    /// The level of the interval that is asked for.
    pub interval: Option<Level>,
    /// Whether a test against chance is asked for.
    pub chance: bool,
    /// How many draws they make.
    pub draws: Draws,
    /// Whether to tell what noise in the rewards leaves possible.
    pub noise_floor: bool,
}

/// A valid question about samples: by which metrics, with which settings, how sure.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    metrics: Vec<Metric>,
    /// For the regressed estimator, the double batch: predicting is up to the samples, which [`settle`](Self::settle) prepares.
    settings: Settings,
    regression: Option<Regression>,
    gamma_from_data: bool,
    certainty: Certainty,
}

impl Question {
    /// The metrics, without repetitions, in the order given.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// The one metric that was named; `what` needs one: "a matrix is".
    ///
    /// # Errors
    /// When there are several.
    pub fn metric(&self, what: &'static str) -> Result<Metric, Problem> {
        match self.metrics.as_slice() {
            &[metric] => Ok(metric),
            _ => Err(Problem::SeveralMetrics { what }),
        }
    }

    /// Whether γ is found from the samples.
    pub fn gamma_from_data(&self) -> bool {
        self.gamma_from_data
    }

    /// All but the metrics; γ is the default until the question is [settled](Self::settle) where it is found from the samples.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How sure distances should be known to be.
    pub fn certainty(&self) -> &Certainty {
        &self.certainty
    }

    /// What predicts the rewards that were not sampled.
    pub fn regression(&self) -> Option<Regression> {
        self.regression
    }

    /// The name of the estimator in commands and files.
    pub fn estimator_name(&self) -> &'static str {
        if self.regression.is_some() { "regressed" } else { self.settings.estimator.name() }
    }

    /// Settings and samples with which the question can be answered: γ found from the samples if that was asked for, and samples that
    /// predict what they do not hold if the estimator needs that.
    ///
    /// # Errors
    /// Samples that can share no transition, or that the estimator cannot take.
    pub fn settle<'a>(&self, samples: &[&'a NamedSample]) -> Result<Settled<'a>, Problem> {
        // Metrics that expect nothing of unsampled transitions need no prediction.
        let needed = self.regression.filter(|_| self.metrics.iter().any(|metric| metric.info().expects));
        // What is wrong with one sample is told before what is wrong with two.
        let ready = samples.iter().map(|&named| match needed {
            None => Ok(Cow::Borrowed(named)),
            Some(regression) => predicting(named, regression).map(Cow::Owned),
        });
        let ready = ready.collect::<Result<_, Problem>>()?;
        check_same_identity(samples)?;
        if self.settings.ends == EndRule::Marked
            && let Some(unmarked) = samples.iter().find(|named| !named.sample.ends().are_known())
        {
            return Err(Problem::EndsUnmarked { sample: unmarked.origin().to_owned() });
        }
        let mut settings = self.settings;
        let mut warnings = Warning::of_samples(samples);
        let gamma = self.gamma_from_data.then(|| {
            let references: Vec<&RewardSample> = samples.iter().map(|named| &named.sample).collect();
            estimate_gamma(&references)
        });
        if let Some(estimate) = &gamma {
            settings.gamma = estimate.taken();
            warnings.extend(Warning::of_gamma(estimate));
        }
        Ok(Settled { samples: ready, settings, gamma, warnings })
    }
}

/// A question together with samples, ready to be answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settled<'a> {
    /// The samples as the estimator needs them.
    pub samples: Vec<Cow<'a, NamedSample>>,
    /// The settings, γ included.
    pub settings: Settings,
    /// What the estimate of γ came to, if it was asked for.
    pub gamma: Option<GammaEstimate>,
    /// What there is to know about the samples and γ.
    pub warnings: Vec<Warning>,
}

impl Settled<'_> {
    /// The samples without their names.
    pub fn rewards(&self) -> Vec<&RewardSample> {
        self.samples.iter().map(|named| &named.sample).collect()
    }
}

/// The sample, predicting the rewards that it does not hold.
fn predicting(named: &NamedSample, regression: Regression) -> Result<NamedSample, Problem> {
    let sample = named.sample.clone().with_regression(regression).map_err(|error| match error {
        SampleError::NoFeatures { .. } => {
            Problem::NoFeatures { sample: named.origin().to_owned(), one_step: named.one_step }
        }
        other => Problem::Unpredictable { sample: named.origin().to_owned(), why: other.to_string() },
    })?;
    Ok(NamedSample { sample, ..named.clone() })
}

/// Samples that identify states by different things can share no transition; that is a mistake, not a distance.
fn check_same_identity(samples: &[&NamedSample]) -> Result<(), Problem> {
    let Some((first, others)) = samples.split_first() else { return Ok(()) };
    for other in others {
        for (what, of) in [
            ("states", (&first.state_features, &other.state_features)),
            ("actions", (&first.action_features, &other.action_features)),
        ] {
            if of.0 != of.1 {
                let samples = [first.name.clone(), other.name.clone()];
                return Err(Problem::OtherIdentity { what, samples, features: [of.0.clone(), of.1.clone()] });
            }
        }
        if first.one_step != other.one_step {
            let (without, with) = if first.one_step { (first, other) } else { (other, first) };
            return Err(Problem::OneStep { without: without.name.clone(), with: with.name.clone() });
        }
    }
    Ok(())
}
