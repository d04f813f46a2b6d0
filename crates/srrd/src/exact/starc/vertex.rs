//! The linear programs of the norms 1 and ∞: from vertex to vertex, always down.
//!
//! A vertex is where as many rows as there are unknowns hold exactly (the *basis*). The inverse of the basis has the edges that leave the
//! vertex as its columns, and says of each whether the norm falls along it. One that falls is followed to its lowest point, where another
//! row takes the place of the one that was left. The first basis are the unknowns themselves, held at 0; these may leave both ways.
//!
//! Where more rows meet than needed, an edge may have no length, and the way could go in circles. So every target is tilted by a fixed number
//! of at most 10⁻¹⁰; the vertex found in the end is computed without the tilt.

use super::minimal::Row;
use crate::exact::ExactError;
use crate::run::checkpoint;
use crate::sparse::dot;

/// How far targets are tilted; they are of the size of 1.
const TILT: f64 = 1e-10;
/// What counts as a slope.
const SLOPE: f64 = 1e-9;
/// Of the largest change along an edge: what counts as a change.
const CHANGE: f64 = 1e-11;
/// After so many exchanges the inverse is computed anew.
const FRESH: usize = 64;

/// Rows as dense vectors of one length, with what they are at the start.
struct Rows {
    width: usize,
    coefficients: Vec<f64>,
    targets: Vec<f64>,
}

impl Rows {
    fn new(width: usize, rows: &[Row]) -> Self {
        let mut coefficients = vec![0.0; rows.len() * width];
        for (row, values) in rows.iter().zip(coefficients.chunks_exact_mut(width)) {
            row.terms.iter().for_each(|&(j, c)| values[j] = c);
        }
        Rows { width, coefficients, targets: rows.iter().map(|row| row.target).collect() }
    }

    fn len(&self) -> usize {
        self.targets.len()
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.coefficients[i * self.width..(i + 1) * self.width]
    }

    /// How every row changes along a direction.
    fn along(&self, direction: &[f64]) -> Vec<f64> {
        self.coefficients.chunks_exact(self.width).map(|row| dot(row, direction)).collect()
    }

    /// What rows that start as `targets` are at x.
    fn at(&self, targets: &[f64], x: &[f64]) -> Vec<f64> {
        self.along(x).iter().zip(targets).map(|(change, target)| target + change).collect()
    }

    /// Σ weight · row
    fn sum(&self, weights: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sum = vec![0.0; self.width];
        for (row, weight) in self.coefficients.chunks_exact(self.width).zip(weights) {
            if weight != 0.0 {
                sum.iter_mut().zip(row).for_each(|(sum, c)| *sum += weight * c);
            }
        }
        sum
    }

    fn tilted(&self) -> Vec<f64> {
        // The fractional parts of multiples of the golden ratio: spread evenly, no two alike.
        let tilt = |i: usize| TILT * (2.0 * ((i + 1) as f64 * 0.618_033_988_749_894_9).fract() - 1.0);
        self.targets.iter().enumerate().map(|(i, target)| target + tilt(i)).collect()
    }

    fn steps(&self) -> usize {
        1000 + 20 * (self.len() + self.width)
    }
}

/// A square system of basis rows, and its inverse by columns.
struct Basis {
    size: usize,
    rows: Vec<f64>,
    /// Column j at j · size: the edge along which row j grows by 1 and the others stay.
    edges: Vec<f64>,
    exchanges: usize,
}

impl Basis {
    fn unit(size: usize) -> Self {
        let mut unit = vec![0.0; size * size];
        (0..size).for_each(|i| unit[i * size + i] = 1.0);
        Basis { size, rows: unit.clone(), edges: unit, exchanges: 0 }
    }

    fn edge(&self, j: usize) -> &[f64] {
        &self.edges[j * self.size..(j + 1) * self.size]
    }

