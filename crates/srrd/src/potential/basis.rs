//! Functions of states that potentials are made of: features, their products, and random Fourier features.
//!
//! Feature columns are taken at mean 0 and standard deviation 1 over the distinct states of all samples that are compared; columns that
//! do not vary are left out. With z such a state, Ψ(s) has, in this order,
//!
//! - the constant 1,
//! - z_j,
//! - z_j z_k for j ≤ k, where there are at most [`MOST_MULTIPLIED`] columns,
//! - cos ω_i·z and sin ω_i·z, ω_i with independent normal entries of standard deviation 1/ℓ, ℓ the median distance of two states.
//!
//! ω_i has a stream of random numbers for itself, so that the features of `fourier:64` are the first of those of `fourier:128`.

use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;

use super::Potential;
use super::dense::{Matrix, multiply};
use super::trig::{LARGEST, sin_cos};
use crate::run::checkpoint;
use crate::run::random::{Purpose, stream};
use crate::sample::{Vocabulary, compare_features};
use crate::stats::normal_quantile;
use crate::units;

/// With more feature columns their products would outnumber everything else (32 columns have 528): they are left out.
pub const MOST_MULTIPLIED: usize = 32;
/// A column that varies by less than this part of its largest value is constant.
const CONSTANT: f64 = 1e-13;
/// How many pairs of states the median distance is taken of: it is then known to some 3 %.
const PAIRS: usize = 2000;
/// So many states are summed up at a time.
const STATES: usize = 1 << 14;

/// The features of the states of a sample. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct StateFeatures {
    values: Arc<Vec<f64>>,
    count: usize,
    /// The id of the first state that has features; states are sorted, those without any come first.
    first: u32,
}

impl StateFeatures {
    /// `None` if no state has features.
    pub fn of(states: &Vocabulary) -> Option<Self> {
        let (values, count) = states.tuples_shared()?;
        let first = (states.len() - values.len() / count) as u32;
        Some(StateFeatures { values, count, first })
    }

    /// Of so many values per state, state after state.
    pub fn of_values(values: Vec<f64>, count: usize) -> Self {
        StateFeatures { values: Arc::new(values), count, first: 0 }
    }

    /// How many feature columns there are.
    pub fn columns(&self) -> usize {
        self.count
    }

    /// Whether a state has features.
    pub fn has(&self, state: u32) -> bool {
        state >= self.first
    }

    pub fn get(&self, state: u32) -> &[f64] {
        let index = (state - self.first) as usize;
        &self.values[index * self.count..][..self.count]
    }

    fn tuples(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.count)
    }
}

/// The distinct states of some samples, sorted: the same whichever sample comes first.
fn union<'a>(tables: &[&'a StateFeatures]) -> Vec<&'a [f64]> {
    let mut all: Vec<&[f64]> = Vec::new();
    for table in tables {
        // Sorted each, which the sort makes use of.
        all.extend(table.tuples());
    }
    all.sort_by(|a, b| compare_features(a, b));
    all.dedup();
    all
}

/// A feature column that varies.
#[derive(Clone, Copy, Debug)]
struct Column {
    feature: usize,
    /// A power of two with which nothing can overflow.
    scale: f64,
    mean: f64,
    inverse_spread: f64,
}

impl Column {
    /// The columns that vary over some states, which have so many features. State by state: they may lie far apart.
    fn all(states: &[&[f64]], arity: usize) -> Vec<Self> {
        let largest = per_feature(states, arity, f64::max, |value, _| value.abs());
        let scale: Vec<f64> = largest.iter().map(|largest| units::scale(&[*largest])).collect();
        let count = states.len() as f64;
        let sums = per_feature(states, arity, |a, b| a + b, |value, j| value * scale[j]);
        let means: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
        let squares = per_feature(states, arity, |a, b| a + b, |value, j| (value * scale[j] - means[j]).powi(2));
        let column = |feature: usize| {
            let spread = (squares[feature] / count).sqrt();
            let (scale, mean) = (scale[feature], means[feature]);
            (spread > CONSTANT).then(|| Column { feature, scale, mean, inverse_spread: 1.0 / spread })
        };
        (0..arity).filter_map(column).collect()
    }

    #[inline]
    fn standardized(&self, state: &[f64]) -> f64 {
        (state[self.feature] * self.scale - self.mean) * self.inverse_spread
    }
}

