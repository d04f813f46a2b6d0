//! Points with intervals.

use super::axis::Placed;
use super::numbers::short;
use crate::svg::Element;

/// A measured point.
///
/// ```
/// use srrd_show::chart::Point;
///
/// let point = Point::new(10.0, 0.4).interval(0.35, 0.45).note("200 trials");
/// assert_eq!((point.low, point.high), (0.35, 0.45));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Position along the horizontal axis. A point without a finite one is left out.
    pub x: f64,
    /// The value. NaN marks a gap: nothing is drawn here, and the line is broken.
    pub y: f64,
    /// Lower end of the interval around the value; NaN where there is none.
    pub low: f64,
    /// Upper end of the interval; NaN where there is none.
    pub high: f64,
    /// What else to say when the pointer rests on the point; may be empty.
    pub note: String,
}

impl Point {
    /// A point without interval and note.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, low: f64::NAN, high: f64::NAN, note: String::new() }
    }

    /// With the interval from `low` to `high`. It need not hold the value.
    pub fn interval(mut self, low: f64, high: f64) -> Self {
        (self.low, self.high) = (low, high);
        self
    }

    /// With words to be shown when the pointer rests on the point.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The interval, its lower end first, if both ends are known.
    pub(super) fn bounds(&self) -> Option<(f64, f64)> {
        bounds(self.low, self.high)
    }
}

/// The interval between two ends in either order, if both are finite.
pub(super) fn bounds(low: f64, high: f64) -> Option<(f64, f64)> {
    (low.is_finite() && high.is_finite()).then(|| (low.min(high), low.max(high)))
}

/// Adds to a mark what scripts and readers want to know about the point.
pub(super) fn told(mark: Element, series: &str, point: &Point, x: &Placed, y: &Placed) -> Element {
    let heading = if series.is_empty() { String::new() } else { format!("{series}: ") };
    let values = format!("{}, {}", x.say(point.x), y.say_measured(point.y, point.bounds()));
    data(mark, &short(point.x, 6), point.y, point.bounds(), &point.note).tooltip(&format!(
        "{heading}{values}{}{}",
        if point.note.is_empty() { "" } else { "; " },
        point.note
    ))
}

/// The attributes of a point for scripts; those of an interval that is not known are empty.
pub(super) fn data(mark: Element, x: &str, y: f64, interval: Option<(f64, f64)>, note: &str) -> Element {
    const DIGITS: usize = 6;
    let (low, high) = interval.map_or_else(Default::default, |(low, high)| (short(low, DIGITS), short(high, DIGITS)));
    mark.attr("data-x", x)
        .attr("data-y", short(y, DIGITS))
        .attr("data-low", low)
        .attr("data-high", high)
        .attr("data-note", note)
}
