//! How far a long run is, on standard error: a line that changes on a terminal, a line now and then in a file.

use srrd_lab::Progress;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often a terminal is redrawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How often a line is added where there is no terminal.
const LOG: Duration = Duration::from_secs(15);
const BAR: usize = 30;

/// The line. That it cannot be shown never ends a run.
pub struct Line {
    terminal: bool,
    shown: Option<Instant>,
}

impl Line {
    pub fn new() -> Self {
        Line { terminal: io::stderr().is_terminal(), shown: None }
    }

    /// Shows the progress, if it is time to.
    pub fn show(&mut self, progress: Progress) {
        let every = if self.terminal { REDRAW } else { LOG };
        let due = self.shown.is_none_or(|shown| shown.elapsed() >= every);
        // The last state of a line that changes must be the end.
        let last = self.terminal && progress.done == progress.all;
        if !due && !last {
            return;
        }
        self.shown = Some(Instant::now());
        let text = describe(progress);
        let _ = if self.terminal {
            let filled = BAR * progress.done / progress.all.max(1);
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

fn describe(Progress { done, all, left, .. }: Progress) -> String {
    let left = left.map_or(String::new(), |left| format!(", {} left", duration(left)));
    format!("{done} of {all} trials{left}")
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
