//! What the fuzz targets do with their bytes. Anything but a value or an error (a panic, a hang, memory without bound) is a bug.
//!
//! The targets in `fuzz_targets/` only call these, and so does `crates/srrd-cli/tests/it/fuzz.rs` with damaged seeds, in every run of the tests.

use srrd::{Duplicates, Metric, RewardSample, Settings, distance};
use srrd_data::read_sample_table;
use srrd_data::{
    Batch, FileFormat, KeptMatrix, Passing, Piece, ReadOptions, TableError, TableReader, open, open_bytes, open_stream,
};
use srrd_lab::{Manifest, Preset, Run, Shard};
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A target: its name, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 5] =
    [("tables", tables), ("pieces", pieces), ("samples", samples), ("recordings", recordings), ("resumed", resumed)];

static FORMATS: LazyLock<Vec<FileFormat>> = LazyLock::new(FileFormat::all);

/// The fixtures of `crates/srrd-data`, which lie at the same place seen from here and from a crate.
pub fn fixtures() -> PathBuf {
    let place = Path::new("crates/srrd-data/tests/fixtures");
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join(place));
    found.into_iter().find(|folder| folder.is_dir()).expect("there are fixtures")
}

/// The first byte of an input by which [`tables`] and [`pieces`] read this format: as batches, as samples, and as batches of one column.
pub fn choices(format: FileFormat) -> [u8; 3] {
    let number = FORMATS.iter().position(|known| *known == format).expect("all formats are there");
    [0, 32, 128].map(|from: usize| (from.next_multiple_of(FORMATS.len()) + number) as u8)
}

/// The first byte chooses the format and whether batches or samples are read, the rest is the file.
pub fn tables(data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    let options = ReadOptions { batch_rows: 7, ..ReadOptions::default() };
    let Ok(mut table) = open_bytes("fuzz", format, bytes.to_vec(), &options) else { return };
    if (32..64).contains(&choice) {
        // All rows at once, by many threads where the format allows it.
        if let Ok(table) = read_sample_table(table, "fuzz", Duplicates::Mean) {
            assert!(table.samples.iter().map(|named| named.sample.len()).sum::<usize>() <= table.row_count());
        }
        return;
    }
    // A selection keeps columns of types that cannot be read from ending the run before the first row.
    if choice >= 128 && !table.schema().is_empty() {
        let name = table.schema().fields[usize::from(choice) % table.schema().len()].name.clone();
        let _ = table.select(&[&name]);
    } else if choice >= 64 {
        let _ = table.keep_extras(&[], if choice % 2 == 0 { Passing::Json } else { Passing::Text });
    }
    let _ = batches(&mut *table);
}

/// All batches of a table, up to a number: compressed input may hold far more rows than is worth reading.
fn batches(table: &mut dyn TableReader) -> Result<Vec<Batch>, TableError> {
    let mut found = Vec::new();
    for _ in 0..1000 {
        let mut batch = Batch::new();
        match table.next_batch(&mut batch)? {
            Piece::Rows => {
                assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
                found.push(batch);
            }
            Piece::End => break,
        }
    }
    Ok(found)
}

/// Bytes that come some at a time.
struct Trickle {
    bytes: Vec<u8>,
    at: usize,
    most: usize,
}

impl Read for Trickle {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let length = to.len().min(self.most).min(self.bytes.len() - self.at);
        to[..length].copy_from_slice(&self.bytes[self.at..self.at + length]);
        self.at += length;
        self.most = self.most * 5 % 97 + 1;
        Ok(length)
    }
}

/// A table that arrives in pieces is the one that is there at once: the same rows, or an error as well.
pub fn pieces(data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    let options = ReadOptions { batch_rows: 5, ..ReadOptions::default() };
    let at_once = open_bytes("fuzz", format, bytes.to_vec(), &options).and_then(|mut table| batches(&mut *table));
    let input = Trickle { bytes: bytes.to_vec(), at: 0, most: usize::from(choice) + 1 };
    let in_pieces = open_stream("fuzz", format, Box::new(input), &options).and_then(|mut table| batches(&mut *table));
    match (at_once, in_pieces) {
        // NaN is not equal to itself, but is shown as itself.
        (Ok(at_once), Ok(in_pieces)) => assert_eq!(format!("{at_once:?}"), format!("{in_pieces:?}")),
        (at_once, in_pieces) => assert_eq!(at_once.is_err(), in_pieces.is_err()),
    }
}

