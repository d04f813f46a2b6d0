//! Conditional logit: which option is chosen, where options are worth a weighted sum of unknowns.
//!
//! At every *point* one of some options is chosen, option a with probability π_a ∝ exp(Σ_i w_ai x_i), and n_a times it was. The
//! unknowns x maximize
//!
//! ```text
//! ℓ(x) = Σ over points Σ_a n_a log π_a − (λ/2)‖x‖²
//! ```
//!
//! which is strictly concave: one answer, found by Newton's steps with H + λI, H = Σ n Cov_π(w). H has an entry for two unknowns only
//! where a point has both, so it is factorized sparsely; where even that would take too long, steps are found by conjugate gradients.
//! What the choices leave open, x of no influence, is 0: of all answers this is the one of minimum norm.
//!
//! O(Σ terms² + factorization) a step, 4 to 8 steps.

use srrd::run::checkpoint;
use srrd::sparse::{Symmetric, SymmetricFactor};

/// Factorizations of so many multiplications, and so many entries, are made; larger systems are solved by conjugate gradients.
const MOST_WORK: u64 = 2_000_000_000;
const MOST_ENTRIES: usize = 20_000_000;
/// How often a step is halved before it counts as no progress.
const HALVINGS: usize = 40;
/// The part of the promised progress that a step has to make.
const ARMIJO: f64 = 1e-4;

/// Points of choice. Unknowns that count alike in all options of a point are left out there: they decide nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choices {
    /// By point, where its options start, and how many there are at the end.
    options: Vec<usize>,
    /// By option, where its terms start, and how many there are at the end.
    terms: Vec<usize>,
    /// By term: the unknown, and its place among those of its point.
    unknown: Vec<u32>,
    local: Vec<u32>,
    weight: Vec<f64>,
    /// By option, how often it was chosen.
    count: Vec<f64>,
    /// By point, where its distinct unknowns start.
    locals: Vec<usize>,
    distinct: Vec<u32>,
    /// By point, whether the weights of every option add up to the same: a shift of all its unknowns decides nothing.
    balanced: Vec<bool>,
}

impl Choices {
    /// No points.
    pub fn new() -> Self {
        Choices { options: vec![0], terms: vec![0], locals: vec![0], ..Choices::default() }
    }

    /// Adds a point of options (how often chosen, terms). Terms name an unknown once.
    pub fn push(&mut self, options: &[(f64, Vec<(u32, f64)>)]) {
        let mut distinct: Vec<u32> = options.iter().flat_map(|option| option.1.iter().map(|term| term.0)).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let weight_in = |option: &(f64, Vec<(u32, f64)>), unknown: u32| {
            option.1.iter().find(|term| term.0 == unknown).map_or(0.0, |term| term.1)
        };
        distinct.retain(|&unknown| {
            let first = weight_in(&options[0], unknown);
            options[1..].iter().any(|option| weight_in(option, unknown) != first)
        });
        let mut sums = Vec::with_capacity(options.len());
        for (count, terms) in options {
            let mut sum = 0.0;
            for &(unknown, weight) in terms {
                if let Ok(local) = distinct.binary_search(&unknown) {
                    self.unknown.push(unknown);
                    self.local.push(local as u32);
                    self.weight.push(weight);
                    sum += weight;
                }
            }
            sums.push(sum);
            self.terms.push(self.unknown.len());
            self.count.push(*count);
        }
        let scale = sums.iter().fold(0.0f64, |most, sum| most.max(sum.abs()));
        self.balanced.push(sums.iter().all(|sum| (sum - sums[0]).abs() <= 1e-12 * scale));
        self.options.push(self.count.len());
        self.distinct.extend(distinct);
        self.locals.push(self.distinct.len());
    }

    fn points(&self) -> usize {
        self.options.len() - 1
    }

    /// How many choices were made.
    pub fn total(&self) -> f64 {
        self.count.iter().sum()
    }

    fn distinct(&self, point: usize) -> &[u32] {
        &self.distinct[self.locals[point]..self.locals[point + 1]]
    }

    /// Σ w x of an option.
    fn worth(&self, option: usize, x: &[f64]) -> f64 {
        let range = self.terms[option]..self.terms[option + 1];
        self.unknown[range.clone()].iter().zip(&self.weight[range]).map(|(&i, w)| w * x[i as usize]).sum()
    }

