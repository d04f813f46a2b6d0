//! Rows whose tokens are ranks, sorted and merged into a sample. O(rows · log out-degree).
//!
//! Rows are sorted by source by counting, then the rows of each state by themselves. States are cut into pieces of about as many rows
//! each, which threads take one at a time; where they are cut depends on the rows alone, so that sums do not depend on the threads.

use rayon::prelude::*;
use std::borrow::Cow;
use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::builder::{Duplicates, Placement, SampleError};
use super::{DuplicateCounts, Repeats, RewardSample, Vocabulary};
use crate::cancel::checkpoint;
use crate::graph::{Graph, starts};

/// About so many rows are a piece.
const PIECE: usize = 1 << 15;

/// Rows whose tokens are ranks in their vocabularies. What is owned is taken over.
pub(super) struct Rows<'a> {
    pub source: Cow<'a, [u32]>,
    pub action: Cow<'a, [u32]>,
    pub target: Cow<'a, [u32]>,
    pub reward: Cow<'a, [f64]>,
}

/// Sorts and merges the rows.
pub(super) fn assemble(
    states: Vocabulary,
    actions: Vocabulary,
    rows: Rows<'_>,
    duplicates: Duplicates,
) -> Result<(RewardSample, Placement), SampleError> {
    let count = rows.reward.len();
    if count == 0 {
        return Err(SampleError::Empty);
    }
    let (merged, transition) = if is_sorted(&rows) {
        (Merged::from_sorted(rows), (0..count as u32).collect())
    } else {
        merge(rows, states.len(), duplicates).map_err(|conflict| {
            let Conflict { source, key, rows: [first_row, second_row], rewards: [first, second] } = conflict;
            SampleError::Conflict {
                first_row: first_row as usize,
                second_row: second_row as usize,
                state: states.token(source).to_string(),
                action: actions.token(key as u32).to_string(),
                next_state: states.token((key >> 32) as u32).to_string(),
                first,
                second,
            }
        })?
    };
    let Merged { source, target, first, action, reward, averaged, repeats } = merged;
    let transitions = reward.len();
    let duplicates = DuplicateCounts { rows: count, repeated: count - transitions, averaged };
    let graph = Graph::new(states.len(), source, target, first, transitions);
    let sample = RewardSample { states, actions, graph, action, reward, duplicates, repeats, unsampled: None };
    Ok((sample, Placement { transition }))
}

/// Whether the rows are already in the order of a sample, each transition once.
fn is_sorted(Rows { source, action, target, .. }: &Rows<'_>) -> bool {
    let key = |i: usize| (u64::from(source[i]) << 32 | u64::from(target[i]), action[i]);
    (1..source.len()).all(|i| key(i - 1) < key(i))
}

/// The sorted transitions.
struct Merged {
    /// By edge, as `target` and `first`, the first transition of each.
    source: Vec<u32>,
    target: Vec<u32>,
    first: Vec<u32>,
    action: Vec<u32>,
    reward: Vec<f64>,
    averaged: usize,
    repeats: Repeats,
}

impl Merged {
    /// Of rows that are sorted and distinct.
    fn from_sorted(rows: Rows<'_>) -> Self {
        let (source, target) = (&rows.source, &rows.target);
        let continues = |i: usize| source[i - 1] == source[i] && target[i - 1] == target[i];
        let (source, target, first) = if (1..source.len()).any(continues) {
            let first: Vec<u32> = (0..source.len()).filter(|&i| i == 0 || !continues(i)).map(|i| i as u32).collect();
            let of_edges = |ids: &[u32]| first.iter().map(|&i| ids[i as usize]).collect::<Vec<u32>>();
            (of_edges(source), of_edges(target), first)
        } else {
            let mut first = Vec::with_capacity(source.len() + 1);
            first.extend(0..source.len() as u32);
            (fitting(rows.source.into_owned()), fitting(rows.target.into_owned()), first)
        };
        let mut reward = fitting(rows.reward.into_owned());
        reward.iter_mut().for_each(|reward| *reward = one_zero(*reward));
        let action = fitting(rows.action.into_owned());
        Merged { source, target, first, action, reward, averaged: 0, repeats: Repeats::default() }
    }
}

