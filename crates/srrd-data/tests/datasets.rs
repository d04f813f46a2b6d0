//! Recorded data sets: value for value what the format's own library reads, clear errors, and no panic on damaged files.
#![cfg(all(feature = "hdf5", feature = "parquet"))]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Cell, Table, fixture, read_all};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd_data::{
    Batch, DATASETS, DatasetNote, DatasetOptions, ErrorKind, Piece, ReadOptions, TableError, TableNote, TableOptions,
    open, read_table,
};

/// Every recording, its kind, and its file where it is one in a folder.
const RECORDINGS: [(&str, &str, &str); 17] = [
    ("robomimic", "robomimic.hdf5", ""),
    ("robomimic", "robomimic_next.hdf5", ""),
    ("d4rl", "d4rl.hdf5", ""),
    ("d4rl", "d4rl_next.hdf5", ""),
    ("minari", "minari_box_hdf5", "data/main_data.hdf5"),
    ("minari", "minari_discrete_hdf5", "data/main_data.hdf5"),
    ("minari", "minari_dict_hdf5", "data/main_data.hdf5"),
    ("minari", "minari_tuple_hdf5", "data/main_data.hdf5"),
    ("minari", "minari_box_arrow", "data/1/part-0.arrow"),
    ("minari", "minari_discrete_arrow", "data/1/part-0.arrow"),
    ("minari", "minari_dict_arrow", "data/1/part-0.arrow"),
    ("minari", "minari_tuple_arrow", "data/1/part-0.arrow"),
    ("imitation", "imitation.npz", ""),
    ("imitation", "imitation_folder", "data-00000-of-00001.arrow"),
    ("lerobot", "lerobot_v21", "data/chunk-000/episode_000001.parquet"),
    ("lerobot", "lerobot_v30", "data/chunk-000/file-000.parquet"),
    ("lerobot", "lerobot_v30", "progress.parquet"),
];

/// Recordings that the scripts in `collectors` made, and their kinds.
const COLLECTED: [(&str, &str); 5] = [
    ("robomimic", "collected/robosuite_lift.hdf5"),
    ("minari", "collected/minari_hdf5"),
    ("minari", "collected/minari_arrow"),
    ("lerobot", "collected/lerobot_v21"),
    ("lerobot", "collected/lerobot_v30"),
];

fn recording(name: &str) -> PathBuf {
    fixture("datasets").join(name)
}

fn options(pairs: &[(&str, &str)]) -> ReadOptions {
    let mut dataset = DatasetOptions::default();
    pairs.iter().for_each(|(name, value)| dataset.set(name, value).unwrap());
    ReadOptions { dataset, ..ReadOptions::default() }
}

fn read_with(path: &Path, pairs: &[(&str, &str)]) -> Result<Table, TableError> {
    read_all(&mut *open(path, &options(pairs))?)
}

fn error_of(path: &Path, pairs: &[(&str, &str)]) -> TableError {
    read_with(path, pairs).expect_err("an error")
}

/// A cell as the expected tables write it.
fn text(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Int(value) => value.to_string(),
        Cell::Float(bits) => f64::from_bits(*bits).to_string(),
        Cell::Bool(value) => value.to_string(),
    }
}

#[test]
fn every_value_is_what_the_formats_own_library_reads() {
    for (kind, name) in RECORDINGS.map(|(kind, name, _)| (kind, name)).into_iter().chain(COLLECTED) {
        let stem = name.split('.').next().unwrap();
        let expected = fs::read_to_string(recording(&format!("{stem}.expected.csv"))).unwrap();
        let mut lines = expected.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        for batch_rows in [1, 4, 1000] {
            let mut reader = open(&recording(name), &ReadOptions { batch_rows, ..ReadOptions::default() }).unwrap();
            let kinds = reader.notes().into_iter().filter_map(|note| match note {
                TableNote::Dataset { note: DatasetNote::Kind { dataset, .. }, .. } => Some(dataset),
                _ => None,
            });
            assert_eq!(kinds.collect::<Vec<_>>(), [kind], "{name}");
            let table = read_all(&mut *reader).unwrap();
            assert_eq!(table.names, names, "{name}");
            for (number, (row, line)) in table.rows.iter().zip(lines.clone()).enumerate() {
                for ((cell, expected), column) in row.iter().zip(line.split(',')).zip(&names) {
                    let same = match cell {
                        Cell::Float(bits) => expected.parse::<f64>().unwrap().to_bits() == *bits,
                        cell => text(cell) == expected,
                    };
                    assert!(same, "{name}, row {number}, {column}: {} and not {expected}", text(cell));
                }
            }
            assert_eq!(table.rows.len(), lines.clone().count(), "{name}");
        }
    }
}

