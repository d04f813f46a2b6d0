//! What dead processes left behind.
//!
//! A process that is killed, or aborts, removes nothing. So every unfinished file is locked by whoever writes it, and the lock ends
//! with its process, however that ended. Before a process begins its first file in a folder, it removes the unfinished files there that
//! nobody has locked. Whether a process with some number still runs is not asked: folders may be shared by machines.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What the names of unfinished files end with.
const SUFFIX: &str = ".srrd.tmp";

/// The name of the unfinished file number `count` of this process that is to become `stem`.
pub(super) fn name(stem: &str, count: u64) -> String {
    format!(".{stem}.{}-{count}{SUFFIX}", std::process::id())
}

/// Takes the lock of a file that was just created. False when another process has taken the file for a leftover in between, and
/// removed it. Where the file system has no locks, nothing is ever removed.
pub(super) fn hold(path: &Path, file: &File) -> bool {
    match file.lock() {
        Err(_) => true,
        Ok(()) => is_at(path, file),
    }
}

#[cfg(unix)]
fn is_at(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(own)) => identity(there) == identity(own),
        _ => false,
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(path: &Path, _: &File) -> bool {
    path.exists()
}

/// Removes what dead processes left in a folder; once per process and folder.
pub(super) fn remove(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in
        entries.flatten().filter(|entry| is_ours(&entry.file_name().to_string_lossy())).map(|entry| entry.path())
    {
        let is_file = fs::symlink_metadata(&path).is_ok_and(|there| there.is_file());
        if let (true, Ok(file)) = (is_file, OpenOptions::new().write(true).open(&path)) {
            // Under its lock, so that whoever is just creating it notices.
            if file.try_lock().is_ok() {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Whether it is the name of an unfinished file.
fn is_ours(name: &str) -> bool {
    let numbers =
        name.strip_prefix('.').and_then(|name| name.strip_suffix(SUFFIX)).and_then(|name| name.rsplit_once('.'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|(_, numbers)| numbers.split_once('-'))
        .is_some_and(|(process, count)| is_number(process) && is_number(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let dead = path(&name("out.csv", 7));
        let alive = path(&name("out.csv", 8));
        fs::write(&dead, "half of it").unwrap();
        let held = File::create(&alive).unwrap();
        assert!(hold(&alive, &held));
        let others = [".out.csv.12-3.tmp", ".out.csv.srrd.tmp", ".out.csv.x-3.srrd.tmp", "out.csv.12-3.srrd.tmp"];
        others.iter().for_each(|other| fs::write(path(other), "mine").unwrap());
        remove(folder.path());
        assert!(!dead.exists() && alive.exists());
        assert!(others.iter().all(|other| path(other).exists()));
        // One that is removed before its lock was taken is no longer there to be held.
        let late = path(&name("out.csv", 9));
        let file = File::create(&late).unwrap();
        fs::remove_file(&late).unwrap();
        assert!(!hold(&late, &file));
    }
}
