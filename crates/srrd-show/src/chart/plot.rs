//! How a series is drawn within its frame.

use super::axis::{Axis, Extent, Placed};
use super::clip::{Area, Place};
use super::frame::{Frame, height};
use super::legend::{mark, reference, stroke};
use super::point::{Point, told};
use super::series::{Series, Style};
use crate::svg::{Element, number};

/// Up to this many points a series has whiskers, beyond it a band.
const MAX_WHISKERS: usize = 6;
/// Half the width of a whisker's caps.
const CAP: f64 = 3.5;

/// What of the data the axes have to show: the points that can be drawn, with their intervals.
pub(super) fn extents(series: &[Series], x: &Axis, y: &Axis) -> (Extent, Extent) {
    let (mut across, mut up) = (Extent::default(), Extent::default());
    for point in series.iter().flat_map(|series| series.points()) {
        if !x.drawable(point.x) || !y.drawable(point.y) {
            continue;
        }
        across.add(x, point.x);
        up.add(y, point.y);
        if let Some((low, high)) = point.bounds() {
            up.add(y, low);
            up.add(y, high);
        }
    }
    (across, up)
}

/// The points that have a place along the horizontal axis, from left to right.
pub(super) fn sorted<'a>(series: &'a Series, x: &Axis) -> Vec<&'a Point> {
    let mut points: Vec<&Point> = series.points().iter().filter(|point| x.drawable(point.x)).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Draws horizontal lines across an area; those of one label look the same.
pub(super) fn draw_references(references: &References, labels: &[&str], area: &Area, y: &Placed, into: &mut Element) {
    for (value, label) in references {
        if y.holds(*value) {
            let at = height(area, y, *value);
            let number = labels.iter().position(|known| known == label).unwrap_or(0);
            let line = Element::line(area.left, at, area.right, at);
            let line = reference(line, number);
            into.push(if label.is_empty() { line } else { line.tooltip(label) });
        }
    }
}

/// Horizontal lines: where, and what they are.
pub(super) type References = Vec<(f64, String)>;

/// The labels of the reference lines that are shown, each once.
pub(super) fn labels<'a>(references: impl Iterator<Item = (&'a Axis, &'a References)>) -> Vec<&'a str> {
    let mut labels: Vec<&str> = Vec::new();
    let shown = references.flat_map(|(axis, all)| all.iter().filter(|(y, _)| axis.shows(*y)));
    for (_, label) in shown {
        if !label.is_empty() && !labels.contains(&label.as_str()) {
            labels.push(label);
        }
    }
    labels
}

/// Whether the intervals of a series are a band rather than whiskers.
pub(super) fn banded(points: &[&Point], series: &Series) -> bool {
    series.has_line() && points.iter().filter(|point| point.y.is_finite()).count() > MAX_WHISKERS
}

/// How the marks of a series are drawn, and how far the series is shifted sideways.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) radius: f64,
    pub(super) opacity: f64,
    pub(super) shift: f64,
}

/// The group of a series, and whether anything in it is to be seen. `points` are those that have a
/// place along the horizontal axis, from left to right.
pub(super) fn draw_series(
    series: &Series,
    points: &[&Point],
    style: &Style,
    frame: &Frame,
    look: Look,
) -> (Element, bool) {
    let shift = look.shift;
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
    let mut drawn = false;
    for point in points.iter().filter(there) {
        if frame.x.holds(point.x) && frame.y.holds(point.y) {
            drawn = true;
            let (x, y) = place(point);
            let mark = mark("point", style, x, y, look.radius);
            let mark = if look.opacity < 1.0 { mark.attr("fill-opacity", look.opacity) } else { mark };
            group.push(told(mark, series.name(), point, &frame.x, &frame.y));
        }
    }
    (group, drawn)
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
    let inside = points.iter().filter(|point| frame.x.holds(point.x) && point.y.is_finite());
    inside
        .filter_map(|point| {
            let bounds = point.bounds()?;
            Some(whisker(frame.across(point.x) + shift, bounds, &frame.area, &frame.y))
        })
        .collect()
}

/// Path data of a whisker at `x`; its ends have caps where they are inside the area.
pub(super) fn whisker(x: f64, (low, high): (f64, f64), area: &Area, y: &Placed) -> String {
    let at = |value: f64| height(area, y, value).clamp(area.top, area.bottom);
    if at(low) == at(high) && !y.holds(low) {
        return String::new();
    }
    let cap = |value: f64| match y.holds(value) {
        true => format!("M{} {}h{}", number(x - CAP), number(at(value)), number(2.0 * CAP)),
        false => String::new(),
    };
    format!("{}M{} {}V{}{}", cap(low), number(x), number(at(low)), number(at(high)), cap(high))
}
