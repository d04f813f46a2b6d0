//! Where the bytes go: files that appear complete or not at all, standard output, and compression on the way.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::unfinished::Unfinished;
use crate::error::{ErrorKind, TableError};
use crate::format::Compression;

/// Several times as fast as the usual 6, for files a little larger.
const GZIP_LEVEL: u32 = 3;

/// A file being written under another name in the same folder, or a stream.
pub(super) struct Output {
    target: Option<Target>,
    /// Its name for now, and the one it gets when it is finished.
    renaming: Option<(Unfinished, PathBuf)>,
}

enum Target {
    File(BufWriter<File>),
    Stdout(BufWriter<Stdout>),
}

impl Output {
    pub(super) fn stdout() -> Self {
        Output { target: Some(Target::Stdout(BufWriter::with_capacity(64 * 1024, io::stdout()))), renaming: None }
    }

    pub(super) fn file(path: &Path, name: &str) -> Result<Self, TableError> {
        // A link stays a link: what it points to is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&path);
        match &existing {
            Ok(metadata) if metadata.is_dir() => {
                return Err(TableError::new(ErrorKind::Directory, name, "is a directory; name a file to write to"));
            }
            Ok(metadata) if !metadata.is_file() => {
                // A pipe or a device cannot be replaced by a file.
                let file = OpenOptions::new()
                    .write(true)
                    .open(&path)
                    .map_err(|error| TableError::io(name, "written", &error))?;
                return Ok(Output { target: Some(Target::File(BufWriter::new(file))), renaming: None });
            }
            _ => {}
        }
        let (temporary, file) = temporary_beside(&path).map_err(|error| cannot_create(name, &path, &error))?;
        let replaced = existing.ok().map(|metadata| keep_mode(&file, &metadata));
        let output = Output {
            target: Some(Target::File(BufWriter::with_capacity(64 * 1024, file))),
            renaming: Some((temporary, path)),
        };
        replaced.transpose().map_err(|error| TableError::io(name, "written", &error))?;
        Ok(output)
    }

    /// Writes out what is buffered and gives the file its name.
    pub(super) fn finish(mut self, name: &str) -> Result<(), TableError> {
        let failed = |error: io::Error| TableError::io(name, "written", &error);
        self.flush().map_err(failed)?;
        self.target = None;
        match self.renaming.take() {
            Some((temporary, path)) => temporary.finish(&path).map_err(failed),
            None => Ok(()),
        }
    }

    fn closed() -> io::Error {
        io::Error::other("the output is closed")
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // What is buffered is of no use to anybody any more; dropping the writer would write it out, and its failing cannot
        // be reported.
        if self.renaming.is_some()
            && let Some(Target::File(writer)) = self.target.take()
        {
            drop(writer.into_parts());
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.target.as_mut().ok_or_else(Self::closed)? {
            Target::File(file) => file.write(bytes),
            Target::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.target.as_mut().ok_or_else(Self::closed)? {
            Target::File(file) => file.flush(),
            Target::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self.target.as_mut().ok_or_else(Self::closed)? {
            Target::File(file) => file.seek(to),
            Target::Stdout(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

/// Who may read and write a file stays as it is when the file is replaced.
#[cfg(unix)]
fn keep_mode(file: &File, replaced: &fs::Metadata) -> io::Result<()> {
    if file.metadata()?.permissions() == replaced.permissions() {
        return Ok(());
    }
    file.set_permissions(replaced.permissions())
}

/// Elsewhere permissions belong to the folder.
#[cfg(not(unix))]
fn keep_mode(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn cannot_create(name: &str, path: &Path, error: &io::Error) -> TableError {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.display().to_string(),
        _ => "the current folder".to_owned(),
    };
    match error.kind() {
        io::ErrorKind::NotFound => TableError::new(
            ErrorKind::NotFound,
            name,
            format!("cannot be written: the folder `{folder}` does not exist; create it first"),
        ),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => TableError::new(
            ErrorKind::PermissionDenied,
            name,
            format!("cannot be written: no permission to create files in `{folder}`; choose another place"),
        ),
        io::ErrorKind::NotADirectory => {
            TableError::new(ErrorKind::NotFound, name, format!("cannot be written: `{folder}` is not a folder"))
        }
        _ => TableError::io(name, "written", error),
    }
}

/// A new file in the folder of `path`: renaming works only within a file system.
fn temporary_beside(path: &Path) -> io::Result<(Unfinished, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    // Names have a longest length, which a long name may already have.
    let stem: String = stem.chars().take(40).collect();
    loop {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".{stem}.{}-{count}.tmp", std::process::id());
        let create = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
        match Unfinished::create(path.with_file_name(name), create) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return created,
        }
    }
}

/// Compresses, or not, on the way to the output.
pub(super) enum Encoder {
    Plain(Output),
    Gzip(flate2::write::GzEncoder<Output>),
    Zstd(zstd::stream::write::Encoder<'static, Output>),
}

impl Encoder {
    pub(super) fn new(name: &str, output: Output, compression: Compression) -> Result<Self, TableError> {
        Ok(match compression {
            Compression::None => Encoder::Plain(output),
            Compression::Gzip => {
                Encoder::Gzip(flate2::write::GzEncoder::new(output, flate2::Compression::new(GZIP_LEVEL)))
            }
            Compression::Zstd => Encoder::Zstd(
                zstd::stream::write::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)
                    .map_err(|error| TableError::io(name, "written", &error))?,
            ),
        })
    }

    pub(super) fn write_all(&mut self, name: &str, bytes: &[u8]) -> Result<(), TableError> {
        match self {
            Encoder::Plain(output) => output.write_all(bytes),
            Encoder::Gzip(encoder) => encoder.write_all(bytes),
            Encoder::Zstd(encoder) => encoder.write_all(bytes),
        }
        .map_err(|error| TableError::io(name, "written", &error))
    }

    pub(super) fn finish(self, name: &str) -> Result<(), TableError> {
        match self {
            Encoder::Plain(output) => Ok(output),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
        .map_err(|error| TableError::io(name, "written", &error))?
        .finish(name)
    }
}
