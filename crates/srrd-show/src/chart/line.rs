//! Lines with intervals.

use super::axis::{Axis, Extent};
use super::frame::{Block, Frame};
use super::legend::{Legend, Placement};
use super::plot::{Look, References, banded, draw_references, draw_series, extents, labels, sorted};
use super::point::Point;
use super::series::{Series, Styles};
use super::{Header, MARGIN, NARROW, WIDTH, document};
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::svg::Element;

/// Height of the area of a chart that stands by itself.
const AREA_HEIGHT: f64 = 280.0;
/// Points of two series that are less than this apart cover each other.
const SAME: f64 = 1.5;
/// How far series with whiskers at the same place stand apart.
const DODGE: f64 = 4.0;

/// Lines through points with intervals, against two axes.
///
/// Intervals are drawn as bands in series of more than six points and as whiskers otherwise;
/// several series with whiskers are shifted sideways by a few pixels, so that whiskers at one
/// place do not cover each other.
///
/// Points that cannot be drawn are left out: those whose `x` is not finite or, on a logarithmic
/// axis, not positive; those outside the range of an axis that has one. A `y` that cannot be drawn
/// breaks the line, as does one of NaN. A chart without any point says "no data".
///
/// ```
/// use srrd_show::{Axis, Figure, LineChart, Point, Series};
///
/// let points = vec![Point::new(1.0, 0.4).interval(0.35, 0.45), Point::new(10.0, 0.2)];
/// let chart = LineChart::new("Sparse samples", Axis::log("Rollouts"), Axis::linear("Distance"))
///     .series(Series::new("SRRD", points))
///     .reference(0.5f64.sqrt(), "unrelated");
/// assert!(chart.to_svg().contains(r#"<g class="series" data-series="SRRD""#));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    pub(super) references: References,
    direct_labels: bool,
    wide: bool,
}

impl LineChart {
    /// A chart without series.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        LineChart {
            title: title.into(),
            subtitle: String::new(),
            x,
            y,
            series: Vec::new(),
            references: Vec::new(),
            direct_labels: false,
            wide: false,
        }
    }

    /// Adds a series. Series of the same name look the same and share an entry of the legend.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Adds a horizontal line at `y`, with its label in the legend. The axis is long enough to
    /// show it unless it has a range.
    pub fn reference(mut self, y: f64, label: impl Into<String>) -> Self {
        self.references.push((y, label.into()));
        self
    }

    /// Writes the names of series and references at the right ends of their lines, where readers need not look them up.
    /// If names are too long or too many, they still stand in a legend below the chart.
    pub fn direct_labels(mut self) -> Self {
        self.direct_labels = true;
        self
    }

    /// Makes the chart half as wide again, for the full width of a page.
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// How far below the top of the area the line of a series or reference ends.
    pub(super) fn end(&self, name: &str, frame: &Frame) -> Option<f64> {
        let series = self.series.iter().find(|series| series.name() == name);
        let last = series.and_then(|series| {
            let points = sorted(series, &self.x);
            points.iter().rev().find(|point| frame.shows(point)).map(|point| point.y)
        });
        let reference = || self.references.iter().find(|(_, label)| label == name).map(|(at, _)| *at);
        let value = last.or_else(reference)?;
        Some((frame.height(value) - frame.area.top).clamp(0.0, frame.area.height()))
    }

    /// What of the data and references the axes have to show.
    pub(super) fn extents(&self) -> (Extent, Extent) {
        let (x, mut y) = extents(&self.series, &self.x, &self.y);
        for (at, _) in &self.references {
            y.add(&self.y, *at);
        }
        (x, y)
    }

    /// One sentence for every series that cannot be seen because another one, drawn after it, has the same values.
    fn hidden(&self, frame: &Frame) -> String {
        let same = |a: &Point, b: &Point| a.x == b.x && (frame.height(a.y) - frame.height(b.y)).abs() < SAME;
        let under = |a: &Series, b: &Series| {
            let mut shown = a.points().iter().filter(|point| frame.shows(point)).peekable();
            shown.peek().is_some() && shown.all(|point| b.points().iter().any(|other| same(point, other)))
        };
        let sentence = |(number, series): (usize, &Series)| {
            let mut later = self.series[number + 1..].iter().rev();
            let cover = later.find(|other| other.name() != series.name() && under(series, other))?;
            Some(format!("{} lies under {}.", series.name(), cover.name()))
        };
        self.series.iter().enumerate().filter_map(sentence).collect::<Vec<String>>().join(" ")
    }

    /// Frame, reference lines (which look by the place of their label among `labels`), series and a note on those that
    /// cannot be seen. Returns where all that ends.
    pub(super) fn draw_plot(&self, frame: &Frame, styles: &Styles, labels: &[&str], into: &mut Element) -> f64 {
        frame.draw(into);
        draw_references(&self.references, labels, &frame.area, &frame.y, into);
        let points: Vec<Vec<&Point>> = self.series.iter().map(|series| sorted(series, &self.x)).collect();
        let whiskered = |(series, points): (&Series, &Vec<&Point>)| {
            points.iter().any(|point| point.bounds().is_some()) && !banded(points, series)
        };
        let dodging: Vec<bool> = self.series.iter().zip(&points).map(whiskered).collect();
        let all = dodging.iter().filter(|&&dodges| dodges).count();
        let mut before = 0;
        let mut any = false;
        for ((series, points), dodges) in self.series.iter().zip(&points).zip(dodging) {
            let shift = if dodges { (before as f64 - (all as f64 - 1.0) / 2.0) * dodge(all) } else { 0.0 };
            before += usize::from(dodges);
            let look = Look { radius: radius(points.len()), opacity: 1.0, shift };
            let (group, drawn) = draw_series(series, points, &styles.get(series.name()), frame, look);
            any |= drawn;
            into.push(group);
        }
        if !any {
            frame.draw_empty(into);
        }
        frame.draw_note(&self.hidden(frame), into)
    }
}

