//! Tables of transitions in and out: CSV, TSV, JSONL, Parquet, Arrow and NPZ.
//!
//! Tables are read and written in [`Batch`]es of rows held column by column; [`read_samples`] makes reward samples of them.
//!
//! ```
//! use srrd_data::{Batch, FileFormat, Format, Piece, ReadOptions, Values, open_bytes};
//!
//! let csv = b"state,action,reward\n0,left,1.5\n1,right,-2\n".to_vec();
//! let format = FileFormat::plain(Format::Csv);
//! let mut table = open_bytes("example.csv", format, csv, &ReadOptions::default())?;
//! table.select(&["action"])?;
//! let mut batch = Batch::new();
//! while let Piece::Rows = table.next_batch(&mut batch)? {
//!     let Values::Text(actions) = &batch.columns[0].values else { unreachable!() };
//!     assert_eq!(actions.iter().collect::<Vec<_>>(), ["left", "right"]);
//! }
//! # Ok::<(), srrd_data::TableError>(())
//! ```
//!
//! # Rooms
//! `table` holds tables: their columns and what these mean, readers, writers, and one module per format. `dataset` holds what is no
//! table but can be read as one, such as folders. `discretize` makes cells of
//! continuous features. `files` holds output files that appear complete or not at all.
//!
//! # Features
//! `parquet` and `arrow`, both on by default, bring the two columnar formats, which take most of the build time (`parquet` needs
//! `arrow`). Without them, files of these formats are recognised and the error says how to build with them.

mod dataset;
pub mod discretize;
mod error;
mod files;
mod matrix;
mod table;

pub use dataset::{
    DATASET_OPTIONS, DATASETS, DatasetInfo, DatasetNote, DatasetOptionError, DatasetOptionInfo, DatasetOptions, Log,
    is_readable,
};
pub use error::{ErrorKind, TableError};
pub use files::{OutputFile, Unfinished, discard_unfinished};
pub use matrix::{KeptMatrix, MatrixWriter};
pub use table::*;
