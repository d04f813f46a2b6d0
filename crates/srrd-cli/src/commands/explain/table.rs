//! All shared transitions with what they carry, as a table.

use crate::failure::Failure;
use srrd::NamedSample;
use srrd::Token;
use srrd::explain::Explanation;
use srrd_data::{Batch, Column, Schema, TextColumn, Values, create};
use std::path::Path;

/// Writes the transitions, the largest share first.
pub fn write(path: &Path, a: &NamedSample, b: &NamedSample, explanation: &Explanation) -> Result<(), Failure> {
    let (ours, theirs): (Vec<_>, Vec<_>) = (explanation.transitions.iter())
        .map(|c| (a.sample.transition(c.a as usize), b.sample.transition(c.b as usize)))
        .unzip();
    let mut columns = named("state", a.state_features.as_deref(), ours.iter().map(|t| t.state).collect());
    columns.extend(named("action", a.action_features.as_deref(), ours.iter().map(|t| t.action).collect()));
    if !a.one_step {
        columns.extend(named("next_state", a.state_features.as_deref(), ours.iter().map(|t| t.next_state).collect()));
    }
    let contributions = &explanation.transitions;
    let numbers: [(&str, Vec<f64>); 6] = [
        ("reward_a", ours.iter().map(|t| t.reward).collect()),
        ("reward_b", theirs.iter().map(|t| t.reward).collect()),
        ("canonical_a", contributions.iter().map(|c| c.canonical[0]).collect()),
        ("canonical_b", contributions.iter().map(|c| c.canonical[1]).collect()),
        ("difference", contributions.iter().map(|c| c.difference).collect()),
        ("share", contributions.iter().map(|c| c.share).collect()),
    ];
    columns.extend(numbers.into_iter().map(|(name, values)| (name.to_owned(), Values::Float(values).into())));
    let schema = Schema::new(columns.iter().map(|(name, column)| (name.clone(), column.kind())));
    let mut writer = create(path, &schema)?;
    writer.write(&Batch::from_columns(columns.into_iter().map(|(_, column)| column).collect(), 1))?;
    Ok(writer.finish()?)
}

/// The columns of states or actions: one of tokens, or one per feature. The end of an episode is null.
fn named(role: &str, features: Option<&[String]>, tokens: Vec<Token<'_>>) -> Vec<(String, Column)> {
    let there: Vec<bool> = tokens.iter().map(|token| *token != Token::text("")).collect();
    let validity = there.contains(&false).then_some(there);
    let column = |values: Values| Column::new(values, validity.clone());
    let Some(names) = features else {
        let int = |token: &Token<'_>| if *token == Token::text("") { Some(0) } else { token.as_int() };
        let ints: Option<Vec<i64>> = tokens.iter().map(int).collect();
        let texts = || tokens.iter().map(Token::to_string).collect::<Vec<String>>();
        let values = match ints {
            Some(ints) => Values::Int(ints),
            None => Values::Text(texts().iter().map(String::as_str).collect::<TextColumn>()),
        };
        return vec![(role.to_owned(), column(values))];
    };
    let feature = |(k, name): (usize, &String)| {
        let value =
            |token: &Token<'_>| token.as_features().and_then(|features| features.get(k).copied()).unwrap_or(0.0);
        let values: Vec<f64> = tokens.iter().map(value).collect();
        (format!("{role}.{name}"), column(whole_numbers(&values).map_or(Values::Float(values), Values::Int)))
    };
    names.iter().enumerate().map(feature).collect()
}

/// The values as integers, if all are: cells of a grid are read as 3, not as 3.0.
fn whole_numbers(values: &[f64]) -> Option<Vec<i64>> {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    values.iter().map(|v| (v.fract() == 0.0 && v.abs() <= LARGEST).then_some(*v as i64)).collect()
}
