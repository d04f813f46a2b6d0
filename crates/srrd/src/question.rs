//! What is asked about samples: options as they were given, checked together, and settled with the data.

mod settled;

pub use settled::Settled;

use std::sync::Arc;

use crate::advise::fitting;
use crate::compare::{Correlation, Pair};
use crate::metric::Metric;
use crate::potential::Potential;
use crate::problem::Problem;
use crate::sample::{Duplicates, NamedSample, RewardSample};
use crate::settings::{
    Actions, Batch, Discount, DynamicsRule, EndRule, Estimator, EstimatorName, Regression, SettingError, Settings,
    Support,
};
use crate::sure::{Draws, Level};
use crate::verdict::Margin;

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
    /// Whether the metric is the one that fits the data.
    pub auto: bool,
    /// γ.
    pub gamma: Discount,
    /// How expectations are estimated.
    pub estimator: EstimatorName,
    /// What predicts rewards, for the regressed estimator.
    pub regression: Option<Regression>,
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
    /// What potentials `projected` takes shaping to be made of.
    pub potential: Potential,
    /// Which transitions end an episode, for `projected`.
    pub ends: EndRule,
    /// What decides where an action leads, for `projected`.
    pub dynamics: DynamicsOption,
    /// The probabilities of the file that `dynamics` names, as the rewards of a sample: for those who can read files.
    pub model: Option<Arc<RewardSample>>,
    /// The level of the interval that is asked for.
    pub interval: Option<Level>,
    /// Whether a test against chance is asked for.
    pub chance: bool,
    /// How many draws intervals and tests make.
    pub draws: Draws,
    /// Whether to tell what noise in the rewards leaves possible: for those who have room for it.
    pub noise_floor: bool,
    /// Whether to judge if two rewards ask for the same behaviour, where `projected` is asked for: it takes an interval.
    pub verdict: bool,
    /// How far apart rewards may be that are judged to ask for the same behaviour.
    pub within: Margin,
}

impl Default for Options {
    fn default() -> Self {
        let Settings { seed, min_common, support, potential, correlation, ends, .. } = Settings::default();
        Options {
            metrics: Vec::new(),
            auto: false,
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
            potential,
            ends,
            dynamics: DynamicsOption::default(),
            model: None,
            interval: None,
            chance: false,
            draws: Draws::default(),
            noise_floor: false,
            verdict: false,
            within: Margin::default(),
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
        let Options { actions, batch, seed, min_common, support, potential, correlation, ends, .. } = *self;
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
            (EstimatorName::Regressed, chosen) => Some(chosen.unwrap_or_default()),
            (_, None) => None,
            (_, Some(_)) => return Err(Problem::RegressionOfOthers),
        };
        let metrics = if self.metrics.is_empty() { default.to_vec() } else { self.metrics.clone() };
        let metrics = if self.auto { vec![Metric::Srrd] } else { metrics };
        let projects = self.auto || metrics.contains(&Metric::Projected);
        if support == Support::Own && !projects {
            return Err(Problem::OptionOfProjected { option: "support" });
        }
        if support == Support::Space && potential == Potential::Tabular {
            return Err(Problem::SpaceWithoutPotential);
        }
        let projects = projects || metrics.iter().any(|metric| metric.info().projects);
        if ends != EndRule::Auto && !projects {
            return Err(Problem::OptionOfProjected { option: "ends" });
        }
        if potential != Potential::Tabular {
            self.check_potential(projects)?;
        }
        let dynamics = self.dynamics_rule(projects)?;
        let gamma = match self.gamma {
            Discount::Given(gamma) => gamma,
            Discount::FromData => Default::default(),
        };
        Ok(Question {
            settings: Settings {
                gamma,
                estimator,
                seed,
                min_common,
                support,
                potential,
                correlation,
                ends,
                dynamics,
                shrinkage: Default::default(),
            },
            metrics,
            choice: match (self.auto, self.metrics.is_empty()) {
                (true, _) => MetricChoice::Auto,
                (false, true) => MetricChoice::Default,
                (false, false) => MetricChoice::Named,
            },
            model: self.model.clone(),
            regression,
            gamma_from_data: self.gamma == Discount::FromData,
            certainty: Certainty {
                interval: self.interval,
                chance: self.chance,
                draws: self.draws,
                noise_floor: self.noise_floor,
                verdict: self.verdict,
                within: self.within,
            },
        })
    }
}

impl Options {
    /// What potentials of a basis do not go with.
    fn check_potential(&self, projects: bool) -> Result<(), Problem> {
        if !projects {
            return Err(Problem::OptionOfProjected { option: "potential" });
        }
        if self.support == Support::Own {
            return Err(Problem::PotentialOnOwn);
        }
        match self.gamma {
            Discount::FromData => Err(Problem::PotentialWithoutGamma),
            Discount::Given(_) => Ok(()),
        }
    }
}

