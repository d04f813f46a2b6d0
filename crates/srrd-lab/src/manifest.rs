//! run.json: what a folder of results holds, so that a run can go on, be merged and be reported.

use crate::error::LabError;
use crate::experiment::{Experiment, Kind};
use crate::experiments;
use crate::parameters::{Parameters, Preset};
use serde_json::{Map, Value, json};
use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

/// The version that computes: results of different versions are not mixed.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The I-th of N parts of the trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    pub index: usize,
    /// How many parts there are.
    pub of: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// The trials of this part, out of so many: every N-th, so that parts take equally long.
    pub fn trials(self, all: usize) -> impl ExactSizeIterator<Item = usize> {
        (self.index - 1..all).step_by(self.of)
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, of)) if 1 <= index && index <= of => Ok(Shard { index, of }),
            _ => Err(format!("'{text}' is not a part such as 2/8, from 1/8 to 8/8")),
        }
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// A run: which experiment, with which settings, and which part of it.
#[derive(Clone)]
pub struct Manifest {
    /// The experiment.
    pub kind: &'static Kind,
    /// What it started from.
    pub preset: Preset,
    /// Every setting.
    pub parameters: Parameters,
    /// Which part of the trials.
    pub shard: Shard,
}

impl Manifest {
    /// A preset with some parameters replaced.
    pub fn new(what: &str, preset: Preset, replaced: &[(&str, String)], shard: Shard) -> Result<Self, LabError> {
        let kind = experiments::find(what)?;
        let mut parameters = (kind.preset)(preset);
        for (name, text) in replaced {
            parameters.set(kind.name, name, text)?;
        }
        Ok(Manifest { kind, preset, parameters, shard })
    }

    /// Builds the experiment.
    pub fn experiment(&self) -> Result<Box<dyn Experiment>, LabError> {
        (self.kind.build)(self.parameters.clone())
    }

    /// The command that makes the run again. It names what differs from the preset.
    pub fn command(&self) -> String {
        let mut command = format!("srrd reproduce {} -o DIR --preset {}", self.kind.name, self.preset);
        let preset = (self.kind.preset)(self.preset);
        for ((name, values), (_, default)) in self.parameters.entries().into_iter().zip(preset.entries()) {
            if values != default || name == "seed" {
                command += &format!(" --{name} {}", values.join(","));
            }
        }
        if self.shard != Shard::WHOLE {
            command += &format!(" --shard {}", self.shard);
        }
        command
    }

    /// The text of run.json. It holds nothing that differs between two runs of the same call.
    pub fn to_json(&self) -> String {
        let parameters: Map<String, Value> =
            self.parameters.entries().into_iter().map(|(name, values)| (name.to_owned(), json!(values))).collect();
        let value = json!({
            "what": self.kind.name,
            "version": VERSION,
            "preset": self.preset.to_string(),
            "seed": self.parameters.seed,
            "parameters": parameters,
            "shard": (self.shard != Shard::WHOLE).then(|| self.shard.to_string()),
            "command": self.command(),
        });
        format!("{value:#}\n")
    }

    /// Reads the run.json of a folder of results.
    pub fn read(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join("run.json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(LabError::wrong(format!(
                    "{}: there is no such file; a folder that `srrd reproduce` has written is meant",
                    path.display()
                )));
            }
            Err(e) => return Err(LabError::io(&path, "cannot be read")(e)),
        };
        Self::from_json(&text).map_err(|e| LabError::wrong(format!("{}: {e}", path.display())))
    }

    fn from_json(text: &str) -> Result<Self, LabError> {
        let value: Value = serde_json::from_str(text).map_err(|e| LabError::wrong(format!("is not JSON: {e}")))?;
        let text = |name: &str| {
            let missing = || LabError::wrong(format!("the text `{name}` is missing: the file is not of a run"));
            value[name].as_str().ok_or_else(missing)
        };
        let version = text("version")?;
        if version != VERSION {
            return Err(LabError::wrong(format!(
                "the results are of version {version}, this is {VERSION}: use that version, or start again in another folder"
            )));
        }
        let preset = text("preset")?.parse().map_err(LabError::Wrong)?;
        let shard = match &value["shard"] {
            Value::Null => Shard::WHOLE,
            shard => shard.as_str().unwrap_or_default().parse().map_err(LabError::Wrong)?,
        };
        let mut replaced = Vec::new();
        for (name, values) in value["parameters"].as_object().into_iter().flatten() {
            let values: Vec<&str> = values.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            replaced.push((name.as_str(), values.join(",")));
        }
        Self::new(text("what")?, preset, &replaced, shard)
    }
}
