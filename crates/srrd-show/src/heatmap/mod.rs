//! The heat map of a square distance matrix, and the order that clustering gives its rows.

use srrd::cluster::ClusterTree;

use crate::FigureError;
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::font::{FONT_STACK, Font};
use crate::palette::{FAINT_INK, INK};
use crate::svg::{Anchor, Element};
use crate::text::{elide, one_line};

mod around;
mod cells;
mod classes;
mod layout;
mod legend;
mod tree;

use cells::hatching;
use classes::Classes;
use layout::Layout;
use legend::{colour_bar, legend};
use tree::{tree, tree_scale};

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
/// What the values are unless it is said otherwise.
const DISTANCE: &str = "distance";
/// Room between the square and what stands around it.
const NEAR: f64 = 6.0;

/// A heat map of the distances between samples.
///
/// Rows and columns are the samples, colours run from 0 (dark) to 1 (light), and cells without a
/// finite value are drawn as "undefined". How much is written into the map depends on the number
/// of samples: the numbers themselves up to 12, tooltips on the cells up to 150, names up to 300
/// (thinned where they would overlap), positions beyond. Above 1050 samples each drawn cell is
/// the mean of a block of cells, and the figure says so.
///
/// No figure is wider or higher than about 1600 pixels at scale 1.
///
/// ```
/// use srrd_show::{Figure, HeatMap};
///
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let distances = vec![0.0, 0.8, 0.1, 0.8, 0.0, f64::NAN, 0.1, f64::NAN, 0.0];
/// let map = HeatMap::new("Distances", names, distances)?.with_classes(&["x", "y", "x"])?.clustered();
/// assert_eq!(map.order(), [1, 0, 2]);
/// assert!(map.to_svg().contains("undefined"));
/// # Ok::<(), srrd_show::FigureError>(())
/// ```
#[derive(Debug, Clone)]
pub struct HeatMap {
    title: String,
    names: Vec<String>,
    /// n × n, in the order of `names`.
    values: Vec<f64>,
    classes: Option<Classes>,
    /// The sample drawn at each position.
    order: Vec<usize>,
    clustering: Option<ClusterTree>,
    /// The group of every sample, if they are in groups.
    groups: Option<Vec<usize>>,
    /// Whether a value says little, by pair as `values`; empty where none does.
    faded: Vec<bool>,
    /// What the values are.
    quantity: String,
}

impl HeatMap {
    /// A heat map of `values`, the matrix of distances row after row; NaN is "undefined".
    ///
    /// The samples are drawn in the order given until [`clustered`](Self::clustered) says
    /// otherwise. An empty title takes no room.
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
            groups: None,
            faded: Vec::new(),
            quantity: DISTANCE.to_string(),
        })
    }

    /// Says what the values are if they are not distances. They are still between 0 and 1.
    #[must_use]
    pub fn measuring(mut self, quantity: impl Into<String>) -> Self {
        self.quantity = quantity.into();
        self
    }

    /// Adds the class of every sample (in the order of the names), drawn as a coloured strip
    /// along rows and columns with a legend. Each of the first 24 classes by name has its
    /// own colour, the rest share a grey.
    ///
    /// # Errors
    ///
    /// [`FigureError::Classes`] unless there is one class for every sample.
    pub fn with_classes<S: AsRef<str>>(mut self, classes: &[S]) -> Result<Self, FigureError> {
        if classes.len() != self.names.len() {
            return Err(FigureError::Classes { samples: self.names.len(), classes: classes.len() });
        }
        self.classes = Some(Classes::new(classes));
        Ok(self)
    }

    /// Orders the samples by [average-linkage clustering](srrd::cluster::ClusterTree::average) and, up to
    /// 100 samples, draws the tree of merges above the map.
    pub fn clustered(mut self) -> Self {
        let clustering = ClusterTree::average(self.names.len(), &self.values).unwrap_or_default();
        self.order = clustering.order().to_vec();
        self.clustering = Some(clustering);
        self
    }

    /// Outlines groups of samples, such as [`Clusters::labels`](srrd::cluster::Clusters): neighbours in the drawn order that have
    /// the same number.
    ///
    /// # Errors
    ///
    /// [`FigureError::Classes`] unless there is one group for every sample.
    pub fn grouped(mut self, groups: &[usize]) -> Result<Self, FigureError> {
        if groups.len() != self.names.len() {
            return Err(FigureError::Classes { samples: self.names.len(), classes: groups.len() });
        }
        self.groups = Some(groups.to_vec());
        Ok(self)
    }

    /// Fades the cells of these pairs of samples, in both halves: their distances say little. Pairs that are none are ignored.
    #[must_use]
    pub fn fading(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let samples = self.names.len();
        for (a, b) in pairs.into_iter().filter(|&(a, b)| a < samples && b < samples) {
            self.faded.resize(samples * samples, false);
            self.faded[a * samples + b] = true;
            self.faded[b * samples + a] = true;
        }
        self
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
        if let Some(groups) = &self.groups {
            figure.push(self.outlines(groups, &layout));
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

/// A name as it is drawn: on one line, not too long, never nothing.
fn drawn_name(name: &str, font: Font, room: f64) -> String {
    match one_line(name) {
        name if name.is_empty() => "(no name)".to_string(),
        name => elide(&name, font, room),
    }
}

// The tests read the SVG back with the rasterizer's parser.
#[cfg(all(test, feature = "png"))]
mod tests;
