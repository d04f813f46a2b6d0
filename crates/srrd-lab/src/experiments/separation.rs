//! Which metric tells equivalent from different rewards, and how far its distance is from the truth.
//!
//! Not in the paper: pairs with a known true correlation, each reward with random shaping of its own, at many coverages, with γ
//! known and with γ estimated from the two samples, with and without noise.

use super::correlated::{Pair, Source, noise_sd, pair, true_distance};
use super::pairs::Noise;
use super::sparsity::color;
use super::verdicts;
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Experiment, Kind, Trials, number};
use crate::parameters::{Estimation, Number, Parameters, Preset, Size, WorldKind};
use crate::seed::trial_seed;
use crate::statistics::{Auc, Moments};
use srrd::{Batch, Gamma, Metric, Settings, common_transitions, distance_on, estimate_gamma};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Drawing, Figure, LineChart, Panels, Point, Series};

/// How it is found.
pub static KIND: Kind = Kind {
    name: "separation",
    about: "pairs with known true correlation: error against the true distance, and telling equivalent from different",
    preset,
    build,
};

fn preset(preset: Preset) -> Parameters {
    let common = Parameters {
        world: WorldKind::GRIDS.to_vec(),
        size: vec![Size::square(20)],
        epsilon: vec![Number(0.1), Number(0.0)],
        noise: vec![Noise::None, Noise::Mild],
        gamma: vec![Number(0.7)],
        metric: Metric::ALL.to_vec(),
        estimator: vec![Estimation::Double],
        ..Parameters::default()
    };
    match preset {
        Preset::Quick => Parameters {
            rollouts: vec![2, 5, 20, 50],
            correlation: [0.0, 0.6, 1.0].map(Number).to_vec(),
            trials: 12,
            ..common
        },
        Preset::Paper => Parameters {
            rollouts: vec![1, 2, 5, 10, 20, 50, 100, 200],
            correlation: [0.0, 0.3, 0.6, 0.9, 1.0].map(Number).to_vec(),
            trials: 200,
            ..common
        },
    }
}

fn build(parameters: Parameters) -> Result<Box<dyn Experiment>, LabError> {
    parameters.only_grids("separation")?;
    for (name, values) in parameters.entries() {
        if ["gamma", "estimator"].contains(&name) && values.len() > 1 {
            return Err(LabError::wrong(format!("--{name}: `separation` takes one value")));
        }
    }
    if parameters.estimator[0].regression().is_some() {
        return Err(LabError::wrong("--estimator: `separation` has states without features, which regression needs"));
    }
    let p = &parameters;
    let mut cells = Vec::new();
    for &world in &p.world {
        for &size in &p.size {
            for &Number(epsilon) in &p.epsilon {
                for &noise in &p.noise {
                    for &rollouts in &p.rollouts {
                        let source = Source { world, size, epsilon, noise, gamma: p.gamma[0].0, rollouts };
                        cells.extend(p.correlation.iter().map(|&Number(correlation)| Cell { source, correlation }));
                    }
                }
            }
        }
    }
    Ok(Box::new(Separation { parameters, cells }))
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    source: Source,
    correlation: f64,
}

struct Separation {
    parameters: Parameters,
    cells: Vec<Cell>,
}

type Figures = Vec<(String, Drawing)>;

/// With fewer degrees of freedom on average a setting says little, whatever the metric.
const ENOUGH_FREEDOM: f64 = 20.0;

/// Whether γ is told or estimated from the pair.
const DISCOUNTS: [&str; 2] = ["known", "estimated"];

impl Separation {
    fn place(&self, trial: usize) -> (Cell, usize) {
        (self.cells[trial / self.parameters.trials], trial % self.parameters.trials)
    }

    fn seed(&self, trial: usize) -> u64 {
        let (Cell { source, correlation }, number) = self.place(trial);
        let Source { world, size, epsilon, noise, gamma, rollouts } = source;
        let key = format!("separation,{world},{size},{epsilon},{noise},{gamma},{rollouts},{correlation},{number}");
        trial_seed(self.parameters.seed, &key)
    }
}

