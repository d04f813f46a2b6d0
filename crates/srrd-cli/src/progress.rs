//! How far a long run is, on standard error: a line that changes on a terminal, a line now and then in a file.

use srrd_lab::Progress;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a terminal is redrawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How often a line is added where there is no terminal.
const LOG: Duration = Duration::from_secs(15);
/// What is done sooner needs no line.
const QUICK: Duration = Duration::from_secs(2);
const BAR: usize = 30;

/// The line. That it cannot be shown never ends a run.
pub struct Line {
    terminal: bool,
    shown: Option<Instant>,
    begun: Instant,
    what: &'static str,
}

impl Line {
    pub fn new() -> Self {
        Line::of("trials")
    }

    /// Of other things than trials.
    pub fn of(what: &'static str) -> Self {
        Line { terminal: io::stderr().is_terminal(), shown: None, begun: Instant::now(), what }
    }

    /// Shows how many are done, once that takes long enough to be of interest.
    pub fn count(&mut self, done: usize, all: usize) {
        let spent = self.begun.elapsed();
        if spent >= QUICK && done > 0 {
            self.draw(done, all, Some(spent.mul_f64((all - done) as f64 / done as f64)));
        }
    }

    /// Shows the progress, if it is time to.
    pub fn show(&mut self, Progress { done, all, left, .. }: Progress) {
        self.draw(done, all, left);
    }

    fn draw(&mut self, done: usize, all: usize, left: Option<Duration>) {
        let every = if self.terminal { REDRAW } else { LOG };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= every);
        // The last state of a line that changes must be the end.
        let last = self.terminal && done == all;
        if !due && !last {
            return;
        }
        self.shown = Some(Instant::now());
        let text = describe(done, all, self.what, left);
        let _ = if self.terminal {
            let filled = BAR * done / all.max(1);
            write!(io::stderr(), "\r\x1b[2K[{}{}] {text}", "█".repeat(filled), "·".repeat(BAR - filled))
        } else {
            writeln!(io::stderr(), "{text}")
        };
    }

    /// Leaves the line.
    pub fn end(&mut self) {
        if self.terminal && self.shown.is_some() {
            let _ = writeln!(io::stderr());
        }
    }
}

fn describe(done: usize, all: usize, what: &str, left: Option<Duration>) -> String {
    let left = left.map_or(String::new(), |left| format!(", {} left", duration(left)));
    format!("{done} of {all} {what}{left}")
}

/// A duration as people say it.
fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..100 => format!("{} s", seconds.max(1)),
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
        assert_eq!(words(99), "99 s");
        assert_eq!(words(101), "2 min");
        assert_eq!(words(7300), "2 h 1 min");
    }
}
