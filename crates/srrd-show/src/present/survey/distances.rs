//! Distances with their intervals, and verdicts.

use srrd::answer::{Comparison, Finding, ShownWitness, Survey};
use srrd::sure::Range;
use srrd::verdict::{Answer, Why};

use crate::chart::{Axis, Bar, BarChart};
use crate::page::{Cell, Column, Section, Table};
use crate::present::name;
use crate::present::verdict::step_token;
use crate::words::{counted, fixed, number, short};

/// One bar per metric, in its colour.
pub(super) fn chart(found: &Comparison) -> BarChart {
    let bar = |finding: &Finding| {
        let bar = Bar::new(finding.metric.name(), finding.distance.distance().unwrap_or(f64::NAN));
        match finding.interval {
            Some(Ok(interval)) => bar.interval(interval.range.low, interval.range.high),
            _ => bar,
        }
    };
    let title = format!("Distance of {} and {}", short(&found.a.name), short(&found.b.name));
    BarChart::new(title, Axis::linear("distance").range(0.0, 1.0))
        .reference(std::f64::consts::FRAC_1_SQRT_2, "0.71: unrelated")
        .groups(found.results.iter().map(|finding| (finding.metric.name().to_owned(), vec![bar(finding)])))
}

/// A distance with its interval, where there is one.
fn cell(finding: &Finding) -> Cell {
    match (finding.distance.distance(), finding.interval) {
        (None, _) => Cell::text("undefined"),
        (Some(d), Some(Ok(interval))) => {
            let Range { low, high } = interval.range;
            Cell::interval(d, low, high, format!("{d:.3} ({low:.3} to {high:.3})"))
        }
        (Some(d), _) => Cell::number(d, format!("{d:.3} (no interval)")),
    }
}

pub(super) fn section(survey: &Survey) -> Section {
    let mut section = Section::new("Distances");
    section.paragraphs.push(
        "Intervals of projected are about all transitions that could be met. Those of epic, dard and srrd are about sampling noise only: \
         no resampling sees their bias on sparse samples."
            .to_owned(),
    );
    match (survey.matrix.is_some(), survey.pairs.as_slice()) {
        (false, [pair]) => one_pair(&pair.found, &mut section),
        _ => many_pairs(survey, &mut section),
    }
    section
}

/// All metrics of one pair, and two paths that the rewards rank oppositely.
fn one_pair(found: &Comparison, section: &mut Section) {
    let columns = vec![
        Column::text("metric"),
        Column::number("distance").with_help("0 is equivalent, 0.71 unrelated, 1 opposite; with its interval"),
        Column::number("correlation"),
        Column::text("what it does"),
    ];
    if let Some(advised) = found.advised {
        let freedom = found.results.iter().find_map(|finding| finding.distance.shaping);
        let freedom = freedom.map_or(String::new(), |shaping| {
            let left = counted(shaping.degrees_of_freedom, "degree of freedom", "degrees of freedom");
            format!(" Shaping leaves {left} on the shared transitions.")
        });
        section.paragraphs.push(format!("{advised} fits these data.{freedom}"));
    }
    let mut table = Table::new("Distances by every metric", columns);
    for finding in &found.results {
        let correlation = finding.distance.correlation();
        table.rows.push(vec![
            Cell::text(finding.metric.name()),
            cell(finding),
            correlation.map_or(Cell::Empty, |rho| Cell::number(rho, fixed(rho, 3))),
            Cell::text(finding.metric.info().about),
        ]);
    }
    section.tables.push(table);
    if let Some(witness) = found.verdict.as_ref().and_then(|verdict| verdict.witness.as_ref()) {
        section.tables.push(paths(witness, [&found.a.name, &found.b.name]));
    }
}

/// Two sampled paths, step by step.
fn paths(witness: &ShownWitness, [a, b]: [&str; 2]) -> Table {
    let alike = match witness.ends {
        true => "both start in the same state and end the episode",
        false => "both lead from the same state to the same state in as many steps",
    };
    let [first, second] = &witness.returns;
    let caption = format!(
        "Two sampled paths that the rewards rank oppositely; {alike}, so that no shaping can change which is better. Path 1 returns {} by A \
         and {} by B, path 2 returns {} by A and {} by B: {} (A) prefers path 1 and {} (B) path 2.",
        number(first[0], 4),
        number(first[1], 4),
        number(second[0], 4),
        number(second[1], 4),
        short(a),
        short(b),
    );
    let columns = vec![
        Column::number("path"),
        Column::number("step"),
        Column::text("state"),
        Column::text("action"),
        Column::text("next state"),
        Column::number("reward A"),
        Column::number("reward B"),
    ];
    let mut table = Table::new(caption, columns);
    for (path, steps) in (1..).zip(&witness.paths) {
        for (at, step) in (1..).zip(steps) {
            let count = |value: i32| Cell::number(f64::from(value), value.to_string());
            let reward = |value: f64| Cell::number(value, number(value, 4));
            let next = step.next_state.as_ref().map_or(Cell::text("end"), |next| Cell::text(step_token(next)));
            table.rows.push(vec![
                count(path),
                count(at),
                Cell::text(step_token(&step.state)),
                Cell::text(step_token(&step.action)),
                next,
                reward(step.reward_a),
                reward(step.reward_b),
            ]);
        }
    }
    table
}

