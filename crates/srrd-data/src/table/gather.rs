//! The samples of a table as their rows come in.

use std::collections::HashMap;

use srrd::sample::{Apart, Ends, OfList, OwnRows, Placement};
use srrd::{Duplicates, FrontEnd, NamedSample, RewardSample, SampleBuilder, SampleError};

use super::batch::Batch;
use super::copy::label_changes;
use super::episodes::EpisodeRows;
use super::roles::{Lacking, NextState, Roles};
use super::samples::{Made, NOWHERE, SampleTable};
use crate::error::{ErrorKind, TableError};

/// One sample.
struct Gathering {
    name: String,
    label: Option<String>,
    /// Its rows, with the rewards that are pushed ([`Rewards`](super::layout::Rewards)).
    builder: SampleBuilder,
    /// The other lists of rewards.
    others: Vec<Vec<f64>>,
    episodes: EpisodeRows,
    /// The numbers of its rows in the file, kept only where a message may need them.
    row_numbers: Vec<u64>,
}

/// All samples of a table.
pub(super) struct Gathered<'a> {
    file: &'a str,
    only_name: &'a str,
    duplicates: Duplicates,
    roles: &'a Roles,
    /// About how many rows there will be; 0 when nobody knows.
    pub rows_hint: usize,
    samples: Vec<Gathering>,
    known: HashMap<String, usize>,
    sample_of_row: Vec<u32>,
    last: usize,
    /// By reward column.
    pub squares: Vec<Squares>,
}

/// The sums of the squares of rewards.
#[derive(Clone, Copy, Default)]
pub(super) struct Squares {
    /// Of rows that became transitions.
    pub taken: f64,
    /// Of rows that were left out, since nobody knows where they lead.
    pub left_out: f64,
}

impl Squares {
    fn of_left_out(self) -> f64 {
        if self.left_out > 0.0 { self.left_out / (self.taken + self.left_out) } else { 0.0 }
    }
}

impl<'a> Gathered<'a> {
    pub fn new(file: &'a str, only_name: &'a str, duplicates: Duplicates, roles: &'a Roles) -> Self {
        Gathered {
            file,
            only_name,
            duplicates,
            roles,
            rows_hint: 0,
            samples: Vec::new(),
            known: HashMap::new(),
            sample_of_row: Vec::new(),
            last: 0,
            squares: vec![Squares::default(); roles.sample_columns().len()],
        }
    }

    fn add(&mut self, name: &str) -> usize {
        let others = self.roles.sample_columns().len() - usize::from(self.roles.lacking != Lacking::Apart);
        self.samples.push(Gathering {
            name: name.to_owned(),
            label: None,
            builder: SampleBuilder::new(),
            others: vec![Vec::new(); others],
            episodes: EpisodeRows::default(),
            row_numbers: Vec::new(),
        });
        self.samples.len() - 1
    }

    /// The sample of a row: the one of this name, or the only one.
    pub fn sample(&mut self, name: Option<&str>) -> usize {
        let Some(name) = name else {
            if self.samples.is_empty() {
                let only = self.add(self.only_name);
                let Gathering { builder, others, .. } = &mut self.samples[only];
                builder.reserve(self.rows_hint);
                for rewards in others {
                    // If it fails, room is made as rows come.
                    let _ = rewards.try_reserve_exact(self.rows_hint);
                }
            }
            return 0;
        };
        // Rows of one sample mostly lie together.
        if self.samples.get(self.last).is_some_and(|last| last.name == name) {
            return self.last;
        }
        self.last = match self.known.get(name) {
            Some(&index) => index,
            None => {
                let index = self.add(name);
                self.known.insert(name.to_owned(), index);
                index
            }
        };
        self.last
    }

    pub fn builder(&mut self, sample: usize) -> &mut SampleBuilder {
        &mut self.samples[sample].builder
    }

    /// The lists of rewards of a sample's rows that are not pushed with them.
    pub fn others(&mut self, sample: usize) -> &mut [Vec<f64>] {
        &mut self.samples[sample].others
    }

    pub fn push_episode(&mut self, sample: usize, name: &str) {
        self.samples[sample].episodes.push(name);
    }

    pub fn label(&mut self, sample: usize, text: &str, batch: &Batch, index: usize) -> Result<(), TableError> {
        let Gathering { name, label, .. } = &mut self.samples[sample];
        match label {
            None => *label = Some(text.to_owned()),
            Some(label) if label == text => {}
            Some(label) => return Err(label_changes(self.file, name, label, text, self.roles, batch, index)),
        }
        Ok(())
    }