/// `-0.0 == 0.0`: adding zero gives the two one sign, so that the order of rows cannot show.
fn one_zero(reward: f64) -> f64 {
    reward + 0.0
}

/// Without what was reserved for more.
fn fitting<T>(mut values: Vec<T>) -> Vec<T> {
    values.shrink_to_fit();
    values
}

/// A row with what it is sorted by within its source state: next state (high half), then action.
#[derive(Clone, Copy, Default)]
struct Keyed {
    key: u64,
    row: u32,
}

impl Keyed {
    fn new(target: u32, action: u32, row: usize) -> Self {
        Keyed { key: u64::from(target) << 32 | u64::from(action), row: row as u32 }
    }

    fn target(&self) -> u64 {
        self.key >> 32
    }
}

/// Two rows that contradict each other under [`Duplicates::Error`].
struct Conflict {
    source: u32,
    key: u64,
    rows: [u32; 2],
    rewards: [f64; 2],
}

/// Merges rows in any order, and says which transition every row became.
fn merge(rows: Rows<'_>, states: usize, duplicates: Duplicates) -> Result<(Merged, Vec<u32>), Conflict> {
    let start = starts(states, &rows.source);
    let mut keyed = by_source(&rows, &start);
    let pieces = pieces(&start);
    let sizes =
        each_piece(pieces.clone().zip(cut(&mut keyed, pieces.clone().map(|states| rows_of(&start, &states)))), {
            |(states, keyed)| sort_piece(&start, states, keyed)
        });
    let (transitions, edges) = sizes.iter().fold((0, 0), |all, size| (all.0 + size.0, all.1 + size.1));

    // What was sorted by lies in `keyed`, so that its memory is free for the result.
    let Rows { source, action, target, reward } = rows;
    let mut source = space(source, edges);
    let mut target = space(target, edges);
    let mut first = vec![0u32; edges + 1];
    first.pop();
    let mut action = space(action, transitions);
    let mut merged_reward = vec![0.0; transitions];
    let transition: Vec<AtomicU32> = (0..reward.len()).map(|_| AtomicU32::new(0)).collect();
    let by_edge = || sizes.iter().map(|size| size.1);
    let by_transition = || sizes.iter().map(|size| size.0);
    let mut next = 0u32;
    let filled = (pieces.zip(by_transition()))
        .zip(cut(&mut source, by_edge()).zip(cut(&mut target, by_edge())).zip(cut(&mut first, by_edge())))
        .zip(cut(&mut action, by_transition()).zip(cut(&mut merged_reward, by_transition())))
        .map(|(((states, transitions), ((source, target), first)), (action, reward))| {
            next += transitions as u32;
            Piece { states, number: next - transitions as u32, source, target, first, action, reward }
        });
    let filled = each_piece(filled, |piece| piece.fill(&start, &keyed, &reward, duplicates, &transition));
    let (mut averaged, mut repeats) = (0, Repeats::default());
    for piece in filled {
        let (of_piece, repeated) = piece?;
        averaged += of_piece;
        repeats.squares += repeated.squares;
        repeats.freedom += repeated.freedom;
        repeats.averaged_out += repeated.averaged_out;
    }
    let merged = Merged { source, target, first, action, reward: merged_reward, averaged, repeats };
    Ok((merged, transition.into_iter().map(AtomicU32::into_inner).collect()))
}

/// The rows in the order of their sources.
fn by_source(Rows { source, action, target, .. }: &Rows<'_>, start: &[u32]) -> Vec<Keyed> {
    let of_row = |row: usize| Keyed::new(target[row], action[row], row);
    if source.is_sorted() {
        return match source.len() {
            rows if rows <= PIECE => (0..rows).map(of_row).collect(),
            rows => (0..rows).into_par_iter().with_min_len(PIECE).map(of_row).collect(),
        };
    }
    let mut keyed = vec![Keyed::default(); source.len()];
    let mut next = start.to_vec();
    for (row, &x) in source.iter().enumerate() {
        let place = &mut next[x as usize];
        keyed[*place as usize] = of_row(row);
        *place += 1;
    }
    keyed
}

