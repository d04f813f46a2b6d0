//! A map of states with features: two of them, or the two directions in which they vary most.

use std::collections::BTreeMap;

use srrd::NamedSample;
use srrd::explain::Explanation;

use super::picture::title;
use crate::chart::{Axis, MapPicture, Spot};
use crate::words::{counted, percent, token};

/// Most states on a map: those that carry most.
const MOST_SPOTS: usize = 2000;
/// So many states, evenly spread over all, tell the main directions.
const MOST_FITTED: usize = 5000;
/// Iterations for a main direction; the first two are apart after far fewer unless nothing tells them apart.
const ITERATIONS: usize = 300;

/// How many features of the states vary.
pub(super) fn varying(named: &NamedSample) -> usize {
    spreads(named).len()
}

/// A feature that varies: its place, mean and standard deviation.
struct Spread {
    place: usize,
    mean: f64,
    deviation: f64,
}

fn spreads(named: &NamedSample) -> Vec<Spread> {
    let states = named.sample.states();
    let Some(features) = states.arity() else { return Vec::new() };
    let count = states.len() as f64;
    let spread = |place: usize| {
        let values = || states.iter().filter_map(move |state| state.as_features()?.get(place).copied());
        let mean = values().map(|value| value / count).sum::<f64>();
        let deviation = values().map(|value| (value - mean).powi(2) / count).sum::<f64>().sqrt();
        (deviation > 1e-12 * mean.abs() && deviation.is_finite()).then_some(Spread { place, mean, deviation })
    };
    (0..features).filter_map(spread).collect()
}

/// Where states stand, and what the axes are called.
struct Places {
    labels: [String; 2],
    /// Weights of the standardized features, for each axis; the second is missing where one feature varies.
    directions: Vec<Vec<f64>>,
    spreads: Vec<Spread>,
}

impl Places {
    fn of(named: &NamedSample) -> Self {
        let spreads = spreads(named);
        let name = |spread: &Spread| {
            let names = named.state_features.as_deref().and_then(|names| names.get(spread.place));
            names.map_or_else(|| format!("feature {}", spread.place), |name| format!("state.{name}"))
        };
        let unit = |at: usize| (0..spreads.len()).map(|k| f64::from(k == at)).collect::<Vec<f64>>();
        match spreads.as_slice() {
            [one] => Places { labels: [name(one), "a - b".to_owned()], directions: vec![unit(0)], spreads },
            [one, other] => Places { labels: [name(one), name(other)], directions: vec![unit(0), unit(1)], spreads },
            _ => {
                let (directions, explained) = main_directions(named, &spreads);
                let label = |k: usize| {
                    let largest =
                        (0..spreads.len()).max_by(|&p, &q| directions[k][p].abs().total_cmp(&directions[k][q].abs()));
                    let most = largest.map_or(String::new(), |at| format!(", most of it {}", name(&spreads[at])));
                    format!("main direction {}: {} of the variance{most}", k + 1, percent(explained[k]))
                };
                Places { labels: [label(0), label(1)], directions, spreads }
            }
        }
    }

    /// Along an axis; in units of the feature itself where the axis is one feature.
    fn along(&self, axis: usize, features: &[f64]) -> f64 {
        let direction = &self.directions[axis];
        match self.spreads.len() {
            1 | 2 => features.get(self.spreads[axis].place).copied().unwrap_or(f64::NAN),
            _ => direction
                .iter()
                .zip(&self.spreads)
                .map(|(weight, spread)| weight * standardized(spread, features))
                .sum(),
        }
    }
}

fn standardized(spread: &Spread, features: &[f64]) -> f64 {
    features.get(spread.place).map_or(0.0, |value| (value - spread.mean) / spread.deviation)
}

/// The first two principal components of the standardized features, and the shares of the variance that they carry.
fn main_directions(named: &NamedSample, spreads: &[Spread]) -> (Vec<Vec<f64>>, [f64; 2]) {
    let states = named.sample.states();
    let size = spreads.len();
    let mut covariance = vec![0.0; size * size];
    for state in states.iter().step_by(states.len().div_ceil(MOST_FITTED).max(1)) {
        let Some(features) = state.as_features() else { continue };
        let values: Vec<f64> = spreads.iter().map(|spread| standardized(spread, features)).collect();
        for (row, x) in covariance.chunks_exact_mut(size).zip(&values) {
            row.iter_mut().zip(&values).for_each(|(cell, y)| *cell += x * y);
        }
    }
    let total: f64 = (0..size).map(|k| covariance[k * size + k]).sum();
    let (mut found, mut explained) = (Vec::new(), [0.0; 2]);
    for share in &mut explained {
        let (direction, variance) = leading(&covariance, size);
        for (i, row) in covariance.chunks_exact_mut(size).enumerate() {
            row.iter_mut().zip(&direction).for_each(|(cell, y)| *cell -= variance * direction[i] * y);
        }
        *share = if total > 0.0 { (variance / total).clamp(0.0, 1.0) } else { 0.0 };
        found.push(direction);
    }
    (found, explained)
}

