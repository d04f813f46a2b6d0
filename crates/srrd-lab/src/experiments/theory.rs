//! The paper's theorems against what they are about.
//!
//! - `shaping-error`: the largest relative shaping error on samples of a grid world, beside the bound of Theorem 1, and on which
//!   share of the transitions the bound holds. The theorem assumes that forward transitions are sampled whole; samples need not be.
//! - `regret`: the true regret on random problems, beside the bound of Theorem 2 (and the tighter one that its proof gives).
//! - `generalized`: what the form C_n leaves of a random potential for n = 1 … 8, exactly and on samples.

use super::pairs::SHAPING;
use super::verdicts::{self, sentence};
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Kind, Trials, number};
use crate::parameters::{Number, Parameters, Preset, Size};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use rand::RngExt;
use srrd::theory::{
    Coverage, Mdp, generalized, generalized_residual, regret_bound, relative_shaping_error, shaping_rewards,
};
use srrd::{Gamma, Metric, RewardSample, Settings, Tabular};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Bar, BarChart, Figure, LineChart, Point, Series};
use srrd_worlds::{Gridworld, Model, Policy, RewardFunction, Stream, World, explore, sample_of, stream};
use std::num::NonZeroUsize;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "theory",
    about: "the bounds of Theorems 1 and 2 against what they bound, and the generalized form C_n",
    preset,
    build,
};

const METRICS: [Metric; 3] = [Metric::Epic, Metric::Dard, Metric::Srrd];
const LEVELS: usize = 8;
/// How far a number may exceed a bound by rounding.
const ROUNDING: f64 = 1e-9;

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(10)],
        epsilon: vec![Number(0.1), Number(0.0)],
        rollouts: vec![5, 20, 100],
        trials: match preset {
            Preset::Quick => 100,
            Preset::Paper => 1000,
        },
        gamma: vec![Number(0.7)],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    for (name, values) in parameters.entries() {
        if ["size", "gamma"].contains(&name) && values.len() > 1 {
            return Err(LabError::wrong(format!("--{name}: `theory` takes one value")));
        }
    }
    if parameters.gamma[0].0 > srrd::theory::LARGEST_GAMMA {
        return Err(LabError::wrong(format!(
            "--gamma: values of random problems exist for γ up to {} only",
            srrd::theory::LARGEST_GAMMA
        )));
    }
    let mut settings = Vec::new();
    for &Number(epsilon) in &parameters.epsilon {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| Setting::ShapingError { epsilon, rollouts }));
    }
    settings.extend([Setting::Regret { deterministic: false }, Setting::Regret { deterministic: true }]);
    settings.push(Setting::GeneralizedExact);
    for &Number(epsilon) in &parameters.epsilon {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| Setting::Generalized { epsilon, rollouts }));
    }
    Ok(Box::new(Theory { parameters, settings }))
}

/// What a trial looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Setting {
    ShapingError { epsilon: f64, rollouts: usize },
    Regret { deterministic: bool },
    GeneralizedExact,
    Generalized { epsilon: f64, rollouts: usize },
}

impl Setting {
    /// The columns `part` and `setting`.
    fn names(self) -> (&'static str, String) {
        match self {
            Setting::ShapingError { epsilon, rollouts } => {
                ("shaping-error", format!("epsilon {epsilon} rollouts {rollouts}"))
            }
            Setting::Regret { deterministic: false } => ("regret", "random transitions".to_owned()),
            Setting::Regret { deterministic: true } => ("regret", "deterministic transitions".to_owned()),
            Setting::GeneralizedExact => ("generalized", "exact".to_owned()),
            Setting::Generalized { epsilon, rollouts } => {
                ("generalized", format!("epsilon {epsilon} rollouts {rollouts}"))
            }
        }
    }

