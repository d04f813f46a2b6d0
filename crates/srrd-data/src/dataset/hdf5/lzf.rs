//! The LZF filter of h5py, which the library leaves to its users.
//!
//! Compressed data are a row of pieces. A byte c below 32 means that c + 1 bytes follow as they are. Otherwise its upper three bits are a
//! length (7: the next byte is added to it), its lower five bits and the next byte a distance: length + 2 bytes are repeated from
//! distance + 1 bytes before.

use hdf5_reader::error::Error;
use hdf5_reader::messages::filter_pipeline::FilterDescription;

/// The number under which h5py registered it.
pub(super) const FILTER: u16 = 32000;

/// Decompresses a chunk, which has as many bytes as the third number of the filter says.
pub(super) fn filter(about: &FilterDescription, data: &[u8], _: usize) -> Result<Vec<u8>, Error> {
    let length = about.client_data.get(2).map_or(0, |&length| length as usize);
    if length == 0 || length > super::MOST_BYTES {
        return Err(Error::FilterError(format!("LZF chunks of {length} bytes")));
    }
    decompress(data, length).ok_or_else(|| Error::DecompressionError("LZF data".to_owned()))
}

/// At most `length` bytes; `None` when the data are damaged.
fn decompress(data: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(length.min(data.len().saturating_mul(90)));
    let mut input = data.iter();
    while let Some(&control) = input.next() {
        if control < 32 {
            let literal = input.as_slice().get(..usize::from(control) + 1)?;
            out.extend_from_slice(literal);
            input = input.as_slice()[literal.len()..].iter();
        } else {
            let mut count = usize::from(control >> 5) + 2;
            if control >> 5 == 7 {
                count += usize::from(*input.next()?);
            }
            let distance = (usize::from(control & 31) << 8 | usize::from(*input.next()?)) + 1;
            let from = out.len().checked_sub(distance)?;
            // What is repeated may be part of what is just being written.
            for at in from..from + count {
                out.push(out[at]);
            }
        }
        if out.len() > length {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::decompress;

    #[test]
    fn pieces_and_repetitions() {
        assert_eq!(decompress(&[2, b'a', b'b', b'c', 0x20, 2], 6), Some(b"abcabc".to_vec()));
        // 1 byte as it is, then 7 + 2 + 3 of it.
        assert_eq!(decompress(&[0, b'x', 0xe0, 3, 0], 13), Some(b"xxxxxxxxxxxxx".to_vec()));
        for damaged in [&[5, b'a'][..], &[0x20, 0], &[0, b'a', 0x20, 9], &[0, b'a', 0xe0, 255, 0]] {
            assert_eq!(decompress(damaged, 20), None);
        }
    }
}
