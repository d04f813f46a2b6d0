//! The whole idea in one example: what `srrd demo` computes.
//!
//! A grid world with a random reward, a copy of it with potential shaping added, and a reward that has nothing to do with it.
//! Each is known only on the transitions of its own random walks. The shaped copy asks for the same behaviour, the unrelated
//! one does not: a good metric tells them apart.

use crate::error::LabError;
use serde_json::{Value, json};
use srrd::sure::{IntervalSettings, Range};
use srrd::trajectories::{End, Trajectories, TrajectoryError};
use srrd::{Distance, Duplicates, Gamma, Metric, Pair, RewardSample, Settings, Token};
use srrd_show::page::{Cell, Column, FigureBlock, Headline, Report, Section, Table};
use srrd_show::{Axis, Bar, BarChart, Figure};
use srrd_worlds::{
    Gridworld, Met, Model, Policy, PotentialFunction, RewardFunction, Rollouts, Shaping, TrajectoryStep, Triple, World,
    derive_seed, rollouts, stream,
};

const SIDE: usize = 10;
const ROLLOUTS: usize = 30;
const GAMMA: f64 = 0.9;
/// How many times the mean magnitude of the rewards that of the shaping is.
const SHAPING: f64 = 3.0;

/// The rewards of the world: plain, shaped, unrelated.
const NAMES: [&str; 3] = ["reward", "shaped", "unrelated"];

/// How to read a distance.
pub const SCALE: &str = "0 is equivalent, 0.71 unrelated, 1 opposite.";

/// How to read the two columns of the example.
pub const READING: &str = "\
The shaped copy should be at 0 and the unrelated reward at 0.71:
the wider a metric holds the two apart, the better it sees through shaping on so few transitions.";

/// What the example found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Demo {
    /// The seed of everything random.
    pub seed: u64,
    /// The reward, its shaped copy, and the unrelated one.
    pub samples: [DemoSample; 3],
    /// What every metric says.
    pub results: Vec<DemoResult>,
}

/// A reward as random walks have met it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DemoSample {
    /// `reward`, `shaped` or `unrelated`.
    pub name: &'static str,
    /// The walks: states by `x` and `y`, actions by their names.
    pub walks: Trajectories,
    /// The transitions they met.
    pub sample: RewardSample,
}

/// The distances of the reward to its shaped copy and to the unrelated one, with their 95 % intervals.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DemoResult {
    /// By which metric.
    pub metric: Metric,
    /// To the shaped copy.
    pub shaped: Distance,
    /// To the unrelated reward.
    pub unrelated: Distance,
    /// Of both, where there is an interval.
    pub ranges: [Option<Range>; 2],
}

/// Simulates the three rewards and compares them with every metric.
///
/// ```
/// use srrd::Metric;
/// let demo = srrd_lab::demo(0)?;
/// let found = demo.results.iter().find(|result| result.metric == Metric::Projected).unwrap();
/// assert!(found.shaped.distance() < found.unrelated.distance());
/// # Ok::<(), srrd_lab::LabError>(())
/// ```
///
/// # Errors
/// None that depends on the seed, but for shaping that finds nothing to be scaled by.
pub fn demo(seed: u64) -> Result<Demo, LabError> {
    let gamma = Gamma::new(GAMMA).map_err(LabError::failed)?;
    let [plain, shaped, unrelated] = NAMES.map(|name| walk(seed, name, gamma));
    let samples = [plain?, shaped?, unrelated?];
    let settings = Settings { gamma, ..Settings::default() };
    let how = IntervalSettings { seed, ..IntervalSettings::default() };
    let [plain, shaped, unrelated] = samples.each_ref().map(|one| &one.sample);
    let compare = |metric| {
        let to = |other| {
            let pair = Pair::new(plain, other);
            let measured = pair.measure(metric, &settings);
            (measured.distance(), measured.interval(&how).ok().map(|interval| interval.range))
        };
        let ((shaped, of_shaped), (unrelated, of_unrelated)) = (to(shaped), to(unrelated));
        DemoResult { metric, shaped, unrelated, ranges: [of_shaped, of_unrelated] }
    };
    let results = Metric::SHOWN.into_iter().map(compare).collect();
    Ok(Demo { seed, samples, results })
}

