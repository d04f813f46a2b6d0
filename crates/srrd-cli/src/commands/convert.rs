//! `srrd convert`: a table of transitions in another format.

use crate::args::Convert;
use crate::failure::Failure;
use crate::inputs::Source;
use crate::settings::with_threads;
use srrd_tables::{TableCopy, check_transitions};

pub fn run(args: &Convert) -> Result<(), Failure> {
    with_threads(args.threads, || {
        let source = Source::new(&args.input)?;
        if args.output.as_os_str() == "-" {
            // What is printed cannot be taken back: all is checked before the first row goes out.
            check_transitions(source.open()?)?;
        }
        Ok(TableCopy::open(|| source.open(), &args.output, &[])?.run()?)
    })
}
