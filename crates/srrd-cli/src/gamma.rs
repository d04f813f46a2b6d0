//! `--gamma auto`: the discount factor from the samples, what is said about it, and its profile as a picture or a table.

use crate::args::ProfileArgs;
use crate::failure::Failure;
use crate::outputs::{check_table, refuse_to_overwrite};
use crate::print;
use crate::settings::Chosen;
use serde_json::{Value, json};
use srrd::NamedSample;
use srrd::{FEW_COMMON, Gamma, GammaEstimate, RewardSample, estimate_gamma};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TableWriter, Values, create};
use srrd_show::{Axis, Figure, FigureError, LineChart, Point, Series};
use std::path::{Path, PathBuf};

/// Where the profile goes.
pub struct Profile {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Svg,
    Png,
    Table,
}

impl Profile {
    /// Where `--profile` says; the inputs and other outputs are kept from being overwritten.
    pub fn new(args: &ProfileArgs, chosen: &Chosen, others: &[&PathBuf]) -> Result<Option<Self>, Failure> {
        let Some(path) = &args.profile else { return Ok(None) };
        if !chosen.gamma_auto {
            return Err(Failure::wrong("--profile: it shows how gamma was estimated; add --gamma auto"));
        }
        if others.contains(&path) || refuse_to_overwrite([Some(path)], others).is_err() {
            return Err(Failure::wrong(format!(
                "--profile: {} is a file of this call already; name another one",
                path.display()
            )));
        }
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        let kind = match extension.as_deref().and_then(|extension| extension.to_str()) {
            Some("svg") => Kind::Svg,
            Some("png") if cfg!(feature = "png") => Kind::Png,
            Some("png") => {
                return Err(Failure::wrong(
                    "--profile: this build draws no PNG; build with `--features png`, or name a .svg",
                ));
            }
            _ => {
                check_table(path)?;
                Kind::Table
            }
        };
        Ok(Some(Profile { path: path.clone(), kind }))
    }

    /// Opens the file, before the work.
    fn begin(self) -> Result<Begun, Failure> {
        let schema =
            || Schema::new([("gamma".to_owned(), ColumnType::Float), ("unexplained".to_owned(), ColumnType::Float)]);
        let to = match self.kind {
            Kind::Svg => To::Picture { file: OutputFile::create(&self.path)?, png: false },
            Kind::Png => To::Picture { file: OutputFile::create(&self.path)?, png: true },
            Kind::Table => To::Table(create(&self.path, &schema())?),
        };
        Ok(Begun { path: self.path, to })
    }
}

struct Begun {
    path: PathBuf,
    to: To,
}

enum To {
    Picture { file: OutputFile, png: bool },
    Table(Box<dyn TableWriter>),
}

impl Begun {
    fn write(self, estimate: &GammaEstimate) -> Result<(), Failure> {
        match self.to {
            To::Table(mut writer) => {
                let (gamma, left) = estimate.profile.iter().copied().unzip();
                let columns = [Values::Float(gamma), Values::Float(left)].into_iter().map(Column::from).collect();
                writer.write(&Batch::from_columns(columns, 1))?;
                Ok(writer.finish()?)
            }
            To::Picture { mut file, png } => {
                let bytes = draw(estimate, png, &self.path)?;
                file.write_with(|to| to.write_all(&bytes))?;
                Ok(file.finish()?)
            }
        }
    }
}

fn draw(estimate: &GammaEstimate, png: bool, path: &Path) -> Result<Vec<u8>, Failure> {
    let points = |of: &mut dyn Iterator<Item = &(f64, f64)>| of.map(|&(x, y)| Point::new(x, y)).collect::<Vec<_>>();
    let inside = |(gamma, _): &&(f64, f64)| (estimate.low..=estimate.high).contains(gamma);
    let title = match estimate.identified {
        true => format!("γ = {}", rounded(estimate.gamma.get())),
        false => "γ: the data cannot tell".to_owned(),
    };
    let chart = LineChart::new(title, Axis::linear("γ").range(0.0, 1.0), Axis::linear("Rewards that shaping leaves"))
        .subtitle(format!(
            "What potential shaping with γ cannot explain, relative to the rewards around their mean. 95 % interval {}, {}",
            interval(estimate),
            freedom(estimate)
        ))
        .series(Series::new("All γ looked at", points(&mut estimate.profile.iter())))
        .series(Series::new("95 % interval", points(&mut estimate.profile.iter().filter(inside))));
    let failed = |e: FigureError| Failure::Failed(format!("{}: {e}", path.display()));
    if png { as_png(&chart).map_err(failed) } else { Ok(chart.to_svg().into_bytes()) }
}

