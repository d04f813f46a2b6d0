//! Tables that come as record batches of Arrow: Parquet and Arrow files.
//!
//! Integers, floats, booleans and texts are read, dictionary-encoded or not, with missing values. Bytes are taken for text and must be
//! UTF-8. A list of numbers is a group of columns: `observation` with seven numbers is `observation.0` to `observation.6`. Lists of chat
//! messages are texts, and so are UUIDs. Columns of other types give an error, but only when they are selected; where columns are only passed through, they are shown as text.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};

use super::arrays::{Lists, column_type, element_type, fill, is_bytes, known_type, list_value};
use super::guard::guarded;
use super::{Extras, Passing, Piece, ReadOptions, Selection, TableReader, check_names, shown, unsupported};
use crate::error::{ErrorKind, TableError};
use crate::table::batch::Batch;
use crate::table::original::{Original, OriginalType};
use crate::table::schema::{ColumnType, Field, Schema};
use crate::table::write::originals::can_keep;

/// About so many bytes are in a batch where rows are long texts: many batches are in work at the same time …
pub(crate) const BATCH_BYTES: usize = 1 << 20;
/// … which have at least so many rows.
pub(crate) const BATCH_ROWS: usize = 64;

/// Longer lists are no features.
const MOST_FEATURES: usize = 65_536;

/// Where record batches come from.
pub(crate) trait RecordSource: Send {
    /// All columns.
    fn schema(&self) -> SchemaRef;

    /// Begins with the first row, and gives only these columns (their positions, ascending).
    fn start(&mut self, positions: &[usize]) -> Result<(), TableError>;

    /// The next rows, in columns as they were asked for.
    fn next(&mut self) -> Result<Option<RecordBatch>, TableError>;

    /// Some first rows of one column, without reading them.
    fn first(&mut self, position: usize) -> Result<Option<ArrayRef>, TableError> {
        self.start(&[position])?;
        while let Some(records) = self.next()? {
            if records.num_rows() > 0 {
                return Ok(records.columns().first().cloned());
            }
        }
        Ok(None)
    }

    /// How many rows there are, where that can be told before they are read.
    fn rows_hint(&self) -> Option<usize> {
        None
    }

    /// The error for a file that is damaged in this way.
    fn damaged(&self, what: &str) -> TableError;
}

/// What becomes of a field of the file.
#[derive(Clone, Debug, PartialEq)]
enum Use {
    /// A column of this type.
    Plain(ColumnType),
    /// So many columns of numbers.
    List(usize),
    /// A column of text, though it is none.
    Shown,
    /// A column of texts that are JSON.
    Json,
    /// A column of texts made of chat messages.
    Chat,
    /// A column of UUIDs as text.
    Uuid,
    /// A column of the type that it has.
    Original,
    /// None, for this reason.
    Nothing(String),
}

/// Which field of the file a column is of, and which number of its lists.
#[derive(Clone, Copy)]
struct Place {
    field: usize,
    element: usize,
}

pub(crate) struct RecordsReader<S> {
    name: String,
    source: S,
    schema: SchemaRef,
    /// By field.
    uses: Vec<Use>,
    /// By position in the table.
    columns: Vec<Place>,
    selection: Selection,
    /// The record batch being handed out, how many of its rows already are, and how many are at a time.
    current: Option<(RecordBatch, usize, usize)>,
    /// The fields that were asked for, ascending, once reading has begun.
    wanted: Vec<usize>,
    ended: bool,
    next_row: u64,
    batch_rows: usize,
}

/// About how many bytes a row takes; what rows share counts, too.
fn bytes_per_row(records: &RecordBatch) -> usize {
    let bytes = |array: &ArrayRef| {
        let slice = array.to_data().get_slice_memory_size();
        slice.unwrap_or_else(|_| array.get_array_memory_size())
    };
    records.columns().iter().map(bytes).sum::<usize>() / records.num_rows().max(1)
}

impl<S: RecordSource> RecordsReader<S> {
    pub(crate) fn open(name: String, mut source: S, options: &ReadOptions) -> Result<Self, TableError> {
        let schema = source.schema();
        let uses = guarded(|| uses_of(&schema, &mut source)).unwrap_or_else(|panic| Err(source.damaged(&panic)))?;
        let mut reader = RecordsReader {
            name,
            source,
            schema,
            uses,
            columns: Vec::new(),
            selection: Selection::everything(Schema::default()),
            current: None,
            wanted: Vec::new(),
            ended: false,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        };
        reader.lay_out();
        check_names(&reader.name, &reader.selection.all)?;
        Ok(reader)
    }

