//! The paper's tables, confusion matrices and an embedding.

use super::results::{Achieved, Results, Test, percent};
use super::rewards::{Dataset, Source};
use super::{Classification, paper};
use crate::error::LabError;
use crate::experiments::shared::show::{self, estimated, upper};
use crate::experiments::shared::verdicts;
use crate::row::Choice;
use crate::values::Estimation;
use srrd::classify::{Classes, Spread};
use srrd::compare::embed;
use srrd::{Metric, RewardSample, Settings, pairwise};
use srrd_show::page::{Cell, Claim, Column, FigureBlock, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart, HeatMap, Point, ScatterChart};

/// Samples of an agent in the embedding: more only hide each other.
const SHOWN_SETS: usize = 20;

/// The accuracy in the paper's table, which is of the double batch.
fn of_paper(source: &Source, a: &Achieved) -> Option<(f64, f64)> {
    (a.cell.estimation == Estimation::Double && !a.cell.measure.published)
        .then(|| paper::accuracy(source, a.cell.measure.metric))
        .flatten()
}

impl Classification {
    pub fn report(&self, results: &Results<'_>, claims: Vec<Claim>) -> Result<Report, LabError> {
        let caption = "Bars: means over the random splits; lines hold the middle 95 % of them.";
        let mut sections = vec![Section {
            heading: "Accuracy".to_owned(),
            paragraphs: vec![],
            figures: vec![show::figure("classification-accuracy", &overview(results), caption)],
            tables: vec![accuracy_table(results), welch_table(results)],
            ..Section::default()
        }];
        for s in (0..self.sources.len()).filter(|&s| !results.of(s).is_empty()) {
            sections.push(self.section(s, &results.of(s))?);
        }
        Ok(Report {
            title: "Who acted? Agents told apart by their rewards".to_owned(),
            lead: vec![
                "Every sample is one trajectory of an agent, with rewards, or five where rewards are learned or recorded. A new sample is given the agent that most of its \
                 nearest neighbours belong to; the metric says what near means. The better the metric sees what an agent is \
                 rewarded for, the more often that is right."
                    .to_owned(),
                format!(
                    "{} random splits of every class, 70 % for training and 30 % for testing; γ and k are chosen by twofold cross-validation \
                     inside the training part. Every metric is shown with the double batch and with unbiased estimates, so that \
                     none wins by its estimator. Splits share samples: standard deviations and tests are as they are published, \
                     and too hopeful.",
                    self.parameters.trials
                ),
            ],
            claims,
            sections,
            ..Report::default()
        })
    }

    /// Confusion matrices and the embedding of one set of samples.
    fn section(&self, s: usize, here: &[&Achieved]) -> Result<Section, LabError> {
        let source = &self.sources[s];
        let dataset = self.dataset(s)?;
        let classes = Classes::new(&dataset.labels);
        let base = self.file_name(s);
        let mut figures = Vec::new();
        for a in
            here.iter().filter(|a| a.cell.measure.metric == Metric::Srrd || a.cell.measure.metric == Metric::Direct)
        {
            figures.push(confusion(a, &classes, &base)?);
        }
        if let Some(a) = here.iter().find(|a| a.cell.measure.metric == Metric::Srrd) {
            let caption = format!(
                "Samples in the plane, so that their distances come near those of {} (classical multidimensional scaling; up \
                 to {SHOWN_SETS} samples per agent).",
                a.name()
            );
            let chart = self.embedding(a, &dataset, &classes)?;
            figures.push(show::figure(&format!("classification-{base}-embedding"), &chart, caption));
        }
        let undefined: Vec<String> = here.iter().map(|a| format!("{} {}", a.name(), a.undefined)).collect();
        let samples = dataset.samples.len();
        let numbers = format!(
            "{samples} samples of {} agents. Pairs without a distance, which have no vote, of {}: {}.",
            classes.names().len(),
            samples * samples.saturating_sub(1) / 2,
            undefined.join(", ")
        );
        let mut paragraphs = vec![source.about(self.ridge())?];
        paragraphs.extend(dataset.about.clone());
        paragraphs.push(numbers);
        if here.iter().any(|a| a.too_few()) {
            paragraphs.push(format!(
                "The smallest class has {} samples: too few to classify. Accuracies are shown, and mean nothing.",
                dataset.fewest()
            ));
        }
        paragraphs.push(source.difference().to_owned());
        Ok(Section { heading: source.title(), paragraphs, figures, tables: vec![], ..Section::default() })
    }

