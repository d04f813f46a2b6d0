//! The page, from top to bottom.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::check::{ReportError, file_href};
use super::model::{Claim, FigureBlock, Report, Section, Verdict};
use super::policy::{SCRIPT, STYLE, policy};
use super::table::table;
use crate::escape::shown_lines;

/// A table of contents helps from this many sections on.
const SECTIONS_WITH_CONTENTS: usize = 4;

impl Report {
    /// The report as one HTML page that needs nothing but itself.
    ///
    /// A part that cannot be shown ([`check`](Report::check)) is replaced by a sentence that says so. The same report
    /// gives the same bytes.
    pub fn to_html(&self) -> String {
        // Figures and tables are numbered through the sections.
        let mut numbers = Numbers::default();
        let headline_figure = self.headline.as_ref().map(|headline| figure(&headline.figure, numbers.next_figure()));
        let sections: Vec<Markup> =
            self.sections.iter().enumerate().map(|(index, part)| section(part, index + 1, &mut numbers)).collect();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy());
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content={ "srrd " (env!("CARGO_PKG_VERSION")) };
                    title { (self.title) }
                    // Without it browsers ask the server for an icon.
                    link rel="icon" href="data:,";
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header.top {
                        h1 { (self.title) }
                        @if let (Some(headline), Some(figure)) = (&self.headline, &headline_figure) {
                            p.sentence { (prose(&headline.sentence)) }
                            (figure)
                        }
                        div.lead { @for text in &self.lead { p { (prose(text)) } } }
                    }
                    div.layout.with-contents[self.has_contents()] {
                        @if self.has_contents() { (self.contents()) }
                        main {
                            @if !self.claims.is_empty() { (claims(&self.claims)) }
                            @if !self.facts.is_empty() || !self.command.is_empty() { (self.run()) }
                            @for section in &sections { (section) }
                            @if !self.notes.is_empty() {
                                section #notes {
                                    h2 { "Notes" }
                                    ul { @for note in &self.notes { li { (prose(note)) } } }
                                }
                            }
                        }
                    }
                    footer { p { "Made by srrd " (env!("CARGO_PKG_VERSION")) "." } }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        // Over the whole page, so that no part of it can be forgotten.
        shown_lines(&page.into_string()).into_owned()
    }

    fn has_contents(&self) -> bool {
        self.sections.len() >= SECTIONS_WITH_CONTENTS
    }

    fn contents(&self) -> Markup {
        html! {
            nav.contents aria-label="Contents" {
                p { "Contents" }
                ol {
                    @if !self.claims.is_empty() { li { a href="#claims" { "Paper and measurement" } } }
                    @if !self.facts.is_empty() || !self.command.is_empty() {
                        li { a href="#run" { "What was run" } }
                    }
                    @for (index, section) in self.sections.iter().enumerate() {
                        li { a href={ "#section-" (index + 1) } { (section.heading) } }
                    }
                    @if !self.notes.is_empty() { li { a href="#notes" { "Notes" } } }
                }
            }
        }
    }

    fn run(&self) -> Markup {
        html! {
            section #run {
                h2 { "What was run" }
                @if !self.facts.is_empty() {
                    dl.facts { @for (name, value) in &self.facts { div { dt { (name) } dd { (value) } } } }
                }
                @if !self.command.is_empty() {
                    p.again { "This command makes the report again:" }
                    div.command { pre tabindex="0" { code { (self.command) } } }
                }
            }
        }
    }
}

/// Text in which no line begins with the sign of percent, and in which what stands between backticks is code.
pub(super) fn prose(text: &str) -> Markup {
    let text = text.replace(" %", "\u{a0}%");
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a partner stays what it is.
    let paired = parts.len() % 2 == 1;
    html! {
        @if paired {
            @for (at, part) in parts.iter().enumerate() { @if at % 2 == 1 { code { (part) } } @else { (part) } }
        } @else { (text) }
    }
}

/// A sentence in place of a part that cannot be shown.
pub(crate) fn problem(error: &ReportError) -> Markup {
    html! { p.problem role="alert" { (error.to_string()) } }
}

fn claims(claims: &[Claim]) -> Markup {
    html! {
        section #claims {
            h2 { "Paper and measurement" }
            ul.tally {
                @for verdict in Verdict::ALL {
                    @let count = claims.iter().filter(|claim| claim.verdict == verdict).count();
                    @if count > 0 { li class=(class(verdict)) { (icon(verdict)) (tally(verdict, count)) } }
                }
            }
            div.claims { @for claim in claims { (self::claim(claim)) } }
        }
    }
}

fn claim(claim: &Claim) -> Markup {
    html! {
        article class={ "claim " (class(claim.verdict)) } {
            p.verdict { (icon(claim.verdict)) (claim.verdict.words()) }
            dl {
                @if !claim.paper.is_empty() { div { dt { "The paper says" } dd { (claim.paper) } } }
                div { dt { "Measured here" } dd { (claim.measured) } }
            }
            @if !claim.note.is_empty() { p.claim-note { (claim.note) } }
        }
    }
}

