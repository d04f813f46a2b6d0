//! The arguments of what compares reward models.

use super::Usual;
use crate::options::{Scores, Shared};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Models {
    /// A log, or a table with prompts, responses and one column per model; or several with one model each. - is CSV on standard input
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// A column of scores or labels to hold the others against: it comes second in its pairs, and these come first
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,
    /// Over training: the distances by this column of numbers, such as step, and where they change. A prompt that comes back at another
    /// step is a prompt of its own, in all numbers. Not together with --criterion
    #[arg(long, value_name = "COLUMN", conflicts_with = "criterion")]
    pub by: Option<String>,
    /// The numbers of every group of prompts that this column names, such as safety and reasoning. Not together with --by
    #[arg(long, value_name = "COLUMN")]
    pub criterion: Option<String>,
    /// Of each pair, how many of the prompts on which the models disagree most
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub top: usize,
    /// Write everything as a page: one file that needs no other
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Draw the distances: over training with --by, else of all pairs
    #[arg(long, value_name = "FILE.svg|png")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub shared: Shared<Scores>,
    #[command(flatten)]
    pub usual: Usual,
}
