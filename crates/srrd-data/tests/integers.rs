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
fn words_for_nothing_are_missing_beside_integers() {
    let expected = read(PLAIN);
    let cells = PLAIN.replace("2,0,,7", "2,0,1,8").replace("2,1,1,1,false", "2,1,1,1,false\n2,0,,7,true");
    let whole = read(&cells);
    for missing in ["NaN", "nan", "NULL", "<NA>", "None", "\\N"] {
        let table = read(&cells.replace(",,", &format!(",{missing},")));
        assert_eq!(table.samples[0].sample, whole.samples[0].sample, "{missing}");
        let notes: Vec<&str> = table.notes.iter().map(|note| note.kind()).collect();
        assert_eq!(notes, ["integers", "gaps"], "{missing}");
        assert!(table.notes[0].to_string().contains(&format!("but also `{missing}`")), "{}", table.notes[0]);
    }
    // Parts of a table that pandas has appended to each other.
    let table = read(&PLAIN.replace("-1,1,1,3", "-1,1,1.0,3"));
    assert_eq!(table.samples[0].sample, expected.samples[0].sample);
    assert_eq!(table.notes[0].kind(), "integers");
    // A row that is not the last one cannot miss its next state.
    let format = FileFormat::from_path("log.csv".as_ref()).unwrap();
    let csv = PLAIN.replace("1,0,2,0.5", "1,0,NaN,0.5").into();
    let reader = open_bytes("log.csv", format, csv, &ReadOptions::default()).unwrap();
    let error = read_sample_table(reader, "log", TableOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("log.csv: row 2 (line 3), column `next_state`: the value is missing"), "{error}");
}

#[test]
fn words_for_nothing_that_are_names_are_told() {
    let told = |csv: &str| {
        let notes = read(csv).notes;
        notes.iter().filter(|note| note.kind() == "named_nothing").map(|note| note.to_string()).collect::<Vec<_>>()
    };
    for word in ["NaN", "None", "NULL", "<NA>", "nan"] {
        let csv = format!("state,action,next_state,reward,terminated\na,0,b,1,false\nb,0,{word},2,true\n");
        assert_eq!(
            told(&csv),
            [format!(
                "log.csv: `{word}` in `state` or `next_state` is taken as the name of a state, as any other text is; where it means that \
                 there is no value, leave the next state empty (null), and drop rows without a state"
            )]
        );
        assert!(states(&read(&csv)).contains(&word.to_owned()));
    }
    assert_eq!(told("state,action,next_state,reward\na,None,b,1\nb,none,Nancy,2\n"), [""; 0]);
    assert_eq!(
        told("prompt,response,reward\na,NaN,1\nb,x,2\n"),
        [
            "log.csv: `NaN` in `response` is taken as the name of an action, as any other text is; where it means that there is no value, \
          drop these rows"
        ]
    );
}

#[test]
fn copies_have_integers() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("log.csv"), folder.path().join("copy.csv"));
    fs::write(&from, "state,action,next_state,reward,terminated\n1,0,2.0,0.5,false\n2,0,NaN,1,true\n").unwrap();
    let copy = TableCopy::open(|| open(&from, &ReadOptions::default()), &to, &[], &TableOptions::default()).unwrap();
    let copied = copy.run().unwrap();
    assert_eq!(copied.rows, 2);
    assert_eq!(copied.notes.iter().map(|note| note.kind()).collect::<Vec<_>>(), ["integers"]);
    let written = fs::read_to_string(&to).unwrap();
    assert_eq!(written, "state,action,next_state,reward,terminated\n1,0,2,0.5,false\n2,0,,1,true\n");
}

#[test]
fn copies_tell_of_next_states_that_become_null() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("log.csv");
    fs::write(
        &from,
        "state.x,action,next_state.x,reward,terminated\n1,0,2.5,0.5,false\n2.5,0,NaN,1,true\n1,1,,1,true\n",
    )
    .unwrap();
    for name in ["copy.jsonl", "copy.csv", "copy.npz"] {
        let to = folder.path().join(name);
        let open = || open(&from, &ReadOptions::default());
        let notes = TableCopy::open(open, &to, &[], &TableOptions::default()).unwrap().run().unwrap().notes;
        assert_eq!(notes.iter().map(|note| note.kind()).collect::<Vec<_>>(), ["null_next_state"], "{name}");
        assert!(
            notes[0]
                .to_string()
                .ends_with("in 1 row there is no next state, which is null or an empty cell in the copy")
        );
    }
}
