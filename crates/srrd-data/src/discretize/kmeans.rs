//! k-means: centres such that the sum of squared distances of rows to their nearest centre is small.
//!
//! The first centres are drawn by k-means++ (each with a probability that grows with the squared distance to those before, the best of a few
//! draws), then moved to the means of their rows (Lloyd) until they stay; on the way some are exchanged for rows where that helps. With very many
//! rows, they are found on draws of rows (mini-batches: a centre moves to each of its rows by one over how many it has had), and moved a few times by all
//! rows in the end. Lloyd costs at most O(rows · cells · features) per round; bounds on distances (Hamerly) spare most of it. All sums are taken
//! in pieces that do not depend on threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::Rows;

/// The most rounds of Lloyd.
const ROUNDS: usize = 300;
/// Rounds end when centres move by less than this share of the variance of the rows, squared.
const TOLERANCE: f64 = 1e-4;
/// From so many rows on, mini-batches come first.
const MANY: usize = 100_000;
/// Rows of a mini-batch, and how many of these there are.
const BATCH: usize = 4096;
const BATCHES: usize = 200;
/// Rounds by all rows after mini-batches.
const LAST_ROUNDS: usize = 50;
/// How often it is begun anew where there are few rows; the best is kept.
const STARTS: u64 = 3;
/// How often centres are exchanged for rows, and how many rounds of Lloyd come before each.
const EXCHANGES: usize = 2;
const ROUNDS_BETWEEN: usize = 10;
/// Rows that are summed up together.
const PIECE: usize = 1024;

/// Centres, and how far rows are from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// The centres, one behind the other.
    pub centres: Vec<f64>,
    /// The sum of squared distances of rows to their nearest centre.
    pub inertia: f64,
}

/// Groups rows around `count` centres; fewer where there are fewer different rows.
///
/// ```
/// use srrd_data::discretize::{Rows, kmeans};
/// let rows = Rows { width: 1, values: vec![0.0, 0.2, 9.0, 9.2] };
/// let mut found = kmeans(&rows, 2, 0);
/// found.centres.sort_by(f64::total_cmp);
/// assert!((found.centres[0] - 0.1).abs() < 1e-12 && (found.centres[1] - 9.1).abs() < 1e-12);
/// ```
///
/// # Panics
/// When there are no rows, or no centres are asked for.
pub fn kmeans(rows: &Rows, count: usize, seed: u64) -> Clusters {
    assert!(!rows.is_empty() && count > 0, "rows, and at least one centre");
    if rows.len() > MANY {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let centres = mini_batches(rows, count, &mut random);
        return lloyd(rows, centres, LAST_ROUNDS);
    }
    let starts = (0..STARTS).map(|start| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(start);
        let mut centres = first_centres(rows, count, &mut random);
        for _ in 0..EXCHANGES {
            centres = exchanged(rows, lloyd(rows, centres, ROUNDS_BETWEEN).centres, &mut random);
        }
        lloyd(rows, centres, ROUNDS)
    });
    starts.min_by(|a, b| a.inertia.total_cmp(&b.inertia)).expect("there is a first start")
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// k-means++: of some candidates, the centre that leaves the least distance is taken.
fn first_centres(rows: &Rows, count: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    let width = rows.width;
    let row = |at: usize| &rows.values[at * width..(at + 1) * width];
    let candidates = 2 + (count as f64).ln() as usize;
    let first = (uniform(random) * rows.len() as f64) as usize;
    let mut centres = row(first).to_vec();
    let mut nearest: Vec<f64> = rows.iter().map(|it| squared(it, row(first))).collect();
    while centres.len() < count * width {
        srrd::run::checkpoint();
        let total: f64 = nearest.iter().sum();
        if total <= 0.0 {
            // All rows are centres already.
            break;
        }
        let draw = |random: &mut ChaCha8Rng| {
            let mut left = uniform(random) * total;
            nearest.iter().position(|distance| {
                left -= distance;
                left < 0.0
            })
        };
        let drawn: Vec<usize> = (0..candidates).map(|_| draw(random).unwrap_or(rows.len() - 1)).collect();
        let tried = drawn.par_iter().map(|&at| {
            let distances: Vec<f64> =
                rows.iter().zip(&nearest).map(|(it, &near)| near.min(squared(it, row(at)))).collect();
            (distances.iter().sum::<f64>(), at, distances)
        });
        let best = tried.collect::<Vec<_>>().into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, at, distances)) = best else { break };
        centres.extend_from_slice(row(at));
        nearest = distances;
    }
    centres
}

