//! Columns that are only passed through, written in the types that they have in their file.

use std::collections::HashMap;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, DictionaryArray, UInt32Array, downcast_dictionary_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{ArrowError, DataType, IntervalUnit};
use arrow_select::{concat::concat, take::take};

use crate::table::batch::{Column, Values};
use crate::table::format::Format;
use crate::table::read::arrays::fill;
use crate::table::schema::ColumnType;

/// Whether files of this format hold columns of this type.
pub(crate) fn can_keep(data_type: &DataType, format: Format) -> bool {
    match format {
        Format::Parquet => parquet_holds(data_type),
        // A file has one dictionary per column, which can grow; those of texts are made to.
        _ => match data_type {
            DataType::Dictionary(_, values) => is_text(values),
            other => !has_dictionary(other),
        },
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn parquet_holds(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(..) | DataType::RunEndEncoded(..) | DataType::Interval(IntervalUnit::MonthDayNano) => false,
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => *scale >= 0,
        DataType::Dictionary(_, values) => !values.is_nested() && parquet_holds(values),
        DataType::Struct(fields) => !fields.is_empty() && fields.iter().all(|field| parquet_holds(field.data_type())),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            parquet_holds(item.data_type())
        }
        DataType::ListView(item) | DataType::LargeListView(item) | DataType::Map(item, _) => {
            parquet_holds(item.data_type())
        }
        _ => true,
    }
}

fn has_dictionary(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(..) => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_dictionary(field.data_type())),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => has_dictionary(item.data_type()),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| has_dictionary(field.data_type())),
        _ => false,
    }
}

/// A dictionary of texts that begins with all it had before: a file of Arrow has one per column, a file of Parquet one per piece.
#[derive(Default)]
pub(crate) struct Dictionary {
    values: Option<ArrayRef>,
    places: HashMap<String, usize>,
}

impl Dictionary {
    /// The same texts by this dictionary, to which those are added that it does not have.
    pub(crate) fn encode(&mut self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let values = array.as_any_dictionary().values();
        if self.values.as_ref().is_some_and(|known| known.to_data() == values.to_data()) {
            return Ok(array.clone());
        }
        let mut texts = Column::empty(ColumnType::Text);
        // Texts are never refused.
        let _ = fill(values, &mut texts);
        let mut places = Vec::with_capacity(values.len());
        let mut added = Vec::new();
        for row in 0..values.len() {
            let Values::Text(text) = &texts.values else { break };
            let next = self.places.len();
            places.push(texts.is_valid(row).then(|| {
                *self.places.entry(text.get(row).to_owned()).or_insert_with(|| {
                    added.push(row as u32);
                    next
                })
            }));
        }
        let added = take(values, &UInt32Array::from(added), None)?;
        let all = match &self.values {
            Some(known) => concat(&[known, &added])?,
            None => added,
        };
        self.values = Some(all.clone());
        downcast_dictionary_array!(
            array => placed(array, &places, all),
            other => Err(ArrowError::SchemaError(format!("{other} is no dictionary")))
        )
    }
}

/// The values at these places of a dictionary, by where they are in that of the array.
fn placed<K: ArrowDictionaryKeyType>(
    array: &DictionaryArray<K>,
    places: &[Option<usize>],
    values: ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    let mut keys = PrimitiveBuilder::<K>::with_capacity(array.len());
    for row in 0..array.len() {
        match array.key(row).and_then(|key| places[key]) {
            Some(place) => {
                keys.append_value(K::Native::from_usize(place).ok_or(ArrowError::DictionaryKeyOverflowError)?)
            }
            None => keys.append_null(),
        }
    }
    Ok(std::sync::Arc::new(DictionaryArray::try_new(keys.finish(), values)?))
}
