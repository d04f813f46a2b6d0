//! An estimated discount factor: in words, and its profile as a chart.

use srrd::GammaEstimate;
use srrd::answer::{GammaSummary, Used};

use crate::chart::{Axis, LineChart, Point, Series};
use crate::words::counted;

/// γ as a line of text tells it.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// assert_eq!(srrd_show::present::gamma::in_words(&srrd::compare(&old, &new, &question)?.used), "gamma 0.9");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn in_words(used: &Used) -> String {
    told(used.settings.gamma.get(), used.gamma.as_ref().map(GammaSummary::from).as_ref())
}

/// γ as a line of text tells it, with what is known of its estimate.
///
/// ```
/// assert_eq!(srrd_show::present::gamma::told(0.9, None), "gamma 0.9");
/// ```
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

/// γ and its interval, with as many decimals as the interval carries: its half is at least one unit of the last.
///
/// ```
/// use srrd_show::present::gamma::with_its_digits;
/// assert_eq!(with_its_digits(0.8713, 0.8402, 0.8988), ["0.87", "0.84", "0.90"]);
/// assert_eq!(with_its_digits(0.9, 0.0, 1.0), ["0.9", "0.0", "1.0"]);
/// ```
pub fn with_its_digits(gamma: f64, low: f64, high: f64) -> [String; 3] {
    let decimals = (-((high - low) / 2.0).max(1e-4).log10()).ceil().clamp(1.0, 4.0) as usize;
    [gamma, low, high].map(|value| format!("{value:.decimals$}"))
}

/// What shaping leaves of the rewards, by γ, with the least of it marked.
///
/// ```
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// use srrd_show::Figure;
/// let estimate = srrd::estimate_gamma(&[&old.sample, &new.sample]);
/// assert!(srrd_show::present::gamma::profile(&estimate).to_svg().starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn profile(estimate: &GammaEstimate) -> LineChart {
    let points = |of: &mut dyn Iterator<Item = &(f64, f64)>| of.map(|&(x, y)| Point::new(x, y)).collect::<Vec<_>>();
    let inside = |(gamma, _): &&(f64, f64)| (estimate.low..=estimate.high).contains(gamma);
    let least = estimate.profile.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let [gamma, low, high] = with_its_digits(estimate.taken().get(), estimate.low, estimate.high);
    let title = match estimate.identified {
        true => format!("γ = {gamma}"),
        false => "γ: the data cannot tell".to_owned(),
    };
    let chart = LineChart::new(title, Axis::linear("γ").range(0.0, 1.0), Axis::linear("Rewards that shaping leaves"))
        .subtitle(format!(
            "What potential shaping with γ cannot explain, relative to the rewards around their mean. 95 % interval {low} to {high}, {}",
            freedom(estimate.degrees_of_freedom)
        ))
        .series(Series::new("All γ looked at", points(&mut estimate.profile.iter())))
        .series(Series::new("95 % interval", points(&mut estimate.profile.iter().filter(inside))));
    match least {
        None => chart,
        Some((at, left)) => {
            let [at_shown, ..] = with_its_digits(at, estimate.low, estimate.high);
            let least = Series::new(format!("Least, at γ = {at_shown}"), vec![Point::new(at, left)]);
            chart.series(least.without_line().color_index(6))
        }
    }
}

fn freedom(degrees: usize) -> String {
    counted(degrees, "degree of freedom", "degrees of freedom")
}
