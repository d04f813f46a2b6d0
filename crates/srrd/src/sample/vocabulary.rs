//! Tokens interned to integers: to provisional ids as they appear, then, once all are known, to their ranks in sorted order.

use hashbrown::HashTable;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::Arc;

use super::texts::Texts;
use super::token::{Kind, Token, compare_features};
use crate::run::parallel;

/// Integers from 0 up to here are their own provisional ids; all other tokens are numbered from here on.
pub(super) const DIRECT_INTS: u32 = 1 << 22;
/// Below this many rows everything stays on one thread.
pub(super) const SMALL: usize = 1 << 15;
/// No id.
pub(crate) const ABSENT: u32 = u32::MAX;

/// The sorted distinct tokens of the states or the actions of one sample. The id of a token is its rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vocabulary {
    pub(super) ints: Vec<i64>,
    pub(super) texts: Texts,
    /// Feature tuples, one after the other, each `arity` long.
    pub(super) features: Arc<Vec<f64>>,
    pub(super) arity: usize,
}

impl Vocabulary {
    pub(super) fn from_sorted_ints(ints: Vec<i64>) -> Self {
        debug_assert!(ints.is_sorted());
        Vocabulary { ints, ..Vocabulary::default() }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.ints.len() + self.texts.len() + self.tuples()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The token with this id.
    ///
    /// # Panics
    /// If `id` is not below [`len`](Self::len).
    pub fn token(&self, id: u32) -> Token<'_> {
        let mut index = id as usize;
        if index < self.ints.len() {
            return Token::int(self.ints[index]);
        }
        index -= self.ints.len();
        if index < self.texts.len() {
            return Token(Kind::Text(self.texts.get(index)));
        }
        index -= self.texts.len();
        Token::features(&self.features[index * self.arity..(index + 1) * self.arity])
    }

    /// The id of a token, if it is here. O(log n).
    pub fn find(&self, token: Token<'_>) -> Option<u32> {
        let index = match token.0 {
            Kind::Int(value) => self.ints.binary_search(&value).ok()?,
            Kind::Text(text) => self.ints.len() + self.texts.find(text)?,
            Kind::Features(values) => {
                if values.len() != self.arity {
                    return None;
                }
                let (mut low, mut high) = (0, self.tuples());
                loop {
                    if low >= high {
                        return None;
                    }
                    let middle = (low + high) / 2;
                    let here = &self.features[middle * self.arity..(middle + 1) * self.arity];
                    match compare_features(here, values) {
                        std::cmp::Ordering::Less => low = middle + 1,
                        std::cmp::Ordering::Greater => high = middle,
                        std::cmp::Ordering::Equal => break self.ints.len() + self.texts.len() + middle,
                    }
                }
            }
        };
        Some(index as u32)
    }

