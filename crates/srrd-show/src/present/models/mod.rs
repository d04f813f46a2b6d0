//! Reward models side by side: as text, as a picture and as a page.

mod figures;
mod page;

pub use figures::{ModelFigure, figure};
pub use page::{report, sentences};

use srrd::models::{
    Disagreement, Estimated, GroupNumbers, Grouping, LEAST_PIECES, LEAST_PROMPTS, LEAST_TELLING, ModelComparison,
    ModelPair,
};

use crate::escape::shown;
use crate::words::{count, counted, fixed, percent, table};
use figures::name;

/// How many responses the best is chosen from in the table; all are in the JSON.
const SHOWN_N: usize = 4;
/// Of so many pairs at most everything is printed.
const MOST_TOLD: usize = 3;
/// So many letters wide a table of more may be, beside its first column.
const MOST_WIDTH: usize = 100;

/// A table of pairs of models, and what there is to say about them.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let opposite = sample.with_rewards(sample.rewards().iter().map(|r| -r).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", sample), named("new", opposite)], None, &ModelSettings::default())?;
/// assert!(srrd_show::present::models::text(&found).contains("20 prompts with 80 responses"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(found: &ModelComparison) -> String {
    let mut text = format!(
        "{} with {}",
        counted(found.prompts, "prompt", "prompts"),
        counted(found.responses, "response", "responses")
    );
    if found.single > 0 {
        text += &format!("; {} with a single response, which says nothing", counted(found.single, "prompt", "prompts"));
    }
    text += &format!("\n\n{}", pairs(found));
    text += &format!(
        "\n{} % intervals by drawing prompts. distance: 0 same choices, 0.71 unrelated, 1 opposite. accuracy: how often both order two\n\
         responses of a prompt alike, where neither scores them equal. top1: how often both like the same best; of equally good ones\n\
         each is taken as often, so that ties make it small. best of {SHOWN_N}: what b loses when a chooses, in b's standard deviations\n\
         within prompts.\n",
        (found.level * 1e8).round() / 1e6
    );
    if let Some(said) = too_few(found, false) {
        text += &format!("{said}\n");
    }
    for pair in found.pairs.iter().filter(|pair| found.pairs.len() <= MOST_TOLD && pair.prompts > 0) {
        text += &groups(found, pair);
        text += &changes(found, pair);
        text += &explained(pair);
        text += &disagreements(pair);
    }
    if found.pairs.len() > MOST_TOLD {
        text += &distances_by_group(found);
        let told = if found.grouping.is_some() { "distances are" } else { "the table is" };
        text += &format!(
            "\nof more than {MOST_TOLD} pairs only {told} printed; choose two models with --rewards A,B, or write everything with -o page.html or --json\n"
        );
    }
    if let Some(said) = partial(found) {
        text += &format!("\n{said}\n");
    }
    if found.repeated > 0 {
        text += &format!(
            "\n{} merged with it\n",
            counted(
                found.repeated,
                "row repeated a response of its prompt and was",
                "rows repeated a response of their prompt and were"
            )
        );
    }
    if let Some(said) = returning(found) {
        text += &format!("\n{said}\n");
    }
    for model in found.models.iter().filter(|model| model.constant) {
        text += &format!("\n{} scores all responses of every prompt alike: it prefers nothing\n", shown(&model.name));
    }
    if found.unpaired > 0 {
        text += &format!(
            "\n{} not counted by margin: more than {} responses\n",
            counted(found.unpaired, "prompt is", "prompts are"),
            count(srrd::models::MOST_PAIRED)
        );
    }
    text
}

/// Whether pairs have different responses to be compared on.
pub(super) fn is_partial(found: &ModelComparison) -> bool {
    found.pairs.iter().any(|pair| pair.responses != found.responses)
}

/// What pairs are compared on where models do not score all responses.
pub(super) fn partial(found: &ModelComparison) -> Option<String> {
    let apart = found.pairs.iter().filter(|pair| pair.prompts == 0);
    let apart: Vec<String> = apart.map(|pair| format!("{} and {}", shown(&pair.a), shown(&pair.b))).collect();
    is_partial(found).then(|| {
        let said = "not all responses are scored by all models: each pair is compared on those that both score";
        match apart.as_slice() {
            [] => said.to_owned(),
            apart => format!("{said};\nno two responses to one prompt are scored by both of {}", apart.join(", of ")),
        }
    })
}

/// What a prompt is where some come back in several groups.
pub(super) fn returning(found: &ModelComparison) -> Option<String> {
    let (Grouping::Criterion(column) | Grouping::Step(column)) = found.grouping.as_ref()?;
    (found.returning > 0).then(|| {
        format!(
            "{} back at several values of {}: in all numbers here a prompt of each value is one of its own. Without a column to group by, \
             all responses to the same prompt are compared with one another",
            counted(found.returning, "prompt comes", "prompts come"),
            shown(column)
        )
    })
}

