//! However a table arrives, no row is lost: in pieces of every size, with blank stretches of any length.

mod common;

use std::io::{self, Cursor, Read};

use common::{Table, read_all};
use srrd::Duplicates;
use srrd_data::{
    FileFormat, Format, OutputFile, ReadOptions, TableError, create, open_bytes, open_stream, read_sample_table,
};

/// Gives so many bytes at a time.
struct Pieces {
    bytes: Cursor<Vec<u8>>,
    size: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.size.min(buffer.len());
        self.bytes.read(&mut buffer[..size])
    }
}

fn in_pieces(format: FileFormat, bytes: &[u8], size: usize, batch_rows: usize) -> Result<Table, TableError> {
    let input = Box::new(Pieces { bytes: Cursor::new(bytes.to_vec()), size });
    let options = ReadOptions { batch_rows, ..ReadOptions::default() };
    read_all(&mut *open_stream("t", format, input, &options)?)
}

/// A small table of every format and compression, with its number of rows.
fn tables() -> Vec<(FileFormat, Vec<u8>, usize)> {
    let csv = "\n\r\nstate,action,reward\n\n\n1,\"a\n\n\"\"b\",0.5\r\n\r\n\n2,é,-1\n\n\n3,,1e3\n\n";
    let jsonl = "\n\n{\"state\": 1, \"obs\": [1, 2.0], \"reward\": 0.5}\n\n \n{\"state\": 2, \"obs\": [3, 4.5], \"reward\": 1.0}\n\n";
    let mut tables = vec![
        (FileFormat::plain(Format::Csv), csv.as_bytes().to_vec(), 3),
        (FileFormat::plain(Format::Tsv), csv.replace(',', "\t").into_bytes(), 3),
        (FileFormat::plain(Format::Jsonl), jsonl.as_bytes().to_vec(), 2),
    ];
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "t.csv.gz",
        "t.jsonl.zst",
        "t.npz",
        #[cfg(feature = "parquet")]
        "t.parquet",
        #[cfg(feature = "arrow")]
        "t.arrow",
    ] {
        let path = folder.path().join(name);
        let mut table =
            open_bytes("t", FileFormat::plain(Format::Jsonl), jsonl.into(), &ReadOptions::default()).unwrap();
        let types = srrd_data::infer_types_of(&mut *table).unwrap();
        let mut table =
            open_bytes("t", FileFormat::plain(Format::Jsonl), jsonl.into(), &ReadOptions::default()).unwrap();
        let schema = table.schema().with_types(&types);
        let mut writer = create(&path, &schema).unwrap();
        let mut batch = srrd_data::Batch::new();
        while let srrd_data::Piece::Rows = table.next_batch(&mut batch).unwrap() {
            writer.write(&batch).unwrap();
        }
        writer.finish().unwrap();
        tables.push((FileFormat::from_path(&path).unwrap(), std::fs::read(&path).unwrap(), 2));
    }
    tables
}

#[test]
fn pieces_of_every_size_give_the_same_rows() {
    for (format, bytes, rows) in tables() {
        let whole = in_pieces(format, &bytes, usize::MAX, 1000).unwrap();
        assert_eq!(whole.rows.len(), rows, "{format:?}");
        // Formats that are held in memory before anything is read see no pieces.
        let most = if bytes.len() > 400 { 40 } else { bytes.len() };
        for size in (1..=most).chain([bytes.len()]) {
            for batch_rows in [1, 2, 1000] {
                assert_eq!(in_pieces(format, &bytes, size, batch_rows).unwrap(), whole, "{format:?} by {size}");
            }
        }
    }
}

#[test]
fn blank_stretches_longer_than_any_buffer_end_nothing() {
    let blank = "\n".repeat(17 << 20);
    let csv = |between: &str| format!("state,action,reward\n1,a,1\n2,b,2\n3,c,3\n{between}4,d,4\n5,e,5\n6,f,6\n");
    let object = |i: usize| format!("{{\"state\": {i}, \"action\": \"x\", \"reward\": {i}}}\n");
    let jsonl =
        |between: &str| (1..=3).map(object).collect::<String>() + between + &(4..=6).map(object).collect::<String>();
    for (format, text, line) in [(Format::Csv, csv(&blank), 5), (Format::Jsonl, jsonl(&blank), 4)] {
        let format = FileFormat::plain(format);
        let bytes = text.into_bytes();
        assert_eq!(in_pieces(format, &bytes, usize::MAX, 1000).unwrap().rows.len(), 6);
        let reader = open_bytes("t", format, bytes, &ReadOptions::default()).unwrap();
        let table = read_sample_table(reader, "only", Duplicates::Mean).unwrap();
        assert_eq!((table.row_count(), table.samples[0].sample.len()), (6, 6));
        // Lines are counted through.
        let broken = match format.format {
            Format::Csv => csv(&blank).replace("4,d,4", "4,d"),
            _ => jsonl(&blank).replace("\"state\": 4, ", "\"other\": 4, "),
        };
        let error = in_pieces(format, broken.as_bytes(), usize::MAX, 1000).unwrap_err();
        assert_eq!((error.row(), error.line()), (Some(4), Some(line + (17 << 20))), "{error}");
    }
}

