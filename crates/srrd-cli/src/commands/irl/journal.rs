//! Finished sets of a run that may be stopped: one line of JSON for each, behind a line that says what the run is about.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use srrd_irl::{Caution, Demonstrations, Iterate, Learned, Set};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The journal of a run.
pub struct Journal {
    path: PathBuf,
    known: HashMap<usize, Entry>,
    file: Mutex<Writing>,
}

struct Writing {
    file: File,
    /// The first thing that went wrong.
    error: Option<std::io::Error>,
}

/// What the run is about: with other settings or demonstrations its sets are others.
#[derive(Debug, Serialize)]
struct Head {
    srrd_irl: String,
    settings: u64,
    demonstrations: u64,
}

#[derive(Debug, Deserialize, Serialize)]
struct Entry {
    set: usize,
    rewards: Vec<f64>,
    /// Where nothing was learned there is none, and JSON has no NaN.
    std_errors: Option<Vec<Option<f64>>>,
    draws: Vec<Vec<f64>>,
    trace: Vec<Iterate>,
    iterations: usize,
    gradient: Option<f64>,
    cautions: Vec<Caution>,
}

impl Journal {
    /// Begins a journal, or goes on with one of the same run.
    pub fn open(path: &Path, shown: &Demonstrations, settings: &str) -> Result<Self, Failure> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            Failure::Failed(format!("{}: cannot be {what}: {error}", path.display()))
        };
        let head = Head {
            srrd_irl: env!("CARGO_PKG_VERSION").to_owned(),
            settings: hash(settings.as_bytes(), OFFSET),
            demonstrations: contents(shown),
        };
        let line = serde_json::to_string(&head).map_err(|e| failed("written", &e))? + "\n";
        let content = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|e| failed("read", &e))?,
        };
        let known = match content.strip_prefix(line.as_bytes()) {
            Some(entries) => read_entries(entries, shown, path)?,
            // Whoever began it was killed at once.
            None if line.as_bytes().starts_with(&content) => HashMap::new(),
            None => {
                return Err(Failure::wrong(format!(
                    "--resume: {} is no journal of this call: other settings, other demonstrations, or another file; name another \
                     one, or remove it",
                    path.display()
                )));
            }
        };
        // A run that was stopped may have left half of a line.
        let whole = content.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end as u64 + 1);
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(|e| failed("written", &e))?;
        file.set_len(whole).map_err(|e| failed("written", &e))?;
        if whole == 0 {
            file.write_all(line.as_bytes()).map_err(|e| failed("written", &e))?;
        }
        Ok(Journal { path: path.to_owned(), known, file: Mutex::new(Writing { file, error: None }) })
    }

    /// What an earlier run learned of a set.
    pub fn find(&self, set: &Set, number: usize) -> Option<Learned> {
        let entry = self.known.get(&number)?;
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(entry.rewards.clone()).ok()?;
        let mut learned = Learned::new(sample);
        let known = |errors: &Vec<Option<f64>>| errors.iter().map(|error| error.unwrap_or(f64::NAN)).collect();
        learned.std_errors = entry.std_errors.as_ref().map(known);
        learned.draws.clone_from(&entry.draws);
        learned.trace.clone_from(&entry.trace);
        (learned.iterations, learned.gradient) = (entry.iterations, entry.gradient);
        learned.cautions.clone_from(&entry.cautions);
        Some(learned)
    }

    /// Notes what was learned of a set. What goes wrong is told at the end: learning goes on.
    pub fn keep(&self, number: usize, learned: &Learned) {
        let entry = Entry {
            set: number,
            rewards: learned.sample.sample.rewards().to_vec(),
            std_errors: (learned.std_errors.as_ref())
                .map(|errors| errors.iter().map(|error| Some(*error).filter(|error| error.is_finite())).collect()),
            draws: learned.draws.clone(),
            trace: learned.trace.clone(),
            iterations: learned.iterations,
            gradient: learned.gradient,
            cautions: learned.cautions.clone(),
        };
        let Ok(mut writing) = self.file.lock() else { return };
        let written = serde_json::to_string(&entry).map_err(Into::into).and_then(|line| {
            // One write, so that lines stay whole.
            writing.file.write_all(format!("{line}\n").as_bytes())
        });
        if let Err(error) = written {
            writing.error.get_or_insert(error);
        }
    }

    /// All sets are done: the journal is of no use any more.
    pub fn finish(self) -> Result<(), Failure> {
        let error = self.file.into_inner().ok().and_then(|writing| writing.error);
        match error {
            Some(error) => Err(Failure::Failed(format!("{}: cannot be written: {error}", self.path.display()))),
            None => std::fs::remove_file(&self.path)
                .map_err(|error| Failure::Failed(format!("{}: cannot be removed: {error}", self.path.display()))),
        }
    }
}

