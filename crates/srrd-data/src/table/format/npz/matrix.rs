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

/// Writes a matrix of floats, row after row, as a `.npy` file that appears complete or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_npy(path: &Path, columns: usize, values: &[f64]) -> Result<(), TableError> {
    let mut file = OutputFile::create(path)?;
    let rows = values.len().checked_div(columns).unwrap_or(0);
    file.write_with(|to| {
        write_header(to, "<f8", &format!("({rows}, {columns})"))?;
        values.chunks(4096).try_for_each(|chunk| {
            to.write_all(&chunk.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>())
        })
    })?;
    file.finish()
}
