//! Recordings of games and of patients, made up in the layouts of the genuine ones: values worked out by hand, clear errors, no panic on
//! damaged files.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{Cell, Table, read_all, text};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd_data::{DatasetOptions, ErrorKind, ReadOptions, TableError, TableOptions, open, read_walks};

fn read_with(path: &Path, pairs: &[(&str, &str)]) -> Result<Table, TableError> {
    let mut dataset = DatasetOptions::default();
    pairs.iter().for_each(|(name, value)| dataset.set(name, value).unwrap());
    read_all(&mut *open(path, &ReadOptions { dataset, ..ReadOptions::default() })?)
}

fn notes(path: &Path) -> String {
    let notes = open(path, &ReadOptions::default()).unwrap().notes();
    notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn says(found: Result<Table, TableError>, kind: ErrorKind, part: &str) {
    let error = found.expect_err("an error");
    let said = error.to_string();
    assert!(error.kind() == kind && said.contains(part), "{:?}: {said}", error.kind());
}

fn floats(table: &Table, column: &str) -> Vec<f64> {
    let number = |cell: &Cell| match cell {
        Cell::Float(bits) => f64::from_bits(*bits),
        Cell::Int(value) => *value as f64,
        other => panic!("{other:?}"),
    };
    table.column(column).iter().map(number).collect()
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const UNITS: &str = "iteration,name,is_mine,is_enemy,is_attacking,x_pos,y_pos,score\n";
const GAME: &str = "\
0,Stalker,True,False,True,1,2,0
0,Adept,True,False,False,3,4,0
0,Zealot,False,True,True,10,10,0
0,Mineral,False,False,False,50,50,0
4,Stalker,True,False,True,2,2,15
4,Adept,True,False,True,4,4,15
4,Zealot,False,True,False,9,9,15
8,Adept,True,False,False,5,5,40
";

fn battles(folder: &Path) {
    put(&folder.join("rush/0.csv"), &format!("{UNITS}{GAME}"));
    put(&folder.join("rush/1.csv"), &format!("{UNITS}{}", GAME.replace("40", "35")));
    // Without the last iteration both sides are still there.
    put(&folder.join("wait/0.csv"), &format!("{UNITS}{}", GAME.split("8,Adept").next().unwrap()));
}

#[test]
fn units_become_counts_centres_and_attacks() {
    let folder = tempfile::tempdir().unwrap();
    battles(folder.path());
    let table = read_with(folder.path(), &[]).unwrap();
    assert!(notes(folder.path()).contains("read as starcraft, 3 episodes"));
    assert_eq!(table.column("sample")[0], text("rush/0.csv"));
    assert_eq!(table.column("label").iter().filter(|label| **label == text("rush")).count(), 4);
    assert_eq!(floats(&table, "action"), [1.0, 2.0, 1.0, 2.0, 1.0]);
    assert_eq!(floats(&table, "reward"), [15.0, 40.0, 15.0, 35.0, 15.0]);
    assert_eq!(floats(&table, "state.ally")[..2], [2.0, 2.0]);
    assert_eq!(floats(&table, "state.ally_x")[..2], [2.0, 3.0]);
    assert_eq!(floats(&table, "state.enemy_y")[..2], [10.0, 9.0]);
    // No enemy is left: its centre stays where it was, and the game is over.
    assert_eq!(floats(&table, "next_state.enemy")[1], 0.0);
    assert_eq!(floats(&table, "next_state.enemy_x")[1], 9.0);
    let over = |column: &str| table.column(column).iter().map(|it| *it == Cell::Bool(true)).collect::<Vec<_>>();
    assert_eq!(over("terminated"), [false, true, false, true, false]);
    assert_eq!(over("truncated"), [false, false, false, false, true]);
    // Every eighth iteration, the gain of the score, and stalkers alone.
    let gain = read_with(folder.path(), &[("reward", "gain"), ("every", "8")]).unwrap();
    assert_eq!(floats(&gain, "reward"), [40.0, 35.0]);
    let stalkers = read_with(folder.path(), &[("units", "stalker")]).unwrap();
    assert_eq!(floats(&stalkers, "state.ally")[..2], [1.0, 1.0]);
    // One game alone has no class; every command reads it.
    let one = read_with(&folder.path().join("rush/0.csv"), &[]).unwrap();
    assert!(!one.names.contains(&"label".to_owned()) && one.rows.len() == 2);
    let walks = read_walks(folder.path(), TableOptions::default()).unwrap().walks;
    assert_eq!(
        walks.iter().map(|walk| walk.trajectories.label().unwrap()).collect::<Vec<_>>(),
        ["rush", "rush", "wait"]
    );
}

#[test]
fn games_that_are_reordered_cut_off_or_foreign_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    battles(folder.path());
    let file = folder.path().join("rush/0.csv");
    let with = |text: &str| {
        fs::write(&file, text).unwrap();
        read_with(folder.path(), &[("from", "starcraft")])
    };
    let reordered: Vec<&str> = GAME.lines().rev().collect();
    says(with(&format!("{UNITS}{}\n", reordered.join("\n"))), ErrorKind::Malformed, "4 follows 8: sort the rows");
    says(with(&format!("{UNITS}{GAME}8,Ade")), ErrorKind::Ragged, "row 9");
    says(with(&format!("{UNITS}0,A,True,True,False,1,1,0\n")), ErrorKind::Malformed, "both sides");
    says(with(&format!("{UNITS}0,A,True,False,maybe,1,1,0\n")), ErrorKind::Type, "`maybe` is neither true nor false");
    says(
        with(&format!("{UNITS}0,A,True,False,True,1,1,0\n0,A,True,False,True,1,1,5\n")),
        ErrorKind::Malformed,
        "score",
    );
    says(with(&format!("{UNITS}0,A,True,False,True,x,1,0\n")), ErrorKind::Number, "x_pos");
    says(with("state,action,reward\n0,0,1\n"), ErrorKind::MissingColumn, "`iteration`");
    says(read_with(folder.path(), &[("reward", "points")]), ErrorKind::Directory, "starcraft");
    let other = folder.path().join("wait/0.csv");
    says(read_with(&other, &[("reward", "points")]), ErrorKind::Usage, "`score` or `gain`");
    says(read_with(&other, &[("keys", "x")]), ErrorKind::Usage, "its options: every, units, reward");
}

#[cfg(feature = "png")]
fn picture(path: &Path, value: u8, colour: bool) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(fs::File::create(path).unwrap(), 4, 2);
    encoder.set_color(if colour { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let pixel = |at: usize| if at == 3 { value } else { 10 };
    let samples = if colour { 3 } else { 1 };
    let bytes: Vec<u8> = (0..8).flat_map(|at| std::iter::repeat_n(pixel(at), samples)).collect();
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}

/// Two trajectories: one that ends with a score of 400, and one that is cut off at 5000.
#[cfg(feature = "png")]
fn atari(folder: &Path) {
    let row = |frame: usize, score: usize, over: &str| {
        format!("{frame}, {}, {score}, {over}, {}\n", if frame % 2 == 1 { 100 } else { 0 }, frame % 3)
    };
    let head = "db traj id : 7\nframe,reward,score,terminal,action\n";
    let first: String =
        (0..8).map(|frame| row(frame, 100 * frame.div_ceil(2), if frame == 7 { "True" } else { "False" })).collect();
    let second: String = (0..7).map(|frame| row(frame, 5000, "0")).collect();
    put(&folder.join("trajectories/revenge/7.txt"), &format!("{head}{first}"));
    put(&folder.join("trajectories/revenge/12.txt"), &format!("{head}{second}"));
    for frame in 0..8u8 {
        picture(&folder.join(format!("screens/revenge/7/{frame}.png")), 20 * frame, false);
        picture(&folder.join(format!("screens/revenge/12/{frame}.png")), 30 * frame, true);
    }
}

#[cfg(feature = "png")]
#[test]
fn screens_become_components_and_scores_classes() {
    let folder = tempfile::tempdir().unwrap();
    atari(folder.path());
    let table = read_with(folder.path(), &[("every", "3"), ("components", "1")]).unwrap();
    // Frames 0, 3, 6 and 7, in which the first game is over; 0, 3 and 6 of the second. Trajectories are in the order of their numbers.
    assert_eq!(table.column("sample").iter().filter(|it| **it == text("7")).count(), 3);
    assert_eq!(table.rows.len(), 5);
    assert_eq!(table.column("label")[0], text("novice"));
    assert_eq!(table.column("label")[4], text("expert"));
    assert_eq!(floats(&table, "action"), [0.0, 0.0, 0.0, 0.0, 0.0]);
    // Frames 0 to 2 pay 100, 3 to 5 pay 200, 6 and 7 pay 100: nothing is lost.
    assert_eq!(floats(&table, "reward"), [100.0, 200.0, 100.0, 100.0, 200.0]);
    // One pixel changes: the component is its level, up to a shift, whether the picture is grey or coloured.
    let (states, next) = (floats(&table, "state.0"), floats(&table, "next_state.0"));
    let steps: Vec<f64> = states.iter().zip(&next).map(|(from, to)| to - from).collect();
    for (step, expected) in steps.iter().zip([60.0, 60.0, 20.0, 90.0, 90.0]) {
        assert!((step - expected).abs() < 1e-9, "{steps:?}");
    }
    assert!((states[3] - states[0]).abs() < 1e-9);
    let terminated = table.column("terminated");
    assert_eq!(terminated.iter().position(|it| *it == Cell::Bool(true)), Some(2));
    // The score as reward; own limits; what is told.
    let score = read_with(folder.path(), &[("reward", "score"), ("every", "3"), ("scores", "300,5000")]).unwrap();
    assert_eq!(floats(&score, "reward")[..3], [200.0, 300.0, 400.0]);
    assert_eq!((&score.column("label")[0], &score.column("label")[4]), (&text("moderate"), &text("moderate")));
    let limits = read_with(folder.path(), &[("every", "3"), ("scores", "500")]).unwrap();
    assert_eq!((&limits.column("label")[0], &limits.column("label")[4]), (&text("below 500"), &text("from 500")));
    let said = notes(folder.path());
    assert!(said.contains("read as atari, 2 episodes") && said.contains("principal components"), "{said}");
}

#[cfg(feature = "png")]
#[test]
fn trajectories_that_are_reordered_cut_off_or_foreign_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    atari(folder.path());
    let file = folder.path().join("trajectories/revenge/7.txt");
    let whole = fs::read_to_string(&file).unwrap();
    let with = |text: &str| {
        fs::write(&file, text).unwrap();
        read_with(folder.path(), &[("every", "3")])
    };
    says(with(&whole.replace("db traj", "traj")), ErrorKind::Malformed, "does not begin with `db traj id`");
    says(with(&whole.replace("frame,reward", "reward,frame")), ErrorKind::Malformed, "line 2");
    says(with(&format!("{whole}3,0,0,1,0\n")), ErrorKind::Malformed, "frame 3 follows frame 7");
    says(with(&format!("{whole}9,0,0,0,0\n")), ErrorKind::Malformed, "the game goes on");
    says(with(&format!("{whole}9,0")), ErrorKind::Malformed, "2 fields and not 5");
    says(with(&format!("{whole}9,a,0,1,0\n")), ErrorKind::Malformed, "`a` is no integer");
    says(with("db traj id : 7\nframe,reward,score,terminal,action\n"), ErrorKind::Empty, "no frames");
    fs::write(&file, &whole).unwrap();
    says(read_with(folder.path(), &[("components", "99")]), ErrorKind::Usage, "there are fewer");
    says(read_with(folder.path(), &[("game", "qbert")]), ErrorKind::Usage, "there are `revenge`");
    let picture = folder.path().join("screens/revenge/7/3.png");
    fs::write(&picture, "no picture").unwrap();
    says(read_with(folder.path(), &[("every", "3")]), ErrorKind::Malformed, "3.png");
    fs::remove_file(&picture).unwrap();
    says(read_with(folder.path(), &[("every", "3")]), ErrorKind::NotFound, "no such picture");
    put(&folder.path().join("trajectories/qbert/1.txt"), &whole);
    says(read_with(folder.path(), &[]), ErrorKind::Usage, "several games, `qbert`, `revenge`");
    assert!(DatasetOptions::default().set("scores", "5,3").unwrap_err().to_string().contains("have to rise"));
}

fn packed(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut gz = flate2::write::GzEncoder::new(fs::File::create(path).unwrap(), flate2::Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap();
}

/// Three patients: two visits, the second deadly; three visits; one visit.
fn hospital(folder: &Path) {
    let tables = [
        (
            "admissions",
            "subject_id,hadm_id,admittime,dischtime,deathtime,hospital_expire_flag\n\
             1,12,2150-05-01 10:00:00,2150-05-03 10:00:00,2150-05-03 09:00:00,1\n\
             1,11,2150-01-01 10:00:00,2150-01-03 10:00:00,,0\n\
             2,21,2150-01-01 10:00:00,2150-01-03 10:00:00,,0\n\
             2,22,2151-01-01 10:00:00,2151-01-03 10:00:00,,0\n\
             2,23,2152-01-01 10:00:00,2152-01-03 10:00:00,,0\n\
             3,31,2150-01-01 10:00:00,2150-01-03 10:00:00,,0\n",
        ),
        (
            "diagnoses_icd",
            "subject_id,hadm_id,seq_num,icd_code,icd_version\n1,11,1,0250,9\n1,11,2,584,9\n1,12,1,584,9\n2,21,1,486,9\n2,22,1,486,9\n\
             2,22,2,0250,9\n2,23,1,0250,9\n3,31,1,999,9\n3,31,2,401,9\n",
        ),
        (
            "d_icd_diagnoses",
            "icd_code,icd_version,long_title\n0250,9,Diabetes mellitus\n584,9,Acute kidney failure\n486,9,\"Pneumonia, organism unspecified\"\n401,9,Hypertension acute\n0250,10,Something else\n",
        ),
        (
            "procedures_icd",
            "subject_id,hadm_id,seq_num,chartdate,icd_code,icd_version\n1,12,1,2150-05-01,3995,9\n2,22,1,2151-01-01,3995,9\n",
        ),
        ("d_icd_procedures", "icd_code,icd_version,long_title\n3995,9,Hemodialysis\n"),
        (
            "prescriptions",
            "subject_id,hadm_id,drug_type,drug\n1,11,MAIN,Insulin\n1,11,MAIN,Insulin\n2,21,MAIN,Insulin\n2,23,MAIN,Heparin\n3,31,MAIN,Heparin\n3,,MAIN,Heparin\n",
        ),
    ];
    tables.iter().for_each(|(name, text)| packed(&folder.join(format!("hosp/{name}.csv.gz")), text));
}

#[test]
fn visits_become_steps_of_a_patient() {
    let folder = tempfile::tempdir().unwrap();
    hospital(folder.path());
    let table = read_with(folder.path(), &[("components", "2")]).unwrap();
    assert_eq!(table.column("sample"), ["1", "1", "2", "2", "2", "3"].map(text));
    // The tie of diabetes and kidney goes to the first diagnosis; the third patient has no word of a class.
    assert_eq!(
        table.column("label"),
        ["diabetes", "diabetes", "respiratory", "respiratory", "respiratory", "other"].map(text)
    );
    let rewards = floats(&table, "reward");
    for (reward, expected) in rewards.iter().zip([5.0, -5.0, 5.0, 4.5, 4.05, 5.0]) {
        assert!((reward - expected).abs() < 1e-12, "{rewards:?}");
    }
    let terminated = table.column("terminated");
    assert_eq!(terminated.iter().position(|it| *it == Cell::Bool(true)), Some(1));
    // Scaled counts have mean 0, and so have their components; the same diagnoses are the same state.
    for column in ["state.0", "state.1", "action.0", "action.1"] {
        assert!(floats(&table, column).iter().sum::<f64>().abs() < 1e-9, "{column}");
    }
    let said = notes(folder.path());
    assert!(said.contains("read as mimic, 3 episodes") && said.contains("1 patient is of no class"), "{said}");
    assert!(said.contains("1 code has no title"), "{said}");
    // A visit that nothing is known to follow is left out, unless the patient died.
    let walks = read_walks(folder.path(), TableOptions::default()).unwrap().walks;
    assert_eq!(walks.iter().map(|walk| walk.trajectories.step_count()).collect::<Vec<_>>(), [2, 2, 0]);
}

#[test]
fn hospital_tables_that_are_cut_off_missing_or_foreign_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(format!("hosp/{name}.csv.gz"));
    let read = || read_with(folder.path(), &[]);
    hospital(folder.path());
    let whole = fs::read(at("admissions")).unwrap();
    fs::write(at("admissions"), &whole[..whole.len() / 2]).unwrap();
    says(read(), ErrorKind::Truncated, "admissions.csv.gz");
    packed(&at("admissions"), "subject_id,admittime\n1,2150-01-01\n");
    says(read(), ErrorKind::MissingColumn, "`hadm_id`");
    let head = "subject_id,hadm_id,admittime,deathtime,hospital_expire_flag\n";
    packed(&at("admissions"), &format!("{head}1,11,May 2150,,0\n"));
    says(read(), ErrorKind::Malformed, "`May 2150` is no time");
    packed(&at("admissions"), &format!("{head}1,11,2150-01-01,,0\n2,11,2150-01-01,,0\n"));
    says(read(), ErrorKind::Malformed, "the visit 11 is there twice");
    packed(&at("admissions"), &format!("{head}1,11,2150-01-01,,0\n"));
    says(read(), ErrorKind::Malformed, "there is no visit 12 in admissions");
    packed(&at("admissions"), head);
    says(read(), ErrorKind::Empty, "admissions");
    hospital(folder.path());
    fs::remove_file(at("prescriptions")).unwrap();
    says(read(), ErrorKind::NotFound, "prescriptions.csv.gz");
    hospital(folder.path());
    says(read_with(folder.path(), &[("components", "50")]), ErrorKind::Usage, "there are fewer");
}

/// Rows in another order are the same table.
#[test]
fn the_order_of_hospital_rows_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    hospital(folder.path());
    let before = read_with(folder.path(), &[]).unwrap();
    for name in ["admissions", "diagnoses_icd", "prescriptions"] {
        let path = folder.path().join(format!("hosp/{name}.csv.gz"));
        let mut whole = String::new();
        let file = fs::File::open(&path).unwrap();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut whole).unwrap();
        let mut lines: Vec<&str> = whole.lines().collect();
        lines[1..].reverse();
        packed(&path, &(lines.join("\n") + "\n"));
    }
    assert_eq!(read_with(folder.path(), &[]).unwrap(), before);
}

