//! `srrd matrix`: the distances of all pairs, as a square table and as a picture.

use crate::args::Matrix;
use crate::failure::Failure;
use crate::gamma::{self, Profile};
use crate::inputs::read_all;
use crate::outputs::{check_matrix, is_npy, refuse_to_overwrite};
use crate::plot::Plot;
use crate::print;
use crate::settings::{Chosen, with_threads};
use serde_json::json;
use srrd::NamedSample;
use srrd::{Correlation, DistanceMatrix, FEW_COMMON, Metric, RewardSample, pairwise};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TextColumn, Values, create, write_npy};
use srrd_show::HeatMap;
use std::path::{Path, PathBuf};

pub fn run(args: &Matrix) -> Result<(), Failure> {
    let mut chosen = Chosen::new(&args.canon, Some(&args.compare), &[Metric::Srrd])?;
    let &[metric] = chosen.metrics.as_slice() else {
        return Err(Failure::wrong(
            "--metric: a matrix is of one metric; name one, and run the command once for each that you want",
        ));
    };
    let plot = args.plot.as_deref().map(Plot::new).transpose()?;
    let others: Vec<&PathBuf> = args.inputs.iter().chain([&args.output]).chain(&args.plot).collect();
    let profile = Profile::new(&args.profile, &chosen, &others)?;
    refuse_to_overwrite([Some(&args.output), args.plot.as_ref()], &args.inputs.iter().collect::<Vec<_>>())?;
    if args.json && args.output.as_os_str() == "-" {
        return Err(Failure::wrong("--json: standard output already gets the table; name a file with -o"));
    }
    check_matrix(&args.output)?;
    with_threads(chosen.threads, move || {
        let samples = read_all(&args.inputs, &chosen)?;
        samples.iter().for_each(|named| print::warn_about(named, chosen.duplicates));
        // All outputs are begun before the work: it should not be done for one that cannot be written.
        let output = Output::begin(&args.output, &samples)?;
        let picture = plot.as_ref().map(|plot| OutputFile::create(&plot.path)).transpose()?;
        gamma::settle(&mut chosen, &samples, profile)?;
        gamma::note(&chosen);

        let references: Vec<&RewardSample> = samples.iter().map(|named| &named.sample).collect();
        let matrix = pairwise(&references, metric, &chosen.settings);
        warn_about(&matrix, &samples);
        if let (Some(plot), Some(file)) = (&plot, picture) {
            plot.draw(file, &matrix, &samples, metric, &chosen)?;
        }
        match args.undefined {
            Some(value) => output.write(&matrix.filled(value), &samples)?,
            None => output.write(matrix.as_slice(), &samples)?,
        }
        if args.json {
            print::json(&summary(args, metric, &chosen, &matrix, &samples))?;
        }
        Ok(())
    })
}

/// The square table: a table format, or a NumPy array with its names beside it.
enum Output {
    Table(Box<dyn srrd_data::TableWriter>),
    Npy { path: PathBuf, names: OutputFile },
}

impl Output {
    fn begin(path: &Path, samples: &[NamedSample]) -> Result<Self, Failure> {
        if is_npy(path) {
            return Ok(Output::Npy { path: path.to_owned(), names: OutputFile::create(&path.with_extension("json"))? });
        }
        if samples.iter().any(|named| named.name == "sample") {
            return Err(Failure::wrong(
                "a sample is called 'sample', as the column of names in the output is: rename it, or write .npy",
            ));
        }
        let names = samples.iter().map(|named| (named.name.clone(), ColumnType::Float));
        let schema = Schema::new([("sample".to_owned(), ColumnType::Text)].into_iter().chain(names));
        Ok(Output::Table(create(path, &schema)?))
    }

