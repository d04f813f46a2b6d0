//! The paper's experiments as runs that can be stopped, continued, divided among machines and checked by anyone.
//!
//! A [`Manifest`] names an experiment with its parameters, a [`Run`] computes it. [`Run::compute`] appends the rows of the trials
//! that are missing in a folder to `trials.csv`, in the order of the plan; [`merge`] joins parts that were computed apart;
//! [`Run::publish`] turns trials into `summary.csv`, figures and `report.html`. Nothing that is written depends on threads, on
//! interruptions or on the clock.
//!
//! ```
//! use srrd_lab::{Manifest, Preset, Run, Shard};
//! use std::ops::ControlFlow;
//!
//! let folder = tempfile::tempdir()?;
//! let few = [("trials", "3"), ("metric", "epic,srrd")];
//! let run = Run::new(Manifest::new("instability", Preset::Quick, few, Shard::WHOLE)?)?;
//! run.compute(folder.path(), 2, |_| ControlFlow::Continue(()))?;
//! let text = run.publish(folder.path())?;
//! assert!(text.contains("srrd"));
//! assert!(folder.path().join("report.html").exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new experiment is a folder in `experiments/` (what it computes, what it claims, what it draws) and a line in
//! `experiments/mod.rs`. A new parameter is an entry in `parameters.rs`, and its value in the presets that take it.

pub mod demo;
mod error;
mod experiment;
mod experiments;
mod manifest;
mod parameters;
mod publish;
mod row;
mod run;
mod seed;
mod statistics;
mod store;
mod values;

pub use demo::{Demo, demo};
pub use error::LabError;
pub use experiments::{ALL as EXPERIMENTS, Kind};
pub use manifest::{Manifest, Shard, VERSION};
pub use parameters::{PARAMETERS, Parameter, Parameters};
pub use run::{Progress, Run, merge};
pub use values::Preset;