fn tally(verdict: Verdict, count: usize) -> String {
    match (verdict, count) {
        (Verdict::Agrees, 2..) => format!("{count} agree"),
        (Verdict::Disagrees, 2..) => format!("{count} do not agree"),
        _ => format!("{count} {}", verdict.words()),
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Disagrees => "disagrees",
        Verdict::Undecided => "undecided",
        Verdict::NotInPaper => "not-in-paper",
    }
}

/// A sign beside the words: a tick, a cross, a question mark or a plus. Drawn, since not every font has them.
fn icon(verdict: Verdict) -> Markup {
    let path = match verdict {
        Verdict::Agrees => "M4.5 8.5l2.5 2.5 4.5-5.5",
        Verdict::Disagrees => "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6",
        Verdict::Undecided => "M5.9 6.3c0-2.9 4.2-2.7 4.2-.2 0 1.5-2.1 1.6-2.1 3.3M8 11.6v.2",
        Verdict::NotInPaper => "M8 4.6v6.8M4.6 8h6.8",
    };
    PreEscaped(format!(
        "<svg class=\"icon\" viewBox=\"0 0 16 16\" width=\"16\" height=\"16\" aria-hidden=\"true\">\
         <circle cx=\"8\" cy=\"8\" r=\"7.5\"/><path d=\"{path}\"/></svg>"
    ))
}

/// How many figures and tables there are so far.
#[derive(Default)]
struct Numbers {
    figures: usize,
    tables: usize,
}

impl Numbers {
    fn next_figure(&mut self) -> usize {
        self.figures += 1;
        self.figures
    }

    fn next_table(&mut self) -> usize {
        self.tables += 1;
        self.tables
    }
}

fn section(section: &Section, number: usize, numbers: &mut Numbers) -> Markup {
    html! {
        section id={ "section-" (number) } {
            h2 { (section.heading) }
            @for text in &section.paragraphs { p { (prose(text)) } }
            @for block in &section.figures { (figure(block, numbers.next_figure())) }
            @for block in &section.tables { (table(block, numbers.next_table())) }
            @for text in &section.after { p { (prose(text)) } }
        }
    }
}

