//! AIRL with tables g and h, and a generator that is solved exactly.
//!
//! With a model, nothing needs to be sampled. The discriminator sees pairs (s, a) with the mean f̄(s, a) = Σ P(s' | s, a) f(s, a, s'): as in
//! the definition where actions are certain, and where they are not, an unlucky outcome is not held against an action. The generator's
//! steps start in the demonstrated states, each as often as there, with actions by π: so that they stay where the model knows something, and
//! walks that were cut off bias nothing. Where nobody acted, h is all that follows.
//!
//! f̄ is linear in (g, h), so that the discriminator is a logistic regression with the offset −log π. One step minimises its quadratic upper
//! bound with the curvature (n + n_π)/4 of D = ½ (Böhning and Lindsay), by conjugate gradients. As long as the gradient falls well, the
//! curvature goes over to n_π/2, which is what it is when the generator follows at once: then it is Newton's step for both. Several steps per
//! solve would fit a generator of the past.
//!
//! At the end V = 0 under the reward f, hence f̄ = log π and D = ½, and the conditions on h are those of maximum causal entropy: with the
//! same ridge λ (here λ/2, since the slope of the loss is half of theirs) both have the same policy and the same reward.
//!
//! O(outcomes) per sweep of value iteration and per step of conjugate gradients; 6 to 20 iterations.

use srrd::run::checkpoint;

use super::Airl;
use crate::learned::Iterate;
use crate::maxent::RewardOf;
use crate::maxent::soft::log_sum;
use crate::run::Task;
use crate::watch::Watch;

/// The largest element of the gradient per step at which learning ends.
const GRADIENT: f64 = 1e-9;
/// How precise soft values are.
const PRECISE: f64 = 1e-11;
/// What keeps unknowns in place that nothing depends on, per step.
const STILL: f64 = 1e-12;

/// Whether somebody could have done something else somewhere.
pub(super) fn has_choice(task: &Task<'_>) -> bool {
    let several = |state: u32| task.model.dynamics().pairs_of(task.state_in_model(state) as usize).len() > 1;
    task.set().rows().iter().any(|row| several(row.state))
}

/// What was learned.
pub(super) struct Found {
    layout: Layout,
    unknowns: Vec<f64>,
    gradient: f64,
    enough: bool,
}

impl Found {
    /// The reward of every row of the set: g, or f.
    pub fn rewards(&self, task: &Task<'_>, shaped: bool) -> Vec<f64> {
        self.layout.rewards(task, &self.unknowns, shaped)
    }

    /// The largest element of the gradient per step, at the end.
    pub fn gradient(&self) -> f64 {
        self.gradient
    }

    /// Whether learning came to its end.
    pub fn converged(&self) -> bool {
        self.enough || self.gradient <= GRADIENT
    }
}

/// Where h and g are among the unknowns: h by state, then g by its key.
struct Layout {
    gamma: f64,
    of: RewardOf,
    states: usize,
    count: usize,
}

impl Layout {
    fn new(settings: &Airl, task: &Task<'_>) -> Self {
        let dynamics = task.model.dynamics();
        let states = dynamics.states();
        let keys = match settings.reward {
            RewardOf::State => states,
            // Where an episode ended is another state than where it went on.
            RewardOf::NextState => 2 * states,
            RewardOf::StateAction => dynamics.pairs(),
        };
        Layout { gamma: settings.gamma.get(), of: settings.reward, states, count: states + keys }
    }

    /// What g of an outcome is made of: (unknown, weight).
    fn reward(&self, state: usize, pair: usize, next: usize, ended: f64) -> [(usize, f64); 2] {
        match self.of {
            RewardOf::State => [(self.states + state, 1.0), (0, 0.0)],
            RewardOf::NextState => [(self.states + 2 * next, 1.0 - ended), (self.states + 2 * next + 1, ended)],
            RewardOf::StateAction => [(self.states + pair, 1.0), (0, 0.0)],
        }
    }

