//! The scores of prompts, and what two models make of one prompt, as sums that can be added up.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::sums::{Counted, Sums};
use super::{BEST_OF, MARGINS, MOST_PAIRED, ModelGroup, ROUNDING};
use crate::returns::{PairCounts, Ranked, Scratch};
use crate::sample::Token;

/// The scores of several models, prompt by prompt: those of several groups of prompts one behind the other.
pub(super) struct Scores<'a> {
    /// The responses of every prompt that has at least two.
    ranges: Vec<Range<usize>>,
    /// By group, where its rows begin, and where its prompts begin.
    starts: Vec<[usize; 2]>,
    groups: &'a [ModelGroup<'a>],
    /// By group, which of its rows there are, in order; `None`: all.
    kept: Vec<Option<Vec<u32>>>,
    /// How many prompts have one response.
    pub single: usize,
    /// By model, the scores as they are.
    raw: Vec<Cow<'a, [f64]>>,
    /// By model, the scores less the mean of their prompt, of all prompts that count.
    centred: Vec<Vec<f64>>,
    /// By model, the length of those.
    length: Vec<f64>,
    /// By model, the standard deviation within prompts.
    pub deviation: Vec<f64>,
    /// By model, whether all responses of every prompt are scored alike.
    pub constant: Vec<bool>,
    /// Properties of responses, less the mean of their prompt.
    properties: Vec<Vec<f64>>,
}

/// Memory that counting needs.
#[derive(Default)]
pub(super) struct Workspace {
    order: [Vec<u32>; 2],
    scratch: Scratch,
}

/// Which rows of a group all of these models score; `None`: every one.
fn scored_rows(group: &ModelGroup<'_>, models: &[usize]) -> Option<Vec<u32>> {
    let scored: Vec<&[bool]> = models.iter().filter_map(|&model| group.scored.get(model).copied().flatten()).collect();
    let all = |row: &u32| scored.iter().all(|scored| scored[*row as usize]);
    (!scored.is_empty()).then(|| (0..group.models[0].sample.len() as u32).filter(all).collect())
}

/// The values of one column in all groups, of the rows that are kept.
fn joined<'a>(
    groups: &'a [ModelGroup<'a>],
    kept: &[Option<Vec<u32>>],
    values: impl Fn(&'a ModelGroup<'a>) -> &'a [f64],
) -> Cow<'a, [f64]> {
    if let ([only], [None]) = (groups, kept) {
        return Cow::Borrowed(values(only));
    }
    let mut joined = Vec::new();
    for (group, kept) in groups.iter().zip(kept) {
        match kept {
            None => joined.extend_from_slice(values(group)),
            Some(rows) => joined.extend(rows.iter().map(|&row| values(group)[row as usize])),
        }
    }
    Cow::Owned(joined)
}

