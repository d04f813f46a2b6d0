//! Where the bytes go: files that appear complete or not at all, pipes and standard output likewise, and compression on the way.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::SpooledTempFile;

use super::leftovers;
use super::unfinished::Unfinished;
use crate::error::{ErrorKind, TableError};
use crate::table::Compression;

/// Several times as fast as the usual 6, for files a little larger.
const GZIP_LEVEL: u32 = 3;

/// What goes to a stream is held in memory up to this size, and in a temporary file beyond it.
const HELD: usize = 4 * 1024 * 1024;

/// A file being written under another name in the same folder, or a stream.
pub(crate) struct Output {
    target: Option<Target>,
    /// Its name for now, and the one it gets when it is finished.
    renaming: Option<(Unfinished, PathBuf)>,
}

enum Target {
    File(BufWriter<File>),
    /// Collected until it is complete: what is printed cannot be taken back when a later row turns out to be wrong.
    Stream(BufWriter<SpooledTempFile>, Stream),
}

/// Where what was collected goes.
enum Stream {
    Stdout,
    /// A pipe or a device.
    File(File),
}

impl Output {
    pub(crate) fn stdout() -> Self {
        Self::stream(Stream::Stdout)
    }

    fn stream(stream: Stream) -> Self {
        let collected = BufWriter::with_capacity(64 * 1024, tempfile::spooled_tempfile(HELD));
        Output { target: Some(Target::Stream(collected, stream)), renaming: None }
    }

    pub(crate) fn file(path: &Path, name: &str) -> Result<Self, TableError> {
        let existing = fs::metadata(path);
        match &existing {
            Ok(metadata) if metadata.is_dir() => {
                return Err(TableError::new(ErrorKind::Directory, name, "is a directory; name a file to write to"));
            }
            Ok(metadata) if !metadata.is_file() => {
                // A pipe or a device cannot be replaced by a file.
                let file = OpenOptions::new()
                    .write(true)
                    .open(path)
                    .map_err(|error| TableError::io(name, "written", &error))?;
                return Ok(Self::stream(Stream::File(file)));
            }
            _ => {}
        }
        // A link stays a link: what it points to is replaced.
        let path = match path.canonicalize() {
            Ok(path) => path,
            Err(error) if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) => {
                return Err(leads_nowhere(name, path, &error));
            }
            Err(_) => path.to_owned(),
        };
        let (temporary, file) = temporary_beside(&path).map_err(|error| cannot_create(name, &path, &error))?;
        let replaced = existing.ok().map(|metadata| keep_mode(&file, &metadata));
        let output = Output {
            target: Some(Target::File(BufWriter::with_capacity(64 * 1024, file))),
            renaming: Some((temporary, path)),
        };
        replaced.transpose().map_err(|error| TableError::io(name, "written", &error))?;
        Ok(output)
    }

    /// Writes out what is buffered, gives the file its name, and passes on what was collected.
    pub(crate) fn finish(mut self, name: &str) -> Result<(), TableError> {
        let failed = |error: io::Error| TableError::io(name, "written", &error);
        self.flush().map_err(failed)?;
        if let Some(Target::Stream(collected, stream)) = self.target.take() {
            pass_on(collected, stream).map_err(failed)?;
        }
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
            Target::Stream(collected, _) => collected.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.target.as_mut().ok_or_else(Self::closed)? {
            Target::File(file) => file.flush(),
            Target::Stream(collected, _) => collected.flush(),
        }
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self.target.as_mut().ok_or_else(Self::closed)? {
            Target::File(file) => file.seek(to),
            Target::Stream(collected, _) => collected.seek(to),
        }
    }
}

/// Writes to a stream what was collected for it.
fn pass_on(collected: BufWriter<SpooledTempFile>, stream: Stream) -> io::Result<()> {
    let mut collected = collected.into_inner().map_err(io::IntoInnerError::into_error)?;
    collected.rewind()?;
    let mut to: Box<dyn Write> = match stream {
        Stream::Stdout => Box::new(io::stdout().lock()),
        Stream::File(file) => Box::new(file),
    };
    io::copy(&mut collected, &mut to)?;
    to.flush()
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

/// A link that leads to nothing, or in a circle: neither what it means nor what it should become is known.
fn leads_nowhere(name: &str, path: &Path, error: &io::Error) -> TableError {
    let what = match (error.kind(), fs::read_link(path)) {
        (io::ErrorKind::NotFound, Ok(to)) => format!("a link to `{}`, which does not exist", to.display()),
        _ => "a link that leads nowhere".to_owned(),
    };
    TableError::new(
        ErrorKind::NotFound,
        name,
        format!("cannot be written: it is {what}; remove the link, or name the file itself"),
    )
}

/// A new file in the folder of `path`: renaming works only within a file system.
fn temporary_beside(path: &Path) -> io::Result<(Unfinished, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    // Names have a longest length, which a long name may already have.
    let stem: String = stem.chars().take(40).collect();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    leftovers::remove(folder.unwrap_or(Path::new(".")));
    loop {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(leftovers::name(&stem, count));
        let create = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
        match Unfinished::create(beside.clone(), create) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Ok((_, file)) if !leftovers::hold(&beside, &file) => {}
            created => return created,
        }
    }
}

/// Compresses, or not, on the way to the output.
pub(crate) enum Encoder {
    Plain(Output),
    Gzip(flate2::write::GzEncoder<Output>),
    Zstd(zstd::stream::write::Encoder<'static, Output>),
}

impl Encoder {
    pub(crate) fn new(name: &str, output: Output, compression: Compression) -> Result<Self, TableError> {
        Ok(match compression {
            Compression::None => Encoder::Plain(output),
            Compression::Gzip => {
                Encoder::Gzip(flate2::write::GzEncoder::new(output, flate2::Compression::new(GZIP_LEVEL)))
            }
            Compression::Zstd => Encoder::Zstd(
                zstd::stream::write::Encoder::new(output, zstd::DEFAULT_COMPRESSION_LEVEL)
                    // Without a checksum, most damaged bits inside a frame would go unnoticed.
                    .and_then(|mut encoder| encoder.include_checksum(true).map(|()| encoder))
                    .map_err(|error| TableError::io(name, "written", &error))?,
            ),
        })
    }

    pub(crate) fn write_all(&mut self, name: &str, bytes: &[u8]) -> Result<(), TableError> {
        match self {
            Encoder::Plain(output) => output.write_all(bytes),
            Encoder::Gzip(encoder) => encoder.write_all(bytes),
            Encoder::Zstd(encoder) => encoder.write_all(bytes),
        }
        .map_err(|error| TableError::io(name, "written", &error))
    }

    pub(crate) fn finish(self, name: &str) -> Result<(), TableError> {
        match self {
            Encoder::Plain(output) => Ok(output),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
        .map_err(|error| TableError::io(name, "written", &error))?
        .finish(name)
    }
}
