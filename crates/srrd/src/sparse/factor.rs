//! Sparse symmetric factorization N = L D Lᵀ: the pattern once, the numbers for every γ.
//!
//! Neighbouring columns of L that share their rows are computed together, as a *panel*: its numbers lie side by side, so that most of
//! the work is done on dense columns. A panel is changed by the panels before it that have entries in its rows, and then within itself.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::run::Pace;

const NONE: u32 = u32::MAX;

/// Where the entries of N and L are.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The entries of N below the diagonal, column by column: their rows and slots.
    start: Vec<u32>,
    below: Vec<(u32, u32)>,
    columns: Arc<Columns>,
}

/// Where the entries of L are.
#[derive(Debug)]
struct Columns {
    /// Where the values of every column start.
    start: Vec<usize>,
    /// Where the rows of every column start among those of its panel.
    at: Vec<usize>,
    /// Panel by panel its columns, and then its rows below them: those of a column are what comes after it.
    row: Vec<u32>,
    /// The first column of every panel, and the number of columns.
    panels: Vec<u32>,
}

impl Columns {
    fn entries(&self, column: usize) -> Range<usize> {
        self.start[column]..self.start[column + 1]
    }

    fn rows(&self, column: usize) -> &[u32] {
        &self.row[self.at[column]..][..self.start[column + 1] - self.start[column]]
    }

    fn panel(&self, panel: usize) -> Range<usize> {
        self.panels[panel] as usize..self.panels[panel + 1] as usize
    }
}

impl Pattern {
    /// The pattern of an n × n matrix with entries at (row, column), row < column, and the slot of each of them in the order
    /// given; repeated positions share a slot. O(entries · log + entries of L).
    pub fn new(n: usize, positions: &[(u32, u32)]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..positions.len() as u32).collect();
        order.par_sort_unstable_by_key(|&k| {
            let (row, column) = positions[k as usize];
            (column, row)
        });
        let mut slots = vec![0u32; positions.len()];
        let mut distinct: Vec<(u32, u32)> = Vec::with_capacity(positions.len());
        for k in order {
            let position = positions[k as usize];
            if distinct.last() != Some(&position) {
                distinct.push(position);
            }
            slots[k as usize] = distinct.len() as u32 - 1;
        }
        // Of a symmetric matrix, the row of an entry above the diagonal is the column of one below it.
        let mut start = vec![0u32; n + 1];
        distinct.iter().for_each(|&(row, _)| start[row as usize + 1] += 1);
        (0..n).for_each(|column| start[column + 1] += start[column]);
        let mut filled = start[..n].to_vec();
        let mut below = vec![(0, 0); distinct.len()];
        for (slot, &(row, column)) in (0..).zip(&distinct) {
            below[filled[row as usize] as usize] = (column, slot);
            filled[row as usize] += 1;
        }
        drop(filled);
        let columns = Arc::new(Columns::new(n, &distinct, &start, &below));
        (Pattern { start, below, columns }, slots)
    }

    /// How many entries N has above its diagonal.
    pub fn entries(&self) -> usize {
        self.below.len()
    }
}

