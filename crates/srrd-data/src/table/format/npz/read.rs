//! Reading NPZ.
//!
//! The arrays are of one length. One of two dimensions, (rows, k), is a group of k columns: `state.0`, `state.1`, …
//!
//! The arrays that are selected are held in memory: in the archive they come one after the other, not row by row.

use std::collections::HashSet;
use std::io::{Read, SeekFrom};
use std::sync::Arc;

use zip::ZipArchive;
use zip::result::ZipError;

use super::npy::{self, Dtype, Header, HeaderError, Kind};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::batch::{Batch, Column, Values};
use crate::table::format::Format;
use crate::table::read::half::half_to_f64;
use crate::table::read::{
    Extras, Input, Passing, Piece, ReadOptions, ReadSeek, Selection, TableReader, check_names, push_wide, unsupported,
    wrong_format,
};
use crate::table::schema::{ColumnType, Field, Schema};

/// More feature columns than this in one array are taken for a mistake, such as a transposed array.
const MOST_FEATURES: usize = 65_536;

pub(super) struct NpzReader {
    name: String,
    archive: ZipArchive<Box<dyn ReadSeek>>,
    arrays: Vec<Array>,
    /// By position in the schema.
    columns: Vec<Place>,
    selection: Selection,
    /// Columns without a meaning: bytes that are no text are escaped.
    extras: HashSet<String>,
    /// By position in the batch, once reading has begun.
    loaded: Vec<Loaded>,
    rows: usize,
    at: usize,
    batch_rows: usize,
}

/// An array of the archive.
struct Array {
    name: String,
    index: usize,
    header: Header,
}

/// Which array a column is of, and which of its columns.
#[derive(Clone, Copy)]
struct Place {
    array: usize,
    feature: usize,
}

/// The elements of a column are every `stride`-th from `start` on.
struct Loaded {
    bytes: Arc<Vec<u8>>,
    dtype: Dtype,
    start: usize,
    stride: usize,
    /// Whether bytes that are no text are escaped, as `\xff`.
    lenient: bool,
}

impl NpzReader {
    pub(super) fn open(input: Input, options: &ReadOptions) -> Result<Self, TableError> {
        let name = input.name;
        let mut source = input.source.into_read_seek(&name)?;
        let failed = |error: std::io::Error| TableError::io(name.as_str(), "read", &error);
        let mut start = Vec::new();
        source.by_ref().take(16).read_to_end(&mut start).map_err(failed)?;
        if !start.starts_with(b"PK") {
            return Err(wrong_format(&name, Format::Npz, &start));
        }
        let mut archive = open_archive(&name, source)?;
        let arrays = list(&name, &mut archive)?;
        let mut schema = Schema::default();
        let mut columns = Vec::new();
        for (array, Array { name: column, header, .. }) in arrays.iter().enumerate() {
            let kind = header.dtype.as_ref().ok().and_then(known_type);
            let features = match header.shape[..] {
                [_, k] if k <= MOST_FEATURES => Some(k),
                _ => None,
            };
            for feature in 0..features.unwrap_or(1) {
                let name = match features {
                    Some(_) => format!("{column}.{feature}"),
                    None => column.clone(),
                };
                schema.fields.push(Field::new(name, kind));
                columns.push(Place { array, feature });
            }
        }
        if schema.is_empty() {
            return Err(TableError::new(
                ErrorKind::Empty,
                name,
                "the archive holds no arrays; save the columns by name, as in numpy.savez(file, state=..., reward=...)",
            ));
        }
        check_names(&name, &schema)?;
        Ok(NpzReader {
            name,
            archive,
            arrays,
            columns,
            selection: Selection::everything(schema),
            extras: HashSet::new(),
            loaded: Vec::new(),
            rows: 0,
            at: 0,
            batch_rows: options.batch_rows.max(1),
        })
    }

    fn check_column(&self, position: usize) -> Result<(), TableError> {
        match self.why_not(position) {
            None => Ok(()),
            Some(why) => Err(unsupported(&self.name, self.selection.name_at(position), &why)),
        }
    }

