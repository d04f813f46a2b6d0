//! Finished sets of a run that may be stopped: one line of JSON for each, behind a line that says what the run is about.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use srrd_irl::{Caution, Demonstrations, Iterate, Learned, Set};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
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
#[derive(Debug, Deserialize, PartialEq, Serialize)]
struct Head {
    srrd_irl: String,
    settings: u64,
    demonstrations: u64,
}

#[derive(Debug, Deserialize, Serialize)]
struct Entry {
    set: usize,
    rewards: Vec<f64>,
    std_errors: Option<Vec<f64>>,
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
        let mut known = HashMap::new();
        let there = std::fs::metadata(path).is_ok_and(|there| there.len() > 0);
        // How much of the file is whole lines; a run that was stopped may have left half of one.
        let mut whole = 0u64;
        if there {
            let mut reader = BufReader::new(File::open(path).map_err(|e| failed("read", &e))?);
            let mut line = String::new();
            while reader.read_line(&mut line).map_err(|e| failed("read", &e))? > 0 && line.ends_with('\n') {
                if whole == 0 {
                    if serde_json::from_str::<Head>(&line).ok().as_ref() != Some(&head) {
                        return Err(Failure::wrong(format!(
                            "--resume: {} is no journal of this call: other settings, other demonstrations, or another file; name another \
                             one, or remove it",
                            path.display()
                        )));
                    }
                } else {
                    let entry: Entry = serde_json::from_str(&line).map_err(|e| failed("read", &e))?;
                    known.insert(entry.set, entry);
                }
                whole += line.len() as u64;
                line.clear();
            }
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(|e| failed("written", &e))?;
        file.set_len(whole).map_err(|e| failed("written", &e))?;
        if whole == 0 {
            let line = serde_json::to_string(&head).map_err(|e| failed("written", &e))?;
            file.write_all(format!("{line}\n").as_bytes()).map_err(|e| failed("written", &e))?;
        }
        Ok(Journal { path: path.to_owned(), known, file: Mutex::new(Writing { file, error: None }) })
    }

    /// What an earlier run learned of a set.
    pub fn find(&self, set: &Set, number: usize) -> Option<Learned> {
        let entry = self.known.get(&number)?;
        let mut sample = set.sample().clone();
        sample.sample = sample.sample.with_rewards(entry.rewards.clone()).ok()?;
        let mut learned = Learned::new(sample);
        learned.std_errors.clone_from(&entry.std_errors);
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
            std_errors: learned.std_errors.clone(),
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
    }
}