impl Columns {
    /// Of entries above the diagonal, sorted by column, and the same below it.
    fn new(n: usize, above: &[(u32, u32)], below_start: &[u32], below: &[(u32, u32)]) -> Self {
        let (parent, count) = elimination_tree(n, above);
        // A column that continues the one before it has the same rows, but for its own.
        let continues = |k: usize| k > 0 && parent[k - 1] == k as u32 && count[k - 1] == count[k] + 1;
        let mut panels: Vec<u32> = (0..n as u32).filter(|&k| !continues(k as usize)).collect();
        panels.push(n as u32);
        let mut start = vec![0usize; n + 1];
        (0..n).for_each(|k| start[k + 1] = start[k] + count[k]);

        let mut columns = Columns { start, at: vec![0; n], row: Vec::new(), panels };
        // The panels whose first row below is in a panel: their rows are rows of it, too.
        let mut panel_of = vec![0u32; n];
        let mut first_below = vec![NONE; columns.panels.len() - 1];
        let mut next_below = first_below.clone();
        let mut rows_from = first_below.iter().map(|_| 0).collect::<Vec<usize>>();
        let mut seen = vec![NONE; n];
        for panel in 0..first_below.len() {
            let range = columns.panel(panel);
            let from = columns.row.len();
            for k in range.clone() {
                columns.row.push(k as u32);
                columns.at[k] = columns.row.len();
                (panel_of[k], seen[k]) = (panel as u32, panel as u32);
            }
            let own = columns.row.len();
            let mut add = |row: u32, rows: &mut Vec<u32>| {
                if seen[row as usize] != panel as u32 {
                    seen[row as usize] = panel as u32;
                    rows.push(row);
                }
            };
            for &(row, _) in &below[below_start[range.start] as usize..below_start[range.end] as usize] {
                add(row, &mut columns.row);
            }
            let mut earlier = first_below[panel];
            while earlier != NONE {
                let its = columns.panel(earlier as usize);
                let rows = rows_from[earlier as usize]..rows_from[earlier as usize] + count[its.end - 1];
                rows.for_each(|at| add(columns.row[at], &mut columns.row));
                earlier = next_below[earlier as usize];
            }
            columns.row[own..].sort_unstable();
            debug_assert_eq!(columns.row.len() - from, range.len() + count[range.end - 1]);
            rows_from[panel] = own;
            let above = parent[range.end - 1];
            if above != NONE {
                // The panel of a column ahead is not numbered yet: its first column tells it.
                let ahead = columns.panels.partition_point(|&first| first <= above) - 1;
                next_below[panel] = std::mem::replace(&mut first_below[ahead], panel as u32);
            }
        }
        columns
    }
}

/// The row of the first entry below the diagonal in every column of L, and how many there are. Row k of L has its entries on the paths
/// from the entries of column k of N up this tree to k.
fn elimination_tree(n: usize, above: &[(u32, u32)]) -> (Vec<u32>, Vec<usize>) {
    let mut parent = vec![NONE; n];
    let mut count = vec![0usize; n];
    let mut visited: Vec<u32> = (0..n as u32).collect();
    for &(row, k) in above {
        let mut i = row as usize;
        while visited[i] != k {
            if parent[i] == NONE {
                parent[i] = k;
            }
            count[i] += 1;
            visited[i] = k;
            i = parent[i] as usize;
        }
    }
    (parent, count)
}

/// L and D for one set of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    columns: Arc<Columns>,
    value: Vec<f64>,
    pivot: Vec<f64>,
    /// The unknowns that are left out, ascending.
    left_out: Vec<u32>,
}

impl Factor {
    /// Panel after panel of L, each from those before it. O(Σ over columns of L of entries²).
    ///
    /// A pivot below `doubtful` of its diagonal entry is a difference that has lost digits. Its unknown is left out: the factor is that
    /// of the equations of all others, which set it to 0.
    pub fn new(pattern: &Pattern, diagonal: &[f64], above: &[f64], doubtful: f64) -> Self {
        let columns = &pattern.columns;
        let n = diagonal.len();
        let mut factor = Factor {
            columns: Arc::clone(columns),
            value: vec![0.0; columns.start[n]],
            pivot: diagonal.to_vec(),
            left_out: Vec::new(),
        };
        let panels = columns.panels.len() - 1;
        let mut panel_of = vec![0u32; n];
        (0..panels).for_each(|panel| panel_of[columns.panel(panel)].fill(panel as u32));
        // By panel: those before it that have entries in its rows, as lists, and how many of the rows of those were used up.
        let mut first_below = vec![NONE; panels];
        let mut next_below = vec![NONE; panels];
        let mut used = vec![0usize; panels];
        // Of the rows of the panel at work, where they are in its first column, the diagonal at 0.
        let mut place = vec![0u32; n];
        let mut change = Vec::new();
        let mut pace = Pace::default();
        for panel in 0..panels {
            let range = columns.panel(panel);
            place[range.start] = 0;
            (1..).zip(columns.rows(range.start)).for_each(|(at, &row)| place[row as usize] = at);
            for k in range.clone() {
                let from = columns.start[k];
                for &(row, slot) in &pattern.below[pattern.start[k] as usize..pattern.start[k + 1] as usize] {
                    factor.value[from + (place[row as usize] - place[k]) as usize - 1] += above[slot as usize];
                }
            }
            let mut earlier = std::mem::replace(&mut first_below[panel], NONE);
            while earlier != NONE {
                let following = next_below[earlier as usize];
                let its = columns.panel(earlier as usize);
                let rows = columns.rows(its.end - 1);
                let mut at = used[earlier as usize];
                while let Some(&k) = rows.get(at).filter(|&&row| (row as usize) < range.end) {
                    let length = rows.len() - at;
                    pace.spend(its.len() * length);
                    factor.change(its.clone(), length, &mut change);
                    factor.pivot[k as usize] -= change[0];
                    at += 1;
                    let from = columns.start[k as usize];
                    let column = &mut factor.value[from..columns.start[k as usize + 1]];
                    for (&row, change) in rows[at..].iter().zip(&change[1..]) {
                        column[(place[row as usize] - place[k as usize]) as usize - 1] -= change;
                    }
                }
                used[earlier as usize] = at;
                if let Some(&row) = rows.get(at) {
                    let ahead = panel_of[row as usize] as usize;
                    next_below[earlier as usize] = std::mem::replace(&mut first_below[ahead], earlier);
                }
                earlier = following;
            }
            for k in range.clone() {
                let length = columns.entries(k).len() + 1;
                pace.spend((k - range.start + 1) * length);
                factor.change(range.start..k, length, &mut change);
                factor.finish(k, &change, doubtful * diagonal[k]);
            }
            if let Some(&row) = columns.rows(range.end - 1).first() {
                let ahead = panel_of[row as usize] as usize;
                next_below[panel] = std::mem::replace(&mut first_below[ahead], panel as u32);
            }
        }
        factor
    }

