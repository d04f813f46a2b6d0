//! Tick positions: 1, 2 or 5 times a power of ten.

/// A marked position of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Round positions (1, 2 or 5 times a power of ten) within `from..=to`, at most `most` of them.
pub(crate) fn round_ticks(from: usize, to: usize, most: usize) -> Vec<usize> {
    let enough = |step: &usize| to / step - from.saturating_sub(1) / step <= most.max(1);
    let step = (0..).flat_map(|power| [1, 2, 5].map(|lead| lead * 10usize.pow(power))).find(enough).unwrap_or(1);
    (from.max(1)..=to).filter(|position| position % step == 0).collect()
}

/// Positions closer than this share of a step are the same: what rounding leaves behind.
const SLACK: f64 = 1e-9;

/// The smallest range that begins and ends at a tick and holds `low..=high`, where at most `most`
/// ticks stand; three are always allowed, since a range around zero needs them.
pub(crate) fn linear_cover(low: f64, high: f64, most: usize) -> (f64, f64) {
    let ends = |step: Step| ((low / step.size() + SLACK).floor(), (high / step.size() - SLACK).ceil());
    let fits = |step: &Step| {
        let (first, last) = ends(*step);
        last - first < most.max(3) as f64
    };
    let step = Step::finest(high - low, most).find(fits).unwrap_or(Step { lead: 5.0, power: 300 });
    let (first, last) = ends(step);
    (step.times(first), step.times(last))
}

/// Ticks at equal steps within `low..=high`, at most `most`; three are always allowed.
pub(crate) fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let ends = |step: Step| ((low / step.size() - SLACK).ceil(), (high / step.size() + SLACK).floor());
    let fits = |step: &Step| {
        let (first, last) = ends(*step);
        last - first < most.max(3) as f64
    };
    let Some(step) = Step::finest(high - low, most).find(fits) else {
        return Vec::new();
    };
    let (first, last) = ends(step);
    let count = (last - first + 1.0).max(0.0) as usize;
    (0..count)
        .map(|index| {
            let value = step.times(first + index as f64);
            Tick { value, label: label(value, step.power) }
        })
        .collect()
}

/// The smallest range that begins and ends at 1, 2 or 5 times a power of ten and holds
/// `low..=high`, both positive.
pub(crate) fn log_cover(low: f64, high: f64) -> (f64, f64) {
    // Guesses from logarithms, corrected by comparison.
    let mut first = 3 * low.log10().floor() as i32 + 3;
    while rung(first) > low * (1.0 + SLACK) {
        first -= 1;
    }
    let mut last = 3 * high.log10().floor() as i32;
    while rung(last) < high * (1.0 - SLACK) {
        last += 1;
    }
    // A single value has room on both sides.
    if first == last { (rung(first - 1), rung(last + 1)) } else { (rung(first), rung(last)) }
}

/// Ticks of a logarithmic axis within `low..=high`, both positive, at most `most`: 1 2 5 10 20 …, or
/// powers of ten where these are too many. A range too short to hold three of them gets equal steps.
pub(crate) fn log_ticks(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let within = |value: f64| value >= low * (1.0 - SLACK) && value <= high * (1.0 + SLACK);
    let (from, to) = (low.log10().floor() as i32 - 1, high.log10().ceil() as i32 + 1);
    let tick = |lead: f64, power: i32| {
        let value = shifted(lead, power);
        Tick { value, label: label(value, power) }
    };
    let fine = (from..=to).flat_map(|power| [1.0, 2.0, 5.0].map(|lead| tick(lead, power)));
    let fine: Vec<Tick> = fine.filter(|tick| within(tick.value)).collect();
    if fine.len() < 3 {
        return linear_ticks(low, high, most);
    }
    if fine.len() <= most.max(2) {
        return fine;
    }
    for stride in 1.. {
        let decades = (from..=to).filter(|power| power % stride == 0).map(|power| tick(1.0, power));
        let decades: Vec<Tick> = decades.filter(|tick| within(tick.value)).collect();
        if decades.len() < 2 {
            break;
        }
        if decades.len() <= most.max(2) {
            return decades;
        }
    }
    // Less than a decade or two: label both ends at least.
    let mut fine = fine;
    fine.drain(1..fine.len() - 1);
    fine
}

/// The steps of a ladder 1, 2, 5, 10, 20, …, in order; step 0 is 1.
fn rung(index: i32) -> f64 {
    shifted([1.0, 2.0, 5.0][index.rem_euclid(3) as usize], index.div_euclid(3))
}

/// `lead` times a power of ten, to the nearest double where powers are of usual size: dividing by
/// ten is exact to the last bit, multiplying by 0.1 is not.
fn shifted(lead: f64, power: i32) -> f64 {
    if power < 0 { lead / 10f64.powi(-power) } else { lead * 10f64.powi(power) }
}

#[derive(Debug, Clone, Copy)]
struct Step {
    lead: f64,
    power: i32,
}