/// The bytes of a sample, as they come from pickles and clusters: what is taken for a sample is one.
pub fn samples(data: &[u8]) {
    let Ok(sample) = RewardSample::from_bytes(data) else { return };
    assert_eq!(RewardSample::from_bytes(&sample.to_bytes()).as_ref(), Ok(&sample));
    for metric in [Metric::Direct, Metric::Srrd, Metric::Projected] {
        let own = distance(&sample, &sample, metric, &Settings::default()).distance();
        assert!(own.is_none_or(|own| own.abs() < 1e-6), "{metric}: {own:?}");
    }
}

/// Recorded data sets, and the file of each that is damaged.
pub const RECORDINGS: [(&str, &str); 8] = [
    ("robomimic.hdf5", ""),
    ("d4rl.hdf5", ""),
    ("minari_dict_hdf5", "data/main_data.hdf5"),
    ("minari_tuple_arrow", "data/1/part-0.arrow"),
    ("imitation.npz", ""),
    ("imitation_folder", "data-00000-of-00001.arrow"),
    ("lerobot_v21", "data/chunk-000/episode_000001.parquet"),
    ("lerobot_v30", "progress.parquet"),
];

/// A folder that stays while the process runs. Targets run one at a time in a process, tests may not.
static PLACE: LazyLock<Mutex<tempfile::TempDir>> =
    LazyLock::new(|| Mutex::new(tempfile::tempdir().expect("there is a folder for temporary files")));

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.try_for_each(|entry| entry.and_then(|entry| copy(&entry.path(), &to.join(entry.file_name()))))
}

/// The first byte chooses a recording, the rest is one of its files.
pub fn recordings(data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let (name, file) = RECORDINGS[usize::from(choice) % RECORDINGS.len()];
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = place.path().join(name);
    if !path.exists() {
        copy(&fixtures().join("datasets").join(name), &path).expect("the recording can be copied");
    }
    fs::write(if file.is_empty() { path.clone() } else { path.join(file) }, bytes).expect("there is room");
    let _ = open(&path, &ReadOptions::default()).and_then(|mut table| batches(&mut *table));
}

/// How many samples the unfinished matrix of [`resumed`] has, and which number.
pub const MATRIX: (usize, u128) = (6, 7);

/// What a command reads that goes on: the first byte chooses an unfinished matrix, the trials of a run, its `run.json`, or a journal of
/// `srrd irl`; the rest is the file.
pub fn resumed(data: &[u8]) {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir_in(place.path()).expect("there is room");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("there is room");
    match choice % 4 {
        0 => {
            write("d.npy.unfinished", bytes);
            let path = folder.path().join("d.npy.unfinished");
            if let Ok(kept) = KeptMatrix::open_identified(Some(&path), MATRIX.1, MATRIX.0) {
                let _ = (kept.rows() == MATRIX.0).then(|| kept.whole_rows(0..MATRIX.0, None));
            }
        }
        1 => {
            let run = small_run();
            fs::write(folder.path().join("run.json"), run_json()).expect("there is room");
            write("trials.csv", bytes);
            if run.compute(folder.path(), 1, |_| ControlFlow::Continue(())).is_ok() {
                let _ = run.publish_without_png(folder.path());
            }
        }
        2 => {
            write("run.json", bytes);
            let _ = Run::open(folder.path());
        }
        _ => {
            write("walks.csv", WALKS.as_bytes());
            write("journal", bytes);
            let path = |name: &str| folder.path().join(name).into_os_string();
            let call = ["srrd".into(), "irl".into(), "maxent".into(), path("walks.csv"), "-o".into(), path("out.csv")];
            let rest = ["--resume".into(), path("journal"), "--threads".into(), "1".into()];
            assert!(srrd_cli::command(call.into_iter().chain::<[OsString; 4]>(rest)) <= 2);
        }
    }
}

/// Two sets of walks along a corridor, for the journal.
pub const WALKS: &str = "sample,episode,step,state,action,next_state,terminated\n\
a,1,0,0,right,1,false\na,1,1,1,right,2,true\na,2,0,0,left,0,false\na,2,1,0,right,1,false\na,2,2,1,right,2,true\n\
b,1,0,0,left,0,false\nb,1,1,0,right,1,false\nb,1,2,1,left,0,false\nb,2,0,0,right,1,false\nb,2,1,1,right,2,true\n";

