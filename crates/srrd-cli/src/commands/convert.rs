//! `srrd convert`: a table of transitions in another format.

use crate::args::Convert;
use crate::failure::Failure;
use crate::inputs::Source;
use crate::outputs::{check_json, check_table, refuse_to_overwrite};
use crate::print;
use serde_json::json;
use srrd_data::TableCopy;

pub fn run(args: &Convert) -> Result<(), Failure> {
    check_json(args.json, Some(&args.output))?;
    refuse_to_overwrite([Some(&args.output)], &[&args.input])?;
    check_table(&args.output)?;
    args.threads.run(|| {
        let source = Source::new(&args.input)?;
        let copy = TableCopy::open(|| source.open(), &args.output, &[])?;
        print::table_notes(copy.notes());
        let columns: Vec<String> = copy.schema().names().map(str::to_owned).collect();
        let rows = copy.run()?;
        if args.json {
            print::json(&json!({"output": args.output.display().to_string(), "columns": columns, "rows": rows}))?;
        }
        Ok(())
    })
}
