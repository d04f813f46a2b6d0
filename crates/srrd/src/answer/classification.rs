//! Who acted? How well k-NN tells labelled samples apart, and what it takes others for.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::classify::{
    Classes, ClassifyError, Evaluation, GammaDistances, Grid, Prediction, RewardKnn, Scores, Splits, Spread, Welch,
    choose, evaluate, welch,
};
use crate::metric::Metric;
use crate::problem::Problem;
use crate::question::{Question, Settled};
use crate::sample::{NamedSample, RewardSample};
use crate::settings::{Choice, Gamma, SettingError, Settings, Shrinkage};
use crate::warning::Warning;

/// What classification chooses from and how it is measured, as it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassifyOptions {
    /// Discount factors to choose from.
    pub gammas: Vec<f64>,
    /// Numbers of neighbours to choose from.
    pub ks: Vec<usize>,
    /// The share of the samples that is for training.
    pub train: f64,
    /// How many random splits.
    pub repeats: usize,
    /// How far correlations over few transitions are drawn to 0: see [`Shrinkage`].
    pub shrinkage: f64,
}

impl Default for ClassifyOptions {
    fn default() -> Self {
        ClassifyOptions {
            gammas: (0..=10).map(|tenth| f64::from(tenth) / 10.0).collect(),
            ks: (1..=10).map(|ten| 10 * ten).collect(),
            train: 0.7,
            repeats: 200,
            shrinkage: Shrinkage::OF_NEIGHBOURS.get(),
        }
    }
}

/// The same, checked, for a question.
#[derive(Clone, Debug)]
pub struct ClassifyPlan {
    question: Question,
    gammas: Vec<Gamma>,
    grid: Grid,
    splits: Splits,
    shrinkage: Shrinkage,
}

impl ClassifyPlan {
    /// Checks the options.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn new(question: &Question, options: &ClassifyOptions) -> Result<Self, Problem> {
        if question.is_auto() {
            return Err(Problem::AutoWithoutPair);
        }
        let mut gammas: Vec<Gamma> = Vec::new();
        for &value in &options.gammas {
            let gamma = Gamma::new(value).map_err(|error| Problem::Value { option: "gamma", error })?;
            if !gammas.contains(&gamma) {
                gammas.push(gamma);
            }
        }
        gammas.sort_by(|a, b| a.get().total_cmp(&b.get()));
        let wrong = |option: &'static str| {
            move |error: ClassifyError| Problem::Value { option, error: SettingError::Classify(error.to_string()) }
        };
        let grid = Grid::new(&options.ks).map_err(wrong("k"))?;
        let option = if options.repeats == 0 { "repeats" } else { "train" };
        let splits = Splits::new(options.train, options.repeats, question.settings().seed).map_err(wrong(option))?;
        let shrinkage = Shrinkage::new(options.shrinkage);
        let shrinkage = shrinkage.map_err(|error| Problem::Value { option: "shrinkage", error })?;
        Ok(ClassifyPlan { question: question.clone(), gammas, grid, splits, shrinkage })
    }

    fn settings(&self, settled: &Settled<'_>) -> Settings {
        Settings { shrinkage: self.shrinkage, ..settled.settings }
    }

    fn distances(&self, settled: &Settled<'_>, metric: Metric) -> GammaDistances {
        GammaDistances::new(&settled.rewards(), metric, &self.gammas, &self.settings(settled))
    }
}

impl From<ClassifyError> for Problem {
    fn from(error: ClassifyError) -> Self {
        Problem::Unclassifiable { why: error.to_string() }
    }
}

/// The label of every sample, which each must have.
fn labels<'a>(samples: &[&'a NamedSample]) -> Result<Vec<&'a str>, Problem> {
    let label =
        |named: &&'a NamedSample| named.label.as_deref().ok_or_else(|| Problem::NoLabel { sample: named.name.clone() });
    samples.iter().map(label).collect()
}

/// The samples by label and name, so that no split depends on the order of the tables. Should two have both in common, what they hold
/// decides.
fn in_order<'a>(samples: &[&'a NamedSample]) -> Vec<&'a NamedSample> {
    let mut samples = samples.to_vec();
    samples.sort_by(|a, b| {
        let names = (&a.label, &a.name).cmp(&(&b.label, &b.name));
        names.then_with(|| a.sample.to_bytes().cmp(&b.sample.to_bytes()))
    });
    samples
}

