//! What a choice of cells keeps of tables.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use serde::Serialize;

use super::tables::{Input, cells_of};
use super::{DiscretizeOptions, Discretizer, Method};
use crate::error::TableError;
use crate::table::{TableOptions, Values, cell_text, for_each_batch};

/// What a choice of cells keeps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// How features became cells.
    pub method: Method,
    /// How many groups, or bins per feature.
    pub cells: usize,
    /// How many cells states are in.
    pub states: usize,
    /// How many different transitions there are, of all samples.
    pub transitions: usize,
    /// How many of them at least two samples have.
    pub shared: usize,
    /// The share of the variance of rewards within samples that is between transitions; what is lost is within them. `None` where rewards do
    /// not vary.
    pub reward_variance: Option<f64>,
}

/// The rewards of one transition of one sample.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
}

/// By file and sample, the rewards of every transition.
type BySample = HashMap<(String, String), HashMap<[String; 3], Moments>>;

impl Moments {
    fn add(&mut self, other: Moments) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The sum of squared differences to the mean.
    fn spread(&self) -> f64 {
        (self.squares - self.sum * self.sum / self.count).max(0.0)
    }
}

/// What each of several discretizers keeps of the tables: how many transitions are shared, and how much of the variance of the first reward
/// is between transitions rather than within them.
///
/// ```
/// use srrd_data::TableOptions;
/// use srrd_data::discretize::{DiscretizeOptions, fit_tables, what_is_kept};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("balls.csv");
/// std::fs::write(&path, "state.x,action,next_state.x,reward\n0.1,go,0.9,1\n0.8,go,0.2,0\n0.15,go,0.85,3\n")?;
/// let options = DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() };
/// let (cells, _) = fit_tables(&[path.clone()], &TableOptions::default(), &options)?;
/// let kept = what_is_kept(&[path], &TableOptions::default(), &[cells])?;
/// assert_eq!(kept.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`discretize`](super::discretize).
pub fn what_is_kept(paths: &[PathBuf], reading: &TableOptions, all: &[Discretizer]) -> Result<Vec<Kept>, TableError> {
    let mut found: Vec<BySample> = vec![HashMap::new(); all.len()];
    for path in paths {
        let Input { file, reader, roles, places, .. } = Input::open(path, reading)?;
        for_each_batch(reader, |batch| {
            for (with, found) in all.iter().zip(&mut found) {
                let columns = cells_of(&file, "", false, batch, &roles, &places, with, &mut BTreeMap::new())?;
                let column = |name: &str| columns.iter().find(|(known, _)| known == name).map(|(_, column)| column);
                let text =
                    |name: &str, row: usize| column(name).map(|it| cell_text(it, row).into_owned()).unwrap_or_default();
                let reward = if roles.rewards.len() == 1 { "reward" } else { roles.rewards[0].as_str() };
                for row in 0..batch.rows {
                    let Some(Values::Float(rewards)) = column(reward).map(|column| &column.values) else { continue };
                    let sample = found.entry((file.clone(), text("sample", row))).or_default();
                    let transition = ["state", "action", "next_state"].map(|name| text(name, row));
                    let value = rewards[row];
                    sample.entry(transition).or_default().add(Moments {
                        count: 1.0,
                        sum: value,
                        squares: value * value,
                    });
                }
            }
            Ok(())
        })?;
    }
    Ok(all.iter().zip(found).map(|(with, samples)| kept(&with.options, &samples)).collect())
}

fn kept(options: &DiscretizeOptions, samples: &BySample) -> Kept {
    let mut holders: HashMap<&[String; 3], usize> = HashMap::new();
    let (mut within, mut whole) = (0.0, 0.0);
    // In one order, so that sums have the same bits every time.
    let sorted: BTreeMap<_, _> = samples.iter().collect();
    for transitions in sorted.values() {
        let mut all = Moments::default();
        for (transition, moments) in transitions.iter().collect::<BTreeMap<_, _>>() {
            *holders.entry(transition).or_default() += 1;
            within += moments.spread();
            all.add(*moments);
        }
        whole += all.spread();
    }
    let states: std::collections::HashSet<&str> = holders
        .keys()
        .flat_map(|[state, _, next]| [state.as_str(), next.as_str()])
        .filter(|it| !it.is_empty())
        .collect();
    Kept {
        method: options.method,
        cells: options.cells,
        states: states.len(),
        transitions: holders.len(),
        shared: holders.values().filter(|count| **count > 1).count(),
        reward_variance: (whole > 0.0).then(|| (1.0 - within / whole).clamp(0.0, 1.0)),
    }
}
