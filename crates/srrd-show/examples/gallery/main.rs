//! Draws figures of every kind, to look at after a change:
//! `cargo run --release -p srrd-show --example gallery -- figures-look [heatmaps|charts]`
//!
//! The heat maps take most of the time.

use std::{env, error::Error, fs, path::PathBuf, time::Instant};

use srrd_show::Figure;

mod charts;
mod heatmaps;

type Gallery = Vec<(&'static str, Box<dyn Figure + Send + Sync>)>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(env::args().nth(1).ok_or("name a folder to write into")?);
    let figures = match env::args().nth(2).as_deref() {
        None => heatmaps::gallery()?.into_iter().chain(charts::gallery()?).collect(),
        Some("heatmaps") => heatmaps::gallery()?,
        Some("charts") => charts::gallery()?,
        Some(other) => return Err(format!("no figures called {other}: heatmaps or charts").into()),
    };
    fs::create_dir_all(&folder)?;
    for (name, figure) in figures {
        let start = Instant::now();
        let svg = figure.to_svg();
        let drawn = start.elapsed();
        let png = figure.to_png(1.0)?;
        println!(
            "{name} ({}): SVG {} kB in {drawn:.1?}, PNG {} kB in {:.1?}",
            figure.title(),
            svg.len() / 1000,
            png.len() / 1000,
            start.elapsed() - drawn
        );
        fs::write(folder.join(format!("{name}.svg")), svg)?;
        fs::write(folder.join(format!("{name}.png")), png)?;
    }
    Ok(())
}

/// Numbers in [0, 1), the same on every run.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    }
}
