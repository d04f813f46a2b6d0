//! All that there is to tell about two or more samples: what a report shows.

use super::comparison::{Comparison, compare};
use super::explained::{Explained, explain};
use super::inspection::{Inspection, inspect};
use super::matrix::{Matrix, matrix};
use crate::cluster::{ClusterCount, Clusters};
use crate::gamma::{GammaEstimate, estimate_gamma};
use crate::metric::Metric;
use crate::potential::Potential;
use crate::problem::Problem;
use crate::question::Options;
use crate::run::Steps;
use crate::sample::{NamedSample, RewardSample};
use crate::settings::{Discount, EstimatorName};
use crate::warning::Warning;

/// Up to so many samples all pairs are compared with intervals and verdicts; of more, those that stand for the groups.
const COMPARED: usize = 12;

/// Everything about two or more samples, by one discount factor.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// What each sample holds, and advice on two of them.
    pub inspection: Inspection,
    /// What the data say about γ, whether it was taken from them or not; `None` where potentials are functions of features.
    pub gamma: Option<GammaEstimate>,
    /// Whether γ was taken from the data.
    pub gamma_from_data: bool,
    /// The distances of all pairs, of three samples or more.
    pub matrix: Option<Matrix>,
    /// The groups they form.
    pub clusters: Option<Clusters>,
    /// Pairs by every metric, with intervals and verdicts: all of up to 12 samples, of more those that stand for the groups.
    pub pairs: Vec<ComparedPair>,
    /// Where two of them differ: the only two, those that stand for the two largest groups, or the two farthest apart.
    pub explained: Option<ExplainedPair>,
    /// What to know before the numbers are trusted.
    pub warnings: Vec<Warning>,
}

/// Two of the samples, compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ComparedPair {
    /// Their numbers among the samples.
    pub at: [usize; 2],
    /// What was found.
    pub found: Comparison,
}

/// Where two of the samples differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedPair {
    /// Their numbers among the samples.
    pub at: [usize; 2],
    /// What was found.
    pub found: Explained,
}

/// Compares two or more samples in every way: by all metrics unless some are named, with intervals and verdicts, in groups, with what was
/// sampled, where they differ (the `top` transitions and states) and what they say about γ.
///
/// ```
/// use srrd::answer::survey;
/// use srrd::cluster::ClusterCount;
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// let rows = (0..9).flat_map(|s| (0..9).map(move |t| (s, 0, t, f64::from((5 * s + 3 * t * s + t) % 7))));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| 2.0 * r + 5.0).collect())?;
/// let c = a.with_rewards(a.rewards().iter().map(|r| -r).collect())?;
/// let samples = [("old", a), ("scaled", b), ("opposite", c)].map(|(name, sample)| NamedSample::new(name, sample));
/// let found = survey(&samples.each_ref(), &Options::default(), ClusterCount::Auto, 5)?;
/// assert_eq!(found.clusters.unwrap().labels, [1, 1, 2]);
/// assert_eq!(found.pairs.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Options that do not go together, fewer than two samples, more groups than samples, samples that can share no transition, or that the
/// estimator cannot take.
pub fn survey(
    samples: &[&NamedSample],
    options: &Options,
    clusters: ClusterCount,
    top: usize,
) -> Result<Survey, Problem> {
    if samples.len() < 2 {
        return Err(Problem::OneSample);
    }
    let mut warnings = Vec::new();
    let (gamma, options) = settled_gamma(samples, options, &mut warnings)?;
    let inspection = inspected(samples, &options)?;
    let question = by_one_metric(&options).question()?;
    let one = question.fitting(samples);
    let metric = one.metric("a matrix is")?;
    let matrix = match samples {
        [_, _] => None,
        several => Some(matrix(several, &one)?),
    };
    let clusters = matrix.as_ref().map(|matrix| matrix.clusters(clusters)).transpose()?;
    let stand = clusters.as_ref().filter(|_| samples.len() > COMPARED).map(|found| {
        let mut medoids = found.medoids.clone();
        medoids.truncate(COMPARED);
        medoids
    });
    let pairs = compared(samples, &stand.unwrap_or_else(|| (0..samples.len()).collect()), &options)?;
    let explained = match apart(samples.len(), matrix.as_ref(), clusters.as_ref()) {
        None => None,
        Some(at) => Some(ExplainedPair { at, found: explain(samples[at[0]], samples[at[1]], &one.only(metric), top)? }),
    };
    match (&matrix, pairs.as_slice()) {
        (Some(matrix), _) => warnings.extend(matrix.warnings.iter().cloned()),
        (None, [only]) => warnings.extend(only.found.warnings.iter().cloned()),
        _ => {}
    }
    let gamma_from_data = matches!(gamma, Taken::FromData(_));
    Ok(Survey { inspection, gamma: gamma.estimate(), gamma_from_data, matrix, clusters, pairs, explained, warnings })
}

