//! The columns of a table: their names and types.

use super::original::OriginalType;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Text, compared as written.
    Text,
    /// 64-bit signed integers.
    Int,
    /// 64-bit floating point numbers.
    Float,
    /// True or false.
    Bool,
}

/// The name of a column, and its type where the format knows it before the rows are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The column's name, as written.
    pub name: String,
    /// The type; `None` where values decide it (all columns of JSONL, and unsigned 64-bit integers, which are text if one of them
    /// is too large for a sign), and for columns that cannot be read.
    pub kind: Option<ColumnType>,
    /// The type that the column has in its file, where it is only passed through.
    pub original: Option<OriginalType>,
}

impl Field {
    /// A column of this name and type.
    pub fn new(name: impl Into<String>, kind: Option<ColumnType>) -> Self {
        Field { name: name.into(), kind, original: None }
    }
}

/// The columns of a table, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// One entry per column.
    pub fields: Vec<Field>,
}

impl Schema {
    /// A schema of columns with known types.
    pub fn new<N: Into<String>>(columns: impl IntoIterator<Item = (N, ColumnType)>) -> Self {
        Schema { fields: columns.into_iter().map(|(name, kind)| Field::new(name, Some(kind))).collect() }
    }

    /// The same columns with these types.
    ///
    /// # Panics
    /// When there is not one type per column.
    #[must_use]
    pub fn with_types(&self, types: &[ColumnType]) -> Self {
        assert_eq!(types.len(), self.len(), "one type per column");
        let typed = |(field, &kind): (&Field, &ColumnType)| Field { kind: Some(kind), ..field.clone() };
        Schema { fields: self.fields.iter().zip(types).map(typed).collect() }
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The names, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// The position of the column called `name`.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}
