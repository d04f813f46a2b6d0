//! LeRobot: a folder with `meta/info.json` and Parquet files under `data`, of version 2.1 (one file per episode) or 3.0 (several episodes per
//! file).
//!
//! A row is a frame: `observation.state`, `action`, in some data sets `next.reward` and `next.done`, and where it belongs (`index`,
//! `episode_index`, `frame_index`). The next state of a frame is that of the frame after it. The last frame of an episode has none: it is left
//! out, unless its `next.done` says that it ends. Rewards may lie in tables beside the data ([`rewards`]).

mod frames;
mod rewards;

use std::ops::Range;
use std::path::{Path, PathBuf};

use self::frames::{Frames, push_rows};
use self::rewards::RewardTables;
use super::episodes::{EpisodeReader, Part, Recording, is_of};
use super::note::DatasetNote;
use super::{DatasetInfo, DatasetOptions};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{Column, ColumnType, ReadOptions, TableReader, Values, listed, open_file};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "lerobot",
    about: "LeRobot 2.1 and 3.0: a folder with meta/info.json and data/…/*.parquet",
    options: &["keys", "reward"],
    detect: |path| path.join("meta/info.json").is_file() && !data_files(path).is_empty(),
    open,
};

/// The columns that say where a frame belongs.
const PLACES: [&str; 3] = ["episode_index", "frame_index", "index"];

/// The data files, in the order of their names.
fn data_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = parquet_files(&folder.join("data"));
    let chunks = std::fs::read_dir(folder.join("data")).into_iter().flatten();
    for chunk in chunks.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| path.is_dir()) {
        files.extend(parquet_files(&chunk));
    }
    files.sort();
    files
}

/// The Parquet files in a folder.
fn parquet_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.is_file() && path.extension().is_some_and(|it| it == "parquet")).collect();
    files.sort();
    files
}

/// Where the values of a part come from.
enum Source {
    /// These columns of frames.
    Frames(Vec<usize>),
    /// The same of the frame after.
    After(Vec<usize>),
    /// A column of the reward tables.
    Table(usize),
}

struct LeRobot {
    frames: Frames,
    tables: RewardTables,
    sources: Vec<Source>,
    /// Where `episode_index`, `frame_index`, `index` and, if there is one, `next.done` are.
    places: [usize; 3],
    done: Option<usize>,
    /// Of the current episode: its columns, its number, and the frames that are given out.
    held: Vec<Column>,
    number: i64,
    kept: Vec<usize>,
}

