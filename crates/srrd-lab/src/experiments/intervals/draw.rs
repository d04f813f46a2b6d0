//! The figure, the table and the text about intervals.

use super::Measured;
use crate::experiments::shared::show;
use crate::experiments::shared::verdicts;
use crate::row::Choice;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart};

pub fn report(measured: &[Measured], claims: Vec<Claim>) -> Report {
    let caption = "Bars: the share of the trials, with 95 % intervals. It should be 0.95.";
    Report {
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
            figures: vec![show::figure("intervals", &chart(measured), caption)],
            tables: vec![table(measured)], ..Section::default() }],
        ..Report::default()
    }
}

fn chart(measured: &[Measured]) -> BarChart {
    let axis = Axis::linear("share of trials").range(0.0, 1.0);
    let mut chart = BarChart::new("How often the 95 % interval holds the truth", axis);
    for m in measured {
        let (value, low, high) = m.share();
        let bar = Bar { series: m.part.words().to_owned(), value, low, high };
        chart = chart.group(format!("{}, {} rollouts", m.part.name(), m.rollouts), vec![bar]);
    }
    chart
}

fn table(measured: &[Measured]) -> Table {
    let columns = vec![
        Column::text("interval of"),
        Column::number("rollouts").with_help("of each sample"),
        Column::number("trials").with_help("with an interval"),
        Column::number("left out").with_help("no interval, or too few degrees of freedom"),
        Column::number("mean error").with_help("estimate − truth (95 % interval)"),
        Column::number("mean width").with_help("of the interval"),
        Column::number("holds the truth").with_help("share of the trials (95 % interval)"),
    ];
    let rows = measured.iter().map(|m| {
        let (share, low, high) = m.share();
        vec![
            Cell::text(m.part.words()),
            show::count(m.rollouts),
            show::count(m.error.count() as usize),
            show::count(m.left_out),
            show::mean(&m.error, 4),
            show::number(m.width.mean(), 3),
            Cell::interval(share, low, high, m.percent()),
        ]
    });
    Table { caption: "Intervals against the truth".to_owned(), columns, rows: rows.collect() }
}

pub fn text(measured: &[Measured], claims: &[Claim]) -> String {
    let mut text = String::new();
    for m in measured {
        let (what, count) = (m.part.words(), m.error.count());
        let percent = m.percent();
        text +=
            &format!("{what}, {} rollouts: the interval holds the truth in {percent} of {count} trials\n", m.rollouts);
    }
    verdicts::as_text(claims, &mut text);
    text
}
