//! Files that appear complete or not at all.

mod leftovers;
mod output;
mod unfinished;
mod whole;

pub(crate) use output::{Encoder, Output};
pub use unfinished::{Unfinished, discard_unfinished};
pub use whole::OutputFile;
