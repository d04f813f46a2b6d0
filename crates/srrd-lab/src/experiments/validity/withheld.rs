//! Why nothing was said.

use crate::row::Choice;
use srrd::Undefined;
use srrd::gamma::NotIdentified;
use srrd::sure::NoInterval;

/// Why there is no interval, no test, or no discount factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Withheld {
    Interval(NoInterval),
    Gamma(NotIdentified),
}

impl Choice for Withheld {
    // A name stands for a reason whatever its figures.
    const ALL: &'static [Self] = &[
        Withheld::Interval(NoInterval::Undefined(Undefined::TooFewCommon)),
        Withheld::Interval(NoInterval::Undefined(Undefined::Constant)),
        Withheld::Interval(NoInterval::Undefined(Undefined::NoDegreesOfFreedom)),
        Withheld::Interval(NoInterval::TooFewDegreesOfFreedom { degrees_of_freedom: 0.0 }),
        Withheld::Interval(NoInterval::OneUnit),
        Withheld::Interval(NoInterval::TooManyUndefinedDraws { undefined: 0, draws: 0 }),
        Withheld::Interval(NoInterval::FewGroups { groups: 0 }),
        Withheld::Interval(NoInterval::EndsUnseen),
        Withheld::Interval(NoInterval::EndsUnknown),
        Withheld::Interval(NoInterval::Dependent),
        Withheld::Gamma(NotIdentified::NothingLeft),
        Withheld::Gamma(NotIdentified::Border),
        Withheld::Gamma(NotIdentified::Wide),
        Withheld::Gamma(NotIdentified::NoShaping),
        Withheld::Gamma(NotIdentified::Dependent),
    ];

    fn name(self) -> &'static str {
        match self {
            Withheld::Interval(why) => why.name(),
            Withheld::Gamma(why) => why.name(),
        }
    }
}
