//! How often 95 % intervals hold the truth: those of the projected distance, of the direct distance of unshaped rewards, and of
//! the estimated discount factor.

use super::correlated::{Source, pair};
use super::pairs::Noise;
use super::verdicts;
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Kind, Trials, number};
use crate::parameters::{Number, Parameters, Preset, Size, WorldKind};
use crate::seed::trial_seed;
use crate::statistics::{Moments, share_interval};
use rand::RngExt;
use srrd::{Gamma, IntervalSettings, Metric, Settings, distance, estimate_gamma, interval};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Bar, BarChart, Figure};
use srrd_worlds::stream;

/// How it is found.
pub static KIND: Kind = Kind {
    name: "intervals",
    about: "how often the 95 % intervals of distances and of the discount factor hold the truth",
    preset,
    build,
};

/// True distances are drawn from here.
const DISTANCES: std::ops::Range<f64> = 0.2..0.8;
/// With fewer degrees of freedom a sample does not tell γ well, and is left out of that part.
const ENOUGH: usize = 50;

fn preset(preset: Preset) -> Parameters {
    Parameters {
        size: vec![Size::square(20)],
        epsilon: vec![Number(0.0)],
        rollouts: vec![5, 20],
        trials: match preset {
            Preset::Quick => 200,
            Preset::Paper => 1000,
        },
        gamma: vec![Number(0.7)],
        ..Parameters::default()
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    for (name, values) in parameters.entries() {
        if ["size", "epsilon", "gamma"].contains(&name) && values.len() > 1 {
            return Err(LabError::wrong(format!("--{name}: `intervals` takes one value")));
        }
    }
    let mut settings = Vec::new();
    for part in Part::ALL {
        settings.extend(parameters.rollouts.iter().map(|&rollouts| (part, rollouts)));
    }
    Ok(Box::new(Intervals { parameters, settings }))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Projected,
    Direct,
    Gamma,
}

impl Part {
    const ALL: [Part; 3] = [Part::Projected, Part::Direct, Part::Gamma];

    fn name(self) -> &'static str {
        match self {
            Part::Projected => "projected",
            Part::Direct => "direct",
            Part::Gamma => "gamma",
        }
    }

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
        let key =
            format!("intervals,{},{rollouts},{},{},{},{number}", part.name(), p.size[0], p.epsilon[0], p.gamma[0]);
        trial_seed(p.seed, &key)
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
            gamma: p.gamma[0].0,
            rollouts,
        };
        let truth = stream(seed, "true distance").random_range(DISTANCES);
        let correlation = 1.0 - 2.0 * truth * truth;
        let pair = pair(&source, correlation, part != Part::Direct, seed)?;
        if part == Part::Gamma {
            let estimate = estimate_gamma(&[&pair.a]);
            let known =
                (estimate.degrees_of_freedom >= ENOUGH).then(|| [estimate.gamma.get(), estimate.low, estimate.high]);
            return Ok((source.gamma, known));
        }
        let metric = if part == Part::Direct { Metric::Direct } else { Metric::Projected };
        let gamma = Gamma::new(source.gamma).map_err(LabError::failed)?;
        let settings = Settings { gamma, ..Settings::default() };
        let how = IntervalSettings { seed, ..IntervalSettings::default() };
        let estimate = distance(&pair.a, &pair.b, metric, &settings).distance();
        let found = interval(&pair.a, &pair.b, metric, &settings, &how).ok();
        Ok((truth, estimate.zip(found).map(|(d, interval)| [d, interval.range.low, interval.range.high])))
    }
}

impl Experiment for Intervals {
    fn columns(&self) -> Vec<&'static str> {
        vec!["part", "rollouts", "trial", "seed", "truth", "estimate", "low", "high", "covered"]
    }

    fn trials(&self) -> usize {
        self.settings.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (part, rollouts, number) = self.place(trial);
        format!("{},{rollouts},{number},{}", part.name(), self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        1
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).1 as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let (truth, found) = self.measure(trial)?;
        Ok(vec![match found {
            Some([estimate, low, high]) => {
                format!("{truth},{estimate},{low},{high},{}", u8::from(low <= truth && truth <= high))
            }
            None => format!("{truth},,,,"),
        }])
    }

    fn plan(&self) -> Vec<String> {
        let Parameters { size, epsilon, trials, gamma, .. } = &self.parameters;
        vec![
            format!("Gridworld {}, ε = {}, γ = {}: {trials} trials of each", size[0], epsilon[0], gamma[0]),
            format!("true distances between {} and {}", DISTANCES.start, DISTANCES.end),
            "the projected distance of shaped pairs, the direct distance of unshaped pairs, γ of one shaped sample"
                .to_owned(),
        ]
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let mut measured: Vec<Measured> = self.settings.iter().map(|_| Measured::default()).collect();
        for (trial, fields) in trials.rows().enumerate() {
            let m = &mut measured[trial / self.parameters.trials];
            if fields[5].is_empty() {
                m.left_out += 1;
                continue;
            }
            let parse = |i: usize| fields[i].parse::<f64>().map_err(LabError::failed);
            m.error.add(parse(5)? - parse(4)?);
            m.off.add((parse(5)? - parse(4)?).abs());
            m.width.add(parse(7)? - parse(6)?);
            m.covered += u64::from(fields[8] == "1");
        }
        Ok(self.evaluation(&measured))
    }
}

