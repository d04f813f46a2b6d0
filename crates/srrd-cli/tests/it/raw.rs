//! Control and direction characters of names, files and arguments reach neither a terminal nor a page as they are, in any command.

use crate::support::Place;
use std::fmt::Write;

/// Red, backwards, and never ended.
const EVIL: &str = "\u{1b}[31m\u{202e}evil\u{2066}\u{9b}";

/// What no output may hold.
fn raw(text: &str) -> Option<char> {
    let directions = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'];
    text.chars().find(|&c| c.is_control() && c != '\n' || directions.contains(&c))
}

fn prepare(place: &Place) {
    let mut table = String::from("sample,label,episode,step,state,action,next_state,reward,terminated\n");
    for (number, episode, step) in (0..2).flat_map(|n| (0..4).flat_map(move |e| (0..6).map(move |s| (n, e, s)))) {
        let (state, next) = ((step + episode) % 5, (step + episode + 1) % 5);
        let (action, reward) = ((step * episode) % 2, (step * 7 + episode * 3 + number * step) % 5);
        writeln!(
            table,
            "{EVIL}{number},{EVIL}L{number},{EVIL}e{episode},{step},{EVIL}s{state},{EVIL}a{action},{EVIL}s{next},{reward},{}",
            step == 5
        )
        .unwrap();
    }
    let mut scores = format!("prompt,response,{EVIL}old,{EVIL}new\n");
    for (p, r) in (0..8).flat_map(|p| (0..3).map(move |r| (p, r))) {
        writeln!(scores, "{EVIL}p{p},{EVIL}r{r},{},{}", (p * 7 + r) % 5, (p * 3 + r * r) % 7).unwrap();
    }
    place.write("t.csv", &table);
    place.write(&format!("{EVIL}.csv"), &table);
    place.write("scores.csv", scores);
    place.write("better.csv", format!("better,worse\n{EVIL}e0,{EVIL}e1\n{EVIL}e2,{EVIL}e3\n"));
}

#[test]
fn no_command_writes_control_or_direction_characters() {
    let place = Place::new();
    prepare(&place);
    // A and B are the two samples, E is evil, and whether the call is one that succeeds.
    let calls = [
        ("inspect t.csv", true),
        ("inspect A B --json", true),
        ("distance A B", true),
        ("distance A B --json", true),
        ("explain A B", true),
        ("check A B", true),
        ("check A B --json", true),
        ("regret A B", true),
        ("regret A B --json", true),
        ("returns A A --draws 100", true),
        ("models scores.csv --draws 100", true),
        ("models scores.csv --draws 100 --json", true),
        ("matrix t.csv -o d.csv --json --plot d.svg", true),
        ("classify t.csv --gamma 0.9 --k 1 --predict t.csv", true),
        ("irl maxent t.csv -o irl.csv", true),
        ("irl maxent t.csv -o irl.csv --json --trace trace.svg", true),
        ("irl preferences A --preferences better.csv -o irl.csv", true),
        ("canonicalize t.csv -o c.csv", true),
        ("convert E.csv -o Eout.csv", true),
        ("inspect E.csv", true),
        ("inspect E", false),
        ("convert t.csv -o Enone/out.csv", false),
        ("matrix t.csv -o E", false),
        ("distance t.csv#E B", false),
        ("distance t.csv --rewards E", false),
        ("distance A B --metric E", false),
        ("inspect t.csv --columns state=E", false),
        ("models scores.csv --gold E", false),
        ("irl ptirl t.csv -o irl.csv --target E", false),
        ("irl maxent t.csv -o irl.csv --resume t.csv", false),
        ("simulate E -o x.csv", false),
        ("reproduce E -o x", false),
        ("report E", false),
        ("convert t.csv -o x.csv --from E", false),
        ("convert t.csv -o x.csv --dataset E=1", false),
        ("discretize t.csv -o x.csv", false),
        ("E", false),
        ("inspect t.csv --E", false),
        ("inspect t.csv --color always --E", false),
    ];
    for (call, succeeds) in calls {
        let of = |part: &str| match part {
            "A" => format!("t.csv#{EVIL}0"),
            "B" => format!("t.csv#{EVIL}1"),
            part => part.replace('E', EVIL),
        };
        let output = place.command("").args(call.split_whitespace().map(of)).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            raw(&printed.replace("\u{1b}[", "").replace("31m\u{202e}", "\u{202e}")),
            None,
            "{call}: {printed:?}"
        );
        if !call.contains("--color always") {
            assert_eq!(raw(&printed), None, "{call}: {printed:?}");
        }
        let status = output.status.code();
        let expected: &[i32] = if succeeds { &[0, 1, 3] } else { &[2] };
        assert!(status.is_some_and(|status| expected.contains(&status)), "{call}: {status:?} {printed}");
    }
    for picture in ["d.svg", "trace.svg"] {
        assert_eq!(raw(&place.read(picture)), None, "{picture}");
    }
    // What JSON says is the name as it is.
    let name = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap()["a"]["name"].clone();
    let mut call = place.command("distance --json");
    let output = call.args([format!("t.csv#{EVIL}0"), format!("t.csv#{EVIL}1")]).output().unwrap();
    assert_eq!(name(&String::from_utf8(output.stdout).unwrap()), format!("{EVIL}0"));
}
