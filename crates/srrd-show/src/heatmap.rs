//! The heat map of a square distance matrix.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::FigureError;
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::font::{FONT_STACK, Font};
use crate::order::{Clustering, cluster};
use crate::palette::{
    CATEGORIES, FAINT_INK, HATCH, INK, OTHER, SEQUENTIAL, UNDEFINED, UNDEFINED_SMALL, categorical, hex, ink_on,
    sequential,
};
use crate::svg::{Anchor, Element, Fill, Id, number};
use crate::text::{elide, one_line};

mod layout;

use layout::{Layout, Slant};

/// Up to this many samples every cell shows its number.
const MAX_NUMBERED: usize = 12;
/// Up to this many samples a clustered map has its tree above it.
const MAX_TREE: usize = 100;
/// Up to this many samples every cell is an element of its own with a tooltip.
const MAX_TOOLTIPS: usize = 150;
/// Up to this many samples rows and columns carry names, beyond it positions.
const MAX_NAMED: usize = 300;
/// Largest side of the coloured square. A larger matrix is drawn in blocks of cells.
const MAX_SQUARE: usize = 1050;
/// Largest cell, and the smallest that still has a gap to its neighbours.
const MAX_CELL: usize = 56;
const GAP_CELL: usize = 10;

const MARGIN: f64 = 16.0;
const TITLE: Font = Font::bold(16.0);
const TEXT: Font = Font::regular(12.0);
const SMALL: Font = Font::regular(11.0);
const MAX_LABEL: f64 = 150.0;
const STRIP: f64 = 9.0;
const TREE_HEIGHT: f64 = 64.0;
const BAR_WIDTH: f64 = 16.0;
const LEGEND_LINE: f64 = 18.0;
const SWATCH: f64 = 12.0;
/// Room between the square and what stands around it.
const NEAR: f64 = 6.0;

// Named for the crate, so that they cannot meet other ids where figures stand in one page.
const HATCH_ID: Id = Id("srrd-undefined");
const BAR_ID: Id = Id("srrd-distance");

/// A heat map of the distances between samples.
///
/// Rows and columns are the samples, colours run from 0 (dark) to 1 (light), and cells without a
/// finite value are drawn as "undefined". How much is written into the map depends on the number
/// of samples: the numbers themselves up to 12, tooltips on the cells up to 150, names up to 300
/// (thinned where they would overlap), positions beyond. Above 1050 samples each drawn cell is
/// the mean of a block of cells, and the figure says so.
///
/// No figure is wider or higher than about 1600 pixels at scale 1.
#[derive(Debug, Clone)]
pub struct HeatMap {
    title: String,
    names: Vec<String>,
    /// n × n, in the order of `names`.
    values: Vec<f64>,
    classes: Option<Classes>,
    /// The sample drawn at each position.
    order: Vec<usize>,
    clustering: Option<Clustering>,
    /// What the values are.
    quantity: String,
}

#[derive(Debug, Clone)]
struct Classes {
    /// Sorted, so that a class keeps its colour when samples come in another order.
    names: Vec<String>,
    /// The class of every sample.
    of: Vec<usize>,
}

impl HeatMap {
    /// A heat map of `values`, the matrix of distances row after row; NaN is "undefined".
    ///
    /// The samples are drawn in the order given until [`clustered`](Self::clustered) or
    /// [`ordered`](Self::ordered) says otherwise. An empty title takes no room.
    ///
    /// # Errors
    ///
    /// [`FigureError::Empty`] without samples, [`FigureError::Shape`] unless there is a value for
    /// every pair of samples.
    pub fn new(title: impl Into<String>, names: Vec<String>, values: Vec<f64>) -> Result<Self, FigureError> {
        let samples = names.len();
        if samples == 0 {
            return Err(FigureError::Empty);
        }
        if samples.checked_mul(samples) != Some(values.len()) {
            return Err(FigureError::Shape { samples, values: values.len() });
        }
        Ok(HeatMap {
            title: title.into(),
            order: (0..samples).collect(),
            names,
            values,
            classes: None,
            clustering: None,
            quantity: "distance".to_string(),
        })
    }

    /// Says what the values are, where they are no distances; between 0 and 1 all the same.
    #[must_use]
    pub fn measuring(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = quantity.into();
        self
    }

