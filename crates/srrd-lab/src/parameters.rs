//! What an experiment can be told. Every parameter is declared once, in [`PARAMETERS`]: the command's options, run.json and the
//! plan come from there.

use crate::error::LabError;
use crate::experiments;
use crate::row::Choice;
use crate::row::Value;
use crate::values::{Estimation, Fraction, GRIDS, Learning, Noise, Preset, Recorded, Rewards, Size, WorldKind};
use srrd::settings::{Batch, Shrinkage};
use srrd::{Gamma, Metric};
use srrd_worlds::Model;
use std::path::PathBuf;

/// The settings of an experiment. A list that is empty in an experiment's preset is a parameter that it does not have.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Parameters {
    /// Worlds.
    pub(crate) world: Vec<WorldKind>,
    /// Worlds of which there are recordings.
    pub(crate) recorded: Vec<Recorded>,
    /// The folder of the recordings; empty where the experiment has none.
    pub(crate) data: PathBuf,
    /// How many cells the states of recordings become; 0 where the experiment has none.
    pub(crate) cells: usize,
    /// How many recorded episodes make a sample; 0 where the experiment has none.
    pub(crate) episodes: usize,
    /// The final scores that divide recorded players into classes.
    pub(crate) scores: Vec<i64>,
    /// Whether metrics are also computed as in the published code; `None` where the experiment has none of that.
    pub(crate) as_published: Option<bool>,
    /// Their sizes.
    pub(crate) size: Vec<Size>,
    /// Models of rewards and potentials.
    pub(crate) model: Vec<Model>,
    /// Probabilities of a random transition.
    pub(crate) epsilon: Vec<Fraction>,
    /// Deviations from potential shaping.
    pub(crate) noise: Vec<Noise>,
    /// Numbers of rollouts per sample.
    pub(crate) rollouts: Vec<usize>,
    /// True correlations of pairs of rewards.
    pub(crate) correlation: Vec<Fraction>,
    /// How many trials of every combination; 0 where the experiment has none.
    pub(crate) trials: usize,
    /// Discount factors.
    pub(crate) gamma: Vec<Gamma>,
    /// Metrics.
    pub(crate) metric: Vec<Metric>,
    /// Estimators.
    pub(crate) estimator: Vec<Estimation>,
    /// Batch sizes of the double batch.
    pub(crate) batch: Vec<Batch>,
    /// Where the rewards of agents come from.
    pub(crate) rewards: Vec<Rewards>,
    /// Numbers of neighbours.
    pub(crate) k: Vec<usize>,
    /// How many samples of every agent; 0 where the experiment has none.
    pub(crate) sets: usize,
    /// How many transitions two samples must share for a distance; 0 where the experiment does not ask.
    pub(crate) min_common: usize,
    /// How far correlations over few transitions are drawn to 0; `None` where the experiment does not ask.
    pub(crate) shrinkage: Option<Shrinkage>,
    /// How strongly unknowns are drawn to 0 where rewards are learned; `None` where none are.
    pub(crate) ridge: Option<f64>,
    /// The seed of the run.
    pub(crate) seed: u64,
}

/// A parameter: an option of `srrd reproduce`, a keyword of `srrd.Plan` and an entry of run.json.
#[derive(Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name of the option.
    pub name: &'static str,
    /// What stands for its value in the help.
    pub value: &'static str,
    help: Help,
    get: fn(&Parameters) -> Vec<String>,
    set: fn(&mut Parameters, &[&str]) -> Result<(), String>,
}

