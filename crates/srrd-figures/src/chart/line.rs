//! Lines with intervals.

use super::axis::{Axis, Extent};
use super::clip::Place;
use super::frame::{Block, Frame};
use super::legend::{Legend, mark, reference, stroke};
use super::point::{Point, told};
use super::series::{Series, Style, Styles};
use super::{Header, MARGIN, WIDTH, document};
use crate::figure::figure;
use crate::svg::{Element, number};

/// Height of the area of a chart that stands by itself.
const AREA_HEIGHT: f64 = 280.0;
/// Up to this many points a series has whiskers, beyond it a band.
const MAX_WHISKERS: usize = 6;
/// Half the width of a whisker's caps.
const CAP: f64 = 3.5;
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
/// use srrd_figures::{Axis, LineChart, Point, Series};
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
    pub(super) references: Vec<(f64, String)>,
}

impl LineChart {
    /// A chart without series.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        LineChart { title: title.into(), subtitle: String::new(), x, y, series: Vec::new(), references: Vec::new() }
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

    fn draw(&self) -> Element {
        let header = Header::new(&self.title, &self.subtitle, WIDTH);
        let styles = Styles::of(self.series.iter());
        let labels = self.references.iter().map(|(_, label)| label.as_str());
        let legend = Legend::of_lines(&styles).with_references(labels);
        let beside = legend.beside(AREA_HEIGHT);
        let right = WIDTH - MARGIN - beside.as_ref().map_or(0.0, |legend| legend.width_beside());
        let block = Block { left: MARGIN, top: header.bottom(), right, area_height: AREA_HEIGHT };
        let (x, y) = self.extents();
        let frame = Frame::new(block, (&self.x, &x), (&self.y, &y));

        let mut content = Element::new("g");
        header.draw(&mut content);
        self.draw_plot(&frame, &styles, &mut content);
        let mut height = frame.bottom();
        match beside {
            Some(legend) => legend.draw(frame.area.right + MARGIN, frame.area.top, &mut content),
            None => {
                let legend = legend.below(WIDTH - 2.0 * MARGIN);
                legend.draw(MARGIN, height + super::NEAR, &mut content);
                height += legend.height_below();
            }
        }
        document(&self.title, WIDTH, (height + MARGIN).ceil(), content)
    }

    /// What of the data the axes have to show.
    pub(super) fn extents(&self) -> (Extent, Extent) {
        let (mut x, mut y) = (Extent::default(), Extent::default());
        for point in self.series.iter().flat_map(|series| series.points()) {
            if !self.x.drawable(point.x) || !self.y.drawable(point.y) {
                continue;
            }
            x.add(&self.x, point.x);
            y.add(&self.y, point.y);
            if let Some((low, high)) = point.bounds() {
                y.add(&self.y, low);
                y.add(&self.y, high);
            }
        }
        for (at, _) in &self.references {
            y.add(&self.y, *at);
        }
        (x, y)
    }

    /// Frame, reference lines and series.
    pub(super) fn draw_plot(&self, frame: &Frame, styles: &Styles, into: &mut Element) {
        frame.draw(into);
        for (number, (y, label)) in self.references.iter().enumerate() {
            if self.y.drawable(*y) && frame.y.holds(*y) {
                let at = frame.height(*y);
                let line = Element::line(frame.area.left, at, frame.area.right, at);
                into.push(reference(line, number).tooltip(label));
            }
        }
        let drawable: Vec<Vec<&Point>> = self.series.iter().map(|series| self.sorted(series)).collect();
        let whiskered = |points: &[&Point], series: &Series| {
            points.iter().any(|point| point.bounds().is_some()) && !banded(points, series)
        };
        let dodging: Vec<bool> =
            self.series.iter().zip(&drawable).map(|(series, points)| whiskered(points, series)).collect();
        let all = dodging.iter().filter(|&&dodges| dodges).count();
        let mut before = 0;
        let mut any = false;
        for ((series, points), dodges) in self.series.iter().zip(&drawable).zip(dodging) {
            let shift = if dodges { (before as f64 - (all as f64 - 1.0) / 2.0) * dodge(all) } else { 0.0 };
            before += usize::from(dodges);
            let (group, drawn) = draw_series(series, points, &styles.get(series.name()), frame, shift);
            any |= drawn;
            into.push(group);
        }
        if !any {
            frame.draw_empty(into);
        }
    }