#[cfg(feature = "png")]
fn as_png(chart: &LineChart) -> Result<Vec<u8>, FigureError> {
    chart.to_png(2.0)
}

#[cfg(not(feature = "png"))]
fn as_png(_: &LineChart) -> Result<Vec<u8>, FigureError> {
    unreachable!("refused when the arguments were read")
}

/// Estimates γ from all samples if that was asked for, puts it into the settings and says so where the data cannot tell.
pub fn settle<'a>(
    chosen: &mut Chosen,
    samples: impl IntoIterator<Item = &'a NamedSample>,
    profile: Option<Profile>,
) -> Result<(), Failure> {
    if !chosen.gamma_auto {
        return Ok(());
    }
    let begun = profile.map(Profile::begin).transpose()?;
    let references: Vec<&RewardSample> = samples.into_iter().map(|named| &named.sample).collect();
    let estimate = estimate_gamma(&references);
    chosen.settings.gamma = taken(&estimate);
    if !estimate.identified {
        let why = match estimate.degrees_of_freedom {
            0 => "shaping with any gamma explains all rewards (no degrees of freedom are left)".to_owned(),
            _ => format!("the 95 % interval is {}", interval(&estimate)),
        };
        print::warn(&format!(
            "--gamma auto: the data cannot tell gamma: {why}; {} is used: give the one that the rewards were made for",
            chosen.settings.gamma.get()
        ));
    } else if estimate.degrees_of_freedom < FEW_COMMON {
        print::warn(&format!("--gamma auto: gamma is estimated from {}: few", freedom(&estimate)));
    }
    if let Some(begun) = begun {
        begun.write(&estimate)?;
    }
    chosen.gamma_estimate = Some(estimate);
    Ok(())
}

/// The γ that is taken: four digits are more than data can tell, and can be given again as a number.
pub fn taken(estimate: &GammaEstimate) -> Gamma {
    Gamma::new(rounded(estimate.gamma.get())).unwrap_or(estimate.gamma)
}

/// γ as a line of text tells it.
pub fn in_words(chosen: &Chosen) -> String {
    let gamma = chosen.settings.gamma.get();
    match &chosen.gamma_estimate {
        None => format!("gamma {gamma}"),
        Some(estimate) if estimate.identified => {
            format!("gamma {gamma} (estimated; 95 % interval {}, {})", interval(estimate), freedom(estimate))
        }
        Some(estimate) => format!("gamma {gamma} (the data cannot tell; {})", freedom(estimate)),
    }
}

/// Tells an estimated γ on standard error, for commands whose output is a table.
pub fn note(chosen: &Chosen) {
    if chosen.gamma_estimate.as_ref().is_some_and(|estimate| estimate.identified) {
        print::note(&in_words(chosen));
    }
}

/// What JSON tells about the estimate; null where γ was given.
pub fn as_json(estimate: &Option<GammaEstimate>) -> Value {
    estimate.as_ref().map_or(Value::Null, |estimate| {
        json!({
            "low": rounded(estimate.low), "high": rounded(estimate.high), "identified": estimate.identified,
            "degrees_of_freedom": estimate.degrees_of_freedom,
        })
    })
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn interval(estimate: &GammaEstimate) -> String {
    format!("{:.3} to {:.3}", estimate.low, estimate.high)
}

fn freedom(estimate: &GammaEstimate) -> String {
    print::counted(estimate.degrees_of_freedom, "degree of freedom", "degrees of freedom")
}
