//! What a report says, without a word about how it looks.

use crate::Drawing;

/// A report: what was run, what came out, and how it compares with the paper.
///
/// All text is plain text. [`to_html`](Report::to_html) makes the page; [`check`](Report::check)
/// says beforehand whether every part of it can be shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// What the report found, in one sentence and one figure: the first things on the page.
    pub headline: Option<Headline>,
    /// Paragraphs that say in plain words what the report shows.
    pub lead: Vec<String>,
    /// What was run, as name and value: world, trials, seed, version.
    pub facts: Vec<(String, String)>,
    /// What the paper says beside what was measured.
    pub claims: Vec<Claim>,
    /// The results; from four sections on, the page starts with a table of contents.
    pub sections: Vec<Section>,
    /// The command that makes the report again; empty for none.
    pub command: String,
    /// What a reader should know before relying on the numbers.
    pub notes: Vec<String>,
}

/// What a report found, at a glance.
///
/// ```
/// use srrd_show::page::{FigureBlock, Headline, Report};
/// use srrd_show::{Axis, Bar, BarChart, Figure};
///
/// let chart = BarChart::new("Distances", Axis::linear("distance")).group("srrd", vec![Bar::new("copy", 0.1)]);
/// let figure = FigureBlock::new(chart.draw(), "Lower is better.");
/// let headline = Headline::new("SRRD sees through shaping.", figure);
/// let page = Report { headline: Some(headline), ..Report::default() }.to_html();
/// assert!(page.contains("SRRD sees through shaping."));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Headline {
    /// One sentence.
    pub sentence: String,
    /// One figure, the first of the report.
    pub figure: FigureBlock,
}

impl Headline {
    /// A headline from its two parts.
    pub fn new(sentence: impl Into<String>, figure: FigureBlock) -> Headline {
        Headline { sentence: sentence.into(), figure }
    }
}

/// One claim of the paper, and what was measured here.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What the paper says; may be empty when the verdict is [`Verdict::NotInPaper`].
    pub paper: String,
    /// What was measured.
    pub measured: String,
    /// Whether the two agree.
    pub verdict: Verdict,
    /// One sentence on the agreement.
    pub note: String,
}

impl Claim {
    /// A claim from its four parts.
    pub fn new(
        paper: impl Into<String>,
        measured: impl Into<String>,
        verdict: Verdict,
        note: impl Into<String>,
    ) -> Claim {
        Claim { paper: paper.into(), measured: measured.into(), verdict, note: note.into() }
    }
}

/// Whether a measurement agrees with the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The measurement supports the claim.
    Agrees,
    /// The measurement contradicts the claim.
    Disagrees,
    /// The measurement cannot tell, for example with too few trials.
    Undecided,
    /// The paper makes no such claim.
    NotInPaper,
}

impl Verdict {
    /// All verdicts, in the order in which the page counts them.
    pub const ALL: [Verdict; 4] = [Verdict::Agrees, Verdict::Disagrees, Verdict::Undecided, Verdict::NotInPaper];

    /// The verdict in words, as the page shows it.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Disagrees => "does not agree",
            Verdict::Undecided => "undecided",
            Verdict::NotInPaper => "not in the paper",
        }
    }
}

/// A part of the report with its own heading.
///
/// ```
/// use srrd_show::page::Section;
///
/// let section = Section { paragraphs: vec!["Lower is better.".to_string()], ..Section::new("Results") };
/// assert!(section.figures.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// The heading, also the entry in the table of contents.
    pub heading: String,
    /// Text before the figures.
    pub paragraphs: Vec<String>,
    /// Figures, one below the other.
    pub figures: Vec<FigureBlock>,
    /// Tables, after the figures.
    pub tables: Vec<Table>,
    /// Text after the tables.
    pub after: Vec<String>,
}

impl Section {
    /// A section that has only a heading so far.
    pub fn new(heading: impl Into<String>) -> Section {
        Section { heading: heading.into(), ..Section::default() }
    }
}

/// A figure and its caption.
///
/// ```
/// use srrd_show::page::FigureBlock;
/// use srrd_show::{Axis, BarChart, Figure};
///
/// let drawing = BarChart::new("Distances", Axis::linear("distance")).draw();
/// let figure = FigureBlock::new(drawing.clone(), "Lower is better.").with_file("figures/distances.svg");
/// assert_eq!(figure.drawing, drawing);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FigureBlock {
    /// The figure.
    pub drawing: Drawing,
    /// What the figure shows.
    pub caption: String,
    /// The same figure in a file of its own, as a path relative to the report (`figures/x.svg`).
    pub file: Option<String>,
}

