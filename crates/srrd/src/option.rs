//! The options of comparisons, declared once: [`OPTIONS`].
//!
//! The command builds its arguments from this table, Python its keywords; the tables of the documentation and Python's type stubs are held
//! against it by tests. A further option is an entry here, a field of [`Options`], and whatever reads it.

use crate::compare::Correlation;
use crate::metric::{METRICS, Metric};
use crate::problem::Problem;
use crate::question::{DynamicsOption, Options};
use crate::sample::Duplicates;
use crate::settings::{
    Actions, Batch, Choice, Discount, EndRule, EstimatorName, Gamma, Regression, SettingError, Support,
};
use crate::sure::{Draws, Level};
use crate::verdict::Margin;

/// What an option does, and how it is given.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct OptionInfo {
    /// The name: `min-common` in the command, `min_common` in Python.
    pub name: &'static str,
    /// What it is about: commands take whole groups.
    pub group: Group,
    /// How its value is written in help texts; empty for a flag.
    pub value: &'static str,
    /// The default as people write it; empty when there is none, or when it depends on the command.
    pub default: &'static str,
    /// All values, where they are names; empty where they are not.
    pub choices: fn() -> Vec<&'static str>,
    /// One line about it.
    pub about: &'static str,
    /// Its type in Python.
    pub python: &'static str,
    set: fn(&mut Options, Given<'_>) -> Result<(), SettingError>,
}

/// What options are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// How rewards are canonicalized.
    Canonicalize,
    /// How tables become samples.
    Read,
    /// When a distance counts as defined, and what it is a distance of.
    Compare,
    /// How sure a distance is.
    Certainty,
}

/// A value as a front end has it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Given<'a> {
    /// A text, as all values of a command line are.
    Text(&'a str),
    /// Several texts.
    Texts(&'a [String]),
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i128),
    /// Whether a flag is set.
    Flag(bool),
}

impl Given<'_> {
    fn shown(self) -> String {
        match self {
            Given::Text(text) => text.to_owned(),
            Given::Texts(texts) => texts.join(","),
            Given::Number(number) => number.to_string(),
            Given::Whole(number) => number.to_string(),
            Given::Flag(flag) => flag.to_string(),
        }
    }

    fn number(self) -> Option<f64> {
        match self {
            Given::Text(text) => text.parse().ok(),
            Given::Number(number) => Some(number),
            Given::Whole(number) => Some(number as f64),
            Given::Texts(_) | Given::Flag(_) => None,
        }
    }

    fn whole<T: TryFrom<i128>>(self) -> Result<T, SettingError> {
        let number = match self {
            Given::Text(text) => text.parse::<i128>().ok(),
            Given::Whole(number) => Some(number),
            Given::Texts(_) | Given::Number(_) | Given::Flag(_) => None,
        };
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| SettingError::NotWhole(self.shown()))
    }

    fn choice<T: Choice>(self) -> Result<T, SettingError> {
        T::named(&self.shown())
    }

    fn flag(self) -> Result<bool, SettingError> {
        match self {
            Given::Flag(flag) => Ok(flag),
            _ => Err(SettingError::NotAFlag(self.shown())),
        }
    }
}

fn none() -> Vec<&'static str> {
    Vec::new()
}

fn metric_names() -> Vec<&'static str> {
    METRICS.iter().map(|info| info.name).chain(["all", AUTO]).collect()
}

/// The name for the metric that fits the data.
const AUTO: &str = "auto";

