//! Figures, tables and text about telling equivalent from different rewards.

use super::{Discount, Measured, Results, Way};
use crate::experiments::shared::correlated::{Source, noise_sd, true_distance};
use crate::experiments::shared::show::{self, color, title};
use crate::experiments::shared::verdicts;
use crate::parameters::Parameters;
use crate::row::Choice;
use crate::statistics::Auc;
use crate::values::{Fraction, Noise, Size, WorldKind};
use srrd::Metric;
use srrd_show::page::{Cell, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, LineChart, Panels, Point, Series};

pub fn report(results: &Results, parameters: &Parameters, claims: Vec<Claim>) -> Report {
    let Parameters { world, size, epsilon, .. } = parameters;
    let mut sections = Vec::new();
    for &world in world {
        for &size in size {
            let section = |&Fraction(epsilon): &Fraction| section(results, parameters, world, size, epsilon);
            sections.extend(epsilon.iter().filter_map(section));
        }
    }
    Report {
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
                results.gamma.get()
            ),
        ],
        claims,
        sections,
        ..Report::default()
    }
}

fn section(results: &Results, p: &Parameters, world: WorldKind, size: Size, epsilon: f64) -> Option<Section> {
    let here = |source: &Source| source.world == world && source.size == size && source.epsilon == epsilon;
    let measured: Vec<&Measured> = results.there().filter(|m| here(&m.cell.source)).collect();
    if measured.is_empty() {
        return None;
    }
    let heading = format!("{}, {} × {}, ε = {epsilon}", world.title(), size.width, size.height);
    let base = format!("separation-{world}-{size}-epsilon-{epsilon}");
    let distances = show::figure(
        &format!("{base}-distance"),
        &distance_panels(&heading, results, p, &measured),
        "Mean distance with 95 % interval, γ known, without noise; the dashed line is the true distance.",
    );
    let aucs = show::figure(
        &format!("{base}-auc"),
        &auc_panels(&heading, results, p, &measured),
        "How often an equivalent pair has the smaller distance when it is set beside a different pair (AUC, 1 is perfect, 0.5 \
         is guessing), with 95 % intervals.",
    );
    let tables = vec![table(results, &measured)];
    Some(Section { heading, paragraphs: vec![], figures: vec![distances, aucs], tables, ..Section::default() })
}

/// The ways with γ known, or estimated, in the order of the metrics.
fn of(results: &Results, discount: Discount) -> impl Iterator<Item = (usize, Metric)> {
    let ways = results.ways.iter().enumerate().filter(move |(_, way)| way.discount == discount);
    ways.map(|(w, way)| (w, way.metric))
}

/// A panel for every true correlation.
fn distance_panels(heading: &str, results: &Results, p: &Parameters, measured: &[&Measured]) -> Panels {
    let mut panels = Panels::new(format!("{heading}: distance"), 2);
    for &Fraction(correlation) in &p.correlation {
        let truth = true_distance(correlation);
        let y = Axis::linear("distance").range(0.0, 1.0);
        let mut chart = LineChart::new(format!("true correlation {correlation}"), Axis::log("rollouts"), y)
            .reference(truth, format!("truth {truth:.3}"));
        let here = |m: &&&Measured| m.cell.correlation == correlation && m.cell.source.noise == p.noise[0];
        for (w, metric) in of(results, Discount::Known) {
            let points = measured.iter().filter(here).map(|m| {
                let moments = m.moments(w);
                let (low, high) = moments.interval();
                let point = Point::new(m.cell.source.rollouts as f64, moments.mean()).interval(low, high);
                point.note(format!("{} trials", moments.count()))
            });
            chart = chart.series(Series::new(title(metric), points.collect()).color_index(color(metric)));
        }
        panels = panels.panel(chart);
    }
    panels
}

