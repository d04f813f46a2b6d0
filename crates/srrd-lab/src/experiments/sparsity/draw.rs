//! Figures, tables and text of the sparsity study.

use super::{Measured, Results, Sparsity, Way};
use crate::experiments::shared::pairs::Cell;
use crate::experiments::shared::show::{self, color, estimated};
use crate::experiments::shared::verdicts::as_text;
use crate::parameters::Parameters;
use crate::row::Value;
use crate::values::{Estimation, Fraction, Noise, Size, WorldKind};
use srrd_show::page::{self, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, LineChart, Panels, Point, Series};

impl Sparsity {
    pub fn report(&self, results: &Results, claims: Vec<Claim>) -> Report {
        let mut lead: Vec<String> = self.story.lead.iter().map(|&paragraph| paragraph.to_owned()).collect();
        lead.push(format!(
            "Each point is the mean of {} trials with its 95 % interval. Where two samples share fewer than {} transitions \
             on average, a distance is mostly noise; such points are left out of the verdicts.",
            self.parameters.trials,
            srrd::settings::FEW_COMMON
        ));
        let title = self.story.title.to_owned();
        Report { title, lead, claims, sections: self.sections(results), ..Report::default() }
    }

    /// One section and one figure for every world, size and ε.
    fn sections(&self, results: &Results) -> Vec<Section> {
        let Parameters { world, size, epsilon, .. } = &self.parameters;
        let mut sections = Vec::new();
        for &world in world {
            for &size in size {
                sections.extend(
                    epsilon.iter().filter_map(|&Fraction(epsilon)| self.section(results, world, size, epsilon)),
                );
            }
        }
        sections
    }

    fn section(&self, results: &Results, world: WorldKind, size: Size, epsilon: f64) -> Option<Section> {
        let here = |cell: &Cell| cell.world == world && cell.size == size && cell.epsilon == epsilon;
        let there = |m: &&Measured| here(&m.cell) && m.coverage.count() > 0;
        let measured: Vec<&Measured> = results.cells.iter().filter(there).collect();
        if measured.is_empty() {
            return None;
        }
        let kind = match epsilon {
            0.0 => "feasibility constraints (ε = 0)".to_owned(),
            _ => format!("limited sampling (ε = {epsilon})"),
        };
        let heading = format!("{}, {} × {}: {kind}", world.title(), size.width, size.height);
        let figure = show::figure(
            &format!("{}-{world}-{size}-epsilon-{epsilon}", self.story.name),
            &self.panels(&heading, &measured),
            "The distance of a reward and its shaped copy against the share of all transitions that was sampled (0 is right: \
             they are equivalent). Bands are 95 % intervals of the mean.",
        );
        Some(Section {
            heading,
            paragraphs: vec![],
            figures: vec![figure],
            tables: vec![self.table(&measured)],
            ..Section::default()
        })
    }

    /// A panel for every model (and noise, and γ).
    fn panels(&self, heading: &str, measured: &[&Measured]) -> Panels {
        let p = &self.parameters;
        let mut panels = Panels::new(heading, 2).wide().direct_labels();
        // Panels are compared with each other: they share the scale.
        let upper = (measured.iter())
            .flat_map(|m| self.drawn().into_iter().map(|w| m.moments(w)))
            .map(|moments| moments.interval().1.max(moments.mean()))
            .fold(0.75, f64::max);
        let upper = ((10.0 * upper).ceil() / 10.0).min(1.0);
        for &model in &p.model {
            for &noise in &p.noise {
                for &gamma in &p.gamma {
                    let here = |cell: &Cell| cell.model == model && cell.noise == noise && cell.gamma == gamma;
                    let mut title = format!("{model} rewards");
                    if p.noise.len() > 1 {
                        title += &format!(", noise: {noise}");
                    }
                    if p.gamma.len() > 1 {
                        title += &format!(", γ = {}", gamma.get());
                    }
                    let y = Axis::linear("distance").range(0.0, upper);
                    let mut chart = LineChart::new(&title, Axis::log("coverage (%)"), y)
                        .reference(std::f64::consts::FRAC_1_SQRT_2, "0.71: unrelated");
                    for w in self.drawn() {
                        let points = measured.iter().filter(|m| here(&m.cell)).map(|m| point(m, w));
                        chart = chart.series(self.series(w, points.collect()));
                    }
                    panels = panels.panel(chart);
                }
            }
        }
        panels
    }

