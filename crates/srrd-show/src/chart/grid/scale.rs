//! The scales of a grid: values to colours, and the bars that explain them.

use super::missing;
use crate::chart::frame::axis_line;
use crate::chart::{LEADING, NEAR, SMALL, ink};
use crate::palette::{Rgb, diverging, hex, neutral};
use crate::svg::{Anchor, Element};
use crate::text::{one_line, wrap};
use crate::ticks::linear_ticks;

const BAR_WIDTH: f64 = 16.0;
const BAR_SLICES: usize = 55;
/// Widest line of a label.
const LABEL: f64 = 146.0;

/// Which colours a scale has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::chart) enum Ramp {
    Neutral,
    Diverging,
}

/// Values to colours.
pub(in crate::chart) struct Scale {
    ends: (f64, f64),
    ramp: Ramp,
    label: Vec<String>,
    /// Height of its bar.
    height: f64,
}

impl Scale {
    pub(in crate::chart) fn new(ramp: Ramp, ends: (f64, f64), label: &str, height: f64) -> Self {
        Scale { ends, ramp, label: wrap(&one_line(label), SMALL, LABEL, 5), height }
    }

    pub(in crate::chart) fn of(&self, value: f64) -> Rgb {
        self.at(self.share(value))
    }

    /// 0 at the low end, 1 at the high end, not beyond.
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.ends;
        // Halves, whose difference cannot overflow.
        ((value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)).clamp(0.0, 1.0)
    }

    fn at(&self, share: f64) -> Rgb {
        match self.ramp {
            Ramp::Neutral => neutral(share),
            Ramp::Diverging => diverging(share),
        }
    }

    fn ticks(&self) -> Vec<crate::ticks::Tick> {
        linear_ticks(self.ends.0, self.ends.1, (self.height / 36.0) as usize)
    }

    /// Width of the bar with its numbers and label.
    pub(in crate::chart) fn width(&self) -> f64 {
        let numbers = self.ticks().iter().map(|tick| SMALL.width(&tick.label)).fold(SMALL.width("none"), f64::max);
        self.label.iter().map(|line| SMALL.width(line)).fold(BAR_WIDTH + NEAR + 2.0 + numbers, f64::max)
    }

    /// Room above the bar for all lines of the label but the last.
    pub(in crate::chart) fn above(&self) -> f64 {
        (self.label.len() as f64 - 1.0).max(0.0) * LEADING
    }

    pub(in crate::chart) fn height(&self) -> f64 {
        self.height
    }

    /// Draws the bar with its upper left corner at (left, top).
    pub(in crate::chart) fn draw(&self, left: f64, top: f64, into: &mut Element) {
        for (line, text) in self.label.iter().enumerate() {
            let baseline = top - 9.0 - (self.label.len() - 1 - line) as f64 * LEADING;
            into.push(ink(left, baseline, SMALL, Anchor::Start, text));
        }
        let slice = self.height / BAR_SLICES as f64;
        let mut bar = Element::new("g").attr("class", "scale").attr("shape-rendering", "crispEdges");
        for index in 0..BAR_SLICES {
            let colour = self.at(1.0 - (index as f64 + 0.5) / BAR_SLICES as f64);
            bar.push(Element::rect(left, top + index as f64 * slice, BAR_WIDTH, slice).attr("fill", hex(colour)));
        }
        into.push(bar);
        for tick in self.ticks() {
            let y = top + self.height * (1.0 - self.share(tick.value));
            let end = left + BAR_WIDTH;
            into.push(axis_line(end, y, end + 4.0, y));
            into.push(ink(end + NEAR + 1.0, y + SMALL.size * 0.36, SMALL, Anchor::Start, &tick.label));
        }
    }
}

/// What stands below the scales for cells that are not there.
pub(super) fn draw_missing(left: f64, top: f64, into: &mut Element) {
    missing(left, top, 12.0, into);
    into.push(ink(left + 12.0 + NEAR, top + 10.5, SMALL, Anchor::Start, "none"));
}
