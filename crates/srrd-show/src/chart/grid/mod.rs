//! Values on the cells of a grid and on the steps between them.

use super::frame::axis_line;
use super::numbers::short;
use super::{GRID, LEADING, MARGIN, NEAR, SMALL, TEXT, document, ink};
use crate::FigureError;
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::font::Font;
use crate::palette::{INK, UNDEFINED_SMALL, hex, ink_on};
use crate::svg::{Anchor, Element, number};

mod layout;
mod scale;

use layout::Layout;
use scale::draw_missing;
pub(super) use scale::{Ramp, Scale};

/// Most cells along a side.
const MOST_CELLS: usize = 200;
/// Smaller cells have no number written into them.
const NUMBERED_CELL: f64 = 34.0;
/// Smaller cells touch each other.
const GAP_CELL: f64 = 10.0;

/// Height of the bar of a scale.
const BAR_HEIGHT: f64 = 110.0;

/// The value of a step from one cell to a neighbouring one.
///
/// ```
/// use srrd_show::chart::Arrow;
///
/// let upwards = Arrow::new(2, 0, 0, 1, -0.25);
/// assert_eq!((upwards.x, upwards.dy), (2, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrow {
    /// Column of the cell it starts from.
    pub x: usize,
    /// Row of the cell it starts from.
    pub y: usize,
    /// Columns to go: −1, 0 or 1.
    pub dx: i32,
    /// Rows to go: −1, 0 or 1. A step that stays (0, 0) is drawn as a dot.
    pub dy: i32,
    /// Its value; without a finite one the arrow is left out.
    pub value: f64,
}

impl Arrow {
    /// The step from cell (x, y) by (dx, dy).
    pub fn new(x: usize, y: usize, dx: i32, dy: i32, value: f64) -> Self {
        Arrow { x, y, dx, dy, value }
    }
}

/// A grid of cells with arrows between them: where two rewards of a grid world differ.
///
/// Row 0 is at the top and y grows downwards; a positive `dy` points to larger y. Arrows stand within the cell they start from, so
/// that the two directions between neighbours are both seen. Cells are shares: greys from nearly white at zero to dark at the
/// largest value, which say nothing of a sign. Arrows have a scale of their own: blue below zero, white at zero, orange above,
/// equally far in both directions.
///
/// The classes of the SVG: a cell is `.cell` with `data-x`, `data-y` and `data-value`, or
/// `.cell.missing`; an arrow is `.arrow` with `data-dx` and `data-dy` in addition.
///
/// ```
/// use srrd_show::{Arrow, Figure, GridPicture};
///
/// let picture = GridPicture::new("Shares", 2, 1, vec![80.0, f64::NAN])?
///     .labels("cells: share in %", "arrows: share in %, orange where A gives more")
///     .arrows(vec![Arrow::new(0, 0, 1, 0, -60.0)])?;
/// let svg = picture.to_svg();
/// assert!(svg.contains(r#"class="arrow""#) && svg.contains("arrows: share in %"));
/// # Ok::<(), srrd_show::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GridPicture {
    title: String,
    subtitle: String,
    width: usize,
    height: usize,
    /// Row after row.
    values: Vec<f64>,
    arrows: Vec<Arrow>,
    /// What the colours of cells and those of arrows mean.
    labels: [String; 2],
}

impl GridPicture {
    /// A grid of `width` times `height` cells; `values` come row after row, row 0 (y = 0) first. A
    /// value that is not finite means that there is no such cell.
    ///
    /// # Errors
    ///
    /// [`FigureError::Grid`] unless both sides are from 1 to 200 and every cell has a value.
    pub fn new(title: impl Into<String>, width: usize, height: usize, values: Vec<f64>) -> Result<Self, FigureError> {
        let sides = 1..=MOST_CELLS;
        if !sides.contains(&width) || !sides.contains(&height) || width * height != values.len() {
            return Err(FigureError::Grid { width, height, values: values.len(), most: MOST_CELLS });
        }
        Ok(GridPicture {
            title: title.into(),
            subtitle: String::new(),
            width,
            height,
            values,
            arrows: Vec::new(),
            labels: ["cells".to_string(), "arrows".to_string()],
        })
    }

    /// Adds arrows.
    ///
    /// # Errors
    ///
    /// [`FigureError::Arrow`] if one starts outside the grid or goes farther than to a neighbour.
    pub fn arrows(mut self, arrows: Vec<Arrow>) -> Result<Self, FigureError> {
        let near = |step: i32| (-1..=1).contains(&step);
        let fits = |arrow: &Arrow| arrow.x < self.width && arrow.y < self.height && near(arrow.dx) && near(arrow.dy);
        if let Some(&Arrow { x, y, dx, dy, .. }) = arrows.iter().find(|arrow| !fits(arrow)) {
            return Err(FigureError::Arrow { x, y, dx, dy, width: self.width, height: self.height });
        }
        self.arrows.extend(arrows);
        Ok(self)
    }

