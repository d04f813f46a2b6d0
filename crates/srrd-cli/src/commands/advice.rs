//! What `srrd inspect` says about two samples: can they be compared, by which metric, and what would help?

use crate::print::{count, counted};
use crate::settings::Chosen;
use crate::tokens;
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{Advice, FEW_COMMON, Metric, Reason, advise};

/// So many states are named in the text …
const NAMED: usize = 3;
/// … and so many in JSON.
const LISTED: usize = 10;

/// A paragraph on two samples; nothing on any other number of them.
pub fn as_text(samples: &[&NamedSample], chosen: &Chosen) -> String {
    let [a, b] = samples else { return String::new() };
    let advice = advise(&a.sample, &b.sample, &chosen.settings);
    let lines = [
        Some(use_which(&advice)),
        problems(&advice, a, b),
        within_states(&advice),
        discount(&advice, chosen),
        Some(more_data(&advice)),
    ];
    let lines = lines.into_iter().flatten().map(|line| format!("  {line}\n"));
    format!("\nAdvice\n{}", lines.collect::<String>())
}

fn use_which(advice: &Advice<'_>) -> String {
    let shared = counted(advice.shared, "shared transition", "shared transitions");
    let left = freedom(advice.shaping.degrees_of_freedom);
    match (advice.metric, advice.enough) {
        (Some(metric), true) => {
            format!("Use --metric {metric}: {shared} with {left}; {FEW_COMMON} or more are enough.")
        }
        (Some(Metric::Projected), false) => {
            format!("Use --metric projected, but {shared} have only {left}: below {FEW_COMMON} it is mostly noise.")
        }
        (Some(metric), false) => format!(
            "Use --metric {metric} with care: it is biased, part of what it shows may be shaping. {shared} have {left}, \
             too few for projected ({FEW_COMMON})."
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
fn problems(advice: &Advice<'_>, a: &NamedSample, b: &NamedSample) -> Option<String> {
    let constant = |named: &NamedSample| {
        format!("{} has the same reward on all shared transitions: it prefers nothing.", named.name)
    };
    let say = |reason: &Reason| match reason {
        Reason::FewShared => Some(format!("With fewer than {FEW_COMMON} shared a distance is mostly noise.")),
        Reason::FirstConstant => Some(constant(a)),
        Reason::SecondConstant => Some(constant(b)),
        Reason::OnlyShaping => Some("One of the rewards is nothing but shaping there: it prefers nothing.".to_owned()),
        Reason::NothingShared => {
            Some("Check that both tables name states and actions alike; else sample the same ones.".to_owned())
        }
        Reason::NoDegreesOfFreedom => Some("Shaping can explain any difference there.".to_owned()),
        _ => None,
    };
    let sentences: Vec<String> = advice.reasons.iter().filter_map(say).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn within_states(advice: &Advice<'_>) -> Option<String> {
    let one_step = advice.one_step?;
    Some(format!(
        "Shaping shifts all actions of a state alike, so only those of one state are compared: {} of {} {} two or more.",
        count(one_step.comparable),
        counted(one_step.states, "state", "states"),
        if one_step.states == 1 { "has" } else { "have" },
    ))
}

fn discount(advice: &Advice<'_>, chosen: &Chosen) -> Option<String> {
    let gamma = chosen.settings.gamma.get();
    match (advice.shared, advice.gamma_matters) {
        (0, _) => None,
        (_, true) => Some(format!(
            "Gamma matters: give the one that the rewards were made for (--gamma; {gamma} was taken here)."
        )),
        (_, false) if advice.metric == Some(Metric::Projected) => {
            Some("Gamma makes no difference to projected on these transitions.".to_owned())
        }
        (_, false) => None,
    }
}

fn more_data(advice: &Advice<'_>) -> String {
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
        .map(|state| format!("{} (+{})", tokens::shown(state.state), count(state.gain)))
        .collect();
    let at = match named.as_slice() {
        [] => String::new(),
        [state] => format!(", at the state {state}"),
        several if advice.states.len() > NAMED => format!(", first at the states {} and others", several.join(", ")),
        several => format!(", at the states {}", several.join(", ")),
    };
    format!(
        "More data: {} only one sample holds would add {} if both held {}{at}.",
        counted(lacking, "transition that", "transitions that"),
        freedom(more),
        if lacking == 1 { "it" } else { "them" },
    )
}

/// Adds the field `advice` when there are two samples.
pub fn add_to(value: &mut Value, samples: &[&NamedSample], chosen: &Chosen) {
    let [a, b] = samples else { return };
    let advice = advise(&a.sample, &b.sample, &chosen.settings);
    let states: Vec<Value> = (advice.states.iter().take(LISTED))
        .map(|state| {
            json!({
                "state": tokens::as_json(state.state), "gain": state.gain, "lacking_in_a": state.lacking[0],
                "lacking_in_b": state.lacking[1],
            })
        })
        .collect();
    value["advice"] = json!({
        "metric": advice.metric.map(Metric::name), "shared": advice.shared,
        "degrees_of_freedom": advice.shaping.degrees_of_freedom, "rank": advice.shaping.rank,
        "components": advice.shaping.components, "enough": advice.enough,
        "reasons": advice.reasons.iter().map(|reason| reason.name()).collect::<Vec<_>>(),
        "gamma_matters": advice.gamma_matters,
        "one_step": advice.one_step.map(|one| json!({"states": one.states, "comparable": one.comparable})),
        "together": {
            "transitions": advice.together.transitions, "degrees_of_freedom": advice.together.degrees_of_freedom,
        },
        "states": states,
    });
}
