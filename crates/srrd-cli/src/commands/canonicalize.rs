//! `srrd canonicalize`: the input's rows with a column `canonical`.
//!
//! The table is read twice: once for the samples, once to copy its rows with all their columns, so that a large table is
//! never held as text.

use crate::args::Canonicalize;
use crate::failure::Failure;
use crate::gamma::{self, Profile, write_profile};
use crate::inputs::Source;
use crate::outputs::{check_json, check_table, refuse_to_overwrite};
use crate::print;
use rayon::prelude::*;
use serde::Serialize;
use srrd::answer::Used;
use srrd::{Metric, NamedSample, Problem, RewardSample};
use srrd_data::{Batch, Column, SampleTable, TableCopy, TableNote, TextColumn, Values, parse_number};

pub fn run(args: &Canonicalize) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&[Metric::Srrd])?;
    if question.is_auto() {
        return Err(Problem::AutoWithoutPair.into());
    }
    refuse_to_overwrite([Some(&args.output)], &[&args.input])?;
    let profile = args.profile.checked(&question, &[&args.input, &args.output])?;
    check_json(args.usual.json, Some(&args.output))?;
    check_table(&args.output)?;
    args.usual.threads.run(move || {
        let source = Source::new(&args.input)?;
        let names: Vec<String> = match question.metrics() {
            [_] => vec!["canonical".to_owned()],
            several => several.iter().map(|metric| format!("canonical.{metric}")).collect(),
        };
        let reading = args.usual.table.options(&options, false)?;
        let table = source.samples(&reading)?;
        if table.reward_count() > 1 {
            return Err(Failure::wrong(
                "--rewards: canonicalize writes one reward column; name one, and call once for each",
            ));
        }
        // Opened before the work, which should not be done for an output that cannot be written.
        let copy = TableCopy::open(|| source.open(&reading.dataset), &args.output, &names, &reading)?;
        // What was understood of the table was told when its samples were read.
        let lost = copy.notes().iter().filter(|note| matches!(note, TableNote::LeftOut { .. }));
        print::table_notes(&lost.cloned().collect::<Vec<_>>());
        let profile = profile.map(Profile::begin).transpose()?;
        let settled = question.settle(&table.samples.iter().collect::<Vec<&NamedSample>>())?;
        let used = Used::new(&question, &settled);
        print::warnings(&settled.warnings);
        write_profile(profile, &used)?;
        gamma::note(&used);

        // By metric, by sample.
        let of = |metric: Metric| {
            let one = move |sample: &&RewardSample| srrd::canonicalize(sample, metric, &used.settings);
            settled.rewards().par_iter().map(one).collect()
        };
        let canonical: Vec<Vec<Vec<f64>>> = question.metrics().iter().map(|&metric| of(metric)).collect();
        print::table_notes(&write(copy, &table, &canonical)?);
        if args.usual.json {
            print::json(&Written::new(args.output.display().to_string(), names, &used, &table.samples))?;
        }
        let transitions: usize = table.samples.iter().map(|named| named.sample.len()).sum();
        print::wrote([args.output.as_path()], &print::counted(transitions, "transition", "transitions"));
        Ok(())
    })
}

/// What was written.
#[derive(Serialize)]
struct Written<'a> {
    output: String,
    columns: Vec<String>,
    gamma: f64,
    gamma_estimate: Option<srrd::answer::GammaSummary>,
    estimator: &'a str,
    regression: Option<&'a str>,
    samples: Vec<Merged<'a>>,
}

/// A sample and what was merged in it.
#[derive(Serialize)]
struct Merged<'a> {
    name: &'a str,
    transitions: usize,
    rows: usize,
    repeated: usize,
    averaged: usize,
}

impl<'a> Written<'a> {
    fn new(output: String, columns: Vec<String>, used: &'a Used, samples: &'a [NamedSample]) -> Self {
        let merged = |named: &'a NamedSample| {
            let duplicates = named.sample.duplicates();
            Merged {
                name: &named.name,
                transitions: named.sample.len(),
                rows: duplicates.rows,
                repeated: duplicates.repeated,
                averaged: duplicates.averaged,
            }
        };
        Written {
            output,
            columns,
            gamma: used.settings.gamma.get(),
            gamma_estimate: used.gamma.as_ref().map(Into::into),
            estimator: used.estimator(),
            regression: used.regression.map(srrd::Choice::name),
            samples: samples.iter().map(merged).collect(),
        }
    }
}

/// Copies the rows, the first of every transition, with its reward and canonical rewards.
fn write(copy: TableCopy, table: &SampleTable, canonical: &[Vec<Vec<f64>>]) -> Result<Vec<TableNote>, Failure> {
    let once = table.samples.iter().all(|named| named.sample.duplicates().repeated == 0);
    if once && table.rows().all(|place| place.is_some()) {
        return Ok(copy.append(table.row_count(), |row, column| {
            table.place_of(row).map_or(f64::NAN, |(sample, transition)| canonical[column][sample][transition])
        })?);
    }
    let mut rows = table.rows();
    let mut seen: Vec<Vec<bool>> = table.samples.iter().map(|named| vec![false; named.sample.len()]).collect();
    let reward = copy.reward_columns()[0];
    Ok(copy.edit(table.row_count(), |batch| {
        let places: Vec<Option<(usize, usize)>> = rows.by_ref().take(batch.rows).collect();
        let mut first =
            |&(sample, transition): &(usize, usize)| !std::mem::replace(&mut seen[sample][transition], true);
        // Rows that are in no sample, since nobody knows their next states, have no canonical reward.
        let places: Vec<_> = places.into_iter().map(|place| place.filter(&mut first)).collect();
        batch.retain(&places.iter().map(Option::is_some).collect::<Vec<_>>());
        let places: Vec<(usize, usize)> = places.into_iter().flatten().collect();
        set_rewards(batch, reward, places.iter().map(|&(s, t)| table.samples[s].sample.rewards()[t]));
        for by_sample in canonical {
            let values = places.iter().map(|&(sample, transition)| by_sample[sample][transition]);
            batch.columns.push(Values::Float(values.collect()).into());
        }
    })?)
}

/// Puts the merged rewards into the reward column; a text stays as it was written where it says the same number.
fn set_rewards(batch: &mut Batch, position: usize, rewards: impl Iterator<Item = f64>) {
    let column = &mut batch.columns[position];
    let values = match &column.values {
        Values::Text(texts) => {
            let mut merged = TextColumn::new();
            for (text, reward) in texts.iter().zip(rewards) {
                if parse_number(text) == Ok(reward) { merged.push(text) } else { merged.push(&reward.to_string()) }
            }
            Values::Text(merged)
        }
        _ => Values::Float(rewards.collect()),
    };
    *column = Column::from(values);
}
