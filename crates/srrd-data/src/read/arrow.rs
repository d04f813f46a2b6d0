//! Arrow IPC: the file format (Feather version 2) and the stream format.
//!
//! Both are sequences of messages, of which the file format has an index. The messages are fetched here, not by
//! `arrow_ipc`'s own readers: a damaged length is thus compared with what the file holds before memory is asked for.
//!
//! Integers, floats, booleans and strings (plain, large, views) are read, dictionary-encoded or not, with missing values.
//! Columns of other types give an error, but only when they are selected.

mod shown;

use std::collections::{HashMap, VecDeque};
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Block, CompressionType, MessageHeader, MetadataVersion, convert};
use arrow_schema::{ArrowError, DataType, SchemaRef};

use super::{
    Extras, ReadOptions, ReadSeek, Selection, TableReader, check_names, push_unsigned, unsupported, wrong_format,
};
use crate::batch::{Batch, Column, ColumnType, Field, Schema, Values};
use crate::error::{ErrorKind, TableError};
use crate::format::Format;
use crate::guard::guarded;
use crate::half::half_to_f64;

const MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) struct ArrowReader {
    name: String,
    source: Box<dyn ReadSeek>,
    /// The length of the whole, against which lengths inside are checked.
    length: u64,
    /// Where the messages are, in the file format; `None` in a stream, in which they follow each other.
    blocks: Option<VecDeque<Block>>,
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: HashMap<i64, ArrayRef>,
    /// By position in the file: whether the column is only passed through, so that its values may be shown as text.
    extra: Vec<bool>,
    selection: Selection,
    /// The record batch being handed out, and how many of its rows already are.
    current: Option<(RecordBatch, usize)>,
    next_row: u64,
    batch_rows: usize,
}

/// A message: its metadata, and the body that the metadata describes.
struct Message {
    metadata: Vec<u8>,
    body: Buffer,
}

impl ArrowReader {
    pub(super) fn open(name: String, mut source: Box<dyn ReadSeek>, options: &ReadOptions) -> Result<Self, TableError> {
        let failed = |error: std::io::Error| TableError::io(name.as_str(), "read", &error);
        let length = source.seek(SeekFrom::End(0)).map_err(failed)?;
        source.rewind().map_err(failed)?;
        let mut start = Vec::new();
        source.by_ref().take(16).read_to_end(&mut start).map_err(failed)?;
        source.rewind().map_err(failed)?;
        let (schema, version, blocks) = if start.starts_with(MAGIC) {
            let (schema, version, blocks) = guarded(|| read_footer(&name, &mut source, length))
                .unwrap_or_else(|panic| Err(damaged(&name, &ArrowError::IpcError(panic))))?;
            (schema, version, Some(blocks))
        } else if start.starts_with(&CONTINUATION) {
            let (schema, version) = guarded(|| read_schema(&name, &mut source, length))
                .unwrap_or_else(|panic| Err(damaged(&name, &ArrowError::IpcError(panic))))?;
            (schema, version, None)
        } else {
            return Err(match start.starts_with(b"FEA1") {
                true => TableError::new(
                    ErrorKind::WrongFormat,
                    name,
                    "is Feather version 1, which is obsolete; write it again as version 2 (Arrow IPC)",
                ),
                false => wrong_format(&name, Format::Arrow, &start),
            });
        };
        let columns = Schema {
            fields: schema
                .fields()
                .iter()
                .map(|field| Field { name: field.name().clone(), kind: known_type(field.data_type()) })
                .collect(),
        };
        check_names(&name, &columns)?;
        Ok(ArrowReader {
            name,
            source,
            length,
            blocks,
            extra: vec![false; schema.fields().len()],
            schema,
            version,
            dictionaries: HashMap::new(),
            selection: Selection::everything(columns),
            current: None,
            next_row: 1,
            batch_rows: options.batch_rows.max(1),
        })
    }

    fn check_selected(&self) -> Result<(), TableError> {
        for &position in &self.selection.positions {
            let field = self.schema.field(position);
            let shown = self.extra[position] && shown::can_show(field.data_type());
            if column_type(field.data_type()).is_none() && !shown {
                return Err(unsupported(
                    &self.name,
                    field.name(),
                    &format!("its type {} is not supported", field.data_type()),
                ));
            }
        }
        Ok(())
    }

