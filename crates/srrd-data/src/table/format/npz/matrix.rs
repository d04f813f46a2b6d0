//! NumPy arrays: the header, and whole matrices as `.npy`.

use std::io::{self, Write};
use std::path::Path;

use crate::error::TableError;
use crate::files::OutputFile;

/// Writes what comes before the elements; `shape` as Python writes a tuple.
pub(super) fn write_header(to: &mut (impl Write + ?Sized), descr: &str, shape: &str) -> io::Result<()> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The elements begin at a multiple of 64, as NumPy aligns them; 10 bytes come before, and a line end after.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    to.write_all(b"\x93NUMPY\x01\x00")?;
    to.write_all(&(header.len() as u16).to_le_bytes())?;
    to.write_all(header.as_bytes())
}

/// A matrix of floats that is written, some rows at a time, as a `.npy` file that appears complete or not at all.
pub struct NpyWriter(OutputFile);

impl NpyWriter {
    /// Begins a matrix of so many rows and columns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path, rows: usize, columns: usize) -> Result<Self, TableError> {
        let mut file = OutputFile::create(path)?;
        file.write_with(|to| write_header(to, "<f8", &format!("({rows}, {columns})")))?;
        Ok(NpyWriter(file))
    }

    /// Writes the elements that come next, row after row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, values: &[f64]) -> Result<(), TableError> {
        self.0.write_with(|to| {
            values.chunks(4096).try_for_each(|chunk| {
                to.write_all(&chunk.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
            })
        })
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), TableError> {
        self.0.finish()
    }
}