#[test]
fn samples_have_next_states_and_ends() {
    // 3 + 1 = 4 demonstrations of 3, 4, 5 and 5 steps, whose last steps end; next states are those of the steps after.
    let table = read_table(&recording("robomimic.hdf5"), TableOptions::default()).unwrap();
    assert_eq!(table.row_count(), 17);
    assert_eq!(table.ends().unwrap().iter().filter(|ends| **ends).count(), 4);
    let [
        TableNote::Dataset { .. },
        TableNote::Dataset { note, .. },
        TableNote::Shifted { episodes, ended, left_out, .. },
    ] = &table.notes[..]
    else {
        panic!("{:?}", table.notes)
    };
    assert_eq!(note, &DatasetNote::KeysLeftOut { keys: vec!["image".to_owned()] });
    assert_eq!((*episodes, *ended, *left_out), (4, 4, 0));
    // 23 steps: behind 7, 10, 14, 20 and 21 an episode is over, by a timeout behind 10 and 20; and the file ends behind 23.
    let table = read_table(&recording("d4rl.hdf5"), TableOptions::default()).unwrap();
    let Some(TableNote::Shifted { episodes, ended, left_out, .. }) = table.notes.last() else { panic!() };
    assert_eq!((*episodes, *ended, *left_out), (6, 3, 3));
    assert_eq!(table.samples[0].sample.len(), 20);
}

#[test]
fn keys_filters_and_rewards_are_chosen() {
    let path = recording("robomimic_next.hdf5");
    let table = read_with(&path, &[("keys", "pos"), ("filter", "train")]).unwrap();
    assert_eq!(
        table.names,
        [
            "state.pos.0",
            "state.pos.1",
            "action.0",
            "action.1",
            "next_state.pos.0",
            "next_state.pos.1",
            "reward",
            "done",
            "episode",
            "step"
        ]
    );
    let episodes = table.column("episode");
    assert_eq!((episodes.first(), episodes.last()), (Some(&Cell::Int(0)), Some(&Cell::Int(10))));
    assert_eq!(table.rows.len(), 3 + 5);
    // The simulator's own state, whose next states come by shifting.
    let table = read_with(&path, &[("keys", "states")]).unwrap();
    assert!(
        table.names.contains(&"state.states.4".to_owned()) && !table.names.iter().any(|it| it.starts_with("next_"))
    );
    let table = read_with(&recording("minari_dict_hdf5"), &[("keys", "pos")]).unwrap();
    assert_eq!(table.names[..2], ["state.pos.n", "state.pos.x"]);
    let table = read_with(&recording("lerobot_v30"), &[("reward", "progress_dense")]).unwrap();
    assert!(table.names.contains(&"reward".to_owned()) && !table.names.contains(&"progress_dense".to_owned()));
    let notes = open(&recording("lerobot_v30"), &ReadOptions::default()).unwrap().notes();
    let said: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|note| note.contains("2 of 15 frames have no `progress_dense`")), "{said:?}");
    assert!(said.iter().any(|note| note.contains("γp(s') − p(s) is pure shaping")), "{said:?}");
}

