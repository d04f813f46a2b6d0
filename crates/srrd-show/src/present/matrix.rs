//! The distances of all pairs, as a heat map.

use srrd::answer::Matrix;
use srrd::cluster::Clusters;
use srrd::compare::Correlation;

use crate::{FigureError, HeatMap};

/// A heat map, ordered by hierarchical clustering, with classes where samples have labels and outlines of clusters where there are some.
/// Pairs whose distance is mostly noise are faded.
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