impl Experiment for Separation {
    fn columns(&self) -> Vec<&'static str> {
        vec![
            "world",
            "size",
            "epsilon",
            "noise",
            "rollouts",
            "correlation",
            "trial",
            "seed",
            "coverage",
            "common",
            "degrees_of_freedom",
            "discount",
            "gamma",
            "metric",
            "estimator",
            "distance",
            "undefined",
        ]
    }

    fn trials(&self) -> usize {
        self.cells.len() * self.parameters.trials
    }

    fn key(&self, trial: usize) -> String {
        let (Cell { source, correlation }, number) = self.place(trial);
        let Source { world, size, epsilon, noise, rollouts, .. } = source;
        format!("{world},{size},{epsilon},{noise},{rollouts},{correlation},{number},{}", self.seed(trial))
    }

    fn rows(&self, _: usize) -> usize {
        DISCOUNTS.len() * self.parameters.metric.len()
    }

    fn cost(&self, trial: usize) -> f64 {
        10.0 + self.place(trial).0.source.rollouts as f64
    }

    fn run(&self, trial: usize) -> Result<Vec<String>, LabError> {
        let (Cell { source, correlation }, _) = self.place(trial);
        let Pair { a, b, coverage } = pair(&source, correlation, true, self.seed(trial))?;
        let common = common_transitions(&a, &b);
        let known = Gamma::new(source.gamma).map_err(LabError::failed)?;
        let estimate = estimate_gamma(&[&a, &b]).gamma;
        let estimation = self.parameters.estimator[0];
        let mut rows = Vec::new();
        for (discount, gamma) in DISCOUNTS.into_iter().zip([known, estimate]) {
            let settings = Settings { gamma, estimator: estimation.estimator(Batch::All), ..Settings::default() };
            for &metric in &self.parameters.metric {
                let comparison = distance_on(&a, &b, &common, metric, &settings);
                let freedom = comparison.shaping.map_or(String::new(), |s| s.degrees_of_freedom.to_string());
                let distance = comparison.distance().map_or(String::new(), |d| d.to_string());
                let undefined = comparison.undefined().map_or("", |reason| reason.name());
                rows.push(format!(
                    "{coverage},{},{freedom},{discount},{},{metric},{estimation},{distance},{undefined}",
                    common.len(),
                    gamma.get()
                ));
            }
        }
        Ok(rows)
    }

    fn plan(&self) -> Vec<String> {
        let entries = self.parameters.entries();
        let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut lines: Vec<String> =
            entries.iter().map(|(name, values)| format!("{name:<width$}  {}", values.join(", "))).collect();
        lines.push(format!("{} combinations; each pair with γ known and with γ estimated", self.cells.len()));
        lines
    }

    fn evaluate(&self, trials: &Trials) -> Result<Evaluation, LabError> {
        let results = self.results(trials)?;
        let claims = self.claims(&results);
        let (figures, sections) = self.sections(&results);
        let mut text = self.text(&results);
        verdicts::as_text(&claims, &mut text);
        let report = Report {
            title: "Which metric tells equivalent from different rewards?".to_owned(),
            lead: vec![
                "Pairs of rewards with a known true correlation; each reward has potential shaping of its own, one to five \
                 times as large as the rewards, and is sampled on walks of its own. A good metric finds the true distance \
                 √((1 − ρ)/2), and with it tells equivalent pairs (ρ = 1) from others at once."
                    .to_owned(),
                format!(
                    "With mild noise every reward gets noise of {} of its standard deviation, with high noise of {}; the true \
                     distance is that of the rewards without noise. γ is {} in truth; where it is estimated, only the two samples \
                     are used.",
                    noise_sd(Noise::Mild),
                    noise_sd(Noise::High),
                    self.parameters.gamma[0]
                ),
            ],
            claims,
            sections,
            ..Report::default()
        };
        Ok(Evaluation { summary: self.summary(&results), figures, report, text })
    }
}

/// What the trials of a cell say.
struct Measured {
    cell: Cell,
    coverage: Moments,
    common: Moments,
    freedom: Moments,
    gamma: Moments,
    /// By discount and metric: the defined distances.
    distances: Vec<Vec<f64>>,
    undefined: Vec<usize>,
}

impl Measured {
    fn moments(&self, way: usize) -> Moments {
        self.distances[way].iter().copied().collect()
    }
}

