//! run.json: what a folder of results holds, so that a run can go on, be merged and be reported.

use crate::error::LabError;
use crate::experiments::{self, Kind};
use crate::parameters::Parameters;
use crate::values::Preset;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

/// The version that computes: results of different versions are not mixed.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The I-th of N parts of the trials.
///
/// ```
/// use srrd_lab::Shard;
///
/// let shard: Shard = "2/8".parse()?;
/// assert_eq!(shard, Shard::new(2, 8)?);
/// assert_eq!(shard.trials(20).collect::<Vec<_>>(), [1, 9, 17]);
/// # Ok::<(), srrd_lab::LabError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// The part `index` of `of`, counted from 1.
    ///
    /// # Errors
    /// When `index` is not between 1 and `of`.
    pub fn new(index: usize, of: usize) -> Result<Self, LabError> {
        if 1 <= index && index <= of {
            return Ok(Shard { index, of });
        }
        Err(LabError::wrong(format!("{index} is not between 1 and {of}")))
    }

    /// Which part it is, from 1.
    pub fn index(self) -> usize {
        self.index
    }

    /// How many parts there are.
    pub fn of(self) -> usize {
        self.of
    }

    /// The trials of this part, out of so many: every N-th, so that parts take equally long.
    pub fn trials(self, all: usize) -> impl ExactSizeIterator<Item = usize> {
        (self.index - 1..all).step_by(self.of)
    }
}

impl FromStr for Shard {
    type Err = LabError;
    fn from_str(text: &str) -> Result<Self, LabError> {
        let parts = text.split_once('/').and_then(|(index, of)| Shard::new(index.parse().ok()?, of.parse().ok()?).ok());
        parts.ok_or_else(|| LabError::wrong(format!("'{text}' is not a part such as 2/8, from 1/8 to 8/8")))
    }
}

impl TryFrom<String> for Shard {
    type Error = LabError;
    fn try_from(text: String) -> Result<Self, LabError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Which experiment, with which settings, and which part of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
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

/// run.json as it is written.
#[derive(Serialize)]
struct Written<'a> {
    what: &'a str,
    version: &'a str,
    preset: Preset,
    seed: u64,
    parameters: InOrder,
    shard: Option<Shard>,
    command: String,
}

/// A map whose entries stay in their order.
struct InOrder(Vec<(&'static str, Vec<String>)>);

impl Serialize for InOrder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}

/// What is read of run.json; the rest follows from it.
#[derive(Deserialize)]
struct Read {
    what: String,
    preset: Preset,
    parameters: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    shard: Option<Shard>,
}

/// Read first: other versions may have written something else.
#[derive(Deserialize)]
struct ReadVersion {
    version: String,
}

impl Manifest {
    /// A preset with some parameters replaced, each by one value or by several with commas.
    ///
    /// ```
    /// use srrd_lab::{Manifest, Preset, Shard};
    ///
    /// let manifest = Manifest::new("coverage", Preset::Quick, [("trials", "5"), ("size", "4x4,8x8")], Shard::WHOLE)?;
    /// assert!(manifest.command().contains("--size 4x4,8x8"));
    /// # Ok::<(), srrd_lab::LabError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such experiment, it has no such parameter, or the parameter cannot have such a value.
    pub fn new(
        what: &str,
        preset: Preset,
        replaced: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
        shard: Shard,
    ) -> Result<Self, LabError> {
        let mut manifest = Self::of_preset(what, preset, shard)?;
        for (name, text) in replaced {
            let values: Vec<&str> = text.as_ref().split(',').map(str::trim).collect();
            manifest.parameters.set(manifest.kind.name, name.as_ref(), &values)?;
        }
        Ok(manifest)
    }

    fn of_preset(what: &str, preset: Preset, shard: Shard) -> Result<Self, LabError> {
        let kind = experiments::find(what)?;
        Ok(Manifest { kind, preset, parameters: (kind.preset)(preset), shard })
    }

    /// The same for all trials.
    pub(crate) fn whole(&self) -> Self {
        Manifest { shard: Shard::WHOLE, ..self.clone() }
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
    pub(crate) fn to_json(&self) -> String {
        let written = Written {
            what: self.kind.name,
            version: VERSION,
            preset: self.preset,
            seed: self.parameters.seed,
            parameters: InOrder(self.parameters.entries()),
            shard: (self.shard != Shard::WHOLE).then_some(self.shard),
            command: self.command(),
        };
        // Text, numbers and lists of text can always be written.
        serde_json::to_string_pretty(&written).unwrap_or_default() + "\n"
    }

    /// Reads the run.json of a folder of results.
    ///
    /// # Errors
    /// When there is none, or it is not of a run of this version.
    pub fn read(folder: &Path) -> Result<Self, LabError> {
        let path = folder.join("run.json");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(LabError::wrong(format!(
                    "{}: there is no such file; name a folder that `srrd reproduce` has written",
                    path.display()
                )));
            }
            Err(e) => return Err(LabError::io(&path, "cannot be read")(e)),
        };
        Self::from_json(&text).map_err(|e| LabError::wrong(format!("{}: {e}", path.display())))
    }

    fn from_json(text: &str) -> Result<Self, LabError> {
        let not_a_run = |e: serde_json::Error| LabError::wrong(format!("the file is not of a run: {e}"));
        let ReadVersion { version } = serde_json::from_str(text).map_err(not_a_run)?;
        if version != VERSION {
            return Err(LabError::wrong(format!(
                "the results are of version {version}, this is {VERSION}: use that version, or start again in another folder"
            )));
        }
        let Read { what, preset, parameters, shard } = serde_json::from_str(text).map_err(not_a_run)?;
        let mut manifest = Self::of_preset(&what, preset, shard.unwrap_or(Shard::WHOLE))?;
        for (name, values) in &parameters {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            manifest.parameters.set(manifest.kind.name, name, &values)?;
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let replaced = [("rollouts", "2,8"), ("seed", "18446744073709551615"), ("batch", "all,5"), ("gamma", "0.5")];
        let shard = Shard::new(2, 8).unwrap();
        let manifest = Manifest::new("coverage", Preset::Paper, replaced, shard).unwrap();
        assert_eq!(Manifest::from_json(&manifest.to_json()).unwrap(), manifest);
        assert!(manifest.to_json().contains("\"shard\": \"2/8\""));
    }

    #[test]
    fn files_that_are_not_of_a_run_say_why() {
        let written = Manifest::new("noise", Preset::Quick, [("trials", "3")], Shard::WHOLE).unwrap().to_json();
        for (text, part) in [
            ("", "not of a run"),
            ("{}", "missing field `version`"),
            ("{\"version\": \"0.0.1\"}", "of version 0.0.1"),
            (&written.replace("\"quick\"", "\"huge\""), "unknown variant `huge`"),
            (&written.replace("null", "\"3/2\""), "'3/2' is not a part"),
            (&written.replace("\"noise\",", "\"moon\","), "there is no experiment `moon`"),
            (&written.replace("\"3\"", "\"x\""), "--trials: whole numbers"),
            (&written.replace("\"trials\": [", "\"tries\": ["), "`tries` is not a parameter"),
        ] {
            let message = Manifest::from_json(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
