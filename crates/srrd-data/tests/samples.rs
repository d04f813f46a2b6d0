//! Tables as reward samples: tokens, features, episodes, labels, and what is said when something is wrong.

use srrd::Duplicates;
use srrd_data::{
    ErrorKind, FileFormat, Format, ReadOptions, SampleTable, TableError, TableOptions, open_bytes, read_sample_table,
};

fn table_of(format: Format, text: &str, duplicates: Duplicates) -> Result<SampleTable, TableError> {
    let bytes = text.as_bytes().to_vec();
    let reader = open_bytes("t", FileFormat::plain(format), bytes, &ReadOptions::default())?;
    read_sample_table(reader, "only", duplicates)
}

fn csv(text: &str) -> Result<SampleTable, TableError> {
    table_of(Format::Csv, text, Duplicates::Mean)
}

fn message(text: &str) -> String {
    csv(text).unwrap_err().to_string()
}

#[test]
fn one_table_holds_one_sample_or_several() {
    let one = csv("state,action,next_state,reward\na,x,b,1\nb,x,a,2\na,x,b,3\n").unwrap();
    assert_eq!(one.samples[0].name, "only");
    assert_eq!(one.samples[0].sample.duplicates().averaged, 1);
    assert_eq!(one.rows().flatten().collect::<Vec<_>>(), [(0, 0), (0, 1), (0, 0)]);

    let text = "label,reward,next_state,action,state,sample\n\
                red,1,b,x,a,p\nred,2,a,x,b,p\nblue,3,b,x,a,q\nred,4,b,y,a,p\nblue,5,b,x,b,q\n";
    let two = csv(text).unwrap();
    let named: Vec<_> = two.samples.iter().map(|s| (s.name.as_str(), s.label.as_deref(), s.sample.len())).collect();
    assert_eq!(named, [("p", Some("red"), 3), ("q", Some("blue"), 2)]);
    assert_eq!(two.rows().flatten().collect::<Vec<_>>(), [(0, 0), (0, 2), (1, 0), (0, 1), (1, 1)]);
}

#[test]
fn features_are_matched_by_name() {
    let text = "state.y,state.x,action,next_state.x,next_state.y,reward\n1,2,go,2.0,1,0.5\n1,2,go,3,1,0.25\n";
    let table = csv(text).unwrap();
    let named = &table.samples[0];
    assert_eq!(named.state_features.as_deref(), Some(&["x".to_owned(), "y".to_owned()][..]));
    assert_eq!(named.sample.states().len(), 2);
    let first = named.sample.transition(0);
    assert_eq!(first.state, first.next_state);
    assert_eq!(first.state.as_features(), Some(&[2.0, 1.0][..]));
}

#[test]
fn episodes_are_read_when_asked_for_in_any_order_of_rows() {
    let rows = ["a,x,b,1,e2", "b,x,a,2,e10", "a,x,b,1,e10", "b,x,b,4,e2", "b,x,a,2,e1"];
    let read = |rows: &[&str], episodes: bool| {
        let text = format!("state,action,next_state,reward,episode\n{}\n", rows.join("\n"));
        let format = FileFormat::plain(Format::Csv);
        let reader = open_bytes("t", format, text.into_bytes(), &ReadOptions::default()).unwrap();
        let options = TableOptions { episodes, ..TableOptions::default() };
        read_sample_table(reader, "only", options).map(|table| table.samples[0].episodes.clone())
    };
    assert_eq!(read(&rows, false).unwrap(), None);
    let episodes = read(&rows, true).unwrap().unwrap();
    // e1, e10, e2 in the order of their names; transitions (a, b), (b, a), (b, b).
    assert_eq!((episodes.of(0), episodes.of(1), episodes.of(2)), (&[1, 2][..], &[0, 1][..], &[2][..]));
    let mut turned = rows;
    turned.reverse();
    assert_eq!(read(&turned, true).unwrap().unwrap(), episodes);
    let missing = read(&["a,x,b,1,e1", "b,x,a,2,"], true).unwrap_err().to_string();
    assert!(missing.starts_with("t: row 2 (line 3), column `episode`: the value is missing"), "{missing}");
    let plain = table_of(Format::Csv, "state,action,next_state,reward\na,x,b,1\n", Duplicates::Mean).unwrap();
    assert_eq!(plain.samples[0].episodes, None);
}

#[test]
fn a_table_without_next_states_is_a_one_step_problem() {
    let table = csv("state,action,reward\nprompt,yes,1\nprompt,no,-1\n").unwrap();
    let sample = &table.samples[0].sample;
    assert_eq!((sample.len(), sample.states().len(), sample.terminal_states().count()), (2, 2, 1));
}

#[test]
fn typed_and_written_tokens_meet() {
    let typed = "{\"state\": 1, \"action\": true, \"next_state\": 2.0, \"reward\": 1}\n\
                 {\"state\": 1, \"action\": false, \"next_state\": 2.5, \"reward\": 2}\n";
    let typed = table_of(Format::Jsonl, typed, Duplicates::Mean).unwrap();
    let written = csv("state,action,next_state,reward\n1,true,2,1\n1,false,2.5,2\n").unwrap();
    assert_eq!(typed.samples[0].sample, written.samples[0].sample);
}

