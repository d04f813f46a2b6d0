//! Rewards from preferences: which of two episodes, segments or responses is better (Bradley and Terry).
//!
//! ```text
//! P(A is preferred to B) = σ(Σ_t γ^t r(A_t) − Σ_t γ^t r(B_t)),   ℓ = Σ over preferences log P − (λ/2)‖r‖²
//! ```
//!
//! That is a conditional logit with two options (`logit.rs`): concave, a few Newton steps, standard errors from the curvature. Where
//! all pairs are of one length, a constant added to all rewards changes no preference: it stays open, and rewards have mean 0.
//! O(preferences · steps + factorization) a step.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::returns::{Preference, Walks};
use srrd::{Gamma, Settings};

use crate::demonstrations::{Demonstrations, Row, Set};
use crate::learned::{Caution, Iterate, Learned};
use crate::logit::{Choices, Precision, fit};
use crate::maxent::{Form, RewardOf};
use crate::problem::Problem;
use crate::watch::{Patience, Watch};

/// Settings of learning from preferences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BradleyTerry {
    /// γ, by which later steps of a segment count less: 1 unless another is asked for.
    pub gamma: Gamma,
    /// What rewards are functions of.
    pub reward: RewardOf,
    /// What functions they are.
    pub form: Form,
    /// λ, how strongly rewards (or weights) are drawn to 0. Preferences that contradict nothing would be explained by ever larger
    /// rewards without it.
    pub ridge: f64,
    /// When iterations end.
    pub patience: Patience,
    /// Whether rewards get standard errors.
    pub std_errors: bool,
    /// How many further rewards are drawn that explain the preferences about as well.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u64,
}

/// λ unless another is asked for.
pub const RIDGE: f64 = 0.1;

impl Default for BradleyTerry {
    fn default() -> Self {
        BradleyTerry {
            gamma: Gamma::new(1.0).expect("1 is a discount factor"),
            reward: RewardOf::StateAction,
            form: Form::Free,
            ridge: RIDGE,
            patience: Patience::new(200),
            std_errors: false,
            draws: 0,
            seed: 0,
        }
    }
}

/// What the reward of every row is made of: (unknown, weight).
struct Parts {
    by_row: Vec<Vec<(u32, f64)>>,
    unknowns: usize,
}

impl Parts {
    fn new(set: &Set, of: RewardOf, form: Form) -> Result<Self, Problem> {
        let key = |row: &Row| match of {
            RewardOf::State => (row.state, 0),
            RewardOf::NextState => (row.next_state, 0),
            RewardOf::StateAction => (row.state, row.action),
        };
        if form == Form::Free {
            let mut known: HashMap<(u32, u32), u32> = HashMap::new();
            let mut by_row = Vec::with_capacity(set.rows().len());
            for row in set.rows() {
                let count = known.len() as u32;
                by_row.push(vec![(*known.entry(key(row)).or_insert(count), 1.0)]);
            }
            return Ok(Parts { by_row, unknowns: known.len() });
        }
        let sample = &set.sample().sample;
        let without = || Problem::NoFeatures { set: set.name().to_owned() };
        let features = |row: &Row| {
            let state = |id| sample.states().token(id).as_features().map(<[f64]>::to_vec);
            match of {
                RewardOf::State => state(row.state),
                RewardOf::NextState => state(row.next_state),
                RewardOf::StateAction => {
                    let action = sample.actions().token(row.action).as_features().map(<[f64]>::to_vec);
                    let own =
                        || (1..sample.actions().len() as u32).map(|a| f64::from(u8::from(a == row.action))).collect();
                    Some([state(row.state)?, action.unwrap_or_else(own)].concat())
                }
            }
        };
        let mut all = set.rows().iter().map(features).collect::<Option<Vec<_>>>().ok_or_else(without)?;
        let (width, count) = (all[0].len(), all.len() as f64);
        for column in 0..width {
            let mean = all.iter().map(|row| row[column]).sum::<f64>() / count;
            let variance = all.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / count;
            let scale = if variance > 0.0 { variance.sqrt() } else { 1.0 };
            all.iter_mut().for_each(|row| row[column] = (row[column] - mean) / scale);
        }
        let by_row = all.into_iter().map(|row| (0..).zip(row).collect()).collect();
        Ok(Parts { by_row, unknowns: width })
    }

    fn rewards(&self, x: &[f64]) -> Vec<f64> {
        let reward = |parts: &Vec<(u32, f64)>| parts.iter().map(|&(i, weight)| weight * x[i as usize]).sum();
        self.by_row.iter().map(reward).collect()
    }

    /// What the return of an episode is made of.
    fn of_episode(&self, rows: &[u32], gamma: f64) -> Vec<(u32, f64)> {
        let mut parts: Vec<(u32, f64)> = Vec::new();
        let mut discount = 1.0;
        for &row in rows {
            parts.extend(self.by_row[row as usize].iter().map(|&(i, weight)| (i, discount * weight)));
            discount *= gamma;
        }
        // Stable, so that sums are taken in the order of steps.
        parts.sort_by_key(|part| part.0);
        parts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        parts
    }
}

