//! What samples hold and whether two of them can be compared, as text.

use std::fmt::Write;

use srrd::advise::ENOUGH_FREEDOM;
use srrd::advise::Reason;
use srrd::answer::{Advised, Chances, Inspection, NextStates, SampleFinding};
use srrd::settings::FEW_COMMON;
use srrd::{FrontEnd, Metric};

use super::sizes;
use crate::escape::shown;
use crate::words::{count, counted, number, percent, table, token};

/// So many states are named in advice.
const NAMED: usize = 3;

/// Everything that was found, sample after sample, and advice on two, in the words of a front end.
///
/// ```
/// use srrd::{Duplicates, FrontEnd, NamedSample, Options, RewardSample, inspect};
/// let sample = NamedSample::new("a", RewardSample::from_rows([(0, 0, 1, 1.0), (1, 0, 0, 2.0)], Duplicates::Mean)?);
/// let found = inspect(&[&sample], &Options::default().question()?, None)?;
/// assert!(srrd_show::present::inspection::text(&found, FrontEnd::Command).contains("2 transitions, 2 states, 1 action"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(inspection: &Inspection, to: FrontEnd) -> String {
    let mut text: String = inspection.samples.iter().map(|finding| sample(finding, to)).collect();
    if let ([a, b], Some(common)) = (inspection.samples.as_slice(), inspection.common) {
        let (a, b) = (shown(&a.name), shown(&b.name));
        let _ = writeln!(text, "{a} and {b} share {}", counted(common, "transition", "transitions"));
    }
    let advice = sentences(inspection, to);
    if !advice.is_empty() {
        text += "\nAdvice\n";
        text.extend(advice.iter().map(|sentence| format!("  {sentence}\n")));
    }
    text
}

/// The advice on two samples, sentence by sentence; none on one sample or on several.
///
/// ```
/// use srrd::{Duplicates, FrontEnd, NamedSample, Options, RewardSample, inspect};
/// let sample = |from| RewardSample::from_rows([(from, 0, from + 1, 1.0)], Duplicates::Mean);
/// let (a, b) = (NamedSample::new("a", sample(0)?), NamedSample::new("b", sample(5)?));
/// let found = inspect(&[&a, &b], &Options::default().question()?, None)?;
/// let advice = srrd_show::present::inspection::sentences(&found, FrontEnd::Python);
/// assert_eq!(advice[0], "These samples cannot be compared: they share no transition.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentences(inspection: &Inspection, to: FrontEnd) -> Vec<String> {
    let ([a, b], Some(advice)) = (inspection.samples.as_slice(), &inspection.advice) else { return Vec::new() };
    let sentences = [
        Some(use_which(advice, to)),
        problems(advice, [&a.name, &b.name], to),
        within_states(advice),
        discount(advice, inspection.gamma, to),
        Some(more_data(advice)),
    ];
    sentences.into_iter().flatten().collect()
}

fn sample(finding: &SampleFinding, to: FrontEnd) -> String {
    let mut text = String::new();
    let [low, mean, high] = finding.reward.map(|reward| number(reward, 6));
    let label = finding.label.as_ref().map_or(String::new(), |label| format!(" (label {})", shown(label)));
    let _ = write!(
        text,
        "{}{label}\n  {}; {} initial, {} terminal\n  rewards from {} to {}, mean {}\n",
        shown(&finding.name),
        sizes(finding.transitions, finding.states, finding.actions),
        count(finding.initial_states),
        count(finding.terminal_states),
        low,
        high,
        mean,
    );
    text += &ends(finding);
    text += &chances(finding, to);
    let next_states = match finding.next_states {
        NextStates::Given => "as given",
        NextStates::Shifted => "shifted: the state of the row after it in its episode",
        NextStates::OneStep => "none: a one-step problem",
    };
    let _ = writeln!(text, "  next states {next_states}");
    if finding.duplicates.repeated > 0 {
        let _ = writeln!(
            text,
            "  {}, of which {} repeated a transition; {} had unequal rewards",
            counted(finding.duplicates.rows, "row", "rows"),
            count(finding.duplicates.repeated),
            counted(finding.duplicates.averaged, "transition", "transitions"),
        );
    }
    text += &noise(finding);
    let _ = write!(text, "  coverage {} of the explored states and actions", percent(finding.coverage));
    if let Some(full) = finding.full_coverage {
        let _ = write!(text, ", {} of the full space", percent(full));
    }
    text.push_str("\n\n");
    text += &terms(finding);
    text.push('\n');
    text
}

