//! Samples as bytes: to keep them, and to hand them to other processes.
//!
//! All numbers little-endian, lengths and counts as u64:
//!
//! - 8 bytes `SRRDsamp`, the version (u32)
//! - the vocabularies of states and actions: numbers of integers, texts and feature tuples, and the length of a tuple; the integers
//!   (i64); where every text ends (u64), and the texts; the features (f64)
//! - the graph: numbers of edges and transitions; how many edges leave every state (u32); where every edge leads (u32); how many
//!   transitions every edge has (u32), unless all have one
//! - the action (u32) and the reward (f64) of every transition
//! - what was merged: rows, repeated, averaged, how (u8: mean, first, last, error); squares (f64), freedom, averaged out (f64)
//! - what counts for unsampled transitions: 0 nothing, 1 linear regression, 2 a tree (depth, least leaf), 3 a table of pairs of
//!   states and 4 one of transitions (their rewards, f64)
//! - which transitions end an episode: 0 unknown, 1 none, 2 all, 3 some (u8 each); how many had rows of both kinds
//! - 0 if every transition had one row, else 1 and how many every transition had (u32)
//! - a checksum (u64) of everything before it
//!
//! Reading trusts nothing: lengths are held against the bytes that are there before memory is taken, and everything that a
//! [`RewardSample`] promises is checked. O(bytes).

use std::sync::Arc;

use thiserror::Error;

use super::texts::Texts;
use super::token::{Kind, compare_features};
use super::{DuplicateCounts, Duplicates, Ends, LARGEST_REWARD, Repeats, RewardSample, Token, Vocabulary};
use crate::graph::{Graph, starts_of_sorted};
use crate::regress::{RewardTable, Unsampled};
use crate::settings::{Choice, Regression, TreeLimits};

const MAGIC: &[u8; 8] = b"SRRDsamp";
const VERSION: u32 = 3;

/// Why bytes are no sample.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesError {
    /// They start otherwise than samples do.
    #[error("these bytes are no reward sample: they do not start with {}", MAGIC.escape_ascii())]
    NotASample,
    /// They were written by another version of this library.
    #[error(
        "the sample has version {found} of its form, and only version {VERSION} can be read: write it again with this version"
    )]
    Version {
        /// The version.
        found: u32,
    },
    /// The checksum does not agree with the bytes.
    #[error("the bytes of the sample are damaged or not all there: their checksum is wrong")]
    Damaged,
    /// The checksum agrees, but the bytes do not say what a sample says.
    #[error("the bytes are no valid sample: {0}")]
    Invalid(&'static str),
}

impl RewardSample {
    /// The sample as bytes, for [`from_bytes`](Self::from_bytes): on any machine, but in the same version of the form.
    /// About 20 bytes per transition, and the tokens.
    ///
    /// ```
    /// use srrd::{Duplicates, RewardSample};
    /// let sample = RewardSample::from_rows([("home", "walk", "park", 1.0)], Duplicates::Mean)?;
    /// assert_eq!(RewardSample::from_bytes(&sample.to_bytes())?, sample);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = 128 + 4 * self.states.len() + 8 * self.graph.edges() + 12 * self.len();
        let mut out = Writer { held: Vec::with_capacity(size), most: usize::MAX, each: |_: &[u8]| () };
        self.write(&mut out);
        let mut bytes = out.held;
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Shows `each` the bytes, but for the checksum, in pieces: for who only looks at them, so that they are never there as a whole.
    pub(crate) fn each_of_bytes(&self, each: impl FnMut(&[u8])) {
        let mut out = Writer { held: Vec::with_capacity(PIECE + 8), most: PIECE, each };
        self.write(&mut out);
        let Writer { held, mut each, .. } = out;
        each(&held);
    }