/// Learns a reward from preferences between episodes, which they name.
///
/// ```
/// use srrd::returns::{Preference, Walks};
/// use srrd::trajectories::{End, Trajectories};
/// use srrd_irl::preferences::{BradleyTerry, learn};
/// let mut builder = Trajectories::builder();
/// for answer in ["kind", "curt"] {
///     builder.push_episode(&["hello", ""], &[answer], None, End::Terminated)?;
/// }
/// let walks = Walks::numbered(builder.build());
/// let said = [Preference { better: "0".into(), worse: "1".into() }];
/// let learned = learn(&walks, &said, &BradleyTerry::default())?;
/// let reward = |answer: &str| learned.sample.sample.transitions().find(|t| t.action == answer.into()).unwrap().reward;
/// assert!(reward("kind") > 0.0 && (reward("curt") + reward("kind")).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are no preferences, one names an episode that is not there or itself, or states have no features where those are needed.
pub fn learn(walks: &Walks, said: &[Preference], settings: &BradleyTerry) -> Result<Learned, Problem> {
    Problem::check_ridge(settings.ridge)?;
    if settings.form == Form::Mlp {
        return Err(Problem::value("form", "preferences are learned with free or linear"));
    }
    let shown = Demonstrations::new([walks.trajectories.clone()])?;
    let set = &shown.sets()[0];
    let parts = Parts::new(set, settings.reward, settings.form)?;
    let choices = choices(walks, set, &parts, said, settings.gamma.get())?;
    let gamma = Settings { gamma: settings.gamma, ..Settings::default() };
    let mut watch = Watch::new(set.sample(), settings.patience, gamma);
    let mut broken_off = false;
    let precision = Precision { ridge: settings.ridge, gradient: 1e-10 };
    let found = fit(&choices, parts.unknowns, precision, |state| {
        let iterate = Iterate { objective: state.likelihood, gradient: Some(state.gradient), ..Iterate::default() };
        let enough = watch.step(iterate, || parts.rewards(state.x));
        broken_off = !enough && !watch.goes_on();
        enough || broken_off
    });
    let diverged = |_| Problem::Diverged { set: set.name().to_owned(), iteration: watch.iterations() };
    let mut sample = set.sample().clone();
    sample.sample = sample.sample.with_rewards(parts.rewards(&found.x)).map_err(diverged)?;
    let mut learned = Learned::new(sample);
    if settings.std_errors && found.has_spread() {
        let mut work = vec![0.0; parts.unknowns];
        learned.std_errors = Some(parts.by_row.iter().map(|row| found.variance(row, &mut work).sqrt()).collect());
    }
    if found.has_spread() {
        let mut random = ChaCha8Rng::seed_from_u64(settings.seed);
        let mut normals = move || srrd::run::normal(&mut || random.random::<f64>());
        let draw = |_| parts.rewards(&found.draw((0..parts.unknowns).map(|_| normals()).collect()));
        learned.draws = (0..settings.draws).map(draw).collect();
    } else if settings.std_errors || settings.draws > 0 {
        learned.cautions.push(Caution::NoSpread);
    }
    let (constants, unjudged) = found.open_constants();
    if settings.form == Form::Free && constants > 0 {
        learned.cautions.push(Caution::OpenConstants { groups: constants });
    }
    if unjudged > 0 {
        learned.cautions.push(Caution::Unjudged { unknowns: unjudged, of: parts.unknowns });
    }
    if watch.iterations() == 0 {
        learned.cautions.push(Caution::TellsNothing);
    } else if choices.all_explained(&found.x) {
        learned.cautions.push(Caution::Separable);
    }
    if broken_off && !found.converged {
        learned.cautions.push(Caution::NotConverged { iterations: watch.iterations() });
    }
    learned.gradient = Some(found.gradient);
    learned.iterations = watch.iterations();
    learned.trace = watch.into_trace();
    Ok(learned)
}

