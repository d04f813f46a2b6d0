//! Columns of dates, times and decimals as text: what is done with them where they are only passed through.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::data_type::Int96;
use parquet::schema::types::Type;

use crate::calendar::{Unit, date, decimal, time, timestamp};

/// What the numbers of a column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Date,
    Time(Unit),
    Timestamp {
        unit: Unit,
        utc: bool,
    },
    Decimal {
        scale: i32,
    },
    /// The timestamps of old writers.
    Int96,
}

impl Shown {
    /// How the values of a field can be shown, if they can be.
    pub(super) fn of(field: &Type) -> Option<Self> {
        let info = field.get_basic_info();
        let utc = |unit| Some(Shown::Timestamp { unit, utc: true });
        let shown = match (info.logical_type_ref(), info.converted_type()) {
            (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(Shown::Date),
            (Some(LogicalType::Time(time)), _) => Some(Shown::Time(unit(&time.unit))),
            (None, ConvertedType::TIME_MILLIS) => Some(Shown::Time(Unit::Milli)),
            (None, ConvertedType::TIME_MICROS) => Some(Shown::Time(Unit::Micro)),
            (Some(LogicalType::Timestamp(time)), _) => {
                Some(Shown::Timestamp { unit: unit(&time.unit), utc: time.is_adjusted_to_u_t_c })
            }
            (None, ConvertedType::TIMESTAMP_MILLIS) => utc(Unit::Milli),
            (None, ConvertedType::TIMESTAMP_MICROS) => utc(Unit::Micro),
            (Some(LogicalType::Decimal(kind)), _) => Some(Shown::Decimal { scale: kind.scale }),
            (None, ConvertedType::DECIMAL) => Some(Shown::Decimal { scale: field.get_scale() }),
            (None, ConvertedType::NONE) if field.get_physical_type() == Physical::INT96 => Some(Shown::Int96),
            _ => None,
        };
        shown.filter(|shown| match (shown, field.get_physical_type()) {
            (Shown::Date, Physical::INT32) => true,
            (Shown::Time(_), Physical::INT32 | Physical::INT64) => true,
            (Shown::Timestamp { .. }, Physical::INT64) => true,
            // Digits by the thousand are for no reader.
            (Shown::Decimal { scale }, physical) => physical != Physical::INT96 && (-100..=100).contains(scale),
            (Shown::Int96, Physical::INT96) => true,
            _ => false,
        })
    }

    /// The text of a value that is an integer.
    pub(super) fn of_int(self, value: i64) -> String {
        match self {
            Shown::Date => date(value),
            Shown::Time(unit) => time(value, unit),
            Shown::Timestamp { unit, utc } => timestamp(value, unit, utc),
            Shown::Decimal { scale } => decimal(value.into(), scale),
            Shown::Int96 => value.to_string(),
        }
    }

    /// The text of a decimal whose digits are bytes, the highest first; `None` for more digits than 38.
    pub(super) fn of_bytes(self, bytes: &[u8]) -> Option<String> {
        let Shown::Decimal { scale } = self else { return None };
        let negative = bytes.first().is_some_and(|&first| first >= 0x80);
        let mut wide = [if negative { 0xff } else { 0 }; 16];
        let from = wide.len().checked_sub(bytes.len())?;
        wide[from..].copy_from_slice(bytes);
        Some(decimal(i128::from_be_bytes(wide), scale))
    }
}

/// The text of a timestamp of an old writer: nanoseconds in a day that is counted from long ago.
pub(super) fn of_int96(value: &Int96) -> String {
    const EPOCH: i64 = 2_440_588;
    const DAY: u64 = 86_400_000_000_000;
    let &[low, high, day] = value.data() else { return String::new() };
    let nanos = (u64::from(high) << 32 | u64::from(low)) % DAY;
    format!("{}T{}", date(i64::from(day) - EPOCH), time(nanos as i64, Unit::Nano))
}

fn unit(unit: &TimeUnit) -> Unit {
    match unit {
        TimeUnit::MILLIS => Unit::Milli,
        TimeUnit::MICROS => Unit::Micro,
        TimeUnit::NANOS => Unit::Nano,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_width() {
        let shown = Shown::Decimal { scale: 2 };
        assert_eq!(shown.of_int(-1), "-0.01");
        assert_eq!(shown.of_bytes(&[0xff]).unwrap(), "-0.01");
        assert_eq!(shown.of_bytes(&[0x01, 0x00]).unwrap(), "2.56");
        assert_eq!(shown.of_bytes(&[]).unwrap(), "0.00");
        assert_eq!(shown.of_bytes(&[0; 17]), None);
        let mut value = Int96::new();
        value.set_data(1_000_000_000, 0, 2_440_589);
        assert_eq!(of_int96(&value), "1970-01-02T00:00:01");
        value.set_data(u32::MAX, u32::MAX, u32::MAX);
        assert!(of_int96(&value).starts_with('+'));
    }
}
