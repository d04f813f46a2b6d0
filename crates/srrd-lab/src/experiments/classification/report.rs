//! From repeats to the paper's tables: accuracies, Welch's tests, confusion matrices and an embedding.

use super::rewards::{Dataset, Source};
use super::{Cell, Classification, paper};
use crate::error::LabError;
use crate::experiment::{Csv, Evaluation, Trials, number};
use crate::experiments::sparsity::estimated;
use crate::experiments::verdicts;
use crate::parameters::Estimation;
use srrd::classify::{Classes, FARTHEST, Spread, Welch, welch};
use srrd::{Gamma, Metric, RewardSample, Settings, embed, pairwise};
use srrd_show::page::{self as page, Claim, FigureBlock, Report, Section, Table, Verdict};
use srrd_show::{Axis, Bar, BarChart, Drawing, Figure, HeatMap, Point, ScatterChart};

/// Samples of an agent in the embedding: more only hide each other.
const SHOWN_SETS: usize = 20;
/// What counts as significant in a verdict.
const SIGNIFICANT: f64 = 0.05;

/// What the repeats of a classifier say.
struct Achieved {
    cell: Cell,
    accuracy: Vec<f64>,
    scores: [Vec<f64>; 3],
    gamma: Vec<f64>,
    undefined: f64,
    /// The test parts of all repeats together.
    confusion: Vec<u64>,
}

pub fn evaluation(of: &Classification, trials: &Trials) -> Result<Evaluation, LabError> {
    let achieved = read(of, trials)?;
    let mut figures: Vec<(String, Drawing)> = Vec::new();
    let (mut sections, mut claims) = (Vec::new(), Vec::new());
    let mut text = String::from("Accuracy in percent, mean ± standard deviation over the splits (paper):\n");
    let mut overview =
        BarChart::new("Accuracy by domain, metric and estimator", Axis::linear("accuracy (%)").range(0.0, 100.0));
    for (s, source) in of.sources.iter().enumerate() {
        let here: Vec<&Achieved> = achieved.iter().filter(|a| a.cell.source == s && !a.accuracy.is_empty()).collect();
        if here.is_empty() {
            continue;
        }
        let bars = here.iter().map(|a| {
            let Spread { mean, low, high, .. } = percent(&a.accuracy);
            Bar { series: name(&a.cell), value: mean, low, high }
        });
        overview = overview.group(source.title(), bars.collect());
        text += &format!("  {}:", source.title());
        for a in &here {
            let spread = percent(&a.accuracy);
            text += &format!("  {} {:.1} ± {:.1}", name(&a.cell), spread.mean, spread.sd);
            if let (Some((mean, sd)), Estimation::Double) = (of_paper(source, a.cell.metric), a.cell.estimation) {
                text += &format!(" ({mean} ± {sd})");
            }
        }
        text.push('\n');
        claims.extend(claim(source, &here));
        let (more, section) = section(of, source, &here)?;
        figures.extend(more);
        sections.push(section);
    }
    verdicts::as_text(&claims, &mut text);
    let caption = "Bars: means over the random splits; lines hold the middle 95 % of them.".to_owned();
    let file = Some("figures/classification-accuracy.svg".to_owned());
    let overview = overview.draw();
    let block = FigureBlock { drawing: overview.clone(), caption, file };
    figures.insert(0, ("classification-accuracy".to_owned(), overview));
    sections.insert(
        0,
        Section {
            heading: "Accuracy".to_owned(),
            paragraphs: vec![],
            figures: vec![block],
            tables: vec![accuracy_table(of, &achieved), welch_table(of, &achieved)],
        },
    );
    let report = Report {
        title: "Who acted? Agents told apart by their rewards".to_owned(),
        lead: vec![
            "Every sample is one trajectory of an agent, with rewards. A new sample is given the agent that most of its nearest \
             neighbours belong to; the metric says what near means. The better the metric sees what an agent is rewarded for, the \
             more often that is right."
                .to_owned(),
            format!(
                "{} random splits of 70 % for training and 30 % for testing; γ and k are chosen by twofold cross-validation inside \
                 the training part. Every metric is shown with the double batch and with unbiased estimates, so that none wins by \
                 its estimator. Splits share samples: standard deviations and tests are as they are published, and too hopeful.",
                of.parameters.trials
            ),
        ],
        claims,
        sections,
        ..Report::default()
    };
    Ok(Evaluation { summary: summary(of, &achieved), figures, report, text })
}

