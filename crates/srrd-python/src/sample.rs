//! Reward samples as Python holds them.

use crate::arrow::frame_of;
use crate::columns::Columns;
use crate::error::{of_table, wrong};
use crate::reading::{Reading, tell};
use crate::values::of_token;
use crate::work;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::regress::RewardTable;
use srrd::sample::Placement;
use srrd::sure::Episodes;
use srrd::trajectories::End;
use srrd::{Choice, Duplicates, FrontEnd, RewardSample};
use srrd_data::{
    ColumnType, ErrorKind, SampleTable, TableError, TableNote, TableOptions, read_sample_table, read_table,
    trajectories_of,
};
use std::path::PathBuf;
use std::sync::Arc;

/// A reward sample with what is known about it; never changed.
#[pyclass(frozen, module = "srrd._srrd")]
pub struct Sample {
    pub named: Arc<NamedSample>,
    /// Whether states and actions were given as texts, so that texts of digits come back as texts.
    pub texts: [bool; 2],
    /// What was understood of the table that it was read from.
    pub notes: Arc<[TableNote]>,
}

/// Below this many rows a sample is built on one thread, in some milliseconds.
const SMALL: usize = 1 << 14;

type IdArrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

impl Sample {
    /// A sample; `texts` says whether states and actions were given as texts.
    pub fn new(named: NamedSample, texts: [bool; 2]) -> Self {
        Sample { named: Arc::new(named), texts, notes: Arc::default() }
    }

    fn like(&self, sample: RewardSample) -> Self {
        let named = Arc::new(NamedSample { sample, ..NamedSample::clone(&self.named) });
        Sample { named, texts: self.texts, notes: Arc::clone(&self.notes) }
    }

    fn transition_at<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyTuple>> {
        let transition = self.named.sample.transition(index);
        let [states, actions] = self.texts;
        PyTuple::new(
            py,
            [
                of_token(py, transition.state, states)?,
                of_token(py, transition.action, actions)?,
                of_token(py, transition.next_state, states)?,
            ],
        )
    }
}

#[pymethods]
impl Sample {
    fn __len__(&self) -> usize {
        self.named.sample.len()
    }

    #[getter]
    fn name(&self) -> &str {
        &self.named.name
    }

    #[getter]
    fn label(&self) -> Option<&str> {
        self.named.label.as_deref()
    }

