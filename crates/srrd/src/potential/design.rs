//! The matrix A of shaping vectors, one row per transition, one column per function of the basis. It is never stored: blocks of rows are
//! computed when they are needed, in pieces that depend on the number of rows alone, and sums over pieces are taken in order, so that no
//! bit depends on the number of threads.

use rayon::prelude::*;

use super::basis::{Basis, Discounting, Row, StateFeatures, Work};
use super::dense::{Matrix, multiply};
use crate::run::checkpoint;

/// So many rows at a time.
const BLOCK: usize = 256;
/// Columns of the Gram matrix that are computed together; of two such panels only one product is needed.
const PANEL: usize = 128;
/// Into how many pieces rows are cut at most, and how much room their Gram matrices may take together.
const PIECES: usize = 32;
const ROOM: usize = 1 << 28;

#[derive(Clone, Debug)]
pub(super) struct Design {
    pub basis: Basis,
    pub features: StateFeatures,
    pub how: Discounting,
}

impl Design {
    /// How many rows a piece has.
    fn piece(&self, rows: usize) -> usize {
        let width = self.basis.len();
        let most = (ROOM / (8 * width * width)).clamp(2, PIECES);
        rows.div_ceil(most).next_multiple_of(BLOCK).max(BLOCK)
    }

    /// AᵀA. O(rows · columns²).
    pub fn gram(&self, rows: &[Row]) -> Vec<f64> {
        let width = self.basis.len();
        let gram = |rows: &[Row]| {
            let mut gram = vec![0.0; width * width];
            let mut work = Work::default();
            for block in rows.chunks(BLOCK) {
                checkpoint();
                self.basis.shaping(&self.features, block, self.how, &mut work);
                let all = Matrix::new(&work.vectors, width);
                for from in (0..width).step_by(PANEL) {
                    let to = (from + PANEL).min(width);
                    let part = all.columns(from, to).transposed();
                    multiply(1.0, part, all.columns(0, to), 1.0, &mut gram[from * width..], width);
                }
            }
            gram
        };
        let pieces: Vec<Vec<f64>> = rows.par_chunks(self.piece(rows.len())).map(gram).collect();
        let mut sum = added(pieces, width * width);
        for i in 0..width {
            for j in i + 1..width {
                sum[i * width + j] = sum[j * width + i];
            }
        }
        sum
    }

    /// Takes A W away from some values (`sides` a row), W being one column of weights per side; and AᵀV of what is left.
    pub fn subtract(&self, rows: &[Row], weights: Option<&[f64]>, values: &mut [f64], sides: usize) -> Vec<f64> {
        let width = self.basis.len();
        let piece = self.piece(rows.len());
        let subtract = |(rows, values): (&[Row], &mut [f64])| {
            let mut products = vec![0.0; width * sides];
            let mut work = Work::default();
            for (block, values) in rows.chunks(BLOCK).zip(values.chunks_mut(BLOCK * sides)) {
                checkpoint();
                self.basis.shaping(&self.features, block, self.how, &mut work);
                let all = Matrix::new(&work.vectors, width);
                if let Some(weights) = weights {
                    multiply(-1.0, all, Matrix::new(weights, sides), 1.0, values, sides);
                }
                multiply(1.0, all.transposed(), Matrix::new(values, sides), 1.0, &mut products, sides);
            }
            products
        };
        let pieces = rows.par_chunks(piece).zip(values.par_chunks_mut(piece * sides)).map(subtract).collect();
        added(pieces, width * sides)
    }
}

/// The sum of some vectors, in their order.
fn added(vectors: Vec<Vec<f64>>, length: usize) -> Vec<f64> {
    let mut sum = vec![0.0; length];
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    sum
}
