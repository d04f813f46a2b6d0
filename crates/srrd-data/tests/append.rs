//! Appending columns gives the same output as editing batches, whatever the lines look like, on any number of threads.

use std::fs;
use std::path::Path;

use srrd_data::{
    Compression, FileFormat, Format, ReadOptions, TableCopy, TableError, TableReader, Values, for_each_batch, open,
    open_bytes,
};

const ADDED: [&str; 2] = ["canonical.a", "canonical.b"];

fn value(row: usize, column: usize) -> f64 {
    (row as f64 - 3.0) * [0.1, 1e18][column]
}

/// The output of both ways, on so many threads.
fn both_ways(
    input: impl Fn() -> Result<Box<dyn TableReader>, TableError> + Sync,
    output: &Path,
    threads: usize,
) -> [Vec<u8>; 2] {
    let added = ADDED.map(str::to_owned);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut rows = 0;
        for_each_batch(input().unwrap(), |batch| {
            rows += batch.rows;
            Ok(())
        })
        .unwrap();
        let mut row = 0;
        let copy = TableCopy::open(&input, output, &added, &Default::default()).unwrap();
        copy.edit(rows, |batch| {
            for column in 0..ADDED.len() {
                let values = (row..row + batch.rows).map(|row| value(row, column)).collect();
                batch.columns.push(Values::Float(values).into());
            }
            row += batch.rows;
        })
        .unwrap();
        let edited = fs::read(output).unwrap();

        let copy = TableCopy::open(&input, output, &added, &Default::default()).unwrap();
        copy.append(row, value).unwrap();
        [fs::read(output).unwrap(), edited]
    })
}

/// Tables with all that may stand in a text, as (their header, a row or more). A `#` is another number in every row.
const ODD: [(&str, &str); 16] = [
    ("state,action,next_state,reward\n", "#,x,b,1\n"),
    ("state,action,next_state,reward\r\n", "#,x,b,1\r\n"),
    ("state,action,next_state,reward\r\n", "#,x,b,1\nb,x,c,2\r\n\r\n\n"),
    ("\n\r\nstate,action,next_state,reward\n", "\n#,x,b,1\n\nb,x,c,1\n\r\n"),
    ("\u{feff}state,action,next_state,reward\n", "#,x,b,1\n"),
    ("state,action,next_state,reward\n", " # ,x\t,b  ,\t1.50 \n"),
    ("reward,ünï,state,action,next_state\n", "1e3,naïve – 日本,#,,b\n"),
    ("state,action,next_state,reward\n", "\"#\",x,\"b\",\"1\"\n"),
    ("state,action,\"next_state\",reward\n", "\"a,#\",\"x\ny\",\"b\"\"c\",1\n"),
    ("state,action,next_state,reward\r\n", "\"a,#\",\"x\r\ny\",\"b\"\"c\",1\r\n"),
    ("state,action,next_state,reward\n", "a\"#,x,b\"c\",1\n"),
    ("state,action,next_state,reward\n", "\"#\r\",x,b,1\n"),
    ("state,action,next_state,reward,note\n", "#,x,b,1,\"\r\"\r\n"),
    ("state,action,next_state,reward,note\n", "#,x,b,1,\nb,x,c,1,\"\"\n"),
    ("state,action,reward,note,\n", "#,x,1,,\n"),
    ("state,action,next_state,reward,\"a note\nhere\"\n", "\"\n#\",x,b,1,\"\r\"\n"),
];

fn table(header: &str, row: &str, rows: usize) -> String {
    (0..rows).fold(header.to_owned(), |table, i| table + &row.replace('#', &i.to_string()))
}

fn reader(format: FileFormat, text: &str) -> Result<Box<dyn TableReader>, TableError> {
    open_bytes("t", format, text.as_bytes().to_vec(), &ReadOptions::default())
}

