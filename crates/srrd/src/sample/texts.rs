//! Many texts, side by side.

use rayon::prelude::*;

use super::vocabulary::SMALL;
use crate::run::parallel;

/// More bytes of text than this are not copied when they are sorted: for a while, they would take twice their memory.
#[cfg(not(test))]
const LARGE: usize = 64 << 20;
#[cfg(test)]
const LARGE: usize = 1 << 18;

/// Eight bytes of a text, which are compared as numbers. Halves need no padding beside the number of a text.
type Beginning = [u32; 2];

/// Texts of 4 GiB at most, in pieces of [`SMALL`] texts each: one buffer would be copied whenever it grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pieces: Vec<String>,
    /// Where every text ends in its piece.
    ends: Vec<u32>,
    /// Which text is the first, the second, and so on; empty where they stand in that order.
    order: Vec<u32>,
    bytes: usize,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && (0..self.len()).all(|i| self.bytes_of(i) == other.bytes_of(i))
    }
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, index: usize) -> &str {
        let (piece, start, end) = self.place(index);
        &self.pieces[piece][start..end]
    }

    /// Its bytes, for who only compares them.
    #[inline]
    pub(super) fn bytes_of(&self, index: usize) -> &[u8] {
        let (piece, start, end) = self.place(index);
        &self.pieces[piece].as_bytes()[start..end]
    }

    #[inline]
    fn place(&self, index: usize) -> (usize, usize, usize) {
        let index = if self.order.is_empty() { index } else { self.order[index] as usize };
        let start = if index.is_multiple_of(SMALL) { 0 } else { self.ends[index - 1] as usize };
        (index / SMALL, start, self.ends[index] as usize)
    }

    pub(super) fn has_room_for(&self, text: &str) -> bool {
        self.bytes + text.len() <= u32::MAX as usize
    }

    /// Adds a text that there is room for, behind texts that are not sorted.
    pub(super) fn push(&mut self, text: &str) {
        let piece = self.len() / SMALL;
        if piece == self.pieces.len() {
            // Texts are mostly about as long as those before them. What is reserved for more would add up.
            let bytes = self.pieces.last().map_or(0, |last| last.len() + last.len() / 64);
            self.pieces.push(String::with_capacity(bytes));
        }
        self.pieces[piece].push_str(text);
        self.ends.push(self.pieces[piece].len() as u32);
        self.bytes += text.len();
    }

    /// Removes all texts, and keeps the memory of some.
    pub(super) fn clear(&mut self) {
        self.pieces.truncate(1);
        self.pieces.iter_mut().for_each(String::clear);
        self.ends.clear();
        self.order.clear();
        self.bytes = 0;
    }

    /// The texts in ascending order, and which each of them is here.
    pub(super) fn sorted(mut self) -> (Texts, impl Iterator<Item = u32>) {
        let order = self.order();
        let numbers = order.iter().map(|&(_, i)| i);
        let texts = if self.bytes > LARGE {
            self.order = numbers.collect();
            self
        } else {
            self.rearranged(&order)
        };
        (texts, order.into_iter().map(|(_, i)| i))
    }

    /// The numbers of the texts, in ascending order of these; before each, some bytes of its text.
    fn order(&self) -> Vec<(Beginning, u32)> {
        // Most texts differ in the first bytes behind what all begin with.
        let common = self.common_beginning();
        let beginning = |i: usize| {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(&self.bytes_of(i)[common..]).for_each(|(to, from)| *to = *from);
            let number = u64::from_be_bytes(bytes);
            [(number >> 32) as u32, number as u32]
        };
        let mut order: Vec<(Beginning, u32)> = parallel::map(self.len(), |i| (beginning(i), i as u32));
        let compare = |(a, i): &(Beginning, u32), (b, j): &(Beginning, u32)| {
            a.cmp(b).then_with(|| self.bytes_of(*i as usize).cmp(self.bytes_of(*j as usize)))
        };
        match self.len() < SMALL {
            true => order.sort_unstable_by(compare),
            false => order.par_sort_unstable_by(compare),
        }
        order
    }

    /// How many bytes all texts begin with.
    fn common_beginning(&self) -> usize {
        let Some(last) = self.len().checked_sub(1) else { return 0 };
        let mut common = self.bytes_of(last);
        for i in 0..last {
            let same = common.iter().zip(self.bytes_of(i)).take_while(|(a, b)| a == b).count();
            common = &common[..same];
            if same == 0 {
                break;
            }
        }
        common.len()
    }

    /// The texts in this order.
    fn rearranged(&self, order: &[(Beginning, u32)]) -> Texts {
        let piece = |order: &[(Beginning, u32)]| {
            let mut text = String::with_capacity(order.iter().map(|&(_, i)| self.bytes_of(i as usize).len()).sum());
            let end = |&(_, i): &(Beginning, u32)| {
                text.push_str(self.get(i as usize));
                text.len() as u32
            };
            let ends: Vec<u32> = order.iter().map(end).collect();
            (text, ends)
        };
        // Texts that follow each other lie far apart, and several threads wait less for them.
        let pieces: Vec<(String, Vec<u32>)> = match self.len() < SMALL {
            true => order.chunks(SMALL).map(piece).collect(),
            false => order.par_chunks(SMALL).map(piece).collect(),
        };
        let (pieces, ends): (Vec<String>, Vec<Vec<u32>>) = pieces.into_iter().unzip();
        Texts { pieces, ends: ends.concat(), order: Vec::new(), bytes: self.bytes }
    }

    pub(super) fn find(&self, text: &str) -> Option<usize> {
        let index = self.partition_point(|here| here < text);
        (index < self.len() && self.get(index) == text).then_some(index)
    }

    fn partition_point(&self, before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            if before(self.get(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_as_strings_are() {
        let draw = |i: usize| (i as u32).wrapping_mul(2_654_435_761).rotate_right(13);
        let short = |i: usize| ["", "a", "a\0", "b", "é", "ab", "a\0\0b"][i % 7].to_owned();
        let long = |i: usize| format!("the same for all of them, {}{}", draw(i) % 977, "x".repeat(i % 3));
        let named = |i: usize| format!("state {}", draw(i));
        let equal_beginnings = |i: usize| format!("{}same beginning{}", i % 2, draw(i));
        let kinds: [&dyn Fn(usize) -> String; 4] = [&short, &long, &named, &equal_beginnings];
        for (kind, count) in
            kinds.into_iter().flat_map(|kind| [0, 1, 2, 7, 500, SMALL + 1000].map(|count| (kind, count)))
        {
            let mut texts = Texts::default();
            let all: Vec<String> = (0..count).map(kind).collect();
            all.iter().for_each(|text| texts.push(text));
            let (sorted, order) = texts.clone().sorted();
            let order: Vec<u32> = order.collect();
            let mut expected: Vec<&str> = all.iter().map(String::as_str).collect();
            expected.sort_unstable();
            assert_eq!((0..count).map(|i| sorted.get(i)).collect::<Vec<_>>(), expected);
            assert_eq!(order.iter().map(|&i| texts.get(i as usize)).collect::<Vec<_>>(), expected);
            // Where the texts stand makes no difference.
            let mut in_order = Texts::default();
            expected.iter().for_each(|text| in_order.push(text));
            assert_eq!(sorted, in_order);
            assert_eq!(sorted.find("no such text"), None);
            assert!(expected.iter().step_by(97).all(|text| sorted.find(text).map(|i| sorted.get(i)) == Some(text)));
            let mut numbers = order;
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as u32));
        }
    }
}