impl<'a> Scores<'a> {
    /// The scores of some models, of the responses that all of these score.
    pub fn new(groups: &'a [ModelGroup<'a>], models: &[usize]) -> Self {
        let kept: Vec<Option<Vec<u32>>> = groups.iter().map(|group| scored_rows(group, models)).collect();
        let (mut ranges, mut starts, mut single, mut before) = (Vec::new(), Vec::new(), 0, 0);
        for (group, kept) in groups.iter().zip(&kept) {
            let graph = &group.models[0].sample.graph;
            starts.push([before, ranges.len()]);
            // How many rows up to this one are kept.
            let place =
                |row: usize| kept.as_ref().map_or(row, |rows| rows.partition_point(|&kept| (kept as usize) < row));
            for range in (0..graph.edges()).map(|edge| graph.transitions(edge)) {
                let range = place(range.start)..place(range.end);
                match range.len() {
                    0 | 1 => single += range.len(),
                    _ => ranges.push(range.start + before..range.end + before),
                }
            }
            before += kept.as_ref().map_or(group.models[0].sample.len(), Vec::len);
        }
        let raw: Vec<Cow<'a, [f64]>> = models
            .iter()
            .map(|&model| joined(groups, &kept, move |group| group.models[model].sample.rewards()))
            .collect();
        let centred: Vec<Vec<f64>> = raw.iter().map(|scores| less_means(scores, &ranges)).collect();
        let properties = (0..groups[0].nuisances.len())
            .map(|at| less_means(&joined(groups, &kept, |group| group.nuisances[at].sample.rewards()), &ranges))
            .collect();
        let responses: usize = ranges.iter().map(Range::len).sum();
        let length: Vec<f64> = centred.iter().map(|values| values.iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
        let freedom = (responses - ranges.len()).max(1) as f64;
        let largest = |scores: &[f64]| scores.iter().fold(0.0f64, |most, score| most.max(score.abs()));
        let constant =
            raw.iter().zip(&centred).map(|(raw, values)| largest(values) <= ROUNDING * largest(raw)).collect();
        let deviation = length.iter().map(|length| length / freedom.sqrt()).collect();
        Scores { ranges, starts, groups, kept, single, raw, centred, length, deviation, constant, properties }
    }

    /// By group, its prompts.
    pub fn prompts_of(&self, group: usize) -> Range<usize> {
        let end = self.starts.get(group + 1).map_or(self.ranges.len(), |next| next[1]);
        self.starts[group][1]..end
    }

    /// The prompt and the response of a row.
    pub fn tokens(&self, row: usize) -> [Token<'a>; 2] {
        let group = self.starts.partition_point(|start| start[0] <= row) - 1;
        let row = row - self.starts[group][0];
        let row = self.kept[group].as_ref().map_or(row, |rows| rows[row] as usize);
        let transition = self.groups[group].models[0].sample.transition(row);
        [transition.state, transition.action]
    }

    /// How many different prompts are in more than one group.
    pub fn returning(&self) -> usize {
        let mut times: BTreeMap<Token<'a>, usize> = BTreeMap::new();
        if self.groups.len() > 1 {
            self.ranges.iter().for_each(|rows| *times.entry(self.tokens(rows.start)[0]).or_default() += 1);
        }
        times.values().filter(|&&times| times > 1).count()
    }

    /// How many prompts count.
    pub fn prompts(&self) -> usize {
        self.ranges.len()
    }

    pub fn responses(&self) -> usize {
        self.sizes().sum()
    }

    /// How many responses every prompt has.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.ranges.iter().map(Range::len)
    }

    /// The responses of a prompt, as transitions.
    pub fn rows(&self, prompt: usize) -> Range<usize> {
        self.ranges[prompt].clone()
    }

    /// The first of the responses that a model likes best.
    pub fn best(&self, prompt: usize, model: usize) -> usize {
        let better = |best: usize, row: usize| if self.raw[model][row] > self.raw[model][best] { row } else { best };
        self.rows(prompt).reduce(better).unwrap_or_default()
    }

    /// Two responses of a prompt, and how far the first is above the second by each model, in its standard deviations: those that the
    /// models rank oppositely with the largest difference, the first being the one that the first model prefers, or where there are none
    /// those with the largest difference. O(m²) for m responses, of which a large prompt has only the ends looked at.
    pub fn farthest(&self, prompt: usize, pair: [usize; 2]) -> ([usize; 2], [f64; 2]) {
        let above =
            |x: usize, y: usize| pair.map(|model| (self.raw[model][x] - self.raw[model][y]) / self.deviation[model]);
        let mut rows: Vec<usize> = self.rows(prompt).collect();
        if rows.len() > MOST_PAIRED {
            let first = rows[0];
            let by = |row: &usize| above(*row, first)[0] - above(*row, first)[1];
            rows.sort_by(|x, y| by(x).total_cmp(&by(y)));
            rows.drain(MOST_PAIRED / 2..rows.len() - MOST_PAIRED / 2);
        }
        // Opposed ones before others, then the largest difference; the first of several.
        let mut best = ((false, f64::NEG_INFINITY), [rows[0]; 2]);
        for &x in &rows {
            for &y in &rows {
                let [by_a, by_b] = above(x, y);
                let key = (by_a > 0.0 && by_b < 0.0, by_a - by_b);
                if x != y && key > best.0 {
                    best = (key, [x, y]);
                }
            }
        }
        let [x, y] = best.1;
        let apart = above(x, y);
        // Which is above which is easier to read than which is below.
        match apart[0] + apart[1] < 0.0 && !best.0.0 {
            true => ([y, x], above(y, x)),
            false => ([x, y], apart),
        }
    }

    /// What a prompt adds to four times the squared distance.
    pub fn squares(&self, prompt: usize, [a, b]: [usize; 2]) -> f64 {
        let difference = |row: usize| self.centred[a][row] / self.length[a] - self.centred[b][row] / self.length[b];
        self.rows(prompt).map(|row| difference(row).powi(2)).sum()
    }

    /// The distance over all prompts.
    pub fn distance(&self, pair: [usize; 2]) -> f64 {
        (0.25 * (0..self.prompts()).map(|prompt| self.squares(prompt, pair)).sum::<f64>()).sqrt().min(1.0)
    }

    /// What two models make of one prompt. O(m²) for m responses, for large ones O(m log m).
    pub fn count(&self, prompt: usize, [a, b]: [usize; 2], workspace: &mut Workspace) -> Counted {
        let rows = self.rows(prompt);
        let [x, y] = [a, b].map(|model| &self.raw[model][rows.clone()]);
        let centred = [a, b].map(|model| &self.centred[model][rows.clone()]);
        let mut sums = Sums::default();
        for (u, v) in centred[0].iter().zip(centred[1]) {
            sums.0[Sums::AB] += u * v;
            sums.0[Sums::AA] += u * u;
            sums.0[Sums::BB] += v * v;
        }
        for (one, values) in self.properties.iter().enumerate() {
            let of_prompt = &values[rows.clone()];
            let product = |with: &[f64]| of_prompt.iter().zip(with).map(|(x, y)| x * y).sum();
            sums.0[Sums::with_scores(one, 0)] = product(centred[0]);
            sums.0[Sums::with_scores(one, 1)] = product(centred[1]);
            for (other, with) in self.properties[..=one].iter().enumerate() {
                sums.0[Sums::of_properties(one, other)] = product(&with[rows.clone()]);
            }
        }
        sums.0[Sums::RESPONSES] = rows.len() as f64;
        sums.0[Sums::PROMPTS] = 1.0;
        let counts = match rows.len() <= MOST_PAIRED {
            true => paired(x, y, self.deviation[b], &mut sums),
            false => Ranked::new(x, y, [0.0; 2]).counts(|_| 1, &mut workspace.scratch),
        };
        sums.0[Sums::ALIKE] = counts.concordant as f64;
        sums.0[Sums::OPPOSITE] = counts.discordant as f64;
        if let Some(tau_b) = counts.tau_b() {
            sums.0[Sums::TAU] = tau_b;
            sums.0[Sums::TAUS] = 1.0;
        }
        sums.0[Sums::TOP] = same_best(x, y);
        let order = &mut workspace.order;
        for (order, values) in order.iter_mut().zip([x, y]) {
            order.clear();
            order.extend(0..values.len() as u32);
            order.sort_unstable_by(|&i, &j| values[i as usize].total_cmp(&values[j as usize]).then(i.cmp(&j)));
        }
        for (place, n) in BEST_OF.into_iter().enumerate().take_while(|(_, n)| *n <= rows.len()) {
            let value = |by: usize, of: usize| best_of(n, &order[by], [x, y][by], centred[of]);
            sums.0[Sums::LOSS + 3 * place] = value(1, 1) - value(0, 1);
            sums.0[Sums::LOSS + 3 * place + 1] = value(0, 0) - value(1, 0);
            sums.0[Sums::LOSS + 3 * place + 2] = 1.0;
        }
        Counted(sums)
    }
}