    /// What the colours of cells and those of arrows mean; stands above their scales.
    pub fn labels(mut self, cells: impl Into<String>, arrows: impl Into<String>) -> Self {
        self.labels = [cells.into(), arrows.into()];
        self
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// The scale of the cells, and that of the arrows.
    fn scales(&self) -> [Scale; 2] {
        let [cells, arrows] = &self.labels;
        let size =
            self.arrows.iter().map(|arrow| arrow.value.abs()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        let both = if size > 0.0 { (-size, size) } else { (-1.0, 1.0) };
        [
            Scale::new(Ramp::Neutral, self.ends(), cells, BAR_HEIGHT),
            Scale::new(Ramp::Diverging, both, arrows, BAR_HEIGHT),
        ]
    }

    /// Smallest value of the cells, or 0, and largest.
    fn ends(&self) -> (f64, f64) {
        let shown = self.values.iter().filter(|value| value.is_finite());
        let (low, high) =
            shown.fold((0.0, f64::NEG_INFINITY), |(low, high): (f64, f64), &value| (low.min(value), high.max(value)));
        match (high.is_finite(), low < high) {
            (false, _) => (0.0, 1.0),
            (true, false) => (low - 0.5 * low.abs().max(1.0), high + 0.5 * high.abs().max(1.0)),
            (true, true) => (low, high),
        }
    }

    /// Left and top of a cell.
    fn corner(&self, x: usize, y: usize, layout: &Layout) -> (f64, f64) {
        (layout.left + x as f64 * layout.cell, layout.top + y as f64 * layout.cell)
    }

    fn draw_cells(&self, layout: &Layout, scale: &Scale, into: &mut Element) {
        let gap = if layout.cell >= GAP_CELL { 1.0 } else { 0.0 };
        let numbered = layout.cell >= NUMBERED_CELL && self.arrows.is_empty();
        let mut cells = Element::new("g").attr("shape-rendering", "crispEdges");
        let mut numbers = Element::new("g").attr("pointer-events", "none");
        for (index, &value) in self.values.iter().enumerate() {
            let (x, y) = (index % self.width, index / self.width);
            let (left, top) = self.corner(x, y, layout);
            let side = layout.cell - gap;
            if !value.is_finite() {
                missing(left + gap / 2.0, top + gap / 2.0, side, &mut cells);
                continue;
            }
            let colour = scale.of(value);
            let told = format!("({x}, {y}): {}", short(value, 4));
            let cell = Element::rect(left + gap / 2.0, top + gap / 2.0, side, side).attr("class", "cell");
            let cell = place_data(cell, x, y).attr("data-value", short(value, 6));
            cells.push(cell.attr("fill", hex(colour)).tooltip(&told));
            if numbered {
                let text = short(value, 3);
                let font = Font::regular((SMALL.size * (side - 4.0) / SMALL.width(&text)).min(SMALL.size));
                let (middle, baseline) = (left + layout.cell / 2.0, top + layout.cell / 2.0 + font.size * 0.36);
                numbers.push(Element::text(middle, baseline, font, Anchor::Middle, &text).attr("fill", ink_on(colour)));
            }
        }
        into.push(cells);
        into.push(numbers);
    }

    fn draw_arrow(&self, arrow: &Arrow, layout: &Layout, scale: &Scale) -> Element {
        let (left, top) = self.corner(arrow.x, arrow.y, layout);
        let (x, y) = (left + layout.cell / 2.0, top + layout.cell / 2.0);
        let (dx, dy) = (f64::from(arrow.dx), f64::from(arrow.dy));
        let shape = if arrow.dx == 0 && arrow.dy == 0 {
            Element::new("circle").attr("cx", x).attr("cy", y).attr("r", layout.cell * 0.09)
        } else {
            Element::new("path").attr("d", arrow_path(x, y, dx, dy, layout.cell))
        };
        let target = (arrow.x as i64 + i64::from(arrow.dx), arrow.y as i64 + i64::from(arrow.dy));
        let told = format!("({}, {}) to ({}, {}): {}", arrow.x, arrow.y, target.0, target.1, short(arrow.value, 4));
        let outline = (layout.cell / 40.0).clamp(0.2, 0.8);
        place_data(shape.attr("class", "arrow"), arrow.x, arrow.y)
            .attr("data-dx", arrow.dx.to_string())
            .attr("data-dy", arrow.dy.to_string())
            .attr("data-value", short(arrow.value, 6))
            .attr("fill", hex(scale.of(arrow.value)))
            .attr("stroke", INK)
            .attr("stroke-width", outline)
            .attr("stroke-linejoin", "round")
            .tooltip(&told)
    }

    fn draw_axes(&self, layout: &Layout, into: &mut Element) {
        let (right, bottom) = layout.far_corner(self);
        let middle = layout.cell / 2.0;
        for position in positions(self.width, layout.cell) {
            let x = self.corner(position, 0, layout).0 + middle;
            into.push(axis_line(x, bottom + 1.0, x, bottom + 4.0));
            into.push(ink(x, bottom + SMALL.size + 5.0, SMALL, Anchor::Middle, &position.to_string()));
        }
        for position in positions(self.height, layout.cell) {
            let y = self.corner(0, position, layout).1 + middle;
            into.push(axis_line(layout.left - 4.0, y, layout.left - 1.0, y));
            let label = position.to_string();
            into.push(ink(layout.left - NEAR, y + SMALL.size * 0.36, SMALL, Anchor::End, &label));
        }
        let below = bottom + SMALL.size + 5.0 + LEADING;
        into.push(ink((layout.left + right) / 2.0, below, TEXT, Anchor::Middle, "x"));
        into.push(ink(MARGIN, layout.top - NEAR, TEXT, Anchor::Start, "y"));
    }

    fn has_missing(&self) -> bool {
        self.values.iter().any(|value| !value.is_finite())
    }
}

impl Figure for GridPicture {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let scales = self.scales();
        let layout = Layout::of(self, &scales);
        let [cell_scale, arrow_scale] = scales;
        let mut content = Element::new("g");
        layout.header.draw(&mut content);
        self.draw_axes(&layout, &mut content);
        self.draw_cells(&layout, &cell_scale, &mut content);
        let mut arrows = Element::new("g");
        for arrow in self.arrows.iter().filter(|arrow| arrow.value.is_finite()) {
            arrows.push(self.draw_arrow(arrow, &layout, &arrow_scale));
        }
        content.push(arrows);
        cell_scale.draw(layout.scale_left, layout.scale_top, &mut content);
        arrow_scale.draw(layout.scale_left, layout.arrow_scale_top, &mut content);
        if self.has_missing() {
            draw_missing(layout.scale_left, layout.missing_top, &mut content);
        }
        document(&self.title, layout.width, layout.height, content)
    }
}

/// The cells along a side that have their number written beside them.
fn positions(cells: usize, cell: f64) -> Vec<usize> {
    // A number of three digits is about 22 wide.
    let most = ((cells as f64 * cell) / 28.0).max(1.0);
    let step = [1, 2, 5, 10, 20, 50, 100].into_iter().find(|&step| (cells / step) as f64 <= most).unwrap_or(200);
    (0..cells).step_by(step).collect()
}

fn place_data(element: Element, x: usize, y: usize) -> Element {
    element.attr("data-x", x.to_string()).attr("data-y", y.to_string())
}

/// A place without cell: grey, crossed out.
fn missing(left: f64, top: f64, side: f64, into: &mut Element) {
    let ground = Element::rect(left, top, side, side).attr("class", "cell missing").attr("fill", GRID);
    into.push(ground.tooltip("none"));
    let (right, bottom) = (left + side, top + side);
    let stroke = Element::line(left, bottom, right, top).attr("stroke", hex(UNDEFINED_SMALL));
    into.push(stroke.attr("shape-rendering", "auto").attr("pointer-events", "none"));
}

/// Path data of an arrow from near the middle of a cell towards a neighbour.
fn arrow_path(x: f64, y: f64, dx: f64, dy: f64, cell: f64) -> String {
    let length = dx.hypot(dy);
    let (along, across) = ((dx / length, dy / length), (-dy / length, dx / length));
    // Diagonal ones may go a little farther.
    let tip = if dx != 0.0 && dy != 0.0 { 0.56 } else { 0.46 };
    // (forward, sideways) in cells.
    let corners = [
        (0.12, 0.045),
        (tip - 0.18, 0.045),
        (tip - 0.18, 0.13),
        (tip, 0.0),
        (tip - 0.18, -0.13),
        (tip - 0.18, -0.045),
        (0.12, -0.045),
    ];
    let mut path = String::new();
    for (index, (forward, sideways)) in corners.into_iter().enumerate() {
        let at = |middle: f64, along: f64, across: f64| number(middle + cell * (forward * along + sideways * across));
        path.push(if index == 0 { 'M' } else { 'L' });
        path.push_str(&at(x, along.0, across.0));
        path.push(' ');
        path.push_str(&at(y, along.1, across.1));
    }
    path.push('Z');
    path
}
