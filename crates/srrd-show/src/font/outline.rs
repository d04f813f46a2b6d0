//! Text as the outlines of its glyphs.

use std::fmt::Write as _;

use ttf_parser::OutlineBuilder;

use super::Font;

impl Font {
    /// The outlines of `text` as SVG path data in font units, upwards from a baseline that begins
    /// at the origin. Characters that the font lacks are empty boxes.
    pub(crate) fn outline(self, text: &str) -> String {
        let mut pen = Pen::default();
        for (glyph, advance) in text.chars().filter_map(|character| self.glyph(character)) {
            // A glyph without outline, such as a space, draws nothing.
            let _ = self.face().outline_glyph(glyph, &mut pen);
            pen.origin += f32::from(advance);
        }
        pen.path
    }
}

#[derive(Default)]
struct Pen {
    path: String,
    /// Where the glyph begins.
    origin: f32,
}

impl Pen {
    fn draw<const N: usize>(&mut self, command: char, points: [(f32, f32); N]) {
        self.path.push(command);
        for (index, (x, y)) in points.into_iter().enumerate() {
            let space = if index == 0 { "" } else { " " };
            let _ = write!(self.path, "{space}{} {y}", x + self.origin);
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.draw('M', [(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.draw('L', [(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.draw('Q', [(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.draw('C', [(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.draw('Z', []);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_stand_one_advance_apart() {
        // In pixels that are font units.
        let font = Font::regular(f64::from(Font::regular(1.0).face().units_per_em()));
        let start = |path: &str| path[1..].split(' ').next().unwrap().parse::<f64>().unwrap();
        let (one, two) = (font.outline("l"), font.outline("ll"));
        let second = two.strip_prefix(&one).unwrap();
        assert_eq!(start(second), start(&one) + font.own_width("l"));
        assert_eq!(start(&font.outline(" l")), start(&one) + font.own_width(" "));
    }

    #[test]
    fn missing_glyphs_are_boxes_and_joiners_nothing() {
        let font = Font::regular(10.0);
        assert!(font.outline("日").starts_with('M'));
        assert_eq!(font.outline("日"), font.outline("א"));
        assert_eq!(font.outline(" \u{200d}\u{fe0f}"), "");
    }
}
