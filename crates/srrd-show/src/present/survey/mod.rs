//! Everything about two or more samples, as one page.

mod differences;
mod distances;
mod groups;
mod sampled;

use srrd::answer::{ComparedPair, Survey};
use srrd::verdict::Answer;
use srrd::{FrontEnd, NamedSample};

use super::gamma;
use super::verdict::{answer_in_words, sentence};
use crate::Figure;
use crate::page::{FigureBlock, Headline, Report, Section};
use crate::words::{counted, short};

/// How to read a distance.
const SCALE: &str = "0 is equivalent, 0.71 unrelated, 1 opposite.";

/// The page: verdict and headline figure, distances with intervals, groups, where samples differ, what was sampled, γ, and the command
/// that makes it again. `samples` are those that the survey is about.
///
/// ```
/// use srrd::answer::survey;
/// use srrd::cluster::ClusterCount;
/// use srrd::{Duplicates, NamedSample, Options, RewardSample};
/// use srrd_show::present::survey::report;
/// let rows = (0..9).flat_map(|s| (0..9).map(move |t| (s, 0, t, f64::from((5 * s + 3 * t * s + t) % 7))));
/// let a = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let b = a.with_rewards(a.rewards().iter().map(|r| 2.0 * r + 5.0).collect())?;
/// let samples = [NamedSample::new("old", a), NamedSample::new("new", b)];
/// let found = survey(&samples.each_ref(), &Options::default(), ClusterCount::Auto, 5)?;
/// let page = report(&found, &samples.each_ref(), "srrd report old.csv new.csv -o page.html");
/// assert_eq!(page.check(), Ok(()));
/// assert!(page.to_html().contains("old and new"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(survey: &Survey, samples: &[&NamedSample], command: &str) -> Report {
    let mut sections = Vec::new();
    if let (Some(matrix), Some(clusters)) = (&survey.matrix, &survey.clusters) {
        sections.push(groups::section(matrix, clusters));
    }
    sections.push(distances::section(survey));
    sections.extend(survey.explained.as_ref().map(|explained| differences::section(explained, samples)));
    sections.push(sampled::section(&survey.inspection));
    sections.extend(discount(survey));
    Report {
        title: title(samples),
        headline: headline(survey),
        lead: vec![reading(survey)],
        facts: facts(survey, samples),
        sections,
        command: command.to_owned(),
        notes: survey.warnings.iter().map(|warning| warning.say(FrontEnd::Command)).collect(),
        ..Report::default()
    }
}

fn title(samples: &[&NamedSample]) -> String {
    match samples {
        [a, b] => format!("{} and {}: do they ask for the same behaviour?", short(&a.name), short(&b.name)),
        several => format!("{} rewards: which ask for the same behaviour?", several.len()),
    }
}

/// One sentence and one figure.
fn headline(survey: &Survey) -> Option<Headline> {
    if let (Some(matrix), Some(clusters)) = (&survey.matrix, &survey.clusters) {
        let caption = format!(
            "Distances of all pairs by {}. {SCALE} The tree above shows at which distance samples join.",
            matrix.metric
        );
        let map = super::matrix::heat_map(matrix, Some(clusters)).ok()?;
        return Some(Headline::new(
            groups::sentence(&groups::Inside::of(survey, matrix, clusters), matrix, clusters),
            FigureBlock::new(map.draw(), caption),
        ));
    }
    let pair = survey.pairs.first()?;
    let figure = distances::chart(&pair.found).draw();
    let caption = format!("The distance by every metric, lines being intervals. {SCALE}");
    Some(Headline::new(judged(pair), FigureBlock::new(figure, caption)))
}

/// The verdict on a pair as a sentence.
fn judged(pair: &ComparedPair) -> String {
    let Some(verdict) = &pair.found.verdict else {
        let best = pair.found.results.first();
        let distance = best.and_then(|finding| finding.distance.distance());
        return match (best, distance) {
            (Some(finding), Some(distance)) => format!("The {} distance is {distance:.3}.", finding.metric),
            _ => "The distance is undefined.".to_owned(),
        };
    };
    // Why it is unknown is a paragraph of its own.
    match verdict.answer {
        Answer::Unknown => capital(answer_in_words(verdict)),
        _ => capital(&sentence(verdict)),
    }
}

/// A sentence of its own.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// What a verdict or a group means.
fn reading(survey: &Survey) -> String {
    if let (Some(matrix), Some(clusters)) = (&survey.matrix, &survey.clusters) {
        return groups::Inside::of(survey, matrix, clusters).reading();
    }
    let Some(verdict) = survey.pairs.first().and_then(|pair| pair.found.verdict.as_ref()) else {
        return SCALE.to_owned();
    };
    match verdict.answer {
        Answer::Same => {
            "The rewards differ by no more than potential shaping, a factor and a shift, none of which changes what is best.".to_owned()
        }
        Answer::Different => "The rewards differ by more than potential shaping, a factor and a shift: what is best for one need not be \
                              best for the other."
            .to_owned(),
        Answer::Unknown => capital(&verdict.why.to_string()),
    }
}

/// What was compared, and how.
fn facts(survey: &Survey, samples: &[&NamedSample]) -> Vec<(String, String)> {
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    match samples {
        [a, b] => {
            fact("A", short(&a.name));
            fact("B", short(&b.name));
        }
        several => fact("samples", several.len().to_string()),
    }
    let used = match (&survey.matrix, survey.pairs.first()) {
        (Some(matrix), _) => Some(&matrix.used),
        (None, pair) => pair.map(|pair| &pair.found.used),
    };
    if let Some(used) = used {
        let estimated = if survey.gamma_from_data { " (from the data)" } else { "" };
        fact("discount factor", format!("{}{estimated}", used.settings.gamma.get()));
        fact("estimator", used.estimator_in_words());
        fact("seed", used.settings.seed.to_string());
    }
    if let ([_, _], Some(pair)) = (samples, survey.pairs.first()) {
        fact("shared", counted(pair.found.common, "transition", "transitions"));
    }
    fact("version", env!("CARGO_PKG_VERSION").to_owned());
    facts
}

fn discount(survey: &Survey) -> Option<Section> {
    let estimate = survey.gamma.as_ref()?;
    let [taken, low, high] = gamma::with_its_digits(estimate.taken().get(), estimate.low, estimate.high);
    let said = match &estimate.why_not {
        None => format!("The rewards look shaped with γ = {taken} (95 % interval {low} to {high})."),
        Some(why) => format!("The data do not tell which γ the rewards were shaped with: {why}."),
    };
    let used = match survey.gamma_from_data {
        true => "It was taken from the data for this report.",
        false => "For this report γ was given. Distances depend on it: give the one that the rewards were made for.",
    };
    let figure = FigureBlock::new(
        gamma::profile(estimate).draw(),
        "Where the line is lowest, shaping explains most. A flat line cannot tell.",
    );
    Some(Section {
        paragraphs: vec![said, used.to_owned()],
        figures: vec![figure],
        ..Section::new("The discount factor")
    })
}
