//! The vote of the nearest neighbours.

/// Counts votes as neighbours come, nearest first.
pub(super) struct Votes {
    count: Vec<u32>,
    /// When the class first came: the lower, the nearer its nearest neighbour.
    first: Vec<u32>,
    seen: u32,
}

impl Votes {
    pub fn new(classes: usize) -> Self {
        Votes { count: vec![0; classes], first: vec![0; classes], seen: 0 }
    }

    pub fn clear(&mut self) {
        self.count.fill(0);
        self.seen = 0;
    }

    /// Takes the vote of the next neighbour.
    pub fn add(&mut self, class: usize) {
        if self.count[class] == 0 {
            self.first[class] = self.seen;
        }
        self.count[class] += 1;
        self.seen += 1;
    }

    /// How many votes were taken.
    pub fn seen(&self) -> usize {
        self.seen as usize
    }

    /// The votes of every class.
    pub fn counts(&self) -> &[u32] {
        &self.count
    }

    /// The class with most votes; among several, the one with the nearest neighbour. `None` without votes.
    pub fn winner(&self) -> Option<usize> {
        let standing = |&class: &usize| (self.count[class], std::cmp::Reverse(self.first[class]));
        (0..self.count.len()).filter(|&class| self.count[class] > 0).max_by_key(standing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn winner(neighbours: &[usize]) -> Option<usize> {
        let mut votes = Votes::new(4);
        neighbours.iter().for_each(|&class| votes.add(class));
        votes.winner()
    }

    #[test]
    fn most_votes_win_and_ties_go_to_the_nearest() {
        assert_eq!(winner(&[]), None);
        assert_eq!(winner(&[2]), Some(2));
        assert_eq!(winner(&[2, 0, 0]), Some(0));
        assert_eq!(winner(&[2, 0, 0, 2]), Some(2));
        assert_eq!(winner(&[1, 3, 0, 0, 3]), Some(3));
        assert_eq!(winner(&[3, 2, 1, 0]), Some(3));
    }

    #[test]
    fn votes_can_be_used_again() {
        let mut votes = Votes::new(3);
        [0, 0, 1].into_iter().for_each(|class| votes.add(class));
        votes.clear();
        votes.add(2);
        assert_eq!((votes.winner(), votes.seen(), votes.counts()), (Some(2), 1, &[0, 0, 1][..]));
    }
}
