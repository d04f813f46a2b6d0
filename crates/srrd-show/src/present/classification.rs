//! How well classes are told apart, and what samples were taken for, as text.

use srrd::answer::{Achieved, Classification, Labelling};
use srrd::classify::{Evaluation, Spread};

use crate::escape::shown;
use crate::words::{count, counted, table};

/// A table of scores, and tests between metrics.
///
/// ```
/// use srrd::answer::{ClassifyOptions, ClassifyPlan, classify};
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// let mut agents = Vec::new();
/// for (n, class) in ["careful", "bold"].into_iter().cycle().take(12).enumerate() {
///     let reward = |s: usize| if class == "bold" { (s * 7 + n) % 5 } else { s } as f64;
///     let sample = RewardSample::from_rows((0..30).map(|s| (s as i32, 0, (s as i32 + 1) % 30, reward(s))), Duplicates::Mean)?;
///     agents.push(NamedSample { label: Some(class.to_owned()), ..NamedSample::new(format!("agent {n}"), sample) });
/// }
/// let choices = ClassifyOptions { gammas: vec![0.9], ks: vec![1, 3], repeats: 5, ..ClassifyOptions::default() };
/// let plan = ClassifyPlan::new(&Options::default().question()?, &choices)?;
/// let text = srrd_show::present::classification::text(&classify(&agents.iter().collect::<Vec<_>>(), &plan)?);
/// assert!(text.starts_with("12 samples of 2 classes"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(found: &Classification) -> String {
    let mut text = format!(
        "{} of {}; {} with {} for training\n\n",
        counted(found.samples, "sample", "samples"),
        counted(found.labels.len(), "class", "classes"),
        counted(found.repeats, "random split", "random splits"),
        count(found.train),
    );
    let of_metric = |achieved: &Achieved| {
        let repeats = &achieved.evaluation.repeats;
        let gamma = most_often(repeats.iter().map(|repeat| found.gamma(repeat.gamma).to_string()));
        scores(achieved.metric.to_string(), &achieved.evaluation, gamma)
    };
    let mut rows: Vec<Vec<String>> = found.results.iter().map(of_metric).collect();
    rows.push(scores("overlap alone".to_owned(), &found.overlap, String::new()));
    text += &table(&["metric", "accuracy", "precision", "recall", "f1", "γ", "k"], &rows, &[1, 2, 3, 4]);
    text += "\nMean ± standard deviation over the splits (the middle 95 % of them); γ and k as most often chosen.\n";
    text += "Overlap alone: by the share of common transitions, without a look at rewards.\n";
    let tests: Vec<Vec<String>> = (found.tests().into_iter())
        .filter_map(|(a, b, test)| Some((a, b, test.filter(|test| test.t > 0.0)?)))
        .map(|(a, b, test)| {
            vec![
                format!("{a} above {b}"),
                format!("{:.3}", test.t),
                format!("{:.1}", test.degrees_of_freedom),
                if test.p < 5e-5 { "< 0.0001".to_owned() } else { format!("{:.4}", test.p) },
            ]
        })
        .collect();
    if !tests.is_empty() {
        text += "\n";
        text += &table(&["Welch's test of accuracy", "t", "df", "p (one-sided)"], &tests, &[]);
        text += "\nSplits share samples, so p is smaller than it should be.\n";
    }
    text
}

fn scores(name: String, evaluation: &Evaluation, gamma: String) -> Vec<String> {
    let spread =
        |spread: Spread| format!("{:.3} ± {:.3} ({:.3} to {:.3})", spread.mean, spread.sd, spread.low, spread.high);
    let mut row = vec![name];
    row.extend(Classification::SCORES.map(|(_, score)| spread(evaluation.spread(score))));
    row.push(gamma);
    row.push(most_often(evaluation.repeats.iter().map(|repeat| repeat.k.to_string())));
    row
}

/// The value that occurs most often; of several the first.
fn most_often(values: impl Iterator<Item = String>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for value in values {
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    }
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(String::new(), |(value, _)| value)
}

/// A table of samples and what they were taken for.
///
/// ```
/// use srrd::answer::{ClassifyOptions, ClassifyPlan, label};
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// let [known, unknown] = [("ann", Some("careful".to_owned())), ("who", None)].map(|(name, label)| {
///     let rows = (0..9).map(|s| (s, 0, s + 1, f64::from(s * s)));
///     RewardSample::from_rows(rows, Duplicates::Mean).map(|sample| NamedSample { label, ..NamedSample::new(name, sample) })
/// });
/// let one_neighbour = ClassifyOptions { gammas: vec![0.9], ks: vec![1], ..ClassifyOptions::default() };
/// let plan = ClassifyPlan::new(&Options::default().question()?, &one_neighbour)?;
/// let text = srrd_show::present::classification::labelling(&label(&[&known?], &[&unknown?], &plan)?);
/// assert!(text.contains("who") && text.contains("careful"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn labelling(found: &Labelling) -> String {
    let chosen = (found.validation)
        .map_or(String::new(), |accuracy| format!(" (chosen by cross-validation: accuracy {accuracy:.3})"));
    let rows: Vec<Vec<String>> = (found.predictions.iter())
        .map(|labelled| {
            let prediction = &labelled.prediction;
            let votes: Vec<String> =
                prediction.votes.iter().map(|(label, n)| format!("{} {n}", shown(label))).collect();
            let nearest = prediction.neighbours.first().zip(labelled.neighbours.first());
            let nearest =
                nearest.map_or(String::new(), |(n, (name, _))| format!("{} ({:.3})", shown(name), n.distance));
            let name = |text: &str| shown(text).into_owned();
            vec![name(&labelled.sample), name(&prediction.label), votes.join(", "), nearest]
        })
        .collect();
    let table = table(&["sample", "label", "votes", "nearest (distance)"], &rows, &[1, 2, 3]);
    format!("{}, γ = {}, k = {}{chosen}\n\n{table}", found.metric, found.gamma, found.k)
}