/// Every reward gets walks of its own.
fn walk(seed: u64, name: &'static str, gamma: Gamma) -> Result<DemoSample, LabError> {
    let world = Gridworld::new(SIDE, SIDE, 0.0).map_err(LabError::failed)?;
    let anyone = Policy::uniform(world.actions()).map_err(LabError::failed)?;
    let of = if name == "unrelated" { "unrelated" } else { "reward" };
    let reward = RewardFunction::new(&world, Model::Random, derive_seed(seed, of));
    let walked = rollouts(&world, &anyone, ROLLOUTS, &mut stream(seed, &format!("walks of {name}")));
    let transitions: Vec<Triple> = walked.steps().iter().map(TrajectoryStep::triple).collect();
    let mut rewards = reward.rewards(&transitions);
    if name == "shaped" {
        let potential = PotentialFunction::new(&world, Model::Random, derive_seed(seed, "potential"));
        let met = Met::new(transitions, walked.steps().iter().map(|step| step.done).collect());
        let shaping = Shaping::scaled(&rewards, &met, &potential, gamma, SHAPING).map_err(LabError::failed)?;
        rewards = shaping.apply(&met, &rewards);
    }
    let walks = by_name(&world, &walked).and_then(|walks| walks.with_rewards(rewards)).map_err(LabError::failed)?;
    let sample = walks.to_sample(Duplicates::Error).map_err(LabError::failed)?.sample;
    Ok(DemoSample { name, walks, sample })
}

/// The walks with the names of actions, which people read more easily than directions in numbers.
fn by_name(world: &Gridworld, walked: &Rollouts) -> Result<Trajectories, TrajectoryError> {
    let place = |state: u32| {
        let mut features = [0.0; 2];
        world.describe_state(state as usize, &mut features);
        features
    };
    let mut builder = Trajectories::builder().state_features(world.state_features().iter().copied());
    for steps in walked.episodes() {
        for (number, step) in steps.iter().enumerate() {
            if number == 0 {
                builder.begin(Token::features(&place(step.state)))?;
            }
            let action = Gridworld::ACTIONS[step.action as usize];
            builder.step(Token::text(action), Token::features(&place(step.next)), None)?;
        }
        let terminated = steps.last().is_some_and(|step| step.done);
        builder.end(if terminated { End::Terminated } else { End::Truncated });
    }
    Ok(builder.build())
}

