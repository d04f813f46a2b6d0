//! Rows whose tokens are ranks, sorted and merged into a sample. O(rows · log out-degree).
//!
//! Rows are sorted by source by counting, then the rows of each state by themselves. States are cut into pieces of about as many rows
//! each, which threads take one at a time; where they are cut depends on the rows alone, so that sums do not depend on the threads.

use rayon::prelude::*;
use std::borrow::Cow;
use std::mem::take;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::builder::{Duplicates, Placement, SampleError};
use super::{DuplicateCounts, Repeats, RewardSample, Vocabulary};
use crate::graph::{Graph, starts, starts_of_sorted};
use crate::run::checkpoint;
use crate::run::parallel;

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
    states: Arc<Vocabulary>,
    actions: Arc<Vocabulary>,
    rows: Rows<'_>,
    duplicates: Duplicates,
) -> Result<(RewardSample, Placement), SampleError> {
    let count = rows.reward.len();
    if count == 0 {
        return Err(SampleError::Empty);
    }
    let (merged, transition) = if is_sorted(&rows) {
        (Merged::from_sorted(rows, states.len()), (0..count as u32).collect())
    } else {
        merge(rows, states.len(), duplicates).map_err(|conflict| {
            let Conflict { source, action, target, rows: [first_row, second_row], rewards: [first, second] } = conflict;
            SampleError::Conflict {
                first_row: first_row as usize,
                second_row: second_row as usize,
                state: states.token(source).to_string(),
                action: actions.token(action).to_string(),
                next_state: states.token(target).to_string(),
                first,
                second,
            }
        })?
    };
    let Merged { out_start, source, target, first, action, reward, averaged, repeats } = merged;
    let transitions = reward.len();
    let duplicates = DuplicateCounts { rows: count, repeated: count - transitions, averaged, policy: duplicates };
    let graph = Graph::new(out_start, source, target, first);
    let occurrences = (transitions < count).then(|| {
        let mut counts = vec![0u32; transitions];
        transition.iter().for_each(|&t: &u32| counts[t as usize] += 1);
        counts
    });
    let sample = RewardSample::of_parts([states, actions], graph, action, reward, (duplicates, repeats));
    let sample = RewardSample { occurrences: occurrences.map(Arc::new), ..sample };
    Ok((sample, Placement { transition }))
}

/// Whether the rows are already in the order of a sample, each transition once.
fn is_sorted(Rows { source, action, target, .. }: &Rows<'_>) -> bool {
    let key = |i: usize| (u64::from(source[i]) << 32 | u64::from(target[i]), action[i]);
    (1..source.len()).all(|i| key(i - 1) < key(i))
}

/// The sorted transitions.
struct Merged {
    /// By state, where its edges start, and how many there are at the end.
    out_start: Vec<u32>,
    /// By edge, as `target` and `first`, the first transition of each; at the end of that, how many there are.
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
    fn from_sorted(rows: Rows<'_>, states: usize) -> Self {
        let (source, target) = (&rows.source, &rows.target);
        let continues = |i: usize| source[i - 1] == source[i] && target[i - 1] == target[i];
        let (source, target, first) = if (1..source.len()).any(continues) {
            let starts = (0..source.len()).filter(|&i| i == 0 || !continues(i)).map(|i| i as u32);
            let first: Vec<u32> = starts.chain([source.len() as u32]).collect();
            let edges = &first[..first.len() - 1];
            let of_edges = |ids: &[u32]| edges.iter().map(|&i| ids[i as usize]).collect::<Vec<u32>>();
            (of_edges(source), of_edges(target), fitting(first))
        } else {
            let first = (0..=source.len() as u32).collect();
            (fitting(owned(rows.source)), fitting(owned(rows.target)), first)
        };
        let mut reward = fitting(owned(rows.reward));
        reward.iter_mut().for_each(|reward| *reward = one_zero(*reward));
        let action = fitting(owned(rows.action));
        let out_start = starts_of_sorted(states, &source);
        Merged { out_start, source, target, first, action, reward, averaged: 0, repeats: Repeats::default() }
    }
}

/// `-0.0 == 0.0`: adding zero gives the two one sign, so that the order of rows cannot show.
fn one_zero(reward: f64) -> f64 {
    reward + 0.0
}

