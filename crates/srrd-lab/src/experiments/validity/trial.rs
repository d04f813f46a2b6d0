//! What a trial computes: everything that is said with a level about one pair of rewards, beside the truth.

use super::population::Population;
use super::rewards::RewardKind;
use super::withheld::Withheld;
use super::{ANSWER, CORRELATION, ESTIMATE, HIGH, LOW, P, PART, Part, REGRET, TRUTH, WITHHELD, correlation};
use crate::error::LabError;
use crate::experiments::shared::columns::ROLLOUTS;
use crate::experiments::shared::pairs::shape;
use crate::row::{Choice, Row};
use crate::values::Fraction;
use srrd::settings::EndRule;
use srrd::sure::{ChanceSettings, Draws, IntervalSettings};
use srrd::verdict::{Answer, Margin};
use srrd::{Gamma, Metric, Pair, RewardSample, Settings, estimate_gamma};
use srrd_worlds::{Met, Model, Policy, PotentialFunction, World, derive_seed, met, stream};

/// How many times the mean magnitude of the rewards that of shaping is.
const SHAPING: f64 = 3.0;
/// What a copy is multiplied with.
const SCALE: f64 = 2.5;
/// As many permutations give a test at 5 % exactly.
const DRAWS: usize = 199;

/// A trial of one kind of rewards.
pub struct Trial<'a> {
    pub population: &'a Population,
    pub kind: RewardKind,
    pub number: usize,
    pub gamma: Gamma,
    pub seed: u64,
}

/// What is filled into the columns of a row; the rest stays empty.
#[derive(Default)]
struct Said {
    truth: Option<f64>,
    estimate: Option<f64>,
    range: Option<(f64, f64)>,
    p: Option<f64>,
    withheld: Option<Withheld>,
    answer: Option<Answer>,
    regret: Option<f64>,
}

