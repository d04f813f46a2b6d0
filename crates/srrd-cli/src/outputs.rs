//! What can be known of outputs before any work is done for them.

use crate::failure::Failure;
use crate::inputs::table_of;
use srrd_data::{ErrorKind, FileFormat, MatrixWriter, OutputFile};
use std::fs;
use std::path::{Path, PathBuf};

/// A table that can be written there: its name says a format, and there is a folder for it.
pub fn check_table(path: &Path) -> Result<(), Failure> {
    FileFormat::from_path(path)?;
    check_place(path)
}

/// JSON and a table cannot both go to standard output.
pub fn check_json(json: bool, output: Option<&Path>) -> Result<(), Failure> {
    match json && output.is_some_and(|path| path.as_os_str() == "-") {
        true => Err(Failure::wrong("--json: standard output already gets the table; name a file with -o")),
        false => Ok(()),
    }
}

/// A matrix that can be written there, as a table or as an array.
pub fn check_matrix(path: &Path) -> Result<(), Failure> {
    if MatrixWriter::is_array(path) {
        return check_place(path);
    }
    let compressed = path.extension().is_some_and(|extension| extension == "gz" || extension == "zst");
    if compressed && path.file_stem().is_some_and(|stem| MatrixWriter::is_array(Path::new(stem))) {
        let (path, plain) = (path.display(), path.with_extension(""));
        return Err(Failure::wrong(format!(
            "{path}: an array is written without compression; name it '{}'",
            plain.display()
        )));
    }
    match FileFormat::from_path(path) {
        Err(error) if error.kind() == ErrorKind::UnknownFormat => {
            Err(Failure::wrong(format!("{error}; a matrix also as .npy")))
        }
        Err(error) => Err(error.into()),
        Ok(_) => check_place(path),
    }
}

/// Begins the file and gives it up again. A pipe is left alone: whoever reads it would take that for its end.
fn check_place(path: &Path) -> Result<(), Failure> {
    let stream = fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir());
    if path.as_os_str() != "-" && !stream {
        OutputFile::create(path)?;
    }
    Ok(())
}

/// An output that is one of the inputs is a mistake.
pub fn refuse_to_overwrite<'a>(
    outputs: impl IntoIterator<Item = Option<&'a PathBuf>>,
    inputs: &[&PathBuf],
) -> Result<(), Failure> {
    for output in outputs.into_iter().flatten() {
        if inputs.iter().any(|input| same_file(output, &table_of(input))) {
            let output = output.display();
            return Err(Failure::wrong(format!("{output}: the output is one of the inputs; name another file")));
        }
    }
    Ok(())
}

/// Files of one call that would overwrite each other or run into each other on standard output are a mistake. Pipes and devices are left
/// to whoever names them.
pub fn refuse_twice<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    // A file that is not there yet is told by its folder and its name.
    let place = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let there = path.canonicalize().ok();
        there.or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?))).unwrap_or_else(|| path.to_owned())
    };
    let stream = |path: &&Path| fs::metadata(path).is_ok_and(|there| !there.is_file());
    let mut known = Vec::new();
    for path in paths.into_iter().filter(|path| !stream(path)) {
        let place = place(path);
        if known.contains(&place) {
            let path = path.display();
            return Err(Failure::wrong(format!("{path}: two files of this call have this name; name another one")));
        }
        known.push(place);
    }
    Ok(())
}

/// Whether two paths lead to the same file, through links, too. Terminals and pipes can be read and written at once.
fn same_file(a: &Path, b: &Path) -> bool {
    let standard = |path: &Path| path.as_os_str() == "-";
    let (Ok(first), Ok(second)) = (fs::metadata(a), fs::metadata(b)) else { return false };
    if standard(a) || standard(b) || !first.is_file() || !second.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (first.dev(), first.ino()) == (second.dev(), second.ino())
    }
    #[cfg(not(unix))]
    {
        a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
    }
}