/// How well metrics tell labelled samples apart.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Classification {
    /// How many samples there are.
    pub samples: usize,
    /// The classes, ascending.
    pub labels: Vec<String>,
    /// The name of the estimator.
    pub estimator: &'static str,
    /// How many samples are for training.
    pub train: usize,
    /// How many splits were made.
    pub repeats: usize,
    /// The discount factors that were tried, ascending.
    pub gammas: Vec<f64>,
    /// How far correlations over few transitions were drawn to 0.
    pub shrinkage: f64,
    /// What every metric achieved.
    pub results: Vec<Achieved>,
    /// What overlap alone achieved: the share of common transitions, without a look at rewards, with the same splits and choices of k. A
    /// metric that is no better has told nothing about rewards.
    pub overlap: Evaluation,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

/// A metric and what it achieved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Achieved {
    /// The metric.
    pub metric: Metric,
    /// Its scores over the splits.
    pub evaluation: Evaluation,
    /// Pairs without a distance, for every γ.
    pub undefined: Vec<usize>,
}

/// How well the metrics of a question tell labelled samples apart, over random splits.
///
/// ```
/// use srrd::answer::{ClassifyOptions, ClassifyPlan, classify};
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// // Careful agents like what is near, bold ones what is far.
/// let agent = |n: usize| {
///     let reward = move |s: i32| if n % 2 == 0 { f64::from(s) } else { f64::from((s * 7 + n as i32) % 5) };
///     let rows = (0..30).map(move |s| (s, 0, (s + 1) % 30, reward(s)));
///     let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
///     let label = Some(["careful", "bold"][n % 2].to_owned());
///     Ok::<_, srrd::SampleError>(NamedSample { label, ..NamedSample::new(format!("agent {n}"), sample) })
/// };
/// let agents = (0..12).map(agent).collect::<Result<Vec<_>, _>>()?;
/// let agents: Vec<&NamedSample> = agents.iter().collect();
/// let choices = ClassifyOptions { gammas: vec![0.9], ks: vec![1, 3], repeats: 5, ..ClassifyOptions::default() };
/// let plan = ClassifyPlan::new(&Options::default().question()?, &choices)?;
/// let found = classify(&agents, &plan)?;
/// assert_eq!((found.samples, found.labels.len()), (12, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Samples without a label, too few of them, or of one class; samples that can share no transition.
pub fn classify(samples: &[&NamedSample], plan: &ClassifyPlan) -> Result<Classification, Problem> {
    let samples = &in_order(samples)[..];
    let classes = Classes::new(&labels(samples)?);
    let mut settled = plan.question.settle(samples)?;
    let mut warnings = std::mem::take(&mut settled.warnings);
    let overlap = GammaDistances::of_overlap(&settled.rewards(), &plan.gammas);
    let overlap = evaluate(&overlap, &classes, &plan.grid, &plan.splits)?;
    let tested = plan.splits.repeats() * (samples.len() - plan.splits.train_size(&classes));
    let mut results = Vec::new();
    for &metric in plan.question.metrics() {
        let distances = plan.distances(&settled, metric);
        let evaluation = evaluate(&distances, &classes, &plan.grid, &plan.splits)?;
        let undefined: Vec<usize> = (0..plan.gammas.len()).map(|gamma| distances.undefined(gamma)).collect();
        let most = undefined.iter().max().copied().unwrap_or(0);
        if most > 0 {
            let pairs = samples.len() * (samples.len() - 1) / 2;
            warnings.push(Warning::UndefinedNeighbours { metric, undefined: most, pairs });
        }
        let guessed = evaluation.guessed();
        if guessed > 0 {
            warnings.push(Warning::Guessed { metric, guessed, tested });
        }
        results.push(Achieved { metric, evaluation, undefined });
    }
    Ok(Classification {
        samples: samples.len(),
        labels: classes.names().to_vec(),
        estimator: plan.question.estimator().name(),
        train: plan.splits.train_size(&classes),
        repeats: plan.splits.repeats(),
        gammas: plan.gammas.iter().map(|gamma| gamma.get()).collect(),
        shrinkage: plan.shrinkage.get(),
        results,
        overlap,
        warnings,
    })
}