impl FigureBlock {
    /// A figure without a file of its own.
    pub fn new(drawing: Drawing, caption: impl Into<String>) -> FigureBlock {
        FigureBlock { drawing, caption: caption.into(), file: None }
    }

    /// The same figure with a link to its file, a path relative to the report.
    pub fn with_file(mut self, file: impl Into<String>) -> FigureBlock {
        self.file = Some(file.into());
        self
    }
}

/// A table that readers can sort by any of its columns.
///
/// ```
/// use srrd_show::page::{Cell, Column, Table};
///
/// let columns = vec![Column::text("metric"), Column::number("distance").with_help("0 is equivalent")];
/// let mut table = Table::new("Distances", columns);
/// table.rows.push(vec![Cell::text("srrd"), Cell::interval(0.25, 0.2, 0.3, "0.25 (0.20 to 0.30)")]);
/// table.rows.push(vec![Cell::text("direct"), Cell::Empty]);
/// assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// The columns, from left to right.
    pub columns: Vec<Column>,
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Table {
        Table { caption: caption.into(), columns, rows: Vec::new() }
    }
}

/// A column of a [`Table`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// Whether the column is set and sorted as numbers.
    pub numeric: bool,
    /// What the column means; empty where the name says it.
    pub help: String,
}

impl Column {
    /// A column of text.
    pub fn text(name: impl Into<String>) -> Column {
        Column { name: name.into(), numeric: false, help: String::new() }
    }

    /// A column of numbers.
    pub fn number(name: impl Into<String>) -> Column {
        Column { name: name.into(), numeric: true, help: String::new() }
    }

    /// The same column with a sentence on what it means.
    pub fn with_help(mut self, help: impl Into<String>) -> Column {
        self.help = help.into();
        self
    }
}

/// A cell of a [`Table`].
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum Cell {
    /// Text, sorted as text.
    Text(String),
    /// A text that is cut, with the whole of it, which shows where the pointer rests on it.
    Cut {
        /// What the cell shows.
        shown: String,
        /// All of it.
        whole: String,
    },
    /// A number: sorted by `value`, shown as `shown`.
    Number {
        /// What the table sorts by; a value that is not finite sorts last, as a missing one does.
        value: f64,
        /// The number as people read it.
        shown: String,
    },
    /// A number with an interval, drawn as a small mark beside it on the scale of its column.
    Interval {
        /// What the table sorts by.
        value: f64,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
        /// The number, with its interval if it should be read as numbers too.
        shown: String,
    },
    /// Nothing to show; sorted last.
    #[default]
    Empty,
}

impl Cell {
    /// A cell with text.
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    /// A cell with a text that may have been cut.
    pub fn cut(shown: impl Into<String>, whole: impl Into<String>) -> Cell {
        match (shown.into(), whole.into()) {
            (shown, whole) if shown == whole => Cell::Text(shown),
            (shown, whole) => Cell::Cut { shown, whole },
        }
    }

    /// A cell with a number.
    pub fn number(value: f64, shown: impl Into<String>) -> Cell {
        Cell::Number { value, shown: shown.into() }
    }

    /// A cell with a number and its interval.
    pub fn interval(value: f64, low: f64, high: f64, shown: impl Into<String>) -> Cell {
        Cell::Interval { value, low, high, shown: shown.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, BarChart, Figure};

    #[test]
    fn verdicts_have_words_of_their_own() {
        for (place, verdict) in Verdict::ALL.into_iter().enumerate() {
            assert!(Verdict::ALL[..place].iter().all(|other| other.words() != verdict.words()));
        }
    }

    #[test]
    fn builders_fill_what_they_name() {
        let figure = FigureBlock::new(BarChart::new("Bars", Axis::linear("distance")).draw(), "A figure")
            .with_file("figures/a.svg");
        assert_eq!(figure.file.as_deref(), Some("figures/a.svg"));
        let column = Column::number("D").with_help("the distance");
        assert!(column.numeric);
        assert_eq!(column.help, "the distance");
        assert!(!Column::text("metric").numeric);
    }
}