impl Options {
    /// What decides where an action leads; for `projected`, and with the probabilities that it needs.
    fn dynamics_rule(&self, projects: bool) -> Result<DynamicsRule, Problem> {
        let rule = match &self.dynamics {
            DynamicsOption::Deterministic => return Ok(DynamicsRule::Deterministic),
            DynamicsOption::Sampled => DynamicsRule::Sampled,
            DynamicsOption::File(_) => DynamicsRule::Given,
        };
        if !projects {
            return Err(Problem::OptionOfProjected { option: "dynamics" });
        }
        if self.potential != Potential::Tabular || self.support != Support::Pair {
            return Err(Problem::DynamicsOfOthers);
        }
        if rule == DynamicsRule::Given {
            let wrong = |why: String| Problem::Value { option: "dynamics", error: SettingError::Model(why) };
            let Some(model) = &self.model else {
                return Err(wrong(
                    "there is no file of probabilities to read here; choose deterministic or sampled".to_owned(),
                ));
            };
            model.check_probabilities().map_err(wrong)?;
        }
        Ok(rule)
    }
}

/// What decides where an action leads, as it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DynamicsOption {
    /// Every transition counts by itself.
    #[default]
    Deterministic,
    /// Chance, by how often each next state occurs.
    Sampled,
    /// Chance, with the probabilities of a file.
    File(String),
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
    /// Whether to judge if two rewards ask for the same behaviour.
    pub verdict: bool,
    /// How far apart they may be then.
    pub within: Margin,
}

/// Who chose the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MetricChoice {
    /// The caller.
    Named,
    /// Nobody.
    Default,
    /// The data are to.
    Auto,
}

/// So many pairs of many samples are asked which metric fits.
const ASKED: usize = 12;

/// A valid question about samples: by which metrics, with which settings, how sure.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    metrics: Vec<Metric>,
    choice: MetricChoice,
    model: Option<Arc<RewardSample>>,
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

    /// The same question by one of its metrics, or by another one.
    pub fn only(&self, metric: Metric) -> Question {
        Question { metrics: vec![metric], choice: MetricChoice::Named, ..self.clone() }
    }

    /// The dynamics that were given as a table.
    pub(crate) fn model(&self) -> Option<&RewardSample> {
        self.model.as_deref()
    }

    /// Whether the caller named the metrics, or left them to the data.
    pub fn is_chosen(&self) -> bool {
        self.choice != MetricChoice::Default
    }

    /// Whether the metric is left to the data.
    pub fn is_auto(&self) -> bool {
        self.choice == MetricChoice::Auto
    }

    /// The metric that fits most pairs of samples, of some; `None` where no distance tells anything.
    ///
    /// ```
    /// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
    /// let rows = (0..9).flat_map(|s| (0..9).map(move |t| (s, 0, t, f64::from((3 * s + 2 * t * s) % 7))));
    /// let a = NamedSample::new("a", RewardSample::from_rows(rows, Duplicates::Mean)?);
    /// let question = Options { auto: true, ..Options::default() }.question()?;
    /// assert_eq!(question.advised(&[&a, &a]), Some(Metric::Projected));
    /// assert_eq!(question.fitting(&[&a, &a]).metrics(), [Metric::Projected]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advised(&self, samples: &[&NamedSample]) -> Option<Metric> {
        let pairs = samples.len().saturating_sub(1);
        let asked = (0..pairs).step_by(pairs.div_ceil(ASKED).max(1));
        let advice: Vec<Option<Metric>> = asked
            .map(|i| fitting(&Pair::new(&samples[i].sample, &samples[i + 1].sample), &self.settings, None))
            .collect();
        let votes = |metric: Metric| advice.iter().filter(|advised| **advised == Some(metric)).count();
        let [projected, srrd] = [Metric::Projected, Metric::Srrd].map(votes);
        match projected + srrd {
            0 => None,
            _ if projected >= srrd => Some(Metric::Projected),
            _ => Some(Metric::Srrd),
        }
    }

    /// The question with the metric that fits the samples, if that was asked for; `srrd` where none fits.
    pub fn fitting(&self, samples: &[&NamedSample]) -> Question {
        match self.choice {
            MetricChoice::Auto => {
                Question { metrics: vec![self.advised(samples).unwrap_or(Metric::Srrd)], ..self.clone() }
            }
            MetricChoice::Named | MetricChoice::Default => self.clone(),
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
    pub(crate) fn certainty(&self) -> &Certainty {
        &self.certainty
    }

    /// What predicts the rewards that were not sampled.
    pub(crate) fn regression(&self) -> Option<Regression> {
        self.regression
    }

    /// The estimator, as it is called.
    pub(crate) fn estimator(&self) -> EstimatorName {
        self.settings.estimator.called(self.regression)
    }
}