/// The metrics of these names, without repetitions, in the order given.
fn metrics(given: Given<'_>) -> Result<Vec<Metric>, SettingError> {
    let one = [given.shown()];
    let names = if let Given::Texts(names) = given { names } else { &one };
    let mut metrics = Vec::new();
    for name in names {
        let more = if name == "all" { Metric::SHOWN.to_vec() } else { vec![name.parse()?] };
        for metric in more {
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
    }
    Ok(metrics)
}

/// The options of comparisons, in the order in which help texts list them.
pub static OPTIONS: [OptionInfo; 18] = [
    OptionInfo {
        name: "metric",
        group: Group::Canonicalize,
        value: "METRIC",
        default: "",
        choices: metric_names,
        about: "Which metrics are used; auto: the one that fits the data",
        python: "str | Iterable[str]",
        set: |options, given| {
            let names = if let Given::Texts(names) = given { names.to_vec() } else { vec![given.shown()] };
            options.auto = names == [AUTO];
            match options.auto {
                true => options.metrics.clear(),
                false => options.metrics = metrics(given)?,
            }
            Ok(())
        },
    },
    OptionInfo {
        name: "gamma",
        group: Group::Canonicalize,
        value: "GAMMA|auto",
        default: "0.9",
        choices: none,
        about: "The discount factor, between 0 and 1; or auto: the one at which shaping explains most of the rewards",
        python: "float | Literal[\"auto\"]",
        set: |options, given| {
            options.gamma = match given {
                Given::Text("auto") => Discount::FromData,
                given => {
                    let number = given.number().ok_or_else(|| SettingError::NotAGamma(given.shown()))?;
                    Discount::Given(Gamma::new(number)?)
                }
            };
            Ok(())
        },
    },
    OptionInfo {
        name: "estimator",
        group: Group::Canonicalize,
        value: "ESTIMATOR",
        default: "double",
        choices: EstimatorName::names,
        about: "How expectations are estimated: over all pairs of two sets, unsampled ones counting 0 (double) or as predicted from \
                feature columns (regressed), or over the sampled ones (unbiased)",
        python: "str",
        set: |options, given| given.choice().map(|value| options.estimator = value),
    },
    OptionInfo {
        name: "regression",
        group: Group::Canonicalize,
        value: "REGRESSION",
        default: "",
        choices: Regression::names,
        about: "What predicts rewards from feature columns, for the regressed estimator; linear unless given",
        python: "str | None",
        set: |options, given| given.choice().map(|value| options.regression = Some(value)),
    },
    OptionInfo {
        name: "actions",
        group: Group::Canonicalize,
        value: "ACTIONS",
        default: "marginal",
        choices: Actions::names,
        about: "How actions enter the double batch: averaged, or as pairs of state and action",
        python: "str",
        set: |options, given| given.choice().map(|value| options.actions = value),
    },
    OptionInfo {
        name: "batch",
        group: Group::Canonicalize,
        value: "all|N",
        default: "all",
        choices: none,
        about: "How many of the explored states (or pairs) the double batch holds; not for unbiased",
        python: "int | Literal[\"all\"]",
        set: |options, given| {
            options.batch = match given {
                Given::Text("all") => Batch::All,
                given => {
                    let size = given.whole().ok().and_then(|size| Batch::size(size).ok());
                    size.ok_or_else(|| SettingError::NotABatch(given.shown()))?
                }
            };
            Ok(())
        },
    },
    OptionInfo {
        name: "seed",
        group: Group::Canonicalize,
        value: "SEED",
        default: "0",
        choices: none,
        about: "The seed of the batch and of all draws",
        python: "int",
        set: |options, given| given.whole().map(|value| options.seed = value),
    },
    OptionInfo {
        name: "duplicates",
        group: Group::Read,
        value: "DUPLICATES",
        default: "mean",
        choices: Duplicates::names,
        about: "Which reward to use when a transition occurs with different rewards",
        python: "str",
        set: |options, given| given.choice().map(|value| options.duplicates = value),
    },
    OptionInfo {
        name: "min-common",
        group: Group::Compare,
        value: "N",
        default: "3",
        choices: none,
        about: "How many transitions two samples must share for a distance",
        python: "int",
        set: |options, given| {
            options.min_common = match given.whole()? {
                0 => return Err(SettingError::LessThanOne),
                count => count,
            };
            Ok(())
        },
    },
    OptionInfo {
        name: "correlation",
        group: Group::Compare,
        value: "CORRELATION",
        default: "pearson",
        choices: Correlation::names,
        about: "What is correlated: the values, or their ranks, which a few huge rewards cannot dominate",
        python: "str",
        set: |options, given| given.choice().map(|value| options.correlation = value),
    },
    OptionInfo {
        name: "support",
        group: Group::Compare,
        value: "SUPPORT",
        default: "pair",
        choices: Support::names,
        about: "Where projected takes shaping out: on what a pair shares (exact), on each sample's own transitions (fast for many), or, \
                with a potential of feature columns, in their space, where each reward is predicted (also where a pair shares too little)",
        python: "str",
        set: |options, given| given.choice().map(|value| options.support = value),
    },
    OptionInfo {
        name: "ends",
        group: Group::Compare,
        value: "ENDS",
        default: "auto",
        choices: EndRule::names,
        about: "Which transitions end an episode, for projected: those marked in the table (auto, or marked where they must be), those \
                into states that start nothing (sinks), or none",
        python: "str",
        set: |options, given| given.choice().map(|value| options.ends = value),
    },
    OptionInfo {
        name: "potential",
        group: Group::Compare,
        value: "tabular|linear|quadratic|fourier:N|auto",
        default: "tabular",
        choices: none,
        about: "What potentials projected takes shaping to be made of: a number per state, or functions of feature columns, for states \
                that hardly repeat; auto takes the functions that explain most of the rewards where they were not fitted",
        python: "str",
        set: |options, given| given.shown().parse().map(|value| options.potential = value),
    },
    OptionInfo {
        name: "dynamics",
        group: Group::Compare,
        value: "DYNAMICS",
        default: "deterministic",
        choices: none,
        about: "What decides where an action leads, for projected: deterministic, sampled (rewards count as means over next states, by how \
                often each occurs), or a FILE with state, action, next_state and probability",
        python: "str",
        set: |options, given| {
            options.dynamics = match given.shown().as_str() {
                "deterministic" => DynamicsOption::Deterministic,
                "sampled" => DynamicsOption::Sampled,
                file => DynamicsOption::File(file.to_owned()),
            };
            Ok(())
        },
    },
    OptionInfo {
        name: "interval",
        group: Group::Certainty,
        value: "LEVEL",
        default: "",
        choices: none,
        about: "Also give an interval that contains the true distance with this probability, such as 0.95",
        python: "float | None",
        set: |options, given| {
            let number = given.number().ok_or_else(|| SettingError::NotANumber(given.shown()))?;
            Level::new(number).map(|level| options.interval = Some(level))
        },
    },
    OptionInfo {
        name: "chance",
        group: Group::Certainty,
        value: "",
        default: "",
        choices: none,
        about: "Also test whether the rewards are more alike than chance would make them",
        python: "bool",
        set: |options, given| given.flag().map(|value| options.chance = value),
    },
    OptionInfo {
        name: "draws",
        group: Group::Certainty,
        value: "N",
        default: "1000",
        choices: none,
        about: "How many draws intervals and tests make",
        python: "int",
        set: |options, given| Draws::new(given.whole()?).map(|draws| options.draws = draws),
    },
    OptionInfo {
        name: "within",
        group: Group::Certainty,
        value: "MARGIN",
        default: "0.1",
        choices: none,
        about: "The margin of the verdict: rewards that are farther apart by projected are different",
        python: "float",
        set: |options, given| {
            let number = given.number().ok_or_else(|| SettingError::NotANumber(given.shown()))?;
            Margin::new(number).map(|margin| options.within = margin)
        },
    },
];

impl OptionInfo {
    /// The option of this name, with hyphens or underscores.
    pub fn named(name: &str) -> Option<&'static OptionInfo> {
        OPTIONS.iter().find(|info| info.name == name || info.name.replace('-', "_") == name)
    }
}

