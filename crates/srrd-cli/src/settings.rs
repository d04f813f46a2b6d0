//! What the command line comes to: valid settings, or an error that names the option.

use crate::args::{
    ActionsName, CanonArgs, CompareArgs, CorrelationName, DuplicatesName, EstimatorName, RegressionName, SupportName,
};
use crate::failure::Failure;
use serde_json::Value;
use srrd::{
    Actions, Batch, Correlation, Duplicates, Estimator, Gamma, GammaEstimate, Metric, Regression, Settings, Support,
    TreeLimits,
};

/// What was chosen, checked.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Without repetitions, in the order given.
    pub metrics: Vec<Metric>,
    /// For `--estimator regressed`, the double batch: predicting is up to the samples, which [`inputs`](crate::inputs) read.
    pub settings: Settings,
    /// What predicts rewards, where a metric asks for rewards that were not sampled.
    pub regression: Option<Regression>,
    /// Whether γ is to be estimated from the samples; until then it is the default.
    pub gamma_auto: bool,
    /// What the estimate came to.
    pub gamma_estimate: Option<GammaEstimate>,
    pub duplicates: Duplicates,
    pub threads: Option<usize>,
}

impl Chosen {
    pub fn new(args: &CanonArgs, compare: Option<&CompareArgs>, default: &[Metric]) -> Result<Self, Failure> {
        let gamma_auto = args.gamma == "auto";
        let gamma = match args.gamma.as_str() {
            "auto" => Gamma::default(),
            number => {
                let number: f64 = number.parse().map_err(|_| {
                    Failure::wrong(format!("--gamma: '{number}' is neither a number between 0 and 1 nor `auto`"))
                })?;
                Gamma::new(number).map_err(|e| Failure::wrong(format!("--gamma: {e}")))?
            }
        };
        let batch = match args.batch.as_str() {
            "all" => Batch::All,
            size => {
                let size = size.parse().ok().and_then(|size| Batch::size(size).ok());
                let message = || {
                    Failure::wrong(format!("--batch: '{}' is neither `all` nor a whole number from 1 up", args.batch))
                };
                size.ok_or_else(message)?
            }
        };
        let actions = match args.actions {
            ActionsName::Marginal => Actions::Marginal,
            ActionsName::Joint => Actions::Joint,
        };
        let estimator = match args.estimator {
            EstimatorName::Double | EstimatorName::Regressed => Estimator::Double { actions, batch },
            EstimatorName::Unbiased if batch != Batch::All => {
                return Err(Failure::wrong(
                    "--batch: the unbiased estimator draws no batch; leave it out, or choose double",
                ));
            }
            EstimatorName::Unbiased if actions != Actions::Marginal => {
                return Err(Failure::wrong(
                    "--actions: the unbiased estimator counts every action separately; leave it out, or choose double",
                ));
            }
            EstimatorName::Unbiased => Estimator::Unbiased,
        };
        let regression = match (args.estimator, args.regression) {
            (EstimatorName::Regressed, None | Some(RegressionName::Linear)) => Some(Regression::Linear),
            (EstimatorName::Regressed, Some(RegressionName::Tree)) => Some(Regression::Tree(TreeLimits::default())),
            (_, None) => None,
            (_, Some(_)) => {
                return Err(Failure::wrong(
                    "--regression: only the regressed estimator predicts rewards; add --estimator regressed, or leave it out",
                ));
            }
        };
        let duplicates = match args.duplicates {
            DuplicatesName::Mean => Duplicates::Mean,
            DuplicatesName::First => Duplicates::First,
            DuplicatesName::Last => Duplicates::Last,
            DuplicatesName::Error => Duplicates::Error,
        };
        let min_common = compare.map_or(Settings::default().min_common, |compare| compare.min_common);
        if min_common == 0 {
            return Err(Failure::wrong("--min-common: it must be at least 1"));
        }
        let correlation = match compare.map(|compare| compare.correlation) {
            Some(CorrelationName::Spearman) => Correlation::Spearman,
            Some(CorrelationName::Pearson) | None => Correlation::Pearson,
        };
        let support = match compare.map(|compare| compare.support) {
            Some(SupportName::Own) => Support::Own,
            Some(SupportName::Pair) | None => Support::Pair,
        };
        let metrics = metrics(&args.metric, default)?;
        if support == Support::Own && !metrics.contains(&Metric::Projected) {
            return Err(Failure::wrong(
                "--support: only the metric projected has one; leave it out, or add --metric projected",
            ));
        }
        let settings = Settings { gamma, estimator, seed: args.seed, min_common, support, correlation };
        let threads = args.threads;
        Ok(Chosen { metrics, settings, regression, gamma_auto, gamma_estimate: None, duplicates, threads })
    }