/// The answers in cells. Why some are unknown is the same for many pairs: it is said once, below the table, with a number where there are
/// several reasons.
fn judged(pairs: &[&Comparison]) -> (Vec<Cell>, Vec<String>) {
    let unknown = |found: &Comparison| {
        found.verdict.as_ref().filter(|verdict| verdict.answer == Answer::Unknown).map(|verdict| reason(&verdict.why))
    };
    let mut reasons: Vec<String> = Vec::new();
    for why in pairs.iter().filter_map(|found| unknown(found)) {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    let place = |why: &str| reasons.iter().position(|one| one == why).map_or(0, |place| place + 1);
    let several = reasons.len() > 1;
    let cell = |found: &&Comparison| match (found.verdict.as_ref().map(|verdict| verdict.answer), unknown(found)) {
        (None, _) => Cell::Empty,
        (Some(Answer::Same), _) => Cell::text("same behaviour"),
        (Some(Answer::Different), _) => Cell::text("different"),
        (Some(Answer::Unknown), Some(why)) if several => Cell::text(format!("unknown ({})", place(&why))),
        (Some(Answer::Unknown), _) => Cell::text("unknown"),
    };
    let cells = pairs.iter().map(cell).collect();
    let label = |why: &str| if several { format!("unknown ({})", place(why)) } else { "unknown".to_owned() };
    (cells, reasons.iter().map(|why| format!("{}: {why}.", label(why))).collect())
}

/// Why an answer is unknown, without the numbers of the pair: those stand beside it.
fn reason(why: &Why) -> String {
    match why {
        Why::Between { .. } => {
            "the interval holds both same and different; more shared transitions would narrow it".to_owned()
        }
        Why::Small { .. } => {
            "the difference is small but real; more transitions would not decide whether it matters".to_owned()
        }
        Why::Predicted { .. } => {
            "the interval holds both same and different, since rewards were predicted where they were not sampled; \
                                  both rewards on the same transitions, or more episodes, would decide it"
                .to_owned()
        }
        why => why.to_string(),
    }
}

/// Every pair that was compared, the nearest first.
fn many_pairs(survey: &Survey, section: &mut Section) {
    let metric = survey.matrix.as_ref().map(|matrix| matrix.metric);
    let samples = survey.inspection.samples.len();
    if survey.pairs.len() < samples * samples.saturating_sub(1) / 2 {
        section.paragraphs.push(
            "Of so many samples, those that stand for the groups are compared with intervals and verdicts. The command srrd matrix writes the \
             distances of all pairs."
                .to_owned(),
        );
    }
    let measured = metric.map_or("distance".to_owned(), |metric| format!("{metric} distance"));
    let columns = vec![
        Column::text("A"),
        Column::text("B"),
        Column::number(measured).with_help("0 is equivalent, 0.71 unrelated, 1 opposite; with its interval"),
        Column::number("shared").with_help("transitions that both hold"),
        Column::text("verdict"),
    ];
    let mut table = Table::new("Pairs with intervals and verdicts", columns);
    let place = |found: &Comparison| {
        let finding = found.results.iter().find(|finding| Some(finding.metric) == metric);
        finding.or(found.results.first()).copied()
    };
    let mut pairs: Vec<&Comparison> = survey.pairs.iter().map(|pair| &pair.found).collect();
    let key =
        |found: &&Comparison| place(found).and_then(|finding| finding.distance.distance()).unwrap_or(f64::INFINITY);
    pairs.sort_by(|p, q| key(p).total_cmp(&key(q)));
    let (verdicts, reasons) = judged(&pairs);
    for (found, verdict) in pairs.into_iter().zip(verdicts) {
        table.rows.push(vec![
            name(&found.a.name),
            name(&found.b.name),
            place(found).as_ref().map_or(Cell::Empty, cell),
            Cell::number(found.common as f64, found.common.to_string()),
            verdict,
        ]);
    }
    section.tables.push(table);
    section.after = reasons;
}
