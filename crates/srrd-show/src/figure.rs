//! What all figures have in common.

#[cfg(feature = "png")]
use crate::FigureError;

/// A figure that can be written out.
///
/// Every type of figure has these methods by itself too; the trait is for holding different ones
/// together, as in `Vec<(String, Box<dyn Figure + Send + Sync>)>`.
pub trait Figure {
    /// The title.
    fn title(&self) -> &str;

    /// The figure as an SVG document. The same figure gives the same text.
    ///
    /// Its text is text, to be selected and searched, in whichever sans-serif font the viewer has.
    fn to_svg(&self) -> String;

    /// The figure as a PNG of `scale` pixels per SVG unit.
    ///
    /// Text is drawn with the bundled font whatever is installed on the machine, so the same figure
    /// gives the same bytes everywhere. Characters that font lacks (it covers Latin, Greek and
    /// Cyrillic) appear as empty boxes here; a viewer of the SVG uses its own fonts for them.
    /// Accents written as separate combining characters may stand a little off their letter.
    ///
    /// # Errors
    ///
    /// [`FigureError::Scale`] if `scale` is not positive or makes a side longer than 16,384
    /// pixels, [`FigureError::Png`] if the picture cannot be encoded.
    #[cfg(feature = "png")]
    fn to_png(&self, scale: f64) -> Result<Vec<u8>, FigureError>;
}

/// Gives a type that has a `title` and draws itself (`draw(&self) -> Element`) the methods of a figure.
macro_rules! figure {
    ($type:ty) => {
        impl $type {
            /// The figure as an SVG document. The same figure gives the same text.
            pub fn to_svg(&self) -> String {
                self.draw().render()
            }

            /// The figure as a PNG of `scale` pixels per SVG unit, its text in the bundled font
            /// (see [`Figure::to_png`](crate::Figure::to_png)).
            ///
            /// # Errors
            ///
            /// [`FigureError::Scale`](crate::FigureError::Scale) if `scale` is not positive or
            /// makes a side longer than 16,384 pixels,
            /// [`FigureError::Png`](crate::FigureError::Png) if the picture cannot be encoded.
            #[cfg(feature = "png")]
            pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, crate::FigureError> {
                crate::raster::svg_to_png(&self.draw().outlined().render(), scale)
            }
        }

        impl crate::Figure for $type {
            fn title(&self) -> &str {
                &self.title
            }

            fn to_svg(&self) -> String {
                self.to_svg()
            }

            #[cfg(feature = "png")]
            fn to_png(&self, scale: f64) -> Result<Vec<u8>, crate::FigureError> {
                self.to_png(scale)
            }
        }
    };
}

pub(crate) use figure;
