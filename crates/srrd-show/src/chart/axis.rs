//! Axes: what was asked for, and what it comes to with the data.

use super::numbers::{quantity, reading, short};
use crate::font::Font;
use crate::ticks::{Tick, linear_cover, linear_ticks, log_cover, log_ticks};

/// How values become positions along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; values must be positive.
    Log,
}

/// An axis: its label, with the unit in brackets at its end (`Coverage (%)`), its scale and, if
/// it is not to come from the data, its range.
///
/// ```
/// use srrd_show::chart::{Axis, Scale};
///
/// let coverage = Axis::log("Coverage (%)");
/// let distance = Axis::linear("Distance").range(0.0, 1.0);
/// assert_eq!((coverage.scale(), distance.label()), (Scale::Log, "Distance"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    label: String,
    scale: Scale,
    range: Option<(f64, f64)>,
}

/// Nothing larger is drawn, so that no difference or ratio overflows.
const LARGEST: f64 = 1e150;

impl Axis {
    /// An axis on which equal differences are equally far apart.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// An axis on which equal ratios are equally far apart. Values of 0 and below cannot be drawn.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log, range: None }
    }

    /// Shows `low` to `high`; points outside are left out, lines are cut off at the border.
    ///
    /// Two values that span no range (not finite, equal, or not positive on a logarithmic axis)
    /// leave the range to the data. The order of the two does not matter.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        let (low, high) = (low.min(high), low.max(high));
        let distinct = high - low > high.abs().max(low.abs()) * 1e-12;
        self.range = (self.drawable(low) && self.drawable(high) && distinct).then_some((low, high));
        self
    }

    /// The label.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The scale.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Whether a value has a place on axes of this scale.
    pub(super) fn drawable(&self, value: f64) -> bool {
        match self.scale {
            Scale::Linear => value.abs() <= LARGEST,
            Scale::Log => (1.0 / LARGEST..=LARGEST).contains(&value),
        }
    }

    /// Whether a value is within the range, if there is one, or will be once the axis counts it in.
    pub(super) fn shows(&self, value: f64) -> bool {
        self.drawable(value) && self.range.is_none_or(|(low, high)| (low..=high).contains(&value))
    }

    /// Whether one range can serve both axes: they show the same quantity in the same way.
    pub(super) fn comparable(&self, other: &Axis) -> bool {
        self == other
    }

    /// The axis for data of that extent, with at most `most` ticks.
    pub(super) fn place(&self, extent: &Extent, most: usize) -> Placed {
        let (low, high) = match (self.range, extent.range()) {
            (Some(range), _) => range,
            (None, None) => match self.scale {
                Scale::Linear => (0.0, 1.0),
                Scale::Log => (1.0, 10.0),
            },
            (None, Some((low, high))) => match self.scale {
                Scale::Linear => {
                    let (low, high) = widened(low, high);
                    linear_cover(low, high, most)
                }
                Scale::Log => log_cover(low, high),
            },
        };
        let ticks = match self.scale {
            Scale::Linear => linear_ticks(low, high, most),
            Scale::Log => log_ticks(low, high, most),
        };
        Placed { scale: self.scale, low, high, ticks, quantity: quantity(&self.label) }
    }

    /// The axis laid across `length` pixels with as many ticks as have room for their labels.
    pub(super) fn place_across(&self, extent: &Extent, length: f64, font: Font) -> Placed {
        const APART: f64 = 10.0;
        let fits = |placed: &Placed| {
            let spans: Vec<(f64, f64)> = placed
                .ticks
                .iter()
                .map(|tick| {
                    let (middle, half) = (placed.share(tick.value) * length, font.width(&tick.label) / 2.0);
                    (middle - half, middle + half)
                })
                .collect();
            spans.windows(2).all(|pair| pair[0].1 + APART <= pair[1].0)
        };
        let most = match self.scale {
            Scale::Linear => 8,
            Scale::Log => 14,
        };
        (2..=most)
            .rev()
            .map(|most| self.place(extent, most))
            .find(fits)
            .unwrap_or_else(|| Placed { ticks: Vec::new(), ..self.place(extent, 2) })
    }
}

/// The range of data as an axis shows it: with some room if it is a single value, from zero if
/// zero is near.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    let (low, high) = if high - low <= size * 1e-9 || high - low < 1.0 / LARGEST {
        let room = if size < 1.0 / LARGEST { 1.0 } else { size * 0.5 };
        (low - room, high + room)
    } else {
        (low, high)
    };
    if low > 0.0 && low <= 0.5 * high {
        (0.0, high)
    } else if high < 0.0 && high >= 0.5 * low {
        (low, 0.0)
    } else {
        (low, high)
    }
}

/// The smallest and largest of some values.
#[derive(Debug, Clone, Default)]
pub(super) struct Extent(Option<(f64, f64)>);

impl Extent {
    /// Counts `value` in if the axis can show it.
    pub(super) fn add(&mut self, axis: &Axis, value: f64) {
        if axis.drawable(value) {
            self.0 = Some(self.0.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        }
    }

    /// Counts in what another extent holds.
    pub(super) fn join(&mut self, other: &Extent) {
        self.0 = match (self.0, other.0) {
            (Some((low, high)), Some((from, to))) => Some((low.min(from), high.max(to))),
            (known, None) => known,
            (None, known) => known,
        };
    }

    pub(super) fn range(&self) -> Option<(f64, f64)> {
        self.0
    }
}

/// An axis with its range and ticks.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    scale: Scale,
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
    quantity: String,
}

