//! How sure a distance is: what `--interval` and `--chance` add to `srrd distance`.

use crate::args::CertaintyArgs;
use crate::failure::Failure;
use crate::print;
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{
    Chance, ChanceSettings, ChanceTest, Draws, Interval, IntervalMethod, IntervalSettings, Level, Metric, NoInterval,
    NoiseFloor, Range, Resampling, Settings, chance_on, interval_on, noise_floor_on,
};

/// What was asked for, checked.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    level: Option<Level>,
    chance: bool,
    draws: Draws,
    /// Noise floors, which only JSON has room for.
    floor: bool,
}

impl Wanted {
    /// What Python asks for: everything that JSON has room for.
    pub fn asked(interval: Option<f64>, chance: bool, draws: usize) -> Result<Self, Failure> {
        Wanted::new(&CertaintyArgs { interval, chance, draws }, true)
    }

    pub fn new(args: &CertaintyArgs, json: bool) -> Result<Self, Failure> {
        let level = args.interval.map(Level::new).transpose();
        let level = level.map_err(|e| Failure::wrong(format!("--interval: {e}")))?;
        let draws = Draws::new(args.draws).map_err(|e| Failure::wrong(format!("--draws: {e}")))?;
        Ok(Wanted { level, chance: args.chance, draws, floor: json })
    }

    /// Whether episodes are of use.
    pub fn episodes(&self) -> bool {
        self.level.is_some()
    }

    /// The header of the column of intervals.
    pub fn column(&self) -> Option<String> {
        // 57, not 56.99999999999999.
        self.level.map(|level| format!("{} % interval", (level.get() * 1e8).round() / 1e6))
    }
}

/// How sure the distance of one metric is.
#[derive(Clone, Copy, Debug)]
pub struct Certainty {
    interval: Option<Result<Interval, NoInterval>>,
    chance: Option<Result<Chance, NoInterval>>,
    floor: Option<NoiseFloor>,
}

impl Certainty {
    pub fn new(
        [a, b]: [&NamedSample; 2],
        common: &[(u32, u32)],
        metric: Metric,
        settings: &Settings,
        wanted: &Wanted,
    ) -> Self {
        let resampling = match (&a.episodes, &b.episodes) {
            (None, None) => Resampling::Transitions,
            (a, b) => Resampling::Episodes { a: a.as_ref(), b: b.as_ref() },
        };
        let (draws, seed) = (wanted.draws, settings.seed);
        let interval = wanted.level.map(|level| {
            let how = IntervalSettings { level, draws, seed, resampling };
            interval_on(&a.sample, &b.sample, common, metric, settings, &how)
        });
        let chance = wanted
            .chance
            .then(|| chance_on(&a.sample, &b.sample, common, metric, settings, &ChanceSettings { draws, seed }));
        let floor = wanted.floor.then(|| noise_floor_on(&a.sample, &b.sample, common, metric, settings)).flatten();
        Certainty { interval, chance, floor }
    }

    /// Says why there is no interval or no test where there is a distance.
    pub fn warn(&self, metric: Metric) {
        let no_interval = self.interval.and_then(Result::err).map(|why| ("interval", why));
        let no_chance = self.chance.and_then(Result::err).map(|why| ("test against chance", why));
        for (what, why) in [no_interval, no_chance].into_iter().flatten() {
            if !matches!(why, NoInterval::Undefined(_)) {
                print::warn(&format!("the {metric} distance has no {what}: {why}"));
            }
        }
        if let Some(Ok(Interval { method: IntervalMethod::BootstrapPercentile(made), .. })) = self.interval
            && made.undefined_draws > 0
        {
            print::warn(&format!(
                "{metric}: {} of {} have no distance and are left out of the interval",
                print::count(made.undefined_draws),
                print::counted(made.draws, "draw", "draws")
            ));
        }
    }

    /// The cell of the interval.
    pub fn cell(&self) -> String {
        match self.interval {
            Some(Ok(Interval { range: Range { low, high }, .. })) => format!("({low:.3} to {high:.3})"),
            Some(Err(_)) => "none".to_owned(),
            None => String::new(),
        }
    }

    /// Says that an interval is likely to be too narrow, if one of the rewards is the same nearly everywhere.
    pub fn warn_about_values(&self, [a, b]: [&NamedSample; 2], common: &[(u32, u32)], metric: Metric) {
        let enough = match self.interval {
            Some(Ok(Interval { method: IntervalMethod::BootstrapPercentile(_), .. })) => 20,
            Some(Ok(Interval { method: IntervalMethod::FisherZ { .. }, .. })) => 50,
            _ => return,
        };
        let of_a = || common.iter().map(|&(i, _)| a.sample.rewards()[i as usize]).collect();
        let of_b = || common.iter().map(|&(_, j)| b.sample.rewards()[j as usize]).collect();
        let sides: [(&NamedSample, Vec<f64>); 2] = [(a, of_a()), (b, of_b())];
        for (named, rewards) in sides {
            let Some((usual, others)) = usual_reward(rewards) else { continue };
            if others < enough {
                print::warn(&format!(
                    "{metric}: the interval is likely too narrow: in {} the reward is {usual} on all but {}",
                    print::shown(&named.name),
                    print::counted(others, "shared transition", "shared transitions")
                ));
            }
        }
    }

