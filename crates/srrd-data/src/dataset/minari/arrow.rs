//! Minari's Arrow layout: `N/part-0.arrow` per episode, an Arrow file with one row more than steps. The last row holds the last
//! observation; its action, reward and flags are padding.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{INFO, check_keys, is_chosen};
use crate::dataset::arrow::{Leaf, leaves, read_file};
use crate::dataset::episodes::{EpisodeReader, Part, Recording};
use crate::dataset::note::DatasetNote;
use crate::error::{ErrorKind, TableError};
use crate::table::{ColumnType, ReadOptions, TableReader, Values};

/// The files of the episodes, by number.
pub(super) fn episodes(folder: &Path) -> Vec<(i64, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut episodes: Vec<(i64, PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let number = path.file_name()?.to_str()?.parse().ok()?;
            let file = path.join("part-0.arrow");
            file.is_file().then_some((number, file))
        })
        .collect();
    episodes.sort();
    episodes
}

/// Where the values of a part are: the leaf of this name, from this row on.
struct Source {
    leaf: String,
    first: usize,
}

struct ArrowEpisodes {
    files: Vec<(i64, PathBuf)>,
    parts: Vec<(Part, Source)>,
    /// The leaves of one episode.
    episode: usize,
    leaves: Vec<Leaf>,
}

pub(super) fn open(folder: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let files = episodes(folder);
    let name = folder.display().to_string();
    let Some((_, first)) = files.first() else {
        return Err(TableError::new(ErrorKind::Empty, name, "there are no episodes in it"));
    };
    let leaves = episode_leaves(first)?;
    let parts = parts(&first.display().to_string(), &leaves, options)?;
    let notes = [DatasetNote::Kind { dataset: INFO.name, episodes: files.len() }];
    let of_reader = parts.iter().map(|(part, _)| part.clone()).collect();
    let recording = ArrowEpisodes { files, parts, episode: usize::MAX, leaves: Vec::new() };
    Ok(Box::new(EpisodeReader::new(name, Box::new(recording), of_reader, options)?.noting(notes)))
}

fn episode_leaves(file: &Path) -> Result<Vec<Leaf>, TableError> {
    let name = file.display().to_string();
    leaves(&name, &read_file(file)?)
}

/// The key of a leaf of a column: "" for the column itself.
fn key_in<'a>(leaf: &'a str, column: &str) -> Option<&'a str> {
    let rest = leaf.strip_prefix(column)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('.') }
}

fn parts(file: &str, leaves: &[Leaf], options: &ReadOptions) -> Result<Vec<(Part, Source)>, TableError> {
    let keys = &options.dataset.keys;
    let of = |column: &'static str| leaves.iter().filter_map(move |leaf| Some((key_in(&leaf.name, column)?, leaf)));
    let there: Vec<String> = of("observations").map(|(key, _)| key.to_owned()).collect();
    check_keys(file, keys, &there)?;
    let mut parts = Vec::new();
    for (role, column, first) in
        [("state", "observations", 0), ("action", "actions", 0), ("next_state", "observations", 1)]
    {
        let chosen: Vec<_> = of(column).filter(|(key, _)| role == "action" || is_chosen(keys, key)).collect();
        if chosen.is_empty() {
            return Err(TableError::new(ErrorKind::MissingColumn, file, format!("there are no `{column}` in it")));
        }
        for (key, leaf) in chosen {
            parts.push((leaf.as_part(role, key), Source { leaf: leaf.name.clone(), first }));
        }
    }
    let reward = options.dataset.reward.as_deref().unwrap_or("rewards");
    for (column, leaf, kind) in [
        ("reward", reward, ColumnType::Float),
        ("terminated", "terminations", ColumnType::Bool),
        ("truncated", "truncations", ColumnType::Bool),
    ] {
        if !leaves.iter().any(|known| known.name == leaf) {
            return Err(TableError::new(ErrorKind::MissingColumn, file, format!("there are no `{leaf}` in it")));
        }
        parts.push((Part::single(column, kind), Source { leaf: leaf.to_owned(), first: 0 }));
    }
    Ok(parts)
}

impl Recording for ArrowEpisodes {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        let Some((_, file)) = self.files.get(episode) else { return Ok(None) };
        self.leaves = episode_leaves(file)?;
        self.episode = episode;
        let rows = self.leaves.first().map_or(0, |leaf| leaf.rows);
        match rows.checked_sub(1) {
            Some(steps) => Ok(Some(steps)),
            None => {
                let what = "the episode has no rows, but at least that of its last observation is needed";
                Err(TableError::new(ErrorKind::Empty, file.display().to_string(), what))
            }
        }
    }

    fn read(&mut self, episode: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        if episode != self.episode {
            self.steps(episode)?;
        }
        let (part, source) = &self.parts[part];
        let file = || self.files[episode].1.display().to_string();
        let Some(leaf) = self.leaves.iter().find(|leaf| leaf.name == source.leaf) else {
            let what = format!("there is no `{}`, which the first episode has", source.leaf);
            return Err(TableError::new(ErrorKind::MissingColumn, file(), what));
        };
        leaf.read(&file(), steps.start + source.first..steps.end + source.first, part.columns.len(), to)
    }

    fn episode_name(&self, episode: usize) -> i64 {
        self.files[episode].0
    }
}
