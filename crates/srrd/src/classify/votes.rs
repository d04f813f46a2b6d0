//! The vote of the nearest neighbours.

use std::cmp::Ordering;

/// Counts votes as neighbours come, nearest first. Neighbours at the same distance may come in any order.
pub(super) struct Votes {
    of: Vec<Of>,
    seen: usize,
}

/// The votes for a class.
#[derive(Clone, Copy)]
struct Of {
    count: usize,
    /// The distance of its nearest neighbour.
    nearest: f64,
    /// The sum of the distances of its neighbours.
    sum: f64,
}

const NONE: Of = Of { count: 0, nearest: f64::INFINITY, sum: 0.0 };

impl Of {
    /// Which of two classes is ahead: more votes, then the nearer neighbour, then the smaller sum.
    fn ahead(&self, other: &Of) -> Ordering {
        let nearer = self.nearest.total_cmp(&other.nearest).then(self.sum.total_cmp(&other.sum));
        self.count.cmp(&other.count).then(nearer.reverse())
    }
}

impl Votes {
    pub fn new(classes: usize) -> Self {
        Votes { of: vec![NONE; classes], seen: 0 }
    }

    pub fn clear(&mut self) {
        self.of.fill(NONE);
        self.seen = 0;
    }

    /// Takes the vote of the next neighbour.
    pub fn add(&mut self, class: usize, distance: f64) {
        let of = &mut self.of[class];
        of.count += 1;
        of.nearest = of.nearest.min(distance);
        of.sum += distance;
        self.seen += 1;
    }

    /// How many votes were taken.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The classes with votes, ascending, and how many they have.
    pub fn counts(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.of.iter().enumerate().filter(|(_, of)| of.count > 0).map(|(class, of)| (class, of.count))
    }

    /// The class with most votes; among several the one with the nearest neighbour, then the one with the smaller sum of distances, then
    /// the first. `None` without votes.
    pub fn winner(&self) -> Option<usize> {
        // Of equal ones `max_by` takes the last: the first, from behind.
        let classes = (0..self.of.len()).rev().filter(|&class| self.of[class].count > 0);
        classes.max_by(|&a, &b| self.of[a].ahead(&self.of[b]))
    }
}

/// The most frequent of the classes; of several the first. What a sample without any neighbour is taken for.
pub(super) fn most_frequent(classes: usize, of: impl Iterator<Item = usize>) -> usize {
    let mut counts = vec![0usize; classes];
    of.for_each(|class| counts[class] += 1);
    (0..classes).rev().max_by_key(|&class| counts[class]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn winner(neighbours: &[(usize, f64)]) -> Option<usize> {
        let mut votes = Votes::new(4);
        neighbours.iter().for_each(|&(class, distance)| votes.add(class, distance));
        votes.winner()
    }

    #[test]
    fn most_votes_win_then_the_nearest_then_the_smaller_sum_then_the_first() {
        assert_eq!(winner(&[]), None);
        assert_eq!(winner(&[(2, 0.1)]), Some(2));
        assert_eq!(winner(&[(2, 0.1), (0, 0.2), (0, 0.3)]), Some(0));
        assert_eq!(winner(&[(2, 0.1), (0, 0.2), (0, 0.3), (2, 0.4)]), Some(2));
        assert_eq!(winner(&[(2, 0.1), (0, 0.1), (0, 0.3), (2, 0.4)]), Some(0));
        assert_eq!(winner(&[(2, 0.1), (0, 0.1), (2, 0.3), (0, 0.4)]), Some(2));
        assert_eq!(winner(&[(3, 0.1), (1, 0.1), (2, 0.1)]), Some(1));
    }

    #[test]
    fn votes_can_be_used_again() {
        let mut votes = Votes::new(3);
        [0, 0, 1].into_iter().for_each(|class| votes.add(class, 0.5));
        votes.clear();
        votes.add(2, 0.25);
        assert_eq!((votes.winner(), votes.seen(), votes.counts().collect::<Vec<_>>()), (Some(2), 1, vec![(2, 1)]));
    }

    #[test]
    fn of_equally_frequent_classes_the_first_is_taken() {
        assert_eq!(most_frequent(4, [2, 1, 3, 1, 2].into_iter()), 1);
        assert_eq!(most_frequent(2, std::iter::empty()), 0);
    }
}
