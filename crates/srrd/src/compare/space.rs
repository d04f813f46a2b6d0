//! Two samples in one space that share no transitions: each reward is predicted where the other was sampled.
//!
//! Shaping by functions of features is taken out of each reward on the transitions of its own sample (see [`potential`](crate::potential)).
//! What is left, e_A and e_B, is learned as a function of all features of a transition: those of the state, of the step s' − s and of the
//! action. Predictions p_B on the transitions of A, with shaping taken out of them there, stand for e_B. With angles between vectors in the
//! place of correlations (D = sin(θ/2)):
//!
//! - θ(e_A, p_B) is measured on the transitions of A;
//! - θ(e_B, p_B), the prediction error, is measured on those of B, whole episodes left out when p_B is fitted;
//! - if the rewards are the same, the two are about as large. So cos θ = (cos θ(e_A, p_B) + cos θ(e_B, p_A)) / (cos θ(e_A, p_A) + cos θ(e_B, p_B)):
//!   how well each predicts the other, compared with how well each predicts itself;
//! - angles obey the triangle inequality: θ(e_A, e_B) lies between θ(e_A, p_B) − θ(e_B, p_B) and θ(e_A, p_B) + θ(e_B, p_B), whatever the
//!   predictions miss. The interval is that of both directions together, widened by the sampling errors of the angles (a jackknife over
//!   groups of episodes).
//!
//! A transition counts only where the other sample has been, too: its nearest neighbour there is no farther than those of 95 % of the
//! other's transitions are from other episodes of their own sample. Where too few do, there is no distance.
//!
//! O(n · f² + f³) for n transitions (at most [`MOST_ROWS`] of each sample, drawn by episodes) and f functions.

use rayon::prelude::*;

use super::pair::Pair;
use super::pearson::{Agreement, Undefined};
use super::shared::SharedEnds;
use crate::potential::{
    BasisProjection, FOLDS, Groups, LeftOut, Potential, Predictor, Row, Rows, StateFeatures, candidates, nearest,
};
use crate::sample::{RewardSample, Vocabulary};
use crate::settings::{EndRule, Settings};

/// More transitions of a sample than this tell little more; whole episodes of them are taken.
pub const MOST_ROWS: usize = 20_000;
/// So many transitions of a sample stand for where it has been.
const LANDMARKS: usize = 4_000;
/// Of its own transitions: so many lie within the reach of a sample's other episodes.
const WITHIN: f64 = 0.95;
/// At least this share of the transitions of each sample must lie where the other has been …
const LEAST_OVERLAP: f64 = 0.2;
/// … and at least so many.
const LEAST_ROWS: usize = 100;
/// Predictions that agree less with what they predict tell nothing.
const LEAST_SKILL: f64 = 0.3;
/// More actions than this without features cannot each have a column.
const MOST_NAMES: usize = 64;
/// Into how many groups episodes are put, of which one at a time is left out.
pub(crate) const GROUPS: usize = 20;

/// What a comparison by predictions stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    /// How many transitions of each sample lie where the other has been: those that are compared.
    pub rows: [usize; 2],
    /// Which share of the transitions of each sample they are.
    pub overlap: [f64; 2],
    /// How well each reward predicts itself in episodes that were left out: the cosine of prediction and reward, without shaping.
    pub skill: [f64; 2],
    /// What potentials are made of.
    pub potential: Potential,
    /// Whether `auto` found too few transitions, or too little to explain, for random waves: the interval reaches down to 0 then.
    pub coarse: bool,
}

/// Two rewards compared by predictions.
#[derive(Clone, Debug)]
pub(crate) struct InSpace {
    pub agreement: Agreement,
    pub used: Predicted,
    pub ends: SharedEnds,
    /// For each sample the angle between its reward and the other's prediction, and that between the other's reward and its own prediction.
    angles: [[Angle; 2]; 2],
    /// The fewest groups that an angle was estimated without.
    pub groups: usize,
}

