//! Pictures that commands write beside their results.

use crate::failure::Failure;
use srrd_data::OutputFile;
use srrd_show::{Figure, FigureError};
use std::path::{Path, PathBuf};

/// A picture to be drawn, `--plot FILE.svg|png`.
pub struct Plot {
    pub path: PathBuf,
    png: bool,
}

impl Plot {
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let png = match extension.as_deref().and_then(|extension| extension.to_str()) {
            Some("svg") => false,
            Some("png") if cfg!(feature = "png") => true,
            Some("png") => {
                return Err(Failure::wrong(
                    "--plot: this build draws no PNG; build with `--features png`, or name a .svg",
                ));
            }
            _ => {
                let path = path.display();
                return Err(Failure::wrong(format!("--plot: '{path}' must end in .svg or .png")));
            }
        };
        Ok(Plot { path: path.to_owned(), png })
    }

    /// Writes a figure into the file, which was begun before the work.
    pub fn write(&self, mut file: OutputFile, figure: &dyn Figure) -> Result<(), Failure> {
        let bytes =
            if self.png { png(figure).map_err(|error| self.failed(&error))? } else { figure.to_svg().into_bytes() };
        file.write_with(|to| to.write_all(&bytes))?;
        Ok(file.finish()?)
    }

    /// The failure of a figure that cannot be drawn.
    pub fn failed(&self, error: &FigureError) -> Failure {
        Failure::Failed(format!("{}: {error}", self.path.display()))
    }
}

#[cfg(feature = "png")]
fn png(figure: &dyn Figure) -> Result<Vec<u8>, FigureError> {
    // Twice the nominal size: sharp on the screens and in the papers of today.
    figure.to_png(2.0)
}

#[cfg(not(feature = "png"))]
fn png(_: &dyn Figure) -> Result<Vec<u8>, FigureError> {
    unreachable!("refused when the arguments were read")
}
