//! What is held against regret: the metrics, and what else people use.

use super::problem::{ACTIONS, Problem, STATES};
use crate::error::LabError;
use crate::experiments::shared::show;
use crate::row::{Choice, Value};
use srrd::exact::Tabular;
use srrd::exact::starc::{Canonicalization, Norm, Order, Starc};
use srrd::returns::{NoNumber, ReturnSettings, compare_returns};
use srrd::settings::{DynamicsRule, EndRule, Estimator};
use srrd::{Gamma, Metric, Pair, Settings};

/// A way to say how far apart two rewards are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A metric on the transitions that two samples share.
    Metric(Metric),
    /// `projected` with means over next states.
    ProjectedSampled,
    /// `projected` with free potentials at the ends of episodes.
    ProjectedFree,
    /// The correlation of the returns of whole episodes.
    Returns,
    /// The same without what shaping explains of them.
    ReturnsUnshaped,
    /// STARC's canonicalization by values, known everywhere.
    Val,
    /// STARC's least canonicalization, known everywhere.
    Minimal,
}

impl Measure {
    /// Those that are no metric.
    const OTHERS: [Measure; 6] = [
        Measure::ProjectedSampled,
        Measure::ProjectedFree,
        Measure::Returns,
        Measure::ReturnsUnshaped,
        Measure::Val,
        Measure::Minimal,
    ];

    /// All: the metrics, and the others.
    const EVERY: [Measure; Metric::ALL.len() + Measure::OTHERS.len()] = {
        let mut every = [Measure::OTHERS[0]; _];
        let (metrics, others) = every.split_at_mut(Metric::ALL.len());
        let mut i = 0;
        while i < metrics.len() {
            metrics[i] = Measure::Metric(Metric::ALL[i]);
            i += 1;
        }
        others.copy_from_slice(&Measure::OTHERS);
        every
    };
}

impl Choice for Measure {
    const ALL: &'static [Self] = &Measure::EVERY;

    fn name(self) -> &'static str {
        match self {
            Measure::Metric(metric) => metric.name(),
            Measure::ProjectedSampled => "projected-sampled",
            Measure::ProjectedFree => "projected-free-ends",
            Measure::Returns => "returns",
            Measure::ReturnsUnshaped => "returns-unshaped",
            Measure::Val => "starc-val",
            Measure::Minimal => "starc-minimal",
        }
    }
}

impl Measure {
    /// As people read it.
    pub fn title(self) -> String {
        match self {
            Measure::Metric(metric) => show::title(metric),
            Measure::ProjectedSampled => "projected, dynamics sampled".to_owned(),
            Measure::ProjectedFree => "projected, ends free".to_owned(),
            Measure::Returns => "return correlation".to_owned(),
            Measure::ReturnsUnshaped => "return correlation, shaping out".to_owned(),
            Measure::Val => "STARC val".to_owned(),
            Measure::Minimal => "STARC minimal".to_owned(),
        }
    }

    /// Whether it needs rewards and dynamics everywhere.
    pub fn exact(self) -> bool {
        matches!(self, Measure::Val | Measure::Minimal)
    }

    /// Whether it is `projected` in the form that is being judged, not one that is there for comparison.
    pub fn projected(self) -> bool {
        // NPEC is a function of the same correlation.
        match self {
            Measure::Metric(metric) => metric.info().projects,
            other => other == Measure::ProjectedSampled,
        }
    }
}

/// What is known of the two rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// Every transition that can happen.
    Everything,
    /// What so many walks met, others for each reward.
    Walks(usize),
}

impl Value for Sampled {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "everything" => Ok(Sampled::Everything),
            count => usize::read(count).map(Sampled::Walks),
        }
    }

    fn write(&self) -> String {
        match self {
            Sampled::Everything => "everything".to_owned(),
            Sampled::Walks(count) => count.to_string(),
        }
    }
}

impl Sampled {
    /// As people read it.
    pub fn title(self) -> String {
        match self {
            Sampled::Everything => "every transition".to_owned(),
            Sampled::Walks(count) => format!("{count} walks"),
        }
    }

    /// What can be taken of it, in the order of the rows.
    pub fn measures(self) -> impl Iterator<Item = Measure> {
        Measure::ALL.iter().copied().filter(move |measure| self == Sampled::Everything || !measure.exact())
    }
}

/// How many walks the returns are taken of where every transition is known.
const WALKS: usize = 200;

/// Two rewards of a problem.
pub struct Rewards<'a> {
    pub problem: &'a Problem,
    pub a: &'a [f64],
    pub b: &'a [f64],
    pub gamma: Gamma,
    pub estimator: Estimator,
}

/// How many transitions are shared, and every measure's distance.
pub struct Distances {
    pub common: usize,
    pub found: Vec<Option<f64>>,
}

