//! Reports of experiments as one self-contained HTML page.
//!
//! ```
//! use srrd_show::page::{Cell, Claim, Column, Report, Section, Table, Verdict};
//!
//! let mut table = Table::new("Distances", vec![Column::text("metric"), Column::number("distance")]);
//! table.rows.push(vec![Cell::text("srrd"), Cell::number(0.25, "0.250")]);
//! let report = Report {
//!     title: "A small run".to_string(),
//!     claims: vec![Claim::new("SRRD is nearest to 0.", "SRRD has 0.25.", Verdict::Agrees, "It is.")],
//!     sections: vec![Section { heading: "Results".to_string(), tables: vec![table], ..Section::default() }],
//!     command: "srrd reproduce rollouts -o run".to_string(),
//!     ..Report::default()
//! };
//! assert!(report.to_html().starts_with("<!DOCTYPE html>"));
//! ```
//!
//! The page holds its own style and script and loads nothing: a policy in its head forbids it, and
//! forbids any script but its own. All text is escaped. Figures are parsed and written anew
//! ([`inline_svg`]), so that no name in a figure can become a script.
//!
//! The way through the crate: `model` is what a report says, `check` what can be wrong with it,
//! `page` and `table` write the HTML, `page.css` and `page.js` are its style and script, `svg` lets
//! figures in, `policy` and `link` keep the rest out.

mod check;
mod html;
mod inline;
mod link;
mod model;
mod policy;
mod table;

pub use check::ReportError;
pub use inline::{SvgError, inline_svg};
pub use model::{Cell, Claim, Column, FigureBlock, Report, Section, Table, Verdict};