#[test]
fn blank_lines_before_the_first_row_take_no_time() {
    // Anything but a linear search would take minutes.
    let blank = "\r\n".repeat(4 << 20);
    for (format, text) in [
        (Format::Csv, format!("{blank}state,action,reward\n1,a,1\n")),
        (Format::Jsonl, format!("{blank}{{\"state\": 1, \"action\": 2, \"reward\": 3}}\n")),
    ] {
        let table = in_pieces(FileFormat::plain(format), text.as_bytes(), usize::MAX, 1000).unwrap();
        assert_eq!(table.rows.len(), 1);
    }
}

#[test]
fn thousands_of_features_take_no_time() {
    // Anything but linear work would take minutes.
    let names: Vec<String> = (0..30_000).map(|i| format!("state.{i}")).collect();
    let text = format!("{},action,reward\n{}go,1\n{}go,2\n", names.join(","), "1,".repeat(30_000), "2,".repeat(30_000));
    let read = || open_bytes("t", FileFormat::plain(Format::Csv), text.clone().into_bytes(), &ReadOptions::default());
    let table = read_sample_table(read().unwrap(), "only", Duplicates::Mean).unwrap();
    assert_eq!(table.samples[0].state_features.as_ref().map(Vec::len), Some(30_000));
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    assert_eq!(srrd_data::TableCopy::open(read, &output, &[], &Default::default()).unwrap().run().unwrap().rows, 2);
}

#[test]
fn flipped_bits_are_noticed() {
    flip_bits("t.csv.zst", |_| 0);
    // What stands behind the rows, and how long that is, has no checksum.
    #[cfg(feature = "parquet")]
    flip_bits("t.parquet", |bytes| 8 + u32::from_le_bytes(*bytes[..bytes.len() - 4].last_chunk().unwrap()) as usize);
}

/// Flips bits of a file, but for some bytes at its end.
fn flip_bits(name: &str, behind: impl Fn(&[u8]) -> usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let rows: String = (0..500u32).map(|i| format!("{},{},{}\n", i * 7919 % 1009, i % 5, f64::from(i) / 7.0)).collect();
    let text = format!("state,action,reward\n{rows}");
    let input = || open_bytes("t", FileFormat::plain(Format::Csv), text.clone().into_bytes(), &ReadOptions::default());
    srrd_data::TableCopy::open(input, &path, &[], &Default::default()).unwrap().run().unwrap();
    let good = std::fs::read(&path).unwrap();
    let format = FileFormat::from_path(&path).unwrap();
    let whole = in_pieces(format, &good, usize::MAX, 1000).unwrap();
    assert_eq!(whole.rows.len(), 500);
    let bits = (good.len() - behind(&good)) * 8;
    for at in (0..bits).step_by(bits / 300) {
        let mut bad = good.clone();
        bad[at / 8] ^= 1 << (at % 8);
        if let Ok(table) = in_pieces(format, &bad, usize::MAX, 1000) {
            assert_eq!(table, whole, "{name}, bit {at}");
        }
    }
}

#[test]
fn far_windows_of_zstandard_are_read() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.long_distance_matching(true).unwrap();
    encoder.window_log(30).unwrap();
    io::Write::write_all(&mut encoder, b"a,b\n1,2\n").unwrap();
    let bytes = encoder.finish().unwrap();
    let format = FileFormat { format: Format::Csv, compression: srrd_data::Compression::Zstd };
    assert_eq!(in_pieces(format, &bytes, usize::MAX, 10).unwrap().rows.len(), 1);
}

#[test]
fn a_folder_of_parts_is_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let mut file = OutputFile::create(&folder.path().join(name)).unwrap();
        file.write_with(|to| to.write_all(text.as_bytes())).unwrap();
        file.finish().unwrap();
    };
    write("part-10.csv", "state,action,reward\nd,x,4\n");
    write("part-2.csv", "state,action,reward\na,x,1\nb,x,2\n");
    write("part-9.csv", "reward,state,action\n3,c,x\n");
    write("README.md", "nothing to read");
    let table = srrd_data::read_table(folder.path(), Duplicates::Mean).unwrap();
    let states: Vec<String> =
        table.samples[0].sample.transitions().map(|t| format!("{} {}", t.state, t.reward)).collect();
    assert_eq!(states, ["a 1", "b 2", "c 3", "d 4"]);
    write("part-9.csv", "state,action,reward\nc,x\n");
    let error = srrd_data::read_table(folder.path(), Duplicates::Mean).unwrap_err().to_string();
    assert!(error.contains("part-9.csv: row 1 (line 2)"), "{error}");
    write("other.csv", "state,action,reward\na,x,1\n");
    let error = srrd_data::read_table(folder.path(), Duplicates::Mean).unwrap_err().to_string();
    assert!(error.contains("is a directory") && error.contains("`other.csv` has no number in its name"), "{error}");
}

#[cfg(all(unix, feature = "parquet"))]
#[test]
fn parquet_through_a_pipe_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("p.parquet");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    let bytes = std::fs::read(common::fixture("pandas.parquet")).unwrap();
    let to = pipe.clone();
    let writer = std::thread::spawn(move || std::fs::write(to, bytes));
    assert_eq!(common::read(&pipe).unwrap().rows.len(), 5);
    writer.join().unwrap().unwrap();
}
