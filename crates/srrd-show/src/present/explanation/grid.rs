//! A picture of a grid world.

use std::collections::BTreeMap;

use srrd::explain::Explanation;
use srrd::{NamedSample, Token};

use crate::FigureError;
use crate::chart::{Arrow, GridPicture};

/// Most cells along a side: a picture with more could not be read.
const MOST_CELLS: i64 = 200;

/// The cells of a grid world: states with the features x and y, whole numbers from 0 up.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The places of x and y among the features.
    features: [usize; 2],
    width: usize,
    height: usize,
}

impl Grid {
    /// The grid of a sample.
    ///
    /// # Errors
    /// Why its states are no cells.
    pub fn new(named: &NamedSample) -> Result<Self, String> {
        if named.one_step {
            return Err("there are no next states, so no steps to draw".to_owned());
        }
        let Some(names) = &named.state_features else { return Err("states are tokens here".to_owned()) };
        let place = |name: &str| names.iter().position(|n| n == name);
        let (Some(x), Some(y)) = (place("x"), place("y")) else {
            return Err(format!("states have the features {}, but not x and y", names.join(", ")));
        };
        let mut grid = Grid { features: [x, y], width: 1, height: 1 };
        for state in named.sample.states().iter() {
            let Some((x, y)) = grid.cell(state) else {
                let most = MOST_CELLS - 1;
                return Err(format!("the state {state} is no cell: x and y must be whole numbers from 0 to {most}"));
            };
            grid.width = grid.width.max(x + 1);
            grid.height = grid.height.max(y + 1);
        }
        Ok(grid)
    }

    /// Column and row of a state, if it has any.
    fn cell(&self, state: Token<'_>) -> Option<(usize, usize)> {
        let features = state.as_features()?;
        let [x, y] = self.features.map(|place| {
            let value = *features.get(place)?;
            (value.fract() == 0.0 && (0.0..MOST_CELLS as f64).contains(&value)).then_some(value as usize)
        });
        Some((x?, y?))
    }

    /// The share that starts in every cell, and the share of every step to a neighbouring one, below 0 where the second reward is
    /// the larger one. Of several steps between the same cells the largest is drawn.
    ///
    /// # Errors
    /// When the picture cannot be drawn.
    pub fn picture(&self, pair: [&NamedSample; 2], explanation: &Explanation) -> Result<GridPicture, FigureError> {
        let [a, _] = pair;
        let mut cells = vec![f64::NAN; self.width * self.height];
        let mut arrows: BTreeMap<(usize, usize, i32, i32), f64> = BTreeMap::new();
        let mut far = 0;
        for contribution in &explanation.transitions {
            let transition = a.sample.transition(contribution.a as usize);
            let (Some(from), Some(to)) = (self.cell(transition.state), self.cell(transition.next_state)) else {
                continue;
            };
            let value = 100.0 * contribution.share;
            let cell = &mut cells[from.1 * self.width + from.0];
            *cell = if cell.is_nan() { value } else { *cell + value };
            // Cells are numbered below 200.
            let (dx, dy) = (to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32);
            if dx.abs() > 1 || dy.abs() > 1 {
                far += 1;
                continue;
            }
            // The largest comes first.
            arrows.entry((from.0, from.1, dx, dy)).or_insert(value.copysign(contribution.difference));
        }
        let distance = explanation.distance.distance().unwrap_or(0.0);
        let mut subtitle = format!(
            "Distance {distance:.3}. A cell: all that starts there. An arrow: one step to a neighbouring cell."
        );
        if far > 0 {
            let (steps, lead) = if far == 1 { ("transition", "leads") } else { ("transitions", "lead") };
            subtitle += &format!(" {far} {steps} that {lead} farther: in the cells only.");
        }
        let arrows = arrows.into_iter().map(|((x, y, dx, dy), value)| Arrow::new(x, y, dx, dy, value)).collect();
        let title = super::picture::title(pair);
        let picture = GridPicture::new(title, self.width, self.height, cells)?.arrows(arrows)?;
        Ok(picture.subtitle(subtitle).labels(
            "cells: share of the squared distance, in %",
            "arrows: share in %, orange where A gives more, blue where B does",
        ))
    }
}
