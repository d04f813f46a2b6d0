//! Slopes against differences, and everything against PyTorch (tests/net_torch.py).

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

/// ½ Σ (outputs − wanted)², whose slope along an output is what it is off by.
fn loss(net: &Mlp<f64>, inputs: &[f64], wanted: &[f64]) -> f64 {
    let mut pass = Pass::default();
    net.forward(inputs, &mut pass).iter().zip(wanted).map(|(y, w)| 0.5 * (y - w) * (y - w)).sum()
}

#[test]
fn slopes_are_those_of_differences() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for (bend, hidden) in [(Bend::Tanh, &[7, 5][..]), (Bend::Relu, &[9]), (Bend::Relu, &[])] {
        let mut net = Mlp::<f64>::new(4, hidden, 3, bend, &mut random);
        net.parameters_mut().iter_mut().for_each(|x| *x += 0.4 * random.random::<f64>() - 0.2);
        let mut numbers = |count: usize| (0..count).map(|_| random.random::<f64>() - 0.5).collect::<Vec<f64>>();
        let (inputs, wanted) = (numbers(6 * 4), numbers(6 * 3));
        let (mut pass, mut gradient) = (Pass::default(), vec![f64::NAN; net.parameters().len()]);
        let slope: Vec<f64> = net.forward(&inputs, &mut pass).iter().zip(&wanted).map(|(y, w)| y - w).collect();
        net.backward(&mut pass, &slope, &mut gradient);
        for (at, slope) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut net = net.clone();
                net.parameters_mut()[at] += by;
                loss(&net, &inputs, &wanted)
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((slope - expected).abs() < 1e-8, "{bend:?}, parameter {at}: {slope}, not {expected}");
        }
    }
}

/// A number for every place, the same in tests/net_torch.py.
fn some(at: usize) -> f64 {
    ((at * 7919 + 104_729) % 1000) as f64 / 1000.0 - 0.5
}

/// Three steps of Adam on a net whose parameters, inputs and goals are given by formula; the sum of the parameters, that of their squares,
/// and the loss.
fn trained<R: Real>(bend: Bend) -> [f64; 3] {
    let mut net = Mlp::<R>::new(5, &[8, 6], 2, bend, &mut ChaCha8Rng::seed_from_u64(0));
    net.parameters_mut().iter_mut().enumerate().for_each(|(at, x)| *x = R::of(some(at)));
    let inputs: Vec<R> = (0..20).map(|at| R::of(2.0 * some(at + 500))).collect();
    let wanted: Vec<R> = (0..8).map(|at| R::of(some(at + 900))).collect();
    let (mut pass, mut gradient) = (Pass::default(), vec![R::default(); net.parameters().len()]);
    let mut adam = Adam::new(net.parameters().len(), 0.01);
    let mut last = 0.0;
    for _ in 0..3 {
        let slope: Vec<R> = net.forward(&inputs, &mut pass).iter().zip(&wanted).map(|(y, w)| *y - *w).collect();
        last = slope.iter().map(|off| 0.5 * off.value() * off.value()).sum();
        net.backward(&mut pass, &slope, &mut gradient);
        adam.step(net.parameters_mut(), &gradient);
    }
    let sum = |f: fn(f64) -> f64| net.parameters().iter().map(|x| f(x.value())).sum();
    [sum(|x| x), sum(|x| x * x), last]
}

#[test]
fn three_steps_are_those_of_pytorch() {
    for (bend, expected) in [(Bend::Tanh, TORCH_TANH), (Bend::Relu, TORCH_RELU)] {
        for (at, expected) in expected.into_iter().enumerate() {
            let [double, single] = [trained::<f64>(bend)[at], trained::<f32>(bend)[at]];
            assert!((double - expected).abs() < 1e-9, "{bend:?} {at}: {double}, not {expected}");
            assert!(
                (single - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                "{bend:?} {at}: {single}, not {expected}"
            );
        }
    }
}

/// By PyTorch in double precision: the sum of the parameters, of their squares, and the last loss.
const TORCH_TANH: [f64; 3] = [-0.365787461845, 9.253265424907, 0.101455865683];
const TORCH_RELU: [f64; 3] = [-0.612840942699, 9.270414442917, 0.216568283929];

#[test]
fn the_same_bits_beside_another_net() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let both = || rayon::join(|| trained::<f32>(Bend::Tanh), || trained::<f32>(Bend::Relu));
    assert_eq!(one.install(both), two.install(both));
}
