//! Columns that are only passed through, in the types of Arrow that they have in their file.

#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, BooleanArray};
#[cfg(feature = "arrow")]
use arrow_schema::FieldRef;

// A build without Arrow has none.
#[cfg(not(feature = "arrow"))]
type ArrayRef = std::sync::Arc<std::convert::Infallible>;
#[cfg(not(feature = "arrow"))]
type FieldRef = std::convert::Infallible;

/// The type of a column that is only passed through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalType(pub(crate) FieldRef);

/// The values of a column that is only passed through.
#[derive(Clone, Debug)]
pub struct Original(pub(crate) ArrayRef);

impl PartialEq for Original {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref() == other.0.as_ref()
    }
}

impl Original {
    /// Keeps the rows whose entry is true.
    #[cfg(feature = "arrow")]
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        // Only lists of another length are refused.
        if let Ok(kept) = arrow_select::filter::filter(&self.0, &BooleanArray::from(keep.to_vec())) {
            self.0 = kept;
        }
    }

    /// Keeps the rows whose entry is true.
    #[cfg(not(feature = "arrow"))]
    pub(crate) fn retain(&mut self, _: &[bool]) {
        match *self.0 {}
    }
}