/// What the features of all states come to, feature by feature: in pieces, which are put together in order.
fn per_feature(
    states: &[&[f64]],
    arity: usize,
    join: impl Fn(f64, f64) -> f64 + Sync,
    of: impl Fn(f64, usize) -> f64 + Sync,
) -> Vec<f64> {
    let fold = |states: &[&[f64]]| {
        checkpoint();
        let mut all = vec![0.0; arity];
        for state in states {
            all.iter_mut().zip(*state).enumerate().for_each(|(j, (sum, value))| *sum = join(*sum, of(*value, j)));
        }
        all
    };
    let pieces: Vec<Vec<f64>> = states.par_chunks(STATES).map(fold).collect();
    let add = |mut sum: Vec<f64>, piece: Vec<f64>| {
        sum.iter_mut().zip(piece).for_each(|(sum, value)| *sum = join(*sum, value));
        sum
    };
    pieces.into_iter().fold(vec![0.0; arity], add)
}

/// Ψ, and to which of several nested bases each of its functions belongs.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    columns: Vec<Column>,
    products: bool,
    /// ω, one row per column, one column per frequency.
    frequencies: Vec<f64>,
    /// How many cosines and sines there are.
    waves: [usize; 2],
    /// The nested bases, from the smallest to all of it; the constant alone comes before them.
    levels: Vec<Potential>,
}

impl Basis {
    /// The basis of the largest of these potentials, which are linear, quadratic or Fourier ones in ascending order, over the states of
    /// some samples. Those it is made of come before: linear ones, and quadratic ones unless there are too many columns.
    pub fn new(tables: &[&StateFeatures], levels: &[Potential], seed: u64) -> Self {
        let states = union(tables);
        let arity = tables.first().map_or(0, |table| table.count);
        let columns = Column::all(&states, arity);
        let asked = |potential| levels.contains(&potential);
        let fourier = levels.iter().map(|level| level.waves()).max().unwrap_or(0);
        let products = asked(Potential::Quadratic) || (fourier > 0 && columns.len() <= MOST_MULTIPLIED);
        let mut nest = vec![Potential::Linear];
        nest.extend(products.then_some(Potential::Quadratic));
        nest.extend(levels.iter().copied().filter(|level| level.waves() > 0));
        let waves = [fourier.div_ceil(2), fourier / 2];
        let mut basis = Basis { columns, products, frequencies: Vec::new(), waves, levels: nest };
        if fourier > 0 {
            let length = basis.median_distance(&states, seed);
            basis.frequencies = frequencies(basis.columns.len(), waves[0], length, seed);
        }
        basis
    }

    /// The median of the distances of pairs of states that are drawn at random; 1 where all are the same.
    fn median_distance(&self, states: &[&[f64]], seed: u64) -> f64 {
        let mut rng = stream(seed, Purpose::Basis, 0);
        let mut draw = || states[rng.random_range(0..states.len() as u32) as usize];
        let distance = |(a, b): (&[f64], &[f64])| {
            let apart = |column: &Column| (column.standardized(a) - column.standardized(b)).powi(2);
            self.columns.iter().map(apart).sum::<f64>().sqrt()
        };
        let mut distances: Vec<f64> = (0..PAIRS).map(|_| distance((draw(), draw()))).filter(|d| *d > 0.0).collect();
        distances.sort_unstable_by(f64::total_cmp);
        distances.get(distances.len() / 2).copied().unwrap_or(1.0)
    }

    /// The columns of some states at mean 0 and standard deviation 1, and how many there are.
    pub fn standardized(&self, features: &StateFeatures, states: impl Iterator<Item = u32>) -> (Vec<f64>, usize) {
        let of = |state: u32| self.columns.iter().map(move |column| column.standardized(features.get(state)));
        (states.flat_map(of).collect(), self.columns.len())
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        1 + self.columns.len() + self.multiplied() + self.waves[0] + self.waves[1]
    }

    #[cfg(test)]
    pub fn frequency(&self, column: usize, wave: usize) -> f64 {
        self.frequencies[column * self.waves[0] + wave]
    }

    fn multiplied(&self) -> usize {
        if self.products { self.columns.len() * (self.columns.len() + 1) / 2 } else { 0 }
    }

    /// The nested bases that it holds, in ascending order.
    pub fn levels(&self) -> &[Potential] {
        &self.levels
    }

    /// For every function the first basis that has it: 0 is the constant alone, i + 1 is [`levels`](Self::levels)[i].
    pub fn classes(&self) -> Vec<usize> {
        let class = |wanted: &dyn Fn(&Potential) -> bool| 1 + self.levels.iter().position(wanted).unwrap_or(0);
        let quadratic = class(&|level| *level == Potential::Quadratic);
        let mut classes = vec![0];
        classes.extend(self.columns.iter().map(|_| 1));
        classes.extend((0..self.multiplied()).map(|_| quadratic));
        for (kind, count) in self.waves.into_iter().enumerate() {
            // `fourier:N` has the first ⌈N/2⌉ cosines and the first ⌊N/2⌋ sines.
            classes.extend((0..count).map(|i| class(&|level| level.waves() > 2 * i + kind)));
        }
        classes
    }

