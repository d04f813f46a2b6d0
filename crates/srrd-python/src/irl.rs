//! Rewards from demonstrations and preferences.

use crate::environment::{self, Raised};
use crate::error::{warn_in_words, wrong};
use crate::returns::Walks;
use crate::sample::Sample;
use crate::work::{self, Threads};
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use srrd::returns::Preference;
use srrd::{Choice, FrontEnd, Gamma, Metric};
use srrd_data::{TableNote, model_path, read_model};
use srrd_irl::airl::Airl;
use srrd_irl::airl::ppo::{AirlOutside, AirlPpo, StagedWorld};
use srrd_irl::maxent::{Form, MaxEnt, RewardOf};
use srrd_irl::preferences::BradleyTerry;
use srrd_irl::ptirl::{Objective, Ptirl, check_target, class};
use srrd_irl::{
    Demonstrations, Iterate, Learned, Learner, METHODS, Method, ModelChoice, Patience, Problem, Set, learn_kept,
};
use std::sync::Arc;

/// The options of a call, by name.
struct Asked<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Asked<'_, 'py> {
    fn get<T: for<'a> FromPyObject<'a, 'py>>(&self, name: &str) -> PyResult<T> {
        let value = self.0.get_item(name)?.ok_or_else(|| wrong(format!("{name}: it is missing")))?;
        value.extract::<T>().map_err(|_| {
            wrong(format!(
                "{name}: {} is no value for it",
                value.str().map_or_else(|_| "this".into(), |text| text.to_string())
            ))
        })
    }

    fn choice<T: Choice>(&self, name: &str) -> PyResult<T> {
        T::named(&self.get::<String>(name)?).map_err(|error| wrong(format!("{name}: {error}")))
    }

    fn gamma(&self) -> PyResult<Gamma> {
        Gamma::new(self.get("gamma")?).map_err(|error| wrong(format!("gamma: {error}")))
    }

    fn patience(&self) -> PyResult<Patience> {
        let mut patience = Patience::new(self.get::<Option<usize>>("iterations")?.unwrap_or(usize::MAX));
        patience.distance = self.get("stop")?;
        patience.trace = self.get("trace")?;
        let metric: String = self.get("trace_metric")?;
        patience.metric = metric.parse::<Metric>().map_err(|error| wrong(format!("trace_metric: {error}")))?;
        Ok(patience)
    }

    fn maxent(&self) -> PyResult<MaxEnt> {
        Ok(MaxEnt {
            gamma: self.gamma()?,
            reward: self.choice::<RewardOf>("reward")?,
            form: self.choice::<Form>("form")?,
            horizon: self.get("horizon")?,
            ridge: self.get("ridge")?,
            patience: self.patience()?,
            std_errors: self.get("std_errors")?,
            draws: self.get("draws")?,
            seed: self.get("seed")?,
        })
    }

    fn airl(&self, raised: &Raised) -> PyResult<Box<dyn Learner + Send>> {
        let write: String = self.get("write")?;
        if !["g", "f"].contains(&write.as_str()) {
            return Err(wrong(format!("write: '{write}' is neither g nor f")));
        }
        let (gamma, reward, shaped) = (self.gamma()?, self.choice::<RewardOf>("reward")?, write == "f");
        match self.get::<String>("generator")?.as_str() {
            "exact" => {
                let patience = self.patience()?;
                Ok(Box::new(Airl { gamma, reward, shaped, ridge: self.get("ridge")?, patience }))
            }
            "ppo" => self.ppo(gamma, reward, shaped, raised),
            other => Err(wrong(format!("generator: '{other}' is neither exact nor ppo"))),
        }
    }

    /// In the model, in a built-in world, or in environments of Python.
    fn ppo(&self, gamma: Gamma, reward: RewardOf, shaped: bool, raised: &Raised) -> PyResult<Box<dyn Learner + Send>> {
        let mut settings = AirlPpo {
            gamma,
            reward,
            shaped,
            hidden: self.get("hidden")?,
            steps: self.get("steps")?,
            batch: self.get("batch")?,
            minibatch: self.get("minibatch")?,
            epochs: self.get("epochs")?,
            rate: self.get("rate")?,
            clip: self.get("clip")?,
            lambda: self.get("lambda_")?,
            discriminator_steps: self.get("discriminator_steps")?,
            seed: self.get("seed")?,
            patience: self.patience()?,
            ..AirlPpo::default()
        };
        let env = self.0.get_item("env")?.filter(|env| !env.is_none());
        let Some(env) = env else { return Ok(Box::new(settings)) };
        if let Ok(name) = env.extract::<String>() {
            let world = environment::world(self.0, &name)?;
            StagedWorld::new(&world).map_err(|problem| wrong(problem.say(FrontEnd::Python)))?;
            return Ok(Box::new(AirlOutside { settings, make: move || StagedWorld::boxed(&world) }));
        }
        settings.environments = self.get("environments")?;
        let (make, raised) = (env.unbind(), raised.clone());
        Ok(Box::new(AirlOutside { settings, make: move || environment::made(&make, &raised) }))
    }

    fn preferences(&self) -> PyResult<BradleyTerry> {
        Ok(BradleyTerry {
            gamma: self.gamma()?,
            reward: self.choice::<RewardOf>("reward")?,
            form: self.choice::<Form>("form")?,
            ridge: self.get("ridge")?,
            patience: self.patience()?,
            std_errors: self.get("std_errors")?,
            draws: self.get("draws")?,
            seed: self.get("seed")?,
        })
    }

    fn ptirl(&self) -> PyResult<Ptirl> {
        Ok(Ptirl {
            objective: self.choice::<Objective>("objective")?,
            cap: self.get("cap")?,
            alpha: self.get("alpha")?,
            others: self.get("others")?,
            seed: self.get("seed")?,
        })
    }

    /// `set`, `pooled`, a file of probabilities, or a sample whose rewards are probabilities.
    fn model(&self) -> PyResult<Choose> {
        let value = self.0.get_item("model")?.ok_or_else(|| wrong("model: it is missing"))?;
        if let Ok(sample) = value.cast::<Sample>() {
            return Ok(Choose::Known(ModelChoice::Given(Box::new(sample.get().named.sample.clone()))));
        }
        Ok(match value.extract::<String>()?.as_str() {
            "set" => Choose::Known(ModelChoice::Set),
            "pooled" => Choose::Known(ModelChoice::Pooled),
            file => Choose::File(file.to_owned()),
        })
    }
}