/// A score: its name, and where to find it.
type Score = (&'static str, fn(&Scores) -> f64);

impl Classification {
    /// The scores, by name.
    pub const SCORES: [Score; 4] =
        [("accuracy", |s| s.accuracy), ("precision", |s| s.precision), ("recall", |s| s.recall), ("f1", |s| s.f1)];

    /// The tests of every ordered pair of metrics: is the accuracy of the first larger?
    pub fn tests(&self) -> Vec<(Metric, Metric, Option<Welch>)> {
        let mut tests = Vec::new();
        for a in &self.results {
            for b in self.results.iter().filter(|b| b.metric != a.metric) {
                tests.push((a.metric, b.metric, welch(&a.evaluation.accuracies(), &b.evaluation.accuracies())));
            }
        }
        tests
    }

    /// The γ that a split chose.
    pub fn gamma(&self, number: usize) -> f64 {
        self.gammas[number]
    }
}

/// What samples without a label were taken for.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Labelling {
    /// The metric.
    pub metric: Metric,
    /// γ.
    pub gamma: f64,
    /// The number of neighbours.
    pub k: usize,
    /// The accuracy of γ and k in cross-validation, where they were chosen.
    pub validation: Option<f64>,
    /// Every sample and its label.
    pub predictions: Vec<Labelled>,
    /// What to know before the labels are trusted.
    pub warnings: Vec<Warning>,
}

/// A sample and what it was taken for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Labelled {
    /// The name of the sample.
    pub sample: String,
    /// What it was taken for, and why.
    pub prediction: Prediction,
    /// The names and labels of the neighbours that voted, nearest first.
    pub neighbours: Vec<(String, String)>,
}

/// Labels samples by their nearest labelled neighbours.
///
/// ```
/// use srrd::answer::{ClassifyOptions, ClassifyPlan, label};
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// let agent = |label: Option<&str>, reward: fn(i32) -> i32| {
///     let rows = (0..30).map(move |s| (s, 0, (s + 1) % 30, f64::from(reward(s))));
///     let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
///     Ok::<_, srrd::SampleError>(NamedSample { label: label.map(str::to_owned), ..NamedSample::new("agent", sample) })
/// };
/// let (careful, bold) = (agent(Some("careful"), |s| s)?, agent(Some("bold"), |s| s * 7 % 5)?);
/// let unknown = agent(None, |s| s + s % 2)?;
/// let one_neighbour = ClassifyOptions { gammas: vec![0.9], ks: vec![1], ..ClassifyOptions::default() };
/// let plan = ClassifyPlan::new(&Options::default().question()?, &one_neighbour)?;
/// let found = label(&[&careful, &bold], &[&unknown], &plan)?;
/// assert_eq!(found.predictions[0].prediction.label, "careful");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Several metrics, samples without a label among the labelled ones, or samples that can share no transition.
pub fn label(known: &[&NamedSample], unknown: &[&NamedSample], plan: &ClassifyPlan) -> Result<Labelling, Problem> {
    let metric = plan.question.metric("predictions are")?;
    let known = &in_order(known)[..];
    let of = labels(known)?;
    let all: Vec<&NamedSample> = known.iter().chain(unknown).copied().collect();
    let mut settled = plan.question.settle(&all)?;
    let mut warnings = std::mem::take(&mut settled.warnings);
    let asked = settled.samples.split_off(known.len());
    let (gamma, k, validation) = match (plan.gammas.as_slice(), plan.grid.ks()) {
        (&[gamma], &[k]) => (gamma, k, None),
        _ => {
            let classes = Classes::new(&of);
            let seed = settled.settings.seed;
            let (gamma, k, accuracy) = choose(&plan.distances(&settled, metric), &classes, &plan.grid, seed)?;
            (plan.gammas[gamma], k, Some(accuracy))
        }
    };
    let settings = Settings { gamma, ..plan.settings(&settled) };
    let learned: Vec<RewardSample> = settled.samples.iter().map(|named| named.sample.clone()).collect();
    let knn = RewardKnn::new(k, metric, settings)?.fit(&learned, &of)?;
    let references: Vec<&RewardSample> = asked.iter().map(|named| &named.sample).collect();
    let mut predictions = Vec::new();
    for (named, prediction) in unknown.iter().zip(knn.predict(&references)) {
        if prediction.undefined == known.len() {
            warnings.push(Warning::NoNeighbour { sample: named.name.clone() });
        }
        let neighbour = |n: &crate::classify::Neighbour| (known[n.sample].name.clone(), of[n.sample].to_owned());
        let neighbours = prediction.neighbours.iter().map(neighbour).collect();
        predictions.push(Labelled { sample: named.name.clone(), prediction, neighbours });
    }
    Ok(Labelling { metric, gamma: gamma.get(), k, validation, predictions, warnings })
}

