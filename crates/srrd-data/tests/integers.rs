//! Next states that were written as floats since some are missing, beside states that are integers.

use std::fs;

use srrd_data::{FileFormat, ReadOptions, SampleTable, TableCopy, TableOptions, open, open_bytes, read_sample_table};

fn read(csv: &str) -> SampleTable {
    let format = FileFormat::from_path("log.csv".as_ref()).unwrap();
    let reader = open_bytes("log.csv", format, csv.into(), &ReadOptions::default()).unwrap();
    read_sample_table(reader, "log", TableOptions::default()).unwrap()
}

fn states(table: &SampleTable) -> Vec<String> {
    table.samples[0].sample.states().iter().map(|token| token.to_string()).collect()
}

const PLAIN: &str = "state,action,next_state,reward,terminated\n2,0,,7,true\n1,0,2,0.5,false\n2,1,1,1,false\n1,1,,3,true\n-1,1,1,3,false\n";

#[test]
fn next_states_of_pandas_are_the_states_that_they_are() {
    let expected = read(PLAIN);
    assert!(!expected.notes.iter().any(|note| note.kind() == "integers"));
    let floats =
        PLAIN.replace("2,0.5,", "2.0,0.5,").replace(",1,1,false", ",1.0,1,false").replace(",1,3,false", ",1.0,3,false");
    for missing in ["", "NaN", "nan", "NULL", "<NA>"] {
        let csv = floats.replace(",,", &format!(",{missing},"));
        let table = read(&csv);
        assert_eq!(table.samples[0].sample, expected.samples[0].sample, "{csv}");
        let note = table.notes.iter().find(|note| note.kind() == "integers").expect("it is told");
        assert!(note.say(srrd::FrontEnd::Command).contains("`15.0` is read as 15"));
    }
}

#[test]
fn what_is_no_integer_stays_as_it_is_written() {
    // States are floats, too; texts; and next states with a fraction.
    for (csv, expected) in [
        ("state,action,next_state,reward\n1.0,0,2.0,1\n2.0,0,1.0,1\n", vec!["1.0", "2.0"]),
        ("state,action,next_state,reward\na,0,2.0,1\n2.0,0,None,1\n", vec!["2.0", "None", "a"]),
        ("state,action,next_state,reward\n1,0,2.5,1\n1,0,2.0,1\n", vec!["1", "2.0", "2.5"]),
    ] {
        let table = read(csv);
        assert_eq!(states(&table), expected, "{csv}");
        assert!(!table.notes.iter().any(|note| note.kind() == "integers"), "{csv}");
    }
}

#[test]
fn copies_have_integers() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("log.csv"), folder.path().join("copy.csv"));
    fs::write(&from, "state,action,next_state,reward,terminated\n1,0,2.0,0.5,false\n2,0,NaN,1,true\n").unwrap();
    let copy = TableCopy::open(|| open(&from, &ReadOptions::default()), &to, &[], &TableOptions::default()).unwrap();
    assert_eq!(copy.run().unwrap().rows, 2);
    let written = fs::read_to_string(&to).unwrap();
    assert_eq!(written, "state,action,next_state,reward,terminated\n1,0,2,0.5,false\n2,0,,1,true\n");
}
