//! How often 95 % intervals hold the truth: those of the projected distance, of the direct distance of unshaped rewards, and of
//! the estimated discount factor.

mod claims;
mod draw;

use super::shared::columns::{ROLLOUTS, SEED, TRIAL};
use super::shared::correlated::{Source, pair};
use crate::error::LabError;
use crate::experiment::{Evaluation, Experiment};
use crate::experiments::Kind;
use crate::parameters::Parameters;
use crate::row::{AnyColumn, Choice, Column, Csv, Row, Trials, number};
use crate::seed::trial_seed;
use crate::statistics::{Moments, share_interval};
use crate::values::{Fraction, Noise, Preset, Size, WorldKind, gamma};
use rand::RngExt;
use srrd::settings::EndRule;
use srrd::sure::IntervalSettings;
use srrd::{Metric, Settings, estimate_gamma};
use srrd_worlds::stream;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "intervals",
    about: "beyond the paper: how often intervals of distances and of γ hold the truth",
    preset,
    build,
};

/// True distances are drawn from here.
const DISTANCES: std::ops::Range<f64> = 0.2..0.8;
/// With fewer degrees of freedom a sample does not tell γ well, and is left out of that part.
const ENOUGH: usize = 50;

const PART: Column<Part> = Column::new("part");
const TRUTH: Column<f64> = Column::<f64>::new("truth").within(0.0, 1.0);
const ESTIMATE: Column<Option<f64>> = Column::new("estimate");
const LOW: Column<Option<f64>> = Column::new("low");
const HIGH: Column<Option<f64>> = Column::new("high");
const COVERED: Column<Option<bool>> = Column::new("covered");

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(20)],
        epsilon: vec![Fraction(0.0)],
        rollouts: vec![5, 20],
        trials: match preset {
            Preset::Quick => 200,
            Preset::Paper => 1000,
        },
        gamma: vec![gamma(0.7)],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_one("intervals", &["size", "epsilon", "gamma"])?;
    let mut settings = Vec::new();
    for &part in Part::ALL {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| (part, rollouts)));
    }
    Ok(Box::new(Intervals { parameters, settings }))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Projected,
    Direct,
    Gamma,
}

impl Choice for Part {
    const ALL: &'static [Self] = &[Part::Projected, Part::Direct, Part::Gamma];
    const NAMES: &'static [&'static str] = &["projected", "direct", "gamma"];
}

impl Part {
    fn words(self) -> &'static str {
        match self {
            Part::Projected => "projected distance of shaped pairs",
            Part::Direct => "direct distance of unshaped pairs",
            Part::Gamma => "γ of one shaped sample",
        }
    }
}

struct Intervals {
    parameters: Parameters,
    settings: Vec<(Part, usize)>,
}