    /// All tokens in order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> {
        (0..self.len()).map(|id| self.token(id as u32))
    }

    /// The sorted tokens of several vocabularies. O(n log n) for n tokens in all; `None` where ids cannot tell so many apart.
    ///
    /// ```
    /// use srrd::{Duplicates, RewardSample, sample::Vocabulary};
    /// let sample = |state| RewardSample::from_rows([(state, "go", "home", 0.0)], Duplicates::Mean);
    /// let (one, other) = (sample("park")?, sample("beach")?);
    /// let all = Vocabulary::union([one.states(), other.states()]).unwrap();
    /// assert_eq!(all.iter().map(|token| token.to_string()).collect::<Vec<_>>(), ["beach", "home", "park"]);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn union<'a>(vocabularies: impl IntoIterator<Item = &'a Vocabulary>) -> Option<Vocabulary> {
        let (mut interner, mut ids) = (Interner::default(), Vec::new());
        for vocabulary in vocabularies {
            for token in vocabulary.iter() {
                ids.push(interner.intern(token)?);
            }
        }
        Some(interner.sort(&[&ids]).0)
    }

    /// The vocabulary of the tokens whose ids stand in `columns` alone, and by old id the new one.
    pub(super) fn only(&self, columns: &[&[u32]]) -> (Vocabulary, Vec<u32>) {
        let mut ranks = vec![ABSENT; self.len()];
        columns.iter().copied().flatten().for_each(|&id| ranks[id as usize] = 0);
        let (mut interner, mut ids) = (Interner::default(), Vec::new());
        for (id, rank) in ranks.iter_mut().enumerate().filter(|(_, rank)| **rank != ABSENT) {
            // Tokens are sorted, and stay so.
            *rank = ids.len() as u32;
            ids.push(interner.intern(self.token(id as u32)).expect("there are fewer tokens than before"));
        }
        (interner.sort(&[&ids]).0, ranks)
    }

    /// For every token of `self` its id in `other`, or [`u32::MAX`] where it is not there. O(n + m).
    pub fn ids_in(&self, other: &Vocabulary) -> Vec<u32> {
        let mut theirs = 0u32;
        (0..self.len() as u32)
            .map(|id| {
                let token = self.token(id);
                while (theirs as usize) < other.len() {
                    match other.token(theirs).cmp(&token) {
                        std::cmp::Ordering::Less => theirs += 1,
                        std::cmp::Ordering::Equal => return theirs,
                        std::cmp::Ordering::Greater => break,
                    }
                }
                ABSENT
            })
            .collect()
    }

    /// How many features a token has when the tokens are feature tuples.
    pub fn arity(&self) -> Option<usize> {
        (self.arity > 0).then_some(self.arity)
    }

    /// The features of all tokens, one tuple after the other, and the length of a tuple; `None` unless every token is one.
    pub(crate) fn all_features(&self) -> Option<(&[f64], usize)> {
        (self.ints.is_empty() && self.texts.len() == 0 && self.arity > 0).then_some((&self.features, self.arity))
    }

    /// The features of the tokens that are tuples of them, which come last, and the length of a tuple; `None` if there are none. Shared, so
    /// that they can outlive the sample.
    pub(crate) fn tuples_shared(&self) -> Option<(Arc<Vec<f64>>, usize)> {
        (self.tuples() > 0).then(|| (Arc::clone(&self.features), self.arity))
    }

    fn tuples(&self) -> usize {
        self.features.len().checked_div(self.arity).unwrap_or(0)
    }
}

/// Gives tokens provisional ids; [`Interner::sort`] turns them into a [`Vocabulary`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Interner {
    /// All integers that are their own ids are below.
    direct: u32,
    /// How many tokens have ids from [`DIRECT_INTS`] on.
    numbered: u32,
    ints: FxHashMap<i64, u32>,
    texts: Texts,
    text_ids: Vec<u32>,
    text_table: HashTable<u32>,
    features: Vec<f64>,
    arity: usize,
    feature_ids: Vec<u32>,
    feature_table: HashTable<u32>,
}

impl Interner {
    /// The provisional id of a token; `None` when there are as many as an id can tell apart, or more text than there is room for.
    #[inline]
    pub fn intern(&mut self, token: Token<'_>) -> Option<u32> {
        match token.0 {
            Kind::Int(value) if (0..i64::from(DIRECT_INTS)).contains(&value) => {
                self.meet_direct(value as u32);
                Some(value as u32)
            }
            Kind::Int(value) => self.intern_int(value),
            Kind::Text(text) => self.intern_text(text),
            Kind::Features(values) => self.intern_features(values),
        }
    }

    /// Notes that integers up to this one, below [`DIRECT_INTS`], stand for themselves.
    #[inline]
    pub fn meet_direct(&mut self, most: u32) {
        self.direct = self.direct.max(most + 1);
    }

    /// The provisional id of a token that is likely to be one of those that have these ids.
    #[inline]
    pub fn intern_again(&mut self, token: Token<'_>, likely: [u32; 2]) -> Option<u32> {
        let is = |id: u32, text: &str| {
            let index = id.wrapping_sub(DIRECT_INTS) as usize;
            // Tokens of all kinds are numbered together.
            self.text_ids.get(index) == Some(&id) && self.texts.bytes_of(index) == text.as_bytes()
        };
        match token.0 {
            Kind::Text(text) if is(likely[0], text) => Some(likely[0]),
            Kind::Text(text) if is(likely[1], text) => Some(likely[1]),
            _ => self.intern(token),
        }
    }

    fn fresh(&mut self) -> Option<u32> {
        let id = DIRECT_INTS + self.numbered;
        if id == ABSENT {
            return None;
        }
        self.numbered += 1;
        Some(id)
    }

    fn intern_int(&mut self, value: i64) -> Option<u32> {
        if let Some(&id) = self.ints.get(&value) {
            return Some(id);
        }
        let id = self.fresh()?;
        self.ints.insert(value, id);
        Some(id)
    }

