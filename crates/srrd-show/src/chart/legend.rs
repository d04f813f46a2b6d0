//! Legends: at the right of a chart if the names are short, else below it.

use super::clip::Area;
use super::series::{Style, Styles};
use super::{AXIS, MARGIN, NEAR, SMALL, ink};
use crate::palette::FAINT_INK;
use crate::svg::{Anchor, Element};
use crate::text::{elide, one_line};

/// Height of an entry.
const ROW: f64 = 20.0;
/// Width of the sample before a name.
const SAMPLE: f64 = 26.0;
/// Between a chart and the legend below it.
const ABOVE: f64 = 12.0;
/// Between entries side by side.
const APART: f64 = 16.0;
/// Widest name, and the widest that stands at the right of a chart.
const LONGEST: f64 = 260.0;
const LONGEST_BESIDE: f64 = 130.0;
/// An entry that stands farther than this from the end of its line is joined to it.
const LEADER_FROM: f64 = 4.0;

/// Dashes of reference lines, to tell several apart.
const DASHES: [&str; 3] = ["2 3", "8 3 2 3", "1 5"];

/// What stands before the name.
#[derive(Debug, Clone)]
enum Sample {
    /// A line with a mark, or a mark alone.
    Line(Style),
    Bar(Style),
    Reference(usize),
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    shown: String,
    sample: Sample,
}

impl Entry {
    fn new(name: &str, sample: Sample) -> Self {
        let shown = match one_line(name) {
            name if name.is_empty() => "(no name)".to_string(),
            name => elide(&name, SMALL, LONGEST),
        };
        Entry { name: name.to_string(), shown, sample }
    }

    fn width(&self) -> f64 {
        SAMPLE + NEAR + SMALL.width(&self.shown)
    }
}

/// The entries of a legend, placed relative to its upper left corner.
#[derive(Debug, Clone, Default)]
pub(super) struct Legend {
    entries: Vec<Entry>,
}

/// A legend with its entries in place.
#[derive(Debug, Clone)]
pub(super) struct Placement {
    entries: Vec<PlacedEntry>,
    width: f64,
    height: f64,
}

/// An entry, placed relative to the upper left corner of its legend.
#[derive(Debug, Clone)]
struct PlacedEntry {
    x: f64,
    y: f64,
    entry: Entry,
    /// Where the line ends that the entry names, if it stands at its end.
    end: Option<f64>,
}

impl Legend {
    /// Of lines and points. A single series without a name needs no legend.
    pub(super) fn of_lines(styles: &Styles) -> Self {
        Self::of(styles, Sample::Line)
    }

    /// Of bars.
    pub(super) fn of_bars(styles: &Styles) -> Self {
        Self::of(styles, Sample::Bar)
    }

    fn of(styles: &Styles, sample: impl Fn(Style) -> Sample) -> Self {
        let mut entries: Vec<Entry> = styles.iter().map(|(name, style)| Entry::new(name, sample(*style))).collect();
        if entries.len() == 1 && entries[0].name.is_empty() {
            entries.clear();
        }
        Legend { entries }
    }

    /// With the labels of reference lines.
    pub(super) fn with_references(mut self, labels: &[&str]) -> Self {
        let entries = labels.iter().enumerate();
        self.entries.extend(entries.map(|(number, label)| Entry::new(label, Sample::Reference(number))));
        self
    }

    /// Draws the legend beside an area if there is a placement for that, else below what ends at
    /// `bottom` in a figure of that width. Returns the height of the figure.
    pub(super) fn draw(
        &self,
        beside: Option<Placement>,
        area: &Area,
        bottom: f64,
        width: f64,
        into: &mut Element,
    ) -> f64 {
        match beside {
            Some(beside) => {
                beside.draw_beside(area, into);
                (bottom + MARGIN).ceil()
            }
            None => self.draw_below(bottom, width, into),
        }
    }

    /// Draws the legend below what ends at `bottom` in a figure of that width. Returns the height of the figure.
    pub(super) fn draw_below(&self, bottom: f64, width: f64, into: &mut Element) -> f64 {
        let below = self.below(width - 2.0 * MARGIN);
        below.draw(MARGIN, bottom + ABOVE, into);
        (bottom + below.height_below() + MARGIN).ceil()
    }

    /// In one column for the right side of a chart whose plot is `height` high, unless names are too
    /// long or too many.
    pub(super) fn beside(&self, height: f64) -> Option<Placement> {
        let fits = self.entries.iter().all(|entry| entry.width() <= SAMPLE + NEAR + LONGEST_BESIDE);
        if self.entries.is_empty() || !fits || self.entries.len() as f64 * ROW > height {
            return None;
        }
        let entries = self.entries.iter().enumerate();
        let place = |(row, entry): (usize, &Entry)| PlacedEntry::new(0.0, row as f64 * ROW, entry);
        let entries: Vec<PlacedEntry> = entries.map(place).collect();
        let width = self.entries.iter().map(Entry::width).fold(0.0, f64::max);
        Some(Placement { width, height: entries.len() as f64 * ROW, entries })
    }

    /// In rows that are at most `width` wide.
    fn below(&self, width: f64) -> Placement {
        let (mut x, mut y) = (0.0, 0.0);
        let mut entries = Vec::new();
        for entry in &self.entries {
            if x > 0.0 && x + entry.width() > width {
                (x, y) = (0.0, y + ROW);
            }
            entries.push(PlacedEntry::new(x, y, entry));
            x += entry.width() + APART;
        }
        let height = if entries.is_empty() { 0.0 } else { y + ROW };
        Placement { entries, width, height }
    }
}

impl PlacedEntry {
    fn new(x: f64, y: f64, entry: &Entry) -> Self {
        PlacedEntry { x, y, entry: entry.clone(), end: None }
    }
}

