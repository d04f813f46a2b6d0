//! Writes the report that the tests open in a browser, to look at:
//! `cargo run -p srrd-show --example report -- DIR [FIGURE.svg…]`, with figures of your own in a section of their own.

use std::path::Path;

use srrd_show::page::{FigureBlock, Section};

#[path = "../tests/support/sample.rs"]
mod sample;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_string());
    let mut report = sample::report();
    let mut section = Section::new("Figures of your own");
    for file in arguments {
        section.figures.push(FigureBlock::new(std::fs::read_to_string(&file)?, file));
    }
    if !section.figures.is_empty() {
        report.sections.push(section);
    }
    std::fs::create_dir_all(&folder)?;
    let path = Path::new(&folder).join("report.html");
    std::fs::write(&path, report.to_html())?;
    println!("{}", path.display());
    Ok(())
}
