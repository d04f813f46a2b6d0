//! What the trials of a cell come to.

use super::rewards::RewardKind;
use super::{ANSWER, HIGH, LOW, P, Part, REGRET, TRUTH, WITHHELD};
use crate::error::LabError;
use crate::row::{Choice, Record};
use crate::statistics::{Moments, share_interval};
use crate::values::{Fraction, Size};
use srrd::verdict::Answer;
use std::collections::BTreeMap;

/// A test at this level should be wrong in as many cases.
pub const LEVEL: f64 = 0.05;
/// A larger loss makes "same" wrong.
pub const HARM: f64 = 0.05;

/// A part of a cell.
pub struct Cell {
    pub size: Size,
    pub epsilon: Fraction,
    pub kind: RewardKind,
    pub rollouts: usize,
    pub part: Part,
    pub tally: Tally,
}

/// Counts of trials.
#[derive(Clone, Default)]
pub struct Tally {
    pub trials: u64,
    /// Where something was said.
    pub given: u64,
    /// Of these, intervals that hold the truth.
    pub covered: u64,
    /// Of these, tests that call unrelated rewards alike.
    pub alarms: u64,
    pub same: u64,
    pub different: u64,
    pub unknown: u64,
    /// "Same" with a loss above 5 %.
    pub wrong_same: u64,
    pub width: Moments,
    /// Why nothing was said, and how often.
    pub reasons: BTreeMap<&'static str, u64>,
}

/// A share with its 95 % interval; NaN of nothing.
pub struct Share {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub count: u64,
}

impl Share {
    pub fn of(hits: u64, count: u64) -> Self {
        if count == 0 {
            return Share { value: f64::NAN, low: f64::NAN, high: f64::NAN, count };
        }
        let (low, high) = share_interval(hits, count);
        Share { value: hits as f64 / count as f64, low, high, count }
    }
}

impl Tally {
    pub fn add(&mut self, row: &Record<'_>) -> Result<(), LabError> {
        self.trials += 1;
        if let Some(why) = row.get(WITHHELD)? {
            *self.reasons.entry(why.name()).or_default() += 1;
        }
        if let (Some(low), Some(high), Some(truth)) = (row.get(LOW)?, row.get(HIGH)?, row.get(TRUTH)?) {
            self.given += 1;
            self.covered += u64::from(low <= truth && truth <= high);
            self.width.add(high - low);
        }
        if let Some(p) = row.get(P)? {
            self.given += 1;
            self.alarms += u64::from(p <= LEVEL);
        }
        match row.get(ANSWER)? {
            None => {}
            Some(Answer::Same) => {
                self.same += 1;
                self.given += 1;
                self.wrong_same += u64::from(row.get(REGRET)?.is_some_and(|regret| regret > HARM));
            }
            Some(Answer::Different) => {
                self.different += 1;
                self.given += 1;
            }
            Some(Answer::Unknown) => self.unknown += 1,
        }
        Ok(())
    }

    /// Both together.
    pub fn joined(mut self, other: &Tally) -> Self {
        self.trials += other.trials;
        self.given += other.given;
        self.covered += other.covered;
        self.alarms += other.alarms;
        self.same += other.same;
        self.different += other.different;
        self.unknown += other.unknown;
        self.wrong_same += other.wrong_same;
        for (why, count) in &other.reasons {
            *self.reasons.entry(why).or_default() += count;
        }
        self
    }

    /// The share of trials in which nothing was said.
    pub fn withheld(&self) -> f64 {
        1.0 - self.given as f64 / self.trials as f64
    }

    /// What is asked of a part: the share of intervals that hold the truth, of tests that are wrong, of "same" that is wrong, or of
    /// copies that are called different.
    pub fn share(&self, part: Part) -> Share {
        match part {
            Part::Projected | Part::Direct | Part::Gamma => Share::of(self.covered, self.given),
            Part::Chance | Part::ChanceDirect => Share::of(self.alarms, self.given),
            Part::Verdict => Share::of(self.wrong_same, self.same),
            Part::Copy => Share::of(self.different, self.trials),
        }
    }
}
