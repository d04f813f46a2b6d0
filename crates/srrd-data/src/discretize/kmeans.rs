//! k-means: centres such that the sum of squared distances of rows to their nearest centre is small.
//!
//! The first centres are drawn by k-means++ (each with a probability that grows with the squared distance to those before, the best of a few
//! draws), then moved to the means of their rows (Lloyd) until they stay. With very many rows, they are found on draws of rows (mini-batches:
//! a centre moves to each of its rows by one over how many it has had), and moved a few times by all rows in the end. Lloyd costs
//! O(rows · cells · features) per round. All sums are taken in pieces that do not depend on threads.

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
const LAST_ROUNDS: usize = 10;
/// How often it is begun anew where there are few rows; the best is kept.
const STARTS: u64 = 4;
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
        lloyd(rows, first_centres(rows, count, &mut random), ROUNDS)
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
        distances.clear();
        distances.resize(self.count, 0.0);
        for (value, centres) in row.iter().zip(self.values.chunks_exact(self.count)) {
            for (distance, centre) in distances.iter_mut().zip(centres) {
                *distance += (value - centre) * (value - centre);
            }
        }
        let mut best = (0, f64::INFINITY);
        for (centre, &distance) in distances.iter().enumerate() {
            if distance < best.1 {
                best = (centre, distance);
            }
        }
        best
    }
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

/// What rows of a piece say about centres.
struct Sums {
    sums: Vec<f64>,
    counts: Vec<f64>,
    inertia: f64,
    /// The row that is farthest from its centre.
    farthest: (f64, Vec<f64>),
}

fn sums(rows: &Rows, centres: &[f64]) -> Sums {
    let (width, count) = (rows.width, centres.len() / rows.width);
    let transposed = Transposed::of(centres, width);
    let empty = || Sums {
        sums: vec![0.0; centres.len()],
        counts: vec![0.0; count],
        inertia: 0.0,
        farthest: (-1.0, Vec::new()),
    };
    let of_piece = |piece: &[f64]| {
        let (mut found, mut distances) = (empty(), Vec::new());
        for row in piece.chunks_exact(width) {
            let (centre, distance) = transposed.nearest(row, &mut distances);
            found.counts[centre] += 1.0;
            found.inertia += distance;
            found.sums[centre * width..(centre + 1) * width].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            if distance > found.farthest.0 {
                found.farthest = (distance, row.to_vec());
            }
        }
        found
    };
    let pieces: Vec<Sums> = rows.values.par_chunks(64 * PIECE * width).map(of_piece).collect();
    pieces.into_iter().fold(empty(), |mut all, piece| {
        all.sums.iter_mut().zip(&piece.sums).for_each(|(to, from)| *to += from);
        all.counts.iter_mut().zip(&piece.counts).for_each(|(to, from)| *to += from);
        all.inertia += piece.inertia;
        if piece.farthest.0 > all.farthest.0 {
            all.farthest = piece.farthest;
        }
        all
    })
}

/// Moves centres to the means of their rows until they stay. A centre without rows goes to the row that is farthest from its own.
fn lloyd(rows: &Rows, mut centres: Vec<f64>, rounds: usize) -> Clusters {
    let (means, spreads) = super::moments(rows);
    let variance = spreads.iter().map(|spread| spread * spread).sum::<f64>() / means.len() as f64;
    for _ in 0..rounds {
        srrd::run::checkpoint();
        let found = sums(rows, &centres);
        let mut moved = 0.0;
        for (at, centre) in centres.chunks_exact_mut(rows.width).enumerate() {
            let sum = &found.sums[at * rows.width..(at + 1) * rows.width];
            let target: Vec<f64> = match found.counts[at] {
                0.0 => found.farthest.1.clone(),
                count => sum.iter().map(|sum| sum / count).collect(),
            };
            moved += squared(centre, &target);
            centre.copy_from_slice(&target);
        }
        if moved <= TOLERANCE * variance {
            break;
        }
    }
    let inertia = sums(rows, &centres).inertia;
    Clusters { centres, inertia }
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
    let mut centres = first_centres(&start, count, random);
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
