//! Episodes that are groups of one file, each with the same arrays: robomimic and Minari.

use std::collections::HashMap;
use std::ops::Range;

use super::{Array, File};
use crate::dataset::episodes::{EpisodeReader, Part, Recording};
use crate::dataset::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ReadOptions, TableReader, Values};

/// Where the values of a part are, in the group of every episode.
#[derive(Clone, Debug)]
pub(in crate::dataset) struct Source {
    /// The path of the array from the group on.
    pub path: String,
    /// The row of the first step.
    pub first: usize,
    /// How many rows more than steps there are.
    pub extra: usize,
}

impl Source {
    /// An array with one row per step.
    pub fn plain(path: impl Into<String>) -> Self {
        Source { path: path.into(), first: 0, extra: 0 }
    }
}

/// The parts of an episode as the first has them, and the observations that are left out.
pub(in crate::dataset) type Parts = (Vec<(Part, Source)>, Vec<String>);

/// Episodes that are groups of one file.
pub(in crate::dataset) struct GroupedEpisodes {
    file: File,
    /// The path of every episode, and what tables call it.
    groups: Vec<(String, i64)>,
    /// The array that says how many steps there are.
    rewards: String,
    parts: Vec<(Part, Source)>,
    /// The arrays of one episode that have been opened, and how many steps it has.
    episode: usize,
    arrays: HashMap<String, Array>,
    steps: usize,
}

impl GroupedEpisodes {
    /// A table of such episodes, in a recording of this kind.
    pub fn open(
        dataset: &'static str,
        file: File,
        groups: Vec<(String, i64)>,
        (parts, left_out): Parts,
        options: &ReadOptions,
    ) -> Result<Box<dyn TableReader>, TableError> {
        let mut notes = vec![DatasetNote::Kind { dataset, episodes: groups.len() }];
        if !left_out.is_empty() {
            notes.push(DatasetNote::KeysLeftOut { keys: left_out });
        }
        let rewards = options.dataset.reward.clone().unwrap_or_else(|| "rewards".to_owned());
        let (name, of_steps) = (file.name().to_owned(), parts.iter().map(|(part, _)| part.clone()).collect());
        let recording =
            GroupedEpisodes { file, groups, rewards, parts, episode: usize::MAX, arrays: HashMap::new(), steps: 0 };
        Ok(Box::new(EpisodeReader::new(name, Box::new(recording), of_steps, options)?.noting(notes)))
    }
}

impl Recording for GroupedEpisodes {
    fn steps(&mut self, episode: usize) -> Result<Option<usize>, TableError> {
        let Some((group, _)) = self.groups.get(episode) else { return Ok(None) };
        let path = format!("{group}/{}", self.rewards);
        let remedy = "the episode has no rewards; leave it out, or name another array by the option `reward`";
        let rewards = self.file.needed(&path, remedy)?;
        self.steps = rewards.rows;
        self.episode = episode;
        self.arrays.clear();
        self.arrays.insert(self.rewards.clone(), rewards);
        Ok(Some(self.steps))
    }

    fn read(&mut self, episode: usize, part: usize, steps: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        if episode != self.episode {
            self.steps(episode)?;
        }
        let (part, Source { path, first, extra }) = &self.parts[part];
        let array = match self.arrays.entry(path.clone()) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let remedy = "the first episode has it, and all must have the same arrays";
                let array = self.file.needed(&format!("{}/{path}", self.groups[episode].0), remedy)?;
                array.check_rows(self.steps, *extra)?;
                new.insert(array)
            }
        };
        array.check_width(part.columns.len())?;
        array.read(steps.start + first..steps.end + first, to)
    }

    fn episode_name(&self, episode: usize) -> i64 {
        self.groups[episode].1
    }
}

/// Groups called `PREFIXnumber`, by number.
pub(in crate::dataset) fn numbered(
    file: &File,
    names: Vec<String>,
    prefix: &str,
) -> Result<Vec<(String, i64)>, TableError> {
    let mut numbered: Vec<(String, i64)> = Vec::new();
    for name in names {
        let Some(number) = name.strip_prefix(prefix).and_then(|digits| digits.parse().ok()) else {
            let what =
                format!("`{}` is no name of an episode; episodes are called {prefix}0, {prefix}1, …", shorten(&name));
            return Err(TableError::new(ErrorKind::Malformed, file.name(), what));
        };
        numbered.push((name, number));
    }
    numbered.sort_by_key(|(_, number)| *number);
    Ok(numbered)
}
