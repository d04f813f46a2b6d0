//! `srrd models`: scores of the same responses, side by side.

use crate::args::Models;
use crate::call::as_typed;
use crate::failure::Failure;
use crate::inputs::{Source, read_once};
use crate::outputs::refuse_to_overwrite;
use crate::picture::{Picture, extension};
use crate::print;
use srrd::models::ModelSettings;
use srrd_data::{ModelQuestion, OpenTable, OutputFile, read_models};
use srrd_show::present::models;
use std::ffi::OsString;
use std::path::Path;

pub fn run(args: &Models, call: &[OsString]) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let level = options.interval.unwrap_or_default();
    let settings = ModelSettings { level, draws: options.draws, seed: options.seed, top: args.top };
    let question = ModelQuestion { gold: args.gold.clone(), by: args.by.clone(), criterion: args.criterion.clone() };
    read_once(&args.inputs)?;
    let plot = args.plot.as_deref().map(|path| Picture::new("--plot", path)).transpose()?;
    if let Some(path) = args.output.as_ref().filter(|path| extension(path).is_none_or(|found| found != "html")) {
        return Err(Failure::wrong(format!("-o: '{}' must end in .html: a page is written", path.display())));
    }
    if args.output.is_some() && args.output == args.plot {
        return Err(Failure::wrong("-o and --plot name the same file; give them different ones"));
    }
    refuse_to_overwrite([args.output.as_ref(), args.plot.as_ref()], &args.inputs.iter().collect::<Vec<_>>())?;
    args.usual.threads.run(move || {
        let options = args.usual.table.options(&options, false)?;
        let sources = args.inputs.iter().map(|path| Source::new(path)).collect::<Result<Vec<_>, _>>()?;
        let tables = sources.iter().zip(&args.inputs).map(|(source, path)| {
            let open: OpenTable<'_> = Box::new(|| source.open(&options.dataset));
            (name_of(path), open)
        });
        let read = read_models(tables.collect(), &options, &question)?;
        print::table_notes(&read.notes);
        // All outputs are begun before the work: it should not be done for one that cannot be written.
        let page = args.output.as_ref().map(|path| OutputFile::create(path)).transpose()?;
        let picture = plot.as_ref().map(Picture::begin).transpose()?;
        let about = args.inputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
        let found = read.compare(&settings).map_err(|error| Failure::wrong(format!("{about}: {error}")))?;
        if let (Some(plot), Some(file)) = (&plot, picture) {
            plot.write(file, models::figure(&found))?;
        }
        if let Some(mut file) = page {
            let html = models::report(&found, &about, &print::told_of_tables(), &as_typed(call)).to_html();
            file.write_with(|to| to.write_all(html.as_bytes()))?;
            file.finish()?;
        }
        match args.usual.json {
            true => print::json(&found)?,
            false => print::result(&models::text(&found))?,
        }
        let written = args.output.iter().chain(&args.plot);
        print::wrote(written.map(std::path::PathBuf::as_path), &print::counted(found.models.len(), "model", "models"));
        Ok(())
    })
}

/// What messages and names call an input.
fn name_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) if name != "-" => name.to_string_lossy().into_owned(),
        _ => "standard input".to_owned(),
    }
}
