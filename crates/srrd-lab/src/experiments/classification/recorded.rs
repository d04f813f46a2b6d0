//! Recordings as labelled sets of episodes: their states become cells, fitted on all episodes of a world together.

use crate::error::LabError;
use crate::experiments::shared::pairs::SHAPING;
use crate::parameters::Parameters;
use crate::row::Choice;
use crate::seed::trial_seed;
use crate::values::Recorded;
use rand::RngExt;
use srrd::Token;
use srrd::returns::Walks;
use srrd::sample::Vocabulary;
use srrd::trajectories::{End, Trajectories};
use srrd_data::discretize::{DiscretizeOptions, Rows, Space};
use srrd_data::{DatasetOptions, TableOptions, read_walks};
use srrd_worlds::stream;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Cells of actions that have features.
const ACTION_CELLS: usize = 5;
/// Cells are fitted on at most so many states, evenly spread.
const FITTED: usize = 200_000;
/// The state that stands for "nothing follows".
const NOTHING: i64 = -1;
/// What the reader of MIMIC-IV calls patients of no class.
const NO_CLASS: &str = "other";
/// The discount factor of the shaping that is added where the paper adds some: the classifier does not know it.
const SHAPING_GAMMA: f64 = 0.9;

/// The recordings of a run, each read once.
pub struct Recordings {
    folder: PathBuf,
    cells: usize,
    episodes: usize,
    scores: Vec<i64>,
    sets: usize,
    seed: u64,
    read: Mutex<Vec<(Recorded, Arc<Sets>)>>,
}

/// Sets of episodes of one world.
pub struct Sets {
    /// With rewards as they were recorded, and their classes.
    pub sets: Vec<Trajectories>,
    /// What they are, for the report.
    pub about: String,
}

