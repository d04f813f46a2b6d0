//! Atari Grand Challenge: `trajectories/GAME/ID.txt`, one line per frame, and a picture of each in `screens/GAME/ID/FRAME.png`.
//!
//! States are pictures in grey, brought down to their principal components ([`screens`]), fitted on the pictures of all trajectories together.
//! Of every so many frames one is taken; the rewards of the frames between two of them are summed up. The class of a trajectory is that of its
//! final score.

mod screens;

use std::path::{Path, PathBuf};

use self::screens::{Screens, grey};
use super::DatasetInfo;
use super::episodes::{EpisodeReader, Part};
use super::held::{Episodes, Held, HeldRecording, last_only, repeated};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ColumnType, ReadOptions, TableReader, Values, listed};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "atari",
    about: "Atari Grand Challenge: a folder with trajectories/GAME/ID.txt and screens/GAME/ID/FRAME.png",
    options: &["game", "every", "scores", "components", "reward"],
    detect: |path| games(path).iter().any(|game| !trajectories(path, game).is_empty()),
    open,
};

/// The paper's: every tenth frame.
const EVERY: usize = 10;
/// Principal components where none are asked for.
const COMPONENTS: usize = 10;
/// The paper's: below the first novice, above the last expert.
const SCORES: [i64; 2] = [1000, 3000];

/// The folders of games, by name.
fn games(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("trajectories")).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// The trajectories of a game, in the order of their numbers.
fn trajectories(folder: &Path, game: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("trajectories").join(game)).into_iter().flatten();
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.is_file() && path.extension().is_some_and(|it| it == "txt")).collect();
    let number = |path: &PathBuf| stem(path).parse::<u64>().unwrap_or(u64::MAX);
    files.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.cmp(b)));
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The game that is read: the only one, or the one that was asked for.
fn game_of(folder: &Path, name: &str, wanted: Option<&str>) -> Result<String, TableError> {
    let games = games(folder);
    let there = || listed(games.iter().map(String::as_str));
    let usage = |what: String| Err(TableError::new(ErrorKind::Usage, name, what));
    match (wanted, &games[..]) {
        (_, []) => Err(TableError::new(ErrorKind::Empty, name, "there are no folders of games in trajectories")),
        (Some(wanted), _) if games.iter().any(|game| game == wanted) => Ok(wanted.to_owned()),
        (Some(wanted), _) => usage(format!("there is no game `{}`; there are {}", shorten(wanted), there())),
        (None, [only]) => Ok(only.clone()),
        (None, _) => usage(format!("there are several games, {}; choose one by the option `game`", there())),
    }
}

/// What the reward of a step is.
#[derive(Clone, Copy)]
enum Reward {
    /// The sum of the rewards of its frames.
    Sum,
    /// The score of the frame that it leads to.
    Score,
}