#[test]
fn integers_beyond_64_bits_are_tokens_and_names_of_their_own() {
    let row = |state: &str, sample: &str| {
        format!("{{\"sample\": {sample}, \"state\": {state}, \"action\": 0, \"next_state\": 7, \"reward\": 1}}\n")
    };
    let long = ["18446744073709551616", "18446744073709551617", "-9223372036854775809", "9223372036854775808", "7"];
    let states: String = long.iter().map(|state| row(state, "1")).collect();
    let typed = table_of(Format::Jsonl, &states, Duplicates::Mean).unwrap();
    assert_eq!(typed.samples[0].sample.states().len(), 5);
    let written: String = long.iter().map(|state| format!("1,{state},0,7,1\n")).collect();
    let written = csv(&format!("sample,state,action,next_state,reward\n{written}")).unwrap();
    assert_eq!(typed.samples[0].sample, written.samples[0].sample);
    let names: String = long.iter().map(|sample| row("1", sample)).collect();
    let names = table_of(Format::Jsonl, &names, Duplicates::Mean).unwrap();
    assert_eq!(names.samples.iter().map(|named| named.name.as_str()).collect::<Vec<_>>(), long);
}

#[test]
fn messages_name_row_and_column() {
    assert_eq!(
        message("state,action,reward,next\n"),
        "t: the table has no data rows; at least one transition is needed"
    );
    assert_eq!(
        message("state,next_state,reward\na,b,1\n"),
        "t: column `action`: the column is missing: a table of transitions needs it (or feature columns \
         `action.NAME`, or `action_0`, `action_1`, …, or another column, as in `--columns action=NAME`); this one has `state`, `next_state`, `reward`"
    );
    assert!(message("state,action,next_state\na,b,1\n").starts_with("t: column `reward`: the column is missing"));
    assert!(
        message("state,action,next_state,reward\na,x,b,1\na,,b,2\n")
            .starts_with("t: row 2 (line 3), column `action`: the value is missing")
    );
    assert!(message("state,action,next_state,reward\na,x,b,nan\n").starts_with("t: row 1 (line 2), column `reward`: "));
    assert!(
        message("state,action,next_state,reward\na,x,b,1e400\n").starts_with("t: row 1 (line 2), column `reward`: ")
    );
    assert!(message("state,action,next_state,reward\na,x,b,1e200\n").contains("is too large to compute with"));
    assert!(
        message("state.x,action,next_state.y,reward\n1,x,2,1\n")
            .contains("states are identified by `state.x` but next states by `next_state.y`")
    );
    assert_eq!(
        message("sample,label,state,action,next_state,reward\np,red,a,x,b,1\np,blue,a,x,c,1\n"),
        "t: row 2 (line 3), column `label`: sample 'p' has the label 'blue' here and 'red' before: a sample has one \
         label; correct it, or give the rows another `sample`; where `label` is not the class of a whole sample, but what somebody said of a \
         row, rename it"
    );
    let text = "sample,state,action,next_state,reward\nq,a,x,b,0\np,a,x,b,1\nq,b,x,b,0\np,a,x,b,2\n";
    assert_eq!(
        table_of(Format::Csv, text, Duplicates::Error).unwrap_err().to_string(),
        "t: row 4, column `reward`: the transition (a, x, b) has the reward 2 here and 1 in row 2; correct one of \
         them, or choose `--duplicates mean`, `first` or `last`"
    );
}

#[test]
fn headers_that_are_nearly_right_are_explained() {
    for (format, header, says) in [
        (Format::Csv, "state, action, next_state, reward", "` action` has spaces around it; write names and values"),
        (Format::Csv, "state,action, next_state,reward", "` next_state` has spaces around it"),
        (Format::Csv, "state;action;next_state;reward", "separated by semicolons: separate them by commas"),
        (Format::Csv, "state.x\tstate.y\taction\treward", "separated by tabs: give the file the extension .tsv"),
        (Format::Tsv, "state,action,next_state,reward", "separated by commas: give the file the extension .csv"),
        (Format::Csv, "State,action,reward", "rename `State` to `state`"),
    ] {
        let error = table_of(format, &format!("{header}\n"), Duplicates::Mean).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MissingColumn, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[test]
fn reading_ahead_changes_nothing_and_ends_early_on_errors() {
    let mut text = String::from("state,action,next_state,reward\n");
    for i in 0..200_000 {
        text += &format!("{},{},{},{}\n", i % 7919, i % 4, (i * 31) % 7919, i % 1000);
    }
    let run = |threads: usize, text: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| csv(text).map(|table| table.samples[0].sample.clone()))
    };
    assert_eq!(run(1, &text).unwrap(), run(2, &text).unwrap());
    let broken = text.replacen("100,0,3100,100\n", "100,0,3100\n", 1);
    assert_eq!(run(1, &broken).unwrap_err().to_string(), run(2, &broken).unwrap_err().to_string());
}