/// Taken over, or copied.
fn owned<T: Copy + Send + Sync>(values: Cow<'_, [T]>) -> Vec<T> {
    match values {
        Cow::Owned(values) => values,
        Cow::Borrowed(values) => parallel::copy(values),
    }
}

/// Without what was reserved for more.
fn fitting<T>(mut values: Vec<T>) -> Vec<T> {
    values.shrink_to_fit();
    values
}

/// So many values are copied whatever is needed of them: a copy of a length that is known beforehand takes a few instructions.
const FEW: usize = 8;

/// A copy of some values, in one of two places.
#[inline]
fn copied<'a, T: Copy>(values: &[T], here: Range<usize>, few: &'a mut [T; FEW], many: &'a mut Vec<T>) -> &'a [T] {
    match values[here.start..].first_chunk() {
        Some(values) if here.len() <= FEW => {
            *few = *values;
            &few[..here.len()]
        }
        _ => {
            many.clear();
            many.extend_from_slice(&values[here]);
            many
        }
    }
}

/// A row among those of one source and one target.
#[derive(Clone, Copy)]
struct Shared {
    action: u32,
    /// Its place among all rows in order of their sources; rows of one source keep their order.
    place: u32,
    reward: f64,
}

/// Two rows that contradict each other under [`Duplicates::Error`].
struct Conflict {
    source: u32,
    action: u32,
    target: u32,
    rows: [u32; 2],
    rewards: [f64; 2],
}

/// Merges rows in any order, and says which transition every row became.
///
/// What is merged takes the places of the rows, so that hardly any memory is needed beside theirs.
fn merge(rows: Rows<'_>, states: usize, duplicates: Duplicates) -> Result<(Merged, Vec<u32>), Conflict> {
    let (rows, row_at, start) = by_source(rows, states);
    let count = rows.reward.len();
    let (mut source, mut target, mut action) = (owned(rows.source), owned(rows.target), owned(rows.action));
    let mut reward = owned(rows.reward);
    // Both have one more at their ends.
    let mut first = vec![0u32; count + 1];
    let mut out_start = vec![0u32; states + 1];
    let transition = parallel::zeros(count);
    let sorting = Sorting { start: &start, row_at: row_at.as_deref(), transition: &transition, duplicates };

    let pieces = pieces(&start);
    let lengths = || pieces.clone().map(|states| rows_of(&start, &states).len());
    let work = (pieces.clone().zip(cut(&mut source, lengths()).zip(cut(&mut target, lengths()))))
        .zip(cut(&mut first, lengths()).zip(cut(&mut out_start, pieces.clone().map(|states| states.len()))))
        .zip(cut(&mut action, lengths()).zip(cut(&mut reward, lengths())))
        .map(|(((states, (source, target)), (first, out_start)), (action, reward))| Piece {
            states,
            out_start,
            source,
            target,
            first,
            action,
            reward,
        });
    let sizes: Vec<Size> = each_piece(work, |piece| piece.merge(&sorting)).into_iter().collect::<Result<_, _>>()?;

    let mut merged = Size::default();
    for (states, size) in pieces.zip(&sizes) {
        let rows = rows_of(&start, &states);
        // Every piece goes on where the one before it ended.
        out_start[states].iter_mut().for_each(|start| *start += merged.edges as u32);
        if merged.edges < rows.start {
            let edges = rows.start..rows.start + size.edges;
            [&mut source, &mut target, &mut first]
                .into_iter()
                .for_each(|of_edges| of_edges.copy_within(edges.clone(), merged.edges));
        }
        let fewer = (rows.start - merged.transitions) as u32;
        if fewer > 0 {
            let transitions = rows.start..rows.start + size.transitions;
            action.copy_within(transitions.clone(), merged.transitions);
            reward.copy_within(transitions, merged.transitions);
            first[merged.edges..merged.edges + size.edges].iter_mut().for_each(|first| *first -= fewer);
            for place in rows {
                let row = sorting.row(place as u32) as usize;
                transition[row].store(transition[row].load(Ordering::Relaxed) - fewer, Ordering::Relaxed);
            }
        }
        merged.add(size);
    }
    out_start[states] = merged.edges as u32;
    first.truncate(merged.edges + 1);
    first[merged.edges] = merged.transitions as u32;
    let edge_list = |mut list: Vec<u32>| {
        list.truncate(merged.edges);
        fitting(list)
    };
    action.truncate(merged.transitions);
    reward.truncate(merged.transitions);
    let (action, reward) = (fitting(action), fitting(reward));
    let transition = transition.into_iter().map(AtomicU32::into_inner).collect();
    let (source, target, first) = (edge_list(source), edge_list(target), fitting(first));
    let Size { averaged, repeats, .. } = merged;
    Ok((Merged { out_start, source, target, first, action, reward, averaged, repeats }, transition))
}

