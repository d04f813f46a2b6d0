//! The canonical forms exactly as they are defined: for every transition, loops over the cross-products of its sets.

use srrd::Metric;
use std::collections::{BTreeMap, BTreeSet};

use super::Row;

type Set = BTreeSet<u32>;

/// How expectations are estimated, with an explicit batch.
#[derive(Clone, Debug)]
pub enum Estimation {
    Marginal(Set),
    Joint(BTreeSet<(u32, u32)>),
    Unbiased,
}

struct Literal<'a> {
    reward: BTreeMap<(u32, u32, u32), f64>,
    estimation: &'a Estimation,
    /// The reward of an unsampled transition.
    unsampled: &'a dyn Fn(u32, u32, u32) -> f64,
}

/// The canonical reward of every row.
pub fn canonicalize(rows: &[Row], metric: Metric, gamma: f64, estimation: &Estimation) -> Vec<f64> {
    predicting(rows, metric, gamma, estimation, &|_, _, _| 0.0)
}

/// That of some of the rows only.
pub fn canonicalize_some(
    rows: &[Row],
    some: &[usize],
    metric: Metric,
    gamma: f64,
    estimation: &Estimation,
) -> Vec<f64> {
    let reward = rows.iter().map(|&(s, a, t, r)| ((s, a, t), r)).collect();
    let literal = Literal { reward, estimation, unsampled: &|_, _, _| 0.0 };
    let of = |(s, a, t, _): Row| literal.canonical(s, a, t, metric, gamma);
    some.iter().map(|&i| of(rows[i])).collect()
}

/// The same, an unsampled transition counting for what a function of (s, a, s') says.
pub fn predicting(
    rows: &[Row],
    metric: Metric,
    gamma: f64,
    estimation: &Estimation,
    unsampled: &dyn Fn(u32, u32, u32) -> f64,
) -> Vec<f64> {
    let reward = rows.iter().map(|&(s, a, t, r)| ((s, a, t), r)).collect();
    let literal = Literal { reward, estimation, unsampled };
    rows.iter().map(|&(s, a, t, _)| literal.canonical(s, a, t, metric, gamma)).collect()
}

impl Literal<'_> {
    fn canonical(&self, s: u32, a: u32, t: u32, metric: Metric, gamma: f64) -> f64 {
        let reward = self.reward[&(s, a, t)];
        match metric {
            Metric::Direct => reward,
            Metric::Epic => {
                let all = self.explored();
                reward + gamma * self.near(t, &all) - self.near(s, &all) - gamma * self.second(&all, &all)
            }
            Metric::Dard => {
                let (x1, x2) = (self.succ(&one(s)), self.succ(&one(t)));
                reward + gamma * self.near(t, &x2) - self.near(s, &x1) - gamma * self.second(&x1, &x2)
            }
            Metric::Srrd => {
                let s1 = self.succ(&one(t));
                let mut s2 = self.succ(&one(s));
                let s3: Set = self.reward.keys().map(|&(x, _, _)| x).collect();
                let s4: Set = self.reward.keys().map(|&(_, _, y)| y).collect();
                if !matches!(self.estimation, Estimation::Unbiased) {
                    s2 = &s2 & &s3;
                }
                let (s5, s6) = (self.succ(&self.in_batch(&s1)), self.succ(&self.in_batch(&s2)));
                reward + gamma * self.near(t, &s1) - self.near(s, &s2) - gamma * self.first(&s3, &s4)
                    + gamma * gamma * self.first(&s1, &s5)
                    - gamma * self.first(&s2, &s6)
                    + gamma * self.first(&s3, &s6)
                    - gamma * gamma * self.first(&s4, &s5)
            }
            other => unreachable!("{other} has no terms; see the tests of the projection itself"),
        }
    }

    fn explored(&self) -> Set {
        self.reward.keys().flat_map(|&(x, _, y)| [x, y]).collect()
    }

    fn succ(&self, of: &Set) -> Set {
        self.reward.keys().filter(|(x, _, _)| of.contains(x)).map(|&(_, _, y)| y).collect()
    }

    fn in_batch(&self, set: &Set) -> Set {
        match self.estimation {
            Estimation::Marginal(batch) => set & batch,
            Estimation::Joint(batch) => set & &batch.iter().map(|&(x, _)| x).collect(),
            Estimation::Unbiased => set.clone(),
        }
    }

    fn pairs(&self, set: &Set) -> Vec<(u32, u32)> {
        let Estimation::Joint(batch) = self.estimation else { unreachable!() };
        batch.iter().copied().filter(|(x, _)| set.contains(x)).collect()
    }

    /// The mean over the sampled actions; what counts for an unsampled transition when there are none.
    fn marginal(&self, x: u32, y: u32) -> f64 {
        let found: Vec<f64> = self.reward.iter().filter(|((s, _, t), _)| (*s, *t) == (x, y)).map(|(_, &r)| r).collect();
        if found.is_empty() { (self.unsampled)(x, 0, y) } else { found.iter().sum::<f64>() / found.len() as f64 }
    }

    fn sampled(&self, x: u32, u: u32, y: u32) -> f64 {
        self.reward.get(&(x, u, y)).copied().unwrap_or_else(|| (self.unsampled)(x, u, y))
    }

    /// The mean over the sampled transitions between two sets.
    fn unbiased(&self, from: &Set, to: &Set) -> f64 {
        let between = |(s, _, t): &(u32, u32, u32)| from.contains(s) && to.contains(t);
        mean(self.reward.iter().filter(|(key, _)| between(key)).map(|(_, &r)| r).collect())
    }

    fn near(&self, x: u32, to: &Set) -> f64 {
        match self.estimation {
            Estimation::Marginal(batch) => mean((to & batch).into_iter().map(|y| self.marginal(x, y)).collect()),
            Estimation::Joint(_) => mean(self.pairs(to).into_iter().map(|(y, u)| self.sampled(x, u, y)).collect()),
            Estimation::Unbiased => self.unbiased(&one(x), to),
        }
    }

    /// Over two sets, the first of which gives the action.
    fn first(&self, from: &Set, to: &Set) -> f64 {
        match self.estimation {
            Estimation::Joint(_) => {
                let (from, to) = (self.pairs(from), self.pairs(to));
                mean(from.iter().flat_map(|&(x, u)| to.iter().map(move |&(y, _)| self.sampled(x, u, y))).collect())
            }
            _ => self.both(from, to),
        }
    }

    /// Over two sets, the second of which gives the action.
    fn second(&self, from: &Set, to: &Set) -> f64 {
        match self.estimation {
            Estimation::Joint(_) => {
                let (from, to) = (self.pairs(from), self.pairs(to));
                mean(from.iter().flat_map(|&(x, _)| to.iter().map(move |&(y, u)| self.sampled(x, u, y))).collect())
            }
            _ => self.both(from, to),
        }
    }

    fn both(&self, from: &Set, to: &Set) -> f64 {
        match self.estimation {
            Estimation::Marginal(batch) => {
                let (from, to) = (from & batch, to & batch);
                mean(from.iter().flat_map(|&x| to.iter().map(move |&y| self.marginal(x, y))).collect())
            }
            _ => self.unbiased(from, to),
        }
    }
}

fn one(x: u32) -> Set {
    Set::from([x])
}

fn mean(values: Vec<f64>) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}