/// Scores less the mean of their prompt; 0 where a prompt does not count.
fn less_means(scores: &[f64], ranges: &[Range<usize>]) -> Vec<f64> {
    let mut centred = vec![0.0; scores.len()];
    for range in ranges {
        let of_prompt = &scores[range.clone()];
        // From the first one on, so that large scores that differ little lose no digits.
        let first = of_prompt[0];
        let mean = of_prompt.iter().map(|score| score - first).sum::<f64>() / of_prompt.len() as f64;
        centred[range.clone()].iter_mut().zip(of_prompt).for_each(|(to, score)| *to = score - first - mean);
    }
    centred
}

/// All pairs of responses, one by one, also by how far the second scores are apart.
fn paired(x: &[f64], y: &[f64], deviation: f64, sums: &mut Sums) -> PairCounts {
    let mut counts = PairCounts::default();
    for i in 0..x.len() {
        for j in 0..i {
            let (up, also) = (x[i] - x[j], y[i] - y[j]);
            match (up == 0.0, also == 0.0) {
                (true, true) => {}
                (true, false) => counts.tied_first += 1,
                (false, true) => counts.tied_second += 1,
                (false, false) => {
                    let alike = (up > 0.0) == (also > 0.0);
                    *(if alike { &mut counts.concordant } else { &mut counts.discordant }) += 1;
                    let margin = also.abs() / deviation;
                    let place = MARGINS.iter().rposition(|least| margin >= *least).unwrap_or(0);
                    sums.0[Sums::MARGIN + 2 * place + usize::from(!alike)] += 1.0;
                }
            }
        }
    }
    counts
}

