//! Reward models side by side, as pictures.

use srrd::models::{Estimated, GroupNumbers, Grouping, ModelComparison, ModelPair};

use super::group_names;
use crate::chart::{Axis, Bar, BarChart, LineChart, Point, Series};
use crate::drawing::Drawing;
use crate::{Figure, FigureError};

/// The distance of what has nothing to do with each other.
const UNRELATED: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The picture of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelFigure {
    /// Distances over training.
    Lines(LineChart),
    /// Distances of all pairs, by criterion where there are any.
    Bars(BarChart),
}

impl Figure for ModelFigure {
    fn title(&self) -> &str {
        match self {
            ModelFigure::Lines(chart) => chart.title(),
            ModelFigure::Bars(chart) => chart.title(),
        }
    }

    fn draw(&self) -> Drawing {
        match self {
            ModelFigure::Lines(chart) => chart.draw(),
            ModelFigure::Bars(chart) => chart.draw(),
        }
    }
}

/// The name of a pair.
pub(super) fn name(pair: &ModelPair) -> String {
    format!("{} and {}", pair.a, pair.b)
}

/// The distances over training where there are steps, and those of all pairs otherwise.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::sample::Ends;
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?.with_ends(Ends::all())?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| r.sqrt()).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", old), named("new", new)], None, &ModelSettings::default())?;
/// assert!(matches!(srrd_show::present::models::figure(&found)?, srrd_show::present::models::ModelFigure::Bars(_)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None so far: charts leave out what cannot be drawn.
pub fn figure(found: &ModelComparison) -> Result<ModelFigure, FigureError> {
    Ok(match &found.grouping {
        Some(Grouping::Step(column)) => ModelFigure::Lines(over_training(found, column)),
        grouping => ModelFigure::Bars(bars(found, grouping.as_ref())),
    })
}

fn over_training(found: &ModelComparison, column: &str) -> LineChart {
    let changed = found.pairs.iter().any(|pair| !stretches(pair).is_empty());
    let mut chart =
        LineChart::new("Distance over training", Axis::linear(column), Axis::linear("distance within prompts"))
            .subtitle(format!(
                "0: both want the same responses; 0.71: unrelated. With {:.0} % intervals.{}",
                100.0 * found.level,
                if changed { " Dashed: the distance between changes." } else { "" }
            ))
            .reference(UNRELATED, "unrelated")
            .wide();
    for (place, pair) in found.pairs.iter().enumerate() {
        let points = pair.groups.iter().filter_map(|group| Some(point(middle(group)?, &group.distance)));
        chart = chart.series(Series::new(name(pair), points.collect()).color_index(place));
    }
    for (place, pair) in found.pairs.iter().enumerate() {
        let stretches = stretches(pair);
        if !stretches.is_empty() {
            let called = format!("{}, between changes", name(pair));
            chart = chart.series(Series::new(called, stretches).color_index(place).dashed());
        }
    }
    chart
}

/// Where a stretch of training is drawn.
fn middle(group: &GroupNumbers) -> Option<f64> {
    group.steps.map(|[first, last]| 0.5 * (first + last))
}

/// The distances between changes, as lines from beginning to end.
fn stretches(pair: &ModelPair) -> Vec<Point> {
    let Some(changes) = pair.changes.as_deref().filter(|changes| !changes.is_empty()) else { return Vec::new() };
    let ends: Vec<[f64; 2]> = pair.groups.iter().filter_map(|group| group.steps).collect();
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return Vec::new() };
    let levels = [changes[0].before].into_iter().chain(changes.iter().map(|change| change.after));
    let from = [first[0]].into_iter().chain(changes.iter().map(|change| change.at));
    // The last step before a change is that of the stretch that ends there.
    let before = |at: f64| ends.iter().map(|end| end[1]).filter(|end| *end < at).fold(first[0], f64::max);
    let to = changes.iter().map(|change| before(change.at)).chain([last[1]]);
    let mut points = Vec::new();
    for ((level, from), to) in levels.zip(from).zip(to) {
        let y = level.value.unwrap_or(f64::NAN);
        points.extend([Point::new(from, y), Point::new(to, y), Point::new(to + 1e-9 * (1.0 + to.abs()), f64::NAN)]);
    }
    points
}

/// A point with its interval.
pub(super) fn point(x: f64, estimated: &Estimated) -> Point {
    let point = Point::new(x, estimated.value.unwrap_or(f64::NAN));
    match estimated.interval {
        Some(range) => point.interval(range.low, range.high),
        None => point,
    }
}

fn bar(series: &str, estimated: &Estimated) -> Bar {
    let bar = Bar::new(series, estimated.value.unwrap_or(f64::NAN));
    estimated.interval.map_or(bar.clone(), |range| bar.interval(range.low, range.high))
}

fn bars(found: &ModelComparison, grouping: Option<&Grouping>) -> BarChart {
    let mut chart = BarChart::new("Distance of reward models", Axis::linear("distance within prompts").range(0.0, 1.0))
        .subtitle(format!(
            "0: both want the same responses; 0.71: unrelated; 1: opposite. Lines are {:.0} % intervals.",
            100.0 * found.level
        ))
        .reference(UNRELATED, "unrelated");
    let all = |pair: &ModelPair| bar(&name(pair), &pair.distance);
    match grouping {
        Some(_) => {
            chart = chart.group("all", found.pairs.iter().map(all).collect());
            for called in group_names(found) {
                let of = |pair: &ModelPair| {
                    let group = pair.groups.iter().find(|group| group.name == called)?;
                    Some(bar(&name(pair), &group.distance))
                };
                chart = chart.group(called, found.pairs.iter().filter_map(of).collect());
            }
        }
        None => {
            for pair in &found.pairs {
                chart = chart.group(name(pair), vec![bar("distance", &pair.distance)]);
            }
        }
    }
    chart
}

/// What is lost by choosing the best of n by another model, along the divergence from random responses.
pub(super) fn best_of(pair: &ModelPair) -> LineChart {
    let title = format!("Best of n: {}", name(pair));
    let line = |called: String, of: fn(&srrd::models::BestOf) -> &Estimated| {
        let points = pair
            .best_of_n
            .iter()
            .map(|best| point(best.divergence, of(best)).note(format!("best of {}, {} prompts", best.n, best.prompts)));
        Series::new(called, points.collect())
    };
    LineChart::new(
        title,
        Axis::linear("KL divergence ln n − (n − 1)/n, n = 2, 4, 8, …"),
        Axis::linear("loss (standard deviations)"),
    )
    .subtitle("What one model loses when the other chooses the best of n responses.")
    .series(line(format!("loss of {}", pair.b), |best| &best.loss))
    .series(line(format!("loss of {}", pair.a), |best| &best.loss_of_a).dashed())
}
