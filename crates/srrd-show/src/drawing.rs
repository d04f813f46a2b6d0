//! A figure that has been drawn, ready to be written in any form.

use std::sync::Arc;

#[cfg(feature = "png")]
use crate::FigureError;
use crate::svg::{Element, Form, Letters, PLAIN};

/// A figure that has been drawn: one picture for its files and its place on a page.
///
/// Copies share the picture, so copying is cheap.
///
/// ```
/// use srrd_show::page::{FigureBlock, Section};
/// use srrd_show::{Figure, HeatMap};
///
/// let names = vec!["hand-made".to_string(), "learned".to_string()];
/// let drawing = HeatMap::new("Distances", names, vec![0.0, 0.3, 0.3, 0.0])?.draw();
/// let file = drawing.to_svg();
/// let mut section = Section::new("Results");
/// section.figures.push(FigureBlock::new(drawing, "Distances of all pairs."));
/// # assert!(file.starts_with("<svg"));
/// # Ok::<(), srrd_show::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    root: Arc<Element>,
    /// The same figure for small screens, with letters of the same size.
    narrow: Option<Arc<Element>>,
}

impl Drawing {
    pub(crate) fn new(root: Element) -> Self {
        Drawing { root: Arc::new(root), narrow: None }
    }

    /// With another drawing of the same figure, which pages show on small screens.
    pub(crate) fn with_narrow(self, narrow: Drawing) -> Self {
        Drawing { narrow: Some(narrow.root), ..self }
    }

    /// The drawing as an SVG document. The same drawing gives the same text.
    ///
    /// Its text is text, to be selected and searched, in whichever sans-serif font the viewer has.
    pub fn to_svg(&self) -> String {
        self.root.render(PLAIN)
    }

    /// The drawing as an `svg` element for an HTML page.
    ///
    /// `prefix` is put before every id and every reference to one, since all figures of a page share one space of
    /// ids. It is written as it is: letters, digits and hyphens.
    pub(crate) fn to_markup(&self, prefix: &str) -> String {
        self.root.render(Form { prefix, letters: Letters::Text })
    }

    /// The same of the drawing for small screens, if there is one.
    pub(crate) fn to_narrow_markup(&self, prefix: &str) -> Option<String> {
        Some(self.narrow.as_ref()?.render(Form { prefix, letters: Letters::Text }))
    }

    /// The drawing as a PNG of `scale` pixels per SVG unit.
    ///
    /// Text is drawn with the bundled font whatever is installed on the machine, so the same drawing
    /// gives the same bytes everywhere. Characters that font lacks (it covers Latin, Greek and
    /// Cyrillic) appear as empty boxes here; a viewer of the SVG uses its own fonts for them.
    /// Accents written as separate combining characters may stand a little off their letter.
    ///
    /// # Errors
    ///
    /// [`FigureError::Scale`] if `scale` is not positive or makes a side longer than 16,384
    /// pixels, [`FigureError::Png`] if the picture cannot be encoded.
    #[cfg(feature = "png")]
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        // The rasterizer knows no text.
        let outlined = self.root.render(Form { prefix: "", letters: Letters::Outlines });
        crate::raster::svg_to_png(&outlined, scale)
    }

    /// The drawing as an SVG document without text, as wide as text can be in other fonts.
    #[cfg(all(test, feature = "png"))]
    pub(crate) fn outlined_wide(&self) -> String {
        self.root.render(Form { prefix: "", letters: Letters::WideOutlines })
    }
}

#[cfg(all(test, feature = "png"))]
mod tests {
    use proptest::prelude::*;
    use roxmltree::Document;

    use super::*;
    use crate::{Axis, Figure, HeatMap, LineChart, Point, Series};

    #[test]
    fn only_ids_differ_between_a_file_and_a_page() {
        let names = vec!["a".to_string(), "srrd-undefined".to_string()];
        let drawing = HeatMap::new("url(#srrd-distance)", names, vec![0.0, f64::NAN, 0.5, 0.0]).unwrap().draw();
        let (file, page) = (drawing.to_svg(), drawing.to_markup("f1-"));
        assert_eq!(page.replace("f1-", ""), file);
        for (attribute, count) in [("id=\"f1-srrd-", 2), ("=\"url(#f1-srrd-", 3), ("f1-", 5)] {
            assert_eq!(page.matches(attribute).count(), count, "{attribute}");
        }
    }

    proptest! {
        /// Whatever text a figure is given, a page gets the elements of the figure only, and the text again.
        #[test]
        fn text_stays_text(text in "[ -~\u{e4}\u{2028}]{1,40}") {
            let series = Series::new(text.as_str(), vec![Point::new(1.0, 2.0).note(text.as_str())]);
            let chart = LineChart::new(text.as_str(), Axis::linear("x"), Axis::linear("y")).series(series);
            let markup = chart.draw().to_markup("f1-");
            let page = Document::parse(&markup).unwrap();
            prop_assert_eq!(page.root_element().attribute("aria-label"), Some(text.as_str()));
            let values = |name: &str| -> Vec<&str> { page.descendants().filter_map(|node| node.attribute(name)).collect() };
            // The series itself and its entry of the legend.
            prop_assert_eq!(values("data-series"), [text.as_str(), text.as_str()]);
            prop_assert_eq!(values("data-note"), [text.as_str()]);
            let known = ["svg", "g", "rect", "line", "path", "circle", "text", "title"];
            for element in page.descendants().filter(|node| node.is_element()) {
                prop_assert!(known.contains(&element.tag_name().name()), "{element:?}");
            }
        }
    }

    #[test]
    fn copies_share_the_picture() {
        let drawing = HeatMap::new("", vec!["a".to_string()], vec![0.0]).unwrap().draw();
        let copy = drawing.clone();
        assert!(Arc::ptr_eq(&drawing.root, &copy.root));
        assert_eq!(drawing, copy);
    }
}
