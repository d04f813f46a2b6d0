//! How much of a transition's own reward is left when shaping is taken out.

use rand::RngExt;
use rayon::prelude::*;

use crate::project::Projection;
use crate::run::checkpoint;
use crate::run::random::{Purpose, stream};

/// How many random vectors are projected: the error of a diagonal entry is below 0.5 / sqrt(32) ≈ 0.09, that of sums over many
/// transitions far smaller.
const PROBES: usize = 32;

/// The diagonal of P, the projection on what shaping cannot explain: 1 where shaping cannot touch a reward, 0 where it can explain
/// any.
///
/// E[z (Pz)] over random signs z is that diagonal. O(32 · residual), in parallel.
pub(super) fn diagonal(projection: &Projection, transitions: usize, seed: u64) -> Vec<f64> {
    let probe = |draw: usize| -> Vec<f64> {
        checkpoint();
        let mut rng = stream(seed, Purpose::Probe, draw);
        let signs: Vec<f64> = (0..transitions).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
        projection.residual(&signs).into_iter().zip(signs).map(|(left, sign)| left * sign).collect()
    };
    let probes: Vec<Vec<f64>> = (0..PROBES).into_par_iter().map(probe).collect();
    // In a fixed order, whichever thread was first.
    let mut diagonal = vec![0.0; transitions];
    for probe in &probes {
        diagonal.iter_mut().zip(probe).for_each(|(sum, value)| *sum += value);
    }
    diagonal.iter_mut().for_each(|sum| *sum = (*sum / PROBES as f64).clamp(0.0, 1.0));
    diagonal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Gamma;

    #[test]
    fn free_rewards_have_1_and_explained_ones_0() {
        // Twenty actions between two states share one shaping value: P = I − 11ᵀ/20. A chain behind them is all shaping.
        let pairs = std::iter::repeat_n((0, 1), 20).chain((1..30).map(|s| (s, s + 1)));
        let diagonal = diagonal(&Projection::on(pairs, Gamma::new(0.9).unwrap()), 49, 0);
        assert!(diagonal[..20].iter().all(|p| (p - 0.95).abs() < 0.2), "{diagonal:?}");
        assert!((diagonal[..20].iter().sum::<f64>() - 19.0).abs() < 1.0, "{diagonal:?}");
        assert!(diagonal[20..].iter().all(|p| *p < 1e-9), "{diagonal:?}");
    }
}
