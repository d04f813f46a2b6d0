//! Minari: a folder with `data/main_data.hdf5`, or with an Arrow file per episode.
//!
//! `episode_N` has `observations` (one row more than steps), `actions`, `rewards`, `terminations` and `truncations`. Dictionaries are groups
//! and tuples groups with members `_index_0`, `_index_1`, …: features are called by the path, `state.goal.0`. The state of a step is its row of
//! the observations, the next state the row after.

#[cfg(feature = "arrow")]
mod arrow;

use std::path::{Path, PathBuf};

use super::DatasetInfo;
use super::episodes::Part;
use super::hdf5::{File, GroupedEpisodes, Parts, Source, is_hdf5, numbered};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ColumnType, ReadOptions, TableReader, listed};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "minari",
    about: "Minari: a folder with data/main_data.hdf5 or with data/N/part-0.arrow, or such an HDF5 file",
    options: &["keys", "reward"],
    detect: |path| place(path).is_some(),
    open: |path, options| match place(path) {
        Some(Place::Hdf5(file)) => open_hdf5(&file, options),
        #[cfg(feature = "arrow")]
        Some(Place::Arrow(folder)) => arrow::open(&folder, options),
        _ => {
            let what = "there is neither data/main_data.hdf5 nor data/0/part-0.arrow in it, nor is it an HDF5 file with groups episode_N";
            Err(TableError::new(ErrorKind::UnknownFormat, path.display().to_string(), what))
        }
    },
};

enum Place {
    Hdf5(PathBuf),
    #[cfg(feature = "arrow")]
    Arrow(PathBuf),
}

/// Where the episodes are.
fn place(path: &Path) -> Option<Place> {
    if path.is_dir() {
        for folder in [path.join("data"), path.to_owned()] {
            if is_hdf5(&folder.join("main_data.hdf5")) {
                return Some(Place::Hdf5(folder.join("main_data.hdf5")));
            }
            #[cfg(feature = "arrow")]
            if folder.join("metadata.json").is_file() && !arrow::episodes(&folder).is_empty() {
                return Some(Place::Arrow(folder));
            }
        }
        return None;
    }
    let file = is_hdf5(path).then(|| File::open(path).ok()).flatten()?;
    let (groups, _) = file.members("").ok()?;
    groups.iter().any(|group| group.starts_with("episode_")).then(|| Place::Hdf5(path.to_owned()))
}

/// What a part of observations is called: the path, of tuples the number.
fn key_of(path: &str) -> String {
    path.split('/').map(|name| name.strip_prefix("_index_").unwrap_or(name)).collect::<Vec<_>>().join(".")
}

/// Whether a key is one of those that were asked for, or below one; all are where none were.
fn is_chosen(keys: &[String], key: &str) -> bool {
    keys.is_empty()
        || keys.iter().any(|wanted| {
            key.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
}

/// Keys that were asked for and are not there.
fn check_keys(file: &str, wanted: &[String], there: &[String]) -> Result<(), TableError> {
    let Some(missing) =
        wanted.iter().find(|key| !there.iter().any(|known| is_chosen(std::slice::from_ref(key), known)))
    else {
        return Ok(());
    };
    let there = listed(there.iter().map(String::as_str));
    let what = format!("there is no observation `{}`; observations are {there}", shorten(missing));
    Err(TableError::new(ErrorKind::MissingColumn, file, what))
}

fn open_hdf5(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let file = File::open(path)?;
    let (groups, _) = file.members("")?;
    let groups = numbered(&file, groups, "episode_")?;
    let Some((first, _)) = groups.first().cloned() else {
        return Err(TableError::new(ErrorKind::Empty, file.name(), "there are no episodes in it"));
    };
    let parts = parts(&file, &first, options)?;
    GroupedEpisodes::open(INFO.name, file, groups, parts, options)
}

/// The arrays that are called so, or are in the group that is.
fn arrays(file: &File, episode: &str, name: &str) -> Result<Vec<(String, String)>, TableError> {
    let path = format!("{episode}/{name}");
    if file.array(&path)?.is_some() {
        return Ok(vec![(String::new(), name.to_owned())]);
    }
    let leaves = file.leaves(&path)?;
    if leaves.is_empty() {
        let what = format!("there are no `{name}` in `{}`; every episode of Minari has them", shorten(episode));
        return Err(TableError::new(ErrorKind::MissingColumn, file.name(), what));
    }
    Ok(leaves.into_iter().map(|leaf| (key_of(&leaf), format!("{name}/{leaf}"))).collect())
}

fn parts(file: &File, first: &str, options: &ReadOptions) -> Result<Parts, TableError> {
    let keys = &options.dataset.keys;
    let observations = arrays(file, first, "observations")?;
    check_keys(file.name(), keys, &observations.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>())?;
    let (mut states, mut next_states, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for (key, path) in observations.into_iter().filter(|(key, _)| is_chosen(keys, key)) {
        let array = file.needed(&format!("{first}/{path}"), "every episode has it")?;
        let picture = array.dimensions > 2 || !matches!(array.kind, Some(kind) if kind != ColumnType::Text);
        if keys.is_empty() && !key.is_empty() && picture {
            left_out.push(key);
            continue;
        }
        let source = |first| Source { path: path.clone(), first, extra: 1 };
        states.push((array.as_part("state", &key)?, source(0)));
        next_states.push((array.as_part("next_state", &key)?, source(1)));
    }
    let mut parts = states;
    for (key, path) in arrays(file, first, "actions")? {
        let array = file.needed(&format!("{first}/{path}"), "every episode has it")?;
        parts.push((array.as_part("action", &key)?, Source::plain(path)));
    }
    parts.append(&mut next_states);
    let reward = options.dataset.reward.as_deref().unwrap_or("rewards");
    file.needed(&format!("{first}/{reward}"), "the option `reward` names the array of rewards")?.check_width(1)?;
    parts.push((Part::single("reward", ColumnType::Float), Source::plain(reward)));
    for (column, array) in [("terminated", "terminations"), ("truncated", "truncations")] {
        file.needed(&format!("{first}/{array}"), "every episode of Minari has it")?.check_width(1)?;
        parts.push((Part::single(column, ColumnType::Bool), Source::plain(array)));
    }
    Ok((parts, left_out))
}
