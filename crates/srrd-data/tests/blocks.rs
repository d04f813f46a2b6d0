//! Large tables of text are taken apart in pieces, by many threads; that shows nowhere.

use srrd::{Duplicates, SampleBuilder, Token};
use srrd_data::{FileFormat, Format, ReadOptions, SampleTable, TableError, open, open_bytes, read_sample_table};

/// Some pieces of 256 KiB.
const ROWS: usize = 60_000;

/// The samples of a table that comes as a stream, which must be those of the same table as a file.
fn read(text: impl AsRef<[u8]>, duplicates: Duplicates, threads: usize) -> Result<SampleTable, TableError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let format = FileFormat::plain(Format::Csv);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let text = text.as_ref();
    std::fs::write(&path, text).unwrap();
    pool.install(|| {
        let reader = open_bytes("t.csv", format, text.to_vec(), &ReadOptions::default())?;
        let streamed = read_sample_table(reader, "only", duplicates);
        let from_file = read_sample_table(open(&path, &ReadOptions::default())?, "only", duplicates);
        match (&streamed, &from_file) {
            (Ok(streamed), Ok(from_file)) => {
                assert!(streamed.samples[0].sample == from_file.samples[0].sample);
                assert!(streamed.rows().eq(from_file.rows()));
            }
            (Err(streamed), Err(from_file)) => {
                let without_folder = from_file.to_string().replace(path.to_str().unwrap(), "t.csv");
                assert_eq!(streamed.to_string(), without_folder);
            }
            _ => panic!("{:?} as a stream, {:?} as a file", streamed.err(), from_file.err()),
        }
        streamed
    })
}

/// State, action, next state and reward of a row: texts and integers of all kinds.
fn row(i: usize) -> (String, String, String, f64) {
    let state = |k: usize| match k % 5 {
        0 => format!("{}_{}", k % 300, k / 900),
        1 => format!("{}", k % 4000),
        2 => format!("-{}", k % 70 + 1),
        3 => format!("{}", 5_000_000 + k % 90),
        _ => format!("ünï {}", k % 1000),
    };
    (state(i * 7), format!("{}", i % 3), state(i * 13 + 1), (i % 1000) as f64 / 8.0 - 20.0)
}

/// All rows as `write` writes them.
fn table(write: impl Fn(usize, (&str, &str, &str, f64)) -> String) -> String {
    let mut text = "action,note,state,reward,next_state\n".to_owned();
    for i in 0..ROWS {
        let (s, a, t, r) = row(i);
        text += &write(i, (&s, &a, &t, r));
    }
    text
}

