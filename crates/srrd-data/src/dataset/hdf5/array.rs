//! Arrays of an HDF5 file, read piece by piece along their first dimension.

use std::ops::Range;

use hdf5_reader::error::Error;
use hdf5_reader::{ByteOrder, Dataset, Datatype, H5Type, SliceInfo, SliceInfoElem};

use super::{File, damaged};
use crate::dataset::episodes::{MOST_FEATURES, Part};
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{ColumnType, TextColumn, Values, half_to_f64};

/// An array with one row per step.
pub(in crate::dataset) struct Array {
    file: File,
    path: String,
    dataset: Dataset,
    /// How many rows there are, how many values in each, and of how many dimensions the array is.
    pub rows: usize,
    pub width: usize,
    pub dimensions: usize,
    /// `None` for what is neither numbers, truths nor texts.
    pub kind: Option<ColumnType>,
}

/// A byte as it is: truths are stored as an enumeration of two bytes.
#[derive(Clone, Copy)]
struct Byte(u8);

/// A number of 16 bits.
#[derive(Clone, Copy)]
struct Half(u16);

impl H5Type for Byte {
    fn hdf5_type() -> Datatype {
        u8::hdf5_type()
    }

    fn from_bytes(bytes: &[u8], _: &Datatype) -> Result<Self, Error> {
        bytes.first().map(|&byte| Byte(byte)).ok_or_else(|| Error::InvalidData("no byte".to_owned()))
    }

    fn element_size(_: &Datatype) -> usize {
        1
    }
}

impl H5Type for Half {
    fn hdf5_type() -> Datatype {
        Datatype::FloatingPoint { size: 2, byte_order: ByteOrder::LittleEndian }
    }

    fn from_bytes(bytes: &[u8], dtype: &Datatype) -> Result<Self, Error> {
        match (bytes, dtype) {
            (&[a, b, ..], Datatype::FloatingPoint { byte_order: ByteOrder::BigEndian, .. }) => {
                Ok(Half(u16::from_be_bytes([a, b])))
            }
            (&[a, b, ..], _) => Ok(Half(u16::from_le_bytes([a, b]))),
            _ => Err(Error::InvalidData("half a number".to_owned())),
        }
    }

    fn element_size(_: &Datatype) -> usize {
        2
    }
}

fn kind_of(datatype: &Datatype) -> Option<ColumnType> {
    match datatype {
        Datatype::FloatingPoint { size: 2 | 4 | 8, .. } => Some(ColumnType::Float),
        Datatype::FixedPoint { size: 1 | 2 | 4 | 8, .. } => Some(ColumnType::Int),
        Datatype::Enum { base, members } if members.len() == 2 => {
            matches!(**base, Datatype::FixedPoint { size: 1, .. }).then_some(ColumnType::Bool)
        }
        Datatype::String { .. } => Some(ColumnType::Text),
        Datatype::VarLen { base, .. } if base.is_vlen_string_base() => Some(ColumnType::Text),
        _ => None,
    }
}

impl Array {
    pub(super) fn new(file: &File, path: &str, dataset: Dataset) -> Result<Self, TableError> {
        let too_large = || damaged(&file.name, path, "an array is larger than the file can hold");
        let shape = dataset.shape();
        let number = |value: u64| usize::try_from(value).map_err(|_| too_large());
        let rows = number(shape.first().copied().unwrap_or(1))?;
        let mut width = 1usize;
        for &side in shape.iter().skip(1) {
            width = width.checked_mul(number(side)?).ok_or_else(too_large)?;
        }
        let values = (rows as u64).checked_mul(width as u64).ok_or_else(too_large)?;
        if values > file.most {
            return Err(too_large());
        }
        let (dimensions, kind) = (shape.len(), kind_of(dataset.dtype()));
        Ok(Array { file: file.clone(), path: path.to_owned(), dataset, rows, width, dimensions, kind })
    }

    /// Adds rows to values of the type of the array (or truths of numbers, and floats of integers).
    pub fn read(&self, rows: Range<usize>, to: &mut Values) -> Result<(), TableError> {
        if rows.end > self.rows {
            let what = format!(
                "`{}` has {} rows, but row {} is needed; all arrays of an episode have one row per step",
                shorten(&self.path),
                self.rows,
                rows.end
            );
            return Err(TableError::new(ErrorKind::Malformed, &self.file.name, what));
        }
        match (self.dataset.dtype(), &mut *to) {
            (Datatype::FloatingPoint { size: 8, .. }, Values::Float(to)) => self.fetch(rows, to, |value: f64| value),
            (Datatype::FloatingPoint { size: 4, .. }, Values::Float(to)) => self.fetch(rows, to, |v: f32| v.into()),
            (Datatype::FloatingPoint { size: 2, .. }, Values::Float(to)) => {
                self.fetch(rows, to, |value: Half| half_to_f64(value.0))
            }
            (Datatype::Enum { .. }, Values::Bool(to)) => self.fetch(rows, to, |value: Byte| value.0 != 0),
            (Datatype::FixedPoint { .. }, Values::Int(to)) => self.integers(rows, to),
            (Datatype::FixedPoint { .. }, Values::Float(to)) => {
                let mut integers = Vec::new();
                self.integers(rows, &mut integers)?;
                to.extend(integers.into_iter().map(|value| value as f64));
                Ok(())
            }
            (_, Values::Bool(to)) => self.truths(rows, to),
            (_, Values::Text(to)) => self.texts(rows, to),
            (_, to) => Err(self.other_type(to.kind())),
        }
    }