fn pairs(found: &ModelComparison) -> String {
    let loss = format!("best of {SHOWN_N}");
    let partial = is_partial(found);
    let mut header = vec!["a", "b"];
    header.extend(partial.then_some("prompts"));
    header.extend(["distance", "", "accuracy", "", "tau_b", "", "top1", "", &loss, ""]);
    let plain = |value: f64| fixed(value, 3);
    let row = |pair: &ModelPair| {
        let best = pair.best_of_n.iter().find(|best| best.n == SHOWN_N).map(|best| best.loss).unwrap_or_default();
        let mut row = vec![shown(&pair.a).into_owned(), shown(&pair.b).into_owned()];
        row.extend(partial.then(|| count(pair.prompts)));
        row.extend(cells(&pair.distance, plain));
        row.extend(cells(&pair.accuracy, percent));
        row.extend(cells(&pair.tau_b, plain));
        row.extend(cells(&pair.top1, percent));
        row.extend(cells(&best, plain));
        row
    };
    table(&header, &found.pairs.iter().map(row).collect::<Vec<_>>(), &[])
}

/// A number and its interval.
fn cells(estimated: &Estimated, number: fn(f64) -> String) -> [String; 2] {
    let interval = match (estimated.value, estimated.interval) {
        (_, Some(range)) => format!("({} to {})", number(range.low), number(range.high)),
        (Some(_), None) => TOO_FEW.to_owned(),
        (None, None) => String::new(),
    };
    [estimated.value.map_or_else(|| "undefined".to_owned(), number), interval]
}

/// What stands in the place of an interval that cannot be told.
pub(super) const TOO_FEW: &str = "(too few)";

/// Why some of the numbers that are shown have no interval.
pub(super) fn too_few(found: &ModelComparison, with_margins: bool) -> Option<String> {
    let lacks = |pair: &ModelPair| {
        let best = pair.best_of_n.iter().filter(|best| best.n == SHOWN_N).map(|best| best.loss);
        let groups = pair.groups.iter().flat_map(|group| [group.distance, group.accuracy, group.tau_b, group.top1]);
        let margins = pair.by_margin.iter().filter(|_| with_margins).map(|margin| margin.accuracy);
        let all = [pair.distance, pair.accuracy, pair.tau_b, pair.top1].into_iter().chain(best).chain(groups);
        all.chain(margins).any(|estimated| estimated.value.is_some() && estimated.interval.is_none())
    };
    found.pairs.iter().any(lacks).then(|| {
        format!(
            "too few: no interval, since fewer than {LEAST_TELLING} prompts tell something of the number, or all tell the same"
        )
    })
}

fn disagreements(pair: &ModelPair) -> String {
    if pair.disagreements.is_empty() {
        return String::new();
    }
    let token = |value: &srrd::answer::TokenValue| shown(&value.token().to_string()).into_owned();
    let mut text = format!("\nwhere {} and {} disagree most:\n", shown(&pair.a), shown(&pair.b));
    for found in &pair.disagreements {
        text += &format!("  {} of the difference: {}\n", percent(found.share), token(&found.prompt));
        let [first, second] = found.between.each_ref().map(token);
        text += &match found.opposed() {
            true => format!("    a prefers: {first}\n    b prefers: {second}\n"),
            false => format!("    {}:\n    first:  {first}\n    second: {second}\n", alike(found)),
        };
    }
    text
}

/// How scores differ where both models rank responses alike.
pub(super) fn alike(found: &Disagreement) -> String {
    let [a, b] = found.apart.map(|apart| fixed(apart, 1));
    format!(
        "no two responses are ranked oppositely; the first is above the second by {a} standard deviations in a, {b} in b"
    )
}

/// The numbers of every group of prompts.
fn groups(found: &ModelComparison, pair: &ModelPair) -> String {
    let Some(Grouping::Criterion(column) | Grouping::Step(column)) = &found.grouping else { return String::new() };
    let plain = |value: f64| fixed(value, 3);
    let row = |group: &GroupNumbers| {
        let mut row = vec![shown(&group.name).into_owned(), count(group.prompts)];
        row.extend(cells(&group.distance, plain));
        row.extend(cells(&group.accuracy, percent));
        row.extend(cells(&group.tau_b, plain));
        row
    };
    let header = [column.as_str(), "prompts", "distance", "", "accuracy", "", "tau_b", ""];
    let rows: Vec<Vec<String>> = pair.groups.iter().map(row).collect();
    format!("\n{} and {} by {}:\n{}", shown(&pair.a), shown(&pair.b), shown(column), table(&header, &rows, &[]))
}