#[derive(Serialize)]
struct SpreadEntries {
    mean: f64,
    /// JSON has no NaN: the deviation of a single split is null.
    sd: Option<f64>,
    low: f64,
    high: f64,
}

impl From<Spread> for SpreadEntries {
    fn from(spread: Spread) -> Self {
        let Spread { mean, sd, low, high, .. } = spread;
        SpreadEntries { mean, sd: Some(sd).filter(|sd| !sd.is_nan()), low, high }
    }
}

#[derive(Serialize)]
struct WelchEntries {
    a: Metric,
    b: Metric,
    t: Option<f64>,
    df: Option<f64>,
    p: Option<f64>,
}

struct AchievedEntries<'a>(&'a Achieved, &'a Classification);

impl Serialize for AchievedEntries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let AchievedEntries(Achieved { metric, evaluation, undefined }, all) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("metric", metric)?;
        let gammas: Vec<f64> = evaluation.repeats.iter().map(|repeat| all.gamma(repeat.gamma)).collect();
        map.serialize_entry("gamma", &gammas)?;
        evaluation_entries(&mut map, evaluation, all)?;
        map.serialize_entry("undefined", undefined)?;
        map.end()
    }
}

struct OverlapEntries<'a>(&'a Classification);

impl Serialize for OverlapEntries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        evaluation_entries(&mut map, &self.0.overlap, self.0)?;
        map.end()
    }
}

/// What there is to tell of any evaluation.
fn evaluation_entries<M: SerializeMap>(
    map: &mut M,
    evaluation: &Evaluation,
    all: &Classification,
) -> Result<(), M::Error> {
    for (name, score) in Classification::SCORES {
        map.serialize_entry(name, &SpreadEntries::from(evaluation.spread(score)))?;
    }
    let ks: Vec<usize> = evaluation.repeats.iter().map(|repeat| repeat.k).collect();
    map.serialize_entry("k", &ks)?;
    let confusion = evaluation.confusion();
    let rows = confusion.as_ref().map(|counts| counts.as_slice().chunks(all.labels.len()).collect::<Vec<_>>());
    map.serialize_entry("confusion", &rows)?;
    map.serialize_entry("guessed", &evaluation.guessed())
}

impl Serialize for Classification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let finite =
            |test: &Option<Welch>, value: fn(&Welch) -> f64| test.as_ref().map(value).filter(|value| value.is_finite());
        let tests = self.tests();
        let welch = tests.iter().map(|(a, b, test)| WelchEntries {
            a: *a,
            b: *b,
            t: finite(test, |w| w.t),
            df: finite(test, |w| w.degrees_of_freedom),
            p: finite(test, |w| w.p),
        });
        let results: Vec<_> = self.results.iter().map(|achieved| AchievedEntries(achieved, self)).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("samples", &self.samples)?;
        map.serialize_entry("classes", &self.labels.len())?;
        map.serialize_entry("labels", &self.labels)?;
        map.serialize_entry("estimator", self.estimator)?;
        map.serialize_entry("train", &self.train)?;
        map.serialize_entry("repeats", &self.repeats)?;
        map.serialize_entry("shrinkage", &self.shrinkage)?;
        map.serialize_entry("results", &results)?;
        map.serialize_entry("overlap", &OverlapEntries(self))?;
        map.serialize_entry("welch", &welch.collect::<Vec<_>>())?;
        map.serialize_entry("warnings", &self.warnings)?;
        map.end()
    }
}

#[derive(Serialize)]
struct NeighbourEntries<'a> {
    sample: &'a str,
    label: &'a str,
    distance: f64,
}

/// Counts by name, in their order.
struct Votes<'a>(&'a [(String, usize)]);

impl Serialize for Votes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(label, count)| (label, count)))
    }
}

impl Serialize for Labelled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Prediction { label, votes, neighbours, undefined } = &self.prediction;
        let neighbours = neighbours.iter().zip(&self.neighbours).map(|(found, (sample, label))| NeighbourEntries {
            sample,
            label,
            distance: found.distance,
        });
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("sample", &self.sample)?;
        map.serialize_entry("label", label)?;
        map.serialize_entry("votes", &Votes(votes))?;
        map.serialize_entry("neighbours", &neighbours.collect::<Vec<_>>())?;
        map.serialize_entry("undefined", undefined)?;
        map.end()
    }
}
