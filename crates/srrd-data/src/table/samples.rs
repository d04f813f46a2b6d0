//! From tables to reward samples: one file is one sample, or as many as its `sample` column names.

use std::collections::HashMap;
use std::path::Path;

use srrd::{Duplicates, NamedSample, Placement, SampleBuilder, SampleError};

use crate::error::{ErrorKind, TableError};
use crate::table::batch::{Batch, Schema};
use crate::table::copy::label_changes;
use crate::table::episodes::EpisodeRows;
use crate::table::number::finite_numbers;
use crate::table::read::{ReadOptions, TableReader, for_each_mapped, open};
use crate::table::roles::{EPISODE, REWARD, Roles, Tokens, cell_text, check_present};

/// The samples of a table, and where its rows went.
#[derive(Clone, Debug)]
pub struct SampleTable {
    /// The samples, in order of their first rows.
    pub samples: Vec<NamedSample>,
    /// For every row of the table the index of its sample; empty when there is only one.
    sample_of_row: Vec<u32>,
    /// For every row of the table the index of its transition in its sample.
    transition_of_row: Vec<u32>,
}

impl SampleTable {
    /// How many rows the table has.
    pub fn row_count(&self) -> usize {
        self.transition_of_row.len()
    }

    /// The indices of a row's sample and, in there, of its transition.
    #[inline]
    pub fn place_of(&self, row: usize) -> (usize, usize) {
        let sample = self.sample_of_row.get(row).map_or(0, |&sample| sample as usize);
        (sample, self.transition_of_row[row] as usize)
    }

    /// The places of all rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.row_count()).map(|row| self.place_of(row))
    }
}

/// Reads the reward samples of a table; `-` is CSV on standard input.
///
/// # Errors
/// Anything wrong with the table; the message names the file, the row and the column and says what to do.
pub fn read_samples(path: &Path, duplicates: Duplicates) -> Result<Vec<NamedSample>, TableError> {
    read(path, duplicates, false)
}

/// As [`read_samples`], with the episodes of each sample where the table has a column `episode`. 12 bytes a row more while it is
/// read.
///
/// # Errors
/// As [`read_samples`], and when an episode is missing.
pub fn read_samples_with_episodes(path: &Path, duplicates: Duplicates) -> Result<Vec<NamedSample>, TableError> {
    read(path, duplicates, true)
}

fn read(path: &Path, duplicates: Duplicates, episodes: bool) -> Result<Vec<NamedSample>, TableError> {
    let reader = open(path, &ReadOptions::default())?;
    let name = match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => reader.name().to_owned(),
    };
    read_table(reader, &name, duplicates, episodes).map(|table| table.samples)
}

/// Reads the reward samples of a table that is open; `name` is that of the sample when there is no `sample` column.
///
/// # Errors
/// As [`read_samples`].
pub fn read_sample_table(
    reader: Box<dyn TableReader>,
    name: &str,
    duplicates: Duplicates,
) -> Result<SampleTable, TableError> {
    read_table(reader, name, duplicates, false)
}

/// As [`read_sample_table`], with the episodes of each sample where the table has a column `episode`.
///
/// # Errors
/// As [`read_samples_with_episodes`].
pub fn read_sample_table_with_episodes(
    reader: Box<dyn TableReader>,
    name: &str,
    duplicates: Duplicates,
) -> Result<SampleTable, TableError> {
    read_table(reader, name, duplicates, true)
}

fn read_table(
    mut reader: Box<dyn TableReader>,
    name: &str,
    duplicates: Duplicates,
    episodes: bool,
) -> Result<SampleTable, TableError> {
    let file = reader.name().to_owned();
    let mut roles = Roles::of(&file, reader.schema())?;
    if episodes {
        roles.episode = reader.schema().index_of(EPISODE).map(|_| EPISODE.to_owned());
    }
    let columns = roles.columns();
    reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>())?;
    let schema = reader.schema().clone();
    let reward_position = schema.index_of(REWARD).expect("the column was selected");

    let gathered = Gathered::new(&file, name, duplicates);
    let mut taker =
        Taker { file: &file, roles: &roles, schema: &schema, reward_position, rewards: Vec::new(), gathered };
    // Without a choice to be made for every row, threads can push rows on their own.
    let apart = roles.sample.is_none() && roles.label.is_none() && roles.episode.is_none();
    let push = |batch: &Batch| if apart { pushed(&file, &roles, &schema, reward_position, batch) } else { None };
    for_each_mapped(reader, push, |batch, pushed| match pushed {
        Some(mut rows) => taker.append(batch, &mut rows),
        None => taker.check(batch),
    })?;
    taker.gathered.build(&roles)
}

/// What became of the rows of a table, given what became of those of each sample.
fn in_order_of_rows(sample_of_row: &[u32], mut placements: Vec<Placement>) -> Vec<u32> {
    if sample_of_row.is_empty() {
        return placements.pop().map(|placement| placement.transition).unwrap_or_default();
    }
    let mut rest: Vec<_> = placements.iter().map(|placement| placement.transition.iter()).collect();
    let next = |&sample: &u32| *rest[sample as usize].next().expect("a row of the table is one of its sample");
    sample_of_row.iter().map(next).collect()
}

