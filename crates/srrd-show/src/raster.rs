//! SVG text to PNG bytes.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;

use crate::FigureError;

/// Largest side of a picture; a wrong scale must not ask for all the memory.
const MAX_SIDE: u32 = 16_384;

/// Rasterizes an SVG without text elements (they would not be drawn) at `scale` pixels per unit.
pub(crate) fn svg_to_png(svg: &str, scale: f64) -> Result<Vec<u8>, FigureError> {
    let tree = parse(svg)?;
    let size = tree.size();
    let (unscaled_width, unscaled_height) = (f64::from(size.width()), f64::from(size.height()));
    let (width, height) = (unscaled_width * scale, unscaled_height * scale);
    let fits = |side: f64| side > 0.0 && side.ceil() <= f64::from(MAX_SIDE);
    let bad_scale = FigureError::Scale { scale, width: unscaled_width, height: unscaled_height, limit: MAX_SIDE };
    if !fits(width) || !fits(height) {
        return Err(bad_scale);
    }
    let mut pixmap = Pixmap::new(width.ceil() as u32, height.ceil() as u32).ok_or(bad_scale)?;
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| FigureError::Png(error.to_string()))
}

pub(crate) fn parse(svg: &str) -> Result<usvg::Tree, FigureError> {
    usvg::Tree::from_str(svg, &usvg::Options::default()).map_err(|error| FigureError::Png(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10" fill="#ff0000"/></svg>"##;

    #[test]
    fn scale_multiplies_the_size() {
        let png = svg_to_png(SQUARE, 1.5).unwrap();
        let picture = Pixmap::decode_png(&png).unwrap();
        assert_eq!((picture.width(), picture.height()), (30, 15));
        assert_eq!(picture.pixel(5, 5).unwrap().red(), 255);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(matches!(svg_to_png("<svg", 1.0), Err(FigureError::Png(_))));
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(matches!(svg_to_png(SQUARE, scale), Err(FigureError::Scale { .. })), "{scale}");
        }
    }
}