impl Trial<'_> {
    /// The rows for these numbers of rollouts.
    pub fn rows(&self, rollouts: &[usize]) -> Result<Vec<Row>, LabError> {
        let all = &self.population.transitions;
        let [a, other] = ["one", "other"].map(|which| self.rewards(which, all));
        let mixed = self.mixed(&a, &other);
        let truths = self.population.distances(&a, &mixed);
        let mut rows = Vec::new();
        for &count in rollouts {
            for (part, said) in self.parts(count, truths, || self.population.regret(&a, &mixed))? {
                let Said { truth, estimate, range, p, withheld, answer, regret } = said;
                let row = Row::new().with(ROLLOUTS, count).with(PART, part);
                let row = row.with(CORRELATION, Fraction(correlation(self.number))).with(TRUTH, truth);
                let row = row.with(ESTIMATE, estimate).with(LOW, range.map(|r| r.0)).with(HIGH, range.map(|r| r.1));
                let row = row.with(P, p).with(WITHHELD, withheld);
                rows.push(row.with(ANSWER, answer).with(REGRET, regret));
            }
        }
        Ok(rows)
    }

    fn rewards(&self, which: &str, transitions: &[srrd_worlds::Triple]) -> Vec<f64> {
        self.kind.rewards(&self.population.world, derive_seed(self.seed, which), transitions)
    }

    /// A reward with the trial's correlation to the first.
    fn mixed(&self, a: &[f64], other: &[f64]) -> Vec<f64> {
        let rho = correlation(self.number);
        let weight = (1.0 - rho * rho).sqrt();
        a.iter().zip(other).map(|(a, o)| rho * a + weight * o).collect()
    }

    fn walk(&self, purpose: &str, count: usize) -> Result<Met, LabError> {
        let world = &self.population.world;
        let uniform = Policy::uniform(world.actions()).map_err(LabError::failed)?;
        Ok(met(world, &uniform, count, &mut stream(self.seed, &format!("{purpose} {count}"))))
    }

    /// Every part, in their order.
    fn parts(
        &self,
        rollouts: usize,
        [projected, direct]: [Option<f64>; 2],
        regret: impl Fn() -> Result<Option<f64>, LabError>,
    ) -> Result<Vec<(Part, Said)>, LabError> {
        let (first, second) = (self.walk("rollouts of a", rollouts)?, self.walk("rollouts of b", rollouts)?);
        let sample = |met: &Met, rewards: Vec<f64>| met.sample(rewards).map_err(LabError::failed);
        let plain = self.rewards("one", &first.transitions);
        let a = sample(&first, plain.clone())?;
        let (there, other) = (self.rewards("one", &second.transitions), self.rewards("other", &second.transitions));
        let mixed = sample(&second, self.mixed(&there, &other))?;
        let unrelated = sample(&second, other)?;
        let copy = self.shaped("copy", &second, there)?.into_iter().map(|r| SCALE * r).collect();
        let copy = sample(&second, copy)?;
        let shaped = sample(&first, self.shaped("gamma", &first, plain)?)?;
        let mut said = Vec::new();
        for &part in Part::ALL {
            let found = match part {
                Part::Projected => self.interval(&a, &mixed, Metric::Projected, projected),
                Part::Direct => self.interval(&a, &mixed, Metric::Direct, direct),
                Part::Chance => self.chance(&a, &unrelated, Metric::Projected),
                Part::ChanceDirect => self.chance(&a, &unrelated, Metric::Direct),
                Part::Gamma => self.gamma_of(&shaped),
                Part::Verdict => {
                    let said = self.verdict(&a, &mixed);
                    match said.answer {
                        Some(Answer::Same) => Said { regret: regret()?, ..said },
                        _ => said,
                    }
                }
                Part::Copy => self.verdict(&a, &copy),
            };
            said.push((part, found));
        }
        Ok(said)
    }

    fn shaped(&self, purpose: &str, met: &Met, rewards: Vec<f64>) -> Result<Vec<f64>, LabError> {
        let seed = derive_seed(self.seed, purpose);
        let potential = PotentialFunction::new(&self.population.world, Model::Random, seed);
        shape(&potential, self.gamma, SHAPING, met, rewards)
    }

    fn settings(&self) -> Settings {
        Settings { gamma: self.gamma, ends: EndRule::Marked, ..Settings::default() }
    }

    fn interval(&self, a: &RewardSample, b: &RewardSample, metric: Metric, truth: Option<f64>) -> Said {
        let pair = Pair::new(a, b);
        let measured = pair.measure(metric, &self.settings());
        let how = IntervalSettings { seed: self.seed, ..IntervalSettings::default() };
        let said = Said { truth, estimate: measured.distance().distance(), ..Said::default() };
        match measured.interval(&how) {
            Ok(found) => Said { range: Some((found.range.low, found.range.high)), ..said },
            Err(why) => Said { withheld: Some(Withheld::Interval(why)), ..said },
        }
    }

    fn chance(&self, a: &RewardSample, b: &RewardSample, metric: Metric) -> Said {
        let pair = Pair::new(a, b);
        let measured = pair.measure(metric, &self.settings());
        let how = ChanceSettings { draws: Draws::new(DRAWS).unwrap_or_default(), seed: self.seed };
        let said = Said { estimate: measured.distance().distance(), ..Said::default() };
        match measured.chance(&how) {
            Ok(found) => Said { p: Some(found.p), ..said },
            Err(why) => Said { withheld: Some(Withheld::Interval(why)), ..said },
        }
    }

    fn gamma_of(&self, sample: &RewardSample) -> Said {
        let found = estimate_gamma(&[sample]);
        let said = Said { truth: Some(self.gamma.get()), estimate: Some(found.gamma.get()), ..Said::default() };
        match found.why_not {
            None => Said { range: Some((found.low, found.high)), ..said },
            Some(why) => Said { withheld: Some(Withheld::Gamma(why)), ..said },
        }
    }

    fn verdict(&self, a: &RewardSample, b: &RewardSample) -> Said {
        let pair = Pair::new(a, b);
        let measured = pair.measure(Metric::Projected, &self.settings());
        let answer = measured.verdict(Margin::default()).map(|verdict| verdict.answer);
        Said { estimate: measured.distance().distance(), answer, ..Said::default() }
    }
}
