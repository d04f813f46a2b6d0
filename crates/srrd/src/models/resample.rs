//! Intervals: prompts drawn with replacement.

use rand::RngExt;
use rayon::prelude::*;

use super::sums::{Counted, Sums};
use super::{Estimated, ModelSettings};
use crate::run::checkpoint;
use crate::run::random::{Purpose, shuffle, stream};
use crate::sure::{expanded, percentile};

/// More prompts are dealt into this many groups, which are then drawn.
pub const MOST_GROUPS: usize = 2000;

/// With fewer prompts that tell something of a number, draws of them cannot tell how sure it is: there are too few different ones.
pub const LEAST_TELLING: usize = 5;

/// Which prompts are drawn together.
pub(super) struct Groups {
    of_prompt: Vec<u32>,
    count: usize,
    settings: ModelSettings,
}

impl Groups {
    /// So many prompts in at most so many groups.
    pub fn new(prompts: usize, most: usize, settings: &ModelSettings) -> Self {
        let count = prompts.min(most).max(1);
        let mut of_prompt: Vec<u32> = (0..prompts).map(|prompt| (prompt % count) as u32).collect();
        if prompts > count {
            shuffle(&mut stream(settings.seed, Purpose::Groups, 0), &mut of_prompt);
        }
        Groups { of_prompt, count, settings: *settings }
    }

    /// The sums over these prompts, as many as there are groups for, and over those of every draw.
    pub fn estimates(&self, counted: &[Counted]) -> Estimates<'_> {
        let mut groups = vec![Sums::default(); self.count];
        let mut total = Sums::default();
        for (Counted(sums), &group) in counted.iter().zip(&self.of_prompt) {
            groups[group as usize].add(sums, 1.0);
            total.add(sums, 1.0);
        }
        let draw = |times: &mut Vec<u32>, draw: usize| {
            checkpoint();
            let mut rng = stream(self.settings.seed, Purpose::Resample, draw);
            times.clear();
            times.resize(self.count, 0);
            (0..self.count).for_each(|_| times[rng.random_range(0..self.count as u32) as usize] += 1);
            let mut sums = Sums::default();
            groups.iter().zip(times).for_each(|(group, times)| sums.add(group, f64::from(*times)));
            sums
        };
        let draws = (0..self.settings.draws.get()).into_par_iter().map_init(Vec::new, draw).collect();
        Estimates { total, groups, draws, drawn: self }
    }
}

/// Sums from which numbers and their intervals are made.
pub(super) struct Estimates<'a> {
    pub total: Sums,
    /// By group.
    groups: Vec<Sums>,
    draws: Vec<Sums>,
    drawn: &'a Groups,
}

impl Estimates<'_> {
    /// A number, and its interval where more than half of the draws have one, [`LEAST_TELLING`] prompts or more tell something of it, and
    /// draws differ.
    pub fn of(&self, number: impl Fn(&Sums) -> Option<f64>) -> Estimated {
        let mut drawn: Vec<f64> = self.draws.iter().filter_map(&number).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        let value = number(&self.total);
        let telling = self.groups.iter().filter(|sums| number(sums).is_some()).count();
        let differ = drawn.first() < drawn.last();
        let enough = value.is_some() && telling >= LEAST_TELLING && differ && 2 * drawn.len() > self.draws.len();
        let level = self.drawn.settings.level.get();
        Estimated { value, interval: enough.then(|| percentile(&drawn, expanded(level, self.drawn.count))) }
    }
}
