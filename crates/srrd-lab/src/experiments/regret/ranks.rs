//! How well distances rank pairs by regret.

use super::measures::{Measure, Sampled};
use super::{POSITIONS, ProblemKind};
use crate::row::Value;
use crate::statistics::Moments;
use rand::RngExt;
use rayon::prelude::*;
use srrd::compare::spearman;
use srrd_worlds::stream;
use std::f64::consts::FRAC_1_SQRT_2;

/// How often problems are drawn with replacement.
const DRAWS: usize = 400;
/// Distances and regrets below are rounding.
const NOTHING: f64 = 1e-6;

/// The pairs of one kind of problem on one kind of sample.
pub struct Ranked {
    kind: ProblemKind,
    sampled: Sampled,
    pub common: Moments,
    /// By problem, then by pair.
    regret: Vec<[Option<f64>; POSITIONS]>,
    /// By measure, then as regret.
    distance: Vec<Vec<[f64; POSITIONS]>>,
    undefined: Vec<usize>,
}

/// How well all measures do there.
pub struct Judged {
    pub kind: ProblemKind,
    pub sampled: Sampled,
    /// Transitions that two samples share, in the mean.
    pub common: f64,
    pub problems: usize,
    pub pairs: usize,
    /// Mean regret by position.
    pub regret: Vec<Moments>,
    pub measures: Vec<Found>,
}

/// How well a measure does.
pub struct Found {
    pub measure: Measure,
    /// Spearman's correlation with regret; NaN with fewer than three pairs.
    pub correlation: f64,
    /// The standard deviation over draws of problems, and their 95 % interval.
    pub sd: f64,
    pub low: f64,
    pub high: f64,
    /// Pairs without a distance.
    pub undefined: usize,
    /// Mean distance by position.
    pub distance: Vec<Moments>,
    /// The correlation in every draw.
    draws: Vec<f64>,
}

impl Found {
    /// The 95 % interval of how much more another measure's correlation is, over the same draws.
    pub fn less_than(&self, other: &Found) -> (f64, f64) {
        let mut differences: Vec<f64> =
            self.draws.iter().zip(&other.draws).map(|(mine, theirs)| theirs - mine).collect();
        differences.sort_by(f64::total_cmp);
        (quantile(&differences, 0.025), quantile(&differences, 0.975))
    }
}

impl Ranked {
    pub fn new(kind: ProblemKind, sampled: Sampled) -> Self {
        let measures = sampled.measures().count();
        Ranked {
            kind,
            sampled,
            common: Moments::default(),
            regret: Vec::new(),
            distance: vec![Vec::new(); measures],
            undefined: vec![0; measures],
        }
    }

    pub fn problems(&self) -> usize {
        self.regret.len()
    }

    /// Adds a pair of a problem; problems come in their order.
    pub fn add(&mut self, problem: usize, pair: usize, measure: Measure, regret: Option<f64>, distance: Option<f64>) {
        if self.regret.len() <= problem {
            self.regret.resize(problem + 1, [None; POSITIONS]);
            self.distance.iter_mut().for_each(|of| of.resize(problem + 1, [FRAC_1_SQRT_2; POSITIONS]));
        }
        let round = |value: f64| if value < NOTHING { 0.0 } else { value };
        self.regret[problem][pair] = regret.map(round);
        let place = self.sampled.measures().position(|known| known == measure).unwrap_or(0);
        match distance {
            Some(distance) => self.distance[place][problem][pair] = round(distance),
            None => self.undefined[place] += 1,
        }
    }