    /// The part of a figure's file name that no other source has.
    fn file_name(&self, s: usize) -> String {
        let plain = |source: &Source| source.name().replace(|c: char| !c.is_alphanumeric(), "-");
        let name = plain(&self.sources[s]);
        let taken = self.sources[..s].iter().any(|before| plain(before) == name);
        if taken { format!("{name}-{}", s + 1) } else { name }
    }

    fn embedding(&self, a: &Achieved, dataset: &Dataset, classes: &Classes) -> Result<ScatterChart, LabError> {
        let mut taken = vec![0; classes.names().len()];
        let mut chosen = Vec::new();
        for (i, &class) in classes.of().iter().enumerate() {
            if taken[class] < SHOWN_SETS {
                taken[class] += 1;
                chosen.push(i);
            }
        }
        let samples: Vec<&RewardSample> = chosen.iter().map(|&i| &dataset.samples[i]).collect();
        let gamma = a.usual_gamma().ok_or_else(|| LabError::failed("a classifier without repeats has no γ"))?;
        let settings = Settings { gamma, ..self.settings(a.cell.estimation, self.seed(a.cell.source)) };
        let matrix = pairwise(&samples, a.cell.measure.metric, &settings).filled(1.0);
        let points = embed(&matrix, samples.len());
        let title = format!("{}, γ = {}", a.name(), gamma.get());
        let mut chart = ScatterChart::new(title, Axis::linear("first coordinate"), Axis::linear("second coordinate"));
        for (class, label) in classes.names().iter().enumerate() {
            let mine = chosen.iter().zip(&points).filter(|(i, _)| classes.of()[**i] == class);
            chart = chart.class(label, mine.map(|(_, point)| Point::new(point[0], point[1])).collect());
        }
        Ok(chart)
    }
}

fn confusion(a: &Achieved, classes: &Classes, base: &str) -> Result<FigureBlock, LabError> {
    let shares: Vec<f64> = (a.confusion.chunks(classes.names().len().max(1)))
        .flat_map(|row| {
            let total: u64 = row.iter().sum();
            row.iter().map(move |&count| if total == 0 { f64::NAN } else { count as f64 / total as f64 })
        })
        .collect();
    let title = format!("{}: true agents down, predicted across", a.name());
    let map = HeatMap::new(title, classes.names().to_vec(), shares).map_err(LabError::failed)?.measuring("share");
    let file = format!("classification-{base}-confusion-{}-{}", a.cell.measure.name(), a.cell.estimation);
    let caption = format!("{}: how often the samples of an agent (row) were taken for each agent (column).", a.name());
    Ok(show::figure(&file, &map, caption))
}

fn overview(results: &Results<'_>) -> BarChart {
    let axis = Axis::linear("accuracy (%)").range(0.0, 100.0);
    let mut chart = BarChart::new("Accuracy by domain, metric and estimator", axis);
    for (s, source) in results.sources.iter().enumerate() {
        let bars: Vec<Bar> = (results.of(s).iter())
            .map(|a| {
                let Spread { mean, low, high, .. } = a.percent();
                Bar { series: a.name(), value: mean, low, high }
            })
            .collect();
        if !bars.is_empty() {
            chart = chart.group(source.title(), bars);
        }
    }
    chart
}

