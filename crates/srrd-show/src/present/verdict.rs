//! Whether two rewards ask for the same behaviour, as text.

use srrd::answer::{Judgement, ShownWitness, WitnessStep};
use srrd::verdict::Answer;

use crate::escape::shown;

/// One sentence, and where they differ two paths that anyone can check.
pub fn text(judgement: &Judgement, [a, b]: [&str; 2]) -> String {
    let answer = match judgement.answer {
        Answer::Same => "same behaviour",
        Answer::Different => "the rewards differ",
        Answer::Unknown => "not enough data to tell",
    };
    let mut text = format!("\nVerdict: {answer}: {}.\n", judgement.why);
    if let Some(witness) = &judgement.witness {
        text += &paths(witness, [a, b]);
    }
    text
}

fn paths(witness: &ShownWitness, [a, b]: [&str; 2]) -> String {
    let alike = match witness.ends {
        true => "Both paths start in the same state and end the episode",
        false => "Both paths lead from the same state to the same state in as many steps",
    };
    let [first, second] = &witness.returns;
    let mut text = format!("\n{alike}; no shaping can change which is better.\n");
    for (name, path, returns) in [("1", &witness.paths[0], first), ("2", &witness.paths[1], second)] {
        text += &format!("  path {name}: {}\n", steps(path));
        text += &format!("    return {:.4} by {}, {:.4} by {}\n", returns[0], shown(a), returns[1], shown(b));
    }
    text + &format!("  {} prefers path 1, {} prefers path 2.\n", shown(a), shown(b))
}

/// `s -a-> s' -a-> s''`
fn steps(path: &[WitnessStep]) -> String {
    let token = |value: &srrd::answer::TokenValue| shown(&value.token().to_string()).into_owned();
    let mut text = path.first().map_or(String::new(), |step| token(&step.state));
    for step in path {
        let next = step.next_state.as_ref().map_or("end".to_owned(), token);
        text += &format!(" -[{}]-> {next}", token(&step.action));
    }
    text
}