impl Recordings {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { data, cells, episodes, scores, sets, seed, .. } = parameters;
        Recordings {
            folder: data.clone(),
            cells: *cells,
            episodes: *episodes,
            scores: scores.clone(),
            sets: *sets,
            seed: *seed,
            read: Mutex::new(Vec::new()),
        }
    }

    /// The sets of a world. They are read once for all kinds of rewards.
    pub fn of(&self, recorded: Recorded) -> Result<Arc<Sets>, LabError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sets)) = read.iter().find(|(known, _)| *known == recorded) {
            return Ok(Arc::clone(sets));
        }
        let sets = Arc::new(self.read(recorded)?);
        read.push((recorded, Arc::clone(&sets)));
        Ok(sets)
    }

    /// A folder of the world's name, or else the folder of all.
    fn folder_of(&self, recorded: Recorded) -> PathBuf {
        let own = self.folder.join(recorded.name());
        if own.is_dir() { own } else { self.folder.clone() }
    }

    /// What rows call the recordings of a world.
    pub fn name(&self, recorded: Recorded) -> String {
        plain(&self.folder_of(recorded))
    }

    /// The folder with the recordings of a world, which must be there.
    pub fn look(&self, recorded: Recorded) -> Result<PathBuf, LabError> {
        let folder = self.folder_of(recorded);
        if !folder.is_dir() {
            let what = format!(
                "{} is no folder; give the one with recordings of {} (docs/datasets.md says how to make some)",
                folder.display(),
                recorded.name()
            );
            return Err(LabError::parameter("data", what));
        }
        Ok(folder)
    }

    fn read(&self, recorded: Recorded) -> Result<Sets, LabError> {
        let folder = self.look(recorded)?;
        let mut walks: Vec<(Option<String>, Walks)> = Vec::new();
        for (path, class) in files(recorded, &folder)? {
            let reading = TableOptions { dataset: self.options(recorded), ..TableOptions::default() };
            let read = read_walks(&path, reading).map_err(|error| LabError::wrong(error.to_string()))?;
            walks.extend(read.walks.into_iter().map(|walks| (class.clone(), walks)));
        }
        let cells = Cells::fit(&walks, self.cells, self.seed)?;
        let of_walks: Vec<[Vec<i64>; 2]> = walks.iter().map(|(_, walks)| cells.of(&walks.trajectories)).collect();
        let mut classes: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (at, (class, Walks { trajectories, .. })) in walks.iter().enumerate() {
            let Some(class) = class.as_deref().or(trajectories.label()) else {
                let what = format!("{} has no classes; give every class a folder of its own", folder.display());
                return Err(LabError::parameter("data", what));
            };
            if recorded == Recorded::Mimic && class == NO_CLASS {
                continue;
            }
            let episodes = (0..trajectories.len()).filter(|&episode| !trajectories.episode(episode).is_empty());
            classes.entry(class.to_owned()).or_default().extend(episodes.map(|episode| (at, episode)));
        }
        // A patient is a sample, as in the paper.
        let per_set = if recorded == Recorded::Mimic { 1 } else { self.episodes };
        let mut sets = Vec::new();
        for (class, episodes) in &classes {
            for (number, chosen) in episodes.chunks_exact(per_set).take(self.sets).enumerate() {
                let set = set(&walks, &of_walks, chosen)?;
                sets.push(set.named(format!("{class} {}", number + 1), Some(class)));
            }
        }
        if sets.len() < 4 {
            let what = format!(
                "{} has {} episodes of known classes, which make {} samples of {per_set}; 4 are needed at least",
                folder.display(),
                classes.values().map(Vec::len).sum::<usize>(),
                sets.len()
            );
            return Err(LabError::parameter("data", what));
        }
        let counts: Vec<String> = classes.iter().map(|(class, all)| format!("{class} {}", all.len())).collect();
        let about = format!(
            "Recorded episodes by class: {}. Every sample is {per_set} of them; states became {} cells by k-means, fitted on all together{}.",
            counts.join(", "),
            self.cells,
            if cells.actions.is_some() { format!(", actions {ACTION_CELLS}") } else { String::new() }
        );
        Ok(Sets { sets, about })
    }

    fn options(&self, recorded: Recorded) -> DatasetOptions {
        let mut options = DatasetOptions::default();
        let from = match recorded {
            Recorded::Robomimic => "robomimic",
            Recorded::Montezuma => "atari",
            Recorded::Starcraft => "starcraft",
            Recorded::Mimic => "mimic",
        };
        options.from = Some(from.to_owned());
        if recorded == Recorded::Montezuma {
            options.scores = self.scores.clone();
        }
        options
    }
}

/// A path as a field of rows.
pub fn plain(path: &Path) -> String {
    path.display().to_string().replace(|c: char| c == ',' || c.is_control(), " ")
}

/// What is read: for robomimic every HDF5 file, of the class that its folder (or, in one folder, its name) says; else the folder itself.
fn files(recorded: Recorded, folder: &Path) -> Result<Vec<(PathBuf, Option<String>)>, LabError> {
    if recorded != Recorded::Robomimic {
        return Ok(vec![(folder.to_owned(), None)]);
    }
    let (mut found, mut left) = (BTreeSet::new(), vec![folder.to_owned()]);
    while let Some(folder) = left.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()) {
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => left.push(path),
                Some("hdf5" | "h5") => {
                    found.insert(path);
                }
                _ => {}
            }
        }
    }
    if found.is_empty() {
        return Err(LabError::parameter("data", format!("{} has no HDF5 files", folder.display())));
    }
    let last = |path: Option<&std::ffi::OsStr>| path.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let parents: BTreeSet<_> = found.iter().filter_map(|path| path.parent()).collect();
    let by_folder = parents.len() > 1;
    let class = |path: &Path| match by_folder {
        true => last(path.parent().and_then(Path::file_name)),
        false => last(path.file_stem()),
    };
    Ok(found.iter().map(|path| (path.clone(), Some(class(path)))).collect())
}

