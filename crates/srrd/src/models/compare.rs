//! All pairs of models, each number with its interval.

use std::ops::Range as Span;

use rayon::prelude::*;

use super::prompt::{Scores, Workspace};
use super::sums::{Counted, MOST_NUISANCES, Sums};
use super::{
    BEST_OF, BestOf, ByMargin, Change, Disagreement, Estimated, Explained, GroupNumbers, Grouping, LEAST_PIECES,
    MARGINS, MOST_GROUPS, MOST_PAIRED, ModelComparison, ModelGroup, ModelPair, ModelSettings, ModelSummary,
    ModelsError, ROUNDING, nuisance, resample, training,
};
use crate::run::checkpoint;
use crate::sample::NamedSample;

/// Compares all pairs of models; with `gold`, that one is the second of every pair it is in.
///
/// ```
/// use srrd::models::{ModelSettings, compare_models};
/// use srrd::sample::Ends;
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = (0..20).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, f64::from(r * r))));
/// let sample = RewardSample::from_rows(rows, Duplicates::Mean)?.with_ends(Ends::all())?;
/// let shifted = sample.with_rewards(sample.transitions().map(|t| t.reward + t.state.as_int().unwrap() as f64).collect())?;
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let found = compare_models(&[named("old", sample), named("new", shifted)], None, &ModelSettings::default())?;
/// assert_eq!((found.prompts, found.responses), (20, 80));
/// assert!(found.pairs[0].distance.value.unwrap() < 1e-9); // a shift per prompt changes no choice
/// assert_eq!(found.pairs[0].top1.value, Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is nothing to compare, or the models do not score the same responses.
pub fn compare_models(
    models: &[NamedSample],
    gold: Option<&str>,
    settings: &ModelSettings,
) -> Result<ModelComparison, ModelsError> {
    let group =
        ModelGroup { name: String::new(), models: models.iter().collect(), scored: Vec::new(), nuisances: Vec::new() };
    compare_grouped(vec![group], None, gold, settings)
}

/// As [`compare_models`], of prompts in groups, and with properties of the responses.
///
/// ```
/// use srrd::models::{Grouping, ModelGroup, ModelSettings, compare_grouped};
/// use srrd::sample::Ends;
/// use srrd::{Duplicates, NamedSample, RewardSample};
/// let rows = |from: i64| (from..from + 10).flat_map(|p| (0..4).map(move |r| (p, 100 * p + r, -1, (r * r) as f64)));
/// let scores = |from| RewardSample::from_rows(rows(from), Duplicates::Mean)?.with_ends(Ends::all());
/// let named = |name: &str, sample| NamedSample { one_step: true, ..NamedSample::new(name, sample) };
/// let [safety, chat] = [named("model", scores(0)?), named("model", scores(50)?)];
/// let others = [&safety, &chat].map(|of| named("other", of.sample.with_rewards(of.sample.rewards().iter().map(|r| -r).collect()).unwrap()));
/// let group = |name: &str, models: [_; 2]| ModelGroup { name: name.to_owned(), models: models.to_vec(), scored: Vec::new(), nuisances: Vec::new() };
/// let groups = vec![group("safety", [&safety, &others[0]]), group("chat", [&chat, &others[1]])];
/// let found = compare_grouped(groups, Some(Grouping::Criterion("subset".to_owned())), None, &ModelSettings::default())?;
/// assert_eq!((found.prompts, found.pairs[0].distance.value), (20, Some(1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there is nothing to compare, the models of a group do not score the same responses, or steps are no numbers.
pub fn compare_grouped(
    mut groups: Vec<ModelGroup<'_>>,
    grouping: Option<Grouping>,
    gold: Option<&str>,
    settings: &ModelSettings,
) -> Result<ModelComparison, ModelsError> {
    check(&groups)?;
    let steps = match &grouping {
        Some(Grouping::Step(_)) => Some(sort_by_step(&mut groups)?),
        _ => None,
    };
    let names: Vec<&str> = groups[0].models.iter().map(|model| model.name.as_str()).collect();
    let gold = match gold {
        None => None,
        Some(name) => Some(
            names
                .iter()
                .position(|known| *known == name)
                .ok_or_else(|| ModelsError::NoGold(name.to_owned(), names.join(", ")))?,
        ),
    };
    let all: Vec<usize> = (0..names.len()).collect();
    let partial = groups.iter().any(|group| group.scored.iter().any(Option::is_some));
    // Where models score different responses, every pair has responses of its own.
    let of_models = |models: &[usize]| Task::new(&groups, models, grouping.as_ref(), steps.as_deref(), settings);
    let whole = of_models(if partial { &[] } else { &all });
    if whole.scores.prompts() == 0 {
        return Err(ModelsError::NoChoice);
    }
    let mut pairs = Vec::new();
    for i in 0..names.len() {
        for j in i + 1..names.len() {
            // The reference comes second.
            let pair = if gold == Some(i) { [j, i] } else { [i, j] };
            let called = pair.map(|model| names[model]);
            pairs.push(match partial {
                true => of_models(&pair).compare([0, 1], called),
                false => whole.compare(pair, called),
            });
        }
    }
    if let Some(first) = pairs.first().filter(|_| pairs.iter().all(|pair| pair.prompts == 0)) {
        return Err(ModelsError::NeverTogether(first.a.clone(), first.b.clone()));
    }
    // Held against the reference first.
    pairs.sort_by_key(|pair| gold.is_some_and(|gold| pair.b != names[gold]));
    let summary = |(model, name): (usize, &&str)| {
        let alone = partial.then(|| Scores::new(&groups, &[model]));
        let (scores, at) = alone.as_ref().map_or((&whole.scores, model), |alone| (alone, 0));
        ModelSummary { name: (*name).to_owned(), deviation: scores.deviation[at], constant: scores.constant[at] }
    };
    let scores = &whole.scores;
    Ok(ModelComparison {
        prompts: scores.prompts(),
        responses: scores.responses(),
        single: scores.single,
        repeated: groups.iter().map(|group| group.models[0].sample.duplicates().repeated).sum(),
        returning: scores.returning(),
        models: names.iter().enumerate().map(summary).collect(),
        pairs,
        level: settings.level.get(),
        unpaired: scores.sizes().filter(|size| *size > MOST_PAIRED).count(),
        grouping: grouping.clone(),
    })
}

