//! The scale of colours and the legend, at the right of the square.

use super::cells::{FADED, undefined_fill};
use super::layout::Layout;
use super::{BAR_WIDTH, DISTANCE, HeatMap, MAX_LABEL, NEAR, SMALL, TEXT, drawn_name};
use crate::palette::{CATEGORIES, FAINT_INK, OTHER, SEQUENTIAL, categorical, hex, sequential};
use crate::svg::{Anchor, Element, Fill, Id, number};

const BAR_ID: Id = Id("srrd-distance");
const LEGEND_LINE: f64 = 18.0;
const SWATCH: f64 = 12.0;

/// A line of the legend.
#[derive(Debug)]
pub(super) enum Entry {
    Heading(&'static str),
    Swatch { fill: Fill, opacity: f64, text: String, full: String },
}

impl Entry {
    fn swatch(fill: Fill, text: &str) -> Self {
        Entry::Swatch { fill, opacity: 1.0, text: drawn_name(text, TEXT, MAX_LABEL), full: text.to_string() }
    }

    pub(super) fn width(&self) -> f64 {
        match self {
            Entry::Heading(text) => TEXT.width(text),
            Entry::Swatch { text, .. } => SWATCH + NEAR + TEXT.width(text),
        }
    }

    pub(super) fn height(&self) -> f64 {
        match self {
            Entry::Heading(_) => LEGEND_LINE + NEAR,
            Entry::Swatch { .. } => LEGEND_LINE,
        }
    }
}

impl HeatMap {
    pub(super) fn legend_entries(&self, undefined: bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        if undefined {
            let fill = undefined_fill(self.names.len());
            entries.push(Entry::swatch(fill, "undefined"));
        }
        if self.faded.iter().zip(&self.values).any(|(faded, value)| *faded && value.is_finite()) {
            let (fill, text) = (Fill::Colour(hex(sequential(0.4))), "few data".to_string());
            let full = "a distance over few shared transitions or degrees of freedom, mostly noise".to_string();
            entries.push(Entry::Swatch { fill, opacity: FADED, text, full });
        }
        if let Some(classes) = &self.classes {
            entries.push(Entry::Heading("class"));
            let coloured = classes.names.len().min(CATEGORIES);
            for (class, name) in classes.names[..coloured].iter().enumerate() {
                entries.push(Entry::swatch(Fill::Colour(hex(categorical(class))), name));
            }
            if classes.names.len() > coloured {
                let rest = format!("{} more classes", classes.names.len() - coloured);
                entries.push(Entry::swatch(Fill::Colour(hex(OTHER)), &rest));
            }
        }
        entries
    }
}

pub(super) fn legend(layout: &Layout) -> Element {
    let mut legend = Element::new("g");
    let (x, mut y) = (layout.side_left, layout.legend_top);
    for entry in &layout.legend {
        y += entry.height();
        match entry {
            Entry::Heading(text) => legend.push(Element::text(x, y - 5.0, TEXT, Anchor::Start, text)),
            Entry::Swatch { fill, opacity, text, full } => {
                let swatch = Element::rect(x, y - 15.0, SWATCH, SWATCH).attr("fill", fill);
                legend.push(if *opacity < 1.0 { swatch.attr("fill-opacity", *opacity) } else { swatch });
                let text = Element::text(x + SWATCH + NEAR, y - 5.0, TEXT, Anchor::Start, text);
                legend.push(text.tooltip(full));
            }
        }
    }
    legend
}

/// What the colour bar says at which places: distances have words.
pub(super) fn ticks(quantity: &str) -> &'static [(f64, &'static str)] {
    match quantity {
        DISTANCE => &[
            (0.0, "0 equivalent"),
            (0.25, "0.25"),
            (0.5, "0.5"),
            (std::f64::consts::FRAC_1_SQRT_2, "0.71 unrelated"),
            (1.0, "1 opposite"),
        ],
        _ => &[(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")],
    }
}

pub(super) fn colour_bar(layout: &Layout, quantity: &str) -> Element {
    let (x, top, height) = (layout.side_left, layout.bar_top, layout.bar_height);
    let mut gradient = Element::new("linearGradient")
        .attr("id", BAR_ID)
        .attr("x1", 0.0)
        .attr("y1", 1.0)
        .attr("x2", 0.0)
        .attr("y2", 0.0);
    for (index, &colour) in SEQUENTIAL.iter().enumerate() {
        let offset = 100.0 * index as f64 / (SEQUENTIAL.len() - 1) as f64;
        gradient
            .push(Element::new("stop").attr("offset", format!("{}%", number(offset))).attr("stop-color", hex(colour)));
    }
    let mut bar = Element::new("g")
        .child(Element::new("defs").child(gradient))
        .child(Element::text(x, top - 9.0, TEXT, Anchor::Start, quantity))
        .child(Element::rect(x, top, BAR_WIDTH, height).attr("fill", &Fill::Part(BAR_ID)));
    for &(share, text) in ticks(quantity) {
        let y = top + height * (1.0 - share);
        let end = x + BAR_WIDTH;
        bar.push(Element::line(end, y, end + 4.0, y).attr("stroke", FAINT_INK));
        bar.push(Element::text(end + NEAR + 1.0, y + SMALL.size * 0.36, SMALL, Anchor::Start, text));
    }
    bar
}
