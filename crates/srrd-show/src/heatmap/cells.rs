//! The cells: colours, tooltips and numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::layout::Layout;
use super::{HeatMap, MAX_TOOLTIPS, TEXT, drawn_name};
use crate::font::Font;
use crate::palette::{FAINT_INK, HATCH, UNDEFINED, UNDEFINED_SMALL, hex, ink_on, sequential};
use crate::svg::{Anchor, Element, Fill, Id, number};

const HATCH_ID: Id = Id("srrd-undefined");
/// How much of its colour a cell keeps whose value says little.
pub(super) const FADED: f64 = 0.25;

impl HeatMap {
    /// The value at a place of the drawing.
    pub(super) fn value(&self, row: usize, column: usize) -> Option<f64> {
        let value = self.values[self.order[row] * self.names.len() + self.order[column]];
        value.is_finite().then_some(value)
    }

    /// Whether the value at a place of the drawing says little.
    fn is_faded(&self, row: usize, column: usize) -> bool {
        let cell = self.order[row] * self.names.len() + self.order[column];
        self.faded.get(cell).copied().unwrap_or(false) && self.values[cell].is_finite()
    }

    /// Whether most values in a drawn cell say little.
    fn is_block_faded(&self, row: usize, column: usize, layout: &Layout) -> bool {
        if self.faded.is_empty() {
            return false;
        }
        let (rows, columns) = (layout.members(row), layout.members(column));
        let faded = rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
        2 * faded.filter(|&(row, column)| self.is_faded(row, column)).count() > rows.len() * columns.len()
    }

    /// The mean of the defined values in a drawn cell, undefined if most of them are.
    pub(super) fn block(&self, row: usize, column: usize, layout: &Layout) -> Option<f64> {
        if layout.block == 1 {
            return self.value(row, column);
        }
        let (mut sum, mut defined, mut all) = (0.0, 0usize, 0usize);
        for row in layout.members(row) {
            for column in layout.members(column) {
                all += 1;
                if let Some(value) = self.value(row, column) {
                    sum += value;
                    defined += 1;
                }
            }
        }
        (2 * defined >= all).then(|| sum / defined as f64)
    }

    pub(super) fn single_cells(&self, layout: &Layout) -> Element {
        let shown: Vec<String> =
            self.order.iter().map(|&sample| drawn_name(&self.names[sample], Font::regular(1.0), 40.0)).collect();
        let gap = layout.gap();
        let side = layout.cell - gap;
        let mut cells = Element::new("g").attr("shape-rendering", "crispEdges");
        for row in 0..self.names.len() {
            for column in 0..self.names.len() {
                let value = self.value(row, column);
                let (x, y) = (layout.start(layout.left, column), layout.start(layout.top, row));
                let mut told = value.map_or("undefined".to_string(), |value| decimal(value, 4));
                let mut cell = Element::rect(x + gap / 2.0, y + gap / 2.0, side, side).attr("fill", &self.fill(value));
                if self.is_faded(row, column) {
                    told += ", over few degrees of freedom";
                    cell = cell.attr("fill-opacity", FADED);
                }
                cells.push(cell.tooltip(&format!("{} / {}: {told}", shown[row], shown[column])));
            }
        }
        cells
    }

    pub(super) fn fill(&self, value: Option<f64>) -> Fill {
        value.map_or_else(|| undefined_fill(self.names.len()), |value| Fill::Colour(hex(sequential(value))))
    }

    /// Cells of one colour as one path of horizontal runs, distances in steps of 0.01: a map of
    /// a thousand samples would otherwise have a million elements.
    pub(super) fn merged_cells(&self, layout: &Layout) -> Element {
        const STEPS: f64 = 100.0;
        // Key None (undefined) or the step, and whether it is faded; BTreeMap for a fixed order.
        let mut paths: BTreeMap<(Option<u8>, bool), (String, [i64; 2])> = BTreeMap::new();
        let key = |row, column| {
            let step = self.block(row, column, layout).map(|value| (value.clamp(0.0, 1.0) * STEPS).round() as u8);
            (step, step.is_some() && self.is_block_faded(row, column, layout))
        };
        for row in 0..layout.side {
            let mut start = 0;
            let mut colour = key(row, 0);
            for column in 1..=layout.side {
                let next = (column < layout.side).then(|| key(row, column));
                if next == Some(colour) {
                    continue;
                }
                let (path, pen) = paths.entry(colour).or_default();
                let (x, y, length) = (start as i64, row as i64, (column - start) as i64);
                // Relative moves are the shortest to write; filling closes the rectangle.
                let _ = write!(path, "m{} {}h{length}v1h-{length}", x - pen[0], y - pen[1]);
                *pen = [x, y + 1];
                start = column;
                colour = next.unwrap_or_default();
            }
        }
        let transform =
            format!("translate({} {}) scale({})", number(layout.left), number(layout.top), number(layout.cell));
        let mut cells = Element::new("g").attr("shape-rendering", "crispEdges").attr("transform", transform);
        for ((step, faded), (path, _)) in paths {
            let fill = match step {
                Some(step) => Fill::Colour(hex(sequential(f64::from(step) / STEPS))),
                None => undefined_fill(self.names.len()),
            };
            let path = Element::new("path").attr("fill", &fill).attr("d", path);
            cells.push(if faded { path.attr("fill-opacity", FADED) } else { path });
        }
        cells
    }

    pub(super) fn numbers(&self, layout: &Layout) -> Element {
        let mut numbers = Element::new("g").attr("pointer-events", "none");
        for row in 0..self.names.len() {
            for column in 0..self.names.len() {
                let Some(value) = self.value(row, column) else {
                    continue;
                };
                let (x, y) = (layout.middle(layout.left, column as f64), layout.middle(layout.top, row as f64));
                let text = decimal(value, 3);
                let room = layout.cell - 4.0;
                let font = Font::regular((TEXT.size * room / TEXT.width(&text)).min(TEXT.size));
                let number = Element::text(x, y + font.size * 0.36, font, Anchor::Middle, &text);
                let ink = if self.is_faded(row, column) { FAINT_INK } else { ink_on(sequential(value)) };
                numbers.push(number.attr("fill", ink));
            }
        }
        numbers
    }
}

pub(super) fn undefined_fill(samples: usize) -> Fill {
    if samples <= MAX_TOOLTIPS {
        Fill::Part(HATCH_ID)
    } else {
        // Cells of a few pixels have no room for hatching.
        Fill::Colour(hex(UNDEFINED_SMALL))
    }
}

/// A distance to read, without the sign of a rounding error below zero.
fn decimal(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    match text.strip_prefix('-') {
        Some(rest) if !rest.contains(|c: char| matches!(c, '1'..='9')) => rest.to_string(),
        // No distance is as large; but if one is, its digits must not cover the map.
        _ if value.abs() >= 1000.0 => format!("{value:.0e}"),
        _ => text,
    }
}

pub(super) fn hatching() -> Element {
    const PERIOD: f64 = 6.0;
    Element::new("pattern")
        .attr("id", HATCH_ID)
        .attr("width", PERIOD)
        .attr("height", PERIOD)
        .attr("patternUnits", "userSpaceOnUse")
        .child(Element::rect(0.0, 0.0, PERIOD, PERIOD).attr("fill", hex(UNDEFINED)))
        .child(Element::new("path").attr("d", "M-1 1l2 -2M-1 7l8 -8M5 7l2 -2").attr("stroke", hex(HATCH)))
}
