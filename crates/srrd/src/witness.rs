//! A difference that a person can check by hand: two sampled paths that two rewards rank oppositely.
//!
//! The paths start in the same state, and both end their episode, or lead to the same state in as many steps. No shaping can change the
//! difference of their returns: what it adds, γᵀφ(s_T) − φ(s_0), is the same for both (and φ is 0 where an episode ends).
//!
//! For a start, the best paths to every state by every length up to [`LONGEST`] are found for a few weightings w·(A, B) of the two
//! rewards: forwards, step by step, since returns are sums. Two best paths of opposite weightings that lead to the same place are
//! compared. Where an action has several next states, chance would decide which path is taken; such steps are left out.

use rustc_hash::FxHashMap;

use crate::compare::{Measured, Row};
use crate::explain::StateShare;
use crate::run::Pace;

/// The longest path.
const LONGEST: usize = 12;
/// How many starts are tried, those first whose transitions carry most of the difference.
const STARTS: usize = 300;
/// In units of a typical residual: how far returns must be apart to be ranked.
const CLEARLY: f64 = 0.1;
/// Weightings of the two rewards: each path best by one is held against the path best by its opposite.
const WEIGHTS: [[f64; 2]; 3] = [[1.0, -1.0], [1.0, -0.4], [0.4, -1.0]];

/// Two paths that two rewards rank oppositely.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Witness {
    /// The paths: shared transitions as indices into the two samples. The first reward prefers the first path, the second the other.
    pub paths: [Vec<(u32, u32)>; 2],
    /// The discounted returns: by path, then by reward.
    pub returns: [[f64; 2]; 2],
    /// Whether both paths end their episode; else they lead to the same state in as many steps.
    pub ends: bool,
}

/// Where a path leads.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// To the end of the episode.
    End,
    /// To a state.
    State(u32),
}

/// The last step of a best path, what it comes to, and where its rest is.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    row: u32,
    returns: [f64; 2],
    before: Option<u32>,
}

/// The clearest of the shortest differences found; `None` where there is none among sampled paths, or it was not found.
pub(crate) fn witness(measured: &Measured<'_>) -> Option<Witness> {
    let (columns, _) = measured.defined().ok()?;
    let projected = columns.projected()?;
    let common = measured.pair.common();
    let sides = [measured.pair.a.rewards(), measured.pair.b.rewards()];
    let rewards = |row: u32| {
        let (a, b) = common[row as usize];
        [sides[0][a as usize], sides[1][b as usize]]
    };
    let gamma = measured.settings.gamma.get();
    let typical = |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
    let scale = [typical(&columns.x), typical(&columns.y)];
    let scaled = |row: u32| {
        let [a, b] = rewards(row);
        [a / scale[0], b / scale[1]]
    };
    let mut starts = measured.states_that_differ().ok()?;
    starts.truncate(STARTS);
    let mut steps = Steps::new(&projected.rows);
    for StateShare { state: start, .. } in starts {
        if let Some((paths, ends)) = from(start, &mut steps, &scaled, gamma) {
            let of = |path: &[u32], side: usize| {
                let discounted = |(step, &row): (usize, &u32)| gamma.powi(step as i32) * rewards(row)[side];
                path.iter().enumerate().map(discounted).sum::<f64>()
            };
            let returns = [0, 1].map(|path| [of(&paths[path], 0), of(&paths[path], 1)]);
            let paths = paths.map(|path| path.iter().map(|&row| common[row as usize]).collect());
            return Some(Witness { paths, returns, ends });
        }
    }
    None
}

/// The rows out of states, but those where chance decides; found when a state is met, which most are not.
struct Steps<'a> {
    /// Sorted by state.
    rows: &'a [Row],
    met: FxHashMap<u32, Vec<u32>>,
}

impl<'a> Steps<'a> {
    fn new(rows: &'a [Row]) -> Self {
        debug_assert!(rows.is_sorted_by_key(|row| row.state));
        Steps { rows, met: FxHashMap::default() }
    }

