//! Tables: batches of rows, what their columns mean, and how they are read and written.

mod batch;
mod copy;
mod episodes;
mod format;
mod gather;
mod number;
mod options;
mod read;
mod roles;
mod samples;
mod shift;
mod tokens;
mod trajectories;
mod types;
mod write;

pub use batch::{Batch, Column, ColumnType, Field, Schema, TextColumn, Values};
pub use copy::TableCopy;
pub use format::{Compression, FORMATS, FileFormat, Format, FormatInfo, extensions, write_npy};
pub use number::{NotANumber, finite_numbers, parse_number};
pub use options::{ColumnMap, ColumnMapError, Next, ROLES, Role, RoleInfo, TableNote, TableOptions};
#[cfg(feature = "arrow")]
pub use read::ArrowFrame;
#[doc(hidden)]
pub use read::Undecoded;
#[cfg(feature = "arrow")]
pub use read::open_records;
pub use read::{Extras, Piece, ReadOptions, TableReader, for_each_batch, open, open_bytes, open_stream};
pub use samples::{SampleTable, read_sample_table, read_samples, read_table};
pub use trajectories::{TrajectoryColumns, TrajectoryRows, TrajectoryWriter, trajectories_of};
pub use types::{coerce, infer_types_of};
pub use write::{TableWriter, create};
