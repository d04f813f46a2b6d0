//! Dates, times and decimals of columns that are only passed through, as text.
//!
//! ISO 8601, in the calendar of today continued to all times. Fractions of a second are written where there are any, with the
//! digits of the unit.

use arrow_schema::TimeUnit;

/// How many digits the fraction of a second has in a unit.
fn digits(unit: TimeUnit) -> usize {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

fn per_second(unit: TimeUnit) -> i64 {
    10i64.pow(digits(unit) as u32)
}

/// The date so many days after 1970-01-01.
pub(crate) fn date(days: i64) -> String {
    // Eras of 400 years repeat; years begin in March, so that leap days come last.
    let shifted = i128::from(days) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + 400 * era + i128::from(month <= 2);
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{day:02}"),
        // Years of other lengths have a sign.
        _ => format!("{year:+05}-{month:02}-{day:02}"),
    }
}

/// The time of day so long after midnight.
pub(crate) fn time(since_midnight: i64, unit: TimeUnit) -> String {
    let (seconds, fraction) = split(since_midnight, unit);
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    format!("{hours:02}:{:02}:{:02}{}", minutes % 60, seconds % 60, fractional(fraction, unit))
}

/// The date and time so long after 1970-01-01; `utc` says that it is the time of one place.
pub(crate) fn timestamp(since_epoch: i64, unit: TimeUnit, utc: bool) -> String {
    let day = 86_400 * per_second(unit);
    let zone = if utc { "Z" } else { "" };
    format!("{}T{}{zone}", date(since_epoch.div_euclid(day)), time(since_epoch.rem_euclid(day), unit))
}

/// A length of time, in seconds.
pub(crate) fn duration(length: i64, unit: TimeUnit) -> String {
    let sign = if length < 0 { "-" } else { "" };
    let (length, second) = (length.unsigned_abs(), per_second(unit) as u64);
    let (seconds, fraction) = (length / second, length % second);
    format!("{sign}PT{seconds}{}S", fractional(fraction as i64, unit))
}

fn split(value: i64, unit: TimeUnit) -> (i64, i64) {
    (value.div_euclid(per_second(unit)), value.rem_euclid(per_second(unit)))
}

fn fractional(fraction: i64, unit: TimeUnit) -> String {
    match fraction {
        0 => String::new(),
        _ => format!(".{fraction:0digits$}", digits = digits(unit)),
    }
}

/// A decimal number: an integer as it is written, of whose digits `scale` stand behind the point.
pub(crate) fn decimal(integer: &str, scale: i8) -> String {
    let (sign, magnitude) = integer.strip_prefix('-').map_or(("", integer), |digits| ("-", digits));
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{magnitude}"),
        Ok(scale) => {
            let padded = format!("{magnitude:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) if magnitude == "0" => magnitude.to_owned(),
        Err(_) => format!("{sign}{magnitude}{}", "0".repeat(scale.unsigned_abs() as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_times() {
        for (days, shown) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (2_932_897, "+10000-01-01"),
        ] {
            assert_eq!(date(days), shown);
        }
        // The ends of the range are dates, too.
        assert!(date(i64::MAX).starts_with('+') && date(i64::MIN).starts_with('-'));
    }

    #[test]
    fn times_with_the_fractions_they_have() {
        assert_eq!(timestamp(0, TimeUnit::Second, false), "1970-01-01T00:00:00");
        assert_eq!(timestamp(1_709_210_096_500, TimeUnit::Millisecond, true), "2024-02-29T12:34:56.500Z");
        assert_eq!(timestamp(-1, TimeUnit::Nanosecond, false), "1969-12-31T23:59:59.999999999");
        assert_eq!(timestamp(i64::MIN, TimeUnit::Nanosecond, false), "1677-09-21T00:12:43.145224192");
        assert!(timestamp(i64::MIN, TimeUnit::Second, true).ends_with('Z'));
        assert_eq!(time(45_296_000_007, TimeUnit::Microsecond), "12:34:56.000007");
        assert_eq!(duration(-1_500, TimeUnit::Millisecond), "-PT1.500S");
        assert_eq!(duration(90, TimeUnit::Second), "PT90S");
        assert_eq!(duration(i64::MIN, TimeUnit::Second), "-PT9223372036854775808S");
    }

    #[test]
    fn decimals_with_all_their_digits() {
        for (digits, scale, shown) in [
            (0, 2, "0.00"),
            (5, 2, "0.05"),
            (-12345, 2, "-123.45"),
            (12345, 0, "12345"),
            (12, -2, "1200"),
            (0, -2, "0"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ] {
            assert_eq!(decimal(&i128::to_string(&digits), scale), shown);
        }
    }
}