/// Centres side by side, so that the distances of a row to all of them are computed together.
struct Transposed {
    count: usize,
    values: Vec<f64>,
}

impl Transposed {
    fn of(centres: &[f64], width: usize) -> Self {
        let count = centres.len() / width;
        let value = |at: usize| centres[(at % count) * width + at / count];
        Transposed { count, values: (0..centres.len()).map(value).collect() }
    }

    /// The nearest centre of a row, the first of equally near ones, and its squared distance.
    fn nearest(&self, row: &[f64], distances: &mut Vec<f64>) -> (usize, f64) {
        self.measure(row, distances);
        let mut best = (0, f64::INFINITY);
        for (centre, &distance) in distances.iter().enumerate() {
            if distance < best.1 {
                best = (centre, distance);
            }
        }
        best
    }

    /// The two nearest centres of a row.
    fn two_nearest(&self, row: &[f64], distances: &mut Vec<f64>) -> Near {
        self.measure(row, distances);
        let mut near = Near { first: 0, second: 0, squared: [f64::INFINITY; 2] };
        distances.iter().enumerate().for_each(|(centre, &distance)| near.meet(centre, distance));
        near
    }

    /// The squared distances of a row to all centres.
    fn measure(&self, row: &[f64], distances: &mut Vec<f64>) {
        distances.clear();
        distances.resize(self.count, 0.0);
        for (value, centres) in row.iter().zip(self.values.chunks_exact(self.count)) {
            for (distance, centre) in distances.iter_mut().zip(centres) {
                *distance += (value - centre) * (value - centre);
            }
        }
    }
}

/// The two nearest centres of a row, and its squared distances to them.
#[derive(Clone, Copy)]
struct Near {
    first: u32,
    second: u32,
    squared: [f64; 2],
}

impl Near {
    /// A centre that may be one of the two.
    fn meet(&mut self, centre: usize, distance: f64) {
        if distance < self.squared[0] {
            *self = Near { first: centre as u32, second: self.first, squared: [distance, self.squared[0]] };
        } else if distance < self.squared[1] {
            (self.second, self.squared[1]) = (centre as u32, distance);
        }
    }
}

/// Rows take the place of centres: a row, drawn as k-means++ draws them, replaces the centre that is missed least then, if the sum of squared
/// distances becomes smaller (local search after Lattanzi and Sohler, 2019). A trial costs O(rows · features) for all centres together, since the
/// loss of a centre concerns its own rows alone, which go to their second nearest.
fn exchanged(rows: &Rows, mut centres: Vec<f64>, random: &mut ChaCha8Rng) -> Vec<f64> {
    let (width, count) = (rows.width, centres.len() / rows.width);
    if count < 2 {
        return centres;
    }
    let every = |centres: &[f64]| -> Vec<Near> {
        let transposed = Transposed::of(centres, width);
        let of = |distances: &mut Vec<f64>, row: &[f64]| transposed.two_nearest(row, distances);
        rows.values.par_chunks(width).with_min_len(PIECE).map_init(Vec::new, of).collect()
    };
    let mut near = every(&centres);
    // As many trials as there are centres.
    for _ in 0..count {
        srrd::run::checkpoint();
        let total: f64 = near.iter().map(|it| it.squared[0]).sum();
        let mut left = uniform(random) * total;
        let drawn = near.iter().position(|it| {
            left -= it.squared[0];
            left < 0.0
        });
        let Some(at) = drawn else { break };
        let row = rows.values[at * width..(at + 1) * width].to_vec();
        let distances: Vec<f64> =
            rows.values.par_chunks(width).with_min_len(PIECE).map(|it| squared(it, &row)).collect();
        let (mut kept, mut missed) = (0.0, vec![0.0; count]);
        for (it, &distance) in near.iter().zip(&distances) {
            let with = it.squared[0].min(distance);
            kept += with;
            missed[it.first as usize] += it.squared[1].min(distance) - with;
        }
        let least = (0..count).min_by(|&a, &b| missed[a].total_cmp(&missed[b])).expect("there are centres");
        if kept + missed[least] >= total {
            continue;
        }
        centres[least * width..(least + 1) * width].copy_from_slice(&row);
        let transposed = Transposed::of(&centres, width);
        let again = |scratch: &mut Vec<f64>, ((it, row), &distance): ((&mut Near, &[f64]), &f64)| {
            if it.first as usize == least || it.second as usize == least {
                *it = transposed.two_nearest(row, scratch);
            } else {
                it.meet(least, distance);
            }
        };
        let rows = rows.values.par_chunks(width);
        near.par_iter_mut().zip(rows).zip(&distances).with_min_len(PIECE).for_each_init(Vec::new, again);
    }
    centres
}