fn open(folder: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = folder.display().to_string();
    let info = Info::read(&folder.join("meta/info.json"))?;
    let files = data_files(folder);
    let Some(first) = files.first() else {
        return Err(TableError::new(ErrorKind::Empty, name, "there are no Parquet files under data"));
    };
    let schema = open_file(first, options)?.schema().clone();
    let mut wanted: Vec<String> = Vec::new();
    let mut place = |column: &str| {
        wanted.iter().position(|known| known == column).unwrap_or_else(|| {
            wanted.push(column.to_owned());
            wanted.len() - 1
        })
    };
    let first_name = first.display().to_string();
    let columns_of = |feature: &str| -> Vec<String> {
        schema.names().filter(|name| is_of(name, feature)).map(str::to_owned).collect()
    };
    let missing = |feature: &str| {
        let what = format!("there is no such column; this one has {}", listed(schema.names()));
        TableError::new(ErrorKind::MissingColumn, &first_name, what).in_column(feature)
    };
    let kind_of =
        |column: &str| schema.index_of(column).and_then(|at| schema.fields[at].kind).unwrap_or(ColumnType::Float);
    let places = PLACES.map(&mut place);
    if let Some(column) = PLACES.iter().find(|column| schema.index_of(column).is_none()) {
        return Err(missing(column));
    }
    let keys = info.keys(&name, &options.dataset)?;
    let (mut parts, mut sources) = (Vec::new(), Vec::new());
    for role in ["state", "action", "next_state"] {
        let features: Vec<(String, String)> = match role {
            "action" => vec![(String::new(), "action".to_owned())],
            _ => keys.clone(),
        };
        for (key, feature) in features {
            let columns = columns_of(&feature);
            if columns.is_empty() {
                return Err(missing(&feature));
            }
            let scalar = columns.len() == 1 && columns[0] == feature;
            parts.push(Part::of_role(role, &key, columns.len(), scalar, kind_of(&columns[0])));
            let at: Vec<usize> = columns.iter().map(|column| place(column)).collect();
            sources.push(if role == "next_state" { Source::After(at) } else { Source::Frames(at) });
        }
    }
    let tables = RewardTables::read(folder, options.dataset.reward.as_deref())?;
    let reward = options.dataset.reward.as_deref().unwrap_or("next.reward");
    if let Some(column) = columns_of(reward).first().filter(|_| !tables.names().any(|name| name == reward)) {
        parts.push(Part::single("reward", ColumnType::Float));
        sources.push(Source::Frames(vec![place(column)]));
    } else if options.dataset.reward.is_some() && !tables.names().any(|name| name == reward) {
        return Err(missing(reward));
    }
    for (at, column) in tables.names().enumerate() {
        let column = if options.dataset.reward.is_some() { "reward" } else { column };
        parts.push(Part::single(column, ColumnType::Float));
        sources.push(Source::Table(at));
    }
    let done = columns_of("next.done").first().map(|column| place(column));
    if let Some(done) = done {
        parts.push(Part::single("done", ColumnType::Bool));
        sources.push(Source::Frames(vec![done]));
    }
    parts.push(Part::single("index", ColumnType::Int));
    sources.push(Source::Frames(vec![places[2]]));
    let mut notes = vec![
        DatasetNote::Kind { dataset: INFO.name, episodes: info.episodes },
        DatasetNote::LastFrames { done: done.is_some() },
    ];
    notes.extend(info.missing(&files));
    notes.extend(tables.notes(info.frames));
    let frames = Frames::new(files, wanted);
    let recording = LeRobot { frames, tables, sources, places, done, held: Vec::new(), number: 0, kept: Vec::new() };
    Ok(Box::new(EpisodeReader::new(name, Box::new(recording), parts, options)?.noting(notes)))
}

/// What `meta/info.json` says.
struct Info {
    episodes: usize,
    frames: usize,
    /// Whether every episode has a file of its own, as before version 3.
    file_per_episode: bool,
    /// The observations that are lists of numbers.
    observations: Vec<String>,
}

impl Info {
    fn read(path: &Path) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| TableError::io(&name, "read", &error))?;
        let wrong = |what: String| TableError::new(ErrorKind::Malformed, &name, what);
        let info: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("it is no JSON: {error}")))?;
        let version = info.get("codebase_version").and_then(|version| version.as_str()).unwrap_or("none");
        if !(version.starts_with("v2.") || version.starts_with("v3.")) {
            return Err(wrong(format!(
                "it is of version `{}`; 2.0, 2.1 and 3.0 are read: convert it with LeRobot's scripts",
                shorten(version)
            )));
        }
        let features = info.get("features").and_then(|features| features.as_object());
        let features = features.ok_or_else(|| wrong("there are no `features` in it".to_owned()))?;
        let is_plain = |about: &serde_json::Value| {
            let dtype = about.get("dtype").and_then(|dtype| dtype.as_str()).unwrap_or_default();
            let sides = about.get("shape").and_then(|shape| shape.as_array()).map_or(0, Vec::len);
            sides <= 1 && ["float", "int", "uint", "bool"].iter().any(|kind| dtype.starts_with(kind))
        };
        let observations = features.iter().filter(|(name, about)| name.starts_with("observation.") && is_plain(about));
        let total = |what: &str| info.get(what).and_then(serde_json::Value::as_u64).unwrap_or(0) as usize;
        Ok(Info {
            episodes: total("total_episodes"),
            frames: total("total_frames"),
            file_per_episode: version.starts_with("v2."),
            observations: observations.map(|(name, _)| name.clone()).collect(),
        })
    }

    /// Whether there is less than it says: data sets are often downloaded in part.
    fn missing(&self, files: &[PathBuf]) -> Option<DatasetNote> {
        let (what, there, total) = if self.file_per_episode {
            ("episodes", files.len(), self.episodes)
        } else {
            // A file that cannot be opened is told of when it is read.
            let rows = |file: &PathBuf| open_file(file, &ReadOptions::default()).ok()?.rows_hint();
            ("frames", files.iter().map(rows).sum::<Option<usize>>()?, self.frames)
        };
        (there < total).then_some(DatasetNote::Incomplete { what, there, total })
    }

    /// The observations that states are made of: what features call them, and the column.
    fn keys(&self, name: &str, options: &DatasetOptions) -> Result<Vec<(String, String)>, TableError> {
        let short = |feature: &str| feature.strip_prefix("observation.").unwrap_or(feature).to_owned();
        let mut chosen = Vec::new();
        for key in &options.keys {
            let found = self.observations.iter().find(|feature| *feature == key || short(feature) == *key);
            chosen.push(found.cloned().ok_or_else(|| {
                let there = listed(self.observations.iter().map(String::as_str));
                let what = format!("there is no observation `{}` of numbers; there are {there}", shorten(key));
                TableError::new(ErrorKind::MissingColumn, name, what)
            })?);
        }
        if options.keys.is_empty() {
            chosen.clone_from(&self.observations);
        }
        match &chosen[..] {
            [] => {
                let what = "no observation is a list of numbers: states cannot be made of videos alone";
                Err(TableError::new(ErrorKind::MissingColumn, name, what))
            }
            // The usual case: states are `state.0`, `state.1`, …
            [only] => Ok(vec![(String::new(), only.clone())]),
            several => Ok(several.iter().map(|feature| (short(feature), feature.clone())).collect()),
        }
    }
}

