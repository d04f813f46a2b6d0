//! StarCraft II: one CSV file per game, one row per unit and iteration.
//!
//! A state is what there is of both sides: how many units, and where their centre is. The action is how many units of the player attack, the
//! reward the game's score in the state that a step leads to. Rows of a unit of neither side are no part of it.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::DatasetInfo;
use super::episodes::{EpisodeReader, Part};
use super::held::{Episodes, Held, HeldRecording, each_batch, last_only, repeated};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{Batch, ColumnType, FileFormat, Format, ReadOptions, TableReader, Values, cell_text};
use crate::table::{finite_numbers, truths};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "starcraft",
    about: "StarCraft II: CSV files of units (iteration, name, is_mine, …), one per game, in a folder or in one folder per class",
    options: &["every", "units", "reward"],
    detect: |path| match path.is_dir() {
        true => games_in(path).first().is_some_and(|game| has_units(&game.file)),
        false => is_csv(path) && has_units(path),
    },
    open,
};

const COLUMNS: [&str; 8] = ["iteration", "name", "is_mine", "is_enemy", "is_attacking", "x_pos", "y_pos", "score"];

/// Names of features, in the order of [`Moment::features`].
const FEATURES: [&str; 6] = ["ally", "ally_x", "ally_y", "enemy", "enemy_x", "enemy_y"];

/// A file, and the class that its folder stands for.
#[derive(Clone)]
struct Game {
    file: PathBuf,
    class: Option<String>,
    name: String,
}

fn is_csv(path: &Path) -> bool {
    FileFormat::from_path(path).is_ok_and(|format| format.format == Format::Csv) && path.as_os_str() != "-"
}

/// Whether the first line of a file names all columns. Every table is asked this, so that no more is read of it.
fn has_units(path: &Path) -> bool {
    if FileFormat::from_path(path).is_ok_and(|format| format == FileFormat::plain(Format::Csv)) {
        let mut start = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
        let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let names: Vec<&str> = line.split(',').map(|name| name.trim().trim_matches('"')).collect();
        return read.is_ok() && COLUMNS.iter().all(|column| names.contains(column));
    }
    let Ok(table) = crate::table::open_file(path, &ReadOptions::default()) else { return false };
    COLUMNS.iter().all(|column| table.schema().index_of(column).is_some())
}

/// The CSV files in a folder; where there are none, those in its folders, which are classes.
fn games_in(folder: &Path) -> Vec<Game> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let games = |folder: &Path, class: Option<String>| -> Vec<Game> {
        let files = entries(folder).into_iter().filter(|path| path.is_file() && is_csv(path));
        let name = |file: &Path| match &class {
            Some(class) => format!("{class}/{}", last(file)),
            None => last(file),
        };
        files.map(|file| Game { name: name(&file), class: class.clone(), file }).collect()
    };
    let direct = games(folder, None);
    if !direct.is_empty() {
        return direct;
    }
    let folders = entries(folder).into_iter().filter(|path| path.is_dir());
    folders.flat_map(|folder| games(&folder, Some(last(&folder)))).collect()
}

/// What the reward of a step is.
#[derive(Clone, Copy)]
enum Reward {
    /// The score of the state that it leads to.
    Score,
    /// By how much the score grew.
    Gain,
}

fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = path.display().to_string();
    let games = match path.is_dir() {
        true => games_in(path),
        false => {
            let last = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            vec![Game { file: path.to_owned(), class: None, name: last }]
        }
    };
    if games.is_empty() {
        return Err(TableError::new(ErrorKind::Empty, name, "there are no CSV files of games in the folder"));
    }
    let reward = match options.dataset.reward.as_deref() {
        None | Some("score") => Reward::Score,
        Some("gain") => Reward::Gain,
        Some(other) => {
            let what = format!("the reward is `score` or `gain`, by how much the score grew, not `{}`", shorten(other));
            return Err(TableError::new(ErrorKind::Usage, name, what));
        }
    };
    let labelled = games[0].class.is_some();
    let features =
        |role: &str| Part::new(FEATURES.iter().map(|feature| format!("{role}.{feature}")).collect(), ColumnType::Float);
    let mut parts = vec![Part::single("sample", ColumnType::Text)];
    if labelled {
        parts.push(Part::single("label", ColumnType::Text));
    }
    parts.extend([features("state"), Part::single("action", ColumnType::Int), features("next_state")]);
    parts.push(Part::single("reward", ColumnType::Float));
    parts.extend(["terminated", "truncated"].map(|column| Part::single(column, ColumnType::Bool)));
    let notes = [DatasetNote::Kind { dataset: INFO.name, episodes: games.len() }];
    let every = options.dataset.every.unwrap_or(1);
    let games = Games { games, labelled, every, units: options.dataset.units.clone(), reward };
    let recording = Box::new(HeldRecording::new(games));
    Ok(Box::new(EpisodeReader::new(name, recording, parts, options)?.noting(notes)))
}

struct Games {
    games: Vec<Game>,
    labelled: bool,
    /// So many iterations, at least, lie between the states of a step.
    every: usize,
    /// The kinds of units that count; all where none are named.
    units: Vec<String>,
    reward: Reward,
}

