//! From tables to reward samples: one file is one sample, or as many as its `sample` column names, for each reward column.

use std::path::Path;

use srrd::{NamedSample, SampleBuilder, SampleError};

use super::batch::Batch;
use super::gather::Gathered;
use super::number::finite_numbers;
use super::options::{TableNote, TableOptions};
use super::read::{ReadOptions, TableReader, for_each_batch, for_each_mapped, open};
use super::roles::{NextState, Places, Roles};
use super::shift::{Following, following};
use super::tokens::{Ends, Tokens, cell_text, check_present};
use crate::error::{ErrorKind, TableError};

/// The place of a row that is in no sample.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The samples of a table, and where its rows went.
#[derive(Clone, Debug)]
pub struct SampleTable {
    /// The samples, in order of their first rows; those of several reward columns one behind the other.
    pub samples: Vec<NamedSample>,
    /// What was understood of the table that its user should know.
    pub notes: Vec<TableNote>,
    /// How many reward columns there are.
    pub(super) rewards: usize,
    /// For every row of the table the index of its sample, reward columns not counted; empty when all rows are in the only one.
    pub(super) sample_of_row: Vec<u32>,
    /// For every row of the table the index of its transition in its sample.
    pub(super) transition_of_row: Vec<u32>,
    /// For every row of the table whether the task is over after it.
    pub(super) ends: Option<Vec<bool>>,
}

impl From<NamedSample> for SampleTable {
    /// A sample whose rows nobody asks for.
    fn from(sample: NamedSample) -> Self {
        SampleTable {
            samples: vec![sample],
            notes: Vec::new(),
            rewards: 1,
            sample_of_row: Vec::new(),
            transition_of_row: Vec::new(),
            ends: None,
        }
    }
}

impl SampleTable {
    /// How many rows the table has.
    pub fn row_count(&self) -> usize {
        self.transition_of_row.len()
    }

    /// How many reward columns there are, and so how many samples every row is in.
    pub fn reward_count(&self) -> usize {
        self.rewards
    }

    /// The indices of a row's sample (of the first reward column; those of the others follow it) and, in there, of its transition.
    /// `None` for a row that was left out because nobody knows its next state.
    #[inline]
    pub fn place_of(&self, row: usize) -> Option<(usize, usize)> {
        let sample = self.sample_of_row.get(row).copied().unwrap_or(0);
        (sample != NOWHERE).then(|| (sample as usize * self.rewards, self.transition_of_row[row] as usize))
    }

    /// The places of all rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = Option<(usize, usize)>> + '_ {
        (0..self.row_count()).map(|row| self.place_of(row))
    }

    /// For every row of the table whether the task is over after it; `None` where no column says so.
    pub fn ends(&self) -> Option<&[bool]> {
        self.ends.as_deref()
    }
}

/// Reads the reward samples of a table; `-` is CSV on standard input. See [`read_table`] for what was understood of it.
///
/// # Errors
/// As [`read_table`].
pub fn read_samples(path: &Path, options: impl Into<TableOptions>) -> Result<Vec<NamedSample>, TableError> {
    read_table(path, options).map(|table| table.samples)
}

/// Reads the reward samples of a table, and where its rows went; `-` is CSV on standard input.
///
/// # Errors
/// Anything wrong with the table; the message names the file, the row and the column and says what to do.
pub fn read_table(path: &Path, options: impl Into<TableOptions>) -> Result<SampleTable, TableError> {
    let reader = open(path, &ReadOptions::default())?;
    let name = match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => reader.name().to_owned(),
    };
    read_sample_table(reader, &name, options)
}