    /// Whether each transition ends an episode; None where nobody said.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<bool>>> {
        let ends = self.named.sample.ends();
        let marks: Option<Vec<bool>> = (0..self.named.sample.len()).map(|transition| ends.at(transition)).collect();
        marks.map(|marks| PyArray1::from_vec(py, marks))
    }

    /// What was understood of the table that it was read from, in sentences.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.iter().map(|note| note.say(FrontEnd::Python)).collect()
    }

    #[getter]
    fn one_step(&self) -> bool {
        self.named.one_step
    }

    /// The names of the features of states, if they have any.
    #[getter]
    fn state_features(&self) -> Option<Vec<String>> {
        self.named.state_features.clone()
    }

    /// The names of the features of actions, if they have any.
    #[getter]
    fn action_features(&self) -> Option<Vec<String>> {
        self.named.action_features.clone()
    }

    /// The number of episodes, if they are known.
    #[getter]
    fn episodes(&self) -> Option<usize> {
        self.named.episodes.as_ref().map(Episodes::len)
    }

    /// The same sample under another name or with another label.
    fn renamed(&self, name: String, label: Option<String>) -> Self {
        let named = NamedSample { name, label, ..NamedSample::clone(&self.named) };
        Sample { named: Arc::new(named), texts: self.texts, notes: Arc::clone(&self.notes) }
    }

    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.named.sample.rewards())
    }

    /// The explored states, in the order of their ids.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tokens: Vec<_> = (self.named.sample.states().iter())
            .map(|token| of_token(py, token, self.texts[0]))
            .collect::<PyResult<_>>()?;
        PyList::new(py, tokens)
    }

    /// The explored actions, in the order of their ids.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let tokens: Vec<_> = (self.named.sample.actions().iter())
            .map(|token| of_token(py, token, self.texts[1]))
            .collect::<PyResult<_>>()?;
        PyList::new(py, tokens)
    }

    /// The ids of state, action and next state of every transition.
    fn ids<'py>(&self, py: Python<'py>) -> IdArrays<'py> {
        let count = self.named.sample.len();
        let mut ids = [Vec::with_capacity(count), Vec::with_capacity(count), Vec::with_capacity(count)];
        for (state, action, next_state) in self.named.sample.ids() {
            ids[0].push(state);
            ids[1].push(action);
            ids[2].push(next_state);
        }
        let [states, actions, next_states] = ids;
        (states.into_pyarray(py), actions.into_pyarray(py), next_states.into_pyarray(py))
    }

    /// The transition with this index, as a tuple of state, action and next state.
    fn transition<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyTuple>> {
        if index >= self.named.sample.len() {
            return Err(PyIndexError::new_err(format!("there are {} transitions", self.named.sample.len())));
        }
        self.transition_at(py, index)
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sample = &self.named.sample;
        let duplicates = sample.duplicates();
        let dict = PyDict::new(py);
        for (name, count) in [
            ("transitions", sample.len()),
            ("states", sample.states().len()),
            ("actions", sample.actions().len()),
            ("terminal_states", sample.terminal_states().count()),
            ("rows", duplicates.rows),
            ("repeated", duplicates.repeated),
            ("averaged", duplicates.averaged),
        ] {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    /// Sampled transitions by (states × actions × states), those explored or as many as are given.
    #[pyo3(signature = (space=None))]
    fn coverage(&self, space: Option<(f64, f64)>) -> f64 {
        match space {
            None => self.named.sample.coverage(),
            Some((states, actions)) => self.named.sample.coverage_of(states, actions),
        }
    }

    /// The same transitions with other rewards.
    fn with_rewards(&self, rewards: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let sample = self.named.sample.with_rewards(rewards.as_slice()?.to_vec()).map_err(|e| wrong(e.to_string()))?;
        Ok(self.like(sample))
    }

    /// The same sample, with the rewards of all transitions between explored states: (states, states) or
    /// (states, actions, states).
    fn with_reward_table(&self, rewards: PyReadonlyArrayDyn<'_, f64>) -> PyResult<Self> {
        let sample = self.named.sample.clone();
        let (states, actions) = (sample.states().len(), sample.actions().len());
        let values = rewards.as_slice()?;
        let table = match rewards.ndim() {
            2 => RewardTable::marginal(states, values),
            _ => RewardTable::joint(states, actions, values),
        };
        let known = table.and_then(|table| sample.with_reward_table(table));
        Ok(self.like(known.map_err(|e| wrong(e.to_string()))?))
    }

    /// Whether rewards of unsampled transitions are known.
    #[getter]
    fn has_reward_table(&self) -> bool {
        self.named.sample.reward_table().is_some()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Sample>().is_ok_and(|other| {
            let (a, b) = (&self.named, &other.get().named);
            a.name == b.name && a.label == b.label && a.episodes == b.episodes && holds_the_same(&a.sample, &b.sample)
        })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &pack(self))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| unpack(bytes)).map_err(|why| wrong(format!("these are not the bytes of a reward sample: {why}")))
    }
}

/// Whether two samples hold the same transitions and rewards, whatever rows they were made of.
fn holds_the_same(a: &RewardSample, b: &RewardSample) -> bool {
    a.rewards() == b.rewards()
        && a.states() == b.states()
        && a.actions() == b.actions()
        && a.ids().eq(b.ids())
        && a.reward_table() == b.reward_table()
}

/// What is done with duplicates, by its name.
fn duplicates(name: &str) -> PyResult<Duplicates> {
    Duplicates::named(name).map_err(|error| wrong(format!("duplicates: {error}")))
}

