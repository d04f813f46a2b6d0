//! Continuous features as cells, so that different recordings meet the same states.
//!
//! [`Space`] is fitted on the rows of all recordings together: features are brought to one spread, turned to their principal components where
//! that is asked for, and cut into bins or grouped by k-means. [`Discretizer`] holds one space for states and one for actions, is saved to a
//! file and applied to new data; [`discretize`] does it for tables, and [`Kept`] says what a choice keeps.
//!
//! Fitting costs O(rows · features · cells) per round of k-means, O(rows · features²) for principal components; applying costs
//! O(features · cells) per row, or O(features · log cells) with bins.

mod bins;
mod kept;
mod kmeans;
mod pca;
mod tables;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use srrd::Choice;

pub use kept::{Kept, what_is_kept};
pub use kmeans::{Clusters, kmeans};
pub use pca::{Components, principal_components};
pub use tables::{Discretized, FeatureNote, discretize, fit_tables};

/// How features become cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Groups of rows that are near each other.
    #[default]
    Kmeans,
    /// Bins of equal width for every feature.
    Uniform,
    /// Bins with equally many rows for every feature.
    Quantile,
}

impl Choice for Method {
    const ALL: &'static [Self] = &[Method::Kmeans, Method::Uniform, Method::Quantile];
    const NAMES: &'static [&'static str] = &["kmeans", "uniform", "quantile"];
}

/// How cells are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscretizeOptions {
    /// Bins or groups.
    pub method: Method,
    /// How many groups of states there are, or bins of each of their features.
    pub cells: usize,
    /// The same for actions that have features.
    pub action_cells: usize,
    /// How many principal components stand for the features of states.
    pub components: Option<usize>,
    /// The seed of k-means.
    pub seed: u64,
}

impl Default for DiscretizeOptions {
    fn default() -> Self {
        DiscretizeOptions { method: Method::Kmeans, cells: 20, action_cells: 5, components: None, seed: 0 }
    }
}

/// Rows of numbers, one behind the other; what is missing is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// How many numbers a row has.
    pub width: usize,
    /// All numbers.
    pub values: Vec<f64>,
}

impl Rows {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The rows, in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width.max(1))
    }
}

/// The cells of a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Cells {
    /// By feature, the edges between its bins.
    Bins(Vec<Vec<f64>>),
    /// Centres, one behind the other.
    Centres(Vec<f64>),
}

/// A space of features, cut into cells.
///
/// ```
/// use srrd_data::discretize::{DiscretizeOptions, Method, Rows, Space};
/// let rows = Rows { width: 1, values: vec![0.0, 0.1, 0.9, 1.0] };
/// let options = DiscretizeOptions { method: Method::Uniform, ..DiscretizeOptions::default() };
/// let space = Space::fit(vec!["x".to_owned()], rows.clone(), &options, 2)?;
/// assert_eq!(space.cells(&rows), [0, 0, 1, 1]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// The names of the features, in the order of the numbers in rows.
    pub features: Vec<String>,
    /// By feature, its mean, which stands for missing values.
    means: Vec<f64>,
    /// By feature, its standard deviation; 0 where it never changes.
    spreads: Vec<f64>,
    components: Option<Components>,
    cells: Cells,
}

/// More cells than can be counted are no cells.
const MOST_CELLS: f64 = 9e15;

impl Space {
    /// Cuts the space in which rows lie into cells: `cells` groups, or bins of each feature.
    ///
    /// # Errors
    /// There are no rows, or more cells than can be counted.
    pub fn fit(
        features: Vec<String>,
        mut rows: Rows,
        options: &DiscretizeOptions,
        cells: usize,
    ) -> Result<Self, String> {
        if rows.is_empty() || features.len() != rows.width {
            return Err("there are no rows to fit cells on".to_owned());
        }
        let (means, spreads) = moments(&rows);
        standardize(&mut rows, &means, &spreads);
        let components = match options.components {
            Some(count) => {
                let found = principal_components(&rows, count)?;
                rows = found.project(&rows);
                Some(found)
            }
            None => None,
        };
        let cells = match options.method {
            Method::Kmeans => Cells::Centres(kmeans(&rows, cells, options.seed).centres),
            Method::Uniform => Cells::Bins(bins::uniform(&rows, cells)),
            Method::Quantile => Cells::Bins(bins::quantile(&rows, cells)),
        };
        let space = Space { features, means, spreads, components, cells };
        if space.bin_product() > MOST_CELLS {
            let what = "so many bins of so many features make more cells than can be counted: take fewer bins, principal components, or kmeans";
            return Err(what.to_owned());
        }
        Ok(space)
    }

