//! A small SVG writer: a tree of elements that cannot be written out malformed.

use std::fmt::Write as _;

use crate::font::Font;

mod line;

pub(crate) use line::Anchor;
use line::Line;

/// One element with its attributes and children.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    name: &'static str,
    /// Already escaped: ` key="value"` pairs one after another.
    attributes: String,
    children: Vec<Node>,
    /// What a `text` element says, after its children.
    line: Option<Box<Line>>,
}

#[derive(Debug, Clone)]
enum Node {
    Element(Element),
    /// Already escaped.
    Text(String),
}

/// What an attribute can be set to.
pub(crate) trait Value {
    fn write(&self, out: &mut String);
}

impl Value for f64 {
    fn write(&self, out: &mut String) {
        write_number(out, *self);
    }
}

impl Value for &str {
    fn write(&self, out: &mut String) {
        escape_into(out, self);
    }
}

impl Value for String {
    fn write(&self, out: &mut String) {
        escape_into(out, self);
    }
}

impl Element {
    pub(crate) fn new(name: &'static str) -> Self {
        Element { name, attributes: String::new(), children: Vec::new(), line: None }
    }

    /// The root element of a picture of that size on white ground.
    pub(crate) fn root(width: f64, height: f64, description: &str) -> Self {
        let view_box = format!("0 0 {} {}", number(width), number(height));
        Element::new("svg")
            .attr("xmlns", "http://www.w3.org/2000/svg")
            .attr("width", width)
            .attr("height", height)
            .attr("viewBox", view_box)
            .attr("role", "img")
            .attr("aria-label", description)
            .child(Element::rect(0.0, 0.0, width, height).attr("fill", "#ffffff"))
    }

    pub(crate) fn rect(x: f64, y: f64, width: f64, height: f64) -> Self {
        Element::new("rect").attr("x", x).attr("y", y).attr("width", width).attr("height", height)
    }

    pub(crate) fn line(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Element::new("line").attr("x1", x1).attr("y1", y1).attr("x2", x2).attr("y2", y2)
    }

    /// A line of text with its baseline at `y`.
    pub(crate) fn text(x: f64, y: f64, font: Font, anchor: Anchor, content: &str) -> Self {
        let line = Line { x, y, font, anchor, content: content.to_string() };
        Element { line: Some(Box::new(line)), ..Element::new("text") }
    }

    pub(crate) fn attr(mut self, name: &str, value: impl Value) -> Self {
        write_attribute(&mut self.attributes, name, value);
        self
    }

    pub(crate) fn child(mut self, child: Element) -> Self {
        self.push(child);
        self
    }

    pub(crate) fn push(&mut self, child: Element) {
        self.children.push(Node::Element(child));
    }

    /// The text a viewer shows when the pointer rests on the element.
    pub(crate) fn tooltip(mut self, content: &str) -> Self {
        let mut title = Element::new("title");
        title.children.push(Node::Text(escape(content)));
        // Viewers look for the title first among the children.
        self.children.insert(0, Node::Element(title));
        self
    }

    /// The same with the outlines of the bundled font in place of all text.
    #[cfg(feature = "png")]
    pub(crate) fn outlined(mut self) -> Self {
        let outlined = |child| match child {
            Node::Element(element) => Node::Element(element.outlined()),
            text => text,
        };
        self.children = self.children.into_iter().map(outlined).collect();
        if let Some(line) = self.line.take() {
            self.name = "g";
            self.push(line.outline());
        }
        self
    }

    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.name);
        if let Some(line) = &self.line {
            line.write_attributes(out);
        }
        out.push_str(&self.attributes);
        if self.children.is_empty() && self.line.is_none() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        // A line break beside text would become part of the text.
        let container = matches!(self.name, "svg" | "g" | "defs");
        for child in &self.children {
            if container {
                out.push('\n');
            }
            match child {
                Node::Element(element) => element.write(out),
                Node::Text(text) => out.push_str(text),
            }
        }
        if container {
            out.push('\n');
        }
        if let Some(line) = &self.line {
            escape_into(out, &line.content);
        }
        out.push_str("</");
        out.push_str(self.name);
        out.push('>');
    }
}

fn write_attribute(out: &mut String, name: &str, value: impl Value) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    value.write(out);
    out.push('"');
}

/// A number with at most two decimals and no superfluous zeros.
pub(crate) fn number(value: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, value);
    out
}

fn write_number(out: &mut String, value: f64) {
    debug_assert!(value.is_finite(), "coordinates are finite");
    let hundredths = (value * 100.0).round();
    let start = out.len();
    // Adding zero turns a negative zero into a plain one.
    let _ = write!(out, "{:.2}", hundredths / 100.0 + 0.0);
    let kept = out[start..].trim_end_matches('0').trim_end_matches('.').len();
    out.truncate(start + kept);
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape_into(&mut out, text);
    out
}

fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Kept as references: a parser would turn them into spaces inside an attribute.
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            // XML has no way to write these at all.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(character),
        }
    }
}

// The tests read the SVG back with the rasterizer's parser.
#[cfg(all(test, feature = "png"))]
mod tests {
    use super::*;
    use crate::raster::parse;

    fn text(content: &str) -> Element {
        Element::text(0.0, 5.0, Font::regular(4.0), Anchor::Start, content)
    }

    #[test]
    fn text_and_attributes_are_escaped() {
        let odd = "a<b> & \"c\" 'd' \u{1} ]]>";
        let svg = Element::root(10.0, 10.0, odd).child(text(odd).tooltip(odd)).render();
        let escaped = "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; \u{fffd} ]]&gt;";
        assert_eq!(svg.matches(escaped).count(), 3, "{svg}");
        parse(&svg).unwrap();
    }

    #[test]
    fn every_character_gives_a_parsable_file() {
        let all: String = (0..0x300).chain(0xfff0..=0xffff).filter_map(char::from_u32).collect();
        let svg = Element::root(10.0, 10.0, &all).child(text(&all).tooltip(&all)).render();
        parse(&svg).unwrap();
    }

    #[test]
    fn numbers_are_short() {
        for (value, expected) in
            [(0.0, "0"), (-0.0, "0"), (-0.001, "0"), (100.0, "100"), (1.5, "1.5"), (-2.346, "-2.35"), (1e6, "1000000")]
        {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn elements_nest() {
        let svg = Element::new("g").child(Element::rect(0.0, 1.0, 2.0, 3.0)).render();
        assert_eq!(svg, "<g>\n<rect x=\"0\" y=\"1\" width=\"2\" height=\"3\"/>\n</g>\n");
    }
}