fn figure(block: &FigureBlock, number: usize) -> Markup {
    let markup = block.drawing.to_markup(&format!("f{number}-"));
    // Where the page has a script, it takes the other drawing on small screens.
    let narrow = block.drawing.to_narrow_markup(&format!("f{number}n-"));
    let file = file_href(block);
    html! {
        figure.chart-figure id={ "figure-" (number) } {
            div.chart { (PreEscaped(markup)) @if let Some(narrow) = narrow { template { (PreEscaped(narrow)) } } }
            figcaption {
                b { "Figure " (number) } " " (prose(&block.caption))
                @if let Ok(Some(href)) = &file { " " a.file href=(href) { "Open the figure by itself" } }
            }
            @if let Err(error) = &file { (problem(error)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::model::{Cell, Column, Headline, Table};
    use crate::{Axis, Figure, HeatMap, LineChart, Point, Series};

    const NASTY: &str = "\u{1b}[2K\u{202e}</title><script>alert(1)</script>\"><img src=x onerror=alert(1)>";

    const ESCAPED: &str = "\\u{1b}[2K\\u{202e}&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;";

    fn nasty() -> String {
        NASTY.to_string()
    }

    #[test]
    fn charts_are_drawn_for_small_screens_too() {
        let page = |drawing| {
            let mut section = Section::new("Results");
            section.figures.push(FigureBlock::new(drawing, "Lower is better."));
            Report { sections: vec![section], ..Report::default() }.to_html()
        };
        let line = LineChart::new("Distance", Axis::linear("step"), Axis::linear("distance"))
            .series(Series::new("a and b", vec![Point::new(0.0, 0.1), Point::new(1.0, 0.4)]));
        for chart in [line.clone().draw(), line.wide().draw()] {
            let html = page(chart);
            let narrow = html.split("<template>").nth(1).expect("a second drawing");
            assert!(narrow.contains(r#"width="344""#), "{narrow}");
        }
        let names = vec!["a".to_string(), "b".to_string()];
        let map = HeatMap::new("Distances", names, vec![0.0, 0.3, 0.3, 0.0]).unwrap().draw();
        assert!(!page(map).contains("<template>"));
    }

    #[test]
    fn nothing_from_data_is_markup() {
        let mut table = Table::new(NASTY, vec![Column::text(NASTY).with_help(NASTY)]);
        table.rows.push(vec![Cell::text(NASTY)]);
        let series = Series::new(NASTY, vec![Point::new(1.0, 2.0).note(NASTY)]);
        let chart = LineChart::new(NASTY, Axis::linear(NASTY), Axis::linear(NASTY)).subtitle(NASTY).series(series);
        let drawing = chart.reference(1.0, NASTY).draw();
        let svg = drawing.to_svg();
        // A chart is drawn once more for small screens.
        let narrow = drawing.to_narrow_markup("").expect("a second drawing");
        let count = |what: &str| svg.matches(what).count() + narrow.matches(what).count();
        let (in_figure, titles) = (count(ESCAPED), count("</title>"));
        let figure = FigureBlock::new(drawing, NASTY).with_file(NASTY.replace(['/', ':', '\u{1b}'], ""));
        let section = Section {
            heading: nasty(),
            paragraphs: vec![nasty()],
            figures: vec![figure.clone()],
            tables: vec![table],
            after: vec![nasty()],
        };
        let report = Report {
            title: nasty(),
            headline: Some(Headline::new(NASTY, figure.clone())),
            lead: vec![nasty()],
            facts: vec![(nasty(), nasty())],
            claims: Verdict::ALL.map(|verdict| Claim::new(NASTY, NASTY, verdict, NASTY)).to_vec(),
            sections: vec![section; 4],
            command: nasty(),
            notes: vec![nasty()],
        };
        let html = report.to_html();
        assert_eq!(shown_lines(&html), html);
        assert_eq!(html.matches("<script").count(), 1, "the page's own");
        assert_eq!(html.matches("<img").count(), 0);
        assert_eq!(html.matches("</title>").count(), 1 + 5 * titles);
        // Once in the title, the heading, the lead, the command and the notes; twice in the headline and the facts; three
        // times per claim; in every section its contents, heading, text, the text after it, caption and, six times, its table; and all in
        // the figures themselves.
        assert!(in_figure >= 8, "{in_figure}");
        assert_eq!(html.matches(ESCAPED).count(), 5 + 2 * 2 + 4 * 3 + 4 * 11 + 5 * in_figure);
    }

    #[test]
    fn names_between_backticks_are_code() {
        assert_eq!(prose("mark `a<b>` as `c`, 5 %").0, "mark <code>a&lt;b&gt;</code> as <code>c</code>, 5\u{a0}%");
        assert_eq!(prose("a ` alone").0, "a ` alone");
    }

    #[test]
    fn empty_parts_are_not_there() {
        let html = Report { title: "Empty".to_string(), ..Report::default() }.to_html();
        for part in ["id=\"claims\"", "id=\"run\"", "id=\"notes\"", "<nav", "<table", "<figure"] {
            assert!(!html.contains(part), "{part}");
        }
        assert!(html.contains("<h1>Empty</h1>"));
    }

    #[test]
    fn contents_from_four_sections_on() {
        let with = |count| Report { sections: vec![Section::new("Part"); count], ..Report::default() }.to_html();
        assert!(!with(3).contains("<nav"));
        let html = with(4);
        for number in 1..=4 {
            assert_eq!(html.matches(&format!("href=\"#section-{number}\"")).count(), 1);
            assert_eq!(html.matches(&format!("id=\"section-{number}\"")).count(), 1);
        }
    }

    #[test]
    fn figures_of_all_sections_are_numbered_and_share_no_id() {
        let map = HeatMap::new("Map", vec!["a".to_string()], vec![0.5]).unwrap();
        let figure = FigureBlock::new(map.draw(), "Curves").with_file("figures/a b.svg");
        let section = Section { figures: vec![figure; 2], ..Section::new("Part") };
        let html = Report { sections: vec![section; 2], ..Report::default() }.to_html();
        for number in 1..=4 {
            assert_eq!(html.matches(&format!("id=\"f{number}-srrd-distance\"")).count(), 1);
            assert_eq!(html.matches(&format!("fill=\"url(#f{number}-srrd-distance)\"")).count(), 1);
            assert_eq!(html.matches(&format!("<b>Figure {number}</b> Curves")).count(), 1);
        }
        assert_eq!(html.matches("href=\"figures/a%20b.svg\"").count(), 4);
    }

    #[test]
    fn verdicts_are_counted_in_words() {
        let of = |verdict| Claim::new("p", "m", verdict, "n");
        let html = claims(&[of(Verdict::Agrees), of(Verdict::Disagrees), of(Verdict::Agrees)]).0;
        assert!(html.contains("</svg>2 agree<") && html.contains("</svg>1 does not agree<"), "{html}");
        assert!(!html.contains("undecided"), "{html}");
        assert_eq!(tally(Verdict::Disagrees, 3), "3 do not agree");
        assert_eq!(tally(Verdict::Undecided, 2), "2 undecided");
    }

    #[test]
    fn same_report_same_bytes() {
        let report = Report { sections: vec![Section::new("Part"); 5], ..Report::default() };
        assert_eq!(report.to_html(), report.to_html());
    }
}
