//! Columns that are only passed through, in the types of Arrow that they have in their file.

#[cfg(feature = "arrow")]
use arrow_array::{Array, ArrayRef, BooleanArray};
#[cfg(feature = "arrow")]
use arrow_schema::FieldRef;

/// The type of a column that is only passed through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalType(#[cfg(feature = "arrow")] pub(crate) FieldRef);

/// The values of a column that is only passed through.
#[derive(Clone, Debug)]
pub struct Original(#[cfg(feature = "arrow")] pub(crate) ArrayRef);

impl PartialEq for Original {
    fn eq(&self, other: &Self) -> bool {
        #[cfg(feature = "arrow")]
        return self.0.to_data() == other.0.to_data();
        #[cfg(not(feature = "arrow"))]
        return true;
    }
}

impl Original {
    /// Keeps the rows whose entry is true.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        #[cfg(feature = "arrow")]
        if let Ok(kept) = arrow_select::filter::filter(&self.0, &BooleanArray::from(keep.to_vec())) {
            self.0 = kept;
        }
    }
}
