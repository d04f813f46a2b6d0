//! The profile of an estimated γ as a picture or a table: `--profile`.

use crate::failure::Failure;
use crate::outputs::{check_table, refuse_to_overwrite};
use crate::picture::{Picture, extension};
use crate::print;
use srrd::answer::Used;
use srrd::{GammaEstimate, Question};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TableWriter, Values, create};
use srrd_show::FigureError;
use srrd_show::present::gamma;
use std::path::PathBuf;

/// What is told about an estimated discount factor.
#[derive(Debug, clap::Args)]
pub struct ProfileArgs {
    /// With --gamma auto: draw what shaping leaves of the rewards by gamma, or write it as a table (.csv and the others)
    #[arg(long, value_name = "FILE.svg|png|csv")]
    profile: Option<PathBuf>,
}

/// Where the profile goes.
pub enum Profile {
    Picture(Picture),
    Table(PathBuf),
}

impl ProfileArgs {
    /// Where the profile goes; the inputs and other outputs are kept from being overwritten.
    pub fn checked(&self, question: &Question, others: &[&PathBuf]) -> Result<Option<Profile>, Failure> {
        let Some(path) = &self.profile else { return Ok(None) };
        if !question.gamma_from_data() {
            return Err(Failure::wrong("--profile: it shows how gamma was estimated; add --gamma auto"));
        }
        if others.contains(&path) || refuse_to_overwrite([Some(path)], others).is_err() {
            return Err(Failure::wrong(format!(
                "--profile: {} is a file of this call already; name another one",
                path.display()
            )));
        }
        if matches!(extension(path).as_deref(), Some("svg" | "png")) {
            return Ok(Some(Profile::Picture(Picture::new("--profile", path)?)));
        }
        check_table(path)?;
        Ok(Some(Profile::Table(path.clone())))
    }
}

impl Profile {
    /// Opens the file, before the work.
    pub fn begin(self) -> Result<Begun, Failure> {
        let columns = ["gamma", "unexplained"].map(|name| (name.to_owned(), ColumnType::Float));
        Ok(match self {
            Profile::Picture(picture) => Begun::Picture(picture.begin()?, picture),
            Profile::Table(path) => {
                let writer = create(&path, &Schema::new(columns))?;
                Begun::Table(path, writer)
            }
        })
    }
}

/// A profile whose file is open.
pub enum Begun {
    Picture(OutputFile, Picture),
    Table(PathBuf, Box<dyn TableWriter>),
}

impl Begun {
    /// Writes what was found.
    pub fn write(self, estimate: &GammaEstimate) -> Result<(), Failure> {
        match self {
            Begun::Picture(file, picture) => {
                picture.write(file, Ok::<_, FigureError>(gamma::profile(estimate)))?;
                print::wrote([picture.path.as_path()], "the profile of gamma");
                Ok(())
            }
            Begun::Table(path, mut writer) => {
                let (gamma, left) = estimate.profile.iter().copied().unzip();
                let columns = [Values::Float(gamma), Values::Float(left)].into_iter().map(Column::from).collect();
                writer.write(&Batch::from_columns(columns, 1))?;
                writer.finish()?;
                print::wrote([path.as_path()], "the profile of gamma");
                Ok(())
            }
        }
    }
}

/// Writes a profile that was begun, of settings that were used.
pub fn write_profile(begun: Option<Begun>, used: &Used) -> Result<(), Failure> {
    match (begun, &used.gamma) {
        (Some(begun), Some(estimate)) => begun.write(estimate),
        _ => Ok(()),
    }
}

/// Tells an estimated γ on standard error, for commands whose output is a table.
pub fn note(used: &Used) {
    if used.gamma.as_ref().is_some_and(|estimate| estimate.identified) {
        print::note(&gamma::in_words(used));
    }
}
