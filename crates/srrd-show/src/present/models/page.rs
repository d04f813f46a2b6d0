//! Reward models side by side, as a page.

use srrd::models::{Disagreement, Estimated, Grouping, ModelComparison, ModelPair};

use super::figures::{best_of, figure, name};
use super::{MOST_TOLD, TOO_FEW, changes, explained, is_partial, partial, returning, too_few};
use crate::Figure;
use crate::page::{Cell, Column, FigureBlock, Headline, Report, Section, Table};
use crate::words::{count, fixed, percent};

/// Of so many pairs the page shows everything; of more only their numbers.
const MOST_SHOWN: usize = 6;

/// Everything about a comparison on one page; `about` names what was read, `told` are sentences on how it was read, `command` makes the
/// page again.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let opposite = sample.with_rewards(sample.rewards().iter().map(|r| -r).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", sample), named("new", opposite)], None, &ModelSettings::default())?;
/// let page = srrd_show::present::models::report(&found, "log.parquet", &[], "srrd models log.parquet -o page.html");
/// assert!(page.to_html().contains("srrd models log.parquet"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(found: &ModelComparison, about: &str, told: &[String], command: &str) -> Report {
    let figure =
        figure(found).ok().map(|figure| FigureBlock::new(figure.draw(), "Lower: the models want the same responses."));
    let mut sections = vec![pairs(found)];
    for pair in found.pairs.iter().filter(|pair| pair.prompts > 0).take(MOST_SHOWN) {
        sections.push(of_pair(found, pair));
    }
    let mut notes = vec![
        "Only differences within prompts count: a model that adds a number per prompt chooses the same responses."
            .to_owned(),
        format!("Intervals ({} %) are bootstraps over prompts.", (found.level * 1e8).round() / 1e6),
    ];
    if found.pairs.len() > MOST_SHOWN {
        notes.push(format!("Of {} pairs the first {MOST_SHOWN} are shown one by one.", found.pairs.len()));
    }
    notes.extend(
        [too_few(found, true), partial(found), returning(found)].into_iter().flatten().map(|said| sentence_of(&said)),
    );
    notes.extend(told.iter().map(|said| sentence_of(said)));
    Report {
        title: "Do these reward models prefer the same responses?".to_owned(),
        headline: figure.map(|figure| Headline::new(sentence(found), figure)),
        facts: [
            ("data".to_owned(), about.to_owned()),
            ("prompts".to_owned(), count(found.prompts)),
            ("responses".to_owned(), count(found.responses)),
            ("models".to_owned(), found.models.iter().map(|model| model.name.as_str()).collect::<Vec<_>>().join(", ")),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect(),
        sections,
        command: command.to_owned(),
        notes,
        ..Report::default()
    }
}

/// What was found, in sentences: of all pairs, and of each of a few.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let opposite = sample.with_rewards(sample.rewards().iter().map(|r| -r).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", sample), named("new", opposite)], None, &ModelSettings::default())?;
/// assert!(srrd_show::present::models::sentences(&found)[0].starts_with("The distance of old and new is 1.00"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sentences(found: &ModelComparison) -> Vec<String> {
    let few = found.pairs.iter().filter(|pair| found.pairs.len() <= MOST_TOLD && pair.prompts > 0);
    let all = [partial(found), returning(found)].into_iter().flatten();
    let more = few.flat_map(|pair| [changes(found, pair), explained(pair)]).chain(all);
    let more = more.map(|text| sentence_of(text.trim())).filter(|text| !text.is_empty());
    std::iter::once(sentence(found)).chain(more).collect()
}

/// What was found, in one sentence.
fn sentence(found: &ModelComparison) -> String {
    let changed = found.pairs.iter().find_map(|pair| Some((pair, pair.changes.as_ref()?.first()?)));
    if let (Some((pair, change)), Some(Grouping::Step(column))) = (changed, &found.grouping) {
        let told = |estimated: &Estimated| estimated.value.map_or("?".to_owned(), |value| format!("{value:.2}"));
        return format!(
            "The distance of {} changes at {column} {}: from {} to {}.",
            name(pair),
            change.at,
            told(&change.before),
            told(&change.after)
        );
    }
    let known = |pair: &&ModelPair| pair.distance.value.is_some();
    let by = |a: &&ModelPair, b: &&ModelPair| {
        let of = |pair: &ModelPair| pair.distance.value.unwrap_or(f64::NAN);
        of(a).total_cmp(&of(b))
    };
    let [nearest, farthest] =
        [found.pairs.iter().filter(known).min_by(by), found.pairs.iter().filter(known).max_by(by)];
    let told = |pair: &ModelPair| {
        let interval = pair.distance.interval.map(|range| format!(" ({:.2} to {:.2})", range.low, range.high));
        format!("{:.2}{}", pair.distance.value.unwrap_or(f64::NAN), interval.unwrap_or_default())
    };
    match (nearest, farthest) {
        (Some(pair), Some(_)) if found.pairs.len() == 1 => {
            format!("The distance of {} is {}; 0 means the same choices, 0.71 unrelated ones.", name(pair), told(pair))
        }
        (Some(nearest), Some(farthest)) => format!(
            "{} are nearest, at {}; {} are farthest apart, at {}.",
            name(nearest),
            told(nearest),
            name(farthest),
            told(farthest)
        ),
        _ => "No pair of these models can be compared.".to_owned(),
    }
}