/// Reads the reward samples of a table that is open; `name` is that of the sample when neither a `sample` column nor reward columns
/// name it.
///
/// # Errors
/// As [`read_table`].
pub fn read_sample_table(
    mut reader: Box<dyn TableReader>,
    name: &str,
    options: impl Into<TableOptions>,
) -> Result<SampleTable, TableError> {
    let options = options.into();
    let file = reader.name().to_owned();
    let mut notes = Vec::new();
    let roles = Roles::of(&file, reader.schema(), &options, &mut notes)?;
    let columns = roles.columns();
    reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    let places = Places::of(&roles, reader.schema());
    let rows = Rows { file: &file, roles: &roles, places: &places };
    let mut taker =
        Taker { rows, gathered: Gathered::new(&file, name, options.duplicates, &roles), ends: Ends::default() };
    if roles.next_state == NextState::Shifted {
        let following = taker.take_shifted(reader)?;
        notes.push(TableNote::Shifted {
            file: file.clone(),
            episodes: following.episodes,
            ended: following.ended,
            left_out: following.left_out,
        });
    } else {
        // Without a choice to be made for every row, threads can push rows on their own.
        let apart = roles.sample.is_none() && roles.label.is_none() && !roles.needs_episodes();
        for_each_mapped(
            reader,
            |batch| if apart { rows.pushed(batch) } else { None },
            |batch, pushed| {
                taker.ends.push(&file, &roles, &places, batch)?;
                match pushed {
                    Some((mut builder, others)) => taker.append(batch, &mut builder, &others),
                    None => taker.take(batch, None),
                }
            },
        )?;
    }
    let Taker { gathered, ends, .. } = taker;
    let mut table = gathered.build()?;
    table.notes = notes;
    // Handed over here, by row of the table: whoever builds samples that know their ends takes them from this list.
    table.ends = (!ends.ends.is_empty()).then_some(ends.ends);
    Ok(table)
}

/// The rows of the batches of a table.
#[derive(Clone, Copy)]
struct Rows<'a> {
    file: &'a str,
    roles: &'a Roles,
    places: &'a Places,
}

impl Rows<'_> {
    fn states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.state, &self.places.state, self.file, batch)
    }

    fn actions<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        Tokens::of(&self.roles.action, &self.places.action, self.file, batch)
    }

    fn next_states<'b>(&self, batch: &'b Batch) -> Result<Tokens<'b>, TableError> {
        match (&self.roles.next_state, &self.places.next_state) {
            (NextState::Given(identity), Some(positions)) => Tokens::of(identity, positions, self.file, batch),
            _ => Ok(Tokens::End),
        }
    }

    /// By reward column, the rewards of all rows.
    fn rewards(&self, batch: &Batch) -> Result<Vec<Vec<f64>>, TableError> {
        let columns = self.roles.rewards.iter().zip(&self.places.rewards);
        columns
            .map(|(name, &position)| {
                let mut rewards = Vec::with_capacity(batch.rows);
                finite_numbers(self.file, name, batch, position, &mut rewards).map(|()| rewards)
            })
            .collect()
    }

    /// The rows of a batch in a builder of their own, and their rewards in the columns behind the first; `None` when there is anything
    /// wrong with one, which is found out elsewhere.
    fn pushed(&self, batch: &Batch) -> Option<(SampleBuilder, Vec<Vec<f64>>)> {
        let mut builder = SampleBuilder::with_capacity(batch.rows);
        let (state, action) = (self.states(batch).ok()?, self.actions(batch).ok()?);
        let next_state = self.next_states(batch).ok()?;
        let mut rewards = self.rewards(batch).ok()?;
        for (index, &reward) in rewards[0].iter().enumerate() {
            state
                .with(index, |s| action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, reward))))
                .ok()?;
        }
        rewards.remove(0);
        Some((builder, rewards))
    }

    /// An error of the library about one row.
    fn error(&self, batch: &Batch, index: usize, error: &SampleError) -> TableError {
        let what = match error {
            SampleError::TooBig { value, .. } => format!(
                "{value:e} is too large to compute with; divide all rewards by a constant (distances do not change)"
            ),
            other => other.to_string(),
        };
        let placed = TableError::new(ErrorKind::Number, self.file, what)
            .at_row(batch.row_number(index))
            .at_line(batch.line(index));
        match error {
            SampleError::TooBig { .. } => placed.in_column(&self.roles.rewards[0]),
            _ => placed,
        }
    }
}

/// Takes the rows of a table.
struct Taker<'a> {
    rows: Rows<'a>,
    gathered: Gathered<'a>,
    ends: Ends,
}

