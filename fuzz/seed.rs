//! Writes a starting corpus for the target `tables` from the fixtures of crates/srrd-data.

use srrd_data::{FileFormat, Format};
use std::fs;
use std::path::Path;

/// The first byte of an input that makes the target read this format as batches, as samples, and as batches of one column.
fn choices(format: FileFormat) -> [u8; 3] {
    let formats = FileFormat::all();
    let number = formats.iter().position(|known| *known == format).expect("all formats are there");
    // The target takes what is left of the first byte when it is divided by the number of formats.
    [0, 32, 128].map(|from: usize| (from.next_multiple_of(formats.len()) + number) as u8)
}

fn main() -> std::io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = here.join("corpus/tables");
    fs::create_dir_all(&corpus)?;
    let write = |name: &str, format: FileFormat, bytes: &[u8]| {
        choices(format).iter().try_for_each(|&first| fs::write(corpus.join(format!("{name}-{first}")), [&[first], bytes].concat()))
    };
    for entry in fs::read_dir(here.join("../crates/srrd-data/tests/fixtures"))? {
        let path = entry?.path();
        if let Ok(format) = FileFormat::from_path(&path) {
            write(&path.file_name().unwrap_or_default().to_string_lossy(), format, &fs::read(&path)?)?;
        }
    }
    // Rows that many threads take.
    let row = |i: usize| format!("{i},{},{},{:?}\n", i % 3, 7 * i % 40, i as f64 / 7.0);
    let rows: String = (0..40).map(row).collect();
    write("rows.csv", FileFormat::plain(Format::Csv), format!("state,action,next_state,reward\n{rows}").as_bytes())
}