fn read(of: &Classification, trials: &Trials) -> Result<Vec<Achieved>, LabError> {
    let empty = |&cell: &Cell| Achieved {
        cell,
        accuracy: Vec::new(),
        scores: [Vec::new(), Vec::new(), Vec::new()],
        gamma: Vec::new(),
        undefined: 0.0,
        confusion: Vec::new(),
    };
    let mut achieved: Vec<Achieved> = of.cells.iter().map(empty).collect();
    for (row, fields) in trials.rows().enumerate() {
        let a = &mut achieved[row / of.parameters.trials];
        let parse = |i: usize| fields[i].parse::<f64>().map_err(LabError::failed);
        a.accuracy.push(parse(6)?);
        for (i, scores) in a.scores.iter_mut().enumerate() {
            scores.push(parse(7 + i)?);
        }
        a.gamma.push(parse(10)?);
        a.undefined = parse(13)?;
        let counts: Vec<u64> = fields[14].split(' ').filter_map(|count| count.parse().ok()).collect();
        if a.confusion.is_empty() {
            a.confusion = counts;
        } else {
            a.confusion.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    Ok(achieved)
}

fn percent(shares: &[f64]) -> Spread {
    Spread::of(&shares.iter().map(|share| 100.0 * share).collect::<Vec<_>>())
}

fn name(cell: &Cell) -> String {
    match cell.metric {
        Metric::Projected => "projected".to_owned(),
        metric if estimated(metric) => format!("{} {}", metric.to_string().to_uppercase(), cell.estimation),
        metric => metric.to_string().to_uppercase(),
    }
}

fn of_paper(source: &Source, metric: Metric) -> Option<(f64, f64)> {
    match source {
        Source::Manual(world) => paper::accuracy(*world, metric),
        Source::Table(_) => None,
    }
}

fn summary(of: &Classification, achieved: &[Achieved]) -> Csv {
    let columns =
        ["world", "rewards", "metric", "estimator", "score", "mean", "sd", "low", "high", "count", "undefined"];
    let mut csv = Csv::new(&columns);
    for a in achieved.iter().filter(|a| !a.accuracy.is_empty()) {
        let (world, rewards) = of.sources[a.cell.source].names();
        let [precision, recall, f1] = &a.scores;
        for (score, values) in [("accuracy", &a.accuracy), ("precision", precision), ("recall", recall), ("f1", f1)] {
            let spread = Spread::of(values);
            let mut row = vec![
                world.clone(),
                rewards.clone(),
                a.cell.metric.to_string(),
                a.cell.estimation.to_string(),
                score.to_owned(),
            ];
            row.extend([spread.mean, spread.sd, spread.low, spread.high].map(number));
            row.extend([values.len().to_string(), a.undefined.to_string()]);
            csv.row(row);
        }
    }
    csv
}

fn column(name: &str, numeric: bool, help: &str) -> page::Column {
    page::Column { name: name.to_owned(), numeric, help: help.to_owned() }
}

fn accuracy_table(of: &Classification, achieved: &[Achieved]) -> Table {
    let mut table = Table {
        caption: "Accuracy in percent, mean ± standard deviation over the splits".to_owned(),
        columns: vec![
            column("domain", false, ""),
            column("metric", false, ""),
            column("estimator", false, ""),
            column("accuracy", true, "mean ± sd (the middle 95 % of the splits)"),
            column("paper", true, "double batch"),
            column("precision", true, "averaged over agents"),
            column("recall", true, "averaged over agents"),
            column("F1", true, "averaged over agents"),
            column("γ", true, "as most often chosen"),
            column("agreement", false, "of the double batch with the paper"),
        ],
        rows: Vec::new(),
    };
    for a in achieved.iter().filter(|a| !a.accuracy.is_empty()) {
        let source = &of.sources[a.cell.source];
        let Spread { mean, sd, low, high } = percent(&a.accuracy);
        let shown = |value: f64, shown: String| page::Cell::Number { value, shown };
        let paper = of_paper(source, a.cell.metric).filter(|_| a.cell.estimation == Estimation::Double);
        let agreement = paper.map_or(String::new(), |(theirs, spread)| {
            let off = mean - theirs;
            match off.abs() <= spread {
                true => "within a standard deviation of the paper's".to_owned(),
                false if off > 0.0 => format!("{off:.1} points above the paper's"),
                false => format!("{:.1} points below the paper's", -off),
            }
        });
        let mut row = vec![
            page::Cell::Text(source.title()),
            page::Cell::Text(a.cell.metric.to_string().to_uppercase()),
            page::Cell::Text(if estimated(a.cell.metric) { a.cell.estimation.to_string() } else { "–".to_owned() }),
            page::Cell::Interval {
                value: mean,
                low,
                high,
                shown: format!("{mean:.1} ± {sd:.1} ({low:.1} to {high:.1})"),
            },
            paper.map_or(page::Cell::Empty, |(theirs, sd)| shown(theirs, format!("{theirs} ± {sd}"))),
        ];
        row.extend(a.scores.iter().map(|scores| {
            let mean = percent(scores).mean;
            shown(mean, format!("{mean:.1}"))
        }));
        let gamma = usual(&a.gamma);
        row.push(shown(gamma, gamma.to_string()));
        row.push(page::Cell::Text(agreement));
        table.rows.push(row);
    }
    table
}

/// The value that is there most often; the smallest of several.
fn usual(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.rev().max_by_key(|run| run.len()).map_or(f64::NAN, |run| run[0])
}

/// SRRD against the others with the same estimator.
fn tests<'a>(here: &[&'a Achieved]) -> Vec<(&'a Achieved, &'a Achieved, Option<Welch>)> {
    let mut tests = Vec::new();
    for srrd in here.iter().filter(|a| a.cell.metric == Metric::Srrd) {
        for other in here.iter().filter(|a| a.cell.metric != Metric::Srrd) {
            if !estimated(other.cell.metric) || other.cell.estimation == srrd.cell.estimation {
                tests.push((*srrd, *other, welch(&srrd.accuracy, &other.accuracy)));
            }
        }
    }
    tests
}