/// Ranges of states that hold about [`PIECE`] rows each.
fn pieces(start: &[u32]) -> impl Iterator<Item = Range<usize>> + Clone {
    let states = start.len() - 1;
    let mut from = 0;
    std::iter::from_fn(move || {
        let until = start[from] as usize + PIECE;
        let to = (from + start[from..].partition_point(|&at| (at as usize) < until)).min(states);
        (from < states).then(|| std::mem::replace(&mut from, to)..to)
    })
}

fn rows_of(start: &[u32], states: &Range<usize>) -> usize {
    (start[states.end] - start[states.start]) as usize
}

/// Cuts a slice into pieces of these lengths.
fn cut<T>(mut rest: &mut [T], lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = &mut [T]> {
    lengths.map(move |length| {
        let (piece, after) = take(&mut rest).split_at_mut(length);
        rest = after;
        piece
    })
}

/// Does something with every piece, on all threads if there are several.
fn each_piece<P: Send, T: Send>(pieces: impl Iterator<Item = P>, work: impl Fn(P) -> T + Sync + Send) -> Vec<T> {
    let mut pieces: Vec<P> = pieces.collect();
    let work = |piece| {
        checkpoint();
        work(piece)
    };
    match pieces.len() {
        0 | 1 => pieces.pop().into_iter().map(work).collect(),
        _ => pieces.into_par_iter().map(work).collect(),
    }
}

/// Sorts the rows of each of some states, and counts their transitions and edges.
fn sort_piece(start: &[u32], states: Range<usize>, keyed: &mut [Keyed]) -> (usize, usize) {
    let (mut transitions, mut edges) = (0, 0);
    for rows in cut(keyed, states.map(|x| (start[x + 1] - start[x]) as usize)) {
        rows.sort_unstable_by_key(|k| (k.key, k.row));
        if let Some(last) = rows.last() {
            let (mut key, mut target) = (!last.key, !last.target());
            for row in rows.iter() {
                transitions += usize::from(row.key != key);
                edges += usize::from(row.target() != target);
                (key, target) = (row.key, row.target());
            }
        }
    }
    (transitions, edges)
}

/// Room for so many ids, in the memory that is there.
fn space(ids: Cow<'_, [u32]>, count: usize) -> Vec<u32> {
    match ids {
        Cow::Borrowed(_) => vec![0; count],
        Cow::Owned(mut ids) => {
            ids.truncate(count);
            fitting(ids)
        }
    }
}

/// The part of the result that some states have.
struct Piece<'a> {
    states: Range<usize>,
    /// The number of its first transition.
    number: u32,
    source: &'a mut [u32],
    target: &'a mut [u32],
    first: &'a mut [u32],
    action: &'a mut [u32],
    reward: &'a mut [f64],
}

impl Piece<'_> {
    /// Fills it in; the result is how many transitions had unequal rewards, and what they tell of noise.
    fn fill(
        self,
        start: &[u32],
        keyed: &[Keyed],
        reward: &[f64],
        duplicates: Duplicates,
        transition: &[AtomicU32],
    ) -> Result<(usize, Repeats), Conflict> {
        let mut values = Values { averaged: 0, repeats: Repeats::default(), sorted: Vec::new() };
        let (mut index, mut edge) = (0, 0);
        for x in self.states {
            let of_state = &keyed[start[x] as usize..start[x + 1] as usize];
            let mut target = None;
            for group in of_state.chunk_by(|a, b| a.key == b.key) {
                let number = self.number + index as u32;
                group.iter().for_each(|keyed| transition[keyed.row as usize].store(number, Ordering::Relaxed));
                let key = group[0].key;
                if target.replace(group[0].target()) != Some(group[0].target()) {
                    self.source[edge] = x as u32;
                    self.target[edge] = group[0].target() as u32;
                    self.first[edge] = number;
                    edge += 1;
                }
                self.action[index] = key as u32;
                self.reward[index] = match group {
                    [only] => one_zero(reward[only.row as usize]),
                    _ => values.merge(group, reward, duplicates).map_err(|rows| Conflict {
                        source: x as u32,
                        key,
                        rows,
                        rewards: rows.map(|row| reward[row as usize]),
                    })?,
                };
                index += 1;
            }
        }
        Ok((values.averaged, values.repeats))
    }
}

