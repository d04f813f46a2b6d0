//! How results are shown, the same way in all reports.

use crate::statistics::Moments;
use srrd::Metric;
use srrd_show::Figure;
use srrd_show::page::{Cell, FigureBlock};

/// A figure of the report that also has a file.
pub fn figure(name: &str, figure: &impl Figure, caption: impl Into<String>) -> FigureBlock {
    FigureBlock::new(figure.draw(), caption).with_file(format!("figures/{name}.svg"))
}

/// A mean with its 95 % interval, as far as there are enough numbers for them.
pub fn mean(moments: &Moments, digits: usize) -> Cell {
    let (value, (low, high)) = (moments.mean(), moments.interval());
    match moments.count() {
        0 => Cell::Empty,
        1 => number(value, digits),
        _ => interval(value, low, high, digits),
    }
}

/// A number with an interval.
pub fn interval(value: f64, low: f64, high: f64, digits: usize) -> Cell {
    Cell::interval(value, low, high, format!("{value:.digits$} ({low:.digits$} to {high:.digits$})"))
}

/// A number with so many digits after the point.
pub fn number(value: f64, digits: usize) -> Cell {
    Cell::number(value, format!("{value:.digits$}"))
}

/// A whole number.
pub fn count(value: usize) -> Cell {
    Cell::number(value as f64, value.to_string())
}

/// A metric's name as the paper writes it.
pub fn upper(metric: Metric) -> String {
    metric.name().to_uppercase()
}

/// The same, with whose computation it is.
pub fn measure(measure: crate::values::Measure) -> String {
    let as_published = if measure.published { " as published" } else { "" };
    format!("{}{as_published}", upper(measure.metric))
}

/// A metric's name beside the others of the paper; the projection is none of them.
pub fn title(metric: Metric) -> String {
    if metric.info().paper { upper(metric) } else { metric.name().to_owned() }
}

/// Whether the estimator matters to the metric.
pub fn estimated(metric: Metric) -> bool {
    metric.info().expects
}

/// Every metric keeps its colour in all figures.
pub fn color(metric: Metric) -> usize {
    Metric::ALL.iter().position(|&m| m == metric).unwrap_or(0)
}
