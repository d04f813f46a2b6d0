//! Cells that hold lists: features in one text, and episodes in one row.

mod common;

use std::fs;

use common::read;
use srrd_data::{
    FileFormat, ReadOptions, SampleTable, TableCopy, TableError, TableOptions, open, open_bytes, read_sample_table,
    read_walk_table,
};

fn table(name: &str, text: &str) -> Result<SampleTable, TableError> {
    table_with(name, text, TableOptions::default())
}

fn table_with(name: &str, text: &str, options: TableOptions) -> Result<SampleTable, TableError> {
    let format = FileFormat::from_path(name.as_ref()).unwrap();
    read_sample_table(open_bytes(name, format, text.into(), &ReadOptions::default()).unwrap(), name, options)
}

fn said(name: &str, text: &str) -> String {
    table(name, text).unwrap_err().to_string()
}

#[test]
fn arrays_in_cells_of_text_are_features() {
    let lists =
        "state,action,next_state,reward\n\"[1.5, -1.3]\",left,\"[2, 1e-3]\",1\n\"[2, 1e-3]\",left,\"[1.5, -1.3]\",2\n";
    let numpy = "obs,action,next_obs,reward\n[ 1.5 -1.3],left,\"[2.\n 1e-03]\",1\n\n[2.   1e-03],left,[1.5 -1.3],2\n";
    let plain =
        "state.0,state.1,action,next_state.0,next_state.1,reward\n1.5,-1.3,left,2,1e-3,1\n2,1e-3,left,1.5,-1.3,2\n";
    let lines = "{\"state\":\"[1.5, -1.3]\",\"action\":\"left\",\"next_state\":\"[2. 1e-3]\",\"reward\":1}\n\
                 {\"state\":\"[2. 1e-3]\",\"action\":\"left\",\"next_state\":\"[1.5 -1.3]\",\"reward\":2}\n";
    let expected = table("t.csv", plain).unwrap();
    for (name, text) in [("t.csv", lists), ("t.csv", numpy), ("t.jsonl", lines)] {
        let found = table(name, text).unwrap();
        assert_eq!(found.samples[0].state_features, expected.samples[0].state_features, "{text}");
        assert_eq!(found.samples[0].sample, expected.samples[0].sample, "{text}");
    }
}

#[test]
fn lists_that_differ_and_shortened_arrays_are_errors() {
    let of = |second: &str| format!("state,action,reward\n[1. 2.],a,1\n{second},a,2\n");
    for (second, says) in [
        ("[1. 2. 3.]", "row 2 (line 3), column `state`: the list has 3 numbers, but the one in the first row has 2"),
        ("hall", "row 2 (line 3), column `state`: `hall` is no list of numbers"),
        ("[1. ... 2.]", "save the table as Parquet or NPZ"),
        ("", "row 2 (line 3), column `state.0`: the value is missing"),
    ] {
        let error = said("t.csv", &of(second));
        assert!(error.contains(says), "{error}");
    }
    let error = said("t.csv", "state,action,reward\n[0. 0. ... 0. 0.],a,1\n");
    assert!(error.contains("row 1, column `state`: NumPy has shortened the array"), "{error}");
}

#[test]
fn other_texts_stay_texts() {
    for state in ["[kitchen]", "[]", "(1, 2)", "[[1. 2.]]", "1"] {
        let found = table("t.csv", &format!("state,action,reward\n\"{state}\",a,1\nhall,a,2\n")).unwrap();
        assert_eq!(found.samples[0].state_features, None, "{state}");
    }
    let log = "prompt,response,reward\nList two numbers,\"[1, 2]\",1\nAnd a word,no,2\n";
    assert_eq!(table("t.csv", log).unwrap().samples[0].sample.len(), 2);
}

#[test]
fn copies_have_the_features_and_keep_other_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("in.csv"), "note,state,action,reward\n[7. 8.],[1. 2.],a,1\nnone,[3. 4.],b,2\n").unwrap();
    let copy = |to: &str| {
        let input = || open(&path("in.csv"), &ReadOptions::default());
        TableCopy::open(input, &path(to), &[], &TableOptions::default()).unwrap().run().unwrap();
    };
    copy("out.csv");
    let text = fs::read_to_string(path("out.csv")).unwrap();
    assert_eq!(text, "note,state.0,state.1,action,reward\n[7. 8.],1.,2.,a,1\nnone,3.,4.,b,2\n");
    copy("out.jsonl");
    assert_eq!(read(&path("out.jsonl")).unwrap().column("state.1"), [2.0, 4.0].map(common::float));
}

