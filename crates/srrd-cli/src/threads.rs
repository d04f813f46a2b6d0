//! How many threads a command uses.

use crate::failure::Failure;
use crate::progress::Watch;
use srrd::run::Gauge;

/// More threads than any machine has cores only get in each other's way.
const MOST_THREADS: usize = 1024;

/// How many threads to use.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Threads {
    /// How many threads to use [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Threads {
    /// So many, or all.
    pub fn of(threads: Option<usize>) -> Self {
        Threads { threads }
    }

    /// The number: by default one per core.
    pub fn count(self) -> Result<usize, Failure> {
        match self.threads {
            Some(threads @ 1..=MOST_THREADS) => Ok(threads),
            Some(threads) => Err(Failure::wrong(format!("--threads: {threads} is not between 1 and {MOST_THREADS}"))),
            None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        }
    }

    /// Runs `work` on so many threads, with a line of progress where it takes long.
    pub fn run<T: Send>(self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        let gauge = Gauge::new();
        let carried = gauge.clone();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.count()?).start_handler(move |_| carried.carry());
        let pool = pool.build().map_err(|e| Failure::Failed(format!("cannot start threads: {e}")))?;
        let _watch = Watch::begin(gauge);
        pool.install(work)
    }
}