    /// Gives every field its columns, and selects all of them.
    fn lay_out(&mut self) {
        let mut columns = Schema::default();
        self.columns.clear();
        for (field, (data, what)) in self.schema.fields().iter().zip(&self.uses).enumerate() {
            match *what {
                Use::List(count) => {
                    let kind = element_type(data.data_type()).and_then(known_type);
                    for element in 0..count {
                        columns.fields.push(Field::new(format!("{}.{element}", data.name()), kind));
                        self.columns.push(Place { field, element });
                    }
                }
                _ => {
                    let kind = match what {
                        Use::Shown | Use::Json | Use::Chat | Use::Uuid | Use::Original => Some(ColumnType::Text),
                        _ => known_type(data.data_type()),
                    };
                    let original = (*what == Use::Original).then(|| OriginalType(Arc::clone(data)));
                    columns.fields.push(Field { original, ..Field::new(data.name(), kind) });
                    self.columns.push(Place { field, element: 0 });
                }
            }
        }
        self.selection = Selection::everything(columns);
    }

    fn check_selected(&self) -> Result<(), TableError> {
        for &position in &self.selection.positions {
            if let Use::Nothing(why) = &self.uses[self.columns[position].field] {
                return Err(unsupported(&self.name, self.selection.name_at(position), why));
            }
        }
        Ok(())
    }

    /// Begins to read the selected columns.
    fn start(&mut self) -> Result<(), TableError> {
        self.selection.fixed = true;
        self.check_selected()?;
        self.wanted = self.selection.positions.iter().map(|&position| self.columns[position].field).collect();
        self.wanted.sort_unstable();
        self.wanted.dedup();
        self.source.start(&self.wanted)
    }

    /// [`next_batch`](TableReader::next_batch), which may panic.
    fn fill_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        if !self.selection.fixed {
            self.start()?;
        }
        let kinds = self.selection.positions.iter().map(|&position| {
            let field = self.columns[position].field;
            let data_type = self.schema.field(field).data_type();
            match self.uses[field] {
                Use::Plain(kind) => kind,
                Use::List(_) => element_type(data_type).and_then(column_type).unwrap_or(ColumnType::Float),
                _ => ColumnType::Text,
            }
        });
        batch.reset(self.next_row, kinds);
        if self.ended {
            return Ok(Piece::End);
        }
        let (records, from, most) = match self.current.take() {
            Some(current) => current,
            None => match self.source.next()? {
                Some(records) => {
                    let rows = BATCH_BYTES / bytes_per_row(&records).max(1);
                    (records, 0, self.batch_rows.min(rows.max(BATCH_ROWS)))
                }
                None => {
                    self.ended = true;
                    return Ok(Piece::End);
                }
            },
        };
        let rows = most.min(records.num_rows() - from);
        self.fill_columns(&records.slice(from, rows), batch)?;
        batch.rows = rows;
        self.next_row += rows as u64;
        if from + rows < records.num_rows() {
            self.current = Some((records, from + rows, most));
        }
        Ok(Piece::Rows)
    }

    fn fill_columns(&self, records: &RecordBatch, batch: &mut Batch) -> Result<(), TableError> {
        // The numbers of the lists, which are several columns each.
        let mut lists: Option<(usize, Lists)> = None;
        for (index, &position) in self.selection.positions.iter().enumerate() {
            let name = &self.selection.selected.fields[index].name;
            let Place { field, element } = self.columns[position];
            let at = self.wanted.binary_search(&field).unwrap_or(usize::MAX);
            let array = records.columns().get(at).ok_or_else(|| self.source.damaged("a column is missing"))?;
            let column = &mut batch.columns[index];
            let placed = |row: usize, error: TableError| error.at_row(self.next_row + row as u64).in_column(name);
            match self.uses[field] {
                Use::List(count) => {
                    if lists.as_ref().is_none_or(|(known, _)| *known != field) {
                        let found = Lists::of(array, count).map_err(|(row, length)| {
                            let what = format!(
                                "the list has {length} numbers, but lists before it have {count}; lists that are features \
                                 need one length"
                            );
                            let name = self.schema.field(field).name();
                            placed(row, TableError::new(ErrorKind::Ragged, &self.name, what)).in_column(name)
                        })?;
                        lists = Some((field, found));
                    }
                    if let Some((_, lists)) = &lists {
                        lists.push(element, column);
                    }
                }
                Use::Json => shown::fill_json(array, column),
                Use::Chat => shown::fill_chat(array, column),
                Use::Shown => shown::fill(array, column),
                Use::Uuid => shown::fill_uuids(array, column),
                Use::Original => {
                    (0..array.len()).for_each(|_| column.push_missing());
                    column.original = Some(Original(Arc::clone(array)));
                }
                _ => fill(array, column).map_err(|row| {
                    let what = "the value is not UTF-8 text; binary columns are not supported";
                    placed(row, TableError::new(ErrorKind::Encoding, &self.name, what))
                })?,
            }
            if column.len() != records.num_rows() {
                return Err(self.source.damaged("a column of the wrong length").in_column(name));
            }
        }
        Ok(())
    }
}

