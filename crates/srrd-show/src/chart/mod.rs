//! Charts: axes, series of points with intervals, legends.
//!
//! | chart | for |
//! |---|---|
//! | [`LineChart`] | how a value changes along another, with intervals |
//! | [`Panels`] | several of these, with one legend |
//! | [`BarChart`] | values of several series in groups |
//! | [`ScatterChart`] | points of several classes |
//! | [`MapPicture`] | places with what each carries, and to which side it leans |
//! | [`GridPicture`] | values on the cells of a grid world, and on the steps between them |
//!
//! A series whose name is that of a metric has the colour of the metric in every chart: [`metric_color`].
//!
//! Colours are attributes of the elements, so that a file looks right by itself, and every element
//! has a class, so that a page can override them. The classes and data that pages rely on are
//! listed in the documentation of the crate; they stay as they are.
//!
//! Charts use no ids, so any number of them can stand in one page.

use crate::drawing::Drawing;
use crate::font::{FONT_STACK, Font};
use crate::palette::{FAINT_INK, INK};
use crate::svg::{Anchor, Element, number};
use crate::text::{one_line, wrap};

mod axis;
mod bar;
mod clip;
mod frame;
mod grid;
mod legend;
mod line;
mod map;
mod marker;
mod numbers;
mod panels;
mod plot;
mod point;
mod scatter;
mod series;

pub use crate::palette::metric_color;
pub use axis::{Axis, Scale};
pub use bar::{Bar, BarChart};
pub use grid::{Arrow, GridPicture};
pub use line::LineChart;
pub use map::{MapPicture, Spot};
pub use panels::Panels;
pub use point::Point;
pub use scatter::ScatterChart;
pub use series::Series;

/// Width of a chart, for a page or a column of text.
const WIDTH: f64 = 640.0;
/// Width of a chart on a page that is 390 pixels wide, where its letters keep their size.
const NARROW: f64 = 344.0;
const MARGIN: f64 = 16.0;
const TITLE: Font = Font::bold(16.0);
const TEXT: Font = Font::regular(13.0);
const SMALL: Font = Font::regular(12.0);
/// From one baseline of text to the next.
const LEADING: f64 = 17.0;
/// Room between things that belong together.
const NEAR: f64 = 6.0;
const GRID: &str = "#e4e4e4";
const AXIS: &str = "#8a8a8a";

/// The root of a chart of that size: its ground, and a group that sets the font.
fn document(title: &str, width: f64, height: f64, content: Element) -> Drawing {
    let view_box = format!("0 0 {} {}", number(width), number(height));
    let ground = Element::rect(0.0, 0.0, width, height).attr("class", "paper").attr("fill", "#ffffff");
    let root = Element::new("svg")
        .attr("class", "srrd-chart")
        .attr("role", "img")
        .attr("aria-label", title)
        .attr("viewBox", view_box)
        .attr("width", width)
        .attr("height", height)
        .attr("xmlns", "http://www.w3.org/2000/svg")
        .child(ground)
        .child(content.attr("font-family", FONT_STACK));
    Drawing::new(root)
}

/// Text in the main ink.
fn ink(x: f64, y: f64, font: Font, anchor: Anchor, content: &str) -> Element {
    Element::text(x, y, font, anchor, content).attr("class", "ink").attr("fill", INK)
}

/// Secondary text.
fn ink_soft(x: f64, y: f64, font: Font, anchor: Anchor, content: &str) -> Element {
    Element::text(x, y, font, anchor, content).attr("class", "ink-soft").attr("fill", FAINT_INK)
}

/// Title and subtitle, broken into lines.
struct Header {
    title: Vec<String>,
    subtitle: Vec<String>,
}

impl Header {
    fn new(title: &str, subtitle: &str, width: f64) -> Self {
        let inner = width - 2.0 * MARGIN;
        Header { title: wrap(&one_line(title), TITLE, inner, 3), subtitle: wrap(&one_line(subtitle), TEXT, inner, 4) }
    }

    /// Where the chart below begins.
    fn bottom(&self) -> f64 {
        let title = self.title.len() as f64 * (TITLE.size + 5.0);
        let subtitle = self.subtitle.len() as f64 * LEADING;
        let gap = if title + subtitle > 0.0 { 12.0 } else { 0.0 };
        MARGIN + title + subtitle + gap
    }

    fn draw(&self, into: &mut Element) {
        let mut baseline = MARGIN - 3.0;
        for line in &self.title {
            baseline += TITLE.size + 5.0;
            into.push(ink(MARGIN, baseline - 3.0, TITLE, Anchor::Start, line));
        }
        for line in &self.subtitle {
            baseline += LEADING;
            into.push(ink_soft(MARGIN, baseline - 1.0, TEXT, Anchor::Start, line));
        }
    }
}

// The tests read the SVG back with the rasterizer's parser.
#[cfg(all(test, feature = "png"))]
mod tests;
