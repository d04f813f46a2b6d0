//! Sparse symmetric factorization N = L D Lᵀ: the pattern once, the numbers for every γ.

use rayon::prelude::*;

use crate::run::Pace;

const NONE: u32 = u32::MAX;

/// Where the entries of N and L are.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The entries above the diagonal, column by column.
    start: Vec<usize>,
    row: Vec<u32>,
    /// The elimination tree: the row of the first entry below the diagonal in every column of L.
    parent: Vec<u32>,
    /// Where the columns of L start.
    factor_start: Vec<usize>,
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
        let mut start = vec![0usize; n + 1];
        let mut row: Vec<u32> = Vec::new();
        let mut last = None;
        for k in order {
            let position = positions[k as usize];
            if last != Some(position) {
                last = Some(position);
                row.push(position.0);
                start[position.1 as usize + 1] += 1;
            }
            slots[k as usize] = row.len() as u32 - 1;
        }
        for column in 0..n {
            start[column + 1] += start[column];
        }
        // Row k of L has its entries on the paths from the entries of column k of N up the elimination tree to k.
        let mut parent = vec![NONE; n];
        let mut count = vec![0usize; n];
        let mut visited = vec![NONE; n];
        for k in 0..n {
            visited[k] = k as u32;
            for &i in &row[start[k]..start[k + 1]] {
                let mut i = i as usize;
                while visited[i] != k as u32 {
                    if parent[i] == NONE {
                        parent[i] = k as u32;
                    }
                    count[i] += 1;
                    visited[i] = k as u32;
                    i = parent[i] as usize;
                }
            }
        }
        let mut factor_start = vec![0usize; n + 1];
        for (i, count) in count.into_iter().enumerate() {
            factor_start[i + 1] = factor_start[i] + count;
        }
        (Pattern { start, row, parent, factor_start }, slots)
    }

    /// How many entries N has above its diagonal.
    pub fn entries(&self) -> usize {
        self.row.len()
    }
}

/// L and D for one set of numbers.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<f64>,
    pivot: Vec<f64>,
    /// The unknowns that are left out, ascending.
    left_out: Vec<u32>,
}

impl Factor {
    /// Row after row of L, each from those above it. O(Σ over columns of L of entries²).
    ///
    /// A pivot below `doubtful` of its diagonal entry is a difference that has lost digits. Its unknown is left out: the factor is that
    /// of the equations of all others, which set it to 0.
    pub fn new(pattern: &Pattern, diagonal: &[f64], above: &[f64], doubtful: f64) -> Self {
        let n = diagonal.len();
        let Pattern { start, row, parent, factor_start } = pattern;
        let mut below = vec![0u32; factor_start[n]];
        let mut value = vec![0.0; factor_start[n]];
        let mut pivot = diagonal.to_vec();
        let mut filled = factor_start[..n].to_vec();
        let mut sums = vec![0.0; n];
        let mut visited = vec![NONE; n];
        let mut left_out = Vec::new();
        // The columns that row k has entries in, every column after those that change it.
        let mut columns = vec![0u32; n];
        let mut pace = Pace::default();
        for k in 0..n {
            let mut top = n;
            visited[k] = k as u32;
            for p in start[k]..start[k + 1] {
                let mut i = row[p] as usize;
                sums[i] += above[p];
                let mut length = 0;
                while visited[i] != k as u32 {
                    columns[length] = i as u32;
                    length += 1;
                    visited[i] = k as u32;
                    i = parent[i] as usize;
                }
                // Paths are found from their lower ends; each goes before what was found already.
                columns.copy_within(..length, top - length);
                top -= length;
            }
            // Every column below has at most as many entries above row k as row k has columns.
            pace.spend((n - top).pow(2));
            for &i in &columns[top..] {
                let i = i as usize;
                let sum = std::mem::take(&mut sums[i]);
                let range = factor_start[i]..filled[i];
                for (&j, l) in below[range.clone()].iter().zip(&value[range]) {
                    sums[j as usize] -= l * sum;
                }
                let l = sum / pivot[i];
                pivot[k] -= l * sum;
                below[filled[i]] = k as u32;
                value[filled[i]] = l;
                filled[i] += 1;
            }
            if pivot[k] <= doubtful * diagonal[k] {
                left_out.push(k as u32);
                pivot[k] = f64::INFINITY;
            }
        }
        Factor { start: factor_start.clone(), row: below, value, pivot, left_out }
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
            let range = self.start[i]..self.start[i + 1];
            let mut sum = [0.0; K];
            for (&j, l) in self.row[range.clone()].iter().zip(&self.value[range]) {
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
    pub fn quadratic(&self, entries: &[(u32, f64)], parent: &Pattern, work: &mut [f64]) -> f64 {
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
            let range = self.start[at]..self.start[at + 1];
            self.row[range.clone()].iter().zip(&self.value[range]).for_each(|(&j, l)| work[j as usize] -= l * x);
            let next = parent.parent[at];
            if next != NONE
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
            let range = self.start[i]..self.start[i + 1];
            for (&j, l) in self.row[range.clone()].iter().zip(&self.value[range]) {
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
