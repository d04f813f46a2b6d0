//! The command `srrd`: do these two reward functions ask for the same behaviour?

/// It asks the system for huge pages: of a table of a million rows, the system's allocator spends a fifth of the time on getting
/// fresh pages of 4 KiB one by one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    srrd_cli::main()
}