    #[inline]
    fn intern_text(&mut self, text: &str) -> Option<u32> {
        let hash = hash_bytes(text.as_bytes());
        let texts = &self.texts;
        if let Some(&index) = self.text_table.find(hash, |&i| texts.bytes_of(i as usize) == text.as_bytes()) {
            return Some(self.text_ids[index as usize]);
        }
        if !self.texts.has_room_for(text) {
            return None;
        }
        let id = self.fresh()?;
        let index = self.texts.len() as u32;
        self.texts.push(text);
        self.text_ids.push(id);
        let texts = &self.texts;
        self.text_table.insert_unique(hash, index, |&i| hash_bytes(texts.bytes_of(i as usize)));
        Some(id)
    }

    fn intern_features(&mut self, values: &[f64]) -> Option<u32> {
        self.arity = values.len();
        let arity = self.arity;
        let tuple = |features: &[f64], i: u32| -> std::ops::Range<usize> {
            debug_assert!(features.len() >= (i as usize + 1) * arity);
            i as usize * arity..(i as usize + 1) * arity
        };
        let hash = hash_features(values);
        let features = &self.features;
        let found = self.feature_table.find(hash, |&i| &features[tuple(features, i)] == values);
        if let Some(&index) = found {
            return Some(self.feature_ids[index as usize]);
        }
        let id = self.fresh()?;
        let index = self.feature_ids.len() as u32;
        // Zero has two signs; as a feature it has one value.
        self.features.extend(values.iter().map(|&v| v + 0.0));
        self.feature_ids.push(id);
        let features = &self.features;
        self.feature_table.insert_unique(hash, index, |&i| hash_features(&features[tuple(features, i)]));
        Some(id)
    }

    /// The length of the feature tuples seen so far.
    pub fn arity(&self) -> Option<usize> {
        (self.arity > 0).then_some(self.arity)
    }

    /// Takes the tokens of `other` over and empties it, keeping its memory. The result says what becomes of ids that `other` gave;
    /// `None` when there are too many.
    pub fn absorb(&mut self, other: &mut Interner) -> Option<Renumbered> {
        let mut numbered = vec![0u32; other.numbered as usize];
        let mut note = |theirs: u32, ours: Option<u32>| ours.map(|id| numbered[(theirs - DIRECT_INTS) as usize] = id);
        for (&value, &id) in &other.ints {
            note(id, self.intern_int(value))?;
        }
        for (i, &id) in other.text_ids.iter().enumerate() {
            note(id, self.intern_text(other.texts.get(i)))?;
        }
        for (tuple, &id) in other.features.chunks_exact(other.arity.max(1)).zip(&other.feature_ids) {
            note(id, self.intern_features(tuple))?;
        }
        self.direct = self.direct.max(other.direct);
        other.direct = 0;
        other.numbered = 0;
        other.ints.clear();
        other.texts.clear();
        other.text_ids.clear();
        other.text_table.clear();
        other.features.clear();
        other.arity = 0;
        other.feature_ids.clear();
        other.feature_table.clear();
        Some(Renumbered { direct: None, numbered })
    }

    /// The sorted vocabulary of all tokens whose provisional ids stand in `columns`, and what becomes of those ids: their
    /// ranks.
    pub fn sort(mut self, columns: &[&[u32]]) -> (Vocabulary, Renumbered) {
        // Nothing is looked up any more, and sorting needs memory.
        self.text_table = HashTable::new();
        let (mut ints, mut ranks) = rank(columns, self.direct as usize);
        let mut numbered = vec![0u32; self.numbered as usize];
        if !self.ints.is_empty() {
            // Those that are their own ids lie between the negative and the large ones.
            let mut others: Vec<(i64, u32)> = self.ints.iter().map(|(&value, &id)| (value, id)).collect();
            others.sort_unstable();
            let negative = others.partition_point(|&(value, _)| value < 0);
            let between = ints.len();
            ranks.iter_mut().for_each(|rank| *rank += negative as u32);
            for (index, &(_, id)) in others.iter().enumerate() {
                let rank = if index < negative { index } else { index + between };
                numbered[(id - DIRECT_INTS) as usize] = rank as u32;
            }
            let values = |others: &[(i64, u32)]| others.iter().map(|&(value, _)| value).collect::<Vec<i64>>();
            ints = [values(&others[..negative]), ints, values(&others[negative..])].concat();
        }
        let mut next = ints.len() as u32;
        let mut give = |provisional: u32| {
            numbered[(provisional - DIRECT_INTS) as usize] = next;
            next += 1;
        };

        let (texts, order) = self.texts.sorted();
        order.for_each(|i| give(self.text_ids[i as usize]));

        let arity = self.arity;
        let tuple = |i: u32| &self.features[i as usize * arity..(i as usize + 1) * arity];
        let mut order: Vec<u32> = (0..self.feature_ids.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| compare_features(tuple(a), tuple(b)));
        let mut features = Vec::with_capacity(self.features.len());
        for &i in &order {
            features.extend_from_slice(tuple(i));
            give(self.feature_ids[i as usize]);
        }

        // Integers without a gap have their ranks already.
        let direct = ranks.iter().enumerate().any(|(id, &rank)| id as u32 != rank).then_some(ranks);
        (Vocabulary { ints, texts, features: Arc::new(features), arity }, Renumbered { direct, numbered })
    }
}