/// What is noted while rewards are merged.
struct Values {
    averaged: usize,
    repeats: Repeats,
    sorted: Vec<f64>,
}

impl Values {
    /// The one reward of a group of rows, or two rows that contradict each other.
    fn merge(&mut self, group: &[Keyed], reward: &[f64], duplicates: Duplicates) -> Result<f64, [u32; 2]> {
        let first = reward[group[0].row as usize];
        self.repeats.freedom += group.len() - 1;
        if duplicates == Duplicates::Mean {
            self.repeats.averaged_out += 1.0 - 1.0 / group.len() as f64;
        }
        let Some(unequal) = group.iter().find(|k| reward[k.row as usize] != first) else {
            return Ok(one_zero(first));
        };
        self.averaged += 1;
        self.sorted.clear();
        self.sorted.extend(group.iter().map(|k| reward[k.row as usize]));
        // Sorted, so that sums do not depend on the order of the rows.
        self.sorted.sort_unstable_by(f64::total_cmp);
        let mean = self.sorted.iter().sum::<f64>() / self.sorted.len() as f64;
        self.repeats.squares += self.sorted.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        match duplicates {
            Duplicates::First => Ok(first),
            Duplicates::Last => Ok(reward[group[group.len() - 1].row as usize]),
            Duplicates::Error => Err([group[0].row, unequal.row]),
            Duplicates::Mean => Ok(mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Key = (u32, u32, u32);

    /// Sorting, merging and counting the plainest way.
    fn literally(rows: &[(u32, u32, u32, f64)]) -> (Vec<Key>, Vec<f64>, Vec<u32>) {
        let mut keys: Vec<_> = rows.iter().map(|&(s, a, t, _)| (s, t, a)).collect();
        keys.sort_unstable();
        keys.dedup();
        let place: Vec<u32> = rows.iter().map(|&(s, a, t, _)| keys.binary_search(&(s, t, a)).unwrap() as u32).collect();
        let mut values = vec![Vec::new(); keys.len()];
        rows.iter().zip(&place).for_each(|(row, &place)| values[place as usize].push(row.3));
        let mean = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            values.iter().sum::<f64>() / values.len() as f64
        };
        (keys, values.into_iter().map(mean).collect(), place)
    }

    #[test]
    fn many_pieces_are_one_sample_on_any_number_of_threads() {
        // Rewards are small integers over 2, so that means are exact where rewards are equal.
        let draw = |i: u32| i.wrapping_mul(2_654_435_761).rotate_right(13);
        for (states, grouped) in [(700, false), (700, true), (3, false)] {
            let mut rows: Vec<(u32, u32, u32, f64)> = (0..100_000)
                .map(|i| (draw(i) % states, draw(i + 7) % 3, draw(3 * i + 1) % states, f64::from(draw(i) % 5) / 2.0))
                .chain((0..states).map(|s| (s, 0, s, 0.5)))
                .collect();
            if grouped {
                rows.sort_by_key(|row| row.0);
            }
            let column = |of: fn(&(u32, u32, u32, f64)) -> u32| rows.iter().map(of).collect::<Vec<u32>>();
            let (s, a, t) = (column(|row| row.0), column(|row| row.1), column(|row| row.2));
            let r: Vec<f64> = rows.iter().map(|row| row.3).collect();
            let (keys, values, place) = literally(&rows);
            let mut noise = None;
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (sample, placement) =
                    pool.install(|| RewardSample::from_ids(&s, &a, &t, &r, Duplicates::Mean)).unwrap();
                assert_eq!(sample.ids().map(|(s, a, t)| (s, t, a)).collect::<Vec<_>>(), keys);
                assert_eq!(sample.rewards(), values);
                assert_eq!(placement.transition, place);
                let repeats = *noise.get_or_insert(sample.repeats);
                assert_eq!(repeats.squares.to_bits(), sample.repeats.squares.to_bits());
                assert_eq!(repeats, sample.repeats);
                assert_eq!(repeats.freedom, rows.len() - keys.len());
            }
        }
    }
}
