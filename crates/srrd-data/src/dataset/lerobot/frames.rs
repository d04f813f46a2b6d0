//! Frames of all data files, one episode at a time.

use std::ops::Range;
use std::path::PathBuf;

use crate::error::{ErrorKind, TableError};
use crate::table::{Batch, Column, ColumnType, Piece, ReadOptions, TableReader, Values, open_file};

/// Adds rows of a column to values of its type; integers may become floats or truths.
pub(super) fn push_rows(from: &Column, rows: Range<usize>, to: &mut Values) {
    match (&from.values, to) {
        (Values::Float(from), Values::Float(to)) => to.extend(&from[rows]),
        (Values::Int(from), Values::Int(to)) => to.extend(&from[rows]),
        (Values::Int(from), Values::Float(to)) => to.extend(from[rows].iter().map(|&value| value as f64)),
        (Values::Bool(from), Values::Bool(to)) => to.extend(&from[rows]),
        (Values::Bool(from), Values::Float(to)) => {
            to.extend(from[rows].iter().map(|&value| f64::from(u8::from(value))))
        }
        (Values::Int(from), Values::Bool(to)) => to.extend(from[rows].iter().map(|&value| value == 1)),
        (Values::Text(from), Values::Text(to)) => rows.for_each(|row| to.push(from.get(row))),
        // The reader notices that values are missing.
        _ => {}
    }
}

pub(super) struct Frames {
    files: std::vec::IntoIter<PathBuf>,
    /// The columns that are read, in this order.
    wanted: Vec<String>,
    name: String,
    current: Option<Box<dyn TableReader>>,
    batch: Batch,
    /// The next row of the batch.
    at: usize,
}

impl Frames {
    pub fn new(files: Vec<PathBuf>, wanted: Vec<String>) -> Self {
        let name = String::new();
        Frames { files: files.into_iter(), wanted, name, current: None, batch: Batch::new(), at: 0 }
    }

    /// The file that is being read.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sees to it that the batch has a next row; false when there are no more.
    fn fill(&mut self) -> Result<bool, TableError> {
        while self.at >= self.batch.rows {
            self.at = 0;
            self.batch.rows = 0;
            match &mut self.current {
                Some(reader) => {
                    if let Piece::End = reader.next_batch(&mut self.batch)? {
                        self.current = None;
                    } else {
                        self.check()?;
                    }
                }
                None => {
                    let Some(path) = self.files.next() else { return Ok(false) };
                    let mut reader = open_file(&path, &ReadOptions::default())?;
                    reader.select(&self.wanted.iter().map(String::as_str).collect::<Vec<_>>())?;
                    self.name = reader.name().to_owned();
                    self.current = Some(reader);
                }
            }
        }
        Ok(true)
    }

    /// Frames have no missing values.
    fn check(&self) -> Result<(), TableError> {
        for (name, column) in self.wanted.iter().zip(&self.batch.columns) {
            if let Some(row) = (0..self.batch.rows).find(|&row| !column.is_valid(row)) {
                let error = TableError::new(ErrorKind::Type, &self.name, "the value is missing: every frame needs one");
                return Err(error.at_row(self.batch.row_number(row)).in_column(name));
            }
        }
        Ok(())
    }

    /// Takes the frames of the next episode, by columns; `None` when there are no more.
    pub fn episode(&mut self, place: usize, held: &mut Vec<Column>) -> Result<Option<i64>, TableError> {
        held.clear();
        if !self.fill()? {
            return Ok(None);
        }
        held.extend(self.batch.columns.iter().map(|column| Column::empty(column.kind())));
        let number = self.episode_at(place)?;
        while self.fill()? && self.episode_at(place)? == number {
            let from = self.at;
            while self.at < self.batch.rows && self.episode_at(place)? == number {
                self.at += 1;
            }
            for ((held, column), name) in held.iter_mut().zip(&self.batch.columns).zip(&self.wanted) {
                if held.kind() != column.kind() {
                    let what = format!("the column holds {:?}, and {:?} before", column.kind(), held.kind());
                    return Err(TableError::new(ErrorKind::Type, &self.name, what).in_column(name));
                }
                push_rows(column, from..self.at, &mut held.values);
            }
        }
        Ok(Some(number))
    }

    fn episode_at(&self, place: usize) -> Result<i64, TableError> {
        match &self.batch.columns[place].values {
            Values::Int(values) => Ok(values[self.at]),
            other => {
                let what = format!("it holds {:?} where {:?} is needed", other.kind(), ColumnType::Int);
                Err(TableError::new(ErrorKind::Type, &self.name, what).in_column(&self.wanted[place]))
            }
        }
    }
}