/// The largest id.
pub(super) fn largest(columns: &[&[u32]]) -> Option<u32> {
    let largest = |ids: &[u32]| ids.iter().copied().max();
    let of_column = |ids: &&[u32]| match ids.len() < SMALL {
        true => largest(ids),
        false => ids.par_chunks(SMALL).map(largest).max().flatten(),
    };
    columns.iter().map(of_column).max().flatten()
}

/// The ids below `count` that occur, ascending, and by id how many of them are smaller.
pub(super) fn rank(columns: &[&[u32]], count: usize) -> (Vec<i64>, Vec<u32>) {
    let occurs = parallel::occurring(columns, count);
    let mut ints = Vec::with_capacity(occurs.iter().filter(|occurs| **occurs).count());
    let mut ranks = Vec::with_capacity(count);
    for (id, occurs) in occurs.into_iter().enumerate() {
        ranks.push(ints.len() as u32);
        if occurs {
            ints.push(id as i64);
        }
    }
    (ints, ranks)
}

/// What becomes of provisional ids.
pub(crate) struct Renumbered {
    /// Of integers that are their own ids; `None`: they stay.
    direct: Option<Vec<u32>>,
    /// Of those numbered from [`DIRECT_INTS`] on.
    numbered: Vec<u32>,
}

impl Renumbered {
    /// Whether all ids stay as they are.
    pub fn is_nothing(&self) -> bool {
        self.direct.is_none() && self.numbered.iter().enumerate().all(|(index, &id)| id == DIRECT_INTS + index as u32)
    }

    /// The new id.
    #[inline]
    pub fn of(&self, id: u32) -> u32 {
        match id.checked_sub(DIRECT_INTS) {
            Some(index) => self.numbered[index as usize],
            None => self.direct.as_ref().map_or(id, |direct| direct[id as usize]),
        }
    }

    /// Puts the new ids in the places of the old ones.
    pub fn apply(&self, ids: &mut [u32]) {
        if self.is_nothing() {
            return;
        }
        let renumber = |ids: &mut [u32]| ids.iter_mut().for_each(|id| *id = self.of(*id));
        if ids.len() < SMALL { renumber(ids) } else { ids.par_chunks_mut(SMALL).for_each(renumber) }
    }
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn hash_features(values: &[f64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &value in values {
        hasher.write_u64((value + 0.0).to_bits());
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_ranks_in_token_order() {
        let mut interner = Interner::default();
        let tuple = [1.0, -0.0];
        let tokens = [
            Token::text("b"),
            Token::int(5),
            Token::text("a"),
            Token::features(&tuple),
            Token::int(-1),
            Token::int(1 << 40),
            Token::text("5"),
        ];
        let provisional: Vec<u32> = tokens.iter().map(|&t| interner.intern(t).unwrap()).collect();
        assert_eq!(provisional[1], provisional[6]);
        let mut ranks = provisional.clone();
        let (vocabulary, renumbered) = interner.sort(&[&provisional[..3], &provisional[3..]]);
        renumbered.apply(&mut ranks);
        assert_eq!(ranks, [4, 1, 3, 5, 0, 2, 1]);
        assert_eq!(vocabulary.len(), 6);
        for (&token, &id) in tokens.iter().zip(&ranks) {
            assert_eq!(vocabulary.token(id), token);
            assert_eq!(vocabulary.find(token), Some(id));
        }
        assert!(vocabulary.iter().collect::<Vec<_>>().is_sorted());
        assert_eq!(vocabulary.find(Token::text("c")), None);
        assert_eq!(vocabulary.find(Token::int(0)), None);
        assert_eq!(vocabulary.find(Token::features(&[0.0])), None);
        // Both zeros are one feature value.
        assert_eq!(vocabulary.find(Token::features(&[1.0, 0.0])), Some(5));
    }
}
