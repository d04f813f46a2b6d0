//! What is told about tables, or read without a word where nothing is lost.

use std::fs;
use std::io::Write;
use std::path::Path;

use srrd_data::discretize::{DiscretizeOptions, discretize, fit_tables};
use srrd_data::{
    FileFormat, ModelQuestion, ReadOptions, SampleTable, TableCopy, TableError, TableNote, TableOptions, open,
    open_bytes, read_models, read_sample_table, read_table,
};

fn read(name: &str, text: &str) -> Result<SampleTable, TableError> {
    let format = FileFormat::from_path(name.as_ref())?;
    read_sample_table(open_bytes(name, format, text.into(), &ReadOptions::default())?, name, TableOptions::default())
}

fn kinds(notes: &[TableNote]) -> Vec<&str> {
    notes.iter().map(TableNote::kind).collect()
}

fn convert(from: &Path, to: &Path) -> Result<u64, TableError> {
    let copy = TableCopy::open(|| open(from, &ReadOptions::default()), to, &[], &TableOptions::default());
    copy?.run().map(|copied| copied.rows)
}

#[test]
fn semicolons_are_told_with_what_to_do_about_decimal_commas() {
    let error = read("t.csv", "state;action;next_state;reward\na;x;b;0,5\n").unwrap_err().to_string();
    assert!(
        error.contains("separated by semicolons: separate them by commas, and write numbers with a point"),
        "{error}"
    );
    assert!(error.contains("`read_csv(FILE, sep=\";\", decimal=\",\").to_csv(NEW, index=False)`"), "{error}");
}

#[test]
fn advice_for_the_shell_is_quoted() {
    let told = |column: &str| {
        let table = read("t.csv", &format!("state,action,next_state,reward,{column}\na,x,b,1,1\nb,x,a,2,1\n")).unwrap();
        table.notes.iter().map(|note| note.to_string()).collect::<String>()
    };
    assert!(told("episode id").ends_with("say so with `--columns 'episode=episode id'`"), "{}", told("episode id"));
    assert!(told("episode's").ends_with(r"`--columns 'episode=episode'\''s'`"), "{}", told("episode's"));
    assert!(told("epsiode").ends_with("`--columns episode=epsiode`"));
}

#[test]
fn usual_names_of_steps_and_episodes_are_asked_about() {
    let notes = |header: &str| {
        let notes = read("t.csv", &format!("{header}\na,x,1,1,1\nb,x,2,1,2\n")).unwrap().notes;
        notes.iter().filter(|note| note.kind() == "unused").map(|note| note.to_string()).collect::<Vec<_>>()
    };
    for step in ["t", "time"] {
        let said = notes(&format!("state,action,reward,traj_id,{step}"));
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].ends_with("`--columns episode=traj_id`") && said[1].ends_with(&format!("`--columns step={step}`"))
        );
    }
    for (next, action) in [("s_next", "action"), ("new_obs", "act"), ("obs_next", "act")] {
        let said = notes(&format!("state,{action},reward,{next},sample"));
        assert!(said.len() == 1 && said[0].ends_with(&format!("`--columns next_state={next}`")), "{said:?}");
    }
    // Where next states are given, their order is of no interest, and a time may be anything.
    assert_eq!(notes("state,action,reward,time,next_state").len(), 0);
    assert_eq!(notes("state,action,reward,episode,step").len(), 0);
}

#[test]
fn episodes_that_go_on_after_their_end_are_told() {
    let text = "episode,state,action,reward,done\n0,a,x,1,0\n0,b,x,2,1\n0,a,y,3,0\n0,c,x,4,1\n1,a,x,1,1\n";
    let format = FileFormat::from_path("t.csv".as_ref()).unwrap();
    let options = TableOptions { next: srrd_data::Next::Shift, ..TableOptions::default() };
    let reader = open_bytes("t.csv", format, text.into(), &ReadOptions::default()).unwrap();
    let table = read_sample_table(reader, "t.csv", options).unwrap();
    assert_eq!(kinds(&table.notes), ["shifted", "resumed"]);
    assert!(table.notes[1].to_string().starts_with("t.csv: behind 1 row where an episode is over, rows of the same"));
    let error = read("t.csv", "episode,step,state,action,reward\n0,0,a,x,1\n0,0,b,x,2\n").unwrap_err().to_string();
    assert!(error.contains("give every episode a name of its own (of several environments or seeds, too)"), "{error}");
}

#[test]
fn truths_are_read_as_postgresql_writes_them() {
    let table = read("t.csv", "state,action,next_state,reward,done\na,x,b,1,f\nb,x,a,2,t\n").unwrap();
    assert_eq!(table.ends().unwrap(), [false, true]);
}

#[test]
fn rewards_of_several_environments_are_told() {
    let error = read("t.csv", "state,action,next_state,reward.0,reward.1\na,x,b,1,2\n").unwrap_err().to_string();
    assert!(error.contains("`reward` holds several numbers in a row, and one is needed"), "{error}");
}

