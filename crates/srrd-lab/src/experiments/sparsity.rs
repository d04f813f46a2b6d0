//! The study behind Experiment 1 and its variations: the distance of equivalent rewards against the number of rollouts.
//!
//! Every trial draws a pair of samples of equivalent rewards and takes every distance of it. `coverage`, `estimators`, `noise` and
//! `regression` are this study with other presets, and each knows which of the paper's claims it can check.

use super::pairs::{Cell, Noise, Tokens, shaped_pair};
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Trials, number};
use crate::parameters::{Estimation, Fraction, Number, Parameters, batch_name};
use crate::seed::trial_seed;
use crate::statistics::Moments;
use srrd::{Batch, Gamma, Metric, Settings, common_transitions, distance_on};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table};
use srrd_show::{Axis, Drawing, Figure, LineChart, Panels, Point, Series};

/// The 23 rollout counts of the paper.
pub const PAPER_ROLLOUTS: [usize; 23] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40, 50, 75, 100, 200, 300, 400, 500, 1000, 2000];

/// The discount factor of Experiment 1.
pub const PAPER_GAMMA: Fraction = Number(0.7);

/// What makes one of the studies.
pub struct Story {
    /// Its name after `srrd reproduce`.
    pub name: &'static str,
    /// The title of the report.
    pub title: &'static str,
    /// What it is about, for someone who has not read the paper.
    pub lead: &'static [&'static str],
    /// The paper's claims beside what was measured.
    pub claims: fn(&Results) -> Vec<Claim>,
}

/// How a distance is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The metric.
    pub metric: Metric,
    /// The estimator; `direct` has the same values under each.
    pub estimation: Estimation,
    /// The batch of the double batch.
    pub batch: Batch,
}

/// The study with its settings.
pub struct Sparsity {
    story: &'static Story,
    parameters: Parameters,
    cells: Vec<Cell>,
    ways: Vec<Way>,
}

impl Sparsity {
    /// All combinations of the parameters.
    pub fn build(story: &'static Story, parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
        let p = &parameters;
        p.only_grids(story.name)?;
        if p.batch != [Batch::All] && !p.estimator.iter().any(|&e| e != Estimation::Unbiased) {
            return Err(LabError::wrong("--batch: the unbiased estimator draws no batch; leave it out"));
        }
        let mut cells = Vec::new();
        for &world in &p.world {
            for &size in &p.size {
                for &model in &p.model {
                    for &Number(epsilon) in &p.epsilon {
                        for &noise in &p.noise {
                            for &Number(gamma) in &p.gamma {
                                for &rollouts in &p.rollouts {
                                    cells.push(Cell { world, size, model, epsilon, noise, gamma, rollouts });
                                }
                            }
                        }
                    }
                }
            }
        }
        let mut ways = Vec::new();
        for &batch in &p.batch {
            for &estimation in &p.estimator {
                // The unbiased estimator draws no batch: once is enough.
                if estimation == Estimation::Unbiased && batch != p.batch[0] {
                    continue;
                }
                ways.extend(p.metric.iter().map(|&metric| Way { metric, estimation, batch }));
            }
        }
        Ok(Box::new(Sparsity { story, cells, ways, parameters }))
    }

