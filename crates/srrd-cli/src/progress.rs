//! How far a long run is, on standard error: a line that changes on a terminal, a line now and then in a file.

use crate::print;
use srrd::run::{Gauge, Seen};
use srrd_lab::Progress;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a terminal is redrawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How often a line is added where there is no terminal.
const LOG: Duration = Duration::from_secs(15);
/// What is done sooner needs no line.
const QUICK: Duration = Duration::from_secs(2);
const BAR: usize = 30;

/// Whether the last line of the terminal is a line of progress.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Takes the line away, before something else is written.
pub fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let _ = write!(io::stderr(), "\r\x1b[2K");
    }
}

/// Shows on a terminal how far what a gauge measures is, once it takes longer than two seconds, until it is dropped.
pub struct Watch(Option<(Sender<()>, JoinHandle<()>)>);

impl Watch {
    pub fn begin(gauge: Gauge) -> Self {
        if print::is_quiet() || !io::stderr().is_terminal() {
            return Watch(None);
        }
        let (stop, stopped) = channel();
        let watch = move || {
            let begun = Instant::now();
            let mut left = Left::default();
            while stopped.recv_timeout(REDRAW) == Err(RecvTimeoutError::Timeout) {
                let Some(seen) = gauge.read() else {
                    clear();
                    continue;
                };
                let left = left.update(begun.elapsed(), seen);
                if begun.elapsed() >= QUICK && seen.done > 0 {
                    draw(seen.done as usize, seen.all as usize, seen.what, left);
                }
            }
            clear();
        };
        // Without it the work is done all the same.
        let watching = std::thread::Builder::new().name("progress".to_owned()).spawn(watch).ok();
        Watch(watching.map(|thread| (stop, thread)))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.0.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// The time that is left of a loop, steady: the expected end moves a little with every look, so that a slow step does not throw it about.
#[derive(Default)]
struct Left {
    stage: u64,
    begun: Duration,
    end: Option<Duration>,
}

impl Left {
    /// How much a look moves the expected end.
    const WEIGHT: f64 = 0.05;

    fn update(&mut self, now: Duration, seen: Seen) -> Option<Duration> {
        if self.stage != seen.stage {
            *self = Left { stage: seen.stage, begun: now, end: None };
        }
        if seen.done == 0 {
            return None;
        }
        let expected = (now - self.begun).mul_f64(seen.all as f64 / seen.done as f64);
        let end = match self.end {
            None => expected,
            Some(known) => known.mul_f64(1.0 - Self::WEIGHT) + expected.mul_f64(Self::WEIGHT),
        };
        self.end = Some(end);
        Some((self.begun + end).saturating_sub(now))
    }
}

fn draw(done: usize, all: usize, what: &str, left: Option<Duration>) {
    let filled = BAR * done / all.max(1);
    let text = describe(done, all, what, left);
    SHOWN.store(true, Ordering::Relaxed);
    let _ = write!(io::stderr(), "\r\x1b[2K[{}{}] {text}", "█".repeat(filled), "·".repeat(BAR - filled));
}

/// The line of a run that tells of itself. That it cannot be shown never ends a run.
pub struct Line {
    terminal: bool,
    shown: Option<Instant>,
    what: &'static str,
}

impl Line {
    /// Of trials.
    pub fn new() -> Self {
        Line { terminal: io::stderr().is_terminal(), shown: None, what: "trials" }
    }

    /// Shows the progress, if it is time to.
    pub fn show(&mut self, Progress { done, all, left, .. }: Progress) {
        if print::is_quiet() {
            return;
        }
        let every = if self.terminal { REDRAW } else { LOG };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= every);
        // The last state of a line that changes must be the end.
        let last = self.terminal && done == all;
        if !due && !last {
            return;
        }
        self.shown = Some(Instant::now());
        if self.terminal {
            draw(done, all, self.what, left);
        } else {
            let _ = writeln!(io::stderr(), "{}", describe(done, all, self.what, left));
        }
    }

    /// Leaves the line.
    pub fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            SHOWN.store(false, Ordering::Relaxed);
            let _ = writeln!(io::stderr());
        }
    }
}

fn describe(done: usize, all: usize, what: &str, left: Option<Duration>) -> String {
    let left = left.map_or(String::new(), |left| format!(", {} left", duration(left)));
    format!("{} of {} {what}{left}", print::count(done), print::count(all))
}

/// A duration as people say it; what is far off is not told to the second.
fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..20 => format!("{} s", seconds.max(1)),
        seconds @ 20..100 => format!("{} s", seconds.div_ceil(5) * 5),
        seconds @ 100..6000 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        let words = |seconds| duration(Duration::from_secs(seconds));
        assert_eq!(words(0), "1 s");
        assert_eq!(words(41), "45 s");
        assert_eq!(words(99), "100 s");
        assert_eq!(words(101), "2 min");
        assert_eq!(words(7300), "2 h 1 min");
    }

    /// Steps that take 0.2 and 1.8 s by turns: what is left goes down evenly, and begins anew with the next loop.
    #[test]
    fn the_time_left_is_steady() {
        let gauge = Gauge::new();
        gauge.carry();
        let mut left = Left::default();
        let steps = srrd::run::Steps::begin("pairs", 100);
        let (mut now, mut told) = (0.0, Vec::new());
        left.update(Duration::ZERO, gauge.read().unwrap());
        for step in 0..100 {
            let takes = if step % 2 == 0 { 0.2 } else { 1.8 };
            for _ in 0..(takes * 10.0) as usize {
                now += 0.1;
                told.extend(left.update(Duration::from_secs_f64(now), gauge.read().unwrap()));
            }
            steps.add(1);
        }
        let seconds: Vec<f64> = told.iter().map(Duration::as_secs_f64).collect();
        // After the first tenth it is never off by more than a fifth of the whole, and jumps by less than two seconds.
        for (place, pair) in seconds.windows(2).enumerate().skip(100) {
            let truly = 100.0 - 0.1 * (place as f64 + 3.0);
            assert!((pair[0] - truly).abs() < 20.0, "{place}: {} {truly}", pair[0]);
            assert!((pair[1] - pair[0]).abs() < 2.0, "{place}: {pair:?}");
        }
        drop(steps);
        let _next = srrd::run::Steps::begin("draws", 10);
        assert_eq!(left.update(Duration::from_secs(200), gauge.read().unwrap()), None);
    }
}
