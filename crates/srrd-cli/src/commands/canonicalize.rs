//! `srrd canonicalize`: the input's rows with a column `canonical`.
//!
//! The table is read twice: once for the samples, once to copy its rows with all their columns, so that a large table is
//! never held as text.

use crate::args::Canonicalize;
use crate::failure::Failure;
use crate::gamma::{self, Profile};
use crate::inputs::Source;
use crate::outputs::{check_table, refuse_to_overwrite};
use crate::print;
use crate::settings::{Chosen, with_threads};
use rayon::prelude::*;
use serde_json::json;
use srrd::Metric;
use srrd_data::{Batch, Column, SampleTable, TableCopy, TextColumn, Values, parse_number};

pub fn run(args: &Canonicalize) -> Result<(), Failure> {
    let mut chosen = Chosen::new(&args.canon, None, &[Metric::Srrd])?;
    refuse_to_overwrite([Some(&args.output)], &[&args.input])?;
    let profile = Profile::new(&args.profile, &chosen, &[&args.input, &args.output])?;
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    check_table(&args.output)?;
    with_threads(chosen.threads, move || {
        let source = Source::new(&args.input)?;
        let names: Vec<String> = match chosen.metrics.as_slice() {
            [_] => vec!["canonical".to_owned()],
            several => several.iter().map(|metric| format!("canonical.{metric}")).collect(),
        };
        let table = source.samples(&chosen)?;
        // Opened before the work, which should not be done for an output that cannot be written.
        let copy = TableCopy::open(|| source.open(), &args.output, &names)?;
        copy.notes().iter().for_each(|note| print::warn(&note.to_string()));
        table.samples.iter().for_each(|named| print::warn_about(named, chosen.duplicates));
        gamma::settle(&mut chosen, &table.samples, profile)?;
        gamma::note(&chosen);

        // By metric, by sample.
        let canonical: Vec<Vec<Vec<f64>>> = chosen
            .metrics
            .iter()
            .map(|&metric| {
                let of = |named: &srrd::NamedSample| srrd::canonicalize(&named.sample, metric, &chosen.settings);
                table.samples.par_iter().map(of).collect()
            })
            .collect();
        write(copy, &table, &canonical)?;
        if args.json {
            let samples: Vec<_> = (table.samples.iter())
                .map(|named| {
                    let duplicates = named.sample.duplicates();
                    json!({
                        "name": named.name, "transitions": named.sample.len(), "rows": duplicates.rows,
                        "repeated": duplicates.repeated, "averaged": duplicates.averaged,
                    })
                })
                .collect();
            print::json(&json!({
                "output": args.output.display().to_string(), "columns": names, "gamma": chosen.settings.gamma.get(),
                "gamma_estimate": gamma::as_json(&chosen.gamma_estimate), "estimator": chosen.estimator_name(),
                "regression": chosen.regression_as_json(), "samples": samples,
            }))?;
        }
        Ok(())
    })
}

/// Copies the rows, the first of every transition, with its reward and canonical rewards.
fn write(copy: TableCopy, table: &SampleTable, canonical: &[Vec<Vec<f64>>]) -> Result<(), Failure> {
    let once = table.samples.iter().all(|named| named.sample.duplicates().repeated == 0);
    if once && table.rows().all(|place| place.is_some()) {
        copy.append(table.row_count(), |row, column| {
            table.place_of(row).map_or(f64::NAN, |(sample, transition)| canonical[column][sample][transition])
        })?;
        return Ok(());
    }
    let mut rows = table.rows();
    let mut seen: Vec<Vec<bool>> = table.samples.iter().map(|named| vec![false; named.sample.len()]).collect();
    let reward = copy.reward_columns()[0];
    copy.edit(table.row_count(), |batch| {
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
    })?;
    Ok(())
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
