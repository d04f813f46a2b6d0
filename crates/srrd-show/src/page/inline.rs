//! Figures let into a page: parsed, held against lists of what a picture needs, and written anew.
//!
//! Whatever is on no list is an error, not dropped: a figure is shown as it was drawn or not at all.

use std::fmt::Write as _;

use roxmltree::{Attribute, Document, Node, ParsingOptions};
use thiserror::Error;

mod address;
mod allowed;

use allowed::{Kind, attribute_kind, is_element};

const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";
const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// Elements deeper than this are no figure, and would cost the stack of whoever walks them.
const DEEPEST: usize = 64;

/// Why a figure is not let into a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SvgError {
    /// The text is not well-formed XML.
    #[error("the figure is not well-formed XML: {reason}")]
    NotXml {
        /// What the parser found, and where.
        reason: String,
    },
    /// The outermost element is not `svg`.
    #[error("the figure starts with <{name}> instead of <svg>")]
    NotSvg {
        /// The outermost element.
        name: String,
    },
    /// An element that pictures do not need, such as `script` or `foreignObject`.
    #[error("line {line} of the figure has the element <{name}>, which a report does not take in")]
    Element {
        /// The element.
        name: String,
        /// Its line in the text of the figure, from 1.
        line: u32,
    },
    /// An attribute that pictures do not need, such as `onclick` or `style`.
    #[error("line {line} of the figure has the attribute {name:?}, which a report does not take in")]
    Attribute {
        /// The attribute.
        name: String,
        /// Its line in the text of the figure, from 1.
        line: u32,
    },
    /// An address that does not lead to a part of the same figure.
    #[error(
        "line {line} of the figure refers to {value:?}; a report takes in references to parts of the same figure (#name)"
    )]
    Address {
        /// The value of the attribute.
        value: String,
        /// Its line in the text of the figure, from 1.
        line: u32,
    },
    /// Elements nested deeper than any figure.
    #[error("the figure nests elements more than {DEEPEST} deep")]
    TooDeep,
}

/// The text of an SVG file as markup that is safe inside an HTML page.
///
/// The figure is parsed and written anew with the elements and attributes that pictures are made of: shapes, text,
/// gradients, patterns, clip paths, `data-*` and `aria-*`. Anything else is an error, above all `script`,
/// `foreignObject`, `style`, event handlers (`onload`) and addresses outside the figure (`href`, `url(…)`); PNG images may
/// be inside as `data:`. Comments and processing instructions are left out.
///
/// `prefix` is put before every id and every reference to one, since the figures of a page share one space of ids.
/// A figure without a `viewBox` gets one from its width and height, so that it can be scaled.
///
/// ```
/// use srrd_show::page::inline_svg;
///
/// let svg = r##"<svg><clipPath id="c"><path d="M0 0h9v9z"/></clipPath><g clip-path="url(#c)"/></svg>"##;
/// assert_eq!(
///     inline_svg(svg, "f1-")?,
///     r##"<svg><clipPath id="f1-c"><path d="M0 0h9v9z"/></clipPath><g clip-path="url(#f1-c)"/></svg>"##
/// );
/// assert!(inline_svg("<svg onload='alert(1)'/>", "f1-").is_err());
/// # Ok::<(), srrd_show::page::SvgError>(())
/// ```
///
/// # Errors
///
/// [`SvgError`] names the first thing that is not let in, and its line.
pub fn inline_svg(svg: &str, prefix: &str) -> Result<String, SvgError> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(svg, options).map_err(|error| SvgError::NotXml { reason: error.to_string() })?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(SvgError::NotSvg { name: root.tag_name().name().to_string() });
    }
    let mut writer = Writer { document: &document, prefix, out: String::with_capacity(svg.len()) };
    writer.element(root, 0)?;
    Ok(writer.out)
}

struct Writer<'a> {
    document: &'a Document<'a>,
    prefix: &'a str,
    out: String,
}

