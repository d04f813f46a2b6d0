//! Work that takes long: on threads of its own, the interpreter released, answering Ctrl-C.
//!
//! Threads are kept between calls, since starting them takes longer than a small distance. They are never those of `rayon`'s global
//! pool: a process that was forked (as `multiprocessing` does on Linux) has the memory of its parent's threads but not the
//! threads, and would wait for them forever. So pools belong to a process, and a child starts its own.

use crate::error::wrong;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use rayon::{ThreadPool, ThreadPoolBuilder};
use srrd::run::{CancellablePool, Cancellation, Cancelled};
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long to wait for work that was told to stop. What has not stopped by then is left alone: an interrupt is answered within 0.4 s,
/// whatever the work is doing.
const PATIENCE: Duration = Duration::from_millis(250);
/// More threads than any machine has cores only get in each other's way.
const MOST_THREADS: usize = 1024;

/// How many there are for this process.
static CORES: OnceLock<usize> = OnceLock::new();

struct Idle {
    process: u32,
    pools: Vec<Arc<CancellablePool>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle { process: 0, pools: Vec::new() });

/// A pool of so many threads that nobody uses.
fn take(threads: usize) -> PyResult<Arc<CancellablePool>> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        // Those of the parent: dropping them would wait for threads that are not here.
        std::mem::forget(std::mem::take(&mut idle.pools));
        idle.process = process;
    }
    if let Some(at) = idle.pools.iter().position(|pool| pool.threads() == threads) {
        return Ok(idle.pools.swap_remove(at));
    }
    drop(idle);
    let pool = Cancellation::new().pool(threads);
    Ok(Arc::new(pool.map_err(|e| PyRuntimeError::new_err(format!("cannot start threads: {e}")))?))
}

fn give_back(pool: Arc<CancellablePool>) {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    // One of a kind is enough: two calls at once are rare, and threads cost memory.
    if idle.pools.iter().all(|other| other.threads() != pool.threads()) {
        idle.pools.push(pool);
    }
}

/// A number of threads that was asked for: from 1 to [`MOST_THREADS`].
#[derive(Clone, Copy, Debug)]
pub struct Threads(usize);

impl<'py> FromPyObject<'_, 'py> for Threads {
    type Error = PyErr;

    /// Any other number, also one that is negative, no number or too large for a machine word, is a ValueError that says what is allowed.
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<usize>() {
            Ok(threads @ 1..=MOST_THREADS) => Ok(Threads(threads)),
            Err(error) if !value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyFloat>() => Err(error),
            _ => Err(wrong(format!(
                "threads: {} is not a whole number between 1 and {MOST_THREADS}; leave it out for all cores",
                *value
            ))),
        }
    }
}

/// How many threads to use: by default one per core.
pub fn threads(asked: Option<Threads>) -> PyResult<usize> {
    match asked {
        Some(Threads(threads)) => Ok(threads),
        // Counting them takes as long as a small distance: the limits of containers are in files.
        None => Ok(*CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))),
    }
}

/// Runs `work` on so many threads (by default on all cores), without holding the interpreter.
///
/// Ctrl-C raises KeyboardInterrupt within 0.4 s, whatever `work` is doing.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<Threads>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let pool = take(self::threads(threads)?)?;
    let (sender, receiver) = mpsc::channel();
    let running = Arc::clone(&pool);
    let start = move || {
        let result = catch_unwind(AssertUnwindSafe(|| running.run(work)));
        // Nobody waits any more when it took too long to stop.
        let _ = sender.send(result);
    };
    pool.spawn(start);
    let waiting = Arc::clone(&pool);
    let result = py.detach(move || wait(&waiting, &receiver))?;
    match result {
        Ok(Ok(value)) => {
            give_back(pool);
            Ok(value)
        }
        Ok(Err(Cancelled)) => Err(PyRuntimeError::new_err("the work was stopped")),
        Err(panic) => {
            let what = (panic.downcast_ref::<String>().map(String::as_str))
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            Err(PyRuntimeError::new_err(format!("this is a defect of srrd, please report it: {what}")))
        }
    }
}

thread_local! {
    /// This thread as a pool of its own: loops in it stay here, and a process that was forked has all of it.
    static HERE: OnceCell<Option<ThreadPool>> = const { OnceCell::new() };
}

/// Runs `work` on the calling thread, without holding the interpreter: for what is done before a pool has woken up. Ctrl-C waits for
/// it.
pub fn run_here<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        HERE.with(|here| {
            let here = here.get_or_init(|| ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok());
            match here {
                Some(here) => here.install(work),
                None => work(),
            }
        })
    })
}

type Finished<T> = std::thread::Result<Result<T, Cancelled>>;

fn wait<T>(pool: &CancellablePool, receiver: &mpsc::Receiver<Finished<T>>) -> PyResult<Finished<T>> {
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(finished) => return Ok(finished),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work was lost")),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
            pool.cancellation().cancel();
            let told = Instant::now();
            while told.elapsed() < PATIENCE && receiver.recv_timeout(LOOK).is_err() {}
            return Err(interrupt);
        }
    }
}
