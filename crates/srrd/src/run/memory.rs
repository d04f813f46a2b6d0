//! How much memory there is. What grows faster than its input is estimated before it is asked for, and refused where there is not
//! enough: an allocation that fails ends the process, and with it an interpreter and all that it holds.

use crate::problem::Problem;

/// Whether so many bytes can be had, as far as that is known; `what` is what takes them.
///
/// # Errors
/// There are not enough.
pub(crate) fn check(what: Large, needed: u64) -> Result<(), Problem> {
    match available() {
        Some(available) if available < needed => Err(Problem::Memory { what, needed, available }),
        _ => Ok(()),
    }
}

/// What grows faster than its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Large {
    /// The distances of all pairs of so many samples.
    Matrix {
        /// How many samples.
        samples: usize,
    },
}

/// The memory that is free for this process, where the system says so: that of the machine, or what its container leaves.
fn available() -> Option<u64> {
    let of_machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_meminfo(&text));
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let folder = "/sys/fs/cgroup";
    let (most, used) = (number(&format!("{folder}/memory.max")), number(&format!("{folder}/memory.current")));
    let of_container = most.map(|most| most.saturating_sub(used.unwrap_or(0)));
    of_machine.into_iter().chain(of_container).min()
}

/// `MemAvailable` of /proc/meminfo, in bytes.
fn of_meminfo(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_and_said() {
        assert_eq!(of_meminfo("MemTotal:  100 kB\nMemAvailable:   24 kB\n"), Some(24 * 1024));
        assert_eq!(of_meminfo("MemTotal:  100 kB\n"), None);
        let said = [0, 999, 1000, 8_000_000_000_000].map(crate::words::bytes);
        assert_eq!(said, ["0 bytes", "999 bytes", "1.0 kB", "8.0 TB"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_no_machine_has_is_refused() {
        let what = Large::Matrix { samples: 1 << 30 };
        assert_eq!(check(what, 1), Ok(()));
        assert!(matches!(check(what, u64::MAX), Err(Problem::Memory { needed: u64::MAX, .. })));
    }
}