impl Placement {
    /// Moves the entries of a legend beside a plot of that height to the ends of their lines. `end` tells how far below
    /// the top of the plot the line of a name ends; what has no end stays below the others.
    pub(super) fn at_ends(mut self, height: f64, end: impl Fn(&str) -> Option<f64>) -> Self {
        for placed in &mut self.entries {
            placed.end = end(&placed.entry.name);
        }
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        let target = |placed: &PlacedEntry| placed.end.unwrap_or(height) - ROW / 2.0;
        order.sort_by(|&a, &b| target(&self.entries[a]).total_cmp(&target(&self.entries[b])));
        // Down from the top so that none covers the one above it, then up from the bottom so that all are inside.
        let mut free = f64::NEG_INFINITY;
        for &number in &order {
            let y = target(&self.entries[number]).max(free);
            self.entries[number].y = y;
            free = y + ROW;
        }
        let mut lowest = height - ROW / 2.0;
        for &number in order.iter().rev() {
            let y = self.entries[number].y.min(lowest);
            self.entries[number].y = y;
            lowest = y - ROW;
        }
        self
    }

    /// Without the entries whose lines have no end.
    pub(super) fn with_ends(mut self) -> Self {
        self.entries.retain(|placed| placed.end.is_some());
        self
    }

    /// Draws the legend at the right of an area.
    pub(super) fn draw_beside(&self, area: &Area, into: &mut Element) {
        self.draw(area.right + MARGIN, area.top, into);
    }

    /// Draws the legend with its upper left corner at (left, top).
    fn draw(&self, left: f64, top: f64, into: &mut Element) {
        for PlacedEntry { x, y, entry, end } in &self.entries {
            let (x, middle) = (left + x, top + y + ROW / 2.0);
            let mut group = Element::new("g");
            let end = end.map(|end| top + end).filter(|end| (end - middle).abs() > LEADER_FROM);
            match entry.sample {
                Sample::Reference(_) => group = group.attr("class", "legend-reference"),
                Sample::Line(style) | Sample::Bar(style) => {
                    group = group
                        .attr("class", "legend-entry")
                        .attr("data-series", entry.name.as_str())
                        .attr("data-color", style.color.to_string())
                        .attr("tabindex", "0");
                }
            }
            if let Some(end) = end {
                let leader = Element::line(x - MARGIN + 3.0, end, x - 2.0, middle);
                // Not in the group: its middle, which people and programs aim at, would be beside the name.
                into.push(leader.attr("class", "axis").attr("stroke", AXIS).attr("stroke-width", 0.8));
            }
            // Something to hit between the letters.
            let target = Element::rect(x, middle - ROW / 2.0, entry.width(), ROW);
            group.push(target.attr("fill", "none").attr("pointer-events", "all"));
            sample(&entry.sample, x, middle, &mut group);
            let name = ink(x + SAMPLE + NEAR, middle + SMALL.size * 0.36, SMALL, Anchor::Start, &entry.shown);
            group.push(if entry.shown == entry.name { name } else { name.tooltip(&entry.name) });
            into.push(group);
        }
    }

    /// Height of the legend with the room above it.
    fn height_below(&self) -> f64 {
        if self.height > 0.0 { self.height + ABOVE } else { 0.0 }
    }

    /// Width of the legend with the room at its left.
    pub(super) fn width_beside(&self) -> f64 {
        self.width + MARGIN
    }
}

fn sample(sample: &Sample, x: f64, middle: f64, group: &mut Element) {
    match sample {
        Sample::Line(style) => {
            if style.line {
                group.push(stroke(Element::line(x, middle, x + SAMPLE, middle), style).attr("class", "key"));
            }
            group.push(mark("key", style, x + SAMPLE / 2.0, middle, 4.0));
        }
        Sample::Bar(style) => {
            group.push(bar("key", style, Element::rect(x + 1.0, middle - 5.5, 11.0, 11.0)));
            group.push(mark("key", style, x + 20.0, middle, 3.0));
        }
        Sample::Reference(number) => {
            group.push(reference(Element::line(x, middle, x + SAMPLE, middle), *number));
        }
    }
}

/// Sets the line of a series.
pub(super) fn stroke(line: Element, style: &Style) -> Element {
    let line = line.attr("stroke", style.stroke()).attr("stroke-width", 2.0);
    if style.dashed { line.attr("stroke-dasharray", "6 4") } else { line }
}

/// The mark of a series, hollow if it is dashed: a `point` of the data or the `key` of a legend.
pub(super) fn mark(class: &str, style: &Style, x: f64, y: f64, radius: f64) -> Element {
    let mark = style.marker.draw(x, y, radius);
    if style.dashed {
        let mark = mark.attr("class", format!("{class} hollow")).attr("fill", "#ffffff");
        mark.attr("stroke", style.stroke()).attr("stroke-width", 1.5)
    } else {
        mark.attr("class", class).attr("fill", style.stroke())
    }
}

/// A bar of a series: translucent, so that whiskers of the same colour show on it, and paler still
/// if the series is dashed.
pub(super) fn bar(class: &str, style: &Style, rect: Element) -> Element {
    let rect = rect.attr("class", class).attr("fill", style.stroke());
    let opacity = if style.dashed { 0.12 } else { 0.6 };
    rect.attr("fill-opacity", opacity).attr("stroke", style.stroke()).attr("stroke-width", 1.2)
}

/// Sets reference line number `number` of a chart.
pub(super) fn reference(line: Element, number: usize) -> Element {
    line.attr("class", "reference")
        .attr("stroke", FAINT_INK)
        .attr("stroke-width", 1.2)
        .attr("stroke-dasharray", DASHES[number % DASHES.len()])
}
