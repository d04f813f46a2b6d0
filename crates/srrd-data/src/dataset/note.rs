//! What is to be known about a data set that was read.

use std::fmt;

use srrd::FrontEnd;
use srrd::words::{count, counted};

use crate::error::shorten;

/// Of so many rewards all are named.
const MOST_NAMED: usize = 6;

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
    /// Columns of a log are no rewards because some of their values are no numbers.
    MixedRewards {
        /// Their names, with the first text that is no number.
        columns: Vec<(String, String)>,
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
        /// Whether none of the rewards is there, or only one is missing.
        any: bool,
    },
    /// Rows of a log have some of the rewards; pairs of them are compared where both are.
    SomeRewards {
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

impl DatasetNote {
    /// What it is about, as one word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            DatasetNote::Kind { .. } => "dataset",
            DatasetNote::Log { .. } => "log",
            DatasetNote::MixedRewards { .. } => "mixed_rewards",
            DatasetNote::RowsAreEpisodes { .. } => "rows_are_episodes",
            DatasetNote::WithoutReward { .. } | DatasetNote::MissingRewards { .. } => "without_reward",
            DatasetNote::SomeRewards { .. } => "some_rewards",
            DatasetNote::KeysLeftOut { .. } => "keys_left_out",
            DatasetNote::LastFrames { .. } => "last_frames",
            DatasetNote::Incomplete { .. } => "incomplete",
            DatasetNote::Pictures { .. } => "pictures",
            DatasetNote::Patients { .. } => "patients",
            DatasetNote::Progress { .. } => "progress",
        }
    }

    /// One sentence, with options as this front end writes them.
    ///
    /// ```
    /// use srrd::FrontEnd;
    /// use srrd_data::DatasetNote;
    /// let note = DatasetNote::WithoutReward { rows: 2, any: false };
    /// assert!(note.say(FrontEnd::Command).ends_with("choose others with `--rewards`"));
    /// assert!(note.say(FrontEnd::Python).ends_with("choose others with `rewards`"));
    /// ```
    // Long, but one arm per note.
    pub fn say(&self, front_end: FrontEnd) -> String {
        match self {
            DatasetNote::Kind { dataset, episodes } => {
                format!("read as {dataset}, {}", counted(*episodes, "episode", "episodes"))
            }
            DatasetNote::Log { dataset, rewards } => {
                format!("read as {dataset}, with the rewards {}", few(rewards))
            }
            DatasetNote::MixedRewards { columns } => {
                let told = |(name, text): &(String, String)| format!("`{}` (holds `{}`)", shorten(name), shorten(text));
                format!(
                    "not taken for rewards because some of their values are text: {}; leave a value empty where there is no reward",
                    columns.iter().map(told).collect::<Vec<_>>().join(", ")
                )
            }
            DatasetNote::RowsAreEpisodes { column } => {
                format!("each row is an episode, since `{}` holds lists: it is read step by step", shorten(column))
            }
            DatasetNote::WithoutReward { rows, any: false } => {
                format!(
                    "{} left out because one of the rewards is missing there; choose others with `{}`",
                    counted(*rows as usize, "row is", "rows are"),
                    front_end.option("rewards")
                )
            }
            DatasetNote::WithoutReward { rows, any: true } => {
                format!(
                    "{} left out because none of the rewards is there",
                    counted(*rows as usize, "row is", "rows are")
                )
            }
            DatasetNote::SomeRewards { rows } => {
                format!(
                    "{} only some of the rewards; every pair is compared on the rows that have both",
                    counted(*rows as usize, "row has", "rows have")
                )
            }
            DatasetNote::LastFrames { done: true } => {
                "the last frame of an episode has no next state; it is left out unless its `next.done` is true"
                    .to_owned()
            }
            DatasetNote::LastFrames { done: false } => {
                "the last frame of an episode has no next state; it is left out".to_owned()
            }
            DatasetNote::MissingRewards { column, missing, frames } => format!(
                "{missing} of {} no `{}` and {} left out; the option `reward` chooses one reward alone",
                counted(*frames, "frame has", "frames have"),
                shorten(column),
                if *missing == 1 { "is" } else { "are" }
            ),
            DatasetNote::Incomplete { what, there, total } => {
                format!("{there} of {total} {what} are there; the files of the others are missing")
            }
            DatasetNote::Progress { columns } => format!(
                "the progress p(s) of a task is in {}. Taken as a reward by itself it asks for states of high progress; its difference \
                 γp(s') − p(s) is pure shaping and asks for nothing",
                quoted(columns)
            ),
            DatasetNote::Pictures { pictures, components, explained } => format!(
                "{} in grey became {}, which {} {explained} % of their variance",
                counted(*pictures, "picture", "pictures"),
                counted(*components, "principal component", "principal components"),
                if *components == 1 { "holds" } else { "hold" }
            ),
            DatasetNote::Patients { keywords, explained, unclassed, untitled } => {
                format!(
                    "{} keywords of diagnoses and {} of treatments became principal components, which hold {} % and {} % of their variance; \
                     {} of no class (label `other`)",
                    keywords[0],
                    keywords[1],
                    explained[0],
                    explained[1],
                    counted(*unclassed, "patient is", "patients are")
                ) + &match untitled {
                    0 => String::new(),
                    1 => "; 1 code has no title and counts for nothing".to_owned(),
                    codes => format!("; {} codes have no title and count for nothing", count(*codes)),
                }
            }
            DatasetNote::KeysLeftOut { keys } => {
                format!(
                    "left out of states, as pictures or no numbers: {}; the option `keys` chooses what states are made of",
                    quoted(keys)
                )
            }
        }
    }
}

impl fmt::Display for DatasetNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(FrontEnd::Command))
    }
}

/// The first of many names.
fn few(names: &[String]) -> String {
    match names.len().saturating_sub(MOST_NAMED) {
        0 | 1 => quoted(names),
        more => format!("{} and {more} more", quoted(&names[..MOST_NAMED])),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{}`", shorten(name))).collect::<Vec<_>>().join(", ")
}