fn welch_table(of: &Classification, achieved: &[Achieved]) -> Table {
    let mut table = Table {
        caption: "Welch's t-tests: is the accuracy of SRRD larger? (one-sided)".to_owned(),
        columns: vec![
            column("domain", false, ""),
            column("estimator", false, "of both"),
            column("against", false, ""),
            column("t", true, ""),
            column("t, paper", true, "double batch"),
            column("p", true, "one-sided"),
        ],
        rows: Vec::new(),
    };
    for (s, source) in of.sources.iter().enumerate() {
        let here: Vec<&Achieved> = achieved.iter().filter(|a| a.cell.source == s && !a.accuracy.is_empty()).collect();
        for (srrd, other, test) in tests(&here) {
            let Some(test) = test else { continue };
            let theirs = match source {
                Source::Manual(world) if srrd.cell.estimation == Estimation::Double => {
                    paper::welch(*world, other.cell.metric)
                }
                _ => None,
            };
            let shown = |value: f64, shown: String| page::Cell::Number { value, shown };
            let p = if test.p < 5e-5 { "< 0.0001".to_owned() } else { format!("{:.4}", test.p) };
            table.rows.push(vec![
                page::Cell::Text(source.title()),
                page::Cell::Text(srrd.cell.estimation.to_string()),
                page::Cell::Text(other.cell.metric.to_string().to_uppercase()),
                shown(test.t, format!("{:.3}", test.t)),
                theirs.map_or(page::Cell::Empty, |t| shown(t, format!("{t:.3}"))),
                shown(test.p, p),
            ]);
        }
    }
    table
}

/// The paper's row beside ours.
fn claim(source: &Source, here: &[&Achieved]) -> Option<Claim> {
    let Source::Manual(world) = source else { return None };
    let tests: Vec<_> = (tests(here).into_iter())
        .filter(|(srrd, other, _)| {
            srrd.cell.estimation == Estimation::Double && Metric::PAPER.contains(&other.cell.metric)
        })
        .filter_map(|(srrd, other, test)| Some((srrd, other, test?)))
        .collect();
    let (first, ..) = tests.first()?;
    let (theirs, _) = paper::accuracy(*world, Metric::Srrd)?;
    let above = tests.iter().filter(|(_, _, test)| test.p < SIGNIFICANT).count();
    let below = tests.iter().filter(|(_, _, test)| test.p > 1.0 - SIGNIFICANT).count();
    let verdict = match (above, below) {
        (above, _) if above == tests.len() => Verdict::Agrees,
        (_, 0) => Verdict::Undecided,
        _ => Verdict::Disagrees,
    };
    let others: Vec<String> = (tests.iter())
        .map(|(_, other, _)| {
            format!("{} {:.1}", other.cell.metric.to_string().to_uppercase(), percent(&other.accuracy).mean)
        })
        .collect();
    let unbiased: Vec<String> = (here.iter())
        .filter(|a| a.cell.estimation == Estimation::Unbiased && estimated(a.cell.metric))
        .map(|a| format!("{} {:.1}", a.cell.metric.to_string().to_uppercase(), percent(&a.accuracy).mean))
        .collect();
    let unbiased = if unbiased.is_empty() { String::new() } else { format!(" Unbiased: {}.", unbiased.join(", ")) };
    Some(Claim {
        paper: format!("{}: SRRD is the most accurate, {theirs} %, significantly above the others.", source.title()),
        measured: format!(
            "Double batch: SRRD {:.1} %, {}.{unbiased}",
            percent(&first.accuracy).mean,
            others.join(", ")
        ),
        verdict,
        note: match verdict {
            Verdict::Agrees => "Agrees: above each of them by Welch's test.".to_owned(),
            Verdict::Disagrees => {
                format!("Does not come out: above {above} and below {below} of {} by Welch's test.", tests.len())
            }
            _ => format!("Above {above} of {} by Welch's test, below none.", tests.len()),
        },
    })
}

