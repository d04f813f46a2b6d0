//! `srrd matrix`: the distances of all pairs, as a square table and as a picture.

use crate::args::Matrix;
use crate::failure::Failure;
use crate::gamma::{self, Profile, write_profile};
use crate::inputs::read_all;
use crate::outputs::{check_json, check_matrix, refuse_to_overwrite};
use crate::picture::Picture;
use crate::print;
use crate::progress::Line;
use crate::room;
use serde::ser::{Serialize, SerializeMap, Serializer};
use srrd::answer::{AllPairs, Overview};
use srrd::{DistanceMatrix, Metric};
use srrd_data::{KeptMatrix, MatrixWriter, TableError};
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
    check_json(args.json, Some(&args.output))?;
    check_matrix(&args.output)?;
    args.threads.run(move || {
        let samples = read_all(&args.inputs, &args.table.options(&options, false)?)?;
        match plot {
            // A picture needs all distances at once.
            Some(_) => DistanceMatrix::check_memory(samples.len())?,
            None => room::check(&args.output, samples.len())?,
        }
        // All outputs are begun before the work: it should not be done for one that cannot be written.
        let output = MatrixWriter::create(&args.output, &samples)?;
        let picture = plot.as_ref().map(Picture::begin).transpose()?;
        let profile = profile.map(Profile::begin).transpose()?;

        let asked = AllPairs::new(&samples.iter().collect::<Vec<_>>(), &question)?;
        let kept = compute(&args.output, &asked, samples.len())?;
        let found = asked.overview(kept.tally());
        gamma::note(&found.used);
        print::warnings(&found.warnings);
        write_profile(profile, &found.used)?;
        if let (Some(plot), Some(file)) = (&plot, picture) {
            plot.write(file, heat_map(&found.clone().with(kept.matrix()?)))?;
        }
        output.write(&kept, &found, args.undefined)?;
        if args.json {
            let failed = Cell::new(None);
            print::json(&Written {
                output: args.output.display().to_string(),
                found: &found,
                kept: &kept,
                failed: &failed,
            })?;
            failed.take().map_or(Ok(()), Err)?;
        }
        Ok(kept.finish()?)
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
        let mut line = Line::of("distances");
        let done = kept.complete(&asked.pairs(), |done, all| line.count(done, all));
        line.end();
        done?;
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
    failed: &'a Cell<Option<TableError>>,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("output", &self.output)?;
        self.found.entries(&mut map, self.kept.undefined(self.failed))?;
        map.end()
    }
}