/// What a parameter is, in one line.
#[derive(Debug)]
enum Help {
    Text(&'static str),
    /// With the names of choices.
    Made(fn() -> String),
}
use Help::{Made, Text};

/// All parameters, in the order in which they are shown.
///
/// ```
/// use srrd_lab::PARAMETERS;
///
/// for parameter in &PARAMETERS {
///     println!("--{} {}: {} ({})", parameter.name, parameter.value, parameter.help(), parameter.taken_by().join(", "));
/// }
/// ```
pub static PARAMETERS: [Parameter; 24] = [
    Parameter {
        name: "world",
        value: "WORLDS",
        help: Made(|| {
            let (grids, others): (Vec<WorldKind>, Vec<WorldKind>) =
                WorldKind::ALL.iter().partition(|world| GRIDS.contains(world));
            let [grids, others] = [grids, others].map(|worlds| texts(&worlds).join(", "));
            format!("{grids}; for classification also {others} and the recorded {}", Recorded::names())
        }),
        get: |p| [texts(&p.world), texts(&p.recorded)].concat(),
        set: |p, values| {
            let (recorded, worlds): (Vec<&str>, Vec<&str>) =
                values.iter().partition(|text| Recorded::ALL.iter().any(|recorded| recorded.name() == **text));
            list(&mut p.world, &worlds)?;
            list(&mut p.recorded, &recorded)
        },
    },
    Parameter {
        name: "size",
        value: "SIZES",
        help: Text("Sizes of the worlds, such as 10x10,20x20"),
        get: |p| texts(&p.size),
        set: |p, values| list(&mut p.size, values),
    },
    Parameter {
        name: "model",
        value: "MODELS",
        help: Made(|| format!("{}: models of rewards and potentials", Model::names())),
        get: |p| texts(&p.model),
        set: |p, values| list(&mut p.model, values),
    },
    Parameter {
        name: "epsilon",
        value: "PROBABILITIES",
        help: Text("Probabilities of a random transition"),
        get: |p| texts(&p.epsilon),
        set: |p, values| list(&mut p.epsilon, values),
    },
    Parameter {
        name: "noise",
        value: "LEVELS",
        help: Made(|| format!("{}: deviations from potential shaping", Noise::names())),
        get: |p| texts(&p.noise),
        set: |p, values| list(&mut p.noise, values),
    },
    Parameter {
        name: "rollouts",
        value: "COUNTS",
        help: Text("Numbers of rollouts per sample"),
        get: |p| texts(&p.rollouts),
        set: |p, values| list_of(&mut p.rollouts, values, limited),
    },
    Parameter {
        name: "correlation",
        value: "CORRELATIONS",
        help: Text("True correlations of pairs of rewards"),
        get: |p| texts(&p.correlation),
        set: |p, values| list(&mut p.correlation, values),
    },
    Parameter {
        name: "trials",
        value: "N",
        help: Text("Trials of every combination"),
        get: |p| count(p.trials),
        set: |p, values| set_count(&mut p.trials, values),
    },
    Parameter {
        name: "gamma",
        value: "GAMMAS",
        help: Text("Discount factors"),
        get: |p| texts(&p.gamma),
        set: |p, values| list(&mut p.gamma, values),
    },
    Parameter {
        name: "metric",
        value: "METRICS",
        help: Made(|| format!("{}, or all", Metric::names())),
        get: |p| texts(&p.metric),
        set: |p, values| match values {
            ["all"] => {
                p.metric = Metric::SHOWN.to_vec();
                Ok(())
            }
            values => list(&mut p.metric, values),
        },
    },
    Parameter {
        name: "estimator",
        value: "ESTIMATORS",
        help: Made(Estimation::names),
        get: |p| texts(&p.estimator),
        set: |p, values| list(&mut p.estimator, values),
    },
    Parameter {
        name: "batch",
        value: "BATCHES",
        help: Text("Sizes of the double batch, or all"),
        get: |p| texts(&p.batch),
        set: |p, values| list(&mut p.batch, values),
    },
    Parameter {
        name: "rewards",
        value: "KINDS",
        help: Made(|| {
            let learned = Learning::names();
            format!("manual; {learned}: learned; or tables of labelled samples whose rewards came from elsewhere")
        }),
        get: |p| texts(&p.rewards),
        set: |p, values| list(&mut p.rewards, values),
    },
    Parameter {
        name: "k",
        value: "COUNTS",
        help: Text("Numbers of neighbours to choose from"),
        get: |p| texts(&p.k),
        set: |p, values| list(&mut p.k, values),
    },
    Parameter {
        name: "sets",
        value: "N",
        help: Text("Samples of every agent"),
        get: |p| count(p.sets),
        set: |p, values| set_count(&mut p.sets, values),
    },
    Parameter {
        name: "data",
        value: "DIR",
        help: Text("The folder of recordings; those of a world may lie in a folder of its name, such as DIR/robomimic"),
        get: |p| if p.data.as_os_str().is_empty() { vec![] } else { vec![p.data.to_string_lossy().into_owned()] },
        set: |p, values| {
            p.data = one(values, |text| Ok(PathBuf::from(text)))?;
            Ok(())
        },
    },
    Parameter {
        name: "cells",
        value: "N",
        help: Text("How many cells (k-means) the states of recordings become"),
        get: |p| count(p.cells),
        set: |p, values| set_count(&mut p.cells, values),
    },
    Parameter {
        name: "episodes",
        value: "N",
        help: Text("How many recorded episodes make a sample; a patient is a sample alone"),
        get: |p| count(p.episodes),
        set: |p, values| set_count(&mut p.episodes, values),
    },
    Parameter {
        name: "scores",
        value: "SCORES",
        help: Text("The final scores that divide the players of montezuma into classes"),
        get: |p| texts(&p.scores),
        set: |p, values| {
            list(&mut p.scores, values)?;
            if p.scores.is_sorted() { Ok(()) } else { Err("scores have to rise from one to the next".to_owned()) }
        },
    },
    Parameter {
        name: "min-common",
        value: "N",
        help: Text("How many transitions two samples must share for a distance"),
        get: |p| count(p.min_common),
        set: |p, values| set_count(&mut p.min_common, values),
    },
    Parameter {
        name: "shrinkage",
        value: "LAMBDA",
        help: Text(
            "Draw correlations over n shared transitions to 0, by n / (n + LAMBDA); srrd classify does so with 50",
        ),
        get: |p| p.shrinkage.map(|lambda| lambda.get().to_string()).into_iter().collect(),
        set: |p, values| {
            p.shrinkage = Some(one(values, |text| {
                let lambda: f64 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
                Shrinkage::new(lambda).map_err(|error| error.to_string())
            })?);
            Ok(())
        },
    },
    Parameter {
        name: "ridge",
        value: "LAMBDA",
        help: Text("How strongly MaxEnt and AIRL draw what they learn to 0"),
        get: |p| p.ridge.map(|lambda| lambda.to_string()).into_iter().collect(),
        set: |p, values| {
            p.ridge = Some(one(values, |text| match text.parse() {
                Ok(lambda) if (1e-9..=1e9).contains(&lambda) => Ok(lambda),
                _ => Err(format!("'{text}' is no number between 1e-9 and 1e9")),
            })?);
            Ok(())
        },
    },
    Parameter {
        name: "as-published",
        value: FLAG,
        help: Text("Also compute EPIC and DARD as the paper's code does, beside their definitions"),
        get: |p| p.as_published.map(|yes| if yes { "yes" } else { "no" }.to_owned()).into_iter().collect(),
        set: |p, values| {
            p.as_published = Some(one(values, |text| match text {
                "yes" => Ok(true),
                "no" => Ok(false),
                other => Err(format!("'{other}' is neither yes nor no")),
            })?);
            Ok(())
        },
    },
    Parameter {
        name: "seed",
        value: "N",
        help: Text("The seed of the run [default: 0]"),
        get: |p| vec![p.seed.to_string()],
        set: |p, values| {
            p.seed = one(values, u64::read)?;
            Ok(())
        },
    },
];

/// The value of parameters that may stand alone: `--as-published` is `--as-published yes`.
const FLAG: &str = "yes/no";

impl Parameter {
    /// What it is, in one line.
    pub fn help(&self) -> String {
        match self.help {
            Text(text) => text.to_owned(),
            Made(make) => make(),
        }
    }

