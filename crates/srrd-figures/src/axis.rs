//! Tick positions.

/// Round positions (1, 2 or 5 times a power of ten) within `from..=to`, at most `most` of them.
pub(crate) fn round_ticks(from: usize, to: usize, most: usize) -> Vec<usize> {
    let enough = |step: &usize| to / step - from.saturating_sub(1) / step <= most.max(1);
    let step = (0..).flat_map(|power| [1, 2, 5].map(|lead| lead * 10usize.pow(power))).find(enough).unwrap_or(1);
    (from.max(1)..=to).filter(|position| position % step == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
