//! Layers, forward and backward.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::real::{Matrix, Real};

/// What follows the sums of every layer but the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bend {
    /// max(0, y)
    #[default]
    Relu,
    /// tanh y
    Tanh,
}

/// A layer's place among the parameters: its weights, row-major by input, then one shift per output.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Layer {
    inputs: usize,
    outputs: usize,
    start: usize,
}

/// A net of layers, each taking what the one before gives.
///
/// ```
/// use rand::SeedableRng;
/// use srrd_irl::net::{Adam, Bend, Mlp, Pass};
/// let mut net = Mlp::<f64>::new(1, &[8], 1, Bend::Tanh, &mut rand_chacha::ChaCha8Rng::seed_from_u64(0));
/// let mut adam = Adam::new(net.parameters().len(), 0.05);
/// let (inputs, wanted) = ([-1.0, 0.0, 1.0], [0.5, -0.5, 0.5]);
/// let (mut pass, mut gradient) = (Pass::default(), vec![0.0; net.parameters().len()]);
/// for _ in 0..500 {
///     let slope: Vec<f64> = net.forward(&inputs, &mut pass).iter().zip(wanted).map(|(y, w)| y - w).collect();
///     net.backward(&mut pass, &slope, &mut gradient);
///     adam.step(net.parameters_mut(), &gradient);
/// }
/// let error = |(y, w): (&f64, f64)| (y - w).abs();
/// assert!(net.forward(&inputs, &mut pass).iter().zip(wanted).map(error).all(|error| error < 0.02));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp<R> {
    layers: Vec<Layer>,
    bend: Bend,
    parameters: Vec<R>,
}

/// What a net made of a batch of rows, layer by layer. It can be used again, also for batches of other sizes.
#[derive(Clone, Debug, Default)]
pub struct Pass<R> {
    /// The inputs, then what every layer gave.
    values: Vec<Vec<R>>,
    /// Slopes along what a layer gave.
    slopes: [Vec<R>; 2],
}

impl<R: Real> Mlp<R> {
    /// A net with hidden layers of these sizes. Weights are drawn uniformly within ± √(6 / (inputs + outputs)) of their layer (Glorot and
    /// Bengio), those of the last layer a hundredth of it, so that a new net gives nearly 0; shifts are 0.
    ///
    /// # Panics
    /// If a size is 0.
    pub fn new(inputs: usize, hidden: &[usize], outputs: usize, bend: Bend, random: &mut ChaCha8Rng) -> Self {
        let sizes: Vec<usize> = [inputs].iter().chain(hidden).chain(&[outputs]).copied().collect();
        assert!(sizes.iter().all(|size| *size > 0), "a layer has inputs and outputs");
        let (mut layers, mut parameters) = (Vec::new(), Vec::new());
        for (at, two) in sizes.windows(2).enumerate() {
            layers.push(Layer { inputs: two[0], outputs: two[1], start: parameters.len() });
            let last = if at + 2 == sizes.len() { 0.01 } else { 1.0 };
            let bound = last * (6.0 / (two[0] + two[1]) as f64).sqrt();
            parameters.extend((0..two[0] * two[1]).map(|_| R::of(bound * (2.0 * random.random::<f64>() - 1.0))));
            parameters.extend(std::iter::repeat_n(R::default(), two[1]));
        }
        Mlp { layers, bend, parameters }
    }

    /// How many numbers a row of inputs has.
    pub fn inputs(&self) -> usize {
        self.layers[0].inputs
    }

    /// Layer by layer, the weights of its inputs (those of one input side by side), then its shifts.
    pub fn parameters(&self) -> &[R] {
        &self.parameters
    }

    /// The parameters, to be changed.
    pub fn parameters_mut(&mut self) -> &mut [R] {
        &mut self.parameters
    }

    /// The outputs of a batch of rows, row by row.
    ///
    /// # Panics
    /// If the inputs are no whole number of rows.
    pub fn forward<'p>(&self, inputs: &[R], pass: &'p mut Pass<R>) -> &'p [R] {
        assert_eq!(inputs.len() % self.inputs(), 0, "inputs are whole rows");
        let rows = inputs.len() / self.inputs();
        pass.values.resize(self.layers.len() + 1, Vec::new());
        pass.values[0].clear();
        pass.values[0].extend_from_slice(inputs);
        for (at, layer) in self.layers.iter().enumerate() {
            let (before, after) = pass.values.split_at_mut(at + 1);
            let (x, y) = (&before[at], &mut after[0]);
            let (weights, shifts) = self.of_layer(layer);
            y.clear();
            (0..rows).for_each(|_| y.extend_from_slice(shifts));
            R::multiply(Matrix::new(x, rows, layer.inputs), Matrix::new(weights, layer.inputs, layer.outputs), y, true);
            if at + 1 < self.layers.len() {
                self.bend(y);
            }
        }
        &pass.values[self.layers.len()]
    }

    /// Sets `gradient` to the slope of a loss along the parameters, given `slope`, that along the outputs of the last
    /// [`forward`](Self::forward).
    ///
    /// # Panics
    /// If sizes do not agree.
    pub fn backward(&self, pass: &mut Pass<R>, slope: &[R], gradient: &mut [R]) {
        assert_eq!(slope.len(), pass.values[self.layers.len()].len(), "one slope per output");
        assert_eq!(gradient.len(), self.parameters.len(), "one slope per parameter");
        let Pass { values, slopes: [here, before] } = pass;
        here.clear();
        here.extend_from_slice(slope);
        for (at, layer) in self.layers.iter().enumerate().rev() {
            let rows = here.len() / layer.outputs;
            if at + 1 < self.layers.len() {
                self.unbend(&values[at + 1], here);
            }
            let delta = Matrix::new(here, rows, layer.outputs);
            let split = layer.start + layer.inputs * layer.outputs;
            let (first, rest) = gradient.split_at_mut(split);
            R::multiply(
                Matrix::new(&values[at], rows, layer.inputs).transposed(),
                delta,
                &mut first[layer.start..],
                false,
            );
            let shifts = &mut rest[..layer.outputs];
            shifts.fill(R::default());
            for row in here.chunks_exact(layer.outputs) {
                shifts.iter_mut().zip(row).for_each(|(sum, slope)| *sum += *slope);
            }
            if at > 0 {
                before.resize(rows * layer.inputs, R::default());
                let weights = Matrix::new(self.of_layer(layer).0, layer.inputs, layer.outputs);
                R::multiply(delta, weights.transposed(), before, false);
                std::mem::swap(here, before);
            }
        }
    }

    /// Weights and shifts of a layer.
    fn of_layer(&self, layer: &Layer) -> (&[R], &[R]) {
        let weights = layer.inputs * layer.outputs;
        let (weights, shifts) = self.parameters[layer.start..].split_at(weights);
        (weights, &shifts[..layer.outputs])
    }

    fn bend(&self, values: &mut [R]) {
        match self.bend {
            Bend::Relu => values.iter_mut().for_each(|y| *y = if *y > R::default() { *y } else { R::default() }),
            Bend::Tanh => values.iter_mut().for_each(|y| *y = y.tanh()),
        }
    }

    /// Slopes along sums, given slopes along bent values.
    fn unbend(&self, values: &[R], slopes: &mut [R]) {
        let both = slopes.iter_mut().zip(values);
        match self.bend {
            Bend::Relu => both.for_each(|(slope, y)| *slope = if *y > R::default() { *slope } else { R::default() }),
            Bend::Tanh => both.for_each(|(slope, y)| *slope = *slope * (R::of(1.0) - *y * *y)),
        }
    }
}
