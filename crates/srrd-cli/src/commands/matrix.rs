//! `srrd matrix`: the distances of all pairs, as a square table and as a picture.

use crate::args::Matrix;
use crate::failure::Failure;
use crate::gamma::{self, Profile, write_profile};
use crate::inputs::read_all;
use crate::outputs::{check_json, check_matrix, check_table, is_npy, refuse_to_overwrite};
use crate::picture::Picture;
use crate::print;
use serde::Serialize;
use serde_json::json;
use srrd::cluster::{ClusterCount, ClusterError, Clusters};
use srrd::{Metric, NamedSample, Problem, answer, matrix};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TableWriter, TextColumn, Values, create, write_npy};
use srrd_show::present::matrix::heat_map;
use std::path::{Path, PathBuf};

pub fn run(args: &Matrix) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&[Metric::Srrd])?;
    question.metric("a matrix is")?;
    let plot = args.plot.as_deref().map(|path| Picture::new("--plot", path)).transpose()?;
    let others: Vec<&PathBuf> = args.inputs.iter().chain([&args.output]).chain(&args.plot).collect();
    let profile = args.profile.checked(&question, &others)?;
    refuse_to_overwrite([Some(&args.output), args.plot.as_ref()], &args.inputs.iter().collect::<Vec<_>>())?;
    check_json(args.json, Some(&args.output))?;
    check_matrix(&args.output)?;
    let labels = args.clusters.map(|_| beside(&args.output)).transpose()?;
    if let Some(labels) = &labels {
        refuse_to_overwrite([Some(labels)], &others)?;
        check_table(labels)?;
    }
    args.threads.run(move || {
        let samples = read_all(&args.inputs, &args.table.options(&options, false)?)?;
        // All outputs are begun before the work: it should not be done for one that cannot be written.
        let output = Output::begin(&args.output, &samples)?;
        let picture = plot.as_ref().map(Picture::begin).transpose()?;
        let profile = profile.map(Profile::begin).transpose()?;

        if let Some(ClusterCount::Given(clusters)) = args.clusters
            && clusters > samples.len()
        {
            return Err(Problem::Clusters(ClusterError::TooMany { clusters, samples: samples.len() }).into());
        }
        let found = matrix(&samples.iter().collect::<Vec<_>>(), &question)?;
        let clusters = args.clusters.map(|count| found.clusters(count)).transpose()?;
        gamma::note(&found.used);
        print::warnings(&found.warnings);
        write_profile(profile, &found.used)?;
        if let (Some(plot), Some(file)) = (&plot, picture) {
            plot.write(file, heat_map(&found, clusters.as_ref()))?;
        }
        match args.undefined {
            Some(value) => output.write(&found.distances.filled(value), &found)?,
            None => output.write(found.distances.as_slice(), &found)?,
        }
        let mut told =
            format!("the {} distances of {}", found.metric, print::counted(samples.len(), "sample", "samples"));
        if let (Some(path), Some(clusters)) = (&labels, &clusters) {
            write_clusters(path, &found, clusters)?;
            told += &format!(", {}", print::counted(clusters.count, "cluster", "clusters"));
        }
        if args.json {
            print::json(&Written {
                output: args.output.display().to_string(),
                found: &found,
                clusters: clusters.as_ref(),
            })?;
        }
        let files = [&args.output].into_iter().chain(&args.plot).chain(&labels);
        print::wrote(files.map(PathBuf::as_path), &told);
        Ok(())
    })
}

/// What was written where.
#[derive(Serialize)]
struct Written<'a> {
    output: String,
    #[serde(flatten)]
    found: &'a answer::Matrix,
    #[serde(skip_serializing_if = "Option::is_none")]
    clusters: Option<&'a Clusters>,
}

/// Where labels go: `distances.csv` has them in `distances.clusters.csv`.
fn beside(output: &Path) -> Result<PathBuf, Failure> {
    let name = output.file_name().filter(|name| *name != "-").and_then(|name| name.to_str());
    let Some(name) = name else {
        return Err(Failure::wrong("--clusters: labels are written beside the distances; name a file with -o"));
    };
    // Compressed tables have two extensions.
    let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
    Ok(output.with_file_name(format!("{stem}.clusters.csv")))
}

/// One row per sample: its name, its label if samples have any, its cluster and its silhouette.
fn write_clusters(path: &Path, found: &answer::Matrix, clusters: &Clusters) -> Result<(), Failure> {
    let text = |texts: &mut dyn Iterator<Item = &str>| Values::Text(texts.collect::<TextColumn>());
    let mut columns = vec![("sample", text(&mut found.names.iter().map(String::as_str)))];
    if found.labels.iter().any(Option::is_some) {
        columns.push(("label", text(&mut found.labels.iter().map(|label| label.as_deref().unwrap_or("")))));
    }
    columns.push(("cluster", Values::Int(clusters.labels.iter().map(|&label| label as i64).collect())));
    columns.push(("silhouette", Values::Float(clusters.silhouettes.clone())));
    let schema = Schema::new(columns.iter().map(|(name, values)| ((*name).to_owned(), values.kind())));
    let mut writer = create(path, &schema)?;
    writer.write(&Batch::from_columns(columns.into_iter().map(|(_, values)| Column::from(values)).collect(), 1))?;
    Ok(writer.finish()?)
}

/// The square table: a table format, or a NumPy array with its names beside it.
enum Output {
    Table(Box<dyn TableWriter>),
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

    fn write(self, distances: &[f64], found: &answer::Matrix) -> Result<(), Failure> {
        let size = found.names.len();
        match self {
            Output::Table(mut writer) => {
                // Batches of rows, so that no second copy of a large matrix is made.
                for (block, rows) in distances.chunks((size * 256).max(1)).enumerate() {
                    let first = block * 256;
                    let named: TextColumn =
                        found.names[first..first + rows.len() / size].iter().map(String::as_str).collect();
                    let column = |k: usize| Values::Float(rows.iter().skip(k).step_by(size).copied().collect());
                    let columns = [Values::Text(named)].into_iter().chain((0..size).map(column)).map(Column::from);
                    writer.write(&Batch::from_columns(columns.collect(), first as u64 + 1))?;
                }
                writer.finish()?;
            }
            Output::Npy { path, mut names } => {
                let sidecar = match found.labels.iter().any(Option::is_some) {
                    true => json!({"names": found.names, "labels": found.labels}),
                    false => json!({"names": found.names}),
                };
                names.write_with(|to| writeln!(to, "{sidecar}"))?;
                write_npy(&path, size, distances)?;
                names.finish()?;
            }
        }
        Ok(())
    }
}
