//! Commands that are ended from outside, or run out of room, leave nothing behind that is not whole.

use crate::support::Place;
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Writes for longer than any test waits.
const ENDLESS: &str = "simulate gridworld -o out.csv --rollouts 100000000";

fn is_unfinished(name: &str) -> bool {
    name.starts_with(".out.csv.") && name.ends_with(".tmp")
}

fn begin(command: &mut Command) -> Child {
    let heed_signals = || {
        // Tests that run in the background, or after their terminal is gone, hand on signals that are ignored.
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().for_each(|signal| {
            // SAFETY: between fork and exec; `signal` may be called there.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        });
        Ok(())
    };
    // SAFETY: nothing is called that may not be called between fork and exec.
    unsafe { command.pre_exec(heed_signals) };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the command has begun its output.
fn begun(place: &Place) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !place.files().iter().any(|name| is_unfinished(name)) {
        assert!(Instant::now() < patience, "no output was begun: {:?}", place.files());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// How it ended, soon.
fn ended(mut child: Child) -> ExitStatus {
    let patience = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > patience {
            child.kill().unwrap();
            panic!("it did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let place = Place::new();
    let mut child = begin(&mut place.command(ENDLESS));
    begun(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.files().iter().any(|name| is_unfinished(name)));
    let mut next = begin(&mut place.command("simulate gridworld -o next.csv --rollouts 1"));
    assert!(next.wait().unwrap().success());
    assert_eq!(place.files(), ["next.csv"]);
}

#[test]
fn what_a_signal_ends_leaves_no_unfinished_file() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let place = Place::new();
        place.write("out.csv", "what was there before\n");
        let child = begin(&mut place.command(ENDLESS));
        begun(&place);
        send(signal, &child);
        // As by the signal itself: a shell says 128 more, and stops its script on Ctrl-C.
        assert_eq!(ended(child).signal(), Some(number), "SIG{signal}");
        assert_eq!(place.files(), ["out.csv"], "SIG{signal}");
        assert_eq!(place.read("out.csv"), "what was there before\n");
    }
}

/// So many samples of so many transitions that a matrix takes minutes, and reading them a moment.
fn minutes_of_work() -> String {
    let mut table = String::from("sample,state,action,next_state,reward\n");
    for sample in 0..40 {
        for row in 0..4000u32 {
            let (s, t) = (row.wrapping_mul(2_654_435_761) % 1009, row.wrapping_mul(40_503) % 997);
            table += &format!("{sample},{s},{},{t},{}\n", row % 3, row % 7 + sample);
        }
    }
    table
}

#[test]
fn canonicalize_and_matrix_leave_none_either() {
    let place = Place::new();
    place.write("in.csv", minutes_of_work());
    let commands = ["matrix in.csv -o out.csv --metric projected", "canonicalize in.csv -o out.csv --metric all"];
    for command in commands {
        let child = begin(place.command(command).args(["--threads", "1"]));
        begun(&place);
        send("TERM", &child);
        assert_eq!(ended(child).signal(), Some(15), "{command}");
        assert_eq!(place.files(), ["in.csv"], "{command}");
    }
}

#[test]
fn what_was_to_be_ignored_is_ignored() {
    let place = Place::new();
    // As `nohup` does.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_srrd")]);
    shell.args(ENDLESS.split_whitespace()).current_dir(place.path("."));
    let mut child = begin(&mut shell);
    begun(&place);
    send("HUP", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None);
    send("TERM", &child);
    assert_eq!(ended(child).signal(), Some(15));
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn a_file_larger_than_is_allowed_is_an_error() {
    for name in ["out.csv", "out.csv.gz", "out.parquet", "out.npz"] {
        let place = Place::new();
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_srrd")]);
        shell.args(format!("simulate gridworld -o {name} --rollouts 1000").split_whitespace());
        let output = shell.current_dir(place.path(".")).stdin(Stdio::null()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {message}");
        assert!(message.contains(&format!("{name}: cannot be written")), "{message}");
        assert_eq!(place.files(), [""; 0], "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn results_for_a_closed_standard_output_are_a_failure() {
    let place = Place::new();
    place.write("in.csv", "state,action,next_state,reward\na,x,b,1\nb,x,a,2\n");
    for command in ["convert in.csv -o -", "inspect in.csv"] {
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$0\" \"$@\" >&-", env!("CARGO_BIN_EXE_srrd")]);
        shell.args(command.split_whitespace()).current_dir(place.path("."));
        let status = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(1), "{command}");
    }
}

#[test]
fn links_that_lead_nowhere_are_not_replaced() {
    let place = Place::new();
    place.write("in.csv", "state,action,next_state,reward\na,x,b,1\nb,x,a,2\n");
    for (link, to) in [("dangling.csv", "nothing.csv"), ("one.csv", "two.csv"), ("two.csv", "one.csv")] {
        std::os::unix::fs::symlink(to, place.path(link)).unwrap();
    }
    for link in ["dangling.csv", "one.csv"] {
        let output = place.command(&format!("convert in.csv -o {link}")).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{link}: cannot be written: it is a link")), "{said}");
        assert!(place.path(link).is_symlink());
    }
}

#[test]
fn a_matrix_for_which_there_is_no_room_is_refused_before_it_is_begun() {
    let place = Place::new();
    let mut table = String::from("sample,state,action,next_state,reward\n");
    (0..500_000).for_each(|sample| table += &format!("{sample},a,x,b,1\n"));
    place.write("in.csv", table);
    for (call, said) in [
        ("matrix in.csv -o out.npy --gamma 0.9", "take at least 3.0 TB of the disk, and"),
        ("matrix in.csv -o out.csv --gamma 0.9 --plot out.svg", "take at least 2.0 TB of memory, and"),
    ] {
        let output = place.command(call).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(&format!("all pairs of 500000 samples {said}")), "{message}");
        assert_eq!(place.files(), ["in.csv"]);
    }
}

#[test]
fn a_matrix_that_was_killed_goes_on() {
    let place = Place::new();
    place.write("in.csv", minutes_of_work());
    let call = "matrix in.csv -o out.csv --metric projected --threads 1";
    let began = Instant::now();
    let mut child = begin(&mut place.command(call));
    let kept = || place.path("out.csv.unfinished").metadata().map_or(0, |file| file.len());
    // On a busy machine it may be there for a while before it holds a row.
    let mut first = None;
    while kept() == 0 || kept() == *first.get_or_insert_with(kept) {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was kept: {:?}", place.files());
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The next one says so, removes what the killed one left, and keeps the file when it is told to end.
    let mut child = place.command(call).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("goes on with ") && line.contains(" of 40 rows that an earlier call left"), "{line}");
    send("TERM", &child);
    assert_eq!(ended(child).signal(), Some(15));
    assert_eq!(place.files(), ["in.csv", "out.csv.unfinished"]);
}
