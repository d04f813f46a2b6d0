//! What nearly every command takes beside its own.

use crate::inputs::TableArgs;
use crate::threads::Threads;
use clap::Args;

/// How tables are read, by how many threads, and as what the answer is printed.
#[derive(Debug, Args)]
pub struct Usual {
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub threads: Threads,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}
