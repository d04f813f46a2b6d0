//! Tables: sorted by the page's script, readable without it.

use maud::{Markup, PreEscaped, html};

use super::check::table_shape;
use super::html::{problem, prose};
use super::model::{Cell, Column, Table};

/// A table with its number on the page, from 1.
pub(crate) fn table(table: &Table, number: usize) -> Markup {
    if let Err(error) = table_shape(table) {
        return problem(&error);
    }
    let caption = format!("table-{number}");
    let scales: Vec<Option<Scale>> = (0..table.columns.len()).map(|column| Scale::of(&table.rows, column)).collect();
    html! {
        figure.table-figure {
            figcaption id=(caption) { b { "Table " (number) } " " (table.caption) }
            // The box scrolls sideways on small screens; with the focus on it, by the arrow keys.
            div.table-box tabindex="0" role="region" aria-labelledby=(caption) {
                table.sortable.stacked[scales.iter().flatten().count() >= MOST_BESIDE] aria-labelledby=(caption) {
                    thead { tr { @for column in &table.columns { (header(column)) } } }
                    tbody {
                        @for row in &table.rows {
                            tr {
                                @for ((cell, column), scale) in row.iter().zip(&table.columns).zip(&scales) {
                                    (self::cell(cell, column, *scale))
                                }
                            }
                        }
                    }
                }
            }
            @if table.columns.iter().any(|column| !column.help.is_empty()) {
                details.columns {
                    summary { "What the columns mean" }
                    dl {
                        @for column in table.columns.iter().filter(|column| !column.help.is_empty()) {
                            div { dt { (column.name) } dd { (column.help) } }
                        }
                    }
                }
            }
        }
    }
}

fn header(column: &Column) -> Markup {
    let help = (!column.help.is_empty()).then_some(column.help.as_str());
    html! {
        th scope="col" class=[column.numeric.then_some("number")] title=[help] { (column.name) }
    }
}

fn cell(cell: &Cell, column: &Column, scale: Option<Scale>) -> Markup {
    let class = match (column.numeric, cell) {
        (true, Cell::Empty) => Some("number empty"),
        (true, _) => Some("number"),
        (false, Cell::Empty) => Some("empty"),
        // On a small screen it would become a column of single words.
        (false, Cell::Text(text) | Cell::Cut { shown: text, .. }) if text.chars().count() > LONG_TEXT => Some("long"),
        (false, _) => None,
    };
    let (key, shown) = match cell {
        Cell::Text(text) => (None, text.as_str()),
        Cell::Cut { shown, .. } => (None, shown.as_str()),
        Cell::Number { value, shown } | Cell::Interval { value, shown, .. } => (Some(sort_key(*value)), shown.as_str()),
        Cell::Empty => (Some(String::new()), "–"),
    };
    let title = match cell {
        Cell::Cut { whole, .. } => Some(whole),
        _ => None,
    };
    html! {
        td class=[class] data-value=[key] title=[title] {
            (prose(shown))
            @if let Some(scale) = scale { (scale.mark(cell)) }
        }
    }
}

/// What the script sorts by: empty for what has no place in an order.
fn sort_key(value: f64) -> String {
    // The short form with an exponent, which is exact and which scripts read as well.
    if value.is_finite() { format!("{value:e}") } else { String::new() }
}

/// The range that the intervals of a column cover.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    low: f64,
    high: f64,
}

/// Text of more characters than this keeps some width of its own.
const LONG_TEXT: usize = 20;
/// With so many columns of intervals, their marks stand below the numbers, or the table would be too wide for a page.
const MOST_BESIDE: usize = 3;
/// Width of an interval's mark, in units of its drawing.
const MARK_WIDTH: f64 = 72.0;
/// Room at both ends of it, for half a dot.
const MARK_EDGE: f64 = 4.0;

impl Scale {
    /// The scale of a column, if any cell of it has an interval to draw.
    fn of(rows: &[Vec<Cell>], column: usize) -> Option<Scale> {
        let mut scale: Option<Scale> = None;
        for row in rows {
            if let Some(Cell::Interval { value, low, high, .. }) = row.get(column) {
                for end in [*value, *low, *high].into_iter().filter(|end| end.is_finite()) {
                    let (low, high) = scale.map_or((end, end), |scale| (scale.low.min(end), scale.high.max(end)));
                    scale = Some(Scale { low, high });
                }
            }
        }
        scale
    }

    /// The place of a value between 0 and [`MARK_WIDTH`].
    fn place(self, value: f64) -> f64 {
        // Halves first: the difference of two doubles can be too large for one.
        let (range, above) = (self.high / 2.0 - self.low / 2.0, value / 2.0 - self.low / 2.0);
        let share = if range > 0.0 { above / range } else { 0.5 };
        MARK_EDGE + share * (MARK_WIDTH - 2.0 * MARK_EDGE)
    }