fn open(folder: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = folder.display().to_string();
    let given = &options.dataset;
    let game = game_of(folder, &name, given.game.as_deref())?;
    let reward = match given.reward.as_deref() {
        None | Some("reward") => Reward::Sum,
        Some("score") => Reward::Score,
        Some(other) => {
            let what = format!("the reward is `reward` or `score`, not `{}`", shorten(other));
            return Err(TableError::new(ErrorKind::Usage, name, what));
        }
    };
    let files = trajectories(folder, &game);
    if files.is_empty() {
        let what = format!("there are no trajectories (*.txt) in trajectories/{game}");
        return Err(TableError::new(ErrorKind::Empty, name, what));
    }
    let every = given.every.unwrap_or(EVERY);
    let screens = folder.join("screens").join(&game);
    let of = |file: PathBuf| Trajectory { screens: screens.join(stem(&file)), file };
    let trajectories: Vec<Trajectory> = files.into_iter().map(of).collect();
    let mut pictures = Vec::new();
    for trajectory in &trajectories {
        srrd::run::checkpoint();
        pictures.extend(trajectory.kept(every)?.0.iter().map(|taken| trajectory.picture(taken.frame)));
    }
    let screens = Screens::fit(&name, &pictures, given.components, COMPONENTS)?;
    let width = screens.components();
    let mut parts = vec![Part::single("sample", ColumnType::Text), Part::single("label", ColumnType::Text)];
    parts.push(Part::of_role("state", "", width, false, ColumnType::Float));
    parts.push(Part::single("action", ColumnType::Int));
    parts.push(Part::of_role("next_state", "", width, false, ColumnType::Float));
    parts.push(Part::single("reward", ColumnType::Float));
    parts.extend(["terminated", "truncated"].map(|column| Part::single(column, ColumnType::Bool)));
    let notes = [
        DatasetNote::Kind { dataset: INFO.name, episodes: trajectories.len() },
        DatasetNote::Pictures { pictures: pictures.len(), components: width, explained: screens.explained() },
    ];
    let scores = if given.scores.is_empty() { SCORES.to_vec() } else { given.scores.clone() };
    let played = Played { trajectories, screens, every, scores, reward };
    let recording = Box::new(HeldRecording::new(played));
    Ok(Box::new(EpisodeReader::new(name, recording, parts, options)?.noting(notes)))
}

/// A file with the folder of its pictures.
struct Trajectory {
    file: PathBuf,
    screens: PathBuf,
}

/// One line of a trajectory.
#[derive(Clone, Copy)]
struct Frame {
    frame: i64,
    reward: f64,
    score: i64,
    terminal: bool,
    action: i64,
}

/// A frame that is taken, with what happened until the next one.
#[derive(Clone, Copy)]
struct Taken {
    frame: i64,
    action: i64,
    reward: f64,
    score: i64,
    terminal: bool,
}

const HEADER: [&str; 5] = ["frame", "reward", "score", "terminal", "action"];

impl Trajectory {
    fn name(&self) -> String {
        self.file.display().to_string()
    }

    fn picture(&self, frame: i64) -> PathBuf {
        self.screens.join(format!("{frame}.png"))
    }

    fn wrong(&self, line: usize, what: impl Into<String>) -> TableError {
        TableError::new(ErrorKind::Malformed, self.name(), what).at_line(line as u64 + 1)
    }