/// One iteration of a game.
#[derive(Clone, Default)]
struct Moment {
    iteration: f64,
    /// Of the player and of the other side: how many units, and the sums of their places.
    sides: [(f64, [f64; 2]); 2],
    attacking: i64,
    score: f64,
}

impl Games {
    /// The iterations of a game, in their order.
    fn moments(&self, game: &Game) -> Result<Vec<Moment>, TableError> {
        let mut moments: Vec<Moment> = Vec::new();
        let mut numbers: [Vec<f64>; 4] = Default::default();
        each_batch(&game.file, &COLUMNS, |file, batch| {
            for (numbers, column) in numbers.iter_mut().zip([0, 5, 6, 7]) {
                numbers.clear();
                finite_numbers(file, COLUMNS[column], batch, column, numbers)?;
            }
            let [mine, enemy, attacking] = [2, 3, 4].map(|at| truths(file, COLUMNS[at], batch, &batch.columns[at]));
            let (mine, enemy, attacking) = (mine?, enemy?, attacking?);
            let [iterations, xs, ys, scores] = &numbers;
            for row in 0..batch.rows {
                let moment = moment(file, batch, row, iterations[row], scores[row], &mut moments)?;
                let side = match (mine[row], enemy[row]) {
                    (true, true) => {
                        let what = "a unit cannot be of both sides: `is_mine` and `is_enemy` are true";
                        return Err(TableError::new(ErrorKind::Malformed, file, what).at(batch, row));
                    }
                    (true, false) => 0,
                    (false, true) => 1,
                    (false, false) => continue,
                };
                let name = cell_text(&batch.columns[1], row);
                if !self.units.is_empty() && !self.units.iter().any(|unit| unit.eq_ignore_ascii_case(&name)) {
                    continue;
                }
                let (count, sums) = &mut moment.sides[side];
                *count += 1.0;
                sums[0] += xs[row];
                sums[1] += ys[row];
                moment.attacking += i64::from(side == 0 && attacking[row]);
            }
            Ok(())
        })?;
        Ok(moments)
    }
}

/// The iteration of a row: the last one, or a new one behind it.
fn moment<'a>(
    file: &str,
    batch: &Batch,
    row: usize,
    iteration: f64,
    score: f64,
    moments: &'a mut Vec<Moment>,
) -> Result<&'a mut Moment, TableError> {
    let wrong = |column: &str, what: String| {
        Err(TableError::new(ErrorKind::Malformed, file, what).at(batch, row).in_column(column))
    };
    match moments.last() {
        Some(last) if iteration < last.iteration => {
            let what = format!("{iteration} follows {}: sort the rows of a game by their iteration", last.iteration);
            return wrong("iteration", what);
        }
        Some(last) if iteration == last.iteration && score != last.score => {
            let what =
                format!("{score} and {} in one iteration; it is the score of the game, one per iteration", last.score);
            return wrong("score", what);
        }
        Some(last) if iteration == last.iteration => {}
        _ => moments.push(Moment { iteration, score, ..Moment::default() }),
    }
    let last = moments.len() - 1;
    Ok(&mut moments[last])
}

impl Episodes for Games {
    fn load(&mut self, episode: usize) -> Result<Option<Held>, TableError> {
        let Some(game) = self.games.get(episode) else { return Ok(None) };
        let mut kept: Vec<Moment> = Vec::new();
        for moment in self.moments(game)? {
            if kept.last().is_none_or(|last| moment.iteration - last.iteration >= self.every as f64) {
                kept.push(moment);
            }
        }
        // Where a side is gone, its centre stays where it was.
        let mut centres = [[0.0; 2]; 2];
        let features: Vec<[f64; 6]> = kept
            .iter()
            .map(|moment| {
                for (centre, (count, sums)) in centres.iter_mut().zip(moment.sides) {
                    if count > 0.0 {
                        *centre = sums.map(|sum| sum / count);
                    }
                }
                let [ally, enemy] = centres;
                [moment.sides[0].0, ally[0], ally[1], moment.sides[1].0, enemy[0], enemy[1]]
            })
            .collect();
        let steps = kept.len().saturating_sub(1);
        let over = kept.last().is_some_and(|last| last.sides.iter().any(|side| side.0 == 0.0));
        let reward = |pair: &[Moment]| match self.reward {
            Reward::Score => pair[1].score,
            Reward::Gain => pair[1].score - pair[0].score,
        };
        let mut parts = vec![repeated(&game.name, steps)];
        if self.labelled {
            parts.push(repeated(game.class.as_deref().unwrap_or_default(), steps));
        }
        parts.extend([
            Values::Float(features[..steps].concat()),
            Values::Int(kept[..steps].iter().map(|moment| moment.attacking).collect()),
            Values::Float(features.iter().skip(1).flatten().copied().collect()),
            Values::Float(kept.windows(2).map(reward).collect()),
            last_only(over, steps),
            last_only(!over, steps),
        ]);
        Ok(Some(Held { steps, parts }))
    }
}