/// Whether two models score the same responses.
pub(super) fn same_responses(one: &NamedSample, other: &NamedSample) -> bool {
    let (ours, theirs) = (&one.sample, &other.sample);
    ours.graph == theirs.graph
        && ours.action == theirs.action
        && ours.states == theirs.states
        && ours.actions == theirs.actions
}

fn check(groups: &[ModelGroup<'_>]) -> Result<(), ModelsError> {
    let names = |group: &ModelGroup<'_>| group.models.iter().map(|model| model.name.clone()).collect::<Vec<_>>();
    let Some(first) = groups.first() else { return Err(ModelsError::NoChoice) };
    for group in groups {
        let [model, others @ ..] = group.models.as_slice() else { return Err(ModelsError::NoChoice) };
        if others.is_empty() {
            return Err(ModelsError::One(model.name.clone()));
        }
        if let Some(other) = group.models.iter().find(|model| !model.one_step) {
            return Err(ModelsError::NotOneStep(other.name.clone()));
        }
        if let Some(other) = others.iter().chain(&group.nuisances).find(|other| !same_responses(model, other)) {
            return Err(ModelsError::Elsewhere(model.name.clone(), other.name.clone()));
        }
        let rows = model.sample.len();
        assert!(group.scored.iter().flatten().all(|scored| scored.len() == rows), "one mark for every response");
        if names(group) != names(first) || group.nuisances.len() != first.nuisances.len() {
            return Err(ModelsError::OtherModels(first.name.clone(), group.name.clone()));
        }
    }
    assert!(first.nuisances.len() <= MOST_NUISANCES, "at most {MOST_NUISANCES} properties");
    Ok(())
}

/// Puts groups in the order of their steps, and returns these.
fn sort_by_step(groups: &mut [ModelGroup<'_>]) -> Result<Vec<f64>, ModelsError> {
    let step = |group: &ModelGroup<'_>| {
        let number = group.name.trim().parse::<f64>().ok().filter(|step| step.is_finite());
        number.ok_or_else(|| ModelsError::NoStep(group.name.clone()))
    };
    groups.iter().try_for_each(|group| step(group).map(drop))?;
    groups.sort_by(|a, b| step(a).unwrap_or_default().total_cmp(&step(b).unwrap_or_default()));
    groups.iter().map(step).collect()
}

/// Prompts whose numbers are wanted by themselves.
struct Section {
    name: String,
    steps: Option<[f64; 2]>,
    prompts: Span<usize>,
}

/// Criteria by themselves; steps of training put together where there are many of few prompts.
fn pieces(
    groups: &[ModelGroup<'_>],
    scores: &Scores<'_>,
    grouping: Option<&Grouping>,
    steps: Option<&[f64]>,
) -> Vec<Section> {
    let Some(steps) = steps else {
        let all = (0..groups.len()).filter(|_| grouping.is_some());
        let section =
            |group: usize| Section { name: groups[group].name.clone(), steps: None, prompts: scores.prompts_of(group) };
        return all.map(section).filter(|section| !section.prompts.is_empty()).collect();
    };
    let counts: Vec<usize> = (0..groups.len()).map(|group| scores.prompts_of(group).len()).collect();
    let starts = training::pieces(&counts);
    let ends = starts.iter().skip(1).copied().chain([groups.len()]);
    let section = |(from, to): (usize, usize)| Section {
        name: match to - from {
            1 => groups[from].name.clone(),
            _ => format!("{} to {}", groups[from].name, groups[to - 1].name),
        },
        steps: Some([steps[from], steps[to - 1]]),
        prompts: scores.prompts_of(from).start..scores.prompts_of(to - 1).end,
    };
    starts.iter().copied().zip(ends).map(section).filter(|section| !section.prompts.is_empty()).collect()
}

/// What is compared, and how.
struct Task<'a> {
    scores: Scores<'a>,
    pieces: Vec<Section>,
    drawn: resample::Groups,
    settings: &'a ModelSettings,
}

impl<'a> Task<'a> {
    /// On the responses that all of these models score.
    fn new(
        groups: &'a [ModelGroup<'a>],
        models: &[usize],
        grouping: Option<&Grouping>,
        steps: Option<&[f64]>,
        settings: &'a ModelSettings,
    ) -> Self {
        let scores = Scores::new(groups, models);
        let pieces = pieces(groups, &scores, grouping, steps);
        Task { pieces, drawn: resample::Groups::new(scores.prompts(), MOST_GROUPS, settings), scores, settings }
    }

    /// Two of them, by their places among these.
    fn compare(&self, [a, b]: [usize; 2], names: [&str; 2]) -> ModelPair {
        checkpoint();
        let scores = &self.scores;
        let constant = scores.constant[a] || scores.constant[b];
        let counted: Vec<Counted> = (0..scores.prompts())
            .into_par_iter()
            .with_min_len(256)
            .map_init(Workspace::default, |workspace, prompt| {
                checkpoint();
                scores.count(prompt, [a, b], workspace)
            })
            .collect();
        let found = self.drawn.estimates(&counted);
        let estimate =
            |number: fn(&Sums) -> Option<f64>| if constant { Estimated::default() } else { found.of(number) };
        let mut distance = estimate(Sums::distance);
        if let Some(value) = &mut distance.value {
            // Where rewards are nearly the same, 1 − c has lost its digits.
            *value = scores.distance([a, b]);
        }
        let groups = self.groups(&counted, constant);
        let [name_a, name_b] = names.map(str::to_owned);
        ModelPair {
            a: name_a,
            b: name_b,
            prompts: scores.prompts(),
            responses: scores.responses(),
            distance,
            accuracy: estimate(Sums::accuracy),
            tau_b: estimate(Sums::tau_b),
            top1: estimate(Sums::top1),
            best_of_n: self.best_of(&found, constant),
            by_margin: (MARGINS.into_iter().enumerate())
                .map(|(place, least)| ByMargin {
                    least,
                    pairs: found.total.pairs_at(place),
                    accuracy: found.of(|sums| sums.accuracy_at(place)),
                })
                .collect(),
            disagreements: if constant { Vec::new() } else { self.disagreements([a, b]) },
            explained: if constant { Vec::new() } else { explained(&found) },
            changes: self.changes(&groups, &counted),
            groups,
        }
    }

    fn best_of(&self, found: &resample::Estimates<'_>, constant: bool) -> Vec<BestOf> {
        let largest = self.scores.sizes().max().unwrap_or(0);
        let loss = |place: usize, of: usize| match constant {
            true => Estimated::default(),
            false => found.of(|sums| sums.loss(place, of)),
        };
        (BEST_OF.into_iter().enumerate())
            .take_while(|(_, n)| *n <= largest)
            .map(|(place, n)| BestOf {
                n,
                divergence: (n as f64).ln() - (n - 1) as f64 / n as f64,
                prompts: self.scores.sizes().filter(|size| *size >= n).count(),
                loss: loss(place, 0),
                loss_of_a: loss(place, 1),
            })
            .collect()
    }

    /// The numbers of some prompts by themselves.
    fn numbers<T>(&self, counted: &[Counted], take: impl Fn(&resample::Estimates<'_>) -> T) -> T {
        // All groups together have about as many units as the whole, so that they take as long.
        let most = (MOST_GROUPS / self.pieces.len().max(1)).max(50);
        let groups = resample::Groups::new(counted.len(), most, self.settings);
        take(&groups.estimates(counted))
    }

    fn groups(&self, counted: &[Counted], constant: bool) -> Vec<GroupNumbers> {
        let numbers = |section: &Section| {
            checkpoint();
            let of_group = &counted[section.prompts.clone()];
            self.numbers(of_group, |found| {
                let of =
                    |number: fn(&Sums) -> Option<f64>| if constant { Estimated::default() } else { found.of(number) };
                GroupNumbers {
                    name: section.name.clone(),
                    steps: section.steps,
                    prompts: of_group.len(),
                    responses: found.total.responses(),
                    distance: of(Sums::distance),
                    accuracy: of(Sums::accuracy),
                    tau_b: of(Sums::tau_b),
                    top1: of(Sums::top1),
                }
            })
        };
        self.pieces.iter().map(numbers).collect()
    }

    /// Over training, where the distance changes.
    fn changes(&self, groups: &[GroupNumbers], counted: &[Counted]) -> Option<Vec<Change>> {
        let known: Vec<(&Section, f64, f64)> = (self.pieces.iter().zip(groups))
            .filter(|(section, _)| section.steps.is_some())
            .filter_map(|(section, group)| Some((section, group.distance.value?, group.prompts as f64)))
            .collect();
        if known.len() < LEAST_PIECES {
            return None;
        }
        let values: Vec<(f64, f64)> = known.iter().map(|(_, value, weight)| (*value, *weight)).collect();
        let cuts = training::changes(&values, self.settings.seed);
        let mut bounds = vec![0];
        bounds.extend(cuts.iter().map(|cut| cut.at));
        bounds.push(known.len());
        let between = |from: usize, to: usize| {
            let prompts = known[from].0.prompts.start..known[to - 1].0.prompts.end;
            self.numbers(&counted[prompts], |found| found.of(Sums::distance))
        };
        let stretches: Vec<Estimated> = bounds.windows(2).map(|ends| between(ends[0], ends[1])).collect();
        let change = |(cut, around): (&training::Cut, &[Estimated])| Change {
            at: known[cut.at].0.steps.map_or(0.0, |steps| steps[0]),
            before: around[0],
            after: around[1],
            p_value: cut.p_value,
        };
        Some(cuts.iter().zip(stretches.windows(2)).map(change).collect())
    }

    /// The prompts that carry most of the squared distance, the largest first.
    fn disagreements(&self, pair: [usize; 2]) -> Vec<Disagreement> {
        let scores = &self.scores;
        let mut shares: Vec<(f64, usize)> =
            (0..scores.prompts()).map(|prompt| (scores.squares(prompt, pair), prompt)).collect();
        let all: f64 = shares.iter().map(|(share, _)| share).sum();
        shares.retain(|(share, _)| *share > ROUNDING * ROUNDING);
        shares.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let shown = shares.into_iter().take(self.settings.top).map(|(share, prompt)| {
            let [best_of_a, best_of_b] = pair.map(|model| scores.tokens(scores.best(prompt, model))[1].into());
            let (two, apart) = scores.farthest(prompt, pair);
            let between = two.map(|row| scores.tokens(row)[1].into());
            let prompt = scores.tokens(scores.rows(prompt).start)[0].into();
            Disagreement { prompt, share: share / all, best_of_a, best_of_b, between, apart }
        });
        shown.collect()
    }
}

/// How much of the distance properties of the responses explain, where any of them varies.
fn explained(found: &resample::Estimates<'_>) -> Vec<Explained> {
    let of = |(by, properties): (&'static str, Span<usize>)| {
        let correlations = match properties.len() {
            1 => found.total.correlation(0, 0).zip(found.total.correlation(0, 1)).map(|(a, b)| [a, b]),
            _ => None,
        };
        Explained { by, share: found.of(|sums| sums.explained(properties.clone())), correlations }
    };
    nuisance::GROUPS.into_iter().map(of).filter(|explained| explained.share.value.is_some()).collect()
}
