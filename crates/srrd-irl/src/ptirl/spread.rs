//! The largest spread: maximise lb − ub over rewards within ± cap, where LER(τ) ≥ lb for the target's walks and ≤ ub for others'.
//!
//! A linear program of transitions + 2 variables and one row per walk, solved by the simplex method. Its dual asks for the smallest
//! distance (sum of absolute differences) between a mixture of the target's walks and one of the others': that distance times the cap is the
//! largest spread, so that it is 0 if and only if some mixtures agree.

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::PtirlProblem;
use super::rows::Rows;

/// Rewards with the largest spread, 0 for transitions that no walk takes. Rewards are solved for in units of the cap, so that
/// coefficients are of one size.
pub(super) fn solve(rows: &Rows, cap: f64) -> Result<Vec<f64>, PtirlProblem> {
    let mut taken = vec![false; rows.transitions];
    rows.rows.iter().flatten().for_each(|&(at, weight)| taken[at as usize] |= weight > 0.0);
    let mut program = Problem::new(OptimizationDirection::Maximize);
    let longest = rows.longest();
    let rewards: Vec<_> = taken.iter().map(|taken| taken.then(|| program.add_var(0.0, (-1.0, 1.0)))).collect();
    let bounds = [program.add_var(1.0, (-longest, longest)), program.add_var(-1.0, (-longest, longest))];
    for (row, entries) in rows.rows.iter().enumerate() {
        let (bound, comparison) =
            if row < rows.targets { (bounds[0], ComparisonOp::Ge) } else { (bounds[1], ComparisonOp::Le) };
        let terms = entries.iter().filter_map(|&(at, weight)| Some((rewards[at as usize]?, weight)));
        program.add_constraint(terms.chain([(bound, -1.0)]).collect::<Vec<_>>(), comparison, 0.0);
    }
    let unsolved = PtirlProblem::Unsolved { residual: f64::INFINITY };
    let solution = program.solve().ok().and_then(|outcome| outcome.into_solution().ok()).ok_or(unsolved)?;
    let value = |variable: &Option<_>| variable.map_or(0.0, |reward| cap * solution.var_value(reward).clamp(-1.0, 1.0));
    Ok(rewards.iter().map(value).collect())
}
