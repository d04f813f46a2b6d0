//! Panics of decoding libraries, turned into errors.
//!
//! The `parquet` and `arrow-ipc` crates panic on some damaged files (`tests/mutations.rs` has such files), and a damaged
//! file must not end the program. Unwinding is caught, and the message that a panic prints is held back on this
//! thread for the time of the call.
//!
//! Holding it back takes a panic hook, which a process has only one of. The first guarded call puts one in front of the
//! hook it finds, and hands every panic on to that unless it is in a guarded call of its own thread. So nothing changes for
//! panics of anybody else, on any thread. A program that sets its own hook later replaces this one, and then sees the
//! message of a guarded panic, too; the error comes all the same. With `panic = "abort"` nothing can be caught.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// The value of `call`, or the message with which it panicked. Whatever `call` changed must not be used after a panic.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    // Hooks cannot be changed by a thread that is unwinding (a destructor might read a table).
    if !std::thread::panicking() {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if !GUARDED.try_with(Cell::get).unwrap_or(false) {
                    before(info);
                }
            }));
        });
    }
    let outer = GUARDED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    GUARDED.set(outer);
    outcome.map_err(|payload| message(&*payload))
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without message".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn panics_become_messages() {
        assert_eq!(guarded(|| 5), Ok(5));
        assert_eq!(guarded(|| panic!("constant")), Err::<(), _>("constant".to_owned()));
        let number = 3;
        let nested = guarded(|| guarded(|| panic!("number {number}")));
        assert_eq!(nested, Ok(Err::<(), _>("number 3".to_owned())));
    }
}
