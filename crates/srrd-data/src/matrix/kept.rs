//! The upper half of a matrix while it is computed, band after band.
//!
//! The file begins with a line that says which matrix it is of. Then comes one record per band: three numbers of eight bytes (the first
//! row, the row after the last, how many distances are over few shared transitions), the distances from the diagonal on, row after
//! row, and a hash of all that. A distance that is undefined is a NaN whose last bits say why; one that is mostly noise has its sign set. A record that is not whole, or not
//! as it was written, ends the file: what comes after is computed again.

use std::cell::Cell;
use std::hash::Hasher;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;
use siphasher::sip128::{self, Hasher128};
use srrd::answer::{AllPairs, Tally};
use srrd::compare::{Band, Pairs};
use srrd::run::Steps;
use srrd::{DistanceMatrix, Undefined};

use super::store::Store;
use crate::error::{ErrorKind, TableError};

/// The upper half of a matrix, as far as it was computed.
///
/// With a path, it is kept in a file beside the matrix that it is to become, once it takes longer than two seconds or more than 64 MB:
/// the next process that asks for the same matrix goes on with it. Without one it is in memory or in a file without a name.
pub struct KeptMatrix {
    size: usize,
    store: Store,
    /// Of every row that is there, where its distances begin.
    starts: Vec<u64>,
    tally: Tally,
    name: String,
}

/// Which matrix it is.
#[derive(Debug, Deserialize, Serialize)]
struct Head {
    srrd_matrix: String,
    samples: usize,
    identity: String,
}

const NUMBER: usize = 8;
/// What comes before the distances of a record.
const BEFORE: usize = 3 * NUMBER;
/// The longest first line.
const LONGEST_HEAD: u64 = 300;
/// How long a band should take, and how large it may get.
const BAND_TIME: Duration = Duration::from_millis(500);
const BAND_BYTES: usize = 32 << 20;
/// Set where a distance is mostly noise: distances are not negative.
const WEAK: u64 = 1 << 63;
/// The bits of a NaN, to which the reason is added.
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// A record as it is kept, and which rows it has.
type Record = (Vec<u8>, Range<usize>);

