//! Marks of points, by whose shape series are told apart without colour.

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt::Write as _;

use crate::svg::{Element, number};

/// The shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Plus,
    TriangleDown,
    Cross,
    Star,
}

impl Marker {
    /// All shapes, those most easily told apart first.
    pub(super) const ALL: [Marker; 8] = [
        Marker::Circle,
        Marker::Square,
        Marker::Triangle,
        Marker::Diamond,
        Marker::Plus,
        Marker::TriangleDown,
        Marker::Cross,
        Marker::Star,
    ];

    pub(super) fn of(index: usize) -> Self {
        Self::ALL[index % Self::ALL.len()]
    }

    /// The mark around (x, y) with about the area of a circle of that radius, all of it within
    /// one and a half radii of its middle.
    pub(super) fn draw(self, x: f64, y: f64, radius: f64) -> Element {
        if self == Marker::Circle {
            return Element::new("circle").attr("cx", x).attr("cy", y).attr("r", radius);
        }
        let mut path = String::new();
        for (index, (dx, dy)) in self.corners().into_iter().enumerate() {
            let command = if index == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{command}{} {}", number(x + dx * radius), number(y + dy * radius));
        }
        path.push('Z');
        Element::new("path").attr("d", path)
    }

    /// Corners in radii, downwards.
    fn corners(self) -> Vec<(f64, f64)> {
        match self {
            Marker::Circle => Vec::new(),
            Marker::Square => vec![(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)],
            Marker::Triangle => vec![(0.0, -1.35), (1.23, 0.85), (-1.23, 0.85)],
            Marker::TriangleDown => vec![(0.0, 1.35), (-1.23, -0.85), (1.23, -0.85)],
            Marker::Diamond => vec![(0.0, -1.35), (1.2, 0.0), (0.0, 1.35), (-1.2, 0.0)],
            Marker::Plus => plus().to_vec(),
            // The plus, turned by an eighth.
            Marker::Cross => plus().map(|(x, y)| ((x - y) * FRAC_1_SQRT_2, (x + y) * FRAC_1_SQRT_2)).to_vec(),
            // A table, so that no machine's sine can change a byte of a figure.
            Marker::Star => vec![
                (0.0, -1.45),
                (0.38, -0.52),
                (1.38, -0.45),
                (0.61, 0.2),
                (0.85, 1.17),
                (0.0, 0.64),
                (-0.85, 1.17),
                (-0.61, 0.2),
                (-1.38, -0.45),
                (-0.38, -0.52),
            ],
        }
    }
}

fn plus() -> [(f64, f64); 12] {
    const ARM: f64 = 1.3;
    const HALF: f64 = 0.42;
    [
        (-HALF, -ARM),
        (HALF, -ARM),
        (HALF, -HALF),
        (ARM, -HALF),
        (ARM, HALF),
        (HALF, HALF),
        (HALF, ARM),
        (-HALF, ARM),
        (-HALF, HALF),
        (-ARM, HALF),
        (-ARM, -HALF),
        (-HALF, -HALF),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_of_similar_area_and_stay_within_reach() {
        for marker in Marker::ALL.into_iter().filter(|&marker| marker != Marker::Circle) {
            let corners = marker.corners();
            let next = corners.iter().cycle().skip(1);
            let area: f64 = corners.iter().zip(next).map(|(a, b)| a.0 * b.1 - a.1 * b.0).sum::<f64>().abs() / 2.0;
            assert!((2.0..4.0).contains(&area), "{marker:?}: {area}");
            for (x, y) in corners {
                assert!(x.hypot(y) <= 1.5, "{marker:?}");
            }
        }
    }
}
