//! Tables: batches of rows, what their columns mean, and how they are read and written.

mod batch;
mod copy;
mod episodes;
mod format;
mod number;
mod read;
mod roles;
mod samples;
mod trajectories;
mod types;
mod write;

pub use batch::{Batch, Column, ColumnType, Field, Schema, TextColumn, Values};
pub use copy::TableCopy;
pub use format::{Compression, FORMATS, FileFormat, Format, FormatInfo, extensions, write_npy};
pub use number::{NotANumber, finite_numbers, parse_number};
#[doc(hidden)]
pub use read::Undecoded;
pub use read::{Extras, Piece, ReadOptions, TableReader, for_each_batch, open, open_bytes, open_stream};
pub use samples::{
    SampleTable, read_sample_table, read_sample_table_with_episodes, read_samples, read_samples_with_episodes,
};
pub use trajectories::{TrajectoryColumns, TrajectoryRows, TrajectoryWriter, trajectories_of};
pub use types::{coerce, infer_types, infer_types_of};
pub use write::{TableWriter, create};