impl InSpace {
    /// # Errors
    /// Why the two cannot be compared.
    pub fn new(pair: &Pair<'_>, settings: &Settings) -> Result<Self, Undefined> {
        let ends = ends(pair, settings.ends);
        let (inputs, counts) = Inputs::new(pair, settings)?;
        let any = ends.ending > 0;
        let sides = [pair.a, pair.b].map(|sample| Side::new(sample, settings, any));
        let numbers = [0..counts[0], counts[0]..counts[0] + counts[1]].map(|range| range.collect::<Vec<u32>>());
        let [a, b] = sides;
        let (a, b) = (a?.taken(&numbers[0], settings.seed), b?.taken(&numbers[1], settings.seed));
        let before = [a.rows.len(), b.rows.len()];
        let (a, b) = overlapping(&inputs, a, b);
        let rows = [a.rows.len(), b.rows.len()];
        let overlap = [0, 1].map(|i| rows[i] as f64 / before[i] as f64);
        if overlap.iter().any(|share| *share < LEAST_OVERLAP) || rows.iter().any(|count| *count < LEAST_ROWS) {
            return Err(Undefined::NoOverlap);
        }
        let potential = potential(&a, &b, settings);
        let (a, b) = (a.projected(&b, potential, settings)?, b.projected(&a, potential, settings)?);
        let (of_a, of_b) = rayon::join(|| a.learned(&inputs, settings.seed), || b.learned(&inputs, settings.seed));
        let own = [
            a.angle(std::slice::from_ref(&of_a.own), settings.seed)?,
            b.angle(std::slice::from_ref(&of_b.own), settings.seed)?,
        ];
        let across =
            [a.angle(&of_b.at(&a.side.inputs), settings.seed)?, b.angle(&of_a.at(&b.side.inputs), settings.seed)?];
        let skill = own.map(|angle| angle.value.cos());
        if skill.iter().any(|skill| *skill < LEAST_SKILL) {
            return Err(Undefined::Unpredictable);
        }
        let correlation = ((across[0].value.cos() + across[1].value.cos()) / (skill[0] + skill[1])).clamp(-1.0, 1.0);
        let coarse = settings.potential == Potential::Auto && !matches!(potential, Potential::Fourier(_));
        let agreement = Agreement { distance: ((1.0 - correlation) / 2.0).sqrt(), correlation };
        let groups = own.iter().chain(&across).map(|angle| angle.groups).min().unwrap_or(0);
        let angles = [[across[0], own[1]], [across[1], own[0]]];
        Ok(InSpace { agreement, used: Predicted { rows, overlap, skill, potential, coarse }, ends, angles, groups })
    }

    /// The distances that the triangle inequality leaves possible, if angles may be off by so many standard errors.
    pub fn range(&self, errors: f64) -> [f64; 2] {
        let of = |[across, own]: [Angle; 2]| {
            let reach = errors * across.error.hypot(own.error);
            [across.value - own.value - reach, across.value + own.value + reach]
        };
        let [first, second] = self.angles.map(of);
        let (low, high) = (first[0].min(second[0]), first[1].max(second[1]));
        let distance = |angle: f64| (angle.clamp(0.0, std::f64::consts::PI) / 2.0).sin();
        // Where the data allowed no random waves, what is left of shaping may look like a difference.
        let low = if self.used.coarse { 0.0 } else { low };
        // What predicts the other better than itself leaves its own distance outside.
        [distance(low).min(self.agreement.distance), distance(high).max(self.agreement.distance)]
    }
}

/// An angle, its standard error, and without how many groups of episodes it was estimated.
#[derive(Clone, Copy, Debug)]
struct Angle {
    value: f64,
    error: f64,
    groups: usize,
}

/// The features of all transitions of both samples.
struct Inputs {
    rows: Rows,
}

