//! Tables of transitions in and out: CSV, TSV, JSONL, Parquet, Arrow and NPZ.
//!
//! Tables are read and written in [`Batch`]es of rows held column by column. Nothing here knows what a column means.
//!
//! ```
//! use srrd_data::{Batch, FileFormat, Format, ReadOptions, Values, open_bytes};
//!
//! let csv = b"state,action,reward\n0,left,1.5\n1,right,-2\n".to_vec();
//! let format = FileFormat::plain(Format::Csv);
//! let mut table = open_bytes("example.csv", format, csv, &ReadOptions::default())?;
//! table.select(&["action"])?;
//! let mut batch = Batch::new();
//! while table.next_batch(&mut batch)? {
//!     let Values::Text(actions) = &batch.columns[0].values else { unreachable!() };
//!     assert_eq!(actions.iter().collect::<Vec<_>>(), ["left", "right"]);
//! }
//! # Ok::<(), srrd_data::TableError>(())
//! ```
//!
//! # Features
//! `parquet` and `arrow`, both on by default, bring the two columnar formats, which take most of the build time. Without
//! them, files of these formats are recognised and the error says how to build with them.

mod append;
mod batch;
mod blocks;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod calendar;
mod copy;
mod digits;
mod episodes;
mod error;
mod format;
mod groups;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod guard;
mod half;
mod in_order;
mod int_rows;
mod number;
mod quote;
mod read;
mod roles;
mod samples;
mod shortest;
mod trajectories;
mod types;
mod window;
mod write;

pub use batch::{Batch, Column, ColumnType, Field, Schema, TextColumn, Values};
pub use copy::TableCopy;
pub use error::{ErrorKind, TableError};
pub use format::{Compression, EXTENSIONS, FileFormat, Format};
pub use number::{NotANumber, finite_numbers, parse_number};
pub use read::{Extras, ReadOptions, TableReader, open, open_bytes, open_stream};
pub use samples::{
    SampleTable, for_each_batch, read_sample_table, read_sample_table_with_episodes, read_samples,
    read_samples_with_episodes,
};
pub use trajectories::{TrajectoryColumns, TrajectoryRows, TrajectoryWriter, trajectories_of};
pub use types::{coerce, infer_types, infer_types_of};
pub use write::{OutputFile, TableWriter, Unfinished, create, discard_unfinished, write_npy};

/// The error for a format that was left out of this build.
#[cfg(not(all(feature = "parquet", feature = "arrow")))]
fn not_built(file: String, format: Format) -> TableError {
    let feature = match format {
        Format::Parquet => "parquet",
        _ => "arrow",
    };
    TableError::new(
        ErrorKind::NotBuilt,
        file,
        format!(
            "this build was made without {format}; build it with `--features {feature}`, or convert the file to CSV"
        ),
    )
}
