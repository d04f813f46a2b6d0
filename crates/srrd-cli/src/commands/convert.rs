//! `srrd convert`: a table of transitions in another format, or a recorded data set as one.

use crate::args::Convert;
use crate::failure::Failure;
use crate::inputs::Source;
use crate::outputs::{check_json, check_table, refuse_to_overwrite};
use crate::print;
use serde_json::json;
use srrd::Options;
use srrd_data::{Copied, DATASET_OPTIONS, DATASETS, TableCopy};

/// Examples, formats and data sets.
pub fn after_help() -> String {
    let mut help = String::from(
        "\
Examples:
  srrd convert rewards.csv -o rewards.parquet
  srrd convert rewards.npz -o rewards.csv.gz
  srrd convert log.csv -o rewards.parquet --columns state=prompt,action=response --rewards old,new
  srrd convert low_dim_v15.hdf5 -o lift.parquet --dataset filter=train --dataset keys=object

Columns keep their names; a list of numbers becomes a column per number (observation.0, …).
--columns and --rewards say which ones are checked as what.

Formats by extension: .csv .tsv .jsonl .ndjson (each also with .gz or .zst), .parquet,
.arrow/.feather, .npz; - is CSV on standard input or output. A .json of one object per line is read.

Recorded data sets (--from), which every other command reads, too:
",
    );
    for dataset in DATASETS {
        let options =
            if dataset.options.is_empty() { String::new() } else { format!(" [{}]", dataset.options.join(", ")) };
        help += &format!("  {:<12} {}{options}\n", dataset.name, dataset.about);
    }
    help += "\nTheir options (--dataset OPTION=VALUE):\n";
    for option in DATASET_OPTIONS.iter().filter(|option| option.name != "from") {
        help += &format!("  {:<16} {}\n", format!("{}={}", option.name, option.value), option.about);
    }
    help.truncate(help.trim_end().len());
    help
}

pub fn run(args: &Convert) -> Result<(), Failure> {
    check_json(args.usual.json, Some(&args.output))?;
    refuse_to_overwrite([Some(&args.output)], &[&args.input])?;
    check_table(&args.output)?;
    let options = args.usual.table.options(&Options::default(), false)?;
    args.usual.threads.run(|| {
        let source = Source::new(&args.input)?;
        let copy = TableCopy::open(|| source.open(&options.dataset), &args.output, &[], &options)?;
        print::table_notes(copy.notes());
        let columns: Vec<String> = copy.schema().names().map(str::to_owned).collect();
        let Copied { rows, notes } = copy.run()?;
        print::table_notes(&notes);
        if args.usual.json {
            print::json(&json!({"output": args.output.display().to_string(), "columns": columns, "rows": rows}))?;
        }
        print::wrote([args.output.as_path()], &print::counted(rows as usize, "row", "rows"));
        Ok(())
    })
}