impl Rewards<'_> {
    /// The distances on what was sampled.
    pub fn distances(&self, sampled: Sampled, seed: u64) -> Result<Distances, LabError> {
        let Rewards { problem, a, b, .. } = *self;
        let walk = |count: usize, purpose: &str| problem.walks(count, &mut srrd_worlds::stream(seed, purpose));
        let ((a, b), walks) = match sampled {
            Sampled::Everything => ((problem.everything(a)?, problem.everything(b)?), walk(WALKS, "walks")),
            Sampled::Walks(count) => {
                let (first, second) = (walk(count, "walks of a"), walk(count, "walks of b"));
                let of = |walks: &[Vec<usize>], reward: &[f64]| problem.sample(walks.iter().flatten().copied(), reward);
                ((of(&first, a)?, of(&second, b)?), first)
            }
        };
        let pair = Pair::new(&a, &b);
        let found =
            sampled.measures().map(|measure| self.distance(measure, &pair, &walks)).collect::<Result<_, _>>()?;
        Ok(Distances { common: pair.common().len(), found })
    }

    fn distance(&self, measure: Measure, pair: &Pair<'_>, walks: &[Vec<usize>]) -> Result<Option<f64>, LabError> {
        let settings = Settings { gamma: self.gamma, estimator: self.estimator, ..Settings::default() };
        let by = |metric, settings: Settings| Ok(pair.distance(metric, &settings).distance());
        match measure {
            Measure::Metric(metric) => by(metric, settings),
            Measure::ProjectedSampled => {
                by(Metric::Projected, Settings { dynamics: DynamicsRule::Sampled, ..settings })
            }
            Measure::ProjectedFree => by(Metric::Projected, Settings { ends: EndRule::None, ..settings }),
            Measure::Returns => self.returns(walks, |found| found.correlation.value),
            Measure::ReturnsUnshaped => self.returns(walks, |found| found.correlation_without_shaping.value),
            Measure::Val => self.starc(Canonicalization::Val),
            Measure::Minimal => self.starc(Canonicalization::Minimal),
        }
    }

    fn returns(
        &self,
        walks: &[Vec<usize>],
        number: impl Fn(&srrd::returns::ReturnComparison) -> Result<f64, NoNumber>,
    ) -> Result<Option<f64>, LabError> {
        let [a, b] = [self.a, self.b].map(|reward| self.problem.episodes(walks, reward));
        let settings = ReturnSettings { gamma: self.gamma, ..ReturnSettings::default() };
        let found = compare_returns(&a?, &b?, &settings).map_err(LabError::failed)?;
        Ok(number(&found).ok().map(|rho| (0.5 * (1.0 - rho)).max(0.0).sqrt()))
    }

    /// By the norm of order 2 over what can happen, weighted by how likely it is.
    fn starc(&self, canonicalization: Canonicalization) -> Result<Option<f64>, LabError> {
        let uniform = |count: usize| vec![1.0 / count as f64; count];
        let problem = Tabular::new(uniform(STATES), uniform(ACTIONS)).map_err(LabError::failed)?;
        let problem = problem.with_model(self.problem.closed()?).map_err(LabError::failed)?;
        let norm = Norm { order: Order::Two, weighted: true };
        let starc = Starc::new(canonicalization, self.gamma).with_norm(norm);
        let [a, b] = [self.a, self.b].map(|reward| self.problem.array(reward));
        starc.distance(&problem, &a, &b).map(Some).map_err(LabError::failed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Episodes, Moves};
    use super::*;
    use srrd_worlds::stream;

    #[test]
    fn measures_that_take_shaping_out_find_copies_equal_where_everything_is_known() {
        for (&moves, &episodes) in Moves::ALL.iter().flat_map(|moves| Episodes::ALL.iter().map(move |e| (moves, e))) {
            let mut rng = stream(3, "problem");
            let problem = Problem::draw(moves, episodes, &mut rng).unwrap();
            let a = problem.reward(&mut rng);
            let b = problem.shaped(&a, 0.9, 2.0, &mut rng);
            let rewards =
                Rewards { problem: &problem, a: &a, b: &b, gamma: Gamma::default(), estimator: Estimator::default() };
            let found = rewards.distances(Sampled::Everything, 1).unwrap();
            for (measure, distance) in Sampled::Everything.measures().zip(found.found) {
                let distance = distance.unwrap();
                let invariant = measure.projected()
                    || matches!(measure, Measure::Val | Measure::Minimal | Measure::ReturnsUnshaped)
                    || (measure == Measure::ProjectedFree && episodes == Episodes::GoOn);
                if invariant {
                    assert!(distance < 1e-5, "{} {moves:?} {episodes:?}: {distance}", measure.name());
                }
                assert_eq!(Measure::read(measure.name()), Ok(measure));
            }
        }
    }

    #[test]
    fn what_was_sampled_reads_back() {
        for sampled in [Sampled::Everything, Sampled::Walks(7)] {
            assert_eq!(Sampled::read(&sampled.write()), Ok(sampled));
        }
        assert!(Sampled::read("some").is_err());
    }
}