    /// The name of the estimator on the command line.
    pub fn estimator_name(&self) -> &'static str {
        if self.regression.is_some() { "regressed" } else { self.settings.estimator.name() }
    }

    /// The name of what predicts rewards; null where nothing does.
    pub fn regression_as_json(&self) -> Value {
        self.regression.map(Regression::name).into()
    }

    /// The name of how actions enter, as it is reported for every estimator.
    pub fn actions_name(&self) -> &'static str {
        match self.settings.estimator {
            Estimator::Double { actions, .. } => actions.name(),
            Estimator::Unbiased => Actions::Marginal.name(),
        }
    }

    /// The batch as it is written on the command line.
    pub fn batch_as_json(&self) -> Value {
        match self.settings.estimator {
            Estimator::Double { batch: Batch::Size(size), .. } => size.get().into(),
            Estimator::Double { batch: Batch::All, .. } => "all".into(),
            Estimator::Unbiased => Value::Null,
        }
    }

    /// The name of the choice.
    pub fn duplicates_name(&self) -> &'static str {
        match self.duplicates {
            Duplicates::Mean => "mean",
            Duplicates::First => "first",
            Duplicates::Last => "last",
            Duplicates::Error => "error",
        }
    }

    /// The estimator in words.
    pub fn estimator_in_words(&self) -> String {
        match self.settings.estimator {
            Estimator::Unbiased => "unbiased estimates".to_owned(),
            Estimator::Double { actions, batch } => {
                let of = match actions {
                    Actions::Marginal => "states",
                    Actions::Joint => "pairs of state and action",
                };
                let batch = match batch {
                    Batch::All => format!("double batch of all {of}"),
                    Batch::Size(size) => format!("double batch, size {size}, of {of} (seed {})", self.settings.seed),
                };
                match self.regression {
                    None => batch,
                    Some(Regression::Linear) => format!("{batch}, the rest predicted by linear regression"),
                    Some(Regression::Tree(_)) => format!("{batch}, the rest predicted by a regression tree"),
                }
            }
        }
    }
}

fn metrics(names: &[String], default: &[Metric]) -> Result<Vec<Metric>, Failure> {
    if names.is_empty() {
        return Ok(default.to_vec());
    }
    let mut metrics = Vec::new();
    for name in names {
        let more = match name.as_str() {
            "all" => Metric::ALL.to_vec(),
            name => vec![name.parse().map_err(|e| Failure::wrong(format!("--metric: {e}, all")))?],
        };
        for metric in more {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
    }
    Ok(metrics)
}

/// More threads than any machine has cores only get in each other's way.
const MOST_THREADS: usize = 1024;

/// How many threads to use: by default one a core.
pub fn threads(asked: Option<usize>) -> Result<usize, Failure> {
    match asked {
        Some(threads @ 1..=MOST_THREADS) => Ok(threads),
        Some(threads) => Err(Failure::wrong(format!("--threads: {threads} is not between 1 and {MOST_THREADS}"))),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// Runs `work` on so many threads; by default on all cores.
pub fn with_threads<T: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(self::threads(threads)?).build();
    pool.map_err(|e| Failure::Failed(format!("cannot start threads: {e}")))?.install(work)
}