/// What the collectors recorded, with sums that Python's csv module and NumPy give.
#[test]
fn what_was_collected_is_read() {
    let folder = common::fixture("datasets/collected");
    let games = read_with(&folder.join("starcraft"), &[]).unwrap();
    let sum = |table: &Table, column: &str| floats(table, column).iter().sum::<f64>();
    assert_eq!((games.rows.len(), sum(&games, "action"), sum(&games, "reward")), (320, 1073.0, 246271.0));
    assert!((sum(&games, "state.ally_x") - 4126.454329285715).abs() < 1e-9);
    #[cfg(feature = "png")]
    {
        let frames = read_with(&folder.join("montezuma"), &[("scores", "100,399")]).unwrap();
        assert_eq!((frames.rows.len(), sum(&frames, "reward")), (138, 100.0));
        assert_eq!((&frames.column("label")[0], &frames.column("label")[137]), (&text("novice"), &text("moderate")));
        // The variance along the first component, over all 140 pictures.
        let (states, next) = (floats(&frames, "state.0"), floats(&frames, "next_state.0"));
        let all: Vec<f64> = states.iter().chain([&next[52], &next[137]]).copied().collect();
        let mean = all.iter().sum::<f64>() / 140.0;
        let variance = all.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / 139.0;
        assert!((variance / 1573.6415062850524 - 1.0).abs() < 1e-9, "{variance}");
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn filters_that_are_not_read_are_named() {
    for (file, filter) in [("zstd", "Zstandard"), ("blosc", "Blosc")] {
        let path = common::fixture(&format!("datasets/filter_{file}.hdf5"));
        let error = read_with(&path, &[]).expect_err("an error").to_string();
        assert!(error.contains(&format!("is compressed by {filter}, which is not read")), "{error}");
        assert!(error.contains("h5repack"), "{error}");
    }
}

fn mutate(random: &mut impl Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.random_range(1..4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..4) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = random.random(),
            2 => bytes.truncate(at),
            _ => {
                let end = (at + random.random_range(1..33)).min(bytes.len());
                bytes.drain(at..end);
            }
        }
    }
}

