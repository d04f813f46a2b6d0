//! Many texts, side by side.

use rayon::prelude::*;
use std::ops::Range;

use super::vocabulary::SMALL;
use crate::run::parallel;

/// Texts in one buffer, of 4 GiB at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texts {
    pub(super) bytes: String,
    pub(super) ends: Vec<u32>,
}

impl Texts {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, index: usize) -> &str {
        &self.bytes[self.place(index)]
    }

    /// Its bytes, for who only compares them.
    #[inline]
    pub(super) fn bytes_of(&self, index: usize) -> &[u8] {
        &self.bytes.as_bytes()[self.place(index)]
    }

    #[inline]
    fn place(&self, index: usize) -> Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        start..self.ends[index] as usize
    }

    pub(super) fn has_room_for(&self, text: &str) -> bool {
        self.bytes.len() + text.len() <= u32::MAX as usize
    }

    /// Adds a text that there is room for.
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len() as u32);
    }

    /// The texts in ascending order, and which each of them is here.
    pub(super) fn sorted(&self) -> (Texts, impl Iterator<Item = u32>) {
        let order = self.order();
        (self.rearranged(&order), order.into_iter().map(|(_, i)| i))
    }

    /// The numbers of the texts, in ascending order of these; before each, some bytes of its text.
    fn order(&self) -> Vec<(u64, u32)> {
        // Most texts differ in the first bytes behind what all begin with, and these are compared as one number.
        let common = self.common_beginning();
        let beginning = |i: usize| {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(&self.bytes_of(i)[common..]).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(bytes)
        };
        let mut order: Vec<(u64, u32)> = parallel::map(self.len(), |i| (beginning(i), i as u32));
        let compare = |(a, i): &(u64, u32), (b, j): &(u64, u32)| {
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
    fn rearranged(&self, order: &[(u64, u32)]) -> Texts {
        let mut ends = parallel::map(order.len(), |rank| self.place(order[rank].1 as usize).len() as u32);
        let mut end = 0;
        for length in &mut ends {
            end += *length;
            *length = end;
        }
        let mut bytes = vec![0; self.bytes.len()];
        let copy = |(order, mut to): (&[(u64, u32)], &mut [u8])| {
            for &(_, i) in order {
                let text = self.bytes_of(i as usize);
                to.split_off_mut(..text.len()).expect("there is room").copy_from_slice(text);
            }
        };
        let mut rest = bytes.as_mut_slice();
        let mut before = 0;
        let pieces = order.chunks(SMALL).zip(ends.chunks(SMALL)).map(|(order, ends)| {
            let end = ends[ends.len() - 1] as usize;
            let length = end - std::mem::replace(&mut before, end);
            (order, rest.split_off_mut(..length).expect("there is room"))
        });
        match self.len() < SMALL {
            true => pieces.for_each(copy),
            // Texts that follow each other lie far apart, and several threads wait less for them.
            false => pieces.collect::<Vec<_>>().into_par_iter().for_each(copy),
        }
        Texts { bytes: String::from_utf8(bytes).expect("they are texts"), ends }
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
            let (sorted, order) = texts.sorted();
            let order: Vec<u32> = order.collect();
            let mut expected: Vec<&str> = all.iter().map(String::as_str).collect();
            expected.sort_unstable();
            assert_eq!((0..count).map(|i| sorted.get(i)).collect::<Vec<_>>(), expected);
            assert_eq!(order.iter().map(|&i| texts.get(i as usize)).collect::<Vec<_>>(), expected);
            let mut numbers = order;
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as u32));
        }
    }
}