    /// Whether anything has to be noted of a row beside its transition.
    pub fn notes_rows(&self) -> bool {
        self.duplicates == Duplicates::Error || self.samples.len() > 1 || !self.sample_of_row.is_empty()
    }

    /// Notes where a row went that was just pushed.
    #[inline]
    pub fn note_row(&mut self, sample: usize, number: u64) {
        if self.duplicates == Duplicates::Error {
            self.samples[sample].row_numbers.push(number);
        }
        if self.samples.len() > 1 || !self.sample_of_row.is_empty() {
            // The rows before the second sample appeared were all of the first.
            if self.sample_of_row.is_empty() {
                self.sample_of_row = vec![0; self.samples[0].builder.rows() - usize::from(sample == 0)];
            }
            self.sample_of_row.push(sample as u32);
        }
    }

    /// Notes a row that is in no sample.
    pub fn note_left_out(&mut self) {
        if self.sample_of_row.is_empty() {
            self.sample_of_row = vec![0; self.samples.first().map_or(0, |first| first.builder.rows())];
        }
        self.sample_of_row.push(NOWHERE);
    }

    /// Builds the samples: for every name one per reward column, one behind the other. `ends` says of every row of the table whether the task is
    /// over after it, or nothing.
    pub fn build(self, ends: &[bool]) -> Result<SampleTable, TableError> {
        let Gathered { file, duplicates, roles, mut sample_of_row, squares, .. } = self;
        if self.samples.is_empty() {
            return Err(match sample_of_row.is_empty() {
                true => TableError::no_rows(file),
                false => TableError::telling(ErrorKind::Empty, file, |front_end| {
                    format!(
                        "no row has a next state: every episode has only one row that does not end it; say `{}` if the problem \
                             has one step, or add a column `next_state`",
                        front_end.choice("next", "none")
                    )
                }),
            });
        }
        let columns = roles.sample_columns();
        let (mut groups, mut samples, mut made) = (Vec::new(), Vec::new(), Vec::new());
        let mut placements = Vec::with_capacity(self.samples.len());
        let ends = by_sample(ends, &sample_of_row, self.samples.len());
        let mut shared = true;
        for (gathering, ends) in self.samples.into_iter().zip(ends) {
            let Gathering { name, label, builder, others, episodes, row_numbers } = gathering;
            if roles.sample.is_some() {
                groups.push(name.clone());
            }
            let failed = |reward: usize, error: SampleError| conflict(file, columns[reward], &error, &row_numbers);
            let (built, placement) =
                of_lists(builder, others, duplicates, roles.lacking).map_err(|(list, error)| failed(list, error))?;
            shared &= built.iter().all(|built| built.as_ref().is_some_and(|built| built.own.is_none()));
            // The episodes of all rows, which most samples have.
            let mut of_all = None;
            for (column, (built, reward)) in built.into_iter().zip(&columns).enumerate() {
                let Some(Built { sample, which, own }) = built else { continue };
                let episodes = match (&own, roles.keep_episodes && roles.episode.is_some()) {
                    (_, false) => None,
                    (Some(own), true) => Some(episodes.finish(&sample, &own.placement, Some(&own.rows))),
                    (None, true) => {
                        Some(of_all.get_or_insert_with(|| episodes.finish(&sample, &placement, None)).clone())
                    }
                };
                let episodes = episodes.transpose().map_err(|error| failed(column, error))?;
                let marked = match (&own, roles.next_state == NextState::OneStep) {
                    (_, true) => sample.with_ends(Ends::all()),
                    (_, false) if ends.is_empty() => Ok(sample),
                    (None, false) => sample.with_row_ends(&placement, &ends),
                    (Some(own), false) => {
                        let ends: Vec<bool> = own.rows.iter().map(|&row| ends[row as usize]).collect();
                        sample.with_row_ends(&own.placement, &ends)
                    }
                };
                let sample = marked.expect("there is a mark for every row");
                let name = match (roles.named_by_reward, &roles.sample) {
                    (false, _) => name.clone(),
                    (true, None) => (*reward).to_owned(),
                    (true, Some(_)) => format!("{name}/{reward}"),
                };
                made.push(Made { column, gathering: placements.len(), which });
                samples.push(NamedSample {
                    name,
                    from_file: roles.sample.is_none() && !roles.named_by_reward,
                    shifted: roles.next_state == NextState::Shifted,
                    one_step: roles.next_state == NextState::OneStep,
                    goes_on: false,
                    left_out: squares[column].of_left_out(),
                    done_alone: roles.done_alone(),
                    label: label.clone().filter(|label| !label.is_empty()),
                    state_features: roles.state.features().map(<[String]>::to_vec),
                    action_features: roles.action.features().map(<[String]>::to_vec),
                    source: self.file.to_owned(),
                    sample,
                    episodes,
                });
            }
            placements.push(placement);
        }
        let lacking = |column: &usize| !made.iter().any(|made: &Made| made.column == *column);
        if let Some(column) = (0..columns.len()).find(lacking) {
            return Err(TableError::no_row_with(file).in_column(columns[column]));
        }
        let transition_of_row = in_order_of_rows(&sample_of_row, placements);
        if !shared {
            // Where a row is in no sample or in several, at other places, none is its place.
            sample_of_row = vec![NOWHERE; transition_of_row.len()];
        }
        Ok(SampleTable {
            samples,
            made,
            notes: Vec::new(),
            rewards: columns.len(),
            columns: columns.into_iter().map(str::to_owned).collect(),
            groups,
            sample_of_row,
            transition_of_row,
            ends: None,
        })
    }
}