impl Inputs {
    /// Of the first sample and then of the second, and how many each has.
    fn new(pair: &Pair<'_>, settings: &Settings) -> Result<(Self, [u32; 2]), Undefined> {
        let samples = [pair.a, pair.b];
        let states = samples.map(|sample| StateFeatures::of(&sample.states).ok_or(Undefined::NoFeatures));
        let [of_a, of_b] = states;
        let states = [of_a?, of_b?];
        let names = Actions::of(samples)?;
        if states[0].columns() != states[1].columns() {
            return Err(Undefined::NoFeatures);
        }
        let count = 2 * states[0].columns() + names.columns;
        let mut values = Vec::with_capacity(count * (pair.a.len() + pair.b.len()));
        for (i, (sample, states)) in samples.into_iter().zip(&states).enumerate() {
            for (state, action, next) in sample.ids() {
                if !states.has(state) || !states.has(next) {
                    return Err(Undefined::NoFeatures);
                }
                let (before, after) = (states.get(state), states.get(next));
                values.extend_from_slice(before);
                values.extend(before.iter().zip(after).map(|(before, after)| after - before));
                names.push(i, sample, action, &mut values);
            }
        }
        let counts = samples.map(|sample| sample.len() as u32);
        Ok((Inputs { rows: Rows::new(values, count, settings.seed) }, counts))
    }
}

/// The columns of actions: their features, or one column per name.
struct Actions {
    columns: usize,
    /// The number of every action of a sample among all names; `None` where actions have features.
    names: Option<[Vec<u32>; 2]>,
}

impl Actions {
    fn of(samples: [&RewardSample; 2]) -> Result<Self, Undefined> {
        let arity = samples.map(|sample| sample.actions().arity());
        if let [Some(a), Some(b)] = arity
            && a == b
            && samples.iter().all(|sample| sample.actions().iter().all(|action| action.as_features().is_some()))
        {
            return Ok(Actions { columns: a, names: None });
        }
        let all = Vocabulary::union(samples.map(RewardSample::actions)).ok_or(Undefined::ManyActions)?;
        if all.len() > MOST_NAMES {
            return Err(Undefined::ManyActions);
        }
        Ok(Actions { columns: all.len(), names: Some(samples.map(|sample| sample.actions().ids_in(&all))) })
    }

    fn push(&self, side: usize, sample: &RewardSample, action: u32, to: &mut Vec<f64>) {
        match &self.names {
            None => to.extend_from_slice(sample.actions().token(action).as_features().unwrap_or(&[])),
            Some(names) => {
                let name = names[side][action as usize] as usize;
                to.extend((0..self.columns).map(|column| f64::from(u8::from(column == name))));
            }
        }
    }
}

/// The transitions of one sample that are looked at.
struct Side {
    features: StateFeatures,
    rows: Vec<Row>,
    rewards: Vec<f64>,
    groups: Groups,
    /// Their numbers among the rows of [`Inputs`].
    inputs: Vec<u32>,
    noise: f64,
    /// Whether a row of either sample ends.
    ends: bool,
}

impl Side {
    fn new(sample: &RewardSample, settings: &Settings, ends: bool) -> Result<Self, Undefined> {
        let features = StateFeatures::of(&sample.states).ok_or(Undefined::NoFeatures)?;
        let row = |(i, (state, _, next)): (usize, (u32, u32, u32))| {
            let over = row_ends(sample, settings.ends, i, next);
            Row { state, next: (!over).then_some(next) }
        };
        let rows: Vec<Row> = sample.ids().enumerate().map(row).collect();
        // Rows of an episode are one part by what follows on them, whether they end or not.
        let groups = Groups::of(&rows);
        if groups.left_out != LeftOut::Episodes {
            return Err(Undefined::FewEpisodes);
        }
        let noise = crate::metric::Metric::Projected.rounding(sample, 0.0);
        Ok(Side { features, rows, rewards: sample.rewards().to_vec(), groups, inputs: Vec::new(), noise, ends })
    }

