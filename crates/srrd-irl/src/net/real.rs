//! The numbers that nets compute with.

use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

/// `f32` or `f64`.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Sum
{
    /// The nearest number.
    fn of(value: f64) -> Self;
    /// The same number.
    fn value(self) -> f64;
    /// √
    fn sqrt(self) -> Self;
    /// tanh
    fn tanh(self) -> Self;
    /// Sets C = A B, or C = C + A B, of row-major or column-major matrices.
    fn multiply(a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self], add: bool);
}

/// A matrix that is read: row-major, or the transpose of one that is.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, R> {
    values: &'a [R],
    rows: usize,
    columns: usize,
    transposed: bool,
}

impl<'a, R> Matrix<'a, R> {
    /// Row-major values.
    ///
    /// # Panics
    /// If there are not rows · columns of them.
    pub fn new(values: &'a [R], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a matrix has rows · columns values");
        Matrix { values, rows, columns, transposed: false }
    }

    /// The same values, rows and columns swapped.
    pub fn transposed(self) -> Self {
        Matrix { rows: self.columns, columns: self.rows, transposed: !self.transposed, ..self }
    }

    /// The steps in memory from row to row and from column to column.
    fn strides(&self) -> (isize, isize) {
        if self.transposed { (1, self.rows as isize) } else { (self.columns as isize, 1) }
    }
}

macro_rules! real {
    ($real:ident, $product:path) => {
        impl Real for $real {
            fn of(value: f64) -> Self {
                value as $real
            }

            fn value(self) -> f64 {
                f64::from(self)
            }

            fn sqrt(self) -> Self {
                self.sqrt()
            }

            fn tanh(self) -> Self {
                self.tanh()
            }

            fn multiply(a: Matrix<'_, Self>, b: Matrix<'_, Self>, c: &mut [Self], add: bool) {
                assert_eq!(a.columns, b.rows, "inner sizes of a product agree");
                assert_eq!(c.len(), a.rows * b.columns, "a product has the rows of one and the columns of the other");
                let ((a_row, a_column), (b_row, b_column)) = (a.strides(), b.strides());
                // SAFETY: a matrix holds rows · columns values, which its strides stay within, and so does c, as was just asserted.
                unsafe {
                    $product(
                        a.rows,
                        a.columns,
                        b.columns,
                        1.0,
                        a.values.as_ptr(),
                        a_row,
                        a_column,
                        b.values.as_ptr(),
                        b_row,
                        b_column,
                        if add { 1.0 } else { 0.0 },
                        c.as_mut_ptr(),
                        b.columns as isize,
                        1,
                    );
                }
            }
        }
    };
}

real!(f32, matrixmultiply::sgemm);
real!(f64, matrixmultiply::dgemm);