    /// Why the column at `position` cannot be read, if so.
    fn why_not(&self, position: usize) -> Option<String> {
        let place = self.columns[position];
        let array = &self.arrays[place.array];
        match (&array.header.dtype, array.header.shape.len()) {
            (Err(why), _) => Some(why.clone()),
            (Ok(_), 1) => None,
            (Ok(_), 2) => match array.header.shape[1] {
                ..=MOST_FEATURES => None,
                k => Some(format!("it has {k} features; is the array transposed?")),
            },
            (Ok(_), dimensions) => {
                Some(format!("it is an array of {dimensions} dimensions; columns have one, and groups of features two"))
            }
        }
    }

    /// The one length that all selected arrays have by their headers. Compared before anything is loaded: a small file can promise
    /// gigabytes and then be refused.
    fn common_length(&self) -> Result<usize, TableError> {
        let mut length: Option<(usize, &str)> = None;
        for &position in &self.selection.positions {
            self.check_column(position)?;
            let array = &self.arrays[self.columns[position].array];
            let rows = array.header.shape[0];
            let &mut (known, first) = length.get_or_insert((rows, &array.name));
            if known != rows {
                return Err(TableError::new(
                    ErrorKind::Ragged,
                    &self.name,
                    format!("the array has length {rows}, but `{first}` has {known}; all columns need one length"),
                )
                .in_column(&array.name));
            }
        }
        // With no column selected there is nothing to tell the number of rows by but the first array.
        Ok(match length {
            Some((rows, _)) => rows,
            None => self.arrays[0].header.shape.first().copied().unwrap_or(0),
        })
    }

    fn load(&mut self) -> Result<(), TableError> {
        self.rows = self.common_length()?;
        let mut held: Vec<Option<Arc<Vec<u8>>>> = vec![None; self.arrays.len()];
        for &position in &self.selection.positions {
            let Place { array: index, feature } = self.columns[position];
            let array = &self.arrays[index];
            let Ok(dtype) = array.header.dtype else {
                continue;
            };
            let features = array.header.shape.get(1).copied().unwrap_or(1);
            let bytes = match &held[index] {
                Some(bytes) => Arc::clone(bytes),
                None => {
                    let bytes = elements(&self.name, &mut self.archive, array, dtype)?;
                    held[index] = Some(Arc::clone(&bytes));
                    bytes
                }
            };
            let (start, stride) = match array.header.fortran_order {
                true => (feature * self.rows, 1),
                false => (feature, features),
            };
            let lenient = self.extras.contains(self.selection.name_at(position));
            self.loaded.push(Loaded { bytes, dtype, start, stride, lenient });
        }
        Ok(())
    }
}

impl TableReader for NpzReader {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &Schema {
        &self.selection.selected
    }

    fn select(&mut self, names: &[&str]) -> Result<(), TableError> {
        self.selection.select(&self.name, names)?;
        self.selection.positions.iter().try_for_each(|&position| self.check_column(position))
    }

    fn keep_extras(&mut self, meant: &[&str], _: Passing) -> Result<Extras, TableError> {
        let mut extras = Extras::default();
        let names: Vec<String> = self.selection.all.names().map(str::to_owned).collect();
        let meant: HashSet<&str> = meant.iter().copied().collect();
        let length = |position: usize| self.arrays[self.columns[position].array].header.shape.first().copied();
        // All columns with a meaning have one length, or are an error.
        let needed = names.iter().position(|name| meant.contains(name.as_str()));
        let needed = needed.and_then(|position| Some((&names[position], length(position)?)));
        let mut kept = Vec::new();
        for (position, name) in names.iter().enumerate() {
            let other_length = || {
                let (first, rows) = needed?;
                let length = length(position).filter(|&length| length != rows)?;
                Some(format!("the array has length {length}, but `{first}` has {rows}"))
            };
            match self.why_not(position).or_else(other_length) {
                Some(why) if !meant.contains(name.as_str()) => extras.left_out.push((name.clone(), why)),
                _ => kept.push(name.as_str()),
            }
        }
        self.select(&kept)?;
        self.extras = kept.into_iter().filter(|name| !meant.contains(name)).map(str::to_owned).collect();
        Ok(extras)
    }

