//! What is no table but can be read as one.

use std::path::Path;

use crate::error::{ErrorKind, TableError};
use crate::table::{ReadOptions, TableReader};

/// Opens a folder.
pub(crate) fn open_folder(path: &Path, _options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let what = "is a directory, not a table; name the files in it";
    Err(TableError::new(ErrorKind::Directory, path.display().to_string(), what))
}