/// Panels for γ known and estimated, for every noise, at the largest correlation below 1.
fn auc_panels(heading: &str, results: &Results, p: &Parameters, measured: &[&Measured]) -> Panels {
    let hardest = p.correlation.iter().map(|c| c.0).filter(|&c| c < 1.0).fold(f64::NEG_INFINITY, f64::max);
    let mut panels = Panels::new(format!("{heading}: equivalent or of correlation {hardest}?"), 2);
    for &noise in &p.noise {
        let here = |m: &&&Measured| m.cell.correlation == hardest && m.cell.source.noise == noise;
        for &discount in Discount::ALL {
            let y = Axis::linear("AUC").range(0.4, 1.0);
            let name = format!("noise: {noise}, γ {}", discount.name());
            let mut chart = LineChart::new(name, Axis::log("rollouts"), y);
            for (w, metric) in of(results, discount) {
                let points = measured.iter().filter(here).filter_map(|m| {
                    let auc = results.auc(m, w)?;
                    Some(Point::new(m.cell.source.rollouts as f64, auc.value).interval(auc.low, auc.high))
                });
                chart = chart.series(Series::new(title(metric), points.collect()).color_index(color(metric)));
            }
            panels = panels.panel(chart);
        }
    }
    panels
}

fn table(results: &Results, measured: &[&Measured]) -> Table {
    let columns = vec![
        Column::text("noise").with_help("on every reward"),
        Column::number("correlation").with_help("the true one"),
        Column::number("rollouts").with_help("of each sample"),
        Column::number("shared").with_help("transitions that both samples hold"),
        Column::number("dof").with_help("degrees of freedom of the projection"),
        Column::text("γ").with_help("known, or estimated from the pair"),
        Column::text("metric"),
        Column::number("truth").with_help("the true distance"),
        Column::number("distance").with_help("mean (95 % interval)"),
        Column::number("AUC").with_help("against equivalent pairs (95 % interval)"),
    ];
    let mut table = Table::new("Distances and what they tell apart", columns);
    for m in measured {
        let correlation = m.cell.correlation;
        for (w, &Way { discount, metric }) in results.ways.iter().enumerate() {
            let moments = m.moments(w);
            let freedom = m.freedom.mean();
            table.rows.push(vec![
                Cell::text(m.cell.source.noise.to_string()),
                Cell::number(correlation, correlation.to_string()),
                show::count(m.cell.source.rollouts),
                show::number(m.common.mean(), 1),
                if freedom.is_nan() { Cell::Empty } else { show::number(freedom, 1) },
                Cell::text(discount.name()),
                Cell::text(title(metric)),
                show::number(true_distance(correlation), 3),
                if moments.count() == 0 { Cell::text("undefined") } else { show::mean(&moments, 3) },
                results.auc(m, w).map_or(Cell::Empty, |Auc { value, low, high }| show::interval(value, low, high, 3)),
            ]);
        }
    }
    table
}

pub fn text(results: &Results, claims: &[Claim]) -> String {
    let mut text = String::from("Mean distance, γ known (AUC against equivalent pairs):\n");
    for m in results.there() {
        let Source { world, size, epsilon, noise, rollouts, .. } = m.cell.source;
        let truth = true_distance(m.cell.correlation);
        text += &format!("  {world} {size} ε = {epsilon} noise {noise}, {rollouts} rollouts, truth {truth:.3}:");
        for (w, metric) in of(results, Discount::Known) {
            let moments = m.moments(w);
            let shown = if moments.count() == 0 { "undefined".to_owned() } else { format!("{:.3}", moments.mean()) };
            text += &format!("  {} {shown}", title(metric));
            if metric == Metric::Projected && m.freedom.count() > 0 {
                text += &format!(" [{:.1} degrees of freedom]", m.freedom.mean());
            }
            if let Some(auc) = results.auc(m, w) {
                text += &format!(" ({:.2})", auc.value);
            }
        }
        text.push('\n');
    }
    verdicts::as_text(claims, &mut text);
    text
}