    fn place(&self, trial: usize) -> (&Cell, usize) {
        (&self.cells[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, cell: &Cell, trial: usize) -> u64 {
        let Cell { world, size, model, epsilon, noise, gamma, rollouts } = cell;
        let key = format!("{},{world},{size},{model},{epsilon},{noise},{gamma},{rollouts},{trial}", self.story.name);
        trial_seed(self.parameters.seed, &key)
    }

    /// Columns beyond the usual ones, where a parameter has more than one value.
    fn extra(&self) -> [bool; 3] {
        let Parameters { noise, gamma, batch, .. } = &self.parameters;
        [noise.len() > 1, gamma.len() > 1, batch.len() > 1]
    }

    fn extra_columns(&self) -> impl Iterator<Item = &'static str> {
        ["noise", "gamma", "batch"].into_iter().zip(self.extra()).filter(|(_, there)| *there).map(|(name, _)| name)
    }

    fn extra_values(&self, cell: &Cell, way: &Way) -> Vec<String> {
        let values = [cell.noise.to_string(), cell.gamma.to_string(), batch_name(way.batch)];
        values.into_iter().zip(self.extra()).filter(|(_, there)| *there).map(|(value, _)| value).collect()
    }
}

impl Experiment for Sparsity {
    fn columns(&self) -> Vec<&'static str> {
        let usual = [
            "world",
            "size",
            "model",
            "epsilon",
            "rollouts",
            "trial",
            "seed",
            "coverage",
            "common",
            "metric",
            "estimator",
            "distance",
            "undefined",
        ];
        usual.into_iter().chain(self.extra_columns()).collect()
    }

    fn trials(&self) -> usize {
        self.cells.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (cell, trial) = self.place(trial);
        let Cell { world, size, model, epsilon, rollouts, .. } = cell;
        format!("{world},{size},{model},{epsilon},{rollouts},{trial},{}", self.seed(cell, trial))
    }

    fn rows(&self, _: usize) -> usize {
        self.ways.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        // Measured: walking grows with the rollouts, everything else more slowly.
        10.0 + self.place(trial).0.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let (cell, number) = self.place(trial);
        let seed = self.seed(cell, number);
        let pair = shaped_pair(cell, self.tokens(), seed)?;
        let common = common_transitions(&pair.plain, &pair.shaped);
        let gamma = Gamma::new(cell.gamma).map_err(LabError::failed)?;
        let predicting = pair.predicting(self.parameters.estimator.iter().filter_map(|e| e.regression()))?;
        let mut rows = Vec::new();
        for way in &self.ways {
            let estimator = way.estimation.estimator(way.batch);
            let settings = Settings { gamma, estimator, seed, ..Settings::default() };
            let predicted =
                way.estimation.regression().and_then(|wanted| predicting.iter().find(|p| p.regression == wanted));
            let (plain, shaped) = predicted.map_or((&pair.plain, &pair.shaped), |p| (&p.plain, &p.shaped));
            let comparison = distance_on(plain, shaped, &common, way.metric, &settings);
            let distance = comparison.distance().map_or(String::new(), |d| d.to_string());
            let undefined = comparison.undefined().map_or("", |reason| reason.name());
            let mut row =
                format!("{},{},{},{},{distance},{undefined}", pair.coverage, common.len(), way.metric, way.estimation);
            for value in self.extra_values(cell, way) {
                row = row + "," + &value;
            }
            rows.push(row);
        }
        Ok(rows)
    }

    fn plan(&self) -> Vec<String> {
        let entries = self.parameters.entries();
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut lines: Vec<String> =
            entries.iter().map(|(name, values)| format!("{name:<width$}  {}", values.join(", "))).collect();
        lines.push(format!("{} combinations, {} distances a trial", self.cells.len(), self.ways.len()));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let results = self.results(trials)?;
        let claims = (self.story.claims)(&results);
        let (figures, sections) = self.sections(&results)?;
        let mut lead: Vec<String> = self.story.lead.iter().map(|&paragraph| paragraph.to_owned()).collect();
        lead.push(format!(
            "Each point is the mean of {} trials with its 95 % interval. Where two samples share fewer than {} transitions \
             on average, a distance is mostly noise; such points are left out of the verdicts.",
            self.parameters.trials,
            srrd::FEW_COMMON
        ));
        let report = Report { title: self.story.title.to_owned(), lead, claims, sections, ..Report::default() };
        Ok(Evaluation { summary: self.summary(&results), figures, text: self.text(&results, &report), report })
    }
}

/// What the trials say, a cell at a time.
pub struct Results {
    /// The cells in the order of the plan.
    pub cells: Vec<Measured>,
    /// The ways in the order of the rows.
    pub ways: Vec<Way>,
}

