//! MIMIC-IV: the tables of hospital visits, `hosp/*.csv.gz`.
//!
//! An episode is a patient, a step one of the patient's visits, in the order of admission. The state of a visit is what was diagnosed, its
//! action which procedures and prescriptions followed, both as counts of keywords, scaled, and brought down to principal components that are
//! fitted on all visits together. The reward of a visit is 5 · 0.9^t if the patient leaves it alive, t counting visits from 0, and −5 if not;
//! then the episode ends. The class of a patient is the vote of the diagnoses of the first visit ([`classes`]).

mod classes;
mod words;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use self::classes::{OTHER, Votes};
use self::words::{Reduced, WordCounts};
use super::DatasetInfo;
use super::episodes::{EpisodeReader, Part};
use super::held::{Episodes, Held, HeldRecording, each_batch, last_only, repeated};
use super::note::DatasetNote;
use crate::error::{ErrorKind, TableError, shorten};
use crate::table::{Batch, ColumnType, ReadOptions, TableReader, Values, cell_text};

pub(super) const INFO: DatasetInfo = DatasetInfo {
    name: "mimic",
    about: "MIMIC-IV: a folder with hosp/admissions.csv.gz, diagnoses_icd, procedures_icd, prescriptions and both d_icd tables",
    options: &["components"],
    detect: |path| path.is_dir() && table(path, "admissions").is_some() && table(path, "diagnoses_icd").is_some(),
    open,
};

/// Principal components where none are asked for.
const COMPONENTS: usize = 10;
/// What a visit is worth that the patient survives, and how much less the one after it.
const SURVIVED: f64 = 5.0;
const LESS: f64 = 0.9;
const DIED: f64 = -5.0;

/// The file of a table, as it is downloaded or unpacked, in `hosp` or in the folder itself.
fn table(folder: &Path, name: &str) -> Option<PathBuf> {
    let places = [folder.join("hosp"), folder.to_owned()];
    let files = places.iter().flat_map(|place| ["csv.gz", "csv"].map(|end| place.join(format!("{name}.{end}"))));
    files.into_iter().find(|file| file.is_file())
}

fn needed(folder: &Path, name: &str) -> Result<PathBuf, TableError> {
    table(folder, name).ok_or_else(|| {
        let what = format!("there is no table {name}.csv.gz in hosp; visits are made of six tables");
        TableError::new(ErrorKind::NotFound, folder.display().to_string(), what)
    })
}

/// One visit of a patient.
struct Visit {
    subject: String,
    hadm: String,
    admitted: String,
    died: bool,
}

/// All visits, by patient and in the order of admission.
fn visits(folder: &Path) -> Result<Vec<Visit>, TableError> {
    let columns = ["subject_id", "hadm_id", "admittime", "deathtime", "hospital_expire_flag"];
    let mut visits: Vec<Visit> = Vec::new();
    let path = needed(folder, "admissions")?;
    each_batch(&path, &columns, |file, batch| {
        for row in 0..batch.rows {
            let text = |column: usize| cell_text(&batch.columns[column], row).trim().to_owned();
            let wrong = |column: usize, what: String| {
                Err(TableError::new(ErrorKind::Malformed, file, what).at(batch, row).in_column(columns[column]))
            };
            if let Some(column) = (0..3).find(|&column| text(column).is_empty()) {
                return wrong(column, "the value is missing; every visit needs it".to_owned());
            }
            if !is_time(&text(2)) {
                return wrong(2, format!("`{}` is no time such as 2150-01-31 12:00:00", shorten(&text(2))));
            }
            let died = match (text(4).as_str(), text(3).is_empty()) {
                ("1", _) | ("0" | "", false) => true,
                ("0" | "", true) => false,
                (other, _) => return wrong(4, format!("`{}` is neither 0 nor 1", shorten(other))),
            };
            visits.push(Visit { subject: text(0), hadm: text(1), admitted: text(2), died });
        }
        Ok(())
    })?;
    visits.sort_by(|a, b| (&a.subject, &a.admitted, &a.hadm).cmp(&(&b.subject, &b.admitted, &b.hadm)));
    let name = path.display().to_string();
    let mut seen = HashSet::new();
    if let Some(twice) = visits.iter().find(|visit| !seen.insert(&visit.hadm)) {
        let what = format!("the visit {} is there twice", shorten(&twice.hadm));
        return Err(TableError::new(ErrorKind::Malformed, name, what).in_column("hadm_id"));
    }
    match visits.is_empty() {
        true => Err(TableError::no_rows(name)),
        false => Ok(visits),
    }
}