/// The nearest centre of every row.
pub(super) fn nearest(rows: &Rows, centres: &[f64]) -> Vec<usize> {
    let transposed = Transposed::of(centres, rows.width);
    let piece = |piece: &[f64]| -> Vec<usize> {
        let mut distances = Vec::new();
        piece.chunks_exact(rows.width).map(|row| transposed.nearest(row, &mut distances).0).collect()
    };
    let pieces: Vec<Vec<usize>> = rows.values.par_chunks(PIECE * rows.width).map(piece).collect();
    pieces.concat()
}

/// What is known of a row between rounds.
#[derive(Clone, Copy)]
struct Bounds {
    centre: u32,
    /// No less than its distance to the centre.
    upper: f64,
    /// No more than its distance to any other centre.
    lower: f64,
}

/// How far centres went in a round, and half of how far each is from the nearest other.
struct Moves {
    by: Vec<f64>,
    half: Vec<f64>,
    /// The centre that went farthest, how far it went, and how far any other went at most.
    farthest: (usize, f64, f64),
}

impl Moves {
    fn new(by: Vec<f64>, centres: &[f64], width: usize) -> Self {
        let transposed = Transposed::of(centres, width);
        let half = |centre: &[f64]| transposed.two_nearest(centre, &mut Vec::new()).squared[1].sqrt() / 2.0;
        let mut farthest = (0, -1.0, 0.0);
        for (centre, &by) in by.iter().enumerate() {
            if by > farthest.1 {
                farthest = (centre, by, f64::max(farthest.1, 0.0));
            } else {
                farthest.2 = f64::max(farthest.2, by);
            }
        }
        Moves { half: centres.chunks_exact(width).map(half).collect(), by, farthest }
    }
}

