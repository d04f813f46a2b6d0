//! Bad input: exit status 2, one message that names file, row and column, and nothing written.

use crate::support::Place;
use std::io::Write;

const HEADER: &str = "state,action,next_state,reward\n";

/// Every case as (file name, contents, parts of the message).
fn cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let text = |rows: &str| format!("{HEADER}{rows}").into_bytes();
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        (0..2000).for_each(|i| {
            write!(encoder, "{}", if i == 0 { HEADER.into() } else { format!("s{i},a,t{i},{i}\n") }).unwrap()
        });
        encoder.finish().unwrap()
    };
    vec![
        ("missing_column.csv", b"state,action,reward2\na,b,1\n".to_vec(), vec!["column `reward`", "missing"]),
        ("nan.csv", text("a,x,b,1\na,x,c,nan\n"), vec!["row 2 (line 3)", "column `reward`"]),
        ("inf.csv", text("a,x,b,-inf\n"), vec!["row 1 (line 2)", "column `reward`"]),
        ("huge.csv", text("a,x,b,1e400\n"), vec!["row 1 (line 2)", "column `reward`"]),
        ("word.csv", text("a,x,b,much\n"), vec!["row 1 (line 2)", "column `reward`", "much"]),
        ("no_reward.csv", text("a,x,b,\n"), vec!["row 1 (line 2)", "column `reward`"]),
        ("no_state.csv", text(",x,b,1\n"), vec!["row 1 (line 2)", "column `state`", "missing"]),
        ("empty.csv", Vec::new(), vec!["empty"]),
        ("header_only.csv", text(""), vec!["no data rows"]),
        ("ragged.csv", text("a,x,b,1\na,x,b\n"), vec!["row 2 (line 3)"]),
        ("long.csv", text("a,x,b,1,2\n"), vec!["row 1 (line 2)"]),
        (
            "twice.csv",
            b"state,state,action,next_state,reward\na,a,x,b,1\n".to_vec(),
            vec!["column `state`", "same name"],
        ),
        ("latin1.csv", text("a,x,b,1\n").into_iter().chain(*b"caf\xe9,x,b,1\n").collect(), vec!["UTF-8", "line 3"]),
        ("nul.csv", text("a\0,x,b,1\n"), vec!["NUL"]),
        ("really.csv", gzip.clone(), vec!["gzip"]),
        ("truncated.csv.gz", gzip[..gzip.len() / 2].to_vec(), vec!["truncated.csv.gz"]),
        ("plain.csv.gz", text("a,x,b,1\n"), vec!["plain.csv.gz", "gzip"]),
        ("plain.parquet", text("a,x,b,1\n"), vec!["plain.parquet", "Parquet"]),
        ("plain.arrow", text("a,x,b,1\n"), vec!["plain.arrow", "Arrow"]),
        ("plain.npz", text("a,x,b,1\n"), vec!["plain.npz"]),
        ("pickle.pkl", b"\x80\x04]".to_vec(), vec!["pickle"]),
        ("strange.xyz", text("a,x,b,1\n"), vec![".xyz", ".parquet"]),
        (
            "labels.csv",
            b"sample,label,state,action,next_state,reward\np,red,a,x,b,1\np,blue,a,x,c,2\n".to_vec(),
            vec!["row 2 (line 3)", "column `label`", "'blue'"],
        ),
        ("array.jsonl", b"[1, 2]\n".to_vec(), vec!["line 1", "object"]),
        (
            "huge.jsonl",
            b"{\"state\": 1, \"action\": 2, \"next_state\": 3, \"reward\": 1e400}\n".to_vec(),
            vec!["huge.jsonl", "line 1"],
        ),
        (
            "mixed.csv",
            b"state.x,action,next_state,reward\n1,x,b,1\n".to_vec(),
            vec!["states are identified by `state.x` but next states by the column `next_state`"],
        ),
    ]
}