/// Times are compared as text: the year comes first.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// The titles of codes; a code counts with its version.
struct Titles(HashMap<(String, String), String>);

impl Titles {
    fn read(folder: &Path, name: &str) -> Result<Self, TableError> {
        let mut titles = HashMap::new();
        each_batch(&needed(folder, name)?, &["icd_code", "icd_version", "long_title"], |_, batch| {
            for row in 0..batch.rows {
                let text = |column: usize| cell_text(&batch.columns[column], row).trim().to_owned();
                titles.insert((text(0), text(1)), text(2));
            }
            Ok(())
        })?;
        Ok(Titles(titles))
    }
}

/// What the tables say about visits.
struct Records<'a> {
    by_hadm: HashMap<&'a str, usize>,
    diagnoses: WordCounts,
    treatments: WordCounts,
    /// By visit that is a patient's first.
    votes: HashMap<usize, Votes>,
    untitled: usize,
}

impl Records<'_> {
    /// The visit of a row; `None` where it has none, as orders outside of a stay do.
    fn visit(&self, file: &str, batch: &Batch, row: usize) -> Result<Option<usize>, TableError> {
        let hadm = cell_text(&batch.columns[0], row);
        let hadm = hadm.trim();
        match self.by_hadm.get(hadm) {
            Some(visit) => Ok(Some(*visit)),
            None if hadm.is_empty() => Ok(None),
            None => {
                let what = format!("there is no visit {} in admissions; are the tables of one release?", shorten(hadm));
                Err(TableError::new(ErrorKind::Malformed, file, what).at(batch, row).in_column("hadm_id"))
            }
        }
    }

    fn read_diagnoses(&mut self, folder: &Path) -> Result<(), TableError> {
        let titles = Titles::read(folder, "d_icd_diagnoses")?;
        let columns = ["hadm_id", "seq_num", "icd_code", "icd_version"];
        each_batch(&needed(folder, "diagnoses_icd")?, &columns, |file, batch| {
            for row in 0..batch.rows {
                let Some(visit) = self.visit(file, batch, row)? else { continue };
                let text = |column: usize| cell_text(&batch.columns[column], row).trim().to_owned();
                let number = text(1).parse::<i64>().map_err(|_| {
                    let what = format!("`{}` is no integer", shorten(&text(1)));
                    TableError::new(ErrorKind::Number, file, what).at(batch, row).in_column("seq_num")
                })?;
                let Some(title) = titles.0.get(&(text(2), text(3))) else {
                    self.untitled += 1;
                    continue;
                };
                self.diagnoses.add(visit, title);
                if let Some(votes) = self.votes.get_mut(&visit) {
                    votes.add(number, title);
                }
            }
            Ok(())
        })
    }

    fn read_treatments(&mut self, folder: &Path) -> Result<(), TableError> {
        let titles = Titles::read(folder, "d_icd_procedures")?;
        each_batch(&needed(folder, "procedures_icd")?, &["hadm_id", "icd_code", "icd_version"], |file, batch| {
            for row in 0..batch.rows {
                let Some(visit) = self.visit(file, batch, row)? else { continue };
                let text = |column: usize| cell_text(&batch.columns[column], row).trim().to_owned();
                match titles.0.get(&(text(1), text(2))) {
                    Some(title) => self.treatments.add(visit, title),
                    None => self.untitled += 1,
                }
            }
            Ok(())
        })?;
        each_batch(&needed(folder, "prescriptions")?, &["hadm_id", "drug"], |file, batch| {
            for row in 0..batch.rows {
                if let Some(visit) = self.visit(file, batch, row)? {
                    self.treatments.add(visit, &cell_text(&batch.columns[1], row));
                }
            }
            Ok(())
        })
    }
}