    /// Row j becomes another.
    fn exchange(&mut self, j: usize, row: &[f64]) {
        let n = self.size;
        self.rows[j * n..(j + 1) * n].copy_from_slice(row);
        self.exchanges += 1;
        if self.is_fresh() {
            self.invert();
            return;
        }
        let pivot = dot(row, self.edge(j));
        self.edges[j * n..(j + 1) * n].iter_mut().for_each(|e| *e /= pivot);
        let kept = self.edge(j).to_vec();
        for (_, edge) in self.edges.chunks_exact_mut(n).enumerate().filter(|(k, _)| *k != j) {
            let change = dot(row, edge);
            edge.iter_mut().zip(&kept).for_each(|(e, kept)| *e -= change * kept);
        }
    }

    /// Whether the inverse was just computed anew.
    fn is_fresh(&self) -> bool {
        self.exchanges.is_multiple_of(FRESH)
    }

    /// Gauss and Jordan, with the largest pivot of every column.
    fn invert(&mut self) {
        let n = self.size;
        let mut matrix = self.rows.clone();
        let mut inverse = Basis::unit(n).rows;
        for k in 0..n {
            let size = |i: usize| matrix[i * n + k].abs();
            let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
            for values in [&mut matrix, &mut inverse] {
                (0..n).for_each(|j| values.swap(k * n + j, pivot * n + j));
            }
            let scale = 1.0 / matrix[k * n + k];
            for values in [&mut matrix, &mut inverse] {
                values[k * n..(k + 1) * n].iter_mut().for_each(|v| *v *= scale);
            }
            for i in (0..n).filter(|&i| i != k) {
                let factor = matrix[i * n + k];
                if factor != 0.0 {
                    for values in [&mut matrix, &mut inverse] {
                        (0..n).for_each(|j| values[i * n + j] -= factor * values[k * n + j]);
                    }
                }
            }
        }
        for i in 0..n {
            (0..n).for_each(|j| self.edges[j * n + i] = inverse[i * n + j]);
        }
    }

    /// The x at which basis row j is `values[j]`.
    fn solve(&self, values: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.size];
        for (edge, value) in self.edges.chunks_exact(self.size).zip(values) {
            x.iter_mut().zip(edge).for_each(|(x, e)| *x += value * e);
        }
        x
    }
}

/// An x with which Σ |target + Σ coefficient · x| is least.
///
/// # Errors
/// When rounding keeps it from being found, which no input is known to do.
pub(super) fn least_sum(unknowns: usize, rows: &[Row]) -> Result<Vec<f64>, ExactError> {
    let rows = Rows::new(unknowns, rows);
    let mut basis = Basis::unit(unknowns);
    // Which row of the problem holds at every place of the basis; `None` is an unknown that is held at 0.
    let mut held: Vec<Option<usize>> = vec![None; unknowns];
    let mut in_basis = vec![false; rows.len()];
    let tilted = rows.tilted();
    let mut values = tilted.clone();
    for _ in 0..rows.steps() {
        checkpoint();
        let signs = |i: usize| if in_basis[i] { 0.0 } else { values[i].signum() };
        let gradient = rows.sum((0..rows.len()).map(signs));
        // The slope along ± an edge: the gradient's, and 1 where a row that held is left.
        let slopes = (0..unknowns).map(|j| {
            let along = dot(&gradient, basis.edge(j));
            let length = dot(basis.edge(j), basis.edge(j)).sqrt();
            ((if held[j].is_some() { 1.0 } else { 0.0 } - along.abs()) / length.max(1.0), j, -along.signum())
        });
        let (slope, leaving, way) = slopes.fold((0.0, 0, 1.0), |best, next| if next.0 < best.0 { next } else { best });
        if slope > -SLOPE {
            let at: Vec<f64> = held.iter().map(|row| row.map_or(0.0, |i| -rows.targets[i])).collect();
            basis.invert();
            return Ok(basis.solve(&at));
        }
        let direction: Vec<f64> = basis.edge(leaving).iter().map(|e| way * e).collect();
        let change = rows.along(&direction);
        let (entering, length) = lowest(&values, &change, &in_basis, if held[leaving].is_some() { 1.0 } else { 0.0 })
            .ok_or(ExactError::NoLeast)?;
        for (value, change) in values.iter_mut().zip(&change) {
            *value += length * change;
        }
        basis.exchange(leaving, rows.row(entering));
        if let Some(left) = held[leaving].replace(entering) {
            in_basis[left] = false;
            values[left] = way * length;
        }
        in_basis[entering] = true;
        values[entering] = 0.0;
        if basis.is_fresh() {
            let at: Vec<f64> = held.iter().map(|row| row.map_or(0.0, |i| -tilted[i])).collect();
            values = rows.at(&tilted, &basis.solve(&at));
        }
        held.iter().flatten().for_each(|&i| values[i] = 0.0);
    }
    Err(ExactError::NoLeast)
}

