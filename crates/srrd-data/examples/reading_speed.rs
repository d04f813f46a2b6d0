//! How fast tables are read and written: `cargo run --release -p srrd-data --example reading_speed -- IN [OUT...]`.

use std::path::Path;
use std::time::Instant;

use srrd_data::{Batch, Piece, ReadOptions, TableError, coerce, create, infer_types_of, open, read_samples};

fn main() -> Result<(), TableError> {
    let mut paths = std::env::args().skip(1);
    let Some(input) = paths.next() else {
        eprintln!("usage: speed IN [OUT...]");
        return Ok(());
    };
    let input = Path::new(&input);
    let options = ReadOptions::default();
    let mut batch = Batch::new();
    for _ in 0..3 {
        let start = Instant::now();
        let mut table = open(input, &options)?;
        let mut rows = 0;
        while let Piece::Rows = table.next_batch(&mut batch)? {
            rows += batch.rows;
        }
        println!("read {rows} rows: {:?}", start.elapsed());
    }
    for _ in 0..5 {
        let start = Instant::now();
        match read_samples(input, srrd::Duplicates::Mean) {
            Ok(samples) => println!("{} transitions: {:?}", samples[0].sample.len(), start.elapsed()),
            Err(error) => println!("no samples: {error}"),
        }
    }
    let start = Instant::now();
    let types = infer_types_of(&mut *open(input, &options)?)?;
    println!("types {types:?}: {:?}", start.elapsed());
    let mut table = open(input, &options)?;
    let schema = table.schema().with_types(&types);
    let mut batches = Vec::new();
    while let Piece::Rows = table.next_batch(&mut batch)? {
        coerce(table.name(), &schema, &mut batch)?;
        batches.push(batch.clone());
    }
    for output in paths {
        let start = Instant::now();
        let mut writer = create(Path::new(&output), &schema)?;
        for batch in &batches {
            writer.write(batch)?;
        }
        writer.finish()?;
        println!("write {output}: {:?}", start.elapsed());
        let start = Instant::now();
        let mut table = open(Path::new(&output), &options)?;
        while let Piece::Rows = table.next_batch(&mut batch)? {}
        println!(" read {output}: {:?}", start.elapsed());
    }
    Ok(())
}
