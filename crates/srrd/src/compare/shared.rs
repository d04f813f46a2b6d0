//! The rows on which `projected` takes shaping out: the transitions that two samples share, and which of them end an episode.

use super::pair::Pair;
use crate::project::END;
use crate::settings::EndRule;

/// A transition that two samples share, by the numbers of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub state: u32,
    pub action: u32,
    pub next: u32,
    pub ends: bool,
    /// It ends nothing, and what it leads to starts no transition in either sample.
    pub open: bool,
}

impl Row {
    /// What its shaping leads to.
    pub fn leads_to(&self) -> (u32, u32) {
        (self.state, if self.ends { END } else { self.next })
    }
}

/// What is known of the ends of the shared transitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedEnds {
    /// Whether it is known which transitions end an episode: by marks, or because the caller said so.
    pub known: bool,
    /// How many shared transitions count as ends.
    pub ending: usize,
    /// How many of the states that shared transitions lead to start no transition in either sample.
    pub sinks: usize,
    /// Transitions of either sample end, but no shared one does.
    pub unseen: bool,
    /// A state that an episode ended in also starts transitions, or is entered without an end.
    pub contradictory: bool,
    /// How many shared transitions end in one sample and not in the other. They do not count as ends.
    pub disagreeing: usize,
    /// How many shared transitions do not end, and how many of these lead to a state that starts no transition in either sample.
    pub going_on: [usize; 2],
}

impl SharedEnds {
    /// Whether it is open where episodes end, so that the states that start nothing may be ends or may be not.
    pub fn open(&self) -> bool {
        !self.known && self.sinks > 0
    }
}

/// The shared transitions, in order, and what is known of their ends. O(n + m).
pub(crate) fn shared_rows(pair: &Pair<'_>, rule: EndRule) -> (Vec<Row>, SharedEnds) {
    let Pair { a, b, common } = pair;
    let (mut ours, mut theirs) = (a.ids().enumerate(), b.ids().enumerate());
    let mut ends = SharedEnds::default();
    let (marks_a, marks_b) = (a.ends(), b.ends());
    let marked = marks_a.are_known() || marks_b.are_known();
    let by_marks = marked && matches!(rule, EndRule::Auto | EndRule::Marked);
    ends.known = by_marks || matches!(rule, EndRule::Sinks | EndRule::None);
    let mut is_sink = vec![false; a.states().len()];
    let mut rows = Vec::with_capacity(common.len());
    for &(i, j) in common {
        let (i, j) = (i as usize, j as usize);
        // Both are ascending.
        let Some((_, (state, action, next))) = ours.find(|(index, _)| *index == i) else { break };
        let Some((_, (_, _, their_next))) = theirs.find(|(index, _)| *index == j) else { break };
        let sink = !a.graph.is_initial(next) && !b.graph.is_initial(their_next);
        is_sink[next as usize] |= sink;
        let marks = (marks_a.at(i), marks_b.at(j));
        let row_ends = match rule {
            EndRule::None => false,
            EndRule::Sinks => sink,
            // Where one sample does not know, the other one does.
            EndRule::Auto | EndRule::Marked => marks.0.unwrap_or(true) && marks.1.unwrap_or(true) && marked,
        };
        ends.disagreeing += usize::from(by_marks && matches!(marks, (Some(x), Some(y)) if x != y));
        ends.ending += usize::from(row_ends);
        ends.going_on[0] += usize::from(!row_ends);
        let open = !row_ends && sink;
        ends.going_on[1] += usize::from(open);
        // What goes on in rows that are not shared goes on, too.
        ends.contradictory |= row_ends && !sink;
        rows.push(Row { state, action, next, ends: row_ends, open });
    }
    ends.sinks = is_sink.iter().filter(|sink| **sink).count();
    let any = |sample: &crate::RewardSample| sample.ends().count(sample.len()).is_some_and(|count| count > 0);
    ends.unseen = by_marks && ends.ending == 0 && (any(a) || any(b));
    ends.contradictory |= contradictory(&rows, a.states().len());
    (rows, ends)
}

/// Whether a state that an episode ended in starts a row, or is entered by one that does not end.
fn contradictory(rows: &[Row], states: usize) -> bool {
    let mut end = vec![false; states];
    rows.iter().filter(|row| row.ends).for_each(|row| end[row.next as usize] = true);
    rows.iter().any(|row| end[row.state as usize] || (!row.ends && end[row.next as usize]))
}
