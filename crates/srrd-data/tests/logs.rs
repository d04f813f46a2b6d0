//! Logs of training and evaluation, as TRL, verl, OpenRLHF, RewardBench and NeMo Gym write them.
#![cfg(feature = "parquet")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Cell, Table, cell, fixture, float, text};
use serde_json::json;
use srrd::models::ModelSettings;
use srrd_data::{
    Batch, Column, ColumnType, DatasetNote, DatasetOptions, ErrorKind, ModelQuestion, OpenTable, Piece, ReadOptions,
    Role, Schema, TableCopy, TableError, TableNote, TableOptions, Values, create, open, read_models, read_table,
    score_columns,
};

/// Every log, what it is, and its rewards.
const LOGS: [(&str, &str, &[&str]); 14] = [
    ("trl_text", "trl", &["digits", "short", "even"]),
    ("trl_text/completions", "trl", &["digits", "short", "even"]),
    ("trl_chat/completions/completions_00002.parquet", "trl", &["digits", "short", "even"]),
    ("trl_tasks", "trl", &["format", "maths", "code"]),
    ("verl", "verl", &["score", "acc", "format", "style"]),
    ("verl/10.jsonl", "verl", &["score", "acc", "format", "style"]),
    ("openrlhf_a.jsonl", "openrlhf", &["reward"]),
    ("rewardbench1_first.json", "rewardbench", &["org/first"]),
    ("rewardbench1_second.json", "rewardbench", &["org/second"]),
    ("rewardbench1_first_outputs.jsonl", "rewardbench", &["rewardbench1_first"]),
    ("rewardbench1_second_outputs.jsonl", "rewardbench", &["rewardbench1_second"]),
    ("rewardbench2_first.json", "rewardbench", &["org/first"]),
    ("rewardbench2_second.json", "rewardbench", &["org/second"]),
    ("nemo_gym.jsonl", "nemo-gym", &["reward", "correctness", "format"]),
];

fn log(name: &str) -> PathBuf {
    fixture("logs").join(name)
}

/// All rows that are read: not all that there are, where a reward is missing.
fn opened(path: &Path) -> Result<Table, TableError> {
    let mut reader = open(path, &ReadOptions::default())?;
    let names = reader.schema().names().map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut batch = Batch::new();
    while let Piece::Rows = reader.next_batch(&mut batch)? {
        let row = |row: usize| batch.columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>();
        rows.extend((0..batch.rows).map(row));
    }
    Ok(Table { names, rows })
}

#[test]
fn every_log_is_known_by_what_it_holds() {
    for (name, kind, rewards) in LOGS {
        let reader = open(&log(name), &ReadOptions::default()).unwrap();
        let found = reader.log().unwrap_or_else(|| panic!("{name} is a log"));
        assert_eq!(found.dataset, kind, "{name}");
        assert_eq!(found.rewards, rewards, "{name}");
        assert_eq!(found.gold.is_some(), kind == "rewardbench", "{name}");
        let table = read_table(&log(name), TableOptions::default()).unwrap();
        assert_eq!(table.samples.len(), rewards.len(), "{name}");
        assert!(table.samples.iter().all(|sample| sample.one_step), "{name}");
        // A reward that everybody calls the same is named by its file.
        let named_by_file = kind == "openrlhf";
        assert_eq!(table.samples[0].name, if named_by_file { name } else { rewards[0] });
        assert!(table.samples.iter().all(|sample| sample.sample.ends().are_known()), "{name}");
        // Said to be what it is, it is read alike.
        let dataset = DatasetOptions { from: Some(kind.to_owned()), ..DatasetOptions::default() };
        let again = read_table(&log(name), TableOptions { dataset, ..TableOptions::default() }).unwrap();
        assert_eq!(again.samples[0].sample, table.samples[0].sample, "{name}");
    }
}

#[test]
fn chats_are_the_texts_that_they_hold() {
    let [chat, plain] = ["trl_chat", "trl_text"].map(|name| opened(&log(name)).unwrap());
    assert_eq!(chat.names, plain.names);
    // The same prompts were asked, as messages and as texts.
    let distinct = |table: &Table| {
        let mut prompts: Vec<String> = table.column("prompt").iter().map(|cell| format!("{cell:?}")).collect();
        prompts.sort();
        prompts.dedup();
        prompts
    };
    assert_eq!(distinct(&chat), distinct(&plain));
    assert!(distinct(&plain).contains(&format!("{:?}", text("What is 3 + 2 ?"))));
}

