//! Next states that are missing.

use srrd_data::{
    FileFormat, ReadOptions, SampleTable, TableError, TableOptions, TableReader, open_bytes, read_sample_table,
    read_walk_table,
};

fn open(name: &str, text: &str, batch_rows: usize) -> Box<dyn TableReader> {
    let format = FileFormat::from_path(name.as_ref()).unwrap();
    let options = ReadOptions { batch_rows, ..ReadOptions::default() };
    open_bytes(name, format, text.into(), &options).unwrap()
}

fn table(name: &str, text: &str, batch_rows: usize) -> Result<SampleTable, TableError> {
    read_sample_table(open(name, text, batch_rows), name, TableOptions::default())
}

const WRONG: &str = "column `next_state`: the value is missing: fill it in, drop the row, or mark it as an end";

#[test]
fn the_last_row_of_an_episode_is_known_across_batches() {
    let steps = "episode,step,state,action,next_state,reward\n1,1,b,x,,1\n2,5,b,x,,2\n1,0,a,x,b,3\n2,4,a,x,b,4\n";
    let rows = "episode,state,action,next_state,reward\n1,a,x,b,1\n2,a,x,b,2\n2,b,x,,3\n1,b,x,,4\n";
    for batch_rows in 1..5 {
        for text in [steps, rows] {
            assert_eq!(table("t.csv", text, batch_rows).unwrap().samples[0].sample.len(), 1, "{text}");
        }
        // A step behind it came before it, or comes after it.
        for (text, row) in [
            (format!("{steps}2,6,c,x,a,1\n"), 2),
            (steps.replace("1,0,a,x,b", "1,0,a,x,").replace("2,5,b,x,,", "2,5,b,x,c,"), 3),
            (format!("{rows}2,c,x,a,1\n"), 3),
        ] {
            let error = table("t.csv", &text, batch_rows).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t.csv: row {row} (line {}), {WRONG}", row + 1)), "{error}");
        }
    }
}