fn ends(finding: &SampleFinding) -> String {
    let sinks = counted(finding.terminal_states, "state starts nothing", "states start nothing");
    let mut text = match finding.ending {
        None if finding.terminal_states == 0 => return String::new(),
        None => format!("  ends: unknown; {sinks}\n"),
        Some(ending) => {
            format!(
                "  ends: {}; {sinks}\n",
                counted(ending, "transition ends an episode", "transitions end an episode")
            )
        }
    };
    if finding.ends_disagree > 0 {
        let _ = writeln!(
            text,
            "  {} both rows that end and rows that do not, and counts as not ending",
            counted(finding.ends_disagree, "transition has", "transitions have")
        );
    }
    text
}

fn chances(finding: &SampleFinding, to: FrontEnd) -> String {
    let Chances { pairs, several, differing, .. } = finding.chance;
    if several == 0 {
        return String::new();
    }
    let rewards = match differing {
        0 => "rewards do not depend on which".to_owned(),
        _ => {
            format!("in {} of them the reward depends on which (see {})", count(differing), to.option("dynamics"))
        }
    };
    format!(
        "  chance: {} of {} lead to several states ({}); {rewards}\n",
        count(several),
        counted(pairs, "pair (state, action)", "pairs (state, action)"),
        percent(several as f64 / pairs as f64)
    )
}

fn noise(finding: &SampleFinding) -> String {
    let Some(noise) = finding.noise else { return String::new() };
    let mut text = format!(
        "  noise: a single reward has the standard deviation {:.4} around the mean of its transition ({} tell)\n",
        noise.variance.sqrt(),
        counted(noise.degrees_of_freedom, "repeated row", "repeated rows"),
    );
    for found in &finding.floors {
        let _ = writeln!(
            text,
            "    {}: {} of the variance is noise; two noisy copies would be at a distance of {:.3}",
            found.metric,
            percent(found.floor.share[0]),
            found.floor.distance
        );
    }
    text
}

