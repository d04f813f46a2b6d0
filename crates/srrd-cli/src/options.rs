//! The options that commands share, made into arguments from the library's table of them.

use crate::failure::Failure;
use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use srrd::option::{Given, Group, OPTIONS, OptionInfo};
use srrd::question::DynamicsOption;
use srrd::{Options, Problem};
use srrd_data::{model_path, read_model};
use std::marker::PhantomData;
use std::sync::Arc;

/// Which options a command takes.
pub trait Taken {
    /// The groups of them.
    const GROUPS: &'static [Group];
    /// What is taken where no metric is named, as help texts say it.
    const METRICS: &'static str = "srrd";
    /// Those that it has a use of its own for, or none.
    const WITHOUT: &'static [&'static str] = &[];
}

/// What canonicalizes.
#[derive(Clone, Copy, Debug)]
pub struct Canonicalizes;

impl Taken for Canonicalizes {
    const GROUPS: &'static [Group] = &[Group::Canonicalize, Group::Read];
}

/// What looks at samples by every metric.
#[derive(Clone, Copy, Debug)]
pub struct Inspects;

impl Taken for Inspects {
    const METRICS: &'static str = "all";
    const GROUPS: &'static [Group] = Canonicalizes::GROUPS;
}

/// What compares samples.
#[derive(Clone, Copy, Debug)]
pub struct Compares;

impl Taken for Compares {
    const GROUPS: &'static [Group] = &[Group::Canonicalize, Group::Read, Group::Compare];
}

/// What also tells how sure a distance is.
#[derive(Clone, Copy, Debug)]
pub struct Measures;

impl Taken for Measures {
    const METRICS: &'static str = "all; of more than two samples the one that fits";
    const GROUPS: &'static [Group] = &[Group::Canonicalize, Group::Read, Group::Compare, Group::Certainty];
}

/// What gives a verdict, which stands on one metric and its own interval.
#[derive(Clone, Copy, Debug)]
pub struct Judges;

impl Taken for Judges {
    const GROUPS: &'static [Group] = Measures::GROUPS;
    const WITHOUT: &'static [&'static str] = &[
        "metric",
        "estimator",
        "regression",
        "actions",
        "batch",
        "correlation",
        "support",
        "interval",
        "chance",
        "draws",
    ];
}

/// What compares scores of prompts and responses, where nothing is canonicalized.
#[derive(Clone, Copy, Debug)]
pub struct Scores;

impl Taken for Scores {
    const GROUPS: &'static [Group] = &[Group::Canonicalize, Group::Read, Group::Certainty];
    const WITHOUT: &'static [&'static str] =
        &["metric", "gamma", "estimator", "regression", "actions", "batch", "chance", "within"];
}

/// What classifies: it chooses among several discount factors.
#[derive(Clone, Copy, Debug)]
pub struct Classifies;

impl Taken for Classifies {
    const GROUPS: &'static [Group] = Compares::GROUPS;
    const WITHOUT: &'static [&'static str] = &["gamma"];
}

fn taken<T: Taken>() -> impl Iterator<Item = &'static OptionInfo> {
    OPTIONS.iter().filter(|option| T::GROUPS.contains(&option.group) && !T::WITHOUT.contains(&option.name))
}

/// Shared options as they were given, or what is wrong with the first that is.
#[derive(Clone, Debug)]
pub struct Shared<T> {
    options: Result<Options, Problem>,
    /// Whether the call names a discount factor.
    pub gives_gamma: bool,
    taken: PhantomData<T>,
}

impl<T> Shared<T> {
    /// The options.
    pub fn options(&self) -> Result<Options, Failure> {
        let mut options = self.options.clone()?;
        if let DynamicsOption::File(file) = &options.dynamics {
            let wrong = |error| Failure::wrong(format!("--dynamics: {error}"));
            let path = model_path(file, &["deterministic", "sampled"]).map_err(wrong)?;
            options.model = Some(Arc::new(read_model(&path)?));
        }
        Ok(options)
    }
}

impl<T: Taken> Args for Shared<T> {
    fn augment_args(command: Command) -> Command {
        taken::<T>().fold(command, |command, option| command.arg(argument(option, T::METRICS)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(option: &'static OptionInfo, metrics: &str) -> Arg {
    let argument = Arg::new(option.name).long(option.name).help(option.about);
    if option.value.is_empty() {
        return argument.action(ArgAction::SetTrue);
    }
    let argument = argument.value_name(option.value).allow_negative_numbers(true);
    let argument = if option.default.is_empty() { argument } else { argument.default_value(option.default) };
    let choices = (option.choices)();
    match option.name {
        // Its values are checked with those of Python, which lists them in the same words.
        "metric" => {
            let help = format!("{}: {}; several with commas [default: {metrics}]", option.about, choices.join(", "));
            argument.help(help).value_delimiter(',').action(ArgAction::Append)
        }
        _ if choices.is_empty() => argument,
        _ => argument.value_parser(PossibleValuesParser::new(choices)),
    }
}

impl<T: Taken> FromArgMatches for Shared<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let takes_gamma = taken::<T>().any(|option| option.name == "gamma");
        let gives_gamma = takes_gamma && matches.value_source("gamma") == Some(ValueSource::CommandLine);
        Ok(Shared { options: set_all::<T>(matches), gives_gamma, taken: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn set_all<T: Taken>(matches: &ArgMatches) -> Result<Options, Problem> {
    let mut options = Options::default();
    for option in taken::<T>() {
        if option.value.is_empty() {
            options.set(option, Given::Flag(matches.get_flag(option.name)))?;
            continue;
        }
        let values: Vec<String> = matches.get_many::<String>(option.name).unwrap_or_default().cloned().collect();
        match values.as_slice() {
            [] => {}
            several if option.name == "metric" => options.set(option, Given::Texts(several))?,
            [.., last] => options.set(option, Given::Text(last))?,
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<T: Taken>() -> Vec<&'static str> {
        taken::<T>().map(|option| option.name).collect()
    }

    /// A new option of a group comes to all commands that take the group: to these two only where they use it.
    #[test]
    fn commands_take_what_they_use() {
        let judged = ["gamma", "seed", "duplicates", "min-common", "ends", "potential", "dynamics", "within"];
        assert_eq!(names::<Judges>(), judged);
        assert_eq!(names::<Scores>(), ["seed", "duplicates", "interval", "draws"]);
    }

    #[test]
    fn what_is_left_out_is_there_to_be_left_out() {
        fn look<T: Taken>() {
            for name in T::WITHOUT {
                let option = OPTIONS.iter().find(|option| option.name == *name);
                assert!(option.is_some_and(|option| T::GROUPS.contains(&option.group)), "{name}");
            }
        }
        look::<Canonicalizes>();
        look::<Inspects>();
        look::<Compares>();
        look::<Measures>();
        look::<Judges>();
        look::<Scores>();
        look::<Classifies>();
    }
}
