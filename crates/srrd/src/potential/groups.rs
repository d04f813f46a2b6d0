//! Rows that belong together: what is left out at a time when a basis is judged by rows it has not seen.
//!
//! Where states hardly repeat, an episode is a chain of rows that shares no state with any other one. So the connected parts of the rows
//! are the episodes, whether a column names them or not; episodes that share a state are one part, as they should be. Where there are too
//! few parts (one long episode; states that repeat), rows are grouped by their state, at random.

use rustc_hash::FxHashMap;

use super::basis::Row;
use crate::run::random::{Purpose, shuffle, stream};

/// How many folds a basis is judged by.
pub(crate) const FOLDS: usize = 5;
/// With fewer connected parts than this, or one with more than half of all rows, rows are grouped by their states.
pub(crate) const FEW_PARTS: usize = 2 * FOLDS;
/// More rows than this tell no more about which basis fits; they are left out, whole groups at a time.
pub(super) const MOST_ROWS: usize = 100_000;

/// What was left out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Episodes: connected parts of the transitions.
    Episodes,
    /// All rows that start in some states.
    States,
}

impl LeftOut {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            LeftOut::Episodes => "episodes",
            LeftOut::States => "states",
        }
    }
}

/// Rows that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    /// The group of every row.
    pub of_row: Vec<u32>,
    pub count: usize,
    pub left_out: LeftOut,
    /// How many connected parts all rows have.
    pub parts: usize,
}

impl Groups {
    /// The groups of some rows. Near-linear.
    pub fn of(rows: &[Row]) -> Self {
        let Parts { of_row, count: parts, largest } = Parts::of(rows);
        if parts >= FEW_PARTS && 2 * largest <= rows.len() {
            return Groups { of_row, count: parts, left_out: LeftOut::Episodes, parts };
        }
        let mut numbers = FxHashMap::default();
        let mut number = |row: &Row| {
            let next = numbers.len() as u32;
            *numbers.entry(row.state).or_insert(next)
        };
        let of_row: Vec<u32> = rows.iter().map(&mut number).collect();
        Groups { of_row, count: numbers.len(), left_out: LeftOut::States, parts }
    }

    /// The same groups of some of the rows.
    pub fn among(&self, rows: &[u32]) -> Self {
        Groups { of_row: rows.iter().map(|&row| self.of_row[row as usize]).collect(), ..*self }
    }

    /// The rows, by number and ascending, in so many lots of about as many rows, whole groups to a lot. Groups are drawn at random until
    /// there are `most` rows; the others are in no lot. No lot is empty.
    pub fn lots(&self, seed: u64, lots: usize, most: usize) -> Vec<Vec<u32>> {
        let mut sizes = vec![0usize; self.count];
        self.of_row.iter().for_each(|&group| sizes[group as usize] += 1);
        let mut order: Vec<u32> = (0..self.count as u32).filter(|&group| sizes[group as usize] > 0).collect();
        let mut rng = stream(seed, Purpose::Folds, 0);
        shuffle(&mut rng, &mut order);
        // Each group goes to the lot with the fewest rows, until there are enough rows.
        let mut lot_of = vec![usize::MAX; self.count];
        let mut totals = vec![0usize; lots];
        for group in order {
            if totals.iter().sum::<usize>() >= most {
                break;
            }
            let lot = (0..lots).min_by_key(|&lot| totals[lot]).unwrap_or(0);
            lot_of[group as usize] = lot;
            totals[lot] += sizes[group as usize];
        }
        let mut found = vec![Vec::new(); lots];
        for (row, &group) in (0u32..).zip(&self.of_row) {
            if let Some(lot) = found.get_mut(lot_of[group as usize]) {
                lot.push(row);
            }
        }
        found.retain(|lot| !lot.is_empty());
        found
    }
}

/// The connected parts of some rows.
struct Parts {
    of_row: Vec<u32>,
    count: usize,
    /// The rows of the largest.
    largest: usize,
}

impl Parts {
    fn of(rows: &[Row]) -> Self {
        let states =
            rows.iter().flat_map(|row| [Some(row.state), row.next]).flatten().max().map_or(0, |s| s as usize + 1);
        let mut above: Vec<u32> = (0..states as u32).collect();
        for row in rows {
            if let Some(next) = row.next {
                let (a, b) = (root(&mut above, row.state), root(&mut above, next));
                above[a.max(b) as usize] = a.min(b);
            }
        }
        let mut numbers = FxHashMap::default();
        let mut sizes: Vec<usize> = Vec::new();
        let mut of_row = Vec::with_capacity(rows.len());
        for row in rows {
            let number = *numbers.entry(root(&mut above, row.state)).or_insert_with(|| {
                sizes.push(0);
                sizes.len() as u32 - 1
            });
            sizes[number as usize] += 1;
            of_row.push(number);
        }
        Parts { of_row, count: sizes.len(), largest: sizes.iter().copied().max().unwrap_or(0) }
    }
}

/// The representative of a state, ways being halved on the way.
fn root(above: &mut [u32], mut state: u32) -> u32 {
    while above[state as usize] != state {
        above[state as usize] = above[above[state as usize] as usize];
        state = above[state as usize];
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(first: u32, length: u32) -> impl Iterator<Item = Row> {
        (first..first + length).map(move |s| Row { state: s, next: (s + 1 < first + length).then_some(s + 1) })
    }

    #[test]
    fn episodes_stay_together() {
        let rows: Vec<Row> = (0..20).flat_map(|e| chain(100 * e, 10 + e)).collect();
        let groups = Groups::of(&rows);
        let folds = groups.lots(3, FOLDS, MOST_ROWS);
        assert_eq!((groups.left_out, folds.len(), groups.parts), (LeftOut::Episodes, FOLDS, 20));
        let mut seen = vec![None; 20];
        for (fold, numbers) in folds.iter().enumerate() {
            // 390 rows in all, 78 a fold.
            assert!((50..110).contains(&numbers.len()), "{}", numbers.len());
            for &row in numbers {
                let episode = &mut seen[rows[row as usize].state as usize / 100];
                assert_eq!(*episode.get_or_insert(fold), fold);
            }
        }
        assert_eq!(folds.iter().map(Vec::len).sum::<usize>(), rows.len());
    }

    #[test]
    fn one_long_episode_is_cut_by_state() {
        let rows: Vec<Row> = chain(0, 1000).collect();
        let groups = Groups::of(&rows);
        assert_eq!((groups.left_out, groups.parts), (LeftOut::States, 1));
        assert!(groups.lots(3, FOLDS, MOST_ROWS).iter().all(|fold| (190..=210).contains(&fold.len())));
    }

    #[test]
    fn so_many_rows_are_enough() {
        let rows: Vec<Row> = (0..3000).flat_map(|e| chain(100 * e, 100)).collect();
        assert_eq!(Groups::of(&rows).lots(0, FOLDS, MOST_ROWS).iter().map(Vec::len).sum::<usize>(), MOST_ROWS);
    }
}
