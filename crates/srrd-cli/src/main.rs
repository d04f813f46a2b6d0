//! The command `srrd`: do these two reward functions ask for the same behaviour?

fn main() -> std::process::ExitCode {
    srrd_cli::main()
}
