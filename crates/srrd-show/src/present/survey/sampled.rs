//! What was sampled, and of what metrics need.

use srrd::FrontEnd;
use srrd::answer::{Inspection, SampleFinding};
use srrd::diagnose::MetricCoverage;

use crate::Figure;
use crate::chart::{Axis, Bar, BarChart};
use crate::page::{Cell, Column, FigureBlock, Section, Table};
use crate::present::inspection::sentences;
use crate::words::{count, numbers, percent, short};

/// More samples are not drawn side by side.
const DRAWN: usize = 6;

pub(super) fn section(inspection: &Inspection) -> Section {
    let mut section = Section::new("What was sampled");
    section.paragraphs.extend(sentences(inspection, FrontEnd::Command));
    if inspection.samples.len() <= DRAWN && inspection.samples.iter().any(|sample| sample.terms.iter().any(needs)) {
        let caption = "Metrics that take means over transitions need them to be sampled. What is missing counts as 0, which biases them. \
                       projected and direct need nothing that was not sampled.";
        section.figures.push(FigureBlock::new(chart(inspection).draw(), caption));
    }
    section.tables.push(table(inspection));
    section
}

fn needs(coverage: &MetricCoverage) -> bool {
    coverage.terms.iter().any(|term| term.needed > 0.0)
}

/// What was sampled of all that the terms of a metric need.
fn share(coverage: &MetricCoverage) -> Option<f64> {
    let needed: f64 = coverage.terms.iter().map(|term| term.needed).sum();
    (needed > 0.0).then(|| coverage.terms.iter().map(|term| term.sampled).sum::<f64>() / needed)
}

fn chart(inspection: &Inspection) -> BarChart {
    let axis = Axis::linear("sampled (%)").range(0.0, 100.0);
    let mut chart = BarChart::new("How much of what a metric needs was sampled", axis);
    // Colours that no metric has, solid and pale by turns: colours of metrics mean metrics.
    for (place, sample) in inspection.samples.iter().enumerate() {
        let name = short(&sample.name);
        chart = chart.color_index(&name, 6 - place / 2 % 2);
        chart = if place % 2 == 1 { chart.pale(&name) } else { chart };
    }
    let metrics: Vec<_> = inspection.samples[0].terms.iter().filter(|coverage| needs(coverage)).collect();
    for metric in metrics.iter().map(|coverage| coverage.metric) {
        let bar = |sample: &SampleFinding| {
            let coverage = sample.terms.iter().find(|coverage| coverage.metric == metric)?;
            Some(Bar::new(short(&sample.name), 100.0 * share(coverage)?))
        };
        chart = chart.group(metric.name(), inspection.samples.iter().filter_map(bar).collect());
    }
    chart
}

fn table(inspection: &Inspection) -> Table {
    let columns = vec![
        Column::text("sample"),
        Column::number("transitions"),
        Column::number("states"),
        Column::number("actions"),
        Column::number("coverage").with_help("of the explored states and actions"),
        Column::number("least reward"),
        Column::number("mean reward"),
        Column::number("largest reward"),
    ];
    let mut table = Table::new("Samples", columns);
    let whole = |value: usize| Cell::number(value as f64, count(value));
    let rewards = [0, 1, 2].map(|at| {
        let column: Vec<f64> = inspection.samples.iter().map(|sample| sample.reward[at]).collect();
        numbers(&column, 4)
    });
    for (place, sample) in inspection.samples.iter().enumerate() {
        let [low, mean, high] = [0, 1, 2].map(|at| Cell::number(sample.reward[at], &rewards[at][place]));
        table.rows.push(vec![
            crate::present::name(&sample.name),
            whole(sample.transitions),
            whole(sample.states),
            whole(sample.actions),
            Cell::number(sample.coverage, percent(sample.coverage)),
            low,
            mean,
            high,
        ]);
    }
    table
}
