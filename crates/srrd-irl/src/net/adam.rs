//! Adam (Kingma and Ba): steps along a running mean of gradients, each parameter in units of its usual slope.
//!
//! m ← β₁ m + (1 − β₁) g, v ← β₂ v + (1 − β₂) g², x ← x − rate · m̂ / (√v̂ + ε), where m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).

use super::real::Real;

const BETA: [f64; 2] = [0.9, 0.999];
const EPSILON: f64 = 1e-8;

/// The state of Adam for the parameters of one net.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam<R> {
    rate: f64,
    steps: i32,
    mean: Vec<R>,
    square: Vec<R>,
}

impl<R: Real> Adam<R> {
    /// For so many parameters, with this learning rate.
    pub fn new(parameters: usize, rate: f64) -> Self {
        Adam { rate, steps: 0, mean: vec![R::default(); parameters], square: vec![R::default(); parameters] }
    }

    /// One step down a gradient.
    ///
    /// # Panics
    /// If there are not as many parameters and slopes as it was made for.
    pub fn step(&mut self, parameters: &mut [R], gradient: &[R]) {
        assert!(parameters.len() == self.mean.len() && gradient.len() == self.mean.len(), "one slope per parameter");
        self.steps = self.steps.saturating_add(1);
        let [first, second] = BETA.map(|beta| 1.0 - beta.powi(self.steps));
        let (rate, root, epsilon) = (R::of(self.rate / first), R::of(1.0 / second.sqrt()), R::of(EPSILON));
        let [keep_mean, keep_square] = BETA.map(R::of);
        let [add_mean, add_square] = BETA.map(|beta| R::of(1.0 - beta));
        let states = self.mean.iter_mut().zip(&mut self.square);
        for ((x, &g), (mean, square)) in parameters.iter_mut().zip(gradient).zip(states) {
            *mean = keep_mean * *mean + add_mean * g;
            *square = keep_square * *square + add_square * g * g;
            *x = *x - rate * *mean / (square.sqrt() * root + epsilon);
        }
    }
}

/// Scales a gradient down to a norm of at most `most`.
pub(crate) fn clip<R: Real>(gradient: &mut [R], most: f64) {
    let norm = gradient.iter().map(|slope| *slope * *slope).sum::<R>().value().sqrt();
    if norm > most {
        let factor = R::of(most / norm);
        gradient.iter_mut().for_each(|slope| *slope = *slope * factor);
    }
}
