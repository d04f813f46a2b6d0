//! Points by class.

use super::axis::Axis;
use super::frame::{Block, Frame};
use super::legend::{Legend, Placement};
use super::plot::{Look, draw_series, extents, sorted};
use super::point::Point;
use super::series::{Series, Styles};
use super::{Header, MARGIN, NARROW, WIDTH, document};
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::svg::Element;

const AREA_HEIGHT: f64 = 400.0;

/// Points of several classes, told apart by colour and by the shape of their marks, which are hollow
/// from the eighth class on.
///
/// Points that cannot be drawn (coordinates that are not finite, not positive on a logarithmic
/// axis, or outside the range of an axis that has one) are left out. A chart without any point
/// says "no data".
///
/// ```
/// use srrd_show::{Axis, Figure, Point, ScatterChart};
///
/// let chart = ScatterChart::new("Samples in the plane", Axis::linear("first"), Axis::linear("second"))
///     .class("agent 1", vec![Point::new(0.0, 0.1), Point::new(0.1, 0.0)])
///     .class("agent 2", vec![Point::new(0.7, 0.6)]);
/// assert_eq!(chart.to_svg().matches(r#"class="point""#).count(), 3);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterChart {
    title: String,
    subtitle: String,
    x: Axis,
    y: Axis,
    classes: Vec<Series>,
}

impl ScatterChart {
    /// A chart without points.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        ScatterChart { title: title.into(), subtitle: String::new(), x, y, classes: Vec::new() }
    }

    /// Adds the points of a class.
    pub fn class(self, name: impl Into<String>, points: Vec<Point>) -> Self {
        self.series(Series::new(name, points))
    }

    /// Adds the points of a class as a series, which can choose its colour and mark
    /// ([`Series::color_index`]). No lines are drawn.
    pub fn series(mut self, series: Series) -> Self {
        self.classes.push(series.without_line());
        self
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }
}

impl Figure for ScatterChart {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        self.draw_at(WIDTH).with_narrow(self.draw_at(NARROW))
    }
}

impl ScatterChart {
    fn draw_at(&self, width: f64) -> Drawing {
        let header = Header::new(&self.title, &self.subtitle, width);
        let styles = Styles::of_points(self.classes.iter());
        let legend = Legend::of_lines(&styles);
        let beside = legend.beside(AREA_HEIGHT).filter(|_| width > NARROW);
        let block = Block {
            left: MARGIN,
            top: header.bottom(),
            right: width - MARGIN - beside.as_ref().map_or(0.0, Placement::width_beside),
            area_height: AREA_HEIGHT,
        };
        let (x, y) = extents(&self.classes, &self.x, &self.y);
        let frame = Frame::new(block, (&self.x, &x), (&self.y, &y));
        let mut content = Element::new("g");
        header.draw(&mut content);
        frame.draw(&mut content);
        let points: usize = self.classes.iter().map(|class| class.points().len()).sum();
        let look = Look { radius: radius(points), opacity: 0.8, shift: 0.0 };
        let mut any = false;
        for class in &self.classes {
            let points = sorted(class, &self.x);
            let (group, drawn) = draw_series(class, &points, &styles.get(class.name()), &frame, look);
            any |= drawn;
            content.push(group);
        }
        if !any {
            frame.draw_empty(&mut content);
        }
        let bottom = legend.draw(beside, &frame.area, frame.bottom(), width, &mut content);
        document(&self.title, width, bottom, content)
    }
}

/// Marks of many points are smaller.
fn radius(points: usize) -> f64 {
    match points {
        0..=800 => 4.0,
        801..=3000 => 3.0,
        _ => 2.0,
    }
}
