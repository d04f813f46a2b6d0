//! Lines and areas cut off at the border of a plot.
//!
//! Done on the numbers and not with `clipPath`, which needs an id that is unique in the page.

use std::fmt::Write as _;

use crate::svg::number;

/// A place in the picture.
pub(super) type Place = (f64, f64);

/// The rectangle that data are drawn in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    /// The part of a segment that is inside, if any (Liang and Barsky).
    fn segment(&self, from: Place, to: Place) -> Option<(Place, Place)> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (mut start, mut end) = (0.0f64, 1.0f64);
        let borders = [
            (-dx, from.0 - self.left),
            (dx, self.right - from.0),
            (-dy, from.1 - self.top),
            (dy, self.bottom - from.1),
        ];
        for (towards, room) in borders {
            if towards == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if towards < 0.0 {
                start = start.max(room / towards);
            } else {
                end = end.min(room / towards);
            }
        }
        let at = |share: f64| match share {
            0.0 => from,
            1.0 => to,
            _ => (from.0 + share * dx, from.1 + share * dy),
        };
        (start <= end).then(|| (at(start), at(end)))
    }

    /// Path data of the parts inside of a line through the places.
    pub(super) fn line(&self, places: &[Place]) -> String {
        let mut path = String::new();
        let mut pen = None;
        for pair in places.windows(2) {
            let Some((from, to)) = self.segment(pair[0], pair[1]) else {
                continue;
            };
            if pen != Some(from) {
                write_place(&mut path, 'M', from);
            }
            write_place(&mut path, 'L', to);
            pen = Some(to);
        }
        path
    }

    /// Path data of the part inside of a polygon (Sutherland and Hodgman), empty if there is none.
    pub(super) fn polygon(&self, corners: Vec<Place>) -> String {
        // How far a place is inside of each border.
        let depths: [&dyn Fn(Place) -> f64; 4] =
            [&|(x, _)| x - self.left, &|(x, _)| self.right - x, &|(_, y)| y - self.top, &|(_, y)| self.bottom - y];
        let mut kept = corners;
        for depth in depths {
            let mut next = Vec::with_capacity(kept.len() + 4);
            for (index, &to) in kept.iter().enumerate() {
                let from = kept[(index + kept.len() - 1) % kept.len()];
                let (before, after) = (depth(from), depth(to));
                if (before < 0.0) != (after < 0.0) {
                    let share = before / (before - after);
                    next.push((from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1)));
                }
                if after >= 0.0 {
                    next.push(to);
                }
            }
            kept = next;
        }
        let mut path = String::new();
        for (index, place) in kept.iter().enumerate() {
            write_place(&mut path, if index == 0 { 'M' } else { 'L' }, *place);
        }
        if !path.is_empty() {
            path.push('Z');
        }
        path
    }
}

fn write_place(path: &mut String, command: char, (x, y): Place) {
    let _ = write!(path, "{command}{} {}", number(x), number(y));
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { left: 0.0, top: 0.0, right: 10.0, bottom: 10.0 };

    #[test]
    fn lines_end_at_the_border() {
        assert_eq!(AREA.line(&[(1.0, 1.0), (2.0, 3.0), (4.0, 3.0)]), "M1 1L2 3L4 3");
        assert_eq!(
            AREA.line(&[(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, 5.0)]),
            "M0 5L5 5L5 10M8 10L8 5"
        );
        assert_eq!(AREA.line(&[(-5.0, 2.0), (-1.0, 9.0)]), "");
        assert_eq!(AREA.line(&[(-5.0, 0.0), (5.0, -10.0)]), "");
        assert_eq!(AREA.line(&[(3.0, 3.0)]), "");
        assert_eq!(AREA.line(&[(5.0, 1e8), (5.0, -1e8)]), "M5 10L5 0");
    }

    #[test]
    fn polygons_end_at_the_border() {
        assert_eq!(AREA.polygon(vec![(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)]), "M1 1L2 1L2 2Z");
        assert_eq!(AREA.polygon(vec![(-5.0, 2.0), (5.0, 2.0), (5.0, 4.0), (-5.0, 4.0)]), "M0 2L5 2L5 4L0 4Z");
        assert_eq!(AREA.polygon(vec![(-5.0, 2.0), (-4.0, 2.0), (-4.0, 4.0)]), "");
        assert_eq!(AREA.polygon(vec![]), "");
        let around = AREA.polygon(vec![(-9.0, -9.0), (19.0, -9.0), (19.0, 19.0), (-9.0, 19.0)]);
        assert_eq!(around.matches(['M', 'L']).count(), 4, "{around}");
    }
}
