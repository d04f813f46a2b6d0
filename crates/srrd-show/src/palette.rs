//! Colours that stay apart for colour-blind readers and in grey print.

/// A colour as red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// Ink of text and axis lines.
pub(crate) const INK: &str = "#222222";
/// Ink of secondary text.
pub(crate) const FAINT_INK: &str = "#5a5a5a";
/// Background of cells without a value; the colour map has no grey.
pub(crate) const UNDEFINED: Rgb = [222, 222, 222];
/// The same in cells of a few pixels, where a lighter grey would look white.
pub(crate) const UNDEFINED_SMALL: Rgb = [190, 190, 190];
/// Hatching on [`UNDEFINED`].
pub(crate) const HATCH: Rgb = [130, 130, 130];
/// Samples of the classes for which there is no colour left.
pub(crate) const OTHER: Rgb = [170, 170, 170];

/// Seventeen colours from dark indigo over teal to yellow, at equal steps of OKLab distance
/// and rising lightness (both tested below). A table rather than the conversion itself, so that
/// no machine's `powf` can change a byte of a figure.
pub(crate) const SEQUENTIAL: [Rgb; 17] = [
    [34, 20, 67],
    [40, 31, 89],
    [45, 44, 110],
    [47, 60, 127],
    [43, 78, 137],
    [36, 95, 145],
    [30, 112, 151],
    [28, 129, 155],
    [33, 146, 155],
    [42, 162, 152],
    [58, 177, 145],
    [86, 190, 136],
    [123, 200, 122],
    [159, 208, 106],
    [192, 217, 93],
    [224, 226, 93],
    [254, 235, 99],
];

/// The colour of `value` in `[0, 1]`; values outside take the nearest end.
pub(crate) fn sequential(value: f64) -> Rgb {
    along(&SEQUENTIAL, value)
}

/// The colour at a share of the way through a table of colours.
fn along(table: &[Rgb], share: f64) -> Rgb {
    let place = share.clamp(0.0, 1.0) * (table.len() - 1) as f64;
    let below = (place as usize).min(table.len() - 2);
    mix(table[below], table[below + 1], place - below as f64)
}

/// From blue over near-white to orange, darker towards both ends: pairs at equal distance from the
/// middle are equally light, so that only hue tells the sign.
const DIVERGING: [Rgb; 7] =
    [[16, 64, 130], [56, 124, 196], [150, 192, 230], [247, 247, 245], [243, 172, 108], [190, 90, 10], [116, 42, 0]];

/// The colour of `share` in `[0, 1]`, white at one half; values outside take the nearest end.
pub(crate) fn diverging(share: f64) -> Rgb {
    along(&DIVERGING, share)
}

/// A grey for `share` in `[0, 1]`, from nearly white to one that black outlines and coloured marks still show on.
pub(crate) fn neutral(share: f64) -> Rgb {
    along(&[[250; 3], [118; 3]], share)
}

/// Okabe and Ito's eight colours, the most different first and black last.
const CATEGORICAL: [Rgb; 8] = [
    [230, 159, 0],
    [0, 114, 178],
    [0, 158, 115],
    [204, 121, 167],
    [86, 180, 233],
    [213, 94, 0],
    [240, 228, 66],
    [0, 0, 0],
];

/// How many categories have a colour of their own.
pub(crate) const CATEGORIES: usize = 3 * CATEGORICAL.len();

/// The colour of category `index`: eight colours, then the same eight paler, then darker.
pub(crate) fn categorical(index: usize) -> Rgb {
    let base = CATEGORICAL[index % CATEGORICAL.len()];
    match index / CATEGORICAL.len() {
        0 => base,
        1 => mix(base, [255, 255, 255], 0.55),
        2 => mix(base, [90, 90, 90], 0.5),
        _ => OTHER,
    }
}

/// Okabe and Ito's colours without yellow, which lines and marks on white do not show; the ones that
/// differ most first.
const ON_WHITE: [Rgb; 7] =
    [[0, 114, 178], [213, 94, 0], [0, 158, 115], [204, 121, 167], [230, 159, 0], [86, 180, 233], [0, 0, 0]];

/// How many colours there are for lines and marks.
pub(crate) const INKS: usize = ON_WHITE.len();