#[test]
fn what_a_lerobot_folder_lacks_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let said = |path: &Path| -> String {
        let notes = open(path, &ReadOptions::default()).unwrap().notes();
        notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let with_info = |name: &str, from: &str, to: &str| {
        let path = folder.path().join(name.replace('/', "-"));
        copy_folder(&recording(name), &path);
        let info = path.join("meta/info.json");
        let text = fs::read_to_string(&info).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(&info, text.replacen(from, to, 1)).unwrap();
        path
    };
    let path = with_info("collected/lerobot_v21", "\"fps\"", "\"fps\"");
    assert!(!said(&path).contains("are there"), "{}", said(&path));
    fs::remove_file(path.join("data/chunk-000/episode_000001.parquet")).unwrap();
    assert!(said(&path).contains("1 of 2 episodes are there; the files of the others are missing"), "{}", said(&path));
    let path = with_info("collected/lerobot_v30", "\"total_frames\": 50", "\"total_frames\": 70");
    assert!(said(&path).contains("50 of 70 frames are there"), "{}", said(&path));
    // A reward that the last frames lack is missing there, too.
    let path = with_info("lerobot_v30", "\"fps\"", "\"total_frames\": 17, \"fps\"");
    assert!(said(&path).contains("4 of 17 frames have no `progress_dense`"), "{}", said(&path));
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let says = |error: TableError, kind: ErrorKind, part: &str| {
        let said = error.to_string();
        assert!(error.kind() == kind && said.contains(part), "{:?}: {said}", error.kind());
    };
    let robomimic = recording("robomimic.hdf5");
    says(
        error_of(&robomimic, &[("filter", "test")]),
        ErrorKind::MissingColumn,
        "no filter `test`; the file has `train`",
    );
    says(error_of(&robomimic, &[("keys", "objects")]), ErrorKind::MissingColumn, "observations are `grip`");
    says(
        error_of(&robomimic, &[("limit", "5")]),
        ErrorKind::Usage,
        "no option `limit`; its options: keys, filter, reward",
    );
    says(error_of(&robomimic, &[("reward", "return")]), ErrorKind::MissingColumn, "has no `return`");
    says(
        error_of(&robomimic, &[("from", "minari")]),
        ErrorKind::UnknownFormat,
        "nor is it an HDF5 file with groups episode_N",
    );
    says(error_of(&folder.path().join("no.hdf5"), &[]), ErrorKind::NotFound, "no such file");
    says(error_of(&recording("d4rl.hdf5"), &[("limit", "5")]), ErrorKind::Usage, "leave the option `limit` out");
    says(
        error_of(&recording("minari_dict_arrow"), &[("keys", "gaol")]),
        ErrorKind::MissingColumn,
        "observations are `goal`",
    );
    says(error_of(folder.path(), &[]), ErrorKind::Directory, "robomimic, minari, ");
    // A file that is something else, one that is cut off, and one of another layout.
    let path = folder.path().join("not.hdf5");
    fs::write(&path, "state,action,reward\n").unwrap();
    says(error_of(&path, &[]), ErrorKind::WrongFormat, "is not HDF5");
    let bytes = fs::read(&robomimic).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    says(error_of(&path, &[]), ErrorKind::Truncated, "ends too early");
    says(error_of(&fixture("datasets/d4rl.hdf5"), &[("from", "robomimic")]), ErrorKind::Empty, "no demonstrations");
    let csv = folder.path().join("a.csv");
    fs::write(&csv, "state,action,reward\n0,0,1\n").unwrap();
    says(error_of(&csv, &[("filter", "train")]), ErrorKind::Usage, "it is a table");
    assert!(DatasetOptions::default().set("from", "rlds").unwrap_err().to_string().contains("robomimic, minari"));
    let names: Vec<&str> = DATASETS.iter().map(|dataset| dataset.name).collect();
    assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len());
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() { copy_folder(&path, &target) } else { assert!(fs::copy(&path, &target).is_ok()) }
    }
}

fn mutate(random: &mut impl Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..bytes.len().max(1));
        if bytes.is_empty() {
            return;
        }
        match random.random_range(0..5) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = random.random(),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.random_range(1..9)).min(bytes.len());
                bytes[at..end].fill([0x00, 0xff, 0x7f, 0x80][random.random_range(0..4)]);
            }
            _ => {
                let end = (at + random.random_range(1..33)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
}

/// So many damaged files per binary format, divided among its recordings; `SRRD_MUTATIONS=10000` tries more.
fn cases(file: &Path) -> u64 {
    let in_all: usize = std::env::var("SRRD_MUTATIONS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400);
    let format = |(_, name, file): &(&str, &str, &str)| Path::new(name).join(file).extension().map(ToOwned::to_owned);
    let alike = RECORDINGS.iter().filter(|of| format(of).as_deref() == file.extension()).count();
    in_all.div_ceil(alike) as u64
}

/// The most memory this process has had, where the system tells it.
fn most_memory() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? << 10)
}

#[test]
fn damaged_recordings_never_panic_hang_or_fill_the_memory() {
    for (number, (_, name, file)) in RECORDINGS.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let damaged = if file.is_empty() { path.clone() } else { path.join(file) };
        if file.is_empty() {
            assert!(fs::copy(recording(name), &path).is_ok())
        } else {
            copy_folder(&recording(name), &path)
        }
        let whole = fs::read(&damaged).unwrap();
        for case in 0..cases(&damaged) {
            let mut bytes = whole.clone();
            mutate(&mut ChaCha8Rng::seed_from_u64((number as u64) << 32 | case), &mut bytes);
            fs::write(&damaged, &bytes).unwrap();
            let started = std::time::Instant::now();
            let read = || -> Result<usize, TableError> {
                let (mut rows, mut batch) = (0, Batch::new());
                let mut table = open(&path, &ReadOptions::default())?;
                while let Piece::Rows = table.next_batch(&mut batch)? {
                    assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
                    rows += batch.rows;
                }
                Ok(rows)
            };
            let _ = read();
            assert!(started.elapsed().as_secs() < 20, "{name}, case {case} takes too long");
            assert!(most_memory().is_none_or(|most| most < 1 << 30), "{name}, case {case} takes too much memory");
        }
    }
}

