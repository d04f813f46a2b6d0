//! `srrd classify`: who acted, by the rewards of the nearest neighbours.

use crate::args::Classify;
use crate::failure::Failure;
use crate::inputs::{check_same_features, read_all};
use crate::print;
use crate::settings::{Chosen, with_threads};
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::classify::{
    Classes, ClassifyError, Evaluation, GammaDistances, Grid, Prediction, RewardKnn, Scores, Splits, Spread, Welch,
    choose, evaluate, welch,
};
use srrd::{Gamma, Metric, RewardSample, Settings};

pub fn run(args: &Classify) -> Result<(), Failure> {
    let plan = Plan::new(args)?;
    with_threads(plan.chosen.threads, || {
        let samples = read_all(&args.inputs, &plan.chosen)?;
        samples.iter().for_each(|named| print::warn_about(named, plan.chosen.duplicates));
        let samples: Vec<&NamedSample> = samples.iter().collect();
        let classes = Classes::new(&labels(&samples)?);
        match &args.predict {
            None => evaluated(args, &plan, &samples, &classes),
            Some(unlabelled) => {
                let unknown = read_all(std::slice::from_ref(unlabelled), &plan.chosen)?;
                if let (Some(&known), Some(asked)) = (samples.first(), unknown.first()) {
                    check_same_features([known, asked])?;
                }
                predicted(args, &plan, &samples, &classes, &unknown)
            }
        }
    })
}

/// What the call comes to.
pub struct Plan {
    pub chosen: Chosen,
    gammas: Vec<Gamma>,
    grid: Grid,
    splits: Splits,
}

impl Plan {
    fn new(args: &Classify) -> Result<Self, Failure> {
        let chosen = Chosen::new(&args.canon(), Some(&args.compare), &[Metric::Srrd])?;
        if args.predict.is_some() && chosen.metrics.len() > 1 {
            return Err(Failure::wrong("--predict: predictions are of one metric; name it with --metric"));
        }
        Plan::of(chosen, &args.gamma, &args.k, args.train, args.repeats)
    }

    /// The plan for these settings, discount factors, numbers of neighbours and splits, all checked.
    pub fn of(chosen: Chosen, gammas: &[f64], ks: &[usize], train: f64, repeats: usize) -> Result<Self, Failure> {
        let values = gammas;
        let mut gammas = Vec::new();
        for &value in values {
            let gamma = Gamma::new(value).map_err(|e| Failure::wrong(format!("--gamma: {e}")))?;
            if !gammas.contains(&gamma) {
                gammas.push(gamma);
            }
        }
        gammas.sort_by(|a, b| a.get().total_cmp(&b.get()));
        let grid = Grid::new(ks).map_err(|e| Failure::wrong(format!("--k: {e}")))?;
        let splits = Splits::new(train, repeats, chosen.settings.seed).map_err(|e| {
            let option = if repeats == 0 { "--repeats" } else { "--train" };
            Failure::wrong(format!("{option}: {e}"))
        })?;
        Ok(Plan { chosen, gammas, grid, splits })
    }

    fn distances(&self, samples: &[&NamedSample], metric: Metric) -> GammaDistances {
        let references: Vec<&RewardSample> = samples.iter().map(|named| &named.sample).collect();
        GammaDistances::new(&references, metric, &self.gammas, &self.chosen.settings)
    }
}

/// The label of every sample, which each must have.
fn labels<'a>(samples: &[&'a NamedSample]) -> Result<Vec<&'a str>, Failure> {
    let mut labels = Vec::new();
    for named in samples {
        labels.push(named.label.as_deref().ok_or_else(|| {
            Failure::wrong(format!(
                "{}: the sample has no label: add a column `label` with its class, the same in all of its rows",
                named.name
            ))
        })?);
    }
    Ok(labels)
}

impl From<ClassifyError> for Failure {
    fn from(error: ClassifyError) -> Self {
        Failure::wrong(error.to_string())
    }
}

/// A metric and what it achieved.
struct Achieved {
    metric: Metric,
    evaluation: Evaluation,
    /// Pairs without a distance, for every γ.
    undefined: Vec<usize>,
}

fn evaluated(args: &Classify, plan: &Plan, samples: &[&NamedSample], classes: &Classes) -> Result<(), Failure> {
    let results = achieved(plan, samples, classes)?;
    if args.json {
        print::json(&as_json(plan, samples, classes, &results))?;
    } else {
        print::result(&as_text(plan, samples, classes, &results))?;
    }
    Ok(())
}

/// What every metric achieves over the splits, as JSON tells it.
pub fn evaluation(plan: &Plan, samples: &[&NamedSample]) -> Result<Value, Failure> {
    let classes = Classes::new(&labels(samples)?);
    let results = achieved(plan, samples, &classes)?;
    Ok(as_json(plan, samples, &classes, &results))
}

