//! Where two of the samples differ.

use srrd::NamedSample;
use srrd::answer::ExplainedPair;

use crate::Figure;
use crate::page::{Cell, Column, FigureBlock, Section, Table};
use crate::present::explanation::{Picture, next_state, summary};
use crate::words::{percent, reward, short, token};

pub(super) fn section(explained: &ExplainedPair, samples: &[&NamedSample]) -> Section {
    let found = &explained.found;
    let pair = explained.at.map(|at| samples[at]);
    let mut section = Section::new("Where they differ");
    if samples.len() > 2 {
        section.paragraphs.push(format!(
            "{} (A) and {} (B) are looked at.",
            short(&pair[0].name),
            short(&pair[1].name)
        ));
    }
    let (said, there) = summary(found);
    section.paragraphs.push(said);
    let Some(explanation) = found.explanation.as_ref().filter(|_| there) else { return section };
    if let Ok(picture) = Picture::of(pair[0]).draw(pair, explanation) {
        let caption = "Shares of the squared distance add up to 100 %. Differences are those of the rewards without shaping, each in its own \
                       standard deviations.";
        section.figures.push(FigureBlock::new(picture.draw(), caption));
    }
    let mut columns = vec![Column::text("state"), Column::text("action")];
    if !found.one_step {
        columns.push(Column::text("next state"));
    }
    columns.extend([
        Column::number("reward A"),
        Column::number("reward B"),
        Column::number("a - b").with_help("without shaping, each in its own standard deviations"),
        Column::number("share").with_help("of the squared distance"),
    ]);
    let mut table = Table::new("The transitions that carry most", columns);
    for t in &found.transitions {
        let mut row = vec![Cell::text(token(t.state.token())), Cell::text(token(t.action.token()))];
        row.extend(t.next_state.as_ref().map(|next| Cell::text(next_state(next))));
        row.extend([
            Cell::number(t.reward_a, reward(t.reward_a)),
            Cell::number(t.reward_b, reward(t.reward_b)),
            Cell::number(t.difference, format!("{:+.2}", t.difference)),
            Cell::number(t.share, percent(t.share)),
        ]);
        table.rows.push(row);
    }
    section.tables.push(table);
    section
}
