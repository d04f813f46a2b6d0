//! The rank and the equations of a Gram matrix: Cholesky's factorization with pivots, class by class.
//!
//! Columns come in classes, each of which makes a larger basis of the ones before: the constant, the features, their products, the first
//! random features, more of them. Pivots are chosen within a class, and a class starts when nothing is left of the one before. So one
//! factorization solves the equations of every basis of the nest, and what a small basis can express is never left to the larger one's
//! roundings.

/// Of a column's own length, squared: a column of which less is left beside those before it adds nothing. Rounding in a Gram matrix is some
/// 10⁻¹⁵ of that, so what is kept is known to four digits; and weights, which grow with the inverse of the length, stay below 10⁶
/// times what they explain, so that evaluating them loses no more than six of sixteen digits.
const NOTHING_LEFT: f64 = 1e-11;

/// Rᵀ R = the Gram matrix of the columns that were kept, in the order of the pivots, all columns taken at length 1.
#[derive(Clone, Debug)]
pub(super) struct Factor {
    /// 1 / length of every column; 0 of those without any.
    scale: Vec<f64>,
    /// The columns that were kept, in order.
    pivots: Vec<usize>,
    /// How many were kept at the end of every class.
    ranks: Vec<usize>,
    /// R, one row per pivot, columns where they were before.
    rows: Vec<f64>,
}

impl Factor {
    /// Factorizes a Gram matrix whose column j is of class `classes[j]`; classes count from 0. O(columns² · rank).
    pub fn new(gram: &[f64], classes: &[usize]) -> Self {
        let count = classes.len();
        assert_eq!(gram.len(), count * count, "one class per column");
        let length = |j: usize| gram[j * count + j].max(0.0).sqrt();
        let scale: Vec<f64> = (0..count).map(|j| if length(j) > 0.0 { 1.0 / length(j) } else { 0.0 }).collect();
        let mut left: Vec<f64> = scale.iter().map(|s| f64::from(*s > 0.0)).collect();
        let mut factor = Factor { scale, pivots: Vec::new(), ranks: Vec::new(), rows: Vec::new() };
        for class in 0..classes.iter().max().map_or(0, |most| most + 1) {
            loop {
                crate::run::checkpoint();
                let best = (0..count).filter(|&j| classes[j] == class && left[j] > NOTHING_LEFT);
                // The first of equal ones.
                let Some(pivot) = best.reduce(|best, j| if left[j] > left[best] { j } else { best }) else { break };
                factor.eliminate(gram, pivot, &mut left);
            }
            factor.ranks.push(factor.pivots.len());
        }
        factor
    }

    fn eliminate(&mut self, gram: &[f64], pivot: usize, left: &mut [f64]) {
        let count = self.scale.len();
        let mut row: Vec<f64> = gram[pivot * count..][..count].to_vec();
        row.iter_mut().zip(&self.scale).for_each(|(value, scale)| *value *= scale * self.scale[pivot]);
        for before in self.rows.chunks_exact(count) {
            let part = before[pivot];
            row.iter_mut().zip(before).for_each(|(value, before)| *value -= part * before);
        }
        let length = row[pivot].max(0.0).sqrt();
        left[pivot] = 0.0;
        if row[pivot] <= NOTHING_LEFT {
            // Rounding had made it look longer.
            return;
        }
        row.iter_mut().for_each(|value| *value /= length);
        for &done in &self.pivots {
            row[done] = 0.0;
        }
        left.iter_mut().zip(&row).for_each(|(left, value)| *left -= value * value);
        left[pivot] = 0.0;
        self.pivots.push(pivot);
        self.rows.extend(row);
    }

    /// How many columns of the first classes are independent.
    pub fn rank(&self, class: usize) -> usize {
        self.ranks.get(class).or(self.ranks.last()).copied().unwrap_or(0)
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.ranks.len()
    }

    /// The weights w of all columns with which A w is nearest to r by least squares, from Aᵀr, using columns up to a class. Columns that
    /// were not kept have weight 0.
    pub fn solve(&self, right: &[f64], class: usize) -> Vec<f64> {
        let count = self.scale.len();
        let rank = self.rank(class);
        let row = |k: usize| &self.rows[k * count..][..count];
        let mut y: Vec<f64> = Vec::with_capacity(rank);
        for (k, &pivot) in self.pivots[..rank].iter().enumerate() {
            let known: f64 = y.iter().enumerate().map(|(i, y)| row(i)[pivot] * y).sum();
            y.push((right[pivot] * self.scale[pivot] - known) / row(k)[pivot]);
        }
        let mut weights = vec![0.0; count];
        for (k, &pivot) in self.pivots[..rank].iter().enumerate().rev() {
            let known: f64 = self.pivots[k + 1..rank].iter().map(|&later| row(k)[later] * weights[later]).sum();
            weights[pivot] = (y[k] - known) / row(k)[pivot];
        }
        weights.iter_mut().zip(&self.scale).for_each(|(weight, scale)| *weight *= scale);
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The Gram matrix of columns that are given as rows.
    fn gram(columns: &[Vec<f64>]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        columns.iter().flat_map(|a| columns.iter().map(|b| dot(a, b)).collect::<Vec<_>>()).collect()
    }

    proptest! {
        #[test]
        fn every_class_has_the_solution_of_its_columns(
            columns in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 9), 4..7),
            values in prop::collection::vec(-3.0..3.0f64, 9), split in 1..4usize,
        ) {
            let classes: Vec<usize> = (0..columns.len()).map(|j| usize::from(j >= split)).collect();
            let factor = Factor::new(&gram(&columns), &classes);
            prop_assert_eq!((factor.rank(0), factor.rank(1)), (split, columns.len()));
            let right: Vec<f64> =
                columns.iter().map(|column| column.iter().zip(&values).map(|(a, b)| a * b).sum()).collect();
            for (class, used) in [(0, split), (1, columns.len())] {
                let weights = factor.solve(&right, class);
                let mut rest = values.clone();
                for (column, weight) in columns.iter().zip(&weights) {
                    rest.iter_mut().zip(column).for_each(|(r, c)| *r -= weight * c);
                }
                prop_assert!(weights[used..].iter().all(|w| *w == 0.0));
                for column in &columns[..used] {
                    let product: f64 = rest.iter().zip(column).map(|(r, c)| r * c).sum();
                    prop_assert!(product.abs() < 1e-7, "{product}");
                }
            }
        }
    }

    #[test]
    fn sums_of_columns_and_empty_columns_add_no_rank() {
        let a = vec![1.0, 2.0, -1.0, 0.5];
        let b = vec![0.0, 1.0, 3.0, -2.0];
        let both: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 1e6 * a - 1e-3 * b).collect();
        let factor = Factor::new(&gram(&[a, vec![0.0; 4], b, both]), &[0, 0, 1, 2]);
        assert_eq!((0..3).map(|class| factor.rank(class)).collect::<Vec<_>>(), [1, 2, 2]);
        assert_eq!(factor.classes(), 3);
    }
}
