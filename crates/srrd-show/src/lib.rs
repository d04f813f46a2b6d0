//! Figures of reward distances as SVG and PNG.
//!
//! The crate does no file I/O and asks nothing of the machine: the font is part of the binary,
//! so the same input gives the same bytes everywhere.
//!
//! ```
//! # #[cfg(feature = "png")] {
//! use srrd_show::{Figure, HeatMap};
//!
//! let names = vec!["hand-made".to_string(), "learned".to_string()];
//! let map = HeatMap::new("SRRD distances", names, vec![0.0, 0.3, 0.3, 0.0])?.clustered();
//! assert!(map.to_svg().starts_with("<svg"));
//! assert!(map.to_png(2.0)?.starts_with(b"\x89PNG"));
//! # }
//! # Ok::<(), srrd_show::FigureError>(())
//! ```
//!
//! The feature `png` (on by default) brings `to_png`; without it the crate draws SVG
//! only and builds in seconds.
//!
//! Charts ([`LineChart`], [`Panels`], [`BarChart`], [`ScatterChart`], [`GridPicture`]) never fail on
//! the numbers they are given: what cannot be drawn is left out, as each of them says. Their
//! SVGs carry classes and data for the styles and scripts of a page:
//!
//! | element | is |
//! |---|---|
//! | `svg.srrd-chart` | the figure, its title in `aria-label` |
//! | `.paper`, `.ink`, `.ink-soft`, `.axis`, `.grid`, `.reference` | ground, text, secondary text, lines of the frame, reference lines |
//! | `g.series` | a series: `data-series` is its name, `data-color` the number of its colour (0 to 6) |
//! | `.band`, `.whisker`, `.line` | its intervals and its line |
//! | `.point` | a point or bar, with `data-x`, `data-y`, `data-low`, `data-high` (empty if unknown) and `data-note`; also `.hollow` if it is filled with the ground |
//! | `g.legend-entry` | an entry of the legend, with `data-series` and `data-color`; its samples are `.key` |
//! | `g.panel` | a panel, its title in `data-panel` |
//!
//! A new figure is a new file beside [`heatmap`](HeatMap) or among the charts that builds an element tree with the
//! crate's own SVG writer (`svg`), takes its colours from `palette`, its text widths from `font`
//! and its tick positions from `ticks`. The tree is written as it is for the SVG; for the PNG its
//! text is first replaced by outlines of the bundled font, so the rasterizer needs no text engine.

mod chart;
mod drawing;
mod error;
mod figure;
mod font;
mod heatmap;
mod order;
pub mod page;
mod palette;
#[cfg(feature = "png")]
mod raster;
mod svg;
mod text;
mod ticks;

pub use chart::{Arrow, Axis, Bar, BarChart, GridPicture, LineChart, Panels, Point, Scale, ScatterChart, Series};
pub use drawing::Drawing;
pub use error::FigureError;
pub use figure::Figure;
pub use heatmap::HeatMap;
pub use order::clustered_order;
