//! The README says what the command prints.

use crate::support::Place;

#[test]
fn the_demo_prints_what_the_readme_says() {
    let readme = include_str!("../../../../README.md");
    let block = readme.split("<!-- demo -->\n```text\n").nth(1).expect("a marked block");
    let block = block.split("```").next().expect("its end");
    assert_eq!(Place::new().ok("demo"), block);
}
