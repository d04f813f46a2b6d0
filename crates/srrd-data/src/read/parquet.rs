//! Parquet, through the column readers of the `parquet` crate (its `arrow` feature would cost minutes of build time).
//!
//! Booleans, integers, floats and strings are read, plain or dictionary-encoded, with missing values. A BYTE_ARRAY column
//! without annotation is taken for text and must be UTF-8. Columns of other types (decimals, dates and times, INT96,
//! lists, maps, structs) give an error, but only when they are selected; where columns are only passed through, decimals, dates and
//! times are shown as text.

mod shown;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::Type;

use super::{Extras, ReadOptions, Selection, TableReader, check_names, push_unsigned, unsupported, wrong_format};
use crate::batch::{Batch, Column, ColumnType, Field, Schema, Values};
use crate::error::{ErrorKind, TableError};
use crate::format::Format;
use crate::guard::guarded;
use crate::half::half_to_f64;
use shown::{Shown, of_int96};

pub(super) struct ParquetReader<R: ChunkReader + 'static> {
    name: String,
    file: SerializedFileReader<R>,
    /// By position in the schema.
    sources: Vec<Source>,
    selection: Selection,
    /// The next row group.
    group: usize,
    /// By position in the batch, for the row group being read.
    readers: Vec<ColumnReader>,
    left_in_group: usize,
    next_row: u64,
    batch_rows: usize,
    levels: Vec<i16>,
}

/// Where a column comes from: a leaf of the file's schema and how to take its values, or why that cannot be done.
type Source = Result<(usize, Decode), String>;

#[derive(Clone, Copy)]
enum Decode {
    Bool,
    Signed,
    Unsigned,
    /// Of 64 bits.
    Unsigned64,
    Float,
    Half,
    Text,
    /// As text, though it is none.
    Shown(Shown),
}

impl Decode {
    fn column_type(self) -> ColumnType {
        match self {
            Decode::Bool => ColumnType::Bool,
            Decode::Signed | Decode::Unsigned | Decode::Unsigned64 => ColumnType::Int,
            Decode::Float | Decode::Half => ColumnType::Float,
            Decode::Text | Decode::Shown(_) => ColumnType::Text,
        }
    }

    /// The type that the column has whatever its values are.
    fn known_type(self) -> Option<ColumnType> {
        match self {
            Decode::Unsigned64 => None,
            other => Some(other.column_type()),
        }
    }
}