/// A sample of a reward column.
struct Built {
    sample: RewardSample,
    which: Option<Vec<bool>>,
    own: Option<OwnRows>,
}

/// The samples of all lists; `None` where no row has such a reward. An error comes with the number of its list.
fn of_lists(
    builder: SampleBuilder,
    others: Vec<Vec<f64>>,
    duplicates: Duplicates,
    lacking: Lacking,
) -> Result<(Vec<Option<Built>>, Placement), OfList> {
    if lacking == Lacking::Apart {
        let (built, placement) = builder.build_apart(others, duplicates)?;
        let of = |Apart { sample, own }| Built { sample, which: None, own };
        return Ok((built.into_iter().map(|apart| apart.map(of)).collect(), placement));
    }
    let (built, placement) = builder.build_scored(others, duplicates)?;
    let of = |(sample, which)| Some(Built { sample, which, own: None });
    Ok((built.into_iter().map(of).collect(), placement))
}

/// By sample, what is said of its rows.
fn by_sample(flags: &[bool], sample_of_row: &[u32], samples: usize) -> Vec<Vec<bool>> {
    if sample_of_row.is_empty() {
        return vec![flags.to_vec()];
    }
    let mut by_sample = vec![Vec::new(); samples];
    for (&flag, &sample) in flags.iter().zip(sample_of_row) {
        if let Some(of_sample) = by_sample.get_mut(sample as usize) {
            of_sample.push(flag);
        }
    }
    by_sample
}

/// What became of the rows of a table, given what became of those of each sample.
fn in_order_of_rows(sample_of_row: &[u32], mut placements: Vec<Placement>) -> Vec<u32> {
    if sample_of_row.is_empty() {
        return placements.pop().map(|placement| placement.transition).unwrap_or_default();
    }
    let mut rest: Vec<_> = placements.iter().map(|placement| placement.transition.iter()).collect();
    let next = |&sample: &u32| match rest.get_mut(sample as usize) {
        Some(rest) => *rest.next().expect("a row of the table is one of its sample"),
        None => NOWHERE,
    };
    sample_of_row.iter().map(next).collect()
}

/// An error of the library about a whole sample, its rows named as the file counts them.
fn conflict(file: &str, reward: &str, error: &SampleError, row_numbers: &[u64]) -> TableError {
    match error {
        SampleError::Conflict { first_row, second_row, state, action, next_state, first, second } => {
            let what = |front_end: FrontEnd| {
                format!(
                    "the transition ({state}, {action}, {next_state}) has the reward {second} here and {first} in row {}; \
                     correct one of them, or choose `{}`, `first` or `last`",
                    row_numbers[*first_row],
                    front_end.choice("duplicates", "mean")
                )
            };
            TableError::telling(ErrorKind::Malformed, file, what).at_row(row_numbers[*second_row]).in_column(reward)
        }
        other => TableError::new(ErrorKind::Malformed, file, other.to_string()),
    }
}
