//! The figures, the tables and the text about validity.

use super::claims::percent;
use super::tally::{Cell, LEVEL, Tally};
use super::{Part, RewardKind};
use crate::experiments::shared::show;
use crate::experiments::shared::verdicts;
use crate::row::Choice;
use srrd_show::page::{self, Claim, Column, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart};

pub fn report(cells: &[Cell], claims: Vec<Claim>) -> Report {
    Report {
        title: "Does what is said with a level hold?".to_owned(),
        lead: vec![
            "Rewards of several kinds on grid worlds, two samples of each pair, and the truth on all transitions that can happen. \
             What is said must be true as often as it promises, or be withheld."
                .to_owned(),
            "The intervals of epic, dard and srrd are not here: no resampling can see the bias that sparsity gives their canonical \
             forms, so theirs are about sampling noise only."
                .to_owned(),
        ],
        claims,
        sections: Part::ALL.iter().filter_map(|&part| section(cells, part)).collect(),
        ..Report::default()
    }
}

fn section(cells: &[Cell], part: Part) -> Option<Section> {
    let here: Vec<&Cell> = cells.iter().filter(|cell| cell.part == part).collect();
    if here.is_empty() {
        return None;
    }
    let mut title = part.title().to_owned();
    title[..1].make_ascii_uppercase();
    let mut section = Section::new(title);
    let caption = format!("All cells together, {}, with 95 % intervals.", asked(part));
    let file = format!("validity-{}", part.name());
    section.figures = vec![show::figure(&file, &chart(&here, part), caption)];
    section.tables = vec![table(&here, part)];
    Some(section)
}

/// What the share of a part is.
fn asked(part: Part) -> &'static str {
    match part {
        Part::Projected | Part::Direct | Part::Gamma => "the share of intervals that hold the truth",
        Part::Chance | Part::ChanceDirect => "the share of unrelated rewards that are called alike",
        Part::Verdict => "the share of \"same\" with a loss above 5 %",
        Part::Copy => "the share of copies that are called different",
    }
}

/// All cells of a kind of rewards together.
fn of_kind(here: &[&Cell], kind: RewardKind) -> Tally {
    here.iter().filter(|cell| cell.kind == kind).fold(Tally::default(), |sum, cell| sum.joined(&cell.tally))
}

fn chart(here: &[&Cell], part: Part) -> BarChart {
    let axis = Axis::linear("share").range(0.0, 1.0);
    let mut chart = BarChart::new(format!("{}: {}", part.title(), asked(part)), axis);
    chart = match part {
        Part::Projected | Part::Direct | Part::Gamma => chart.reference(1.0 - LEVEL, "promised"),
        Part::Chance | Part::ChanceDirect => chart.reference(LEVEL, "promised"),
        Part::Verdict | Part::Copy => chart,
    };
    for &kind in RewardKind::ALL {
        let tally = of_kind(here, kind);
        let share = tally.share(part);
        let mut bars = vec![Bar { series: "share".to_owned(), value: share.value, low: share.low, high: share.high }];
        bars.push(Bar::new("withheld", tally.withheld()));
        chart = chart.group(kind.name(), bars);
    }
    chart
}

fn table(here: &[&Cell], part: Part) -> Table {
    let mut columns = vec![
        Column::text("rewards"),
        Column::text("grid"),
        Column::number("ε"),
        Column::number("rollouts"),
        Column::number("trials"),
        Column::number("withheld").with_help("share of the trials"),
        Column::text("why"),
        Column::number("share").with_help(asked(part)),
    ];
    match part {
        Part::Verdict | Part::Copy => columns.extend(["same", "different", "unknown"].map(Column::number)),
        Part::Projected | Part::Direct | Part::Gamma => columns.push(Column::number("mean width")),
        Part::Chance | Part::ChanceDirect => {}
    }
    let row = |cell: &&Cell| {
        let tally = &cell.tally;
        let why: Vec<String> = tally.reasons.iter().map(|(why, count)| format!("{why} {count}")).collect();
        let share = tally.share(part);
        let mut row = vec![
            page::Cell::text(cell.kind.name()),
            page::Cell::text(cell.size.to_string()),
            show::number(cell.epsilon.0, 1),
            show::count(cell.rollouts),
            show::count(tally.trials as usize),
            show::number(tally.withheld(), 3),
            page::Cell::text(why.join(", ")),
            match share.count {
                0 => page::Cell::Empty,
                _ => page::Cell::interval(share.value, share.low, share.high, percent(&share)),
            },
        ];
        match part {
            Part::Verdict | Part::Copy => {
                row.extend([tally.same, tally.different, tally.unknown].map(|count| show::count(count as usize)));
            }
            Part::Projected | Part::Direct | Part::Gamma => row.push(match tally.width.count() {
                0 => page::Cell::Empty,
                _ => show::number(tally.width.mean(), 3),
            }),
            Part::Chance | Part::ChanceDirect => {}
        }
        row
    };
    Table { caption: format!("{}, by cell", part.title()), columns, rows: here.iter().map(row).collect() }
}

pub fn text(cells: &[Cell], claims: &[Claim]) -> String {
    let mut text = String::new();
    for &part in Part::ALL {
        let here: Vec<&Cell> = cells.iter().filter(|cell| cell.part == part).collect();
        text += &format!("{} ({}):\n", part.title(), asked(part));
        for &kind in RewardKind::ALL {
            let tally = of_kind(&here, kind);
            if tally.trials == 0 {
                continue;
            }
            let share = tally.share(part);
            let shown = if share.count == 0 { "-".to_owned() } else { percent(&share) };
            text += &format!("  {:<12} {shown:<24} of {:>5}", kind.name(), share.count);
            match part {
                Part::Verdict | Part::Copy => {
                    text += &format!(", {} same, {} different, {} unknown", tally.same, tally.different, tally.unknown);
                }
                _ => text += &format!(", {:.1} % withheld", 100.0 * tally.withheld()),
            }
            text.push('\n');
        }
    }
    verdicts::as_text(claims, &mut text);
    text
}
