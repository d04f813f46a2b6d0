//! gzip data: one member or several, and what may stand behind them.

use std::fmt;
use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses all members. Zeros behind the last are padding, as tapes and some copiers leave it; anything else is an error.
pub(super) struct Members<R> {
    /// `None` behind the last.
    member: Option<GzDecoder<R>>,
}

/// That something else follows the compressed data.
#[derive(Debug)]
pub(super) struct Behind;

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something else follows the compressed data")
    }
}

impl std::error::Error for Behind {}

impl<R: BufRead> Members<R> {
    pub(super) fn new(input: R) -> Self {
        Members { member: Some(GzDecoder::new(input)) }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut member) = self.member.take() {
            let count = match member.read(buffer) {
                Ok(count) => count,
                Err(error) => {
                    self.member = Some(member);
                    return Err(error);
                }
            };
            if count > 0 || buffer.is_empty() {
                self.member = Some(member);
                return Ok(count);
            }
            let mut rest = member.into_inner();
            if another_follows(&mut rest)? {
                self.member = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

fn another_follows(rest: &mut impl BufRead) -> io::Result<bool> {
    let mut padded = false;
    loop {
        let bytes = match rest.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        match bytes.first() {
            None => return Ok(false),
            Some(0x1f) if !padded => return Ok(true),
            Some(0) => {
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                rest.consume(zeros);
                padded = true;
            }
            Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, Behind)),
        }
    }
}