#[test]
fn keys_that_the_first_row_leaves_out_are_columns() {
    let row = |last: &str| format!("{{\"state\":1,\"action\":0,\"next_state\":2,\"reward\":1{last}}}\n");
    let text = row("")
        + &row(",\"terminated\":null,\"note\":\"a\"").replace("null", "false")
        + &row(",\"terminated\":true").replace('2', "3");
    let error = read("t.jsonl", &text).unwrap_err().to_string();
    assert!(error.starts_with("t.jsonl: row 1 (line 1), column `terminated`: the value is missing"), "{error}");
    let text = text.replacen("\"reward\":1", "\"reward\":1,\"terminated\":false", 1);
    assert_eq!(read("t.jsonl", &text).unwrap().ends().unwrap(), [false, false, true]);
    // A next state that is null so far may be a list, and one that is left out at first is read all the same.
    let list =
        |next: &str| format!("{{\"obs\":[1,2],\"action\":0,{next}\"reward\":1,\"done\":{}}}\n", !next.contains('['));
    for first in ["\"next_obs\":null,", ""] {
        let table = read("t.jsonl", &(list(first) + &list("\"next_obs\":[3,4],"))).unwrap();
        assert_eq!(table.samples[0].sample.len(), 2, "{first}");
    }
    // Only rows at the start of the file are looked at.
    let late = row("").repeat(8000) + &row(",\"weight\":1");
    let error = read("t.jsonl", &late).unwrap_err().to_string();
    assert!(
        error.starts_with("t.jsonl: row 8001 (line 8001), column `weight`: the rows at the start of the file have no such key; write it"),
        "{error}"
    );
}

#[test]
fn truths_among_the_numbers_of_a_log_are_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(
        &path,
        "step,prompt,completion,correct,short,advantage\n1,p,a,True,0.5,1\n1,p,b,0.25,1,-1\n1,q,c,False,1,-1\n1,q,d,,1,-1\n",
    )
    .unwrap();
    let reader = open(&path, &ReadOptions::default()).unwrap();
    assert_eq!(reader.log().unwrap().rewards, ["correct", "short"]);
    assert_eq!(kinds(&reader.notes()), ["log"]);
    let table = read_table(&path, TableOptions::default()).unwrap();
    let mut rewards = table.samples[0].sample.rewards().to_vec();
    rewards.sort_by(f64::total_cmp);
    assert_eq!(rewards, [0.0, 0.25, 1.0]);
    // What a reward function returns that does not apply, as Python writes it.
    let text = fs::read_to_string(&path).unwrap().replace("d,,1", "d,None,1");
    fs::write(&path, text).unwrap();
    let again = read_table(&path, TableOptions::default()).unwrap();
    assert_eq!(again.samples[0].sample, table.samples[0].sample);
    assert_eq!(again.notes, table.notes);
}

#[test]
fn scores_of_which_some_are_no_numbers_are_told() {
    let notes = |text: &str| {
        let open =
            || open_bytes("t.csv", FileFormat::from_path("t.csv".as_ref())?, text.into(), &ReadOptions::default());
        read_models(vec![("t.csv".to_owned(), Box::new(open))], &TableOptions::default(), &ModelQuestion::default())
            .unwrap()
            .notes
    };
    let told = |text: &str| -> Vec<String> {
        notes(text).iter().filter(|note| note.kind() == "no_scores").map(|note| note.to_string()).collect()
    };
    let said = |what: &str| {
        format!(
            "t.csv: not taken for scores because not all of their values are numbers: {what}; correct these cells or fill them in, or drop \
             their rows"
        )
    };
    let text = "prompt,response,old,new,style,kind,answer\np,a,0,1,0.5,x,1\np,b,1,0,None,y,b\nq,a,0,1,,x,2\n";
    assert_eq!(told(text), [said("`style` (row 2 holds `None`)")]);
    // Most are numbers: then one that is none is likely a slip.
    for odd in ["inf", "-inf", "ERROR", "[0.5]", "85%", "\"1,234.5\"", "nan", "N/A", "", " "] {
        let text = format!("prompt,response,old,new,other\np,a,0,1,5\np,b,1,0,6\nq,a,0,1,{odd}\nq,b,1,2,7\n");
        let shown = match odd.trim_matches('"') {
            "" => "nothing".to_owned(),
            odd => format!("`{odd}`"),
        };
        assert_eq!(told(&text), [said(&format!("`other` (row 3 holds {shown})"))], "{odd}");
    }
}

