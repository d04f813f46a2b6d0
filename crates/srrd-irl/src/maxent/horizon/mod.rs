//! Rewards of states for agents that know how many steps they have.
//!
//! ```text
//! Q_t(s, a) = r(s) + γ Σ P(s' | s, a) V_t+1(s'),   V_t(s) = log Σ_a exp Q_t(s, a),   V_T = 0,   π_t(a | s) = exp(Q_t − V_t)
//! ```
//!
//! Values depend on the time left, so that they are no unknowns of a logit as without a horizon. The likelihood of the demonstrated actions is
//! concave in r where actions are certain. Its slope along r(s) flows forward in time: with n_t(s, a) the steps that were at s after t
//! steps and took a,
//!
//! ```text
//! G_t(s, a) = n_t(s, a) − n_t(s) π_t(a | s) + π_t(a | s) M_t(s),   M_t+1(s') = γ Σ P(s' | s, a) G_t(s, a),   slope(s) = Σ_t Σ_a G_t(s, a)
//! ```
//!
//! With γ = 1 it is 0 exactly where states are visited as often as demonstrated (on average over walks that start alike).
//!
//! It is climbed by steps as long as the curvature of visits says (`curvature.rs`). Where actions are certain and γ = 1, that is the
//! curvature itself, and steps are Newton's. Where there are too many states for it, L-BFGS climbs, with many more steps.
//!
//! O(T · outcomes) a slope, O(T · outcomes · states + states³) a curvature, 7 to 40 steps.

mod curvature;
mod walks;

use super::features::Cholesky;
use super::{Found, MaxEnt};
use crate::learned::Iterate;
use crate::problem::Problem;
use crate::run::Task;
use crate::watch::Watch;
use walks::{Slope, Walks};

/// How many steps L-BFGS remembers. With the curvature of visits nothing is remembered: what was so far away only misleads (17 steps become 108
/// on 10 × 10 cells).
const MEMORY: usize = 40;
const HALVINGS: usize = 40;
/// The largest element of the slope per step, at the end.
const GRADIENT: f64 = 1e-9;

/// A place on the way up: rewards, what they come to, and the slope there.
struct Place {
    reward: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
    policies: Vec<f64>,
}

impl Place {
    fn new(walks: &Walks, ridge: f64, reward: Vec<f64>) -> Self {
        let Slope { likelihood, mut slope, policies } = walks.climb(&reward);
        slope.iter_mut().zip(&reward).for_each(|(slope, r)| *slope -= ridge * r);
        Place { value: likelihood - 0.5 * ridge * dot(&reward, &reward), reward, slope, policies }
    }

    /// The largest element of the slope.
    fn steepness(&self) -> f64 {
        self.slope.iter().fold(0.0f64, |most, s| most.max(s.abs()))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rewards of states with a horizon.
pub(super) fn of_states(
    settings: &MaxEnt,
    task: &Task<'_>,
    horizon: usize,
    watch: &mut Watch<'_>,
) -> Result<Found, Problem> {
    let walks = Walks::new(task, horizon, settings.gamma.get())?;
    let by_row = |reward: &[f64]| -> Vec<f64> {
        task.set().rows().iter().map(|row| reward[task.state_in_model(row.state) as usize]).collect()
    };
    let mut finite = true;
    let top = rise(&walks, settings.ridge, &curvature::of_visits, &mut |here, gradient| {
        finite = here.value.is_finite();
        let iterate = Iterate { objective: here.value / walks.steps(), gradient: Some(gradient), ..Iterate::default() };
        !finite || watch.step(iterate, || by_row(&here.reward)) || !watch.goes_on()
    });
    if !finite {
        return Err(Problem::Diverged { set: task.set().name().to_owned(), iteration: watch.iterations() + 1 });
    }
    let gradient = top.steepness() / walks.steps();
    // A rule of the watch may have been enough before.
    let converged = gradient <= GRADIENT || watch.goes_on();
    let rewards = by_row(&top.reward);
    Ok(Found { rewards, std_errors: None, draws: Vec::new(), gradient: Some(gradient), converged, has_spread: true })
}

/// The factor of a curvature of the likelihood under policies, with a ridge; `None` where there is none.
type Curvature = dyn Fn(&Walks, &[f64], f64) -> Option<Cholesky>;

/// Climbs to the top; `look` is shown every place with the largest element of its slope per step, and says whether it is enough.
fn rise(walks: &Walks, ridge: f64, curvature: &Curvature, look: &mut dyn FnMut(&Place, f64) -> bool) -> Place {
    let total = walks.steps();
    let mut here = Place::new(walks, ridge, vec![0.0; walks.states]);
    let mut memory: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    while here.steepness() > GRADIENT * total {
        let curvature = curvature(walks, &here.policies, ridge);
        let scaled = curvature.is_some() || !memory.is_empty();
        let step = curvature.map_or_else(|| direction(&memory, &here.slope), |curvature| curvature.solve(&here.slope));
        let promised = dot(&step, &here.slope);
        // The first step of L-BFGS has no scale to go by.
        let mut length = if scaled { 1.0 } else { 1.0 / dot(&here.slope, &here.slope).sqrt() };
        let found = (0..HALVINGS).find_map(|_| {
            let reward = here.reward.iter().zip(&step).map(|(r, s)| r + length * s).collect();
            let next = Place::new(walks, ridge, reward);
            let good = next.value >= here.value + 1e-4 * length * promised - 1e-13 * total;
            length *= 0.5;
            good.then_some(next)
        });
        let Some(next) = found else { break };
        let moved: Vec<f64> = next.reward.iter().zip(&here.reward).map(|(a, b)| a - b).collect();
        let bent: Vec<f64> = here.slope.iter().zip(&next.slope).map(|(a, b)| a - b).collect();
        if dot(&moved, &bent) > 1e-14 * dot(&bent, &bent).sqrt() * dot(&moved, &moved).sqrt() {
            memory.push((moved, bent));
            if memory.len() > MEMORY {
                memory.remove(0);
            }
        }
        here = next;
        if look(&here, here.steepness() / total) {
            break;
        }
    }
    here
}

/// The direction of L-BFGS up a slope; steps and what slopes lost along them, oldest first.
fn direction(memory: &[(Vec<f64>, Vec<f64>)], slope: &[f64]) -> Vec<f64> {
    let mut q = slope.to_vec();
    let mut shares = Vec::with_capacity(memory.len());
    for (moved, bent) in memory.iter().rev() {
        let share = dot(moved, &q) / dot(moved, bent);
        q.iter_mut().zip(bent).for_each(|(q, b)| *q -= share * b);
        shares.push(share);
    }
    if let Some((moved, bent)) = memory.last() {
        let scale = dot(moved, bent) / dot(bent, bent);
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for ((moved, bent), share) in memory.iter().zip(shares.into_iter().rev()) {
        let off = share - dot(bent, &q) / dot(moved, bent);
        q.iter_mut().zip(moved).for_each(|(q, m)| *q += off * m);
    }
    q
}

#[cfg(test)]
mod tests;