#[test]
fn odd_lines_come_out_alike() {
    let folder = tempfile::tempdir().unwrap();
    for (header, row) in ODD {
        let few = table(header, row, 5);
        // The last line may not be ended, or end with CR alone. Many rows are more than one piece.
        for text in [&few, few.trim_end_matches('\n'), few.trim_end_matches(['\r', '\n']), &table(header, row, 9_000)] {
            let tabs = text.replace('\t', ";").replace(',', "\t");
            for (format, text, name) in [(Format::Csv, text, "out.csv"), (Format::Tsv, &tabs, "out.tsv")] {
                let output = folder.path().join(name);
                let ways = both_ways(|| reader(FileFormat::plain(format), text), &output, 2);
                assert!(ways[0] == ways[1], "{name}, {} bytes of {row:?}", text.len());
                let input = output.with_file_name(format!("in-{name}"));
                fs::write(&input, text).unwrap();
                let of_file = both_ways(|| open(&input, &ReadOptions::default()), &output, 2);
                assert!(of_file == ways, "{name} of a file, {} bytes of {row:?}", text.len());
            }
        }
    }
}

#[test]
fn rare_odd_lines_among_many_come_out_alike() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let header = ODD[0].0;
    let odd: Vec<&str> = ODD.iter().filter(|odd| odd.0.trim() == header.trim()).map(|odd| odd.1).collect();
    let mut text = header.to_owned();
    for i in 0..60_000 {
        let row = if i % 9_011 == 0 { odd[i / 9_011 % odd.len()] } else { "#,some action,b,0.125\n" };
        text += &row.replace('#', &i.to_string());
    }
    let input = folder.path().join("in.csv");
    fs::write(&input, &text).unwrap();
    let expected = both_ways(|| reader(FileFormat::plain(Format::Csv), &text), &output, 1);
    for threads in [1, 2, 3] {
        let ways = both_ways(|| reader(FileFormat::plain(Format::Csv), &text), &output, threads);
        assert!(ways == expected && ways[0] == ways[1], "{threads} threads");
        let of_file = both_ways(|| open(&input, &ReadOptions::default()), &output, threads);
        assert!(of_file == expected, "{threads} threads, of a file");
    }
}

#[test]
fn other_formats_and_compressed_ones_come_out_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let text = table(ODD[8].0, ODD[8].1, 3_000) + &table("", ODD[0].1, 9_000);
    for from in ["in.csv.gz", "in.tsv.zst", "in.jsonl"] {
        let input = folder.path().join(from);
        let plain = || reader(FileFormat::plain(Format::Csv), &text);
        TableCopy::open(plain, &input, &[], &Default::default()).unwrap().run().unwrap();
        for to in ["out.csv", "out.tsv", "out.csv.gz", "out.csv.zst", "out.jsonl"] {
            let output = folder.path().join(to);
            // Where the pieces lie in which a text is compressed can show in the bytes, so the texts are compared.
            let [appended, edited] = both_ways(|| open(&input, &ReadOptions::default()), &output, 2).map(|bytes| {
                let format = FileFormat::from_path(&output).unwrap();
                if format.compression == Compression::None {
                    return bytes;
                }
                let plain = folder.path().join("plain.csv");
                let reopened = || open_bytes("out", format, bytes.clone(), &ReadOptions::default());
                TableCopy::open(reopened, &plain, &[], &Default::default()).unwrap().run().unwrap();
                fs::read(&plain).unwrap()
            });
            assert!(appended == edited, "{from} to {to}");
        }
    }
}

#[test]
fn a_table_that_changed_is_refused_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let run = |text: &str, values: usize| {
        let copy = TableCopy::open(
            || reader(FileFormat::plain(Format::Csv), text),
            &output,
            &["v".to_owned()],
            &Default::default(),
        )
        .unwrap();
        let error = copy.append(values, |_, _| 0.0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        error.unwrap_err().to_string()
    };
    let text = table(ODD[0].0, ODD[0].1, 10);
    assert!(run(&text, 9).starts_with("t: the table has more rows than when it was read before"));
    assert!(run(&text, 11).starts_with("t: the table has fewer rows than when it was read before"));
    let ragged = text.replace("7,x,b,1\n", "7,x,b\n");
    assert!(run(&ragged, 10).starts_with("t: row 8 (line 9): the row has 3 fields"), "{}", run(&ragged, 10));
    let unclosed = text.replace("7,x,b,1\n", "7,x,b,\"1\n");
    assert!(run(&unclosed, 10).starts_with("t: row 8 (line 9): a quote that opens"), "{}", run(&unclosed, 10));
}