    fn from(&mut self, state: u32) -> &[u32] {
        let rows = self.rows;
        self.met.entry(state).or_insert_with(|| {
            let first = rows.partition_point(|row| row.state < state);
            let here = rows[first..].iter().take_while(|row| row.state == state);
            let mut leads: FxHashMap<u32, (u32, bool)> = FxHashMap::default();
            for row in here.clone() {
                let known = leads.entry(row.action).or_insert((row.next, true));
                known.1 &= known.0 == row.next;
            }
            (first as u32..).zip(here).filter(|(_, row)| leads[&row.action].1).map(|(number, _)| number).collect()
        })
    }
}

/// The shortest pair of paths from a start that are ranked oppositely, and whether they end.
fn from(
    start: u32,
    steps: &mut Steps<'_>,
    scaled: &impl Fn(u32) -> [f64; 2],
    gamma: f64,
) -> Option<([Vec<u32>; 2], bool)> {
    // By weighting: the best paths so far, and those that lead to the states of the last step.
    let mut searches: Vec<Search> =
        WEIGHTS.iter().flat_map(|w| [*w, w.map(|w| -w)]).map(|w| Search::new(w, start)).collect();
    let mut pace = Pace::default();
    for depth in 0..LONGEST {
        let factor = gamma.powi(depth as i32);
        for search in &mut searches {
            search.step(steps, scaled, factor, &mut pace);
        }
        let mut clearest: Option<(f64, [Vec<u32>; 2], bool)> = None;
        for two in searches.as_chunks::<2>().0 {
            for (place, best) in &two[0].places {
                let Some(other) = two[1].places.get(place) else { continue };
                let [a, b] = [0, 1].map(|side| best.returns[side] - other.returns[side]);
                let clear = a.min(-b);
                if clear > CLEARLY {
                    let paths = [two[0].path(best), two[1].path(other)];
                    // The order in which places come must not show.
                    let better = |(known, others, _): &(f64, [Vec<u32>; 2], bool)| (clear, &paths) > (*known, others);
                    if clearest.as_ref().is_none_or(better) {
                        clearest = Some((clear, paths, *place == Place::End));
                    }
                }
            }
        }
        if let Some((_, paths, ends)) = clearest {
            return Some((paths, ends));
        }
    }
    None
}

struct Search {
    weight: [f64; 2],
    /// All steps of best paths, to find the way back.
    steps: Vec<Best>,
    /// The best paths to the states of the last step, by their last steps; the best paths that ended, at whatever step.
    places: FxHashMap<Place, Best>,
    last: Vec<(u32, Option<u32>, [f64; 2])>,
}

impl Search {
    fn new(weight: [f64; 2], start: u32) -> Self {
        Search { weight, steps: Vec::new(), places: FxHashMap::default(), last: vec![(start, None, [0.0; 2])] }
    }

    fn step(&mut self, steps: &mut Steps<'_>, scaled: &impl Fn(u32) -> [f64; 2], factor: f64, pace: &mut Pace) {
        let rows = steps.rows;
        // Paths that ended stay.
        self.places.retain(|place, _| *place == Place::End);
        for &(state, before, returns) in &self.last {
            let out = steps.from(state);
            pace.spend(1 + out.len());
            for &row in out {
                let [a, b] = scaled(row);
                let returns = [returns[0] + factor * a, returns[1] + factor * b];
                let score = self.weight[0] * returns[0] + self.weight[1] * returns[1];
                let place = if rows[row as usize].ends { Place::End } else { Place::State(rows[row as usize].next) };
                let best = Best { score, row, returns, before };
                let known = self.places.entry(place).or_insert(best);
                if score > known.score {
                    *known = best;
                }
            }
        }
        let mut reached: Vec<(u32, Best)> = (self.places.iter())
            .filter_map(|(place, best)| match place {
                Place::State(state) => Some((*state, *best)),
                Place::End => None,
            })
            .collect();
        // In an order that does not depend on hashes.
        reached.sort_unstable_by_key(|(state, _)| *state);
        self.last.clear();
        for (state, best) in reached {
            self.last.push((state, Some(self.steps.len() as u32), best.returns));
            self.steps.push(best);
        }
    }

    fn path(&self, last: &Best) -> Vec<u32> {
        let mut path = vec![last.row];
        let mut before = last.before;
        while let Some(step) = before {
            let best = &self.steps[step as usize];
            path.push(best.row);
            before = best.before;
        }
        path.reverse();
        path
    }
}