impl KeptMatrix {
    /// The name of the file in which a matrix is kept that is to become `path`.
    pub fn beside(path: &Path) -> PathBuf {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".unfinished");
        path.with_file_name(name)
    }

    /// Begins to keep the matrix of these pairs, or goes on with one. A file of another matrix is given up.
    ///
    /// # Errors
    /// The file is there and is none of a matrix, is in use, or cannot be read or removed.
    pub fn open(path: Option<&Path>, asked: &AllPairs<'_>, size: usize) -> Result<Self, TableError> {
        let mut hasher = sip128::SipHasher13::new();
        asked.identity(|piece| {
            hasher.write_u64(piece.len() as u64);
            hasher.write(piece);
        });
        Self::open_identified(path, hasher.finish128().as_u128(), size)
    }

    /// As [`open`](Self::open), of the matrix that has this number.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_identified(path: Option<&Path>, identity: u128, size: usize) -> Result<Self, TableError> {
        let head = Head {
            srrd_matrix: env!("CARGO_PKG_VERSION").to_owned(),
            samples: size,
            identity: format!("{identity:032x}"),
        };
        let name = path.map_or_else(|| "the matrix".to_owned(), |path| path.display().to_string());
        let failed = |error: io::Error| failure(&name, "read", &error);
        let there = path.map(Store::reopen).transpose().map_err(failed)?.flatten();
        let line = serde_json::to_string(&head).map_err(|error| failure(&name, "written", &error.into()))? + "\n";
        let mut kept = KeptMatrix { size, store: Store::new(path), starts: Vec::new(), tally: Tally::default(), name };
        if let Some(store) = there {
            let failed = |error: io::Error| failure(&kept.name, "read", &error);
            match begins_with(&store, &line).map_err(failed)? {
                Begins::This => {
                    kept.store = store;
                    kept.read_records(line.len() as u64)?;
                    return Ok(kept);
                }
                Begins::Another => store.remove().map_err(failed)?,
                Begins::None => {
                    let what = "is there and no unfinished matrix of srrd; remove it, or name another output";
                    return Err(TableError::new(ErrorKind::WrongFormat, &kept.name, what));
                }
            }
        }
        kept.append(line.as_bytes())?;
        Ok(kept)
    }

    /// How many samples.
    pub fn size(&self) -> usize {
        self.size
    }

    /// How many rows are there.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// What was counted over them.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Computes the rows that are not there yet, in bands that take about half a second.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn complete(&mut self, pairs: &Pairs<'_>) -> Result<(), TableError> {
        let size = self.size;
        let cells = |rows: Range<usize>| rows.map(|i| size - i).sum::<usize>();
        let steps = Steps::begin("pairs", cells(0..self.size) as u64);
        steps.add(cells(0..self.rows()) as u64);
        let least = rayon::current_num_threads();
        let mut height = least;
        while self.rows() < self.size {
            let first = self.rows();
            let most = (BAND_BYTES / NUMBER / (self.size - first)).max(1);
            let begun = Instant::now();
            let band = pairs.band(first..self.size.min(first + height.min(most)));
            height = match begun.elapsed() {
                spent if spent < BAND_TIME / 2 => height * 2,
                spent if spent > BAND_TIME * 2 => (height / 2).max(least),
                _ => height,
            };
            self.keep(&band)?;
            steps.add(band.cells.len() as u64);
        }
        Ok(())
    }

    /// Keeps the rows that come next.
    ///
    /// # Errors
    /// The file cannot be written.
    ///
    /// # Panics
    /// When other rows come next.
    pub fn keep(&mut self, band: &Band) -> Result<(), TableError> {
        assert_eq!(band.rows.start, self.rows(), "bands come in the order of their rows");
        let mut record = Vec::with_capacity(BEFORE + NUMBER * (band.cells.len() + 1));
        for number in [band.rows.start, band.rows.end, band.few_common] {
            record.extend((number as u64).to_le_bytes());
        }
        let (mut undefined, mut weak) = (band.undefined.iter(), band.weak.iter().peekable());
        let places = band.rows.clone().flat_map(|i| (i..self.size).map(move |j| (i, j)));
        record.extend(places.zip(&band.cells).flat_map(|(place, &distance)| {
            let bits = match distance.is_nan() {
                false => distance.to_bits(),
                true => NAN | undefined.next().map_or(0, |&(_, _, why)| code(why)),
            };
            let is_weak = weak.next_if(|&&weak| weak == place).is_some();
            (bits | if is_weak { WEAK } else { 0 }).to_le_bytes()
        }));
        record.extend(hash(&record).to_le_bytes());
        let begin = self.store.len() + BEFORE as u64;
        self.append(&record)?;
        self.note_rows(band.rows.clone(), begin);
        self.tally.add(band);
        Ok(())
    }

    /// Puts what is held in memory into the file, which otherwise happens when it is worth it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&mut self) -> Result<(), TableError> {
        self.store.save().map_err(|error| failure(&self.name, "written", &error))
    }

    fn note_rows(&mut self, rows: Range<usize>, mut begin: u64) {
        for row in rows {
            self.starts.push(begin);
            begin += (NUMBER * (self.size - row)) as u64;
        }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.store.append(bytes).map_err(|error| failure(&self.name, "written", &error))
    }

    /// Takes over the records from `at` on, up to the first that is not whole.
    fn read_records(&mut self, mut at: u64) -> Result<(), TableError> {
        while let Some((record, rows)) = self.read_record(at)? {
            let number = |place: usize| number(&record[place..]);
            self.tally.few_common += number(2 * NUMBER) as usize;
            let mut place = BEFORE;
            for i in rows.clone() {
                for j in i..self.size {
                    if let Some(why) = reason(number(place)) {
                        self.tally.add_undefined((i, j, why));
                    }
                    place += NUMBER;
                }
            }
            self.note_rows(rows, at + BEFORE as u64);
            at += record.len() as u64;
        }
        self.store.truncate(at).map_err(|error| failure(&self.name, "written", &error))
    }

    /// The record at `at`, if it is whole and of the rows that come next.
    fn read_record(&self, at: u64) -> Result<Option<Record>, TableError> {
        let failed = |error: io::Error| failure(&self.name, "read", &error);
        let left = self.store.len() - at;
        let mut before = [0; BEFORE];
        if left < BEFORE as u64 {
            return Ok(None);
        }
        self.store.read(at, &mut before).map_err(failed)?;
        let [first, end] = [0, NUMBER].map(|place| number(&before[place..]));
        if first != self.rows() as u64 || end <= first || end > self.size as u64 {
            return Ok(None);
        }
        let rows = first as usize..end as usize;
        let cells: u64 = rows.clone().map(|i| (self.size - i) as u64).sum();
        let whole = BEFORE as u64 + NUMBER as u64 * (cells + 1);
        if left < whole {
            return Ok(None);
        }
        let mut record = vec![0; whole as usize];
        self.store.read(at, &mut record).map_err(failed)?;
        let (content, written) = record.split_at(record.len() - NUMBER);
        Ok((hash(content) == number(written)).then_some((record, rows)))
    }

    /// Some rows of the whole matrix, row after row, with `undefined` where there is no distance (0 with a sample itself); NaN unless it is
    /// given.
    ///
    /// # Errors
    /// The file cannot be read.
    ///
    /// # Panics
    /// When not all rows up to the last of these are there.
    pub fn whole_rows(&self, rows: Range<usize>, undefined: Option<f64>) -> Result<Vec<f64>, TableError> {
        let mut found = vec![0.0; rows.len() * self.size];
        let mut bytes = vec![0; NUMBER * self.size];
        // What is left of the band stands above it, in the columns of its rows.
        for j in 0..rows.end {
            let columns = if j < rows.start { rows.clone() } else { j..self.size };
            let read = &mut bytes[..NUMBER * columns.len()];
            let at = self.starts[j] + (NUMBER * (columns.start - j)) as u64;
            self.store.read(at, read).map_err(|error| failure(&self.name, "read", &error))?;
            for (k, bits) in columns.zip(read.chunks_exact(NUMBER).map(number)) {
                let distance = match (distance(bits), undefined) {
                    (distance, _) if !distance.is_nan() => distance,
                    (_, Some(_)) if j == k => 0.0,
                    (_, undefined) => undefined.unwrap_or(f64::NAN),
                };
                if j >= rows.start {
                    found[(j - rows.start) * self.size + k] = distance;
                }
                if rows.contains(&k) {
                    found[(k - rows.start) * self.size + j] = distance;
                }
            }
        }
        Ok(found)
    }

    /// The whole matrix in memory, for those who need it at once.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn matrix(&self) -> Result<DistanceMatrix, TableError> {
        DistanceMatrix::from_rows(self.size, self.tally.few_common, |i| {
            let bits = self.row(i)?;
            let undefined = (i..).zip(&bits).filter_map(|(j, &bits)| reason(bits).map(|why| (i, j, why)));
            let weak = (i..).zip(&bits).filter(|(_, bits)| is_weak(**bits)).map(|(j, _)| (i, j));
            Ok(Band {
                rows: i..i + 1,
                undefined: undefined.collect(),
                weak: weak.collect(),
                cells: bits.iter().map(|&bits| distance(bits)).collect(),
                few_common: 0,
            })
        })
    }

    /// The upper half of a row, as it is kept.
    fn row(&self, i: usize) -> Result<Vec<u64>, TableError> {
        let mut bytes = vec![0; NUMBER * (self.size - i)];
        self.store.read(self.starts[i], &mut bytes).map_err(|error| failure(&self.name, "read", &error))?;
        Ok(bytes.chunks_exact(NUMBER).map(number).collect())
    }

    /// The pairs (i ≤ j) without a distance, and why. It ends early where the file cannot be read, and `failed` then says so.
    pub fn undefined<'a>(
        &'a self,
        failed: &'a Cell<Option<TableError>>,
    ) -> impl Iterator<Item = (usize, usize, Undefined)> + 'a {
        let row = move |i: usize| match self.row(i) {
            Ok(bits) => Some(
                (i..).zip(bits).filter_map(move |(j, bits)| reason(bits).map(|why| (i, j, why))).collect::<Vec<_>>(),
            ),
            Err(error) => {
                failed.set(Some(error));
                None
            }
        };
        (0..self.rows()).map_while(row).flatten()
    }

    /// The matrix is written: what was kept is of no use any more.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn finish(self) -> Result<(), TableError> {
        let name = self.name;
        self.store.remove().map_err(|error| failure(&name, "removed", &error))
    }
}