fn terms(finding: &SampleFinding) -> String {
    let mut text = String::new();
    let fraction = |fraction: Option<f64>| fraction.map_or("none needed".to_owned(), percent);
    let rows: Vec<Vec<String>> = (finding.terms.iter())
        .flat_map(|coverage| coverage.terms.iter().map(|term| (coverage.metric, term)))
        .map(|(metric, term)| {
            vec![
                metric.to_string(),
                term.name.to_owned(),
                if term.forward { "forward" } else { "non-forward" }.to_owned(),
                format!("{:.0}", term.sampled),
                format!("{:.0}", term.needed),
                fraction(term.fraction()),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let header = ["metric", "term", "transitions", "sampled", "needed", "fraction"];
        text.extend(table(&header, &rows, &[1, 2]).lines().map(|line| format!("  {line}\n")));
        text.push('\n');
    }
    for coverage in finding.terms.iter().filter(|coverage| !coverage.terms.is_empty()) {
        let _ = writeln!(
            text,
            "  {}: sampled of its forward transitions {}, of the others {}",
            coverage.metric,
            fraction(coverage.fraction(true)),
            fraction(coverage.fraction(false))
        );
    }
    text
}

fn use_which(advice: &Advised, to: FrontEnd) -> String {
    let shared = counted(advice.shared, "shared transition", "shared transitions");
    let left = freedom(advice.shaping.degrees_of_freedom);
    let choose = |metric: Metric| to.choice("metric", metric.name());
    match (advice.metric, advice.enough) {
        (Some(metric), true) => {
            format!("Use {}: {shared} with {left}; {ENOUGH_FREEDOM} or more are enough.", choose(metric))
        }
        (Some(metric @ Metric::Projected), false) => {
            format!("Use {}, but {shared} have only {left}: below {ENOUGH_FREEDOM} it is mostly noise.", choose(metric))
        }
        (Some(metric), false) => format!(
            "Use {} with care: it is biased, part of what it shows may be shaping. {shared} have {left}, too few for \
             projected ({ENOUGH_FREEDOM}).",
            choose(metric)
        ),
        (None, _) if advice.shared == 0 => "These samples cannot be compared: they share no transition.".to_owned(),
        (None, _) => format!("These samples cannot be compared yet: {shared} with {left}."),
    }
}

fn freedom(degrees: usize) -> String {
    match degrees {
        0 => "no degrees of freedom".to_owned(),
        some => counted(some, "degree of freedom", "degrees of freedom"),
    }
}

/// What else speaks against it, beside what the first line says.
fn problems(advice: &Advised, [a, b]: [&str; 2], to: FrontEnd) -> Option<String> {
    let constant =
        |name: &str| format!("{} has the same reward on all shared transitions: it prefers nothing.", shown(name));
    let say = |reason: &Reason| match reason {
        Reason::FewShared => Some(format!("With fewer than {FEW_COMMON} shared a distance is mostly noise.")),
        Reason::FirstConstant => Some(constant(a)),
        Reason::SecondConstant => Some(constant(b)),
        Reason::OnlyShaping => Some("One of the rewards is nothing but shaping there: it prefers nothing.".to_owned()),
        Reason::NothingShared => {
            Some("Check that both tables name states and actions alike; else sample the same ones.".to_owned())
        }
        Reason::NoDegreesOfFreedom => Some("Shaping can explain any difference there.".to_owned()),
        Reason::EndsUnknown => Some(format!(
            "It is unknown where episodes end: add a column `terminated`, or say {} (they go on) or {} (they end in states that start \
             nothing).",
            to.choice("ends", "none"),
            to.choice("ends", "sinks"),
        )),
        _ => None,
    };
    let sentences: Vec<String> = advice.reasons.iter().filter_map(say).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn within_states(advice: &Advised) -> Option<String> {
    let one_step = advice.one_step?;
    Some(format!(
        "Shaping shifts all actions of a state alike, so only those of one state are compared: {} of {} {} two or more.",
        count(one_step.comparable),
        counted(one_step.states, "state", "states"),
        if one_step.states == 1 { "has" } else { "have" },
    ))
}

fn discount(advice: &Advised, gamma: f64, to: FrontEnd) -> Option<String> {
    let option = to.option("gamma");
    match (advice.shared, advice.gamma_matters) {
        (0, _) => None,
        (_, true) => Some(format!(
            "Gamma matters: give the one that the rewards were made for ({option}; {gamma} was taken here)."
        )),
        (_, false) if advice.metric == Some(Metric::Projected) => {
            Some("Gamma makes no difference to projected on these transitions.".to_owned())
        }
        (_, false) => None,
    }
}

fn more_data(advice: &Advised) -> String {
    let lacking = advice.together.transitions - advice.shared;
    let more = advice.together.degrees_of_freedom.saturating_sub(advice.shaping.degrees_of_freedom);
    if lacking == 0 {
        let advised = match advice.one_step {
            Some(_) => "more actions of the states that are there",
            None => "transitions between states that are there; a new state adds none by itself",
        };
        return format!("More data: both hold the same transitions. What adds degrees of freedom: {advised}.");
    }
    let named: Vec<String> = (advice.states.iter().take(NAMED))
        .map(|state| format!("{} (+{})", token(state.state.token()), count(state.gain)))
        .collect();
    let at = match named.as_slice() {
        [] => String::new(),
        [state] => format!(", at the state {state}"),
        several if advice.states_in_all > NAMED => format!(", first at the states {} and others", several.join(", ")),
        several => format!(", at the states {}", several.join(", ")),
    };
    format!(
        "More data: {} only one sample holds would add {} if both held {}{at}.",
        counted(lacking, "transition that", "transitions that"),
        freedom(more),
        if lacking == 1 { "it" } else { "them" },
    )
}
