//! robomimic: one HDF5 file with a group per demonstration.
//!
//! `data/demo_N` has `actions`, `rewards`, `dones`, `states` and the groups `obs` and, in some files, `next_obs` with an array per
//! observation; `mask/FILTER` lists names of demonstrations. The reward of a step is that of the state it leads to. Without `next_obs` the
//! next state is the one of the step after, as in every table with `episode` and `step`.

use std::collections::HashSet;
use std::path::Path;

use super::episodes::Part;
use super::hdf5::{Array, File, GroupedEpisodes, Parts, Source, is_hdf5, numbered};
use super::{DatasetInfo, DatasetOptions};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ColumnType, ReadOptions, TableReader, listed};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "robomimic",
    about: "robomimic: an HDF5 file with groups data/demo_N",
    options: &["keys", "filter", "reward"],
    detect: |path| {
        is_hdf5(path) && File::open(path).is_ok_and(|file| file.has_group("data") && !demos(&file).is_empty())
    },
    open,
};

fn demos(file: &File) -> Vec<String> {
    file.members("data").map(|(groups, _)| groups).unwrap_or_default()
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let file = File::open(path)?;
    let (groups, _) = file.members("data")?;
    let chosen = filtered(&file, groups, &options.dataset)?;
    let groups: Vec<(String, i64)> =
        numbered(&file, chosen, "demo_")?.into_iter().map(|(name, number)| (format!("data/{name}"), number)).collect();
    let Some((first, _)) = groups.first() else {
        return Err(TableError::new(ErrorKind::Empty, file.name(), "there are no demonstrations in `data`"));
    };
    let parts = parts(&file, first, &options.dataset)?;
    GroupedEpisodes::open(INFO.name, file, groups, parts, options)
}

/// The demonstrations that a filter names, or all.
fn filtered(file: &File, demos: Vec<String>, options: &DatasetOptions) -> Result<Vec<String>, TableError> {
    let Some(filter) = &options.filter else { return Ok(demos) };
    let (_, filters) = file.members("mask")?;
    let Some(list) = file.array(&format!("mask/{filter}"))? else {
        let known = match filters.is_empty() {
            true => "the file has none".to_owned(),
            false => format!("the file has {}", listed(filters.iter().map(String::as_str))),
        };
        let what = format!("there is no filter `{}`; {known}", shorten(filter));
        return Err(TableError::new(ErrorKind::MissingColumn, file.name(), what));
    };
    let wanted = list.all_texts()?;
    let known: HashSet<&String> = demos.iter().collect();
    if let Some(missing) = wanted.iter().find(|name| !known.contains(name)) {
        let what = format!("filter `{}` names `{}`, which is not in `data`", shorten(filter), shorten(missing));
        return Err(TableError::new(ErrorKind::Malformed, file.name(), what));
    }
    let mut seen = HashSet::new();
    Ok(wanted.into_iter().filter(|name| seen.insert(name.clone())).collect())
}

fn parts(file: &File, first: &str, options: &DatasetOptions) -> Result<Parts, TableError> {
    // Files list their members in different orders.
    let (_, mut there) = file.members(&format!("{first}/obs"))?;
    there.sort();
    let mut left_out = Vec::new();
    let mut states: Vec<(String, String)> = Vec::new();
    let keys = if options.keys.is_empty() { &there } else { &options.keys };
    for key in keys {
        let path = if there.contains(key) { format!("obs/{key}") } else { key.clone() };
        let remedy = format!("observations are {}", listed(there.iter().map(String::as_str)));
        let array = file.needed(&format!("{first}/{path}"), &remedy)?;
        match options.keys.is_empty() && !is_plain(&array) {
            true => left_out.push(key.clone()),
            false => states.push((key.clone(), path)),
        }
    }
    if there.is_empty() && options.keys.is_empty() {
        states.push((String::new(), "states".to_owned()));
    }
    let mut parts = Vec::new();
    for (key, path) in &states {
        parts.push((part(file, first, "state", key, path)?, Source::plain(path)));
    }
    parts.push((part(file, first, "action", "", "actions")?, Source::plain("actions")));
    let (_, next) = file.members(&format!("{first}/next_obs"))?;
    if !states.is_empty() && states.iter().all(|(key, path)| path.starts_with("obs/") && next.contains(key)) {
        for (key, _) in &states {
            let path = format!("next_obs/{key}");
            parts.push((part(file, first, "next_state", key, &path)?, Source::plain(path)));
        }
    }
    let reward = options.reward.as_deref().unwrap_or("rewards");
    if file.array(&format!("{first}/{reward}"))?.is_none() {
        let what = format!(
            "`{}` has no `{}`: raw recordings hold none; robomimic's dataset_states_to_obs.py adds them, or the option `reward` names \
             another array",
            shorten(first),
            shorten(reward)
        );
        return Err(TableError::new(ErrorKind::MissingColumn, file.name(), what));
    }
    parts.push((Part::single("reward", ColumnType::Float), Source::plain(reward)));
    if file.array(&format!("{first}/dones"))?.is_some() {
        parts.push((Part::single("done", ColumnType::Bool), Source::plain("dones")));
    }
    Ok((parts, left_out))
}

/// Whether an array is a list of numbers per step, and no picture.
fn is_plain(array: &Array) -> bool {
    array.dimensions <= 2 && matches!(array.kind, Some(ColumnType::Float | ColumnType::Int | ColumnType::Bool))
}

fn part(file: &File, first: &str, role: &str, key: &str, path: &str) -> Result<Part, TableError> {
    let array = file.needed(&format!("{first}/{path}"), "every demonstration needs it")?;
    array.as_part(role, key)
}
