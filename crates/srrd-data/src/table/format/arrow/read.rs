//! Arrow IPC: the file format (Feather version 2) and the stream format.
//!
//! Both are sequences of messages, of which the file format has an index. The messages are fetched here, not by
//! `arrow_ipc`'s own readers: a damaged length is thus compared with what the file holds before memory is asked for.

use std::collections::{HashMap, VecDeque};
use std::io::{Read, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{Block, CompressionType, MessageHeader, MetadataVersion, convert};
use arrow_schema::{ArrowError, SchemaRef};

use crate::error::{ErrorKind, TableError};
use crate::table::format::Format;
use crate::table::read::guard::guarded;
use crate::table::read::records::RecordSource;
use crate::table::read::{Input, ReadSeek, wrong_format};

const MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xff; 4];

pub(super) struct ArrowSource {
    name: String,
    source: Box<dyn ReadSeek>,
    /// The length of the whole, against which lengths inside are checked.
    length: u64,
    /// Where the messages are, in the file format; `None` in a stream, in which they follow each other.
    blocks: Option<Vec<Block>>,
    /// Those that were not yet read.
    left: VecDeque<Block>,
    /// Where the first message behind the schema is, in a stream.
    first: u64,
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: HashMap<i64, ArrayRef>,
    positions: Vec<usize>,
}

/// A message: its metadata, and the body that the metadata describes.
struct Message {
    metadata: Vec<u8>,
    body: Buffer,
}

impl ArrowSource {
    pub(super) fn open(input: Input) -> Result<Self, TableError> {
        let name = input.name;
        let mut source = input.source.into_read_seek(&name)?;
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
        let first = source.stream_position().map_err(failed)?;
        Ok(ArrowSource {
            name,
            source,
            length,
            blocks,
            left: VecDeque::new(),
            first,
            schema,
            version,
            dictionaries: HashMap::new(),
            positions: Vec::new(),
        })
    }
}

impl RecordSource for ArrowSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn start(&mut self, positions: &[usize]) -> Result<(), TableError> {
        self.positions = positions.to_vec();
        self.dictionaries.clear();
        self.left = self.blocks.iter().flatten().copied().collect();
        self.source.seek(SeekFrom::Start(self.first)).map_err(|error| TableError::io(&self.name, "read", &error))?;
        Ok(())
    }

    /// Decodes messages up to the next record batch.
    fn next(&mut self) -> Result<Option<RecordBatch>, TableError> {
        loop {
            let message = match &self.blocks {
                Some(_) => match self.left.pop_front() {
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
                        Some(&self.positions),
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

    fn damaged(&self, what: &str) -> TableError {
        damaged(&self.name, &ArrowError::IpcError(what.to_owned()))
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
) -> Result<(SchemaRef, MetadataVersion, Vec<Block>), TableError> {
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
