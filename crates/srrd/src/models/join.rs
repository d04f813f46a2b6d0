//! Scores of several tables on the responses that all of them hold.

use std::collections::HashMap;

use super::ModelsError;
use super::compare::same_responses;
use crate::sample::{Ends, NamedSample};
use crate::{Duplicates, SampleBuilder};

/// The same models over the responses that all of them score, and how many responses that leaves out, counting those of the table with most.
///
/// ```
/// use srrd::models::shared_responses;
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let of = |rows: &[(&'static str, &'static str, f64)]| {
///     RewardSample::from_rows(rows.iter().map(|(p, r, score)| (*p, *r, "", *score)), Duplicates::Mean)
/// };
/// let a = NamedSample { one_step: true, ..NamedSample::new("a", of(&[("p", "x", 1.0), ("p", "y", 2.0), ("q", "x", 0.0)])?) };
/// let b = NamedSample { one_step: true, ..NamedSample::new("b", of(&[("p", "y", 5.0), ("p", "x", 7.0)])?) };
/// let (models, left_out) = shared_responses(vec![a, b])?;
/// assert_eq!((models[0].sample.rewards(), models[1].sample.rewards(), left_out), (&[1.0, 2.0][..], &[7.0, 5.0][..], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When they share no response.
pub fn shared_responses(models: Vec<NamedSample>) -> Result<(Vec<NamedSample>, usize), ModelsError> {
    let Some((first, others)) = models.split_first() else { return Ok((models, 0)) };
    if others.iter().all(|other| same_responses(first, other)) {
        return Ok((models, 0));
    }
    // By the ids of the first, the scores of the others.
    let scores: Vec<HashMap<(u32, u32), f64>> = (others.iter())
        .map(|other| {
            let states = other.sample.states().ids_in(first.sample.states());
            let actions = other.sample.actions().ids_in(first.sample.actions());
            let ids = other.sample.ids().zip(other.sample.rewards());
            ids.map(|((s, a, _), reward)| ((states[s as usize], actions[a as usize]), *reward)).collect()
        })
        .collect();
    let mut builder = SampleBuilder::new();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); others.len()];
    for (at, (state, action, _)) in first.sample.ids().enumerate() {
        let found: Vec<f64> = scores.iter().map_while(|of| of.get(&(state, action)).copied()).collect();
        if found.len() == others.len() {
            let transition = first.sample.transition(at);
            let pushed = builder.push(transition.state, transition.action, transition.next_state, transition.reward);
            pushed.expect("a transition of a sample is one");
            columns.iter_mut().zip(found).for_each(|(column, score)| column.push(score));
        }
    }
    let rows = builder.rows();
    let name = |at: usize| models[at].name.clone();
    let nothing = || ModelsError::NothingShared(name(0), name(1));
    if rows == 0 {
        return Err(nothing());
    }
    let (built, _) = builder.build_each(columns, Duplicates::Mean).map_err(|_| nothing())?;
    let most = models.iter().map(|model| model.sample.len()).max().unwrap_or(rows);
    let joined = models.iter().zip(built).map(|(model, sample)| NamedSample {
        sample: sample.with_ends(Ends::all()).expect("all rows end"),
        episodes: None,
        ..model.clone()
    });
    Ok((joined.collect(), most - rows))
}