/// The rows in the order of their sources, which row each of them was (`None` where they were in that order already), and where those
/// of every source start. The sources themselves are of no use any more.
fn by_source(rows: Rows<'_>, states: usize) -> (Rows<'_>, Option<Vec<u32>>, Vec<u32>) {
    if rows.source.is_sorted() {
        let start = starts_of_sorted(states, &rows.source);
        return (rows, None, start);
    }
    let start = starts(states, &rows.source);
    let count = rows.source.len();
    let mut row_at = vec![0u32; count];
    let mut next = start.clone();
    for (row, &x) in rows.source.iter().enumerate() {
        let place = &mut next[x as usize];
        row_at[*place as usize] = row as u32;
        *place += 1;
    }
    fn placed<T: Copy + Default + Send + Sync>(values: Cow<'_, [T]>, row_at: &[u32]) -> Cow<'static, [T]> {
        parallel::map(row_at.len(), |place| values[row_at[place] as usize]).into()
    }
    let (target, action) = (placed(rows.target, &row_at), placed(rows.action, &row_at));
    let rows = Rows { source: rows.source, action, target, reward: placed(rows.reward, &row_at) };
    (rows, Some(row_at), start)
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

/// Where the rows of some states lie among those in order of their sources.
fn rows_of(start: &[u32], states: &Range<usize>) -> Range<usize> {
    start[states.start] as usize..start[states.end] as usize
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

/// What all pieces need to know.
struct Sorting<'a> {
    start: &'a [u32],
    row_at: Option<&'a [u32]>,
    /// By row, which transition it became.
    transition: &'a [AtomicU32],
    duplicates: Duplicates,
}

impl Sorting<'_> {
    /// Which row lies at a place in the order of the sources.
    fn row(&self, place: u32) -> u32 {
        self.row_at.map_or(place, |row_at| row_at[place as usize])
    }

    /// Notes which transition the row at a place became.
    #[inline]
    fn set(&self, place: u32, transition: usize) {
        self.transition[self.row(place) as usize].store(transition as u32, Ordering::Relaxed);
    }
}

/// How much is left of some rows, and what they tell of noise.
#[derive(Default)]
struct Size {
    transitions: usize,
    edges: usize,
    /// How many transitions had unequal rewards.
    averaged: usize,
    repeats: Repeats,
}

impl Size {
    fn add(&mut self, other: &Size) {
        self.transitions += other.transitions;
        self.edges += other.edges;
        self.averaged += other.averaged;
        self.repeats.squares += other.repeats.squares;
        self.repeats.freedom += other.repeats.freedom;
        self.repeats.averaged_out += other.repeats.averaged_out;
    }
}

/// The rows of some states, in order of their sources.
struct Piece<'a> {
    states: Range<usize>,
    /// By state.
    out_start: &'a mut [u32],
    source: &'a mut [u32],
    target: &'a mut [u32],
    first: &'a mut [u32],
    action: &'a mut [u32],
    reward: &'a mut [f64],
}

