//! What stands along the sides of the square: strips of classes and names.

use super::classes::Classes;
use super::layout::{Layout, Slant};
use super::{HeatMap, NEAR, SMALL, STRIP, TEXT};
use crate::font::Font;
use crate::palette::{FAINT_INK, INK, categorical, hex};
use crate::svg::{Anchor, Element, number};

impl HeatMap {
    pub(super) fn strips(&self, classes: &Classes, layout: &Layout) -> Element {
        let mut strips = Element::new("g").attr("shape-rendering", "crispEdges");
        let (x, y) = (layout.left - NEAR / 2.0 - STRIP, layout.top - NEAR / 2.0 - STRIP);
        // Where names are shown cells have gaps, and the strip has the same ones.
        let gap = layout.gap();
        let class_at = |position: usize| classes.of[self.order[layout.members(position).start]];
        let mut start = 0;
        for end in 1..=layout.side {
            let class = class_at(start);
            if gap == 0.0 && end < layout.side && class_at(end) == class {
                continue;
            }
            let length = (end - start) as f64 * layout.cell - gap;
            let fill = hex(categorical(class));
            let column = Element::rect(layout.start(layout.left, start) + gap / 2.0, y, length, STRIP);
            let row = Element::rect(x, layout.start(layout.top, start) + gap / 2.0, STRIP, length);
            for piece in [column, row] {
                let piece = piece.attr("fill", fill.as_str());
                strips.push(piece.tooltip(&classes.names[class]));
            }
            start = end;
        }
        strips
    }

    /// Squares around groups that stand side by side.
    pub(super) fn outlines(&self, groups: &[usize], layout: &Layout) -> Element {
        let mut outlines = Element::new("g").attr("class", "groups").attr("fill", "none").attr("stroke", INK);
        let group_at = |position: usize| groups[self.order[layout.members(position).start]];
        let mut start = 0;
        for end in 1..=layout.side {
            if end < layout.side && group_at(end) == group_at(start) {
                continue;
            }
            let length = (end - start) as f64 * layout.cell;
            let (x, y) = (layout.start(layout.left, start), layout.start(layout.top, start));
            let told = format!("group {}", group_at(start));
            outlines.push(Element::rect(x, y, length, length).attr("stroke-width", 2.0).tooltip(&told));
            start = end;
        }
        outlines.attr("pointer-events", "none")
    }

    pub(super) fn labels(&self, layout: &Layout) -> Element {
        let font = layout.names.font;
        let size = font.size;
        let right = layout.left - layout.strip - NEAR;
        let bottom = layout.top + layout.square + NEAR;
        let mut group = Element::new("g");
        let mut ticks = Element::new("g").attr("stroke", FAINT_INK);
        for label in &layout.names.labels {
            let (x, y) = (layout.middle(layout.left, label.at), layout.middle(layout.top, label.at));
            let row = Element::text(right, y + size * 0.36, font, Anchor::End, &label.text);
            let column = match layout.names.slant {
                Slant::Level => Element::text(x, bottom + size, font, Anchor::Middle, &label.text),
                Slant::Diagonal => turned(x + size * 0.3, bottom + size * 0.6, -45, font, &label.text),
                Slant::Upright => turned(x + size * 0.36, bottom, -90, font, &label.text),
            };
            for text in [row, column] {
                group.push(match &label.full {
                    Some(full) => text.tooltip(full),
                    None => text,
                });
            }
            if layout.names.ticked() {
                ticks.push(Element::line(x, bottom - NEAR, x, bottom - 2.0));
                if layout.strip == 0.0 {
                    ticks.push(Element::line(right + 2.0, y, right + NEAR, y));
                }
            }
        }
        if layout.names.ticked() {
            group.push(ticks);
        }
        if layout.names.positions {
            let below = bottom + layout.names.height + SMALL.size + 6.0;
            let middle = layout.left + layout.square / 2.0;
            group.push(Element::text(middle, below, TEXT, Anchor::Middle, "sample, in the order drawn"));
        }
        group
    }
}

fn turned(x: f64, y: f64, degrees: i32, font: Font, text: &str) -> Element {
    let transform = format!("rotate({degrees} {} {})", number(x), number(y));
    Element::text(x, y, font, Anchor::End, text).attr("transform", transform)
}