/// Takes the rows of a table.
struct Taker<'a> {
    file: &'a str,
    roles: &'a Roles,
    schema: &'a Schema,
    reward_position: usize,
    rewards: Vec<f64>,
    gathered: Gathered<'a>,
}

/// The rows of a batch in a builder of their own; `None` when there is anything wrong with one, which is found out elsewhere.
fn pushed(file: &str, roles: &Roles, schema: &Schema, reward_position: usize, batch: &Batch) -> Option<SampleBuilder> {
    let mut builder = SampleBuilder::with_capacity(batch.rows);
    let state = Tokens::of(Some(&roles.state), file, schema, batch).ok()?;
    let action = Tokens::of(Some(&roles.action), file, schema, batch).ok()?;
    let next_state = Tokens::of(roles.next_state.as_ref(), file, schema, batch).ok()?;
    let mut rewards = Vec::with_capacity(batch.rows);
    finite_numbers(file, REWARD, batch, reward_position, &mut rewards).ok()?;
    for (index, &reward) in rewards.iter().enumerate() {
        state
            .with(index, |s| action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, reward))))
            .ok()?;
    }
    Some(builder)
}

impl Taker<'_> {
    fn append(&mut self, batch: &Batch, rows: &mut SampleBuilder) -> Result<(), TableError> {
        let to = self.gathered.only();
        if let Err(error) = self.gathered.builders[to].append(rows) {
            return Err(row_error(self.file, batch, 0, &error));
        }
        if self.gathered.notes_rows() {
            (0..batch.rows).for_each(|index| self.gathered.note_row(to, batch.row_number(index)));
        }
        Ok(())
    }

    fn check(&mut self, batch: &Batch) -> Result<(), TableError> {
        let Taker { file, roles, schema, .. } = *self;
        let state = Tokens::of(Some(&roles.state), file, schema, batch)?;
        let action = Tokens::of(Some(&roles.action), file, schema, batch)?;
        let next_state = Tokens::of(roles.next_state.as_ref(), file, schema, batch)?;
        self.rewards.clear();
        finite_numbers(file, REWARD, batch, self.reward_position, &mut self.rewards)?;
        let column = |name: &str| &batch.columns[schema.index_of(name).expect("the column was selected")];
        let sample = roles.sample.as_deref().map(|name| (name, column(name)));
        let label = roles.label.as_deref().map(column);
        let episode = roles.episode.as_deref().map(|name| (name, column(name)));
        for (name, column) in [sample, episode].into_iter().flatten() {
            check_present(file, name, batch, column)?;
        }
        for (index, &reward) in self.rewards.iter().enumerate() {
            let to = match sample {
                None => self.gathered.only(),
                Some((_, column)) => self.gathered.named(&cell_text(column, index)),
            };
            if let Some(column) = label {
                let text = if column.is_valid(index) { cell_text(column, index) } else { "".into() };
                self.gathered.label(to, &text, batch, index)?;
            }
            let builder = &mut self.gathered.builders[to];
            let pushed = state
                .with(index, |s| action.with(index, |a| next_state.with(index, |n| builder.push(s, a, n, reward))));
            pushed.map_err(|error| row_error(file, batch, index, &error))?;
            self.gathered.note_row(to, batch.row_number(index));
            if let Some((_, column)) = episode {
                self.gathered.episodes[to].push(&cell_text(column, index));
            }
        }
        Ok(())
    }
}

/// The samples of a table as their rows come in.
struct Gathered<'a> {
    file: &'a str,
    only_name: &'a str,
    duplicates: Duplicates,
    names: Vec<String>,
    known: HashMap<String, usize>,
    labels: Vec<Option<String>>,
    builders: Vec<SampleBuilder>,
    episodes: Vec<EpisodeRows>,
    sample_of_row: Vec<u32>,
    /// The numbers of a sample's rows in the file, kept only where a message may need them.
    row_numbers: Vec<Vec<u64>>,
    last: usize,
}

impl<'a> Gathered<'a> {
    fn new(file: &'a str, only_name: &'a str, duplicates: Duplicates) -> Self {
        Gathered {
            file,
            only_name,
            duplicates,
            names: Vec::new(),
            known: HashMap::new(),
            labels: Vec::new(),
            builders: Vec::new(),
            episodes: Vec::new(),
            sample_of_row: Vec::new(),
            row_numbers: Vec::new(),
            last: 0,
        }
    }

    fn add(&mut self, name: &str) -> usize {
        self.names.push(name.to_owned());
        self.labels.push(None);
        self.builders.push(SampleBuilder::new());
        self.episodes.push(EpisodeRows::default());
        self.row_numbers.push(Vec::new());
        self.names.len() - 1
    }

    #[inline]
    fn only(&mut self) -> usize {
        if self.names.is_empty() {
            self.add(self.only_name);
        }
        0
    }