/// The sets that are noted in whole lines.
fn read_entries(lines: &[u8], shown: &Demonstrations, path: &Path) -> Result<HashMap<usize, Entry>, Failure> {
    let mut known = HashMap::new();
    // The first line says what the run is about.
    for (number, line) in
        (2..).zip(lines.split_inclusive(|&byte| byte == b'\n')).filter(|(_, line)| line.ends_with(b"\n"))
    {
        let wrong = |what: String| {
            Failure::wrong(format!(
                "--resume: {}, line {number}: {what}; it was changed or damaged: remove this line, or the file",
                path.display()
            ))
        };
        let entry: Entry = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        let Some(set) = shown.sets().get(entry.set) else {
            return Err(wrong(format!("there is no set number {}", entry.set)));
        };
        let rows = set.sample().sample.len();
        let lengths = entry.std_errors.iter().map(Vec::len).chain(entry.draws.iter().map(Vec::len));
        if !lengths.chain([entry.rewards.len()]).all(|length| length == rows) {
            return Err(wrong(format!("set {} has {rows} transitions, and other numbers are noted", entry.set)));
        }
        known.insert(entry.set, entry);
    }
    Ok(known)
}

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: the same on every machine.
fn hash(bytes: &[u8], before: u64) -> u64 {
    bytes.iter().fold(before, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn contents(shown: &Demonstrations) -> u64 {
    let mut found = OFFSET;
    for set in shown.sets() {
        found = hash(set.name().as_bytes(), found);
        found = hash(set.label().unwrap_or("").as_bytes(), found);
        let sample = &set.sample().sample;
        for token in sample.states().iter().chain(sample.actions().iter()) {
            found = hash(format!("{token}\0").as_bytes(), found);
        }
        for row in set.rows() {
            for id in [row.state, row.action, row.next_state] {
                found = hash(&id.to_le_bytes(), found);
            }
        }
        for (steps, end) in set.episodes() {
            found = hash(format!("{end:?}").as_bytes(), found);
            for step in steps {
                found = hash(&step.to_le_bytes(), found);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::trajectories::{End, Trajectories};
    use srrd_irl::maxent::MaxEnt;
    use srrd_irl::{ModelChoice, learn_all};

    #[test]
    fn what_was_kept_is_found_again_to_the_last_bit() {
        let set = |name: &str, turns: [&str; 3]| {
            let mut builder = Trajectories::builder();
            for turn in turns {
                builder.push_episode(&["hall", turn, "street"], &[turn, "leave"], None, End::Terminated).unwrap();
            }
            builder.build().named(name, Some(name))
        };
        let shown =
            Demonstrations::new([set("a", ["left", "right", "left"]), set("b", ["right", "right", "left"])]).unwrap();
        let settings = MaxEnt { std_errors: true, draws: 2, ..MaxEnt::default() };
        let learned = learn_all(&shown, &ModelChoice::Set, &settings, &|_| ()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::open(&path, &shown, "settings").unwrap();
        journal.keep(1, &learned[1]);
        drop(journal);
        // The run was stopped in the middle of a line.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"set\":0,\"rew").unwrap();
        let journal = Journal::open(&path, &shown, "settings").unwrap();
        assert!(journal.find(&shown.sets()[0], 0).is_none());
        let found = journal.find(&shown.sets()[1], 1).unwrap();
        assert_eq!(found.sample.sample.rewards(), learned[1].sample.sample.rewards());
        assert_eq!((&found.std_errors, &found.draws), (&learned[1].std_errors, &learned[1].draws));
        assert_eq!((found.iterations, &found.cautions), (learned[1].iterations, &learned[1].cautions));
        journal.keep(0, &learned[0]);
        let journal = Journal::open(&path, &shown, "settings").unwrap();
        assert!(journal.find(&shown.sets()[0], 0).is_some());
        assert!(Journal::open(&path, &shown, "others").is_err());
        journal.finish().unwrap();
        assert!(!path.exists());
        // What is no journal is left as it is.
        std::fs::write(&path, "mine, without a line end").unwrap();
        assert!(Journal::open(&path, &shown, "settings").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"mine, without a line end");
        std::fs::remove_file(&path).unwrap();
        // Lines that were edited are named.
        let journal = Journal::open(&path, &shown, "settings").unwrap();
        learned.iter().enumerate().for_each(|(set, learned)| journal.keep(set, learned));
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        for (old, new, said) in [
            ("\"set\":1", "\"set\":7", "line 3: there is no set number 7"),
            ("\"set\":1", "\"set\":-1", "line 3: "),
            ("\"rewards\":[", "\"rewards\":[0.5,", "line 2: set 0 has"),
            ("\"draws\":[[", "\"draws\":[[1.0,", "line 2: set 0 has"),
            ("\"rewards\":[", "\"rewards\":[1e999,", "line 2: "),
        ] {
            std::fs::write(&path, text.replacen(old, new, 1)).unwrap();
            let Err(Failure::Wrong(message)) = Journal::open(&path, &shown, "settings") else { panic!("{new}") };
            assert!(message.contains(said) && message.contains("journal"), "{message}");
        }
    }
}