impl LeRobot {
    fn integer(&self, place: usize, frame: usize) -> i64 {
        match &self.held[place].values {
            Values::Int(values) => values[frame],
            _ => 0,
        }
    }

    fn is_done(&self, frame: usize) -> bool {
        match self.done.map(|done| &self.held[done].values) {
            Some(Values::Bool(values)) => values[frame],
            Some(Values::Int(values)) => values[frame] == 1,
            _ => false,
        }
    }

    /// Frames that follow each other without a gap.
    fn check_order(&self, count: usize) -> Result<(), TableError> {
        let gap = (1..count)
            .find(|&frame| self.integer(self.places[1], frame) != self.integer(self.places[1], frame - 1) + 1);
        let Some(frame) = gap else { return Ok(()) };
        let what = format!(
            "frame {} of episode {} stands behind frame {}: frames must be in order, and none may be missing",
            self.integer(self.places[1], frame),
            self.number,
            self.integer(self.places[1], frame - 1)
        );
        Err(TableError::new(ErrorKind::Malformed, self.frames.name(), what))
    }
}

impl Recording for LeRobot {
    fn steps(&mut self, _: usize) -> Result<Option<usize>, TableError> {
        let Some(number) = self.frames.episode(self.places[0], &mut self.held)? else { return Ok(None) };
        self.number = number;
        let count = self.held[0].len();
        self.check_order(count)?;
        let known = |frame: usize| {
            let index = self.integer(self.places[2], frame);
            (frame + 1 < count || self.is_done(frame)) && self.tables.has_all(index)
        };
        self.kept = (0..count).filter(|&frame| known(frame)).collect();
        Ok(Some(self.kept.len()))
    }

    fn read(&mut self, _: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        let last = self.held[0].len() - 1;
        for &frame in &self.kept[steps] {
            match &self.sources[part] {
                Source::Table(column) => {
                    if let Values::Float(to) = to {
                        to.push(self.tables.value(*column, self.integer(self.places[2], frame)));
                    }
                }
                Source::Frames(columns) => {
                    columns.iter().for_each(|&at| push_rows(&self.held[at], frame..frame + 1, to))
                }
                Source::After(columns) => {
                    // A frame that ends needs no next state, so that its own stands there.
                    let after = (frame + 1).min(last);
                    columns.iter().for_each(|&at| push_rows(&self.held[at], after..after + 1, to));
                }
            }
        }
        Ok(())
    }

    fn episode_name(&self, _: usize) -> i64 {
        self.number
    }

    fn step_name(&self, _: usize, step: usize) -> i64 {
        self.integer(self.places[1], self.kept[step])
    }
}