    /// Puts π of all options in `chance` and gives Σ n log π.
    fn chances(&self, x: &[f64], chance: &mut [f64]) -> f64 {
        let mut likelihood = 0.0;
        for point in 0..self.points() {
            let range = self.options[point]..self.options[point + 1];
            let mut most = f64::NEG_INFINITY;
            for option in range.clone() {
                chance[option] = self.worth(option, x);
                most = most.max(chance[option]);
            }
            let sum: f64 = chance[range.clone()].iter().map(|worth| (worth - most).exp()).sum();
            let log_sum = most + sum.ln();
            for option in range {
                likelihood += self.count[option] * (chance[option] - log_sum);
                chance[option] = (chance[option] - log_sum).exp();
            }
        }
        likelihood
    }

    /// Whether every point's choices are all for the one option that is worth most.
    pub fn all_explained(&self, x: &[f64]) -> bool {
        (0..self.points()).all(|point| {
            let range = self.options[point]..self.options[point + 1];
            let mut chosen = range.clone().filter(|&option| self.count[option] > 0.0);
            let (Some(only), None) = (chosen.next(), chosen.next()) else { return false };
            let worth = self.worth(only, x);
            range.filter(|&option| option != only).all(|option| self.worth(option, x) < worth)
        })
    }

    /// The gradient of ℓ.
    fn gradient(&self, x: &[f64], chance: &[f64], ridge: f64) -> Vec<f64> {
        let mut gradient: Vec<f64> = x.iter().map(|x| -ridge * x).collect();
        for point in 0..self.points() {
            let range = self.options[point]..self.options[point + 1];
            let total: f64 = self.count[range.clone()].iter().sum();
            for option in range {
                let more = self.count[option] - total * chance[option];
                for term in self.terms[option]..self.terms[option + 1] {
                    gradient[self.unknown[term] as usize] += more * self.weight[term];
                }
            }
        }
        gradient
    }

    /// (H + λI) v without H.
    fn curve(&self, chance: &[f64], ridge: f64, v: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = v.iter().map(|v| ridge * v).collect();
        for point in 0..self.points() {
            let range = self.options[point]..self.options[point + 1];
            let total: f64 = self.count[range.clone()].iter().sum();
            let mean: f64 = range.clone().map(|option| chance[option] * self.worth(option, v)).sum();
            for option in range {
                let more = total * chance[option] * (self.worth(option, v) - mean);
                for term in self.terms[option]..self.terms[option + 1] {
                    product[self.unknown[term] as usize] += more * self.weight[term];
                }
            }
        }
        product
    }
}

/// The pattern of H, and where every point adds to it.
#[derive(Debug)]
struct Curvature {
    symmetric: Symmetric,
    /// By point, one slot for every pair of its distinct unknowns, row after row above the diagonal.
    slots: Vec<u32>,
}

impl Curvature {
    fn new(choices: &Choices, unknowns: usize) -> Option<Self> {
        let of_point = |point: usize| {
            let k = choices.distinct(point).len();
            k * k.saturating_sub(1) / 2
        };
        if (0..choices.points()).map(of_point).sum::<usize>() > MOST_ENTRIES {
            return None;
        }
        let mut positions = Vec::new();
        for point in 0..choices.points() {
            let distinct = choices.distinct(point);
            for (at, &i) in distinct.iter().enumerate() {
                positions.extend(distinct[at + 1..].iter().map(|&j| (i, j)));
            }
        }
        let (symmetric, slots) = Symmetric::new(unknowns, &positions, MOST_WORK)?;
        Some(Curvature { symmetric, slots })
    }

    fn factor(&self, choices: &Choices, chance: &[f64], ridge: f64, unknowns: usize) -> SymmetricFactor {
        let (mut diagonal, mut beside) = (vec![ridge; unknowns], vec![0.0; self.symmetric.entries()]);
        let (mut dense, mut mean, mut slot) = (Vec::new(), Vec::new(), 0);
        for point in 0..choices.points() {
            let distinct = choices.distinct(point);
            let k = distinct.len();
            dense.clear();
            dense.resize(k * k, 0.0);
            mean.clear();
            mean.resize(k, 0.0);
            let range = choices.options[point]..choices.options[point + 1];
            let total: f64 = choices.count[range.clone()].iter().sum();
            for option in range {
                let terms = choices.terms[option]..choices.terms[option + 1];
                for one in terms.clone() {
                    let (i, w) = (choices.local[one] as usize, choices.weight[one]);
                    mean[i] += chance[option] * w;
                    for other in terms.clone() {
                        dense[i * k + choices.local[other] as usize] += chance[option] * w * choices.weight[other];
                    }
                }
            }
            for i in 0..k {
                diagonal[distinct[i] as usize] += total * (dense[i * k + i] - mean[i] * mean[i]);
                for j in i + 1..k {
                    beside[self.slots[slot] as usize] += total * (dense[i * k + j] - mean[i] * mean[j]);
                    slot += 1;
                }
            }
        }
        self.symmetric.factor(&diagonal, &beside)
    }
}

