//! Order of the samples by hierarchical clustering.

use srrd::cluster::ClusterTree;

use crate::FigureError;

/// An order of the samples that puts near ones side by side, from average-linkage clustering.
///
/// `distances` is the `n` × `n` matrix, row after row; [`ClusterTree::average`] says what counts where it is not symmetric or
/// undefined, and [`ClusterTree::order`] which of the orders that clustering leaves open is taken.
///
/// ```
/// use srrd_show::clustered_order;
///
/// // Samples 0 and 2 are near each other.
/// let order = clustered_order(3, &[0.0, 0.9, 0.1, 0.9, 0.0, 0.8, 0.1, 0.8, 0.0])?;
/// assert_eq!(order, [0, 2, 1]);
/// # Ok::<(), srrd_show::FigureError>(())
/// ```
///
/// # Errors
///
/// [`FigureError::Shape`] if `distances` has not `n` × `n` values.
pub fn clustered_order(n: usize, distances: &[f64]) -> Result<Vec<usize>, FigureError> {
    let tree = ClusterTree::average(n, distances);
    tree.map(|tree| tree.order().to_vec()).map_err(|_| FigureError::Shape { samples: n, values: distances.len() })
}
