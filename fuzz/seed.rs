//! Writes a starting corpus for every target.
#![allow(dead_code)]

mod bodies;

use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    for (name, _) in bodies::TARGETS {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        fs::create_dir_all(&corpus)?;
        for (number, seed) in bodies::seeds(name).iter().enumerate() {
            fs::write(corpus.join(format!("seed-{number}")), seed)?;
        }
    }
    Ok(())
}