impl<R: ChunkReader + 'static> ParquetReader<R> {
    pub(super) fn open(name: String, source: R, options: &ReadOptions) -> Result<Self, TableError> {
        let length = source.len();
        let start = source.get_bytes(0, length.min(16) as usize).map_err(|error| damaged(&name, &error))?;
        if !start.starts_with(b"PAR1") {
            return Err(match start.starts_with(b"PARE") {
                true => TableError::new(ErrorKind::Malformed, name, "the Parquet file is encrypted; decrypt it first"),
                false => wrong_format(&name, Format::Parquet, &start),
            });
        }
        let end = source
            .get_bytes(length.saturating_sub(4), length.min(4) as usize)
            .map_err(|error| damaged(&name, &error))?;
        if length < 12 || end.as_ref() != b"PAR1" {
            return Err(TableError::new(
                ErrorKind::Truncated,
                name,
                "the Parquet file was cut short: its footer is missing; copy or write the file again",
            ));
        }
        let file = guarded(|| SerializedFileReader::new(source))
            .unwrap_or_else(|panic| Err(ParquetError::General(panic)))
            .map_err(|error| damaged(&name, &error))?;
        let (schema, sources) = columns(file.metadata().file_metadata().schema());
        check_names(&name, &schema)?;
        Ok(ParquetReader {
            name,
            file,
            sources,
            selection: Selection::everything(schema),
            group: 0,
            readers: Vec::new(),
            left_in_group: 0,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
            levels: Vec::new(),
        })
    }

    /// The leaf and decoding of every selected column.
    fn selected(&self) -> Result<Vec<(usize, Decode)>, TableError> {
        self.selection
            .positions
            .iter()
            .map(|&position| {
                self.sources[position]
                    .clone()
                    .map_err(|why| unsupported(&self.name, self.selection.name_at(position), &why))
            })
            .collect()
    }

    /// Whether a column that is not said to be text is: without an annotation, only its values tell.
    fn is_text(&self, leaf: usize) -> bool {
        let look = || -> Result<bool, ParquetError> {
            let mut found = Vec::new();
            for group in 0..self.file.num_row_groups() {
                if let ColumnReader::ByteArrayColumnReader(mut reader) =
                    self.file.get_row_group(group)?.get_column_reader(leaf)?
                {
                    loop {
                        found.clear();
                        let (records, _, _) =
                            reader.read_records(self.batch_rows, Some(&mut Vec::new()), None, &mut found)?;
                        if found.iter().any(|value| std::str::from_utf8(value.data()).is_err()) {
                            return Ok(false);
                        }
                        if records == 0 {
                            break;
                        }
                    }
                }
            }
            Ok(true)
        };
        // What is damaged is found again when it is read.
        matches!(guarded(look), Err(_) | Ok(Err(_) | Ok(true)))
    }

    /// Goes to the next row group that has rows; `false` when there is none.
    fn next_group(&mut self, sources: &[(usize, Decode)]) -> Result<bool, TableError> {
        while self.left_in_group == 0 {
            if self.group >= self.file.num_row_groups() {
                return Ok(false);
            }
            let failed = |error| damaged(&self.name, &error);
            let group = self.file.get_row_group(self.group).map_err(failed)?;
            let rows = group.metadata().num_rows();
            self.left_in_group = usize::try_from(rows)
                .map_err(|_| damaged(&self.name, &ParquetError::General(format!("{rows} rows in a row group"))))?;
            self.readers = sources
                .iter()
                .map(|&(leaf, _)| group.get_column_reader(leaf).map_err(failed))
                .collect::<Result<_, _>>()?;
            self.group += 1;
        }
        Ok(true)
    }

    /// [`next_batch`](TableReader::next_batch), which may panic.
    fn fill_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        let sources = self.selected()?;
        batch.reset(self.next_row, sources.iter().map(|(_, decode)| decode.column_type()));
        if !self.next_group(&sources)? {
            return Ok(false);
        }
        let rows = self.batch_rows.min(self.left_in_group);
        for (index, column) in batch.columns.iter_mut().enumerate() {
            let mut sink = ColumnSink { decode: sources[index].1, rows, column, levels: &mut self.levels };
            sink.fill(&mut self.readers[index]).map_err(|bad| {
                let name = &self.selection.selected.fields[index].name;
                match bad {
                    Bad::Parquet(error) => damaged(&self.name, &error).in_column(name),
                    Bad::NotText(row) => TableError::new(
                        ErrorKind::Encoding,
                        &self.name,
                        "the value is not UTF-8 text; binary columns are not supported",
                    )
                    .at_row(self.next_row + row as u64)
                    .in_column(name),
                }
            })?;
        }
        batch.rows = rows;
        self.left_in_group -= rows;
        self.next_row += rows as u64;
        Ok(true)
    }
}

impl<R: ChunkReader + 'static> TableReader for ParquetReader<R> {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)?;
        self.selected().map(drop)
    }

    fn keep_extras(&mut self, meant: &[&str], _as_json: bool) -> Result<Extras, TableError> {
        let mut extras = Extras::default();
        let names: Vec<String> = self.selection.all.names().map(str::to_owned).collect();
        let mut kept = Vec::new();
        let mut leaf = 0;
        for (position, name) in names.iter().enumerate() {
            let field = std::sync::Arc::clone(&self.file.metadata().file_metadata().schema().get_fields()[position]);
            let (first_leaf, list) = (leaf, is_list(&field));
            leaf += leaves(&field);
            let why = match &self.sources[position] {
                _ if meant.contains(&name.as_str()) => None,
                &Ok((leaf, Decode::Text)) if is_plain(&field) && !self.is_text(leaf) => {
                    Some("it holds bytes that are no text".to_owned())
                }
                Ok(_) => None,
                Err(why) => match (!list).then(|| Shown::of(&field)).flatten() {
                    None => Some(why.clone()),
                    Some(shown) => {
                        self.sources[position] = Ok((first_leaf, Decode::Shown(shown)));
                        self.selection.all.fields[position].kind = Some(ColumnType::Text);
                        None
                    }
                },
            };
            match why {
                None => kept.push(name.as_str()),
                Some(why) => extras.left_out.push((name.clone(), why)),
            }
        }
        self.select(&kept)?;
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        self.selection.fixed = true;
        guarded(|| self.fill_batch(batch)).unwrap_or_else(|panic| {
            // What a panic leaves is not to be read on.
            self.readers.clear();
            self.left_in_group = 0;
            self.group = usize::MAX;
            Err(damaged(&self.name, &ParquetError::General(panic)))
        })
    }
}

fn damaged(name: &str, error: &ParquetError) -> TableError {
    let text = error.to_string();
    if text.contains("Disabled feature at compile time") || text.contains("not installed") {
        return TableError::new(
            ErrorKind::Malformed,
            name,
            format!("the compression is not supported ({text}); write the file with zstd or snappy"),
        );
    }
    let kind = match error {
        ParquetError::EOF(_) => ErrorKind::Truncated,
        _ => ErrorKind::Malformed,
    };
    TableError::new(
        kind,
        name,
        format!("the Parquet file is damaged or not supported ({text}); copy or write it again"),
    )
}

