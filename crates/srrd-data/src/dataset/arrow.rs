//! Arrow files as recordings have them: columns of numbers, of lists of numbers of one length, and of structures of such.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType};

use super::episodes::{MOST_FEATURES, Part};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{Column, Values, column_type, fill_column, guarded};

/// All record batches of a file, in the file or the stream format.
pub(super) fn read_file(path: &Path) -> Result<Vec<RecordBatch>, TableError> {
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|error| TableError::io(&name, "read", &error))?;
    let mut start = [0; 6];
    let is_file = file.read_exact(&mut start).is_ok() && &start == b"ARROW1";
    file.seek(SeekFrom::Start(0)).map_err(|error| TableError::io(&name, "read", &error))?;
    let read = || -> Result<Vec<RecordBatch>, ArrowError> {
        match is_file {
            true => FileReader::try_new(BufReader::new(file), None)?.collect(),
            false => StreamReader::try_new(BufReader::new(file), None)?.collect(),
        }
    };
    let damaged = |why: String| {
        let what = format!("the Arrow file is damaged ({}); copy or download it again", shorten(&why));
        TableError::new(ErrorKind::Malformed, &name, what)
    };
    guarded(read).map_err(damaged)?.map_err(|error| damaged(error.to_string()))
}

/// A column of numbers, or a part of a structure.
pub(super) struct Leaf {
    /// The name, of parts of structures with dots.
    pub name: String,
    pub rows: usize,
    /// How many values a row has, and whether rows are lists of them.
    width: usize,
    list: bool,
    values: Column,
}

/// The leaves of all columns; rows of all batches one behind the other.
pub(super) fn leaves(file: &str, batches: &[RecordBatch]) -> Result<Vec<Leaf>, TableError> {
    let mut leaves: Vec<Leaf> = Vec::new();
    for batch in batches {
        let mut of_batch = Vec::new();
        for (field, array) in batch.schema().fields().iter().zip(batch.columns()) {
            collect(file, field.name(), array, &mut of_batch)?;
        }
        if leaves.is_empty() {
            leaves = of_batch;
            continue;
        }
        for (all, more) in leaves.iter_mut().zip(of_batch) {
            if (all.width, all.values.kind()) != (more.width, more.values.kind()) && more.rows > 0 {
                return Err(ragged(file, &all.name, all.width, more.width));
            }
            all.rows += more.rows;
            all.values.append(&more.values);
        }
    }
    Ok(leaves)
}

fn ragged(file: &str, column: &str, expected: usize, found: usize) -> TableError {
    let what = format!("rows have {expected} values and {found}, but all must have the same number");
    TableError::new(ErrorKind::Ragged, file, what).in_column(column)
}

fn collect(file: &str, name: &str, array: &ArrayRef, leaves: &mut Vec<Leaf>) -> Result<(), TableError> {
    if let DataType::Struct(fields) = array.data_type() {
        for (field, array) in fields.iter().zip(array.as_struct().columns()) {
            collect(file, &format!("{name}.{}", field.name()), array, leaves)?;
        }
        return Ok(());
    }
    // What is no number, such as what environments tell beside, is left out.
    if let Some(leaf) = leaf(file, name, array)? {
        leaves.push(leaf);
    }
    Ok(())
}

/// The values of lists within lists, and how many are in each of the outermost.
pub(super) fn flat(file: &str, name: &str, array: &ArrayRef) -> Result<(ArrayRef, usize), TableError> {
    let (mut values, mut width) = (array.clone(), 1usize);
    loop {
        let (inner, count) = match values.data_type() {
            DataType::FixedSizeList(_, count) => {
                (values.as_fixed_size_list().values().clone(), usize::try_from(*count).unwrap_or(0))
            }
            DataType::List(_) => equal(file, name, values.as_list::<i32>())?,
            DataType::LargeList(_) => equal(file, name, values.as_list::<i64>())?,
            _ => return Ok((values, width)),
        };
        if values.null_count() > 0 {
            let what = "a list is missing: every step needs one";
            return Err(TableError::new(ErrorKind::Type, file, what).in_column(name));
        }
        width = width.saturating_mul(count);
        if width > MOST_FEATURES {
            let what = format!("rows of more than {MOST_FEATURES} values cannot be features");
            return Err(TableError::new(ErrorKind::UnsupportedColumn, file, what).in_column(name));
        }
        values = inner;
    }
}

/// The values of lists that have all the same length.
fn equal<O: arrow_array::OffsetSizeTrait>(
    file: &str,
    name: &str,
    lists: &arrow_array::GenericListArray<O>,
) -> Result<(ArrayRef, usize), TableError> {
    let offsets = lists.value_offsets();
    let length = |pair: &[O]| pair[1].as_usize() - pair[0].as_usize();
    let count = offsets.windows(2).next().map_or(0, length);
    if let Some(other) = offsets.windows(2).map(length).find(|&other| other != count) {
        return Err(ragged(file, name, count, other));
    }
    let (first, last) = (offsets.first().map_or(0, |o| o.as_usize()), offsets.last().map_or(0, |o| o.as_usize()));
    Ok((lists.values().slice(first, last - first), count))
}

/// A column of numbers or of lists of them; `None` for other things.
pub(super) fn leaf(file: &str, name: &str, array: &ArrayRef) -> Result<Option<Leaf>, TableError> {
    let (values, width) = flat(file, name, array)?;
    let Some(kind) = column_type(values.data_type()) else { return Ok(None) };
    let mut column = Column::empty(kind);
    fill_column(&values, &mut column)
        .map_err(|row| TableError::new(ErrorKind::Encoding, file, format!("value {row} is no text")).in_column(name))?;
    if column.len() != array.len().saturating_mul(width) || column.kind() != kind {
        let what = "the column holds other values than its type says; the file is damaged";
        return Err(TableError::new(ErrorKind::Malformed, file, what).in_column(name));
    }
    let list = column_type(array.data_type()).is_none();
    Ok(Some(Leaf { name: name.to_owned(), rows: array.len(), width, list, values: column }))
}

impl Leaf {
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn as_part(&self, role: &str, key: &str) -> Part {
        Part::of_role(role, key, self.width, !self.list, self.values.kind())
    }

    /// Adds rows to values of the same type, or of truths.
    pub fn read(&self, file: &str, rows: Range<usize>, width: usize, to: &mut Values) -> Result<(), TableError> {
        if self.width != width || rows.end > self.rows {
            return Err(ragged(file, &self.name, width, self.width));
        }
        let places = rows.start * width..rows.end * width;
        if let Some(missing) = places.clone().find(|&place| !self.values.is_valid(place)) {
            let error = TableError::new(ErrorKind::Type, file, "the value is missing");
            return Err(error.at_row((missing / width) as u64 + 1).in_column(&self.name));
        }
        match (&self.values.values, to) {
            (Values::Float(from), Values::Float(to)) => to.extend(&from[places]),
            (Values::Int(from), Values::Int(to)) => to.extend(&from[places]),
            (Values::Int(from), Values::Float(to)) => to.extend(from[places].iter().map(|&value| value as f64)),
            (Values::Bool(from), Values::Bool(to)) => to.extend(&from[places]),
            (Values::Text(from), Values::Text(to)) => places.for_each(|place| to.push(from.get(place))),
            (_, to) => {
                let what = format!("it holds {:?} where {:?} is needed", self.values.kind(), to.kind());
                return Err(TableError::new(ErrorKind::Type, file, what).in_column(&self.name));
            }
        }
        Ok(())
    }
}
