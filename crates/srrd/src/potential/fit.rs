//! Weights that are fitted with some of the rows left out, for every basis of a nest at once.

use super::basis::Row;
use super::design::Design;
use super::factor::Factor;

/// What some rows add to the equations.
pub(super) struct Fold {
    pub rows: Vec<Row>,
    /// What is fitted, all values of a row side by side.
    pub values: Vec<f64>,
    sides: usize,
    gram: Vec<f64>,
    right: Vec<f64>,
}

impl Fold {
    /// Of some of the rows, by number; a row has so many values.
    pub fn new(design: &Design, rows: &[Row], values: &[f64], sides: usize, numbers: &[u32]) -> Self {
        let rows: Vec<Row> = numbers.iter().map(|&i| rows[i as usize]).collect();
        let mut values: Vec<f64> =
            numbers.iter().flat_map(|&i| &values[sides * i as usize..][..sides]).copied().collect();
        let gram = design.gram(&rows);
        let right = design.subtract(&rows, None, &mut values, sides);
        Fold { rows, values, sides, gram, right }
    }
}

/// The weights that are fitted on all parts but one, by class and side: one column for each side of the first class, then of the next.
///
/// The squared lengths of functions from class `ridged` on are increased by a part of them.
pub(super) fn without(design: &Design, parts: &[Fold], left_out: usize, ridge: f64, ridged: usize) -> Vec<f64> {
    let (width, classes) = (design.basis.len(), design.basis.classes());
    let (count, of_row) = (design.basis.levels().len() + 1, parts[left_out].sides);
    let add = |of: fn(&Fold) -> &[f64], length: usize| {
        let mut sum = vec![0.0; length];
        for (_, part) in parts.iter().enumerate().filter(|(i, _)| *i != left_out) {
            sum.iter_mut().zip(of(part)).for_each(|(sum, value)| *sum += value);
        }
        sum
    };
    let mut gram = add(|part| &part.gram, width * width);
    for (j, class) in classes.iter().enumerate() {
        gram[j * width + j] *= if *class >= ridged { 1.0 + ridge } else { 1.0 };
    }
    let factor = Factor::new(&gram, &classes);
    let right = add(|part| &part.right, width * of_row);
    let sides = of_row * count;
    let mut weights = vec![0.0; width * sides];
    for side in 0..of_row {
        let right: Vec<f64> = right.iter().skip(side).step_by(of_row).copied().collect();
        for class in 0..count {
            let column = factor.solve(&right, class);
            column.iter().enumerate().for_each(|(j, weight)| weights[j * sides + of_row * class + side] = *weight);
        }
    }
    weights
}
