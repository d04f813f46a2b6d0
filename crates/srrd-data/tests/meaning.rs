//! What columns mean: by their names, by other names, by what a user says; next states by shifting; ends; several rewards.

use srrd::{Duplicates, Token};
use srrd_data::{
    FileFormat, Format, Next, ReadOptions, Role, SampleTable, TableCopy, TableError, TableNote, TableOptions,
    open_bytes, read_sample_table,
};

fn table(format: Format, text: &str, options: &TableOptions) -> Result<SampleTable, TableError> {
    let reader = open_bytes("t", FileFormat::plain(format), text.as_bytes().to_vec(), &ReadOptions::default())?;
    read_sample_table(reader, "only", options.clone())
}

fn csv(text: &str) -> Result<SampleTable, TableError> {
    table(Format::Csv, text, &TableOptions::default())
}

/// The transitions of a sample, as texts.
fn transitions(table: &SampleTable, sample: usize) -> Vec<String> {
    let shown = table.samples[sample].sample.transitions();
    shown.map(|t| format!("{} {} {} {}", t.state, t.action, t.next_state, t.reward)).collect()
}

#[test]
fn usual_other_names_are_recognised_and_told() {
    let plain = csv("state,action,next_state,reward\na,x,b,1\nb,y,a,2\n").unwrap();
    assert!(plain.notes.is_empty());
    for header in
        ["obs,act,next_obs,rew", "observations,actions,next_observations,rewards", "prompt,completion,next_state,score"]
    {
        let other = csv(&format!("{header}\na,x,b,1\nb,y,a,2\n")).unwrap();
        assert_eq!(other.samples[0].sample, plain.samples[0].sample, "{header}");
        let [note @ TableNote::Recognised { columns, .. }] = other.notes.as_slice() else {
            panic!("{:?}", other.notes)
        };
        assert_eq!(columns[0].0, Role::State);
        assert!(note.to_string().starts_with("t: reading `"), "{note}");
    }
    // A column that has the name itself is not looked for under others.
    let both = csv("state,action,next_state,reward,obs,score\na,x,b,1,z,9\nb,y,a,2,z,9\n").unwrap();
    assert_eq!(both.samples[0].sample, plain.samples[0].sample);
    let error = csv("obs,observation,action,reward\na,b,x,1\n").unwrap_err().to_string();
    assert!(error.contains("both `obs` and `observation` could be the state") && error.contains("--columns state=obs"));
}

#[test]
fn ends_are_recognised_as_gymnasium_minari_and_others_call_them() {
    for ends in ["terminated", "termination", "terminations", "is_terminal", "done", "terminal", "terminals", "is_last"]
    {
        let table = csv(&format!("state,action,next_state,reward,{ends}\na,x,b,1,False\nb,y,a,2,True\n")).unwrap();
        assert_eq!(table.ends(), Some([false, true].as_slice()), "{ends}");
    }
    let cut = "state,action,next_state,reward,termination,truncation\na,x,b,1,False,True\nb,y,a,2,True,False\n";
    assert_eq!(csv(cut).unwrap().ends(), Some([false, true].as_slice()));
}

#[test]
fn what_to_do_without_a_reward_is_told() {
    // A log of several rewards that was exported.
    let error = csv("step,prompt,completion,accuracy_reward,length_reward\n1,p,c,0,1\n").unwrap_err().to_string();
    assert!(error.contains("`--rewards old,new`") && error.contains("did you mean `accuracy_reward`?"), "{error}");
}

