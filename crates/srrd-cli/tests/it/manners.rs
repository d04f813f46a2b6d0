//! How the command behaves on a terminal: completions, manual pages, colours, quietness, progress.

use crate::support::Place;

const A: &str = "state,action,next_state,reward\na,x,b,1\nb,x,a,2\na,y,a,4\nb,y,b,0.3\n";

#[test]
fn every_shell_gets_completions_of_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = place.ok(&format!("completions {shell}"));
        for word in ["distance", "report", "--metric", "clusters", "maxent"] {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(place.refused("completions tcsh").contains("bash"));
}

/// What bash itself makes of it.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes_commands_and_options() {
    let place = Place::new();
    place.write("srrd.bash", place.ok("completions bash"));
    let complete = |words: &str, last: usize| {
        let script = format!(
            "source srrd.bash && COMP_WORDS=({words}) && COMP_CWORD={last} && \
             _srrd srrd \"${{COMP_WORDS[{last}]}}\" \"${{COMP_WORDS[{last}-1]}}\" && echo \"${{COMPREPLY[@]}}\""
        );
        let output =
            std::process::Command::new("bash").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("srrd dist", 1).trim(), "distance");
    assert_eq!(complete("srrd matrix --clu", 2).trim(), "--clusters");
    assert!(complete("srrd irl m", 2).contains("maxent"));
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    let run = place.srrd("manual -o man");
    assert_eq!((run.status, run.out.as_str()), (0, ""));
    let pages = std::fs::read_dir(place.path("man")).unwrap().count();
    assert_eq!(run.err, format!("wrote man: {pages} manual pages\n"));
    let page = place.read("man/srrd-distance.1");
    for part in [".TH SRRD-DISTANCE 1", "srrd distance", "\\-\\-gamma", "srrd distance a.csv b.csv"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for name in ["srrd.1", "srrd-irl-maxent.1", "srrd-report.1"] {
        assert!(place.path("man").join(name).exists(), "{name}");
    }
}

#[test]
fn manual_pages_say_how_a_command_is_called_and_keep_lines() {
    let place = Place::new();
    place.ok("manual -o man");
    let page = place.read("man/srrd-matrix.1");
    // Options with their values; what must be given stands last.
    assert!(
        page.contains(r"[\fB\-\-gamma\fR \fIGAMMA|auto\fR]")
            && page.contains(r" \fB\-o\fR|\fB\-\-output\fR \fIOUT\fR \fIINPUTS\fR..."),
        "{page}"
    );
    assert!(page.contains(r"[\fB\-\-json\fR]"), "{page}");
    // Examples are not filled into paragraphs.
    let (_, examples) = page.split_once("\nExamples:\n.nf\n").expect("examples");
    let (examples, after) = examples.split_once("\n.fi\n").expect("an end");
    assert!(examples.lines().filter(|line| line.starts_with("  srrd matrix ")).count() >= 4, "{examples}");
    assert!(after.contains("\n\\-\\-clusters writes a table beside OUT: its columns are sample, label"), "{after}");
}

#[test]
fn helps_are_wrapped_once() {
    let place = Place::new();
    for command in ["models", "distance", "convert", "reproduce", "irl maxent", "simulate"] {
        for columns in ["80", "100", "200"] {
            let mut call = place.command(&format!("{command} --help"));
            let help = String::from_utf8(call.env("COLUMNS", columns).output().unwrap().stdout).unwrap();
            let width = columns.parse::<usize>().unwrap().min(100);
            let words = |line: &str| line.split_whitespace().count();
            let (_, more) = help.split_once("Examples:").expect("examples");
            for lines in more.lines().collect::<Vec<_>>().windows(2) {
                assert!(lines[0].chars().count() <= width, "{command}: {}", lines[0]);
                // A line is only ended where the next word would not fit.
                let next = lines[1].split(' ').next().unwrap_or_default().chars().count();
                let goes_on = !lines[0].starts_with(' ') && !lines[1].starts_with(' ') && words(lines[1]) > 0;
                let full = lines[0].chars().count() + 1 + next > width;
                assert!(!goes_on || words(lines[0]) == 0 || full, "{command}: {lines:?}");
            }
        }
    }
}

#[test]
fn an_option_that_does_not_exist_has_a_nearest_one() {
    let place = Place::new();
    for (call, near) in [
        ("models log.csv --bi step", "'--by'"),
        ("distance a.csv b.csv --gama 0.9", "'--gamma'"),
        ("irl maxent walks.csv -o o.csv --rigde 1", "'--ridge'"),
    ] {
        assert!(place.refused(call).contains(near), "{call}: {}", place.refused(call));
    }
    assert!(!place.refused("models log.csv --zzzzzz").contains("similar"));
}

