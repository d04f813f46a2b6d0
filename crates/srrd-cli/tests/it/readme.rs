//! The README says what the command prints.

use crate::support::Place;

#[test]
fn the_demo_prints_what_the_readme_says() {
    let readme = include_str!("../../../../README.md");
    let block = readme.split("<!-- demo -->\n```text\n").nth(1).expect("a marked block");
    let block = block.split("```").next().expect("its end");
    assert_eq!(Place::new().ok("demo"), block);
}

#[test]
fn the_readme_names_every_command_and_option() {
    let readme = include_str!("../../../../README.md");
    let place = Place::new();
    let help = place.ok("--help");
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("Options:").next()).expect("a list");
    // Descriptions that take a second line are indented more.
    let named = |line: &'_ str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    let commands =
        commands.lines().filter_map(named).filter_map(|line| Some(line.split_whitespace().next()?.to_owned()));
    for command in commands.filter(|name| name != "help") {
        assert!(readme.contains(&format!("`srrd {command}")), "{command}");
    }
    let help: String = ["distance", "simulate", "classify", "reproduce"]
        .map(|command| place.ok(&format!("{command} --help")))
        .concat();
    for option in help
        .split_whitespace()
        .filter(|word| word.starts_with("--"))
        .filter(|o| !["--help", "--output"].contains(&o.trim_matches(',')))
    {
        let option = option.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
        assert!(readme.contains(option), "{option}");
    }
}
