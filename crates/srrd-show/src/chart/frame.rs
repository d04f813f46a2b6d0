//! The frame of a plot: where its area stands, its axes, grid and labels.

use super::axis::{Axis, Extent, Placed};
use super::clip::{Area, Place};
use super::point::Point;
use super::{AXIS, GRID, LEADING, MARGIN, NEAR, SMALL, TEXT, ink, ink_soft};
use crate::svg::{Anchor, Element};
use crate::text::{one_line, wrap};

/// Room inside the area at both ends of the horizontal axis, for marks.
const INSET: f64 = 14.0;
const TICK: f64 = 4.0;

/// A block of a figure that holds one plot: label of the vertical axis on top, area, ticks and
/// label of the horizontal axis below.
pub(super) struct Frame {
    pub(super) area: Area,
    pub(super) x: Placed,
    pub(super) y: Placed,
    x_label: Vec<String>,
    y_label: Vec<String>,
    left: f64,
    top: f64,
}

/// Where a block stands, and how high its area is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) area_height: f64,
}

impl Frame {
    pub(super) fn new(block: Block, x: (&Axis, &Extent), y: (&Axis, &Extent)) -> Self {
        let (placed_y, area, y_label) = upright(block, y);
        let placed_x = x.0.place_across(x.1, area.width() - 2.0 * INSET, SMALL);
        Frame {
            area,
            x: placed_x,
            y: placed_y,
            x_label: wrap(&one_line(x.0.label()), TEXT, area.width(), 2),
            y_label,
            left: block.left,
            top: block.top,
        }
    }

    /// Where the block ends.
    pub(super) fn bottom(&self) -> f64 {
        let ticks = TICK + SMALL.size + 6.0;
        self.area.bottom + ticks + self.x_label.len() as f64 * LEADING + 3.0
    }

    /// Width of the part of the area that the range of the horizontal axis covers.
    pub(super) fn inner_width(&self) -> f64 {
        self.area.width() - 2.0 * INSET
    }

    /// Where a point stands; far outside if it has no place on a logarithmic axis.
    pub(super) fn place(&self, x: f64, y: f64) -> Place {
        (self.across(x), self.height(y))
    }

    pub(super) fn across(&self, x: f64) -> f64 {
        self.area.left + INSET + near(self.x.share(x)) * self.inner_width()
    }

    /// The vertical place of a value; what has none on a logarithmic axis is below the area.
    pub(super) fn height(&self, y: f64) -> f64 {
        height(&self.area, &self.y, y)
    }

    /// Whether a point is drawn.
    pub(super) fn shows(&self, point: &Point) -> bool {
        // A logarithmic axis has no place for what is not positive.
        let there = point.y.is_finite() && self.y.share(point.y).is_finite();
        there && self.x.holds(point.x) && self.y.holds(point.y)
    }

    /// Grid, axes, ticks and labels, all of which stand behind the data.
    pub(super) fn draw(&self, into: &mut Element) {
        draw_upright(&self.area, &self.y, &self.y_label, (self.left, self.top), into);
        let bottom = self.area.bottom;
        into.push(axis_line(self.area.left, bottom, self.area.right, bottom));
        for tick in &self.x.ticks {
            let x = self.across(tick.value);
            into.push(axis_line(x, bottom, x, bottom + TICK));
            // Long numbers at the ends lean inwards rather than out of the figure.
            let half = SMALL.width(&tick.label) / 2.0;
            let middle = x.max(self.left + half).min(self.area.right + MARGIN / 2.0 - half);
            into.push(ink(middle, bottom + TICK + SMALL.size + 2.0, SMALL, Anchor::Middle, &tick.label));
        }
        let middle = (self.area.left + self.area.right) / 2.0;
        for (line, text) in self.x_label.iter().enumerate() {
            let baseline = bottom + TICK + SMALL.size + 6.0 + (line as f64 + 1.0) * LEADING - 3.0;
            into.push(ink(middle, baseline, TEXT, Anchor::Middle, text));
        }
    }

    /// A note below the plot. Returns where it ends; an empty one takes no room.
    pub(super) fn draw_note(&self, note: &str, into: &mut Element) -> f64 {
        let mut bottom = self.bottom();
        for line in wrap(&one_line(note), SMALL, self.area.right - self.left, 3) {
            bottom += LEADING;
            into.push(ink_soft(self.left, bottom - 3.0, SMALL, Anchor::Start, &line));
        }
        bottom
    }

    /// Says that there is nothing to see.
    pub(super) fn draw_empty(&self, into: &mut Element) {
        let (x, y) = ((self.area.left + self.area.right) / 2.0, (self.area.top + self.area.bottom) / 2.0);
        into.push(ink_soft(x, y, TEXT, Anchor::Middle, "no data"));
    }
}

/// The vertical axis of a block, the area that it leaves, and its label.
pub(super) fn upright(block: Block, (axis, extent): (&Axis, &Extent)) -> (Placed, Area, Vec<String>) {
    let most = (block.area_height / 34.0).clamp(2.0, 8.0) as usize;
    let y = axis.place(extent, most);
    let label = wrap(&one_line(axis.label()), TEXT, block.right - block.left, 2);
    let widest = y.ticks.iter().map(|tick| SMALL.width(&tick.label)).fold(0.0, f64::max);
    let top = block.top + label.len() as f64 * LEADING + if label.is_empty() { SMALL.size / 2.0 } else { NEAR + 4.0 };
    let area = Area {
        left: (block.left + widest + TICK + 4.0).round(),
        top: top.round(),
        right: block.right.round(),
        bottom: (top + block.area_height).round(),
    };
    (y, area, label)
}

/// The vertical place of a value in an area.
pub(super) fn height(area: &Area, y: &Placed, value: f64) -> f64 {
    area.bottom - near(y.share(value)) * area.height()
}

/// Keeps what stands far outside the area (infinitely far below, on a logarithmic axis) where
/// coordinates still have their decimals.
fn near(share: f64) -> f64 {
    share.clamp(-1e6, 1e6)
}

/// The vertical axis with its grid and label.
pub(super) fn draw_upright(area: &Area, y: &Placed, label: &[String], corner: Place, into: &mut Element) {
    for (line, text) in label.iter().enumerate() {
        let baseline = corner.1 + (line as f64 + 1.0) * LEADING - 4.0;
        into.push(ink(corner.0, baseline, TEXT, Anchor::Start, text));
    }
    for tick in &y.ticks {
        let at = height(area, y, tick.value);
        let grid = Element::line(area.left, at, area.right, at).attr("class", "grid").attr("stroke", GRID);
        into.push(grid);
        into.push(ink(area.left - TICK - 4.0, at + SMALL.size * 0.36, SMALL, Anchor::End, &tick.label));
    }
    into.push(axis_line(area.left, area.top, area.left, area.bottom));
}

pub(super) fn axis_line(x1: f64, y1: f64, x2: f64, y2: f64) -> Element {
    Element::line(x1, y1, x2, y2).attr("class", "axis").attr("stroke", AXIS)
}