#[test]
fn chats_are_texts_in_any_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chats.jsonl");
    let row = |question: &str, answer: &str, score: f64| {
        let prompt =
            serde_json::json!([{"role": "system", "content": "Be short."}, {"role": "user", "content": question}]);
        format!(
            "{}\n",
            serde_json::json!({"prompt": prompt, "response": [{"role": "assistant", "content": answer}], "score": score})
        )
    };
    fs::write(&path, row("2+2?", "4", 1.0) + &row("2+2?", "5", 0.0)).unwrap();
    let table = opened(&path).unwrap();
    assert_eq!(table.rows[1], [text("system: Be short.\n\nuser: 2+2?"), text("5"), float(0.0)]);
    fs::write(&path, row("2+2?", "4", 1.0) + "{\"prompt\": 7, \"response\": \"x\", \"score\": 1}\n").unwrap();
    let error = opened(&path).unwrap_err();
    assert_eq!((error.kind(), error.row(), error.column()), (ErrorKind::Type, Some(2), Some("prompt")));
    assert!(error.to_string().contains("neither text nor a list of messages"), "{error}");
}

#[test]
fn rows_without_a_reward_are_left_out_and_counted() {
    let of = |rewards: &[&str]| {
        let rewards = rewards.iter().map(|name| (*name).to_owned()).collect();
        read_table(&log("verl"), TableOptions { rewards, ..TableOptions::default() }).unwrap()
    };
    let left_out = |notes: &[TableNote]| {
        let counted = notes.iter().find_map(|note| match note {
            TableNote::Dataset { note: DatasetNote::WithoutReward { rows, .. }, .. } => Some(*rows),
            _ => None,
        });
        counted.unwrap_or(0)
    };
    // Python has written NaN, which is no JSON.
    let written: usize = (["1", "2", "10"].iter())
        .map(|step| fs::read_to_string(log(&format!("verl/{step}.jsonl"))).unwrap().matches("\"style\": NaN").count())
        .sum();
    assert!(written > 0);
    let [one, whole] = [of(&["style"]), of(&["score", "format"])];
    assert_eq!((left_out(&one.notes), left_out(&whole.notes)), (written as u64, 0));
    assert_eq!((one.row_count() + written, whole.row_count()), (48, 48));
    // A copy leaves out the same rows, and says so.
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("log.csv");
    let options = TableOptions { rewards: vec!["style".to_owned()], ..TableOptions::default() };
    let input = || open(&log("verl"), &ReadOptions::default());
    let copy = TableCopy::open(input, &output, &[], &options).unwrap();
    let copied = copy.run().unwrap();
    assert_eq!((copied.rows, left_out(&copied.notes)), (48 - written as u64, written as u64));
    // True and false are numbers.
    assert!(of(&["acc"]).samples[0].sample.rewards().iter().all(|reward| [0.0, 1.0].contains(reward)));
}

