//! How much memory tables take while they are read, counted by the allocator.

use std::io::{Read, Write};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use srrd_data::{
    Batch, ColumnType, ErrorKind, FileFormat, Format, Piece, ReadOptions, SampleTable, Schema, TableError,
    TableOptions, TableReader, create, open, open_bytes, open_stream, read_sample_table,
};
use zip::write::SimpleFileOptions;

#[path = "../../srrd/tests/it/support/counting.rs"]
mod counting;

use counting::{LIVE, PEAK};

/// One test at a time: all of them are counted together.
static ALONE: Mutex<()> = Mutex::new(());

/// What comes of `work`, and how many bytes there were at once that were not there before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let done = work();
    (done, PEAK.load(Ordering::Relaxed) - before)
}

/// An archive of arrays of so many zeros.
fn zeros(arrays: [(&str, usize); 4]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, length) in arrays {
        archive.start_file(format!("{name}.npy"), SimpleFileOptions::default()).unwrap();
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({length},), }}\n");
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        let piece = [0; 8000];
        (0..length / 1000).for_each(|_| archive.write_all(&piece).unwrap());
        archive.write_all(&piece[..length % 1000 * 8]).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn an_archive_of_arrays_that_do_not_fit_together_is_refused_before_they_are_loaded() {
    let _alone = ALONE.lock().unwrap();
    let length = 2_000_000;
    let read = |last: usize| {
        let arrays = [("state", length), ("action", length), ("next_state", length), ("reward", last)];
        let bytes = zeros(arrays);
        assert!(bytes.len() < 1 << 20);
        peak(|| -> Result<SampleTable, TableError> {
            let table = open_bytes("t.npz", FileFormat::plain(Format::Npz), bytes, &ReadOptions::default())?;
            read_sample_table(table, "t", TableOptions::default())
        })
    };
    let (refused, bytes) = read(1);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Ragged);
    assert!(bytes < 4 << 20, "{bytes} bytes");
    // Where they fit, each is held once, and while it is loaded for a while twice.
    let (read, bytes) = read(length);
    assert_eq!(read.unwrap().samples[0].sample.len(), 1);
    assert!(bytes < 20 * 8 * length, "{bytes} bytes");
}

/// A table of so many rows, eight completions per prompt, made as it is read.
struct Completions {
    rows: std::ops::Range<usize>,
    text: std::io::Cursor<Vec<u8>>,
}

impl Read for Completions {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        if self.text.position() == self.text.get_ref().len() as u64
            && let Some(row) = self.rows.next()
        {
            let words = "many other words ".repeat(55);
            let line = format!("prompt {}, {words}\",\"completion {row}, {words}", row / 8);
            self.text = std::io::Cursor::new(format!("\"{line}\",{},{}\n", row % 97, row % 89).into_bytes());
        }
        self.text.read(to)
    }
}

/// The most bytes while a table of this many rows of completions is read by one thread, and its samples checked.
fn peak_of_completions(rows: usize, open: impl FnOnce() -> Box<dyn TableReader> + Send) -> usize {
    let options = TableOptions { rewards: vec!["a".to_owned(), "b".to_owned()], ..TableOptions::default() };
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (table, bytes) = peak(|| one_thread.install(|| read_sample_table(open(), "t", options)).unwrap());
    assert_eq!(table.samples.iter().map(|named| named.sample.len()).collect::<Vec<_>>(), [rows, rows]);
    bytes
}

fn completions(rows: usize) -> Box<dyn TableReader> {
    let header = b"prompt,completion,a,b\n".to_vec();
    let stream = Completions { rows: 0..rows, text: std::io::Cursor::new(header) };
    open_stream("t", FileFormat::plain(Format::Csv), Box::new(stream), &ReadOptions::default()).unwrap()
}

/// Of 2,000 bytes per row, the first characters of the completion and a hash, and the numbers of the row.
const HELD: usize = 450;

#[test]
fn long_texts_are_not_held() {
    let _alone = ALONE.lock().unwrap();
    let rows = 50_000;
    let bytes = peak_of_completions(rows, || completions(rows));
    assert!(bytes < HELD * rows, "{} bytes per row", bytes / rows);
}

#[cfg(feature = "parquet")]
#[test]
fn batches_of_long_texts_are_small() {
    let _alone = ALONE.lock().unwrap();
    let rows = 50_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut table = completions(rows);
    let columns = [("prompt", ColumnType::Text), ("completion", ColumnType::Text)];
    let numbers = [("a", ColumnType::Int), ("b", ColumnType::Int)];
    let mut writer = create(&path, &Schema::new(columns.into_iter().chain(numbers))).unwrap();
    let mut batch = Batch::new();
    while table.next_batch(&mut batch).unwrap() == Piece::Rows {
        writer.write(&batch).unwrap();
    }
    writer.finish().unwrap();
    let bytes = peak_of_completions(rows, || open(&path, &ReadOptions::default()).unwrap());
    // What the library decodes at a time, and copies of a few batches.
    assert!(bytes < HELD * rows + (100 << 20), "{} bytes per row", bytes / rows);
}
