//! How the command speaks, and what shells and manuals are told about it.

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;

/// What goes with every command.
#[derive(Clone, Copy, Debug, Args)]
pub struct Manners {
    /// Say only results, warnings and errors: no notes, no progress, no line on what was written
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Colours; auto: on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub color: Color,
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// Where a terminal shows it, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How completions are installed.
pub const COMPLETIONS: &str = "\
Examples:
  srrd completions bash > ~/.local/share/bash-completion/completions/srrd
  srrd completions zsh > ~/.zfunc/_srrd                  where fpath has ~/.zfunc
  srrd completions fish > ~/.config/fish/completions/srrd.fish
  srrd completions powershell >> $PROFILE";

/// How manual pages are installed.
pub const MANUAL: &str = "\
Examples:
  srrd manual -o man1
  srrd manual -o ~/.local/share/man/man1                 then: man srrd-distance";

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Manual {
    /// The folder to write them into: srrd.1 and one page per command
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}
