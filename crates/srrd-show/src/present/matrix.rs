//! The distances of all pairs, as text and as a heat map.

use srrd::answer::Matrix;
use srrd::cluster::Clusters;
use srrd::compare::Correlation;
use std::collections::BTreeSet;

use crate::words::{short, table};
use crate::{FigureError, HeatMap};

/// A square table of a few samples, with what stands for undefined and for mostly noise.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// let text = srrd_show::present::matrix::text(&srrd::matrix(&[&old, &new], &question)?);
/// assert!(text.contains("0.000"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn text(matrix: &Matrix) -> String {
    let size = matrix.names.len();
    let weak: BTreeSet<(usize, usize)> = matrix.distances.weak().collect();
    let cell = |i: usize, j: usize| match matrix.distances.get(i, j) {
        None => "undefined".to_owned(),
        Some(distance) if weak.contains(&(i.min(j), i.max(j))) => format!("{distance:.3}?"),
        Some(distance) => format!("{distance:.3}"),
    };
    let names: Vec<String> = matrix.names.iter().map(|name| short(name)).collect();
    let header: Vec<&str> = [""].into_iter().chain(names.iter().map(String::as_str)).collect();
    let row = |i: usize| [names[i].clone()].into_iter().chain((0..size).map(|j| cell(i, j))).collect::<Vec<_>>();
    let mut text = format!(
        "{} distances; {}; {}\n\n{}",
        matrix.metric,
        super::gamma::in_words(&matrix.used),
        matrix.used.estimator_in_words(),
        table(&header, &(0..size).map(row).collect::<Vec<_>>(), &[])
    );
    if !weak.is_empty() {
        text += "?: few shared transitions or degrees of freedom, mostly noise\n";
    }
    text
}

/// A heat map, ordered by hierarchical clustering, with classes where samples have labels and outlines of clusters where there are some.
/// Pairs whose distance is mostly noise are faded.
///
/// ```
/// use srrd::{Duplicates, Metric, NamedSample, Options, RewardSample};
/// let rows = (0..40).map(|s| (s, s % 3, (7 * s + 1) % 40, f64::from(s * s % 11)));
/// let old = RewardSample::from_rows(rows, Duplicates::Mean)?;
/// let new = old.with_rewards(old.rewards().iter().map(|r| 2.0 * r + 1.0).collect())?;
/// let [old, new] = [NamedSample::new("old", old), NamedSample::new("new", new)];
/// let question = Options { metrics: vec![Metric::Direct], ..Options::default() }.question()?;
/// use srrd_show::Figure;
/// let map = srrd_show::present::matrix::heat_map(&srrd::matrix(&[&old, &new], &question)?, None)?;
/// assert!(map.to_svg().starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the distances cannot be drawn.
pub fn heat_map(matrix: &Matrix, clusters: Option<&Clusters>) -> Result<HeatMap, FigureError> {
    let ranks = match matrix.used.correlation() {
        Correlation::Pearson => "",
        Correlation::Spearman => " of ranks",
    };
    let title = format!("{} distances{ranks}, γ = {}", matrix.metric.info().title, matrix.used.settings.gamma.get());
    let mut map = HeatMap::new(title, matrix.names.clone(), matrix.distances.as_slice().to_vec())?;
    if matrix.labels.iter().any(Option::is_some) {
        let classes: Vec<&str> = matrix.labels.iter().map(|label| label.as_deref().unwrap_or("no label")).collect();
        map = map.with_classes(&classes)?;
    }
    let map = map.clustered().fading(matrix.distances.weak());
    match clusters {
        Some(clusters) => map.grouped(&clusters.labels),
        None => Ok(map),
    }
}
