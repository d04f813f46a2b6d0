//! The arguments of `srrd discretize`.

use super::Usual;
use clap::Args;
use srrd::Choice;
use srrd_data::discretize::{DiscretizeOptions, Method};
use std::path::PathBuf;

/// What the help ends with.
pub const EXAMPLES: &str = "\
Examples:
  srrd discretize p.csv q.csv --cells 10,20,50,100         what each number of cells keeps
  srrd discretize p.csv q.csv --method kmeans,quantile --cells 5,20
  srrd discretize p.csv q.csv -o cells.csv --cells 50      both tables in one, column `sample`
  srrd discretize lift.hdf5 -o lift.csv --pca 5 --save cells.json
  srrd discretize new.hdf5 -o new.csv --apply cells.json

Cells are fitted on states and next states of all tables together, each feature brought to the same
spread. Actions with features get cells of their own; tokens stay as they are. Shared: transitions
that at least two samples have. Reward variance kept: the share of the variance of rewards within
samples that is between transitions; the rest is averaged away within cells. Missing values get the
mean of their feature.";

#[derive(Debug, Args)]
pub struct Discretize {
    /// Tables or recorded data sets with features; cells are fitted on all of them together
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the table of cells; - is CSV on standard output [default: only say what is kept]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// How features become cells: groups of near rows, bins of equal width, or bins with equally many rows; several, with commas, to see what each keeps
    #[arg(long, value_name = "kmeans|uniform|quantile", value_delimiter = ',', default_value = "kmeans", value_parser = Method::named)]
    pub method: Vec<Method>,
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
    pub usual: Usual,
}