/// The row that is 0 where Σ |value + length · change| is lowest, and how far that is. `own` is the change of the row that is left.
fn lowest(values: &[f64], change: &[f64], in_basis: &[bool], own: f64) -> Option<(usize, f64)> {
    let largest = change.iter().fold(0.0, |most: f64, c| most.max(c.abs()));
    let moves = |i: &usize| !in_basis[*i] && change[*i].abs() > CHANGE * largest;
    let start = |i: usize| change[i].abs() * if values[i] * change[i] < 0.0 { -1.0 } else { 1.0 };
    let mut slope = own + (0..values.len()).filter(moves).map(start).sum::<f64>();
    let ahead = (0..values.len()).filter(moves).filter(|&i| values[i] * change[i] < 0.0);
    let mut breaks: Vec<(f64, usize)> = ahead.map(|i| (-values[i] / change[i], i)).collect();
    breaks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for (length, i) in breaks {
        slope += 2.0 * change[i].abs();
        if slope >= 0.0 {
            return Some((i, length));
        }
    }
    None
}

/// The x with which the largest |target + Σ coefficient · x| is least; among those, the next largest; and so on.
///
/// A round finds the least maximum. Rows with a multiplier hold it wherever it is least, and stay; what these leave free is the space of the
/// next round.
///
/// # Errors
/// When rounding keeps it from being found, which no input is known to do.
pub(super) fn strictly_least_maximum(unknowns: usize, rows: &[Row]) -> Result<Vec<f64>, ExactError> {
    let mut x = vec![0.0; unknowns];
    let mut space = Basis::unit(unknowns).rows;
    loop {
        let width = space.len() / unknowns;
        let mut left = Rows { width, coefficients: Vec::new(), targets: Vec::new() };
        for row in rows {
            let along = |d: &[f64]| row.terms.iter().map(|&(j, c)| c * d[j]).sum::<f64>();
            let coefficients: Vec<f64> = space.chunks_exact(unknowns).map(along).collect();
            let size = row.terms.iter().fold(0.0, |most: f64, (_, c)| most.max(c.abs()));
            if coefficients.iter().any(|c| c.abs() > SLOPE * size) {
                left.coefficients.extend(coefficients);
                left.targets.push(row.at(&x));
            }
        }
        let most = left.targets.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        if most <= super::ROUNDING {
            return Ok(x);
        }
        left.targets.iter_mut().for_each(|v| *v /= most);
        let Round { at, free } = least_maximum(&left)?;
        let outward = |y: &[f64]| -> Vec<f64> {
            let mut sum = vec![0.0; unknowns];
            for (d, y) in space.chunks_exact(unknowns).zip(y) {
                sum.iter_mut().zip(d).for_each(|(sum, d)| *sum += y * d);
            }
            sum
        };
        x.iter_mut().zip(outward(&at)).for_each(|(x, step)| *x += most * step);
        let next: Vec<Vec<f64>> = free.iter().map(|y| outward(y)).collect();
        if next.len() >= width {
            return Err(ExactError::NoLeast);
        }
        space = orthonormal(next);
    }
}

/// What a round finds.
struct Round {
    at: Vec<f64>,
    /// Directions along which the rows that hold the maximum do not change.
    free: Vec<Vec<f64>>,
}

