//! What single commands find out, as values: what the Python package returns.
//!
//! Names, defaults, checks and numbers are those of the command. Warnings come along instead of going to standard error.

use crate::args::{CanonArgs, CompareArgs};
use crate::commands::certainty::Wanted;
use crate::commands::{classify, distance, explain, inspect};
use crate::failure::Failure;
use crate::settings::Chosen;
use crate::{gamma, inputs, print};
use clap::ValueEnum;
use serde_json::Value;
use srrd::NamedSample;
use srrd::{Gamma, GammaEstimate, Metric, Settings, estimate_gamma};
use std::borrow::Cow;

/// Options by their names on the command line, as they were written.
#[derive(Clone, Debug)]
pub struct Options {
    /// `--metric`
    pub metric: Vec<String>,
    /// `--gamma`: a number, or `auto`
    pub gamma: String,
    /// `--estimator`
    pub estimator: String,
    /// `--regression`
    pub regression: Option<String>,
    /// `--actions`
    pub actions: String,
    /// `--batch`: a number, or `all`
    pub batch: String,
    /// `--seed`
    pub seed: u64,
    /// `--min-common`
    pub min_common: usize,
    /// `--correlation`
    pub correlation: String,
    /// `--support`
    pub support: String,
}

/// Options that were checked.
#[derive(Clone, Debug)]
pub struct Checked(Chosen);

/// Why there is no answer: the message of the command. Whether the call or the input was wrong, or it failed although nothing
/// was wrong with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The call or the input was wrong.
    Wrong(String),
    /// It failed.
    Failed(String),
}

/// An answer, and what there is to warn about.
pub type Answer<T> = Result<(T, Vec<String>), NoAnswer>;

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Wrong(message) => NoAnswer::Wrong(message),
            Failure::Failed(message) => NoAnswer::Failed(message),
            Failure::ClosedPipe => NoAnswer::Failed("the output was closed".to_owned()),
        }
    }
}

/// The choice of that name, or an error that lists all.
fn named<T: ValueEnum>(option: &str, name: &str) -> Result<T, Failure> {
    T::from_str(name, false).map_err(|_| {
        let known: Vec<String> = (T::value_variants().iter())
            .filter_map(|known| Some(known.to_possible_value()?.get_name().to_owned()))
            .collect();
        Failure::wrong(format!("--{option}: '{name}' is not one of {}", known.join(", ")))
    })
}

impl Options {
    /// Checks them; `default` are the metrics where none is named.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn check(&self, default: &[Metric]) -> Result<Checked, NoAnswer> {
        let canon = CanonArgs {
            metric: self.metric.clone(),
            gamma: self.gamma.clone(),
            estimator: named("estimator", &self.estimator)?,
            regression: self.regression.as_deref().map(|name| named("regression", name)).transpose()?,
            actions: named("actions", &self.actions)?,
            batch: self.batch.clone(),
            seed: self.seed,
            // Samples are there already.
            duplicates: named("duplicates", "mean")?,
            threads: None,
        };
        let compare = CompareArgs {
            min_common: self.min_common,
            correlation: named("correlation", &self.correlation)?,
            support: named("support", &self.support)?,
        };
        Ok(Checked(Chosen::new(&canon, Some(&compare), default)?))
    }
}

impl Checked {
    /// The metrics, in the order given.
    pub fn metrics(&self) -> &[Metric] {
        &self.0.metrics
    }

    /// The one metric that was named.
    ///
    /// # Errors
    /// When there are several.
    pub fn metric(&self) -> Result<Metric, NoAnswer> {
        match self.0.metrics.as_slice() {
            &[metric] => Ok(metric),
            _ => Err(NoAnswer::Wrong("--metric: name one metric here, or call once for each".to_owned())),
        }
    }

    /// Whether γ is to be found from the samples.
    pub fn gamma_is_auto(&self) -> bool {
        self.0.gamma_auto
    }