    /// What finished columns of a panel take from the column whose diagonal entry is in the first of their last so many rows: from that
    /// entry, and from those below it.
    fn change(&self, panel: Range<usize>, length: usize, change: &mut Vec<f64>) {
        change.clear();
        change.resize(length, 0.0);
        // The entries of every column from that row on.
        let tail = |column: usize| &self.value[self.columns.start[column + 1] - length..self.columns.start[column + 1]];
        let times = |tail: &[f64], column: usize| {
            // A column that is left out is all 0.
            if self.pivot[column].is_finite() { tail[0] * self.pivot[column] } else { 0.0 }
        };
        let fours = panel.len() / 4 * 4;
        for column in (panel.start..panel.start + fours).step_by(4) {
            let tails: [&[f64]; 4] = std::array::from_fn(|i| tail(column + i));
            let factors: [f64; 4] = std::array::from_fn(|i| times(tails[i], column + i));
            let [a, b, c, d] = tails;
            for ((((change, a), b), c), d) in change.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *change += (factors[0] * a + factors[1] * b) + (factors[2] * c + factors[3] * d);
            }
        }
        for column in panel.start + fours..panel.end {
            let tail = tail(column);
            let factor = times(tail, column);
            change.iter_mut().zip(tail).for_each(|(change, value)| *change += factor * value);
        }
    }

    /// The last change of column k, and its pivot.
    fn finish(&mut self, k: usize, change: &[f64], doubtful: f64) {
        self.pivot[k] -= change[0];
        let column = &mut self.value[self.columns.entries(k)];
        if self.pivot[k] <= doubtful {
            self.left_out.push(k as u32);
            self.pivot[k] = f64::INFINITY;
            column.fill(0.0);
            return;
        }
        let pivot = self.pivot[k];
        column.iter_mut().zip(&change[1..]).for_each(|(value, change)| *value = (*value - change) / pivot);
    }

    /// The unknowns that are left out.
    pub fn left_out(&self) -> &[u32] {
        &self.left_out
    }

    /// x = L⁻ᵀe for one that is left out: it is 1 there, and the others as close to explaining that away as they can get.
    pub fn direction(&self, unknown: u32) -> Vec<f64> {
        let mut x = vec![0.0; self.pivot.len()];
        x[unknown as usize] = 1.0;
        self.solve_transposed(x.as_chunks_mut::<1>().0, unknown as usize);
        x
    }

    /// Puts L⁻ᵀb in the place of b, whose entries from `end` on are already those.
    fn solve_transposed<const K: usize>(&self, b: &mut [[f64; K]], end: usize) {
        for i in (0..end).rev() {
            let mut sum = [0.0; K];
            for (&j, l) in self.columns.rows(i).iter().zip(&self.value[self.columns.entries(i)]) {
                sum.iter_mut().zip(&b[j as usize]).for_each(|(sum, b)| *sum += l * b);
            }
            b[i].iter_mut().zip(sum).for_each(|(b, sum)| *b -= sum);
        }
    }

    /// Puts L⁻ᵀ D^(−½) b in the place of b: where b is standard normal, that has the covariance of the inverse. O(entries of L).
    pub fn colour(&self, b: &mut [f64]) {
        b.iter_mut().zip(&self.pivot).for_each(|(x, pivot)| *x /= pivot.sqrt());
        self.solve_transposed(b.as_chunks_mut::<1>().0, self.pivot.len());
    }

    /// bᵀ N⁻¹ b of a vector that is 0 but for a few entries. `work` is all 0 before and after. O(entries of the columns of L on the
    /// paths from the entries to the root of the elimination tree).
    pub fn quadratic(&self, entries: &[(u32, f64)], work: &mut [f64]) -> f64 {
        entries.iter().for_each(|&(i, value)| work[i as usize] += value);
        let mut sum = 0.0;
        // A row is finished when all below it are: on a path they ascend, and a path that joins another goes on with it.
        let mut heads: Vec<u32> = entries.iter().map(|entry| entry.0).collect();
        heads.sort_unstable();
        heads.dedup();
        heads.reverse();
        while let Some(i) = heads.pop() {
            let at = i as usize;
            let x = std::mem::take(&mut work[at]);
            sum += x * x / self.pivot[at];
            let (rows, values) = (self.columns.rows(at), &self.value[self.columns.entries(at)]);
            rows.iter().zip(values).for_each(|(&j, l)| work[j as usize] -= l * x);
            if let Some(&next) = rows.first()
                && let Err(place) = heads.binary_search_by(|head| next.cmp(head))
            {
                heads.insert(place, next);
            }
        }
        sum
    }

    /// Puts the solution of L D Lᵀ x = b in the place of b. O(entries of L).
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_columns(b.as_chunks_mut::<1>().0);
    }

    /// The same for several right sides, row by row: most of the time goes into reading L.
    pub fn solve_columns<const K: usize>(&self, b: &mut [[f64; K]]) {
        for i in 0..b.len() {
            let x = b[i];
            for (&j, l) in self.columns.rows(i).iter().zip(&self.value[self.columns.entries(i)]) {
                b[j as usize].iter_mut().zip(&x).for_each(|(b, x)| *b -= l * x);
            }
        }
        b.iter_mut().zip(&self.pivot).for_each(|(x, pivot)| x.iter_mut().for_each(|x| *x /= pivot));
        self.solve_transposed(b, b.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solves_random_systems(
            entries in prop::collection::vec((0..19u32, 0..19u32, -1.0..1.0f64), 0..80),
            right in prop::collection::vec(-3.0..3.0f64, 19),
        ) {
            let n = 19;
            let entries: Vec<_> =
                entries.into_iter().filter(|(i, j, _)| i != j).map(|(i, j, v)| (i.min(j), i.max(j), v)).collect();
            let positions: Vec<(u32, u32)> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
            let (pattern, slots) = Pattern::new(n, &positions);
            let mut above = vec![0.0; pattern.entries()];
            let mut diagonal = vec![0.5; n];
            for (&(i, j, v), &slot) in entries.iter().zip(&slots) {
                above[slot as usize] += v;
                diagonal[i as usize] += v.abs();
                diagonal[j as usize] += v.abs();
            }
            let mut x = right.clone();
            Factor::new(&pattern, &diagonal, &above, 1e-14).solve(&mut x);
            let mut product: Vec<f64> = x.iter().zip(&diagonal).map(|(x, d)| x * d).collect();
            for &(i, j, v) in &entries {
                product[i as usize] += v * x[j as usize];
                product[j as usize] += v * x[i as usize];
            }
            for (found, expected) in product.iter().zip(&right) {
                prop_assert!((found - expected).abs() < 1e-10);
            }
        }
    }
}