fn open(folder: &Path, options: &ReadOptions) -> Result<Box<dyn TableReader>, TableError> {
    let name = folder.display().to_string();
    let visits = visits(folder)?;
    let mut patients: Vec<std::ops::Range<usize>> = Vec::new();
    for same in visits.chunk_by(|a, b| a.subject == b.subject) {
        let start = patients.last().map_or(0, |last| last.end);
        patients.push(start..start + same.len());
    }
    let mut records = Records {
        by_hadm: visits.iter().enumerate().map(|(at, visit)| (visit.hadm.as_str(), at)).collect(),
        diagnoses: WordCounts::default(),
        treatments: WordCounts::default(),
        votes: patients.iter().map(|patient| (patient.start, Votes::default())).collect(),
        untitled: 0,
    };
    records.read_diagnoses(folder)?;
    records.read_treatments(folder)?;
    let wanted = options.dataset.components;
    let reduce = |counts: &WordCounts, of: &str| {
        let found = counts.reduced(visits.len(), wanted, COMPONENTS);
        found.map_err(|what| TableError::new(ErrorKind::Usage, &name, format!("keywords of {of}: {what}")))
    };
    let [states, actions] = [reduce(&records.diagnoses, "diagnoses")?, reduce(&records.treatments, "treatments")?];
    let class = |patient: &std::ops::Range<usize>| records.votes.get(&patient.start).map_or(OTHER, Votes::class);
    let classes: Vec<&'static str> = patients.iter().map(class).collect();
    let features = |role: &str, width: usize| Part::of_role(role, "", width, false, ColumnType::Float);
    let parts = vec![
        Part::single("sample", ColumnType::Text),
        Part::single("label", ColumnType::Text),
        features("state", states.rows.width),
        features("action", actions.rows.width),
        Part::single("reward", ColumnType::Float),
        Part::single("terminated", ColumnType::Bool),
    ];
    let notes = [
        DatasetNote::Kind { dataset: INFO.name, episodes: patients.len() },
        DatasetNote::Patients {
            keywords: [states.keywords, actions.keywords],
            explained: [states.explained, actions.explained],
            unclassed: classes.iter().filter(|class| **class == OTHER).count(),
            untitled: records.untitled,
        },
    ];
    drop(records);
    let recording = Box::new(HeldRecording::new(Patients { visits, patients, classes, states, actions }));
    Ok(Box::new(EpisodeReader::new(name, recording, parts, options)?.noting(notes)))
}

struct Patients {
    visits: Vec<Visit>,
    patients: Vec<std::ops::Range<usize>>,
    classes: Vec<&'static str>,
    states: Reduced,
    actions: Reduced,
}

impl Episodes for Patients {
    fn load(&mut self, episode: usize) -> Result<Option<Held>, TableError> {
        let Some(patient) = self.patients.get(episode) else { return Ok(None) };
        let visits = &self.visits[patient.clone()];
        // Nothing follows a death.
        let dead = visits.iter().position(|visit| visit.died);
        let steps = dead.map_or(visits.len(), |at| at + 1);
        let rows = |reduced: &Reduced| {
            let width = reduced.rows.width;
            Values::Float(reduced.rows.values[patient.start * width..(patient.start + steps) * width].to_vec())
        };
        let reward = |(number, visit): (usize, &Visit)| {
            if visit.died { DIED } else { SURVIVED * LESS.powi(number.min(10_000) as i32) }
        };
        let parts = vec![
            repeated(&visits[0].subject, steps),
            repeated(self.classes[episode], steps),
            rows(&self.states),
            rows(&self.actions),
            Values::Float(visits[..steps].iter().enumerate().map(reward).collect()),
            last_only(dead.is_some(), steps),
        ];
        Ok(Some(Held { steps, parts }))
    }
}