#[test]
fn each_of_several_rewards_is_a_sample_of_the_rows_that_have_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let row = |row: usize| {
        let maths = if row.is_multiple_of(3) { "null".to_owned() } else { (row % 7).to_string() };
        let code = if row % 3 == 1 { (row % 5).to_string() } else { "null".to_owned() };
        let (prompt, response, step) = (row / 6, row % 4, row / 18);
        format!(
            "{{\"input\": \"p{prompt}\", \"output\": \"r{response}\", \"score\": {row}, \"maths\": {maths}, \"code\": {code}, \"step\": {step}, \
             \"over\": {}, \"to\": \"p{}\"}}\n",
            row % 2,
            row % 5
        )
    };
    // Rows repeat others; of the first step, no row has `code`.
    let rows = (0..36).map(|at| if at < 18 && at % 3 == 1 { row(at + 1) } else { row(at) });
    fs::write(&path, rows.collect::<String>()).unwrap();
    let read = |rewards: &[&str], columns: &str| {
        let rewards = rewards.iter().map(|name| (*name).to_owned()).collect();
        let columns = columns.parse().unwrap();
        read_table(&path, TableOptions { rewards, columns, episodes: true, ..TableOptions::default() }).unwrap()
    };
    // Also where rows have next states, ends and episodes, and where a column names samples.
    for columns in ["", "next_state=to,terminated=over,episode=step", "sample=step"] {
        let all = read(&["score", "maths", "code"], columns);
        let kinds: Vec<&str> = all.notes.iter().map(TableNote::kind).collect();
        assert_eq!(kinds, ["log", "some_rewards"], "{columns}");
        let alone = ["score", "maths", "code"].map(|reward| read(&[reward], columns).samples);
        let mut expected: Vec<_> = alone.iter().flatten().collect();
        // By sample, and in it by reward.
        expected.sort_by_key(|named| named.name.split_once('/').map(|(step, _)| step.to_owned()));
        assert_eq!(all.samples.len(), expected.len(), "{columns}");
        // No sample holds all rows at the places of the others.
        assert!(all.row_count() == 36 && all.rows().all(|place| place.is_none()), "{columns}");
        for (sample, expected) in all.samples.iter().zip(expected) {
            assert_eq!((&sample.name, &sample.sample), (&expected.name, &expected.sample), "{columns}");
            let counts = [sample, expected].map(|named| named.episodes.as_ref().map(|episodes| episodes.len()));
            assert_eq!(counts[0].is_some(), counts[1].is_some());
        }
    }
    assert_eq!(read(&["score", "maths", "code"], "sample=step").samples.len(), 5);
}

#[test]
fn of_models_every_pair_is_compared_on_the_rows_that_have_both() {
    // Of the first step no row has `maths`, so that its file has no type for it.
    let path = log("trl_tasks");
    let options = ReadOptions::default();
    let read = |rewards: &[&str]| {
        let rewards = rewards.iter().map(|name| (*name).to_owned()).collect();
        let tables: Vec<(String, OpenTable<'_>)> = vec![("log".to_owned(), Box::new(|| open(&path, &options)))];
        read_models(tables, &TableOptions { rewards, ..TableOptions::default() }, &ModelQuestion::default()).unwrap()
    };
    let all = read(&[]);
    let found = all.compare(&ModelSettings::default()).unwrap();
    let counts: Vec<_> =
        found.pairs.iter().map(|pair| (pair.a.as_str(), pair.b.as_str(), pair.prompts, pair.responses)).collect();
    assert_eq!((found.prompts, found.responses), (12, 48));
    assert_eq!(counts, [("format", "maths", 3, 12), ("format", "code", 10, 40), ("maths", "code", 1, 4)]);
    let told: Vec<&str> = all.notes.iter().map(TableNote::kind).collect();
    assert_eq!(told, ["log", "some_rewards"]);
    // Each pair by itself, whose rows without either are left out, has the same numbers.
    for pair in &found.pairs {
        let alone = read(&[&pair.a, &pair.b]).compare(&ModelSettings::default()).unwrap();
        assert_eq!(&alone.pairs[0], pair);
    }
}

#[test]
fn rewards_that_begin_late_are_rewards() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |step: usize, count: usize, late: &dyn Fn(usize) -> String| {
        let row = |i: usize| {
            let late = late(i);
            format!(
                "{{\"input\": \"p{}\", \"output\": \"r{step} {i}\", \"score\": {i}, \"step\": {step}{late}, \"why\": null}}\n",
                i / 4
            )
        };
        fs::write(folder.path().join(format!("{step}.jsonl")), (0..count).map(row).collect::<String>()).unwrap();
    };
    let rewards = || {
        let reader = open(folder.path(), &ReadOptions::default()).unwrap();
        reader.log().unwrap().rewards.clone()
    };
    // Empty in all of the first file; of some tasks only, in the middle of it; a key that only later files have.
    rows(1, 300, &|_| ", \"late\": null".to_owned());
    rows(2, 8, &|i| format!(", \"late\": {i}"));
    assert_eq!(rewards(), ["score", "late"]);
    rows(1, 300, &|i| if i == 250 { ", \"late\": 1".to_owned() } else { ", \"late\": null".to_owned() });
    assert_eq!(rewards(), ["score", "late"]);
    rows(1, 300, &|_| String::new());
    assert_eq!(rewards(), ["score", "late"]);
    rows(2, 8, &|_| String::new());
    assert_eq!(rewards(), ["score"]);
    // A step that logged nothing has no rows; of a single file keys may appear late.
    fs::write(folder.path().join("3.jsonl"), "").unwrap();
    fs::write(folder.path().join("4.jsonl"), "\n\n").unwrap();
    assert_eq!(read_table(folder.path(), TableOptions::default()).unwrap().row_count(), 308);
    rows(1, 300, &|i| if i == 250 { ", \"late\": 1".to_owned() } else { String::new() });
    let reader = open(&folder.path().join("1.jsonl"), &ReadOptions::default()).unwrap();
    assert_eq!(reader.log().unwrap().rewards, ["score", "late"]);
}