/// The unknowns that were found.
#[derive(Debug)]
pub(crate) struct Fit {
    pub x: Vec<f64>,
    /// The largest element of the gradient per choice, at the end.
    pub gradient: f64,
    /// Whether the gradient is as small as it was to be.
    pub converged: bool,
    ridge: f64,
    curvature: Option<(Curvature, SymmetricFactor)>,
    /// By unknown, the component of unknowns that a shift of all of them leaves open; `u32::MAX` where there is none.
    component: Vec<u32>,
    /// By component, how many unknowns it has.
    sizes: Vec<f64>,
}

/// One step of the fit: what it has come to.
pub(crate) struct State<'a> {
    pub x: &'a [f64],
    pub likelihood: f64,
    pub gradient: f64,
}

/// When a fit ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    pub ridge: f64,
    /// The largest element of the gradient per choice.
    pub gradient: f64,
}

/// Maximizes ℓ; `look` is shown every step and says whether it is enough.
pub(crate) fn fit(
    choices: &Choices,
    unknowns: usize,
    precision: Precision,
    mut look: impl FnMut(&State<'_>) -> bool,
) -> Fit {
    let ridge = precision.ridge;
    let total = choices.total().max(1.0);
    let (mut x, mut chance) = (vec![0.0; unknowns], vec![0.0; choices.count.len()]);
    let curvature = Curvature::new(choices, unknowns);
    let objective = |x: &[f64], likelihood: f64| likelihood - 0.5 * ridge * x.iter().map(|x| x * x).sum::<f64>();
    let mut likelihood = choices.chances(&x, &mut chance);
    let mut gradient = choices.gradient(&x, &chance, ridge);
    let largest = |gradient: &[f64]| gradient.iter().fold(0.0f64, |most, g| most.max(g.abs())) / total;
    let mut factor = None;
    loop {
        checkpoint();
        if largest(&gradient) <= precision.gradient {
            break;
        }
        let step = match &curvature {
            Some(curvature) => {
                let found = curvature.factor(choices, &chance, ridge, unknowns);
                let mut step = gradient.clone();
                curvature.symmetric.solve(&found, &mut step);
                factor = Some(found);
                step
            }
            None => conjugate_gradients(|v| choices.curve(&chance, ridge, v), &gradient),
        };
        let slope: f64 = step.iter().zip(&gradient).map(|(step, gradient)| step * gradient).sum();
        let before = objective(&x, likelihood);
        let mut length = 1.0;
        let mut moved = false;
        for _ in 0..HALVINGS {
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, step)| x + length * step).collect();
            let next_likelihood = choices.chances(&next, &mut chance);
            // Close to the top, progress is below rounding; the gradient still tells.
            let rounding = 1e-13 * before.abs().max(total);
            if objective(&next, next_likelihood) >= before + ARMIJO * length * slope - rounding {
                let next_gradient = choices.gradient(&next, &chance, ridge);
                moved = length * slope > rounding || largest(&next_gradient) < largest(&gradient);
                if moved {
                    (x, likelihood, gradient) = (next, next_likelihood, next_gradient);
                }
                break;
            }
            length *= 0.5;
        }
        if !moved {
            choices.chances(&x, &mut chance);
            break;
        }
        let state = State { x: &x, likelihood: likelihood / total, gradient: largest(&gradient) };
        if look(&state) {
            break;
        }
    }
    let curvature = curvature.map(|curvature| {
        // At the answer itself; the last one was a step before.
        let at_end = curvature.factor(choices, &chance, ridge, unknowns);
        drop(factor);
        (curvature, at_end)
    });
    let (component, sizes) = open_shifts(choices, unknowns);
    let gradient = largest(&gradient);
    let converged = gradient <= precision.gradient.max(1e-9);
    Fit { x, gradient, converged, ridge, curvature, component, sizes }
}

impl Fit {
    /// How many groups of unknowns have a constant of their own that decides nothing, and how many unknowns decide nothing at all.
    pub fn open_constants(&self) -> (usize, usize) {
        let alone = self.sizes.iter().filter(|size| **size == 1.0).count();
        (self.sizes.len() - alone, alone)
    }

