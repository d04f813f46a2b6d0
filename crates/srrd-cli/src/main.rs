//! The command `srrd`: do these two reward functions ask for the same behaviour?

/// It asks the system for huge pages: of a table of a million rows, the system's allocator spends a fifth of the time on getting
/// fresh pages of 4 KiB one by one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Standard output that was closed before the program began (`>&-`) must not swallow results: the runtime of Rust would put
/// `/dev/null` in its place before `main`, where writing succeeds. A device that takes nothing is put there first.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static REFUSE_CLOSED_OUTPUT: extern "C" fn() = {
    extern "C" fn refuse() {
        // SAFETY: plain system calls on numbers, before any other code of this program runs.
        unsafe {
            if libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) == -1 {
                let full = libc::open(c"/dev/full".as_ptr(), libc::O_WRONLY);
                if full >= 0 && full != libc::STDOUT_FILENO {
                    libc::dup2(full, libc::STDOUT_FILENO);
                    libc::close(full);
                }
            }
        }
    }
    refuse
};

fn main() -> std::process::ExitCode {
    srrd_cli::main()
}
