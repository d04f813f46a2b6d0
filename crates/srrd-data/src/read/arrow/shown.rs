//! Columns of dates, times and decimals as text: what is done with them where they are only passed through.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::batch::{Column, Values};
use crate::calendar::{Unit, date, decimal, duration, time, timestamp};

/// Whether values of this type can be shown as text.
pub(super) fn can_show(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_)
            | DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
    )
}

/// Adds the values of `array`, which can be shown, to a column of text.
pub(super) fn fill(array: &ArrayRef, column: &mut Column) {
    const DAY: i64 = 86_400_000;
    match array.data_type() {
        DataType::Date32 => texts::<Date32Type>(array, column, |days| date(days.into())),
        DataType::Date64 => texts::<Date64Type>(array, column, |millis| date(millis.div_euclid(DAY))),
        DataType::Time32(TimeUnit::Second) => {
            texts::<Time32SecondType>(array, column, |value| time(value.into(), Unit::Second));
        }
        DataType::Time32(_) => {
            texts::<Time32MillisecondType>(array, column, |value| time(value.into(), Unit::Milli));
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            texts::<Time64MicrosecondType>(array, column, |value| time(value, Unit::Micro));
        }
        DataType::Time64(_) => texts::<Time64NanosecondType>(array, column, |value| time(value, Unit::Nano)),
        DataType::Timestamp(unit, zone) => {
            let show = |unit: Unit| move |value: i64| timestamp(value, unit, zone.is_some());
            match unit {
                TimeUnit::Second => texts::<TimestampSecondType>(array, column, show(Unit::Second)),
                TimeUnit::Millisecond => texts::<TimestampMillisecondType>(array, column, show(Unit::Milli)),
                TimeUnit::Microsecond => texts::<TimestampMicrosecondType>(array, column, show(Unit::Micro)),
                TimeUnit::Nanosecond => texts::<TimestampNanosecondType>(array, column, show(Unit::Nano)),
            }
        }
        DataType::Duration(unit) => {
            let show = |unit: Unit| move |value: i64| duration(value, unit);
            match unit {
                TimeUnit::Second => texts::<DurationSecondType>(array, column, show(Unit::Second)),
                TimeUnit::Millisecond => texts::<DurationMillisecondType>(array, column, show(Unit::Milli)),
                TimeUnit::Microsecond => texts::<DurationMicrosecondType>(array, column, show(Unit::Micro)),
                TimeUnit::Nanosecond => texts::<DurationNanosecondType>(array, column, show(Unit::Nano)),
            }
        }
        &DataType::Decimal32(_, scale) => {
            texts::<Decimal32Type>(array, column, |value| decimal(value.into(), scale.into()));
        }
        &DataType::Decimal64(_, scale) => {
            texts::<Decimal64Type>(array, column, |value| decimal(value.into(), scale.into()));
        }
        &DataType::Decimal128(_, scale) => {
            texts::<Decimal128Type>(array, column, |value| decimal(value, scale.into()));
        }
        // `can_show` lets no other type through; the caller notices that the column stays empty.
        _ => {}
    }
}

fn texts<T: ArrowPrimitiveType>(array: &ArrayRef, column: &mut Column, show: impl Fn(T::Native) -> String) {
    for value in array.as_primitive::<T>() {
        match (value, &mut column.values) {
            (Some(value), Values::Text(texts)) => {
                texts.push(&show(value));
                column.note_validity(true);
            }
            _ => column.push_missing(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::ColumnType;
    use arrow_array::{Date32Array, Decimal128Array, DurationMillisecondArray, Time64MicrosecondArray};
    use arrow_array::{TimestampNanosecondArray, TimestampSecondArray};
    use std::sync::Arc;

    #[test]
    fn dates_times_and_decimals_are_shown() {
        let arrays: [(ArrayRef, &str); 6] = [
            (Arc::new(Date32Array::from(vec![Some(19_782), None])), "2024-02-29"),
            (Arc::new(TimestampNanosecondArray::from(vec![Some(1), None])), "1970-01-01T00:00:00.000000001"),
            (
                Arc::new(TimestampSecondArray::from(vec![Some(60), None]).with_timezone("+01:00")),
                "1970-01-01T00:01:00Z",
            ),
            (Arc::new(Time64MicrosecondArray::from(vec![Some(3_600_000_000), None])), "01:00:00"),
            (Arc::new(DurationMillisecondArray::from(vec![Some(1500), None])), "PT1.500S"),
            (Arc::new(Decimal128Array::from(vec![Some(-5), None])), "-0.0000000005"),
        ];
        for (array, shown) in arrays {
            assert!(can_show(array.data_type()));
            let mut column = Column::empty(ColumnType::Text);
            fill(&array, &mut column);
            assert_eq!(column.values, Values::Text([shown, ""].into_iter().collect()), "{:?}", array.data_type());
            assert_eq!(column.validity, Some(vec![true, false]));
        }
    }
}