/// How likely both choose the same of the responses, each at random among those it likes best.
fn same_best(x: &[f64], y: &[f64]) -> f64 {
    let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (best_x, best_y) = (most(x), most(y));
    let count = |holds: &dyn Fn(f64, f64) -> bool| x.iter().zip(y).filter(|(x, y)| holds(**x, **y)).count() as f64;
    let both = count(&|x, y| x == best_x && y == best_y);
    both / (count(&|x, _| x == best_x) * count(&|_, y| y == best_y))
}

/// V_n: the mean of `of` over the best of n responses by the values that are in this order; among equal ones the mean counts.
fn best_of(n: usize, order: &[u32], by: &[f64], of: &[f64]) -> f64 {
    let m = order.len();
    // C(k − 1, n − 1) / C(m, n), from k = m downwards.
    let mut weight = n as f64 / m as f64;
    let mut value = 0.0;
    let mut k = m;
    for block in order.chunk_by(|&i, &j| by[i as usize] == by[j as usize]).rev() {
        let mut weights = 0.0;
        for _ in block {
            weights += weight;
            k -= 1;
            weight *= if k >= n { (k - n + 1) as f64 / k as f64 } else { 0.0 };
        }
        let mean = block.iter().map(|&i| of[i as usize]).sum::<f64>() / block.len() as f64;
        value += weights * mean;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By listing all choices of n responses; equally good ones are taken as often.
    fn enumerated(n: usize, by: &[f64], of: &[f64]) -> f64 {
        let (mut total, mut choices) = (0.0, 0.0);
        for chosen in 0u32..1 << by.len() {
            if chosen.count_ones() as usize != n {
                continue;
            }
            let members: Vec<usize> = (0..by.len()).filter(|i| chosen >> i & 1 == 1).collect();
            let most = members.iter().map(|&i| by[i]).fold(f64::NEG_INFINITY, f64::max);
            let best: Vec<f64> = members.iter().filter(|&&i| by[i] == most).map(|&i| of[i]).collect();
            total += best.iter().sum::<f64>() / best.len() as f64;
            choices += 1.0;
        }
        total / choices
    }

    proptest! {
        #[test]
        fn the_best_of_n_is_the_mean_over_all_choices(
            rows in prop::collection::vec((0..5i32, -3.0..3.0f64), 2..10), n in 1..10usize,
        ) {
            let by: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let of: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let n = n.min(by.len());
            let mut order: Vec<u32> = (0..by.len() as u32).collect();
            order.sort_by(|&i, &j| by[i as usize].total_cmp(&by[j as usize]));
            prop_assert!((best_of(n, &order, &by, &of) - enumerated(n, &by, &of)).abs() < 1e-12);
        }
    }

    #[test]
    fn pairs_of_large_prompts_are_counted_as_those_of_small_ones() {
        let value = |i: usize, k: usize| ((i * k + i * i) % 23) as f64;
        let x: Vec<f64> = (0..200).map(|i| value(i, 7)).collect();
        let y: Vec<f64> = (0..200).map(|i| value(i, 11)).collect();
        let one_by_one = paired(&x, &y, 1.0, &mut Sums::default());
        assert_eq!(Ranked::new(&x, &y, [0.0; 2]).counts(|_| 1, &mut Scratch::default()), one_by_one);
    }

    #[test]
    fn equally_good_responses_are_chosen_as_often() {
        assert_eq!(same_best(&[1.0, 1.0, 0.0], &[1.0, 0.0, 0.0]), 0.5);
        assert_eq!(same_best(&[1.0, 1.0], &[2.0, 2.0]), 0.5);
        assert_eq!(same_best(&[0.0, 1.0], &[1.0, 0.0]), 0.0);
    }
}