/// What the trials of a cell say.
pub struct Measured {
    /// The cell.
    pub cell: Cell,
    /// Coverage as a fraction.
    pub coverage: Moments,
    /// Shared transitions.
    pub common: Moments,
    /// The distances of every way, a trial each, NaN where undefined: `distances[w][t]` of all `w` belong to the same samples.
    pub distances: Vec<Vec<f64>>,
}

impl Measured {
    /// The defined distances of a way.
    pub fn moments(&self, way: usize) -> Moments {
        self.distances[way].iter().copied().filter(|d| !d.is_nan()).collect()
    }

    /// The differences of two ways over the trials where both are defined.
    pub fn difference(&self, way: usize, other: usize) -> Moments {
        let pairs = self.distances[way].iter().zip(&self.distances[other]);
        pairs.map(|(a, b)| a - b).filter(|d| !d.is_nan()).collect()
    }
}

impl Results {
    /// Where a metric stands among the ways.
    pub fn way(&self, metric: Metric, estimation: Estimation) -> Option<usize> {
        self.ways.iter().position(|way| way.metric == metric && way.estimation == estimation)
    }
}

impl Sparsity {
    fn tokens(&self) -> Tokens {
        if self.parameters.estimator.iter().any(|e| e.regression().is_some()) {
            Tokens::Features
        } else {
            Tokens::Numbers
        }
    }

    fn results(&self, trials: &Trials) -> Result<Results, LabError> {
        let mut cells: Vec<Measured> = (self.cells.iter())
            .map(|&cell| Measured {
                cell,
                coverage: Moments::default(),
                common: Moments::default(),
                distances: vec![Vec::new(); self.ways.len()],
            })
            .collect();
        let parse = |text: &str| match text {
            "" => Ok(f64::NAN),
            text => text.parse::<f64>().map_err(|e| LabError::failed(format!("trials.csv: '{text}': {e}"))),
        };
        for (row, fields) in trials.rows().enumerate() {
            let (trial, way) = (row / self.ways.len(), row % self.ways.len());
            let measured = &mut cells[trial / self.parameters.trials];
            if way == 0 {
                measured.coverage.add(parse(fields[7])?);
                measured.common.add(parse(fields[8])?);
            }
            measured.distances[way].push(parse(fields[11])?);
        }
        Ok(Results { cells, ways: self.ways.clone() })
    }

    fn summary(&self, results: &Results) -> Csv {
        let mut columns = vec!["world", "size", "model", "epsilon", "rollouts", "metric", "estimator"];
        columns.extend(self.extra_columns());
        columns.extend(["coverage", "common", "mean", "sd", "low", "high", "count", "undefined"]);
        let mut csv = Csv::new(&columns);
        for measured in &results.cells {
            let cell = &measured.cell;
            for (w, way) in self.ways.iter().enumerate() {
                let moments = measured.moments(w);
                let (low, high) = moments.interval();
                let mut row = vec![
                    cell.world.to_string(),
                    cell.size.to_string(),
                    cell.model.to_string(),
                    cell.epsilon.to_string(),
                    cell.rollouts.to_string(),
                    way.metric.to_string(),
                    way.estimation.to_string(),
                ];
                row.extend(self.extra_values(cell, way));
                row.extend([measured.coverage.mean(), measured.common.mean()].map(number));
                row.extend([moments.mean(), moments.sd(), low, high].map(number));
                row.push(moments.count().to_string());
                row.push((measured.distances[w].len() as u64 - moments.count()).to_string());
                csv.row(row);
            }
        }
        csv
    }

    /// The ways that are drawn: a metric that knows no estimator once.
    fn drawn(&self) -> Vec<usize> {
        let before = |w: usize| self.ways[..w].iter().any(|way| way.metric == self.ways[w].metric);
        (0..self.ways.len()).filter(|&w| estimated(self.ways[w].metric) || !before(w)).collect()
    }