impl Demo {
    /// What the example is about, in two lines.
    pub fn introduction(&self) -> String {
        format!(
            "A {SIDE} × {SIDE} grid world with a random reward, a copy of it with potential shaping (the same behaviour, other
numbers), and an unrelated reward. Of each, only what {ROLLOUTS} random walks met is known: {:.1} % of all transitions.",
            100.0 * self.samples[0].sample.coverage()
        )
    }

    /// The JSON of `srrd demo --json`.
    pub fn to_json(&self) -> Value {
        let samples: Vec<Value> = (self.samples.iter())
            .map(|s| json!({"name": s.name, "transitions": s.sample.len(), "coverage": s.sample.coverage()}))
            .collect();
        let distances = |c: &DemoResult| json!({"metric": c.metric.name(), "shaped": c.shaped.distance(), "unrelated": c.unrelated.distance()});
        let results: Vec<Value> = self.results.iter().map(distances).collect();
        json!({"gamma": GAMMA, "samples": samples, "results": results})
    }

    /// The example as a page, which `command` makes again.
    pub fn report(&self, command: &str) -> Report {
        let one_line = |text: &str| text.replace('\n', " ");
        let (chart, table) = self.shown();
        let mut section = Section::new("What the metrics find");
        section.paragraphs = vec![format!("{SCALE} {}", one_line(READING))];
        section.tables = vec![table];
        let figure = FigureBlock::new(
            chart.draw(),
            "A metric that sees through shaping has a low bar for the copy and a high one for the unrelated reward. Lines are 95 % \
             intervals; those of epic, dard and srrd are about sampling noise only, not about their bias on sparse samples.",
        );
        Report {
            title: "Do these two reward functions ask for the same behaviour?".to_owned(),
            headline: Some(Headline::new(self.best(), figure)),
            lead: vec![one_line(&self.introduction())],
            facts: vec![
                ("world".to_owned(), format!("Gridworld, {SIDE} × {SIDE}")),
                ("walks".to_owned(), format!("{ROLLOUTS} for each reward, at random")),
                ("discount factor".to_owned(), GAMMA.to_string()),
                ("shaping".to_owned(), format!("{SHAPING} times as large as the rewards on average")),
                ("seed".to_owned(), self.seed.to_string()),
                ("version".to_owned(), crate::manifest::VERSION.to_owned()),
            ],
            sections: vec![section],
            command: command.to_owned(),
            ..Report::default()
        }
    }

    /// The metric that holds the copy and the unrelated reward widest apart, in a sentence.
    fn best(&self) -> String {
        let known =
            self.results.iter().filter_map(|one| Some((one.metric, one.shaped.distance()?, one.unrelated.distance()?)));
        match known.max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1))) {
            None => "No metric has a distance.".to_owned(),
            Some((metric, shaped, unrelated)) => format!(
                "Of all metrics, {metric} tells best that the shaped copy asks for the same ({shaped:.3}) and the unrelated reward does \
                 not ({unrelated:.3})."
            ),
        }
    }

    /// The distances as bars and as a table.
    fn shown(&self) -> (BarChart, Table) {
        let mut chart = BarChart::new("Distance of the reward to …", Axis::linear("distance").range(0.0, 1.0))
            .reference(std::f64::consts::FRAC_1_SQRT_2, "0.71")
            // Black, which no metric has.
            .color_index("shaped copy", 6)
            .color_index("unrelated reward", 6)
            .pale("unrelated reward");
        let mut table = Table::new(
            "Distances with 95 % intervals",
            vec![
                Column::text("metric"),
                Column::number("shaped copy"),
                Column::number("unrelated"),
                Column::text("what it does"),
            ],
        );
        let cell = |comparison: &Distance, range: Option<Range>| match (comparison.distance(), range) {
            (None, _) => Cell::text("undefined"),
            (Some(d), None) => Cell::number(d, format!("{d:.3}")),
            (Some(d), Some(Range { low, high })) => {
                Cell::interval(d, low, high, format!("{d:.3} ({low:.3} to {high:.3})"))
            }
        };
        let bar = |name: &str, comparison: &Distance, range: Option<Range>| {
            let bar = Bar::new(name, comparison.distance().unwrap_or(f64::NAN));
            range.map_or(bar.clone(), |range| bar.interval(range.low, range.high))
        };
        for c in &self.results {
            let [first, second] = c.ranges;
            let bars = vec![bar("shaped copy", &c.shaped, first), bar("unrelated reward", &c.unrelated, second)];
            chart = chart.group(c.metric.to_string(), bars);
            table.rows.push(vec![
                Cell::text(c.metric.to_string()),
                cell(&c.shaped, first),
                cell(&c.unrelated, second),
                Cell::text(c.metric.info().about),
            ]);
        }
        (chart, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srrd_sees_through_shaping_where_direct_does_not() {
        let demo = demo(0).unwrap();
        let of = |metric| demo.results.iter().find(|result| result.metric == metric).unwrap();
        let gap = |metric| of(metric).unrelated.distance().unwrap() - of(metric).shaped.distance().unwrap();
        assert!(gap(Metric::Srrd) > gap(Metric::Direct) + 0.1);
        let [plain, shaped, unrelated] = &demo.samples;
        assert_eq!([plain.name, shaped.name, unrelated.name], NAMES);
        assert!(demo.samples.iter().all(|one| one.walks.len() == ROLLOUTS));
        assert!(demo.report("srrd demo --seed 0 -o here").to_html().contains("srrd demo --seed 0 -o here"));
        assert_eq!(demo.to_json()["samples"][0]["transitions"], plain.sample.len());
    }
}
