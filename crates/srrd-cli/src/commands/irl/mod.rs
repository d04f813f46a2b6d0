//! `srrd irl`: rewards from demonstrations and preferences.

mod journal;
mod trace;

use crate::args::irl::{Airl, Irl, IrlMethod, LearnArgs, Maxent, PatienceArgs, Preferences, Ptirl};
use crate::failure::Failure;
use crate::inputs::{read_once, split_name};
use crate::outputs::{check_json, check_table, refuse_to_overwrite, refuse_twice};
use crate::print;
use journal::Journal;
use serde_json::{Value, json};
use srrd::returns::Walks;
use srrd::{FrontEnd, Gamma};
use srrd_data::{RewardColumns, RewardWriter, model_path, read_model, read_preferences, read_walks};
use srrd_irl::airl::ppo::{AirlOutside, AirlPpo, StagedWorld};
use srrd_irl::maxent::MaxEnt;
use srrd_irl::preferences::BradleyTerry;
use srrd_irl::ptirl::{check_target, class};
use srrd_irl::{Caution, Demonstrations, Learned, Learner, Method, ModelChoice, Patience, Problem, Set, learn_kept};
use srrd_worlds::Simulation;
use std::path::{Path, PathBuf};
use trace::Traces;

pub fn run(args: &Irl) -> Result<(), Failure> {
    match &args.method {
        IrlMethod::Maxent(args) => maxent(args),
        IrlMethod::Airl(args) => airl(args),
        IrlMethod::Ptirl(args) => ptirl(args),
        IrlMethod::Preferences(args) => preferences(args),
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Diverged { .. } => Failure::Failed(problem.say(FrontEnd::Command)),
            problem => Failure::Wrong(problem.say(FrontEnd::Command)),
        }
    }
}

fn maxent(args: &Maxent) -> Result<(), Failure> {
    let settings = MaxEnt {
        gamma: gamma(args.gamma)?,
        reward: args.reward,
        form: args.form,
        horizon: args.horizon,
        ridge: args.ridge,
        patience: patience(&args.patience, 200, &args.learn)?,
        std_errors: args.spread.std_error,
        draws: args.spread.draws,
        seed: args.spread.seed,
    };
    settings.check()?;
    let given = model_file(&args.model.model)?;
    learn(Method::Maxent, &args.learn, given.as_ref(), |shown| {
        learn_sets(&args.learn, shown, &args.model.model, &settings, &format!("{settings:?}"))
    })
}

fn airl(args: &Airl) -> Result<(), Failure> {
    if args.generator == "ppo" {
        return airl_ppo(args);
    }
    if args.ppo.world.is_some() {
        return Err(Failure::wrong("--world: only a policy that learns acts in a world: add --generator ppo"));
    }
    let given = model_file(&args.model.model)?;
    let settings = srrd_irl::airl::Airl {
        gamma: gamma(args.gamma)?,
        reward: args.reward,
        shaped: args.write == "f",
        ridge: args.ridge,
        patience: patience(&args.patience, 200, &args.learn)?,
    };
    settings.check()?;
    learn(Method::Airl, &args.learn, given.as_ref(), |shown| {
        learn_sets(&args.learn, shown, &args.model.model, &settings, &format!("{settings:?}"))
    })
}

