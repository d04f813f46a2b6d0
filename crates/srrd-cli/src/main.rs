//! The command `srrd`: do these two reward functions ask for the same behaviour?

use std::ffi::c_long;

/// It asks the system for huge pages: of a table of a million rows, the system's allocator spends a fifth of the time on getting
/// fresh pages of 4 KiB one by one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    give_memory_back(SOON);
    let code = srrd_cli::main();
    give_memory_back(NEVER);
    code
}

/// After a tenth of a second, not after a whole one: of a large table with texts for states, up to a tenth of the memory in use had
/// been freed long before. What takes less time keeps what it has.
const SOON: c_long = 100;

/// At the end everything goes back at once. Giving it back piece by piece before, as the allocator would, takes milliseconds.
const NEVER: c_long = -1;

/// Sets after how many milliseconds what is freed goes back to the system.
fn give_memory_back(delay: c_long) {
    /// `mi_option_purge_delay`, which the crate has no name for.
    const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: it sets a number among the options of the allocator.
        unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, delay) };
    }
}
