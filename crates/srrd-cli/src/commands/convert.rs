//! `srrd convert`: a table of transitions in another format.

use crate::args::Convert;
use crate::failure::Failure;
use crate::inputs::Source;
use crate::settings::with_threads;
use srrd_tables::TableCopy;

pub fn run(args: &Convert) -> Result<(), Failure> {
    with_threads(args.threads, || {
        let source = Source::new(&args.input)?;
        Ok(TableCopy::open(|| source.open(), &args.output, &[])?.run()?)
    })
}