    /// Decodes messages up to the next record batch; `None` at the end.
    fn next_record_batch(&mut self) -> Result<Option<RecordBatch>, TableError> {
        loop {
            let message = match &mut self.blocks {
                Some(blocks) => match blocks.pop_front() {
                    Some(block) => read_block(&self.name, &mut self.source, self.length, &block)?,
                    None => return Ok(None),
                },
                None => match read_message(&self.name, &mut self.source, self.length)? {
                    Some(message) => message,
                    None => return Ok(None),
                },
            };
            let failed = |error| damaged(&self.name, &error);
            let header = parse(&self.name, &message.metadata)?;
            match header.header_type() {
                MessageHeader::DictionaryBatch => {
                    if let Some(batch) = header.header_as_dictionary_batch() {
                        if let Some(data) = batch.data() {
                            check_compressed(&self.name, &data, &message.body)?;
                        }
                        read_dictionary(&message.body, batch, &self.schema, &mut self.dictionaries, &self.version)
                            .map_err(failed)?;
                    }
                }
                MessageHeader::RecordBatch => {
                    let Some(batch) = header.header_as_record_batch() else {
                        continue;
                    };
                    check_compressed(&self.name, &batch, &message.body)?;
                    return read_record_batch(
                        &message.body,
                        batch,
                        Arc::clone(&self.schema),
                        &self.dictionaries,
                        Some(&self.selection.positions),
                        &self.version,
                    )
                    .map(Some)
                    .map_err(failed);
                }
                // Messages without rows, such as tensors, do not belong to a table.
                _ => {}
            }
        }
    }

    /// [`next_batch`](TableReader::next_batch), which may panic.
    fn fill_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        if !self.selection.fixed {
            self.selection.fixed = true;
            self.check_selected()?;
        }
        let types = self.selection.positions.iter().map(|&position| self.schema.field(position).data_type());
        let kinds = types.map(|data_type| column_type(data_type).unwrap_or(ColumnType::Text));
        batch.reset(self.next_row, kinds);
        let (records, from) = loop {
            match self.current.take() {
                Some((records, from)) if from < records.num_rows() => break (records, from),
                _ => match self.next_record_batch()? {
                    Some(records) => self.current = Some((records, 0)),
                    None => return Ok(false),
                },
            }
        };
        let rows = self.batch_rows.min(records.num_rows() - from);
        let part = records.slice(from, rows);
        for (index, (array, column)) in part.columns().iter().zip(&mut batch.columns).enumerate() {
            let name = &self.selection.selected.fields[index].name;
            match column_type(array.data_type()) {
                Some(_) => fill(array, column),
                None => shown::fill(array, column),
            }
            if column.len() != rows {
                let error = ArrowError::IpcError("a column of the wrong length".to_owned());
                return Err(damaged(&self.name, &error).in_column(name));
            }
        }
        batch.rows = rows;
        self.next_row += rows as u64;
        self.current = Some((records, from + rows));
        Ok(true)
    }
}

impl TableReader for ArrowReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)?;
        self.check_selected()
    }

    fn keep_extras(&mut self, meant: &[&str], _as_json: bool) -> Result<Extras, TableError> {
        let mut extras = Extras::default();
        let schema = Arc::clone(&self.schema);
        let mut kept = Vec::new();
        for (position, field) in schema.fields().iter().enumerate() {
            let (name, data_type) = (field.name().as_str(), field.data_type());
            self.extra[position] = !meant.contains(&name);
            if !self.extra[position] || column_type(data_type).is_some() {
                kept.push(name);
            } else if shown::can_show(data_type) {
                self.selection.all.fields[position].kind = Some(ColumnType::Text);
                kept.push(name);
            } else {
                extras.left_out.push((name.to_owned(), format!("its type {data_type} is not supported")));
            }
        }
        self.select(&kept)?;
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        guarded(|| self.fill_batch(batch)).unwrap_or_else(|panic| {
            // What a panic leaves is not to be read on.
            self.current = None;
            self.blocks = Some(VecDeque::new());
            Err(damaged(&self.name, &ArrowError::IpcError(panic)))
        })
    }
}