    /// Whether there are standard errors and draws: the equations could be factorized.
    pub fn has_spread(&self) -> bool {
        self.curvature.is_some()
    }

    /// The variance of Σ j x for a few (unknown, j), without what is left open; NaN where all of it is. `work` holds zeros, one per unknown.
    pub fn variance(&self, j: &[(u32, f64)], work: &mut [f64]) -> f64 {
        let Some((curvature, factor)) = &self.curvature else { return f64::NAN };
        let whole = curvature.symmetric.quadratic(factor, j, work);
        let mut variance = whole;
        // A direction that is left open has the variance 1/λ, by the ridge alone.
        let mut sums: Vec<(u32, f64)> = Vec::new();
        for &(unknown, value) in j {
            let component = self.component[unknown as usize];
            if component != u32::MAX {
                match sums.iter_mut().find(|sum| sum.0 == component) {
                    Some(sum) => sum.1 += value,
                    None => sums.push((component, value)),
                }
            }
        }
        for (component, sum) in sums {
            variance -= sum * sum / (self.sizes[component as usize] * self.ridge);
        }
        // Nothing was learned in this direction: 0 would say that it is known exactly.
        if variance > 1e-9 * whole { variance } else { f64::NAN }
    }

    /// Unknowns that explain the choices about as well: a draw from the normal distribution around the answer, from standard normal
    /// numbers, without what is left open.
    pub fn draw(&self, mut normal: Vec<f64>) -> Vec<f64> {
        let Some((curvature, factor)) = &self.curvature else { return self.x.clone() };
        curvature.symmetric.colour(factor, &mut normal);
        let mut means = vec![0.0; self.sizes.len()];
        for (&component, value) in self.component.iter().zip(&normal).filter(|(component, _)| **component != u32::MAX) {
            means[component as usize] += value / self.sizes[component as usize];
        }
        let open = |component: u32| means.get(component as usize).copied().unwrap_or(0.0);
        let moved = self.x.iter().zip(&normal).zip(&self.component);
        moved.map(|((x, moved), &component)| x + moved - open(component)).collect()
    }
}

/// By unknown its component, where a shift of all unknowns of the component decides nothing, and the sizes of components. Unknowns of one
/// point belong together.
fn open_shifts(choices: &Choices, unknowns: usize) -> (Vec<u32>, Vec<f64>) {
    let mut above: Vec<u32> = (0..unknowns as u32).collect();
    fn root(above: &mut [u32], mut i: u32) -> u32 {
        while above[i as usize] != i {
            above[i as usize] = above[above[i as usize] as usize];
            i = above[i as usize];
        }
        i
    }
    for point in 0..choices.points() {
        for two in choices.distinct(point).windows(2) {
            let [one, other] = [two[0], two[1]].map(|i| root(&mut above, i));
            above[one.max(other) as usize] = one.min(other);
        }
    }
    let mut open = vec![true; unknowns];
    for point in (0..choices.points()).filter(|&point| !choices.balanced[point]) {
        if let Some(&unknown) = choices.distinct(point).first() {
            open[root(&mut above, unknown) as usize] = false;
        }
    }
    let (mut number, mut sizes) = (vec![u32::MAX; unknowns], Vec::new());
    let component = (0..unknowns as u32)
        .map(|unknown| {
            let root = root(&mut above, unknown) as usize;
            if !open[root] {
                return u32::MAX;
            }
            if number[root] == u32::MAX {
                number[root] = sizes.len() as u32;
                sizes.push(0.0);
            }
            sizes[number[root] as usize] += 1.0;
            number[root]
        })
        .collect();
    (component, sizes)
}

/// Solves N x = b for a positive definite N.
fn conjugate_gradients(product: impl Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut x, mut rest, mut direction) = (vec![0.0; b.len()], b.to_vec(), b.to_vec());
    let start = dot(&rest, &rest);
    let mut size = start;
    for _ in 0..(4 * b.len()).min(2000) {
        checkpoint();
        if size <= 1e-20 * start {
            break;
        }
        let image = product(&direction);
        let length = size / dot(&direction, &image);
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
        rest.iter_mut().zip(&image).for_each(|(r, i)| *r -= length * i);
        let next = dot(&rest, &rest);
        let keep = next / size;
        direction.iter_mut().zip(&rest).for_each(|(d, r)| *d = r + keep * *d);
        size = next;
    }
    x
}

#[cfg(test)]
mod tests;
