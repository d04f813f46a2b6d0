//! The arguments of what compares reward models.

use crate::inputs::TableArgs;
use crate::options::{Scores, Shared};
use crate::threads::Threads;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Models {
    /// A table with prompts, responses and one column per model; - is CSV on standard input
    pub input: PathBuf,
    /// A column of scores to hold the others against: it comes second in its pairs, and these come first
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,
    /// Of each pair, how many of the prompts on which the models disagree most
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub top: usize,
    #[command(flatten)]
    pub shared: Shared<Scores>,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub threads: Threads,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}