fn damaged(name: &str, error: &ArrowError) -> TableError {
    TableError::new(
        ErrorKind::Malformed,
        name,
        format!("the Arrow file is damaged or not supported ({error}); copy or write it again"),
    )
}

fn cut_short(name: &str) -> TableError {
    TableError::new(
        ErrorKind::Truncated,
        name,
        "the Arrow file was cut short, or lengths in it are damaged; copy or write it again",
    )
}

/// The schema and the places of the messages, from the footer of the file format.
fn read_footer(
    name: &str,
    source: &mut Box<dyn ReadSeek>,
    length: u64,
) -> Result<(SchemaRef, MetadataVersion, VecDeque<Block>), TableError> {
    let failed = |error| damaged(name, &error);
    let mut trailer = read_exactly(name, source, length.saturating_sub(10), 10, length)?;
    if trailer.split_off(4) != MAGIC {
        return Err(cut_short(name));
    }
    let size = u64::from(u32::from_le_bytes([trailer[0], trailer[1], trailer[2], trailer[3]]));
    let start = (length - 10).checked_sub(size).ok_or_else(|| cut_short(name))?;
    let footer = read_exactly(name, source, start, size, length)?;
    let footer = arrow_ipc::root_as_footer(&footer)
        .map_err(|error| damaged(name, &ArrowError::ParseError(error.to_string())))?;
    let schema = footer.schema().ok_or_else(|| cut_short(name))?;
    check_endianness(name, schema)?;
    let schema = convert::try_fb_to_schema(schema).map_err(failed)?;
    // Dictionaries first: record batches refer to them.
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten().copied().collect();
    Ok((Arc::new(schema), footer.version(), blocks))
}

/// The schema, from the first message of the stream format.
fn read_schema(
    name: &str,
    source: &mut Box<dyn ReadSeek>,
    length: u64,
) -> Result<(SchemaRef, MetadataVersion), TableError> {
    let message = read_message(name, source, length)?.ok_or_else(|| cut_short(name))?;
    let header = parse(name, &message.metadata)?;
    let schema = header
        .header_as_schema()
        .ok_or_else(|| damaged(name, &ArrowError::ParseError("the first message is no schema".to_owned())))?;
    check_endianness(name, schema)?;
    let schema = convert::try_fb_to_schema(schema).map_err(|error| damaged(name, &error))?;
    Ok((Arc::new(schema), header.version()))
}

fn check_endianness(name: &str, schema: arrow_ipc::Schema<'_>) -> Result<(), TableError> {
    match schema.endianness().equals_to_target_endianness() {
        true => Ok(()),
        false => Err(TableError::new(
            ErrorKind::Malformed,
            name,
            "the file has the other byte order; write it again on a machine like this one",
        )),
    }
}

fn read_exactly(
    name: &str,
    source: &mut Box<dyn ReadSeek>,
    from: u64,
    size: u64,
    length: u64,
) -> Result<Vec<u8>, TableError> {
    if from.checked_add(size).is_none_or(|end| end > length) {
        return Err(cut_short(name));
    }
    let mut bytes = vec![0; size as usize];
    source
        .seek(SeekFrom::Start(from))
        .and_then(|_| source.read_exact(&mut bytes))
        .map_err(|error| TableError::io(name, "read", &error))?;
    Ok(bytes)
}

/// The message at a place that the footer tells.
fn read_block(name: &str, source: &mut Box<dyn ReadSeek>, length: u64, block: &Block) -> Result<Message, TableError> {
    let unsigned = |value: i64| u64::try_from(value).map_err(|_| cut_short(name));
    let from = unsigned(block.offset())?;
    let size = unsigned(i64::from(block.metaDataLength()))?;
    let body_size = unsigned(block.bodyLength())?;
    let mut metadata = read_exactly(name, source, from, size, length)?;
    // The metadata begins with its length, which is known, in one of two ways.
    let prefix = match metadata.starts_with(&CONTINUATION) {
        true => 8,
        false => 4,
    };
    if metadata.len() < prefix {
        return Err(cut_short(name));
    }
    metadata.drain(..prefix);
    let body = read_exactly(name, source, from + size, body_size, length)?;
    Ok(Message { metadata, body: Buffer::from_vec(body) })
}

