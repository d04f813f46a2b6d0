//! Named series of points, and how each of them is drawn.

use super::marker::Marker;
use super::point::Point;
use crate::palette::{INKS, hex, ink, metric_color};

/// A named series of points, drawn with a colour and a mark of its own.
///
/// ```
/// use srrd_show::chart::{Point, Series};
///
/// let points = vec![Point::new(1.0, 0.4), Point::new(10.0, 0.2)];
/// let series = Series::new("SRRD, unbiased", points).dashed();
/// assert_eq!(series.points().len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    name: String,
    points: Vec<Point>,
    dashed: bool,
    line: bool,
    color_index: Option<usize>,
}

impl Series {
    /// A series. Its points may come in any order; lines go through them from left to right.
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Self {
        Series { name: name.into(), points, dashed: false, line: true, color_index: None }
    }

    /// Draws the line dashed and the marks hollow.
    pub fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// Draws marks only.
    pub fn without_line(mut self) -> Self {
        self.line = false;
        self
    }

    /// Takes colour and mark number `index`, the same in every chart, instead of the
    /// [colour of a metric](super::metric_color) or the position of the series among the others.
    /// There are seven colours and eight marks, so the first 56 numbers are all different.
    pub fn color_index(mut self, index: usize) -> Self {
        self.color_index = Some(index);
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The points as given.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    pub(super) fn has_line(&self) -> bool {
        self.line
    }
}

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Style {
    pub(super) color: usize,
    pub(super) marker: Marker,
    pub(super) dashed: bool,
    pub(super) line: bool,
}

impl Style {
    pub(super) fn stroke(&self) -> String {
        hex(ink(self.color))
    }
}

/// What a series asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) color_index: Option<usize>,
    pub(super) dashed: bool,
    pub(super) line: bool,
}

impl<'a> Wanted<'a> {
    fn of(series: &'a Series) -> Self {
        let Series { name, color_index, dashed, line, .. } = series;
        Wanted { name, color_index: *color_index, dashed: *dashed, line: *line }
    }

    fn color(&self) -> Option<usize> {
        self.color_index.or_else(|| metric_color(self.name))
    }
}

/// The styles of some series, by name, in the order of their first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Styles(Vec<(String, Style)>);

impl Styles {
    /// Series of one name look the same; those of different names differ by more than colour: if
    /// the mark of an index is taken by a series that is as solid or as dashed, the next free one
    /// is used, and from the ninth series on one that this colour does not have yet.
    ///
    /// Colours are those that series ask for, then those of [metrics](metric_color). The others take the rest by
    /// position.
    pub(super) fn new<'a>(wanted: impl Iterator<Item = Wanted<'a>>) -> Self {
        let wanted: Vec<Wanted> = wanted.collect();
        let taken: Vec<usize> = wanted.iter().filter_map(Wanted::color).map(|index| index % INKS).collect();
        let mut styles = Styles::default();
        for series in wanted {
            if styles.position(series.name).is_none() {
                let place = styles.0.len();
                let free = || (place..place + INKS).find(|index| !taken.contains(&(index % INKS)));
                let index = series.color().or_else(free).unwrap_or(place);
                styles.add(series, index);
            }
        }
        styles
    }

    /// The styles of series with lines.
    pub(super) fn of<'a>(series: impl Iterator<Item = &'a Series>) -> Self {
        Self::new(series.map(Wanted::of))
    }

    /// The styles of points without lines: where colours begin to repeat, marks are hollow.
    pub(super) fn of_points<'a>(series: impl Iterator<Item = &'a Series>) -> Self {
        Self::new(series.map(|series| Wanted { line: false, ..Wanted::of(series) }))
    }

    fn add(&mut self, Wanted { name, dashed, line, .. }: Wanted, index: usize) {
        // Without lines to tell them apart, every second round of the colours is hollow (or pale).
        let dashed = dashed || (!line && index / INKS % 2 == 1);
        let taken = |marker: Marker| self.0.iter().any(|(_, style)| style.marker == marker && style.dashed == dashed);
        let alike = |marker: Marker| {
            self.0
                .iter()
                .any(|(_, style)| style.marker == marker && style.dashed == dashed && style.color == index % INKS)
        };
        let candidates = || (0..Marker::ALL.len()).map(|shift| Marker::of(index.wrapping_add(shift)));
        let own = Marker::of(index);
        let free = candidates().find(|&marker| !taken(marker));
        let marker = free.or_else(|| candidates().find(|&marker| !alike(marker)));
        let style = Style { color: index % INKS, marker: marker.unwrap_or(own), dashed, line };
        self.0.push((name.to_string(), style));
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(known, _)| known == name)
    }

    pub(super) fn get(&self, name: &str) -> Style {
        let first = Style { color: 0, marker: Marker::Circle, dashed: false, line: true };
        self.position(name).map_or(first, |position| self.0[position].1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, Style)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_series_all_look_different() {
        let series: Vec<Series> = (0..56).map(|number| Series::new(number.to_string(), vec![])).collect();
        let styles = Styles::of(series.iter());
        let all: Vec<Style> = styles.iter().map(|(_, style)| *style).collect();
        for (number, style) in all.iter().enumerate() {
            assert!(!all[..number].contains(style), "{number}");
        }
    }

    #[test]
    fn metrics_keep_their_colours_and_no_other_series_takes_them() {
        let series = ["other", "SRRD", "epic, unbiased", "rest", "Projected"].map(|name| Series::new(name, vec![]));
        for reversed in [false, true] {
            let styles = match reversed {
                false => Styles::of(series.iter()),
                true => Styles::of(series.iter().rev()),
            };
            let color = |name: &str| styles.get(name).color;
            assert_eq!([color("SRRD"), color("epic, unbiased"), color("Projected")], [3, 1, 4]);
            assert!([0, 2, 5, 6].contains(&color("other")) && [0, 2, 5, 6].contains(&color("rest")));
            assert_ne!(color("other"), color("rest"));
        }
        let chosen = [Series::new("srrd", vec![]).color_index(6)];
        assert_eq!(Styles::of(chosen.iter()).get("srrd").color, 6);
    }

    #[test]
    fn points_are_hollow_where_colours_repeat() {
        let series: Vec<Series> = (0..10).map(|number| Series::new(number.to_string(), vec![])).collect();
        let styles = Styles::of_points(series.iter());
        let hollow: Vec<bool> = styles.iter().map(|(_, style)| style.dashed).collect();
        assert_eq!(hollow, [false, false, false, false, false, false, false, true, true, true]);
    }

    #[test]
    fn a_colour_keeps_its_mark_unless_it_is_taken() {
        let series = [
            Series::new("a", vec![]).color_index(3),
            Series::new("a, other", vec![]).color_index(3).dashed(),
            Series::new("a, third", vec![]).color_index(3),
            Series::new("a", vec![]).color_index(5),
        ];
        let styles = Styles::of(series.iter());
        assert_eq!(styles.iter().count(), 3);
        assert_eq!(styles.get("a").marker, Marker::of(3));
        assert_eq!(styles.get("a, other").marker, Marker::of(3));
        assert_ne!(styles.get("a, third").marker, Marker::of(3));
        assert!(styles.iter().all(|(_, style)| style.color == 3));
        // Eight further on the mark would be the same, of another colour only.
        let eight_apart = [Series::new("a", vec![]).color_index(1), Series::new("b", vec![]).color_index(9)];
        let styles = Styles::of(eight_apart.iter());
        assert_ne!(styles.get("a").marker, styles.get("b").marker);
    }
}
