//! Whether there is room on a disk for what grows faster than its input.

use crate::failure::Failure;
use srrd::words::bytes;
use srrd_data::MatrixWriter;
use std::path::Path;

/// Whether the disk of `output` has room for the matrix of so many samples: half of it while it is computed, then all of it.
pub fn check(output: &Path, samples: usize) -> Result<(), Failure> {
    let cells = (samples as u64).saturating_mul(samples as u64);
    // Of tables it is not known before: they have at least a few bits for every number.
    let needed = cells.saturating_mul(if MatrixWriter::is_array(output) { 4 + 8 } else { 4 });
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match free(folder) {
        Some(free) if free < needed => Err(Failure::wrong(format!(
            "the distances of all pairs of {samples} samples take at least {} of the disk, and {} are free; compare fewer samples at a \
             time, or write to another disk",
            bytes(needed),
            bytes(free)
        ))),
        _ => Ok(()),
    }
}

/// How many bytes are free on the disk of a folder, as far as that is known.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut found = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: `path` ends with a zero; `found` is filled in when 0 is returned, and all zeros are valid anyway.
    let found = unsafe {
        if libc::statvfs(path.as_ptr(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    (found.f_frsize as u64).checked_mul(found.f_bavail as u64)
}

/// Elsewhere it is not asked.
#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}
