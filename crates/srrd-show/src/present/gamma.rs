//! An estimated discount factor: in words, and its profile as a chart.

use srrd::GammaEstimate;
use srrd::answer::{GammaSummary, Used};

use crate::chart::{Axis, LineChart, Point, Series};
use crate::words::counted;

/// γ as a line of text tells it.
pub fn in_words(used: &Used) -> String {
    told(used.settings.gamma.get(), used.gamma.as_ref().map(GammaSummary::from).as_ref())
}

/// γ as a line of text tells it, with what is known of its estimate.
pub fn told(gamma: f64, estimate: Option<&GammaSummary>) -> String {
    match estimate {
        None => format!("gamma {gamma}"),
        Some(estimate) if estimate.identified => format!(
            "gamma {gamma} (estimated; 95 % interval {:.3} to {:.3}, {})",
            estimate.low,
            estimate.high,
            freedom(estimate.degrees_of_freedom)
        ),
        Some(estimate) => {
            format!("gamma {gamma} (the data cannot tell; {})", freedom(estimate.degrees_of_freedom))
        }
    }
}

/// What shaping leaves of the rewards, by γ.
pub fn profile(estimate: &GammaEstimate) -> LineChart {
    let points = |of: &mut dyn Iterator<Item = &(f64, f64)>| of.map(|&(x, y)| Point::new(x, y)).collect::<Vec<_>>();
    let inside = |(gamma, _): &&(f64, f64)| (estimate.low..=estimate.high).contains(gamma);
    let title = match estimate.identified {
        true => format!("γ = {}", estimate.taken().get()),
        false => "γ: the data cannot tell".to_owned(),
    };
    LineChart::new(title, Axis::linear("γ").range(0.0, 1.0), Axis::linear("Rewards that shaping leaves"))
        .subtitle(format!(
            "What potential shaping with γ cannot explain, relative to the rewards around their mean. 95 % interval {:.3} to {:.3}, {}",
            estimate.low,
            estimate.high,
            freedom(estimate.degrees_of_freedom)
        ))
        .series(Series::new("All γ looked at", points(&mut estimate.profile.iter())))
        .series(Series::new("95 % interval", points(&mut estimate.profile.iter().filter(inside))))
}

fn freedom(degrees: usize) -> String {
    counted(degrees, "degree of freedom", "degrees of freedom")
}
