//! HDF5 files, read only: groups, and arrays of numbers piece by piece.
//!
//! All calls of the library are guarded, and its limits are set, so that a damaged file gives an error and neither a panic nor more memory
//! than there is.

mod array;
mod groups;
mod lzf;

use std::path::Path;

use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::{FilterRegistry, Hdf5File, OpenOptions};

use crate::error::{ErrorKind, TableError, shorten};
use crate::table::guarded;

pub(super) use array::Array;
pub(super) use groups::{GroupedEpisodes, Parts, Source, numbered};

/// No piece of an array that is read at once takes more.
const MOST_BYTES: usize = 256 << 20;

/// Compressed at best, so many bytes come from one.
const BEST_COMPRESSION: u64 = 1100;

/// Filters that files are known to be written with and that are not read, by their registered numbers.
const UNREAD_FILTERS: [(u16, &str); 7] = [
    (307, "bzip2"),
    (32001, "Blosc"),
    (32008, "bitshuffle"),
    (32013, "ZFP"),
    (32015, "Zstandard"),
    (32024, "Granular BitRound"),
    (32026, "Blosc2"),
];

/// An HDF5 file.
#[derive(Clone)]
pub(super) struct File {
    name: String,
    file: std::sync::Arc<Hdf5File>,
    /// How many bytes its arrays can have.
    most: u64,
}

/// Whether a path is a file that begins as HDF5 does.
pub(super) fn is_hdf5(path: &Path) -> bool {
    let mut start = [0; 8];
    path.is_file()
        && std::fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start)).is_ok()
        && &start == b"\x89HDF\r\n\x1a\n"
}

impl File {
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let length = std::fs::metadata(path).map_err(|error| TableError::io(&name, "read", &error))?.len();
        let mut filters = FilterRegistry::new();
        filters.register(lzf::FILTER, Box::new(lzf::filter));
        for (number, called) in UNREAD_FILTERS {
            filters.register(number, Box::new(move |_, _, _| Err(Error::UnsupportedFilter(called.to_owned()))));
        }
        let options = OpenOptions {
            filter_registry: Some(filters),
            max_chunk_bytes: MOST_BYTES,
            max_read_bytes: MOST_BYTES,
            max_object_header_bytes: 1 << 20,
            ..OpenOptions::default()
        };
        let file = call(&name, "", || Hdf5File::open_with_options(path, options))?;
        let most = length.saturating_mul(BEST_COMPRESSION).saturating_add(1 << 20);
        Ok(File { name, file: std::sync::Arc::new(file), most })
    }

    /// The file, as messages name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn group(&self, path: &str) -> Result<Option<Group>, TableError> {
        let found = if path.is_empty() {
            self.call(path, |file| file.root_group())
        } else {
            self.call(path, |file| file.group(path))
        };
        found.map(Some).or_else(|error| if error.kind() == ErrorKind::MissingColumn { Ok(None) } else { Err(error) })
    }

    /// The names of the groups and of the arrays in a group; none where there is no such group.
    pub fn members(&self, path: &str) -> Result<(Vec<String>, Vec<String>), TableError> {
        match self.group(path)? {
            Some(group) => self.call(path, |_| group.member_names()),
            None => Ok((Vec::new(), Vec::new())),
        }
    }

    /// Whether there is such a group.
    pub fn has_group(&self, path: &str) -> bool {
        self.group(path).is_ok_and(|group| group.is_some())
    }

    /// An array; `None` where there is none of this name.
    pub fn array(&self, path: &str) -> Result<Option<Array>, TableError> {
        match self.call(path, |file| file.dataset(path)) {
            Ok(dataset) => Array::new(self, path, dataset).map(Some),
            Err(error) if error.kind() == ErrorKind::MissingColumn => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An array that has to be there.
    pub fn needed(&self, path: &str, remedy: &str) -> Result<Array, TableError> {
        self.array(path)?.ok_or_else(|| {
            let what = format!("there is no array `{}`: {remedy}", shorten(path));
            TableError::new(ErrorKind::MissingColumn, &self.name, what)
        })
    }

    /// All arrays in a group and the groups in it, by their paths from there, in the order of their names.
    pub fn leaves(&self, path: &str) -> Result<Vec<String>, TableError> {
        let mut leaves = Vec::new();
        self.collect(path, "", 0, &mut leaves)?;
        leaves.sort();
        Ok(leaves)
    }

    fn collect(&self, path: &str, below: &str, depth: usize, leaves: &mut Vec<String>) -> Result<(), TableError> {
        // Links can go round in circles.
        if depth > 8 || leaves.len() > super::episodes::MOST_FEATURES {
            return Err(damaged(&self.name, path, "groups are nested too deeply"));
        }
        let (groups, arrays) = self.members(path)?;
        let under = |name: String| if below.is_empty() { name } else { format!("{below}/{name}") };
        leaves.extend(arrays.into_iter().map(under));
        for group in groups {
            self.collect(&format!("{path}/{group}"), &under(group), depth + 1, leaves)?;
        }
        Ok(())
    }

    /// What the library says, or an error about an object of this file.
    fn call<T>(&self, path: &str, ask: impl FnOnce(&Hdf5File) -> Result<T, Error>) -> Result<T, TableError> {
        call(&self.name, path, || ask(&self.file))
    }
}

fn call<T>(file: &str, path: &str, ask: impl FnOnce() -> Result<T, Error>) -> Result<T, TableError> {
    match guarded(ask) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(said(file, path, &error)),
        Err(panic) => Err(damaged(file, path, &panic)),
    }
}

/// An error of the library in our words.
fn said(file: &str, path: &str, error: &Error) -> TableError {
    match error {
        Error::Context { source, .. } => said(file, path, source),
        Error::Io(error) => TableError::io(file, "read", error),
        Error::InvalidMagic => {
            let what = "is not HDF5 as its name says; give it the extension of what it is";
            TableError::new(ErrorKind::WrongFormat, file, what)
        }
        Error::GroupNotFound(_) | Error::DatasetNotFound(_) => {
            TableError::new(ErrorKind::MissingColumn, file, format!("there is no `{}` in it", shorten(path)))
        }
        Error::UnsupportedFilter(filter) => {
            let what = format!(
                "`{}` is compressed by {filter}, which is not read; write the file again without it, or with gzip (h5repack -f \
                 GZIP=4 IN OUT)",
                shorten(path)
            );
            TableError::new(ErrorKind::UnsupportedColumn, file, what)
        }
        Error::UnexpectedEof { .. } | Error::OffsetOutOfBounds(_) => {
            let what = format!("the file ends too early ({error}{}); copy or download it again", within(path));
            TableError::new(ErrorKind::Truncated, file, what)
        }
        Error::UnsupportedEncoding(what) => {
            let what = format!("`{}` is stored in a way that is not read: {what}", shorten(path));
            TableError::new(ErrorKind::UnsupportedColumn, file, what)
        }
        other => damaged(file, path, &other.to_string()),
    }
}

fn within(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", in `{}`", shorten(path)) }
}

fn damaged(file: &str, path: &str, why: &str) -> TableError {
    let what = format!("the file is damaged ({}{}); copy or download it again", shorten(why), within(path));
    TableError::new(ErrorKind::Malformed, file, what)
}