#[test]
fn blocks_give_the_rows_that_were_written() {
    let mut builder = SampleBuilder::new();
    for i in 0..ROWS {
        let (s, a, t, r) = row(i);
        builder.push(Token::text(&s), Token::text(&a), Token::text(&t), r).unwrap();
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    let expected: Vec<(usize, usize)> = placement.transition.iter().map(|&t| (0, t as usize)).collect();

    let plain = table(|_, (s, a, t, r)| format!("{a},n,{s},{r},{t}\n"));
    assert!(plain.len() > 5 << 18);
    let carriage_returns = table(|_, (s, a, t, r)| format!("{a},,{s}, {r}\t,{t}\r\n"));
    let blank_lines =
        table(|i, (s, a, t, r)| format!("{}{a},n,{s},{r:e},{t}\n", ["", "\n\r\n"][usize::from(i % 5000 == 7)]));
    // Quotes here and there, some of them around the end of a block.
    let quotes = |often: usize| {
        table(move |i, (s, a, t, r)| match i % often {
            3 => format!("{a},\"\n,\"\"\n\",\"{s}\",{r},{t}\n"),
            _ => format!("{a},n,{s},{r},{t}\n"),
        })
    };
    let unended = plain.trim_end().to_owned();
    let tables = [plain, carriage_returns, blank_lines, quotes(25_000), quotes(3_000), quotes(11), unended];
    for (number, text) in tables.iter().enumerate() {
        for threads in [1, 3] {
            let table = read(text, Duplicates::Mean, threads).unwrap();
            assert_eq!(table.samples.len(), 1);
            assert!(table.samples[0].sample == sample, "table {number}");
            assert!(table.rows().eq(expected.iter().copied()), "table {number}");
        }
    }
}

#[test]
fn lines_longer_than_blocks_are_rows_like_others() {
    let long = "x".repeat(300_000);
    let huge = "y".repeat(3 << 20);
    let row = |i: usize, note: &str| format!("0,{note},s{i},1,t\n");
    let mut text = "action,note,state,reward,next_state\n".to_owned();
    for i in 0..9_000 {
        text += &row(i, if i % 1000 == 7 { &long } else { "n" });
    }
    text += &row(9_000, &huge);
    text += row(9_001, "n").trim_end();
    for threads in [1, 3] {
        let table = read(&text, Duplicates::Mean, threads).unwrap();
        assert_eq!(table.samples[0].sample.len(), 9_002);
    }
}

#[test]
fn what_is_wrong_is_said_of_the_row_it_is_wrong_with() {
    let bad = 41_234;
    // The header is line 1, and there is a blank line before row 30,001.
    let table_with = |line: &str| {
        table(|i, (s, a, t, r)| match i {
            30_000 => format!("\n{a},n,{s},{r},{t}\n"),
            i if i == bad || i == ROWS - 1 => format!("{line}\n"),
            _ => format!("{a},n,{s},{r},{t}\n"),
        })
    };
    for (line, says) in [
        ("0,n,a,1,", "column `next_state`: the value is missing"),
        ("0,n,,1,b", "column `state`: the value is missing"),
        ("0,n,a,x,b", "column `reward`: `x` is not a number"),
        ("0,n,a,,b", "column `reward`: the value is missing"),
        ("0,n,a,1e999,b", "column `reward`: `1e999` is not a finite number"),
        ("0,n,a,1e150,b", "column `reward`: 1e150 is too large"),
        ("0,n,a,1", "the row has 4 fields"),
        ("0,n,a,1,b,c", "the row has 6 fields"),
        ("0,n,\"a\"x,1,b", "column `state`: a quoted field goes on"),
    ] {
        for threads in [1, 3] {
            let error = read(table_with(line), Duplicates::Mean, threads).unwrap_err();
            assert_eq!((error.row(), error.line()), (Some(bad as u64 + 1), Some(bad as u64 + 3)), "{line}: {error}");
            assert!(error.to_string().contains(says), "{line}: {error}");
        }
    }
    for threads in [1, 3] {
        let error = read(table_with("0,n,a\0,1,b"), Duplicates::Mean, threads).unwrap_err();
        assert_eq!((error.row(), error.line()), (Some(bad as u64 + 1), Some(bad as u64 + 3)), "{error}");
        assert!(error.to_string().contains("NUL"), "{error}");
    }
}

#[test]
fn contradicting_rows_are_named_as_the_file_counts_them() {
    let text = (0..ROWS).fold("state,action,next_state,reward\n".to_owned(), |text, i| {
        text + &format!("{},0,{},{}\n", i.min(50_000), i.min(50_000), if i == 50_777 { 1 } else { 0 })
    });
    for threads in [1, 3] {
        let error = read(&text, Duplicates::Error, threads).unwrap_err();
        assert_eq!(error.row(), Some(50_778), "{error}");
        assert!(error.to_string().contains("in row 50001"), "{error}");
    }
}

/// A row of integers, with now and then something else in one of its fields.
fn int_row(i: usize) -> [String; 4] {
    let draw = |k: usize| (i * 6 + k).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    let token = |k: usize, below: usize| match draw(k) % 4001 {
        0 => "007".to_owned(),
        1 => "-3".to_owned(),
        2 => "12345678".to_owned(),
        3 => "4294967296".to_owned(),
        4 => "é".to_owned(),
        value => (value % below).to_string(),
    };
    let value = (draw(4) as f64 / 1e9 - 1.0) * [1.0, 1.0, 1000.0, 1e-7, 1e9][draw(5) % 5];
    let reward = match draw(0) % 9 {
        0 => format!("{value:.8}"),
        1 => format!("{value:.16}"),
        2 => format!("{value:e}"),
        3 => format!("{}", value as i64),
        4 => format!(" +{}", value.abs()),
        _ => value.to_string(),
    };
    [token(1, 3000), token(2, 4), token(3, 3000), reward]
}

#[test]
fn tables_of_integers_give_the_rows_that_were_written() {
    let mut builder = SampleBuilder::new();
    for i in 0..ROWS {
        let [s, a, t, r] = int_row(i);
        builder.push(Token::text(&s), Token::text(&a), Token::text(&t), r.trim().parse().unwrap()).unwrap();
    }
    let (sample, placement) = builder.build_with_placement(Duplicates::Mean).unwrap();
    type Line = fn([String; 4]) -> String;
    let layouts: [(&str, Line); 5] = [
        ("state,action,next_state,reward\n", |[s, a, t, r]| format!("{s},{a},{t},{r}\n")),
        ("state,action,next_state,reward\n", |[s, a, t, r]| format!("{s},{a},{t},{r}\r\n")),
        ("reward,next_state,state,action\n", |[s, a, t, r]| format!("{r},{t},{s},{a}\n")),
        ("state,x,action,next_state,reward,y\n", |[s, a, t, r]| format!("{s},,{a},{t},{r},y y\r\n")),
        ("x,state,action,reward,next_state\n", |[s, a, t, r]| format!("1,{s},{a},{r},{t}\n")),
    ];
    for (header, line) in layouts {
        let text: String = std::iter::once(header.to_owned()).chain((0..ROWS).map(|i| line(int_row(i)))).collect();
        for threads in [1, 3] {
            let table = read(&text, Duplicates::Mean, threads).unwrap();
            assert!(table.samples[0].sample == sample, "{header}");
            assert!(table.rows().map(|(_, transition)| transition as u32).eq(placement.transition.iter().copied()));
        }
    }
}

#[test]
fn what_is_wrong_with_a_row_of_integers_is_said_of_it() {
    let bad = 41_234;
    for (line, says) in [
        ("0,1,2,", "column `reward`: the value is missing"),
        ("0,,2,1", "column `action`: the value is missing"),
        ("0,1,2,1.5.2", "column `reward`: `1.5.2` is not a number"),
        ("0,1,2,-", "column `reward`: `-` is not a number"),
        ("0,1,2,1e150", "column `reward`: 1e150 is too large"),
        ("0,1,2,1e999", "column `reward`: `1e999` is not a finite number"),
        ("0,1,2", "the row has 3 fields"),
        ("0,1,2,3,4", "the row has 5 fields"),
    ] {
        let mut text = "state,action,next_state,reward\n".to_owned();
        for i in 0..ROWS {
            match i {
                i if i == bad || i == ROWS - 1 => text += &format!("{line}\n"),
                _ => text += &format!("{},{},{},{}.5\n", i % 700, i % 4, i % 900, i % 13),
            }
        }
        for threads in [1, 3] {
            let error = read(&text, Duplicates::Mean, threads).unwrap_err();
            assert_eq!((error.row(), error.line()), (Some(bad as u64 + 1), Some(bad as u64 + 2)), "{line}: {error}");
            assert!(error.to_string().contains(says), "{line}: {error}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_found_in_tables_of_integers() {
    let bad = 41_234;
    for (header, end) in [("state,action,next_state,reward", ""), ("state,action,next_state,reward,note", ",n")] {
        // Bars are between lines.
        let table = |line: &[u8]| {
            let mut text = format!("{header}\n").into_bytes();
            for i in 0..ROWS {
                match i == bad {
                    true => line
                        .split(|&byte| byte == b'|')
                        .for_each(|line| text.extend([line, end.as_bytes(), b"\n"].concat())),
                    false => text.extend(format!("{},{},{},{}.5{end}\n", i % 700, i % 4, i % 900, i % 13).into_bytes()),
                }
            }
            text
        };
        for (line, says) in [
            (b"0,1,2\xff,3".as_slice(), "UTF-8"),
            (b"0,1,2,3\xff", "UTF-8"),
            (b"0,1\0,2,3", "NUL"),
            (b"0,1,2,3.5\0", "NUL"),
            (b"0,1,2,3|\xff0,1,2,3", "UTF-8"),
            (b"0,1,\"2\"x,3", "a quoted field goes on"),
            // The first of two mistakes is said, wherever the other is found.
            (b"0,1,2,1e150|\"0\",1,2,3", "1e150 is too large"),
        ] {
            for threads in [1, 3] {
                let error = read(table(line), Duplicates::Mean, threads).unwrap_err();
                assert!(error.to_string().contains(says), "{}: {error}", line.escape_ascii());
            }
        }
        // Quotes that are in their place are none.
        for line in [b"\"0\",1,2,3".as_slice(), b"0,1,\"2\",\"3\"", b"0,1,2,3|0,\"1\",2,3"] {
            let plain: Vec<u8> = line.iter().copied().filter(|&byte| byte != b'"').collect();
            for threads in [1, 3] {
                let [quoted, plain] = [line, &plain].map(|line| read(table(line), Duplicates::Mean, threads).unwrap());
                assert!(quoted.samples[0].sample == plain.samples[0].sample, "{}", line.escape_ascii());
                assert!(quoted.rows().eq(plain.rows()), "{}", line.escape_ascii());
            }
        }
    }
}
