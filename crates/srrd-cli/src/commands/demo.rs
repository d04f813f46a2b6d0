//! `srrd demo`: the whole idea on one screen.
//!
//! A grid world with a random reward, a copy of it with potential shaping added, and a reward that has nothing to do with it.
//! Each is known only on the transitions of its own random walks. The shaped copy asks for the same behaviour, the unrelated
//! one does not: a good metric tells them apart.

use crate::args::Demo;
use crate::failure::Failure;
use crate::print;
use crate::settings::with_threads;
use serde_json::{Value, json};
use srrd::{
    Comparison, Duplicates, Gamma, IntervalSettings, Metric, Range, RewardSample, SampleError, Settings, distance,
    interval,
};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TextColumn, Values, create};
use srrd_show::page::{Cell, Column as ReportColumn, FigureBlock, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart, Figure};
use srrd_worlds::{
    Gridworld, Model, Policy, PotentialFunction, RewardFunction, Shaping, TrajectoryStep, Triple, World, WorldError,
    derive_seed, rollouts, stream,
};
use std::path::Path;

const SIDE: usize = 10;
const ROLLOUTS: usize = 30;
const GAMMA: f64 = 0.9;
/// How many times the mean magnitude of the rewards that of the shaping is.
const SHAPING: f64 = 3.0;
/// Where it is written when nothing else is said.
const FOLDER: &str = "srrd-demo";

pub fn run(args: &Demo) -> Result<(), Failure> {
    with_threads(args.threads, || {
        let samples = simulate(args.seed)?;
        let folder = args.output.as_deref().unwrap_or(Path::new(FOLDER));
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::wrong(format!("{}: the folder cannot be made: {e}; name another one with -o", folder.display()))
        })?;
        write_tables(folder, &samples)?;
        let [plain, shaped, unrelated] = [0, 1, 2].map(|i| &samples[i].sample);
        let gamma = Gamma::new(GAMMA).expect("a constant between 0 and 1");
        let settings = Settings { gamma, ..Settings::default() };
        let results: Vec<Compared> = (Metric::ALL.into_iter())
            .map(|metric| {
                let to = |other| distance(plain, other, metric, &settings);
                let how = IntervalSettings { seed: args.seed, ..IntervalSettings::default() };
                let range = |other| interval(plain, other, metric, &settings, &how).ok().map(|interval| interval.range);
                Compared {
                    metric,
                    shaped: to(shaped),
                    unrelated: to(unrelated),
                    ranges: [range(shaped), range(unrelated)],
                }
            })
            .collect();
        let mut page = OutputFile::create(&folder.join("report.html"))?;
        let report = report(args.seed, plain, &results).to_html();
        page.write_with(|to| to.write_all(report.as_bytes()))?;
        page.finish()?;
        if args.json {
            print::json(&as_json(&samples, &results))?;
        } else {
            print::result(&as_text(folder, plain, &results))?;
        }
        Ok(())
    })
}

/// The distances of the reward to its shaped copy and to the unrelated one, with their 95 % intervals.
struct Compared {
    metric: Metric,
    shaped: Comparison,
    unrelated: Comparison,
    ranges: [Option<Range>; 2],
}

/// The rewards of the world: plain, shaped, unrelated.
const NAMES: [&str; 3] = ["reward", "shaped", "unrelated"];

/// A reward as random walks have met it.
struct Sampled {
    name: &'static str,
    rows: Vec<Row>,
    sample: RewardSample,
}

struct Row {
    episode: usize,
    step: usize,
    walked: TrajectoryStep,
    reward: f64,
}