    fn write(self, distances: &[f64], samples: &[NamedSample]) -> Result<(), Failure> {
        let size = samples.len();
        match self {
            Output::Table(mut writer) => {
                // Batches of rows, so that no second copy of a large matrix is made.
                for (block, rows) in distances.chunks((size * 256).max(1)).enumerate() {
                    let first = block * 256;
                    let named: TextColumn =
                        samples[first..first + rows.len() / size].iter().map(|named| named.name.as_str()).collect();
                    let column = |k: usize| Values::Float(rows.iter().skip(k).step_by(size).copied().collect());
                    let columns = [Values::Text(named)].into_iter().chain((0..size).map(column)).map(Column::from);
                    writer.write(&Batch::from_columns(columns.collect(), first as u64 + 1))?;
                }
                writer.finish()?;
            }
            Output::Npy { path, mut names } => {
                let labelled = samples.iter().any(|named| named.label.is_some());
                let labels: Vec<_> = samples.iter().map(|named| named.label.as_deref()).collect();
                let list: Vec<_> = samples.iter().map(|named| named.name.as_str()).collect();
                let sidecar = match labelled {
                    true => json!({"names": list, "labels": labels}),
                    false => json!({"names": list}),
                };
                names.write_with(|to| writeln!(to, "{sidecar}"))?;
                write_npy(&path, size, distances)?;
                names.finish()?;
            }
        }
        Ok(())
    }
}

impl Plot {
    /// The heat map of the distances.
    fn draw(
        &self,
        file: OutputFile,
        matrix: &DistanceMatrix,
        samples: &[NamedSample],
        metric: Metric,
        chosen: &Chosen,
    ) -> Result<(), Failure> {
        let failed = |error: srrd_show::FigureError| self.failed(&error);
        let name = match metric {
            Metric::Projected => "Projected".to_owned(),
            acronym => acronym.name().to_uppercase(),
        };
        let ranks = match chosen.settings.correlation {
            Correlation::Pearson => "",
            Correlation::Spearman => " of ranks",
        };
        let title = format!("{name} distances{ranks}, γ = {}", chosen.settings.gamma.get());
        let names = samples.iter().map(|named| named.name.clone()).collect();
        let mut map = HeatMap::new(title, names, matrix.as_slice().to_vec()).map_err(failed)?;
        if samples.iter().any(|named| named.label.is_some()) {
            let classes: Vec<&str> = samples.iter().map(|named| named.label.as_deref().unwrap_or("no label")).collect();
            map = map.with_classes(&classes).map_err(failed)?;
        }
        self.write(file, &map.clustered())
    }
}

fn warn_about(matrix: &DistanceMatrix, samples: &[NamedSample]) {
    let pairs = matrix.size() * matrix.size().saturating_sub(1) / 2;
    let undefined: Vec<_> = matrix.undefined().iter().filter(|(i, j, _)| i != j).collect();
    if let Some((i, j, why)) = undefined.first() {
        print::warn(&format!(
            "{} of {} distances are undefined; the first is that of {} and {}: {why}",
            print::count(undefined.len()),
            print::count(pairs),
            samples[*i].name,
            samples[*j].name
        ));
    }
    if matrix.few_common() > 0 {
        print::warn(&format!(
            "{} of {} distances are over fewer than {FEW_COMMON} shared transitions: mostly noise",
            print::count(matrix.few_common()),
            print::count(pairs)
        ));
    }
}

fn summary(
    args: &Matrix,
    metric: Metric,
    chosen: &Chosen,
    matrix: &DistanceMatrix,
    samples: &[NamedSample],
) -> serde_json::Value {
    let names: Vec<&str> = samples.iter().map(|named| named.name.as_str()).collect();
    let undefined: Vec<_> = matrix
        .undefined()
        .iter()
        .map(|&(i, j, why)| json!({"a": names[i], "b": names[j], "undefined": why.name()}))
        .collect();
    json!({
        "output": args.output.display().to_string(), "samples": names, "metric": metric.name(),
        "gamma": chosen.settings.gamma.get(), "gamma_estimate": gamma::as_json(&chosen.gamma_estimate),
        "support": chosen.settings.support.name(), "estimator": chosen.estimator_name(),
        "regression": chosen.regression_as_json(),
        "actions": chosen.actions_name(), "batch": chosen.batch_as_json(), "seed": chosen.settings.seed,
        "min_common": chosen.settings.min_common, "duplicates": chosen.duplicates_name(),
        "correlation": chosen.settings.correlation.name(), "few_common": matrix.few_common(), "undefined": undefined,
    })
}
