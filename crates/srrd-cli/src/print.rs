//! What people read: results on standard output, warnings and notes on standard error.

use serde::Serialize;
use serde_json::Value;
use srrd::{FrontEnd, Warning};
use srrd_data::TableNote;
use srrd_show::escape::shown;
pub use srrd_show::words::{count, counted, percent, table};
use std::io::{self, Write};

/// Writes a result to standard output.
pub fn result(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes an answer as JSON and a line end to standard output.
pub fn json(answer: &impl Serialize) -> io::Result<()> {
    let mut value = serde_json::to_value(answer)?;
    drop_signs_of_zeros(&mut value);
    result(&format!("{value}\n"))
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

/// Tells something on standard error; that it cannot be told must not stop anything.
pub fn warn(message: &str) {
    let _ = writeln!(io::stderr(), "warning: {}", shown(message));
}

/// Tells what an answer warns about.
pub fn warnings(warnings: &[Warning]) {
    warnings.iter().for_each(|warning| warn(&warning.say(FrontEnd::Command)));
}

/// Tells what was understood of a table; that a column is lost, or that rows may be misread, is a warning.
pub fn table_notes(notes: &[TableNote]) {
    for told in notes {
        match told {
            TableNote::LeftOut { .. } | TableNote::OneStep { .. } => warn(&told.to_string()),
            told => note(&told.to_string()),
        }
    }
}

/// Tells something that is no cause for concern on standard error.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "note: {}", shown(message));
}