    /// Adds what is known to a result.
    pub fn add_to(&self, result: &mut Value) {
        if let Some(interval) = &self.interval {
            result["interval"] = match interval {
                Ok(interval) => interval_as_json(interval),
                Err(NoInterval::Undefined(_)) => Value::Null,
                Err(why) => json!({"low": null, "high": null, "undefined": why.name()}),
            };
        }
        if let Some(chance) = &self.chance {
            result["chance"] = match chance {
                Ok(Chance { p, test }) => match test {
                    ChanceTest::Permutation { draws, undefined_draws } => {
                        json!({"p": p, "test": test.name(), "draws": draws, "undefined_draws": undefined_draws})
                    }
                    ChanceTest::StudentT { degrees_of_freedom } => {
                        json!({"p": p, "test": test.name(), "degrees_of_freedom": degrees_of_freedom})
                    }
                },
                Err(NoInterval::Undefined(_)) => Value::Null,
                Err(why) => json!({"p": null, "undefined": why.name()}),
            };
        }
        if let Some(floor) = &self.floor {
            result["noise_floor"] = floor_as_json(floor);
        }
    }
}

/// The reward that more than half of some transitions have, if there is one, and how many have another one.
fn usual_reward(mut rewards: Vec<f64>) -> Option<(f64, usize)> {
    rewards.sort_unstable_by(f64::total_cmp);
    // What more than half have lies in the middle.
    let usual = *rewards.get(rewards.len() / 2)?;
    let same = rewards.iter().filter(|reward| **reward == usual).count();
    (2 * same > rewards.len()).then_some((usual, rewards.len() - same))
}

fn floor_as_json(floor: &NoiseFloor) -> Value {
    json!({"share": floor.share, "correlation": floor.correlation, "distance": floor.distance})
}

fn interval_as_json(interval: &Interval) -> Value {
    let Interval { level, range: Range { low, high }, method } = interval;
    let ends = |range: Range| json!({"low": range.low, "high": range.high});
    let mut value = json!({"level": level.get(), "low": low, "high": high, "method": method.name()});
    match method {
        IntervalMethod::BootstrapPercentile(made) => {
            value["resampled"] = made.resampled.name().into();
            value["units"] = made.units.into();
            value["draws"] = made.draws.into();
            value["undefined_draws"] = made.undefined_draws.into();
            value["percentile"] = ends(made.percentile);
            value["bca"] = made.bca.map_or(Value::Null, ends);
        }
        IntervalMethod::FisherZ { degrees_of_freedom, spread } => {
            value["degrees_of_freedom"] = (*degrees_of_freedom).into();
            value["spread"] = (*spread).into();
        }
    }
    value
}

/// What follows the table: how intervals were found and what they leave out, and what the tests say.
pub fn notes(results: &[(Metric, Certainty)]) -> String {
    let mut notes = String::new();
    let mut bootstrapped = Vec::new();
    let mut drawn = None;
    for (metric, certainty) in results {
        match certainty.interval.and_then(Result::ok).map(|interval| interval.method) {
            Some(IntervalMethod::BootstrapPercentile(made)) => {
                bootstrapped.push(metric.name());
                drawn = Some((made.draws, made.resampled.name()));
            }
            Some(IntervalMethod::FisherZ { .. }) => {
                notes += &format!("\n{metric}: interval by Fisher's z on its degrees of freedom\n");
            }
            None => {}
        }
    }
    if let Some((draws, what)) = drawn {
        notes += &format!(
            "\n{}: interval by bootstrap, {} of {what}\n",
            bootstrapped.join(", "),
            print::counted(draws, "draw", "draws"),
        );
        if bootstrapped != ["direct"] {
            notes += "It is about sampling noise only: no resampling sees the bias of sparse samples.\n";
        }
    }
    for (metric, certainty) in results {
        if let Some(Ok(Chance { p, test })) = certainty.chance {
            let how = match test {
                ChanceTest::Permutation { draws, .. } => {
                    format!("{} of rewards dealt out anew", print::counted(draws, "draw", "draws"))
                }
                ChanceTest::StudentT { .. } => "Student's t".to_owned(),
            };
            let verdict = if p < 0.05 { "more alike than chance" } else { "no more alike than chance" };
            notes += &format!("\n{metric}: {verdict} (p = {}, {how})\n", small(p));
        }
    }
    notes
}

/// A probability with the digits it needs.
fn small(p: f64) -> String {
    if p >= 1e-4 { format!("{p:.4}") } else { format!("{p:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_reward_is_what_more_than_half_have() {
        assert_eq!(usual_reward(vec![0.0, 3.0, 0.0, 1.0, 0.0]), Some((0.0, 2)));
        assert_eq!(usual_reward(vec![0.0, 3.0, 0.0, 1.0]), None);
        assert_eq!(usual_reward(vec![2.0, 1.0, 3.0]), None);
        assert_eq!(usual_reward(Vec::new()), None);
    }
}