fn airl_ppo(args: &Airl) -> Result<(), Failure> {
    let ppo = &args.ppo;
    let settings = AirlPpo {
        gamma: gamma(args.gamma)?,
        reward: args.reward,
        shaped: args.write == "f",
        hidden: ppo.hidden.clone(),
        steps: ppo.steps,
        batch: ppo.batch,
        minibatch: ppo.minibatch,
        epochs: ppo.epochs,
        rate: ppo.rate,
        clip: ppo.clip,
        lambda: ppo.lambda,
        discriminator_steps: ppo.discriminator_steps,
        seed: ppo.seed,
        patience: patience(&args.patience, usize::MAX, &args.learn)?,
        ..AirlPpo::default()
    };
    settings.check()?;
    let Some(kind) = ppo.world else {
        let given = model_file(&args.model.model)?;
        return learn(Method::Airl, &args.learn, given.as_ref(), |shown| {
            learn_sets(&args.learn, shown, &args.model.model, &settings, &format!("{settings:?}"))
        });
    };
    if args.model.model != "set" {
        return Err(Failure::wrong("--model: with --world the world says where actions lead; leave it out"));
    }
    let mut question = Simulation::new(kind);
    question.size = ppo.size.as_deref().map(Into::into);
    (question.epsilon, question.obstacles) = (ppo.epsilon, ppo.obstacles);
    let world = question.check()?;
    StagedWorld::new(&world)?;
    let told = format!("{settings:?} {question:?}");
    let learner = AirlOutside { settings, make: || StagedWorld::boxed(&world) };
    learn(Method::Airl, &args.learn, None, |shown| learn_sets(&args.learn, shown, "set", &learner, &told))
}

fn ptirl(args: &Ptirl) -> Result<(), Failure> {
    let settings = srrd_irl::ptirl::Ptirl {
        objective: args.objective,
        cap: args.cap,
        alpha: args.alpha,
        others: (args.others > 0).then_some(args.others),
        seed: args.seed,
    };
    if args.model == "set" {
        return Err(Failure::wrong(
            "--model: the walks of others need a model, too: use pooled, or a table of probabilities",
        ));
    }
    settings.check().map_err(|problem| Failure::Wrong(problem.say(FrontEnd::Command)))?;
    let given = model_file(&args.model)?;
    learn(Method::Ptirl, &args.learn, given.as_ref(), |shown| {
        learn_targets(&args.learn, shown, &args.model, &settings, &format!("{settings:?}"), args.target.as_deref())
    })
}

fn preferences(args: &Preferences) -> Result<(), Failure> {
    let settings = BradleyTerry {
        gamma: gamma(args.gamma)?,
        reward: args.reward,
        form: args.form,
        ridge: args.ridge,
        patience: patience(&args.patience, 200, &args.learn)?,
        std_errors: args.spread.std_error,
        draws: args.spread.draws,
        seed: args.spread.seed,
    };
    if args.learn.resume.is_some() {
        return Err(Failure::wrong("--resume: preferences are learned from at once; leave it out"));
    }
    learn(Method::Preferences, &args.learn, Some(&args.preferences), |mut walks| {
        let said = read_preferences(&args.preferences)?;
        let (Some(only), true) = (walks.pop(), walks.is_empty()) else {
            let input = args.learn.input.display();
            return Err(Failure::wrong(format!(
                "{input}: the table holds several samples, but preferences are about the episodes of one: name it as '{input}#SAMPLE'"
            )));
        };
        let told = |problem: Problem| match problem {
            // Rows of the other table.
            Problem::UnknownEpisode { .. } | Problem::PreferredToItself { .. } => {
                Failure::wrong(format!("{}: {}", args.preferences.display(), problem.say(FrontEnd::Command)))
            }
            problem => of_files(problem, &args.learn, None),
        };
        Ok((vec![srrd_irl::preferences::learn(&only, &said, &settings).map_err(told)?], None))
    })
}

fn gamma(value: f64) -> Result<Gamma, Failure> {
    Gamma::new(value).map_err(|error| Failure::wrong(format!("--gamma: {error}")))
}

fn patience(args: &PatienceArgs, iterations: usize, learn: &LearnArgs) -> Result<Patience, Failure> {
    if args.stop.is_some_and(|stop| !(0.0..=1.0).contains(&stop)) {
        return Err(Failure::wrong("--stop: a distance lies between 0 and 1"));
    }
    let iterations = args.iterations.unwrap_or(iterations);
    if iterations == 0 {
        return Err(Failure::wrong("--iterations: it must be at least 1"));
    }
    let mut patience = Patience::new(iterations);
    (patience.distance, patience.metric, patience.trace) = (args.stop, args.trace_metric, !learn.trace.is_empty());
    Ok(patience)
}

