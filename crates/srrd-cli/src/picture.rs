//! Pictures that commands write beside their results.

use crate::failure::Failure;
use srrd_data::OutputFile;
use srrd_show::{Figure, FigureError};
use std::path::{Path, PathBuf};

/// A picture to be drawn, `--plot FILE.svg|png`.
pub struct Picture {
    pub path: PathBuf,
    png: bool,
}

impl Picture {
    /// The picture that an option names.
    pub fn new(option: &str, path: &Path) -> Result<Self, Failure> {
        let png = match extension(path).as_deref() {
            Some("svg") => false,
            Some("png") if cfg!(feature = "png") => true,
            Some("png") => {
                return Err(Failure::wrong(format!(
                    "{option}: this build draws no PNG; build with `--features png`, or name a .svg"
                )));
            }
            _ => {
                let path = path.display();
                return Err(Failure::wrong(format!("{option}: '{path}' must end in .svg or .png")));
            }
        };
        Ok(Picture { path: path.to_owned(), png })
    }

    /// Begins the file, before the work is done for it.
    pub fn begin(&self) -> Result<OutputFile, Failure> {
        Ok(OutputFile::create(&self.path)?)
    }

    /// Writes a figure into the file.
    pub fn write(&self, mut file: OutputFile, figure: Result<impl Figure, FigureError>) -> Result<(), Failure> {
        let drawing = figure.map_err(|error| self.failed(&error))?.draw();
        let bytes = match self.png {
            true => png(&drawing).map_err(|error| self.failed(&error))?,
            false => drawing.to_svg().into_bytes(),
        };
        file.write_with(|to| to.write_all(&bytes))?;
        Ok(file.finish()?)
    }

    fn failed(&self, error: &FigureError) -> Failure {
        Failure::Failed(format!("{}: {error}", self.path.display()))
    }
}

/// The extension of a name, in small letters.
pub fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

#[cfg(feature = "png")]
fn png(drawing: &srrd_show::Drawing) -> Result<Vec<u8>, FigureError> {
    // Twice the nominal size: sharp on the screens and in the papers of today.
    drawing.to_png(2.0)
}

#[cfg(not(feature = "png"))]
fn png(_: &srrd_show::Drawing) -> Result<Vec<u8>, FigureError> {
    unreachable!("refused when the arguments were read")
}
