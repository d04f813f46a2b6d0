//! Shaping where chance decides: one row per pair (s, a), whose shaping vector is the mean over next states.
//!
//! Behaviour depends on a reward only through its mean over the next states of (s, a). A row has −1 at s and γp at every next state that
//! does not end the episode, p its share. The rows are no longer edges of a graph, so nothing can be counted on one: the rank is that of
//! the numbers. The normal equations are factorized as those of a graph are, where that is cheap; what their pivots cannot tell from
//! rounding is computed by itself and counted if it is there. On larger, denser problems conjugate gradients work alone, and the rank is
//! that of columns without dependences other than constants: right for γ < 1 where every state starts something.

use super::Shaping;
use super::course::Course;
use super::levels::Components;
use crate::run::{Pace, checkpoint};
use crate::settings::Gamma;
use crate::sparse::dot;
use crate::sparse::factor::{Factor, Pattern};
use crate::sparse::order::{Limit, minimum_degree};
use crate::units;

/// The rows: a state, and where its action leads with which share; what is missing of 1 ends the episode.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeanRows {
    source: Vec<u32>,
    start: Vec<usize>,
    target: Vec<u32>,
    share: Vec<f64>,
    ends: bool,
}

impl MeanRows {
    /// Adds a row; `leads` are next states that do not end the episode, with their shares.
    pub fn push(&mut self, source: u32, leads: impl Iterator<Item = (u32, f64)>, ends: bool) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.source.push(source);
        for (target, share) in leads {
            self.target.push(target);
            self.share.push(share);
        }
        self.start.push(self.target.len());
        self.ends |= ends;
    }

    fn len(&self) -> usize {
        self.source.len()
    }
}

/// The least-squares projection on shaping vectors that are means over next states.
#[derive(Clone, Debug)]
pub(crate) struct MeanProjection {
    /// By row, the columns of its entries and the entries: sparse.
    start: Vec<usize>,
    column: Vec<u32>,
    entry: Vec<f64>,
    columns: usize,
    solver: Solver,
    /// Unit vectors by row, orthogonal to one another: what the factor left out and what is there nevertheless, and the shift.
    beside: Vec<Vec<f64>>,
    shaping: Shaping,
}

#[derive(Clone, Debug)]
enum Solver {
    Factor {
        factor: Box<Factor>,
        place: Vec<u32>,
    },
    /// The inverse of the diagonal.
    Diagonal(Vec<f64>),
}

/// Of its diagonal entry: the pivot of an unknown that is left out of the factor …
const DOUBTFUL: f64 = 1e-6;
/// … and looked after by itself: shaping that is smaller than this beside its potential is rounding.
const VISIBLE: f64 = 1e-11;
/// With more that are left out, or with more entries, iterations are taken.
const FAINT: usize = 300;
const ENTRIES: usize = 20_000_000;
const TOLERANCE: f64 = 1e-14;
const ROUNDS: usize = 8;
const SETTLED: f64 = 1e-12;

impl MeanProjection {
    pub fn on(rows: &MeanRows, gamma: Gamma) -> Self {
        let gamma = gamma.get();
        let mut numbers = super::graph::Numbers::default();
        let (mut start, mut column, mut entry) = (vec![0], Vec::new(), Vec::new());
        let mut pace = Pace::default();
        for row in 0..rows.len() {
            let source = numbers.of(rows.source[row]);
            let leads = rows.start[row]..rows.start[row + 1];
            pace.spend(1 + leads.len());
            let first = column.len();
            column.push(source);
            entry.push(-1.0);
            for (&target, &share) in rows.target[leads.clone()].iter().zip(&rows.share[leads]) {
                let target = numbers.of(target);
                match column[first..].iter().position(|&known| known == target) {
                    Some(known) => entry[first + known] += gamma * share,
                    None => {
                        column.push(target);
                        entry.push(gamma * share);
                    }
                }
            }
            start.push(column.len());
        }
        let columns = numbers.count();
        let mut projection = MeanProjection {
            start,
            column,
            entry,
            columns,
            solver: Solver::Diagonal(Vec::new()),
            beside: Vec::new(),
            shaping: Shaping { rank: 0, components: 0, degrees_of_freedom: 0 },
        };
        let components = projection.components();
        let rank = projection.prepare(gamma, rows.ends, components.len());
        projection.shaping = Shaping { rank, components: components.len(), degrees_of_freedom: rows.len() - rank };
        projection
    }

    pub fn shaping(&self) -> Shaping {
        self.shaping
    }

    fn rows(&self) -> usize {
        self.start.len() - 1
    }

    fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let range = self.start[row]..self.start[row + 1];
        self.column[range.clone()].iter().map(|&c| c as usize).zip(self.entry[range].iter().copied())
    }

    fn components(&self) -> Components {
        let joins = (0..self.rows()).flat_map(|row| {
            let range = self.start[row]..self.start[row + 1];
            let source = self.column[range.start];
            self.column[range].iter().map(move |&target| (source, target))
        });
        Components::new(self.columns, joins)
    }

    /// Finds what solves the equations and what is beside them; the rank.
    fn prepare(&mut self, gamma: f64, ends: bool, components: usize) -> usize {
        let mut diagonal = vec![0.0; self.columns];
        for row in 0..self.rows() {
            self.row(row).for_each(|(column, entry)| diagonal[column] += entry * entry);
        }
        let inverse = diagonal.iter().map(|&d| if d > 0.0 { 1.0 / d } else { 0.0 }).collect();
        let empty = diagonal.iter().filter(|d| **d == 0.0).count();
        self.solver = Solver::Diagonal(inverse);
        let mut rank = self.columns - empty;
        match self.factorize(&diagonal) {
            Some((factor, place)) => {
                let left_out = factor.left_out().to_vec();
                rank = self.columns - left_out.len();
                let directions: Vec<Vec<f64>> = left_out
                    .iter()
                    .map(|&unknown| {
                        let x = factor.direction(unknown);
                        place.iter().map(|&at| x[at as usize]).collect()
                    })
                    .collect();
                self.solver = Solver::Factor { factor: Box::new(factor), place };
                for direction in directions {
                    let largest = direction.iter().fold(0.0f64, |most, x| most.max(x.abs()));
                    let shaped = self.shaped(&direction);
                    rank += usize::from(self.add_beside(shaped, VISIBLE * largest));
                }
            }
            None if gamma == 1.0 && !ends => rank -= components,
            None => {}
        }
        // A shift changes no behaviour where nothing ends; with γ < 1 it is shaping already.
        let shift = gamma == 1.0 && !ends && self.add_beside(vec![1.0; self.rows()], 1e-9);
        rank + usize::from(shift)
    }

    /// Adds a vector to what is taken out; false when there is nothing new in it.
    fn add_beside(&mut self, vector: Vec<f64>, visible: f64) -> bool {
        let left = self.without(vector);
        let length = dot(&left, &left).sqrt();
        let new = length > visible;
        if new {
            self.beside.push(left.into_iter().map(|v| v / length).collect());
        }
        new
    }

    fn factorize(&self, diagonal: &[f64]) -> Option<(Factor, Vec<u32>)> {
        let entries = |row: usize| (self.start[row + 1] - self.start[row]).pow(2) / 2;
        if (0..self.rows()).map(entries).sum::<usize>() > ENTRIES {
            return None;
        }
        let mut positions = Vec::new();
        let mut values = Vec::new();
        for row in 0..self.rows() {
            for (i, (a, x)) in self.row(row).enumerate() {
                for (b, y) in self.row(row).skip(i + 1) {
                    positions.push((a.min(b) as u32, a.max(b) as u32));
                    values.push(x * y);
                }
            }
        }
        checkpoint();
        let mut distinct = positions.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let limit = Limit::beside_iterations(self.entry.len());
        let order = minimum_degree(&distinct, &vec![false; self.columns], limit)?;
        let mut place = vec![0u32; self.columns];
        order.iter().zip(0u32..).for_each(|(&column, at)| place[column as usize] = at);
        for position in &mut positions {
            let (a, b) = (place[position.0 as usize], place[position.1 as usize]);
            *position = (a.min(b), a.max(b));
        }
        let (pattern, slots) = Pattern::new(self.columns, &positions);
        let mut above = vec![0.0; pattern.entries()];
        slots.iter().zip(&values).for_each(|(&slot, value)| above[slot as usize] += value);
        let mut placed = vec![0.0; self.columns];
        place.iter().zip(diagonal).for_each(|(&at, &d)| placed[at as usize] = d);
        let factor = Factor::new(&pattern, &placed, &above, DOUBTFUL);
        (factor.left_out().len() <= FAINT).then_some((factor, place))
    }

    /// The values without their projection, in the order of the rows.
    ///
    /// # Panics
    /// When there are more or fewer values than rows.
    pub fn residual(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.rows(), "one value per row");
        if self.shaping.degrees_of_freedom == 0 {
            return vec![0.0; values.len()];
        }
        let scale = units::scale(values);
        let rest = self.without(values.iter().map(|v| v * scale).collect());
        rest.into_iter().map(|v| v / scale).collect()
    }

    fn without(&self, mut rest: Vec<f64>) -> Vec<f64> {
        for round in 0..ROUNDS {
            let before = dot(&rest, &rest);
            let potential = self.descend(&rest, TOLERANCE * TOLERANCE * before);
            let shaped = self.shaped(&potential);
            rest.iter_mut().zip(&shaped).for_each(|(rest, part)| *rest -= part);
            for vector in &self.beside {
                let part = dot(vector, &rest);
                rest.iter_mut().zip(vector).for_each(|(rest, v)| *rest -= part * v);
            }
            if round > 0 && dot(&shaped, &shaped) <= SETTLED * SETTLED * before {
                break;
            }
        }
        rest
    }

    /// The shaping of a potential, by row.
    fn shaped(&self, potential: &[f64]) -> Vec<f64> {
        (0..self.rows()).map(|row| self.row(row).map(|(column, entry)| entry * potential[column]).sum()).collect()
    }

    fn gather(&self, by_row: &[f64]) -> Vec<f64> {
        let mut by_column = vec![0.0; self.columns];
        for (row, value) in by_row.iter().enumerate() {
            self.row(row).for_each(|(column, entry)| by_column[column] += entry * value);
        }
        by_column
    }

    fn precondition(&self, gradient: &[f64]) -> Vec<f64> {
        match &self.solver {
            Solver::Diagonal(inverse) => gradient.iter().zip(inverse).map(|(g, d)| g * d).collect(),
            Solver::Factor { factor, place } => {
                let mut right = vec![0.0; self.columns];
                place.iter().zip(gradient).for_each(|(&at, g)| right[at as usize] = *g);
                factor.solve(&mut right);
                place.iter().map(|&at| right[at as usize]).collect()
            }
        }
    }

    /// Conjugate gradients: the potential whose shaping is closest to the values.
    fn descend(&self, values: &[f64], enough: f64) -> Vec<f64> {
        let mut potential = vec![0.0; self.columns];
        let mut rest = values.to_vec();
        let gradient = self.gather(&rest);
        let mut course = Course::new(&gradient, self.precondition(&gradient));
        let patience = match self.solver {
            Solver::Factor { .. } => 20,
            Solver::Diagonal(_) => 100 + 8 * self.columns.isqrt(),
        };
        while course.size > enough && course.waited < patience {
            checkpoint();
            let change = self.shaped(&course.direction);
            let step = course.size / dot(&change, &change);
            if !step.is_finite() {
                break;
            }
            potential.iter_mut().zip(&course.direction).for_each(|(p, d)| *p += step * d);
            rest.iter_mut().zip(&change).for_each(|(r, c)| *r -= step * c);
            let gradient = self.gather(&rest);
            course.turn(&gradient, &self.precondition(&gradient));
        }
        potential
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Leads = Vec<(u32, u32)>;

    /// Residual and rank by Gram-Schmidt on the columns.
    fn dense(rows: &[(u32, Leads, u32)], gamma: f64, values: &[f64]) -> (Vec<f64>, usize) {
        let total = |leads: &Leads, ends: u32| f64::from(leads.iter().map(|l| l.1).sum::<u32>() + ends);
        let mut columns: Vec<Vec<f64>> = (0..9)
            .map(|state| {
                let entry = |(s, leads, ends): &(u32, Leads, u32)| {
                    let ahead: f64 = leads.iter().filter(|l| l.0 == state).map(|l| f64::from(l.1)).sum();
                    gamma * ahead / total(leads, *ends) - f64::from(*s == state)
                };
                rows.iter().map(entry).collect()
            })
            .collect();
        if rows.iter().all(|row| row.2 == 0) {
            columns.push(vec![1.0; rows.len()]);
        }
        crate::project::tests::beside(columns, values)
    }

    proptest! {
        #[test]
        fn residual_and_rank_equal_dense_least_squares(
            rows in prop::collection::vec((0..9u32, prop::collection::vec((0..9u32, 1..4u32), 1..4), 0..12u32), 1..40),
            go_on in any::<bool>(), values in prop::collection::vec(-5.0..5.0f64, 40),
            gamma in prop_oneof![Just(0.0), Just(1.0), Just(0.5), 0.1..0.97f64, Just(0.99)],
        ) {
            // Shares as counts; few end, and in half of the cases none.
            let rows: Vec<(u32, Leads, u32)> = rows.into_iter()
                .map(|(s, leads, ends)| (s, leads, if go_on { 0 } else { ends.saturating_sub(9) }))
                .collect();
            let mut given = MeanRows::default();
            for (s, leads, ends) in &rows {
                let total = f64::from(leads.iter().map(|l| l.1).sum::<u32>() + ends);
                given.push(*s, leads.iter().map(|&(t, n)| (t, f64::from(n) / total)), *ends > 0);
            }
            let projection = MeanProjection::on(&given, Gamma::new(gamma).unwrap());
            let values = &values[..rows.len()];
            let (expected, rank) = dense(&rows, gamma, values);
            prop_assert_eq!(projection.shaping().rank, rank);
            for (found, expected) in projection.residual(values).iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-7, "{found} is not {expected}");
            }
        }
    }
}
