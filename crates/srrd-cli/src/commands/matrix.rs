//! `srrd matrix`: the distances of all pairs, as a square table and as a picture.

use crate::args::Matrix;
use crate::failure::Failure;
use crate::gamma::{self, Profile, write_profile};
use crate::inputs::read_all;
use crate::outputs::{check_json, check_matrix, check_table, refuse_to_overwrite};
use crate::picture::Picture;
use crate::print;
use crate::room;
use serde::ser::{Serialize, SerializeMap, Serializer};
use srrd::answer::{AllPairs, Overview};
use srrd::cluster::{ClusterCount, ClusterError, Clusters};
use srrd::{DistanceMatrix, Metric, Problem};
use srrd_data::{Batch, Column, KeptMatrix, MatrixWriter, Schema, TableError, TextColumn, Values, create};
use srrd_show::present::matrix::heat_map;
use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

pub fn run(args: &Matrix) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&[Metric::Srrd])?;
    question.metric("a matrix is")?;
    let plot = args.plot.as_deref().map(|path| Picture::new("--plot", path)).transpose()?;
    let others: Vec<&PathBuf> = args.inputs.iter().chain([&args.output]).chain(&args.plot).collect();
    let profile = args.profile.checked(&question, &others)?;
    refuse_to_overwrite([Some(&args.output), args.plot.as_ref()], &args.inputs.iter().collect::<Vec<_>>())?;
    check_json(args.usual.json, Some(&args.output))?;
    check_matrix(&args.output)?;
    let labels = args.clusters.map(|_| beside(&args.output)).transpose()?;
    if let Some(labels) = &labels {
        refuse_to_overwrite([Some(labels)], &others)?;
        check_table(labels)?;
    }
    args.usual.threads.run(move || {
        let samples = read_all(&args.inputs, &args.usual.table.options(&options, false)?)?;
        if let [only] = samples.as_slice() {
            print::warn(&format!(
                "{}: the only sample; a matrix of one sample has one distance, 0: name more tables, or several rewards with --rewards A,B",
                only.name
            ));
        }
        // A picture and clusters need all distances in memory.
        let at_once = plot.is_some() || args.clusters.is_some();
        if at_once {
            DistanceMatrix::check_memory(samples.len())?;
        }
        room::check(&args.output, samples.len())?;
        // All outputs are begun before the work: it should not be done for one that cannot be written.
        let output = MatrixWriter::create(&args.output, &samples)?;
        let picture = plot.as_ref().map(Picture::begin).transpose()?;
        let profile = profile.map(Profile::begin).transpose()?;

        if let Some(ClusterCount::Given(clusters)) = args.clusters
            && clusters > samples.len()
        {
            return Err(Problem::Clusters(ClusterError::TooMany { clusters, samples: samples.len() }).into());
        }
        let asked = AllPairs::new(&samples.iter().collect::<Vec<_>>(), &question)?;
        let kept = compute(&args.output, &asked, samples.len())?;
        let found = asked.overview(kept.tally());
        let whole = at_once.then(|| kept.matrix()).transpose()?.map(|distances| found.clone().with(distances));
        let clusters = (whole.as_ref().zip(args.clusters)).map(|(whole, count)| whole.clusters(count)).transpose()?;
        gamma::note(&found.used);
        print::warnings(&found.warnings);
        write_profile(profile, &found.used)?;
        if let (Some(plot), Some(file), Some(whole)) = (&plot, picture, &whole) {
            plot.write(file, heat_map(whole, clusters.as_ref()))?;
        }
        output.write(&kept, &found, args.undefined)?;
        let mut told =
            format!("the {} distances of {}", found.metric, print::counted(samples.len(), "sample", "samples"));
        if let (Some(path), Some(clusters)) = (&labels, &clusters) {
            write_clusters(path, &found, clusters)?;
            told += &format!(", {}", print::counted(clusters.count, "cluster", "clusters"));
        }
        if args.usual.json {
            let failed = Cell::new(None);
            let (output, clusters) = (args.output.display().to_string(), clusters.as_ref());
            print::json(&Written { output, found: &found, kept: &kept, clusters, failed: &failed })?;
            failed.take().map_or(Ok(()), Err)?;
        }
        kept.finish()?;
        let files = [&args.output].into_iter().chain(&args.plot).chain(&labels);
        print::wrote(files.map(PathBuf::as_path), &told);
        Ok(())
    })
}

/// All distances, from where a call that was ended left off. They are kept beside the output until that is complete.
fn compute(output: &Path, asked: &AllPairs<'_>, size: usize) -> Result<KeptMatrix, Failure> {
    let beside = is_file(output).then(|| KeptMatrix::beside(output));
    let mut kept = KeptMatrix::open(beside.as_deref(), asked, size)?;
    if kept.rows() > 0 {
        print::note(&format!("goes on with {} of {size} rows that an earlier call left", kept.rows()));
    }
    if kept.rows() < size {
        kept.complete(&asked.pairs())?;
    }
    Ok(kept)
}

/// Whether it is a file, or is to become one, and no stream.
fn is_file(path: &Path) -> bool {
    path.as_os_str() != "-" && fs::metadata(path).map_or(true, |there| there.is_file())
}

/// What was written where.
struct Written<'a> {
    output: String,
    found: &'a Overview,
    kept: &'a KeptMatrix,
    clusters: Option<&'a Clusters>,
    failed: &'a Cell<Option<TableError>>,
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
fn write_clusters(path: &Path, found: &Overview, clusters: &Clusters) -> Result<(), Failure> {
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

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("output", &self.output)?;
        self.found.entries(&mut map, self.kept.undefined(self.failed))?;
        if let Some(clusters) = self.clusters {
            map.serialize_entry("clusters", clusters)?;
        }
        map.end()
    }
}