impl Figure for LineChart {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let width = if self.wide { 1.5 * WIDTH } else { WIDTH };
        self.draw_at(width).with_narrow(self.draw_at(NARROW))
    }
}

impl LineChart {
    fn draw_at(&self, width: f64) -> Drawing {
        let header = Header::new(&self.title, &self.subtitle, width);
        let styles = Styles::of(self.series.iter());
        let labels = labels([(&self.y, &self.references)].into_iter());
        let legend = Legend::of_lines(&styles).with_references(&labels);
        let beside = legend.beside(AREA_HEIGHT).filter(|_| width > NARROW);
        let block = Block {
            left: MARGIN,
            top: header.bottom(),
            right: width - MARGIN - beside.as_ref().map_or(0.0, Placement::width_beside),
            area_height: AREA_HEIGHT,
        };
        let (x, y) = self.extents();
        let frame = Frame::new(block, (&self.x, &x), (&self.y, &y));
        let mut content = Element::new("g");
        header.draw(&mut content);
        let bottom = self.draw_plot(&frame, &styles, &labels, &mut content);
        let beside = match self.direct_labels {
            true => beside.map(|beside| beside.at_ends(frame.area.height(), |name| self.end(name, &frame))),
            false => beside,
        };
        let bottom = legend.draw(beside, &frame.area, bottom, width, &mut content);
        document(&self.title, width, bottom, content)
    }
}

/// Sideways distance of neighbouring series, all of them within the room that marks have at the sides.
fn dodge(series: usize) -> f64 {
    const ROOM: f64 = 10.0;
    DODGE.min(ROOM / (series as f64 - 1.0).max(1.0))
}

/// Marks of long series are smaller.
fn radius(points: usize) -> f64 {
    match points {
        0..=12 => 4.0,
        13..=40 => 3.2,
        41..=120 => 2.4,
        _ => 1.6,
    }
}
