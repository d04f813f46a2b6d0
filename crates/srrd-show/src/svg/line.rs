//! A drawn line of text: text in a published SVG, outlines for the rasterizer.

use super::{Element, Letters, number, write_attribute};
use crate::font::{Font, Weight};

/// Which part of a line of text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) x: f64,
    /// The baseline.
    pub(super) y: f64,
    pub(super) font: Font,
    pub(super) anchor: Anchor,
    pub(super) content: String,
}

impl Line {
    /// The attributes of a `text` element.
    pub(super) fn write_attributes(&self, out: &mut String) {
        write_attribute(out, "x", &self.x);
        write_attribute(out, "y", &self.y);
        write_attribute(out, "font-size", &self.font.size);
        if self.font.weight == Weight::Bold {
            write_attribute(out, "font-weight", &"bold");
        }
        let anchor = match self.anchor {
            Anchor::Start => return,
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        write_attribute(out, "text-anchor", &anchor);
    }

    /// The same as a path in the bundled font.
    pub(super) fn outline(&self, letters: Letters) -> Element {
        let stretch = match letters {
            #[cfg(all(test, feature = "png"))]
            Letters::WideOutlines => self.font.slack(),
            _ => 1.0,
        };
        let width = self.font.own_width(&self.content) * stretch;
        let left = match self.anchor {
            Anchor::Start => self.x,
            Anchor::Middle => self.x - width / 2.0,
            Anchor::End => self.x - width,
        };
        let scale = self.font.scale();
        // Font units count upwards.
        let across = scale * stretch;
        let transform = format!("translate({} {}) scale({across} -{scale})", number(left), number(self.y));
        Element::new("path").attr("transform", transform).attr("d", self.font.outline(&self.content))
    }
}

// The tests read the SVG back with the rasterizer's parser.
#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;
    use crate::raster::parse;
    use crate::svg::{Form, PLAIN};

    const OUTLINED: Form = Form { prefix: "", letters: Letters::Outlines };

    /// Left, top, right and bottom of the element as it is rasterized.
    fn drawn(text: Element) -> [f32; 4] {
        let tree = parse(&Element::root(2000.0, 40.0, "").child(text).render(OUTLINED)).unwrap();
        let drawn = tree.root().children().last().unwrap().abs_bounding_box();
        [drawn.left(), drawn.top(), drawn.right(), drawn.bottom()]
    }

    /// Height of a capital and room at the sides of an H, in em.
    const CAPITAL: f64 = 0.714;
    const BEARING: f64 = 0.094;

    fn near(value: f32, expected: f64) -> bool {
        (f64::from(value) - expected).abs() < 0.2
    }

    #[test]
    fn anchors_hold() {
        for font in [Font::regular(20.0), Font::bold(16.0)] {
            for content in ["H", "HIIIxIIIH", "H W W H"] {
                let width = font.own_width(content);
                for (anchor, before) in [(Anchor::Start, 0.0), (Anchor::Middle, width / 2.0), (Anchor::End, width)] {
                    let [left, top, right, bottom] = drawn(Element::text(500.0, 30.0, font, anchor, content));
                    let (start, room) = (500.0 - before, BEARING * font.size);
                    assert!(near(left, start + room), "{anchor:?} {content}: {left}");
                    assert!(near(right, start + width - room), "{anchor:?} {content}: {right}");
                    assert!(near(top, 30.0 - CAPITAL * font.size) && near(bottom, 30.0), "{top} {bottom}");
                }
            }
        }
    }

    #[test]
    fn transforms_apply_to_outlines() {
        let font = Font::regular(10.0);
        let upright = Element::text(50.0, 30.0, font, Anchor::Start, "HH").attr("transform", "rotate(-90 50 30)");
        let [left, top, right, bottom] = drawn(upright);
        assert!(near(left, 50.0 - CAPITAL * font.size) && near(right, 50.0), "{left} {right}");
        let room = BEARING * font.size;
        assert!(near(top, 30.0 - font.own_width("HH") + room) && near(bottom, 30.0 - room), "{top} {bottom}");
    }

    #[test]
    fn outlines_keep_attributes_and_leave_no_text() {
        let text =
            Element::text(1.0, 2.0, Font::bold(10.0), Anchor::Middle, "a b").attr("fill", "#123456").tooltip("whole");
        let svg = text.render(OUTLINED);
        assert!(svg.contains("fill=\"#123456\"") && svg.contains("<path"), "{svg}");
        assert!(!svg.contains("<text") && !svg.contains("a b"), "{svg}");
        let selectable = "<text x=\"1\" y=\"2\" font-size=\"10\" font-weight=\"bold\" text-anchor=\"middle\" \
                          fill=\"#123456\"><title>whole</title>a b</text>\n";
        assert_eq!(text.render(PLAIN), selectable);
    }
}