    /// Adds the class of every sample (in the order of the names), drawn as a coloured strip
    /// along rows and columns with a legend. The first 24 classes by name have a colour each, the
    /// rest share a grey.
    ///
    /// # Errors
    ///
    /// [`FigureError::Classes`] unless there is one class for every sample.
    pub fn with_classes<S: AsRef<str>>(mut self, classes: &[S]) -> Result<Self, FigureError> {
        if classes.len() != self.names.len() {
            return Err(FigureError::Classes { samples: self.names.len(), classes: classes.len() });
        }
        let mut names: Vec<&str> = classes.iter().map(AsRef::as_ref).collect();
        names.sort_unstable_by(|a, b| natural_order(a, b));
        names.dedup();
        let numbers: BTreeMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let of = classes.iter().map(|class| numbers[class.as_ref()]).collect();
        let names = names.into_iter().map(String::from).collect();
        self.classes = Some(Classes { names, of });
        Ok(self)
    }

    /// Orders the samples by [average-linkage clustering](crate::clustered_order) and, up to
    /// 100 samples, draws the tree of merges above the map.
    pub fn clustered(mut self) -> Self {
        let clustering = cluster(self.names.len(), &self.values);
        self.order.clone_from(&clustering.order);
        self.clustering = Some(clustering);
        self
    }

    /// Draws the samples in this order: `order[0]` is the number of the sample that comes first.
    ///
    /// # Errors
    ///
    /// [`FigureError::Order`] if `order` is not a permutation of the samples.
    pub fn ordered(mut self, order: Vec<usize>) -> Result<Self, FigureError> {
        let samples = self.names.len();
        let mut seen = vec![false; samples];
        for &sample in &order {
            match seen.get_mut(sample) {
                Some(mark) if !*mark => *mark = true,
                _ => return Err(FigureError::Order { samples }),
            }
        }
        if order.len() != samples {
            return Err(FigureError::Order { samples });
        }
        self.order = order;
        self.clustering = None;
        Ok(self)
    }

