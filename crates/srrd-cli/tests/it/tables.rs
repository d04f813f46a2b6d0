//! The tables in docs/ are made from the tables in the code.
//!
//! Between `<!-- table: NAME -->` and `<!-- end -->` a page holds what is made here. `SRRD_WRITE_DOCS=1 cargo test -p srrd-cli tables` writes
//! the pages anew.

use srrd::METRICS;
use srrd::option::OPTIONS;
use std::path::Path;

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = row(header) + &format!("|{}\n", "---|".repeat(header.len()));
    for cells in rows {
        // A bar inside a cell would end it.
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        text += &row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn options() -> String {
    let rows = OPTIONS.iter().map(|option| {
        let name = match option.value {
            "" => format!("--{}", option.name),
            value => format!("--{} {value}", option.name),
        };
        let choices = (option.choices)();
        let values = if choices.is_empty() { String::new() } else { format!(" One of {}.", choices.join(", ")) };
        let default = if option.default.is_empty() { String::new() } else { code(option.default) };
        vec![code(&name), default, format!("{}.{values}", option.about)]
    });
    table(&["option", "default", "meaning"], rows)
}

fn made(name: &str) -> String {
    match name {
        "options" => options(),
        "metrics" => {
            table(&["metric", "what it does"], METRICS.iter().map(|info| vec![code(info.name), info.about.to_owned()]))
        }
        "roles" => table(
            &["column", "meaning", "other names"],
            srrd_data::ROLES.iter().map(|info| {
                let aliases: Vec<String> = info.aliases.iter().map(|alias| code(alias)).collect();
                vec![code(info.name), info.about.to_owned(), aliases.join(", ")]
            }),
        ),
        "formats" => table(
            &["format", "extensions", "about"],
            srrd_data::FORMATS.iter().map(|info| {
                let extensions: Vec<String> =
                    info.extensions.iter().map(|extension| code(&format!(".{extension}"))).collect();
                vec![info.name.to_owned(), extensions.join(", "), info.about.to_owned()]
            }),
        ),
        "datasets" => table(
            &["`--from`", "what it is", "options"],
            srrd_data::DATASETS.iter().map(|info| {
                let options: Vec<String> = info.options.iter().map(|option| code(option)).collect();
                vec![code(info.name), info.about.to_owned(), options.join(", ")]
            }),
        ),
        "dataset-options" => table(
            &["`--dataset`", "meaning"],
            (srrd_data::DATASET_OPTIONS.iter().filter(|option| option.name != "from"))
                .map(|option| vec![code(&format!("{}={}", option.name, option.value)), option.about.to_owned()]),
        ),
        "worlds" => table(
            &["world", "what it is"],
            srrd_worlds::WORLDS.iter().map(|info| vec![code(info.name), info.about.to_owned()]),
        ),
        "methods" => table(
            &["method", "finds"],
            srrd_irl::METHODS.iter().map(|info| vec![code(info.name), info.about.to_owned()]),
        ),
        "models" => table(
            &["model", "how rewards depend on features"],
            srrd_worlds::MODELS.iter().map(|info| vec![code(info.name), info.about.to_owned()]),
        ),
        "experiments" => table(
            &["WHAT", "shows"],
            srrd_lab::EXPERIMENTS.iter().map(|kind| vec![code(kind.name), kind.about.to_owned()]),
        ),
        "parameters" => table(
            &["option", "meaning"],
            (srrd_lab::PARAMETERS.iter())
                .map(|p| vec![code(&format!("--{} {}", p.name, p.value)), format!("{}.", p.help())]),
        ),
        other => panic!("there is no table '{other}'"),
    }
}

/// The page with every table made anew.
fn with_tables(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some(at) = rest.find("<!-- table: ") {
        let (before, marked) = rest.split_at(at);
        let (marker, inside) = marked.split_once(" -->\n").expect("a marker is a line");
        let (_, after) = inside.split_once("<!-- end -->").expect("a table has an end");
        let name = marker.trim_start_matches("<!-- table: ");
        text += &format!("{before}{marker} -->\n{}<!-- end -->", made(name));
        rest = after;
    }
    text + rest
}

#[test]
fn tables_of_the_documentation_are_those_of_the_code() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut found = 0;
    for entry in std::fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let expected = with_tables(&page);
        found += page.matches("<!-- table: ").count();
        if std::env::var_os("SRRD_WRITE_DOCS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        } else {
            assert_eq!(page, expected, "{}: SRRD_WRITE_DOCS=1 cargo test -p srrd-cli tables", path.display());
        }
    }
    assert!(found >= 5, "the pages have {found} tables");
}

/// Every option that help texts list is in the documentation.
#[test]
fn the_documentation_names_every_command_and_option() {
    let readme = include_str!("../../../../README.md");
    let docs = concat!(
        include_str!("../../../../docs/commands.md"),
        include_str!("../../../../docs/reproduce.md"),
        include_str!("../../../../docs/irl.md"),
        include_str!("../../../../docs/check.md"),
        include_str!("../../../../docs/one-step.md"),
        include_str!("../../../../docs/datasets.md")
    );
    let place = crate::support::Place::new();
    let help = place.ok("--help");
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("Options:").next()).expect("a list");
    // Descriptions that take a second line are indented more.
    let named = |line: &'_ str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    let commands =
        commands.lines().filter_map(named).filter_map(|line| Some(line.split_whitespace().next()?.to_owned()));
    let methods = srrd_irl::METHODS.iter().map(|info| format!("irl {}", info.name));
    for command in commands.filter(|name| name != "help").chain(methods) {
        let first = command.split(' ').next().unwrap_or("");
        assert!(readme.contains(&format!("`srrd {first}")), "{command}");
        let help = place.ok(&format!("{command} --help"));
        for option in help.split_whitespace().filter(|word| word.starts_with("--")) {
            let option = option.trim_matches(|c: char| !c.is_alphanumeric() && c != '-');
            if !["--help", "--output"].contains(&option) {
                assert!(docs.contains(option), "{command}: {option}");
            }
        }
    }
}
