//! Files of any kind that appear complete or not at all.

use std::io::{self, Write};
use std::path::Path;

use super::output::Output;
use crate::error::TableError;

/// A file being written; it gets its name with [`finish`](Self::finish), and leaves nothing behind when dropped before.
pub struct OutputFile {
    output: Output,
    name: String,
}

impl OutputFile {
    /// Begins a file; `-` is standard output.
    ///
    /// # Errors
    /// The folder does not exist or cannot be written, or the path is a directory.
    pub fn create(path: &Path) -> Result<Self, TableError> {
        if path.as_os_str() == "-" {
            return Ok(OutputFile { output: Output::stdout(), name: "standard output".to_owned() });
        }
        let name = path.display().to_string();
        Ok(OutputFile { output: Output::file(path, &name)?, name })
    }

    /// Writes to the file; an error names it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_with(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), TableError> {
        write(&mut self.output).map_err(|error| TableError::io(&self.name, "written", &error))
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> Result<(), TableError> {
        self.output.finish(&self.name)
    }
}
