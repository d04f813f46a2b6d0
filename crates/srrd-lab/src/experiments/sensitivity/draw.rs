//! The figure, the table and the text about sampling policies.

use super::{Measured, PAPER, PAPER_ALL, Results};
use crate::experiments::shared::show::{self, upper};
use crate::experiments::shared::verdicts;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart};

pub fn report(results: &Results, claims: Vec<Claim>, reward: &str) -> Report {
    let caption = "Two copies of the reward of a diagonally moving agent, each with random shaping of its own, as different \
                   policies have sampled them. 0 is right: they are equivalent.";
    Report {
        title: "Does it matter which policy sampled the reward?".to_owned(),
        lead: vec![
            "Two rewards that differ by potential shaping only are sampled by four policies. A metric that depended on \
             nothing but the rewards would give the same number for each."
                .to_owned(),
            format!(
                "Here it is {reward}. The paper learned its reward by adversarial inverse reinforcement learning (AIRL), whose reward \
                 at the optimum is log π_diagonal(a | s), the log-probability with which a diagonally moving agent takes an action, up \
                 to shaping; the learned one is not published, so levels need not be equal."
            ),
        ],
        claims,
        sections: vec![Section {
            heading: "Distances by sampling policy".to_owned(),
            paragraphs: vec![],
            figures: vec![show::figure("sensitivity", &chart(results), caption)],
            tables: vec![table(results)], ..Section::default() }],
        ..Report::default()
    }
}

fn chart(results: &Results) -> BarChart {
    let axis = Axis::linear("distance").range(0.0, 1.0);
    let mut chart = BarChart::new("Distance of two shaped copies of one reward", axis);
    for m in &results.settings {
        let bars = results.metrics.iter().zip(&m.distances).map(|(&metric, moments)| {
            let (value, (low, high)) = (moments.mean(), moments.interval());
            Bar { series: upper(metric), value, low, high }
        });
        let group = match m.rollouts {
            0 => "all feasible".to_owned(),
            n => format!("{} {n}", m.policy),
        };
        chart = chart.group(&group, bars.collect());
    }
    chart
}

fn trajectories(m: &Measured) -> String {
    if m.rollouts == 0 { "all".to_owned() } else { m.rollouts.to_string() }
}

fn table(results: &Results) -> Table {
    let mut columns = vec![
        Column::text("policy").with_help("that samples both rewards"),
        Column::number("trajectories").with_help("of each sample"),
        Column::number("coverage").with_help("of the feasible transitions"),
        Column::number("coverage, paper"),
    ];
    let metrics = results.metrics.iter();
    columns.extend(metrics.map(|&metric| Column::number(upper(metric)).with_help("mean (95 % interval)")));
    columns.push(Column::number("SRRD, paper").with_help("with a reward from AIRL"));
    let rows = results.settings.iter().map(|m| {
        let paper = PAPER.iter().find(|(policy, n, ..)| *policy == m.policy && *n == m.rollouts);
        let percent = 100.0 * m.coverage.mean();
        let mut row = vec![
            Cell::text(m.policy),
            Cell::number(m.rollouts as f64, trajectories(m)),
            Cell::number(percent, format!("{percent:.1} %")),
            paper.map_or(Cell::Empty, |(_, _, coverage, _)| Cell::number(*coverage, format!("{coverage} %"))),
        ];
        row.extend(m.distances.iter().map(|moments| show::mean(moments, 3)));
        let distance = paper.map(|row| row.3).or((m.policy == "all").then_some(PAPER_ALL));
        row.push(distance.map_or(Cell::Empty, |distance| show::number(distance, 2)));
        row
    });
    let caption = "Mean distances with 95 % intervals, beside the paper's SRRD column".to_owned();
    Table { caption, columns, rows: rows.collect() }
}

pub fn text(results: &Results, claims: &[Claim]) -> String {
    let mut text = String::from("policy    trajectories  coverage");
    results.metrics.iter().for_each(|metric| text += &format!("  {:>9}", metric.name()));
    text.push('\n');
    for m in &results.settings {
        text += &format!("{:<8}  {:>12}  {:>6.1} %", m.policy, trajectories(m), 100.0 * m.coverage.mean());
        m.distances.iter().for_each(|moments| text += &format!("  {:>9.3}", moments.mean()));
        text.push('\n');
    }
    verdicts::as_text(claims, &mut text);
    text
}
