//! What parameters and columns hold: worlds, sizes, estimators, numbers with limits.

use crate::error::LabError;
use crate::row::{Choice, Value};
use srrd::settings::Batch;
use srrd::verdict::Answer;
use srrd::{Gamma, Metric, Undefined};
use srrd_worlds::Model;
use std::fmt::{self, Display};
use std::path::PathBuf;
use std::str::FromStr;

/// How much of an experiment is run.
///
/// ```
/// use srrd_lab::Preset;
///
/// assert_eq!("quick".parse::<Preset>()?, Preset::Quick);
/// # Ok::<(), srrd_lab::LabError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Under two minutes on two cores, and enough to see the shape of the result.
    Quick,
    /// The paper's numbers.
    Paper,
}

impl FromStr for Preset {
    type Err = LabError;
    fn from_str(text: &str) -> Result<Self, LabError> {
        match text {
            "quick" => Ok(Preset::Quick),
            "paper" => Ok(Preset::Paper),
            _ => Err(LabError::wrong(format!("'{text}' is neither quick nor paper"))),
        }
    }
}

impl Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preset::Quick => "quick",
            Preset::Paper => "paper",
        })
    }
}

pub use srrd_worlds::WorldKind;

/// The worlds of Experiment 1, whose size can be chosen.
pub const GRIDS: [WorldKind; 2] = [WorldKind::Gridworld, WorldKind::BouncingBalls];

impl Choice for WorldKind {
    const ALL: &'static [Self] = &WorldKind::ALL;
    fn name(self) -> &'static str {
        self.info().name
    }
}

/// A world of which there are recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recorded {
    /// Robots that lift, by people and machines of different skill.
    Robomimic,
    /// Montezuma's Revenge, by players of different scores.
    Montezuma,
    /// Battles of StarCraft II, by teams and strategies.
    Starcraft,
    /// Visits of patients of five classes of diseases.
    Mimic,
}

impl Choice for Recorded {
    const ALL: &'static [Self] = &[Recorded::Robomimic, Recorded::Montezuma, Recorded::Starcraft, Recorded::Mimic];
    const NAMES: &'static [&'static str] = &["robomimic", "montezuma", "starcraft", "mimic"];
}

/// Where agents act: in a world of ours, or in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Simulated.
    World(WorldKind),
    /// Recorded.
    Recorded(Recorded),
}

impl Place {
    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Place::World(world) => world.info().name,
            Place::Recorded(recorded) => recorded.name(),
        }
    }

    /// As people write it.
    pub fn title(self) -> &'static str {
        match self {
            Place::World(world) => world.title(),
            Place::Recorded(Recorded::Robomimic) => "Robomimic",
            Place::Recorded(Recorded::Montezuma) => "Montezuma's Revenge",
            Place::Recorded(Recorded::Starcraft) => "StarCraft II",
            Place::Recorded(Recorded::Mimic) => "MIMIC-IV",
        }
    }
}

/// Width and height of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Cells from left to right.
    pub width: usize,
    /// Cells from top to bottom.
    pub height: usize,
}

impl Size {
    /// A square.
    pub const fn square(side: usize) -> Self {
        Size { width: side, height: side }
    }
}