    fn series(&self, way: usize, points: Vec<Point>) -> Series {
        let way = &self.ways[way];
        let series = Series::new(self.way_name(way), points).color_index(color(way.measure.metric));
        let first = way.estimation == self.parameters.estimator[0];
        if estimated(way.measure.metric) && (!first || way.measure.published) { series.dashed() } else { series }
    }

    /// The ways that are drawn: a metric that knows no estimator once.
    fn drawn(&self) -> Vec<usize> {
        let before = |w: usize| self.ways[..w].iter().any(|way| way.measure.metric == self.ways[w].measure.metric);
        (0..self.ways.len()).filter(|&w| estimated(self.ways[w].measure.metric) || !before(w)).collect()
    }

    fn way_name(&self, way: &Way) -> String {
        let Parameters { estimator, batch, .. } = &self.parameters;
        let mut name = show::measure(way.measure);
        if way.measure.published {
            return name;
        }
        if estimated(way.measure.metric) && estimator.len() > 1 {
            name += &format!(" {}", way.estimation);
        }
        if estimated(way.measure.metric) && batch.len() > 1 && way.estimation != Estimation::Unbiased {
            name += &format!(" batch {}", way.batch.write());
        }
        name
    }

    fn table(&self, measured: &[&Measured]) -> Table {
        let (noises, gammas) = (self.parameters.noise.len() > 1, self.parameters.gamma.len() > 1);
        let mut columns = vec![Column::text("model").with_help("of reward and potential")];
        if noises {
            columns.push(Column::text("noise").with_help("deviation from potential shaping"));
        }
        if gammas {
            columns.push(Column::number("γ").with_help("discount factor"));
        }
        columns.push(Column::number("rollouts").with_help("of each sample"));
        columns.push(Column::number("coverage").with_help("sampled transitions of all"));
        columns.push(Column::number("shared").with_help("transitions that both samples hold"));
        let drawn = self.drawn();
        let mean = |&w: &usize| Column::number(self.way_name(&self.ways[w])).with_help("mean (95 % interval)");
        columns.extend(drawn.iter().map(mean));
        let rows = measured.iter().map(|m| {
            let mut row = vec![page::Cell::text(m.cell.model.name())];
            if noises {
                row.push(page::Cell::text(m.cell.noise.to_string()));
            }
            if gammas {
                row.push(show::number(m.cell.gamma.get(), 2));
            }
            row.push(show::count(m.cell.rollouts));
            let coverage = m.coverage.mean();
            row.push(page::Cell::number(coverage, format!("{} %", short(100.0 * coverage))));
            row.push(show::number(m.common.mean(), 1));
            row.extend(drawn.iter().map(|&w| show::mean(&m.moments(w), 3)));
            row
        });
        Table { caption: "Mean distances with 95 % intervals".to_owned(), columns, rows: rows.collect() }
    }

    pub fn text(&self, results: &Results, claims: &[Claim]) -> String {
        let largest = self.parameters.rollouts.iter().max().copied().unwrap_or(0);
        let mut text = format!("Mean distance of equivalent rewards at {largest} rollouts (0 is right):\n");
        for m in results.cells.iter().filter(|m| m.cell.rollouts == largest && m.coverage.count() > 0) {
            let Cell { world, size, model, epsilon, noise, .. } = m.cell;
            text += &format!("  {world} {size} {model} ε = {epsilon}");
            if noise != Noise::None || self.parameters.noise.len() > 1 {
                text += &format!(" noise {noise}");
            }
            text.push(':');
            for w in self.drawn() {
                text += &format!("  {} {:.3}", self.way_name(&self.ways[w]), m.moments(w).mean());
            }
            text.push('\n');
        }
        as_text(claims, &mut text);
        text
    }
}

fn point(m: &Measured, way: usize) -> Point {
    let moments = m.moments(way);
    let (low, high) = moments.interval();
    let note = format!("{} rollouts, {} trials", m.cell.rollouts, moments.count());
    Point::new(100.0 * m.coverage.mean(), moments.mean()).interval(low, high).note(note)
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
