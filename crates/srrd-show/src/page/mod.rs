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
//! forbids any script but its own. All text is escaped, that of figures too: a
//! [`Drawing`](crate::Drawing) is a tree of elements, not text, so no name in a figure can become a script.
//!
//! The way through the module: `model` is what a report says, `check` what can be wrong with it,
//! `html` and `table` write the page, `page.css` and `page.js` are its style and script, `policy` and
//! `link` keep out what does not belong to it.

mod check;
mod html;
mod link;
mod model;
mod policy;
mod table;

pub use check::ReportError;
pub use model::{Cell, Claim, Column, FigureBlock, Headline, Report, Section, Table, Verdict};
