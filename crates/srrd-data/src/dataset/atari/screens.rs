//! Pictures of the screen as few numbers: grey, averaged over areas, and then principal components.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::discretize::{Components, Rows, principal_components};
use crate::error::{ErrorKind, TableError};

/// A picture is averaged over at most so many areas along each side: components of more numbers take minutes.
const SIDE: usize = 16;
/// More pixels than any screen of the data set has.
const MOST_PIXELS: usize = 1 << 22;
/// Components are fitted on at most so many pictures, evenly spread.
const FITTED: usize = 3000;

/// Principal components of pictures.
pub(super) struct Screens {
    components: Components,
    /// How many numbers a picture has before.
    width: usize,
}

impl Screens {
    /// Fits so many components as asked for, or `usual` as far as there are so many.
    pub fn fit(name: &str, pictures: &[PathBuf], wanted: Option<usize>, usual: usize) -> Result<Self, TableError> {
        let stride = pictures.len().div_ceil(FITTED).max(1);
        let mut rows = Rows::default();
        for path in pictures.iter().step_by(stride) {
            srrd::run::checkpoint();
            let picture = grey(path)?;
            if rows.width != 0 && rows.width != picture.len() {
                return Err(other_size(path));
            }
            rows.width = picture.len();
            rows.values.extend(picture);
        }
        let count = wanted.unwrap_or_else(|| usual.min(rows.width).min(rows.len()));
        let width = rows.width;
        let fitted = principal_components(&rows, count);
        let components =
            fitted.map_err(|what| TableError::new(ErrorKind::Usage, name, format!("components: {what}")))?;
        Ok(Screens { components, width })
    }

    pub fn components(&self) -> usize {
        self.components.count()
    }

    /// The share of the variance of pictures that the components hold, in percent.
    pub fn explained(&self) -> u8 {
        (100.0 * self.components.explained()).round() as u8
    }

    /// Pictures as components, one behind the other.
    pub fn project(&self, name: &str, pictures: Vec<Vec<f64>>) -> Result<Vec<f64>, TableError> {
        if pictures.iter().any(|picture| picture.len() != self.width) {
            return Err(other_size(Path::new(name)));
        }
        Ok(self.components.project(&Rows { width: self.width, values: pictures.concat() }).values)
    }
}

fn other_size(path: &Path) -> TableError {
    let what = "its picture has another size than those before it; pictures of one game have one size";
    TableError::new(ErrorKind::Ragged, path.display().to_string(), what)
}

/// The grey levels of a picture, averaged over areas, row after row.
pub(super) fn grey(path: &Path) -> Result<Vec<f64>, TableError> {
    let name = || path.display().to_string();
    let file = File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let what = "there is no such picture; take frames that have one by the option `every`";
            TableError::new(ErrorKind::NotFound, name(), what)
        }
        _ => TableError::io(name(), "read", &error),
    })?;
    let wrong = |error: &dyn std::fmt::Display| {
        TableError::new(ErrorKind::Malformed, name(), format!("it is no whole PNG picture: {error}"))
    };
    let limits = png::Limits { bytes: 64 << 20 };
    let mut decoder = png::Decoder::new_with_limits(BufReader::new(file), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| wrong(&error))?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if width.saturating_mul(height) > MOST_PIXELS {
        return Err(wrong(&format!("{width} × {height} pixels are too many")));
    }
    let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| wrong(&"it is too large"))?];
    let info = reader.next_frame(&mut bytes).map_err(|error| wrong(&error))?;
    let samples = info.color_type.samples();
    let level = |pixel: &[u8]| match pixel {
        // As the eye weighs colours.
        [red, green, blue, ..] => 0.299 * f64::from(*red) + 0.587 * f64::from(*green) + 0.114 * f64::from(*blue),
        [grey, ..] => f64::from(*grey),
        [] => 0.0,
    };
    let levels: Vec<f64> = bytes[..info.buffer_size()].chunks_exact(samples).map(level).collect();
    if width == 0 || levels.len() != width * height {
        return Err(wrong(&"pixels are missing"));
    }
    Ok(averaged(&levels, width, height))
}

fn averaged(levels: &[f64], width: usize, height: usize) -> Vec<f64> {
    let (across, down) = (width.min(SIDE), height.min(SIDE));
    let (mut sums, mut counts) = (vec![0.0; across * down], vec![0.0; across * down]);
    for (at, level) in levels.iter().enumerate() {
        let area = (at / width) * down / height * across + (at % width) * across / width;
        sums[area] += level;
        counts[area] += 1.0;
    }
    sums.iter().zip(counts).map(|(sum, count)| sum / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_means_of_their_pixels() {
        let levels: Vec<f64> = (0..32 * 32).map(|at| f64::from(at % 32 >= 16)).collect();
        let areas = averaged(&levels, 32, 32);
        assert_eq!(areas.len(), 256);
        assert!(areas.chunks(16).all(|row| row[..8] == [0.0; 8] && row[8..] == [1.0; 8]));
        assert_eq!(averaged(&[1.0, 2.0, 3.0, 4.0], 2, 2), [1.0, 2.0, 3.0, 4.0]);
    }
}