#[derive(Default)]
struct Measured {
    /// estimate − truth
    error: Moments,
    off: Moments,
    width: Moments,
    covered: u64,
    left_out: usize,
}

impl Intervals {
    fn evaluation(&self, measured: &[Measured]) -> Evaluation {
        let columns = [
            "part",
            "rollouts",
            "mean",
            "sd",
            "low",
            "high",
            "count",
            "left_out",
            "width",
            "covered",
            "covered_low",
            "covered_high",
        ];
        let mut summary = Csv::new(&columns);
        let mut chart = BarChart::new(
            "How often the 95 % interval holds the truth",
            Axis::linear("share of trials").range(0.0, 1.0),
        );
        let column =
            |name: &str, numeric, help: &str| page::Column { name: name.to_owned(), numeric, help: help.to_owned() };
        let mut table = Table {
            caption: "Intervals against the truth".to_owned(),
            columns: vec![
                column("interval of", false, ""),
                column("rollouts", true, "of each sample"),
                column("trials", true, "with an interval"),
                column("left out", true, "no interval, or too few degrees of freedom"),
                column("mean error", true, "estimate − truth (95 % interval)"),
                column("mean width", true, "of the interval"),
                column("holds the truth", true, "share of the trials (95 % interval)"),
            ],
            rows: Vec::new(),
        };
        let mut text = String::new();
        let mut claims = Vec::new();
        for (&(part, rollouts), m) in self.settings.iter().zip(measured) {
            let count = m.error.count();
            if count == 0 {
                continue;
            }
            let share = m.covered as f64 / count as f64;
            let (share_low, share_high) = share_interval(m.covered, count);
            let (low, high) = m.error.interval();
            let mut row = vec![part.name().to_owned(), rollouts.to_string()];
            row.extend([m.error.mean(), m.error.sd(), low, high].map(number));
            row.extend([count.to_string(), m.left_out.to_string()]);
            row.extend([m.width.mean(), share, share_low, share_high].map(number));
            summary.row(row);
            let shown = |value: f64, shown: String| page::Cell::Number { value, shown };
            let percent = format!("{:.1} % ({:.1} to {:.1})", 100.0 * share, 100.0 * share_low, 100.0 * share_high);
            table.rows.push(vec![
                page::Cell::Text(part.words().to_owned()),
                shown(rollouts as f64, rollouts.to_string()),
                shown(count as f64, count.to_string()),
                shown(m.left_out as f64, m.left_out.to_string()),
                match count {
                    1 => shown(m.error.mean(), format!("{:.4}", m.error.mean())),
                    _ => page::Cell::Interval {
                        value: m.error.mean(),
                        low,
                        high,
                        shown: format!("{:.4} ({low:.4} to {high:.4})", m.error.mean()),
                    },
                },
                shown(m.width.mean(), format!("{:.3}", m.width.mean())),
                page::Cell::Interval { value: share, low: share_low, high: share_high, shown: percent.clone() },
            ]);
            let bar = Bar { series: part.words().to_owned(), value: share, low: share_low, high: share_high };
            chart = chart.group(format!("{}, {rollouts} rollouts", part.name()), vec![bar]);
            let line = format!(
                "{}, {rollouts} rollouts: the interval holds the truth in {percent} of {count} trials",
                part.words()
            );
            text += &format!("{line}\n");
            claims.push(Claim {
                paper: format!(
                    "The 95 % interval of the {} ({rollouts} rollouts) holds the truth 92 to 98 % of the time.",
                    part.words()
                ),
                measured: format!(
                    "{percent}; the estimate is {:.3} off on average, the interval {:.3} wide.",
                    m.off.mean(),
                    m.width.mean()
                ),
                verdict: Verdict::NotInPaper,
                note: match share {
                    s if (0.92..=0.98).contains(&s) => "It does.".to_owned(),
                    _ if share_high >= 0.92 && share_low <= 0.98 => "These trials do not exclude it.".to_owned(),
                    _ => "It does not.".to_owned(),
                },
            });
        }
        verdicts::as_text(&claims, &mut text);
        let caption = "Bars: the share of the trials, with 95 % intervals. It should be 0.95.".to_owned();
        let drawing = chart.draw();
        let report = Report {
            title: "Do the intervals hold what they promise?".to_owned(),
            lead: vec![
                "Pairs of rewards are simulated whose true distance is known. A 95 % interval should hold it 95 times in 100; so \
                 should that of a discount factor estimated from one sample."
                    .to_owned(),
                "The intervals of epic, dard and srrd are not here: no resampling can see the bias that sparsity gives their \
                 canonical forms, so theirs are about sampling noise only."
                    .to_owned(),
            ],
            claims,
            sections: vec![Section {
                heading: "Truth in the interval".to_owned(),
                paragraphs: vec![],
                figures: vec![FigureBlock { drawing: drawing.clone(), caption, file: Some("figures/intervals.svg".to_owned()) }],
                tables: vec![table],
            }],
            ..Report::default()
        };
        Evaluation { summary, figures: vec![("intervals".to_owned(), drawing)], report, text }
    }
}