/// The colour of lines and marks number `index`; they repeat after [`INKS`].
pub(crate) fn ink(index: usize) -> Rgb {
    ON_WHITE[index % INKS]
}

/// The number of the colour that a metric has in every chart, if `name` is that of a metric, alone or before something
/// that is not a letter or digit: `SRRD`, `srrd, unbiased`.
///
/// ```
/// use srrd_show::chart::metric_color;
///
/// assert_eq!(metric_color("SRRD, unbiased"), metric_color("srrd"));
/// assert_eq!(metric_color("directed"), None);
/// ```
pub fn metric_color(name: &str) -> Option<usize> {
    let word = name.trim_start().split(|character: char| !character.is_alphanumeric()).next()?;
    // In the order of the colours.
    srrd::METRICS.iter().position(|info| info.name.eq_ignore_ascii_case(word))
}

fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|channel| {
        let (from, to) = (f64::from(from[channel]), f64::from(to[channel]));
        (from + (to - from) * share).round() as u8
    })
}

/// `#rrggbb`.
pub(crate) fn hex(colour: Rgb) -> String {
    let [red, green, blue] = colour;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Black or white, whichever contrasts more with `ground` (WCAG relative luminance).
pub(crate) fn ink_on(ground: Rgb) -> &'static str {
    let light = luminance(ground) + 0.05;
    if 1.05 / light > light / 0.05 { "#ffffff" } else { "#000000" }
}

fn luminance(colour: Rgb) -> f64 {
    let [red, green, blue] = colour.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn linear(channel: u8) -> f64 {
    let value = f64::from(channel) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// OKLab coordinates (Ottosson 2020).
    fn oklab(colour: Rgb) -> [f64; 3] {
        let [r, g, b] = colour.map(linear);
        let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
        let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
        let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
        [
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
        ]
    }

    fn apart(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (oklab(a), oklab(b));
        (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn sequential_steps_look_equal_and_lighten() {
        for pair in SEQUENTIAL.windows(2) {
            let step = apart(pair[0], pair[1]);
            assert!((0.047..0.054).contains(&step), "{pair:?}: {step}");
            assert!(oklab(pair[1])[0] - oklab(pair[0])[0] > 0.03, "{pair:?}");
        }
    }

    #[test]
    fn sequential_ends_and_middle() {
        assert_eq!(sequential(0.0), SEQUENTIAL[0]);
        assert_eq!(sequential(-3.0), SEQUENTIAL[0]);
        assert_eq!(sequential(0.5), SEQUENTIAL[8]);
        assert_eq!(sequential(1.0), SEQUENTIAL[16]);
        assert_eq!(sequential(7.0), SEQUENTIAL[16]);
    }

    #[test]
    fn diverging_colours_lighten_towards_the_middle_on_both_sides() {
        let light = |index: usize| oklab(DIVERGING[index])[0];
        for (index, other) in [(0, 6), (1, 5), (2, 4)] {
            assert!(light(index + 1) - light(index) > 0.1, "{index}: {}", light(index + 1) - light(index));
            assert!(light(other - 1) - light(other) > 0.1, "{other}");
            assert!((light(index) - light(other)).abs() < 0.05, "{index} {}", light(index) - light(other));
        }
        assert_eq!(diverging(0.5), DIVERGING[3]);
        assert_eq!((diverging(-1.0), diverging(2.0)), (DIVERGING[0], DIVERGING[6]));
    }

    #[test]
    fn undefined_is_no_colour_of_the_map() {
        for step in 0..=100 {
            let colour = sequential(f64::from(step) / 100.0);
            assert!(apart(colour, UNDEFINED) > 0.1);
            assert!(apart(colour, UNDEFINED_SMALL) > 0.1);
        }
    }

    #[test]
    fn text_on_cells_is_readable() {
        for step in 0..=100 {
            let ground = sequential(f64::from(step) / 100.0);
            let light = luminance(ground) + 0.05;
            let contrast = match ink_on(ground) {
                "#ffffff" => 1.05 / light,
                _ => light / 0.05,
            };
            assert!(contrast >= 4.5, "{ground:?}: {contrast}");
        }
    }

    #[test]
    fn categories_differ() {
        for a in 0..CATEGORIES {
            for b in 0..a {
                let distance = apart(categorical(a), categorical(b));
                assert!(distance > 0.04, "{a} and {b}: {distance}");
            }
        }
    }
}