    /// A line from the lower to the upper end, with a dot at the value. A cell without an interval keeps the room of one,
    /// so that the numbers of a column stay below each other.
    fn mark(self, cell: &Cell) -> Markup {
        let drawn = match cell {
            Cell::Interval { value, low, high, .. } if [value, low, high].iter().all(|end| end.is_finite()) => {
                let [value, low, high] = [*value, *low, *high].map(|end| self.place(end));
                format!(
                    "<path class=\"mark-range\" d=\"M0 6H{MARK_WIDTH}\"/>\
                     <path class=\"mark-interval\" d=\"M{low:.1} 6H{high:.1}\"/>\
                     <circle class=\"mark-value\" cx=\"{value:.1}\" cy=\"6\" r=\"2.5\"/>"
                )
            }
            _ => String::new(),
        };
        PreEscaped(format!(
            "<svg class=\"mark\" viewBox=\"0 0 {MARK_WIDTH} 12\" width=\"{MARK_WIDTH}\" height=\"12\" \
             aria-hidden=\"true\">{drawn}</svg>"
        ))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scale_covers_the_intervals_of_its_column() {
        let rows = vec![
            vec![Cell::text("a"), Cell::interval(0.5, 0.25, 0.75, "")],
            vec![Cell::text("b"), Cell::number(100.0, "100")],
            vec![Cell::text("c"), Cell::interval(0.9, f64::NAN, f64::INFINITY, "")],
        ];
        assert_eq!(Scale::of(&rows, 0), None);
        assert_eq!(Scale::of(&rows, 1), Some(Scale { low: 0.25, high: 0.9 }));
        assert_eq!(Scale::of(&rows, 2), None);
    }

    #[test]
    fn only_an_interval_with_ends_is_drawn() {
        let scale = Scale { low: 0.0, high: 1.0 };
        assert!(scale.mark(&Cell::interval(0.5, 0.0, 1.0, "")).0.contains("cx=\"36.0\""));
        for cell in [Cell::interval(0.5, f64::NEG_INFINITY, 1.0, ""), Cell::number(0.5, ""), Cell::Empty] {
            let mark = scale.mark(&cell).0;
            assert!(mark.starts_with("<svg") && !mark.contains("circle"), "{mark}");
        }
    }

    #[test]
    fn what_has_no_order_has_an_empty_key() {
        assert_eq!(sort_key(0.25), "2.5e-1");
        assert_eq!(sort_key(f64::NAN), "");
        let html = cell(&Cell::Empty, &Column::number("D"), None).0;
        assert_eq!(html, "<td class=\"number empty\" data-value=\"\">–</td>");
    }

    #[test]
    fn what_was_cut_is_whole_in_its_tooltip() {
        let column = Column::text("name");
        assert_eq!(cell(&Cell::cut("a…z", "a<b>z"), &column, None).0, "<td title=\"a&lt;b&gt;z\">a…z</td>");
        assert_eq!(cell(&Cell::cut("az", "az"), &column, None).0, "<td>az</td>");
    }

    #[test]
    fn long_text_keeps_its_width() {
        let html = |text: String| cell(&Cell::text(text), &Column::text("remark"), None).0;
        assert!(html("ö".repeat(LONG_TEXT)).starts_with("<td>"));
        assert!(html("ö".repeat(LONG_TEXT + 1)).starts_with("<td class=\"long\">"));
    }

    #[test]
    fn text_is_escaped_everywhere() {
        let nasty = "\"><img src=x onerror=alert(1)>";
        let mut nasty_table = Table::new(nasty, vec![Column::text(nasty).with_help(nasty), Column::number(nasty)]);
        nasty_table.rows = vec![
            vec![Cell::text(nasty), Cell::number(1.0, nasty)],
            vec![Cell::text(nasty), Cell::interval(1.0, 0.0, 2.0, nasty)],
        ];
        let html = table(&nasty_table, 1).0;
        assert!(!html.contains("<img"));
        assert_eq!(html.matches("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;").count(), 10);
    }

    proptest! {
        #[test]
        fn places_are_inside_the_mark(low in any::<f64>(), high in any::<f64>(), share in 0.0..=1.0_f64) {
            prop_assume!(low.is_finite() && high.is_finite());
            let scale = Scale { low: low.min(high), high: low.max(high) };
            let value = (scale.low * (1.0 - share) + scale.high * share).clamp(scale.low, scale.high);
            let place = scale.place(value);
            prop_assert!((MARK_EDGE - 1e-9..=MARK_WIDTH - MARK_EDGE + 1e-9).contains(&place), "{place}");
        }

        #[test]
        fn sort_keys_keep_every_bit(value in any::<f64>()) {
            prop_assume!(value.is_finite());
            let again: f64 = sort_key(value).parse().unwrap();
            prop_assert_eq!(again.to_bits(), value.to_bits());
        }
    }
}