    fn named(&mut self, name: &str) -> usize {
        // Rows of one sample mostly lie together.
        if self.names.get(self.last).is_some_and(|last| last == name) {
            return self.last;
        }
        self.last = match self.known.get(name) {
            Some(&index) => index,
            None => {
                let index = self.add(name);
                self.known.insert(name.to_owned(), index);
                index
            }
        };
        self.last
    }

    fn label(&mut self, sample: usize, text: &str, batch: &Batch, index: usize) -> Result<(), TableError> {
        match &self.labels[sample] {
            None => self.labels[sample] = Some(text.to_owned()),
            Some(label) if label == text => {}
            Some(label) => {
                return Err(label_changes(self.file, &self.names[sample], label, text, batch, index));
            }
        }
        Ok(())
    }

    /// Whether anything has to be noted of a row beside its transition.
    fn notes_rows(&self) -> bool {
        self.duplicates == Duplicates::Error || self.names.len() > 1
    }

    #[inline]
    fn note_row(&mut self, sample: usize, number: u64) {
        if self.duplicates == Duplicates::Error {
            self.row_numbers[sample].push(number);
        }
        if self.names.len() > 1 || !self.sample_of_row.is_empty() {
            // The rows before the second sample appeared were all of the first.
            if self.sample_of_row.is_empty() {
                self.sample_of_row = vec![0; self.builders[0].rows() - usize::from(sample == 0)];
            }
            self.sample_of_row.push(sample as u32);
        }
    }

    fn build(self, roles: &Roles) -> Result<SampleTable, TableError> {
        if self.builders.is_empty() {
            return Err(TableError::no_rows(self.file));
        }
        let mut samples = Vec::with_capacity(self.builders.len());
        let mut placements = Vec::with_capacity(self.builders.len());
        for (i, (builder, episodes)) in self.builders.into_iter().zip(self.episodes).enumerate() {
            let built = builder.build_with_placement(self.duplicates);
            let (sample, placement) = built.map_err(|error| conflict(self.file, &error, &self.row_numbers[i]))?;
            let episodes = roles.episode.is_some().then(|| episodes.finish(&sample, &placement)).transpose();
            let episodes = episodes.map_err(|error| conflict(self.file, &error, &self.row_numbers[i]))?;
            placements.push(placement);
            samples.push(NamedSample {
                name: self.names[i].clone(),
                from_file: roles.sample.is_none(),
                one_step: roles.next_state.is_none(),
                label: self.labels[i].clone().filter(|label| !label.is_empty()),
                state_features: roles.state.features().map(<[String]>::to_vec),
                action_features: roles.action.features().map(<[String]>::to_vec),
                source: self.file.to_owned(),
                sample,
                episodes,
            });
        }
        let transition_of_row = in_order_of_rows(&self.sample_of_row, placements);
        Ok(SampleTable { samples, sample_of_row: self.sample_of_row, transition_of_row })
    }
}

/// An error of the library about one row.
fn row_error(file: &str, batch: &Batch, index: usize, error: &SampleError) -> TableError {
    let (column, what) = match error {
        SampleError::TooBig { value, .. } => (
            Some(REWARD),
            format!(
                "{value:e} is too large to compute with; divide all rewards by a constant (distances do not change)"
            ),
        ),
        other => (None, other.to_string()),
    };
    let error =
        TableError::new(ErrorKind::Number, file, what).at_row(batch.row_number(index)).at_line(batch.line(index));
    match column {
        Some(column) => error.in_column(column),
        None => error,
    }
}

/// An error of the library about a whole sample, its rows named as the file counts them.
fn conflict(file: &str, error: &SampleError, row_numbers: &[u64]) -> TableError {
    match error {
        SampleError::Conflict { first_row, second_row, state, action, next_state, first, second } => {
            let what = format!(
                "the transition ({state}, {action}, {next_state}) has the reward {second} here and {first} in row {}; \
                 correct one of them, or choose `--duplicates mean`, `first` or `last`",
                row_numbers[*first_row]
            );
            TableError::new(ErrorKind::Malformed, file, what).at_row(row_numbers[*second_row]).in_column(REWARD)
        }
        other => TableError::new(ErrorKind::Malformed, file, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::format::{FileFormat, Format};
    use crate::table::read::open_bytes;

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
        assert_eq!(one.rows().collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 0)]);

        let text = "label,reward,next_state,action,state,sample\n\
                    red,1,b,x,a,p\nred,2,a,x,b,p\nblue,3,b,x,a,q\nred,4,b,y,a,p\nblue,5,b,x,b,q\n";
        let two = csv(text).unwrap();
        let named: Vec<_> = two.samples.iter().map(|s| (s.name.as_str(), s.label.as_deref(), s.sample.len())).collect();
        assert_eq!(named, [("p", Some("red"), 3), ("q", Some("blue"), 2)]);
        assert_eq!(two.rows().collect::<Vec<_>>(), [(0, 0), (0, 2), (1, 0), (0, 1), (1, 1)]);
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
            read_table(reader, "only", Duplicates::Mean, episodes).map(|table| table.samples[0].episodes.clone())
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