    fn bin_product(&self) -> f64 {
        match &self.cells {
            Cells::Bins(edges) => edges.iter().map(|edges| edges.len() as f64 + 1.0).product(),
            Cells::Centres(_) => 1.0,
        }
    }

    /// The features that never change, by name: they tell nothing apart.
    pub(crate) fn constant(&self) -> Vec<&str> {
        let names = self.features.iter().zip(&self.spreads);
        names.filter(|(_, spread)| **spread == 0.0).map(|(name, _)| name.as_str()).collect()
    }

    /// The share of the variance that the principal components hold, where there are some.
    pub fn explained(&self) -> Option<f64> {
        self.components.as_ref().map(Components::explained)
    }

    /// The cell of every row.
    pub fn cells(&self, rows: &Rows) -> Vec<i64> {
        let mut rows = rows.clone();
        standardize(&mut rows, &self.means, &self.spreads);
        if let Some(components) = &self.components {
            rows = components.project(&rows);
        }
        match &self.cells {
            Cells::Bins(edges) => rows.values.par_chunks(rows.width).map(|row| bins::cell(edges, row)).collect(),
            Cells::Centres(centres) => kmeans::nearest(&rows, centres).into_iter().map(|cell| cell as i64).collect(),
        }
    }
}

/// The mean and the standard deviation of every feature, of those values that are there.
pub(crate) fn moments(rows: &Rows) -> (Vec<f64>, Vec<f64>) {
    let of_feature = |feature: usize| {
        let values = || rows.values.iter().skip(feature).step_by(rows.width).copied().filter(|value| !value.is_nan());
        let count = values().count().max(1) as f64;
        let mean = values().sum::<f64>() / count;
        let variance = values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
        let constant = values().all(|value| Some(value) == values().next());
        (mean, if constant { 0.0 } else { variance.sqrt() })
    };
    (0..rows.width).into_par_iter().map(of_feature).unzip()
}

/// Features with mean 0 and spread 1; missing values become the mean.
pub(crate) fn standardize(rows: &mut Rows, means: &[f64], spreads: &[f64]) {
    rows.values.par_chunks_mut(rows.width).for_each(|row| {
        for ((value, mean), spread) in row.iter_mut().zip(means).zip(spreads) {
            *value = if value.is_nan() || *spread == 0.0 { 0.0 } else { (*value - mean) / spread };
        }
    });
}

/// Cells of states and of actions, fitted once and applied to any table with the same features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Discretizer {
    /// The version of the file.
    version: u32,
    /// How it was made.
    pub options: DiscretizeOptions,
    /// `None` where states are tokens.
    pub states: Option<Space>,
    /// `None` where actions are tokens.
    pub actions: Option<Space>,
}

/// The version of saved files.
const VERSION: u32 = 1;

impl Discretizer {
    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Of what [`to_json`](Self::to_json) gives.
    ///
    /// # Errors
    /// It is something else, or of another version.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let found: Discretizer =
            serde_json::from_str(text).map_err(|error| format!("it is no saved discretizer: {error}"))?;
        if found.version != VERSION {
            return Err(format!("it was saved by another version ({}); fit it anew", found.version));
        }
        let sound = [&found.states, &found.actions].into_iter().flatten().all(|space| {
            let width = space.components.as_ref().map_or(space.features.len(), Components::count);
            let cells = match &space.cells {
                Cells::Bins(edges) => edges.len() == width,
                Cells::Centres(centres) => width > 0 && !centres.is_empty() && centres.len() % width == 0,
            };
            cells && space.means.len() == space.features.len() && space.spreads.len() == space.features.len()
        });
        if sound { Ok(found) } else { Err("its parts do not fit together; fit it anew".to_owned()) }
    }
}
