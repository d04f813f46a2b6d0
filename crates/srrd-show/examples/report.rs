//! Writes the report that the tests open in a browser, to look at: `cargo run -p srrd-show --example report -- DIR`.

use std::path::Path;

#[path = "../tests/support/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    std::fs::create_dir_all(&folder)?;
    let path = Path::new(&folder).join("report.html");
    std::fs::write(&path, sample::report().to_html())?;
    println!("{}", path.display());
    Ok(())
}
