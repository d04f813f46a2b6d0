//! Tables: batches of rows, what their columns mean, and how they are read and written.

mod batch;
mod copy;
mod episodes;
mod format;
mod gaps;
mod gather;
mod layout;
mod model;
mod models;
mod names;
mod nearest;
mod note;
mod number;
mod options;
mod original;
mod preferences;
mod properties;
mod read;
mod rewards;
mod roles;
mod samples;
mod schema;
mod scores;
mod shift;
mod take;
mod tokens;
mod trajectories;
mod types;
mod unused;
mod walks;
mod write;

pub use batch::{Batch, Column, TextColumn, Values};
pub use copy::{Copied, TableCopy};
pub use format::{Compression, FORMATS, FileFormat, Format, FormatInfo, NpyWriter, extensions};
pub use model::{model_path, read_model};
pub use models::{ModelQuestion, ModelTable, OpenTable, read_models};
pub use nearest::nearest;
pub use note::TableNote;
pub use number::{NotANumber, finite_numbers, parse_number};
pub use options::{ColumnMap, ColumnMapError, Next, ROLES, Role, RoleInfo, TableOptions};
pub use original::{Original, OriginalType};
pub use preferences::{preferences_of, read_preferences};
pub use properties::{PROPERTIES, PropertyInfo};
#[cfg(feature = "arrow")]
pub use read::ArrowFrame;
#[doc(hidden)]
pub use read::Undecoded;
#[cfg(feature = "arrow")]
pub use read::open_records;
pub use read::{
    Extras, Passing, Piece, ReadOptions, STANDARD_INPUT, TableReader, for_each_batch, open, open_bytes, open_stream,
};
pub use rewards::{RewardColumns, RewardWriter};
pub use samples::{SampleTable, read_sample_table, read_samples, read_table};
pub use schema::{ColumnType, Field, Schema};
pub use scores::{OddScore, score_columns};
pub use trajectories::{TrajectoryColumns, TrajectoryRows, TrajectoryWriter, trajectories_of};
pub use types::{coerce, infer_types_of};
pub use walks::{WalkTable, read_walk_table, read_walks};
pub use write::{TableWriter, create};

pub(crate) use crate::dataset::PartsReader;
pub(crate) use gaps::is_nothing;
pub(crate) use gaps::missing as missing_next;
pub(crate) use layout::Places;
pub(crate) use number::feature_numbers;
#[cfg(feature = "arrow")]
pub(crate) use read::arrays::{column_type, fill as fill_column, list_value};
pub(crate) use read::cells::open_cells;
pub(crate) use read::chat::{text_of, text_of_json};
#[cfg(any(feature = "arrow", feature = "hdf5"))]
pub(crate) use read::guard::guarded;
#[cfg(feature = "hdf5")]
pub(crate) use read::half::half_to_f64;
pub(crate) use read::lines;
pub(crate) use read::revised::{Revised, Revision};
pub(crate) use read::{Selection, check_names, listed, open_file};
pub(crate) use roles::{Identity, NextState, Roles};
pub(crate) use scores::{is_index, is_score};
pub(crate) use tokens::{cell_text, truths};
pub(crate) use types::{TypedReader, is_only_text};