    /// As many as are looked at.
    fn taken(mut self, numbers: &[u32], seed: u64) -> Self {
        self.inputs = numbers.to_vec();
        if self.rows.len() <= MOST_ROWS {
            return self;
        }
        let mut kept: Vec<u32> = self.groups.lots(seed, FOLDS, MOST_ROWS).concat();
        kept.sort_unstable();
        self.some(&kept)
    }

    /// Some of the rows.
    fn some(&self, kept: &[u32]) -> Self {
        Side {
            features: self.features.clone(),
            rows: kept.iter().map(|&i| self.rows[i as usize]).collect(),
            rewards: kept.iter().map(|&i| self.rewards[i as usize]).collect(),
            groups: self.groups.among(kept),
            inputs: kept.iter().map(|&i| self.inputs[i as usize]).collect(),
            ..*self
        }
    }

    /// With shaping taken out.
    fn projected(
        &self,
        other: &Side,
        potential: Potential,
        settings: &Settings,
    ) -> Result<ProjectedSide<'_>, Undefined> {
        let together = [&self.features, &other.features];
        let projection = BasisProjection::with_ends(
            &self.features,
            &together,
            self.rows.clone(),
            [&self.rewards; 2],
            (potential, settings.gamma, settings.seed),
            self.ends,
        );
        if projection.shaping().degrees_of_freedom == 0 {
            return Err(Undefined::NoDegreesOfFreedom);
        }
        let [left] = projection.residuals([&self.rewards]);
        if left.iter().all(|value| value.abs() <= self.noise) {
            return Err(Undefined::Constant);
        }
        Ok(ProjectedSide { side: self, projection, left })
    }
}

/// A sample's transitions with shaping taken out of their rewards.
struct ProjectedSide<'a> {
    side: &'a Side,
    projection: BasisProjection,
    left: Vec<f64>,
}

impl ProjectedSide<'_> {
    fn learned(&self, inputs: &Inputs, seed: u64) -> Predictor {
        Predictor::new(&inputs.rows, &self.side.inputs, &self.left, &self.side.groups, seed)
    }

    /// The angle between the reward and some predictions of as many folds, without shaping: that of the mean of their cosines.
    fn angle(&self, predictions: &[Vec<f64>], seed: u64) -> Result<Angle, Undefined> {
        let left: Vec<Vec<f64>> = predictions
            .par_iter()
            .map(|values| {
                let [left] = self.projection.residuals([values]);
                left
            })
            .collect();
        // Sums of squares and products: of the reward first, then of every prediction.
        let sums = |rows: &mut dyn Iterator<Item = usize>| {
            let mut sums = vec![[0.0; 2]; left.len() + 1];
            for row in rows {
                let value = self.left[row];
                sums[0][0] += value * value;
                for (sum, left) in sums[1..].iter_mut().zip(&left) {
                    sum[0] += left[row] * left[row];
                    sum[1] += left[row] * value;
                }
            }
            sums
        };
        let angle = |sums: &[[f64; 2]]| {
            let cosine = |[square, product]: &[f64; 2]| product / (square * sums[0][0]).sqrt();
            let mean = sums[1..].iter().map(cosine).sum::<f64>() / (sums.len() - 1) as f64;
            mean.clamp(-1.0, 1.0).acos()
        };
        let all = sums(&mut (0..self.left.len()));
        let value = angle(&all);
        if !value.is_finite() {
            // What is predicted does not vary.
            return Err(Undefined::Unpredictable);
        }
        let lots = self.side.groups.lots(seed, GROUPS, usize::MAX);
        let without = |lot: &Vec<u32>| {
            let gone = sums(&mut lot.iter().map(|&row| row as usize));
            let kept: Vec<[f64; 2]> =
                all.iter().zip(&gone).map(|(all, gone)| [all[0] - gone[0], all[1] - gone[1]]).collect();
            angle(&kept)
        };
        let angles: Vec<f64> = lots.iter().map(without).filter(|angle| angle.is_finite()).collect();
        let count = angles.len() as f64;
        let mean = angles.iter().sum::<f64>() / count;
        let squares: f64 = angles.iter().map(|angle| (angle - mean) * (angle - mean)).sum();
        Ok(Angle { value, error: ((count - 1.0) / count * squares).sqrt(), groups: angles.len() })
    }
}

