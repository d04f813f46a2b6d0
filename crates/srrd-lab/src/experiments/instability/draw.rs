//! The figure, the table and the text about instability.

use super::{COVERAGES, PAPER_EPIC, Results};
use crate::experiments::shared::show;
use crate::values::Estimation;
use srrd::Metric;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart};

pub fn report(results: &Results, claims: Vec<Claim>, several: bool) -> Report {
    let caption = "Bars: the mean over random graphs, with 95 % intervals. 0 means that no shaping is left.";
    Report {
        title: "How stable is a canonical reward?".to_owned(),
        lead: vec![
            "A reward in a world of eight states is given one random potential after another. All of these rewards ask for \
             the same behaviour, so their canonical forms should be equal; what remains of the potential shows as a \
             standard deviation."
                .to_owned(),
            "The paper shows one graph at each coverage without printing it; here many random graphs are drawn.".to_owned(),
        ],
        claims,
        sections: vec![Section {
            heading: "What remains of a random potential".to_owned(),
            paragraphs: vec![],
            figures: vec![show::figure("instability", &chart(results, several), caption)],
            tables: vec![table(results)], ..Section::default() }],
        ..Report::default()
    }
}

fn percent(level: usize) -> String {
    format!("{:.0} %", 100.0 * COVERAGES[level])
}

fn chart(results: &Results, several: bool) -> BarChart {
    let axis = Axis::linear("standard deviation of C(s1, a, s2)");
    let mut chart = BarChart::new("A canonical reward over 1000 random potentials", axis);
    for level in 0..COVERAGES.len() {
        let here = results.each().filter(|(l, ..)| *l == level);
        let bars = here.map(|(_, metric, estimation, sds)| {
            let series = if several { format!("{metric} {estimation}") } else { metric.to_string() };
            let (value, (low, high)) = (sds.mean(), sds.interval());
            Bar { series, value, low, high }
        });
        chart = chart.group(format!("{} coverage", percent(level)), bars.collect());
    }
    chart
}

fn table(results: &Results) -> Table {
    let columns = vec![
        Column::number("coverage").with_help("sampled of all 64 transitions"),
        Column::text("metric"),
        Column::text("estimator"),
        Column::number("standard deviation").with_help("with the 95 % interval of the mean over graphs"),
        Column::number("paper (EPIC)").with_help("for one graph"),
    ];
    let caption = "Mean over the graphs of the standard deviation of the canonical reward of (s1, s2)";
    let mut table = Table::new(caption, columns);
    for (level, metric, estimation, sds) in results.each() {
        let paper = match (metric, estimation) {
            (Metric::Epic, Estimation::Double) => show::number(PAPER_EPIC[level], 2),
            _ => Cell::Empty,
        };
        table.rows.push(vec![
            Cell::number(COVERAGES[level], percent(level)),
            Cell::text(metric.name()),
            Cell::text(estimation.to_string()),
            show::mean(sds, 2),
            paper,
        ]);
    }
    table
}

pub fn text(results: &Results) -> String {
    let mut text = String::from("coverage  metric  estimator   standard deviation (95 % interval over graphs)\n");
    for (level, metric, estimation, sds) in results.each() {
        let (mean, (low, high)) = (sds.mean(), sds.interval());
        let (shown, metric, estimation) = (percent(level), metric.name(), estimation.to_string());
        text += &format!("{shown:>8}  {metric:<6}  {estimation:<10}  {mean:.2} ({low:.2} to {high:.2})\n");
    }
    text
}
