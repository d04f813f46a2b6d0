//! What happened in every iteration, as a table and as a picture.

use crate::failure::Failure;
use crate::outputs::check_table;
use crate::picture::{Picture, extension};
use srrd_data::{Batch, Column, ColumnType, OutputFile, Schema, TableWriter, TextColumn, Values, create};
use srrd_irl::{Iterate, Learned, Method};
use srrd_show::{Axis, FigureError, LineChart, Point, Series};
use std::path::PathBuf;

/// So many sets get a line of their own in a picture.
const LINES: usize = 8;

/// Where traces go.
pub struct Traces(Vec<Output>);

enum Output {
    Table(PathBuf),
    Picture(Picture),
}

/// Traces whose files are begun.
pub struct Begun(Vec<BegunOutput>);

enum BegunOutput {
    Table(Box<dyn TableWriter>),
    Picture(Picture, OutputFile),
}

/// The numbers of an iteration, by column.
type Numbers = [(&'static str, fn(&Iterate) -> Option<f64>); 5];
const NUMBERS: Numbers = [
    ("objective", |iterate| Some(iterate.objective)),
    ("gradient", |iterate| iterate.gradient),
    ("distance", |iterate| iterate.distance),
    ("accuracy", |iterate| iterate.accuracy),
    ("returns", |iterate| iterate.returns),
];

impl Traces {
    pub fn checked(paths: &[PathBuf]) -> Result<Self, Failure> {
        let output = |path: &PathBuf| match extension(path).as_deref() {
            Some("svg" | "png") => Ok(Output::Picture(Picture::new("--trace", path)?)),
            _ => check_table(path).map(|()| Output::Table(path.clone())),
        };
        paths.iter().map(output).collect::<Result<_, _>>().map(Traces)
    }

    pub fn begin(self) -> Result<Begun, Failure> {
        let begin = |output: Output| -> Result<BegunOutput, Failure> {
            Ok(match output {
                Output::Table(path) => {
                    let columns = [("sample", ColumnType::Text), ("iteration", ColumnType::Int)].into_iter();
                    let numbers = NUMBERS.iter().map(|number| (number.0, ColumnType::Float));
                    BegunOutput::Table(create(&path, &Schema::new(columns.chain(numbers)))?)
                }
                Output::Picture(picture) => {
                    let file = picture.begin()?;
                    BegunOutput::Picture(picture, file)
                }
            })
        };
        self.0.into_iter().map(begin).collect::<Result<_, _>>().map(Begun)
    }
}

impl Begun {
    pub fn write(self, method: Method, learned: &[Learned]) -> Result<(), Failure> {
        for output in self.0 {
            match output {
                BegunOutput::Table(mut writer) => {
                    writer.write(&rows(learned))?;
                    writer.finish()?;
                }
                BegunOutput::Picture(picture, file) => {
                    picture.write(file, Ok::<_, FigureError>(chart(method, learned)))?
                }
            }
        }
        Ok(())
    }
}

fn rows(learned: &[Learned]) -> Batch {
    let all = || learned.iter().flat_map(|one| one.trace.iter().map(|iterate| (one.sample.name.as_str(), iterate)));
    let names: TextColumn = all().map(|(name, _)| name).collect();
    let iterations = all().map(|(_, iterate)| iterate.iteration as i64).collect();
    let mut columns = vec![Column::from(Values::Text(names)), Values::Int(iterations).into()];
    for (_, number) in NUMBERS {
        let numbers: Vec<Option<f64>> = all().map(|(_, iterate)| number(iterate).filter(|n| n.is_finite())).collect();
        let validity = numbers.contains(&None).then(|| numbers.iter().map(Option::is_some).collect());
        columns.push(Column::new(Values::Float(numbers.iter().map(|n| n.unwrap_or(0.0)).collect()), validity));
    }
    Batch::from_columns(columns, 1)
}

/// The distance of every iteration's reward from that of the one before: a line for every set, or the middle one and the extremes of
/// many.
fn chart(method: Method, learned: &[Learned]) -> LineChart {
    let title = format!("{}: how rewards settle", method.info().title);
    let mut chart = LineChart::new(title, Axis::linear("iteration"), Axis::log("distance from the iteration before"));
    let points = |one: &Learned| -> Vec<Point> {
        let found = one.trace.iter().filter_map(|iterate| Some((iterate.iteration, iterate.distance?)));
        found.map(|(iteration, distance)| Point::new(iteration as f64, distance)).collect()
    };
    if learned.len() <= LINES {
        for one in learned {
            chart = chart.series(Series::new(&one.sample.name, points(one)));
        }
        return chart;
    }
    let longest = learned.iter().map(|one| one.trace.len()).max().unwrap_or(0);
    let mut middle = Vec::new();
    for iteration in 0..longest {
        let mut distances: Vec<f64> =
            learned.iter().filter_map(|one| one.trace.get(iteration)?.distance).filter(|d| *d > 0.0).collect();
        distances.sort_by(f64::total_cmp);
        if let (Some(&low), Some(&high)) = (distances.first(), distances.last()) {
            middle.push(Point::new(iteration as f64 + 1.0, distances[distances.len() / 2]).interval(low, high));
        }
    }
    chart.series(Series::new(format!("median of {} sets, and extremes", learned.len()), middle))
}