impl Taker<'_> {
    /// Takes rows that were pushed already, all into the only sample.
    fn append(&mut self, batch: &Batch, builder: &mut SampleBuilder, others: &[Vec<f64>]) -> Result<(), TableError> {
        let to = self.gathered.sample(None);
        if let Err(error) = self.gathered.builder(to).append(builder) {
            return Err(self.rows.error(batch, 0, &error));
        }
        self.gathered.others(to).iter_mut().zip(others).for_each(|(to, rewards)| to.extend(rewards));
        if self.gathered.notes_rows() {
            (0..batch.rows).for_each(|index| self.gathered.note_row(to, batch.row_number(index)));
        }
        Ok(())
    }

    /// Takes the rows of a batch one by one; of those whose next states are elsewhere, only those that have one.
    fn take(&mut self, batch: &Batch, elsewhere: Option<(Tokens<'_>, &[bool])>) -> Result<(), TableError> {
        let Rows { file, roles, places } = self.rows;
        let (state, action) = (self.rows.states(batch)?, self.rows.actions(batch)?);
        let (next_state, known) = match elsewhere {
            Some((tokens, known)) => (tokens, Some(known)),
            None => (self.rows.next_states(batch)?, None),
        };
        let rewards = self.rows.rewards(batch)?;
        let column = |name: &Option<String>, position: Option<usize>| -> Result<_, TableError> {
            let Some((name, position)) = name.as_ref().zip(position) else { return Ok(None) };
            check_present(file, name, batch, &batch.columns[position])?;
            Ok(Some(&batch.columns[position]))
        };
        let sample = column(&roles.sample, places.sample)?;
        let episode = if roles.keep_episodes { column(&roles.episode, places.episode)? } else { None };
        let label = places.label.map(|position| &batch.columns[position]);
        for index in 0..batch.rows {
            if known.is_some_and(|known| !known[index]) {
                self.gathered.note_left_out();
                continue;
            }
            let to = self.gathered.sample(sample.map(|column| cell_text(column, index)).as_deref());
            if let Some(column) = label {
                let text = if column.is_valid(index) { cell_text(column, index) } else { "".into() };
                self.gathered.label(to, &text, batch, index)?;
            }
            let builder = self.gathered.builder(to);
            let pushed = state.with(index, |s| {
                action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, rewards[0][index])))
            });
            pushed.map_err(|error| self.rows.error(batch, index, &error))?;
            self.gathered.others(to).iter_mut().zip(&rewards[1..]).for_each(|(to, column)| to.push(column[index]));
            self.gathered.note_row(to, batch.row_number(index));
            if let Some(column) = episode {
                self.gathered.push_episode(to, &cell_text(column, index));
            }
        }
        Ok(())
    }

    /// Takes all rows of a table whose next states are the states of other rows: they are held until all are there.
    fn take_shifted(&mut self, reader: Box<dyn TableReader>) -> Result<Following, TableError> {
        let Rows { file, roles, places } = self.rows;
        let mut batches: Vec<Batch> = Vec::new();
        for_each_batch(reader, |batch| {
            self.ends.push(file, roles, places, batch)?;
            batches.push(std::mem::take(batch));
            Ok(())
        })?;
        if batches.is_empty() {
            return Err(TableError::no_rows(file));
        }
        let following = following(file, roles, places, &batches, &self.ends)?;
        let states: Vec<Tokens<'_>> = batches.iter().map(|batch| self.rows.states(batch)).collect::<Result<_, _>>()?;
        for (number, batch) in batches.iter().enumerate() {
            let next = Tokens::Elsewhere { all: &states, of: &following.next[number] };
            self.take(batch, Some((next, &following.known[number])))?;
        }
        Ok(following)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::format::{FileFormat, Format};
    use crate::table::read::open_bytes;
    use srrd::Duplicates;

    fn table_of(format: Format, text: &str, duplicates: Duplicates) -> Result<SampleTable, TableError> {
        let bytes = text.as_bytes().to_vec();
        let reader = open_bytes("t", FileFormat::plain(format), bytes, &ReadOptions::default())?;
        read_sample_table(reader, "only", duplicates)
    }

    fn csv(text: &str) -> Result<SampleTable, TableError> {
        table_of(Format::Csv, text, Duplicates::Mean)
    }

    fn message(text: &str) -> String {
        csv(text).unwrap_err().to_string()
    }

    #[test]
    fn one_table_holds_one_sample_or_several() {
        let one = csv("state,action,next_state,reward\na,x,b,1\nb,x,a,2\na,x,b,3\n").unwrap();
        assert_eq!(one.samples[0].name, "only");
        assert_eq!(one.samples[0].sample.duplicates().averaged, 1);
        assert_eq!(one.rows().flatten().collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 0)]);

        let text = "label,reward,next_state,action,state,sample\n\
                    red,1,b,x,a,p\nred,2,a,x,b,p\nblue,3,b,x,a,q\nred,4,b,y,a,p\nblue,5,b,x,b,q\n";
        let two = csv(text).unwrap();
        let named: Vec<_> = two.samples.iter().map(|s| (s.name.as_str(), s.label.as_deref(), s.sample.len())).collect();
        assert_eq!(named, [("p", Some("red"), 3), ("q", Some("blue"), 2)]);
        assert_eq!(two.rows().flatten().collect::<Vec<_>>(), [(0, 0), (0, 2), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn features_are_matched_by_name() {
        let text = "state.y,state.x,action,next_state.x,next_state.y,reward\n1,2,go,2.0,1,0.5\n1,2,go,3,1,0.25\n";
        let table = csv(text).unwrap();
        let named = &table.samples[0];
        assert_eq!(named.state_features.as_deref(), Some(&["x".to_owned(), "y".to_owned()][..]));
        assert_eq!(named.sample.states().len(), 2);
        let first = named.sample.transition(0);
        assert_eq!(first.state, first.next_state);
        assert_eq!(first.state.as_features(), Some(&[2.0, 1.0][..]));
    }

    #[test]
    fn episodes_are_read_when_asked_for_in_any_order_of_rows() {
        let rows = ["a,x,b,1,e2", "b,x,a,2,e10", "a,x,b,1,e10", "b,x,b,4,e2", "b,x,a,2,e1"];
        let read = |rows: &[&str], episodes: bool| {
            let text = format!("state,action,next_state,reward,episode\n{}\n", rows.join("\n"));
            let format = FileFormat::plain(Format::Csv);
            let reader = open_bytes("t", format, text.into_bytes(), &ReadOptions::default()).unwrap();
            let options = TableOptions { episodes, ..TableOptions::default() };
            read_sample_table(reader, "only", options).map(|table| table.samples[0].episodes.clone())
        };
        assert_eq!(read(&rows, false).unwrap(), None);
        let episodes = read(&rows, true).unwrap().unwrap();
        // e1, e10, e2 in the order of their names; transitions (a, b), (b, a), (b, b).
        assert_eq!((episodes.of(0), episodes.of(1), episodes.of(2)), (&[1, 2][..], &[0, 1][..], &[2][..]));
        let mut turned = rows;
        turned.reverse();
        assert_eq!(read(&turned, true).unwrap().unwrap(), episodes);
        let missing = read(&["a,x,b,1,e1", "b,x,a,2,"], true).unwrap_err().to_string();
        assert!(missing.starts_with("t: row 2 (line 3), column `episode`: the value is missing"), "{missing}");
        let plain = table_of(Format::Csv, "state,action,next_state,reward\na,x,b,1\n", Duplicates::Mean).unwrap();
        assert_eq!(plain.samples[0].episodes, None);
    }

    #[test]
    fn a_table_without_next_states_is_a_one_step_problem() {
        let table = csv("state,action,reward\nprompt,yes,1\nprompt,no,-1\n").unwrap();
        let sample = &table.samples[0].sample;
        assert_eq!((sample.len(), sample.states().len(), sample.terminal_states().count()), (2, 2, 1));
    }

    #[test]
    fn typed_and_written_tokens_meet() {
        let typed = "{\"state\": 1, \"action\": true, \"next_state\": 2.0, \"reward\": 1}\n\
                     {\"state\": 1, \"action\": false, \"next_state\": 2.5, \"reward\": 2}\n";
        let typed = table_of(Format::Jsonl, typed, Duplicates::Mean).unwrap();
        let written = csv("state,action,next_state,reward\n1,true,2,1\n1,false,2.5,2\n").unwrap();
        assert_eq!(typed.samples[0].sample, written.samples[0].sample);
    }

    #[test]
    fn integers_beyond_64_bits_are_tokens_and_names_of_their_own() {
        let row = |state: &str, sample: &str| {
            format!("{{\"sample\": {sample}, \"state\": {state}, \"action\": 0, \"next_state\": 7, \"reward\": 1}}\n")
        };
        let long = ["18446744073709551616", "18446744073709551617", "-9223372036854775809", "9223372036854775808", "7"];
        let states: String = long.iter().map(|state| row(state, "1")).collect();
        let typed = table_of(Format::Jsonl, &states, Duplicates::Mean).unwrap();
        assert_eq!(typed.samples[0].sample.states().len(), 5);
        let written: String = long.iter().map(|state| format!("1,{state},0,7,1\n")).collect();
        let written = csv(&format!("sample,state,action,next_state,reward\n{written}")).unwrap();
        assert_eq!(typed.samples[0].sample, written.samples[0].sample);
        let names: String = long.iter().map(|sample| row("1", sample)).collect();
        let names = table_of(Format::Jsonl, &names, Duplicates::Mean).unwrap();
        assert_eq!(names.samples.iter().map(|named| named.name.as_str()).collect::<Vec<_>>(), long);
    }

    #[test]
    fn messages_name_row_and_column() {
        assert_eq!(
            message("state,action,reward,next\n"),
            "t: the table has no data rows; at least one transition is needed"
        );
        assert_eq!(
            message("state,next_state,reward\na,b,1\n"),
            "t: column `action`: the column is missing: a table of transitions needs it (or feature columns \
             `action.NAME`); this one has `state`, `next_state`, `reward`"
        );
        assert!(message("state,action,next_state\na,b,1\n").starts_with("t: column `reward`: the column is missing"));
        assert!(
            message("state,action,next_state,reward\na,x,b,1\na,,b,2\n")
                .starts_with("t: row 2 (line 3), column `action`: the value is missing")
        );
        assert!(
            message("state,action,next_state,reward\na,x,b,nan\n").starts_with("t: row 1 (line 2), column `reward`: ")
        );
        assert!(
            message("state,action,next_state,reward\na,x,b,1e400\n")
                .starts_with("t: row 1 (line 2), column `reward`: ")
        );
        assert!(message("state,action,next_state,reward\na,x,b,1e200\n").contains("is too large to compute with"));
        assert!(
            message("state.x,action,next_state.y,reward\n1,x,2,1\n")
                .contains("states are identified by `state.x` but next states by `next_state.y`")
        );
        assert_eq!(
            message("sample,label,state,action,next_state,reward\np,red,a,x,b,1\np,blue,a,x,c,1\n"),
            "t: row 2 (line 3), column `label`: sample 'p' has the label 'blue' here and 'red' before: a sample has one \
             label; correct it, or give the rows another `sample`"
        );
        let text = "sample,state,action,next_state,reward\nq,a,x,b,0\np,a,x,b,1\nq,b,x,b,0\np,a,x,b,2\n";
        assert_eq!(
            table_of(Format::Csv, text, Duplicates::Error).unwrap_err().to_string(),
            "t: row 4, column `reward`: the transition (a, x, b) has the reward 2 here and 1 in row 2; correct one of \
             them, or choose `--duplicates mean`, `first` or `last`"
        );
    }

    #[test]
    fn headers_that_are_nearly_right_are_explained() {
        for (format, header, says) in [
            (
                Format::Csv,
                "state, action, next_state, reward",
                "` action` has spaces around it; write names and values",
            ),
            (Format::Csv, "state,action, next_state,reward", "` next_state` has spaces around it"),
            (Format::Csv, "state;action;next_state;reward", "separated by semicolons: separate them by commas"),
            (Format::Csv, "state.x\tstate.y\taction\treward", "separated by tabs: give the file the extension .tsv"),
            (Format::Tsv, "state,action,next_state,reward", "separated by commas: give the file the extension .csv"),
            (Format::Csv, "State,action,reward", "rename `State` to `state`"),
        ] {
            let error = table_of(format, &format!("{header}\n"), Duplicates::Mean).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::MissingColumn, "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn reading_ahead_changes_nothing_and_ends_early_on_errors() {
        let mut text = String::from("state,action,next_state,reward\n");
        for i in 0..200_000 {
            text += &format!("{},{},{},{}\n", i % 7919, i % 4, (i * 31) % 7919, i % 1000);
        }
        let run = |threads: usize, text: &str| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| csv(text).map(|table| table.samples[0].sample.clone()))
        };
        assert_eq!(run(1, &text).unwrap(), run(2, &text).unwrap());
        let broken = text.replacen("100,0,3100,100\n", "100,0,3100\n", 1);
        assert_eq!(run(1, &broken).unwrap_err().to_string(), run(2, &broken).unwrap_err().to_string());
    }
}
