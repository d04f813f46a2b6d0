use thiserror::Error;

/// Why a figure could not be drawn.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FigureError {
    /// There is nothing to draw.
    #[error("a heat map needs at least one sample")]
    Empty,
    /// The matrix is not square for the given number of samples.
    #[error("{samples} samples need {samples} x {samples} distances, got {values} values")]
    Shape {
        /// Number of samples.
        samples: usize,
        /// Number of values given.
        values: usize,
    },
    /// Not exactly one class for every sample.
    #[error("{samples} samples need as many classes, got {classes}")]
    Classes {
        /// Number of samples.
        samples: usize,
        /// Number of classes given.
        classes: usize,
    },
    /// A grid that is empty, too large, or has not exactly one value for every cell.
    #[error(
        "a grid has 1 to {most} cells per side and one value per cell: got {values} values for {width} x {height} cells"
    )]
    Grid {
        /// Cells in a row.
        width: usize,
        /// Number of rows.
        height: usize,
        /// Number of values given.
        values: usize,
        /// Most cells along a side.
        most: usize,
    },
    /// An arrow starts outside the grid or goes farther than to a neighbouring cell.
    #[error(
        "an arrow from ({x}, {y}) by ({dx}, {dy}): it must start in the {width} x {height} grid and go by -1, 0 or 1"
    )]
    Arrow {
        /// Column it starts from.
        x: usize,
        /// Row it starts from.
        y: usize,
        /// Columns to go.
        dx: i32,
        /// Rows to go.
        dy: i32,
        /// Cells in a row of the grid.
        width: usize,
        /// Rows of the grid.
        height: usize,
    },
    /// The scale is not a positive number, or the picture would be too large.
    #[error(
        "scale {scale} of a {width} x {height} figure: choose a positive scale that keeps each side within {limit} pixels"
    )]
    Scale {
        /// The scale asked for.
        scale: f64,
        /// Width of the figure at scale 1.
        width: f64,
        /// Height of the figure at scale 1.
        height: f64,
        /// Largest allowed side, in pixels.
        limit: u32,
    },
    /// The figure could not be rasterized or encoded.
    #[error("cannot draw the PNG: {0}")]
    Png(String),
}
