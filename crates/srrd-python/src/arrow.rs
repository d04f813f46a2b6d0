//! Frames of pandas, polars, pyarrow, DuckDB and others, read where they lie.

use crate::error::{of_table, wrong};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use srrd_data::ArrowFrame;
use std::ffi::CStr;

/// The frame behind `__arrow_c_stream__` or `__arrow_c_array__`.
pub fn frame_of(frame: &Bound<'_, PyAny>, origin: &str) -> PyResult<ArrowFrame> {
    if frame.hasattr("__arrow_c_stream__")? {
        let given = frame.call_method0("__arrow_c_stream__")?;
        let stream = pointer(&given, c"arrow_array_stream")?;
        // SAFETY: the capsule has the name of such a stream, and whoever asks for it owns it.
        return unsafe { ArrowFrame::from_stream(origin, stream) }.map_err(|error| of_table(&error));
    }
    let given = frame.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = given.cast::<PyTuple>()?.extract()?;
    let (schema, array) = (pointer(&schema, c"arrow_schema")?, pointer(&array, c"arrow_array")?);
    // SAFETY: as above.
    unsafe { ArrowFrame::from_array(origin, schema, array) }.map_err(|error| of_table(&error))
}

fn pointer(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut std::ffi::c_void> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| wrong("the frame hands out no Arrow capsule"))?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr())
}

/// Where the numbers of every column lie in memory: the frame's own places.
#[pyfunction]
pub fn arrow_addresses(frame: &Bound<'_, PyAny>) -> PyResult<Vec<(String, usize)>> {
    Ok(frame_of(frame, "the frame")?.addresses())
}