enum Choose {
    Known(ModelChoice),
    File(String),
}

/// Name, title and description of every method.
#[pyfunction]
pub fn irl_methods() -> Vec<(&'static str, &'static str, &'static str)> {
    METHODS.iter().map(|info| (info.name, info.title, info.about)).collect()
}

/// What was learned of every set: its sample, and a dict of everything else.
#[pyfunction]
#[pyo3(signature = (method, walks, options, preferences=None, threads=None))]
pub fn irl<'py>(
    py: Python<'py>,
    method: &str,
    walks: Vec<Bound<'py, Walks>>,
    options: &Bound<'py, PyDict>,
    preferences: Option<Vec<(String, String)>>,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyList>> {
    let info = METHODS.iter().find(|info| info.name == method);
    let method = info.ok_or_else(|| wrong(format!("there is no method '{method}'")))?.method;
    let (asked, raised) = (Asked(options), Raised::default());
    let texts = walks.first().map_or([false; 2], |walks| walks.get().texts);
    // All sets are of one table.
    let notes = walks.first().map(|walks| Arc::clone(&walks.get().notes)).unwrap_or_default();
    let walks: Vec<Arc<srrd::returns::Walks>> = walks.iter().map(|walks| Arc::clone(&walks.get().walks)).collect();
    let learned = match method {
        Method::Maxent => of_sets(py, walks, Box::new(asked.maxent()?), asked.model()?, None, threads),
        Method::Airl => of_sets(py, walks, asked.airl(&raised)?, asked.model()?, None, threads),
        Method::Ptirl => of_sets(py, walks, Box::new(asked.ptirl()?), asked.model()?, asked.get("target")?, threads),
        Method::Preferences => {
            let settings = asked.preferences()?;
            let pairs = preferences.unwrap_or_default().into_iter();
            let said: Vec<Preference> = pairs.map(|(better, worse)| Preference { better, worse }).collect();
            let [only] = <[_; 1]>::try_from(walks).map_err(|walks| {
                wrong(format!("preferences are about the episodes of one sample, not of {}", walks.len()))
            })?;
            let learn = move || srrd_irl::preferences::learn(&only, &said, &settings).map(|learned| vec![learned]);
            work::run(py, threads, learn)?.map_err(|problem| of_problem(&problem))
        }
        other => return Err(wrong(format!("the method {} is not for walks", other.info().name))),
    };
    // What an environment raised is raised as it is.
    let learned = learned.map_err(|error| raised.take().unwrap_or(error))?;
    let all = learned.into_iter().map(|one| given(py, one, texts, &notes)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, all)
}