#[test]
fn columns_of_a_log_may_be_called_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let row = |i: usize| {
        format!(
            "{{\"input\": \"p{}\", \"output\": \"r{i}\", \"reward\": {i}, \"terminated\": {i}, \"sample\": {i}, \"label\": {i}, \
             \"episode\": {i}, \"next_state\": 7}}\n",
            i / 2
        )
    };
    fs::write(&path, (0..6).map(row).collect::<String>()).unwrap();
    let table = read_table(&path, TableOptions::default()).unwrap();
    assert_eq!((table.samples.len(), table.row_count()), (1, 6));
    // Said to have a role, a column has it.
    let mut options = TableOptions::default();
    options.columns.set(Role::Sample, "sample");
    assert_eq!(read_table(&path, options).unwrap().samples.len(), 6);
}

#[test]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let row = "{\"input\": \"p\", \"output\": \"r\", \"reward\": 1}\n";
    for rows in [3, 30_000] {
        fs::write(&path, row.repeat(rows) + "\n{\"input\": \"p\", \"outp").unwrap();
        let error = read_table(&path, TableOptions::default()).unwrap_err();
        assert_eq!((error.row(), error.line()), (Some(rows as u64 + 1), Some(rows as u64 + 2)), "{error}");
        assert!(
            error
                .to_string()
                .ends_with("(at character 20: EOF while parsing a string); every line must hold one whole object"),
            "{error}"
        );
    }
}

#[test]
fn a_log_of_trl_that_was_saved_again_stays_one() {
    // As pandas writes a frame, with the index or without; NaN as it does and as NumPy does.
    let csv = ",step,prompt,completion,digits,short,none,note,advantage\n0,1,p,one,1.0,,,x,0.5\n1,1,p,,2.0,0.5,,,-0.5\n\
               2,1,12,\"a, b\",0.0,nan,,y,0.1\n3,1,12,c,0.5,1,,z,0.2\n";
    let rows = [
        ("p", "one", "1.0", "null", "x", 0.5),
        ("p", "", "2.0", "0.5", "", -0.5),
        ("12", "a, b", "0", "null", "y", 0.1),
        ("12", "c", "0.5", "1", "z", 0.2),
    ];
    let line = |(prompt, completion, digits, short, note, advantage): &(&str, &str, &str, &str, &str, f64)| {
        format!(
            "{{\"step\":1,\"prompt\":\"{prompt}\",\"completion\":\"{completion}\",\"digits\":{digits},\"short\":{short},\"none\":null,\
             \"note\":\"{note}\",\"advantage\":{advantage}}}\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("log.csv", csv.to_owned()),
        ("log.tsv", csv.replace("\"a, b\"", "a; b").replace(',', "\t").replace(';', ",")),
        ("log.jsonl", rows.iter().map(line).collect()),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let reader = open(&path, &ReadOptions::default()).unwrap();
        assert_eq!(
            reader.log().map(|log| (log.dataset, log.rewards.clone())),
            Some(("trl", vec!["digits".to_owned(), "short".to_owned()]))
        );
        let options = TableOptions { rewards: vec!["digits".into(), "short".into()], ..TableOptions::default() };
        let table = read_table(&path, options).unwrap();
        let found: Vec<(String, String, f64)> = (0..2)
            .map(|at| {
                let row = table.samples[1].sample.transition(at);
                (row.state.to_string(), row.action.to_string(), row.reward)
            })
            .collect();
        let mut expected = [("p", "(empty)", 0.5), ("12", "c", 1.0)].map(|(s, a, r)| (s.to_owned(), a.to_owned(), r));
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sorted = found.clone();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!((sorted, table.samples[1].sample.len()), (expected.to_vec(), 2), "{name}");
        let left_out = DatasetNote::SomeRewards { rows: 2 };
        assert!(
            table.notes.contains(&TableNote::Dataset { file: path.display().to_string(), note: left_out }),
            "{:?}",
            table.notes
        );
        let copy = TableCopy::open(
            || open(&path, &ReadOptions::default()),
            &folder.path().join("copy.parquet"),
            &[],
            &TableOptions::default(),
        );
        assert_eq!(copy.unwrap().run().unwrap().rows, 2, "{name}");
    }
    // Another table of prompts is none.
    let path = folder.path().join("plain.csv");
    fs::write(&path, "step,prompt,completion,reward\n1,p,a,1\n").unwrap();
    assert!(open(&path, &ReadOptions::default()).unwrap().log().is_none());
}

#[test]
fn an_index_that_became_a_column_is_no_reward() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(
        &path,
        "level_0,index,step,prompt,completion,digits,short,advantage\n0,7,1,p,a,1,0.5,1\n1,8,1,p,b,0,1,-1\n",
    )
    .unwrap();
    let reader = open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(reader.log().unwrap().rewards, ["digits", "short"]);
}