/// A run of a few trials.
pub fn small_run() -> Run {
    let replaced = [("world", "gridworld"), ("size", "3x3"), ("rollouts", "1"), ("trials", "2"), ("epsilon", "0.1")];
    Manifest::new("coverage", Preset::Paper, replaced, Shard::WHOLE).and_then(Run::new).expect("the plan is valid")
}

/// The `run.json` of it.
fn run_json() -> &'static [u8] {
    static JSON: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("there is room");
        small_run().compute(folder.path(), 1, |_| ControlFlow::Continue(())).expect("the trials run");
        fs::read(folder.path().join("run.json")).expect("a run has one")
    });
    &JSON
}

/// Inputs to begin with, by target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let with = |first: u8, bytes: &[u8]| [&[first], bytes].concat();
    let read = |path: PathBuf| fs::read(path).expect("the file is there");
    match target {
        "tables" | "pieces" => {
            let rows: String =
                (0..40).map(|i| format!("{i},{},{},{:?}\n", i % 3, 7 * i % 40, i as f64 / 7.0)).collect();
            let csv = FileFormat::from_path(Path::new("rows.csv")).expect("csv is a format");
            let rows = format!("state,action,next_state,reward\n{rows}");
            let mut found: Vec<Vec<u8>> = choices(csv).map(|first| with(first, rows.as_bytes())).to_vec();
            let mut files: Vec<PathBuf> =
                fs::read_dir(fixtures()).expect("there are fixtures").flatten().map(|entry| entry.path()).collect();
            files.sort();
            for path in files.into_iter().filter(|path| path.is_file()) {
                if let Ok(format) = FileFormat::from_path(&path) {
                    found.extend(choices(format).map(|first| with(first, &read(path.clone()))));
                }
            }
            found
        }
        "samples" => {
            let rows = (0..12).map(|s| (s % 5, s % 2, (s * 3) % 5, f64::from(s * s % 7)));
            let texts = [("home", "walk", "park", 1.0), ("park", "wait", "park", 0.5), ("park", "walk", "home", 2.0)];
            let made =
                [RewardSample::from_rows(rows, Duplicates::Mean), RewardSample::from_rows(texts, Duplicates::Mean)];
            made.into_iter().flatten().map(|sample| sample.to_bytes()).collect()
        }
        "recordings" => {
            let of = |(number, (name, file)): (usize, &(&str, &str))| {
                let path = fixtures().join("datasets").join(name);
                with(number as u8, &read(if file.is_empty() { path } else { path.join(file) }))
            };
            RECORDINGS.iter().enumerate().map(of).collect()
        }
        _ => resumed_seeds(),
    }
}

fn resumed_seeds() -> Vec<Vec<u8>> {
    let with = |first: u8, path: &Path| [&[first], fs::read(path).expect("it was written").as_slice()].concat();
    let folder = tempfile::tempdir().expect("there is room");
    let rows = |k: i32| (0..30).map(move |s| (s, 0, (s * 7 + k) % 30, f64::from(s * (s + k) % 11)));
    let made: Vec<RewardSample> =
        (0..MATRIX.0).filter_map(|k| RewardSample::from_rows(rows(k as i32), Duplicates::Mean).ok()).collect();
    let pairs = srrd::compare::Pairs::new(&made.iter().collect::<Vec<_>>(), Metric::Direct, &Settings::default());
    let matrix = folder.path().join("d.npy.unfinished");
    let mut kept = KeptMatrix::open_identified(Some(&matrix), MATRIX.1, MATRIX.0).expect("there is room");
    for rows in [0..2, 2..5] {
        kept.keep(&pairs.band(rows)).expect("there is room");
    }
    kept.save().expect("there is room");
    small_run().compute(folder.path(), 1, |_| ControlFlow::Continue(())).expect("the trials run");
    // A journal stays when a later set cannot be learned.
    let path = |name: &str| folder.path().join(name).into_os_string();
    fs::write(path("walks.csv"), format!("{WALKS}c,1,0,9,left,9,false\n")).expect("there is room");
    let call = ["srrd".into(), "irl".into(), "maxent".into(), path("walks.csv"), "-o".into(), path("out.csv")];
    let rest = ["--resume".into(), path("journal"), "--threads".into(), "1".into()];
    srrd_cli::command(call.into_iter().chain::<[OsString; 4]>(rest));
    vec![
        with(0, &matrix),
        with(1, &folder.path().join("trials.csv")),
        with(2, &folder.path().join("run.json")),
        with(3, &folder.path().join("journal")),
    ]
}
