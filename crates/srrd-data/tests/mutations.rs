//! Damaged files give errors, never panics, and no other number of rows: a bounded, seeded version of the fuzzer in `fuzz/`.

mod common;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use common::fixture;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use srrd::Duplicates;
use srrd_data::{Batch, FileFormat, Format, Passing, Piece, ReadOptions, open_bytes, read_sample_table};

/// About 10,000 in all.
const CASES_PER_FILE: u64 = 460;

/// Reads everything as the fuzz target does, as it is and as it is passed through, then every column for itself; and samples, for
/// which text is taken apart in another way.
fn read_everything(format: FileFormat, bytes: &[u8]) {
    let options = ReadOptions { batch_rows: 7, ..ReadOptions::default() };
    let mut batch = Batch::new();
    let Ok(mut table) = open_bytes("t", format, bytes.to_vec(), &options) else { return };
    let names: Vec<String> = table.schema().names().map(str::to_owned).collect();
    while let Ok(Piece::Rows) = table.next_batch(&mut batch) {
        assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
    }
    for passing in [Passing::Text, Passing::Json, Passing::Original(Format::Parquet)] {
        let Ok(mut table) = open_bytes("t", format, bytes.to_vec(), &options) else { return };
        if table.keep_extras(&["state"], passing).is_ok() {
            while let Ok(Piece::Rows) = table.next_batch(&mut batch) {
                assert!(batch.columns.iter().all(|column| column.len() == batch.rows));
            }
        }
    }
    for name in names.iter().take(12) {
        let Ok(mut table) = open_bytes("t", format, bytes.to_vec(), &options) else { return };
        if table.select(&[name]).is_ok() {
            while let Ok(Piece::Rows) = table.next_batch(&mut batch) {}
        }
    }
    if let Ok(table) = open_bytes("t", format, bytes.to_vec(), &options) {
        let _ = read_sample_table(table, "only", Duplicates::Mean);
    }
}

/// How many rows a file has when all its columns are passed through; `None` when something is wrong with it.
fn rows_of(format: FileFormat, bytes: &[u8]) -> Option<usize> {
    let mut table = open_bytes("t", format, bytes.to_vec(), &ReadOptions::default()).ok()?;
    table.keep_extras(&[], Passing::Text).ok()?;
    let (mut rows, mut batch) = (0, Batch::new());
    while let Piece::Rows = table.next_batch(&mut batch).ok()? {
        rows += batch.rows;
    }
    Some(rows)
}

fn mutate(random: &mut impl Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..random.random_range(1..4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..6) {
            0 => bytes[at] ^= 1 << random.random_range(0..8),
            1 => bytes[at] = random.random(),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + random.random_range(1..9)).min(bytes.len());
                let value = [0x00, 0xff, 0x7f, 0x80][random.random_range(0..4)];
                bytes[at..end].fill(value);
            }
            4 => {
                let end = (at + random.random_range(1..33)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let from = random.random_range(0..other.len());
                let to = (from + random.random_range(1..65)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut files: Vec<_> = fs::read_dir(fixture(""))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| Some((FileFormat::from_path(&path).ok()?, path)))
        .collect();
    files.sort_by(|a, b| a.1.cmp(&b.1));
    assert!(files.len() > 15);
    let contents: Vec<Vec<u8>> = files.iter().map(|(_, path)| fs::read(path).unwrap()).collect();
    for (index, (format, path)) in files.iter().enumerate() {
        // Text has no checksums, and a stream may end behind any of its messages.
        let counted =
            format.format.info().typed && format.format != Format::Jsonl && !path.ends_with("polars_stream.arrow");
        let rows = counted.then(|| rows_of(*format, &contents[index])).flatten();
        for case in 0..CASES_PER_FILE {
            let mut random = ChaCha8Rng::seed_from_u64(case);
            let mut bytes = contents[index].clone();
            let other = &contents[random.random_range(0..contents.len())];
            mutate(&mut random, &mut bytes, other);
            let outcome = catch_unwind(AssertUnwindSafe(|| read_everything(*format, &bytes)));
            assert!(outcome.is_ok(), "{} case {case} panics", path.display());
            if let (Some(rows), Some(found)) = (rows, rows_of(*format, &bytes)) {
                assert_eq!(found, rows, "{} case {case} has other rows", path.display());
            }
        }
    }
}
