//! `srrd demo`: the whole idea on one screen.
//!
//! A grid world with a random reward, a copy of it with potential shaping added, and a reward that has nothing to do with it.
//! Each is known only on the transitions of its own random walks. The shaped copy asks for the same behaviour, the unrelated
//! one does not: a good metric tells them apart.

use crate::args::Demo;
use crate::failure::Failure;
use crate::print;
use crate::settings::with_threads;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use srrd::{Comparison, Duplicates, Gamma, Metric, RewardSample, Settings, distance};
use srrd_tables::{Batch, Column, ColumnType, Schema, TextColumn, Values, create};
use std::path::Path;

const SIDE: usize = 10;
const STATES: usize = SIDE * SIDE;
const MOVES: [(&str, i32, i32); 4] = [("right", 1, 0), ("left", -1, 0), ("down", 0, 1), ("up", 0, -1)];
const ROLLOUTS: usize = 60;
const STEPS: usize = 100;
const GAMMA: f64 = 0.9;

pub fn run(args: &Demo) -> Result<(), Failure> {
    with_threads(args.threads, || {
        let world = World::new(args.seed);
        let samples: Vec<Sampled> = (0..3).map(|reward| world.sample(reward, args.seed)).collect();
        if let Some(folder) = &args.output {
            write_tables(folder, &samples)?;
        }
        let [plain, shaped, unrelated] = [0, 1, 2].map(|i| &samples[i].sample);
        let gamma = Gamma::new(GAMMA).expect("a constant between 0 and 1");
        let settings = Settings { gamma, ..Settings::default() };
        let results: Vec<(Metric, Comparison, Comparison)> = (Metric::ALL.into_iter())
            .map(|metric| {
                let to = |other| distance(plain, other, metric, &settings);
                (metric, to(shaped), to(unrelated))
            })
            .collect();
        if args.json {
            print::json(&as_json(&samples, &results))?;
        } else {
            print::result(&as_text(args.output.as_deref(), plain, &results))?;
        }
        Ok(())
    })
}

/// The rewards of the world: plain, shaped, unrelated.
const NAMES: [&str; 3] = ["reward", "shaped", "unrelated"];

struct World {
    plain: Vec<f64>,
    unrelated: Vec<f64>,
    potential: Vec<f64>,
}

/// (state, move, next state, reward)
type Row = (usize, usize, usize, f64);

/// A reward as random walks have met it.
struct Sampled {
    name: &'static str,
    rows: Vec<Row>,
    sample: RewardSample,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = stream(seed, 0);
        let mut uniform = |n: usize, most: f64| (0..n).map(|_| rng.random_range(-most..most)).collect::<Vec<f64>>();
        let edges = STATES * MOVES.len() * STATES;
        World { plain: uniform(edges, 1.0), unrelated: uniform(edges, 1.0), potential: uniform(STATES, 3.0) }
    }

    fn reward(&self, which: usize, s: usize, a: usize, t: usize) -> f64 {
        let edge = (s * MOVES.len() + a) * STATES + t;
        match which {
            0 => self.plain[edge],
            1 => self.plain[edge] + GAMMA * self.potential[t] - self.potential[s],
            _ => self.unrelated[edge],
        }
    }

    /// What random walks from the corner see of a reward: every reward gets walks of its own.
    fn sample(&self, which: usize, seed: u64) -> Sampled {
        let mut rng = stream(seed, 1 + which as u64);
        let mut rows = Vec::new();
        for _ in 0..ROLLOUTS {
            let mut state = 0;
            for _ in 0..STEPS {
                let (a, next) = step(state, &mut rng);
                rows.push((state, a, next, self.reward(which, state, a, next)));
                state = next;
                if state == STATES - 1 {
                    break;
                }
            }
        }
        let tokens = rows.iter().map(|&(s, a, t, r)| (s as u32, MOVES[a].0, t as u32, r));
        let sample = RewardSample::from_rows(tokens, Duplicates::Error).expect("rewards are functions of transitions");
        Sampled { name: NAMES[which], rows, sample }
    }
}