    fn way_name(&self, way: &Way) -> String {
        let Parameters { estimator, batch, .. } = &self.parameters;
        let mut name = way.metric.to_string().to_uppercase();
        if estimated(way.metric) && estimator.len() > 1 {
            name += &format!(" {}", way.estimation);
        }
        if estimated(way.metric) && batch.len() > 1 && way.estimation != Estimation::Unbiased {
            name += &format!(" batch {}", batch_name(way.batch));
        }
        name
    }

    /// One section and one figure for every world, size and ε; a panel for every model (and noise, and γ).
    fn sections(&self, results: &Results) -> Result<(Figures, Vec<Section>), LabError> {
        let mut figures: Figures = Vec::new();
        let mut sections = Vec::new();
        let p = &self.parameters;
        for &world in &p.world {
            for &size in &p.size {
                for &Number(epsilon) in &p.epsilon {
                    let there = |m: &&Measured| {
                        m.cell.world == world
                            && m.cell.size == size
                            && m.cell.epsilon == epsilon
                            && m.coverage.count() > 0
                    };
                    let measured: Vec<&Measured> = results.cells.iter().filter(there).collect();
                    if measured.is_empty() {
                        continue;
                    }
                    let kind = match epsilon {
                        0.0 => "feasibility constraints (ε = 0)".to_owned(),
                        _ => format!("limited sampling (ε = {epsilon})"),
                    };
                    let heading = format!("{}, {} × {}: {kind}", world.title(), size.width, size.height);
                    let panels = self.panels(&heading, &measured)?;
                    let name = format!("{}-{world}-{size}-epsilon-{epsilon}", self.story.name);
                    let caption =
                        "The distance of a reward and its shaped copy against the share of all transitions that \
                                   was sampled (0 is right: they are equivalent). Bands are 95 % intervals of the mean."
                            .to_owned();
                    let file = Some(format!("figures/{name}.svg"));
                    let drawing = panels.draw();
                    let figure = FigureBlock { drawing: drawing.clone(), caption, file };
                    figures.push((name, drawing));
                    sections.push(Section {
                        heading,
                        paragraphs: vec![],
                        figures: vec![figure],
                        tables: vec![self.table(&measured)],
                    });
                }
            }
        }
        Ok((figures, sections))
    }

    fn panels(&self, heading: &str, measured: &[&Measured]) -> Result<Panels, LabError> {
        let p = &self.parameters;
        let mut panels = Panels::new(heading, 2);
        // Panels are compared with each other: they share the scale.
        let upper = (measured.iter())
            .flat_map(|m| self.drawn().into_iter().map(|w| m.moments(w)))
            .map(|moments| moments.interval().1.max(moments.mean()))
            .fold(0.5, f64::max);
        let upper = ((10.0 * upper).ceil() / 10.0).min(1.0);
        for &model in &p.model {
            for &noise in &p.noise {
                for &Number(gamma) in &p.gamma {
                    let cells: Vec<&&Measured> = measured
                        .iter()
                        .filter(|m| m.cell.model == model && m.cell.noise == noise && m.cell.gamma == gamma)
                        .collect();
                    let mut title = format!("{model} rewards");
                    if p.noise.len() > 1 {
                        title += &format!(", noise: {noise}");
                    }
                    if p.gamma.len() > 1 {
                        title += &format!(", γ = {gamma}");
                    }
                    let x = Axis::log("coverage (%)");
                    let mut chart = LineChart::new(&title, x, Axis::linear("distance").range(0.0, upper));
                    for w in self.drawn() {
                        let points = cells.iter().map(|m| {
                            let moments = m.moments(w);
                            let (low, high) = moments.interval();
                            let note = format!("{} rollouts, {} trials", m.cell.rollouts, moments.count());
                            Point::new(100.0 * m.coverage.mean(), moments.mean()).interval(low, high).note(note)
                        });
                        let way = &self.ways[w];
                        let mut series = Series::new(self.way_name(way), points.collect());
                        series = series.color_index(color(way.metric));
                        if estimated(way.metric) && way.estimation != p.estimator[0] {
                            series = series.dashed();
                        }
                        chart = chart.series(series);
                    }
                    panels = panels.panel(chart);
                }
            }
        }
        Ok(panels)
    }