    fn next_batch(&mut self, batch: &mut Batch) -> Result<Piece, TableError> {
        if !self.selection.fixed {
            self.selection.fixed = true;
            self.load()?;
        }
        batch.reset(self.at as u64 + 1, self.loaded.iter().map(|loaded| column_type(loaded.dtype.kind)));
        let rows = self.batch_rows.min(self.rows - self.at);
        for (index, (column, loaded)) in batch.columns.iter_mut().zip(&self.loaded).enumerate() {
            loaded.fill(self.at, rows, column).map_err(|NotText(row)| {
                TableError::new(
                    ErrorKind::Encoding,
                    &self.name,
                    "the value is not valid text (UTF-8 in `S` arrays, Unicode in `U` arrays)",
                )
                .at_row((self.at + row) as u64 + 1)
                .in_column(&self.selection.selected.fields[index].name)
            })?;
        }
        batch.rows = rows;
        self.at += rows;
        Ok(if rows > 0 { Piece::Rows } else { Piece::End })
    }
}

fn column_type(kind: Kind) -> ColumnType {
    match kind {
        Kind::Bool => ColumnType::Bool,
        Kind::Signed | Kind::Unsigned => ColumnType::Int,
        Kind::Float => ColumnType::Float,
        Kind::Unicode | Kind::Bytes => ColumnType::Text,
    }
}

/// The type of a column that it has whatever its values are.
fn known_type(dtype: &Dtype) -> Option<ColumnType> {
    match dtype.kind {
        Kind::Unsigned if dtype.size == 8 => None,
        kind => Some(column_type(kind)),
    }
}

fn zip_error(name: &str, error: &ZipError) -> TableError {
    match error {
        ZipError::Io(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => damaged(name, &error.to_string()),
        ZipError::UnsupportedArchive(what) => TableError::new(
            ErrorKind::Malformed,
            name,
            format!("the archive cannot be read: {what}; save it with numpy.savez or numpy.savez_compressed"),
        ),
        _ => TableError::new(
            ErrorKind::Truncated,
            name,
            "the archive is damaged or cut short: its directory, which stands at the end, cannot be read; copy or \
             download the file again",
        ),
    }
}

fn damaged(name: &str, what: &str) -> TableError {
    TableError::new(
        ErrorKind::Malformed,
        name,
        format!("the archive is damaged ({what}); copy or download the file again"),
    )
}

/// The archive, with every member that it holds in its directory: one that is missing there would be a column that vanished.
fn open_archive(name: &str, source: Box<dyn ReadSeek>) -> Result<ZipArchive<Box<dyn ReadSeek>>, TableError> {
    let failed = |error: ZipError| zip_error(name, &error);
    let mut archive = ZipArchive::new(source).map_err(failed)?;
    let mut places = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(failed)?;
        let end = entry.data_start().and_then(|start| start.checked_add(entry.compressed_size()));
        places.push((entry.header_start(), end.unwrap_or(u64::MAX)));
    }
    places.sort_unstable();
    // Members lie one behind the other. What lies between may be their sizes once more, or a directory of before; not a member.
    let mut end = archive.offset();
    let mut gaps = Vec::new();
    for (start, next_end) in places.into_iter().chain([(archive.central_directory_start(), 0)]) {
        if start < end {
            return Err(damaged(name, "its members overlap"));
        }
        if start - end >= 4 {
            gaps.push(end);
        }
        end = next_end;
    }
    if gaps.is_empty() {
        return Ok(archive);
    }
    let mut source = archive.into_inner();
    for gap in gaps {
        let mut start = [0; 4];
        let read = source.seek(SeekFrom::Start(gap)).and_then(|_| source.read_exact(&mut start));
        read.map_err(|error| TableError::io(name, "read", &error))?;
        if &start == b"PK\x03\x04" {
            return Err(damaged(name, "not all of its members are in its directory"));
        }
    }
    ZipArchive::new(source).map_err(failed)
}

/// The arrays of the archive, with their headers.
fn list(name: &str, archive: &mut ZipArchive<Box<dyn ReadSeek>>) -> Result<Vec<Array>, TableError> {
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| zip_error(name, &error))?;
        let entry_name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        // A damaged name would make a column vanish.
        let Some(array) = entry_name.strip_suffix(".npy") else {
            let what = format!("`{}` in it is no array: arrays have names that end in .npy", shorten(&entry_name));
            return Err(damaged(name, &what));
        };
        let header = npy::read_header(&mut entry).map_err(|error| {
            match error {
                HeaderError::Io(error) => damaged(name, &error.to_string()),
                HeaderError::Malformed(what) => damaged(name, &what),
            }
            .in_column(array)
        })?;
        arrays.push(Array { name: array.to_owned(), index, header });
    }
    Ok(arrays)
}