/// Cells of states and, where they have features, of actions.
struct Cells {
    states: Space,
    actions: Option<Space>,
}

impl Cells {
    fn fit(walks: &[(Option<String>, Walks)], cells: usize, seed: u64) -> Result<Self, LabError> {
        let features = |of: fn(&Trajectories) -> Option<&[String]>| -> Result<Option<Vec<String>>, LabError> {
            let mut all = walks.iter().map(|(_, walks)| of(&walks.trajectories));
            let first = all.next().flatten();
            match all.all(|other| other == first) {
                true => Ok(first.map(<[String]>::to_vec)),
                false => Err(LabError::parameter("data", "recordings of one world have different features")),
            }
        };
        let states = features(Trajectories::state_features)?
            .ok_or_else(|| LabError::parameter("data", "states of the recordings have no features"))?;
        let fit = |names: Vec<String>, rows: Vec<&[f64]>, cells: usize| {
            let stride = rows.len().div_ceil(FITTED).max(1);
            let values: Vec<f64> = rows.into_iter().step_by(stride).flatten().copied().collect();
            let options = DiscretizeOptions { cells, seed, ..DiscretizeOptions::default() };
            Space::fit(names.clone(), Rows { width: names.len(), values }, &options, cells).map_err(LabError::wrong)
        };
        let mut rows: [Vec<&[f64]>; 2] = Default::default();
        for (_, Walks { trajectories, .. }) in walks {
            for episode in trajectories.episodes() {
                let states = episode.states().iter().filter_map(|&id| trajectories.states().token(id).as_features());
                rows[0].extend(states);
                let actions = episode.actions().iter().filter_map(|&id| trajectories.actions().token(id).as_features());
                rows[1].extend(actions);
            }
        }
        let [of_states, of_actions] = rows;
        let actions = match features(Trajectories::action_features)? {
            Some(names) => Some(fit(names, of_actions, ACTION_CELLS)?),
            None => None,
        };
        Ok(Cells { states: fit(states, of_states, cells)?, actions })
    }

    /// The cells of all states and of all actions of trajectories, by their places in the vocabularies.
    fn of(&self, trajectories: &Trajectories) -> [Vec<i64>; 2] {
        let cells = |space: Option<&Space>, tokens: &Vocabulary| -> Vec<i64> {
            let mut values = Vec::new();
            let mut width = 0;
            for features in tokens.iter().filter_map(|token| token.as_features()) {
                width = features.len();
                values.extend_from_slice(features);
            }
            let found = space.map(|space| space.cells(&Rows { width: width.max(1), values })).unwrap_or_default();
            let mut found = found.into_iter();
            let cell = |token: Token<'_>| match token.as_features() {
                Some(_) => found.next().unwrap_or(NOTHING),
                None => token.as_int().unwrap_or(NOTHING),
            };
            tokens.iter().map(cell).collect()
        };
        [cells(Some(&self.states), trajectories.states()), cells(self.actions.as_ref(), trajectories.actions())]
    }
}

/// Chosen episodes as one set of cells; `cells` are those of every walk.
fn set(
    walks: &[(Option<String>, Walks)],
    cells: &[[Vec<i64>; 2]],
    chosen: &[(usize, usize)],
) -> Result<Trajectories, LabError> {
    let mut builder = Trajectories::builder();
    for &(at, episode) in chosen {
        let episode = walks[at].1.trajectories.episode(episode);
        let [states, actions] = &cells[at];
        let states: Vec<i64> = episode.states().iter().map(|&id| states[id as usize]).collect();
        let actions: Vec<i64> = episode.actions().iter().map(|&id| actions[id as usize]).collect();
        builder.push_episode(&states, &actions, episode.rewards(), episode.end()).map_err(LabError::failed)?;
    }
    Ok(builder.build())
}