/// The file that --model names.
fn model_file(model: &str) -> Result<Option<PathBuf>, Failure> {
    const WORDS: [&str; 2] = ["set", "pooled"];
    if WORDS.contains(&model) {
        return Ok(None);
    }
    let path = model_path(model, &WORDS).map_err(|error| Failure::wrong(format!("--model: {error}")))?;
    Ok(Some(path))
}

fn choice_of(model: &str) -> Result<ModelChoice, Failure> {
    Ok(match model {
        "set" => ModelChoice::Set,
        "pooled" => ModelChoice::Pooled,
        file => ModelChoice::Given(Box::new(read_model(Path::new(file))?)),
    })
}

/// Reads, learns and writes.
fn learn(
    method: Method,
    args: &LearnArgs,
    other: Option<&PathBuf>,
    of: impl FnOnce(Vec<Walks>) -> Result<(Vec<Learned>, Option<Journal>), Failure> + Send,
) -> Result<(), Failure> {
    check_json(args.json, Some(&args.output))?;
    let inputs: Vec<&PathBuf> = [&args.input].into_iter().chain(other).collect();
    read_once(inputs.iter().copied())?;
    refuse_to_overwrite([Some(&args.output)].into_iter().chain(args.trace.iter().map(Some)), &inputs)?;
    let written = [&args.output].into_iter().chain(&args.trace).chain(&args.resume);
    refuse_twice(written.map(PathBuf::as_path))?;
    check_table(&args.output)?;
    let traces = Traces::checked(&args.trace)?;
    args.threads.run(move || {
        let (learned, journal) = of(read(args)?)?;
        warn(&learned);
        let traces = traces.begin()?;
        write(&args.output, &learned)?;
        traces.write(method, &learned)?;
        journal.map_or(Ok(()), Journal::finish)?;
        match args.json {
            true => print::json(&as_json(method, args, &learned))?,
            false if args.output.as_os_str() != "-" => print::done(&as_text(method, args, &learned))?,
            false => {}
        }
        Ok(())
    })
}

/// The sets of the table, or the one that `TABLE#SAMPLE` names.
fn read(args: &LearnArgs) -> Result<Vec<Walks>, Failure> {
    let (table, wanted) = match split_name(&args.input) {
        Some((table, name)) => (table, Some(name)),
        None => (args.input.clone(), None),
    };
    let found = read_walks(&table, args.columns.options()?)?;
    print::table_notes(&found.notes);
    let Some(name) = wanted else { return Ok(found.walks) };
    let one = found.walks.into_iter().find(|walks| found.named && walks.trajectories.name() == name);
    Ok(vec![one.ok_or_else(|| Failure::wrong(format!("{}: there is no sample '{name}'", table.display())))?])
}

/// Learns from every set by itself, with progress, going on where an earlier run was stopped.
fn learn_sets(
    args: &LearnArgs,
    walks: Vec<Walks>,
    model: &str,
    learner: &dyn Learner,
    settings: &str,
) -> Result<(Vec<Learned>, Option<Journal>), Failure> {
    learn_targets(args, walks, model, learner, settings, None)
}

/// As [`learn_sets`], of the sets of one class.
fn learn_targets(
    args: &LearnArgs,
    walks: Vec<Walks>,
    model: &str,
    learner: &dyn Learner,
    settings: &str,
    target: Option<&str>,
) -> Result<(Vec<Learned>, Option<Journal>), Failure> {
    let given = model_file(model)?;
    let told = |problem| of_files(problem, args, given.as_deref());
    let model = &choice_of(model)?;
    let shown = Demonstrations::new(walks.into_iter().map(|walks| walks.trajectories)).map_err(told)?;
    target.map_or(Ok(()), |target| check_target(&shown, target))?;
    let settings = format!("{settings} {model:?}");
    let journal = args.resume.as_deref().map(|path| Journal::open(path, &shown, &settings)).transpose()?;
    let known = |set: usize| journal.as_ref().and_then(|journal| journal.find(&shown.sets()[set], set));
    let keep = |set: usize, learned: &Learned| {
        if let Some(journal) = &journal {
            journal.keep(set, learned);
        }
    };
    // How far it is, the gauge of its threads tells.
    let wanted = |set: &Set| target.is_none_or(|target| class(set) == target);
    let learned = learn_kept(&shown, model, learner, &|_| {}, &wanted, &known, &keep).map_err(told)?;
    Ok((learned, journal))
}

