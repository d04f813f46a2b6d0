//! The arguments of `srrd discretize`.

use crate::inputs::TableArgs;
use crate::threads::Threads;
use clap::Args;
use srrd_data::discretize::{DiscretizeOptions, Method};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Discretize {
    /// Tables or recorded data sets with features; cells are fitted on all of them together
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the table of cells; - is CSV on standard output [default: only say what is kept]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// How features become cells: groups of near rows, bins of equal width, or bins with equally many rows
    #[arg(long, value_name = "kmeans|uniform|quantile", default_value = "kmeans")]
    pub method: Method,
    /// How many groups of states, or bins of each feature; several, with commas, to see what each keeps
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [DiscretizeOptions::default().cells])]
    pub cells: Vec<usize>,
    /// The same for actions that have features
    #[arg(long, value_name = "N", default_value_t = DiscretizeOptions::default().action_cells)]
    pub action_cells: usize,
    /// Take so many principal components of the features of states first
    #[arg(long, value_name = "N")]
    pub pca: Option<usize>,
    /// The seed of k-means
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Save the fitted cells, as JSON
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Apply saved cells instead of fitting new ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["method", "cells", "action_cells", "pca", "seed", "save"])]
    pub apply: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub threads: Threads,
    /// Print what was done as JSON
    #[arg(long)]
    pub json: bool,
}