#[test]
fn rewards_that_are_text_in_some_rows_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    // What stands elsewhere, or holds no number, is no reward anyway; an empty value is none.
    fs::write(
        &path,
        "run,step,prompt,completion,digits,short,said,advantage,more\n1,1,p,a,1.0,0.5,x,1,1\n1,1,p,b,,1,y,-1,None\n\
         a,1,p,c,None,1,z,-1,2\n1,1,p,d,n/a,1,z,-1,2\n",
    )
    .unwrap();
    let reader = open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(reader.log().unwrap().rewards, ["short"]);
    let notes = reader.notes();
    let [_, note @ TableNote::Dataset { note: DatasetNote::MixedRewards { columns }, .. }] = notes.as_slice() else {
        panic!("{notes:?}")
    };
    assert_eq!(columns, &[("digits".to_owned(), "None".to_owned())]);
    assert!(note.to_string().contains("`digits` (holds `None`)"), "{note}");
    fs::write(&path, "step,prompt,completion,digits,said,advantage\n1,p,a,1,x,1\n").unwrap();
    assert_eq!(open(&path, &ReadOptions::default()).unwrap().notes().len(), 1);
}

#[test]
fn a_copy_of_a_log_in_which_no_row_has_all_rewards_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(&path, "step,prompt,completion,maths,code,advantage\n1,p,a,1,,1\n1,q,b,,0.5,1\n").unwrap();
    let copy = |options: &TableOptions, output: &str| {
        let open = || open(&path, &ReadOptions::default());
        TableCopy::open(open, &folder.path().join(output), &[], options).unwrap().run()
    };
    for output in ["copy.csv", "copy.parquet"] {
        let error = copy(&TableOptions::default(), output).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "no row has all of the rewards `maths`, `code`, and a copy has the rows that do; choose others with `--rewards A,B`"
            ),
            "{error}"
        );
    }
}

