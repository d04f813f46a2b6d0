//! Columns that several experiments have.

use crate::row::Column;
use crate::values::{Estimation, Fraction, Measure, Noise, Size, WorldKind};
use srrd::{Metric, Undefined};
use srrd_worlds::Model;

pub const WORLD: Column<WorldKind> = Column::new("world");
pub const SIZE: Column<Size> = Column::new("size");
pub const MODEL: Column<Model> = Column::new("model");
pub const EPSILON: Column<Fraction> = Column::new("epsilon");
pub const NOISE: Column<Noise> = Column::new("noise");
pub const ROLLOUTS: Column<usize> = Column::new("rollouts");
pub const TRIAL: Column<usize> = Column::new("trial");
pub const SEED: Column<u64> = Column::new("seed");
/// Sampled transitions / all.
pub const COVERAGE: Column<f64> = Column::<f64>::new("coverage").within(0.0, 1.0);
/// Transitions that both samples hold.
pub const COMMON: Column<usize> = Column::new("common");
pub const METRIC: Column<Metric> = Column::new("metric");
/// The same, where metrics are also computed as the paper's code does.
pub const MEASURE: Column<Measure> = Column::new("metric");
pub const ESTIMATOR: Column<Estimation> = Column::new("estimator");
pub const DISTANCE: Column<Option<f64>> = Column::<Option<f64>>::new("distance").within(0.0, 1.0);
/// Why there is no distance.
pub const UNDEFINED: Column<Option<Undefined>> = Column::new("undefined");