impl Options {
    /// Sets an option to a value as a front end has it.
    ///
    /// ```
    /// use srrd::{FrontEnd, Options};
    /// use srrd::option::{Given, OptionInfo};
    /// use srrd::settings::Discount;
    /// let mut options = Options::default();
    /// options.set(OptionInfo::named("gamma").unwrap(), Given::Text("auto"))?;
    /// assert_eq!(options.gamma, Discount::FromData);
    /// let problem = options.set(OptionInfo::named("min-common").unwrap(), Given::Whole(-1)).unwrap_err();
    /// assert_eq!(problem.say(FrontEnd::Command), "--min-common: '-1' is not a whole number from 0 to 2^64 - 1");
    /// # Ok::<(), srrd::Problem>(())
    /// ```
    ///
    /// # Errors
    /// When the option does not take the value.
    pub fn set(&mut self, option: &'static OptionInfo, value: Given<'_>) -> Result<(), Problem> {
        (option.set)(self, value).map_err(|error| Problem::Value { option: option.name, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_table() {
        let mut options = Options::default();
        for info in OPTIONS.iter().filter(|info| !info.default.is_empty()) {
            options.set(info, Given::Text(info.default)).unwrap();
        }
        assert_eq!(options, Options::default());
    }

    #[test]
    fn texts_and_numbers_mean_the_same() {
        let with = |name: &str, given: Given<'_>| {
            let mut options = Options::default();
            options.set(OptionInfo::named(name).unwrap(), given).map(|()| options).map_err(|e| e.to_string())
        };
        assert_eq!(with("gamma", Given::Text("0.25")), with("gamma", Given::Number(0.25)));
        assert_eq!(with("gamma", Given::Text("1")), with("gamma", Given::Whole(1)));
        assert_eq!(with("batch", Given::Text("7")), with("batch", Given::Whole(7)));
        assert_eq!(with("min_common", Given::Text("4")), with("min-common", Given::Whole(4)));
        assert_eq!(with("interval", Given::Text("0.9")), with("interval", Given::Number(0.9)));
        assert_eq!(
            with("seed", Given::Text("-1")),
            Err("seed: '-1' is not a whole number from 0 to 2^64 - 1".to_owned())
        );
        assert_eq!(
            with("seed", Given::Number(1.5)),
            Err("seed: '1.5' is not a whole number from 0 to 2^64 - 1".to_owned())
        );
        assert_eq!(
            with("gamma", Given::Number(f64::NAN)).unwrap_err(),
            "gamma: the discount factor is NaN, but it must lie between 0 and 1"
        );
        assert_eq!(
            with("batch", Given::Whole(0)).unwrap_err(),
            "batch: '0' is neither `all` nor a whole number from 1 up"
        );
        assert_eq!(
            with("estimator", Given::Text("x")).unwrap_err(),
            "estimator: 'x' is not one of double, unbiased, regressed"
        );
    }

    #[test]
    fn metrics_are_listed_once_and_in_order() {
        let all = ["srrd".to_owned(), "all".to_owned(), "srrd".to_owned()];
        let expected = [Metric::Srrd, Metric::Direct, Metric::Epic, Metric::Dard, Metric::Projected];
        assert_eq!(metrics(Given::Texts(&all)).unwrap(), expected);
        assert!(metrics(Given::Text("SRRD")).is_err());
    }
}