#[test]
fn a_copy_of_a_log_has_the_rows_with_the_rewards_that_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, jsonl, parquet, parts] =
        ["log.csv", "log.jsonl", "log.parquet", "parts"].map(|name| folder.path().join(name));
    fs::create_dir(&parts).unwrap();
    let head = "step,prompt,completion,maths,code,rm,right,advantage\n";
    fs::write(&csv, format!("{head}1,p,a,1,,0.5,true,1\n1,p,b,,0.5,-1.5,,2\n1,q,c,,0.25,,false,3\n")).unwrap();
    let row = |completion: &str, [maths, code, rm, right]: [serde_json::Value; 4], advantage: f64| {
        let row = json!({"step": 1, "prompt": "p", "completion": completion, "maths": maths, "code": code, "rm": rm,
            "right": right, "advantage": advantage});
        format!("{row}\n")
    };
    let null = serde_json::Value::Null;
    let rows = [
        row("a", [json!(1.5), null.clone(), json!(0.5), json!(true)], 1.5),
        row("b", [null.clone(), json!(0.5), json!(-1.5), null.clone()], 2.5),
        row("c", [null.clone(), json!(0.25), null, json!(false)], 3.5),
    ];
    fs::write(&jsonl, rows.concat()).unwrap();
    let typed = Schema::new([
        ("step", ColumnType::Int),
        ("prompt", ColumnType::Text),
        ("completion", ColumnType::Text),
        ("maths", ColumnType::Float),
        ("code", ColumnType::Float),
        ("rm", ColumnType::Float),
        ("right", ColumnType::Bool),
        ("advantage", ColumnType::Float),
    ]);
    for path in [parquet.clone(), parts.join("completions_00001.parquet"), parts.join("completions_00002.parquet")] {
        let texts = |texts: [&str; 3]| Column::from(Values::Text(texts.into_iter().collect()));
        let floats = |values: [f64; 3]| {
            let there = values.iter().map(|value| !value.is_nan()).collect();
            Column::new(Values::Float(values.to_vec()), Some(there))
        };
        let columns = vec![
            Values::Int(vec![1, 1, 1]).into(),
            texts(["p", "p", "q"]),
            texts(["a", "b", "c"]),
            floats([1.0, f64::NAN, f64::NAN]),
            floats([f64::NAN, 0.5, 0.25]),
            floats([0.5, -1.5, f64::NAN]),
            Column::new(Values::Bool(vec![true, false, false]), Some(vec![true, false, true])),
            floats([1.0, 2.0, 3.0]),
        ];
        let batch = Batch::from_columns(columns, 1);
        let mut writer = create(&path, &typed).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    for (path, times) in [(&csv, 1), (&jsonl, 1), (&parquet, 1), (&parts, 2)] {
        for output in ["copy.csv", "copy.jsonl", "copy.parquet"] {
            let output = folder.path().join("copies").join(output);
            fs::create_dir_all(output.parent().unwrap()).unwrap();
            let copy = |rewards: &[&str]| {
                let rewards = rewards.iter().map(|name| (*name).to_owned()).collect();
                let options = TableOptions { rewards, ..TableOptions::default() };
                TableCopy::open(|| open(path, &ReadOptions::default()), &output, &[], &options)?.run()
            };
            let place = format!("{} to {}", path.display(), output.display());
            let copied = copy(&["rm"]).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(copied.rows, 2 * times, "{place}");
            let notes: Vec<&str> = copied.notes.iter().map(TableNote::kind).collect();
            assert_eq!(notes, ["without_reward"], "{place}: {:?}", copied.notes);
            assert_eq!(copy(&["code", "rm"]).unwrap().rows, times, "{place}");
            assert_eq!(copy(&["code"]).unwrap().rows, 2 * times, "{place}");
            assert!(copy(&[]).is_err(), "{place}");
            // What was not chosen is as it was.
            assert_eq!(copy(&["rm"]).unwrap().rows, 2 * times, "{place}");
            let columns = ["completion", "rm", "maths", "right"].map(str::to_owned).to_vec();
            let mut reader = open(&output, &ReadOptions::default()).unwrap();
            let mut rewards = reader.log().unwrap().rewards.clone();
            rewards.sort();
            assert_eq!(rewards, ["code", "maths", "right", "rm"], "{place}");
            reader.choose_rewards(&["rm".to_owned()]);
            reader.select(&columns.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
            let mut batch = Batch::new();
            assert!(matches!(reader.next_batch(&mut batch).unwrap(), Piece::Rows));
            for other in [2, 3] {
                let there = [0, 1].map(|row| batch.columns[other].is_valid(row));
                assert_eq!(there, [true, false], "{place}: {}", columns[other]);
            }
        }
    }
}

#[test]
fn what_is_said_to_be_a_log_of_trl_and_is_none_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = TableOptions::default();
    options.dataset.set("from", "trl").unwrap();
    let told = |options: &TableOptions| read_table(folder.path(), options.clone()).unwrap_err().to_string();
    let expected = "is no log of TRL: that is a folder of completions_STEP.parquet (or that of the run, or one such file) with the columns";
    assert!(
        told(&options).contains(expected) && told(&options).contains("it holds no such file"),
        "{}",
        told(&options)
    );
    fs::write(folder.path().join("1.jsonl"), "{}\n").unwrap();
    assert!(told(&options).contains("its first file is ") && told(&options).contains("1.jsonl"), "{}", told(&options));
    fs::remove_file(folder.path().join("1.jsonl")).unwrap();
    fs::copy(fixture("pandas.parquet"), folder.path().join("1.parquet")).unwrap();
    assert!(told(&options).contains(expected) && told(&options).contains("this one has `"), "{}", told(&options));
}