/// The sums of the rows of every centre, and how many these are; only rows whose bounds leave it open are measured again.
fn assigned(rows: &Rows, centres: &[f64], bounds: &mut [Bounds], moves: &Moves) -> (Vec<f64>, Vec<f64>) {
    let (width, transposed) = (rows.width, Transposed::of(centres, rows.width));
    let of_piece = |(bounds, piece): (&mut [Bounds], &[f64])| {
        let (mut sums, mut counts) = (vec![0.0; centres.len()], vec![0.0; transposed.count]);
        let mut distances = Vec::new();
        for (bound, row) in bounds.iter_mut().zip(piece.chunks_exact(width)) {
            let own = bound.centre as usize;
            bound.upper += moves.by[own];
            bound.lower -= if own == moves.farthest.0 { moves.farthest.2 } else { moves.farthest.1 };
            let clear = bound.lower.max(moves.half[own]);
            if bound.upper > clear {
                bound.upper = squared(row, &centres[own * width..(own + 1) * width]).sqrt();
            }
            if bound.upper > clear {
                let near = transposed.two_nearest(row, &mut distances);
                let [upper, lower] = near.squared.map(f64::sqrt);
                *bound = Bounds { centre: near.first, upper, lower };
            }
            let own = bound.centre as usize;
            counts[own] += 1.0;
            sums[own * width..(own + 1) * width].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        (sums, counts)
    };
    let pieces = bounds.par_chunks_mut(16 * PIECE).zip(rows.values.par_chunks(16 * PIECE * width)).map(of_piece);
    let pieces: Vec<(Vec<f64>, Vec<f64>)> = pieces.collect();
    let empty = (vec![0.0; centres.len()], vec![0.0; transposed.count]);
    pieces.into_iter().fold(empty, |mut all, (sums, counts)| {
        all.0.iter_mut().zip(&sums).for_each(|(to, from)| *to += from);
        all.1.iter_mut().zip(&counts).for_each(|(to, from)| *to += from);
        all
    })
}

/// Moves centres to the means of their rows until they stay. A centre without rows goes to the row that is farthest from its own.
fn lloyd(rows: &Rows, mut centres: Vec<f64>, rounds: usize) -> Clusters {
    let width = rows.width;
    let (means, spreads) = super::moments(rows);
    let variance = spreads.iter().map(|spread| spread * spread).sum::<f64>() / means.len() as f64;
    // Nothing is known at first: every row is measured.
    let mut bounds = vec![Bounds { centre: 0, upper: f64::INFINITY, lower: 0.0 }; rows.len()];
    let mut moves = Moves::new(vec![0.0; centres.len() / width], &centres, width);
    for _ in 0..rounds {
        srrd::run::checkpoint();
        let (sums, counts) = assigned(rows, &centres, &mut bounds, &moves);
        let lonely = if counts.contains(&0.0) { farthest(rows, &centres) } else { Vec::new() };
        let mut by = Vec::with_capacity(counts.len());
        for (at, centre) in centres.chunks_exact_mut(width).enumerate() {
            let sum = &sums[at * width..(at + 1) * width];
            let target: Vec<f64> = match counts[at] {
                0.0 => lonely.clone(),
                count => sum.iter().map(|sum| sum / count).collect(),
            };
            by.push(squared(centre, &target).sqrt());
            centre.copy_from_slice(&target);
        }
        if by.iter().map(|by| by * by).sum::<f64>() <= TOLERANCE * variance {
            break;
        }
        moves = Moves::new(by, &centres, width);
    }
    let inertia = inertia(rows, &centres);
    Clusters { centres, inertia }
}

/// The sum of squared distances of rows to their nearest centres.
fn inertia(rows: &Rows, centres: &[f64]) -> f64 {
    let transposed = Transposed::of(centres, rows.width);
    let of_piece = |piece: &[f64]| -> f64 {
        let mut distances = Vec::new();
        piece.chunks_exact(rows.width).map(|row| transposed.nearest(row, &mut distances).1).sum()
    };
    let pieces: Vec<f64> = rows.values.par_chunks(PIECE * rows.width).map(of_piece).collect();
    pieces.iter().sum()
}

/// The row that is farthest from its centre, the first of equally far ones.
fn farthest(rows: &Rows, centres: &[f64]) -> Vec<f64> {
    let transposed = Transposed::of(centres, rows.width);
    let (mut distances, mut found) = (Vec::new(), (-1.0, &rows.values[..rows.width]));
    for row in rows.iter() {
        let (_, distance) = transposed.nearest(row, &mut distances);
        if distance > found.0 {
            found = (distance, row);
        }
    }
    found.1.to_vec()
}

/// Centres by mini-batches.
fn mini_batches(rows: &Rows, count: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    let width = rows.width;
    let draw = |random: &mut ChaCha8Rng, many: usize| {
        let mut values = Vec::with_capacity(many * width);
        for _ in 0..many {
            let at = (uniform(random) * rows.len() as f64) as usize;
            values.extend_from_slice(&rows.values[at * width..(at + 1) * width]);
        }
        Rows { width, values }
    };
    let start = draw(random, (3 * BATCH).max(10 * count));
    let centres = first_centres(&start, count, random);
    let mut centres = exchanged(&start, centres, random);
    let mut had = vec![0.0; centres.len() / width];
    for _ in 0..BATCHES {
        srrd::run::checkpoint();
        let batch = draw(random, BATCH);
        for (row, centre) in batch.iter().zip(nearest(&batch, &centres)) {
            had[centre] += 1.0;
            let to = &mut centres[centre * width..(centre + 1) * width];
            to.iter_mut().zip(row).for_each(|(to, value)| *to += (value - *to) / had[centre]);
        }
    }
    centres
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_centre_is_that_of_the_definition() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let rows = Rows { width: 3, values: (0..900).map(|_| uniform(&mut random)).collect() };
        let found = kmeans(&rows, 7, 0);
        let mut inertia = 0.0;
        for (row, cell) in rows.iter().zip(nearest(&rows, &found.centres)) {
            let distances: Vec<f64> = found.centres.chunks_exact(3).map(|centre| squared(row, centre)).collect();
            assert!(distances.iter().all(|&distance| distance >= distances[cell] - 1e-12));
            inertia += distances[cell];
        }
        assert!((inertia - found.inertia).abs() < 1e-9);
        // Every centre is the mean of its rows.
        assert!(lloyd(&rows, found.centres.clone(), 50).inertia >= found.inertia * 0.99);
    }

    #[test]
    fn few_different_rows_are_their_own_centres_and_many_go_by_batches() {
        let rows = Rows { width: 1, values: vec![1.0, 1.0, 2.0] };
        assert_eq!(kmeans(&rows, 5, 0).centres.len(), 2);
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let values = (0..MANY + 10).map(|at| (at % 3) as f64 * 10.0 + uniform(&mut random)).collect();
        let many = Rows { width: 1, values };
        let mut centres = kmeans(&many, 3, 0).centres;
        centres.sort_by(f64::total_cmp);
        assert!(
            centres.iter().zip([0.5, 10.5, 20.5]).all(|(centre, middle)| (centre - middle).abs() < 0.05),
            "{centres:?}"
        );
    }
}