#[test]
fn a_step_that_is_no_number_is_told_where_a_next_state_is_missing() {
    let text = "episode,step,state,action,next_state,reward\n1,first,a,x,b,1\n1,1,b,x,c,2\n1,2,c,x,a,3\n";
    assert_eq!(table("t.csv", text, 2).unwrap().samples[0].sample.len(), 3);
    for batch_rows in [1, 2, 8] {
        let error = table("t.csv", &text.replace("c,x,a", "c,x,"), batch_rows).unwrap_err().to_string();
        assert!(error.starts_with("t.csv: row 1 (line 2), column `step`: `first` is not a number"), "{error}");
    }
    // Nobody has to know the order where the row is marked.
    let marked: String = text
        .replace("c,x,a", "c,x,")
        .lines()
        .zip(["done", "false", "false", "true"])
        .map(|(line, done)| format!("{line},{done}\n"))
        .collect();
    assert_eq!(table("t.csv", &marked, 8).unwrap().samples[0].sample.len(), 3);
    // Mixtures are as good as any other steps that nobody needs.
    let line = |step: &str| {
        format!(r#"{{"episode":1,"step":{step},"state":"a","action":"x","next_state":"a","reward":1}}"#) + "\n"
    };
    assert!(table("t.jsonl", &["1", "\"two\"", "[3]"].map(line).concat(), 8).is_ok());
}

#[test]
fn a_reward_behind_which_the_episode_goes_on_is_not_lost() {
    let text = "episode,step,state,action,next_state,reward,truncated\n1,0,a,x,a,1,false\n1,1,a,y,,7,true\n1,2,a,x,b,2,false\n";
    let walks = |text: &str, options| read_walk_table(open("t.csv", text, 8), "t.csv", options);
    let error = walks(text, TableOptions::default()).unwrap_err().to_string();
    assert!(
        error.starts_with("t.csv: row 2 (line 3): the row is cut off, but its episode goes on in row 3: give what"),
        "{error}"
    );
    // The first row of an episode is no other, nor where next states are those of the rows that follow.
    let first = text.replace("1,0,a,x,a,1,false\n", "");
    assert!(walks(&first, TableOptions::default()).unwrap_err().to_string().contains("goes on in row 2"));
    let shifted =
        text.replace(",next_state", "").replace("x,a,1", "x,1").replace("y,,7", "y,7").replace("x,b,2", "x,2");
    assert!(walks(&shifted, TableOptions::default()).unwrap_err().to_string().contains("goes on in row 3"));
    let gap = "episode,step,state,action,reward\n1,0,a,x,1\n1,1,a,y,7\n1,3,a,x,2\n1,4,a,x,2\n";
    let error = walks(gap, TableOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("t.csv: row 2 (line 3): steps are missing between this row and the next"), "{error}");
    let apart = text.replace("1,2,a", "2,2,a");
    assert_eq!(walks(&apart, TableOptions::default()).unwrap().walks[0].beyond, [Some(7.0), None]);
}

#[test]
fn notes_tell_what_there_is() {
    let text =
        "episode,state,action,next_state,reward,done\n1,a,x,b,1,false\n1,b,x,,2,false\n2,b,x,,2,true\n3,b,x,,2,true\n";
    let note = |text: &str| table("t.csv", text, 8).unwrap().notes[0].to_string();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(
        note(text),
        "t.csv: 3 rows have no next state (2 end their episode, and lead to an end state; 1 row is left out because its next state is not \
         known)"
    );
    assert_eq!(
        note(&lines[..3].concat()),
        "t.csv: 1 row has no next state (1 row is left out because its next state is not known)"
    );
    assert_eq!(
        note(&[lines[0], lines[3]].concat()),
        "t.csv: 1 row has no next state (1 ends its episode, and leads to an end state)"
    );
    let walks =
        read_walk_table(open("t.csv", &[lines[0], lines[3], lines[4]].concat(), 8), "t", TableOptions::default());
    assert_eq!(
        walks.unwrap().notes[0].to_string(),
        "t.csv: 2 rows have no next state (2 end their episode, and lead to an end state)"
    );
}

#[cfg(feature = "arrow")]
mod frames {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BinaryArray, Float64Array, Int64Array, IntervalYearMonthArray, RecordBatch, RecordBatchIterator,
        TimestampSecondArray,
    };

    use super::*;

    fn numbers(values: [Option<i64>; 4]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    fn records(episode: &ArrayRef, step: Option<&ArrayRef>, next: [Option<i64>; 4]) -> RecordBatch {
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("episode", Arc::clone(episode)),
            ("state", numbers([0, 1, 2, 3].map(Some))),
            ("action", numbers([Some(0); 4])),
            ("next_state", numbers(next)),
            ("reward", Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0, 4.0]))),
        ];
        columns.extend(step.map(|step| ("step", Arc::clone(step))));
        let columns = columns.into_iter().map(|(name, column)| (name, column, true));
        RecordBatch::try_from_iter_with_nullable(columns).unwrap()
    }

    fn read(records: &RecordBatch, batch_rows: usize, episodes: bool) -> Result<SampleTable, TableError> {
        let frame = RecordBatchIterator::new([Ok(records.clone())], records.schema());
        let options = ReadOptions { batch_rows, ..ReadOptions::default() };
        let table = srrd_data::open_records("t", Box::new(frame), &options).unwrap();
        read_sample_table(table, "t", TableOptions { episodes, ..TableOptions::default() })
    }

    /// Steps and episodes of types that order nothing.
    fn odd() -> [ArrayRef; 3] {
        [
            Arc::new(TimestampSecondArray::from(vec![5, 6, 7, 8])),
            Arc::new(BinaryArray::from_vec(vec![b"\xff\xfe", b"\xff\xfd", b"\xff\xfc", b"\xff"])),
            Arc::new(IntervalYearMonthArray::from(vec![5, 6, 7, 8])),
        ]
    }

    const WHOLE: [Option<i64>; 4] = [Some(1), Some(2), Some(3), Some(0)];

    #[test]
    fn what_no_row_needs_may_be_of_any_type() {
        let one = numbers([Some(1); 4]);
        for column in odd() {
            for records in [records(&one, Some(&column), WHOLE), records(&column, Some(&one), WHOLE)] {
                assert_eq!(read(&records, 2, false).unwrap().samples[0].sample.len(), 4);
            }
        }
    }

    #[test]
    fn steps_that_cannot_be_read_are_told_where_a_next_state_is_missing() {
        let one = numbers([Some(1); 4]);
        for column in odd() {
            // In the middle of the episode, in the second batch.
            let records = records(&one, Some(&column), [Some(1), Some(2), None, Some(0)]);
            for (batch_rows, episodes) in [(2, false), (2, true), (8, true), (8, false)] {
                let error = read(&records, batch_rows, episodes).unwrap_err().to_string();
                assert!(error.contains("column `step`: ") && error.contains("number"), "{error}");
            }
        }
        let odd = odd();
        let error = read(&records(&odd[2], Some(&one), [Some(1), Some(2), Some(3), None]), 2, false).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains(WRONG) && error.ends_with("The `episode` of this row is missing or cannot be read"),
            "{error}"
        );
    }

    #[test]
    fn a_row_that_names_no_episode_is_in_none() {
        let gap = [Some(1), Some(2), None, Some(0)];
        for batch_rows in [1, 2, 8] {
            let null = numbers([Some(0), Some(0), Some(0), None]);
            assert_eq!(read(&records(&null, None, gap), batch_rows, false).unwrap().samples[0].sample.len(), 3);
            let same = numbers([Some(0), Some(0), Some(0), Some(0)]);
            let error = read(&records(&same, None, gap), batch_rows, false).unwrap_err().to_string();
            assert!(error.starts_with(&format!("t: row 3, {WRONG}")), "{error}");
        }
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parts_of_a_table_are_read_as_the_first_one_is() {
        let folder = tempfile::tempdir().unwrap();
        let one = numbers([Some(1); 4]);
        for (part, step) in [vec![b"0" as &[u8]; 4], vec![b"\xff" as &[u8]; 4]].into_iter().enumerate() {
            let step: ArrayRef = Arc::new(BinaryArray::from_vec(step));
            let records = records(&one, Some(&step), WHOLE);
            let file = std::fs::File::create(folder.path().join(format!("part-{part}.parquet"))).unwrap();
            let mut writer = parquet::arrow::ArrowWriter::try_new(file, records.schema(), None).unwrap();
            writer.write(&records).unwrap();
            writer.close().unwrap();
        }
        assert_eq!(srrd_data::read_table(folder.path(), TableOptions::default()).unwrap().row_count(), 8);
    }
}