#[test]
fn of_many_rewards_a_few_are_named() {
    let rewards = (1..=40).map(|k| format!("r{k}")).collect();
    let said = DatasetNote::Log { dataset: "verl", rewards }.to_string();
    assert_eq!(said, "read as verl, with the rewards `r1`, `r2`, `r3`, `r4`, `r5`, `r6` and 34 more");
}

#[test]
fn rows_keep_their_numbers_where_others_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let row = |reward: &str| format!("{{\"input\": \"p\", \"output\": \"r\", \"reward\": {reward}}}\n");
    fs::write(&path, row("1") + &row("null") + &row("1e200")).unwrap();
    let error = read_table(&path, TableOptions::default()).unwrap_err();
    assert_eq!((error.row(), error.line()), (Some(3), Some(3)), "{error}");
    fs::write(&path, row("1") + "\n" + &row("\"good\"")).unwrap();
    let error = read_table(&path, TableOptions::default()).unwrap_err();
    assert!(error.to_string().contains("row 2 (line 3), column `reward`: `good` is not a number"), "{error}");
}

/// Rollouts of NeMo Gym as its resource servers for mathematics with tools write them: numbers of turns and nulls are no rewards.
#[test]
fn verifiers_say_more_than_rewards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollouts.jsonl");
    let row = |task: usize, answer: &str, reward: f64| {
        let answer = serde_json::json!({"type": "message", "role": "assistant", "status": "completed", "id": "message-0",
            "content": [{"type": "output_text", "text": answer, "annotations": [], "logprobs": null}]});
        let thought = serde_json::json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": null});
        let question =
            serde_json::json!({"role": "user", "type": "message", "content": format!("What is {task} + 1?")});
        let row = serde_json::json!({
            "responses_create_params": {"input": [question], "background": null, "tools": []},
            "response": {"id": "resp_1", "output": [thought, answer], "usage": {"input_tokens": 2}},
            "reward": reward, "turns_used": 1, "num_turns": 1, "finished_naturally": true, "library_reward": 1.0 - reward,
            "expected_answer": "6", "judge_evaluations": null, "failure_reason": null,
            "_ng_task_index": task, "_ng_rollout_index": 0, "_ng_attempt_index": 0, "agent_ref": {"name": "math"},
        });
        format!("{row}\n")
    };
    fs::write(&path, row(1, "2", 1.0) + &row(1, "3", 0.0)).unwrap();
    let reader = open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(reader.log().unwrap().rewards, ["reward", "finished_naturally", "library_reward"]);
    assert_eq!(read_table(&path, TableOptions::default()).unwrap().samples.len(), 3);
}

#[test]
fn rewards_that_no_row_has_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let row = |a: &str, b: &str| format!("{{\"input\": \"p\", \"output\": \"r\", \"reward\": {a}, \"code\": {b}}}\n");
    fs::write(&path, row("1", "null") + &row("null", "0")).unwrap();
    assert_eq!(read_table(&path, TableOptions::default()).unwrap().samples.len(), 2);
    let path = folder.path().join("log.parquet");
    let [words, numbers] = [ColumnType::Text, ColumnType::Float];
    let kinds = [words, words, numbers, numbers, numbers, numbers];
    let names = ["prompt", "completion", "reward", "code", "advantage", "step"];
    let schema = Schema::new(names.iter().map(|name| (*name).to_owned()).zip(kinds));
    let texts = |texts: [&str; 2]| Column::from(Values::Text(texts.into_iter().collect()));
    let [rewards, code, advantages] =
        [[1.0, 2.0], [f64::NAN; 2], [0.5; 2]].map(|values| Column::from(Values::Float(values.to_vec())));
    let columns = vec![texts(["p", "p"]), texts(["a", "b"]), rewards, code, advantages.clone(), advantages];
    let mut table = create(&path, &schema).unwrap();
    table.write(&Batch::from_columns(columns, 1)).unwrap();
    table.finish().unwrap();
    let error = read_table(&path, TableOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Empty, Some("code")));
    assert!(error.to_string().contains("no row has such a reward"), "{error}");
}

