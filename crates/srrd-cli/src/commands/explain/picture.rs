//! Where two rewards of a grid world differ, as a picture.

use crate::failure::Failure;
use srrd::NamedSample;
use srrd::{Explanation, Token};
use srrd_show::{Arrow, FigureError, GridPicture};
use std::collections::BTreeMap;

/// Most cells a side: a picture with more could not be read.
const MOST: i64 = 200;

/// The cells of a grid world: states with the features x and y, whole numbers from 0 up.
pub struct Grid {
    /// The places of x and y among the features.
    features: [usize; 2],
    width: usize,
    height: usize,
}

impl Grid {
    /// # Errors
    /// The states of the sample are no cells.
    pub fn new(named: &NamedSample) -> Result<Self, Failure> {
        let wrong = |why: &str| {
            Failure::wrong(format!(
                "--plot: {}: {why}; a grid world is drawn from the columns state.x, state.y, next_state.x and next_state.y",
                named.name
            ))
        };
        if named.one_step {
            return Err(wrong("there are no next states, so no steps to draw"));
        }
        let Some(names) = &named.state_features else { return Err(wrong("states are tokens here")) };
        let place = |name: &str| names.iter().position(|n| n == name);
        let (Some(x), Some(y)) = (place("x"), place("y")) else {
            return Err(wrong(&format!("states have the features {}, but not x and y", names.join(", "))));
        };
        let mut grid = Grid { features: [x, y], width: 1, height: 1 };
        for state in named.sample.states().iter() {
            let Some((x, y)) = grid.cell(state) else {
                return Err(wrong(&format!(
                    "the state {state} is no cell: x and y must be whole numbers from 0 to {}",
                    MOST - 1
                )));
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
            (value.fract() == 0.0 && (0.0..MOST as f64).contains(&value)).then_some(value as usize)
        });
        Some((x?, y?))
    }

    /// The share that starts in every cell, and the share of every step to a neighbouring one, below 0 where the second reward is
    /// the larger one. Of several steps between the same cells the largest is drawn.
    pub fn draw(
        &self,
        a: &NamedSample,
        b: &NamedSample,
        explanation: &Explanation,
    ) -> Result<GridPicture, FigureError> {
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
        let distance = explanation.comparison.distance().unwrap_or(0.0);
        let mut subtitle = format!(
            "Distance {distance:.3}. A cell: all that starts there. An arrow: one step, orange where A gives more, blue where B does."
        );
        if far > 0 {
            let (steps, lead) = if far == 1 { ("transition", "leads") } else { ("transitions", "lead") };
            subtitle += &format!(" {far} {steps} that {lead} farther: in the cells only.");
        }
        let arrows = arrows.into_iter().map(|((x, y, dx, dy), value)| Arrow::new(x, y, dx, dy, value)).collect();
        GridPicture::new(format!("Where {} (A) and {} (B) differ", a.name, b.name), self.width, self.height, cells)?
            .arrows(arrows)
            .map(|picture| picture.diverging().rows_from_top().subtitle(subtitle).value_label("share in %"))
    }
}