impl<'a> Writer<'a> {
    fn element(&mut self, node: Node<'a, 'a>, depth: usize) -> Result<(), SvgError> {
        let tag = node.tag_name();
        let known = matches!(tag.namespace(), None | Some(SVG_NAMESPACE)) && is_element(tag.name());
        // Titles and descriptions are where HTML would read its own elements inside a figure.
        let in_text_only = node.parent_element().is_some_and(|parent| is_text_only(&parent));
        if !known || in_text_only {
            return Err(SvgError::Element { name: tag.name().to_string(), line: self.line(node.range().start) });
        }
        if depth == DEEPEST {
            return Err(SvgError::TooDeep);
        }
        self.out.push('<');
        self.out.push_str(tag.name());
        for attribute in node.attributes() {
            self.attribute(node, attribute)?;
        }
        if depth == 0 && !node.has_attribute("viewBox") {
            self.view_box(node);
        }
        if !node.has_children() {
            self.out.push_str("/>");
            return Ok(());
        }
        self.out.push('>');
        for child in node.children() {
            if child.is_element() {
                self.element(child, depth + 1)?;
            } else if child.is_text() {
                escape_into(&mut self.out, child.text().unwrap_or_default());
            }
        }
        self.out.push_str("</");
        self.out.push_str(tag.name());
        self.out.push('>');
        Ok(())
    }

    fn attribute(&mut self, node: Node<'a, 'a>, attribute: Attribute<'a, 'a>) -> Result<(), SvgError> {
        let name = attribute.name();
        let kind = match attribute.namespace() {
            None => attribute_kind(name),
            Some(XLINK_NAMESPACE) if name == "href" => Some(Kind::Address),
            // White space in text is a matter of XML; HTML knows the attribute under the same name.
            Some(XML_NAMESPACE) if name == "space" => {
                self.push_attribute("xml:space", attribute.value());
                return Ok(());
            }
            Some(_) => None,
        };
        let value = attribute.value();
        let line = || self.line(attribute.range().start);
        let value = match kind {
            None => return Err(SvgError::Attribute { name: name.to_string(), line: line() }),
            Some(Kind::Free) => Some(value.to_string()),
            Some(Kind::Id) => Some(format!("{}{value}", self.prefix)),
            Some(Kind::Ids) => {
                let ids: Vec<String> = value.split_whitespace().map(|id| format!("{}{id}", self.prefix)).collect();
                Some(ids.join(" "))
            }
            Some(Kind::Paint) => address::paint(value, self.prefix),
            Some(Kind::Address) if node.tag_name().name() == "image" => address::image(value),
            Some(Kind::Address) => address::fragment(value, self.prefix),
        };
        match value {
            Some(value) => self.push_attribute(name, &value),
            None => return Err(SvgError::Address { value: attribute.value().to_string(), line: line() }),
        }
        Ok(())
    }

    /// Without a `viewBox` a figure is cut off where it should shrink.
    fn view_box(&mut self, root: Node<'a, 'a>) {
        let length = |name| -> Option<f64> {
            let length = root.attribute(name)?.trim();
            length.strip_suffix("px").unwrap_or(length).parse().ok().filter(|length: &f64| length.is_finite())
        };
        if let (Some(width), Some(height)) = (length("width"), length("height")) {
            self.push_attribute("viewBox", &format!("0 0 {width} {height}"));
        }
    }

    fn push_attribute(&mut self, name: &str, value: &str) {
        // Writing to a string does not fail.
        _ = write!(self.out, " {name}=\"");
        escape_into(&mut self.out, value);
        self.out.push('"');
    }

    fn line(&self, position: usize) -> u32 {
        self.document.text_pos_at(position).row
    }
}

fn is_text_only(node: &Node) -> bool {
    matches!(node.tag_name().name(), "title" | "desc")
}

fn escape_into(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests;