#[test]
fn every_command_refuses_bad_tables() {
    let place = Place::new();
    place.write("good.csv", format!("{HEADER}a,x,b,1\nb,x,a,2\na,y,b,3\n"));
    for (name, contents, parts) in cases() {
        place.write(name, contents);
        for call in [
            format!("distance good.csv {name}"),
            format!("canonicalize {name} -o out.csv"),
            format!("canonicalize {name} -o out.parquet"),
            format!("matrix good.csv {name} -o out.csv --plot out.svg"),
            format!("inspect {name}"),
            format!("convert {name} -o out.csv"),
            format!("convert {name} -o out.npz"),
        ] {
            let message = place.refused(&call);
            assert!(message.starts_with("error: "), "{call}: {message}");
            assert_eq!(message.matches("error: ").count(), 1, "{call}: {message}");
            assert!(message.contains(name), "{call}: {message}");
            for part in &parts {
                assert!(message.contains(part), "{call}: no '{part}' in: {message}");
            }
        }
        std::fs::remove_file(place.path(name)).unwrap();
    }
}

#[test]
fn standard_output_gets_all_rows_or_none() {
    let place = Place::new();
    // Damage in the later half of a file is found when many rows have been read, or by a checksum before that.
    let key = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(29);
    let row = |i: u64| format!("s{i},a,s{},{i}.0,k{:x}{:x}\n", i + 1, key(i), key(i + 7));
    let rows: String = (0..60_000).map(row).collect();
    place.write("whole.csv", format!("state,action,next_state,reward,key\n{rows}"));
    place.ok("convert whole.csv -o whole.parquet");
    let mut bytes = std::fs::read(place.path("whole.parquet")).unwrap();
    let damaged = bytes.len() * 3 / 4;
    bytes[damaged..damaged + 8192].fill(0xff);
    place.write("damaged.parquet", bytes);
    place.ok("convert whole.csv -o whole.csv.gz");
    let mut bytes = std::fs::read(place.path("whole.csv.gz")).unwrap();
    let damaged = bytes.len() * 3 / 4;
    bytes[damaged..damaged + 64].fill(0xff);
    place.write("damaged.csv.gz", bytes);
    for damaged in ["damaged.parquet", "damaged.csv.gz"] {
        for command in [format!("canonicalize {damaged} -o -"), format!("convert {damaged} -o -")] {
            let message = place.refused(&command);
            assert!(message.contains(&format!("{damaged}: ")), "{message}");
        }
    }
    assert!(place.refused("distance damaged.parquet damaged.parquet").contains("is damaged"));
    assert_eq!(place.ok("convert whole.parquet -o -"), place.read("whole.csv"));
    // Pipes with a name, too.
    #[cfg(target_os = "linux")]
    {
        std::os::unix::fs::symlink("/dev/stdout", place.path("out.csv")).unwrap();
        let message = place.refused("convert damaged.csv.gz -o out.csv");
        assert!(message.contains("damaged.csv.gz: "), "{message}");
        assert!(place.refused("convert damaged.parquet -o out.csv").contains("is damaged"));
        assert_eq!(place.ok("convert whole.parquet -o out.csv"), place.read("whole.csv"));
    }
}