fn accuracy_table(results: &Results<'_>) -> Table {
    let columns = vec![
        Column::text("domain"),
        Column::text("metric"),
        Column::text("estimator"),
        Column::number("accuracy").with_help("mean ± sd (the middle 95 % of the splits)"),
        Column::number("paper").with_help("double batch"),
        Column::number("overlap alone").with_help("by the share of common transitions, without a look at rewards"),
        Column::number("occupancy alone").with_help("by how often transitions were met, without a look at rewards"),
        Column::text("data").with_help("where the samples come from"),
        Column::number("samples").with_help("of all agents"),
        Column::number("with a distance").with_help("pairs of samples that have one"),
        Column::number("precision").with_help("averaged over agents"),
        Column::number("recall").with_help("averaged over agents"),
        Column::number("F1").with_help("averaged over agents"),
        Column::number("γ").with_help("as most often chosen"),
        Column::text("agreement").with_help("of the double batch with the paper"),
    ];
    let rows = results.there().map(|a| {
        let source = &results.sources[a.cell.source];
        let Spread { mean, sd, low, high } = a.percent();
        let paper = of_paper(source, a);
        let agreement = paper.map_or(String::new(), |(theirs, spread)| {
            let off = mean - theirs;
            if a.too_few() {
                return format!("too few samples ({} of the smallest class)", a.fewest);
            }
            match off.abs() <= spread {
                true => "within a standard deviation of the paper's".to_owned(),
                false if off > 0.0 => format!("{off:.1} points above the paper's"),
                false => format!("{:.1} points below the paper's", -off),
            }
        });
        let estimator = if estimated(a.cell.measure.metric) { a.cell.estimation.to_string() } else { "–".to_owned() };
        let mut row = vec![
            Cell::text(source.title()),
            Cell::text(show::measure(a.cell.measure)),
            Cell::text(estimator),
            Cell::interval(mean, low, high, format!("{mean:.1} ± {sd:.1} ({low:.1} to {high:.1})")),
            paper.map_or(Cell::Empty, |(theirs, sd)| Cell::number(theirs, format!("{theirs} ± {sd}"))),
        ];
        row.push(show::number(percent(&a.overlap).mean, 1));
        row.push(show::number(percent(&a.occupancy).mean, 1));
        row.push(Cell::text(a.data.clone()));
        row.push(show::count(a.samples));
        row.push(a.defined().map_or(Cell::Empty, |share| Cell::number(share, format!("{:.1} %", 100.0 * share))));
        row.extend(a.scores.iter().map(|scores| show::number(percent(scores).mean, 1)));
        row.push(a.usual_gamma().map_or(Cell::Empty, |gamma| Cell::number(gamma.get(), gamma.get().to_string())));
        row.push(Cell::text(agreement));
        row
    });
    let caption = "Accuracy in percent, mean ± standard deviation over the splits".to_owned();
    Table { caption, columns, rows: rows.collect() }
}

fn welch_table(results: &Results<'_>) -> Table {
    let columns = vec![
        Column::text("domain"),
        Column::text("estimator").with_help("of both"),
        Column::text("against"),
        Column::number("t"),
        Column::number("t, paper").with_help("double batch"),
        Column::number("p").with_help("one-sided"),
    ];
    let mut table = Table::new("Welch's t-tests: is the accuracy of SRRD larger? (one-sided)", columns);
    for (s, source) in results.sources.iter().enumerate() {
        for Test { srrd, other, welch } in results.tests(s) {
            let double = srrd.cell.estimation == Estimation::Double;
            let theirs = double.then(|| paper::welch(source, other.cell.measure.metric)).flatten();
            let p = if welch.p < 5e-5 { "< 0.0001".to_owned() } else { format!("{:.4}", welch.p) };
            table.rows.push(vec![
                Cell::text(source.title()),
                Cell::text(srrd.cell.estimation.to_string()),
                Cell::text(upper(other.cell.measure.metric)),
                show::number(welch.t, 3),
                theirs.map_or(Cell::Empty, |t| show::number(t, 3)),
                Cell::number(welch.p, p),
            ]);
        }
    }
    table
}

pub fn text(results: &Results<'_>, claims: &[Claim]) -> String {
    let mut text = String::from("Accuracy in percent, mean ± standard deviation over the splits (paper):\n");
    for (s, source) in results.sources.iter().enumerate() {
        let here = results.of(s);
        if here.is_empty() {
            continue;
        }
        text += &format!("  {}:", source.title());
        let first = here.first().map(|&a| a.clone());
        for a in here {
            let spread = a.percent();
            text += &format!("  {} {:.1} ± {:.1}", a.name(), spread.mean, spread.sd);
            if let Some((mean, sd)) = of_paper(source, a) {
                text += &format!(" ({mean} ± {sd})");
            }
        }
        if let Some(a) = first {
            let (overlap, occupancy) = (percent(&a.overlap), percent(&a.occupancy));
            text += &format!("  overlap alone {:.1} ± {:.1}", overlap.mean, overlap.sd);
            text += &format!("  occupancy alone {:.1} ± {:.1}", occupancy.mean, occupancy.sd);
            text += &format!("  [{}, {} samples", a.data, a.samples);
            if let Some(share) = a.defined() {
                text += &format!(", {:.1} % of pairs with a distance", 100.0 * share);
            }
            if a.too_few() {
                text += &format!("; too few to classify: {} of the smallest class", a.fewest);
            }
            text.push(']');
        }
        text.push('\n');
    }
    verdicts::as_text(claims, &mut text);
    text
}