#[test]
fn an_empty_response_is_a_response() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    fs::write(&path, "{\"input\": \"p\", \"output\": \"\", \"reward\": 1}\n").unwrap();
    let table = opened(&path).unwrap();
    assert_eq!(table.rows[0], [text("p"), text("(empty)"), float(1.0)]);
}

#[test]
fn benchmarks_say_what_was_chosen() {
    let table = opened(&log("rewardbench2_second.json")).unwrap();
    assert_eq!(table.names, ["prompt", "response", "org/second", "chosen", "subset"]);
    assert_eq!(table.rows.len(), 48);
    let chosen = table.column("chosen");
    // Of the third row of ties two are correct.
    assert_eq!(chosen[8..12], [float(1.0), float(1.0), float(0.0), float(0.0)]);
    assert_eq!(table.column("prompt")[8], text("Ties/2"));
    let columns = score_columns(
        open(&log("rewardbench1_first.json"), &ReadOptions::default()).unwrap(),
        &TableOptions::default(),
    );
    assert_eq!(columns.unwrap(), ["org/first", "chosen"]);
}

#[test]
fn answers_of_agents_are_told_apart_by_what_they_do() {
    let table = opened(&log("nemo_gym.jsonl")).unwrap();
    let Cell::Text(first) = &table.column("response")[0] else { panic!("a text") };
    assert!(
        first.starts_with("function_call: [") && first.contains("get_weather") && first.contains("degrees."),
        "{first}"
    );
    assert!(!first.contains("fc") && !first.contains("msg_"), "ids are random: {first}");
    // What only some rows have is missing in the others.
    assert_eq!(table.column("note")[..4].iter().filter(|cell| **cell == Cell::Missing).count(), 3);
}

#[test]
fn steps_make_groups() {
    let mut options = TableOptions { rewards: vec!["score".into(), "format".into()], ..TableOptions::default() };
    options.columns.set(Role::Sample, "step");
    let table = read_table(&log("verl"), options).unwrap();
    let names: Vec<&str> = table.samples.iter().map(|sample| sample.name.as_str()).collect();
    assert_eq!(names, ["1/score", "1/format", "2/score", "2/format", "10/score", "10/format"]);
}

#[test]
fn damaged_logs_give_errors_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for (name, kind, _) in LOGS {
        if log(name).is_dir() {
            continue;
        }
        let bytes = fs::read(log(name)).unwrap();
        let path = folder.path().join(Path::new(name).file_name().unwrap());
        let mut options = TableOptions::default();
        options.dataset.set("from", kind).unwrap();
        for cut in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let mut damaged = bytes.clone();
            damaged[cut] = damaged[cut].wrapping_add(37);
            for bytes in [&bytes[..cut], &damaged] {
                fs::write(&path, bytes).unwrap();
                let _ = read_table(&path, TableOptions::default());
                let _ = read_table(&path, options.clone());
            }
        }
    }
}

#[test]
fn what_is_no_log_is_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.json");
    fs::write(&path, "{\"accuracy\": 0.9, \"model\": \"m\"}").unwrap();
    // A table of one row, but not of transitions.
    let error = read_table(&path, TableOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::MissingColumn, Some("state")), "{error}");
    let mut options = TableOptions::default();
    options.dataset.set("from", "rewardbench").unwrap();
    let error = read_table(&path, options).unwrap_err();
    assert!(error.to_string().contains("no data rows"), "{error}");
    let path = folder.path().join("table.jsonl");
    fs::write(&path, "{\"input\": \"p\", \"output\": \"r\"}\n").unwrap();
    assert!(open(&path, &ReadOptions::default()).unwrap().log().is_none());
}
