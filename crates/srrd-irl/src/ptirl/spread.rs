//! The largest spread: maximise lb − ub over rewards within ± cap, where LER(τ) ≥ lb for the target's walks and ≤ ub for others'.
//!
//! A linear program of transitions + 2 variables and one row per walk, solved by the simplex method. Its dual asks for the smallest
//! distance (sum of absolute differences) between a mixture of the target's walks and one of the others': that distance times the cap is the
//! largest spread, so that it is 0 if and only if some mixtures agree.
//!
//! More reward for a transition that only the target takes lowers no spread: it gets the cap, one that only others take gets −cap, and the
//! program is about those that both take. That leaves fewer of the many best rewards, without those that would punish the target
//! for nothing.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::PtirlProblem;
use super::rows::Rows;

/// Rewards with the largest spread, 0 for transitions that no walk takes. Rewards are solved for in units of the cap, so that
/// coefficients are of one size.
pub(super) fn solve(rows: &Rows, cap: f64) -> Result<Vec<f64>, PtirlProblem> {
    let mut taken = vec![[false; 2]; rows.transitions];
    for (row, entries) in rows.rows.iter().enumerate() {
        let by = usize::from(row >= rows.targets);
        entries.iter().for_each(|&(at, weight)| taken[at as usize][by] |= weight > 0.0);
    }
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let longest = rows.longest();
    let rewards: Vec<Result<f64, _>> = taken
        .iter()
        .map(|taken| match taken {
            [false, false] => Ok(0.0),
            [true, false] => Ok(1.0),
            [false, true] => Ok(-1.0),
            [true, true] => Err(program.add_var(0.0, (-1.0, 1.0))),
        })
        .collect();
    let bounds = [program.add_var(1.0, (-longest, longest)), program.add_var(-1.0, (-longest, longest))];
    for (row, entries) in rows.rows.iter().enumerate() {
        let (bound, comparison) =
            if row < rows.targets { (bounds[0], ComparisonOp::Ge) } else { (bounds[1], ComparisonOp::Le) };
        let (mut terms, mut fixed) = (vec![(bound, -1.0)], 0.0);
        for &(at, weight) in entries {
            match rewards[at as usize] {
                Ok(reward) => fixed += weight * reward,
                Err(variable) => terms.push((variable, weight)),
            }
        }
        program.add_constraint(terms, comparison, -fixed);
    }
    let unsolved = PtirlProblem::Unsolved { residual: f64::INFINITY };
    let solution = program.solve().ok().and_then(|outcome| outcome.into_solution().ok()).ok_or(unsolved)?;
    let value = |reward: &Result<f64, _>| match reward {
        Ok(fixed) => cap * fixed,
        Err(variable) => cap * solution.var_value(*variable).clamp(-1.0, 1.0),
    };
    Ok(rewards.iter().map(value).collect())
}