    fn rewards(&self, task: &Task<'_>, unknowns: &[f64], shaped: bool) -> Vec<f64> {
        let of_row = |((row, (pair, _)), ends): ((&crate::Row, (usize, usize)), bool)| {
            let [state, next] = [row.state, row.next_state].map(|id| task.state_in_model(id) as usize);
            let ended = f64::from(u8::from(ends));
            let terms = self.reward(state, pair, next, ended);
            let g: f64 = terms.iter().map(|&(at, weight)| weight * unknowns[at]).sum();
            if shaped { g + self.gamma * (1.0 - ended) * unknowns[next] - unknowns[state] } else { g }
        };
        task.set().rows().iter().zip(task.places()).zip(task.ends()).map(of_row).collect()
    }
}

/// Rows of few terms, in compressed form.
#[derive(Default)]
struct Sparse {
    start: Vec<usize>,
    unknown: Vec<u32>,
    weight: Vec<f64>,
}

impl Sparse {
    fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        for (at, weight) in terms.into_iter().filter(|term| term.1 != 0.0) {
            self.unknown.push(at as u32);
            self.weight.push(weight);
        }
        self.start.push(self.unknown.len());
    }

    fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    fn terms(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let here = self.start[row]..self.start[row + 1];
        self.unknown[here.clone()].iter().zip(&self.weight[here]).map(|(&at, &weight)| (at as usize, weight))
    }

    fn dot(&self, row: usize, x: &[f64]) -> f64 {
        self.terms(row).map(|(at, weight)| weight * x[at]).sum()
    }

    fn add(&self, row: usize, factor: f64, sum: &mut [f64]) {
        self.terms(row).for_each(|(at, weight)| sum[at] += factor * weight);
    }
}

/// The demonstrated states, their pairs, and all that is fixed while learning.
struct System {
    layout: Layout,
    /// By state in which somebody of the set acted: its number, and where its pairs start; how many there are at the end.
    state: Vec<usize>,
    first: Vec<usize>,
    /// How many steps started in it.
    visits: Vec<f64>,
    /// By pair of such states: how many steps took it.
    count: Vec<f64>,
    /// f̄ as a function of the unknowns.
    f: Sparse,
    /// γ P (1 − ended) over those states, by their place.
    ahead: Sparse,
    /// What is drawn to 0, with λ/2.
    penalty: Sparse,
    ridge: f64,
    steps: f64,
    episodes: f64,
    /// g of a pair, for its returns.
    g: Sparse,
}

impl System {
    fn new(settings: &Airl, task: &Task<'_>) -> Self {
        let (model, dynamics) = (task.model, task.model.dynamics());
        let (counts, layout) = (task.pair_counts(), Layout::new(settings, task));
        let acted = |state: &usize| counts[dynamics.pairs_of(*state)].iter().any(|count| *count > 0.0);
        let state: Vec<usize> = (0..dynamics.states()).filter(acted).collect();
        let mut place = vec![usize::MAX; dynamics.states()];
        state.iter().enumerate().for_each(|(at, &state)| place[state] = at);
        let mut system = System {
            first: vec![0],
            visits: Vec::new(),
            count: Vec::new(),
            f: Sparse::default(),
            g: Sparse::default(),
            ahead: Sparse::default(),
            penalty: Sparse::default(),
            ridge: settings.ridge / 2.0,
            steps: counts.iter().sum(),
            episodes: task.set().trajectories().len() as f64,
            state,
            layout,
        };
        for &s in &system.state {
            let pairs = dynamics.pairs_of(s);
            system.visits.push(counts[pairs.clone()].iter().sum());
            for pair in pairs {
                let outcomes = || dynamics.of_pair(pair).iter().zip(&model.ended()[dynamics.outcomes_of(pair)]);
                let layout = &system.layout;
                let g =
                    outcomes().flat_map(|((t, p), &ended)| layout.reward(s, pair, t, ended).map(|(at, w)| (at, p * w)));
                let g = merged(g.collect());
                let on = |((t, p), ended): ((usize, f64), &f64)| (t, layout.gamma * p * (1.0 - ended));
                let h = outcomes().map(on).chain([(s, -1.0)]);
                system.f.push(merged(g.iter().copied().chain(h).collect()));
                system.g.push(g);
                let known = outcomes().map(on).filter(|(t, _)| place[*t] != usize::MAX);
                system.ahead.push(known.map(|(t, weight)| (place[t], weight)));
                system.count.push(counts[pair]);
            }
            system.first.push(system.count.len());
        }
        system.penalize(&counts);
        system
    }