/// A random move that stays on the grid.
fn step(state: usize, rng: &mut impl Rng) -> (usize, usize) {
    let (x, y) = ((state % SIDE) as i32, (state / SIDE) as i32);
    loop {
        let a = rng.random_range(0..MOVES.len());
        let (x, y) = (x + MOVES[a].1, y + MOVES[a].2);
        if (0..SIDE as i32).contains(&x) && (0..SIDE as i32).contains(&y) {
            return (a, y as usize * SIDE + x as usize);
        }
    }
}

/// A stream of its own for every use of the seed.
fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

fn write_tables(folder: &Path, samples: &[Sampled]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::wrong(format!("{}: the folder cannot be made: {e}", folder.display())))?;
    let kinds =
        [ColumnType::Int, ColumnType::Int, ColumnType::Text, ColumnType::Int, ColumnType::Int, ColumnType::Float];
    let names = ["state.x", "state.y", "action", "next_state.x", "next_state.y", "reward"];
    let schema = Schema::new(names.into_iter().zip(kinds));
    for Sampled { name, rows, .. } in samples {
        let ints = |f: fn(&Row) -> usize| Column::from(Values::Int(rows.iter().map(|row| f(row) as i64).collect()));
        let columns = vec![
            ints(|row| row.0 % SIDE),
            ints(|row| row.0 / SIDE),
            Values::Text(rows.iter().map(|row| MOVES[row.1].0).collect::<TextColumn>()).into(),
            ints(|row| row.2 % SIDE),
            ints(|row| row.2 / SIDE),
            Values::Float(rows.iter().map(|row| row.3).collect()).into(),
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

fn as_text(folder: Option<&Path>, plain: &RewardSample, results: &[(Metric, Comparison, Comparison)]) -> String {
    let number = |comparison: &Comparison| comparison.distance().map_or("undefined".to_owned(), |d| format!("{d:.3}"));
    let rows: Vec<Vec<String>> = (results.iter())
        .map(|(metric, shaped, unrelated)| {
            vec![metric.to_string(), number(shaped), number(unrelated), meaning(*metric).to_owned()]
        })
        .collect();
    let table = print::table(&["metric", "shaped copy", "unrelated", "what it does"], &rows, &[3]);
    let try_next = |rows: &[(String, &str)]| {
        let width = rows.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
        rows.iter().map(|(command, what)| format!("  {command:<width$}   {what}\n")).collect::<String>()
    };
    let commands = |folder: &str| {
        [
            (format!("srrd distance {folder}/reward.csv {folder}/shaped.csv --metric all"), "compare two of them"),
            (format!("srrd inspect {folder}/reward.csv"), "what was sampled, and what every metric needs"),
            (
                format!("srrd matrix {folder}/*.csv -o distances.csv --plot heat.svg"),
                "all pairs, as a table and a picture",
            ),
        ]
    };
    let next = match folder {
        Some(folder) => try_next(&commands(&folder.display().to_string())),
        None => {
            let write = ("srrd demo -o demo".to_owned(), "write the tables that were compared; then:");
            try_next(&[&[write][..], &commands("demo")[..]].concat())
        }
    };
    format!(
        "\
A {SIDE} × {SIDE} grid world with a random reward, a copy of it with potential shaping (the same behaviour, other
numbers), and an unrelated reward. Of each, only what {ROLLOUTS} random walks met is known: {} of all transitions.

Distance of the reward to …
{table}
0 is equivalent, 0.71 unrelated, 1 opposite. The shaped copy should be at 0 and the unrelated reward at 0.71:
the wider a metric holds the two apart, the better it sees through shaping on so few transitions.

Try next:
{next}",
        print::percent(plain.coverage()),
    )
}

fn as_json(samples: &[Sampled], results: &[(Metric, Comparison, Comparison)]) -> Value {
    let samples: Vec<Value> = (samples.iter())
        .map(|s| json!({"name": s.name, "transitions": s.sample.len(), "coverage": s.sample.coverage()}))
        .collect();
    let results: Vec<Value> = (results.iter())
        .map(|(metric, shaped, unrelated)| {
            json!({"metric": metric.name(), "shaped": shaped.distance(), "unrelated": unrelated.distance()})
        })
        .collect();
    json!({"gamma": GAMMA, "samples": samples, "results": results})
}