/// Lines of the command's answer as a paragraph.
fn sentence_of(lines: &str) -> String {
    let text = lines.replace('\n', " ");
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}

fn cell(estimated: &Estimated, shown: fn(f64) -> String) -> Cell {
    match (estimated.value, estimated.interval) {
        (None, _) => Cell::text("undefined"),
        (Some(value), None) => Cell::number(value, format!("{} {TOO_FEW}", shown(value))),
        (Some(value), Some(range)) => {
            let text = format!("{} ({} to {})", shown(value), shown(range.low), shown(range.high));
            Cell::interval(value, range.low, range.high, text)
        }
    }
}

fn plain(value: f64) -> String {
    fixed(value, 3)
}

fn pairs(found: &ModelComparison) -> Section {
    let mut columns = vec![
        Column::text("a"),
        Column::text("b"),
        Column::number("distance").with_help("0 same choices, 0.71 unrelated, 1 opposite"),
        Column::number("accuracy").with_help("how often both order two responses of a prompt alike"),
        Column::number("τ_b").with_help("Kendall's, the mean over prompts"),
        Column::number("top1")
            .with_help("how often both like the same response best; of equally good ones each is taken as often"),
    ];
    if is_partial(found) {
        columns.push(Column::number("prompts").with_help("with at least two responses that both score"));
    }
    let mut table = Table::new("All pairs, with intervals", columns);
    for pair in &found.pairs {
        let mut row = vec![
            Cell::text(&pair.a),
            Cell::text(&pair.b),
            cell(&pair.distance, plain),
            cell(&pair.accuracy, percent),
            cell(&pair.tau_b, plain),
            cell(&pair.top1, percent),
        ];
        row.extend(is_partial(found).then(|| Cell::number(pair.prompts as f64, count(pair.prompts))));
        table.rows.push(row);
    }
    Section { tables: vec![table], ..Section::new("All pairs") }
}

fn of_pair(found: &ModelComparison, pair: &ModelPair) -> Section {
    let mut section = Section::new(name(pair));
    let sentences = [changes(found, pair), explained(pair)];
    section.paragraphs =
        sentences.iter().map(|text| sentence_of(text.trim())).filter(|text| !text.is_empty()).collect();
    if pair.best_of_n.len() > 1 {
        section.figures.push(FigureBlock::new(
            best_of(pair).draw(),
            "The mean over all choices of n among a prompt's responses, in standard deviations within prompts.",
        ));
    }
    if !pair.groups.is_empty() {
        section.tables.push(groups(found, pair));
    }
    section.tables.push(margins(pair));
    if !pair.disagreements.is_empty() {
        section.tables.push(disagreements(&pair.disagreements, pair));
    }
    section
}

fn groups(found: &ModelComparison, pair: &ModelPair) -> Table {
    let column = match &found.grouping {
        Some(Grouping::Criterion(column) | Grouping::Step(column)) => column.as_str(),
        None => "group",
    };
    let columns = vec![
        Column::text(column),
        Column::number("prompts"),
        Column::number("distance"),
        Column::number("accuracy"),
        Column::number("τ_b"),
        Column::number("top1"),
    ];
    let mut table = Table::new(format!("By {column}"), columns);
    for group in &pair.groups {
        let name = match group.steps {
            Some([first, _]) => Cell::number(first, &group.name),
            None => Cell::text(&group.name),
        };
        table.rows.push(vec![
            name,
            Cell::number(group.prompts as f64, count(group.prompts)),
            cell(&group.distance, plain),
            cell(&group.accuracy, percent),
            cell(&group.tau_b, plain),
            cell(&group.top1, percent),
        ]);
    }
    table
}

fn margins(pair: &ModelPair) -> Table {
    let columns = vec![
        Column::number("margin from")
            .with_help("how far the scores of b are apart, in its standard deviations within prompts"),
        Column::number("pairs of responses"),
        Column::number("accuracy"),
    ];
    let mut table =
        Table::new(format!("How often both order two responses alike, by the margin of {}", pair.b), columns);
    for margin in &pair.by_margin {
        table.rows.push(vec![
            Cell::number(margin.least, margin.least.to_string()),
            Cell::number(margin.pairs as f64, count(margin.pairs as usize)),
            cell(&margin.accuracy, percent),
        ]);
    }
    table
}

fn disagreements(found: &[Disagreement], pair: &ModelPair) -> Table {
    let columns = vec![
        Column::text("prompt"),
        Column::number("share").with_help("of the squared distance"),
        Column::text("first response"),
        Column::text("second response"),
        Column::number(format!("by {}", pair.a))
            .with_help("how far the first is above the second, in standard deviations within prompts"),
        Column::number(format!("by {}", pair.b)).with_help("the same; below 0, the models rank the two oppositely"),
    ];
    let mut table = Table::new(
        "The prompts on which they disagree most, with two responses of each that they rank most differently",
        columns,
    );
    for one in found {
        let token = |value: &srrd::answer::TokenValue| Cell::text(value.token().to_string());
        let apart = |value: f64| Cell::number(value, fixed(value, 1));
        table.rows.push(vec![
            token(&one.prompt),
            Cell::number(one.share, percent(one.share)),
            token(&one.between[0]),
            token(&one.between[1]),
            apart(one.apart[0]),
            apart(one.apart[1]),
        ]);
    }
    table
}
