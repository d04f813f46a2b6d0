//! Rollouts of built-in worlds: the question from Python's arguments, the answer as columns or as a table in a file.

use crate::values::of_json;
use crate::work;
use numpy::IntoPyArray;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Map, Value, json};
use srrd_data::{ErrorKind, TableError, TrajectoryColumns, TrajectoryRows, TrajectoryWriter, Values};
use srrd_worlds::{Plan, PolicyChoice, SimulateError, Simulation, Summary, WORLDS, WorldKind};
use std::path::{Path, PathBuf};

/// So many rows are played before they are handed on.
const ROWS: usize = 8192;

/// The options as `srrd.simulate` has checked them; None where they were not given.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Asked {
    rollouts: Option<usize>,
    size: Option<String>,
    epsilon: Option<f64>,
    obstacles: Option<usize>,
    policy: Option<Policy>,
    classes: bool,
    sets: Option<usize>,
    model: Option<String>,
    shaped: bool,
    gamma: Option<f64>,
    factor: Option<f64>,
    noise: Option<f64>,
    seed: Option<u64>,
    reward_seed: Option<u64>,
}

#[derive(FromPyObject)]
enum Policy {
    Text(String),
    Weights(Vec<f64>),
}

impl Asked {
    fn question(self, world: WorldKind) -> PyResult<Simulation> {
        let mut question = Simulation::new(world);
        question.rollouts = self.rollouts.unwrap_or(question.rollouts);
        question.size = self.size.as_deref().map(Into::into);
        question.policy = self.policy.map(|policy| match policy {
            Policy::Text(text) => PolicyChoice::Text(text),
            Policy::Weights(weights) => PolicyChoice::Weights(weights),
        });
        let model = self.model.map(|name| name.parse()).transpose();
        question.model = model.map_err(|e| PyValueError::new_err(format!("model: {e}")))?;
        (question.epsilon, question.obstacles) = (self.epsilon, self.obstacles);
        (question.classes, question.sets) = (self.classes, self.sets);
        (question.shaped, question.gamma, question.factor) = (self.shaped, self.gamma, self.factor);
        question.noise = self.noise.unwrap_or(question.noise);
        question.seed = self.seed.unwrap_or(question.seed);
        question.reward_seed = self.reward_seed;
        Ok(question)
    }
}

/// Why there is no answer.
enum Failure {
    Simulate(SimulateError),
    Table(TableError),
}

impl From<SimulateError> for Failure {
    fn from(error: SimulateError) -> Self {
        Failure::Simulate(error)
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Failure::Table(error)
    }
}

/// An option of a world that it does not take.
pub fn refused(error: &SimulateError) -> PyErr {
    PyValueError::new_err(error.render(|option| option.name().replace('-', "_")))
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Simulate(error) => refused(&error),
            // A disk that is full or fails is nobody's input.
            Failure::Table(error) if matches!(error.kind(), ErrorKind::Io | ErrorKind::BrokenPipe) => {
                PyOSError::new_err(error.to_string())
            }
            Failure::Table(error) => PyValueError::new_err(error.to_string()),
        }
    }
}

/// The names of the built-in worlds.
#[pyfunction]
pub fn worlds() -> Vec<&'static str> {
    WORLDS.iter().map(|world| world.name).collect()
}

/// What is played, as a dictionary of columns without names, and the name, the label and the number of rows of every sample; or, with an
/// output, the summary of the table that was written.
#[pyfunction]
pub fn simulate<'py>(
    py: Python<'py>,
    world: &str,
    asked: Asked,
    output: Option<PathBuf>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let world = world.parse().map_err(|e| PyValueError::new_err(format!("world: {e}")))?;
    let plan = asked.question(world)?.check().map_err(|e| refused(&e))?;
    let none = || py.None().into_bound(py);
    if let Some(path) = output {
        let name = path.display().to_string();
        let summary = work::run(py, None, move || write(&plan, &path))??;
        let mut told = Map::from_iter([("output".to_owned(), name.into())]);
        if let Value::Object(fields) = json!(summary) {
            told.extend(fields);
        }
        return Ok((of_json(py, &told.into())?, none()));
    }
    let (mut rows, samples) = work::run(py, None, move || keep(&plan))??;
    let columns = PyDict::new(py);
    let names = rows.schema().fields.into_iter().map(|field| field.name);
    for (name, column) in names.zip(rows.take().columns) {
        match column.values {
            Values::Int(values) => columns.set_item(name, values.into_pyarray(py))?,
            Values::Float(values) => columns.set_item(name, values.into_pyarray(py))?,
            Values::Bool(values) => columns.set_item(name, values.into_pyarray(py))?,
            Values::Text(values) => columns.set_item(name, PyList::new(py, values.iter())?)?,
        }
    }
    let samples = samples.into_pyobject(py)?.into_any();
    Ok((columns.into_any(), samples))
}

fn columns(plan: &Plan, labelled: bool) -> TrajectoryColumns {
    let columns = plan.columns();
    TrajectoryColumns {
        labelled: labelled && columns.labelled,
        state_features: columns.state_features,
        action_features: columns.action_features,
        whole: true,
        done: true,
    }
}

fn write(plan: &Plan, path: &Path) -> Result<Summary, Failure> {
    let mut table = TrajectoryWriter::create(path, columns(plan, true))?;
    let summary = plan.play(ROWS, |piece| Ok::<(), Failure>(table.write(&piece.trajectories, piece.first_episode)?))?;
    table.finish()?;
    Ok(summary)
}

/// The name, the label and the number of rows of a sample.
type Named = (String, String, usize);

/// Everything, and which rows are whose: none where there is only one sample.
fn keep(plan: &Plan) -> Result<(TrajectoryRows, Vec<Named>), Failure> {
    let mut rows = TrajectoryRows::new(columns(plan, false));
    let mut samples: Vec<Named> = Vec::new();
    plan.play(ROWS, |piece| {
        let walks = &piece.trajectories;
        rows.push(walks, piece.first_episode);
        if let Some(label) = walks.label() {
            match samples.last_mut() {
                Some((name, _, count)) if name == walks.name() => *count += walks.step_count(),
                _ => samples.push((walks.name().to_owned(), label.to_owned(), walks.step_count())),
            }
        }
        Ok::<(), Failure>(())
    })?;
    Ok((rows, samples))
}