/// A problem with what a table holds names its file; sets without names of their own have the table's already.
fn of_files(problem: Problem, args: &LearnArgs, model: Option<&Path>) -> Failure {
    let input = args.input.display().to_string();
    let message = match (&problem, model) {
        (Problem::Value { .. }, _) => return problem.into(),
        (Problem::Distribution { state, action, why }, Some(model)) => {
            let model = model.display();
            format!("{model}: column `probability`: the probabilities of state {state} and action {action} {why}")
        }
        (problem, _) => {
            let said = problem.say(FrontEnd::Command);
            let named = args.input.file_name().is_some_and(|name| said.starts_with(&*name.to_string_lossy()));
            if named { said } else { format!("{input}: {said}") }
        }
    };
    match problem {
        Problem::Diverged { .. } => Failure::Failed(message),
        _ => Failure::Wrong(message),
    }
}

fn write(path: &Path, learned: &[Learned]) -> Result<(), Failure> {
    let std_errors = learned.iter().any(|one| one.std_errors.is_some());
    let columns = RewardColumns::of(learned.iter().map(|one| &one.sample), std_errors);
    let mut table = RewardWriter::create(path, columns)?;
    for one in learned {
        let (name, label, sample) = (&one.sample.name, one.sample.label.as_deref(), &one.sample.sample);
        table.write(name, label, sample, sample.rewards(), one.std_errors.as_deref())?;
        for (draw, rewards) in (1..).zip(&one.draws) {
            table.write(&format!("{name}/{draw}"), label, sample, rewards, None)?;
        }
    }
    Ok(table.finish()?)
}

/// One line for every kind of caution: that of the first set, and in how many others there is one.
fn warn(learned: &[Learned]) {
    let mut kinds: Vec<(&Caution, &str, usize)> = Vec::new();
    for one in learned {
        for caution in &one.cautions {
            match kinds.iter_mut().find(|known| known.0.kind() == caution.kind()) {
                Some(known) => known.2 += 1,
                None => kinds.push((caution, &one.sample.name, 0)),
            }
        }
    }
    for (caution, name, more) in kinds {
        let others = match more {
            0 => String::new(),
            more => format!(" (likewise in {} more)", print::counted(more, "set", "sets")),
        };
        print::warn(&format!("{name}: {}{others}", caution.say(FrontEnd::Command)));
    }
}

fn as_text(method: Method, args: &LearnArgs, learned: &[Learned]) -> String {
    let rows: usize = learned.iter().map(|one| one.sample.sample.len() * (1 + one.draws.len())).sum();
    let most = learned.iter().map(|one| one.iterations).max().unwrap_or(0);
    let iterations = match most {
        0 => String::new(),
        most => format!("; at most {}", print::counted(most, "iteration", "iterations")),
    };
    format!(
        "{}: {} rewards of {}, {}{iterations}\n",
        args.output.display(),
        method.info().title,
        print::counted(learned.len(), "set", "sets"),
        print::counted(rows, "row", "rows"),
    )
}

fn as_json(method: Method, args: &LearnArgs, learned: &[Learned]) -> Value {
    let warning = |caution: &Caution| json!({"kind": caution.kind(), "message": caution.say(FrontEnd::Command)});
    let sets: Vec<Value> = learned
        .iter()
        .map(|one| {
            json!({
                "name": one.sample.name,
                "label": one.sample.label,
                "transitions": one.sample.sample.len(),
                "draws": one.draws.len(),
                "iterations": one.iterations,
                "gradient": one.gradient,
                "warnings": one.cautions.iter().map(warning).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"output": args.output.display().to_string(), "method": method.info().name, "sets": sets})
}
