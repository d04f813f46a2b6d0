//! A small SVG writer: a tree of elements that cannot be written out malformed.

use std::fmt::Write as _;

use crate::escape::markup_into;
use crate::font::Font;

mod line;

pub(crate) use line::Anchor;
use line::Line;

/// The form of a file by itself.
pub(crate) const PLAIN: Form = Form { prefix: "", letters: Letters::Text };

/// One element with its attributes and children.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Element {
    name: &'static str,
    attributes: Attributes,
    children: Vec<Node>,
    /// What a `text` element says, after its children.
    line: Option<Box<Line>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Element(Element),
    /// Already escaped.
    Text(String),
}

/// The attributes of an element, as they are written.
#[derive(Debug, Clone, Default, PartialEq)]
struct Attributes {
    /// Already escaped: ` key="value"` pairs one after another.
    text: String,
    /// Where in `text` ids begin: figures of one page get different prefixes there.
    ids: Vec<usize>,
}

/// What an attribute can be set to.
pub(crate) trait Value {
    fn write(&self, out: &mut String);

    /// Where in the written value an id begins, if it has one.
    fn id_at(&self) -> Option<usize> {
        None
    }
}

impl Value for f64 {
    fn write(&self, out: &mut String) {
        write_number(out, *self);
    }
}

impl Value for &str {
    fn write(&self, out: &mut String) {
        markup_into(out, self);
    }
}

impl Value for String {
    fn write(&self, out: &mut String) {
        markup_into(out, self);
    }
}

/// The id of an element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Id(pub(crate) &'static str);

impl Value for Id {
    fn write(&self, out: &mut String) {
        markup_into(out, self.0);
    }

    fn id_at(&self) -> Option<usize> {
        Some(0)
    }
}

/// What a shape is filled with.
#[derive(Debug, Clone)]
pub(crate) enum Fill {
    Colour(String),
    /// The gradient or pattern of that id.
    Part(Id),
}

const REFERENCE: &str = "url(#";

impl Value for &Fill {
    fn write(&self, out: &mut String) {
        match self {
            Fill::Colour(colour) => markup_into(out, colour),
            Fill::Part(id) => {
                out.push_str(REFERENCE);
                id.write(out);
                out.push(')');
            }
        }
    }

    fn id_at(&self) -> Option<usize> {
        matches!(self, Fill::Part(_)).then_some(REFERENCE.len())
    }
}

/// How a tree is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'a> {
    /// What ids begin with.
    pub(crate) prefix: &'a str,
    pub(crate) letters: Letters,
}

/// How text is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Letters {
    /// As text, in the fonts of the viewer.
    Text,
    /// As outlines of the bundled font.
    #[cfg(feature = "png")]
    Outlines,
    /// The same, as wide as in the widest font that there must be room for.
    #[cfg(all(test, feature = "png"))]
    WideOutlines,
}

impl Element {
    pub(crate) fn new(name: &'static str) -> Self {
        Element { name, attributes: Attributes::default(), children: Vec::new(), line: None }
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
        let start = write_attribute(&mut self.attributes.text, name, &value);
        self.attributes.ids.extend(value.id_at().map(|at| start + at));
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
        let mut text = String::with_capacity(content.len());
        markup_into(&mut text, content);
        title.children.push(Node::Text(text));
        // Viewers look for the title first among the children.
        self.children.insert(0, Node::Element(title));
        self
    }

    pub(crate) fn render(&self, form: Form) -> String {
        let mut out = String::new();
        self.write(&mut out, form);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, form: Form) {
        // As outlines, a line of text is a group: its path takes the place of its characters.
        let outline = self.line.as_ref().filter(|_| form.letters != Letters::Text);
        let text = self.line.as_ref().filter(|_| form.letters == Letters::Text);
        let name = if outline.is_some() { "g" } else { self.name };
        out.push('<');
        out.push_str(name);
        if let Some(line) = text {
            line.write_attributes(out);
        }
        self.attributes.write(out, form.prefix);
        if self.children.is_empty() && self.line.is_none() {
            out.push_str("/>");
            return;
        }
        out.push('>');
        // A line break beside text would become part of the text.
        let gap = if matches!(name, "svg" | "g" | "defs") { "\n" } else { "" };
        for child in &self.children {
            out.push_str(gap);
            match child {
                Node::Element(element) => element.write(out, form),
                Node::Text(text) => out.push_str(text),
            }
        }
        if let Some(line) = outline {
            out.push_str(gap);
            line.outline(form.letters).write(out, form);
        }
        out.push_str(gap);
        if let Some(line) = text {
            markup_into(out, &line.content);
        }
        out.push_str("</");
        out.push_str(name);
        out.push('>');
    }
}

impl Attributes {
    fn write(&self, out: &mut String, prefix: &str) {
        let mut written = 0;
        for &id in &self.ids {
            out.push_str(&self.text[written..id]);
            out.push_str(prefix);
            written = id;
        }
        out.push_str(&self.text[written..]);
    }
}

/// Returns where the value begins.
fn write_attribute(out: &mut String, name: &str, value: &impl Value) -> usize {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    let start = out.len();
    value.write(out);
    out.push('"');
    start
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
        let svg = Element::root(10.0, 10.0, odd).child(text(odd).tooltip(odd)).render(PLAIN);
        let escaped = "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; \\u{1} ]]&gt;";
        assert_eq!(svg.matches(escaped).count(), 3, "{svg}");
        parse(&svg).unwrap();
    }

    #[test]
    fn every_character_gives_a_parsable_file() {
        let all: String = (0..0x300).chain(0xfff0..=0xffff).filter_map(char::from_u32).collect();
        let svg = Element::root(10.0, 10.0, &all).child(text(&all).tooltip(&all)).render(PLAIN);
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
    fn ids_and_references_get_the_prefix() {
        let part = Fill::Part(Id("a"));
        let tree = Element::new("g")
            .attr("class", "a url(#a)")
            .child(Element::new("pattern").attr("x", 1.0).attr("id", Id("a")).attr("y", 2.0))
            .child(Element::new("rect").attr("stroke", &part).attr("fill", &part).attr("data-note", "url(#a)"));
        let expected = |prefix: &str| {
            format!(
                "<g class=\"a url(#a)\">\n<pattern x=\"1\" id=\"{prefix}a\" y=\"2\"/>\n\
                 <rect stroke=\"url(#{prefix}a)\" fill=\"url(#{prefix}a)\" data-note=\"url(#a)\"/>\n</g>\n"
            )
        };
        for prefix in ["", "f1-"] {
            assert_eq!(tree.render(Form { prefix, letters: Letters::Text }), expected(prefix));
        }
    }

    #[test]
    fn elements_nest() {
        let svg = Element::new("g").child(Element::rect(0.0, 1.0, 2.0, 3.0)).render(PLAIN);
        assert_eq!(svg, "<g>\n<rect x=\"0\" y=\"1\" width=\"2\" height=\"3\"/>\n</g>\n");
    }
}