/// The columns of a file. Those of nested types are listed, too, so that they can be named in messages.
fn columns(root: &Type) -> (Schema, Vec<Source>) {
    let mut schema = Schema::default();
    let mut sources = Vec::new();
    let mut leaf = 0;
    for field in root.get_fields() {
        let source = if field.is_group() {
            Err("it is nested (a list, map or struct)".to_owned())
        } else if is_list(field) {
            Err("it is a list".to_owned())
        } else {
            decoding(field).map(|decode| (leaf, decode))
        };
        leaf += leaves(field);
        schema.fields.push(Field {
            name: field.name().to_owned(),
            kind: source.as_ref().ok().and_then(|(_, decode)| decode.known_type()),
        });
        sources.push(source);
    }
    (schema, sources)
}

fn is_list(field: &Type) -> bool {
    let info = field.get_basic_info();
    field.is_group() || (info.has_repetition() && info.repetition() == Repetition::REPEATED)
}

/// Whether nothing says what the values of a field are.
fn is_plain(field: &Type) -> bool {
    let info = field.get_basic_info();
    info.logical_type_ref().is_none() && info.converted_type() == ConvertedType::NONE
}

fn leaves(field: &Type) -> usize {
    match field.is_group() {
        true => field.get_fields().iter().map(|field| leaves(field)).sum(),
        false => 1,
    }
}

fn decoding(field: &Type) -> Result<Decode, String> {
    let info = field.get_basic_info();
    let logical = info.logical_type_ref();
    let converted = info.converted_type();
    let physical = field.get_physical_type();
    let unsigned = match logical {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(
            converted,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        ),
    };
    let plain_integer = match logical {
        None => {
            unsigned
                || matches!(
                    converted,
                    ConvertedType::NONE
                        | ConvertedType::INT_8
                        | ConvertedType::INT_16
                        | ConvertedType::INT_32
                        | ConvertedType::INT_64
                )
        }
        Some(LogicalType::Integer(_) | LogicalType::Unknown) => true,
        Some(_) => false,
    };
    let text = match logical {
        None => {
            matches!(converted, ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON)
        }
        Some(logical) => {
            matches!(logical, LogicalType::String | LogicalType::Enum | LogicalType::Json | LogicalType::Unknown)
        }
    };
    match physical {
        Physical::BOOLEAN => Ok(Decode::Bool),
        Physical::INT64 if plain_integer && unsigned => Ok(Decode::Unsigned64),
        Physical::INT32 if plain_integer && unsigned => Ok(Decode::Unsigned),
        Physical::INT32 | Physical::INT64 if plain_integer => Ok(Decode::Signed),
        Physical::FLOAT | Physical::DOUBLE => Ok(Decode::Float),
        Physical::BYTE_ARRAY if text => Ok(Decode::Text),
        Physical::FIXED_LEN_BYTE_ARRAY if logical == Some(&LogicalType::Float16) => Ok(Decode::Half),
        _ => Err(match (logical, converted) {
            (Some(LogicalType::Decimal(_)), _) | (_, ConvertedType::DECIMAL) => {
                "its type is DECIMAL, which is not supported".to_owned()
            }
            (Some(logical), _) => format!("its type {logical:?} ({physical}) is not supported"),
            (None, ConvertedType::NONE) => format!("its type {physical} is not supported"),
            (None, converted) => format!("its type {converted} ({physical}) is not supported"),
        }),
    }
}

/// What may be wrong with the values of a column; rows count from 0 in the batch.
enum Bad {
    Parquet(ParquetError),
    NotText(usize),
}

struct ColumnSink<'a> {
    decode: Decode,
    rows: usize,
    column: &'a mut Column,
    levels: &'a mut Vec<i16>,
}

