//! How visits of states vary: the curvature of the likelihood, or a little more.
//!
//! With J_t(s) = ∂V_t(s)/∂r, the visits that are expected from s on after t steps, and c_t(s) the walks expected there, the expected curvature
//! is Σ_t Σ_s c_t(s) Cov_π(∂Q_t(s, ·)/∂r). Where actions are certain ∂Q_t(s, a)/∂r = e_s + γJ_t+1(s'), and what is quadratic in J_t+1 mostly
//! cancels against the next time's:
//!
//! ```text
//! Σ_t Σ_s c_t(s) (e_s J_t(s)ᵀ + J_t(s) e_sᵀ − e_s e_sᵀ) + Σ_t Σ_s (γ² a_t(s) − c_t(s)) J_t(s) J_t(s)ᵀ
//! ```
//!
//! a_t(s) are the walks that arrive, c_t(s) those of them that take another step, and a_0 = 0. With γ = 1 and walks that nobody breaks off,
//! the second sum is about where walks start. Where actions are not certain, this counts what chance does as if it were chosen, which is
//! too much, never too little: steps are too short, never too long.

use srrd::run::checkpoint;

use super::super::features::Cholesky;
use super::walks::Walks;

/// Above so many states, and so many multiplications, it takes too long.
const MOST_STATES: usize = 1000;
const MOST_WORK: usize = 500_000_000;

/// The curvature with λ on its diagonal; `None` where it would take too long, or rounding makes it useless.
pub(super) fn of_visits(walks: &Walks, policies: &[f64], ridge: f64) -> Option<Cholesky> {
    let n = walks.states;
    if n > MOST_STATES || walks.horizon * walks.outcomes() * n > MOST_WORK {
        return None;
    }
    let (arriving, acting) = expected(walks, policies);
    let (mut crossed, mut squares) = (vec![0.0; n * n], vec![0.0; n * n]);
    let mut diagonal = vec![ridge; n];
    let (mut later, mut now) = (vec![0.0; n * n], vec![0.0; n * n]);
    for t in (0..walks.horizon).rev() {
        checkpoint();
        let policy = walks.policy(policies, t);
        for s in 0..n {
            let visits = &mut now[s * n..][..n];
            visits.fill(0.0);
            visits[s] = 1.0;
            for pair in walks.pairs_of(s) {
                for &(to, p) in walks.ahead(pair) {
                    add(visits, walks.gamma * policy[pair] * p, &later[to as usize * n..][..n]);
                }
            }
            let (came, acts) = (arriving[t * n + s], acting[t * n + s]);
            add(&mut crossed[s * n..][..n], acts, visits);
            diagonal[s] -= acts;
            let weight = walks.gamma * walks.gamma * came - acts;
            if weight != 0.0 {
                for i in 0..n {
                    add(&mut squares[i * n..][..=i], weight * visits[i], &visits[..=i]);
                }
            }
        }
        std::mem::swap(&mut later, &mut now);
    }
    for i in 0..n {
        for j in 0..=i {
            squares[i * n + j] += crossed[i * n + j] + crossed[j * n + i];
        }
        squares[i * n + i] += diagonal[i];
    }
    Cholesky::new(&squares, n)
}

fn add(to: &mut [f64], factor: f64, row: &[f64]) {
    to.iter_mut().zip(row).for_each(|(to, x)| *to += factor * x);
}

/// The walks that are expected to arrive in a state after t steps, and to act there: `[t · states + s]`. Nobody arrives where walks start.
fn expected(walks: &Walks, policies: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = walks.states;
    let (mut arriving, mut acting) = (vec![0.0; walks.horizon * n], vec![0.0; walks.horizon * n]);
    for (s, acting) in acting.iter_mut().take(n).enumerate() {
        *acting = walks.counts(0)[walks.pairs_of(s)].iter().sum();
    }
    for t in 1..walks.horizon {
        let policy = walks.policy(policies, t - 1);
        for s in 0..n {
            for pair in walks.pairs_of(s) {
                let flow = acting[(t - 1) * n + s] * policy[pair];
                walks.ahead(pair).iter().for_each(|&(to, p)| arriving[t * n + to as usize] += flow * p);
            }
        }
        for s in 0..n {
            acting[t * n + s] = walks.going[t] * arriving[t * n + s];
        }
    }
    (arriving, acting)
}