/// Confusion matrices and the embedding of one set of samples.
fn section(of: &Classification, source: &Source, here: &[&Achieved]) -> Result<(Figures, Section), LabError> {
    let mut figures: Figures = Vec::new();
    let mut blocks = Vec::new();
    let dataset = of.dataset(source)?;
    let classes = Classes::new(&dataset.labels);
    let base: String = source.name().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    for a in here.iter().filter(|a| a.cell.metric == Metric::Srrd || a.cell.metric == Metric::Direct) {
        let n = classes.names().len();
        let shares: Vec<f64> = (a.confusion.chunks(n.max(1)))
            .flat_map(|row| {
                let total: u64 = row.iter().sum();
                row.iter().map(move |&count| if total == 0 { f64::NAN } else { count as f64 / total as f64 })
            })
            .collect();
        let title = format!("{}: true agents down, predicted across", name(&a.cell));
        let map = HeatMap::new(title, classes.names().to_vec(), shares).map_err(LabError::failed)?.measuring("share");
        let file = format!("classification-{base}-confusion-{}-{}", a.cell.metric, a.cell.estimation);
        let caption =
            format!("{}: how often the samples of an agent (row) were taken for each agent (column).", name(&a.cell));
        let drawing = map.draw();
        blocks.push(FigureBlock { drawing: drawing.clone(), caption, file: Some(format!("figures/{file}.svg")) });
        figures.push((file, drawing));
    }
    if let Some(a) = here.iter().find(|a| a.cell.metric == Metric::Srrd) {
        let chart = embedding(of, a, &dataset, &classes)?;
        let file = format!("classification-{base}-embedding");
        let caption = format!(
            "Samples in the plane, so that their distances come near those of {} (classical multidimensional scaling; up to \
             {SHOWN_SETS} samples an agent).",
            name(&a.cell)
        );
        let drawing = chart.draw();
        blocks.push(FigureBlock { drawing: drawing.clone(), caption, file: Some(format!("figures/{file}.svg")) });
        figures.push((file, drawing));
    }
    let undefined: Vec<String> = here.iter().map(|a| format!("{} {}", name(&a.cell), a.undefined)).collect();
    let pairs = dataset.samples.len() * dataset.samples.len().saturating_sub(1) / 2;
    let section = Section {
        heading: source.title(),
        paragraphs: vec![
            source.about()?,
            format!(
                "{} samples of {} agents. Pairs without a distance, which count as farthest, of {pairs}: {}.",
                dataset.samples.len(),
                classes.names().len(),
                undefined.join(", ")
            ),
        ],
        figures: blocks,
        tables: vec![],
    };
    Ok((figures, section))
}

type Figures = Vec<(String, Drawing)>;

fn embedding(
    of: &Classification,
    a: &Achieved,
    dataset: &Dataset,
    classes: &Classes,
) -> Result<ScatterChart, LabError> {
    let mut taken = vec![0; classes.names().len()];
    let mut chosen = Vec::new();
    for (i, &class) in classes.of().iter().enumerate() {
        if taken[class] < SHOWN_SETS {
            taken[class] += 1;
            chosen.push(i);
        }
    }
    let samples: Vec<&RewardSample> = chosen.iter().map(|&i| &dataset.samples[i]).collect();
    let gamma = Gamma::new(usual(&a.gamma)).map_err(LabError::failed)?;
    let settings = Settings { gamma, ..of.settings(a.cell.estimation, of.seed(&of.sources[a.cell.source])) };
    let matrix = pairwise(&samples, a.cell.metric, &settings).filled(FARTHEST);
    let points = embed(&matrix, samples.len());
    let title = format!("{}, γ = {}", name(&a.cell), gamma.get());
    let mut chart = ScatterChart::new(title, Axis::linear("first coordinate"), Axis::linear("second coordinate"));
    for (class, label) in classes.names().iter().enumerate() {
        let mine = chosen.iter().zip(&points).filter(|(i, _)| classes.of()[**i] == class);
        chart = chart.class(label, mine.map(|(_, point)| Point::new(point[0], point[1])).collect());
    }
    Ok(chart)
}