#[test]
fn too_few_scores_name_the_column_with_a_value_that_is_no_number() {
    let error = |text: &'static str, name: &str| {
        let open = || open_bytes(name, FileFormat::from_path(name.as_ref())?, text.into(), &ReadOptions::default());
        read_models(vec![(name.to_owned(), Box::new(open))], &TableOptions::default(), &ModelQuestion::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error("prompt,response,old,new\np,a,0,1\np,b,1,0\nq,a,0,ERROR\nq,b,1,2\n", "t.csv"),
        "t.csv: at least two columns of scores are needed, and only `old` is found among `prompt`, `response`, `old`, `new`; not all values are \
         numbers in `new` (row 3 holds `ERROR`): correct these cells or fill them in, or drop their rows; or name others with `--rewards A,B`"
    );
    let row = |prompt: &str, response: &str, new: &str| {
        format!("{{\"prompt\":\"{prompt}\",\"response\":\"{response}\",\"old\":1,\"new\":{new}}}\n")
    };
    let lines = [row("p", "a", "1"), row("p", "b", "2"), row("q", "a", "3"), row("q", "b", "\"ERROR\"")].concat();
    let said = error(lines.leak(), "t.jsonl");
    assert!(said.contains("only `old` is found") && said.contains("`new` (row 4 holds `ERROR`)"), "{said}");
    let said = error("prompt,response,old,answer\np,a,0,b\np,b,1,c\nq,a,0,2\n", "t.csv");
    assert!(said.ends_with("`answer`; name them with `--rewards A,B`"), "{said}");
}

#[test]
fn discretizing_tells_what_it_leaves_out_and_keeps_integers() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("t.csv"), folder.path().join("cells.csv"));
    let rows = "state.x,action,next_state.x,reward,episode,step,weight,who\n1,go,2,1,0,0,3,me\n2,go,1,1,0,1,3,me\n";
    fs::write(&from, rows).unwrap();
    let (reading, options) = (TableOptions::default(), DiscretizeOptions { cells: 2, ..DiscretizeOptions::default() });
    let (cells, _) = fit_tables(std::slice::from_ref(&from), &reading, &options).unwrap();
    let written = discretize(std::slice::from_ref(&from), &reading, &cells, &to).unwrap();
    assert_eq!(kinds(&written.notes), ["columns_left_out"]);
    assert!(written.notes[0].to_string().ends_with("columns without a meaning here are not written: `weight`, `who`"));
    let steps: Vec<String> =
        fs::read_to_string(&to).unwrap().lines().map(|line| line.rsplit(',').next().unwrap().to_owned()).collect();
    assert_eq!(steps, ["step", "0", "1"]);
    fs::write(&from, rows.replace("1,0,0,3", "1,0,0.5,3")).unwrap();
    discretize(std::slice::from_ref(&from), &reading, &cells, &to).unwrap();
    assert!(fs::read_to_string(&to).unwrap().contains(",0.5\n"));
}

#[test]
fn npz_holds_integers_of_which_some_are_missing_as_floats() {
    let folder = tempfile::tempdir().unwrap();
    let [from, npz, back] = ["t.csv", "t.npz", "back.csv"].map(|name| folder.path().join(name));
    let text = "state,action,next_state,reward,done\n1,0,2,0.5,false\n2,0,,1.5,true\n";
    fs::write(&from, text).unwrap();
    assert_eq!(convert(&from, &npz).unwrap(), 2);
    let [there, copied] = [&from, &npz].map(|path| read_table(path, TableOptions::default()).unwrap());
    assert_eq!(there.samples[0].sample, copied.samples[0].sample);
    assert_eq!(convert(&npz, &back).unwrap(), 2);
    assert_eq!(fs::read_to_string(&back).unwrap(), text);
    // What a float would round is refused.
    fs::write(&from, text.replace("1,0,2,", "1,0,9007199254740993,")).unwrap();
    let error = convert(&from, &npz).unwrap_err().to_string();
    assert!(error.contains("column `next_state`") && error.contains("NPZ"), "{error}");
}

#[test]
fn bytes_of_npz_that_nobody_needs_may_be_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let [from, npz] = ["t.csv", "t.npz"].map(|name| folder.path().join(name));
    fs::write(&from, "state,action,next_state,reward,episode\n1,0,2,0.5,0\n2,0,1,1.5,0\n").unwrap();
    convert(&from, &npz).unwrap();
    let mut archive =
        zip::ZipWriter::new_append(fs::OpenOptions::new().read(true).write(true).open(&npz).unwrap()).unwrap();
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    archive.start_file("step.npy", options).unwrap();
    let mut header = "{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }".to_owned();
    header.push_str(&" ".repeat(127 - 10 - header.len()));
    header.push('\n');
    archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
    archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
    archive.write_all(header.as_bytes()).unwrap();
    archive.write_all(b"\xff\xfe\xff\x00").unwrap();
    archive.finish().unwrap();
    assert_eq!(read_table(&npz, TableOptions::default()).unwrap().row_count(), 2);
    let error = read_table(
        &npz,
        TableOptions { episodes: true, columns: "state=step".parse().unwrap(), ..TableOptions::default() },
    );
    assert!(error.unwrap_err().to_string().contains("column `step`: the value is not valid text"));
}
