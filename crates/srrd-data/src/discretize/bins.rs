//! Bins: every feature is cut at edges, and the cell of a row is the number of its bins taken together.

use super::Rows;

/// Edges between bins of equal width, for every feature. One that never changes has none.
pub(super) fn uniform(rows: &Rows, bins: usize) -> Vec<Vec<f64>> {
    let of_feature = |feature: usize| {
        let values = || rows.values.iter().skip(feature).step_by(rows.width).copied();
        let (low, high) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low < high {
            (1..bins).map(|edge| low + (high - low) * edge as f64 / bins as f64).collect()
        } else {
            Vec::new()
        }
    };
    (0..rows.width).map(of_feature).collect()
}

/// Edges between bins with equally many rows, interpolated as NumPy does; edges that coincide are one.
pub(super) fn quantile(rows: &Rows, bins: usize) -> Vec<Vec<f64>> {
    let of_feature = |feature: usize| {
        let mut values: Vec<f64> = rows.values.iter().skip(feature).step_by(rows.width).copied().collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (values.len() - 1) as f64;
            let below = values[place.floor() as usize];
            below + (values[place.ceil() as usize] - below) * place.fract()
        };
        let mut edges: Vec<f64> = (1..bins).map(|edge| at(edge as f64 / bins as f64)).collect();
        edges.dedup();
        // Nothing is below an edge that is the least value.
        edges.retain(|edge| *edge > values[0]);
        edges
    };
    (0..rows.width).map(of_feature).collect()
}

/// The cell of a row: a number whose digits are its bins.
pub(super) fn cell(edges: &[Vec<f64>], row: &[f64]) -> i64 {
    let digits =
        edges.iter().zip(row).map(|(edges, value)| (edges.len() + 1, edges.partition_point(|edge| edge <= value)));
    digits.fold(0, |cell, (bins, bin)| cell * bins as i64 + bin as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_equal_width_and_of_equal_size() {
        let rows = Rows { width: 2, values: vec![0.0, 5.0, 1.0, 5.0, 2.0, 5.0, 10.0, 5.0] };
        assert_eq!(uniform(&rows, 2), [vec![5.0], vec![]]);
        assert_eq!(quantile(&rows, 2), [vec![1.5], vec![]]);
        let cells: Vec<i64> = rows.iter().map(|row| cell(&quantile(&rows, 2), row)).collect();
        assert_eq!(cells, [0, 0, 1, 1]);
        // Beyond the outermost edges there is no other bin.
        assert_eq!(cell(&uniform(&rows, 2), &[-100.0, 9.0]), 0);
    }
}