/// The functions that potentials of both are made of: the larger of those that fit each, if there are rows enough for it.
fn potential(a: &Side, b: &Side, settings: &Settings) -> Potential {
    if settings.potential != Potential::Auto {
        return settings.potential;
    }
    let fits = |side: &Side, other: &Side| {
        let (together, how) = ([&side.features, &other.features], (Potential::Auto, settings.gamma, settings.seed));
        let rewards = [side.rewards.as_slice(); 2];
        BasisProjection::with_ends(&side.features, &together, side.rows.clone(), rewards, how, side.ends)
            .basis()
            .potential
    };
    let columns = a.features.columns();
    let most = fits(a, b).weights(columns).max(fits(b, a).weights(columns));
    let among = candidates(a.rows.len().min(b.rows.len()), columns);
    among.into_iter().rfind(|potential| potential.weights(columns) <= most).unwrap_or(Potential::Linear)
}

/// The rows of each that lie where the other has been.
fn overlapping(inputs: &Inputs, a: Side, b: Side) -> (Side, Side) {
    let landmarks = |side: &Side| -> Vec<u32> {
        let step = side.rows.len().div_ceil(LANDMARKS).max(1);
        (0..side.rows.len() as u32).step_by(step).collect()
    };
    let (marks_a, marks_b) = (landmarks(&a), landmarks(&b));
    let points = |side: &Side, rows: &[u32]| {
        let (values, columns) = inputs.rows.standardized(rows.iter().map(|&row| side.inputs[row as usize]));
        (values, columns, rows.iter().map(|&row| side.groups.of_row[row as usize]).collect::<Vec<u32>>())
    };
    let all = |side: &Side| (0..side.rows.len() as u32).collect::<Vec<u32>>();
    let (places_a, places_b) = (points(&a, &marks_a), points(&b, &marks_b));
    let reach = |(values, columns, episodes): &(Vec<f64>, usize, Vec<u32>)| {
        let mut own = nearest((values, Some(episodes)), (values, Some(episodes)), *columns);
        own.sort_unstable_by(f64::total_cmp);
        own.get((WITHIN * own.len() as f64) as usize).copied().unwrap_or(0.0)
    };
    let inside = |side: &Side, places: &(Vec<f64>, usize, Vec<u32>)| {
        let (values, columns, _) = points(side, &all(side));
        let far = nearest((&values, None), (&places.0, None), columns);
        let reach = reach(places);
        let kept: Vec<u32> = (0u32..).zip(far).filter(|(_, far)| *far <= reach).map(|(row, _)| row).collect();
        side.some(&kept)
    };
    (inside(&a, &places_b), inside(&b, &places_a))
}

/// Whether a transition of one sample ends an episode.
fn row_ends(sample: &RewardSample, rule: EndRule, row: usize, next: u32) -> bool {
    match rule {
        EndRule::None => false,
        EndRule::Sinks => !sample.graph.is_initial(next),
        EndRule::Auto | EndRule::Marked => sample.ends().at(row) == Some(true),
    }
}

/// What is known of the ends of both samples.
fn ends(pair: &Pair<'_>, rule: EndRule) -> SharedEnds {
    let samples = [pair.a, pair.b];
    let by_marks = matches!(rule, EndRule::Auto | EndRule::Marked);
    let ending = samples
        .map(|sample| sample.ids().enumerate().filter(|&(i, (_, _, next))| row_ends(sample, rule, i, next)).count());
    SharedEnds {
        known: !by_marks || samples.iter().all(|sample| sample.ends().are_known()),
        ending: ending[0] + ending[1],
        sinks: samples.iter().map(|sample| sample.terminal_states().count()).sum(),
        // One has ends and the other was cut off before any.
        unseen: by_marks && ending.contains(&0) && ending != [0, 0],
        ..SharedEnds::default()
    }
}