    /// The points that have a place along the horizontal axis, from left to right.
    fn sorted<'a>(&self, series: &'a Series) -> Vec<&'a Point> {
        let mut points: Vec<&Point> = series.points().iter().filter(|point| self.x.drawable(point.x)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    }
}

figure!(LineChart);

/// Sideways distance of neighbouring series, all of them within the room that marks have at the sides.
fn dodge(series: usize) -> f64 {
    const ROOM: f64 = 10.0;
    DODGE.min(ROOM / (series as f64 - 1.0).max(1.0))
}

fn banded(points: &[&Point], series: &Series) -> bool {
    series.has_line() && points.iter().filter(|point| point.y.is_finite()).count() > MAX_WHISKERS
}

/// The group of a series, and whether anything in it is to be seen.
fn draw_series(series: &Series, points: &[&Point], style: &Style, frame: &Frame, shift: f64) -> (Element, bool) {
    let mut group = Element::new("g")
        .attr("class", "series")
        .attr("data-series", series.name())
        .attr("data-color", style.color.to_string());
    let place = |point: &Point| {
        let (x, y) = frame.place(point.x, point.y);
        (x + shift, y)
    };
    // A logarithmic axis has no place for what is not positive: a gap like any other.
    let there = |point: &&&Point| point.y.is_finite() && frame.y.share(point.y).is_finite();
    if banded(points, series) {
        let band = band(points, frame, shift);
        if !band.is_empty() {
            let band = Element::new("path").attr("class", "band").attr("d", band).attr("fill", style.stroke());
            group.push(band.attr("fill-opacity", 0.16));
        }
    } else {
        let whiskers = whiskers(points, frame, shift);
        if !whiskers.is_empty() {
            let whiskers = Element::new("path").attr("class", "whisker").attr("d", whiskers).attr("fill", "none");
            group.push(whiskers.attr("stroke", style.stroke()).attr("stroke-width", 1.4));
        }
    }
    if series.has_line() {
        let runs = points.split(|point| !there(&point));
        let path: String =
            runs.map(|run| frame.area.line(&run.iter().map(|point| place(point)).collect::<Vec<Place>>())).collect();
        if !path.is_empty() {
            let line = Element::new("path").attr("class", "line").attr("d", path).attr("fill", "none");
            group.push(stroke(line, style).attr("stroke-linejoin", "round"));
        }
    }
    let radius = radius(points.len());
    let mut drawn = false;
    for point in points.iter().filter(there) {
        if frame.x.holds(point.x) && frame.y.holds(point.y) {
            drawn = true;
            let (x, y) = place(point);
            group.push(told(mark(style, x, y, radius), series.name(), point, &frame.x, &frame.y));
        }
    }
    (group, drawn)
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

/// Path data of the area between the ends of the intervals, broken where one is not known.
fn band(points: &[&Point], frame: &Frame, shift: f64) -> String {
    let known = |point: &&Point| point.y.is_finite() && point.bounds().is_some();
    let runs = points.split(|point| !known(point));
    runs.map(|run| {
        let end = |point: &&Point, upper: bool| {
            let (low, high) = point.bounds().unwrap_or((point.y, point.y));
            (frame.across(point.x) + shift, frame.height(if upper { high } else { low }))
        };
        let upper = run.iter().map(|point| end(point, true));
        let lower = run.iter().rev().map(|point| end(point, false));
        let corners: Vec<Place> = upper.chain(lower).collect();
        if run.len() < 2 { String::new() } else { frame.area.polygon(corners) }
    })
    .collect()
}

/// Path data of whiskers with caps where their ends are inside.
fn whiskers(points: &[&Point], frame: &Frame, shift: f64) -> String {
    let mut path = String::new();
    for point in points.iter().filter(|point| frame.x.holds(point.x) && point.y.is_finite()) {
        let Some((low, high)) = point.bounds() else {
            continue;
        };
        let x = frame.across(point.x) + shift;
        path.push_str(&whisker(x, (low, frame.height_within(low)), (high, frame.height_within(high)), frame));
    }
    path
}

fn whisker(x: f64, low: (f64, f64), high: (f64, f64), frame: &Frame) -> String {
    if low.1 == high.1 && !frame.y.holds(low.0) {
        return String::new();
    }
    let cap = |(value, at): (f64, f64)| match frame.y.holds(value) {
        true => format!("M{} {}h{}", number(x - CAP), number(at), number(2.0 * CAP)),
        false => String::new(),
    };
    format!("{}M{x} {}V{}{}", cap(low), number(low.1), number(high.1), cap(high), x = number(x))
}