/// So many damaged files each; `SRRD_MUTATIONS=400` tries more.
#[test]
fn damaged_recordings_never_panic() {
    let cases = std::env::var("SRRD_MUTATIONS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40u64);
    let folder = tempfile::tempdir().unwrap();
    let places: [PathBuf; 3] = ["games", "atari", "hospital"].map(|name| folder.path().join(name));
    battles(&places[0]);
    #[cfg(feature = "png")]
    atari(&places[1]);
    hospital(&places[2]);
    let damaged = [
        (0, "rush/0.csv"),
        #[cfg(feature = "png")]
        (1, "trajectories/revenge/7.txt"),
        #[cfg(feature = "png")]
        (1, "screens/revenge/12/6.png"),
        (2, "hosp/admissions.csv.gz"),
        (2, "hosp/prescriptions.csv.gz"),
        (2, "hosp/d_icd_diagnoses.csv.gz"),
    ];
    for (place, file) in damaged {
        let path = places[place].join(file);
        let whole = fs::read(&path).unwrap();
        let mut refused = 0;
        for case in 0..cases {
            let mut bytes = whole.clone();
            mutate(&mut ChaCha8Rng::seed_from_u64(case), &mut bytes);
            fs::write(&path, &bytes).unwrap();
            let started = std::time::Instant::now();
            let options: &[(&str, &str)] = if place == 1 { &[("every", "3")] } else { &[] };
            refused += usize::from(read_with(&places[place], options).is_err());
            assert!(started.elapsed().as_secs() < 20, "{file}, case {case} takes too long");
        }
        assert!(refused > 0, "{file}");
        fs::write(&path, &whole).unwrap();
    }
}