    fn write(&self, out: &mut Writer<impl FnMut(&[u8])>) {
        let graph = &self.graph;
        out.put(MAGIC);
        out.put(&VERSION.to_le_bytes());
        out.vocabulary(&self.states);
        out.vocabulary(&self.actions);
        out.count(graph.edges());
        out.count(self.len());
        graph.row_starts().windows(2).for_each(|pair| out.id(pair[1] - pair[0]));
        graph.targets().iter().for_each(|&y| out.id(y));
        if graph.edges() < self.len() {
            (0..graph.edges()).for_each(|e| out.id(graph.multiplicity(e)));
        }
        self.action.iter().for_each(|&u| out.id(u));
        self.reward.iter().for_each(|&r| out.number(r));
        let DuplicateCounts { rows, repeated, averaged, policy } = self.duplicates;
        [rows, repeated, averaged].into_iter().for_each(|n| out.count(n));
        out.put(&[policy as u8]);
        out.number(self.repeats.squares);
        out.count(self.repeats.freedom);
        out.number(self.repeats.averaged_out);
        match &self.unsampled {
            None => out.put(&[0]),
            Some(Unsampled::Fitted(Regression::Linear)) => out.put(&[1]),
            Some(Unsampled::Fitted(Regression::Tree(limits))) => {
                out.put(&[2]);
                out.count(limits.max_depth());
                out.count(limits.min_leaf());
            }
            Some(Unsampled::Table(table)) => {
                out.put(&[if table.actions().is_some() { 4 } else { 3 }]);
                table.values().iter().for_each(|&r| out.number(r));
            }
        }
        let (kind, marks, disagreeing) = self.ends.parts();
        out.put(&[kind]);
        marks.iter().for_each(|&ends| out.put(&[u8::from(ends)]));
        out.count(disagreeing);
        out.put(&[u8::from(self.occurrences.is_some())]);
        self.occurrences.iter().flat_map(|counts| counts.iter()).for_each(|&count| out.id(count));
    }

    /// The sample that [`to_bytes`](Self::to_bytes) wrote. Any bytes can be given: what is no sample is an error.
    ///
    /// # Errors
    /// When the bytes are not those of a sample, or not in the form of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BytesError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(BytesError::NotASample)?;
        let (version, _) = rest.split_first_chunk().ok_or(BytesError::Damaged)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(BytesError::Version { found });
        }
        let (content, sum) = bytes.split_last_chunk().ok_or(BytesError::Damaged)?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err(BytesError::Damaged);
        }
        let mut reader = Reader(content.get(MAGIC.len() + version.len()..).ok_or(BytesError::Damaged)?);
        let sample = reader.sample()?;
        check(reader.0.is_empty(), "there are bytes beyond its end")?;
        Ok(sample)
    }
}

/// Eight bytes at a time, so that it takes a fraction of the time that reading does; not meant against forgery.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(FACTOR ^ bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let sum = rest.iter().fold(sum, |sum, &byte| mix(sum, u64::from(byte)));
    mix(sum ^ sum >> 32, FACTOR)
}

/// About so many bytes are shown at a time.
const PIECE: usize = 1 << 16;

struct Writer<F> {
    held: Vec<u8>,
    /// So many are handed on.
    most: usize,
    each: F,
}

impl<F: FnMut(&[u8])> Writer<F> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= self.most {
            (self.each)(&self.held);
            self.held.clear();
        }
    }

    #[inline]
    fn count(&mut self, value: usize) {
        self.put(&(value as u64).to_le_bytes());
    }

    #[inline]
    fn id(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    #[inline]
    fn number(&mut self, value: f64) {
        self.put(&value.to_le_bytes());
    }

    fn vocabulary(&mut self, vocabulary: &Vocabulary) {
        let Vocabulary { ints, texts, features, arity } = vocabulary;
        let tuples = features.len().checked_div(*arity).unwrap_or(0);
        [ints.len(), texts.len(), tuples, *arity].into_iter().for_each(|n| self.count(n));
        ints.iter().for_each(|int| self.put(&int.to_le_bytes()));
        let mut end = 0;
        for index in 0..texts.len() {
            end += texts.bytes_of(index).len();
            self.count(end);
        }
        (0..texts.len()).for_each(|index| self.put(texts.bytes_of(index)));
        features.iter().for_each(|&value| self.number(value));
    }
}