/// The rewards of a set with random potential shaping of their own size, up to five times as large. What ends has potential 0.
pub fn shaped(set: &Trajectories, seed: u64) -> Result<Vec<f64>, LabError> {
    let seed = trial_seed(seed, set.name());
    let mut random = stream(seed, "potential");
    let potential: Vec<f64> = (0..set.states().len()).map(|_| random.random_range(-1.0..=1.0)).collect();
    let factor = stream(seed, "shaping factor").random_range(SHAPING);
    let shaping: Vec<f64> = set
        .steps()
        .map(|step| {
            let next = if step.end == Some(End::Terminated) { 0.0 } else { potential[step.next_state as usize] };
            SHAPING_GAMMA * next - potential[step.state as usize]
        })
        .collect();
    let rewards = set.rewards().ok_or_else(|| LabError::failed("recordings without rewards"))?;
    let size = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
    let scale = if size(&shaping) > 0.0 { factor * size(rewards) / size(&shaping) } else { 0.0 };
    Ok(rewards.iter().zip(&shaping).map(|(reward, shaping)| reward + scale * shaping).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of two teams: one walks right and attacks, the other walks left.
    pub fn games(folder: &Path, per_class: usize) {
        for (class, step) in [("left", -1.0), ("right", 1.0)] {
            std::fs::create_dir_all(folder.join("starcraft").join(class)).unwrap();
            for game in 0..per_class {
                let mut text = "iteration,name,is_mine,is_enemy,is_attacking,x_pos,y_pos,score\n".to_owned();
                for iteration in 0..30 {
                    let x = step * f64::from((iteration * (game as i32 + 3)) % 17);
                    let attacks = if step > 0.0 && iteration % 2 == 0 { "True" } else { "False" };
                    text += &format!("{iteration},a,True,False,{attacks},{x},0,{}\n", iteration % 5);
                    text += &format!("{iteration},b,False,True,False,20,{},{}\n", iteration % 3, iteration % 5);
                }
                std::fs::write(folder.join(format!("starcraft/{class}/game_{game:03}.csv")), text).unwrap();
            }
        }
    }

    fn parameters(folder: &Path) -> Parameters {
        Parameters { data: folder.to_owned(), cells: 6, episodes: 2, sets: 10, ..Parameters::default() }
    }

    #[test]
    fn games_become_labelled_sets_of_cells() {
        let folder = tempfile::tempdir().unwrap();
        games(folder.path(), 5);
        let recordings = Recordings::new(&parameters(folder.path()));
        let read = recordings.of(Recorded::Starcraft).unwrap();
        assert!(Arc::ptr_eq(&read, &recordings.of(Recorded::Starcraft).unwrap()));
        // Five games make two sets of two; the fifth is left over.
        let names: Vec<(&str, usize)> = read.sets.iter().map(|set| (set.label().unwrap(), set.len())).collect();
        assert_eq!(names, [("left", 2), ("left", 2), ("right", 2), ("right", 2)]);
        assert!(read.about.contains("left 5, right 5"), "{}", read.about);
        let cells: BTreeSet<String> =
            read.sets.iter().flat_map(|set| set.states().iter().map(|token| token.to_string())).collect();
        assert!(cells.len() <= 6 && cells.len() > 2, "{cells:?}");
        let plain = read.sets[0].rewards().unwrap();
        let shaped = shaped(&read.sets[0], 3).unwrap();
        assert!(plain.len() == shaped.len() && plain != shaped);
        let error = recordings.of(Recorded::Mimic).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("admissions"), "{error}");
    }

    #[test]
    fn folders_without_recordings_or_with_too_few_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = |parameters: &Parameters| {
            Recordings::new(parameters).of(Recorded::Starcraft).map(|_| ()).unwrap_err().to_string()
        };
        let nowhere = parameters(&folder.path().join("no"));
        assert!(message(&nowhere).contains("is no folder"), "{}", message(&nowhere));
        games(folder.path(), 2);
        let few = parameters(folder.path());
        assert!(message(&few).contains("which make 2 samples of 2"), "{}", message(&few));
    }
}