impl<S: RecordSource> TableReader for RecordsReader<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn rows_hint(&self) -> Option<usize> {
        self.source.rows_hint()
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)?;
        self.check_selected()
    }

    fn keep_extras(&mut self, meant: &[&str], passing: Passing) -> Result<Extras, TableError> {
        let meant: HashSet<&str> = meant.iter().copied().collect();
        let mut is_meant = vec![false; self.uses.len()];
        for (place, name) in self.columns.iter().zip(self.selection.all.names()) {
            is_meant[place.field] |= meant.contains(name);
        }
        let mut extras = Extras::default();
        let mut left_out = HashSet::new();
        for (field, data) in self.schema.fields().iter().enumerate().filter(|(field, _)| !is_meant[*field]) {
            let data_type = data.data_type();
            // What is not meant is not checked, either: lists of any length, bytes that are no text.
            self.uses[field] = match &self.uses[field] {
                _ if matches!(passing, Passing::Original(to) if can_keep(data_type, to)) => Use::Original,
                Use::Uuid => Use::Uuid,
                Use::Plain(kind) if !is_bytes(data_type) && !shown::can_show(data_type) => Use::Plain(*kind),
                _ if shown::can_show(data_type) => Use::Shown,
                _ if shown::is_json(data_type) => Use::Json,
                _ => {
                    let why = format!("its type {data_type} is not supported");
                    extras.left_out.push((data.name().clone(), why.clone()));
                    left_out.insert(field);
                    Use::Nothing(why)
                }
            };
        }
        self.lay_out();
        let kept: Vec<(String, usize)> = (self.columns.iter().zip(self.selection.all.names()))
            .filter(|(place, _)| !left_out.contains(&place.field))
            .map(|(place, name)| (name.to_owned(), place.field))
            .collect();
        self.select(&kept.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>())?;
        if passing == Passing::Json {
            let json = kept.iter().enumerate().filter(|(_, (_, field))| self.uses[*field] == Use::Json);
            extras.json = json.map(|(position, _)| position).collect();
        }
        Ok(extras)
    }

    fn first_cell(&mut self, column: &str) -> Result<Option<String>, TableError> {
        let Some((field, about)) = self.schema.column_with_name(column) else { return Ok(None) };
        if !shown::has_cells(about.data_type()) {
            return Ok(None);
        }
        let rows = guarded(|| self.source.first(field)).unwrap_or_else(|panic| Err(self.source.damaged(&panic)))?;
        Ok(rows.and_then(|rows| shown::cell(&rows)))
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        guarded(|| self.fill_batch(batch)).unwrap_or_else(|panic| {
            // What a panic leaves is not to be read on.
            self.current = None;
            self.ended = true;
            Err(self.source.damaged(&panic))
        })
    }
}

/// What becomes of every field. How long lists are that may have any length, the first of them tells.
fn uses_of(schema: &SchemaRef, source: &mut impl RecordSource) -> Result<Vec<Use>, TableError> {
    let mut uses: Vec<Use> = Vec::new();
    let mut unknown = Vec::new();
    for (position, field) in schema.fields().iter().enumerate() {
        let data_type = field.data_type();
        uses.push(match (column_type(data_type), data_type) {
            (Some(kind), _) => Use::Plain(kind),
            (None, DataType::FixedSizeList(_, count)) if element_type(data_type).is_some() => {
                features(usize::try_from(*count).unwrap_or(0))
            }
            _ if shown::is_chat(data_type) => Use::Chat,
            _ if is_uuid(field) => Use::Uuid,
            _ => {
                if element_type(data_type).is_some() {
                    unknown.push(position);
                }
                Use::Nothing(format!("its type {data_type} is not supported"))
            }
        });
    }
    if unknown.is_empty() {
        return Ok(uses);
    }
    source.start(&unknown)?;
    let mut found = vec![false; unknown.len()];
    while let Some(records) = source.next()? {
        for ((array, &position), found) in records.columns().iter().zip(&unknown).zip(&mut found) {
            if !*found && let Some(first) = (0..array.len()).find(|&row| array.is_valid(row)) {
                uses[position] = features(list_value(array, first).map_or(0, |list| list.len()));
                *found = true;
            }
        }
        if found.iter().all(|&found| found) {
            break;
        }
    }
    Ok(uses)
}

/// What metadata of a field say that its bytes are UUIDs.
pub(crate) const UUID: (&str, &str) = ("ARROW:extension:name", "arrow.uuid");

fn is_uuid(field: &arrow_schema::Field) -> bool {
    *field.data_type() == DataType::FixedSizeBinary(16)
        && field.metadata().get(UUID.0).is_some_and(|name| name == UUID.1)
}

fn features(count: usize) -> Use {
    match count {
        0 => Use::Nothing("its lists are empty".to_owned()),
        1..=MOST_FEATURES => Use::List(count),
        _ => Use::Nothing(format!("its lists have {count} numbers")),
    }
}