fn achieved(plan: &Plan, samples: &[&NamedSample], classes: &Classes) -> Result<Vec<Achieved>, Failure> {
    let mut results = Vec::new();
    for &metric in &plan.chosen.metrics {
        let distances = plan.distances(samples, metric);
        let evaluation = evaluate(&distances, classes, &plan.grid, &plan.splits)?;
        let undefined: Vec<usize> = (0..plan.gammas.len()).map(|gamma| distances.undefined(gamma)).collect();
        let most = undefined.iter().max().copied().unwrap_or(0);
        if most > 0 {
            let pairs = samples.len() * (samples.len() - 1) / 2;
            print::warn(&format!(
                "{metric}: {} of {} pairs have no distance (too few shared transitions, or a constant reward) and count as \
                 farthest",
                print::count(most),
                print::count(pairs)
            ));
        }
        results.push(Achieved { metric, evaluation, undefined });
    }
    Ok(results)
}

/// A score: its name, and where to find it.
type Score = (&'static str, fn(&Scores) -> f64);

const SCORES: [Score; 4] =
    [("accuracy", |s| s.accuracy), ("precision", |s| s.precision), ("recall", |s| s.recall), ("f1", |s| s.f1)];

/// The tests of every ordered pair of metrics: is the accuracy of the first larger?
fn tests(results: &[Achieved]) -> Vec<(Metric, Metric, Option<Welch>)> {
    let mut tests = Vec::new();
    for a in results {
        for b in results.iter().filter(|b| b.metric != a.metric) {
            tests.push((a.metric, b.metric, welch(&a.evaluation.accuracies(), &b.evaluation.accuracies())));
        }
    }
    tests
}

fn as_text(plan: &Plan, samples: &[&NamedSample], classes: &Classes, results: &[Achieved]) -> String {
    let shown =
        |spread: Spread| format!("{:.3} ± {:.3} ({:.3} to {:.3})", spread.mean, spread.sd, spread.low, spread.high);
    let usual = |values: Vec<String>| {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for value in values {
            match counts.iter_mut().find(|(known, _)| *known == value) {
                Some((_, count)) => *count += 1,
                None => counts.push((value, 1)),
            }
        }
        counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(String::new(), |(value, _)| value)
    };
    let rows: Vec<Vec<String>> = (results.iter())
        .map(|result| {
            let repeats = &result.evaluation.repeats;
            let mut row = vec![result.metric.to_string()];
            row.extend(SCORES.map(|(_, score)| shown(result.evaluation.spread(score))));
            row.push(usual(repeats.iter().map(|r| plan.gammas[r.gamma].get().to_string()).collect()));
            row.push(usual(repeats.iter().map(|r| r.k.to_string()).collect()));
            row
        })
        .collect();
    let mut text = format!(
        "{} of {}; {} with {} for training\n\n",
        print::counted(samples.len(), "sample", "samples"),
        print::counted(classes.names().len(), "class", "classes"),
        print::counted(plan.splits.repeats(), "random split", "random splits"),
        print::count(plan.splits.train_size(samples.len())),
    );
    text += &print::table(&["metric", "accuracy", "precision", "recall", "f1", "γ", "k"], &rows, &[1, 2, 3, 4]);
    text += "\nMean ± standard deviation over the splits (the middle 95 % of them); γ and k as most often chosen.\n";
    let tests: Vec<Vec<String>> = (tests(results).into_iter())
        .filter_map(|(a, b, test)| Some((a, b, test.filter(|test| test.t > 0.0)?)))
        .map(|(a, b, test)| {
            vec![
                format!("{a} above {b}"),
                format!("{:.3}", test.t),
                format!("{:.1}", test.degrees_of_freedom),
                p_value(test.p),
            ]
        })
        .collect();
    if !tests.is_empty() {
        text += "\n";
        text += &print::table(&["Welch's test of accuracy", "t", "df", "p (one-sided)"], &tests, &[]);
        text += "\nSplits share samples, so p is smaller than it should be.\n";
    }
    text
}

fn p_value(p: f64) -> String {
    if p < 5e-5 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

fn as_json(plan: &Plan, samples: &[&NamedSample], classes: &Classes, results: &[Achieved]) -> Value {
    // JSON has no NaN: the deviation of a single split is null.
    let spread =
        |s: Spread| json!({"mean": s.mean, "sd": Some(s.sd).filter(|sd| !sd.is_nan()), "low": s.low, "high": s.high});
    let result = |result: &Achieved| {
        let evaluation = &result.evaluation;
        let mut object = serde_json::Map::new();
        object.insert("metric".to_owned(), json!(result.metric.name()));
        for (name, score) in SCORES {
            object.insert(name.to_owned(), spread(evaluation.spread(score)));
        }
        let repeats = &evaluation.repeats;
        let gammas: Vec<f64> = repeats.iter().map(|repeat| plan.gammas[repeat.gamma].get()).collect();
        object.insert("gamma".to_owned(), json!(gammas));
        object.insert("k".to_owned(), json!(repeats.iter().map(|repeat| repeat.k).collect::<Vec<_>>()));
        let confusion = evaluation.confusion();
        let rows = confusion.as_ref().map(|all| all.as_slice().chunks(classes.names().len()).collect::<Vec<_>>());
        object.insert("confusion".to_owned(), json!(rows));
        object.insert("undefined".to_owned(), json!(result.undefined));
        Value::Object(object)
    };
    let welch: Vec<Value> = (tests(results).into_iter())
        .map(|(a, b, test)| {
            let finite = |value: fn(&Welch) -> f64| test.as_ref().map(value).filter(|value| value.is_finite());
            json!({"a": a.name(), "b": b.name(), "t": finite(|w| w.t), "df": finite(|w| w.degrees_of_freedom),
                   "p": finite(|w| w.p)})
        })
        .collect();
    json!({
        "samples": samples.len(),
        "classes": classes.names().len(),
        "labels": classes.names(),
        "estimator": plan.chosen.estimator_name(),
        "train": plan.splits.train_size(samples.len()),
        "repeats": plan.splits.repeats(),
        "results": results.iter().map(result).collect::<Vec<_>>(),
        "welch": welch,
    })
}

fn predicted(
    args: &Classify,
    plan: &Plan,
    samples: &[&NamedSample],
    classes: &Classes,
    unknown: &[NamedSample],
) -> Result<(), Failure> {
    let &[metric] = plan.chosen.metrics.as_slice() else { return Err(Failure::wrong("--metric: name one metric")) };
    let (gamma, k, validation) = match (plan.gammas.as_slice(), plan.grid.ks()) {
        (&[gamma], &[k]) => (gamma, k, None),
        _ => {
            let (gamma, k, accuracy) = choose(&plan.distances(samples, metric), classes, &plan.grid, args.seed)?;
            (plan.gammas[gamma], k, Some(accuracy))
        }
    };
    let settings = Settings { gamma, ..plan.chosen.settings };
    let (known, labels): (Vec<RewardSample>, Vec<&str>) =
        (samples.iter()).filter_map(|named| Some((named.sample.clone(), named.label.as_deref()?))).unzip();
    let knn = RewardKnn::new(k, metric, settings)?.fit(&known, &labels)?;
    let references: Vec<&RewardSample> = unknown.iter().map(|named| &named.sample).collect();
    let predictions = knn.predict(&references);
    for (named, prediction) in unknown.iter().zip(&predictions) {
        if prediction.undefined == samples.len() {
            print::warn(&format!(
                "{}: it has no defined distance to any labelled sample; its label means nothing",
                named.name
            ));
        }
    }
    if args.json {
        print::json(&predictions_as_json(metric, gamma, k, validation, samples, unknown, &predictions))?;
    } else {
        let chosen = validation
            .map_or(String::new(), |accuracy| format!(" (chosen by cross-validation: accuracy {accuracy:.3})"));
        let rows: Vec<Vec<String>> = (unknown.iter().zip(&predictions))
            .map(|(named, prediction)| {
                let votes: Vec<String> = prediction.votes.iter().map(|(label, n)| format!("{label} {n}")).collect();
                let nearest = prediction.neighbours.first();
                let nearest =
                    nearest.map_or(String::new(), |n| format!("{} ({:.3})", samples[n.sample].name, n.distance));
                vec![named.name.clone(), prediction.label.clone(), votes.join(", "), nearest]
            })
            .collect();
        let table = print::table(&["sample", "label", "votes", "nearest (distance)"], &rows, &[1, 2, 3]);
        print::result(&format!("{metric}, γ = {}, k = {k}{chosen}\n\n{table}", gamma.get()))?;
    }
    Ok(())
}

fn predictions_as_json(
    metric: Metric,
    gamma: Gamma,
    k: usize,
    validation: Option<f64>,
    samples: &[&NamedSample],
    unknown: &[NamedSample],
    predictions: &[Prediction],
) -> Value {
    let prediction = |(named, prediction): (&NamedSample, &Prediction)| {
        let votes: serde_json::Map<String, Value> =
            prediction.votes.iter().map(|(label, count)| (label.clone(), json!(count))).collect();
        let neighbours: Vec<Value> = (prediction.neighbours.iter())
            .map(|n| {
                let known = &samples[n.sample];
                json!({"sample": known.name, "label": known.label, "distance": n.defined.then_some(n.distance)})
            })
            .collect();
        json!({"sample": named.name, "label": prediction.label, "votes": votes, "neighbours": neighbours,
               "undefined": prediction.undefined})
    };
    json!({
        "metric": metric.name(),
        "gamma": gamma.get(),
        "k": k,
        "validation": validation,
        "predictions": unknown.iter().zip(predictions).map(prediction).collect::<Vec<_>>(),
    })
}
