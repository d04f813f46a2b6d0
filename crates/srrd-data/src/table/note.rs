//! What is to be told about how a table was read.

use std::fmt;

use srrd::words::{count, counted};
use srrd::{Choice, FrontEnd};

use super::options::{Next, Role};
use super::scores::{CORRECT_THEM, OddScore};
use crate::dataset::DatasetNote;
use crate::error::shorten;

/// So many columns are named.
const MOST_NAMED: usize = 6;

/// What was understood of a table that its user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableNote {
    /// Columns were taken for others by their names.
    Recognised {
        /// The file.
        file: String,
        /// Which column is taken for what.
        columns: Vec<(Role, String)>,
    },
    /// Next states are the states of the rows that follow.
    Shifted {
        /// The file.
        file: String,
        /// How many episodes there are.
        episodes: usize,
        /// How many rows end their episode, and lead to an end state.
        ended: usize,
        /// How many rows were left out because their next states are not in the table.
        left_out: usize,
        /// Whether the rewards of these count all the same.
        paid: bool,
    },
    /// Next states were written as floats, and are read as the integers that states are.
    Integers {
        /// The file.
        file: String,
        /// The column of next states.
        column: String,
        /// The column of states.
        state: String,
        /// How a next state is written.
        example: String,
    },
    /// A word for nothing is taken for the name of a state or an action.
    NamedNothing {
        /// The file.
        file: String,
        /// The word.
        word: String,
        /// Where it may be.
        columns: Vec<String>,
        /// Whether it names an action.
        action: bool,
    },
    /// Next states of a copy are null that were NaN or a word for nothing.
    NullNextState {
        /// The file.
        file: String,
        /// How many.
        rows: u64,
    },
    /// Rows were joined in their order, and nothing says where time limits cut episodes off.
    NoLimits {
        /// The file.
        file: String,
        /// The column that says which rows end, if there is one.
        mark: Option<String>,
    },
    /// Rows of an episode do not lie together, and no column says in which order they are.
    Scattered {
        /// The file.
        file: String,
    },
    /// Episodes go on after they are over.
    Resumed {
        /// The file.
        file: String,
        /// After how many rows.
        rows: usize,
    },
    /// Some rows have no next state.
    Gaps {
        /// The file.
        file: String,
        /// How many of them end their episode, and lead to an end state.
        ended: usize,
        /// How many of them were left out because their next states are not known.
        left_out: usize,
        /// Whether the rewards of these count all the same.
        paid: bool,
    },
    /// Next states were asked for, and a copy has the columns of its input.
    NotShifted {
        /// The file.
        file: String,
    },
    /// Somebody has said where next states come from in tables without them, and the table has its own.
    OwnNextStates {
        /// The file.
        file: String,
        /// What was said.
        next: Next,
    },
    /// There are no next states, and a column says that rows follow each other.
    OneStep {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Whether it says of some rows that episodes go on after them; else it names episodes, without saying in which order rows are.
        goes_on: bool,
    },
    /// States are taken for prompts although rows are steps of episodes.
    StepsAsPrompts {
        /// The file.
        file: String,
    },
    /// A column is not used, and its name is nearly that of one that would be.
    Unused {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// What it may be.
        role: Role,
    },
    /// A column is not in a copy.
    LeftOut {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Why it cannot be kept.
        why: String,
    },
    /// Numbers of a copy became null.
    Null {
        /// The file.
        file: String,
        /// How many in which column.
        columns: Vec<(String, u64)>,
    },
    /// Which columns were taken for scores.
    Scores {
        /// The file.
        file: String,
        /// Their names.
        columns: Vec<String>,
    },
    /// Columns of numbers are not taken for scores.
    NoScores {
        /// The file.
        file: String,
        /// Each with the first of its values that is no number.
        columns: Vec<OddScore>,
    },
    /// A copy has only columns with a meaning.
    Dropped {
        /// The file.
        file: String,
        /// The others.
        columns: Vec<String>,
    },
    /// Several tables do not score the same responses.
    NotShared {
        /// How many responses of the largest table are left out.
        responses: usize,
    },
    /// It is a recorded data set.
    Dataset {
        /// The file.
        file: String,
        /// What is to be known about it.
        note: DatasetNote,
    },
}

