//! Reward tables beside the data: Parquet files in the folder itself or in `rewards`, with an `index` of frames and a column per reward model,
//! such as `progress_sparse` and `progress_dense`. Values may be missing.

use std::path::Path;

use super::{PLACES, parquet_files};
use crate::dataset::note::DatasetNote;
use crate::error::{ErrorKind, TableError};
use crate::table::{Batch, ColumnType, Piece, ReadOptions, Values, open_file};

/// The columns of all reward tables, by frame.
#[derive(Default)]
pub(super) struct RewardTables {
    /// NaN where there is none.
    columns: Vec<(String, Vec<f64>)>,
}

/// More frames than the tables of any public data set have: what is above is a damaged index.
const MOST_FRAMES: i64 = 1 << 30;

impl RewardTables {
    /// Of all columns, or of the one that was asked for.
    pub fn read(folder: &Path, wanted: Option<&str>) -> Result<Self, TableError> {
        let mut tables = RewardTables::default();
        for file in [parquet_files(folder), parquet_files(&folder.join("rewards"))].concat() {
            tables.add(&file, wanted)?;
        }
        Ok(tables)
    }

    fn add(&mut self, file: &Path, wanted: Option<&str>) -> Result<(), TableError> {
        let mut table = open_file(file, &ReadOptions::default())?;
        let name = table.name().to_owned();
        let is_reward = |name: &str, kind: Option<ColumnType>| {
            kind == Some(ColumnType::Float)
                && !PLACES.contains(&name)
                && name != "timestamp"
                && wanted.is_none_or(|it| it == name)
        };
        let fields = &table.schema().fields;
        let rewards: Vec<String> =
            fields.iter().filter(|field| is_reward(&field.name, field.kind)).map(|field| field.name.clone()).collect();
        if table.schema().index_of("index").is_none() || rewards.is_empty() {
            return Ok(());
        }
        if let Some(twice) = rewards.iter().find(|reward| self.names().any(|known| known == reward.as_str())) {
            let what = "another reward table has this column, too; rename one of them";
            return Err(TableError::new(ErrorKind::DuplicateColumn, name, what).in_column(twice));
        }
        table.select(&["index"].into_iter().chain(rewards.iter().map(String::as_str)).collect::<Vec<_>>())?;
        let mut columns: Vec<Vec<f64>> = vec![Vec::new(); rewards.len()];
        let mut batch = Batch::new();
        while let Piece::Rows = table.next_batch(&mut batch)? {
            let Values::Int(frames) = &batch.columns[0].values else {
                return Err(TableError::new(ErrorKind::Type, name, "frames are counted by integers").in_column("index"));
            };
            for (row, &frame) in frames.iter().enumerate() {
                if !(0..MOST_FRAMES).contains(&frame) || !batch.columns[0].is_valid(row) {
                    let error = TableError::new(ErrorKind::Number, name, format!("{frame} is no number of a frame"));
                    return Err(error.at_row(batch.row_number(row)).in_column("index"));
                }
                for (column, from) in columns.iter_mut().zip(&batch.columns[1..]) {
                    if let (Values::Float(values), true) = (&from.values, from.is_valid(row)) {
                        let frame = frame as usize;
                        if column.len() <= frame {
                            column.resize(frame + 1, f64::NAN);
                        }
                        column[frame] = values[row];
                    }
                }
            }
        }
        self.columns.extend(rewards.into_iter().zip(columns));
        Ok(())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// The reward of a frame; NaN where there is none.
    pub fn value(&self, column: usize, frame: i64) -> f64 {
        usize::try_from(frame).ok().and_then(|frame| self.columns[column].1.get(frame).copied()).unwrap_or(f64::NAN)
    }

    /// Whether a frame has all rewards.
    pub fn has_all(&self, frame: i64) -> bool {
        (0..self.columns.len()).all(|column| !self.value(column, frame).is_nan())
    }

    /// What is to be known: how many of all frames (0: nobody says how many there are) have no reward, and what progress is.
    pub fn notes(&self, total: usize) -> Vec<DatasetNote> {
        // The last frames may have none.
        let frames = self.columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0).max(total);
        let missing = |(name, values): &(String, Vec<f64>)| {
            let there = values.iter().filter(|value| !value.is_nan()).count();
            DatasetNote::MissingRewards { column: name.clone(), missing: frames - there, frames }
        };
        let mut notes: Vec<DatasetNote> = self.columns.iter().map(missing).collect();
        notes.retain(|note| !matches!(note, DatasetNote::MissingRewards { missing: 0, .. }));
        let progress: Vec<String> =
            self.names().filter(|name| name.starts_with("progress")).map(str::to_owned).collect();
        if !progress.is_empty() {
            notes.push(DatasetNote::Progress { columns: progress });
        }
        notes
    }
}