    /// All frames of the file.
    fn frames(&self) -> Result<Vec<Frame>, TableError> {
        let bytes = std::fs::read(&self.file).map_err(|error| TableError::io(self.name(), "read", &error))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| TableError::new(ErrorKind::Encoding, self.name(), "it is no text; is it another file?"))?;
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let first = lines.next().map(|(_, line)| line.trim().to_lowercase()).unwrap_or_default();
        if !first.starts_with("db traj id") {
            return Err(self.wrong(0, "it does not begin with `db traj id`, as trajectories of this data set do"));
        }
        let header = lines.next().map(|(_, line)| line).unwrap_or_default();
        if !header.split(',').map(str::trim).eq(HEADER) {
            return Err(self.wrong(1, format!("the columns are not {}", HEADER.join(","))));
        }
        let mut frames: Vec<Frame> = Vec::new();
        for (number, line) in lines {
            let frame = self.frame(number, line)?;
            match frames.last() {
                Some(last) if frame.frame <= last.frame => {
                    let what = format!(
                        "frame {} follows frame {}: frames have to come in their order",
                        frame.frame, last.frame
                    );
                    return Err(self.wrong(number, what));
                }
                Some(last) if last.terminal && !frame.terminal => {
                    return Err(self.wrong(number, "the game goes on, although it was over in the line before"));
                }
                _ => frames.push(frame),
            }
        }
        match frames.is_empty() {
            true => Err(TableError::new(ErrorKind::Empty, self.name(), "there are no frames behind the header")),
            false => Ok(frames),
        }
    }

    fn frame(&self, number: usize, line: &str) -> Result<Frame, TableError> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != HEADER.len() {
            let what = format!("there are {} fields and not {}; the file may be cut off", fields.len(), HEADER.len());
            return Err(self.wrong(number, what));
        }
        let integer = |at: usize| {
            fields[at].parse::<i64>().map_err(|_| {
                self.wrong(number, format!("`{}` is no integer", shorten(fields[at]))).in_column(HEADER[at])
            })
        };
        let terminal = match fields[3] {
            "1" | "True" | "true" => true,
            "0" | "False" | "false" => false,
            other => {
                let what = format!("`{}` is neither 0 nor 1, True or False", shorten(other));
                return Err(self.wrong(number, what).in_column(HEADER[3]));
            }
        };
        let reward = integer(1)? as f64;
        Ok(Frame { frame: integer(0)?, reward, score: integer(2)?, terminal, action: integer(4)? })
    }

    /// One of every so many frames, and the final score. The game may be over before the last line: nothing behind its end counts.
    fn kept(&self, every: usize) -> Result<(Vec<Taken>, i64), TableError> {
        let frames = self.frames()?;
        let until = frames.iter().position(|frame| frame.terminal).map_or(frames.len(), |over| over + 1);
        let over = frames[until - 1].terminal;
        let mut kept: Vec<Taken> = Vec::new();
        for (at, &Frame { frame, reward, score, action, .. }) in frames[..until].iter().enumerate() {
            let far = kept.last().is_none_or(|last| frame - last.frame >= every as i64);
            // The frame in which the game is over is where the last step leads, if there is a picture of it.
            let end = over && at + 1 == until && self.picture(frame).is_file();
            if far || end {
                kept.push(Taken { frame, action, score, reward: 0.0, terminal: false });
            }
            // What a frame pays belongs to the step that it is part of.
            let place = kept.len() - 1;
            kept[place].reward += reward;
        }
        if let [.., before, last] = &mut kept[..]
            && over
        {
            last.terminal = true;
            before.reward += last.reward;
        }
        Ok((kept, frames.last().map_or(0, |frame| frame.score)))
    }
}

/// The class of a score: as the paper calls three of them, and by their limits otherwise.
fn class(score: i64, limits: &[i64]) -> String {
    if let [low, high] = limits {
        let name = match score {
            score if score < *low => "novice",
            score if score <= *high => "moderate",
            _ => "expert",
        };
        return name.to_owned();
    }
    let above = limits.iter().filter(|limit| score >= **limit).count();
    match above {
        0 => format!("below {}", limits[0]),
        above => format!("from {}", limits[above - 1]),
    }
}

struct Played {
    trajectories: Vec<Trajectory>,
    screens: Screens,
    every: usize,
    scores: Vec<i64>,
    reward: Reward,
}

impl Episodes for Played {
    fn load(&mut self, episode: usize) -> Result<Option<Held>, TableError> {
        let Some(trajectory) = self.trajectories.get(episode) else { return Ok(None) };
        let (kept, score) = trajectory.kept(self.every)?;
        let mut pictures = Vec::with_capacity(kept.len());
        for taken in &kept {
            srrd::run::checkpoint();
            pictures.push(grey(&trajectory.picture(taken.frame))?);
        }
        let states = self.screens.project(&trajectory.name(), pictures)?;
        let (steps, width) = (kept.len().saturating_sub(1), self.screens.components());
        let over = kept.last().is_some_and(|taken| taken.terminal);
        let rewards = kept.windows(2).map(|pair| match self.reward {
            Reward::Sum => pair[0].reward,
            Reward::Score => pair[1].score as f64,
        });
        let parts = vec![
            repeated(&stem(&trajectory.file), steps),
            repeated(&class(score, &self.scores), steps),
            Values::Float(states[..steps * width].to_vec()),
            Values::Int(kept[..steps].iter().map(|taken| taken.action).collect()),
            Values::Float(states[(states.len().min(width))..].to_vec()),
            Values::Float(rewards.collect()),
            last_only(over, steps),
            last_only(!over, steps),
        ];
        Ok(Some(Held { steps, parts }))
    }
}
