//! `srrd discretize`: continuous features as cells.

use crate::args::Discretize;
use crate::failure::Failure;
use crate::outputs::{check_json, check_table, refuse_to_overwrite};
use crate::print;
use serde_json::json;
use srrd::{Choice, Options};
use srrd_data::discretize::{DiscretizeOptions, Discretizer, FeatureNote, Kept, discretize, fit_tables, what_is_kept};
use srrd_data::{OutputFile, TableOptions};
use srrd_show::words::{count, table};
use std::path::Path;

pub fn run(args: &Discretize) -> Result<(), Failure> {
    check_json(args.usual.json, args.output.as_deref())?;
    refuse_to_overwrite([args.output.as_ref(), args.save.as_ref()], &args.inputs.iter().collect::<Vec<_>>())?;
    if let Some(output) = &args.output {
        check_table(output)?;
    }
    if args.cells.len() * args.method.len() > 1 && (args.output.is_some() || args.save.is_some()) {
        return Err(Failure::wrong(
            "--cells, --method: several show what each keeps; give one of them to write a table or to save",
        ));
    }
    if args.cells.contains(&0) || args.action_cells == 0 {
        return Err(Failure::wrong("--cells, --action-cells: at least 1"));
    }
    if args.inputs.iter().any(|input| input.as_os_str() == "-") {
        return Err(Failure::wrong("tables are read twice, and standard input can be read only once: name a file"));
    }
    let reading = args.usual.table.options(&Options::default(), false)?;
    args.usual.threads.run(|| {
        let (fitted, features) = fitted(args, &reading)?;
        tell(&features, &fitted);
        let kept = what_is_kept(&args.inputs, &reading, &fitted)?;
        let mut rows = None;
        if let (Some(output), [with]) = (&args.output, &fitted[..]) {
            let written = discretize(&args.inputs, &reading, with, output)?;
            print::table_notes(&written.notes);
            if args.apply.is_some() {
                tell(&written.features, &[]);
            }
            rows = Some(written.rows);
        }
        if let (Some(path), [with]) = (&args.save, &fitted[..]) {
            save(path, with)?;
        }
        let told = rows.map_or("cells to apply".to_owned(), |rows| print::counted(rows, "row", "rows"));
        if args.usual.json {
            let output = args.output.as_ref().map(|path| path.display().to_string());
            print::json(&json!({"output": output, "rows": rows, "kept": kept, "features": features}))?;
        } else if args.output.as_ref().is_none_or(|path| path.as_os_str() != "-") {
            print::result(&shown(&kept, args.inputs.len()))?;
        }
        print::wrote(args.output.iter().chain(&args.save).map(std::path::PathBuf::as_path), &told);
        Ok(())
    })
}

/// Cells that were saved, or new ones for every number of them.
fn fitted(args: &Discretize, reading: &TableOptions) -> Result<(Vec<Discretizer>, Vec<FeatureNote>), Failure> {
    if let Some(path) = &args.apply {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::wrong(format!("{name}: cannot be read: {error}")))?;
        let saved = Discretizer::from_json(&text).map_err(|what| Failure::wrong(format!("{name}: {what}")))?;
        return Ok((vec![saved], Vec::new()));
    }
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for &method in &args.method {
        for &cells in &args.cells {
            let (action_cells, components, seed) = (args.action_cells, args.pca, args.seed);
            let options = DiscretizeOptions { method, cells, action_cells, components, seed };
            let (fitted, found) = fit_tables(&args.inputs, reading, &options)?;
            all.push(fitted);
            notes = found;
        }
    }
    Ok((all, notes))
}

fn save(path: &Path, with: &Discretizer) -> Result<(), Failure> {
    let mut file = OutputFile::create(path)?;
    file.write_with(|to| to.write_all(with.to_json().as_bytes()))?;
    Ok(file.finish()?)
}

/// Missing and constant features, and what principal components hold.
fn tell(features: &[FeatureNote], fitted: &[Discretizer]) {
    for FeatureNote { column, missing, constant } in features {
        if *constant {
            print::warn(&format!("`{column}` never changes: it tells no states apart"));
        }
        if *missing > 0 {
            print::warn(&format!("`{column}` is missing in {} rows: its mean stands there", count(*missing)));
        }
    }
    let explained = fitted.first().and_then(|with| with.states.as_ref()).and_then(|space| space.explained());
    if let Some(explained) = explained {
        print::note(&format!("principal components hold {:.1} % of the variance of states", 100.0 * explained));
    }
}

/// What every choice keeps, as a table.
fn shown(kept: &[Kept], inputs: usize) -> String {
    // Where all have one method, it need not be said.
    let several = kept.iter().any(|it| it.method != kept[0].method);
    let row = |kept: &Kept| {
        let method = several.then(|| kept.method.name().to_owned());
        let numbers = [
            count(kept.cells),
            count(kept.states),
            count(kept.transitions),
            count(kept.shared),
            kept.reward_variance.map_or("constant".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
        ];
        method.into_iter().chain(numbers).collect::<Vec<String>>()
    };
    let header = ["method", "cells", "states", "transitions", "shared", "reward variance kept"];
    let header = if several { &header[..] } else { &header[1..] };
    let left: &[usize] = if several { &[0] } else { &[] };
    let mut text = table(header, &kept.iter().map(row).collect::<Vec<_>>(), left);
    if inputs == 1 {
        text += "\nshared: transitions that at least two samples have; give all tables that are to be compared.\n";
    }
    text
}