impl Piece<'_> {
    /// Puts what is left of the rows at the beginning of the piece. Transitions are numbered as if every row before the piece were
    /// one.
    fn merge(self, sorting: &Sorting<'_>) -> Result<Size, Conflict> {
        let Piece { states, out_start, source, target, first, action, reward } = self;
        let mut values = Values { averaged: 0, repeats: Repeats::default(), sorted: Vec::new() };
        let before = rows_of(sorting.start, &states).start;
        let (mut transitions, mut edges) = (0, 0);
        // Of one state: its rows in order of their targets (the higher half of a number) and places, and what they hold.
        let mut order: Vec<u64> = Vec::new();
        let (mut few_actions, mut few_rewards) = ([0; FEW], [0.0; FEW]);
        let (mut many_actions, mut many_rewards) = (Vec::new(), Vec::new());
        let mut shared: Vec<Shared> = Vec::new();
        for (x, out_start) in states.zip(out_start) {
            *out_start = edges as u32;
            let places = rows_of(sorting.start, &(x..x + 1));
            let here = places.start - before..places.end - before;
            order.clear();
            order.extend(target[here.clone()].iter().zip(0..).map(|(&target, row)| u64::from(target) << 32 | row));
            order.sort_unstable();
            let actions = copied(action, here.clone(), &mut few_actions, &mut many_actions);
            let rewards = copied(reward, here, &mut few_rewards, &mut many_rewards);

            let target_of = |row: u64| (row >> 32) as u32;
            if order.windows(2).all(|two| target_of(two[0]) != target_of(two[1])) {
                // Every row is a transition and an edge.
                for &row in &order {
                    let place = row as u32 as usize;
                    source[edges] = x as u32;
                    target[edges] = target_of(row);
                    first[edges] = (before + transitions) as u32;
                    sorting.set((places.start + place) as u32, before + transitions);
                    (action[transitions], reward[transitions]) = (actions[place], one_zero(rewards[place]));
                    edges += 1;
                    transitions += 1;
                }
                continue;
            }
            for rows in order.chunk_by(|&a, &b| target_of(a) == target_of(b)) {
                source[edges] = x as u32;
                target[edges] = target_of(rows[0]);
                first[edges] = (before + transitions) as u32;
                edges += 1;
                let row = |row: u64| {
                    let row = row as u32 as usize;
                    Shared { action: actions[row], place: (places.start + row) as u32, reward: rewards[row] }
                };
                if let [only] = rows {
                    let only = row(*only);
                    sorting.set(only.place, before + transitions);
                    (action[transitions], reward[transitions]) = (only.action, one_zero(only.reward));
                    transitions += 1;
                    continue;
                }
                shared.clear();
                shared.extend(rows.iter().map(|&number| row(number)));
                shared.sort_unstable_by_key(|row| (row.action, row.place));
                for group in shared.chunk_by(|a, b| a.action == b.action) {
                    group.iter().for_each(|row| sorting.set(row.place, before + transitions));
                    action[transitions] = group[0].action;
                    reward[transitions] = match group {
                        [only] => one_zero(only.reward),
                        _ => values.merge(group, sorting.duplicates).map_err(|two| Conflict {
                            source: x as u32,
                            action: group[0].action,
                            target: target_of(rows[0]),
                            rows: two.map(|row| sorting.row(row.place)),
                            rewards: two.map(|row| row.reward),
                        })?,
                    };
                    transitions += 1;
                }
            }
        }
        Ok(Size { transitions, edges, averaged: values.averaged, repeats: values.repeats })
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
    fn merge(&mut self, group: &[Shared], duplicates: Duplicates) -> Result<f64, [Shared; 2]> {
        let first = group[0].reward;
        self.repeats.freedom += group.len() - 1;
        if duplicates == Duplicates::Mean {
            self.repeats.averaged_out += 1.0 - 1.0 / group.len() as f64;
        }
        let Some(unequal) = group.iter().find(|row| row.reward != first) else {
            return Ok(one_zero(first));
        };
        self.averaged += 1;
        self.sorted.clear();
        self.sorted.extend(group.iter().map(|row| row.reward));
        // Sorted, so that sums do not depend on the order of the rows.
        self.sorted.sort_unstable_by(f64::total_cmp);
        let mean = self.sorted.iter().sum::<f64>() / self.sorted.len() as f64;
        self.repeats.squares += self.sorted.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        match duplicates {
            Duplicates::First => Ok(first),
            Duplicates::Last => Ok(group[group.len() - 1].reward),
            Duplicates::Error => Err([group[0], *unequal]),
            Duplicates::Mean => Ok(mean),
        }
    }
}

#[cfg(test)]
mod tests;