/// The distances of all pairs in every group of prompts, in as many tables as it takes for lines to stay short, and where they change.
fn distances_by_group(found: &ModelComparison) -> String {
    let Some(Grouping::Criterion(column) | Grouping::Step(column)) = &found.grouping else { return String::new() };
    let called: Vec<String> = found.pairs.iter().map(|pair| shown(&name(pair)).into_owned()).collect();
    let widest = called.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let side_by_side = (MOST_WIDTH / (widest + 2)).max(1);
    let groups = group_names(found);
    let mut text = String::new();
    for (pairs, names) in found.pairs.chunks(side_by_side).zip(called.chunks(side_by_side)) {
        let header: Vec<&str> = std::iter::once(column.as_str()).chain(names.iter().map(String::as_str)).collect();
        let cell = |pair: &ModelPair, group: &str| {
            let found = pair.groups.iter().find(|found| found.name == group);
            found.map_or_else(String::new, |found| {
                found.distance.value.map_or_else(|| "undefined".to_owned(), |value| fixed(value, 3))
            })
        };
        let row = |group: &&str| {
            let cells = pairs.iter().map(|pair| cell(pair, group));
            std::iter::once(shown(group).into_owned()).chain(cells).collect()
        };
        let rows: Vec<Vec<String>> = groups.iter().map(row).collect();
        text += &format!("\ndistances by {}:\n{}", shown(column), table(&header, &rows, &[]));
    }
    let changed = found.pairs.iter().filter(|pair| pair.changes.as_ref().is_some_and(|changes| !changes.is_empty()));
    text + &changed.map(|pair| changes(found, pair)).collect::<String>()
}

/// The groups of prompts of all pairs, of which each may lack some: those of steps in their order, others as they come.
fn group_names(found: &ModelComparison) -> Vec<&str> {
    let mut groups: Vec<&GroupNumbers> = Vec::new();
    for group in found.pairs.iter().flat_map(|pair| &pair.groups) {
        if !groups.iter().any(|known| known.name == group.name) {
            groups.push(group);
        }
    }
    let [first, last] = [0, 1].map(|end| move |group: &&GroupNumbers| group.steps.map_or(0.0, |steps| steps[end]));
    groups.sort_by(|a, b| first(a).total_cmp(&first(b)).then(last(a).total_cmp(&last(b))));
    groups.into_iter().map(|group| group.name.as_str()).collect()
}

/// Where the distance changes over training, in sentences.
pub(super) fn changes(found: &ModelComparison, pair: &ModelPair) -> String {
    let Some(Grouping::Step(column)) = &found.grouping else { return String::new() };
    let column = shown(column);
    let pair_of = format!("{} and {}", shown(&pair.a), shown(&pair.b));
    match pair.changes.as_deref() {
        None => format!(
            "\nwhether the distance of {pair_of} changes cannot be told: that takes {LEAST_PIECES} stretches of training with {LEAST_PROMPTS} prompts each\n\
             in which the distance is defined\n"
        ),
        Some([]) => {
            format!("\nthe distance of {pair_of} does not change over training, as far as these data can tell\n")
        }
        Some(changes) => {
            let sentence = |change: &srrd::models::Change| {
                let told = |estimated: &Estimated| {
                    let [value, interval] = cells(estimated, |value| fixed(value, 3));
                    format!("{value} {interval}")
                };
                format!(
                    "the distance of {pair_of} changes at {column} {}: {} before, {} from there on (p = {:.3})\n",
                    change.at,
                    told(&change.before).trim_end(),
                    told(&change.after).trim_end(),
                    change.p_value
                )
            };
            format!("\n{}", changes.iter().map(sentence).collect::<String>())
        }
    }
}

/// How much of a disagreement length and format explain, in sentences.
pub(super) fn explained(pair: &ModelPair) -> String {
    let share = |by: &str| pair.explained.iter().find(|explained| explained.by == by);
    let Some(length) = share("length") else { return String::new() };
    let told = |estimated: &Estimated| cells(estimated, percent).join(" ");
    let mut text = format!(
        "\nthe length of responses explains {} of what {} and {} disagree about",
        told(&length.share),
        shown(&pair.a),
        shown(&pair.b)
    );
    if let Some(both) = share("both").filter(|_| share("format").is_some()) {
        text += &format!(", length and format {}", told(&both.share));
    }
    if let Some([a, b]) = length.correlations {
        text += &format!(
            ";\ncorrelation of scores with length within prompts: {} {}, {} {}",
            shown(&pair.a),
            fixed(a, 2),
            shown(&pair.b),
            fixed(b, 2)
        );
    }
    text + "\n"
}