/// What a file begins with.
enum Begins {
    /// The line of this matrix.
    This,
    /// That of another one, or the beginning of a line: whoever wrote it was killed.
    Another,
    /// Something else.
    None,
}

fn begins_with(store: &Store, line: &str) -> io::Result<Begins> {
    let mut begin = vec![0; store.len().min(LONGEST_HEAD) as usize];
    store.read(0, &mut begin)?;
    let end = begin.iter().position(|&byte| byte == b'\n').unwrap_or(begin.len());
    Ok(match serde_json::from_slice::<Head>(&begin[..end]) {
        _ if begin.starts_with(line.as_bytes()) => Begins::This,
        Ok(_) => Begins::Another,
        Err(_) if line.as_bytes().starts_with(&begin) => Begins::Another,
        Err(_) => Begins::None,
    })
}

fn number(bytes: &[u8]) -> u64 {
    let mut number = [0; NUMBER];
    number.copy_from_slice(&bytes[..NUMBER]);
    u64::from_le_bytes(number)
}

fn hash(bytes: &[u8]) -> u64 {
    SipHasher13::new().hash(bytes)
}

fn code(why: Undefined) -> u64 {
    Undefined::ALL.iter().position(|&one| one == why).map_or(0, |place| place as u64 + 1)
}

fn is_weak(bits: u64) -> bool {
    bits & WEAK != 0
}

/// The distance in a cell of a record; NaN where there is none.
fn distance(bits: u64) -> f64 {
    let distance = f64::from_bits(bits & !WEAK);
    if distance.is_nan() { f64::NAN } else { distance }
}

/// Why there is no distance in a cell of a record; `None` when there is one.
fn reason(bits: u64) -> Option<Undefined> {
    let place = (bits & !NAN).checked_sub(1)?;
    if bits & NAN != NAN {
        return None;
    }
    Undefined::ALL.get(usize::try_from(place).ok()?).copied()
}

fn failure(name: &str, what: &str, error: &io::Error) -> TableError {
    match error.kind() {
        io::ErrorKind::WouldBlock => TableError::new(
            ErrorKind::Io,
            name,
            "is being written by another process; wait for it, or name another output",
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::FileTooLarge | io::ErrorKind::QuotaExceeded
            if what == "written" =>
        {
            TableError::new(
                ErrorKind::Io,
                name,
                format!(
                    "cannot be written: {error}; make room and call again, which goes on with the rows that are finished"
                ),
            )
        }
        _ => TableError::io(name, what, error),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
