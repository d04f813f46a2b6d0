//! Products of dense matrices: the one place that calls for them.

/// A matrix that lies in a slice, row after row.
#[derive(Clone, Copy)]
pub(super) struct Matrix<'a> {
    values: &'a [f64],
    rows: usize,
    columns: usize,
    /// From a row to the next and from a column to the next.
    strides: [usize; 2],
}

impl<'a> Matrix<'a> {
    /// All values of a slice, `columns` a row.
    pub fn new(values: &'a [f64], columns: usize) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        assert_eq!(rows * columns, values.len(), "whole rows");
        Matrix { values, rows, columns, strides: [columns, 1] }
    }

    /// Some of its columns.
    pub fn columns(self, from: usize, to: usize) -> Self {
        assert!(from <= to && to <= self.columns && self.strides[1] == 1, "columns that there are");
        let values = if self.rows == 0 { self.values } else { &self.values[from..] };
        Matrix { values, columns: to - from, ..self }
    }

    pub fn transposed(self) -> Self {
        Matrix { rows: self.columns, columns: self.rows, strides: [self.strides[1], self.strides[0]], ..self }
    }

    /// One past the last value that a product reads.
    fn end(&self) -> usize {
        match self.rows == 0 || self.columns == 0 {
            true => 0,
            false => (self.rows - 1) * self.strides[0] + (self.columns - 1) * self.strides[1] + 1,
        }
    }
}

/// C = factor · A B + keep · C, C lying in `out` from its first value on with so many values from a row to the next.
///
/// On one thread: the same bits wherever it is called from. (Not the same on processors with other vector instructions.)
pub(super) fn multiply(factor: f64, a: Matrix<'_>, b: Matrix<'_>, keep: f64, out: &mut [f64], stride: usize) {
    assert_eq!(a.columns, b.rows, "factors that fit");
    if a.rows == 0 || b.columns == 0 {
        return;
    }
    assert!(b.columns <= stride && (a.rows - 1) * stride + b.columns <= out.len(), "room for the product");
    assert!(a.end() <= a.values.len() && b.end() <= b.values.len(), "factors that are there");
    let [step_a, across_a] = a.strides.map(|stride| stride as isize);
    let [step_b, across_b] = b.strides.map(|stride| stride as isize);
    // SAFETY: every element that these sizes and strides reach lies in its slice, as was just checked, and `out` is borrowed
    // mutably, so that it overlaps neither factor.
    unsafe {
        matrixmultiply::dgemm(
            a.rows,
            a.columns,
            b.columns,
            factor,
            a.values.as_ptr(),
            step_a,
            across_a,
            b.values.as_ptr(),
            step_b,
            across_b,
            keep,
            out.as_mut_ptr(),
            stride as isize,
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_sums_of_products(m in 1..7usize, k in 1..9usize, n in 1..6usize, more in 0..3usize, seed in 0..1000u32) {
            let value = |i: usize| f64::from((i as u32 * 7919 + seed * 31) % 23) - 11.0;
            let a: Vec<f64> = (0..k * m).map(value).collect();
            let b: Vec<f64> = (0..k * (n + more)).map(|i| value(i + 5)).collect();
            let mut out = vec![1.0; m * (n + more)];
            let (left, right) = (Matrix::new(&a, m).transposed(), Matrix::new(&b, n + more).columns(more, n + more));
            multiply(2.0, left, right, 3.0, &mut out, n + more);
            for i in 0..m {
                for j in 0..n + more {
                    let product: f64 = match j < n {
                        true => (0..k).map(|l| a[l * m + i] * b[l * (n + more) + more + j]).sum(),
                        false => -1.0,
                    };
                    prop_assert_eq!(out[i * (n + more) + j], 3.0 + 2.0 * product);
                }
            }
        }
    }
}