    /// Whether it may stand without a value, which then is `yes`.
    pub fn is_flag(&self) -> bool {
        self.value == FLAG
    }

    /// The names of the experiments that take it.
    pub fn taken_by(&self) -> Vec<&'static str> {
        let takes = |kind: &&&experiments::Kind| !(self.get)(&(kind.preset)(Preset::Quick)).is_empty();
        experiments::ALL.iter().filter(takes).map(|kind| kind.name).collect()
    }
}

impl Parameters {
    /// Replaces a parameter of the experiment `what` by these values.
    pub(crate) fn set(&mut self, what: &str, name: &str, values: &[&str]) -> Result<(), LabError> {
        let parameter = PARAMETERS.iter().find(|parameter| parameter.name == name);
        let parameter = parameter.ok_or_else(|| LabError::wrong(format!("`{name}` is not a parameter")))?;
        if (parameter.get)(self).is_empty() {
            let what = format!("the experiment `{what}` has no such parameter; leave it out");
            return Err(LabError::parameter(name, what));
        }
        (parameter.set)(self, values).map_err(|what| LabError::parameter(name, what))
    }

    /// The parameters that the experiment has, with their values as text.
    pub fn entries(&self) -> Vec<(&'static str, Vec<String>)> {
        let entries = PARAMETERS.iter().map(|parameter| (parameter.name, (parameter.get)(self)));
        entries.filter(|(_, values)| !values.is_empty()).collect()
    }

    /// A line for every parameter, for plans.
    pub(crate) fn lines(&self) -> Vec<String> {
        let entries = self.entries();
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        entries.iter().map(|(name, values)| format!("{name:<width$}  {}", values.join(", "))).collect()
    }

