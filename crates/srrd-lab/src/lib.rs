//! The paper's experiments as runs that can be stopped, continued, divided among machines and checked by anyone.
//!
//! An [`Experiment`] is a list of independent trials. [`run`] computes those that are missing in a folder and appends their rows
//! to `trials.csv` in the order of the plan; [`merge`] joins parts that were computed apart; [`publish`] turns trials into
//! `summary.csv`, figures and `report.html`. Nothing that is written depends on threads, on interruptions or on the clock.
//!
//! ```
//! use srrd_lab::{Manifest, Preset, Shard, publish, run};
//! use std::ops::ControlFlow;
//!
//! let folder = tempfile::tempdir()?;
//! let few = [("trials", "3".to_owned()), ("metric", "epic,srrd".to_owned())];
//! let manifest = Manifest::new("instability", Preset::Quick, &few, Shard::WHOLE)?;
//! let experiment = manifest.experiment()?;
//! run(folder.path(), &manifest, experiment.as_ref(), 2, |_| ControlFlow::Continue(()))?;
//! let text = publish(folder.path())?;
//! assert!(text.contains("srrd"));
//! assert!(folder.path().join("report.html").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new experiment is a file in `experiments/` that implements [`Experiment`], and a line in `experiments/mod.rs`.

pub mod demo;
mod error;
mod experiment;
pub mod experiments;
mod manifest;
mod parameters;
mod publish;
mod run;
mod seed;
mod statistics;
mod store;

pub use demo::{Demo, demo};
pub use error::LabError;
pub use experiment::{Csv, Evaluation, Experiment, Kind, Trials};
pub use manifest::{Manifest, Shard, VERSION};
pub use parameters::{Estimation, Fraction, NAMES, Parameters, Preset, Size, WorldKind};
pub use publish::publish;
pub use run::{Progress, merge, run};
pub use seed::trial_seed;
pub use statistics::{Moments, student_t_975};
