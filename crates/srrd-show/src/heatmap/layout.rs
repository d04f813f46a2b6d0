//! Where everything in a heat map stands.

use std::collections::BTreeSet;

use super::legend::{Entry, ticks};
use super::{
    BAR_WIDTH, GAP_CELL, HeatMap, MARGIN, MAX_CELL, MAX_LABEL, MAX_NAMED, MAX_SQUARE, MAX_TREE, NEAR, SMALL, STRIP,
    TEXT, TITLE, TREE_HEIGHT, drawn_name,
};
use crate::font::Font;
use crate::text::{one_line, wrap};
use crate::ticks::round_ticks;

/// Smallest distance between the baselines of two names.
const LABEL_PITCH: f64 = 10.0;
/// Smallest width of a figure, for its title's sake.
const MIN_WIDTH: f64 = 340.0;

#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Vec<String>,

    /// Samples per drawn cell along a side.
    pub(super) block: usize,
    /// Drawn cells along a side.
    pub(super) side: usize,
    samples: usize,
    /// Side of a drawn cell and of the whole square in pixels.
    pub(super) cell: f64,
    pub(super) square: f64,
    /// Upper left corner of the square.
    pub(super) left: f64,
    pub(super) top: f64,

    /// Whether the tree of a clustering is drawn, and where its leaves stand.
    pub(super) tree: bool,
    pub(super) tree_bottom: f64,
    /// Room taken by the strip of classes, if there is one.
    pub(super) strip: f64,

    pub(super) names: Names,

    /// Left edge of colour bar and legend.
    pub(super) side_left: f64,
    pub(super) bar_top: f64,
    pub(super) bar_height: f64,
    pub(super) undefined: bool,
    pub(super) legend: Vec<Entry>,
    pub(super) legend_top: f64,

    pub(super) notes: Vec<String>,
    pub(super) notes_top: f64,
}

/// The labels of rows and columns.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) labels: Vec<Label>,
    pub(super) font: Font,
    pub(super) slant: Slant,
    /// One position in so many has a label.
    stride: usize,
    /// Whether the labels are positions instead of names.
    pub(super) positions: bool,
    /// Width of the longest label.
    longest: f64,
    /// Height of the labels below the columns.
    pub(super) height: f64,
}

impl Names {
    fn of(map: &HeatMap, cell: f64, block: usize) -> Self {
        let positions = map.names.len() > MAX_NAMED;
        let stride = if cell >= LABEL_PITCH { 1 } else { ((LABEL_PITCH + 1.0) / cell).ceil() as usize };
        let (labels, font) = if positions {
            (position_labels(map.names.len(), block), SMALL)
        } else {
            let font = Font::regular((cell - 1.0).clamp(LABEL_PITCH - 1.0, TEXT.size));
            (name_labels(map, stride, font), font)
        };
        let longest = labels.iter().map(|label| font.width(&label.text)).fold(0.0, f64::max);
        let slant = if positions || longest <= cell - 6.0 {
            Slant::Level
        } else if cell >= 18.0 {
            Slant::Diagonal
        } else {
            Slant::Upright
        };
        let height = match slant {
            Slant::Level => font.size,
            Slant::Diagonal => (longest + font.size) * 0.71 + font.size * 0.6,
            Slant::Upright => longest,
        };
        Names { labels, font, slant, stride, positions, longest, height }
    }

    /// Whether labels need a tick because not every cell has one.
    pub(super) fn ticked(&self) -> bool {
        self.positions || self.stride > 1
    }
}

/// A label of a row and of the column with the same number.
#[derive(Debug)]
pub(super) struct Label {
    /// In drawn cells; the middle of the first is 0.
    pub(super) at: f64,
    pub(super) text: String,
    /// The whole name, where there is one.
    pub(super) full: Option<String>,
}

/// How column labels are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slant {
    Level,
    Diagonal,
    Upright,
}

