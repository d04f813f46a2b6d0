//! A command that is told to end leaves no unfinished file behind.

/// From now on, a signal that asks this process to end (Ctrl-C, a closed terminal, `kill`) ends it as it would have, but for the
/// files that are being written, which are removed first. A file that gets larger than the system allows is an error like a full
/// disk, not the end.
///
/// For programs whose process belongs to the command; a library has no business with signals.
#[cfg(unix)]
pub fn clean_up_when_ended() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::atomic::AtomicBool;

    // With a handler, even one that does next to nothing, the write fails instead.
    static TOO_LARGE: AtomicBool = AtomicBool::new(false);
    if !is_ignored(SIGXFSZ) {
        let _ = signal_hook::flag::register(SIGXFSZ, &TOO_LARGE);
    }
    // What was ignored stays ignored: `nohup` wants to be deaf to SIGHUP, and a script's background to Ctrl-C.
    let asked = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
    // Where signals or threads cannot be had, signals do what they always did.
    let Ok(mut signals) = Signals::new(asked) else { return };
    let handle = signals.handle();
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            srrd_data::discard_unfinished(|| {
                let _ = emulate_default_handler(signal);
            });
        }
    };
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        handle.close();
    }
}

/// Elsewhere there are no such signals.
#[cfg(not(unix))]
pub fn clean_up_when_ended() {}

#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action nothing changes; `action` is filled in when 0 is returned, and all zeros are valid anyway.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