/// Two episodes as pandas has those of Minari.
const EPISODES: &str = "\
{\"id\":0,\"observations\":[[0,0.5],[1,0.5],[2,0.5]],\"actions\":[0,1],\"rewards\":[1.0,2.0],\"terminations\":[false,true],\"truncations\":[false,false]}
{\"id\":1,\"observations\":[[1,0.5],[0,0.5]],\"actions\":[1],\"rewards\":[0.5],\"terminations\":[false],\"truncations\":[true]}
";

#[test]
fn a_row_per_episode_is_read_step_by_step() {
    let found = table("t.jsonl", EPISODES).unwrap();
    let plain = "state.0,state.1,action,next_state.0,next_state.1,reward,terminated\n\
                 0,0.5,0,1,0.5,1,0\n1,0.5,1,2,0.5,2,1\n1,0.5,1,0,0.5,0.5,0\n";
    assert_eq!(found.samples[0].sample, table("t.csv", plain).unwrap().samples[0].sample);
    assert!(found.notes.iter().any(|note| note.to_string().contains("each row is an episode")), "{:?}", found.notes);

    let open =
        || open_bytes("t", FileFormat::from_path("t.jsonl".as_ref()).unwrap(), EPISODES.into(), &Default::default());
    let walks = read_walk_table(open().unwrap(), "t", TableOptions::default()).unwrap();
    assert_eq!((walks.walks[0].episodes.len(), walks.walks[0].trajectories.step_count()), (2, 3));

    // Tokens, and as many of them as there are steps: the states that follow are those of the next steps.
    let tokens = "{\"state\":[\"a\",\"b\",\"a\"],\"action\":[1,2,1],\"reward\":[1,2,3],\"done\":true}\n\
                  {\"state\":[\"b\",\"c\"],\"action\":[1,1],\"reward\":[1,2],\"done\":false}\n";
    let found = table("t.jsonl", tokens).unwrap();
    assert_eq!((found.row_count(), found.samples[0].sample.len()), (5, 4));
    assert!(
        found.notes.iter().any(|note| note.to_string().contains("(2 episodes; 1 last row ends its episode; 1 row is"))
    );

    // Several rewards of the same steps.
    let two = "{\"state\":[1,2],\"action\":[1],\"old\":[0.5],\"new\":[1.5]}\n{\"state\":[2,3,1],\"action\":[1,2],\"old\":[1,2],\"new\":[3,4]}\n";
    let options = TableOptions { rewards: vec!["old".into(), "new".into()], ..TableOptions::default() };
    assert!(table_with("t.jsonl", two, options.clone()).is_err(), "one number may be a reward of one transition");
    let mut lines: Vec<&str> = two.lines().rev().collect();
    lines.push("");
    let found = table_with("t.jsonl", &lines.join("\n"), options).unwrap();
    assert_eq!(found.samples.iter().map(|sample| sample.sample.len()).collect::<Vec<_>>(), [3, 3]);
}

#[test]
fn lists_beside_a_reward_make_no_episodes() {
    let rows = "{\"state\":1,\"action\":1,\"reward\":0.5,\"rewards\":[0.25,0.25]}\n";
    let found = table("t.jsonl", rows).unwrap();
    assert_eq!((found.row_count(), found.samples[0].sample.rewards()), (1, &[0.5][..]));
}

#[test]
fn what_is_wrong_with_the_first_row_is_told() {
    let error = said("t.csv", "state,action,reward\na\0,b,1\n");
    assert!(error.contains("row 1 (line 2)") && error.contains("NUL"), "{error}");
}

#[test]
fn episodes_whose_lists_disagree_are_errors() {
    for (from, to, says) in [
        (
            "\"actions\":[1]",
            "\"actions\":[1,0]",
            "row 2 (line 2), column `actions`: the list has 2 entries, but there are 1 rewards",
        ),
        ("[[1,0.5],[0,0.5]]", "[[1,0.5]]", "row 2 (line 2), column `observations`: the list has 1 entries"),
        ("[[1,0.5],[0,0.5]]", "[[1,0.5],[0]]", "row 2 (line 2), column `observations`: an entry has 1 numbers"),
        (
            "\"rewards\":[0.5]",
            "\"rewards\":0.5",
            "row 2 (line 2), column `rewards`: the first row has a list of rewards",
        ),
        ("\"rewards\":[0.5]", "\"rewards\":[null]", "row 2 (line 2), column `rewards`: an entry is missing"),
    ] {
        let error = said("t.jsonl", &EPISODES.replace(from, to));
        assert!(error.contains(says), "{error}");
    }
    let error = said("t.csv", "state,action,reward\n\"[1, 2]\",\"[0]\",\"[0.5, 1]\"\n");
    assert!(
        error.contains("row 1, column `reward`") && error.contains("save the table as Parquet or JSON Lines"),
        "{error}"
    );
}

#[cfg(feature = "parquet")]
#[test]
fn episodes_in_parquet() {
    use arrow_array::builder::{FixedSizeListBuilder, Float32Builder, ListBuilder};
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_array::{ArrayRef, ListArray, RecordBatch};
    use std::sync::Arc;

    let mut observations = ListBuilder::new(FixedSizeListBuilder::new(Float32Builder::new(), 2));
    for episode in [&[0.0f32, 1.0, 2.0][..], &[1.0, 0.0]] {
        for &x in episode {
            observations.values().values().append_slice(&[x, 0.5]);
            observations.values().append(true);
        }
        observations.append(true);
    }
    let actions = [Some(vec![Some(0), Some(1)]), Some(vec![Some(1)])];
    let rewards = [Some(vec![Some(1.0), Some(2.0)]), Some(vec![Some(0.5)])];
    let columns: [(&str, ArrayRef); 3] = [
        ("observations", Arc::new(observations.finish())),
        ("actions", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(actions))),
        ("rewards", Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rewards))),
    ];
    let records = RecordBatch::try_from_iter(columns).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(fs::File::create(&path).unwrap(), records.schema(), None).unwrap();
    writer.write(&records).unwrap();
    writer.close().unwrap();
    let found = srrd_data::read_table(&path, TableOptions::default()).unwrap();
    let lines = EPISODES.replace(",\"terminations\":[false,true],\"truncations\":[false,false]", "");
    let lines = lines.replace(",\"terminations\":[false],\"truncations\":[true]", "");
    assert_eq!(found.samples[0].sample, table("t.jsonl", &lines).unwrap().samples[0].sample);

    // A frame in memory is looked at before it is read.
    let schema = records.schema();
    let frame = || {
        let batches =
            arrow_array::RecordBatchIterator::new([Ok(records.slice(0, 0)), Ok(records.clone())], schema.clone());
        srrd_data::open_records("frame", Box::new(batches), &ReadOptions::default()).unwrap()
    };
    let of_frame = read_sample_table(frame(), "frame", TableOptions::default()).unwrap();
    assert_eq!(of_frame.samples[0].sample, found.samples[0].sample);
}