    /// Puts the shaping vectors γΨ(s') − Ψ(s) of some rows into `work`, −Ψ(s) for those that end, one row after the other. Where no row of
    /// the support ends, a shift of all rewards changes no behaviour, and 1 takes the place of what the constant shapes.
    pub fn shaping(&self, features: &StateFeatures, rows: &[Row], how: Discounting, work: &mut Work) {
        let (inputs, width, waves) = (self.columns.len(), self.len(), self.waves[0]);
        let Work { states, angles, vectors } = work;
        states.clear();
        for row in rows {
            let mut push = |state| {
                let state = features.get(state);
                states.extend(self.columns.iter().map(|column| column.standardized(state)));
            };
            push(row.state);
            match row.next {
                Some(next) => push(next),
                None => states.extend(std::iter::repeat_n(0.0, inputs)),
            }
        }
        angles.resize(2 * rows.len() * waves, 0.0);
        if waves > 0 && inputs > 0 {
            let (states, frequencies) = (Matrix::new(states, inputs), Matrix::new(&self.frequencies, waves));
            multiply(1.0, states, frequencies, 0.0, angles, waves);
        }
        vectors.clear();
        vectors.resize(rows.len() * width, 0.0);
        for (i, (row, out)) in rows.iter().zip(vectors.chunks_exact_mut(width)).enumerate() {
            let gamma = if row.next.is_some() { how.gamma } else { 0.0 };
            let (before, after) = states[2 * i * inputs..][..2 * inputs].split_at(inputs);
            let (constant, out) = out.split_at_mut(1);
            constant[0] = if how.ends { gamma - 1.0 } else { 1.0 };
            let (linear, out) = out.split_at_mut(inputs);
            linear.iter_mut().zip(before).zip(after).for_each(|((out, b), a)| *out = gamma * a - b);
            let (products, out) = out.split_at_mut(self.multiplied());
            if self.products {
                fill_products(products, before, after, gamma);
            }
            let (before, after) = angles[2 * i * waves..][..2 * waves].split_at(waves);
            let (cosines, sines) = out.split_at_mut(waves);
            fill_waves([cosines, sines], before, after, gamma);
        }
    }
}

/// One row per transition: its state, and its next state unless it ends the episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Row {
    pub state: u32,
    pub next: Option<u32>,
}

/// How rows become shaping vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Discounting {
    pub gamma: f64,
    /// Whether any row of the support ends. If none does, a shift of all rewards is no change of behaviour.
    pub ends: bool,
}

/// What evaluating a block of rows needs room for.
#[derive(Default)]
pub(crate) struct Work {
    states: Vec<f64>,
    angles: Vec<f64>,
    /// The shaping vectors, one row after the other.
    pub vectors: Vec<f64>,
}

fn fill_products(out: &mut [f64], before: &[f64], after: &[f64], gamma: f64) {
    let mut out = out.iter_mut();
    for j in 0..before.len() {
        let (b, a) = (before[j], gamma * after[j]);
        for ((bk, ak), out) in before[j..].iter().zip(&after[j..]).zip(&mut out) {
            *out = a * ak - b * bk;
        }
    }
}

/// Written so that it becomes vector instructions. There may be one sine less than cosines.
fn fill_waves([cosines, sines]: [&mut [f64]; 2], before: &[f64], after: &[f64], gamma: f64) {
    let both = cosines.iter_mut().zip(sines.iter_mut()).zip(before.iter().zip(after));
    let wave = |b: f64, a: f64| {
        let ((sin_b, cos_b), (sin_a, cos_a)) =
            (sin_cos(b.clamp(-LARGEST, LARGEST)), sin_cos(a.clamp(-LARGEST, LARGEST)));
        (gamma * cos_a - cos_b, gamma * sin_a - sin_b)
    };
    both.for_each(|((cosine, sine), (b, a))| (*cosine, *sine) = wave(*b, *a));
    if cosines.len() > sines.len() {
        let last = sines.len();
        cosines[last] = wave(before[last], after[last]).0;
    }
}

/// ω: normal numbers of standard deviation 1/ℓ, one row per column, one column per frequency.
fn frequencies(inputs: usize, count: usize, length: f64, seed: u64) -> Vec<f64> {
    let mut all = vec![0.0; inputs * count];
    for i in 0..count {
        let mut rng = stream(seed, Purpose::Basis, 1 + i);
        for j in 0..inputs {
            // Between 0 and 1, and neither.
            let uniform = (f64::from(rng.random::<u32>()) + 0.5) / 4_294_967_296.0;
            all[j * count + i] = normal_quantile(uniform) / length;
        }
    }
    all
}