#[test]
fn colours_are_asked_for_or_left_out() {
    let place = Place::new();
    place.write("a.csv", A);
    let plain = place.srrd("distance a.csv a.csv");
    assert!(!plain.out.contains('\u{1b}') && !plain.err.contains('\u{1b}'));
    let coloured = place.srrd("distance a.csv a.csv --color always");
    assert!(coloured.out.contains("Verdict: \u{1b}[1;33mnot enough data to tell\u{1b}[0m"), "{}", coloured.out);
    assert!(coloured.err.contains("\u{1b}[1;33mwarning:\u{1b}[0m"), "{}", coloured.err);
    let without = |text: &str| {
        let mut pieces = text.split('\u{1b}');
        let first = pieces.next().unwrap_or("").to_owned();
        pieces.fold(first, |text, piece| text + piece.split_once('m').unwrap().1)
    };
    assert_eq!(without(&coloured.out), plain.out);
    assert!(place.ok("--color=always --help").contains('\u{1b}'));
    assert!(!place.ok("--help").contains('\u{1b}'));
    assert!(
        place.srrd("distance none.csv a.csv --color always").err.starts_with("\u{1b}[1;31merror:\u{1b}[0m none.csv")
    );
    assert!(place.refused("distance a.csv a.csv --color sometimes").contains("always"));
}

#[test]
fn quiet_leaves_results_and_warnings() {
    let place = Place::new();
    place.write("a.csv", A.replace("reward", "score"));
    let loud = place.srrd("convert a.csv -o b.csv");
    assert_eq!(loud.err, "note: a.csv: reading `score` as reward\nwrote b.csv: 4 rows\n");
    let quiet = place.srrd("convert a.csv -o c.csv -q");
    assert_eq!((quiet.status, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
    let matrix = place.srrd("-q matrix a.csv b.csv -o m.csv");
    assert!(
        matrix.err.contains("warning:") && !matrix.err.contains("note:") && !matrix.err.contains("wrote"),
        "{}",
        matrix.err
    );
    assert!(place.srrd("matrix a.csv b.csv -o m.csv").err.contains("note:"));
    assert_eq!(place.ok("simulate gridworld -o g.csv --rollouts 1 --quiet"), "");
}

#[cfg(target_os = "linux")]
mod terminal {
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::FromRawFd;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    /// The two ends of a terminal: what reads it, and what is written to.
    fn terminal() -> (File, File) {
        let (mut ours, mut theirs) = (0, 0);
        // SAFETY: the numbers are filled in, and belong to nobody else.
        unsafe {
            let null = std::ptr::null_mut();
            assert_eq!(libc::openpty(&mut ours, &mut theirs, null, null.cast(), null.cast()), 0);
            (File::from_raw_fd(ours), File::from_raw_fd(theirs))
        }
    }

    /// What a command shows on a terminal until `enough` of it was seen; then it is ended.
    fn shown(place: &Place, call: &str, quiet_colours: bool, enough: impl Fn(&str) -> bool) -> String {
        let (mut ours, theirs) = terminal();
        let mut command = place.command(call);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(theirs).env("TERM", "xterm").env_remove("NO_COLOR");
        if quiet_colours {
            command.env("NO_COLOR", "1");
        }
        let mut child = command.spawn().unwrap();
        drop(command);
        let (mut text, mut piece, begun) = (Vec::new(), [0; 4096], Instant::now());
        // The end of a terminal whose writer is gone is an error.
        while let Ok(read @ 1..) = ours.read(&mut piece) {
            text.extend_from_slice(&piece[..read]);
            if enough(&String::from_utf8_lossy(&text)) || begun.elapsed() > Duration::from_secs(60) {
                child.kill().unwrap();
                break;
            }
        }
        child.wait().unwrap();
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn long_work_shows_how_far_it_is() {
        let place = Place::new();
        let mut csv = String::from("state,action,next_state,reward\n");
        (0..20_000u64).for_each(|i| csv += &format!("{},0,{},{}\n", i % 200, i / 100, (i * i + 7 * i) % 101));
        place.write("a.csv", &csv);
        let call = "distance a.csv a.csv --metric direct --interval 0.95 --draws 100000";
        let text = shown(&place, call, false, |text| text.contains(" left"));
        assert!(text.contains("of 100,000 draws, ") && text.contains(" left"), "{text}");
        assert!(text.contains("\r\u{1b}[2K["), "{text:?}");
    }

    #[test]
    fn a_terminal_gets_colours_unless_it_says_no() {
        let place = Place::new();
        let text = shown(&place, "inspect none.csv", false, |_| false);
        assert!(text.contains("\u{1b}[1;31merror:\u{1b}[0m none.csv"), "{text:?}");
        let text = shown(&place, "inspect none.csv", true, |_| false);
        assert!(text.starts_with("error: none.csv"), "{text:?}");
    }
}
