//! A file that counts how much of it was read, for whoever shows how far reading is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use srrd::run::Steps;

/// A million bytes: what is shown of large files.
const MEGABYTE: u64 = 1_000_000;

/// A file that counts megabytes. What is read twice counts twice.
pub(crate) struct Counted {
    file: File,
    steps: Steps,
    /// Bytes that are not yet a megabyte.
    rest: u64,
}

impl Counted {
    pub(crate) fn new(file: File) -> Self {
        // What has no length, such as a pipe, has no end to wait for.
        let length = file.metadata().ok().filter(|metadata| metadata.is_file()).map_or(0, |metadata| metadata.len());
        Counted { file, steps: Steps::begin("MB read", length.div_ceil(MEGABYTE)), rest: 0 }
    }

    fn count(&mut self, bytes: usize) {
        self.rest += bytes as u64;
        self.steps.add(self.rest / MEGABYTE);
        self.rest %= MEGABYTE;
    }
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(into)?;
        self.count(read);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