    fn integers(&self, rows: Range<usize>, to: &mut Vec<i64>) -> Result<(), TableError> {
        match self.dataset.dtype() {
            Datatype::FixedPoint { size: 1, signed: true, .. } => self.fetch(rows, to, |value: i8| value.into()),
            Datatype::FixedPoint { size: 1, .. } => self.fetch(rows, to, |value: u8| value.into()),
            Datatype::FixedPoint { size: 2, signed: true, .. } => self.fetch(rows, to, |value: i16| value.into()),
            Datatype::FixedPoint { size: 2, .. } => self.fetch(rows, to, |value: u16| value.into()),
            Datatype::FixedPoint { size: 4, signed: true, .. } => self.fetch(rows, to, |value: i32| value.into()),
            Datatype::FixedPoint { size: 4, .. } => self.fetch(rows, to, |value: u32| value.into()),
            Datatype::FixedPoint { size: 8, signed: true, .. } => self.fetch(rows, to, |value: i64| value),
            Datatype::FixedPoint { size: 8, .. } => {
                let mut wide: Vec<u64> = Vec::new();
                self.fetch(rows, &mut wide, |value: u64| value)?;
                for value in wide {
                    to.push(i64::try_from(value).map_err(|_| damaged(&self.file.name, &self.path, "a huge integer"))?);
                }
                Ok(())
            }
            _ => Err(self.other_type(ColumnType::Int)),
        }
    }

    /// Numbers that are 0 or 1.
    fn truths(&self, rows: Range<usize>, to: &mut Vec<bool>) -> Result<(), TableError> {
        let mut numbers = Values::empty(ColumnType::Float);
        self.read(rows, &mut numbers)?;
        let Values::Float(numbers) = numbers else { return Ok(()) };
        for (row, number) in numbers.into_iter().enumerate() {
            if number != 0.0 && number != 1.0 {
                let what = format!("`{}` holds {number} at step {row}, where only 0 and 1 can be", shorten(&self.path));
                return Err(TableError::new(ErrorKind::Type, &self.file.name, what));
            }
            to.push(number == 1.0);
        }
        Ok(())
    }

    fn texts(&self, rows: Range<usize>, to: &mut TextColumn) -> Result<(), TableError> {
        let texts = self.file.call(&self.path, |_| self.dataset.read_strings())?;
        let wanted = texts.get(rows).ok_or_else(|| damaged(&self.file.name, &self.path, "texts are missing"))?;
        wanted.iter().for_each(|text| to.push(text));
        Ok(())
    }

    /// All texts of the array.
    pub fn all_texts(&self) -> Result<Vec<String>, TableError> {
        self.file.call(&self.path, |_| self.dataset.read_strings())
    }

    fn fetch<T: H5Type + Copy, V>(
        &self,
        rows: Range<usize>,
        to: &mut Vec<V>,
        convert: impl Fn(T) -> V,
    ) -> Result<(), TableError> {
        let all = SliceInfoElem::Slice { start: 0, end: u64::MAX, step: 1 };
        let mut selections = vec![all; self.dimensions];
        if let Some(first) = selections.first_mut() {
            *first = SliceInfoElem::Slice { start: rows.start as u64, end: rows.end as u64, step: 1 };
        }
        let read = self.file.call(&self.path, |_| self.dataset.read_slice::<T>(&SliceInfo { selections }))?;
        match read.as_slice() {
            Some(values) => to.extend(values.iter().map(|&value| convert(value))),
            None => to.extend(read.iter().map(|&value| convert(value))),
        }
        Ok(())
    }

    fn other_type(&self, wanted: ColumnType) -> TableError {
        let what = format!(
            "`{}` holds {:?} where {wanted:?} is needed as in the first episode",
            shorten(&self.path),
            self.kind.map_or_else(|| "other things".to_owned(), |kind| format!("{kind:?}"))
        );
        TableError::new(ErrorKind::Type, &self.file.name, what)
    }

    /// That a step of another episode has as many values as one of the first.
    pub fn check_width(&self, width: usize) -> Result<(), TableError> {
        if self.width == width {
            return Ok(());
        }
        let what = format!(
            "`{}` has {} values per step, and {width} in the first episode; convert episodes of one kind only",
            shorten(&self.path),
            self.width
        );
        Err(TableError::new(ErrorKind::Ragged, &self.file.name, what))
    }

    /// That the array has a row for every step of its episode, and so many more.
    pub fn check_rows(&self, steps: usize, extra: usize) -> Result<(), TableError> {
        if self.rows == steps + extra {
            return Ok(());
        }
        let what = format!(
            "`{}` has {} rows where {} are needed: its episode has {steps} steps",
            shorten(&self.path),
            self.rows,
            steps + extra
        );
        Err(TableError::new(ErrorKind::Ragged, &self.file.name, what))
    }
}

impl Array {
    /// The array as a part of states or actions.
    pub fn as_part(&self, role: &str, key: &str) -> Result<Part, TableError> {
        let Some(kind) = self.kind else {
            let what = format!(
                "`{}` holds neither numbers nor texts; choose others by the option `keys`",
                shorten(&self.path)
            );
            return Err(TableError::new(ErrorKind::UnsupportedColumn, &self.file.name, what));
        };
        if self.width == 0 || self.width > MOST_FEATURES {
            let what = format!(
                "`{}` has {} values per step; from 1 to {MOST_FEATURES} can be features: choose others by the option `keys`",
                shorten(&self.path),
                self.width
            );
            return Err(TableError::new(ErrorKind::UnsupportedColumn, &self.file.name, what));
        }
        Ok(Part::of_role(role, key, self.width, self.dimensions <= 1, kind))
    }
}