/// The samples of a table in memory: one, or as many as its column `sample` names. `origin` is what messages call the table.
#[pyfunction]
pub fn samples_of_columns(
    py: Python<'_>,
    columns: &Bound<'_, PyDict>,
    origin: String,
    name: String,
    reading: &Reading,
) -> PyResult<Vec<Sample>> {
    let columns = Columns::new(columns)?;
    let texts = [columns.is_text("state"), columns.is_text("action")];
    let options = reading.options.clone();
    // A small sample is built before a pool has woken up.
    let built = if columns.rows() < SMALL {
        work::run_here(py, || build(columns, &origin, name, options))
    } else {
        work::run(py, None, move || build(columns, &origin, name, options))?
    };
    told(py, built, texts)
}

/// The samples of a frame that hands out its memory by Arrow's C interface.
#[pyfunction]
pub fn samples_of_arrow(
    py: Python<'_>,
    frame: &Bound<'_, PyAny>,
    origin: String,
    name: String,
    reading: &Reading,
) -> PyResult<Vec<Sample>> {
    let reader = frame_of(frame, &origin)?.into_reader().map_err(|error| of_table(&error))?;
    let is_text = |role: &str| {
        let field = reader.schema().index_of(role).map(|at| &reader.schema().fields[at]);
        field.is_some_and(|field| field.kind == Some(ColumnType::Text))
    };
    let texts = [is_text("state"), is_text("action")];
    let options = reading.options.clone();
    let built = work::run(py, None, move || read_sample_table(reader, &name, options))?;
    told(py, built, texts)
}

/// The samples of a table, after what was understood of it was told.
fn told(py: Python<'_>, built: Result<SampleTable, TableError>, texts: [bool; 2]) -> PyResult<Vec<Sample>> {
    let table = built.map_err(|error| of_table(&error))?;
    tell(py, &table.notes)?;
    let notes: Arc<[TableNote]> = table.notes.into();
    let sample = |named| Sample { named: Arc::new(named), texts, notes: Arc::clone(&notes) };
    Ok(table.samples.into_iter().map(sample).collect())
}

/// The sample of whole episodes with so many steps each, and whether each came to its end (None: nobody knows): the columns of their states, of which every episode has one more, of their
/// actions, and their rewards.
#[pyfunction]
#[pyo3(signature = (states, actions, rewards, episodes, name, label, duplicates))]
#[allow(clippy::too_many_arguments)]
pub fn sample_of_episodes(
    py: Python<'_>,
    states: &Bound<'_, PyDict>,
    actions: &Bound<'_, PyDict>,
    rewards: PyReadonlyArray1<'_, f64>,
    episodes: Vec<(usize, Option<bool>)>,
    name: String,
    label: Option<String>,
    duplicates: &str,
) -> PyResult<Sample> {
    const ORIGIN: &str = "the episodes";
    let duplicates = self::duplicates(duplicates)?;
    let (states, actions, rewards) = (Columns::new(states)?, Columns::new(actions)?, rewards.as_slice()?.to_vec());
    let texts = [states.is_text("state"), actions.is_text("action")];
    let (states, actions) = (states.into_batch(), actions.into_batch());
    let end = |(steps, terminated): (usize, Option<bool>)| match terminated {
        None => (steps, End::Unknown),
        Some(true) => (steps, End::Terminated),
        Some(false) => (steps, End::Truncated),
    };
    let episodes: Vec<(usize, End)> = episodes.into_iter().map(end).collect();
    let built = work::run(py, None, move || {
        let walks = trajectories_of(ORIGIN, &states, &actions, Some(&rewards), &episodes)?;
        let sample = walks.named(name, label.as_deref()).to_sample(duplicates);
        sample.map_err(|e| TableError::new(ErrorKind::Type, ORIGIN, e.to_string()))
    })?;
    let named = built.map_err(|error| of_table(&error))?;
    Ok(Sample::new(NamedSample { from_file: true, ..named }, texts))
}