    fn table(&self, measured: &[&Measured]) -> Table {
        let p = &self.parameters;
        let column =
            |name: &str, numeric, help: &str| page::Column { name: name.to_owned(), numeric, help: help.to_owned() };
        let mut columns = vec![column("model", false, "of reward and potential")];
        if p.noise.len() > 1 {
            columns.push(column("noise", false, "deviation from potential shaping"));
        }
        if p.gamma.len() > 1 {
            columns.push(column("γ", true, "discount factor"));
        }
        columns.push(column("rollouts", true, "of each sample"));
        columns.push(column("coverage", true, "sampled transitions of all"));
        columns.push(column("shared", true, "transitions that both samples hold"));
        let drawn = self.drawn();
        columns.extend(drawn.iter().map(|&w| column(&self.way_name(&self.ways[w]), true, "mean (95 % interval)")));
        let rows = measured.iter().map(|m| {
            let number = |value: f64, digits: usize| page::Cell::Number { value, shown: format!("{value:.digits$}") };
            let mut row = vec![page::Cell::Text(m.cell.model.to_string())];
            if p.noise.len() > 1 {
                row.push(page::Cell::Text(m.cell.noise.to_string()));
            }
            if p.gamma.len() > 1 {
                row.push(number(m.cell.gamma, 2));
            }
            row.push(number(m.cell.rollouts as f64, 0));
            row.push(page::Cell::Number {
                value: m.coverage.mean(),
                shown: format!("{} %", short(100.0 * m.coverage.mean())),
            });
            row.push(number(m.common.mean(), 1));
            row.extend(drawn.iter().map(|&w| {
                let moments = m.moments(w);
                let (value, (low, high)) = (moments.mean(), moments.interval());
                match moments.count() {
                    0 => page::Cell::Empty,
                    1 => number(value, 3),
                    _ => {
                        page::Cell::Interval { value, low, high, shown: format!("{value:.3} ({low:.3} to {high:.3})") }
                    }
                }
            }));
            row
        });
        Table { caption: "Mean distances with 95 % intervals".to_owned(), columns, rows: rows.collect() }
    }

    fn text(&self, results: &Results, report: &Report) -> String {
        let mut text = String::new();
        let drawn = self.drawn();
        let largest = self.parameters.rollouts.iter().max().copied().unwrap_or(0);
        text += &format!("Mean distance of equivalent rewards at {largest} rollouts (0 is right):\n");
        for m in results.cells.iter().filter(|m| m.cell.rollouts == largest && m.coverage.count() > 0) {
            let Cell { world, size, model, epsilon, noise, .. } = m.cell;
            text += &format!("  {world} {size} {model} ε = {epsilon}");
            if noise != Noise::None || self.parameters.noise.len() > 1 {
                text += &format!(" noise {noise}");
            }
            text.push(':');
            for &w in &drawn {
                text += &format!("  {} {:.3}", self.way_name(&self.ways[w]), m.moments(w).mean());
            }
            text.push('\n');
        }
        super::verdicts::as_text(&report.claims, &mut text);
        text
    }
}

type Figures = Vec<(String, Drawing)>;

/// Whether the estimator matters to the metric.
pub fn estimated(metric: Metric) -> bool {
    !matches!(metric, Metric::Direct | Metric::Projected)
}

/// Every metric keeps its colour in all figures.
pub fn color(metric: Metric) -> usize {
    Metric::ALL.iter().position(|&m| m == metric).unwrap_or(0)
}

/// Three digits that count.
fn short(value: f64) -> String {
    match value {
        v if v >= 99.95 => format!("{v:.0}"),
        v if v >= 9.995 => format!("{v:.1}"),
        v if v >= 0.9995 => format!("{v:.2}"),
        v if v >= 0.0995 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}