    /// The unknowns that the ridge draws to 0 are those of maximum causal entropy.
    fn penalize(&mut self, counts: &[f64]) {
        let (states, gamma) = (self.layout.states, self.layout.gamma);
        for s in 0..states {
            match self.layout.of {
                RewardOf::State | RewardOf::StateAction => self.penalty.push([(s, 1.0)]),
                RewardOf::NextState => {
                    self.penalty.push([(states + 2 * s, 1.0), (s, gamma)]);
                    self.penalty.push([(states + 2 * s + 1, 1.0)]);
                }
            }
        }
        if self.layout.of == RewardOf::StateAction {
            // log 0 is what an action that was never taken would get.
            let never = (0..counts.len()).filter(|&pair| counts[pair] == 0.0);
            never.for_each(|pair| self.penalty.push([(states + pair, 1.0)]));
        }
    }

    /// log π of all pairs: soft value iteration under the reward f̄, state by state with the newest values.
    fn generate(&self, f: &[f64], log_policy: &mut [f64]) {
        let mut values = vec![0.0; self.state.len()];
        loop {
            checkpoint();
            let mut change = 0.0f64;
            for at in 0..self.state.len() {
                let pairs = self.first[at]..self.first[at + 1];
                for pair in pairs.clone() {
                    log_policy[pair] = f[pair] + self.ahead.dot(pair, &values);
                }
                let next = log_sum(&log_policy[pairs]);
                change = change.max((next - values[at]).abs());
                values[at] = next;
            }
            // Also where values are not finite, which no difference shows: rewards are checked afterwards.
            if change <= PRECISE {
                break;
            }
        }
        for at in 0..self.state.len() {
            let pairs = self.first[at]..self.first[at + 1];
            for pair in pairs.clone() {
                log_policy[pair] = f[pair] + self.ahead.dot(pair, &values);
            }
            let value = log_sum(&log_policy[pairs.clone()]);
            log_policy[pairs].iter_mut().for_each(|worth| *worth -= value);
        }
    }

    /// How many steps of the generator take every pair.
    fn generated(&self, log_policy: &[f64]) -> Vec<f64> {
        let of_state = |at: usize| {
            let pairs = self.first[at]..self.first[at + 1];
            pairs.map(move |pair| self.visits[at] * log_policy[pair].exp())
        };
        (0..self.state.len()).flat_map(of_state).collect()
    }

    /// Solves (Aᵀ W A + ridge) x = b by conjugate gradients, each unknown in units of its own curvature, down to `tolerance` of b.
    fn solve(&self, weight: &[f64], b: &[f64], tolerance: f64) -> Vec<f64> {
        let apply = |x: &[f64]| {
            let mut sum: Vec<f64> = x.iter().map(|x| STILL * self.steps * x).collect();
            (0..self.f.len()).for_each(|row| self.f.add(row, weight[row] * self.f.dot(row, x), &mut sum));
            (0..self.penalty.len())
                .for_each(|row| self.penalty.add(row, self.ridge * self.penalty.dot(row, x), &mut sum));
            sum
        };
        let mut diagonal = vec![STILL * self.steps; b.len()];
        let mut square = |rows: &Sparse, row: usize, factor: f64| {
            rows.terms(row).for_each(|(at, weight)| diagonal[at] += factor * weight * weight);
        };
        (0..self.f.len()).for_each(|row| square(&self.f, row, weight[row]));
        (0..self.penalty.len()).for_each(|row| square(&self.penalty, row, self.ridge));
        let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
        let (mut x, mut residual) = (vec![0.0; b.len()], b.to_vec());
        let scaled = |residual: &[f64]| residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect::<Vec<f64>>();
        let mut z = scaled(&residual);
        let (mut direction, mut size) = (z.clone(), dot(&residual, &z));
        let goal = tolerance * tolerance * size;
        for _ in 0..4 * b.len() {
            if size <= goal || size.is_nan() {
                break;
            }
            checkpoint();
            let image = apply(&direction);
            let length = size / dot(&direction, &image);
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
            residual.iter_mut().zip(&image).for_each(|(r, image)| *r -= length * image);
            z = scaled(&residual);
            let next = dot(&residual, &z);
            let keep = next / size;
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + keep * *d);
            size = next;
        }
        x
    }
}

/// Terms that name an unknown once.
fn merged(mut terms: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    terms.sort_unstable_by_key(|term| term.0);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    terms
}