/// The message at which a stream is; `None` at its end.
fn read_message(name: &str, source: &mut Box<dyn ReadSeek>, length: u64) -> Result<Option<Message>, TableError> {
    let failed = |error: std::io::Error| TableError::io(name, "read", &error);
    let mut at = source.stream_position().map_err(failed)?;
    if at >= length {
        return Ok(None);
    }
    let mut next = |size: u64| {
        let bytes = read_exactly(name, source, at, size, length)?;
        at += size;
        Ok::<_, TableError>(bytes)
    };
    let mut size = next(4)?;
    if size == CONTINUATION {
        size = next(4)?;
    }
    let size = u64::from(u32::from_le_bytes([size[0], size[1], size[2], size[3]]));
    if size == 0 {
        return Ok(None);
    }
    let metadata = next(size)?;
    let body = parse(name, &metadata)?.bodyLength();
    let body = next(u64::try_from(body).map_err(|_| cut_short(name))?)?;
    Ok(Some(Message { metadata, body: Buffer::from_vec(body) }))
}

fn parse<'a>(name: &str, metadata: &'a [u8]) -> Result<arrow_ipc::Message<'a>, TableError> {
    arrow_ipc::root_as_message(metadata).map_err(|error| damaged(name, &ArrowError::ParseError(error.to_string())))
}

/// Compressed buffers begin with their size when decompressed, which is allocated before anything else is looked at, and
/// failing to allocate ends the process. No codec shrinks data below a fixed fraction, so absurd sizes can be told.
fn check_compressed(name: &str, batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<(), TableError> {
    let Some(compression) = batch.compression() else {
        return Ok(());
    };
    let most_per_byte = match compression.codec() {
        CompressionType::LZ4_FRAME => 256,
        // A zstd block repeats one byte up to 128 KiB times and takes 4 bytes.
        _ => 32 * 1024,
    };
    for buffer in batch.buffers().into_iter().flatten() {
        if buffer.length() < 8 {
            // Empty, or refused by the decoder.
            continue;
        }
        let prefix = usize::try_from(buffer.offset())
            .ok()
            .and_then(|from| body.get(from..from.checked_add(8)?))
            .and_then(|prefix| <[u8; 8]>::try_from(prefix).ok());
        // Buffers beyond the body, and sizes below zero, are refused by the decoder.
        let size = prefix.map_or(0, i64::from_le_bytes);
        let compressed = buffer.length().clamp(0, body.len() as i64);
        if size > compressed.saturating_mul(most_per_byte) {
            return Err(cut_short(name));
        }
    }
    Ok(())
}

fn column_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::Boolean => Some(ColumnType::Bool),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => Some(ColumnType::Int),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => Some(ColumnType::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(ColumnType::Float),
        // A column of nothing but missing values.
        DataType::Null | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(ColumnType::Text),
        DataType::Dictionary(_, values) => column_type(values),
        _ => None,
    }
}

/// The type of a column that it has whatever its values are.
fn known_type(data_type: &DataType) -> Option<ColumnType> {
    match data_type {
        DataType::UInt64 => None,
        DataType::Dictionary(_, values) => known_type(values),
        other => column_type(other),
    }
}

