//! What all figures have in common.

#[cfg(feature = "png")]
use crate::FigureError;
use crate::drawing::Drawing;

/// A figure that can be drawn.
///
/// ```
/// use srrd_show::{Axis, Bar, BarChart, Figure};
///
/// let chart = BarChart::new("Distances", Axis::linear("distance")).group("srrd", vec![Bar::new("copy", 0.1)]);
/// let drawing = chart.draw();
/// assert_eq!(drawing.to_svg(), chart.to_svg());
/// ```
///
/// To write one figure in several forms, [`draw`](Figure::draw) it once and keep the [`Drawing`].
pub trait Figure {
    /// The title.
    fn title(&self) -> &str;

    /// Draws the figure. The same figure gives the same drawing.
    fn draw(&self) -> Drawing;

    /// The figure as an SVG document: [`Drawing::to_svg`].
    fn to_svg(&self) -> String {
        self.draw().to_svg()
    }

    /// The figure as a PNG of `scale` pixels per SVG unit: [`Drawing::to_png`].
    ///
    /// # Errors
    ///
    /// Those of [`Drawing::to_png`].
    #[cfg(feature = "png")]
    fn to_png(&self, scale: f64) -> Result<Vec<u8>, FigureError> {
        self.draw().to_png(scale)
    }
}