impl Value for Size {
    fn read(text: &str) -> Result<Self, String> {
        let sides = text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        match sides {
            // A trial with more cells than this would not fit into memory.
            Some((width, height)) if (2..=1000).contains(&width) && (2..=1000).contains(&height) => {
                Ok(Size { width, height })
            }
            _ => Err(format!("'{text}' is not a size such as 20x20, with sides from 2 to 1000")),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// How expectations are estimated in an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Estimation {
    /// Double batch, unsampled transitions counting 0.
    Double,
    /// The mean over sampled transitions.
    Unbiased,
    /// Double batch, unsampled transitions predicted by linear least squares.
    RegressedLinear,
    /// Double batch, unsampled transitions predicted by a regression tree.
    RegressedTree,
}

impl Estimation {
    /// The model that predicts unsampled rewards, where there is one. It needs features of the states.
    pub fn regression(self) -> Option<srrd::settings::Regression> {
        match self {
            Estimation::Double | Estimation::Unbiased => None,
            Estimation::RegressedLinear => Some(srrd::settings::Regression::Linear),
            Estimation::RegressedTree => Some(srrd::settings::Regression::Tree(srrd::settings::TreeLimits::default())),
        }
    }

    /// The library's estimator, with this batch where one is drawn.
    pub fn estimator(self, batch: Batch) -> srrd::settings::Estimator {
        match self {
            Estimation::Unbiased => srrd::settings::Estimator::Unbiased,
            Estimation::Double | Estimation::RegressedLinear | Estimation::RegressedTree => {
                srrd::settings::Estimator::Double { actions: srrd::settings::Actions::Marginal, batch }
            }
        }
    }
}

impl Choice for Estimation {
    const ALL: &'static [Self] =
        &[Estimation::Double, Estimation::Unbiased, Estimation::RegressedLinear, Estimation::RegressedTree];
    const NAMES: &'static [&'static str] = &["double", "unbiased", "regressed-linear", "regressed-tree"];
}

impl Display for Estimation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How far the second reward departs from potential shaping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Noise {
    /// Not at all.
    None,
    /// By up to the largest shaped reward.
    Mild,
    /// By up to five times the largest shaped reward.
    High,
}

impl Choice for Noise {
    const ALL: &'static [Self] = &[Noise::None, Noise::Mild, Noise::High];
    const NAMES: &'static [&'static str] = &["none", "mild", "high"];
}

impl Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Choice for Metric {
    const ALL: &'static [Self] = &Metric::SHOWN;
    fn name(self) -> &'static str {
        Metric::name(self)
    }
}

/// What a distance is taken by: a metric as it is defined, or as the paper's code computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    /// The metric.
    pub metric: Metric,
    /// Whether it is computed as in the code that was published.
    pub published: bool,
}

impl Measure {
    /// Those of which the code differs from the definition.
    pub const PUBLISHED: [Measure; 2] =
        [Measure { metric: Metric::Epic, published: true }, Measure { metric: Metric::Dard, published: true }];

    /// A metric by its definition.
    pub const fn defined(metric: Metric) -> Self {
        Measure { metric, published: false }
    }

    /// All: the metrics, and those of which the code differs.
    const EVERY: [Measure; Metric::SHOWN.len() + Measure::PUBLISHED.len()] = {
        let mut every = [Measure::PUBLISHED[0]; _];
        let (shown, published) = every.split_at_mut(Metric::SHOWN.len());
        let mut i = 0;
        while i < shown.len() {
            shown[i] = Measure::defined(Metric::SHOWN[i]);
            i += 1;
        }
        published.copy_from_slice(&Measure::PUBLISHED);
        every
    };
}

impl Choice for Measure {
    const ALL: &'static [Self] = &Measure::EVERY;
    fn name(self) -> &'static str {
        match self {
            Measure { metric: Metric::Epic, published: true } => "epic-published",
            Measure { metric: Metric::Dard, published: true } => "dard-published",
            Measure { metric, .. } => Metric::name(metric),
        }
    }
}

impl Choice for Answer {
    const ALL: &'static [Self] = &[Answer::Same, Answer::Different, Answer::Unknown];
    fn name(self) -> &'static str {
        Answer::name(self)
    }
}

impl Choice for Model {
    const ALL: &'static [Self] = &Model::ALL;
    fn name(self) -> &'static str {
        Model::name(self)
    }
}

impl Choice for Undefined {
    const ALL: &'static [Self] = &Undefined::ALL;
    fn name(self) -> &'static str {
        Undefined::name(self)
    }
}

/// A probability or a correlation: a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fraction(pub f64);