    /// The column `quantity`, a row each.
    fn quantities(self) -> Vec<String> {
        match self {
            Setting::ShapingError { .. } => METRICS.iter().map(Metric::to_string).collect(),
            Setting::Regret { .. } => vec!["theorem".to_owned(), "proof".to_owned()],
            Setting::GeneralizedExact | Setting::Generalized { .. } => (1..=LEVELS).map(|n| format!("C_{n}")).collect(),
        }
    }
}

struct Theory {
    parameters: Parameters,
    settings: Vec<Setting>,
}

/// A row: what was measured, what bounds it, and in which share of cases the bound holds.
struct Row {
    value: f64,
    bound: f64,
    share: f64,
}

impl Theory {
    fn place(&self, trial: usize) -> (Setting, usize) {
        (self.settings[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (setting, number) = self.place(trial);
        let (part, name) = setting.names();
        let (size, gamma) = (self.parameters.size[0], self.parameters.gamma[0]);
        trial_seed(self.parameters.seed, &format!("theory,{part},{name},{size},{gamma},{number}"))
    }

    fn gamma(&self) -> Result<Gamma, LabError> {
        Gamma::new(self.parameters.gamma[0].0).map_err(LabError::failed)
    }

    /// Random rewards on what a uniform policy meets, and a random potential 1 to 5 times as large.
    fn sample(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<(RewardSample, Vec<f64>), LabError> {
        let Size { width, height } = self.parameters.size[0];
        let world = Gridworld::new(width, height, epsilon).map_err(LabError::failed)?;
        let uniform = Policy::uniform(world.actions()).map_err(LabError::failed)?;
        let transitions = explore(&world, &uniform, rollouts, &mut stream(seed, "rollouts"));
        let rewards = RewardFunction::new(&world, Model::Random, seed).rewards(&transitions);
        let sample = sample_of(&transitions, rewards).map_err(LabError::failed)?;
        let mut rng = stream(seed, "potential");
        let factor = rng.random_range(SHAPING);
        let potential = (0..sample.states().len()).map(|_| factor * rng.random_range(-1.0..=1.0)).collect();
        Ok((sample, potential))
    }

    fn shaping_errors(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<Vec<Row>, LabError> {
        let (sample, potential) = self.sample(epsilon, rollouts, seed)?;
        let settings = Settings { gamma: self.gamma()?, ..Settings::default() };
        let row = |metric| {
            let error = relative_shaping_error(&sample, &potential, metric, &settings).map_err(LabError::failed)?;
            let held = error.relative().filter(|&e| e <= error.bound * (1.0 + ROUNDING)).count();
            Ok(Row { value: error.largest(), bound: error.bound, share: held as f64 / sample.len() as f64 })
        };
        METRICS.into_iter().map(row).collect()
    }

    fn regret(&self, deterministic: bool, seed: u64) -> Result<Vec<Row>, LabError> {
        let mut rng = stream(seed, "problem");
        let (mdp, a, b) = random_problem(deterministic, self.gamma()?, &mut rng)?;
        // What a policy never reaches by random actions needs the uniform coverage, which leaves nothing out.
        let coverage = if deterministic { Coverage::uniform(&mdp) } else { Coverage::of_random_actions(&mdp) };
        let known = regret_bound(&mdp, &a, &b, &coverage).map_err(LabError::failed)?;
        let row = |bound: f64| {
            let holds = known.regret <= bound * (1.0 + ROUNDING) + ROUNDING;
            Row { value: known.regret, bound, share: f64::from(u8::from(holds)) }
        };
        Ok(vec![row(known.bound), row(known.tight_bound)])
    }

    /// What is left of a potential, as a share of its largest value.
    fn generalized_exact(&self, seed: u64) -> Result<Vec<Row>, LabError> {
        let mut rng = stream(seed, "problem");
        let gamma = self.gamma()?;
        let (mdp, ..) = random_problem(false, gamma, &mut rng)?;
        let actions = vec![1.0 / mdp.actions() as f64; mdp.actions()];
        let states = vec![1.0 / mdp.states() as f64; mdp.states()];
        let problem = Tabular::new(states, actions)
            .and_then(|t| t.with_model(mdp.dynamics().clone()))
            .map_err(LabError::failed)?;
        let potential: Vec<f64> = (0..mdp.states()).map(|_| rng.random_range(-1.0..=1.0)).collect();
        let largest = largest(&potential);
        let row = |n: NonZeroUsize| {
            let left = generalized_residual(&problem, &potential, n, gamma).map_err(LabError::failed)?;
            Ok(bounded(self::largest(&left) / largest, n, gamma))
        };
        levels().map(row).collect()
    }

    fn generalized(&self, epsilon: f64, rollouts: usize, seed: u64) -> Result<Vec<Row>, LabError> {
        let (sample, potential) = self.sample(epsilon, rollouts, seed)?;
        let gamma = self.gamma()?;
        let shaping = shaping_rewards(&sample, &potential, gamma).map_err(LabError::failed)?;
        let shaping = sample.with_rewards(shaping).map_err(LabError::failed)?;
        let largest = largest(&potential);
        let row = |n: NonZeroUsize| bounded(self::largest(&generalized(&shaping, n, gamma)) / largest, n, gamma);
        Ok(levels().map(row).collect())
    }
}

fn levels() -> impl Iterator<Item = NonZeroUsize> {
    (1..=LEVELS).filter_map(NonZeroUsize::new)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// Beside 2γⁿ(1 + γ), what is left at most where every term is sampled whole.
fn bounded(value: f64, n: NonZeroUsize, gamma: Gamma) -> Row {
    let bound = 2.0 * gamma.get().powi(n.get() as i32) * (1.0 + gamma.get());
    Row { value, bound, share: f64::from(u8::from(value <= bound * (1.0 + ROUNDING))) }
}

/// A small problem and two rewards, from equivalent to unrelated.
fn random_problem(deterministic: bool, gamma: Gamma, rng: &mut Stream) -> Result<(Mdp, Vec<f64>, Vec<f64>), LabError> {
    let (states, actions) = (rng.random_range(2..=8), rng.random_range(2..=4));
    let mut transition = Vec::new();
    for _ in 0..states * actions {
        if deterministic {
            let next = rng.random_range(0..states);
            transition.extend((0..states).map(|t| f64::from(u8::from(t == next))));
        } else {
            transition.extend(distribution(states, rng));
        }
    }
    let mdp = Mdp::new(states, actions, transition, distribution(states, rng), gamma).map_err(LabError::failed)?;
    let mut uniform = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..=1.0)).collect() };
    let a = uniform(states * actions * states);
    let (other, potential) = (uniform(a.len()), uniform(states));
    let likeness = 0.5 * (uniform(1)[0] + 1.0);
    let b = (0..a.len()).map(|i| {
        let (s, t) = (i / states / actions, i % states);
        likeness * a[i] + (1.0 - likeness) * other[i] + gamma.get() * potential[t] - potential[s]
    });
    Ok((mdp, a.clone(), b.collect()))
}

/// Random weights, uniform over all distributions.
fn distribution(n: usize, rng: &mut Stream) -> Vec<f64> {
    let weights: Vec<f64> = (0..n).map(|_| -f64::ln(1.0 - rng.random::<f64>())).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

impl Experiment for Theory {
    fn columns(&self) -> Vec<&'static str> {
        vec!["part", "setting", "trial", "seed", "quantity", "value", "bound", "share"]
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (setting, number) = self.place(trial);
        let (part, name) = setting.names();
        format!("{part},{name},{number},{}", self.seed(trial))
    }

    fn rows(&self, trial: usize) -> usize {
        self.place(trial).0.quantities().len()
    }

    fn cost(&self, trial: usize) -> f64 {
        match self.place(trial).0 {
            Setting::ShapingError { rollouts, .. } => 5.0 + rollouts as f64,
            Setting::Regret { .. } | Setting::GeneralizedExact => 1.0,
            Setting::Generalized { rollouts, .. } => 20.0 + 4.0 * rollouts as f64,
        }
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let (setting, _) = self.place(trial);
        let seed = self.seed(trial);
        let rows = match setting {
            Setting::ShapingError { epsilon, rollouts } => self.shaping_errors(epsilon, rollouts, seed)?,
            Setting::Regret { deterministic } => self.regret(deterministic, seed)?,
            Setting::GeneralizedExact => self.generalized_exact(seed)?,
            Setting::Generalized { epsilon, rollouts } => self.generalized(epsilon, rollouts, seed)?,
        };
        let row = |(quantity, row): (String, Row)| format!("{quantity},{},{},{}", row.value, row.bound, row.share);
        Ok(setting.quantities().into_iter().zip(rows).map(row).collect())
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, trials, gamma, .. } = &self.parameters;
        vec![
            format!("γ = {}, {trials} trials of each", gamma[0]),
            format!("Theorem 1: relative shaping errors on samples of a {} Gridworld", size[0]),
            "Theorem 2: regret on random problems of 2 to 8 states and 2 to 4 actions".to_owned(),
            format!("C_n: what is left of a potential, n = 1 … {LEVELS}, exactly and on samples"),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let mut results: Vec<Vec<Measured>> = (self.settings.iter())
            .map(|setting| setting.quantities().into_iter().map(|_| Measured::default()).collect())
            .collect();
        let mut rows = trials.rows();
        'trials: for trial in 0..self.trials() {
            for measured in &mut results[trial / self.parameters.trials] {
                let Some(fields) = rows.next() else { break 'trials };
                let parse = |i: usize| fields[i].parse::<f64>().map_err(LabError::failed);
                measured.add(parse(5)?, parse(6)?, parse(7)?);
            }
        }
        Ok(self.evaluation(&results))
    }
}

/// What the trials say about one quantity.
#[derive(Default)]
struct Measured {
    value: Moments,
    bound: Moments,
    /// value / bound
    ratio: Moments,
    largest_ratio: f64,
    share: Moments,
    /// Trials in which the bound holds throughout.
    held: u64,
    points: Vec<(f64, f64)>,
}

impl Measured {
    fn add(&mut self, value: f64, bound: f64, share: f64) {
        self.value.add(value);
        self.bound.add(bound);
        if bound > 0.0 {
            self.ratio.add(value / bound);
            self.largest_ratio = self.largest_ratio.max(value / bound);
        }
        self.share.add(share);
        self.held += u64::from(share == 1.0);
        self.points.push((bound, value));
    }
}

impl Theory {
    fn evaluation(&self, results: &[Vec<Measured>]) -> Evaluation {
        let columns = [
            "part",
            "setting",
            "quantity",
            "mean",
            "sd",
            "low",
            "high",
            "bound",
            "largest_ratio",
            "share",
            "held",
            "count",
        ];
        let mut summary = Csv::new(&columns);
        let mut text = String::new();
        for (setting, row) in self.settings.iter().zip(results) {
            let (part, name) = setting.names();
            for (quantity, m) in setting.quantities().into_iter().zip(row) {
                let (low, high) = m.value.interval();
                let numbers =
                    [m.value.mean(), m.value.sd(), low, high, m.bound.mean(), m.largest_ratio, m.share.mean()];
                let mut fields = vec![part.to_owned(), name.clone(), quantity.clone()];
                fields.extend(numbers.map(number));
                fields.extend([m.held.to_string(), m.value.count().to_string()]);
                summary.row(fields);
                text += &format!(
                    "{part:<14} {name:<26} {quantity:<8} mean {:>9.4}  bound {:>9.4}  bound holds in {} of {} trials\n",
                    m.value.mean(),
                    m.bound.mean(),
                    m.held,
                    m.value.count()
                );
            }
        }
        let parts = [self.shaping_error_part(results), self.regret_part(results), self.generalized_part(results)];
        let mut figures: Vec<(String, Box<dyn Figure>)> = Vec::new();
        let (mut sections, mut claims) = (Vec::new(), Vec::new());
        for Part { name, figure, caption, mut section, claim } in parts {
            let file = Some(format!("figures/{name}.svg"));
            section.figures.push(FigureBlock { svg: figure.to_svg(), caption: caption.to_owned(), file });
            figures.push((name.to_owned(), figure));
            sections.push(section);
            claims.extend(claim);
        }
        verdicts::as_text(&claims, &mut text);
        let report = Report {
            title: "Do the theorems hold, and how tight are they?".to_owned(),
            lead: vec![
                "Theorem 1 bounds how much of a potential can survive canonicalization, Theorem 2 how much return can be lost by \
                 optimizing a reward at a small SRRD distance, and the generalized form C_n promises to leave less and less of a \
                 potential. Each is held against random problems."
                    .to_owned(),
            ],
            claims,
            sections,
            ..Report::default()
        };
        Evaluation { summary, figures, report, text }
    }

    fn of<'a>(
        &'a self,
        results: &'a [Vec<Measured>],
        wanted: impl Fn(Setting) -> bool,
    ) -> Vec<(Setting, &'a [Measured])> {
        let all = self.settings.iter().zip(results).map(|(&setting, row)| (setting, row.as_slice()));
        all.filter(|(setting, row)| wanted(*setting) && row[0].value.count() > 0).collect()
    }

    fn shaping_error_part(&self, results: &[Vec<Measured>]) -> Part {
        let found = self.of(results, |s| matches!(s, Setting::ShapingError { .. }));
        let mut chart = BarChart::new(
            "Largest relative shaping error, as a share of its bound",
            Axis::linear("largest RSE / bound"),
        );
        let mut table = table(
            "The largest relative shaping error of a sample beside the bound of Theorem 1",
            &["setting", "metric", "largest RSE", "bound", "transitions within", "trials within"],
        );
        let mut words = Vec::new();
        let (mut below, mut order) = (true, true);
        for (setting, row) in &found {
            let Setting::ShapingError { epsilon, rollouts } = setting else { continue };
            let name = format!("ε = {epsilon}, {rollouts} rollouts");
            let bars = METRICS.iter().zip(*row).map(|(metric, m)| {
                let (low, high) = m.ratio.interval();
                Bar { series: metric.to_string().to_uppercase(), value: m.ratio.mean(), low, high }
            });
            chart = chart.group(&name, bars.collect());
            for (metric, m) in METRICS.iter().zip(*row) {
                table.rows.push(vec![
                    page::Cell::Text(name.clone()),
                    page::Cell::Text(metric.to_string().to_uppercase()),
                    interval(&m.value),
                    value(m.bound.mean()),
                    percent(m.share.mean()),
                    page::Cell::Text(format!("{} of {}", m.held, m.value.count())),
                ]);
                below &= m.held == m.value.count();
            }
            order &= row[2].value.mean() <= row[1].value.mean() && row[1].value.mean() <= row[0].value.mean();
            words.push(format!(
                "{name}: within the bound on {:.1} % (EPIC), {:.1} % (DARD), {:.1} % (SRRD) of the transitions",
                100.0 * row[0].share.mean(),
                100.0 * row[1].share.mean(),
                100.0 * row[2].share.mean()
            ));
        }
        let claim = (!found.is_empty()).then(|| Claim {
            paper: "Theorem 1: when forward transitions are sampled, RSE is at most M/Z for EPIC, 2M/(3Z) for DARD and M/(3Z) for \
                    SRRD (M the largest potential, Z the largest reward)."
                .to_owned(),
            measured: format!("{}.", words.join("; ")),
            verdict: if below { Verdict::Agrees } else { Verdict::Undecided },
            note: if below {
                "Agrees on every transition of every sample."
            } else {
                "These samples do not meet the theorem's assumption everywhere, and where they do not its bound can be exceeded."
            }
            .to_owned(),
        });
        let measured = claim.map(|claim| {
            let verdict = if order { Verdict::Agrees } else { Verdict::Disagrees };
            let ordering = Claim {
                paper: "SRRD has the lowest shaping error, then DARD, then EPIC.".to_owned(),
                measured: match order {
                    true => "The largest error is on average in this order in every setting.".to_owned(),
                    false => "The largest errors are not in this order in every setting; see the table.".to_owned(),
                },
                verdict,
                note: sentence(verdict).to_owned(),
            };
            vec![claim, ordering]
        });
        let section = Section {
            heading: "Theorem 1: relative shaping error".to_owned(),
            paragraphs: vec![
                "The theorem assumes that the forward transitions of a canonical form are sampled whole. On a sample of a grid \
                 world the states two steps on are not all joined to each other, so the bound need not hold for every \
                 transition; the table says how often it does."
                    .to_owned(),
            ],
            figures: vec![],
            tables: vec![table],
        };
        let caption = "Means over the trials with 95 % intervals; 1 is the bound.";
        Part {
            name: "theory-shaping-error",
            figure: Box::new(chart),
            caption,
            section,
            claim: measured.unwrap_or_default(),
        }
    }

    fn regret_part(&self, results: &[Vec<Measured>]) -> Part {
        let found = self.of(results, |s| matches!(s, Setting::Regret { .. }));
        let mut chart = LineChart::new(
            "Regret of acting on the other reward, and what bounds it",
            Axis::log("bound"),
            Axis::linear("true regret"),
        );
        let mut table = table(
            "True regret by value iteration beside the bounds",
            &["problems", "bound", "mean regret", "mean bound", "largest regret / bound", "holds"],
        );
        let (mut held, mut count, mut largest) = (0, 0, 0.0f64);
        for (setting, row) in &found {
            let (_, name) = setting.names();
            for (which, m) in ["Theorem 2", "its proof"].into_iter().zip(*row) {
                table.rows.push(vec![
                    page::Cell::Text(name.clone()),
                    page::Cell::Text(which.to_owned()),
                    interval(&m.value),
                    value(m.bound.mean()),
                    value(m.largest_ratio),
                    page::Cell::Text(format!("{} of {}", m.held, m.value.count())),
                ]);
                held += m.held;
                count += m.value.count();
                largest = largest.max(m.largest_ratio);
                // More points than this only make the picture heavy.
                let points = m.points.iter().take(150).filter(|(bound, _)| *bound > 0.0);
                let points = points.map(|&(bound, regret)| Point::new(bound, regret)).collect();
                chart = chart.series(Series::new(format!("{which}, {name}"), points).without_line());
            }
        }
        let verdict = if held == count { Verdict::Agrees } else { Verdict::Disagrees };
        let claim = (count > 0).then(|| Claim {
            paper: "Theorem 2: regret is at most 32 K ‖R‖ D_SRRD / (1 − γ).".to_owned(),
            measured: format!("The bounds hold in {held} of {count} cases; regret is at most {largest:.3} of a bound."),
            verdict,
            note: sentence(verdict).to_owned(),
        });
        let section = Section {
            heading: "Theorem 2: regret".to_owned(),
            paragraphs: vec![
                "Two rewards on a random problem, from equivalent to unrelated. The regret is what is lost under the first by acting \
                 optimally for the second. The proof gives a tighter bound than the theorem states; both are shown."
                    .to_owned(),
            ],
            figures: vec![],
            tables: vec![table],
        };
        let caption = "One point a random problem (up to 150 of each kind).";
        Part { name: "theory-regret", figure: Box::new(chart), caption, section, claim: claim.into_iter().collect() }
    }

    fn generalized_part(&self, results: &[Vec<Measured>]) -> Part {
        let found = self.of(results, |s| matches!(s, Setting::GeneralizedExact | Setting::Generalized { .. }));
        let mut chart = LineChart::new(
            "What C_n leaves of a potential",
            Axis::linear("n"),
            Axis::log("largest residual / largest potential"),
        );
        let mut table = table(
            "The largest residual shaping as a share of the largest potential",
            &["setting", "n", "residual", "2γⁿ(1 + γ)", "within"],
        );
        let mut claim = None;
        for (setting, row) in &found {
            let (_, name) = setting.names();
            let points = row.iter().enumerate().map(|(i, m)| {
                let (low, high) = m.value.interval();
                Point::new((i + 1) as f64, m.value.mean()).interval(low, high)
            });
            chart = chart.series(Series::new(&name, points.collect()));
            for (i, m) in row.iter().enumerate() {
                table.rows.push(vec![
                    page::Cell::Text(name.clone()),
                    page::Cell::Number { value: (i + 1) as f64, shown: (i + 1).to_string() },
                    interval(&m.value),
                    value(m.bound.mean()),
                    page::Cell::Text(format!("{} of {}", m.held, m.value.count())),
                ]);
            }
            if *setting == Setting::GeneralizedExact {
                let held = row.iter().all(|m| m.held == m.value.count());
                let verdict = if held { Verdict::Agrees } else { Verdict::Disagrees };
                let (first, last) = (row[0].value.mean(), row[LEVELS - 1].value.mean());
                claim = Some(Claim {
                    paper: "The residual shaping of C_n shrinks like γⁿ.".to_owned(),
                    measured: format!(
                        "In the exact form from {first:.3} of the largest potential (n = 1) to {last:.4} (n = {LEVELS}); it is \
                         below 2γⁿ(1 + γ) in {} problems.",
                        if held { "all" } else { "not all" }
                    ),
                    verdict,
                    note: sentence(verdict).to_owned(),
                });
            }
        }
        let bound: Vec<Point> = (found.first().into_iter())
            .flat_map(|(_, row)| row.iter().enumerate().map(|(i, m)| Point::new((i + 1) as f64, m.bound.mean())))
            .collect();
        if !bound.is_empty() {
            chart = chart.series(Series::new("2γⁿ(1 + γ)", bound).dashed());
        }
        let section = Section {
            heading: "The generalized form C_n".to_owned(),
            paragraphs: vec![
                "In the exact form every term is known and the residual shrinks with n. On samples a step between two sets is \
                 sampled from some of their states only, and what that leaves does not shrink."
                    .to_owned(),
            ],
            figures: vec![],
            tables: vec![table],
        };
        let caption = "Means over the trials with 95 % intervals.";
        Part {
            name: "theory-generalized",
            figure: Box::new(chart),
            caption,
            section,
            claim: claim.into_iter().collect(),
        }
    }
}

/// One of the three studies.
struct Part {
    name: &'static str,
    figure: Box<dyn Figure>,
    caption: &'static str,
    section: Section,
    claim: Vec<Claim>,
}

fn table(caption: &str, columns: &[&str]) -> Table {
    let text = ["setting", "metric", "problems", "bound of"];
    let column =
        |name: &&str| page::Column { name: (*name).to_owned(), numeric: !text.contains(name), help: String::new() };
    Table { caption: caption.to_owned(), columns: columns.iter().map(column).collect(), rows: Vec::new() }
}

fn interval(moments: &Moments) -> page::Cell {
    let (value, (low, high)) = (moments.mean(), moments.interval());
    match moments.count() {
        0 => page::Cell::Empty,
        1 => self::value(value),
        _ => page::Cell::Interval { value, low, high, shown: format!("{value:.4} ({low:.4} to {high:.4})") },
    }
}

fn value(value: f64) -> page::Cell {
    page::Cell::Number { value, shown: format!("{value:.4}") }
}

fn percent(share: f64) -> page::Cell {
    page::Cell::Number { value: share, shown: format!("{:.1} %", 100.0 * share) }
}