fn check(holds: bool, else_: &'static str) -> Result<(), BytesError> {
    if holds { Ok(()) } else { Err(BytesError::Invalid(else_)) }
}

const SHORT: &str = "it ends too early";

/// What is still to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], BytesError> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or(BytesError::Invalid(SHORT))?;
        self.0 = rest;
        Ok(taken)
    }

    /// So many elements of N bytes each, which must all be there before memory is taken for them.
    fn list<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Result<Vec<T>, BytesError> {
        let bytes = self.take(count.checked_mul(N).ok_or(BytesError::Invalid(SHORT))?)?;
        Ok(bytes.as_chunks::<N>().0.iter().map(|&chunk| read(chunk)).collect())
    }

    fn one<const N: usize>(&mut self) -> Result<[u8; N], BytesError> {
        let (one, rest) = self.0.split_first_chunk().ok_or(BytesError::Invalid(SHORT))?;
        self.0 = rest;
        Ok(*one)
    }

    fn count(&mut self) -> Result<usize, BytesError> {
        usize::try_from(u64::from_le_bytes(self.one()?)).map_err(|_| BytesError::Invalid("a count is too large"))
    }

    fn number(&mut self) -> Result<f64, BytesError> {
        Ok(f64::from_le_bytes(self.one()?))
    }

    fn sample(&mut self) -> Result<RewardSample, BytesError> {
        let (states, actions) = (self.vocabulary()?, self.vocabulary()?);
        let (edges, transitions) = (self.count()?, self.count()?);
        check(0 < edges && edges <= transitions, "the numbers of edges and transitions do not fit")?;
        check(transitions < u32::MAX as usize, "there are too many transitions")?;
        let degrees = self.list(states.len(), u32::from_le_bytes)?;
        let target = self.list(edges, u32::from_le_bytes)?;
        let multiplicity = match edges == transitions {
            true => None,
            false => Some(self.list(edges, u32::from_le_bytes)?),
        };
        let source = sources(&degrees, &target)?;
        let first = firsts(multiplicity.as_deref(), edges, transitions)?;
        let action = self.list(transitions, u32::from_le_bytes)?;
        check_actions(&action, &first, actions.len())?;
        check(actions.len() == distinct(&action, actions.len()), "an action has no transition")?;
        let reward = self.list(transitions, f64::from_le_bytes)?;
        // Not a number is never at most anything.
        check(reward.iter().all(|r| r.abs() <= LARGEST_REWARD), "a reward is not a finite number, or too large")?;
        let graph = Graph::new(starts_of_sorted(states.len(), &source), source, target, first);
        let met = (0..states.len() as u32).all(|x| graph.is_initial(x) || graph.is_subsequent(x));
        check(met, "a state has no transition")?;
        let (duplicates, repeats) = self.merged(transitions)?;
        let unsampled = self.unsampled(&states, actions.len())?;
        let vocabularies = [states, actions].map(Arc::new);
        let ends = self.ends(transitions)?;
        let occurrences = match self.one::<1>()? {
            [0] => None,
            _ => Some(self.list(transitions, u32::from_le_bytes)?),
        };
        check(occurrences.iter().flatten().all(|&count| count > 0), "a transition had no row")?;
        let sample = RewardSample::of_parts(vocabularies, graph, action, reward, (duplicates, repeats));
        Ok(RewardSample { unsampled, ends, occurrences: occurrences.map(Arc::new), ..sample })
    }

    fn ends(&mut self, transitions: usize) -> Result<Ends, BytesError> {
        let [kind] = self.one()?;
        let marks = self.list(if kind == 3 { transitions } else { 0 }, |[mark]: [u8; 1]| mark)?;
        check(marks.iter().all(|mark| *mark < 2), "a mark of an end is neither 0 nor 1")?;
        let marks = marks.into_iter().map(|mark| mark == 1).collect();
        let disagreeing = self.count()?;
        check(disagreeing <= transitions, "more transitions disagree about ends than there are")?;
        Ends::of_parts(kind, marks, disagreeing).ok_or(BytesError::Invalid("there is no such kind of ends"))
    }

    fn vocabulary(&mut self) -> Result<Vocabulary, BytesError> {
        let [ints, texts, tuples, arity] = [self.count()?, self.count()?, self.count()?, self.count()?];
        let tokens = ints.checked_add(texts).and_then(|n| n.checked_add(tuples));
        check(tokens.is_some_and(|n| n < u32::MAX as usize), "there are too many tokens")?;
        check((tuples == 0) == (arity == 0), "feature tuples have no length, or a length without tuples")?;
        let ints = self.list(ints, i64::from_le_bytes)?;
        check(ints.is_sorted_by(|a, b| a < b), "tokens are not sorted")?;
        let texts = self.texts(texts)?;
        let cells = tuples.checked_mul(arity).ok_or(BytesError::Invalid(SHORT))?;
        let features: Vec<f64> = self.list(cells, |bytes| f64::from_le_bytes(bytes) + 0.0)?;
        check(features.iter().all(|value| value.is_finite()), "a feature is not a finite number")?;
        let sorted = features.chunks(arity.max(1)).is_sorted_by(|a, b| compare_features(a, b).is_lt());
        check(sorted, "tokens are not sorted")?;
        Ok(Vocabulary { ints, texts, features: features.into(), arity })
    }

    fn texts(&mut self, count: usize) -> Result<Texts, BytesError> {
        let ends: Vec<u64> = self.list(count, u64::from_le_bytes)?;
        check(ends.is_sorted(), "texts overlap")?;
        let length = usize::try_from(ends.last().copied().unwrap_or(0)).map_err(|_| BytesError::Invalid(SHORT))?;
        let bytes = std::str::from_utf8(self.take(length)?).map_err(|_| BytesError::Invalid("a text is not UTF-8"))?;
        // None is larger than the last, which is the length of what is there.
        check(u32::try_from(length).is_ok(), "the texts are longer than 4 GiB")?;
        let mut texts = Texts::default();
        let mut start = 0;
        for end in ends {
            let text = bytes.get(start..end as usize).ok_or(BytesError::Invalid("a text is not UTF-8"))?;
            texts.push(text);
            start = end as usize;
        }
        let sorted = (1..count).all(|i| texts.get(i - 1) < texts.get(i));
        check(sorted, "tokens are not sorted")?;
        let plain = (0..count).all(|i| matches!(Token::text(texts.get(i)).0, Kind::Text(_)));
        check(plain, "an integer is written as a text")?;
        Ok(texts)
    }

    fn merged(&mut self, transitions: usize) -> Result<(DuplicateCounts, Repeats), BytesError> {
        let [rows, repeated, averaged] = [self.count()?, self.count()?, self.count()?];
        let [policy] = self.one()?;
        let policy = Duplicates::ALL.get(usize::from(u8::from_le_bytes([policy]))).copied();
        let policy = policy.ok_or(BytesError::Invalid("nobody knows how it was merged"))?;
        let (squares, freedom, averaged_out) = (self.number()?, self.count()?, self.number()?);
        let counted = rows.checked_sub(transitions) == Some(repeated) && averaged <= transitions.min(repeated);
        let finite = squares.is_finite() && squares >= 0.0 && (0.0..=freedom as f64).contains(&averaged_out);
        check(counted && finite && freedom <= repeated, "what was merged does not add up")?;
        Ok((DuplicateCounts { rows, repeated, averaged, policy }, Repeats { squares, freedom, averaged_out }))
    }

    fn unsampled(&mut self, states: &Vocabulary, actions: usize) -> Result<Option<Unsampled>, BytesError> {
        let regression = match self.one::<1>()? {
            [0] => return Ok(None),
            [1] => Regression::Linear,
            [2] => {
                let limits = TreeLimits::new(self.count()?, self.count()?);
                Regression::Tree(limits.map_err(|_| BytesError::Invalid("the leaves of a tree are empty"))?)
            }
            [3] => return self.table(states.len(), None),
            [4] => return self.table(states.len(), Some(actions)),
            _ => return Err(BytesError::Invalid("it predicts in a way that is not known")),
        };
        check(states.all_features().is_some(), "it predicts from features that there are not")?;
        Ok(Some(Unsampled::Fitted(regression)))
    }

    fn table(&mut self, states: usize, actions: Option<usize>) -> Result<Option<Unsampled>, BytesError> {
        let cells = states.checked_mul(states).and_then(|pairs| pairs.checked_mul(actions.unwrap_or(1)));
        let values = self.list(cells.ok_or(BytesError::Invalid(SHORT))?, f64::from_le_bytes)?;
        let table = match actions {
            None => RewardTable::marginal(states, values),
            Some(actions) => RewardTable::joint(states, actions, values),
        };
        let wrong = BytesError::Invalid("a reward of the table is not a finite number, or too large");
        Ok(Some(Unsampled::Table(table.map_err(|_| wrong)?)))
    }
}

