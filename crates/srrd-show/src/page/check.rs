//! What can be wrong with a report, and its sentence.

use thiserror::Error;

use super::link::relative_href;
use super::model::{FigureBlock, Report, Table};

/// A part of a report that cannot be shown.
///
/// [`Report::to_html`] shows the sentence in place of the part.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file of a figure is not a path below the folder of the report.
    #[error("the file {file:?} of the figure {caption:?} is not linked: it is not a relative path below the report")]
    File {
        /// The caption of the figure.
        caption: String,
        /// The file.
        file: String,
    },
    /// A row has another number of cells than the table has columns.
    #[error("the table {caption:?} was left out: row {row} has {cells} cells for {columns} columns")]
    Row {
        /// The caption of the table.
        caption: String,
        /// The row, from 1.
        row: usize,
        /// Its cells.
        cells: usize,
        /// The columns of the table.
        columns: usize,
    },
}

impl Report {
    /// Whether every part of the report can be shown. [`to_html`](Report::to_html) never fails: it says on the page
    /// which part it left out, and why. Programs that would rather stop call this first.
    ///
    /// # Errors
    ///
    /// The first part that cannot be shown.
    pub fn check(&self) -> Result<(), ReportError> {
        if let Some(headline) = &self.headline {
            file_href(&headline.figure)?;
        }
        for section in &self.sections {
            for figure in &section.figures {
                file_href(figure)?;
            }
            for table in &section.tables {
                table_shape(table)?;
            }
        }
        Ok(())
    }
}

/// The link to the figure's file, if it has one.
pub(crate) fn file_href(figure: &FigureBlock) -> Result<Option<String>, ReportError> {
    let Some(file) = &figure.file else { return Ok(None) };
    match relative_href(file) {
        Some(href) => Ok(Some(href)),
        None => Err(ReportError::File { caption: figure.caption.clone(), file: file.clone() }),
    }
}

/// Whether every row has one cell per column.
pub(crate) fn table_shape(table: &Table) -> Result<(), ReportError> {
    let columns = table.columns.len();
    match table.rows.iter().position(|row| row.len() != columns) {
        Some(index) => Err(ReportError::Row {
            caption: table.caption.clone(),
            row: index + 1,
            cells: table.rows[index].len(),
            columns,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::{Cell, Column, Section};
    use crate::{Axis, BarChart, Figure};

    fn report(figure: FigureBlock, table: Table) -> Report {
        let section = Section { figures: vec![figure], tables: vec![table], ..Section::new("Results") };
        Report { sections: vec![section], ..Report::default() }
    }

    fn table(cells: usize) -> Table {
        let mut table = Table::new("Distances", vec![Column::text("metric"), Column::number("D")]);
        table.rows = vec![vec![Cell::Empty; 2], vec![Cell::Empty; cells]];
        table
    }

    #[test]
    fn every_part_is_checked_and_shown_or_named() {
        let chart = BarChart::new("Bars", Axis::linear("distance"));
        let good = FigureBlock::new(chart.draw(), "Curves");
        let cases = [
            (report(good.clone(), table(2)), None),
            (report(good.clone().with_file("figures/a.svg"), table(2)), None),
            (
                report(good.clone(), table(3)),
                Some("the table \"Distances\" was left out: row 2 has 3 cells for 2 columns"),
            ),
            (
                report(good.with_file("../a.svg"), table(2)),
                Some(
                    "the file \"../a.svg\" of the figure \"Curves\" is not linked: \
                     it is not a relative path below the report",
                ),
            ),
        ];
        for (report, expected) in cases {
            let found = report.check().err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), expected);
            // What the page says is the same sentence, with its quotes and brackets escaped.
            let html = report.to_html().replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
            match expected {
                Some(sentence) => assert!(html.contains(sentence), "{sentence}"),
                None => assert!(!html.contains("class=\"problem\"")),
            }
        }
    }
}