/// Every reward gets walks of its own.
fn simulate(seed: u64) -> Result<Vec<Sampled>, Failure> {
    let failed = |e: WorldError| Failure::Failed(e.to_string());
    let world = Gridworld::new(SIDE, SIDE, 0.0).map_err(failed)?;
    let anyone = Policy::uniform(world.actions()).map_err(failed)?;
    let gamma = Gamma::new(GAMMA).expect("a constant between 0 and 1");
    let mut samples = Vec::new();
    for name in NAMES {
        let of = if name == "unrelated" { "unrelated" } else { "reward" };
        let reward = RewardFunction::new(&world, Model::Random, derive_seed(seed, of));
        let walks = rollouts(&world, &anyone, ROLLOUTS, &mut stream(seed, &format!("walks of {name}")));
        let transitions: Vec<Triple> = walks.steps().iter().map(TrajectoryStep::triple).collect();
        let mut rewards = reward.rewards(&transitions);
        if name == "shaped" {
            let potential = PotentialFunction::new(&world, Model::Random, derive_seed(seed, "potential"));
            let shaping = Shaping::scaled(&rewards, &transitions, &potential, gamma, SHAPING).map_err(failed)?;
            rewards = shaping.apply(&transitions, &rewards);
        }
        let mut rewards = rewards.into_iter();
        let mut rows = Vec::new();
        for (episode, steps) in walks.episodes().enumerate() {
            for ((step, &walked), reward) in steps.iter().enumerate().zip(rewards.by_ref()) {
                rows.push(Row { episode, step, walked, reward });
            }
        }
        let tokens = rows.iter().map(|row| (row.walked.state, row.walked.action, row.walked.next, row.reward));
        let sample = RewardSample::from_rows(tokens, Duplicates::Error);
        let sample = sample.map_err(|e: SampleError| Failure::Failed(e.to_string()))?;
        samples.push(Sampled { name, rows, sample });
    }
    Ok(samples)
}

fn write_tables(folder: &Path, samples: &[Sampled]) -> Result<(), Failure> {
    let columns = [
        ("episode", ColumnType::Int),
        ("step", ColumnType::Int),
        ("state.x", ColumnType::Int),
        ("state.y", ColumnType::Int),
        ("action", ColumnType::Text),
        ("next_state.x", ColumnType::Int),
        ("next_state.y", ColumnType::Int),
        ("reward", ColumnType::Float),
    ];
    let schema = Schema::new(columns);
    for Sampled { name, rows, .. } in samples {
        let ints = |f: fn(&Row) -> usize| Column::from(Values::Int(rows.iter().map(|row| f(row) as i64).collect()));
        let action = |row: &Row| Gridworld::ACTIONS[row.walked.action as usize];
        let columns = vec![
            ints(|row| row.episode),
            ints(|row| row.step),
            ints(|row| row.walked.state as usize / SIDE),
            ints(|row| row.walked.state as usize % SIDE),
            Values::Text(rows.iter().map(action).collect::<TextColumn>()).into(),
            ints(|row| row.walked.next as usize / SIDE),
            ints(|row| row.walked.next as usize % SIDE),
            Values::Float(rows.iter().map(|row| row.reward).collect()).into(),
        ];
        let mut writer = create(&folder.join(format!("{name}.csv")), &schema)?;
        writer.write(&Batch::from_columns(columns, 1))?;
        writer.finish()?;
    }
    Ok(())
}

/// What a metric does, in one sentence.
fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::Direct => "takes the numbers as they are: shaping makes the same behaviour look different",
        Metric::Epic => "takes means over all pairs of states, of which walks on a grid sample very few",
        Metric::Dard => "takes means over the neighbours of a transition, most of which were sampled",
        Metric::Srrd => "adds terms that cancel most of what unsampled transitions leave behind",
        Metric::Projected => "takes shaping out by least squares, exactly, on the transitions that both know",
    }
}

const SCALE: &str = "0 is equivalent, 0.71 unrelated, 1 opposite.";

fn introduction(plain: &RewardSample) -> String {
    format!(
        "A {SIDE} × {SIDE} grid world with a random reward, a copy of it with potential shaping (the same behaviour, other
numbers), and an unrelated reward. Of each, only what {ROLLOUTS} random walks met is known: {} of all transitions.",
        print::percent(plain.coverage())
    )
}

const READING: &str = "\
The shaped copy should be at 0 and the unrelated reward at 0.71:
the wider a metric holds the two apart, the better it sees through shaping on so few transitions.";

/// What to try next, in this folder.
fn commands(folder: &str) -> Vec<(String, &'static str)> {
    vec![
        (format!("srrd distance {folder}/reward.csv {folder}/shaped.csv --metric all"), "compare two of them"),
        (format!("srrd inspect {folder}/reward.csv"), "what was sampled, and what every metric needs"),
        (format!("srrd matrix {folder}/*.csv -o distances.csv --plot heat.svg"), "all pairs, as a table and a picture"),
        ("srrd reproduce coverage -o runs/coverage".to_owned(), "the paper's first experiment, with a report"),
    ]
}