/// The source of every edge; targets must ascend within a row.
fn sources(degrees: &[u32], target: &[u32]) -> Result<Vec<u32>, BytesError> {
    const WRONG: &str = "the edges are not those of the states";
    let mut source = Vec::with_capacity(target.len());
    for (x, &degree) in (0u32..).zip(degrees) {
        let row = source.len()..source.len() + degree as usize;
        let row = target.get(row).ok_or(BytesError::Invalid(WRONG))?;
        check(row.is_sorted_by(|a, b| a < b), WRONG)?;
        check(row.last().is_none_or(|&y| (y as usize) < degrees.len()), WRONG)?;
        source.resize(source.len() + row.len(), x);
    }
    check(source.len() == target.len(), WRONG)?;
    Ok(source)
}

/// The first transition of every edge.
fn firsts(multiplicity: Option<&[u32]>, edges: usize, transitions: usize) -> Result<Vec<u32>, BytesError> {
    let Some(multiplicity) = multiplicity else { return Ok((0..=edges as u32).collect()) };
    const WRONG: &str = "the transitions are not those of the edges";
    let mut first = Vec::with_capacity(edges + 1);
    let mut next = 0u64;
    for &count in multiplicity {
        check(count > 0, WRONG)?;
        first.push(next as u32);
        next += u64::from(count);
        check(next <= transitions as u64, WRONG)?;
    }
    check(next == transitions as u64, WRONG)?;
    first.push(next as u32);
    Ok(first)
}

