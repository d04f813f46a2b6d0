//! Small multiples: several line charts with one legend.

use super::axis::{Axis, Extent};
use super::clip::Area;
use super::frame::{Block, Frame};
use super::legend::Legend;
use super::line::LineChart;
use super::plot::labels;
use super::series::Styles;
use super::{Header, LEADING, MARGIN, SMALL, document, ink, ink_soft};
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::font::Font;
use crate::svg::{Anchor, Element};
use crate::text::{one_line, wrap};

const PANEL_TITLE: Font = Font::bold(13.0);
const AREA_HEIGHT: f64 = 170.0;
/// Between neighbouring panels.
const GUTTER: f64 = 26.0;
/// Widest figure; more columns than fit into it at [`NARROWEST`] stand in the next row.
const WIDEST: f64 = 1280.0;
const NARROWEST: f64 = 220.0;

/// Line charts side by side, with one legend for all.
///
/// Series are told apart by name: those of one name look the same in every panel and share an
/// entry of the legend. Axes with the same label and scale get the same range, so that panels can
/// be compared, unless [`own_ranges`](Self::own_ranges) or the range of an axis says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    title: String,
    subtitle: String,
    columns: usize,
    panels: Vec<LineChart>,
    own_ranges: bool,
}

impl Panels {
    /// A figure with that many panels in a row (at least one, and at most five).
    pub fn new(title: impl Into<String>, columns: usize) -> Self {
        let most = ((WIDEST - 2.0 * MARGIN + GUTTER) / (NARROWEST + GUTTER)) as usize;
        Panels {
            title: title.into(),
            subtitle: String::new(),
            columns: columns.clamp(1, most),
            panels: Vec::new(),
            own_ranges: false,
        }
    }

    /// Adds a panel; its title stands above it.
    pub fn panel(mut self, chart: LineChart) -> Self {
        self.panels.push(chart);
        self
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// Gives every panel the ranges of its own data.
    pub fn own_ranges(mut self) -> Self {
        self.own_ranges = true;
        self
    }

    /// What the axes of every panel have to show.
    fn ranges(&self) -> Vec<(Extent, Extent)> {
        let own: Vec<(Extent, Extent)> = self.panels.iter().map(LineChart::extents).collect();
        if self.own_ranges {
            return own;
        }
        let shared = |axis: &Axis, of: fn(&LineChart) -> &Axis, which: fn(&(Extent, Extent)) -> &Extent| {
            let mut all = Extent::default();
            for (panel, extents) in self.panels.iter().zip(&own) {
                if of(panel).comparable(axis) {
                    all.join(which(extents));
                }
            }
            all
        };
        let of_panel = |panel: &LineChart| {
            let x = shared(&panel.x, |panel| &panel.x, |extents| &extents.0);
            let y = shared(&panel.y, |panel| &panel.y, |extents| &extents.1);
            (x, y)
        };
        self.panels.iter().map(of_panel).collect()
    }
}

impl Figure for Panels {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let columns = self.columns.min(self.panels.len().max(1));
        let width = match columns {
            1 => 640.0,
            2 => 720.0,
            3 => 960.0,
            _ => WIDEST,
        };
        let room = (width - 2.0 * MARGIN - GUTTER * (columns - 1) as f64) / columns as f64;
        let header = Header::new(&self.title, &self.subtitle, width);
        let styles = Styles::of(self.panels.iter().flat_map(|panel| &panel.series));
        let labels = labels(self.panels.iter().map(|panel| (&panel.y, &panel.references)));
        let ranges = self.ranges();

        let mut content = Element::new("g");
        header.draw(&mut content);
        let mut top = header.bottom();
        let mut bottom = top;
        let numbered: Vec<(&LineChart, &(Extent, Extent))> = self.panels.iter().zip(&ranges).collect();
        for row in numbered.chunks(columns) {
            let headings: Vec<Heading> = row.iter().map(|(panel, _)| Heading::new(panel, room)).collect();
            let below = headings.iter().map(Heading::height).fold(0.0, f64::max);
            for (column, ((panel, (x, y)), heading)) in row.iter().zip(headings).enumerate() {
                let left = MARGIN + column as f64 * (room + GUTTER);
                heading.draw(left, top, &mut content);
                let block = Block { left, top: top + below, right: left + room, area_height: AREA_HEIGHT };
                let frame = Frame::new(block, (&panel.x, x), (&panel.y, y));
                let mut group = Element::new("g").attr("class", "panel").attr("data-panel", panel.title.as_str());
                panel.draw_plot(&frame, &styles, &labels, &mut group);
                content.push(group);
                bottom = frame.bottom().max(bottom);
            }
            top = bottom + 18.0;
        }
        let nowhere = Area { left: MARGIN, top: bottom, right: width - MARGIN, bottom };
        let legend = Legend::of_lines(&styles).with_references(&labels);
        let height = legend.draw(None, &nowhere, bottom, width, &mut content);
        document(&self.title, width, height, content)
    }
}

/// Title and subtitle of a panel.
struct Heading {
    title: Vec<String>,
    subtitle: Vec<String>,
}

impl Heading {
    fn new(panel: &LineChart, room: f64) -> Self {
        Heading {
            title: wrap(&one_line(&panel.title), PANEL_TITLE, room, 2),
            subtitle: wrap(&one_line(&panel.subtitle), SMALL, room, 2),
        }
    }

    fn height(&self) -> f64 {
        let lines = self.title.len() + self.subtitle.len();
        lines as f64 * LEADING + if lines > 0 { 4.0 } else { 0.0 }
    }

    fn draw(&self, left: f64, top: f64, into: &mut Element) {
        let mut baseline = top - 4.0;
        for line in &self.title {
            baseline += LEADING;
            into.push(ink(left, baseline, PANEL_TITLE, Anchor::Start, line));
        }
        for line in &self.subtitle {
            baseline += LEADING;
            into.push(ink_soft(left, baseline, SMALL, Anchor::Start, line));
        }
    }
}