impl Layout {
    pub(super) fn of(map: &HeatMap) -> Self {
        let samples = map.names.len();
        let block = samples.div_ceil(MAX_SQUARE);
        let side = samples.div_ceil(block);
        // More samples may take more room, but less of it each.
        let room = (500 + 4 * side).clamp(600, MAX_SQUARE);
        let cell_pixels = (room / side).clamp(1, MAX_CELL);
        let cell = cell_pixels as f64;
        let square = cell * side as f64;

        let names = Names::of(map, cell, block);

        let tree = map.clustering.is_some() && (2..=MAX_TREE).contains(&samples);
        let strip = if map.classes.is_some() { STRIP + NEAR / 2.0 } else { 0.0 };
        let beside = if tree {
            // The scale of the tree stands above the row labels.
            names.longest.max(SMALL.width("linkage") + NEAR - strip)
        } else {
            names.longest
        };
        let left = (MARGIN + beside + NEAR + strip).round();

        let undefined = map.values.iter().any(|value| !value.is_finite());
        let legend = map.legend_entries(undefined);
        let side_left = left + square + 24.0;
        let side_width = legend
            .iter()
            .map(Entry::width)
            .chain(ticks(&map.quantity).iter().map(|(_, text)| BAR_WIDTH + NEAR + 1.0 + SMALL.width(text)))
            .fold(0.0, f64::max)
            .max(TEXT.width(&map.quantity));
        let figure_width = (side_left + side_width + MARGIN).max(MIN_WIDTH).ceil();

        let inner = figure_width - 2.0 * MARGIN;
        let title = wrap(&one_line(&map.title), TITLE, inner, 3);
        let title_bottom = match title.len() {
            0 => MARGIN,
            lines => MARGIN + lines as f64 * (TITLE.size + 4.0) + 12.0,
        };
        let tree_bottom = title_bottom + TREE_HEIGHT;
        let tree_room = if tree { TREE_HEIGHT + NEAR / 2.0 } else { 0.0 };
        let top = (title_bottom + tree_room + strip).round();

        let bar_top = top + 20.0;
        let bar_height = (square - 20.0).clamp(110.0, 260.0);
        let legend_top = bar_top + bar_height + 14.0;
        let side_bottom = legend_top + legend.iter().map(Entry::height).sum::<f64>();
        let caption = if names.positions { SMALL.size + 10.0 } else { 0.0 };
        let square_bottom = top + square + NEAR + names.height + caption;
        let notes_top = side_bottom.max(square_bottom) + 8.0;
        let notes = notes(map, block, if names.positions { 1 } else { names.stride });
        let notes = wrap(&notes, SMALL, inner, 3);

        Layout {
            width: figure_width,
            height: (notes_top + notes.len() as f64 * 15.0 + MARGIN - 4.0).ceil(),
            title,
            block,
            side,
            samples,
            cell,
            square,
            left,
            top,
            tree,
            tree_bottom,
            strip,
            names,
            side_left,
            bar_top,
            bar_height,
            undefined,
            legend,
            legend_top,
            notes,
            notes_top,
        }
    }

    /// The positions drawn in cell `cell` of a row or column.
    pub(super) fn members(&self, cell: usize) -> std::ops::Range<usize> {
        cell * self.block..((cell + 1) * self.block).min(self.samples)
    }

    /// Where a cell begins, counted from `origin` (the square's left or top).
    pub(super) fn start(&self, origin: f64, cell: usize) -> f64 {
        origin + cell as f64 * self.cell
    }

    /// The middle of a cell, counted from `origin`.
    pub(super) fn middle(&self, origin: f64, cell: f64) -> f64 {
        origin + (cell + 0.5) * self.cell
    }

    /// Room left free between cells that are large enough for it.
    pub(super) fn gap(&self) -> f64 {
        if self.cell >= GAP_CELL as f64 { 1.0 } else { 0.0 }
    }
}

fn name_labels(map: &HeatMap, stride: usize, font: Font) -> Vec<Label> {
    let samples = map.order.iter().enumerate().step_by(stride);
    samples
        .map(|(position, &sample)| Label {
            at: position as f64,
            text: drawn_name(&map.names[sample], font, MAX_LABEL),
            full: Some(map.names[sample].clone()),
        })
        .collect()
}

fn position_labels(samples: usize, block: usize) -> Vec<Label> {
    round_ticks(1, samples, 10)
        .into_iter()
        .map(|position| Label {
            at: (position as f64 - 0.5) / block as f64 - 0.5,
            text: position.to_string(),
            full: None,
        })
        .collect()
}

fn notes(map: &HeatMap, block: usize, stride: usize) -> String {
    let mut notes = Vec::new();
    if map.clustering.is_some() && map.names.len() > 1 {
        notes.push("Ordered by average-linkage clustering.".to_string());
    }
    if let Some(groups) = &map.groups {
        let count = groups.iter().collect::<BTreeSet<_>>().len();
        notes.push(if count == 1 { "All are one group.".to_string() } else { format!("{count} groups are outlined.") });
    }
    if stride > 1 {
        notes.push(format!("One name in {stride} is shown."));
    }
    if block > 1 {
        notes.push(format!("{} samples: each cell drawn is the mean of {block} × {block} distances.", map.names.len()));
    }
    notes.join(" ")
}