fn build(columns: Columns, origin: &str, name: String, options: TableOptions) -> Result<SampleTable, TableError> {
    let duplicates = options.duplicates;
    if duplicates != Duplicates::Error
        && let Some(([states, actions, next_states], rewards)) = columns.ids()
        && let Ok((sample, _)) = RewardSample::from_ids(&states, &actions, &next_states, rewards, duplicates)
    {
        return Ok(SampleTable::from(NamedSample { from_file: true, ..NamedSample::new(name, sample) }));
    }
    // Also where ids are refused: the messages of tables name the row and the column.
    read_sample_table(columns.into_reader(origin), &name, options)
}

/// The samples of a file.
#[pyfunction]
pub fn read(py: Python<'_>, path: PathBuf, reading: &Reading) -> PyResult<Vec<Sample>> {
    let options = reading.options.clone();
    let read = work::run(py, None, move || read_table(&path, options))?;
    told(py, read, [false; 2])
}

/// The bytes begin with these, the number of the form included.
const MAGIC: &[u8; 8] = b"srrdpy01";

/// A sample as bytes: magic, then parts of known length (what JSON tells, the sample, the episodes).
fn pack(sample: &Sample) -> Vec<u8> {
    let named = &sample.named;
    let about = json!({
        "name": named.name, "label": named.label, "from_file": named.from_file, "one_step": named.one_step, "shifted": named.shifted,
        "state_features": named.state_features, "action_features": named.action_features, "source": named.source, "texts": sample.texts,
    });
    let mut met = Vec::new();
    if let Some(episodes) = &named.episodes {
        for transition in 0..named.sample.len() {
            for episode in episodes.of(transition) {
                met.extend((transition as u32).to_le_bytes());
                met.extend(episode.to_le_bytes());
            }
        }
    }
    let mut bytes = MAGIC.to_vec();
    for part in [about.to_string().into_bytes(), named.sample.to_bytes(), met] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

fn unpack(bytes: &[u8]) -> Result<Sample, String> {
    let mut rest = bytes.strip_prefix(MAGIC).ok_or("they begin otherwise")?;
    let mut part = || {
        let (length, after) = rest.split_at_checked(8).ok_or("they end too early")?;
        let length = u64::from_le_bytes(length.try_into().map_err(|_| "they end too early")?);
        let length = usize::try_from(length).map_err(|_| "they end too early")?;
        let (part, after) = after.split_at_checked(length).ok_or("they end too early")?;
        rest = after;
        Ok::<&[u8], &str>(part)
    };
    let about: Value = serde_json::from_slice(part()?).map_err(|e| e.to_string())?;
    let sample = RewardSample::from_bytes(part()?).map_err(|e| e.to_string())?;
    let met = part()?;
    if !rest.is_empty() {
        return Err("there are more than there should be".to_owned());
    }
    let text = |name: &str| about[name].as_str().map(str::to_owned);
    let flag = |value: &Value| value.as_bool().unwrap_or(false);
    let list = |name: &str| {
        let names = about[name].as_array()?;
        Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
    };
    let number = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|i| bytes[i]));
    let (transition, of_row): (Vec<u32>, Vec<u32>) =
        met.chunks_exact(8).map(|pair| (number(&pair[..4]), number(&pair[4..]))).unzip();
    // Numbers of episodes are dense: a larger one would only ask for memory.
    if of_row.iter().any(|&episode| episode as usize >= of_row.len()) {
        return Err("an episode is out of range".to_owned());
    }
    let episodes = (!transition.is_empty())
        .then(|| Episodes::from_rows(&sample, &Placement { transition }, &of_row))
        .transpose()
        .map_err(|e| e.to_string())?;
    let named = NamedSample {
        from_file: flag(&about["from_file"]),
        one_step: flag(&about["one_step"]),
        shifted: flag(&about["shifted"]),
        label: text("label"),
        state_features: list("state_features"),
        action_features: list("action_features"),
        source: text("source").unwrap_or_default(),
        episodes,
        ..NamedSample::new(text("name").ok_or("the name is missing")?, sample)
    };
    let texts = [flag(&about["texts"][0]), flag(&about["texts"][1])];
    Ok(Sample::new(named, texts))
}