    /// The sample drawn at each position, from the top and from the left.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    fn description(&self) -> String {
        let samples = self.names.len();
        let plural = if samples == 1 { "" } else { "s" };
        format!("{}: heat map of the {}s between {samples} sample{plural}", self.title, self.quantity)
            .trim_start_matches(": ")
            .to_string()
    }

    /// The value at a place of the drawing.
    fn value(&self, row: usize, column: usize) -> Option<f64> {
        let value = self.values[self.order[row] * self.names.len() + self.order[column]];
        value.is_finite().then_some(value)
    }

    /// The mean of the defined values in a drawn cell, undefined if most of them are.
    fn block(&self, row: usize, column: usize, layout: &Layout) -> Option<f64> {
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

    fn single_cells(&self, layout: &Layout) -> Element {
        let shown: Vec<String> =
            self.order.iter().map(|&sample| shown(&self.names[sample], Font::regular(1.0), 40.0)).collect();
        let gap = layout.gap();
        let side = layout.cell - gap;
        let mut cells = Element::new("g").attr("shape-rendering", "crispEdges");
        for row in 0..self.names.len() {
            for column in 0..self.names.len() {
                let value = self.value(row, column);
                let (x, y) = (layout.start(layout.left, column), layout.start(layout.top, row));
                let told = value.map_or("undefined".to_string(), |value| decimal(value, 4));
                cells.push(
                    Element::rect(x + gap / 2.0, y + gap / 2.0, side, side)
                        .attr("fill", &self.fill(value))
                        .tooltip(&format!("{} / {}: {told}", shown[row], shown[column])),
                );
            }
        }
        cells
    }

    fn fill(&self, value: Option<f64>) -> Fill {
        value.map_or_else(|| undefined_fill(self.names.len()), |value| Fill::Colour(hex(sequential(value))))
    }

    /// Cells of one colour as one path of horizontal runs, distances in steps of 0.01: a map of
    /// a thousand samples would otherwise have a million elements.
    fn merged_cells(&self, layout: &Layout) -> Element {
        const STEPS: f64 = 100.0;
        // Key None (undefined) or the step; BTreeMap for a fixed order.
        let mut paths: BTreeMap<Option<u8>, (String, [i64; 2])> = BTreeMap::new();
        let key =
            |row, column| self.block(row, column, layout).map(|value| (value.clamp(0.0, 1.0) * STEPS).round() as u8);
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
        for (step, (path, _)) in paths {
            let fill = match step {
                Some(step) => Fill::Colour(hex(sequential(f64::from(step) / STEPS))),
                None => undefined_fill(self.names.len()),
            };
            cells.push(Element::new("path").attr("fill", &fill).attr("d", path));
        }
        cells
    }

    fn numbers(&self, layout: &Layout) -> Element {
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
                numbers.push(number.attr("fill", ink_on(sequential(value))));
            }
        }
        numbers
    }

    fn strips(&self, classes: &Classes, layout: &Layout) -> Element {
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

    fn labels(&self, layout: &Layout) -> Element {
        let font = layout.label_font;
        let size = font.size;
        let right = layout.left - layout.strip - NEAR;
        let bottom = layout.top + layout.square + NEAR;
        let mut group = Element::new("g");
        let mut ticks = Element::new("g").attr("stroke", FAINT_INK);
        for label in &layout.labels {
            let (x, y) = (layout.middle(layout.left, label.at), layout.middle(layout.top, label.at));
            let row = Element::text(right, y + size * 0.36, font, Anchor::End, &label.text);
            let column = match layout.slant {
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
            if layout.ticked {
                ticks.push(Element::line(x, bottom - NEAR, x, bottom - 2.0));
                if layout.strip == 0.0 {
                    ticks.push(Element::line(right + 2.0, y, right + NEAR, y));
                }
            }
        }
        if layout.ticked {
            group.push(ticks);
        }
        if layout.positions {
            let below = bottom + layout.columns_height + SMALL.size + 6.0;
            let middle = layout.left + layout.square / 2.0;
            group.push(Element::text(middle, below, TEXT, Anchor::Middle, "sample, in the order drawn"));
        }
        group
    }

    fn legend_entries(&self, undefined: bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        if undefined {
            let fill = undefined_fill(self.names.len());
            entries.push(Entry::swatch(fill, "undefined"));
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

impl Figure for HeatMap {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let layout = Layout::of(self);
        let mut root = Element::root(layout.width, layout.height, &self.description());
        if layout.undefined {
            root.push(Element::new("defs").child(hatching()));
        }
        let mut figure = Element::new("g").attr("font-family", FONT_STACK).attr("fill", INK);
        for (index, line) in layout.title.iter().enumerate() {
            let baseline = MARGIN + TITLE.size + index as f64 * (TITLE.size + 4.0);
            figure.push(Element::text(MARGIN, baseline, TITLE, Anchor::Start, line).tooltip(&self.title));
        }
        if let Some(clustering) = self.clustering.as_ref().filter(|_| layout.tree) {
            figure.push(tree(clustering, &layout));
            figure.push(tree_scale(clustering, &layout));
        }
        if let Some(classes) = &self.classes {
            figure.push(self.strips(classes, &layout));
        }
        figure.push(if self.names.len() <= MAX_TOOLTIPS {
            self.single_cells(&layout)
        } else {
            self.merged_cells(&layout)
        });
        if self.names.len() <= MAX_NUMBERED {
            figure.push(self.numbers(&layout));
        }
        figure.push(self.labels(&layout));
        figure.push(colour_bar(&layout, &self.quantity));
        figure.push(legend(&layout));
        for (index, note) in layout.notes.iter().enumerate() {
            let baseline = layout.notes_top + (index as f64 + 1.0) * 15.0;
            let text = Element::text(MARGIN, baseline, SMALL, Anchor::Start, note).attr("fill", FAINT_INK);
            figure.push(text);
        }
        root.push(figure);
        Drawing::new(root)
    }
}

/// A line of the legend.
#[derive(Debug)]
enum Entry {
    Heading(&'static str),
    Swatch { fill: Fill, text: String, full: String },
}

impl Entry {
    fn swatch(fill: Fill, text: &str) -> Self {
        Entry::Swatch { fill, text: shown(text, TEXT, MAX_LABEL), full: text.to_string() }
    }

    fn width(&self) -> f64 {
        match self {
            Entry::Heading(text) => TEXT.width(text),
            Entry::Swatch { text, .. } => SWATCH + NEAR + TEXT.width(text),
        }
    }

    fn height(&self) -> f64 {
        match self {
            Entry::Heading(_) => LEGEND_LINE + NEAR,
            Entry::Swatch { .. } => LEGEND_LINE,
        }
    }
}

fn legend(layout: &Layout) -> Element {
    let mut legend = Element::new("g");
    let (x, mut y) = (layout.side_left, layout.legend_top);
    for entry in &layout.legend {
        y += entry.height();
        match entry {
            Entry::Heading(text) => legend.push(Element::text(x, y - 5.0, TEXT, Anchor::Start, text)),
            Entry::Swatch { fill, text, full } => {
                legend.push(Element::rect(x, y - 15.0, SWATCH, SWATCH).attr("fill", fill));
                let text = Element::text(x + SWATCH + NEAR, y - 5.0, TEXT, Anchor::Start, text);
                legend.push(text.tooltip(full));
            }
        }
    }
    legend
}

fn colour_bar(layout: &Layout, quantity: &str) -> Element {
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
    for (share, text) in [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")] {
        let y = top + height * (1.0 - share);
        let end = x + BAR_WIDTH;
        bar.push(Element::line(end, y, end + 4.0, y).attr("stroke", FAINT_INK));
        bar.push(Element::text(end + NEAR + 1.0, y + SMALL.size * 0.36, SMALL, Anchor::Start, text));
    }
    bar
}

/// The merges as brackets whose height is the distance between what they join.
fn tree(clustering: &Clustering, layout: &Layout) -> Element {
    let samples = clustering.order.len();
    // Where each label's stem stands and how high it begins.
    let mut stems = vec![(0.0, 0.0); samples];
    for (position, &sample) in clustering.order.iter().enumerate() {
        stems[sample].0 = layout.middle(layout.left, position as f64);
    }
    let highest = tree_top(clustering);
    let mut path = String::new();
    for merge in &clustering.merges {
        let [(x1, low1), (x2, low2)] = merge.parts.map(|label| stems[label]);
        let height = (merge.distance / highest).clamp(0.0, 1.0);
        let y = |height: f64| number(layout.tree_bottom - height * TREE_HEIGHT);
        let _ = write!(path, "M{} {}V{}H{}V{}", number(x1), y(low1), y(height), number(x2), y(low2));
        stems.push(((x1 + x2) / 2.0, height));
    }
    Element::new("path").attr("fill", "none").attr("stroke", FAINT_INK).attr("d", path)
}

/// The scale at the side of the tree.
fn tree_scale(clustering: &Clustering, layout: &Layout) -> Element {
    let x = layout.left - NEAR;
    let (bottom, top) = (layout.tree_bottom, layout.tree_bottom - TREE_HEIGHT);
    let mut scale =
        Element::new("g").attr("fill", FAINT_INK).child(Element::line(x, top, x, bottom).attr("stroke", FAINT_INK));
    let highest = format!("{:.2}", tree_top(clustering));
    for (y, text) in [(bottom, "0"), (top, highest.as_str())] {
        scale.push(Element::line(x - 4.0, y, x, y).attr("stroke", FAINT_INK));
        scale.push(Element::text(x - NEAR, y + SMALL.size * 0.36, SMALL, Anchor::End, text));
    }
    let middle = (top + bottom) / 2.0 + SMALL.size * 0.36;
    scale.push(Element::text(x - NEAR, middle, SMALL, Anchor::End, "linkage"));
    scale
}

/// The distance at the top of the tree: the last merge's, or 1 if nothing is apart.
fn tree_top(clustering: &Clustering) -> f64 {
    let highest = clustering.merges.iter().map(|merge| merge.distance).fold(0.0, f64::max);
    if highest > 0.0 { highest } else { 1.0 }
}

fn turned(x: f64, y: f64, degrees: i32, font: Font, text: &str) -> Element {
    let transform = format!("rotate({degrees} {} {})", number(x), number(y));
    Element::text(x, y, font, Anchor::End, text).attr("transform", transform)
}

fn undefined_fill(samples: usize) -> Fill {
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

/// A name as it is drawn: on one line, not too long, never nothing.
fn shown(name: &str, font: Font, room: f64) -> String {
    match one_line(name) {
        name if name.is_empty() => "(no name)".to_string(),
        name => elide(&name, font, room),
    }
}

/// Order of texts in which numbers inside them count as numbers: `run 2` before `run 10`.
fn natural_order(a: &str, b: &str) -> Ordering {
    let numbers_first = |text: &str| {
        let mut pieces: Vec<(Option<u64>, String)> = Vec::new();
        for piece in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
            let digits = piece.trim_end_matches(|c: char| !c.is_ascii_digit());
            if !digits.is_empty() {
                pieces.push((Some(digits.parse().unwrap_or(u64::MAX)), String::new()));
            }
            pieces.push((None, piece[digits.len()..].to_string()));
        }
        pieces
    };
    // Texts that differ only in leading zeros are still different.
    let by_numbers = numbers_first(a).cmp(&numbers_first(b));
    by_numbers.then_with(|| a.cmp(b))
}

fn hatching() -> Element {
    const PERIOD: f64 = 6.0;
    Element::new("pattern")
        .attr("id", HATCH_ID)
        .attr("width", PERIOD)
        .attr("height", PERIOD)
        .attr("patternUnits", "userSpaceOnUse")
        .child(Element::rect(0.0, 0.0, PERIOD, PERIOD).attr("fill", hex(UNDEFINED)))
        .child(Element::new("path").attr("d", "M-1 1l2 -2M-1 7l8 -8M5 7l2 -2").attr("stroke", hex(HATCH)))
}

// The tests read the SVG back with the rasterizer's parser.
#[cfg(all(test, feature = "png"))]
mod tests;
