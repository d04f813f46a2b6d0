//! What it costs to act on the wrong reward, as text.

use srrd::regret::{Regret, SampledRegret};

use crate::escape::shown;
use crate::words::{counted, fixed, table};

/// What acting on each of the rewards costs by the other, one sentence each; `names` are those of the two rewards.
///
/// ```
/// use srrd::{Duplicates, Gamma, RewardSample, regret::sampled_regret};
/// let sample = |left| RewardSample::from_rows([("s", "l", "x", left), ("s", "r", "y", 0.5)], Duplicates::Mean);
/// let found = sampled_regret(&sample(0.0)?, &sample(1.0)?, None, Gamma::default(), &[])?;
/// let [first, _] = srrd_show::present::regret::sentences(["a", "b"], &found).try_into().unwrap();
/// assert_eq!(first, "Acting on a, judged by b: the regret is 1.000 (0: as good as the best policy, 1: as bad as the worst).");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentences(names: [&str; 2], found: &SampledRegret) -> Vec<String> {
    let [a, b] = names.map(|name| shown(name).into_owned());
    let said = |acting: &str, under: &str, regret: &Regret| {
        let told = match regret.regret {
            Some(value) => {
                format!("the regret is {} (0: as good as the best policy, 1: as bad as the worst)", fixed(value, 3))
            }
            None => "the regret is undefined, since all policies earn the same".to_owned(),
        };
        format!("Acting on {acting}, judged by {under}: {told}.")
    };
    vec![said(&a, &b, &found.regret.a_under_b), said(&b, &a, &found.regret.b_under_a)]
}

/// A table of both directions, and what it was computed on; `names` are those of the two rewards.
///
/// ```
/// use srrd::{Duplicates, Gamma, RewardSample, regret::sampled_regret};
/// let sample = |left| RewardSample::from_rows([("s", "l", "x", left), ("s", "r", "y", 0.5)], Duplicates::Mean);
/// let found = sampled_regret(&sample(0.0)?, &sample(1.0)?, None, Gamma::default(), &[])?;
/// assert!(srrd_show::present::regret::text(["a", "b"], &found).contains("acting on"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(names: [&str; 2], found: &SampledRegret) -> String {
    let [a, b] = names.map(|name| shown(name).into_owned());
    let mut text = format!(
        "{} with an action, {} of state and action that both have a reward of; γ = {}; {}\n\n",
        counted(found.states, "state", "states"),
        counted(found.available, "pair", "pairs"),
        found.gamma,
        counted(found.starts, "start", "starts"),
    );
    let row = |acting: &str, under: &str, regret: &Regret| {
        let number = |value: f64| fixed(value, 6);
        let normalized = regret.regret.map_or("undefined".to_owned(), number);
        let earned = [regret.optimal, regret.earned, regret.worst].map(number);
        [acting.to_owned(), under.to_owned(), normalized].into_iter().chain(earned).collect::<Vec<_>>()
    };
    let rows = [row(&a, &b, &found.regret.a_under_b), row(&b, &a, &found.regret.b_under_a)];
    text += &table(&["acting on", "judged by", "regret", "best", "earned", "worst"], &rows, &[1]);
    text += "\n0: as good as the best policy, 1: as bad as the worst\n";
    if [found.regret.a_under_b, found.regret.b_under_a].iter().any(|regret| regret.regret.is_none()) {
        text += "undefined: all policies earn the same\n";
    }
    if found.left_out > 0 {
        let left_out = counted(found.left_out, "pair", "pairs");
        text += &format!("{left_out} of state and action left out: not both samples have a reward of them\n");
    }
    if found.dead_ends > 0 {
        let states = counted(found.dead_ends, "state", "states");
        text += &format!("{states} without an action taken as ends: nothing is earned from there on\n");
    }
    text
}
