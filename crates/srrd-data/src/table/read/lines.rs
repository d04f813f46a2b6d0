//! The ground of the text formats: blocks of whole lines, decompressed, checked to be UTF-8.
//!
//! A block ends after a newline, so that it never cuts a character; whether it also ends a record is for the format to
//! say (a quoted CSV field may hold newlines), which asks for more if not.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::{memchr, memchr_iter, memrchr};

use super::{Input, Source, gzip, wrong_format};
use crate::error::{ErrorKind, TableError};
use crate::table::format::{Compression, FileFormat, Format, signature};

/// How much is read at a time: fits the second-level cache with room for the columns being filled.
const CHUNK: usize = 256 * 1024;

/// The longest record. Without a bound, one unclosed quote would take the rest of a file into memory.
const LONGEST_RECORD: usize = 64 * 1024 * 1024;

pub(crate) struct LineBlocks {
    name: String,
    compression: Compression,
    input: Box<dyn Read + Send>,
    /// The lines not yet consumed are `buffer[start..end]`; `buffer[end..filled]` is an unfinished line.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    filled: usize,
    at_end: bool,
    /// The line number at `start`.
    line: u64,
    /// An error in the line at `end`, to be reported when everything before it is consumed.
    pending: Option<TableError>,
    /// The length of the whole, where it is known.
    length: Option<u64>,
}

/// The lines of a file, decompressed as its name says.
pub(crate) fn open_lines(path: &Path) -> Result<LineBlocks, TableError> {
    let FileFormat { format, compression } = FileFormat::from_path(path)?;
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| TableError::io(&name, "read", &error))?;
    LineBlocks::open(Input { name, format, compression, source: Source::File(file) })
}

impl LineBlocks {
    pub(crate) fn open(input: Input) -> Result<Self, TableError> {
        let Input { name, format, compression, source } = input;
        let length = source.length().filter(|_| compression == Compression::None);
        let failed = |error| match std::io::Error::kind(&error) {
            io::ErrorKind::IsADirectory => {
                TableError::new(ErrorKind::Directory, &name, "is a directory, not a table; name the files in it")
            }
            _ => TableError::io(&name, "read", &error),
        };
        let (first, input) = peek(source.into_stream()).map_err(failed)?;
        let input: Box<dyn Read + Send> = match compression {
            Compression::None => input,
            Compression::Gzip => {
                check_magic(&name, &first, |first| first.starts_with(b"\x1f\x8b"), "gzip")?;
                Box::new(gzip::Members::new(io::BufReader::with_capacity(CHUNK, input)))
            }
            Compression::Zstd => {
                // A frame, or one that is to be skipped, as pzstd puts before each of its own.
                let begins = |first: &[u8]| match *first {
                    [0x28, 0xb5, 0x2f, 0xfd, ..] => true,
                    [kind, 0x2a, 0x4d, 0x18, ..] => kind >> 4 == 5,
                    _ => false,
                };
                check_magic(&name, &first, begins, "Zstandard")?;
                let mut decoder = zstd::stream::read::Decoder::new(input).map_err(failed)?;
                // As far back as `zstd --long=31` looks.
                decoder.window_log_max(31).map_err(failed)?;
                Box::new(decoder)
            }
        };
        let mut blocks = LineBlocks {
            name,
            compression,
            input,
            buffer: vec![0; CHUNK + 1],
            start: 0,
            end: 0,
            filled: 0,
            at_end: false,
            line: 1,
            pending: None,
            length,
        };
        blocks.check_start(format)?;
        Ok(blocks)
    }

    /// Looks at the first bytes: another format, or a byte order mark to be skipped.
    fn check_start(&mut self, format: Format) -> Result<(), TableError> {
        self.read_chunk()?;
        let start = &self.buffer[..self.filled.min(16)];
        if start.is_empty() || signature(start).is_some() {
            return Err(wrong_format(&self.name, format, start));
        }
        if !format.info().json && start.starts_with(b"{\"") {
            let what = "it begins as JSON Lines do; give it the extension .jsonl";
            return Err(TableError::new(ErrorKind::WrongFormat, &self.name, what));
        }
        if start.starts_with(b"\xef\xbb\xbf") {
            self.start = 3;
            self.end = 3;
        }
        self.extend_end();
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The line number at the start of [`text`](Self::text).
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The whole lines that are read and not yet consumed.
    pub(crate) fn text(&self) -> &str {
        // Checked when it was read. Checking again, once a batch, is far cheaper than the parsing and needs no `unsafe`.
        std::str::from_utf8(&self.buffer[self.start..self.end]).unwrap_or_default()
    }

    /// About how many lines there are in all, if they are all like those at hand.
    pub(crate) fn lines_hint(&self) -> Option<usize> {
        let lines = memchr_iter(b'\n', &self.buffer[self.start..self.end]).count() as u64;
        let all = self.length?.checked_mul(lines)?.checked_div((self.end - self.start) as u64)?;
        usize::try_from(all).ok()
    }

    /// Drops the first `bytes` bytes, which are whole lines.
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.line += memchr_iter(b'\n', &self.buffer[self.start..self.start + bytes]).count() as u64;
        self.start += bytes;
    }

    /// Adds more whole lines to [`text`](Self::text); `false` when there are no more.
    pub(crate) fn more(&mut self) -> Result<bool, TableError> {
        if let Some(error) = self.pending.take() {
            self.at_end = true;
            return Err(error);
        }
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.end -= self.start;
        self.start = 0;
        let before = self.end;
        while !self.at_end && self.end == before {
            if self.filled > LONGEST_RECORD {
                return Err(TableError::new(
                    ErrorKind::Malformed,
                    &self.name,
                    format!(
                        "a row longer than {} MiB begins here; look for a quote that is never closed, or for a file \
                         without line ends",
                        LONGEST_RECORD >> 20
                    ),
                )
                .at_line(self.line));
            }
            self.read_chunk()?;
            self.extend_end();
        }
        match self.pending.take() {
            Some(error) if self.end == before => {
                self.at_end = true;
                Err(error)
            }
            pending => {
                self.pending = pending;
                Ok(self.end > before)
            }
        }
    }