impl TableNote {
    /// What it is about, as one word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            TableNote::Recognised { .. } => "recognised",
            TableNote::Shifted { .. } => "shifted",
            TableNote::Integers { .. } => "integers",
            TableNote::NamedNothing { .. } => "named_nothing",
            TableNote::NullNextState { .. } => "null_next_state",
            TableNote::NoLimits { .. } => "no_limits",
            TableNote::Scattered { .. } => "scattered",
            TableNote::Resumed { .. } => "resumed",
            TableNote::Gaps { .. } => "gaps",
            TableNote::NotShifted { .. } => "not_shifted",
            TableNote::OwnNextStates { .. } => "own_next_states",
            TableNote::OneStep { .. } => "one_step",
            TableNote::StepsAsPrompts { .. } => "steps_as_prompts",
            TableNote::Unused { .. } => "unused",
            TableNote::LeftOut { .. } => "column_left_out",
            TableNote::Null { .. } => "null",
            TableNote::Scores { .. } => "scores",
            TableNote::NoScores { .. } => "no_scores",
            TableNote::Dropped { .. } => "columns_left_out",
            TableNote::NotShared { .. } => "not_shared",
            TableNote::Dataset { note, .. } => note.kind(),
        }
    }

    /// Whether something is lost, or may be misread.
    pub fn is_warning(&self) -> bool {
        matches!(
            self,
            TableNote::LeftOut { .. }
                | TableNote::Null { .. }
                | TableNote::NamedNothing { .. }
                | TableNote::NoScores { .. }
                | TableNote::NotShifted { .. }
                | TableNote::OwnNextStates { .. }
                | TableNote::OneStep { .. }
                | TableNote::StepsAsPrompts { .. }
        )
    }

    /// Its kind and its sentence, as warnings have them in JSON.
    pub fn to_json(&self, front_end: FrontEnd) -> serde_json::Value {
        serde_json::json!({"kind": self.kind(), "message": self.say(front_end)})
    }

    /// One sentence, with options as this front end writes them.
    ///
    /// ```
    /// use srrd::FrontEnd;
    /// use srrd_data::TableNote;
    /// let note = TableNote::Scores { file: "a.csv".to_owned(), columns: vec!["old".to_owned(), "new".to_owned()] };
    /// assert_eq!(note.say(FrontEnd::Command), "a.csv: comparing the scores old, new; choose others with --rewards");
    /// assert_eq!(note.say(FrontEnd::Python), "a.csv: comparing the scores old, new; choose others with rewards");
    /// ```
    // Long, but one arm per note.
    pub fn say(&self, front_end: FrontEnd) -> String {
        match self {
            TableNote::Recognised { file, columns } => {
                let pair = |(role, column): &(Role, String)| format!("`{}` as {role}", shorten(column));
                format!("{file}: reading {}", columns.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            TableNote::Shifted { file, episodes, ended, left_out, paid } => {
                let episodes = counted(*episodes, "episode", "episodes");
                let ended = counted(*ended, "last row ends its episode", "last rows end their episode");
                let told: Vec<String> = [episodes, ended].into_iter().chain(unknown(*left_out, *paid)).collect();
                format!(
                    "{file}: there are no next states, so each row gets the state of the row after it in its episode ({})",
                    told.join("; ")
                )
            }
            TableNote::Integers { file, column, state, example } => format!(
                "{file}: `{}` has integers as `{}` has them, but also `{}`, as pandas writes integers among which some are missing: `15.0` \
                 is read as 15, and words such as NaN as missing",
                shorten(column),
                shorten(state),
                shorten(example)
            ),
            TableNote::NamedNothing { file, word, columns, action } => format!(
                "{file}: `{word}` in {} is taken as the name of {}, as any other text is; where it means that there is no value, {}",
                columns.iter().map(|column| format!("`{}`", shorten(column))).collect::<Vec<_>>().join(" or "),
                if *action { "an action" } else { "a state" },
                match (columns.len(), action) {
                    (2, false) => "leave the next state empty (null), and drop rows without a state",
                    _ => "drop these rows",
                }
            ),
            TableNote::NullNextState { file, rows } => format!(
                "{file}: in {} there is no next state, which is null or an empty cell in the copy",
                counted(*rows as usize, "row", "rows")
            ),
            TableNote::NoLimits { file, mark } => {
                let joined = match mark {
                    Some(mark) => format!(
                        "a row that `{}` does not mark is joined to the row after it, also where",
                        shorten(mark)
                    ),
                    None => "every row is joined to the row after it, also where an episode ended or".to_owned(),
                };
                format!(
                    "{file}: {joined} a time limit cut an episode off; if there are such rows, name the column that tells them, as in `{}` \
                     or `{}`",
                    Role::Episode.option(front_end, "NAME"),
                    Role::Timeout.option(front_end, "NAME")
                )
            }
            TableNote::Scattered { file } => format!(
                "{file}: rows of other episodes lie between those of one, and the order of the rows is taken as that of the steps; if it is \
                 another, name the column that numbers the steps, as in `{}`",
                Role::Step.option(front_end, "NAME")
            ),
            TableNote::Resumed { file, rows } => format!(
                "{file}: behind {} where an episode is over, rows of the same `episode` follow; they are taken for another one; where \
                 rows of several episodes are mixed, give each a name of its own",
                counted(*rows, "row", "rows")
            ),
            TableNote::Gaps { file, ended, left_out, paid } => {
                let rows = counted(ended + left_out, "row has", "rows have");
                let told: Vec<String> = ending(*ended).into_iter().chain(unknown(*left_out, *paid)).collect();
                format!("{file}: {rows} no next state ({})", told.join("; "))
            }
            TableNote::NotShifted { file } => format!(
                "{file}: a copy has the columns of its input, so `{}` adds no next states; say it where the table is compared",
                front_end.choice("next", "shift")
            ),
            TableNote::OwnNextStates { file, next } => format!(
                "{file}: the table has next states of its own, which are taken; for what `{}` says, rename or drop their columns",
                front_end.choice("next", next.name())
            ),
            TableNote::OneStep { file, column, goes_on } => format!(
                "{file}: there are no next states, so the problem is taken to have one step, although {}; `{}` takes the \
                 state of the row that follows, `{}` says that one step is right",
                match goes_on {
                    true => format!("`{}` says that episodes go on after some rows", shorten(column)),
                    false => format!(
                        "`{}` names episodes (no column `step` says in which order their rows are)",
                        shorten(column)
                    ),
                },
                front_end.choice("next", "shift"),
                front_end.choice("next", "none")
            ),
            TableNote::StepsAsPrompts { file } => format!(
                "{file}: states are taken for prompts and actions for responses, although `episode` and `step` make rows the steps of \
                 episodes; rewards of steps are compared by `distance`"
            ),
            TableNote::Unused { file, column, role } => format!(
                "{file}: column `{0}` is not used; if it is the {role}, say so with `{1}`",
                shorten(column),
                role.option(front_end, &shorten(column))
            ),
            TableNote::Null { file, columns } => {
                let told = |(column, count): &(String, u64)| format!("{count} of column `{}`", shorten(column));
                format!(
                    "{file}: JSON has no NaN and no infinities; null stands for {}; another format, such as Parquet or CSV, keeps them",
                    columns.iter().map(told).collect::<Vec<_>>().join(", ")
                )
            }
            TableNote::Scores { file, columns } => {
                format!(
                    "{file}: comparing the scores {}; choose others with {}",
                    columns.join(", "),
                    front_end.option("rewards")
                )
            }
            TableNote::NoScores { file, columns } => format!(
                "{file}: not taken for scores because not all of their values are numbers: {}; {CORRECT_THEM}",
                columns.iter().map(OddScore::to_string).collect::<Vec<_>>().join(", ")
            ),
            TableNote::Dropped { file, columns } => {
                let more = columns.len().saturating_sub(MOST_NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let named: Vec<String> =
                    columns.iter().take(MOST_NAMED).map(|column| format!("`{}`", shorten(column))).collect();
                format!("{file}: columns without a meaning here are not written: {}{more}", named.join(", "))
            }
            TableNote::NotShared { responses } => {
                format!("the tables do not score the same responses; {responses} of the largest are left out")
            }
            TableNote::Dataset { file, note } => format!("{file}: {}", note.say(front_end)),
            TableNote::LeftOut { file, column, why } => format!(
                "{file}: column `{}` is left out: {why}; convert it to text or numbers to keep it",
                shorten(column)
            ),
        }
    }
}

/// What became of so many rows without a next state that end their episode; nothing of none.
fn ending(rows: usize) -> Option<String> {
    match rows {
        0 => None,
        1 => Some("1 ends its episode, and leads to an end state".to_owned()),
        _ => Some(format!("{} end their episode, and lead to an end state", count(rows))),
    }
}

/// What became of so many rows whose next states are not known; nothing of none.
fn unknown(rows: usize, paid: bool) -> Option<String> {
    let why = if rows == 1 { "its next state is not known" } else { "their next states are not known" };
    (rows > 0).then(|| match paid {
        true => format!("of {} the rewards count because {why}", counted(rows, "row only", "rows only")),
        false => format!("{} left out because {why}", counted(rows, "row is", "rows are")),
    })
}

impl fmt::Display for TableNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(FrontEnd::Command))
    }
}
