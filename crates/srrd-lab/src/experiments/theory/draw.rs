//! Figures, tables and text about the theorems.

use super::{Quantity, Results, Setting};
use crate::experiments::shared::show::{self, upper};
use crate::experiments::shared::verdicts;
use crate::row::Value;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart, LineChart, Point, Series};

/// More points than this only make a picture heavy.
const SHOWN: usize = 150;

pub fn report(results: &Results, claims: Vec<Claim>) -> Report {
    Report {
        title: "Do the theorems hold, and how tight are they?".to_owned(),
        lead: vec![
            "Theorem 1 bounds how much of a potential can survive canonicalization, Theorem 2 how much return can be lost by \
             optimizing a reward at a small SRRD distance, and the generalized form C_n promises to leave less and less of a \
             potential. Each is held against random problems."
                .to_owned(),
        ],
        claims,
        sections: vec![shaping_error(results), regret(results), generalized(results)],
        ..Report::default()
    }
}

fn shaping_error(results: &Results) -> Section {
    let axis = Axis::linear("largest RSE / bound");
    let mut chart = BarChart::new("Largest relative shaping error, as a share of its bound", axis);
    let mut table = table(
        "The largest relative shaping error of a sample beside the bound of Theorem 1",
        &["setting", "metric", "largest RSE", "bound", "transitions within", "trials within"],
    );
    for (setting, rows) in results.of(|s| matches!(s, Setting::ShapingError { .. })) {
        let mut bars = Vec::new();
        for (quantity, m) in rows {
            let series = quantity.title();
            let share = m.share.mean();
            table.rows.push(vec![
                Cell::text(setting.title()),
                Cell::text(series.clone()),
                show::mean(&m.value, 4),
                show::number(m.bound.mean(), 4),
                Cell::number(share, format!("{:.1} %", 100.0 * share)),
                Cell::text(format!("{} of {}", m.held, m.value.count())),
            ]);
            let (value, (low, high)) = (m.ratio.mean(), m.ratio.interval());
            bars.push(Bar { series, value, low, high });
        }
        chart = chart.group(setting.title(), bars);
    }
    let caption = "Means over the trials with 95 % intervals; 1 is the bound.";
    Section {
        heading: "Theorem 1: relative shaping error".to_owned(),
        paragraphs: vec![
            "The theorem assumes that the forward transitions of a canonical form are sampled whole. On a sample of a grid \
             world the states two steps on are not all joined to each other, so the bound need not hold for every \
             transition; the table says how often it does."
                .to_owned(),
        ],
        figures: vec![show::figure("theory-shaping-error", &chart, caption)],
        tables: vec![table], ..Section::default() }
}

fn regret(results: &Results) -> Section {
    let title = "Regret of acting on the other reward, and what bounds it";
    let mut chart = LineChart::new(title, Axis::log("bound"), Axis::linear("true regret"));
    let mut table = table(
        "True regret by value iteration beside the bounds",
        &["problems", "bound", "mean regret", "mean bound", "largest regret / bound", "holds"],
    );
    for (setting, rows) in results.of(|s| matches!(s, Setting::Regret { .. })) {
        let (_, name) = setting.names();
        for (quantity, m) in rows {
            let which = quantity.title();
            table.rows.push(vec![
                Cell::text(name.clone()),
                Cell::text(which.clone()),
                show::mean(&m.value, 4),
                show::number(m.bound.mean(), 4),
                show::number(m.largest_ratio, 4),
                Cell::text(format!("{} of {}", m.held, m.value.count())),
            ]);
            let points = m.points.iter().take(SHOWN).filter(|(bound, _)| *bound > 0.0);
            let points = points.map(|&(bound, regret)| Point::new(bound, regret)).collect();
            chart = chart.series(Series::new(format!("{which}, {name}"), points).without_line());
        }
    }
    Section {
        heading: "Theorem 2: regret".to_owned(),
        paragraphs: vec![
            "Two rewards on a random problem, from equivalent to unrelated. The regret is what is lost under the first by acting \
             optimally for the second. The proof gives a tighter bound than the theorem states; both are shown."
                .to_owned(),
        ],
        figures: vec![show::figure(
            "theory-regret",
            &chart,
            format!("One point per random problem (up to {SHOWN} of each kind)."),
        )],
        tables: vec![table], ..Section::default() }
}

fn generalized(results: &Results) -> Section {
    let y = Axis::log("largest residual / largest potential");
    let mut chart = LineChart::new("What C_n leaves of a potential", Axis::linear("n"), y);
    let mut table = table(
        "The largest residual shaping as a share of the largest potential",
        &["setting", "n", "residual", "2γⁿ(1 + γ)", "within"],
    );
    let found = results.of(|s| matches!(s, Setting::GeneralizedExact | Setting::Generalized { .. }));
    for (setting, rows) in &found {
        let (_, name) = setting.names();
        let points = rows.iter().enumerate().map(|(i, (_, m))| {
            let (low, high) = m.value.interval();
            Point::new((i + 1) as f64, m.value.mean()).interval(low, high)
        });
        chart = chart.series(Series::new(&name, points.collect()));
        for (i, (_, m)) in rows.iter().enumerate() {
            table.rows.push(vec![
                Cell::text(name.clone()),
                show::count(i + 1),
                show::mean(&m.value, 4),
                show::number(m.bound.mean(), 4),
                Cell::text(format!("{} of {}", m.held, m.value.count())),
            ]);
        }
    }
    if let Some((_, rows)) = found.first() {
        let bound = rows.iter().enumerate().map(|(i, (_, m))| Point::new((i + 1) as f64, m.bound.mean()));
        chart = chart.series(Series::new("2γⁿ(1 + γ)", bound.collect()).dashed());
    }
    Section {
        heading: "The generalized form C_n".to_owned(),
        paragraphs: vec![
            "In the exact form every term is known and the residual shrinks with n. On samples a step between two sets is \
             sampled from some of their states only, and what that leaves does not shrink."
                .to_owned(),
        ],
        figures: vec![show::figure("theory-generalized", &chart, "Means over the trials with 95 % intervals.")],
        tables: vec![table], ..Section::default() }
}

pub fn text(results: &Results, claims: &[Claim]) -> String {
    let mut text = String::new();
    for (setting, rows) in &results.settings {
        let (part, name) = setting.names();
        for (quantity, m) in rows {
            let (quantity, mean, bound, count) = (quantity.write(), m.value.mean(), m.bound.mean(), m.value.count());
            text += &format!(
                "{part:<14} {name:<26} {quantity:<8} mean {mean:>9.4}  bound {bound:>9.4}  bound holds in {} of {count} trials\n",
                m.held
            );
        }
    }
    verdicts::as_text(claims, &mut text);
    text
}

impl Setting {
    /// As people read it.
    pub fn title(self) -> String {
        match self {
            Setting::ShapingError { epsilon, rollouts } => format!("ε = {epsilon}, {rollouts} rollouts"),
            other => other.names().1,
        }
    }
}

impl Quantity {
    fn title(self) -> String {
        match self {
            Quantity::Metric(metric) => upper(metric),
            Quantity::Theorem => "Theorem 2".to_owned(),
            Quantity::Proof => "its proof".to_owned(),
            Quantity::Level(_) => self.write(),
        }
    }
}

fn table(caption: &str, columns: &[&str]) -> Table {
    let text = ["setting", "metric", "problems"];
    let column = |&name: &&str| if text.contains(&name) { Column::text(name) } else { Column::number(name) };
    Table::new(caption, columns.iter().map(column).collect())
}
