//! A question meets its samples: what is checked, predicted and estimated before anything is computed.

use std::borrow::Cow;

use super::Question;
use crate::gamma::{GammaEstimate, estimate_gamma};
use crate::metric::Metric;
use crate::potential::Potential;
use crate::problem::Problem;
use crate::sample::{NamedSample, RewardSample, SampleError};
use crate::settings::{EndRule, Regression, Settings};
use crate::warning::Warning;

impl Question {
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
        let mut ready: Vec<Cow<'a, NamedSample>> = ready.collect::<Result<_, Problem>>()?;
        if let Some(model) = &self.model {
            for named in &mut ready {
                let sample = &mut named.to_mut().sample;
                sample.take_probabilities(model);
                // A discount factor from the data is uncertain by itself, however much was sampled.
                if !self.gamma_from_data {
                    sample.note_incomplete(model);
                }
            }
        }
        check_same_identity(samples)?;
        if self.settings.potential != Potential::Tabular {
            samples.iter().try_for_each(|named| check_features(named, self.settings.potential))?;
        }
        if self.settings.ends == EndRule::Marked
            && let Some(unmarked) = samples.iter().find(|named| !named.sample.ends().are_known())
        {
            return Err(Problem::EndsUnmarked { sample: unmarked.origin().to_owned() });
        }
        let mut settings = self.settings;
        let mut warnings = Warning::of_samples(samples);
        // Of two samples, both distances are told.
        if samples.len() > 2 && self.metrics.contains(&Metric::Projected) {
            warnings.extend(Warning::of_open_ends(samples, self.settings.ends));
        }
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
            // Of states that are features, only the one that ends episodes has none.
            let ends = named.state_features.is_some();
            Problem::NoFeatures { sample: named.origin().to_owned(), one_step: named.one_step, ends }
        }
        other => Problem::Unpredictable { sample: named.origin().to_owned(), why: other.to_string() },
    })?;
    Ok(NamedSample { sample, ..named.clone() })
}

/// Potentials of a basis are functions of features, and not of too many.
fn check_features(named: &NamedSample, potential: Potential) -> Result<(), Problem> {
    let sample = || named.origin().to_owned();
    let Some(columns) = named.sample.states().arity() else {
        return Err(Problem::PotentialWithoutFeatures { sample: sample(), potential });
    };
    let weights = potential.weights(columns);
    match weights > Potential::MOST_WEIGHTS {
        true => Err(Problem::WidePotential { sample: sample(), potential, columns, weights }),
        false => Ok(()),
    }
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