#[test]
fn a_next_state_that_nobody_recorded_is_in_no_cell() {
    use srrd_data::discretize::{DiscretizeOptions, Discretizer, discretize, fit_tables};
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("state.x,state.y,action,next_state.x,next_state.y,reward,done\n{rows}")).unwrap();
        path
    };
    let rows = "0,1,go,10,3,1,0\n10,3,go,0,1,2,0\n0,1,stay,10,3,1,0\n10,3,stay,0,1,2,0\n";
    let whole = write("whole.csv", rows);
    let gaps = write("gaps.csv", &rows.replace("stay,10,3,1,0", "stay,,,1,1").replace("stay,0,1,2,0", "stay,,,2,1"));
    let options = DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() };
    let reading = TableOptions::default();
    let fit = |path: &PathBuf| fit_tables(std::slice::from_ref(path), &reading, &options).unwrap();
    let (cells, notes) = fit(&gaps);
    assert_eq!(notes, []);
    // The order of cells is that of chance.
    let sorted = |cells: &Discretizer| {
        let json = cells.to_json();
        let (before, centres) = json.split_once("\"centres\":[").unwrap();
        let mut centres: Vec<&str> = centres.split([',', ']']).take(4).collect();
        centres.sort_unstable();
        format!("{before}{centres:?}")
    };
    assert_eq!(sorted(&cells), sorted(&fit(&whole).0));
    let written = discretize(&[gaps], &reading, &cells, &folder.path().join("out.csv")).unwrap();
    assert_eq!(written.features, []);
}

#[test]
fn cells_are_fitted_together_saved_and_applied() {
    use srrd_data::discretize::{DiscretizeOptions, Discretizer, Method, discretize, fit_tables, what_is_kept};
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, rows: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("state.x,state.y,action,next_state.x,next_state.y,reward,episode,step\n{rows}"))
            .unwrap();
        path
    };
    // Two walks over the same places 0 and 10; y never changes, and one x is missing.
    let a = write("a.csv", "0,7,go,10,7,1,e,0\n10.1,7,go,0.1,7,2,e,1\n0.2,7,go,9.9,7,1.5,e,2\n");
    let b = write("b.csv", "0.05,7,go,10.2,7,3,e,0\n10,7,go,,7,4,e,1\n");
    let options = DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() };
    let reading = TableOptions::default();
    let (cells, notes) = fit_tables(&[a.clone(), b.clone()], &reading, &options).unwrap();
    let said: Vec<_> = notes.iter().map(|note| (note.column.as_str(), note.missing, note.constant)).collect();
    assert_eq!(said, [("state.x", 1, false), ("state.y", 0, true)]);
    let cells = Discretizer::from_json(&cells.to_json()).unwrap();
    let out = folder.path().join("out.csv");
    assert_eq!(discretize(&[a.clone(), b.clone()], &reading, &cells, &out).unwrap().rows, 5);
    let table = common::read(&out).unwrap();
    assert_eq!(table.names, ["sample", "state", "action", "next_state", "reward", "episode", "step"]);
    let states: Vec<String> = table.column("state").iter().map(text).collect();
    let next: Vec<String> = table.column("next_state").iter().map(text).collect();
    let [near, far] = [states[0].clone(), next[0].clone()];
    assert_ne!(near, far);
    assert_eq!(states, [&near, &far, &near, &near, &far].map(Clone::clone));
    assert_eq!(next[..4], [&far, &near, &far, &far].map(Clone::clone));
    // (near, go, far) has the rewards 1 and 1.5 in a, whose variance within is 0.125 of 0.5; b has two transitions with one reward each.
    let kept = &what_is_kept(&[a.clone(), b], &reading, &[cells]).unwrap()[0];
    assert_eq!((kept.states, kept.cells), (2, 2));
    assert!(kept.shared >= 1 && kept.shared <= 2);
    let share = kept.reward_variance.unwrap();
    assert!((share - (1.0 - 0.125 / (0.5 + 0.5))).abs() < 1e-12, "{share}");
    // Other features are refused.
    let other = folder.path().join("other.csv");
    fs::write(&other, "state.z,action,reward\n1,go,1\n").unwrap();
    let uniform = DiscretizeOptions { method: Method::Uniform, ..options };
    let error = fit_tables(&[a, other], &reading, &uniform).unwrap_err();
    assert!(error.to_string().contains("other features"), "{error}");
    assert!(Discretizer::from_json("{}").unwrap_err().contains("no saved discretizer"));
}