impl Value for Fraction {
    fn read(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            // −0 is 0: it would only make two names for one value.
            Ok(value) if (0.0..=1.0).contains(&value) => Ok(Fraction(value + 0.0)),
            _ => Err(format!("'{text}' is not a number from 0 to 1")),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

/// The discount factor of a preset.
///
/// # Panics
/// When the constant is none.
pub fn gamma(constant: f64) -> Gamma {
    Gamma::new(constant).expect("a discount factor lies between 0 and 1")
}

impl Value for Gamma {
    fn read(text: &str) -> Result<Self, String> {
        Gamma::new(Fraction::read(text)?.0).map_err(|e| e.to_string())
    }

    fn write(&self) -> String {
        self.get().to_string()
    }
}

impl Value for Batch {
    fn read(text: &str) -> Result<Self, String> {
        let size = || text.parse().ok().and_then(|size| Batch::size(size).ok());
        let wrong = || format!("'{text}' is neither `all` nor a whole number from 1 up");
        if text == "all" { Ok(Batch::All) } else { size().ok_or_else(wrong) }
    }

    fn write(&self) -> String {
        match self {
            Batch::All => "all".to_owned(),
            Batch::Size(size) => size.to_string(),
        }
    }
}

/// Where the rewards of agents come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewards {
    /// Made by hand for each world.
    Manual,
    /// Learned from what agents do.
    Learned(Learning),
    /// A table with columns `sample` and `label`.
    Table(PathBuf),
}

/// How rewards are learned from what agents do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Learning {
    /// Maximum causal entropy, rewards of states.
    Maxent,
    /// Maximum causal entropy, rewards of states and actions.
    MaxentActions,
    /// AIRL with an exact generator, g(s).
    Airl,
    /// AIRL with an exact generator, f(s, a, s').
    AirlShaped,
    /// PTIRL, the reward nearest to the difference of visits.
    Ptirl,
    /// PTIRL, a reward with the largest spread.
    PtirlSpread,
}

impl Choice for Learning {
    const ALL: &'static [Self] = &[
        Learning::Maxent,
        Learning::MaxentActions,
        Learning::Airl,
        Learning::AirlShaped,
        Learning::Ptirl,
        Learning::PtirlSpread,
    ];
    const NAMES: &'static [&'static str] =
        &["maxent", "maxent-actions", "airl", "airl-shaped", "ptirl", "ptirl-spread"];
}

impl Value for Rewards {
    fn read(text: &str) -> Result<Self, String> {
        if text == "manual" {
            return Ok(Rewards::Manual);
        }
        if let Some(&learning) = Learning::ALL.iter().find(|learning| learning.name() == text) {
            return Ok(Rewards::Learned(learning));
        }
        match text.contains(['.', '/', '\\']) {
            true => Ok(Rewards::Table(PathBuf::from(text))),
            false => Err(format!(
                "'{text}' is neither manual nor one of {} nor a table of rewards with columns `sample` and `label`",
                Learning::names()
            )),
        }
    }

    fn write(&self) -> String {
        match self {
            Rewards::Manual => "manual".to_owned(),
            Rewards::Learned(learning) => learning.name().to_owned(),
            Rewards::Table(path) => path.to_string_lossy().into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_between_0_and_1() {
        assert_eq!(Fraction::read("0.70").unwrap().to_string(), "0.7");
        assert_eq!(Fraction::read("-0").unwrap().to_string(), "0");
        for wrong in ["1.5", "nan", "-0.1", "x", ""] {
            assert!(Fraction::read(wrong).is_err() && Gamma::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_choice_is_found_by_its_name() {
        fn all<T: Choice + PartialEq + std::fmt::Debug>() {
            for &choice in T::ALL {
                assert_eq!(T::read(choice.name()), Ok(choice));
            }
            assert!(T::read("something else").is_err());
        }
        all::<WorldKind>();
        all::<Estimation>();
        all::<Noise>();
        all::<Metric>();
        all::<Measure>();
        all::<Recorded>();
        all::<Model>();
        all::<Undefined>();
        for &learning in Learning::ALL {
            assert_eq!(Rewards::read(learning.name()), Ok(Rewards::Learned(learning)));
        }
    }
}
