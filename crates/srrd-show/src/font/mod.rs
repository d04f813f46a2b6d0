//! The font that is part of this binary.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId};

mod outline;

/// What the SVG asks for: the bundled font's family, then whatever the viewer has.
pub(crate) const FONT_STACK: &str = "'Noto Sans', 'Open Sans', 'DejaVu Sans', Helvetica, Arial, sans-serif";

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::REGULAR_TTF));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| face(notosans::BOLD_TTF));

fn face(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("the bundled font is a font")
}

/// The glyph that stands for whatever the font lacks, an empty box.
const MISSING: GlyphId = GlyphId(0);

/// A size and weight of the bundled font.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Font {
    pub(crate) const fn regular(size: f64) -> Self {
        Font { size, weight: Weight::Regular }
    }

    pub(crate) const fn bold(size: f64) -> Self {
        Font { size, weight: Weight::Bold }
    }

    /// Room to leave for `text`: its width in the widest of the usual fonts, since viewers of an SVG use their own.
    pub(crate) fn width(self, text: &str) -> f64 {
        text.chars().map(|character| self.advance(character)).sum()
    }

    /// How far the next character stands from this one, in the widest of the usual fonts.
    pub(crate) fn advance(self, character: char) -> f64 {
        self.own_advance(character) * self.slack()
    }

    /// Width of `text` in the bundled font, without kerning.
    pub(crate) fn own_width(self, text: &str) -> f64 {
        text.chars().map(|character| self.own_advance(character)).sum()
    }

    fn own_advance(self, character: char) -> f64 {
        self.glyph(character).map_or(0.0, |(_, units)| f64::from(units) * self.scale())
    }

    /// How much wider than in the bundled font text can be: in DejaVu Sans, the widest font of [`FONT_STACK`], most text
    /// is 1.07 to 1.12 times as wide, and bold text 1.13 to 1.17 times.
    pub(crate) fn slack(self) -> f64 {
        match self.weight {
            Weight::Regular => 1.12,
            Weight::Bold => 1.17,
        }
    }

    /// Pixels per font unit.
    pub(crate) fn scale(self) -> f64 {
        self.size / f64::from(self.face().units_per_em())
    }

    fn face(self) -> &'static Face<'static> {
        match self.weight {
            Weight::Regular => &REGULAR,
            Weight::Bold => &BOLD,
        }
    }

    /// The glyph of a character, if it has any, and its advance in font units.
    fn glyph(self, character: char) -> Option<(GlyphId, u16)> {
        if is_invisible(character) {
            return None;
        }
        let face = self.face();
        Some(match face.glyph_index(character) {
            None if is_wide(character) => (MISSING, face.units_per_em()),
            found => {
                let glyph = found.unwrap_or(MISSING);
                (glyph, face.glyph_hor_advance(glyph).unwrap_or_default())
            }
        })
    }
}

/// Joiners, direction marks and variation selectors.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

/// Hangul, CJK, arrows, full-width forms and emoji: in other fonts about as wide as they are high.
fn is_wide(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{115f}' | '\u{2190}'..='\u{21ff}' | '\u{2e80}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        let (regular, bold) = (Font::regular(1000.0), Font::bold(1000.0));
        for (text, expected) in [("", 0.0), ("A", 639.0), ("i", 258.0), ("A1 ", 639.0 + 572.0 + 260.0)] {
            let width = regular.own_width(text);
            assert!((width - expected).abs() < 1.0, "{text}: {width}");
            assert!((Font::regular(10.0).own_width(text) - width / 100.0).abs() < 1e-9);
            assert!((regular.width(text) - 1.12 * width).abs() < 1e-6);
        }
        assert!(bold.width("reward") > regular.width("reward"));
    }

    #[test]
    fn characters_of_other_fonts_have_a_width() {
        let font = Font::regular(10.0);
        assert_eq!(font.own_width("日本"), 20.0);
        // Hebrew, which the font lacks.
        assert!((5.0..7.0).contains(&font.own_width("א")));
        assert_eq!(font.width("\u{200d}\u{fe0f}e\u{301}"), font.width("e"));
    }
}