/// One solved generator, and what the discriminator makes of it.
struct Place {
    unknowns: Vec<f64>,
    generated: Vec<f64>,
    /// The slope of −loss along the unknowns, and its largest element per step.
    slope: Vec<f64>,
    largest: f64,
    told: Told,
}

impl System {
    fn place(&self, unknowns: Vec<f64>) -> Place {
        let pairs = self.count.len();
        let f: Vec<f64> = (0..pairs).map(|row| self.f.dot(row, &unknowns)).collect();
        let mut log_policy = vec![0.0; pairs];
        self.generate(&f, &mut log_policy);
        let generated = self.generated(&log_policy);
        let (mut slope, mut told) = (vec![0.0; unknowns.len()], Told::default());
        for row in 0..pairs {
            let (shown, made, logit) = (self.count[row], generated[row], f[row] - log_policy[row]);
            let real = 1.0 / (1.0 + (-logit).exp());
            self.f.add(row, shown * (1.0 - real) - made * real, &mut slope);
            told.note(shown, made, logit);
        }
        for row in 0..self.penalty.len() {
            self.penalty.add(row, -self.ridge * self.penalty.dot(row, &unknowns), &mut slope);
        }
        // What is not a number counts as infinite.
        let size = |slope: &f64| if slope.is_nan() { f64::INFINITY } else { slope.abs() };
        let largest = slope.iter().map(size).fold(0.0, f64::max) / self.steps;
        Place { unknowns, generated, slope, largest, told }
    }

    /// Where one step of the discriminator leads. Curvature is that of the solved generator, n_π/2, and as far as caution asks for it, at
    /// least that of the bound.
    fn step(&self, here: &Place, caution: f64) -> Vec<f64> {
        let curvature = |(shown, made): (&f64, &f64)| {
            let (solved, bound) = (made / 2.0, (shown + made) / 4.0);
            solved + caution * (bound - solved).max(0.0)
        };
        let weight: Vec<f64> = self.count.iter().zip(&here.generated).map(curvature).collect();
        // Precise only as far as the next solve of the generator is worth it.
        let step = self.solve(&weight, &here.slope, here.largest.sqrt().clamp(1e-8, 1e-2));
        here.unknowns.iter().zip(&step).map(|(x, step)| x + step).collect()
    }
}

/// Learns g and h of one set.
pub(super) fn learn(settings: &Airl, task: &Task<'_>, watch: &mut Watch<'_>) -> Found {
    let system = System::new(settings, task);
    let mut here = system.place(vec![0.0; system.layout.count]);
    let (mut caution, mut enough) = (1.0f64, false);
    while watch.goes_on() {
        let earned = |row: usize| here.generated[row] * system.g.dot(row, &here.unknowns);
        let returns = (0..system.count.len()).map(earned).sum::<f64>() / system.episodes;
        let iterate = here.told.iterate(system.steps, here.largest, returns);
        enough = watch.step(iterate, || system.layout.rewards(task, &here.unknowns, settings.shaped));
        if enough || here.largest <= GRADIENT || !here.largest.is_finite() {
            break;
        }
        let next = system.place(system.step(&here, caution));
        caution = if next.largest < 0.5 * here.largest { 0.25 * caution } else { (4.0 * caution).min(1.0) };
        // A step without caution that made things much worse is not taken.
        if next.largest <= 4.0 * here.largest || caution == 1.0 {
            here = next;
        }
    }
    Found { layout: system.layout, unknowns: here.unknowns, gradient: here.largest, enough }
}

/// How well the discriminator tells steps apart.
#[derive(Default)]
struct Told {
    loss: f64,
    right: f64,
}

impl Told {
    /// Notes demonstrated and generated steps of a pair.
    fn note(&mut self, shown: f64, made: f64, logit: f64) {
        // log(1 + exp x), whatever the size of x.
        let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        self.loss += shown * softplus(-logit) + made * softplus(logit);
        self.right += if logit > 0.0 { shown } else { made };
    }

    fn iterate(&self, steps: f64, gradient: f64, returns: f64) -> Iterate {
        Iterate {
            objective: self.loss / steps,
            gradient: Some(gradient),
            accuracy: Some(self.right / (2.0 * steps)),
            returns: Some(returns),
            ..Iterate::default()
        }
    }
}
