//! Places in two dimensions with what each carries of a whole, and to which side it leans.

use super::axis::Axis;
use super::clip::Place;
use super::frame::{Block, Frame, axis_line};
use super::grid::{Ramp, Scale};
use super::numbers::short;
use super::plot::extents;
use super::{Header, LEADING, MARGIN, NEAR, Point, SMALL, Series, WIDTH, document, ink};
use crate::drawing::Drawing;
use crate::figure::Figure;
use crate::palette::{INK, hex, neutral};
use crate::svg::{Anchor, Element};
use crate::text::{one_line, wrap};

const AREA_HEIGHT: f64 = 400.0;
/// Height of the bar of colours.
const BAR_HEIGHT: f64 = 120.0;
/// Radius of the largest disc and of the smallest that is drawn.
const LARGEST: f64 = 20.0;
const SMALLEST: f64 = 1.6;
/// Widest line of the label of sizes.
const LABEL: f64 = 146.0;

/// A place on a map.
///
/// ```
/// use srrd_show::chart::Spot;
///
/// let spot = Spot::new(0.5, 2.0, 40.0, -1.5).note("home");
/// assert_eq!((spot.share, spot.difference), (40.0, -1.5));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// Where it stands.
    pub x: f64,
    /// Where it stands.
    pub y: f64,
    /// What it carries, from 0 up: the area of its disc.
    pub share: f64,
    /// To which side it leans: its colour, blue below 0 and orange above.
    pub difference: f64,
    /// What to say when the pointer rests on it.
    pub note: String,
}

impl Spot {
    /// A spot without a note.
    pub fn new(x: f64, y: f64, share: f64, difference: f64) -> Self {
        Spot { x, y, share, difference, note: String::new() }
    }

    /// With words to be shown when the pointer rests on it.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Discs on a plane: where two rewards of states with features differ.
///
/// The area of a disc is what it carries, its colour to which side it leans; both have a legend. Spots without a finite place are left
/// out.
///
/// ```
/// use srrd_show::{Axis, Figure, MapPicture, Spot};
///
/// let picture = MapPicture::new("Where they differ", Axis::linear("x"), Axis::linear("speed"))
///     .spots(vec![Spot::new(0.0, 1.0, 80.0, 2.0), Spot::new(1.0, 0.0, 20.0, -1.0)])
///     .labels("area: share in %", "colour: difference");
/// assert_eq!(picture.to_svg().matches("class=\"spot\"").count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MapPicture {
    title: String,
    subtitle: String,
    x: Axis,
    y: Axis,
    spots: Vec<Spot>,
    labels: [String; 2],
}

impl MapPicture {
    /// A map without spots.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let labels = ["area: share".to_string(), "colour: difference".to_string()];
        MapPicture { title: title.into(), subtitle: String::new(), x, y, spots: Vec::new(), labels }
    }

    /// Adds spots; the largest are drawn first, so that they hide no smaller ones.
    pub fn spots(mut self, spots: Vec<Spot>) -> Self {
        self.spots.extend(spots);
        self.spots.sort_by(|a, b| b.share.total_cmp(&a.share));
        self
    }

    /// A line or two below the title.
    pub fn subtitle(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }

    /// What areas and colours mean.
    pub fn labels(mut self, area: impl Into<String>, colour: impl Into<String>) -> Self {
        self.labels = [area.into(), colour.into()];
        self
    }

    fn largest(&self) -> f64 {
        self.spots.iter().map(|spot| spot.share).filter(|share| share.is_finite()).fold(0.0, f64::max)
    }

    /// Sizes as a column of grey discs, from its upper left corner. Returns where it ends.
    fn draw_sizes(&self, label: &[String], left: f64, top: f64, into: &mut Element) -> f64 {
        let mut y = top;
        for line in label {
            y += LEADING;
            into.push(ink(left, y - 5.0, SMALL, Anchor::Start, line));
        }
        let largest = self.largest();
        for share in [largest, largest / 4.0, largest / 25.0].into_iter().filter(|share| *share > 0.0) {
            let r = radius(share, largest);
            y += r + 5.0;
            let disc =
                Element::new("circle").attr("class", "key").attr("cx", left + LARGEST).attr("cy", y).attr("r", r);
            into.push(disc.attr("fill", hex(neutral(0.5))));
            let text = short(share, 2);
            into.push(ink(left + 2.0 * LARGEST + NEAR, y + SMALL.size * 0.36, SMALL, Anchor::Start, &text));
            y += r;
        }
        y + NEAR
    }

    fn draw_spot(&self, spot: &Spot, (x, y): Place, largest: f64, scale: &Scale) -> Element {
        let told = format!(
            "{}{}share {}, difference {}",
            spot.note,
            if spot.note.is_empty() { "" } else { ": " },
            short(spot.share, 3),
            short(spot.difference, 3)
        );
        Element::new("circle")
            .attr("class", "spot")
            .attr("cx", x)
            .attr("cy", y)
            .attr("r", radius(spot.share, largest))
            .attr("fill", hex(scale.of(spot.difference)))
            .attr("fill-opacity", 0.85)
            .attr("stroke", INK)
            .attr("stroke-width", 0.5)
            .tooltip(&told)
    }
}

impl Figure for MapPicture {
    fn title(&self) -> &str {
        &self.title
    }

    fn draw(&self) -> Drawing {
        let header = Header::new(&self.title, &self.subtitle, WIDTH);
        let [area_label, colour_label] = &self.labels;
        let most = self.spots.iter().map(|spot| spot.difference.abs()).filter(|size| size.is_finite());
        let most = most.fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let scale = Scale::new(Ramp::Diverging, (-most, most), colour_label, BAR_HEIGHT);
        let area_label = wrap(&one_line(area_label), SMALL, LABEL, 5);
        let widest = area_label.iter().map(|line| SMALL.width(line)).fold(scale.width(), f64::max);
        let aside = WIDTH - MARGIN - widest;
        let block = Block { left: MARGIN, top: header.bottom(), right: aside - 20.0, area_height: AREA_HEIGHT };
        let places = self.spots.iter().map(|spot| Point::new(spot.x, spot.y)).collect();
        let (x, y) = extents(&[Series::new("", places)], &self.x, &self.y);
        let frame = Frame::new(block, (&self.x, &x), (&self.y, &y));
        let mut content = Element::new("g");
        header.draw(&mut content);
        frame.draw(&mut content);
        content.push(axis_line(frame.area.right, frame.area.top, frame.area.right, frame.area.bottom));
        let largest = self.largest();
        let mut any = false;
        for spot in &self.spots {
            if frame.shows(&Point::new(spot.x, spot.y)) {
                any = true;
                content.push(self.draw_spot(spot, frame.place(spot.x, spot.y), largest, &scale));
            }
        }
        if !any {
            frame.draw_empty(&mut content);
        }
        let sizes = self.draw_sizes(&area_label, aside, header.bottom(), &mut content);
        let bar_top = sizes + 24.0 + scale.above();
        scale.draw(aside, bar_top, &mut content);
        let bottom = frame.bottom().max(bar_top + BAR_HEIGHT + 8.0) + MARGIN;
        document(&self.title, WIDTH, bottom.ceil(), content)
    }
}

/// Areas are proportional to shares.
fn radius(share: f64, largest: f64) -> f64 {
    let part = if largest > 0.0 { (share / largest).max(0.0) } else { 0.0 };
    (LARGEST * part.sqrt()).max(SMALLEST)
}