    /// All but the metrics; γ is the default until it is [settled](Self::settled).
    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The same with γ found from the samples, if that was asked for; and the samples as the estimator needs them.
    fn ready<'a>(&self, samples: &[&'a NamedSample]) -> Result<(Chosen, Vec<Cow<'a, NamedSample>>), Failure> {
        let mut chosen = self.0.clone();
        inputs::check_same_features(samples.iter().copied())?;
        gamma::settle(&mut chosen, samples.iter().copied(), None)?;
        let needed = inputs::predicts(&chosen);
        let ready = samples.iter().map(|&named| match needed {
            None => Ok(Cow::Borrowed(named)),
            Some(regression) => inputs::predict(named.clone(), &named.name, regression).map(Cow::Owned),
        });
        let ready = ready.collect::<Result<_, Failure>>()?;
        Ok((chosen, ready))
    }

    /// Settings with γ found from the samples if that was asked for, and the samples as the estimator needs them, for those who
    /// go on by themselves.
    ///
    /// # Errors
    /// Samples that can share no transition, or that the estimator cannot take.
    pub fn settled<'a>(&self, samples: &[&'a NamedSample]) -> Answer<(Settings, Vec<Cow<'a, NamedSample>>)> {
        let (ready, warnings) = print::collecting_warnings(|| self.ready(samples));
        let (chosen, samples) = ready?;
        Ok(((chosen.settings, samples), warnings))
    }
}

/// An answer of `work` on samples that are ready.
fn answer<T>(
    options: &Checked,
    samples: &[&NamedSample],
    work: impl FnOnce(&Chosen, &[&NamedSample]) -> Result<T, Failure>,
) -> Answer<T> {
    let (result, warnings) = print::collecting_warnings(|| {
        let (chosen, ready) = options.ready(samples)?;
        let ready: Vec<&NamedSample> = ready.iter().map(AsRef::as_ref).collect();
        work(&chosen, &ready)
    });
    Ok((result?, warnings))
}

/// What `srrd distance --json` tells of two samples; with `interval` and `chance` how sure it is, from so many draws.
///
/// # Errors
/// What the command would end with.
pub fn distance(
    pair: [&NamedSample; 2],
    options: &Checked,
    interval: Option<f64>,
    chance: bool,
    draws: usize,
) -> Answer<Value> {
    let wanted = Wanted::asked(interval, chance, draws)?;
    answer(options, &pair, |chosen, pair| {
        let compared = distance::Compared::new([pair[0], pair[1]], chosen, &wanted);
        compared.warn(chosen);
        Ok(compared.as_json(chosen))
    })
}

/// What `srrd explain --json` tells of two samples, naming so many transitions and states.
///
/// # Errors
/// What the command would end with.
pub fn explain(pair: [&NamedSample; 2], options: &Checked, top: usize) -> Answer<Value> {
    let metric = options.metric()?;
    answer(options, &pair, |chosen, pair| {
        let found = explain::Found::new([pair[0], pair[1]], metric, chosen, top);
        found.warn(chosen);
        Ok(found.as_json(chosen))
    })
}

/// What `srrd inspect --json` tells of some samples; `space` is the number of all states and actions.
///
/// # Errors
/// What the command would end with.
pub fn inspect(samples: &[&NamedSample], options: &Checked, space: Option<(f64, f64)>) -> Answer<Value> {
    inspect::check_estimator(&options.0)?;
    if let Some((states, actions)) = space {
        inspect::check_space(samples.iter().copied(), states, actions)?;
    }
    answer(options, samples, |chosen, samples| Ok(inspect::inspected(samples, space, chosen)))
}

/// What `srrd classify --json` tells of labelled samples: every metric's scores over random splits, γ and k chosen by
/// cross-validation within the training part.
///
/// # Errors
/// What the command would end with.
pub fn classify(
    samples: &[&NamedSample],
    options: &Checked,
    gammas: &[f64],
    ks: &[usize],
    train: f64,
    repeats: usize,
) -> Answer<Value> {
    answer(options, samples, |chosen, samples| {
        let plan = classify::Plan::of(chosen.clone(), gammas, ks, train, repeats)?;
        classify::evaluation(&plan, samples)
    })
}

/// The discount factor that the samples speak for, rounded as `--gamma auto` takes it.
pub fn discount(samples: &[&NamedSample]) -> (Gamma, GammaEstimate) {
    let references: Vec<_> = samples.iter().map(|named| &named.sample).collect();
    let estimate = estimate_gamma(&references);
    (gamma::taken(&estimate), estimate)
}