fn choices(walks: &Walks, set: &Set, parts: &Parts, said: &[Preference], gamma: f64) -> Result<Choices, Problem> {
    if said.is_empty() {
        return Err(Problem::NoPreferences);
    }
    let mut places = HashMap::new();
    for (place, name) in walks.episodes.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some() {
            return Err(Problem::EpisodeTwice { episode: name.clone() });
        }
    }
    let sums: Vec<Vec<(u32, f64)>> = set.episodes().map(|(rows, _)| parts.of_episode(rows, gamma)).collect();
    let mut choices = Choices::new();
    for (row, Preference { better, worse }) in (1..).zip(said) {
        let place = |name: &String| {
            let column = if std::ptr::eq(name, better) { "better" } else { "worse" };
            let unknown = || Problem::UnknownEpisode { row, column, episode: name.clone() };
            places.get(name.as_str()).copied().ok_or_else(unknown)
        };
        let (good, bad) = (place(better)?, place(worse)?);
        if good == bad {
            return Err(Problem::PreferredToItself { row, episode: better.clone() });
        }
        choices.push(&[(1.0, sums[good].clone()), (0.0, sums[bad].clone())]);
    }
    Ok(choices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use srrd::trajectories::{End, Trajectories};

    fn preference(better: usize, worse: usize) -> Preference {
        Preference { better: better.to_string(), worse: worse.to_string() }
    }

    #[test]
    fn rewards_come_back_from_what_a_noisy_judge_says() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let truth: Vec<f64> = (0..12).map(|_| 4.0 * random.random::<f64>() - 2.0).collect();
        let mut builder = Trajectories::builder();
        let mut returns = Vec::new();
        for _ in 0..300 {
            let states: Vec<u32> = (0..6).map(|_| random.random_range(0..12u32)).collect();
            returns.push(states[..5].iter().map(|&s| truth[s as usize]).sum::<f64>());
            builder.push_episode(&states, &[0u32; 5], None, End::Truncated).unwrap();
        }
        let walks = Walks::numbered(builder.build());
        let mut said = Vec::new();
        for _ in 0..20_000 {
            let (a, b) = (random.random_range(0..300usize), random.random_range(0..300usize));
            if a != b {
                let first = 1.0 / (1.0 + (returns[b] - returns[a]).exp());
                said.push(if random.random::<f64>() < first { preference(a, b) } else { preference(b, a) });
            }
        }
        let settings = BradleyTerry { reward: RewardOf::State, std_errors: true, ..BradleyTerry::default() };
        let learned = learn(&walks, &said, &settings).unwrap();
        assert!(learned.gradient.unwrap() < 1e-9);
        assert_eq!(learned.cautions, [Caution::OpenConstants { groups: 1 }]);
        let mean = truth.iter().sum::<f64>() / 12.0;
        let errors = learned.std_errors.unwrap();
        let within = |(t, error): (srrd::Transition<'_>, &f64)| {
            let expected = truth[t.state.to_string().parse::<usize>().unwrap()] - mean;
            assert!(*error < 0.2 && (t.reward - expected).abs() < 4.0 * error, "{} {expected} {error}", t.reward);
        };
        learned.sample.sample.transitions().zip(&errors).for_each(within);
    }

    #[test]
    fn what_is_wrong_with_preferences_is_said() {
        let mut builder = Trajectories::builder();
        for (answer, length) in [("a", 1), ("b", 2), ("c", 1)] {
            builder.push_episode(&vec!["q"; length + 1], &vec![answer; length], None, End::Terminated).unwrap();
        }
        let walks = Walks::numbered(builder.build());
        let problem = |said: &[Preference]| learn(&walks, said, &BradleyTerry::default()).unwrap_err();
        assert_eq!(problem(&[]), Problem::NoPreferences);
        let unknown = |column| Problem::UnknownEpisode { row: 1, column, episode: "7".to_owned() };
        assert_eq!(problem(&[preference(0, 7)]), unknown("worse"));
        assert_eq!(problem(&[preference(7, 0)]), unknown("better"));
        assert_eq!(problem(&[preference(1, 1)]), Problem::PreferredToItself { row: 1, episode: "1".to_owned() });
        // Of different lengths: there is no open constant. The third answer was never judged.
        let learned = learn(&walks, &[preference(0, 1)], &BradleyTerry::default()).unwrap();
        assert_eq!(learned.cautions, [Caution::Unjudged { unknowns: 1, of: 3 }, Caution::Separable]);
    }

    #[test]
    fn what_preferences_leave_open_has_no_standard_error() {
        let mut builder = Trajectories::builder();
        for answer in ["a", "b", "c"] {
            builder.push_episode(&["q", ""], &[answer], None, End::Terminated).unwrap();
        }
        let walks = Walks::numbered(builder.build());
        let settings = BradleyTerry { std_errors: true, ..BradleyTerry::default() };
        let learned = |said: &[Preference]| learn(&walks, said, &settings).unwrap();
        // The third answer was never judged: that is not the same as a reward of exactly 0.
        let errors = learned(&[preference(0, 1)]).std_errors.unwrap();
        assert!(errors[0] > 0.0 && errors[1] > 0.0 && errors[2].is_nan(), "{errors:?}");
        // Contradictions keep rewards finite by themselves; without them their size is the ridge's.
        let kinds = |said: &[Preference]| learned(said).cautions.iter().map(Caution::kind).collect::<Vec<_>>();
        assert!(kinds(&[preference(0, 1), preference(1, 2)]).contains(&"separable"));
        assert!(
            !kinds(&[preference(0, 1), preference(1, 2), preference(2, 0), preference(0, 1)]).contains(&"separable")
        );
        assert!(kinds(&[preference(0, 1), preference(1, 0)]).contains(&"tells_nothing"));
    }
}