impl Intervals {
    fn place(&self, trial: usize) -> (Part, usize, usize) {
        let (part, rollouts) = self.settings[trial / self.parameters.trials];
        (part, rollouts, trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (part, rollouts, number) = self.place(trial);
        let p = &self.parameters;
        let (part, size, epsilon, gamma) = (part.name(), p.size[0], p.epsilon[0], p.gamma[0].get());
        trial_seed(p.seed, &format!("intervals,{part},{rollouts},{size},{epsilon},{gamma},{number}"))
    }

    /// (truth, estimate, low, high), or nothing where there is no interval.
    fn measure(&self, trial: usize) -> Result<(f64, Option<[f64; 3]>), LabError> {
        let (part, rollouts, _) = self.place(trial);
        let seed = self.seed(trial);
        let p = &self.parameters;
        let source = Source {
            world: WorldKind::Gridworld,
            size: p.size[0],
            epsilon: p.epsilon[0].0,
            noise: Noise::None,
            gamma: p.gamma[0],
            rollouts,
        };
        let truth = stream(seed, "true distance").random_range(DISTANCES);
        let correlation = 1.0 - 2.0 * truth * truth;
        let pair = pair(&source, correlation, part != Part::Direct, seed)?;
        if part == Part::Gamma {
            let estimate = estimate_gamma(&[&pair.a]);
            let known =
                (estimate.degrees_of_freedom >= ENOUGH).then(|| [estimate.gamma.get(), estimate.low, estimate.high]);
            return Ok((source.gamma.get(), known));
        }
        let metric = if part == Part::Direct { Metric::Direct } else { Metric::Projected };
        // Rewards are independent everywhere, so that nothing else happens at ends that few walks reach.
        let settings = Settings { gamma: source.gamma, ends: EndRule::None, ..Settings::default() };
        let how = IntervalSettings { seed, ..IntervalSettings::default() };
        let shared = srrd::Pair::new(&pair.a, &pair.b);
        let measured = shared.measure(metric, &settings);
        let (estimate, found) = (measured.distance().distance(), measured.interval(&how).ok());
        Ok((truth, estimate.zip(found).map(|(d, interval)| [d, interval.range.low, interval.range.high])))
    }
}

impl Experiment for Intervals {
    fn columns(&self) -> Vec<AnyColumn> {
        let key = [PART.any(), ROLLOUTS.any(), TRIAL.any(), SEED.any()];
        key.into_iter().chain([TRUTH.any(), ESTIMATE.any(), LOW.any(), HIGH.any(), COVERED.any()]).collect()
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> Row {
        let (part, rollouts, number) = self.place(trial);
        Row::new().with(PART, part).with(ROLLOUTS, rollouts).with(TRIAL, number).with(SEED, self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        1
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).1 as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<Row>, LabError> {
        let (truth, found) = self.measure(trial)?;
        let of = |part: usize| found.map(|values| values[part]);
        let covered = found.map(|[_, low, high]| low <= truth && truth <= high);
        let row = Row::new().with(TRUTH, truth).with(ESTIMATE, of(0)).with(LOW, of(1)).with(HIGH, of(2));
        Ok(vec![row.with(COVERED, covered)])
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, epsilon, trials, gamma, .. } = &self.parameters;
        vec![
            format!("Gridworld {}, ε = {}, γ = {}: {trials} trials of each", size[0], epsilon[0], gamma[0].get()),
            format!("true distances between {} and {}", DISTANCES.start, DISTANCES.end),
            "the projected distance of shaped pairs, the direct distance of unshaped pairs, γ of one shaped sample"
                .to_owned(),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let empty = |&(part, rollouts): &(Part, usize)| Measured { part, rollouts, ..Measured::default() };
        let mut measured: Vec<Measured> = self.settings.iter().map(empty).collect();
        for (trial, rows) in trials.each().enumerate() {
            let m = &mut measured[trial / self.parameters.trials];
            for row in &rows {
                let (Some(estimate), Some(low), Some(high)) = (row.get(ESTIMATE)?, row.get(LOW)?, row.get(HIGH)?)
                else {
                    m.left_out += 1;
                    continue;
                };
                let error = estimate - row.get(TRUTH)?;
                m.error.add(error);
                m.off.add(error.abs());
                m.width.add(high - low);
                m.covered += u64::from(row.get(COVERED)? == Some(true));
            }
        }
        measured.retain(|m| m.error.count() > 0);
        let claims = claims::claims(&measured);
        let text = draw::text(&measured, &claims);
        Ok(Evaluation { summary: summary(&measured), report: draw::report(&measured, claims), text })
    }
}

/// What the trials of a part say.
#[derive(Default)]
struct Measured {
    part: Part,
    rollouts: usize,
    /// estimate − truth
    error: Moments,
    off: Moments,
    width: Moments,
    covered: u64,
    left_out: usize,
}

impl Measured {
    /// How often the interval holds the truth, with the 95 % interval of that share.
    fn share(&self) -> (f64, f64, f64) {
        let (low, high) = share_interval(self.covered, self.error.count());
        (self.covered as f64 / self.error.count() as f64, low, high)
    }

    /// The same in percent.
    fn percent(&self) -> String {
        let (share, low, high) = self.share();
        format!("{:.1} % ({:.1} to {:.1})", 100.0 * share, 100.0 * low, 100.0 * high)
    }
}

fn summary(measured: &[Measured]) -> Csv {
    let mut columns = vec!["part", "rollouts", "mean", "sd", "low", "high", "count", "left_out", "width"];
    columns.extend(["covered", "covered_low", "covered_high"]);
    let mut summary = Csv::new(&columns);
    for m in measured {
        let (low, high) = m.error.interval();
        let (share, share_low, share_high) = m.share();
        let mut row = vec![m.part.name().to_owned(), m.rollouts.to_string()];
        row.extend([m.error.mean(), m.error.sd(), low, high].map(number));
        row.extend([m.error.count().to_string(), m.left_out.to_string()]);
        row.extend([m.width.mean(), share, share_low, share_high].map(number));
        summary.row(row);
    }
    summary
}
