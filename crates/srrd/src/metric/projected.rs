//! `projected`: rewards without their least-squares projection on the space of all shaping vectors (see [`Projection`]).
//!
//! C = R − A(AᵀA)⁺AᵀR, the rows of A having −1 at s and γ at s' (nothing at s' where the episode ends). A distance takes it on the transitions that two samples share, where
//! it is invariant to shaping at any coverage. Where that is asked for ([`Support::Own`](crate::settings::Support::Own)) it is taken
//! on all transitions of each sample.
//!
//! Where nothing ends, a shift of all rewards changes no behaviour and is taken out as well. Where episodes end it stays, and is part of
//! what is compared: the distance is that of the cosine of what is left, *not* centred again.
//!
//! Where states hardly repeat, potentials can be functions of features instead of one number per state (see [`potential`](crate::potential)).
//!
//! Where one (s, a) has several next states, rewards and shaping vectors can be means over them: one row per (s, a).
//!
//! No estimator: nothing is estimated.

use super::{Metric, MetricInfo, largest_reward};
use crate::compare::{Columns, Outcomes, Pair, Projected, Row, Undefined, by_row, mean_projection, shared_rows};
use crate::potential::{BasisProjection, Potential, Row as Shaped, StateFeatures};
use crate::project::{END, Projection, Shaping, Space};
use crate::sample::RewardSample;
use crate::settings::{Gamma, Settings};

pub(super) const INFO: MetricInfo = MetricInfo {
    metric: Metric::Projected,
    name: "projected",
    title: "Projected",
    about: "takes shaping out by least squares, exactly, on the transitions that both know",
    paper: false,
    expects: false,
    discounts: true,
    projects: true,
    shown: true,
};

/// Of the largest reward: what of a residual may be rounding.
const ROUNDING: f64 = 1e-10;

pub(super) fn rounding(sample: &RewardSample) -> f64 {
    largest_reward(sample) * ROUNDING
}

/// On all transitions of one sample, by one free potential per state.
pub(super) fn canonical(sample: &RewardSample, gamma: Gamma) -> Vec<f64> {
    Projection::new(sample, gamma).residual(&sample.reward)
}

/// On all transitions of one sample, by potentials that are functions of features.
///
/// # Panics
/// When states have none.
pub(super) fn canonical_by_functions(sample: &RewardSample, settings: &Settings) -> Vec<f64> {
    let rows: Vec<Shaped> =
        sample.leads_to().map(|(state, next)| Shaped { state, next: (next != END).then_some(next) }).collect();
    let features = StateFeatures::of(&sample.states).filter(|features| has_all(features, &rows));
    let features = features.expect("potentials that are functions of features need states that have them");
    let settings = (settings.potential, settings.gamma, settings.seed);
    let [left] =
        BasisProjection::new(&features, &[&features], rows, [&sample.reward; 2], settings).residuals([&sample.reward]);
    left
}

fn has_all(features: &StateFeatures, rows: &[Shaped]) -> bool {
    rows.iter().all(|row| features.has(row.state) && row.next.is_none_or(|next| features.has(next)))
}

/// The residuals of both rewards on the transitions they share, or why there are none, with the space of shaping as far as it is known.
pub(super) fn columns(pair: &Pair<'_>, settings: &Settings) -> Result<Columns, (Undefined, Option<Shaping>)> {
    let Pair { a, b, common } = pair;
    if common.len() < settings.min_common.max(1) {
        return Err((Undefined::TooFewCommon, None));
    }
    let (rows, ends) = shared_rows(pair, settings.ends);
    // Functions of features are fitted to transitions one by one; a question asks for one or the other.
    let outcomes = match settings.potential {
        Potential::Tabular => Outcomes::new(pair, &rows, settings.dynamics),
        _ => None,
    };
    let [x, y] = by_row(pair, outcomes.as_ref());
    let space = match settings.potential {
        Potential::Tabular if let Some(outcomes) = &outcomes => {
            Space::Means(mean_projection(&rows, outcomes, 0..outcomes.len() as u32, settings.gamma))
        }
        Potential::Tabular => Space::States(Projection::on(rows.iter().map(Row::leads_to), settings.gamma)),
        potential => Space::Functions(functions(pair, &rows, [&x, &y], potential, settings)?),
    };
    let shaping = space.shaping();
    if shaping.degrees_of_freedom == 0 {
        return Err((Undefined::NoDegreesOfFreedom, Some(shaping)));
    }
    let (x, y) = space.residuals(&x, &y);
    Ok(Columns::of_residuals(
        x,
        y,
        [rounding(a), rounding(b)],
        Projected::new(space, rows, outcomes, ends, settings.gamma),
    ))
}

/// The projection on shaping by potentials that are functions of features, standardized over the states of both samples.
fn functions(
    pair: &Pair<'_>,
    rows: &[Row],
    rewards: [&[f64]; 2],
    potential: Potential,
    settings: &Settings,
) -> Result<BasisProjection, (Undefined, Option<Shaping>)> {
    let of = |sample: &RewardSample| StateFeatures::of(&sample.states).ok_or((Undefined::NoFeatures, None));
    let (ours, theirs) = (of(pair.a)?, of(pair.b)?);
    let shaped = |row: &Row| Shaped { state: row.state, next: (!row.ends).then_some(row.next) };
    let rows: Vec<Shaped> = rows.iter().map(shaped).collect();
    if !has_all(&ours, &rows) {
        return Err((Undefined::NoFeatures, None));
    }
    let settings = (potential, settings.gamma, settings.seed);
    Ok(BasisProjection::new(&ours, &[&ours, &theirs], rows, rewards, settings))
}
