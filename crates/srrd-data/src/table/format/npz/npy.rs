//! The header of a `.npy` file: element type, shape, order.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>. The header is a Python dictionary with three
//! known keys; only the literals that NumPy writes for them are understood, nothing is evaluated.

use std::io::{self, Read};

/// One element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dtype {
    pub(super) kind: Kind,
    /// Bytes per element.
    pub(super) size: usize,
    pub(super) big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// UCS-4 characters, padded with NUL.
    Unicode,
    /// Bytes, padded with NUL.
    Bytes,
}

/// What the header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Or why the elements cannot be read.
    pub(super) dtype: Result<Dtype, String>,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

/// Why there is no header.
#[derive(Debug)]
pub(super) enum HeaderError {
    Io(io::Error),
    Malformed(String),
}

impl From<io::Error> for HeaderError {
    fn from(error: io::Error) -> Self {
        HeaderError::Io(error)
    }
}

/// NumPy itself refuses longer ones.
const LONGEST_HEADER: usize = 1 << 20;

/// Reads the header, leaving `input` at the first element.
pub(super) fn read_header(input: &mut impl Read) -> Result<Header, HeaderError> {
    let mut start = [0; 8];
    input.read_exact(&mut start)?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(HeaderError::Malformed("it is no .npy data".to_owned()));
    }
    let length = match start[6] {
        1 => {
            let mut length = [0; 2];
            input.read_exact(&mut length)?;
            usize::from(u16::from_le_bytes(length))
        }
        2 | 3 => {
            let mut length = [0; 4];
            input.read_exact(&mut length)?;
            u32::from_le_bytes(length) as usize
        }
        version => {
            return Err(HeaderError::Malformed(format!("version {version} of the .npy format is not known")));
        }
    };
    if length > LONGEST_HEADER {
        return Err(HeaderError::Malformed("its header is too long".to_owned()));
    }
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    parse(&text).ok_or_else(|| HeaderError::Malformed("its header cannot be understood".to_owned()))
}

fn parse(text: &str) -> Option<Header> {
    let mut rest = text.trim().strip_prefix('{')?;
    let (mut dtype, mut fortran_order, mut shape) = (None, None, None);
    loop {
        rest = rest.trim_start();
        if let Some(end) = rest.strip_prefix('}') {
            if !end.trim().is_empty() {
                return None;
            }
            break;
        }
        let (key, after) = string(rest)?;
        rest = after.trim_start().strip_prefix(':')?.trim_start();
        rest = match key {
            "descr" => {
                let (found, after) = descr(rest)?;
                dtype = Some(found);
                after
            }
            "fortran_order" => {
                if let Some(after) = rest.strip_prefix("True") {
                    fortran_order = Some(true);
                    after
                } else {
                    fortran_order = Some(false);
                    rest.strip_prefix("False")?
                }
            }
            "shape" => {
                let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
                let sizes: Option<Vec<usize>> = inside
                    .split(',')
                    .map(str::trim)
                    .filter(|size| !size.is_empty())
                    // Python 2 wrote long integers with an L.
                    .map(|size| size.trim_end_matches('L').parse().ok())
                    .collect();
                shape = Some(sizes?);
                after
            }
            _ => return None,
        };
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(Header { dtype: dtype?, fortran_order: fortran_order?, shape: shape? })
}

/// A quoted string without escapes, and what follows it.
fn string(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

fn descr(text: &str) -> Option<(Result<Dtype, String>, &str)> {
    if text.starts_with('[') {
        // A structured type: skip the list, which may hold further lists.
        let mut depth = 0usize;
        for (at, c) in text.char_indices() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let why = "it is an array of records; save each field as an array of its own".to_owned();
                return Some((Err(why), &text[at + 1..]));
            }
        }
        return None;
    }
    let (code, after) = string(text)?;
    Some((dtype(code), after))
}

fn dtype(code: &str) -> Result<Dtype, String> {
    let unsupported = || format!("its element type `{code}` is not supported");
    let mut chars = code.chars();
    let (order, kind) = match (chars.next(), chars.next()) {
        (Some(order @ ('<' | '>' | '|' | '=')), Some(kind)) => (order, kind),
        _ => return Err(unsupported()),
    };
    if kind == 'O' {
        return Err(
            "it is an array of Python objects, which NumPy stores as a pickle: pickles run code when they are loaded; \
             save it with a numeric or string dtype"
                .to_owned(),
        );
    }
    let size: usize = chars.as_str().parse().map_err(|_| unsupported())?;
    let (kind, size) = match (kind, size) {
        (_, 0) => return Err(unsupported()),
        ('b', 1) => (Kind::Bool, 1),
        ('i', 1 | 2 | 4 | 8) => (Kind::Signed, size),
        ('u', 1 | 2 | 4 | 8) => (Kind::Unsigned, size),
        ('f', 2 | 4 | 8) => (Kind::Float, size),
        ('U', _) => (Kind::Unicode, size.checked_mul(4).ok_or_else(unsupported)?),
        ('S', _) => (Kind::Bytes, size),
        _ => return Err(unsupported()),
    };
    Ok(Dtype { kind, size, big_endian: order == '>' || (order == '=' && cfg!(target_endian = "big")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_numpy_writes() {
        let header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }      \n").unwrap();
        assert_eq!(
            header,
            Header {
                dtype: Ok(Dtype { kind: Kind::Float, size: 8, big_endian: false }),
                fortran_order: false,
                shape: vec![3],
            }
        );
        let header = parse("{'descr': '>U7', 'fortran_order': True, 'shape': (3L, 2), }").unwrap();
        assert_eq!(header.shape, [3, 2]);
        assert!(header.fortran_order);
        let dtype = header.dtype.unwrap();
        assert_eq!((dtype.kind, dtype.size, dtype.big_endian), (Kind::Unicode, 28, true));
        let scalar = parse("{'shape': (), 'fortran_order': False, 'descr': '|b1'}").unwrap();
        assert!(scalar.shape.is_empty());
    }

    #[test]
    fn element_types_that_are_refused_say_why() {
        let object = parse("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }").unwrap();
        assert!(object.dtype.unwrap_err().contains("pickle"));
        let records =
            parse("{'descr': [('a', '<f8'), ('b', '<f8', (2,))], 'fortran_order': False, 'shape': (3,), }").unwrap();
        assert!(records.dtype.unwrap_err().contains("records"));
        let complex = parse("{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }").unwrap();
        assert!(complex.dtype.unwrap_err().contains("<c16"));
    }

    #[test]
    fn nonsense_is_no_header() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f8'}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
            "{'descr': '<f8', 'fortran_order': None, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } import os",
            "{'descr': [, 'fortran_order': False, 'shape': (1,), }",
            "{'é",
        ] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