/// What is known of γ.
enum Taken {
    FromData(GammaEstimate),
    Given(Option<GammaEstimate>),
}

impl Taken {
    fn estimate(self) -> Option<GammaEstimate> {
        match self {
            Taken::FromData(estimate) => Some(estimate),
            Taken::Given(estimate) => estimate,
        }
    }
}

/// One γ for all parts of the answer.
fn settled_gamma(
    samples: &[&NamedSample],
    options: &Options,
    warnings: &mut Vec<Warning>,
) -> Result<(Taken, Options), Problem> {
    // Potentials of features need a γ: question() says so where there is none.
    options.question_by(&Metric::SHOWN)?;
    if options.potential != Potential::Tabular {
        return Ok((Taken::Given(None), options.clone()));
    }
    let rewards: Vec<&RewardSample> = samples.iter().map(|named| &named.sample).collect();
    let estimate = estimate_gamma(&rewards);
    if options.gamma != Discount::FromData {
        return Ok((Taken::Given(Some(estimate)), options.clone()));
    }
    warnings.extend(Warning::of_gamma(&estimate));
    let options = Options { gamma: Discount::Given(estimate.taken()), ..options.clone() };
    Ok((Taken::FromData(estimate), options))
}

/// What was sampled of what the double batch needs, whatever the estimator: that is where bias comes from.
fn inspected(samples: &[&NamedSample], options: &Options) -> Result<Inspection, Problem> {
    let plain = Options { estimator: EstimatorName::Double, regression: None, ..options.clone() };
    inspect(samples, &plain.question_by(&Metric::SHOWN)?, None)
}

/// By the one metric that was named, or by the one that fits.
fn by_one_metric(options: &Options) -> Options {
    match (options.metrics.len(), options.potential) {
        (1, _) => options.clone(),
        (_, Potential::Tabular) => Options { auto: true, ..options.clone() },
        // Who names functions of features knows that states hardly repeat, where nothing else tells shaping apart.
        _ => Options { metrics: vec![Metric::Projected], auto: false, ..options.clone() },
    }
}

fn compared(samples: &[&NamedSample], chosen: &[usize], options: &Options) -> Result<Vec<ComparedPair>, Problem> {
    let asked = Options { interval: Some(options.interval.unwrap_or_default()), verdict: true, ..options.clone() };
    let question = asked.question_by(&Metric::SHOWN)?;
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for (place, &i) in chosen.iter().enumerate() {
        pairs.extend(chosen[place + 1..].iter().map(|&j| [i.min(j), i.max(j)]));
    }
    pairs.sort_unstable();
    let steps = Steps::begin("pairs", pairs.len() as u64);
    let one = |at: [usize; 2]| {
        let found = compare(samples[at[0]], samples[at[1]], &question)?;
        steps.add(1);
        Ok(ComparedPair { at, found })
    };
    pairs.into_iter().map(one).collect()
}

/// The two samples whose difference is worth a look.
fn apart(samples: usize, matrix: Option<&Matrix>, clusters: Option<&Clusters>) -> Option<[usize; 2]> {
    let Some(matrix) = matrix else { return Some([0, 1]) };
    if let Some(&[first, second, ..]) = clusters.map(|found| found.medoids.as_slice()) {
        return Some([first.min(second), first.max(second)]);
    }
    let pairs = (0..samples).flat_map(|i| (i + 1..samples).map(move |j| [i, j]));
    let known = pairs.filter_map(|[i, j]| Some((matrix.distances.get(i, j)?, [i, j])));
    // The first of several.
    known.reduce(|most, one| if one.0 > most.0 { one } else { most }).map(|most| most.1)
}