/// Adds the values of `array` to `column`, which is empty.
fn fill(array: &ArrayRef, column: &mut Column) {
    match array.data_type() {
        DataType::Boolean => {
            let array = array.as_boolean();
            if let Values::Bool(values) = &mut column.values {
                values.extend((0..array.len()).map(|row| array.value(row)));
            }
        }
        DataType::Int8 => integers::<Int8Type>(array, column),
        DataType::Int16 => integers::<Int16Type>(array, column),
        DataType::Int32 => integers::<Int32Type>(array, column),
        DataType::Int64 => integers::<Int64Type>(array, column),
        DataType::UInt8 => integers::<UInt8Type>(array, column),
        DataType::UInt16 => integers::<UInt16Type>(array, column),
        DataType::UInt32 => integers::<UInt32Type>(array, column),
        DataType::UInt64 => {
            return push_unsigned(array.as_primitive::<UInt64Type>().iter(), column);
        }
        DataType::Float16 => floats::<Float16Type>(array, column, |value| half_to_f64(value.to_bits())),
        DataType::Float32 => floats::<Float32Type>(array, column, f64::from),
        DataType::Float64 => floats::<Float64Type>(array, column, |value| value),
        DataType::Utf8 => texts(array.as_string::<i32>().iter(), column),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter(), column),
        DataType::Utf8View => texts(array.as_string_view().iter(), column),
        DataType::Null => {
            for _ in 0..array.len() {
                column.push_missing();
            }
            return;
        }
        DataType::Dictionary(key, _) => {
            match **key {
                DataType::Int8 => dictionary::<Int8Type>(array, column),
                DataType::Int16 => dictionary::<Int16Type>(array, column),
                DataType::Int32 => dictionary::<Int32Type>(array, column),
                DataType::Int64 => dictionary::<Int64Type>(array, column),
                DataType::UInt8 => dictionary::<UInt8Type>(array, column),
                DataType::UInt16 => dictionary::<UInt16Type>(array, column),
                DataType::UInt32 => dictionary::<UInt32Type>(array, column),
                DataType::UInt64 => dictionary::<UInt64Type>(array, column),
                // No other keys exist; the caller notices that the column stays empty.
                _ => {}
            }
            return;
        }
        // `column_type` lets no other type through; the caller notices that the column stays empty.
        _ => return,
    }
    if array.null_count() > 0 {
        column.validity = Some((0..array.len()).map(|row| array.is_valid(row)).collect());
    }
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef, column: &mut Column)
where
    T::Native: Into<i64>,
{
    if let Values::Int(values) = &mut column.values {
        values.extend(array.as_primitive::<T>().values().iter().map(|&value| value.into()));
    }
}

fn floats<T: ArrowPrimitiveType>(array: &ArrayRef, column: &mut Column, widen: impl Fn(T::Native) -> f64) {
    if let Values::Float(values) = &mut column.values {
        values.extend(array.as_primitive::<T>().values().iter().map(|&value| widen(value)));
    }
}

fn texts<'a>(array: impl Iterator<Item = Option<&'a str>>, column: &mut Column) {
    if let Values::Text(values) = &mut column.values {
        for value in array {
            values.push(value.unwrap_or_default());
        }
    }
}

/// The dictionary itself may hold a missing value, so that both levels decide.
fn dictionary<K: ArrowDictionaryKeyType>(array: &ArrayRef, column: &mut Column) {
    let array = array.as_dictionary::<K>();
    let mut entries = Column::empty(column.kind());
    fill(array.values(), &mut entries);
    // Entries that are too large for integers have become text.
    column.reset(entries.kind());
    for row in 0..array.len() {
        let entry = array.key(row).filter(|&entry| entry < entries.len() && entries.is_valid(entry));
        match (&mut column.values, &entries.values, entry) {
            (Values::Text(to), Values::Text(from), Some(entry)) => to.push(from.get(entry)),
            (Values::Int(to), Values::Int(from), Some(entry)) => to.push(from[entry]),
            (Values::Float(to), Values::Float(from), Some(entry)) => to.push(from[entry]),
            (Values::Bool(to), Values::Bool(from), Some(entry)) => to.push(from[entry]),
            (to, _, _) => to.push_placeholder(),
        }
        column.note_validity(entry.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Float64Array, Int8Array, Int64Array, UInt64Array};

    fn filled(values: ArrayRef) -> Column {
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        let array: ArrayRef = Arc::new(arrow_array::DictionaryArray::new(keys, values));
        let mut column = Column::empty(column_type(array.data_type()).unwrap());
        fill(&array, &mut column);
        assert_eq!(column.validity, Some(vec![true, false, true, true]));
        column
    }

    #[test]
    fn dictionaries_of_any_type() {
        assert_eq!(filled(Arc::new(Int64Array::from(vec![5, -7]))).values, Values::Int(vec![-7, 0, 5, -7]));
        let floats = filled(Arc::new(Float64Array::from(vec![0.5, 1.5])));
        assert!(matches!(floats.values, Values::Float(values) if values[2] == 0.5 && values[3] == 1.5));
        let large = u64::MAX.to_string();
        let texts = filled(Arc::new(UInt64Array::from(vec![5, u64::MAX])));
        assert_eq!(texts.values, Values::Text([&large, "", "5", &large].into_iter().collect()));
    }
}
