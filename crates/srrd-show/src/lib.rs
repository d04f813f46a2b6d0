//! Figures of reward distances as SVG and PNG, and reports as HTML pages.
//!
//! The crate reads and writes no files, and its font is part of the binary: the same input gives the
//! same bytes on every machine.
//!
//! ```
//! # #[cfg(feature = "png")] {
//! use srrd_show::{Figure, HeatMap};
//!
//! let names = vec!["hand-made".to_string(), "learned".to_string()];
//! let map = HeatMap::new("SRRD distances", names, vec![0.0, 0.3, 0.3, 0.0])?.clustered();
//! let drawing = map.draw();
//! assert!(drawing.to_svg().starts_with("<svg"));
//! assert!(drawing.to_png(2.0)?.starts_with(b"\x89PNG"));
//! # }
//! # Ok::<(), srrd_show::FigureError>(())
//! ```
//!
//! The feature `png` (on by default) brings `to_png`; without it the crate draws SVG
//! only and builds in seconds.
//!
//! # Map
//!
//! | where | what |
//! |---|---|
//! | [`chart`] | lines with intervals, panels, bars, points, grids |
//! | [`heatmap`] | distance matrices, and the order that clustering gives |
//! | [`Figure`], [`Drawing`] | what figures have in common, and a figure once it is drawn |
//! | [`page`] | reports: text, claims, figures and tables on one HTML page |
//! | [`escape`] | text as people may see it |
//!
//! The names that most callers need are also at the root of the crate.
//!
//! # What charts write
//!
//! Charts never fail on the numbers they are given: what cannot be drawn is left out, as each of them
//! says. Their SVGs carry classes and data for the styles and scripts of a page:
//!
//! | element | is |
//! |---|---|
//! | `svg.srrd-chart` | the figure, its title in `aria-label` |
//! | `.paper`, `.ink`, `.ink-soft`, `.axis`, `.grid`, `.reference` | background, text, secondary text, lines of the frame, reference lines |
//! | `g.series` | a series: `data-series` is its name, `data-color` the number of its colour (0 to 6) |
//! | `.band`, `.whisker`, `.line` | its intervals and its line |
//! | `.point` | a point or bar, with `data-x`, `data-y`, `data-low`, `data-high` (empty if unknown) and `data-note`; also `.hollow` if it is filled with the background |
//! | `g.legend-entry` | an entry of the legend, with `data-series` and `data-color`; its samples are `.key` |
//! | `g.panel` | a panel, its title in `data-panel` |
//!
//! # To add a chart
//!
//! A chart is one file in `chart/`, which its `mod.rs` names. It implements [`Figure`]: it builds a tree of elements (`svg`),
//! with colours from `palette`, text widths from `font` and tick positions from `ticks`. SVG, PNG and pages come with that.
//! One line in `examples/gallery` draws it, to look at.

pub mod chart;
mod drawing;
mod error;
pub mod escape;
mod figure;
mod font;
pub mod heatmap;
pub mod page;
mod palette;
pub mod present;
#[cfg(feature = "png")]
mod raster;
mod svg;
mod text;
mod ticks;
pub mod words;

#[doc(no_inline)]
pub use chart::{
    Arrow, Axis, Bar, BarChart, GridPicture, LineChart, MapPicture, Panels, Point, Scale, ScatterChart, Series, Spot,
};
pub use drawing::Drawing;
pub use error::FigureError;
pub use figure::Figure;
#[doc(no_inline)]
pub use heatmap::HeatMap;
