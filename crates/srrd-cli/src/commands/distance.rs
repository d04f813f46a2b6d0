//! `srrd distance`: how far apart two samples are, or all pairs of a few.

use crate::args::Distance;
use crate::failure::Failure;
use crate::gamma::{Profile, write_profile};
use crate::inputs::{read_all, read_pair};
use crate::print;
use serde::Serialize;
use srrd::{Metric, NamedSample, Options, Question, answer, compare, matrix};
use srrd_data::TableOptions;
use srrd_show::present::{comparison, matrix as shown};
use std::path::PathBuf;

pub fn run(args: &Distance) -> Result<(), Failure> {
    // Noise floors, which only JSON has room for.
    let options = Options { noise_floor: args.usual.json, verdict: true, ..args.shared.options()? };
    let question = options.question_by(&Metric::SHOWN)?;
    let inputs: Vec<PathBuf> = [&args.a].into_iter().chain(&args.others).cloned().collect();
    let profile = args.profile.checked(&question, &inputs.iter().collect::<Vec<_>>())?;
    args.usual.threads.run(move || {
        let table = args.usual.table.options(&options, options.interval.is_some())?;
        let [a, b] = match read(&inputs, &table)? {
            Samples::Pair(pair) => *pair,
            Samples::Several(samples) => {
                if profile.is_some() {
                    return Err(Failure::wrong("--profile: it is drawn of two samples; for more, call `srrd matrix`"));
                }
                return several(args, &samples, &options);
            }
        };
        let profile = profile.map(Profile::begin).transpose()?;
        let found = compare(&a, &b, &question)?;
        print::warnings(&found.warnings);
        write_profile(profile, &found.used)?;
        match args.usual.json {
            true => print::json(&found)?,
            false => print::result(&comparison::painted(&found, print::paint()))?,
        }
        Ok(())
    })
}

enum Samples {
    Pair(Box<[NamedSample; 2]>),
    Several(Vec<NamedSample>),
}

/// Two samples, each by a name of its own, or more.
fn read(inputs: &[PathBuf], table: &TableOptions) -> Result<Samples, Failure> {
    match inputs {
        [a, b] => Ok(Samples::Pair(Box::new(read_pair(a, Some(b), table)?))),
        several => match <[NamedSample; 2]>::try_from(read_all(several, table)?) {
            Ok(pair) => Ok(Samples::Pair(Box::new(pair))),
            Err(others) if others.len() < 2 => Err(Failure::wrong(format!(
                "{}: two samples are compared, and the table holds {}: name a second table, or two reward columns with --rewards A,B",
                several[0].display(),
                others.len()
            ))),
            Err(others) => Ok(Samples::Several(others)),
        },
    }
}

/// A matrix for every metric that is named; else for the one that fits.
fn several(args: &Distance, samples: &[NamedSample], options: &Options) -> Result<(), Failure> {
    if options.interval.is_some() || options.chance {
        return Err(Failure::wrong(format!(
            "--interval, --chance: they are told of two samples, and there are {}; `srrd report` has intervals of all pairs",
            samples.len()
        )));
    }
    let samples: Vec<&NamedSample> = samples.iter().collect();
    let asked: Vec<Question> = match options.metrics.as_slice() {
        [] => vec![Options { auto: true, ..options.clone() }.question()?],
        named => {
            let question = options.question()?;
            named.iter().map(|&metric| question.only(metric)).collect()
        }
    };
    let found = asked.iter().map(|question| Ok(matrix(&samples, question)?));
    let found: Vec<answer::Matrix> = found.collect::<Result<_, Failure>>()?;
    // What is known of the samples is the same by every metric.
    let mut warnings: Vec<srrd::Warning> = Vec::new();
    for warning in found.iter().flat_map(|matrix| &matrix.warnings) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    print::warnings(&warnings);
    match args.usual.json {
        true => print::json(&Several { samples: &found[0].names, results: found.iter().map(Square::of).collect() })?,
        false => print::result(&found.iter().map(shown::text).collect::<Vec<_>>().join("\n"))?,
    }
    Ok(())
}

/// The distances of several samples.
#[derive(Serialize)]
struct Several<'a> {
    samples: &'a [String],
    results: Vec<Square<'a>>,
}

/// By one metric: rows of distances, null where undefined.
#[derive(Serialize)]
struct Square<'a> {
    #[serde(flatten)]
    found: &'a answer::Matrix,
    distances: Vec<Vec<Option<f64>>>,
}

impl<'a> Square<'a> {
    fn of(found: &'a answer::Matrix) -> Self {
        let size = found.names.len();
        let row = |i: usize| (0..size).map(|j| found.distances.get(i, j)).collect();
        Square { found, distances: (0..size).map(row).collect() }
    }
}