fn of_problem(problem: &Problem) -> PyErr {
    let message = problem.say(FrontEnd::Python);
    match problem {
        Problem::Diverged { .. } => PyRuntimeError::new_err(message),
        _ => wrong(message),
    }
}

fn of_sets(
    py: Python<'_>,
    walks: Vec<Arc<srrd::returns::Walks>>,
    learner: Box<dyn Learner + Send>,
    model: Choose,
    target: Option<String>,
    threads: Option<Threads>,
) -> PyResult<Vec<Learned>> {
    let model = match model {
        Choose::Known(model) => model,
        Choose::File(path) => {
            let read = work::run(py, threads, move || {
                model_path(&path, &["set", "pooled"]).and_then(|path| read_model(&path))
            })?;
            ModelChoice::Given(Box::new(read.map_err(|error| crate::error::of_table(&error))?))
        }
    };
    let learn = move || {
        let shown = Demonstrations::new(walks.iter().map(|walks| walks.trajectories.clone()))?;
        target.as_deref().map_or(Ok(()), |target| check_target(&shown, target))?;
        let wanted = |set: &Set| target.as_deref().is_none_or(|target| class(set) == target);
        learn_kept(&shown, &model, &*learner, &|_| (), &wanted, &|_| None, &|_, _| ())
    };
    work::run(py, threads, learn)?.map_err(|problem| of_problem(&problem))
}

type Given<'py> = (Sample, Bound<'py, PyDict>);

fn given<'py>(py: Python<'py>, learned: Learned, texts: [bool; 2], notes: &Arc<[TableNote]>) -> PyResult<Given<'py>> {
    let more = PyDict::new(py);
    more.set_item("std_errors", learned.std_errors.map(|errors| PyArray1::from_vec(py, errors)))?;
    let draws: Vec<_> = learned.draws.into_iter().map(|draw| PyArray1::from_vec(py, draw)).collect();
    more.set_item("draws", draws)?;
    more.set_item("iterations", learned.iterations)?;
    more.set_item("gradient", learned.gradient)?;
    let mut warnings = Vec::new();
    for caution in &learned.cautions {
        let message = caution.say(FrontEnd::Python);
        warn_in_words(py, &format!("{}: {message}", learned.sample.name))?;
        warnings.push((caution.kind(), message));
    }
    more.set_item("warnings", warnings)?;
    let trace = PyDict::new(py);
    let of = |number: fn(&Iterate) -> Option<f64>| {
        PyArray1::from_iter(py, learned.trace.iter().map(|iterate| number(iterate).unwrap_or(f64::NAN)))
    };
    trace.set_item("objective", of(|iterate| Some(iterate.objective)))?;
    trace.set_item("gradient", of(|iterate| iterate.gradient))?;
    trace.set_item("distance", of(|iterate| iterate.distance))?;
    trace.set_item("accuracy", of(|iterate| iterate.accuracy))?;
    trace.set_item("returns", of(|iterate| iterate.returns))?;
    more.set_item("trace", trace)?;
    Ok((Sample { notes: Arc::clone(notes), ..Sample::new(learned.sample, texts) }, more))
}