impl ColumnSink<'_> {
    fn fill(&mut self, reader: &mut ColumnReader) -> Result<(), Bad> {
        if let Decode::Shown(shown) = self.decode {
            return self.show(reader, shown);
        }
        match reader {
            ColumnReader::BoolColumnReader(reader) => self.take(reader, |values, _, value| {
                if let Values::Bool(values) = values {
                    values.push(*value);
                }
                Ok(())
            }),
            ColumnReader::Int32ColumnReader(reader) => {
                let unsigned = matches!(self.decode, Decode::Unsigned);
                self.take(reader, |values, _, &value| {
                    if let Values::Int(values) = values {
                        values.push(match unsigned {
                            true => i64::from(value as u32),
                            false => i64::from(value),
                        });
                    }
                    Ok(())
                })
            }
            ColumnReader::Int64ColumnReader(reader) => {
                self.take(reader, |values, _, &value| {
                    if let Values::Int(values) = values {
                        values.push(value);
                    }
                    Ok(())
                })?;
                if let (Decode::Unsigned64, Values::Int(values)) = (self.decode, &mut self.column.values)
                    && values.iter().any(|&value| value < 0)
                {
                    let values = std::mem::take(values);
                    let validity = self.column.validity.take();
                    let valid = |row: usize| validity.as_ref().is_none_or(|valid| valid[row]);
                    let unsigned = values.iter().enumerate().map(|(row, &value)| valid(row).then_some(value as u64));
                    push_unsigned(unsigned, self.column);
                }
                Ok(())
            }
            ColumnReader::FloatColumnReader(reader) => self.take(reader, |values, _, &value| {
                if let Values::Float(values) = values {
                    values.push(f64::from(value));
                }
                Ok(())
            }),
            ColumnReader::DoubleColumnReader(reader) => self.take(reader, |values, _, &value| {
                if let Values::Float(values) = values {
                    values.push(value);
                }
                Ok(())
            }),
            ColumnReader::ByteArrayColumnReader(reader) => self.take(reader, |values, row, value| {
                let text = std::str::from_utf8(value.data()).map_err(|_| Bad::NotText(row))?;
                if let Values::Text(values) = values {
                    values.push(text);
                }
                Ok(())
            }),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => self.take(reader, |values, _, value| {
                let &[low, high] = value.data() else {
                    return Err(Bad::Parquet(ParquetError::General("a FLOAT16 of other than 2 bytes".to_owned())));
                };
                if let Values::Float(values) = values {
                    values.push(half_to_f64(u16::from_le_bytes([low, high])));
                }
                Ok(())
            }),
            // `decoding` lets no such column through.
            ColumnReader::Int96ColumnReader(_) => Err(Bad::Parquet(ParquetError::NYI("INT96".to_owned()))),
        }
    }

    /// Reads values as their texts.
    fn show(&mut self, reader: &mut ColumnReader, shown: Shown) -> Result<(), Bad> {
        let push = |values: &mut Values, text: Option<String>| match (values, text) {
            (Values::Text(values), Some(text)) => {
                values.push(&text);
                Ok(())
            }
            _ => Err(Bad::Parquet(ParquetError::General("a decimal of more than 38 digits".to_owned()))),
        };
        match reader {
            ColumnReader::Int32ColumnReader(reader) => {
                self.take(reader, |values, _, &value| push(values, Some(shown.of_int(value.into()))))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                self.take(reader, |values, _, &value| push(values, Some(shown.of_int(value))))
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.take(reader, |values, _, value| push(values, shown.of_bytes(value.data())))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                self.take(reader, |values, _, value| push(values, shown.of_bytes(value.data())))
            }
            ColumnReader::Int96ColumnReader(reader) => {
                self.take(reader, |values, _, value| push(values, Some(of_int96(value))))
            }
            // `Shown::of` lets no other column through.
            _ => Err(Bad::Parquet(ParquetError::NYI("a column of another type".to_owned()))),
        }
    }

    /// Reads the rows' values, and puts each at its row with `push`, leaving out the rows without one.
    fn take<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        push: impl Fn(&mut Values, usize, &T::T) -> Result<(), Bad>,
    ) -> Result<(), Bad> {
        let mut found = Vec::new();
        self.levels.clear();
        let mut read = 0;
        while read < self.rows {
            let (records, _, _) =
                reader.read_records(self.rows - read, Some(self.levels), None, &mut found).map_err(Bad::Parquet)?;
            if records == 0 {
                return Err(Bad::Parquet(ParquetError::EOF(
                    "the column has fewer values than the file says".to_owned(),
                )));
            }
            read += records;
        }
        if self.levels.is_empty() || found.len() == self.rows {
            for (row, value) in found.iter().enumerate().take(self.rows) {
                push(&mut self.column.values, row, value)?;
            }
        } else {
            let mut found = found.iter();
            for (row, &level) in self.levels.iter().enumerate().take(self.rows) {
                match (level > 0).then(|| found.next()).flatten() {
                    Some(value) => {
                        push(&mut self.column.values, row, value)?;
                        self.column.note_validity(true);
                    }
                    None => self.column.push_missing(),
                }
            }
        }
        match self.column.len() == self.rows {
            true => Ok(()),
            false => Err(Bad::Parquet(ParquetError::General("values do not match rows".to_owned()))),
        }
    }
}
