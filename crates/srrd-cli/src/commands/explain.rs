//! `srrd explain`: where two samples differ.

mod table;

use crate::args::Explain;
use crate::failure::Failure;
use crate::inputs::read_pair;
use crate::outputs::{check_json, check_table, refuse_to_overwrite};
use crate::picture::Picture;
use crate::print;
use srrd::warning::undefined_in_words;
use srrd::{FrontEnd, Metric, explain};
use srrd_show::present::explanation;
use std::path::PathBuf;

pub fn run(args: &Explain) -> Result<(), Failure> {
    let options = args.shared.options()?;
    let question = options.question_by(&[Metric::Srrd])?;
    let metric = question.metric("an explanation is")?;
    let plot = args.plot.as_deref().map(|path| Picture::new("--plot", path)).transpose()?;
    let inputs: Vec<_> = [&args.a].into_iter().chain(&args.b).collect();
    refuse_to_overwrite([args.output.as_ref(), args.plot.as_ref()], &inputs)?;
    check_json(args.usual.json, args.output.as_deref())?;
    args.output.as_deref().map_or(Ok(()), check_table)?;
    args.usual.threads.run(move || {
        let [a, b] = read_pair(&args.a, args.b.as_ref(), &args.usual.table.options(&options, false)?)?;
        // What cannot be written is found before the work.
        let picture = plot.as_ref().map(Picture::begin).transpose()?;

        let found = explain(&a, &b, &question, args.top)?;
        if let (Some(why), true) = (found.distance.undefined(), args.output.is_some() || plot.is_some()) {
            let why = undefined_in_words(why, found.distance.common, options.min_common, FrontEnd::Command);
            return Err(Failure::wrong(format!(
                "there is nothing to write: the {metric} distance is undefined: {why}"
            )));
        }
        print::warnings(&found.warnings);
        if let Some(explanation) = &found.explanation {
            if let Some(path) = &args.output {
                table::write(path, &a, &b, explanation)?;
            }
            if let (Some(plot), Some(file)) = (&plot, picture) {
                plot.write(file, explanation::Picture::of(&a).draw([&a, &b], explanation))?;
            }
            let what = print::counted(explanation.transitions.len(), "shared transition", "shared transitions");
            print::wrote(args.output.iter().chain(&args.plot).map(PathBuf::as_path), &what);
        }
        let table_on_standard_output = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
        if args.usual.json {
            print::json(&found)?;
        } else if !table_on_standard_output {
            print::result(&explanation::text(&found))?;
        }
        Ok(())
    })
}