fn as_text(folder: &Path, plain: &RewardSample, results: &[Compared]) -> String {
    let number = |comparison: &Comparison| comparison.distance().map_or("undefined".to_owned(), |d| format!("{d:.3}"));
    let rows: Vec<Vec<String>> = (results.iter())
        .map(|c| vec![c.metric.to_string(), number(&c.shaped), number(&c.unrelated), meaning(c.metric).to_owned()])
        .collect();
    let table = print::table(&["metric", "shaped copy", "unrelated", "what it does"], &rows, &[3]);
    let folder = folder.display().to_string();
    let next = commands(&folder);
    let width = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let next: String = next.iter().map(|(command, what)| format!("  {command:<width$}   {what}\n")).collect();
    format!(
        "{}\n\nDistance of the reward to …\n{table}\n{SCALE} {READING}\n\nReport: {folder}/report.html\n\nTry next:\n{next}",
        introduction(plain)
    )
}

fn report(seed: u64, plain: &RewardSample, results: &[Compared]) -> Report {
    let mut chart = BarChart::new("Distance of the reward to …", Axis::linear("distance").range(0.0, 1.0))
        .reference(std::f64::consts::FRAC_1_SQRT_2, "unrelated");
    let mut table = Table::new(
        "Distances with 95 % intervals",
        vec![
            ReportColumn::text("metric"),
            ReportColumn::number("shaped copy"),
            ReportColumn::number("unrelated"),
            ReportColumn::text("what it does"),
        ],
    );
    for c in results {
        let cell = |comparison: &Comparison, range: Option<Range>| match (comparison.distance(), range) {
            (None, _) => Cell::text("undefined"),
            (Some(d), None) => Cell::number(d, format!("{d:.3}")),
            (Some(d), Some(Range { low, high })) => {
                Cell::interval(d, low, high, format!("{d:.3} ({low:.3} to {high:.3})"))
            }
        };
        let bar = |name: &str, comparison: &Comparison, range: Option<Range>| {
            let bar = Bar::new(name, comparison.distance().unwrap_or(f64::NAN));
            range.map_or(bar.clone(), |range| bar.interval(range.low, range.high))
        };
        let [first, second] = c.ranges;
        let bars = vec![bar("shaped copy", &c.shaped, first), bar("unrelated", &c.unrelated, second)];
        chart = chart.group(c.metric.to_string(), bars);
        let metric = Cell::text(c.metric.to_string());
        table.rows.push(vec![
            metric,
            cell(&c.shaped, first),
            cell(&c.unrelated, second),
            Cell::text(meaning(c.metric)),
        ]);
    }
    let one_line = |text: &str| text.replace('\n', " ");
    let mut section = Section::new("What the metrics find");
    section.paragraphs = vec![format!("{SCALE} {}", one_line(READING))];
    section.figures = vec![FigureBlock::new(
        chart.draw(),
        "A metric that sees through shaping has a low bar for the copy and a high one for the unrelated reward. Lines are 95 % \
         intervals; those of epic, dard and srrd are about sampling noise only, not about their bias on sparse samples.",
    )];
    section.tables = vec![table];
    Report {
        title: "Do these two reward functions ask for the same behaviour?".to_owned(),
        lead: vec![one_line(&introduction(plain))],
        facts: vec![
            ("world".to_owned(), format!("Gridworld, {SIDE} × {SIDE}")),
            ("walks".to_owned(), format!("{ROLLOUTS} for each reward, at random")),
            ("discount factor".to_owned(), GAMMA.to_string()),
            ("shaping".to_owned(), format!("{SHAPING} times as large as the rewards on average")),
            ("seed".to_owned(), seed.to_string()),
            ("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ],
        sections: vec![section],
        command: format!("srrd demo --seed {seed}"),
        ..Report::default()
    }
}

fn as_json(samples: &[Sampled], results: &[Compared]) -> Value {
    let samples: Vec<Value> = (samples.iter())
        .map(|s| json!({"name": s.name, "transitions": s.sample.len(), "coverage": s.sample.coverage()}))
        .collect();
    let results: Vec<Value> = (results.iter())
        .map(|c| json!({"metric": c.metric.name(), "shaped": c.shaped.distance(), "unrelated": c.unrelated.distance()}))
        .collect();
    json!({"gamma": GAMMA, "samples": samples, "results": results})
}
