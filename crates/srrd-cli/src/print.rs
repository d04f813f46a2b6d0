//! What people read: results on standard output, warnings and notes on standard error.

use crate::args::{Color, Manners};
use crate::progress::clear;
use serde::Serialize;
use serde_json::Value;
use srrd::{FrontEnd, Warning};
use srrd_data::TableNote;
use srrd_show::escape::{self, shown};
use srrd_show::words::Paint;
pub use srrd_show::words::{count, counted, percent, table};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TOLD: Mutex<Option<Vec<TableNote>>> = Mutex::new(None);
static QUIET: AtomicBool = AtomicBool::new(false);
/// Whether results and messages are coloured.
static COLOURED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// How to speak from now on.
pub fn behave(manners: Manners) {
    QUIET.store(manners.quiet, Ordering::Relaxed);
    // https://no-color.org: set, and not to nothing.
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    for (coloured, terminal) in COLOURED.iter().zip([io::stdout().is_terminal(), io::stderr().is_terminal()]) {
        let on = match manners.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !plain && !dumb,
        };
        coloured.store(on, Ordering::Relaxed);
    }
}

/// Whether notes, progress and lines on what was written are left out.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// The colours of results.
pub fn paint() -> Paint {
    Paint::new(COLOURED[0].load(Ordering::Relaxed))
}

fn paint_of_messages() -> Paint {
    Paint::new(COLOURED[1].load(Ordering::Relaxed))
}

/// Writes a result to standard output.
pub fn result(text: &str) -> io::Result<()> {
    clear();
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes an answer as JSON and a line end to standard output, with what was told of the tables it is made of.
pub fn json(answer: &impl Serialize) -> io::Result<()> {
    let mut value = serde_json::to_value(answer)?;
    if let (Value::Object(entries), Some(told)) = (&mut value, &*told()) {
        entries.insert("notes".to_owned(), told.iter().map(|note| note.to_json(FrontEnd::Command)).collect());
    }
    drop_signs_of_zeros(&mut value);
    result(&format!("{}\n", escape::json(&value.to_string())))
}

/// −0 says the same as 0 and looks like a mistake.
fn drop_signs_of_zeros(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => *value = 0.0.into(),
        Value::Array(values) => values.iter_mut().for_each(drop_signs_of_zeros),
        Value::Object(values) => values.values_mut().for_each(drop_signs_of_zeros),
        _ => {}
    }
}

/// That something cannot be told must not stop anything.
fn tell(kind: &str, message: &str) {
    clear();
    let _ = writeln!(io::stderr(), "{kind} {}", shown(message));
}

/// Tells why a command ends early.
pub fn error(message: &str) {
    tell(&paint_of_messages().bad("error:"), message);
}

/// Tells something to care about on standard error.
pub fn warn(message: &str) {
    tell(&paint_of_messages().unsure("warning:"), message);
}

/// Tells what an answer warns about.
pub fn warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| warn(&warning.say(FrontEnd::Command)));
}

/// Tells what was understood of a table; that a column is lost, or that rows may be misread, is a warning.
pub fn table_notes(notes: &[TableNote]) {
    told().get_or_insert_default().extend_from_slice(notes);
    for told in notes {
        match told.is_warning() {
            true => warn(&told.to_string()),
            false => note(&told.to_string()),
        }
    }
}

/// What was told of tables so far, as sentences for a page.
pub fn told_of_tables() -> Vec<String> {
    told().iter().flatten().map(TableNote::to_string).collect()
}

/// What was told of tables so far; `None` where none was read.
fn told() -> MutexGuard<'static, Option<Vec<TableNote>>> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells something that is no cause for concern on standard error.
pub fn note(message: &str) {
    if !is_quiet() {
        tell(&paint_of_messages().strong("note:"), message);
    }
}

/// Tells in one line what was written: the files, and what they hold. Standard output needs no word.
pub fn wrote<'a>(files: impl IntoIterator<Item = &'a Path>, what: &str) {
    let files: Vec<String> =
        files.into_iter().filter(|path| path.as_os_str() != "-").map(|path| path.display().to_string()).collect();
    if !is_quiet() && !files.is_empty() {
        let what = if what.is_empty() { String::new() } else { format!(": {what}") };
        tell(&paint_of_messages().strong("wrote"), &format!("{}{what}", files.join(", ")));
    }
}

/// Writes what was done to standard output, for commands whose result is a file.
pub fn done(text: &str) -> io::Result<()> {
    if is_quiet() { Ok(()) } else { result(text) }
}
