//! Writes the report that the tests open in a browser, to look at: `cargo run -p srrd-report --example sample -- DIR`.

use std::path::Path;

#[path = "../tests/support/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    let path = Path::new(&folder).join("report.html");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(&path, sample::report().to_html())?;
    println!("{}", path.display());
    Ok(())
}
