//! The walks as rows of a matrix: what every transition adds to a walk's LER.

use super::{PtirlProblem, Sets};

/// One row per walk, those of the target first: (transition, P · how often the walk takes it), ascending.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// How many transitions there are.
    pub transitions: usize,
    /// How many rows are the target's.
    pub targets: usize,
    pub rows: Vec<Vec<(u32, f64)>>,
}

impl Rows {
    pub fn new(sets: &Sets) -> Result<Self, PtirlProblem> {
        if let Some(bad) = sets.probability.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(PtirlProblem::Input(format!("{bad} is not the probability of a transition")));
        }
        let row = |walk: &Vec<u32>| {
            let mut steps = walk.clone();
            steps.sort_unstable();
            let entry = |same: &[u32]| {
                let probability = sets.probability.get(same[0] as usize)?;
                Some((same[0], same.len() as f64 * probability))
            };
            let entries: Option<Vec<_>> = steps.chunk_by(|one, other| one == other).map(entry).collect();
            entries.ok_or_else(|| PtirlProblem::Input("a walk takes a transition that has no probability".to_owned()))
        };
        let rows =
            |walks: &[Vec<u32>]| walks.iter().filter(|walk| !walk.is_empty()).map(row).collect::<Result<Vec<_>, _>>();
        let (mut all, others) = (rows(&sets.target)?, rows(&sets.other)?);
        if all.is_empty() {
            return Err(PtirlProblem::NoTarget);
        }
        if others.is_empty() {
            return Err(PtirlProblem::NoOther);
        }
        let targets = all.len();
        all.extend(others);
        Ok(Rows { transitions: sets.probability.len(), targets, rows: all })
    }

    /// The LER of a walk.
    pub fn value(&self, row: usize, rewards: &[f64]) -> f64 {
        self.rows[row].iter().map(|&(at, weight)| weight * rewards[at as usize]).sum()
    }

    /// lb of the target's walks.
    pub fn lower(&self, rewards: &[f64]) -> f64 {
        (0..self.targets).map(|row| self.value(row, rewards)).fold(f64::INFINITY, f64::min)
    }

    /// ub of the others' walks.
    pub fn upper(&self, rewards: &[f64]) -> f64 {
        (self.targets..self.rows.len()).map(|row| self.value(row, rewards)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// +1 for the target's walks, −1 for others.
    pub fn sign(&self, row: usize) -> f64 {
        if row < self.targets { 1.0 } else { -1.0 }
    }

    /// The largest |LER| that rewards of at most 1 give.
    pub fn longest(&self) -> f64 {
        self.rows.iter().map(|row| row.iter().map(|entry| entry.1).sum()).fold(0.0, f64::max)
    }

    /// What counts as rounding in a spread.
    pub fn tolerance(&self, cap: f64, alpha: f64) -> f64 {
        1e-9 * (self.longest() * cap).max(alpha)
    }
}
