//! Small multiples: several line charts with one legend.

use super::axis::{Axis, Extent};
use super::frame::{Block, Frame};
use super::legend::{Legend, Placement};
use super::line::LineChart;
use super::plot::labels;
use super::series::Styles;
use super::{Header, LEADING, MARGIN, NARROW, SMALL, document, ink, ink_soft};
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
/// be compared, unless the range of an axis says otherwise.
///
/// ```
/// use srrd_show::{Axis, Figure, LineChart, Panels, Point, Series};
///
/// let panel = |world: &str, y: f64| {
///     let series = Series::new("SRRD", vec![Point::new(1.0, y), Point::new(10.0, y / 2.0)]);
///     LineChart::new(world, Axis::log("Rollouts"), Axis::linear("Distance")).series(series)
/// };
/// let panels = Panels::new("Distance by world", 2).panel(panel("grid", 0.4)).panel(panel("balls", 0.6));
/// assert_eq!(panels.to_svg().matches(r#"class="legend-entry""#).count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    title: String,
    subtitle: String,
    columns: usize,
    panels: Vec<LineChart>,
    direct_labels: bool,
    wide: bool,
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
            direct_labels: false,
            wide: false,
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

    /// Writes the names of series and references at the right ends of their lines, in every panel, instead of a legend
    /// below all of them. Names that are too long or too many stay in the legend.
    pub fn direct_labels(mut self) -> Self {
        self.direct_labels = true;
        self
    }

    /// Makes a figure of one or two columns as wide as a page, and its panels higher.
    pub fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    fn area_height(&self) -> f64 {
        if self.wide { 1.3 * AREA_HEIGHT } else { AREA_HEIGHT }
    }

    /// What the axes of every panel have to show.
    fn ranges(&self) -> Vec<(Extent, Extent)> {
        let own: Vec<(Extent, Extent)> = self.panels.iter().map(LineChart::extents).collect();
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
            1 | 2 if self.wide => 960.0,
            1 => 640.0,
            2 => 720.0,
            3 => 960.0,
            _ => WIDEST,
        };
        self.draw_at(columns, width).with_narrow(self.draw_at(1, NARROW))
    }
}

impl Panels {
    fn draw_at(&self, columns: usize, width: f64) -> Drawing {
        let room = (width - 2.0 * MARGIN - GUTTER * (columns - 1) as f64) / columns as f64;
        let header = Header::new(&self.title, &self.subtitle, width);
        let styles = Styles::of(self.panels.iter().flat_map(|panel| &panel.series));
        let labels = labels(self.panels.iter().map(|panel| (&panel.y, &panel.references)));
        let ranges = self.ranges();
        let legend = Legend::of_lines(&styles).with_references(&labels);
        let beside = legend.beside(self.area_height()).filter(|_| self.direct_labels && width > NARROW);
        let aside = beside.as_ref().map_or(0.0, Placement::width_beside);

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
                let block =
                    Block { left, top: top + below, right: left + room - aside, area_height: self.area_height() };
                let frame = Frame::new(block, (&panel.x, x), (&panel.y, y));
                let mut group = Element::new("g").attr("class", "panel").attr("data-panel", panel.title.as_str());
                bottom = panel.draw_plot(&frame, &styles, &labels, &mut group).max(bottom);
                if let Some(beside) = &beside {
                    let labels = beside.clone().at_ends(frame.area.height(), |name| panel.end(name, &frame));
                    labels.with_ends().draw_beside(&frame.area, &mut group);
                }
                content.push(group);
            }
            top = bottom + 18.0;
        }
        let height = match beside {
            Some(_) => (bottom + MARGIN).ceil(),
            None => legend.draw_below(bottom, width, &mut content),
        };
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
