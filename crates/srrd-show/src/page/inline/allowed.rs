//! What figures are made of. Everything that is not here stays out.

/// How the value of an attribute is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As it is: a browser only ever reads it as a number, a word or text.
    Free,
    /// An id of its own.
    Id,
    /// Ids of other elements of the figure, with spaces between them.
    Ids,
    /// A colour, a keyword, or `url(#id)`.
    Paint,
    /// An address: `#id`, or the data of an image.
    Address,
}

/// Whether figures may have elements of that name.
pub(super) fn is_element(name: &str) -> bool {
    ELEMENTS.binary_search(&name).is_ok()
}

/// How an attribute of that name is taken in, or nothing if it stays out.
pub(super) fn attribute_kind(name: &str) -> Option<Kind> {
    match name {
        "id" => Some(Kind::Id),
        "href" => Some(Kind::Address),
        "aria-labelledby" | "aria-describedby" => Some(Kind::Ids),
        _ if PAINTS.binary_search(&name).is_ok() => Some(Kind::Paint),
        _ if FREE.binary_search(&name).is_ok() => Some(Kind::Free),
        _ if is_word_after(name, "data-") || is_word_after(name, "aria-") => Some(Kind::Free),
        _ => None,
    }
}

/// Whether `name` is `prefix` and then lower-case words that HTML cannot read as anything but a name.
fn is_word_after(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix).is_some_and(|word| {
        !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    })
}

// All lists are in the order of bytes: they are searched by halves.

const ELEMENTS: &[&str] = &[
    "circle",
    "clipPath",
    "defs",
    "desc",
    "ellipse",
    "g",
    "image",
    "line",
    "linearGradient",
    "marker",
    "mask",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialGradient",
    "rect",
    "stop",
    "svg",
    "symbol",
    "text",
    "title",
    "tspan",
    "use",
];

const PAINTS: &[&str] =
    &["clip-path", "color", "fill", "marker-end", "marker-mid", "marker-start", "mask", "stop-color", "stroke"];

const FREE: &[&str] = &[
    "alignment-baseline",
    "baseline-shift",
    "class",
    "clip-rule",
    "clipPathUnits",
    "cx",
    "cy",
    "d",
    "direction",
    "display",
    "dominant-baseline",
    "dx",
    "dy",
    "fill-opacity",
    "fill-rule",
    "focusable",
    "font-family",
    "font-size",
    "font-stretch",
    "font-style",
    "font-variant",
    "font-weight",
    "fr",
    "fx",
    "fy",
    "gradientTransform",
    "gradientUnits",
    "height",
    "image-rendering",
    "lang",
    "lengthAdjust",
    "letter-spacing",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "offset",
    "opacity",
    "orient",
    "overflow",
    "paint-order",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointer-events",
    "points",
    "preserveAspectRatio",
    "r",
    "refX",
    "refY",
    "role",
    "rotate",
    "rx",
    "ry",
    "shape-rendering",
    "spreadMethod",
    "stop-opacity",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "tabindex",
    "text-anchor",
    "text-decoration",
    "text-rendering",
    "textLength",
    "transform",
    "transform-origin",
    "vector-effect",
    "version",
    "viewBox",
    "visibility",
    "width",
    "word-spacing",
    "writing-mode",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_in_order() {
        for list in [ELEMENTS, PAINTS, FREE] {
            assert!(list.is_sorted());
        }
    }

    #[test]
    fn names_of_data_are_plain() {
        assert_eq!(attribute_kind("data-x"), Some(Kind::Free));
        assert_eq!(attribute_kind("aria-label"), Some(Kind::Free));
        for name in ["data-", "data", "data-ö", "data-X", "onload", "ONLOAD", "onx", "style", "src", "x-data-"] {
            assert_eq!(attribute_kind(name), None, "{name}");
        }
    }
}