impl Separation {
    /// The number of a way among the rows of a trial.
    fn way(&self, discount: usize, metric: usize) -> usize {
        discount * self.parameters.metric.len() + metric
    }

    fn results(&self, trials: &Trials) -> Result<Vec<Measured>, LabError> {
        let ways = self.rows(0);
        let empty = |&cell: &Cell| Measured {
            cell,
            coverage: Moments::default(),
            common: Moments::default(),
            freedom: Moments::default(),
            gamma: Moments::default(),
            distances: vec![Vec::new(); ways],
            undefined: vec![0; ways],
        };
        let mut results: Vec<Measured> = self.cells.iter().map(empty).collect();
        for (row, fields) in trials.rows().enumerate() {
            let (trial, way) = (row / ways, row % ways);
            let measured = &mut results[trial / self.parameters.trials];
            let parse = |i: usize| fields[i].parse::<f64>().map_err(LabError::failed);
            if way == 0 {
                measured.coverage.add(parse(8)?);
                measured.common.add(parse(9)?);
            }
            if way + 1 == ways {
                measured.gamma.add(parse(12)?);
            }
            if way < self.parameters.metric.len() && !fields[10].is_empty() {
                measured.freedom.add(parse(10)?);
            }
            match fields[15] {
                "" => measured.undefined[way] += 1,
                _ => measured.distances[way].push(parse(15)?),
            }
        }
        Ok(results)
    }