#[test]
fn paths_that_cannot_be_read_or_written() {
    let place = Place::new();
    place.write("good.csv", format!("{HEADER}a,x,b,1\nb,x,a,2\na,y,b,3\n"));
    std::fs::create_dir(place.path("folder.csv")).unwrap();
    assert!(place.refused("inspect folder.csv").contains("folder.csv: is a directory"));
    assert!(place.refused("inspect nothing.csv").contains("nothing.csv: no such file"));
    assert!(place.refused("convert good.csv -o nowhere/out.csv").contains("nowhere"));
    assert!(place.refused("convert good.csv -o folder.csv").contains("folder.csv: is a directory"));
    assert!(place.refused("convert good.csv -o out.pkl").contains("pickle"));
    assert!(place.refused("matrix good.csv -o out.csv --plot out.pdf").contains("must end in .svg or .png"));
    assert!(place.refused("matrix good.csv good.csv -o out.csv").contains("good.csv: it was given twice; leave one"));
    // Superusers may read everything.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(place.path("good.csv"), std::fs::Permissions::from_mode(0o000)).unwrap();
        if std::fs::read(place.path("good.csv")).is_err() {
            assert!(place.refused("inspect good.csv").contains("permission denied"));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_exit_status_does_not_depend_on_whether_the_message_can_be_told() {
    let place = Place::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = place.command("inspect nothing.csv").stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let place = Place::new();
    for call in ["--help", "help distance", "convert --help", "--version"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        assert_eq!(place.command(call).stdout(full).status().unwrap().code(), Some(1), "{call}");
        assert_eq!(place.srrd(call).status, 0, "{call}");
    }
    assert_eq!(place.srrd("").status, 2);
}

#[test]
fn names_are_shown_on_one_line() {
    let place = Place::new();
    let header = "sample,label,state,action,next_state,reward\n";
    let row = |name: &str, reward: u32| format!("\"{name}\",\"l\n2\",a,x,b,{reward}\n");
    place.write("two.csv", format!("{header}{}{}{}", row("p\nq", 1), row("p\nq", 2), row("r\u{1b}", 3)));
    let run = place.srrd("inspect two.csv");
    assert_eq!(run.status, 0);
    assert!(run.err.contains(r"warning: p\nq: 1 transition occurred with unequal rewards"), "{}", run.err);
    assert!(run.out.contains(r"p\nq (label l\n2)"), "{}", run.out);
    assert!(run.out.contains(r"p\nq and r\u{1b} share 1 transition"), "{}", run.out);
    assert!(place.refused("matrix two.csv two.csv -o out.csv").lines().count() == 1);
    place.write("label.csv", format!("{header}{}\"p\nq\",other,a,x,c,1\n", row("p\nq", 1)));
    let message = place.refused("inspect label.csv");
    assert!(message.contains(r"'l\n2'") && message.lines().count() == 1, "{message}");
}

#[test]
fn samples_of_different_kinds_cannot_be_compared() {
    let place = Place::new();
    place.write("tokens.csv", format!("{HEADER}a,x,b,1\n"));
    place.write("features.csv", "state.x,action,next_state.x,reward\n1,x,2,1\n");
    let message = place.refused("distance tokens.csv features.csv");
    assert!(
        message.contains("tokens.csv identifies states by a token and features.csv by the features x"),
        "{message}"
    );
}

#[test]
fn rewards_are_not_predicted_without_features() {
    let place = Place::new();
    place.write("tokens.csv", format!("{HEADER}a,x,b,1\nb,x,a,2\na,y,b,3\n"));
    place.write("once.csv", "state.x,action,reward\n1,x,1\n2,x,3\n3,x,1\n");
    place.write("features.csv", "state.x,action,next_state.x,reward\n1,x,2,1\n2,x,3,4\n3,x,1,1\n");
    for call in [
        "distance tokens.csv tokens.csv",
        "canonicalize tokens.csv -o out.csv",
        "matrix features.csv tokens.csv -o out.csv",
        "distance tokens.csv tokens.csv --metric all --regression tree --actions joint",
    ] {
        let message = place.refused(&format!("{call} --estimator regressed"));
        let expected = "error: tokens.csv: --estimator regressed: states are tokens here, which tell no reward; give numeric \
                        feature columns `state.NAME` and `next_state.NAME`";
        assert!(message.starts_with(expected), "{call}: {message}");
    }
    let message = place.refused("canonicalize once.csv -o out.csv --estimator regressed");
    assert!(message.contains("once.csv: --estimator regressed: the table has no next states"), "{message}");
    let message = place.refused("inspect features.csv --estimator regressed");
    assert!(message.contains("--estimator: what the regressed estimator predicts is what the double batch lacks"));
    // Nothing is predicted for these.
    place.ok("distance tokens.csv tokens.csv --metric direct,projected --estimator regressed");
}

#[test]
fn wrong_options_name_themselves() {
    let place = Place::new();
    place.write("a.csv", format!("{HEADER}a,x,b,1\nb,x,a,2\na,y,b,3\n"));
    for (call, part) in [
        ("--gamma 1.5", "--gamma: the discount factor is 1.5, but it must lie between 0 and 1"),
        ("--gamma nan", "--gamma"),
        ("--gamma high", "--gamma: 'high' is neither a number between 0 and 1 nor `auto`"),
        ("--metric srrd --support own", "--support: only the metric projected has one"),
        ("--metric srrd --ends none", "--ends: only the metric projected has one"),
        ("--metric direct --dynamics sampled", "--dynamics: only the metric projected has one"),
        (
            "--ends marked",
            "a.csv: --ends marked: nothing says which transitions end an episode; add a column `terminated`",
        ),
        ("--dynamics none.csv", "none.csv"),
        (
            "--dynamics sampld",
            "--dynamics: sampld: it is neither deterministic nor sampled nor the name of a table; did you mean sampled?",
        ),
        ("--profile p.svg", "--profile: it shows how gamma was estimated; add --gamma auto"),
        ("--gamma auto --profile a.csv", "--profile: a.csv is a file of this call already"),
        ("--gamma auto --profile p.gif", "p.gif"),
        (
            "--metric sred",
            "--metric: there is no metric 'sred': choose among direct, epic, dard, srrd, projected, npec, all",
        ),
        ("--batch 0", "--batch: '0' is neither `all` nor a whole number from 1 up"),
        ("--batch some", "--batch"),
        ("--estimator unbiased --batch 5", "--batch: the unbiased estimator draws no batch"),
        ("--estimator unbiased --actions joint", "--actions"),
        ("--estimator biased", "--estimator"),
        (
            "--regression linear",
            "--regression: only the regressed estimator predicts rewards; add --estimator regressed",
        ),
        ("--estimator unbiased --regression tree", "--regression: only the regressed estimator predicts rewards"),
        ("--estimator regressed --regression forest", "--regression"),
        ("--estimator regressed --batch 0", "--batch: '0' is neither `all` nor a whole number from 1 up"),
        ("--min-common 0", "--min-common"),
        ("--threads 0", "--threads: 0 is not between 1 and 1024"),
        ("--threads 100000", "--threads: 100000 is not between 1 and 1024"),
        ("--duplicates all", "--duplicates"),
        ("--seed=-1", "--seed"),
        ("--gamma -0.1", "--gamma: the discount factor is -0.1"),
        ("--batch -1", "--batch: '-1' is neither"),
    ] {
        let message = place.refused(&format!("distance a.csv a.csv {call}"));
        assert!(message.contains(part), "{call}: {message}");
    }
    assert!(place.refused("distance").contains("<A>"));
    let message = place.refused("distance a.csv");
    assert!(message.contains(
        "a.csv: two samples are compared, and the table holds 1: name a second table, or two reward columns"
    ));
    assert!(place.refused("frobnicate").contains("frobnicate"));
}

/// Two samples of three transitions.
const SAMPLES: &str =
    "sample,state,action,next_state,reward\n1,a,x,b,1\n1,b,x,a,2\n1,a,y,b,3\n2,a,x,b,1\n2,b,x,a,4\n2,a,y,b,2\n";

#[test]
fn samples_that_are_given_twice() {
    let place = Place::new();
    place.write("s.csv", SAMPLES);
    for command in ["matrix -o out.csv", "inspect"] {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let said = |inputs: &str| place.refused(&format!("{verb} {inputs} {rest}"));
        assert_eq!(said("s.csv s.csv"), "error: s.csv: it was given twice; leave one of the two out\n");
        assert_eq!(said("s.csv#1 s.csv#1"), "error: s.csv#1: it was given twice; leave one of the two out\n");
        assert_eq!(
            said("s.csv s.csv#2"),
            "error: s.csv#2: the sample was given twice, by 's.csv' and by 's.csv#2'; leave one of them out\n"
        );
        assert!(said("s.csv#3").contains("s.csv: there is no sample '3' in column `sample`: the table holds 1, 2"));
    }
}

#[test]
fn outputs_are_checked_before_inputs_are_read() {
    let place = Place::new();
    // What is wrong with the input would be said first if it was looked at.
    place.write("bad.csv", "state,action,next_state,reward\na,x,b,much\n");
    let cases = [
        (
            "matrix bad.csv -o z.txt",
            vec!["z.txt: `.txt` is not a supported format", ".parquet", "; a matrix also as .npy"],
        ),
        ("matrix bad.csv -o z", vec!["z: the name has no extension", "a matrix also as .npy"]),
        ("matrix bad.csv -o z.npy.gz", vec!["z.npy.gz: an array is written without compression; name it 'z.npy'"]),
        ("matrix bad.csv -o z.pkl", vec!["z.pkl", "pickle"]),
        ("matrix bad.csv -o nowhere/z.npy", vec!["the folder `nowhere` does not exist"]),
        ("canonicalize bad.csv -o z.txt", vec!["`.txt` is not a supported format"]),
        ("canonicalize bad.csv -o nowhere/z.csv", vec!["the folder `nowhere` does not exist"]),
        ("convert bad.csv -o z.txt", vec!["`.txt` is not a supported format"]),
        ("explain bad.csv bad.csv -o z.txt", vec!["`.txt` is not a supported format"]),
        ("distance bad.csv bad.csv --gamma auto --profile z.txt", vec!["`.txt` is not a supported format"]),
        ("matrix bad.csv -o z.csv --metric all", vec!["a matrix is of one metric; name one"]),
        ("explain bad.csv bad.csv --metric srrd,epic", vec!["an explanation is of one metric; name one"]),
        ("inspect bad.csv --estimator unbiased", vec!["inspect shows what the double batch needs; leave it out"]),
    ];
    for (call, parts) in cases {
        let message = place.refused(call);
        parts.iter().for_each(|part| assert!(message.contains(part), "{call}: no '{part}' in: {message}"));
    }
}

#[test]
fn an_input_is_never_overwritten() {
    let place = Place::new();
    place.write("s.csv", SAMPLES);
    let mut names = vec!["s.csv", "./s.csv"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("s.csv", place.path("link.csv")).unwrap();
        std::fs::hard_link(place.path("s.csv"), place.path("hard.csv")).unwrap();
        names.extend(["link.csv", "hard.csv"]);
    }
    for name in names {
        for call in [
            format!("canonicalize s.csv -o {name}"),
            format!("canonicalize {name} -o s.csv"),
            format!("convert s.csv -o {name}"),
            format!("matrix s.csv -o {name}"),
            format!("matrix s.csv#1 s.csv#2 -o {name}"),
            format!("explain s.csv#1 s.csv#2 -o {name}"),
        ] {
            let message = place.refused(&call);
            assert!(message.contains("the output is one of the inputs; name another file"), "{call}: {message}");
        }
        for call in ["canonicalize s.csv -o out.csv", "distance s.csv#1 s.csv#2", "matrix s.csv -o out.csv"] {
            let message = place.refused(&format!("{call} --gamma auto --profile {name}"));
            assert!(message.contains("is a file of this call already; name another one"), "{call} {name}: {message}");
        }
        assert_eq!(place.read("s.csv"), SAMPLES);
    }
}

#[test]
fn an_option_without_its_value_does_not_take_the_next_option() {
    let place = Place::new();
    place.write("a.csv", format!("{HEADER}a,x,b,1\nb,x,c,2\nc,x,a,4\n"));
    for (call, option) in [
        ("distance a.csv a.csv --gamma --json", "--gamma"),
        ("distance a.csv a.csv --interval --json", "--interval"),
        ("matrix a.csv a.csv -o m.csv --undefined --json", "--undefined"),
        ("regret a.csv a.csv --gamma --json", "--gamma"),
        ("simulate gridworld -o out.csv --epsilon --shaped", "--epsilon"),
    ] {
        let message = place.refused(call);
        assert!(message.contains("a value is required") && message.contains(option), "{call}: {message}");
    }
    // Numbers below 0 are values, which are told by themselves.
    let message = place.refused("distance a.csv a.csv --gamma -0.5");
    assert!(message.contains("--gamma") && message.contains("-0.5"), "{message}");
}
