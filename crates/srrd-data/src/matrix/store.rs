//! Bytes that only grow: in memory at first, in a file when there are many, or when they have taken long to make.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was made sooner is not worth a file: it is made again as fast.
const QUICK: Duration = Duration::from_secs(2);
/// More than this is not held in memory.
const HELD: usize = 64 << 20;

/// Where the bytes are.
pub(super) struct Store {
    place: Place,
    /// The file's name, if it has one.
    path: Option<PathBuf>,
    begun: Instant,
    len: u64,
}

enum Place {
    Memory(Vec<u8>),
    File(File),
}

impl Store {
    /// Begins with no bytes; they go to a new file `path` in time, or to one without a name.
    pub fn new(path: Option<&Path>) -> Self {
        Store { place: Place::Memory(Vec::new()), path: path.map(Path::to_owned), begun: Instant::now(), len: 0 }
    }

    /// Goes on with a file; `None` where there is none. It is locked: nobody else goes on with it meanwhile.
    pub fn reopen(path: &Path) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
            Ok(there) if !there.is_file() => return Err(io::Error::other("it is no file")),
            Ok(_) => {}
        }
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        let len = file.metadata()?.len();
        Ok(Some(Store { place: Place::File(file), path: Some(path.to_owned()), begun: Instant::now(), len }))
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Adds bytes at the end: all of them or, when it fails, none.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.len as usize + bytes.len() > HELD || self.begun.elapsed() > QUICK {
            self.save()?;
        }
        match &mut self.place {
            Place::Memory(held) => held.extend_from_slice(bytes),
            Place::File(file) => {
                file.seek(SeekFrom::Start(self.len))?;
                if let Err(error) = file.write_all(bytes) {
                    // A full disk: half a record is of no use.
                    file.set_len(self.len)?;
                    return Err(error);
                }
            }
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Puts what is in memory into the file.
    pub fn save(&mut self) -> io::Result<()> {
        if let Place::Memory(held) = &self.place {
            let mut file = self.create()?;
            if let Err(error) = file.write_all(held) {
                drop(file);
                self.path.as_ref().map_or(Ok(()), fs::remove_file)?;
                return Err(error);
            }
            self.place = Place::File(file);
        }
        Ok(())
    }

    fn create(&self) -> io::Result<File> {
        let Some(path) = &self.path else { return tempfile::tempfile() };
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        lock(&file)?;
        Ok(file)
    }

    /// Forgets all bytes from `len` on.
    pub fn truncate(&mut self, len: u64) -> io::Result<()> {
        match &mut self.place {
            Place::Memory(held) => held.truncate(len as usize),
            Place::File(file) => file.set_len(len)?,
        }
        self.len = len;
        Ok(())
    }

    /// Reads the bytes from `at` on.
    pub fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        match &self.place {
            Place::Memory(held) => {
                let from = usize::try_from(at).ok().and_then(|at| held.get(at..at.checked_add(to.len())?));
                to.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            Place::File(file) => {
                let mut file: &File = file;
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(to)
            }
        }
    }

    /// Removes the file, if there is one.
    pub fn remove(self) -> io::Result<()> {
        match (self.place, self.path) {
            (Place::File(_), Some(path)) => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

/// A lock ends with its process, however that ends. Where the file system has none, nobody is kept out.
fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(io::ErrorKind::WouldBlock.into()),
        _ => Ok(()),
    }
}