impl Placed {
    /// Where a value stands: 0 at the low end, 1 at the high end, beyond them outside. What has no
    /// place on a logarithmic axis is infinitely far below.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => f64::NEG_INFINITY,
            Scale::Log => (value / self.low).log10() / (self.high / self.low).log10(),
        }
    }

    /// Whether a value stands between the ends.
    pub(super) fn holds(&self, value: f64) -> bool {
        const SLACK: f64 = 1e-9;
        (-SLACK..=1.0 + SLACK).contains(&self.share(value))
    }

    /// Decimals that tell apart what can be told apart on this axis.
    fn decimals(&self) -> Option<usize> {
        match self.scale {
            Scale::Linear => Some((3.0 - (self.high - self.low).log10().ceil()).clamp(0.0, 9.0) as usize),
            Scale::Log => None,
        }
    }

    /// "coverage 2.1".
    pub(super) fn say(&self, value: f64) -> String {
        self.named(&short(value, 4))
    }

    /// "distance 0.231 (0.220 to 0.242)".
    pub(super) fn say_measured(&self, value: f64, interval: Option<(f64, f64)>) -> String {
        let decimals = self.decimals();
        let told = self.named(&reading(value, decimals));
        match interval {
            Some((low, high)) => format!("{told} ({} to {})", reading(low, decimals), reading(high, decimals)),
            None => told,
        }
    }

    fn named(&self, number: &str) -> String {
        if self.quantity.is_empty() { number.to_string() } else { format!("{} {number}", self.quantity) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(axis: &Axis, values: &[f64]) -> Extent {
        let mut extent = Extent::default();
        for &value in values {
            extent.add(axis, value);
        }
        extent
    }

    fn ends(axis: &Axis, values: &[f64]) -> (f64, f64) {
        let placed = axis.place(&extent(axis, values), 6);
        (placed.low, placed.high)
    }

    #[test]
    fn ranges_come_from_drawable_data() {
        let linear = Axis::linear("d");
        assert_eq!(ends(&linear, &[0.2, 0.71, f64::NAN, f64::INFINITY, 1e200]), (0.0, 0.8));
        assert_eq!(ends(&linear, &[100.2, 100.71]), (100.2, 100.8));
        assert_eq!(ends(&linear, &[]), (0.0, 1.0));
        let (low, high) = ends(&linear, &[0.5]);
        assert!(low <= 0.25 && high >= 0.75);
        let log = Axis::log("n");
        assert_eq!(ends(&log, &[3.0, 700.0, 0.0, -5.0, f64::NAN]), (2.0, 1000.0));
        assert_eq!(ends(&log, &[]), (1.0, 10.0));
    }

    #[test]
    fn impossible_ranges_are_left_to_the_data() {
        for (low, high) in [(0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (f64::MIN, f64::MAX)] {
            assert_eq!(ends(&Axis::linear("d").range(low, high), &[0.0, 1.0]), (0.0, 1.0), "{low} {high}");
        }
        assert_eq!(ends(&Axis::log("n").range(0.0, 5.0), &[1.0, 10.0]), (1.0, 10.0));
        assert_eq!(ends(&Axis::linear("d").range(2.0, -1.0), &[0.0]), (-1.0, 2.0));
    }

    #[test]
    fn shares_follow_the_scale() {
        let linear = Axis::linear("d").range(-1.0, 3.0).place(&Extent::default(), 5);
        assert_eq!((linear.share(-1.0), linear.share(1.0), linear.share(5.0)), (0.0, 0.5, 1.5));
        let log = Axis::log("n").range(1.0, 10_000.0).place(&Extent::default(), 5);
        assert!((log.share(100.0) - 0.5).abs() < 1e-12);
        assert!(!log.holds(0.0) && !log.holds(-3.0) && log.holds(1.0) && log.holds(10_000.0));
    }

    #[test]
    fn values_are_told_as_in_a_sentence() {
        let coverage = Axis::log("Coverage (%)").place(&Extent::default(), 5);
        let distance = Axis::linear("Distance").place(&Extent::default(), 5);
        assert_eq!(coverage.say(2.1), "coverage 2.1");
        assert_eq!(distance.say_measured(0.231, Some((0.22, 0.242))), "distance 0.231 (0.220 to 0.242)");
        assert_eq!(distance.say_measured(0.5, None), "distance 0.500");
    }

    #[test]
    fn labels_across_do_not_touch() {
        let font = Font::regular(12.0);
        let axis = Axis::log("n");
        for length in [20.0, 60.0, 150.0, 500.0] {
            let placed = axis.place_across(&extent(&axis, &[1.0, 2000.0]), length, font);
            for pair in placed.ticks.windows(2) {
                let gap = (placed.share(pair[1].value) - placed.share(pair[0].value)) * length;
                assert!(gap >= (font.width(&pair[0].label) + font.width(&pair[1].label)) / 2.0 + 10.0, "{length}");
            }
        }
        assert_eq!(axis.place_across(&extent(&axis, &[1.0, 2000.0]), 500.0, font).ticks.len(), 11);
    }

    #[test]
    fn extreme_values_have_finite_axes() {
        for values in [&[1e150, -1e150][..], &[1e-300], &[0.0], &[1e150], &[1.0, 1.0 + 1e-15], &[-1e-12, 0.0]] {
            for axis in [Axis::linear("d"), Axis::log("n")] {
                let (low, high) = ends(&axis, values);
                assert!(low.is_finite() && high.is_finite() && low < high, "{values:?}: {low} {high}");
            }
        }
    }
}
