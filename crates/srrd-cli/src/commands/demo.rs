//! `srrd demo`: the whole idea on one screen.

use crate::args::Demo;
use crate::call::as_typed;
use crate::failure::Failure;
use crate::print;
use srrd::Distance;
use srrd_data::{OutputFile, TrajectoryColumns, TrajectoryWriter};
use srrd_lab::demo::{READING, SCALE};
use std::ffi::OsString;
use std::path::Path;

/// Where it is written when nothing else is said.
const FOLDER: &str = "srrd-demo";

pub fn run(args: &Demo) -> Result<(), Failure> {
    args.threads.run(|| {
        let folder = args.output.as_deref().unwrap_or(Path::new(FOLDER));
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::wrong(format!("{}: the folder cannot be made: {e}; name another one with -o", folder.display()))
        })?;
        let demo = srrd_lab::demo(args.seed)?;
        write(folder, args.output.as_deref(), &demo)?;
        if args.json {
            print::json(&demo.to_json())?;
        } else {
            print::result(&as_text(folder, &demo))?;
        }
        Ok(())
    })
}

/// Writes the samples and the page, which says how it was called: with the folder where one was given.
fn write(folder: &Path, output: Option<&Path>, demo: &srrd_lab::Demo) -> Result<(), Failure> {
    for one in &demo.samples {
        let state_features = one.walks.state_features().unwrap_or_default().to_vec();
        let columns = TrajectoryColumns { state_features, whole: true, done: true, ..TrajectoryColumns::default() };
        let mut table = TrajectoryWriter::create(&folder.join(format!("{}.csv", one.name)), columns)?;
        table.write(&one.walks, 0)?;
        table.finish()?;
    }
    let mut page = OutputFile::create(&folder.join("report.html"))?;
    let seed = demo.seed.to_string();
    let call = ["srrd", "demo", "--seed", &seed].map(OsString::from).into_iter();
    let report =
        demo.report(&as_typed(&call.chain(output.iter().flat_map(|to| ["-o".into(), to.into()])).collect::<Vec<_>>()));
    let report = report.to_html();
    page.write_with(|to| to.write_all(report.as_bytes()))?;
    page.finish()?;
    Ok(())
}

/// What to try next, in this folder.
fn commands(folder: &str) -> Vec<(String, &'static str)> {
    vec![
        (format!("srrd distance {folder}/reward.csv {folder}/shaped.csv --metric all"), "compare two of them"),
        (format!("srrd inspect {folder}/reward.csv"), "what was sampled, and what every metric needs"),
        (format!("srrd matrix {folder}/*.csv -o distances.csv --plot heat.svg"), "all pairs, as a table and a picture"),
        ("srrd reproduce coverage -o runs/coverage".to_owned(), "the paper's first experiment, with a report"),
    ]
}

fn as_text(folder: &Path, demo: &srrd_lab::Demo) -> String {
    let number = |distance: &Distance| distance.distance().map_or("undefined".to_owned(), |d| format!("{d:.3}"));
    let rows: Vec<Vec<String>> = (demo.results.iter())
        .map(|c| vec![c.metric.to_string(), number(&c.shaped), number(&c.unrelated), c.metric.info().about.to_owned()])
        .collect();
    let table = print::table(&["metric", "shaped copy", "unrelated", "what it does"], &rows, &[3]);
    let folder = folder.display().to_string();
    let next = commands(&folder);
    let width = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let next: String = next.iter().map(|(command, what)| format!("  {command:<width$}   {what}\n")).collect();
    format!(
        "{}\n\nDistance of the reward to …\n{table}\n{SCALE} {READING}\n\nReport: {folder}/report.html\n\nTry next:\n{next}",
        demo.introduction()
    )
}
