//! Feeds bytes to every table reader: the first byte chooses the format and whether batches or samples are read, the rest is the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use srrd::Duplicates;
use srrd_data::{Batch, FileFormat, Piece, ReadOptions, open_bytes, read_sample_table};
use std::sync::LazyLock;

static FORMATS: LazyLock<Vec<FileFormat>> = LazyLock::new(FileFormat::all);

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let format = FORMATS[usize::from(choice) % FORMATS.len()];
    let options = ReadOptions { batch_rows: 7, ..ReadOptions::default() };
    let Ok(mut table) = open_bytes("fuzz", format, bytes.to_vec(), &options) else { return };
    if (32..64).contains(&choice) {
        // All rows at once, by many threads where the format allows it.
        if let Ok(table) = read_sample_table(table, "fuzz", Duplicates::Mean) {
            assert!(table.samples.iter().map(|named| named.sample.len()).sum::<usize>() <= table.row_count());
        }
        return;
    }
    // A selection keeps columns of types that cannot be read from ending the run before the first row.
    if choice >= 128 && table.schema().len() > 0 {
        let name = table.schema().fields[usize::from(choice) % table.schema().len()].name.clone();
        let _ = table.select(&[&name]);
    } else if choice >= 64 {
        let _ = table.keep_extras(&[], choice % 2 == 0);
    }
    let mut batch = Batch::new();
    // Compressed input may hold far more rows than is worth reading.
    for _ in 0..1000 {
        match table.next_batch(&mut batch) {
            Ok(Piece::Rows) => assert!(batch.columns.iter().all(|column| column.len() == batch.rows)),
            Ok(Piece::End) | Err(_) => break,
        }
    }
});
