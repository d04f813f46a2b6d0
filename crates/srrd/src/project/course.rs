//! The course of conjugate gradients.

use crate::sparse::dot;

/// Where the next step leads, and whether steps still get anywhere.
pub(super) struct Course {
    pub direction: Vec<f64>,
    /// The size of the gradient, preconditioned.
    pub size: f64,
    /// The least of these sizes that was clearly below those before, and how many steps have been taken since.
    pub least: f64,
    pub waited: usize,
}

impl Course {
    /// Begins with the gradient, preconditioned.
    pub fn new(gradient: &[f64], downhill: Vec<f64>) -> Self {
        let size = dot(gradient, &downhill);
        Course { direction: downhill, size, least: size, waited: 0 }
    }

    /// Turns to the next direction, after a step to this gradient.
    pub fn turn(&mut self, gradient: &[f64], downhill: &[f64]) {
        let next = dot(gradient, downhill);
        let keep = next / self.size;
        self.direction.iter_mut().zip(downhill).for_each(|(d, h)| *d = h + keep * *d);
        self.size = next;
        if next < 0.5 * self.least {
            (self.least, self.waited) = (next, 0);
        } else {
            self.waited += 1;
        }
    }
}
