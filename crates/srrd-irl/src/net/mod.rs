//! Small neural nets: layers of sums with a bend between them, trained by Adam.
//!
//! A layer makes y = bend(x W + b) of a row x. [`Mlp::forward`] takes a batch of rows and keeps what [`Mlp::backward`] needs to turn the slope
//! of a loss along the outputs into that along the parameters, by the chain rule:
//!
//! ```text
//! ∂L/∂W = xᵀ δ,   ∂L/∂b = Σ_rows δ,   ∂L/∂x = δ Wᵀ,   where δ = ∂L/∂y · bend'(y)
//! ```
//!
//! Products are those of `matrixmultiply`, on one thread: nets of this size are not made faster by more. Two nets can be trained side by
//! side with `rayon::join`. Results do not depend on the number of threads. They do depend on the type of processor, in the last bits: products
//! are summed in the order that suits it.
//!
//! Numbers are `f32`, or `f64` where digits count more than time.

mod adam;
mod mlp;
mod real;
#[cfg(test)]
mod tests;

pub use adam::Adam;
pub(crate) use adam::clip;
pub use mlp::{Bend, Mlp, Pass};
pub use real::{Matrix, Real};
