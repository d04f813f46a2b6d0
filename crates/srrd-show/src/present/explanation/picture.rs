//! The picture that fits the states: a grid world, a map of features, or bars.

use srrd::NamedSample;
use srrd::explain::Explanation;

use super::grid::Grid;
use super::map;
use crate::chart::{Axis, Bar, BarChart, GridPicture, MapPicture};
use crate::words::token;
use crate::{Drawing, Figure, FigureError, escape};

/// So many states of no features are drawn as bars.
const BARS: usize = 12;

/// Which picture shows where two samples differ.
#[derive(Clone, Debug)]
pub enum Picture {
    /// States are cells of a grid.
    Grid(Grid),
    /// States have features that vary: a map of two of them, or of their two main directions.
    Map,
    /// States are nothing but names.
    Bars,
}

/// A picture of where two samples differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Pictured {
    /// A grid world.
    Grid(GridPicture),
    /// A map of features.
    Map(MapPicture),
    /// Bars of the states that carry most.
    Bars(BarChart),
}

impl Picture {
    /// The picture that fits the states of a sample.
    pub fn of(named: &NamedSample) -> Self {
        match Grid::new(named) {
            Ok(grid) => Picture::Grid(grid),
            Err(_) if map::varying(named) > 0 => Picture::Map,
            Err(_) => Picture::Bars,
        }
    }

    /// Draws what an explanation of two samples says.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn draw(&self, pair: [&NamedSample; 2], explanation: &Explanation) -> Result<Pictured, FigureError> {
        Ok(match self {
            Picture::Grid(grid) => Pictured::Grid(grid.picture(pair, explanation)?),
            Picture::Map => Pictured::Map(map::picture(pair, explanation)),
            Picture::Bars => Pictured::Bars(bars(pair, explanation)),
        })
    }
}

impl Pictured {
    fn figure(&self) -> &dyn Figure {
        match self {
            Pictured::Grid(picture) => picture,
            Pictured::Map(picture) => picture,
            Pictured::Bars(picture) => picture,
        }
    }
}

impl Figure for Pictured {
    fn title(&self) -> &str {
        self.figure().title()
    }

    fn draw(&self) -> Drawing {
        self.figure().draw()
    }
}

pub(super) fn title([a, b]: [&NamedSample; 2]) -> String {
    format!("Where {} (A) and {} (B) differ", escape::shown(&a.name), escape::shown(&b.name))
}

/// The states that carry most, as bars of one grey: shares have no sign.
fn bars(pair: [&NamedSample; 2], explanation: &Explanation) -> BarChart {
    const SERIES: &str = "what starts there";
    // Black, the last of the colours, which no metric has.
    let mut chart = BarChart::new(title(pair), Axis::linear("share of the squared distance (%)"))
        .color_index(SERIES, 6)
        .pale(SERIES);
    let distance = explanation.distance.distance().unwrap_or(0.0);
    let carrying = explanation.states.iter().filter(|state| state.starting > 0.0);
    let (all, shown) = (carrying.clone().count(), carrying.take(BARS));
    for state in shown {
        let name = token(pair[0].sample.states().token(state.state));
        chart = chart.group(name, vec![Bar::new(SERIES, 100.0 * state.starting)]);
    }
    let of = if all > BARS { format!(" The {BARS} states of {all} that carry most.") } else { String::new() };
    chart.subtitle(format!("Distance {distance:.3}. A bar: all transitions that start in the state.{of}"))
}
