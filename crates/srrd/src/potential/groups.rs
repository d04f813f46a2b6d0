//! Rows that belong together: what is left out at a time when a basis is judged by rows it has not seen.
//!
//! Where states hardly repeat, an episode is a chain of rows that shares no state with any other one. So the connected parts of the rows
//! are the episodes, whether a column names them or not; episodes that share a state are one part, as they should be. Where there are too
//! few parts (one long episode; states that repeat), rows are grouped by their state, at random.

use rustc_hash::FxHashMap;

use super::basis::Row;
use crate::run::random::{Purpose, shuffle, stream};

/// How many folds there are.
pub(super) const FOLDS: usize = 5;
/// With fewer connected parts than this, or one with more than half of all rows, rows are grouped by their states.
const FEW_PARTS: usize = 2 * FOLDS;
/// More rows than this tell no more about which basis fits; they are left out, whole groups at a time.
const MOST_ROWS: usize = 100_000;

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

/// What is left out in turn.
pub(super) struct Folds {
    /// The rows of every fold, by number, ascending.
    pub rows: Vec<Vec<u32>>,
    pub left_out: LeftOut,
    /// How many connected parts all rows have.
    pub parts: usize,
}

/// The folds of some rows. Near-linear.
pub(super) fn folds(rows: &[Row], seed: u64) -> Folds {
    let parts = Parts::of(rows);
    let components = parts.count;
    let (left_out, group_of, groups) = match parts.count >= FEW_PARTS && 2 * parts.largest <= rows.len() {
        true => (LeftOut::Episodes, parts.of_row, parts.count),
        false => {
            let mut numbers = FxHashMap::default();
            let mut number = |row: &Row| {
                let next = numbers.len() as u32;
                *numbers.entry(row.state).or_insert(next)
            };
            let of_row: Vec<u32> = rows.iter().map(&mut number).collect();
            (LeftOut::States, of_row, numbers.len())
        }
    };
    let mut sizes = vec![0usize; groups];
    group_of.iter().for_each(|&group| sizes[group as usize] += 1);
    let mut order: Vec<u32> = (0..groups as u32).collect();
    let mut rng = stream(seed, Purpose::Folds, 0);
    shuffle(&mut rng, &mut order);
    // Each group goes to the fold with the fewest rows, until there are enough rows.
    let mut fold_of = vec![u8::MAX; groups];
    let mut totals = [0usize; FOLDS];
    for group in order {
        if totals.iter().sum::<usize>() >= MOST_ROWS {
            break;
        }
        let fold = (0..FOLDS).min_by_key(|&fold| totals[fold]).unwrap_or(0);
        fold_of[group as usize] = fold as u8;
        totals[fold] += sizes[group as usize];
    }
    let mut folds = vec![Vec::new(); FOLDS];
    for (row, &group) in (0u32..).zip(&group_of) {
        if let Some(fold) = folds.get_mut(usize::from(fold_of[group as usize])) {
            fold.push(row);
        }
    }
    folds.retain(|fold| !fold.is_empty());
    Folds { rows: folds, left_out, parts: components }
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
        let Folds { left_out, rows: folds, parts } = folds(&rows, 3);
        assert_eq!((left_out, folds.len(), parts), (LeftOut::Episodes, FOLDS, 20));
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
        let Folds { left_out, rows: folds, parts } = folds(&rows, 3);
        assert_eq!((left_out, parts), (LeftOut::States, 1));
        assert!(folds.iter().all(|fold| (190..=210).contains(&fold.len())));
    }

    #[test]
    fn so_many_rows_are_enough() {
        let rows: Vec<Row> = (0..3000).flat_map(|e| chain(100 * e, 100)).collect();
        assert_eq!(folds(&rows, 0).rows.iter().map(Vec::len).sum::<usize>(), MOST_ROWS);
    }
}