    /// Refuses lists where the experiment `what` takes one value.
    pub(crate) fn only_one(&self, what: &str, names: &[&str]) -> Result<(), LabError> {
        match self.entries().iter().find(|(name, values)| names.contains(name) && values.len() > 1) {
            Some((name, _)) => Err(LabError::parameter(name, format!("`{what}` takes one value"))),
            None => Ok(()),
        }
    }

    /// Refuses worlds whose size cannot be chosen.
    pub(crate) fn only_grids(&self, what: &str) -> Result<(), LabError> {
        let others = self.world.iter().filter(|world| !GRIDS.contains(world)).map(|world| world.info().name);
        match others.chain(self.recorded.iter().map(|recorded| recorded.name())).next() {
            Some(world) => {
                let what = format!("`{what}` is run in {}, not in {world}", GRIDS.map(Choice::name).join(" and "));
                Err(LabError::parameter("world", what))
            }
            None => Ok(()),
        }
    }

    /// Refuses estimators that predict rewards, where states have no features.
    pub(crate) fn no_regression(&self, what: &str) -> Result<(), LabError> {
        if self.estimator.iter().all(|estimation| estimation.regression().is_none()) {
            return Ok(());
        }
        let what = format!("`{what}` has states without features, which regression needs");
        Err(LabError::parameter("estimator", what))
    }
}

fn texts<T: Value>(values: &[T]) -> Vec<String> {
    values.iter().map(T::write).collect()
}

fn list<T: Value + PartialEq>(into: &mut Vec<T>, texts: &[&str]) -> Result<(), String> {
    list_of(into, texts, T::read)
}

/// Reads values that differ from each other.
fn list_of<T: PartialEq>(into: &mut Vec<T>, texts: &[&str], read: fn(&str) -> Result<T, String>) -> Result<(), String> {
    let values: Vec<T> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    if let Some(twice) = (1..values.len()).find(|&i| values[..i].contains(&values[i])) {
        return Err(format!("'{}' is there twice", texts[twice]));
    }
    *into = values;
    Ok(())
}

fn one<T>(texts: &[&str], read: fn(&str) -> Result<T, String>) -> Result<T, String> {
    match texts {
        [text] => read(text),
        _ => Err("give one value, not a list".to_owned()),
    }
}

fn count(count: usize) -> Vec<String> {
    if count == 0 { vec![] } else { vec![count.to_string()] }
}

fn set_count(into: &mut usize, texts: &[&str]) -> Result<(), String> {
    *into = one(texts, limited)?;
    Ok(())
}

fn limited(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=1_000_000).contains(count));
    count.ok_or_else(|| format!("whole numbers from 1 to 1000000 are possible, not '{text}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preset() -> Parameters {
        Parameters { size: vec![Size::square(20)], rollouts: vec![1], trials: 2, ..Parameters::default() }
    }

    #[test]
    fn what_is_written_reads_back() {
        for kind in experiments::ALL {
            for preset in [Preset::Quick, Preset::Paper] {
                let parameters = (kind.preset)(preset);
                let mut again = (kind.preset)(Preset::Quick);
                for (name, values) in parameters.entries() {
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    again.set(kind.name, name, &values).unwrap();
                }
                assert_eq!(again, parameters, "{}", kind.name);
            }
        }
    }

    #[test]
    fn errors_name_the_option_and_the_value() {
        let message = |name, texts: &[&str]| preset().set("x", name, texts).unwrap_err().to_string();
        assert!(message("size", &["0x5"]).contains("--size: '0x5'"));
        assert!(message("size", &["5x5", "5x5"]).contains("--size: '5x5' is there twice"));
        assert!(
            message("rollouts", &["1", "x"])
                .contains("--rollouts: whole numbers from 1 to 1000000 are possible, not 'x'")
        );
        assert!(message("rollouts", &["0"]).contains("1 to 1000000 are possible, not '0'"));
        assert!(message("trials", &["0"]).contains("--trials: whole numbers from 1 to 1000000 are possible, not '0'"));
        assert!(message("trials", &["1", "2"]).contains("--trials: give one value, not a list"));
        assert!(message("world", &["gridworld"]).contains("no such parameter"));
        assert!(message("worlds", &["gridworld"]).contains("`worlds` is not a parameter"));
    }

    #[test]
    fn every_parameter_is_taken_by_an_experiment() {
        for parameter in &PARAMETERS {
            assert!(!parameter.taken_by().is_empty(), "{}", parameter.name);
        }
        let k = PARAMETERS.iter().find(|parameter| parameter.name == "k").unwrap();
        assert_eq!(k.taken_by(), ["classification"]);
    }
}
