//! What is to be known about a data set that was read.

use std::fmt;

use srrd::words::{count, counted};

use crate::error::shorten;

/// What was understood of a recorded data set that its user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatasetNote {
    /// Which kind of data set it was taken for.
    Kind {
        /// Its name.
        dataset: &'static str,
        /// How many episodes it has.
        episodes: usize,
    },
    /// A log of training or evaluation, whose rewards are known.
    Log {
        /// Which kind of log it was taken for.
        dataset: &'static str,
        /// The columns that hold its rewards.
        rewards: Vec<String>,
    },
    /// Every row of a table is an episode.
    RowsAreEpisodes {
        /// The column whose lists show it.
        column: String,
    },
    /// Rows of a log without a reward are left out.
    WithoutReward {
        /// How many.
        rows: u64,
    },
    /// Observations that are no part of states because they are pictures, or no numbers.
    KeysLeftOut {
        /// Their names.
        keys: Vec<String>,
    },
    /// The last frame of an episode has no next state.
    LastFrames {
        /// Whether frames say that they are the last.
        done: bool,
    },
    /// Frames without a reward are left out.
    MissingRewards {
        /// The reward.
        column: String,
        /// How many frames have none.
        missing: usize,
        /// How many frames there are.
        frames: usize,
    },
    /// There is less than the data set says of itself.
    Incomplete {
        /// Of what: `episodes` or `frames`.
        what: &'static str,
        /// How many are there.
        there: usize,
        /// How many there should be.
        total: usize,
    },
    /// Pictures became principal components.
    Pictures {
        /// How many pictures there are.
        pictures: usize,
        /// How many components.
        components: usize,
        /// How much of the variance of the pictures they hold, in percent.
        explained: u8,
    },
    /// What became of the records of patients.
    Patients {
        /// Keywords of diagnoses, and of procedures and prescriptions.
        keywords: [usize; 2],
        /// How much of the variance of each of them the components hold, in percent.
        explained: [u8; 2],
        /// Patients whose first record has no keyword of a class.
        unclassed: usize,
        /// Codes without a title.
        untitled: usize,
    },
    /// Columns hold the progress of a task.
    Progress {
        /// Their names.
        columns: Vec<String>,
    },
}

impl fmt::Display for DatasetNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatasetNote::Kind { dataset, episodes } => {
                write!(f, "read as {dataset}, {}", counted(*episodes, "episode", "episodes"))
            }
            DatasetNote::Log { dataset, rewards } => {
                write!(f, "read as {dataset}, with the rewards {}", quoted(rewards))
            }
            DatasetNote::RowsAreEpisodes { column } => {
                write!(f, "each row is an episode, since `{}` holds lists: it is read step by step", shorten(column))
            }
            DatasetNote::WithoutReward { rows } => {
                write!(
                    f,
                    "{} left out because one of the rewards is missing there; choose others with `--rewards`",
                    counted(*rows as usize, "row is", "rows are")
                )
            }
            DatasetNote::LastFrames { done: true } => {
                write!(
                    f,
                    "the last frame of an episode has no next state; it is left out unless its `next.done` is true"
                )
            }
            DatasetNote::LastFrames { done: false } => {
                write!(f, "the last frame of an episode has no next state; it is left out")
            }
            DatasetNote::MissingRewards { column, missing, frames } => write!(
                f,
                "{missing} of {} no `{}` and {} left out; the option `reward` chooses one reward alone",
                counted(*frames, "frame has", "frames have"),
                shorten(column),
                if *missing == 1 { "is" } else { "are" }
            ),
            DatasetNote::Incomplete { what, there, total } => {
                write!(f, "{there} of {total} {what} are there; the files of the others are missing")
            }
            DatasetNote::Progress { columns } => write!(
                f,
                "the progress p(s) of a task is in {}. Taken as a reward by itself it asks for states of high progress; its difference \
                 γp(s') − p(s) is pure shaping and asks for nothing",
                quoted(columns)
            ),
            DatasetNote::Pictures { pictures, components, explained } => write!(
                f,
                "{} in grey became {}, which {} {explained} % of their variance",
                counted(*pictures, "picture", "pictures"),
                counted(*components, "principal component", "principal components"),
                if *components == 1 { "holds" } else { "hold" }
            ),
            DatasetNote::Patients { keywords, explained, unclassed, untitled } => {
                write!(
                    f,
                    "{} keywords of diagnoses and {} of treatments became principal components, which hold {} % and {} % of their variance; \
                     {} of no class (label `other`)",
                    keywords[0],
                    keywords[1],
                    explained[0],
                    explained[1],
                    counted(*unclassed, "patient is", "patients are")
                )?;
                match untitled {
                    0 => Ok(()),
                    1 => write!(f, "; 1 code has no title and counts for nothing"),
                    codes => write!(f, "; {} codes have no title and count for nothing", count(*codes)),
                }
            }
            DatasetNote::KeysLeftOut { keys } => {
                write!(
                    f,
                    "left out of states, as pictures or no numbers: {}; the option `keys` chooses what states are made of",
                    quoted(keys)
                )
            }
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{}`", shorten(name))).collect::<Vec<_>>().join(", ")
}