    /// What the pairs say.
    pub fn judge(&self, seed: u64) -> Judged {
        let purpose = format!("problems {} {}", self.kind.title(), self.sampled.write());
        let count = self.problems();
        let draw = |number: usize| {
            let mut rng = stream(seed, &format!("{purpose} {number}"));
            let drawn: Vec<usize> = (0..count).map(|_| rng.random_range(0..count)).collect();
            self.correlations(&drawn)
        };
        let draws: Vec<Vec<f64>> = (0..DRAWS).into_par_iter().map(draw).collect();
        let all: Vec<usize> = (0..count).collect();
        let correlations = self.correlations(&all);
        let found = |(place, measure): (usize, Measure)| {
            let draws: Vec<f64> = draws.iter().map(|of| of[place]).collect();
            let mut sorted = draws.clone();
            sorted.sort_by(f64::total_cmp);
            let by_position = |position: usize| self.distance[place].iter().map(|of| of[position]).collect();
            Found {
                measure,
                correlation: correlations[place],
                sd: draws.iter().copied().collect::<Moments>().sd(),
                low: quantile(&sorted, 0.025),
                high: quantile(&sorted, 0.975),
                undefined: self.undefined[place],
                distance: (0..POSITIONS).map(by_position).collect(),
                draws,
            }
        };
        Judged {
            kind: self.kind,
            sampled: self.sampled,
            common: self.common.mean(),
            problems: count,
            pairs: self.regret.iter().flatten().flatten().count(),
            regret: (0..POSITIONS).map(|p| self.regret.iter().filter_map(|of| of[p]).collect()).collect(),
            measures: self.sampled.measures().enumerate().map(found).collect(),
        }
    }

    /// Spearman's correlation of every measure with regret, over the pairs of these problems.
    fn correlations(&self, problems: &[usize]) -> Vec<f64> {
        let there = |&problem: &usize| {
            (0..POSITIONS).filter_map(move |pair| Some((problem, pair, self.regret[problem][pair]?)))
        };
        let pairs: Vec<(usize, usize, f64)> = problems.iter().flat_map(there).collect();
        let regret: Vec<f64> = pairs.iter().map(|pair| pair.2).collect();
        let of = |distances: &Vec<[f64; POSITIONS]>| {
            let distance: Vec<f64> = pairs.iter().map(|&(problem, pair, _)| distances[problem][pair]).collect();
            // Where all pairs are alike, nothing is ranked.
            spearman(&distance, &regret).map_or(0.0, |found| found.correlation)
        };
        self.distance.iter().map(of).collect()
    }
}

/// The value below which a share of sorted values lies.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use srrd::Metric;

    /// `projected` ranks every pair rightly, `direct` the other way round, and the rest is undefined.
    pub fn ranked() -> Ranked {
        let mut ranked = Ranked::new(ProblemKind::ALL[2], Sampled::Walks(5));
        for problem in 0..10 {
            for pair in 0..POSITIONS {
                let regret = pair as f64 / 10.0 + problem as f64 / 1000.0;
                for measure in Sampled::Walks(5).measures() {
                    let distance = match measure {
                        Measure::Metric(Metric::Projected) => Some(regret.sqrt()),
                        Measure::Metric(Metric::Direct) => Some(1.0 - regret),
                        _ => None,
                    };
                    ranked.add(problem, pair, measure, Some(regret), distance);
                }
            }
        }
        ranked
    }

    #[test]
    fn correlations_are_those_of_ranks_and_undefined_distances_say_nothing() {
        let judged = ranked().judge(0);
        let of = |metric| judged.measures.iter().find(|found| found.measure == Measure::Metric(metric)).unwrap();
        assert!((of(Metric::Projected).correlation - 1.0).abs() < 1e-12);
        assert!((of(Metric::Direct).correlation + 1.0).abs() < 1e-12);
        assert_eq!((of(Metric::Srrd).correlation, of(Metric::Srrd).undefined), (0.0, 70));
        assert_eq!((judged.problems, judged.pairs), (10, 70));
        let (low, high) = of(Metric::Direct).less_than(of(Metric::Projected));
        assert!((low - 2.0).abs() < 1e-9 && (high - 2.0).abs() < 1e-9);
    }

    #[test]
    fn quantiles_lie_between_values() {
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[0.0, 1.0], 0.25), 0.25);
    }
}