    /// Reads a chunk behind what is in the buffer; as much again when that is a long unfinished record, so that the time
    /// for such a record stays proportional to its length.
    fn read_chunk(&mut self) -> Result<(), TableError> {
        let target = self.filled + CHUNK.max(self.filled);
        if self.buffer.len() <= target {
            // One byte more, for the line end that may be missing at the end.
            self.buffer.resize(target + 1, 0);
        }
        while self.filled < target {
            match self.input.read(&mut self.buffer[self.filled..target]) {
                Ok(0) => {
                    self.at_end = true;
                    if self.filled > 0 && self.buffer[self.filled - 1] != b'\n' {
                        self.buffer[self.filled] = b'\n';
                        self.filled += 1;
                    }
                    break;
                }
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.read_error(&error)),
            }
        }
        Ok(())
    }

    fn read_error(&self, error: &io::Error) -> TableError {
        let codec = match self.compression {
            Compression::None => return TableError::io(&self.name, "read", error),
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
        };
        if error.get_ref().is_some_and(|error| error.is::<gzip::Behind>()) {
            TableError::new(
                ErrorKind::Malformed,
                &self.name,
                "there is something behind the gzip data that is none; cut it off, or copy or download the file again",
            )
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            TableError::new(
                ErrorKind::Truncated,
                &self.name,
                format!("the {codec} data ends too early: the file was cut short; copy or download it again"),
            )
        } else {
            TableError::new(
                ErrorKind::Malformed,
                &self.name,
                format!("the {codec} data is damaged ({error}); copy or download the file again"),
            )
        }
    }

    /// Moves `end` behind the last whole line, or before the first line that is no proper text.
    fn extend_end(&mut self) {
        let Some(last) = memrchr(b'\n', &self.buffer[self.end..self.filled]) else {
            return;
        };
        let fresh = &self.buffer[self.end..self.end + last + 1];
        let invalid = std::str::from_utf8(fresh).err().map(|error| error.valid_up_to());
        let nul = memchr(0, &fresh[..invalid.unwrap_or(fresh.len())]);
        let Some(bad) = nul.or(invalid) else {
            self.end += fresh.len();
            return;
        };
        let good = memrchr(b'\n', &fresh[..bad]).map_or(0, |at| at + 1);
        let lines = memchr_iter(b'\n', &self.buffer[self.start..self.end + good]).count();
        let message = if nul.is_some() {
            "the line holds a NUL byte, so this is no text file, or a damaged or UTF-16 one; save it as UTF-8"
                .to_owned()
        } else {
            format!(
                "byte {:#04x} at position {} of the line is not UTF-8; save the file as UTF-8",
                fresh[bad],
                bad - good + 1
            )
        };
        self.pending =
            Some(TableError::new(ErrorKind::Encoding, &self.name, message).at_line(self.line + lines as u64));
        self.end += good;
    }
}

/// The first bytes of `input`, and a reader that still gives them.
fn peek(mut input: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut first = Vec::new();
    input.by_ref().take(8).read_to_end(&mut first)?;
    let input = io::Cursor::new(first.clone()).chain(input);
    Ok((first, Box::new(input)))
}

fn check_magic(name: &str, first: &[u8], begins: impl Fn(&[u8]) -> bool, codec: &str) -> Result<(), TableError> {
    if first.is_empty() {
        return Err(wrong_format(name, Format::Csv, first));
    }
    if begins(first) {
        return Ok(());
    }
    let looks = signature(first).unwrap_or("something else, perhaps plain text");
    Err(TableError::new(
        ErrorKind::WrongFormat,
        name,
        format!("is not {codec} data as its name says: it looks like {looks}; give it the extension of what it is"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(bytes: &[u8]) -> LineBlocks {
        LineBlocks::open(Input {
            name: "t.csv".to_owned(),
            format: Format::Csv,
            compression: Compression::None,
            source: super::super::Source::Bytes(bytes.to_vec()),
        })
        .unwrap()
    }

    #[test]
    fn lines_come_whole_and_the_last_one_is_ended() {
        let mut blocks = blocks(b"\xef\xbb\xbfa\nb");
        assert_eq!(blocks.text(), "a\nb\n");
        blocks.consume(2);
        assert_eq!((blocks.text(), blocks.line()), ("b\n", 2));
        assert!(!blocks.more().unwrap());
    }

    #[test]
    fn a_bad_line_is_reported_after_the_good_ones() {
        let mut blocks = blocks(b"a\nb\nc\xff\nd\n");
        assert_eq!(blocks.text(), "a\nb\n");
        blocks.consume(4);
        let error = blocks.more().unwrap_err();
        assert_eq!((error.kind(), error.line()), (ErrorKind::Encoding, Some(3)));
        assert!(error.to_string().contains("0xff at position 2"), "{error}");
        assert!(!blocks.more().unwrap());
    }

    #[test]
    fn long_lines_are_put_together() {
        let long = "x".repeat(3 * CHUNK);
        let mut blocks = blocks(format!("a\n{long}\n").as_bytes());
        assert_eq!(blocks.text(), "a\n");
        blocks.consume(2);
        assert!(blocks.more().unwrap());
        assert_eq!(blocks.text().len(), long.len() + 1);
    }
}
