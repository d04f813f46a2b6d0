//! Which transitions of a sample end an episode.

use super::{Placement, RewardSample, SampleError};
use crate::project::END;

/// Which transitions end an episode, as far as it is known.
///
/// ```
/// use srrd::sample::Ends;
/// let ends = Ends::marked(vec![false, true]);
/// assert_eq!((ends.at(1), ends.count(2)), (Some(true), Some(1)));
/// assert_eq!(Ends::unknown().at(1), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    marks: Marks,
    disagreeing: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Marks {
    #[default]
    Unknown,
    /// No transition ends one.
    None,
    /// Every transition does.
    All,
    /// By transition.
    Each(Vec<bool>),
}

impl Ends {
    /// Nobody said which transitions end an episode.
    pub fn unknown() -> Self {
        Ends::default()
    }

    /// Every transition ends one, as in one-step problems.
    pub fn all() -> Self {
        Ends { marks: Marks::All, disagreeing: 0 }
    }

    /// Whether each transition ends one.
    pub fn marked(marks: Vec<bool>) -> Self {
        // Most samples need no list.
        let marks = match (marks.contains(&true), marks.contains(&false)) {
            (false, _) => Marks::None,
            (true, false) => Marks::All,
            (true, true) => Marks::Each(marks),
        };
        Ends { marks, disagreeing: 0 }
    }

    /// Whether it is known.
    pub fn are_known(&self) -> bool {
        self.marks != Marks::Unknown
    }

    /// Whether a transition ends an episode; `None` where that is unknown.
    #[inline]
    pub fn at(&self, transition: usize) -> Option<bool> {
        match &self.marks {
            Marks::Unknown => None,
            Marks::None => Some(false),
            Marks::All => Some(true),
            Marks::Each(marks) => marks.get(transition).copied(),
        }
    }

    /// How many of so many transitions end an episode; `None` where that is unknown.
    pub fn count(&self, transitions: usize) -> Option<usize> {
        match &self.marks {
            Marks::Unknown => None,
            Marks::None => Some(0),
            Marks::All => Some(transitions),
            Marks::Each(marks) => Some(marks.iter().filter(|ends| **ends).count()),
        }
    }

    /// How many transitions had rows of both kinds. Such a transition ends nothing: it ends one only if all its rows do.
    pub fn disagreeing(&self) -> usize {
        self.disagreeing
    }

    fn fits(&self, transitions: usize) -> bool {
        !matches!(&self.marks, Marks::Each(marks) if marks.len() != transitions)
    }

    /// As one byte per transition for [`bytes`](super::bytes), or fewer.
    pub(super) fn parts(&self) -> (u8, &[bool], usize) {
        match &self.marks {
            Marks::Unknown => (0, &[], self.disagreeing),
            Marks::None => (1, &[], self.disagreeing),
            Marks::All => (2, &[], self.disagreeing),
            Marks::Each(marks) => (3, marks, self.disagreeing),
        }
    }

    pub(super) fn of_parts(kind: u8, marks: Vec<bool>, disagreeing: usize) -> Option<Self> {
        let marks = match kind {
            0 => Marks::Unknown,
            1 => Marks::None,
            2 => Marks::All,
            3 => Marks::Each(marks),
            _ => return None,
        };
        Some(Ends { marks, disagreeing })
    }
}

impl RewardSample {
    /// Which transitions end an episode.
    ///
    /// ```
    /// use srrd::{Duplicates, RewardSample};
    /// use srrd::sample::Ends;
    /// let sample = RewardSample::from_rows([("a", "go", "b", 0.0), ("b", "go", "goal", 1.0)], Duplicates::Mean)?;
    /// assert!(!sample.ends().are_known());
    /// let marked = sample.with_ends(Ends::marked(vec![false, true]))?;
    /// assert_eq!(marked.ends().at(1), Some(true));
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// The same sample, whose transitions end as said, in the order of [`transitions`](Self::transitions).
    ///
    /// # Errors
    /// When there are marks for another number of transitions.
    pub fn with_ends(self, ends: Ends) -> Result<Self, SampleError> {
        if !ends.fits(self.len()) {
            return Err(SampleError::WrongLength { expected: self.len(), found: ends.parts().1.len() });
        }
        Ok(RewardSample { ends, ..self })
    }

    /// The same sample with marks given by row, in the order in which the rows were given. A transition ends an episode if all its rows
    /// do; [`Ends::disagreeing`] counts those with rows of both kinds.
    ///
    /// ```
    /// use srrd::{Duplicates, SampleBuilder};
    /// let mut builder = SampleBuilder::new();
    /// for next in ["b", "b", "c"] {
    ///     builder.push("a".into(), "go".into(), next.into(), 1.0)?;
    /// }
    /// let (sample, placement) = builder.build_with_placement(Duplicates::Mean)?;
    /// let sample = sample.with_row_ends(&placement, &[true, false, true])?;
    /// assert_eq!((sample.ends().at(0), sample.ends().at(1)), (Some(false), Some(true)));
    /// assert_eq!(sample.ends().disagreeing(), 1);
    /// # Ok::<(), srrd::SampleError>(())
    /// ```
    ///
    /// # Errors
    /// When there are marks for another number of rows.
    pub fn with_row_ends(self, placement: &Placement, rows: &[bool]) -> Result<Self, SampleError> {
        let expected = placement.transition.len();
        if rows.len() != expected {
            return Err(SampleError::WrongLength { expected, found: rows.len() });
        }
        let (mut all, mut any) = (vec![true; self.len()], vec![false; self.len()]);
        for (&transition, &ends) in placement.transition.iter().zip(rows) {
            all[transition as usize] &= ends;
            any[transition as usize] |= ends;
        }
        let disagreeing = all.iter().zip(&any).filter(|(all, any)| all != any).count();
        let ends = Ends { disagreeing, ..Ends::marked(all) };
        self.with_ends(ends)
    }

    /// Where shaping sees every transition start and lead to: [`END`] for one that ends.
    pub(crate) fn leads_to(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let leads = |(i, (s, _, t)): (usize, (u32, u32, u32))| (s, if self.ends.at(i) == Some(true) { END } else { t });
        self.ids().enumerate().map(leads)
    }
}
