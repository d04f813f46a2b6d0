//! Which transitions were met in which episodes, and how shared transitions are cut into the units that are resampled.

use rand::RngExt;

use crate::run::random::{Purpose, stream};
use crate::sample::{Placement, RewardSample, SampleError};

/// The episodes that met each transition of a sample. A sample itself is a set of transitions and knows no episodes; this is
/// made beside it, from the episode of every row.
///
/// ```
/// use srrd::{Duplicates, SampleBuilder, Token};
/// use srrd::sure::Episodes;
/// let mut builder = SampleBuilder::new();
/// for (state, next) in [("a", "b"), ("b", "c"), ("a", "b")] {
///     builder.push(Token::text(state), Token::text("go"), Token::text(next), 1.0)?;
/// }
/// let (sample, placement) = builder.build_with_placement(Duplicates::Mean)?;
/// let episodes = Episodes::from_rows(&sample, &placement, &[0, 0, 1])?;
/// assert_eq!(episodes.len(), 2);
/// assert_eq!(episodes.of(0), [0, 1]);
/// # Ok::<(), srrd::SampleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Episodes {
    count: usize,
    /// Where the episodes of every transition start.
    start: Vec<u32>,
    episode: Vec<u32>,
}

impl Episodes {
    /// From the episode of every row, in the order the rows were pushed. Episodes are numbers from 0; the order of the numbers
    /// decides which draw takes which episode, so give the same episodes the same numbers. O(rows log rows).
    ///
    /// # Errors
    /// When there is not one episode a row, or the placement is not that of the sample.
    pub fn from_rows(
        sample: &RewardSample,
        placement: &Placement,
        episode_of_row: &[u32],
    ) -> Result<Self, SampleError> {
        let (expected, found) = (placement.transition.len(), episode_of_row.len());
        if expected != found {
            return Err(SampleError::WrongLength { expected, found });
        }
        if let Some(&beyond) = placement.transition.iter().find(|&&t| t as usize >= sample.len()) {
            return Err(SampleError::WrongLength { expected: sample.len(), found: beyond as usize + 1 });
        }
        let mut met: Vec<(u32, u32)> =
            placement.transition.iter().copied().zip(episode_of_row.iter().copied()).collect();
        met.sort_unstable();
        met.dedup();
        let mut start = vec![0u32; sample.len() + 1];
        met.iter().for_each(|&(transition, _)| start[transition as usize + 1] += 1);
        for i in 0..sample.len() {
            start[i + 1] += start[i];
        }
        let count = episode_of_row.iter().max().map_or(0, |&most| most as usize + 1);
        Ok(Episodes { count, start, episode: met.into_iter().map(|(_, episode)| episode).collect() })
    }

    /// How many episodes there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The episodes that met a transition, ascending.
    ///
    /// # Panics
    /// If the sample has no such transition.
    pub fn of(&self, transition: usize) -> &[u32] {
        &self.episode[self.start[transition] as usize..self.start[transition + 1] as usize]
    }

    /// How many transitions the sample has.
    pub(super) fn transitions(&self) -> usize {
        self.start.len() - 1
    }
}

/// What is drawn as one: every shared transition is in one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    pub count: usize,
    /// The unit of every shared transition.
    pub of: Vec<u32>,
}

impl Units {
    /// Every transition by itself.
    pub fn transitions(shared: usize) -> Self {
        Units { count: shared, of: (0..shared as u32).collect() }
    }

    /// By episodes: a transition that several episodes met goes with one of them, drawn at random; episodes that got none
    /// are left out.
    pub fn episodes(episodes: &Episodes, shared: impl Iterator<Item = u32>, seed: u64) -> Self {
        let mut rng = stream(seed, Purpose::Owner, 0);
        let mut of: Vec<u32> = shared
            .map(|transition| match episodes.of(transition as usize) {
                [only] => *only,
                several => several[rng.random_range(0..several.len() as u32) as usize],
            })
            .collect();
        let mut number = vec![0u32; episodes.len()];
        of.iter().for_each(|&episode| number[episode as usize] = 1);
        let mut count = 0;
        for number in number.iter_mut().filter(|number| **number > 0) {
            *number = count;
            count += 1;
        }
        of.iter_mut().for_each(|unit| *unit = number[*unit as usize]);
        Units { count: count as usize, of }
    }

    /// Σ of a value over every unit.
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        self.of.iter().zip(values).for_each(|(&unit, value)| sums[unit as usize] += value);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Duplicates, SampleBuilder, Token};

    #[test]
    fn transitions_go_with_one_of_their_episodes() {
        let mut builder = SampleBuilder::new();
        // Transitions 0 to 4, met by these episodes; 3 is met twice by the same one. Episode 1 met nothing.
        let met = [(0, 0), (1, 0), (1, 2), (2, 2), (3, 4), (3, 4), (4, 0), (4, 2), (4, 4)];
        for (transition, _) in met {
            builder.push(Token::from(transition), Token::from(0), Token::from(9), 1.0).unwrap();
        }
        let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
        let rows: Vec<u32> = met.iter().map(|m| m.1).collect();
        let episodes = Episodes::from_rows(&sample, &placement, &rows).unwrap();
        assert_eq!((episodes.len(), episodes.of(1), episodes.of(3)), (5, &[0, 2][..], &[4][..]));
        assert!(Episodes::from_rows(&sample, &placement, &rows[1..]).is_err());
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let units = Units::episodes(&episodes, [0, 1, 2, 3, 4].into_iter(), seed);
            assert_eq!(units.count, 3);
            assert_eq!((units.of[0], units.of[2], units.of[3]), (0, 1, 2));
            seen.insert((units.of[1], units.of[4]));
        }
        assert_eq!(seen.len(), 6);
        // Episode 4 has no shared transition: it is no unit.
        let units = Units::episodes(&episodes, [0, 2].into_iter(), 0);
        assert_eq!((units.count, units.of.as_slice()), (2, &[0, 1][..]));
        assert_eq!(units.sums(&[0.5, 2.0]), [0.5, 2.0]);
    }
}
