//! Files that were begun: finished, given up, or discarded all at once. One test, since all files of a process are discarded.

use srrd_data::{OutputFile, Unfinished, discard_unfinished};
use std::fs::{self, File};

#[test]
fn what_is_not_finished_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let names = || {
        let mut names: Vec<String> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let begin = |name: &str| Unfinished::create(path(name), |path| File::create(path)).unwrap().0;

    begin("a.part").finish(&path("a")).unwrap();
    drop(begin("b.part"));
    assert_eq!(names(), ["a"]);
    // One that cannot be renamed is removed as well.
    assert!(begin("c.part").finish(&path("no/such/folder")).is_err());
    assert_eq!(names(), ["a"]);
    // What cannot be created was never begun.
    assert!(Unfinished::create(path("no/such/file"), |path| File::create(path)).is_err());

    let given_up = begin("d.part");
    let mut output = OutputFile::create(&path("e.txt")).unwrap();
    output.write_with(|to| to.write_all(b"half of it")).unwrap();
    assert_eq!(names().len(), 3);
    let mut left = None;
    discard_unfinished(|| left = Some(names()));
    assert_eq!(left.unwrap(), ["a"]);
    // It is gone, and that is said.
    assert!(output.finish().unwrap_err().to_string().contains("e.txt: cannot be written"));
    drop(given_up);
    assert_eq!(names(), ["a"]);
}
