//! The Python package's compiled part, `srrd._srrd`: a thin layer that turns arrays into samples and answers into Python values.
//!
//! What Python users call lies in `python/srrd`; it hands checked arguments on to the functions here. Everything that takes
//! long runs on threads of its own ([`work`]), the interpreter released, so that Ctrl-C is answered.

mod arrow;
mod choices;
mod columns;
mod compare;
mod environment;
mod error;
mod exact;
mod figures;
mod irl;
mod lab;
mod models;
mod reading;
mod regret;
mod returns;
mod sample;
mod simulate;
mod values;
mod work;

use pyo3::prelude::*;

/// As in the command: fresh memory, zeroed page by page, would take a fifth of the time of large results.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled part of the package.
#[pymodule]
mod _srrd {
    #[pymodule_export]
    use super::arrow::arrow_addresses;
    #[pymodule_export]
    use super::choices::{Choices, metrics, options};
    #[pymodule_export]
    use super::compare::{
        block, canonicalize, check_matrix, classify, compare, cross, default_shrinkage, degrees_of_freedom, distance,
        embed, estimate_gamma, explain, inspect, neighbour_distances, overlap_distances, pairwise, settle,
        settle_matrix, warn_of_matrix,
    };
    #[pymodule_export]
    use super::error::{DataWarning, warn_in_words};
    #[pymodule_export]
    use super::exact::Tabular;
    #[pymodule_export]
    use super::figures::{cluster, picture};
    #[pymodule_export]
    use super::irl::{irl, irl_methods};
    #[pymodule_export]
    use super::lab::{clean_up_when_ended, command, merge_parts, plan, publish_run, run_part};
    #[pymodule_export]
    use super::models::{ModelsAsked, models, models_of_arrow, models_of_columns, models_of_files};
    #[pymodule_export]
    use super::reading::{Reading, roles};
    #[pymodule_export]
    use super::regret::regret;
    #[pymodule_export]
    use super::returns::{Walks, preferences_of_file, returns, walks_of_columns, walks_of_file};
    #[pymodule_export]
    use super::sample::{Sample, read, sample_of_episodes, samples_of_arrow, samples_of_columns};
    #[pymodule_export]
    use super::simulate::{simulate, worlds};
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