impl Step {
    /// All steps from the finest that could divide `span` into `most` parts, in growing order.
    fn finest(span: f64, most: usize) -> impl Iterator<Item = Step> {
        let power = (span / most.max(1) as f64).log10().floor().clamp(-300.0, 300.0) as i32;
        (power..=300).flat_map(|power| [1.0, 2.0, 5.0].map(|lead| Step { lead, power }))
    }

    fn size(self) -> f64 {
        shifted(self.lead, self.power)
    }

    fn times(self, count: f64) -> f64 {
        // Adding zero turns a negative zero into a plain one.
        shifted(self.lead * count, self.power) + 0.0
    }
}

/// A tick's number with the decimals of its step.
fn label(value: f64, power: i32) -> String {
    let text = if value == 0.0 {
        "0".to_string()
    } else if !(-5..5).contains(&power) {
        format!("{value:e}")
    } else {
        format!("{value:.*}", power.min(0).unsigned_abs() as usize)
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(round_ticks(1, 500, 6), [100, 200, 300, 400, 500]);
        assert_eq!(round_ticks(1, 7, 10), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(round_ticks(1, 1050, 9), [200, 400, 600, 800, 1000]);
        for to in 1..2000 {
            let ticks = round_ticks(1, to, 8);
            assert!((1..=8).contains(&ticks.len()), "{to}: {ticks:?}");
        }
    }

    #[test]
    fn linear_ranges_end_at_ticks() {
        assert_eq!(linear_cover(0.03, 0.71, 6), (0.0, 0.8));
        assert_eq!(linear_cover(0.0, 1.0, 6), (0.0, 1.0));
        assert_eq!(linear_cover(-3.0, 17.0, 6), (-5.0, 20.0));
        assert_eq!(linear_cover(0.0, 1e-7, 6), (0.0, 1e-7));
        assert_eq!(labels(&linear_ticks(0.0, 0.8, 6)), ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(labels(&linear_ticks(-5.0, 20.0, 6)), ["−5", "0", "5", "10", "15", "20"]);
        assert_eq!(labels(&linear_ticks(0.0, 2e6, 3)), ["0", "1e6", "2e6"]);
        assert_eq!(labels(&linear_ticks(0.0, 3e-7, 4)), ["0", "1e−7", "2e−7", "3e−7"]);
    }

    #[test]
    fn ticks_have_no_rounding_errors() {
        let values: Vec<f64> = linear_ticks(0.0, 1.0, 11).iter().map(|tick| tick.value).collect();
        assert_eq!(values, [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
    }

    #[test]
    fn linear_ticks_stay_within_and_few() {
        for case in 0..2000u32 {
            let low = f64::from(case * 7919 % 1013) * 10f64.powi((case % 13) as i32 - 6) - 40.0;
            let high = low + f64::from(case * 104_729 % 997 + 1) * 10f64.powi((case % 11) as i32 - 5);
            let most = 3 + (case % 7) as usize;
            let ticks = linear_ticks(low, high, most);
            assert!(ticks.len() <= most, "{low} {high}: {ticks:?}");
            let slack = (high - low) * 1e-6;
            assert!(ticks.iter().all(|tick| tick.value >= low - slack && tick.value <= high + slack), "{ticks:?}");
            let (from, to) = linear_cover(low, high, most);
            assert!(from <= low + slack && to >= high - slack, "{low} {high}: {from} {to}");
            assert!(linear_ticks(from, to, most).len() >= 2, "{from} {to} {most}");
        }
    }

    #[test]
    fn log_ticks_are_one_two_five() {
        assert_eq!(log_cover(1.0, 1800.0), (1.0, 2000.0));
        assert_eq!(log_cover(0.03, 0.3), (0.02, 0.5));
        assert_eq!(log_cover(10.0, 10.0), (5.0, 20.0));
        let all = ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000"];
        assert_eq!(labels(&log_ticks(1.0, 2000.0, 12)), all);
        assert_eq!(labels(&log_ticks(1.0, 2000.0, 5)), ["1", "10", "100", "1000"]);
        assert_eq!(labels(&log_ticks(0.001, 1e6, 4)), ["0.001", "1", "1000", "1e6"]);
        assert_eq!(labels(&log_ticks(20.0, 50.0, 6)), ["20", "30", "40", "50"]);
    }

    #[test]
    fn log_ticks_of_any_range_are_few_and_within() {
        for from in -12..12 {
            for length in 1..40 {
                let low = 10f64.powf(f64::from(from) * 3.3);
                let high = low * 10f64.powf(f64::from(length) * 0.7);
                let (first, last) = log_cover(low, high);
                assert!(first <= low * 1.000_001 && last >= high * 0.999_999, "{low} {high}: {first} {last}");
                for most in 2..12 {
                    let ticks = log_ticks(first, last, most);
                    assert!((2..=most).contains(&ticks.len()), "{first} {last} {most}: {ticks:?}");
                }
            }
        }
    }
}