#[test]
fn numbers_of_copies_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let copy = |from: &str, to: &str| {
        let input = || open(&path(from), &ReadOptions::default());
        TableCopy::open(input, &path(to), &[], &TableOptions::default()).unwrap().run().unwrap().notes
    };
    // Integers of episodes in rows, up to the first fraction.
    let episodes = "{\"observations\":[0,1,2],\"actions\":[1,0],\"rewards\":[1,2],\"level\":3,\"speed\":[1,2],\"pair\":[[1,0],[0,1]]}\n\
                    {\"observations\":[2,1],\"actions\":[0],\"rewards\":[2.5],\"level\":4,\"speed\":[0.5],\"pair\":[[0,0]]}\n";
    fs::write(path("episodes.jsonl"), episodes).unwrap();
    copy("episodes.jsonl", "steps.jsonl");
    let text = fs::read_to_string(path("steps.jsonl")).unwrap();
    let line = "{\"observations\":0,\"next_state\":1,\"actions\":1,\"rewards\":1.0,\"level\":3,\"speed\":1.0,\"pair.0\":1,\"pair.1\":0,\
                \"episode\":0,\"step\":0}";
    assert_eq!(text.lines().next(), Some(line));
    assert!(text.lines().last().unwrap().contains("\"level\":4,\"speed\":0.5,"), "{text}");
    copy("episodes.jsonl", "steps.parquet");
    assert_eq!(read(&path("steps.parquet")).unwrap().column("speed"), [1.0, 2.0, 0.5].map(common::float));

    // Numbers of CSV of which some are missing, or NaN.
    fs::write(path("in.csv"), "state,action,reward,speed,count,note\na,x,1,1.5,3,nan\na,y,2,NaN,,x\nb,x,3,-2,,y\n")
        .unwrap();
    let notes = copy("in.csv", "out.jsonl");
    assert_eq!(notes.iter().map(|note| note.kind()).collect::<Vec<_>>(), ["null"]);
    let text = fs::read_to_string(path("out.jsonl")).unwrap();
    assert!(
        text.contains("\"speed\":1.5,\"count\":3,\"note\":\"nan\"}") && text.contains("\"speed\":null,\"count\":null,"),
        "{text}"
    );
    copy("in.csv", "out.parquet");
    copy("out.parquet", "again.csv");
    let text = fs::read_to_string(path("again.csv")).unwrap();
    assert!(text.contains(",1.5,3,nan\n") && text.contains(",NaN,,x\n") && text.contains(",-2.0,,y\n"), "{text}");
}
