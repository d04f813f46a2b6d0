//! The files that are being written, so that a program that is told to end can remove them first.
//!
//! A writer that is dropped removes its file; a process that a signal ends drops nothing.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A set of names is whole whatever panicked beside it.
fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file under its name for now. It is removed when this is dropped before [`finish`](Self::finish) was called, and by
/// [`discard_unfinished`].
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    finished: bool,
}

impl Unfinished {
    /// Begins a file by `create`, which must either create `path` or fail.
    ///
    /// # Errors
    /// Those of `create`.
    pub fn create<T>(path: PathBuf, create: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<(Self, T)> {
        // One lock around both: no file is ever there without being known.
        let mut unfinished = unfinished();
        let file = create(&path)?;
        unfinished.insert(path.clone());
        Ok((Unfinished { path, finished: false }, file))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// It cannot be renamed; it is removed then.
    pub fn finish(mut self, name: &Path) -> io::Result<()> {
        let mut unfinished = unfinished();
        let renamed = fs::rename(&self.path, name);
        if renamed.is_ok() {
            unfinished.remove(&self.path);
            self.finished = true;
        }
        // Before this is dropped, which locks again.
        drop(unfinished);
        renamed
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.finished {
            let mut unfinished = unfinished();
            let _ = fs::remove_file(&self.path);
            unfinished.remove(&self.path);
        }
    }
}

/// Removes all files that this process has begun and not finished, then calls `end`, which should end the process: until it
/// returns, no file can be begun or finished.
///
/// ```
/// use srrd_data::{OutputFile, discard_unfinished};
/// let folder = tempfile::tempdir()?;
/// let file = OutputFile::create(&folder.path().join("page.html"))?;
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 1); // it has another name until it is complete
/// discard_unfinished(|| ()); // a real one ends the process
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// # drop(file);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discard_unfinished(end: impl FnOnce()) {
    let mut unfinished = unfinished();
    for path in std::mem::take(&mut *unfinished) {
        let _ = fs::remove_file(path);
    }
    end();
}