/// The elements of an array, as they are in the file.
fn elements(
    name: &str,
    archive: &mut ZipArchive<Box<dyn ReadSeek>>,
    array: &Array,
    dtype: Dtype,
) -> Result<Arc<Vec<u8>>, TableError> {
    let cut = || {
        TableError::new(
            ErrorKind::Truncated,
            name,
            "the array holds fewer or more elements than its header says; save the file again",
        )
        .in_column(&array.name)
    };
    let broken = |error: std::io::Error| damaged(name, &error.to_string()).in_column(&array.name);
    let size =
        array.header.shape.iter().try_fold(dtype.size, |size, &extent| size.checked_mul(extent)).ok_or_else(cut)?;
    let mut entry = archive.by_index(array.index).map_err(|error| zip_error(name, &error).in_column(&array.name))?;
    if npy::read_header(&mut entry).is_err() {
        return Err(cut());
    }
    // Grows as the data comes: the header may promise anything.
    let mut bytes = Vec::new();
    entry.by_ref().take(size as u64).read_to_end(&mut bytes).map_err(broken)?;
    // Reading on to the end lets the archive check its checksum.
    let rest = std::io::copy(&mut entry.take(1), &mut std::io::sink()).map_err(broken)?;
    if bytes.len() != size || rest > 0 {
        return Err(cut());
    }
    Ok(Arc::new(bytes))
}

/// The element of this row is no text.
struct NotText(usize);

impl Loaded {
    /// Adds `rows` elements from row `at` on.
    fn fill(&self, at: usize, rows: usize, column: &mut Column) -> Result<(), NotText> {
        let Dtype { kind, size, big_endian } = self.dtype;
        let element = |row: usize| {
            let from = (self.start + (at + row) * self.stride) * size;
            &self.bytes[from..from + size]
        };
        // The element as an unsigned integer, whatever its width and byte order.
        let bits = |row: usize| {
            let mut wide = [0; 8];
            for (to, from) in wide.iter_mut().zip(element(row).iter()) {
                *to = *from;
            }
            if big_endian {
                wide[..size].reverse();
            }
            u64::from_le_bytes(wide)
        };
        match (kind, &mut column.values) {
            (Kind::Bool, Values::Bool(values)) => values.extend((0..rows).map(|row| element(row)[0] != 0)),
            (Kind::Signed, Values::Int(values)) => {
                let unused = 64 - 8 * size as u32;
                values.extend((0..rows).map(|row| ((bits(row) << unused) as i64) >> unused));
            }
            (Kind::Unsigned, Values::Int(_)) => push_wide((0..rows).map(|row| Some(bits(row))), column),
            (Kind::Float, Values::Float(values)) => match size {
                2 => values.extend((0..rows).map(|row| half_to_f64(bits(row) as u16))),
                4 => values.extend((0..rows).map(|row| f64::from(f32::from_bits(bits(row) as u32)))),
                _ => values.extend((0..rows).map(|row| f64::from_bits(bits(row)))),
            },
            (Kind::Bytes, Values::Text(values)) => {
                for row in 0..rows {
                    let bytes = element(row);
                    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                    match std::str::from_utf8(&bytes[..end]) {
                        Ok(text) => values.push(text),
                        Err(_) if self.lenient => values.push(&bytes[..end].escape_ascii().to_string()),
                        Err(_) => return Err(NotText(row)),
                    }
                }
            }
            (Kind::Unicode, Values::Text(values)) => {
                let mut text = String::new();
                for row in 0..rows {
                    text.clear();
                    for code in element(row).chunks_exact(4) {
                        let code: [u8; 4] = [code[0], code[1], code[2], code[3]];
                        let code = match big_endian {
                            true => u32::from_be_bytes(code),
                            false => u32::from_le_bytes(code),
                        };
                        text.push(char::from_u32(code).ok_or(NotText(row))?);
                    }
                    values.push(text.trim_end_matches('\0'));
                }
            }
            // The batch was reset to the types of these very columns.
            (_, values) => (0..rows).for_each(|_| values.push_placeholder()),
        }
        Ok(())
    }
}
