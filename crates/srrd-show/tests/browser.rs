//! Opens reports in a real browser, which hovers, clicks, sorts and prints, and fails on any error or request.

use std::path::Path;
use std::process::Command;

use srrd_show::page::Report;

#[path = "support/sample.rs"]
mod sample;

/// Whether the browser finds nothing wrong with a page, and what it said.
///
/// `tests/browser/check` gets what it needs, and says what to install where it cannot; `SRRD_NO_BROWSER=1` leaves it out.
fn check(html: &str, options: &[&str]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    std::fs::write(&page, html).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser/check");
    let output = Command::new(script).arg(&page).args(options).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    (output.status.success(), said)
}

fn left_out() -> bool {
    std::env::var("SRRD_NO_BROWSER").is_ok_and(|value| value == "1")
}

#[test]
fn a_browser_reads_the_report() {
    let report = sample::report();
    assert_eq!(report.check(), Ok(()));
    let (passed, said) = check(&report.to_html(), &[]);
    assert!(passed, "{said}");
}

#[test]
fn a_report_with_nothing_in_it_passes_too() {
    let report = Report { title: "Nothing yet".to_string(), ..Report::default() };
    let (passed, said) = check(&report.to_html(), &["--generic"]);
    assert!(passed, "{said}");
}

#[test]
fn the_browser_finds_what_a_report_must_not_do() {
    let html = Report { title: "Not alone".to_string(), ..Report::default() }.to_html();
    let planted = "<script>window.ran = true</script><img src=\"https://srrd.invalid/a.png\"><p id=\"a\"><p id=\"a\">";
    let html = html.replace("img-src data:", "img-src *").replace("<footer>", &format!("{planted}<footer>"));
    // Every check would find the same.
    let (passed, said) = check(&html, &["--generic", "--only=opens"]);
    if left_out() {
        return;
    }
    assert!(!passed, "{said}");
    for finding in ["FAILED  opens", "request: https://srrd.invalid/a.png", "Content Security Policy"] {
        assert!(said.contains(finding), "{finding}: {said}");
    }
}