/// The leading eigenvector of a symmetric matrix by the power method, with its largest part above 0, and the eigenvalue.
fn leading(matrix: &[f64], size: usize) -> (Vec<f64>, f64) {
    let length = |vector: &[f64]| vector.iter().map(|v| v * v).sum::<f64>().sqrt();
    // No direction is at a right angle to all of it but by design.
    let mut vector: Vec<f64> = (0..size).map(|k| 1.0 + 0.37 * (k as f64 * 1.7).sin()).collect();
    let mut value = 0.0;
    for _ in 0..ITERATIONS {
        let norm = length(&vector);
        if norm == 0.0 {
            break;
        }
        vector.iter_mut().for_each(|v| *v /= norm);
        let next: Vec<f64> =
            matrix.chunks_exact(size).map(|row| row.iter().zip(&vector).map(|(m, v)| m * v).sum()).collect();
        value = next.iter().zip(&vector).map(|(n, v)| n * v).sum();
        vector = next;
    }
    let norm = length(&vector);
    let largest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(1.0);
    let scale = if norm > 0.0 { norm.copysign(largest) } else { 1.0 };
    (vector.iter().map(|v| v / scale).collect(), value)
}

/// Draws the states that carry something: area by share, colour by the mean difference of what starts there, weighted by share.
pub(super) fn picture(pair: [&NamedSample; 2], explanation: &Explanation) -> MapPicture {
    let [a, _] = pair;
    let places = Places::of(a);
    let starts: Vec<u32> = a.sample.ids().map(|(state, _, _)| state).collect();
    let mut leaning: BTreeMap<u32, f64> = BTreeMap::new();
    for contribution in &explanation.transitions {
        *leaning.entry(starts[contribution.a as usize]).or_default() += contribution.share * contribution.difference;
    }
    let carrying = || explanation.states.iter().filter(|state| state.starting > 0.0);
    let all = carrying().count();
    let spot = |state: &srrd::explain::StateShare| {
        let token_of = a.sample.states().token(state.state);
        let features = token_of.as_features()?;
        let difference = leaning.get(&state.state).map_or(0.0, |sum| sum / state.starting);
        let y = if places.directions.len() > 1 { places.along(1, features) } else { difference };
        Some(Spot::new(places.along(0, features), y, 100.0 * state.starting, difference).note(token(token_of)))
    };
    let spots: Vec<Spot> = carrying().take(MOST_SPOTS).filter_map(spot).collect();
    let distance = explanation.distance.distance().unwrap_or(0.0);
    let mut subtitle = format!("Distance {distance:.3}. A disc: all transitions that start in a state.");
    if places.spreads.len() > 2 {
        subtitle += &format!(
            " {} on a plane by principal components.",
            counted(places.spreads.len(), "feature", "features that vary")
        );
    }
    if all > spots.len() {
        subtitle += &format!(" The {} states of {all} that carry most.", spots.len());
    }
    let [x, y] = places.labels;
    MapPicture::new(title(pair), Axis::linear(x), Axis::linear(y)).subtitle(subtitle).spots(spots).labels(
        "area: share of the squared distance, in %",
        "colour: mean difference, orange where A gives more, blue where B does",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::{Duplicates, Metric, Pair, RewardSample, Settings, Token};

    fn named(features: usize, feature: impl Fn(usize, usize) -> f64) -> NamedSample {
        let states: Vec<Vec<f64>> = (0..40).map(|s| (0..features).map(|k| feature(s, k)).collect()).collect();
        let rows = (0..40usize).flat_map(|s| (0..4usize).map(move |k| (s, k, (s + 3 * k + 1) % 40)));
        let rows = rows.map(|(s, k, t)| {
            (Token::features(&states[s]), k as i64, Token::features(&states[t]), ((s * 7 + t * 5) % 11) as f64)
        });
        NamedSample::new("a", RewardSample::from_rows(rows, Duplicates::Mean).unwrap())
    }

    #[test]
    fn main_directions_are_those_of_the_covariance() {
        // Three features, the first two nearly the same, the third by itself: two thirds and one third of the variance.
        let sample = named(3, |s, k| match k {
            0 => s as f64,
            1 => 10.0 * s as f64 + 0.001 * (s % 2) as f64,
            _ => ((s * 17) % 40) as f64,
        });
        let spreads = spreads(&sample);
        let (directions, explained) = main_directions(&sample, &spreads);
        let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
        assert!(directions.iter().all(|direction| (length(direction) - 1.0).abs() < 1e-9));
        let product: f64 = directions[0].iter().zip(&directions[1]).map(|(p, q)| p * q).sum();
        assert!(product.abs() < 1e-6, "{product}");
        assert!((explained[0] + explained[1] - 1.0).abs() < 1e-6 && explained[0] > 0.6, "{explained:?}");
        assert!((directions[0][0] - directions[0][1]).abs() < 1e-4, "{directions:?}");
    }

    #[test]
    fn one_two_or_many_features_make_a_map_and_constant_ones_do_not_count() {
        for (features, label) in [(1, "feature 0"), (2, "feature 1"), (5, "main direction 1")] {
            let a = named(features, |s, k| ((s * (k + 2) * 7) % 40) as f64 + s as f64);
            let mut rewards = a.sample.rewards().to_vec();
            rewards[3] += 5.0;
            let b = NamedSample::new("b", a.sample.with_rewards(rewards).unwrap());
            let pair = Pair::new(&a.sample, &b.sample);
            let found = pair.measure(Metric::Projected, &Settings::default()).explanation().unwrap();
            let svg = crate::Figure::to_svg(&picture([&a, &b], &found));
            assert!(svg.contains(label), "{features}");
            assert!(svg.contains("class=\"spot\"") && svg.contains("orange"), "{features}");
        }
        assert_eq!(varying(&named(3, |s, k| if k == 1 { 4.0 } else { s as f64 })), 2);
    }
}