/// Actions must be there, and ascend within an edge.
fn check_actions(action: &[u32], first: &[u32], actions: usize) -> Result<(), BytesError> {
    check(action.iter().all(|&u| (u as usize) < actions), "there is no such action")?;
    if first.len() == action.len() + 1 {
        return Ok(());
    }
    let of_edge = |bounds: &[u32]| &action[bounds[0] as usize..bounds[1] as usize];
    let sorted = first.windows(2).all(|bounds| of_edge(bounds).is_sorted_by(|a, b| a < b));
    check(sorted, "the actions of an edge are not sorted")
}

fn distinct(ids: &[u32], most: usize) -> usize {
    let mut met = vec![false; most];
    ids.iter().for_each(|&id| met[id as usize] = true);
    met.iter().filter(|met| **met).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_bytes() {
        for count in [3i64, 20_000] {
            let rows = (0..count).map(|i| (i % 97, i % 7, i, i as f64));
            let sample = RewardSample::from_rows(rows, Duplicates::Mean).unwrap();
            let (mut pieces, mut bytes) = (0, Vec::new());
            sample.each_of_bytes(|piece| {
                assert!(piece.len() <= PIECE + 8);
                pieces += 1;
                bytes.extend_from_slice(piece);
            });
            let whole = sample.to_bytes();
            assert_eq!(bytes, whole[..whole.len() - 8]);
            assert_eq!(pieces, 1 + bytes.len() / PIECE);
        }
    }
}