/// The least maximum of |target + coefficients · y|. The unknowns are y and the maximum itself, the last one.
fn least_maximum(rows: &Rows) -> Result<Round, ExactError> {
    let n = rows.width;
    let tilted = rows.tilted();
    let mut values = tilted.clone();
    let mut basis = Basis::unit(n + 1);
    let side = |i: usize, sign: f64| -> Vec<f64> { rows.row(i).iter().map(|c| -sign * c).chain([1.0]).collect() };
    let first = (0..values.len()).fold(0, |best, i| if values[i].abs() > values[best].abs() { i } else { best });
    let mut maximum = values[first].abs();
    let mut held: Vec<Option<(usize, f64)>> = vec![None; n + 1];
    held[n] = Some((first, values[first].signum()));
    basis.exchange(n, &side(first, values[first].signum()));
    for _ in 0..rows.steps() {
        checkpoint();
        // Along an edge the maximum grows by its last number; only unknowns that are held at 0 may be left both ways.
        let slopes = (0..=n).map(|j| {
            let edge = basis.edge(j);
            let length = dot(&edge[..n], &edge[..n]).sqrt().max(1.0);
            match held[j] {
                Some(_) => (edge[n] / length, j, 1.0),
                None => (-edge[n].abs() / length, j, -edge[n].signum()),
            }
        });
        let (slope, leaving, way) = slopes.fold((0.0, 0, 1.0), |best, next| if next.0 < best.0 { next } else { best });
        if slope > -SLOPE {
            return Ok(finished(rows, basis, &held));
        }
        let direction: Vec<f64> = basis.edge(leaving).iter().map(|e| way * e).collect();
        let change = rows.along(&direction[..n]);
        let rise = direction[n];
        let scale = change.iter().fold(rise.abs(), |most: f64, c| most.max(c.abs()));
        let holds = |i: usize, sign: f64| held.iter().flatten().any(|&(row, s)| (row, s) == (i, sign));
        let mut best: Option<(f64, usize, f64)> = None;
        for (i, (value, change)) in values.iter().zip(&change).enumerate() {
            for sign in [1.0, -1.0] {
                let rate = rise - sign * change;
                let length = (maximum - sign * value).max(0.0) / -rate;
                if rate < -CHANGE * scale && best.is_none_or(|best| length < best.0) && !holds(i, sign) {
                    best = Some((length, i, sign));
                }
            }
        }
        let (length, entering, sign) = best.ok_or(ExactError::NoLeast)?;
        values.iter_mut().zip(&change).for_each(|(value, change)| *value += length * change);
        maximum += length * rise;
        basis.exchange(leaving, &side(entering, sign));
        held[leaving] = Some((entering, sign));
        if basis.is_fresh() {
            let at: Vec<f64> = held.iter().map(|row| row.map_or(0.0, |(i, sign)| sign * tilted[i])).collect();
            let at = basis.solve(&at);
            (values, maximum) = (rows.at(&tilted, &at[..n]), at[n]);
        }
    }
    Err(ExactError::NoLeast)
}

/// The vertex without the tilt, and the edges along which no row with a multiplier changes.
fn finished(rows: &Rows, mut basis: Basis, held: &[Option<(usize, f64)>]) -> Round {
    let n = rows.width;
    basis.invert();
    let at: Vec<f64> = held.iter().map(|row| row.map_or(0.0, |(i, sign)| sign * rows.targets[i])).collect();
    let mut at = basis.solve(&at);
    at.truncate(n);
    let free = (0..=n).map(|j| basis.edge(j)).filter(|edge| edge[n].abs() <= SLOPE).map(|edge| edge[..n].to_vec());
    Round { at, free: free.collect() }
}

/// An orthonormal basis of what some independent vectors span, one after the other.
fn orthonormal(mut vectors: Vec<Vec<f64>>) -> Vec<f64> {
    for k in 0..vectors.len() {
        let (done, rest) = vectors.split_at_mut(k);
        // Twice: once leaves as much as rounding does.
        for _ in 0..2 {
            for other in done.iter() {
                let along = dot(other, &rest[0]);
                rest[0].iter_mut().zip(other).for_each(|(v, o)| *v -= along * o);
            }
            let length = dot(&rest[0], &rest[0]).sqrt();
            rest[0].iter_mut().for_each(|v| *v /= length);
        }
    }
    vectors.concat()
}