#[test]
fn headers_of_other_kinds_are_told() {
    for (text, says) in [
        ("state|action|reward\na|b|1\n", "the fields seem to be separated by pipes (`|`): separate them by commas"),
        ("# made by hand\nstate,action,reward\n", "the first line begins with `#`, as comments do"),
        ("# state,action,reward\na,b,1\n", "delete the lines of comments, or the `#` before the names"),
    ] {
        let error = csv(text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn the_state_is_the_one_whose_name_goes_with_that_of_the_next() {
    let plain = csv("state,action,next_state,reward\na,x,b,1\nb,y,a,2\n").unwrap();
    let both = csv("state,obs,action,next_obs,reward\nz,a,x,b,1\nz,b,y,a,2\n").unwrap();
    assert_eq!(both.samples[0].sample, plain.samples[0].sample);
    assert_eq!(both.notes[0].to_string(), "t: reading `obs` as state, `next_obs` as next_state");
    let said = TableOptions { columns: "state=state".parse().unwrap(), ..TableOptions::default() };
    let text = "state,obs,action,next_obs,reward\na,z,x,b,1\nb,z,y,a,2\n";
    assert_eq!(table(Format::Csv, text, &said).unwrap().samples[0].sample, plain.samples[0].sample);
}

#[test]
fn rewards_may_be_truths_in_every_format() {
    let plain = csv("state,action,next_state,reward\na,x,b,1\nb,y,a,0\n").unwrap();
    let text = csv("state,action,next_state,reward\na,x,b,True\nb,y,a,False\n").unwrap();
    let lines = "{\"state\":\"a\",\"action\":\"x\",\"next_state\":\"b\",\"reward\":true}\n\
                 {\"state\":\"b\",\"action\":\"y\",\"next_state\":\"a\",\"reward\":false}\n";
    let typed = table(Format::Jsonl, lines, &TableOptions::default()).unwrap();
    for other in [text, typed] {
        assert_eq!(other.samples[0].sample, plain.samples[0].sample);
    }
}

#[test]
fn a_copy_says_that_it_adds_no_next_states() {
    let folder = tempfile::tempdir().unwrap();
    let text = "state,action,reward\na,x,1\n";
    let open = || open_bytes("t", FileFormat::plain(Format::Csv), text.into(), &ReadOptions::default());
    let notes = |next| {
        let options = TableOptions { next, ..TableOptions::default() };
        TableCopy::open(open, &folder.path().join("t.csv"), &[], &options).unwrap().notes().to_vec()
    };
    assert_eq!(notes(Next::Shift), [TableNote::NotShifted { file: "t".to_owned() }]);
    assert_eq!(notes(Next::None), []);
}

#[test]
fn next_states_of_a_table_are_taken_whatever_is_said_and_a_note_says_so() {
    let text = "state,action,next_state,reward\na,x,b,1\nb,x,c,2\n";
    for (next, says) in [(Next::Auto, None), (Next::Shift, Some("`--next shift`")), (Next::None, Some("`--next none`"))]
    {
        let read = table(Format::Csv, text, &TableOptions { next, ..TableOptions::default() }).unwrap();
        assert_eq!(transitions(&read, 0), ["a x b 1", "b x c 2"]);
        let told: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
        match says {
            None => assert!(told.is_empty(), "{told:?}"),
            Some(says) => {
                assert_eq!(read.notes, [TableNote::OwnNextStates { file: "t".to_owned(), next }]);
                assert!(told[0].contains(says) && told[0].contains("rename or drop"), "{told:?}");
            }
        }
    }
}

#[test]
fn a_key_that_is_left_out_is_null() {
    let rows = |gap: &str| {
        format!(
            "{{\"state\":\"a\",\"action\":1,\"next_state\":\"b\",\"reward\":1,\"done\":false}}\n\
             {{\"state\":\"b\",\"action\":2,{gap}\"reward\":2,\"done\":true}}\n\
             {{\"state\":\"b\",\"action\":1,\"next_state\":\"a\",\"reward\":3,\"done\":false}}\n"
        )
    };
    let [null, none] = [rows("\"next_state\":null,"), rows("")]
        .map(|rows| table(Format::Jsonl, rows.as_str(), &TableOptions::default()).unwrap());
    assert_eq!(transitions(&none, 0), ["a 1 b 1", "b 2  2", "b 1 a 3"]);
    assert_eq!((none.samples[0].sample == null.samples[0].sample, none.notes), (true, null.notes));
    let lists = "{\"obs\":[1,2],\"action\":1,\"next_obs\":[2,1],\"reward\":1,\"done\":false}\n\
                 {\"obs\":[2,1],\"action\":1,\"reward\":1,\"done\":true}\n";
    assert_eq!(table(Format::Jsonl, lists, &TableOptions::default()).unwrap().samples[0].sample.len(), 2);
    // Where null would be none, a key that is left out is none.
    let without = rows("").replace("\"reward\":2,", "");
    let error = table(Format::Jsonl, without.as_str(), &TableOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("t: row 2 (line 2), column `reward`: the value is missing"), "{error}");
}

#[test]
fn columns_have_the_roles_that_a_user_gives_them() {
    let text = "where,what,then,state,gain\na,x,b,z,1\nb,y,a,z,2\n";
    let columns = "state=where,action=what,next_state=then,reward=gain".parse().unwrap();
    let options = TableOptions { columns, ..TableOptions::default() };
    let named = table(Format::Csv, text, &options).unwrap();
    assert!(named.notes.is_empty());
    assert_eq!(transitions(&named, 0), ["a x b 1", "b y a 2"]);
    let options = TableOptions { columns: "state=wher".parse().unwrap(), ..TableOptions::default() };
    let error = table(Format::Csv, text, &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "t: column `wher`: there is no such column to be the state; this one has `where`, `what`, `then`, `state`, \
         `gain`; did you mean `where`?"
    );
    let error = csv("state,action,rewrd\na,x,1\n").unwrap_err().to_string();
    assert!(error.ends_with("this one has `state`, `action`, `rewrd`; did you mean `rewrd`?"), "{error}");
}

#[test]
fn lists_are_features() {
    let text = "{\"observation\": [1, 2.5], \"action\": [3], \"reward\": 1}\n{\"observation\": [0, 2.5], \"action\": [4], \"reward\": 2}\n";
    let lists = table(Format::Jsonl, text, &TableOptions::default()).unwrap();
    let named = &lists.samples[0];
    assert_eq!(named.state_features.as_deref(), Some(&["0".to_owned(), "1".to_owned()][..]));
    assert!(named.sample.states().find(Token::features(&[1.0, 2.5])).is_some());
    let ragged = text.replace("[0, 2.5]", "[0, 2.5, 1]");
    let error = table(Format::Jsonl, &ragged, &TableOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("t: row 2 (line 2), column `observation`: the list has 3 numbers"), "{error}");
}

#[test]
fn numbered_columns_are_features_as_well() {
    let rows = "obs_0,obs_1,act_1,next_obs_0,next_obs_1,reward\n1,2.5,3,0,2.5,1\n0,2.5,4,1,2.5,2\n";
    let numbered = csv(rows).unwrap();
    let dotted = csv(&rows.replace("s_", "s.").replace("act_", "act.")).unwrap();
    assert_eq!(numbered.samples[0].sample, dotted.samples[0].sample);
    assert_eq!(numbered.samples[0].state_features.as_deref(), Some(&["0".to_owned(), "1".to_owned()][..]));
    let told = "t: reading `obs_*` as state, `act_*` as action, `next_obs_*` as next_state";
    assert_eq!(numbered.notes[0].to_string(), told);
    // A gap means that the columns are something else, and whole columns come first.
    let error = csv("obs_0,obs_2,action,reward\n1,2,3,1\n").unwrap_err().to_string();
    assert!(error.contains("column `state`: the column is missing") && error.contains("`state_0`"), "{error}");
    assert_eq!(csv("obs,state_0,action,reward\n1,2,3,1\n").unwrap().samples[0].state_features, None);
    let error = csv("obs_0,state_0,action,reward\n1,2,3,1\n").unwrap_err().to_string();
    assert!(error.contains("both `state_*` and `obs_*`") && error.contains("--columns state=state`"), "{error}");
    let options = TableOptions { columns: "state=obs".parse().unwrap(), ..TableOptions::default() };
    assert!(table(Format::Csv, "obs_0,state_0,action,reward\n1,2,3,1\n", &options).is_ok());
}

#[test]
fn rows_that_go_on_are_not_taken_for_one_step_without_a_word() {
    let rows = "obs,act,rew,terminations,truncations\na,x,1,false,false\nb,x,2,false,true\nc,y,3,true,false\n";
    let told = csv(rows).unwrap().notes;
    let Some(TableNote::OneStep { column, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!(column, "terminations");
    assert!(told.last().unwrap().to_string().contains("`--next shift`"));
    for next in [Next::None, Next::Shift] {
        let said = table(Format::Csv, rows, &TableOptions { next, ..TableOptions::default() }).unwrap();
        assert!(!said.notes.iter().any(|note| matches!(note, TableNote::OneStep { .. })), "{:?}", said.notes);
    }
    let over = csv("obs,act,rew,done\na,x,1,true\nb,x,2,true\n").unwrap();
    assert_eq!(over.notes.len(), 1, "{:?}", over.notes);
}

#[test]
fn next_states_come_by_shifting_where_steps_are_known() {
    let rows = "episode,step,state,action,reward,terminated\n\
                1,2,c,x,3,true\n1,0,a,x,1,false\n2,0,a,y,4,false\n1,1,b,x,2,false\n2,1,d,y,5,false\n";
    let shifted = csv(rows).unwrap();
    assert_eq!(transitions(&shifted, 0), ["a x b 1", "a y d 4", "b x c 2", "c x  3"]);
    let note = TableNote::Shifted { file: "t".to_owned(), episodes: 2, ended: 1, left_out: 1, paid: false };
    assert_eq!(shifted.notes, [note]);
    assert_eq!(shifted.rows().map(|place| place.is_some()).collect::<Vec<_>>(), [true, true, true, true, false]);
    assert_eq!(shifted.ends(), Some(&[true, false, false, false, false][..]));
    assert!(!shifted.samples[0].one_step);

    let one_step = table(Format::Csv, rows, &TableOptions { next: Next::None, ..TableOptions::default() }).unwrap();
    assert!(one_step.samples[0].one_step && one_step.notes.is_empty());

    let twice = rows.replace("1,1,b", "1,0,b");
    let error = csv(&twice).unwrap_err().to_string();
    assert!(
        error.starts_with("t: row 4 (line 5), column `step`: the step 0 occurs twice in its episode, first in row 2"),
        "{error}"
    );
    // A step that is missing is not jumped over; steps may be counted by tens.
    let gap = csv("episode,step,state,action,reward\n1,0,a,x,1\n1,10,b,x,2\n1,30,c,x,3\n1,40,d,x,4\n").unwrap();
    assert_eq!(transitions(&gap, 0), ["a x b 1", "c x d 3"]);
}

#[test]
fn shifting_without_steps_follows_the_rows_up_to_the_ends_of_episodes() {
    let rows = "observations,actions,rewards,terminals,timeouts\n\
                a,x,1,0,0\nb,x,2,1,0\nc,x,3,0,0\nd,x,4,0,1\ne,x,5,0,0\nf,x,6,0,0\n";
    let options = TableOptions { next: Next::Shift, ..TableOptions::default() };
    let shifted = table(Format::Csv, rows, &options).unwrap();
    assert_eq!(transitions(&shifted, 0), ["a x b 1", "b x  2", "c x d 3", "e x f 5"]);
    assert_eq!(shifted.ends(), Some(&[false, true, false, false, false, false][..]));
    // The end state is none of those that were met, and so has no features.
    let features = "state.x,action,reward,done\n1,x,1,false\n2,x,2,true\n";
    let shifted = table(Format::Csv, features, &options).unwrap();
    assert_eq!(transitions(&shifted, 0), ["(1) x (2) 1", "(2) x  2"]);
    let none = table(Format::Csv, "state,action,reward\na,x,1\n", &options).unwrap_err().to_string();
    assert!(none.contains("no row has a next state"), "{none}");
}

#[test]
fn without_steps_no_step_is_missing() {
    let apart = "episode,state,action,reward\n1,a,x,1\n1,b,x,2\n1,c,x,3\n2,d,y,4\n2,e,y,5\n3,f,y,6\n";
    let among = "episode,state,action,reward\n1,a,x,1\n2,d,y,4\n1,b,x,2\n3,f,y,6\n2,e,y,5\n1,c,x,3\n";
    let options = TableOptions { next: Next::Shift, ..TableOptions::default() };
    let of = |text: &str| table(Format::Csv, text, &options).unwrap();
    let (apart, among) = (of(apart), of(among));
    assert_eq!(transitions(&among, 0), ["a x b 1", "b x c 2", "d y e 4"]);
    assert_eq!(transitions(&apart, 0), transitions(&among, 0));
    let note = TableNote::Shifted { file: "t".to_owned(), episodes: 3, ended: 0, left_out: 3, paid: false };
    assert_eq!(apart.notes, std::slice::from_ref(&note));
    assert_eq!(among.notes, [note, TableNote::Scattered { file: "t".to_owned() }]);
    let told = among.notes[1].to_string();
    assert!(
        told.contains("the order of the rows is taken as that of the steps") && told.contains("step=NAME`"),
        "{told}"
    );
    // An episode that is over does not go on where its name occurs again.
    let again = "episode,state,action,reward,done\n1,a,x,1,0\n1,b,x,2,1\n2,d,y,4,0\n1,c,x,3,0\n1,e,x,5,0\n";
    assert_eq!(transitions(&of(again), 0), ["a x b 1", "b x  2", "c x e 3"]);
}

#[test]
fn ends_by_all_columns_that_may_say_so() {
    let ends = |header: &str, row: &str| {
        let text = format!("state,action,next_state,reward,{header}\na,x,b,1,{row}\n");
        csv(&text).map(|table| table.ends().map(<[bool]>::to_vec)).map_err(|error| error.to_string())
    };
    assert_eq!(ends("note", "true"), Ok(None));
    assert_eq!(ends("terminated", "True"), Ok(Some(vec![true])));
    assert_eq!(ends("terminated,done", "0,1"), Ok(Some(vec![false])));
    assert_eq!(ends("done,truncated", "1,0"), Ok(Some(vec![true])));
    assert_eq!(ends("done,truncated", "1,1"), Ok(Some(vec![false])));
    assert_eq!(ends("done,timeout", "true,true"), Ok(Some(vec![false])));
    assert_eq!(ends("truncated", "true"), Ok(None));
    let error = ends("done", "maybe").unwrap_err();
    assert!(error.starts_with("t: row 1 (line 2), column `done`: `maybe` is neither true nor false"), "{error}");
}

#[test]
fn several_reward_columns_are_several_samples() {
    let text = "prompt,completion,rewards/a,rewards/b,third\np,yes,1,4,7\np,no,2,5,8\nq,yes,3,6,9\np,yes,2,4,7\n";
    let with = |rewards: &[&str]| {
        let rewards = rewards.iter().map(|reward| (*reward).to_owned()).collect();
        table(Format::Csv, text, &TableOptions { rewards, ..TableOptions::default() })
    };
    let several = with(&["rewards/*", "third"]).unwrap();
    let names: Vec<_> = several.samples.iter().map(|named| named.name.as_str()).collect();
    assert_eq!(names, ["rewards/a", "rewards/b", "third"]);
    assert_eq!((several.reward_count(), several.row_count()), (3, 4));
    for (index, column) in ["rewards/a", "rewards/b", "third"].iter().enumerate() {
        let alone = text.replacen(column, "reward", 1);
        assert_eq!(several.samples[index].sample, csv(&alone).unwrap().samples[0].sample, "{column}");
    }
    assert_eq!(several.place_of(3), several.place_of(0));
    let error = with(&["rewards/d"]).unwrap_err().to_string();
    assert!(error.contains("there is no such reward column") && error.contains("did you mean `rewards/a`"), "{error}");
    let rewards = vec!["rewards/a".to_owned()];
    let strict = TableOptions { rewards, duplicates: Duplicates::Error, ..TableOptions::default() };
    let error = table(Format::Csv, text, &strict).unwrap_err().to_string();
    assert!(error.starts_with("t: row 4, column `rewards/a`: the transition (p, yes, ) has the reward 2"), "{error}");
    let named = "sample,state,action,old,new\np,a,x,1,2\nq,a,x,3,4\n";
    let options = TableOptions { rewards: vec!["*e*".to_owned(), "old".to_owned()], ..TableOptions::default() };
    let error = table(Format::Csv, named, &options).unwrap_err();
    assert_eq!(error.column(), Some("sample"), "{error}");
    let options = TableOptions { rewards: vec!["old".to_owned(), "new".to_owned()], ..TableOptions::default() };
    let both = table(Format::Csv, named, &options).unwrap();
    let names: Vec<_> = both.samples.iter().map(|named| named.name.as_str()).collect();
    assert_eq!(names, ["p/old", "p/new", "q/old", "q/new"]);
    assert_eq!(both.place_of(1), Some((2, 0)));
}

#[test]
fn copies_keep_names_and_know_other_ones() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    let input = || {
        let bytes = b"obs,act,rew,007\n01,x,1,a\n2,y,2.5,b\n".to_vec();
        open_bytes(
            "t",
            FileFormat::plain(Format::Csv),
            bytes,
            &ReadOptions { numeric_names: true, ..ReadOptions::default() },
        )
    };
    let copy = TableCopy::open(input, &output, &[], &TableOptions::default()).unwrap();
    assert_eq!(copy.notes().len(), 1);
    assert_eq!(copy.reward_columns(), [2]);
    assert_eq!(copy.run().unwrap().rows, 2);
    let expected = "{\"obs\":\"01\",\"act\":\"x\",\"rew\":1.0,\"007\":\"a\"}\n{\"obs\":\"2\",\"act\":\"y\",\"rew\":2.5,\"007\":\"b\"}\n";
    assert_eq!(std::fs::read_to_string(&output).unwrap(), expected);
}

#[test]
fn long_texts_are_told_apart_by_all_of_their_letters_and_shown_by_the_first() {
    let long = |end: &str| "é".repeat(1000) + end;
    let text = format!(
        "prompt,completion,score\n{0},yes,1\n{1},yes,2\n{0},{1},3\n{0},yes,1\nshort,yes,4\n",
        long("a"),
        long("b")
    );
    let table = csv(&text).unwrap();
    let sample = &table.samples[0].sample;
    assert_eq!((sample.len(), sample.duplicates().repeated), (4, 1));
    let shown: Vec<String> = sample.states().iter().map(|token| token.to_string()).collect();
    let cut: Vec<&String> = shown.iter().filter(|shown| shown.starts_with(&"é".repeat(80))).collect();
    assert_eq!(cut.len(), 2, "{shown:?}");
    assert!(cut.iter().all(|shown| shown.chars().count() == 80 + 1 + 22), "{shown:?}");
    // What is shown of a text stands for it in other tables.
    let again = csv(&format!("state,action,reward\n{},yes,1\n", cut[0])).unwrap();
    assert!(again.samples[0].sample.states().find(Token::text(cut[0])).is_some());
}

#[test]
fn a_role_is_given_once() {
    let error = "state=s,reward=a,reward=b".parse::<srrd_data::ColumnMap>().unwrap_err().to_string();
    assert!(error.contains("`reward` is given twice") && error.contains("--rewards A,B"), "{error}");
}

#[test]
fn a_table_that_becomes_a_one_step_problem_by_mistake_says_so() {
    let notes = |text: &str| csv(text).unwrap().notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    for (misspelt, role) in [("next_sate", "next_state"), ("stpe", "step"), ("is_terminted", "terminated")] {
        let said = notes(&format!("state,action,reward,{misspelt}\na,x,1,1\nb,x,2,0\n"));
        let wanted = format!("column `{misspelt}` is not used; if it is the ");
        assert!(said.iter().any(|note| note.contains(&wanted)), "{misspelt}: {said:?}");
        assert!(said.iter().any(|note| note.ends_with(&format!("`--columns {role}={misspelt}`"))), "{said:?}");
    }
    let said = notes("episode,state,action,reward\n1,a,x,1\n1,b,x,2\n");
    assert!(said.iter().any(|note| note.contains("although `episode` names episodes")), "{said:?}");
    // Responses to prompts are one-step problems, and other columns are other columns.
    assert!(notes("state,action,reward,length,stop,dose,prompt_id\na,x,1,3,m,1,2\n").is_empty());
    // Walks need their steps in order.
    let mut said = notes("episode,stpe,done,trucated,state,action,next_state,reward\n1,0,0,0,a,x,b,1\n");
    said.retain(|note| note.contains("is not used"));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(notes("state,action,next_state,reward,next_hop\na,x,b,1,c\n").is_empty());
}