    /// The equivalent pairs that belong to a cell.
    fn equivalent<'a>(&self, results: &'a [Measured], of: &Source) -> Option<&'a Measured> {
        results.iter().find(|m| m.cell.source == *of && m.cell.correlation == 1.0)
    }

    /// How well a way tells the pairs of a cell from equivalent ones.
    fn auc(&self, results: &[Measured], measured: &Measured, way: usize) -> Option<Auc> {
        let equivalent = self.equivalent(results, &measured.cell.source)?;
        (measured.cell.correlation != 1.0)
            .then(|| Auc::of(&equivalent.distances[way], &measured.distances[way]))
            .flatten()
    }

    fn summary(&self, results: &[Measured]) -> Csv {
        let columns = [
            "world",
            "size",
            "epsilon",
            "noise",
            "rollouts",
            "correlation",
            "discount",
            "metric",
            "estimator",
            "coverage",
            "common",
            "degrees_of_freedom",
            "true",
            "mean",
            "sd",
            "low",
            "high",
            "error",
            "count",
            "undefined",
            "auc",
            "auc_low",
            "auc_high",
        ];
        let mut csv = Csv::new(&columns);
        for m in results {
            let Cell { source, correlation } = m.cell;
            for (d, discount) in DISCOUNTS.iter().enumerate() {
                for (i, metric) in self.parameters.metric.iter().enumerate() {
                    let way = self.way(d, i);
                    let moments = m.moments(way);
                    let (low, high) = moments.interval();
                    let truth = true_distance(correlation);
                    let auc = self.auc(results, m, way);
                    let part = |of: fn(&Auc) -> f64| auc.as_ref().map_or(String::new(), |auc| number(of(auc)));
                    csv.row([
                        source.world.to_string(),
                        source.size.to_string(),
                        source.epsilon.to_string(),
                        source.noise.to_string(),
                        source.rollouts.to_string(),
                        correlation.to_string(),
                        (*discount).to_owned(),
                        metric.to_string(),
                        self.parameters.estimator[0].to_string(),
                        number(m.coverage.mean()),
                        number(m.common.mean()),
                        number(m.freedom.mean()),
                        truth.to_string(),
                        number(moments.mean()),
                        number(moments.sd()),
                        number(low),
                        number(high),
                        number(moments.mean() - truth),
                        moments.count().to_string(),
                        m.undefined[way].to_string(),
                        part(|auc| auc.value),
                        part(|auc| auc.low),
                        part(|auc| auc.high),
                    ]);
                }
            }
        }
        csv
    }

    fn name(&self, metric: Metric) -> String {
        match metric {
            Metric::Projected => metric.to_string(),
            metric => metric.to_string().to_uppercase(),
        }
    }

    fn sections(&self, results: &[Measured]) -> (Figures, Vec<Section>) {
        let p = &self.parameters;
        let mut figures: Figures = Vec::new();
        let mut sections = Vec::new();
        for &world in &p.world {
            for &size in &p.size {
                for &Number(epsilon) in &p.epsilon {
                    let there = |m: &&Measured| {
                        let s = &m.cell.source;
                        s.world == world && s.size == size && s.epsilon == epsilon && m.coverage.count() > 0
                    };
                    let measured: Vec<&Measured> = results.iter().filter(there).collect();
                    if measured.is_empty() {
                        continue;
                    }
                    let heading = format!("{}, {} × {}, ε = {epsilon}", world.title(), size.width, size.height);
                    let base = format!("separation-{world}-{size}-epsilon-{epsilon}");
                    let distances = self.distance_panels(&heading, &measured).draw();
                    let aucs = self.auc_panels(&heading, results, &measured).draw();
                    let block = |drawing: &Drawing, name: &str, caption: &str| FigureBlock {
                        drawing: drawing.clone(),
                        caption: caption.to_owned(),
                        file: Some(format!("figures/{name}.svg")),
                    };
                    let (first, second) = (format!("{base}-distance"), format!("{base}-auc"));
                    sections.push(Section {
                        heading,
                        paragraphs: vec![],
                        figures: vec![
                            block(
                                &distances,
                                &first,
                                "Mean distance with 95 % interval, γ known, without noise; the dashed line is the true distance.",
                            ),
                            block(
                                &aucs,
                                &second,
                                "How often an equivalent pair has the smaller distance when it is set beside a different pair \
                                 (AUC, 1 is perfect, 0.5 is guessing), with 95 % intervals.",
                            ),
                        ],
                        tables: vec![self.table(results, &measured)],
                    });
                    figures.push((first, distances));
                    figures.push((second, aucs));
                }
            }
        }
        (figures, sections)
    }

    /// A panel for every true correlation.
    fn distance_panels(&self, heading: &str, measured: &[&Measured]) -> Panels {
        let p = &self.parameters;
        let mut panels = Panels::new(format!("{heading}: distance"), 2);
        for &Number(correlation) in &p.correlation {
            let truth = true_distance(correlation);
            let y = Axis::linear("distance").range(0.0, 1.0);
            let mut chart = LineChart::new(format!("true correlation {correlation}"), Axis::log("rollouts"), y)
                .reference(truth, format!("truth {truth:.3}"));
            let cells: Vec<&&Measured> = (measured.iter())
                .filter(|m| m.cell.correlation == correlation && m.cell.source.noise == p.noise[0])
                .collect();
            for (i, &metric) in p.metric.iter().enumerate() {
                let points = cells.iter().map(|m| {
                    let moments = m.moments(self.way(0, i));
                    let (low, high) = moments.interval();
                    Point::new(m.cell.source.rollouts as f64, moments.mean())
                        .interval(low, high)
                        .note(format!("{} trials", moments.count()))
                });
                chart = chart.series(Series::new(self.name(metric), points.collect()).color_index(color(metric)));
            }
            panels = panels.panel(chart);
        }
        panels
    }

    /// Panels for γ known and estimated, for every noise, at the largest correlation below 1.
    fn auc_panels(&self, heading: &str, results: &[Measured], measured: &[&Measured]) -> Panels {
        let p = &self.parameters;
        let hardest = p.correlation.iter().map(|c| c.0).filter(|&c| c < 1.0).fold(f64::NEG_INFINITY, f64::max);
        let mut panels = Panels::new(format!("{heading}: equivalent or of correlation {hardest}?"), 2);
        for &noise in &p.noise {
            for (d, discount) in DISCOUNTS.iter().enumerate() {
                let y = Axis::linear("AUC").range(0.4, 1.0);
                let mut chart = LineChart::new(format!("noise: {noise}, γ {discount}"), Axis::log("rollouts"), y);
                for (i, &metric) in p.metric.iter().enumerate() {
                    let cells =
                        measured.iter().filter(|m| m.cell.correlation == hardest && m.cell.source.noise == noise);
                    let points = cells.filter_map(|m| {
                        let auc = self.auc(results, m, self.way(d, i))?;
                        Some(Point::new(m.cell.source.rollouts as f64, auc.value).interval(auc.low, auc.high))
                    });
                    chart = chart.series(Series::new(self.name(metric), points.collect()).color_index(color(metric)));
                }
                panels = panels.panel(chart);
            }
        }
        panels
    }

    fn table(&self, results: &[Measured], measured: &[&Measured]) -> Table {
        let column =
            |name: &str, numeric, help: &str| page::Column { name: name.to_owned(), numeric, help: help.to_owned() };
        let columns = vec![
            column("noise", false, "on every reward"),
            column("correlation", true, "the true one"),
            column("rollouts", true, "of each sample"),
            column("shared", true, "transitions that both samples hold"),
            column("dof", true, "degrees of freedom of the projection"),
            column("γ", false, "known, or estimated from the pair"),
            column("metric", false, ""),
            column("truth", true, "the true distance"),
            column("distance", true, "mean (95 % interval)"),
            column("AUC", true, "against equivalent pairs (95 % interval)"),
        ];
        let mut rows = Vec::new();
        for m in measured {
            let number = |value: f64, shown: String| page::Cell::Number { value, shown };
            for (d, discount) in DISCOUNTS.iter().enumerate() {
                for (i, &metric) in self.parameters.metric.iter().enumerate() {
                    let way = self.way(d, i);
                    let moments = m.moments(way);
                    let (low, high) = moments.interval();
                    let mean = moments.mean();
                    let distance = match moments.count() {
                        0 => page::Cell::Text("undefined".to_owned()),
                        1 => number(mean, format!("{mean:.3}")),
                        _ => page::Cell::Interval {
                            value: mean,
                            low,
                            high,
                            shown: format!("{mean:.3} ({low:.3} to {high:.3})"),
                        },
                    };
                    let auc = self.auc(results, m, way).map_or(page::Cell::Empty, |Auc { value, low, high }| {
                        page::Cell::Interval { value, low, high, shown: format!("{value:.3} ({low:.3} to {high:.3})") }
                    });
                    let truth = true_distance(m.cell.correlation);
                    let freedom = m.freedom.mean();
                    rows.push(vec![
                        page::Cell::Text(m.cell.source.noise.to_string()),
                        number(m.cell.correlation, m.cell.correlation.to_string()),
                        number(m.cell.source.rollouts as f64, m.cell.source.rollouts.to_string()),
                        number(m.common.mean(), format!("{:.1}", m.common.mean())),
                        if freedom.is_nan() { page::Cell::Empty } else { number(freedom, format!("{freedom:.1}")) },
                        page::Cell::Text((*discount).to_owned()),
                        page::Cell::Text(self.name(metric)),
                        number(truth, format!("{truth:.3}")),
                        distance,
                        auc,
                    ]);
                }
            }
        }
        Table { caption: "Distances and what they tell apart".to_owned(), columns, rows }
    }

    fn claims(&self, results: &[Measured]) -> Vec<Claim> {
        let metric = |wanted| self.parameters.metric.iter().position(|&m| m == wanted);
        let Some(projected) = metric(Metric::Projected) else { return Vec::new() };
        let mut claims = Vec::new();
        let clean = |m: &&Measured| m.cell.source.noise == Noise::None && m.coverage.count() > 0;
        let known = self.way(0, projected);
        let equivalent: Vec<f64> = (results.iter().filter(clean))
            .filter(|m| m.cell.correlation == 1.0)
            .flat_map(|m| m.distances[known].iter().copied())
            .collect();
        if !equivalent.is_empty() {
            let largest = equivalent.iter().fold(0.0f64, |most, &d| most.max(d));
            claims.push(Claim {
                paper: "Equivalent pairs have the projected distance 0 at any coverage.".to_owned(),
                measured: format!("The largest of {} such distances is {largest:.1e} (γ known).", equivalent.len()),
                verdict: Verdict::NotInPaper,
                note: if largest < 1e-6 { "It is 0 but for rounding." } else { "It is not 0 everywhere." }.to_owned(),
            });
        }
        let enough = |m: &&Measured| clean(m) && m.freedom.mean() >= ENOUGH_FREEDOM;
        let errors = |wanted: bool| -> Vec<f64> {
            (results.iter().filter(clean))
                .filter(|m| m.cell.correlation < 1.0 && m.moments(known).count() > 0 && enough(m) == wanted)
                .map(|m| (m.moments(known).mean() - true_distance(m.cell.correlation)).abs())
                .collect()
        };
        let (with, without) = (errors(true), errors(false));
        if !with.is_empty() {
            let describe = |errors: &[f64]| {
                let off: Moments = errors.iter().copied().collect();
                let most = errors.iter().fold(0.0f64, |most, &e| most.max(e));
                format!("{:.4} off on average and {most:.4} at most over {} settings", off.mean(), off.count())
            };
            let fewer = match without.as_slice() {
                [] => String::new(),
                errors => format!(" With fewer: {}.", describe(errors)),
            };
            let mean = with.iter().copied().collect::<Moments>().mean();
            claims.push(Claim {
                paper: format!("The projected distance is the true one on average, with {ENOUGH_FREEDOM} degrees of freedom or more."),
                measured: format!("The mean of a setting is {}.{fewer}", describe(&with)),
                verdict: Verdict::NotInPaper,
                note: format!(
                    "{} What is expected of normal rewards is within 0.02 of the truth from 6 degrees of freedom on; with 1 a \
                     correlation is 1 or −1, and the mean distance 0.295 where the truth is 0.447.",
                    if mean < 0.02 { "It is within 0.02." } else { "It is more than 0.02 off." }
                ),
            });
        }
        if let Some(srrd) = metric(Metric::Srrd) {
            let aucs = |way: usize| -> Vec<f64> {
                let cells = results.iter().filter(enough).filter(|m| m.cell.correlation < 1.0);
                cells.filter_map(|m| Some(self.auc(results, m, way)?.value)).collect()
            };
            let (ours, theirs) = (aucs(known), aucs(self.way(0, srrd)));
            if !ours.is_empty() && !theirs.is_empty() {
                let range = |values: &[f64]| {
                    let low = values.iter().fold(f64::INFINITY, |a, &b| a.min(b));
                    format!("{low:.3} to {:.3}", values.iter().fold(0.0f64, |a, &b| a.max(b)))
                };
                claims.push(Claim {
                    paper: "Equivalent pairs are told from different ones.".to_owned(),
                    measured: format!(
                        "AUC with {ENOUGH_FREEDOM} degrees of freedom or more: projected {}, SRRD {}.",
                        range(&ours),
                        range(&theirs)
                    ),
                    verdict: Verdict::NotInPaper,
                    note: "1 is perfect, 0.5 is guessing.".to_owned(),
                });
            }
        }
        let truth = self.parameters.gamma[0].0;
        let gammas: Moments = (results.iter().filter(enough)).map(|m| (m.gamma.mean() - truth).abs()).collect();
        if gammas.count() > 0 {
            claims.push(Claim {
                paper: "γ can be estimated from the two samples.".to_owned(),
                measured: format!(
                    "With {ENOUGH_FREEDOM} degrees of freedom or more the mean estimate of a setting is {:.3} off on average (the \
                     truth is {truth}).",
                    gammas.mean()
                ),
                verdict: Verdict::NotInPaper,
                note: "By what shaping leaves unexplained, never by the smallest distance.".to_owned(),
            });
        }
        claims
    }

    fn text(&self, results: &[Measured]) -> String {
        let mut text = String::from("Mean distance, γ known (AUC against equivalent pairs):\n");
        for m in results.iter().filter(|m| m.coverage.count() > 0) {
            let Cell { source: Source { world, size, epsilon, noise, rollouts, .. }, correlation } = m.cell;
            let truth = true_distance(correlation);
            text += &format!("  {world} {size} ε = {epsilon} noise {noise}, {rollouts} rollouts, truth {truth:.3}:");
            for (i, &metric) in self.parameters.metric.iter().enumerate() {
                let way = self.way(0, i);
                let shown = match m.moments(way).count() {
                    0 => "undefined".to_owned(),
                    _ => format!("{:.3}", m.moments(way).mean()),
                };
                text += &format!("  {} {shown}", self.name(metric));
                if metric == Metric::Projected && m.freedom.count() > 0 {
                    text += &format!(" [{:.1} degrees of freedom]", m.freedom.mean());
                }
                if let Some(auc) = self.auc(results, m, way) {
                    text += &format!(" ({:.2})", auc.value);
                }
            }
            text.push('\n');
        }
        text
    }
}
