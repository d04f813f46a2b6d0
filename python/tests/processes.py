"""Processes of Linux: which ones somebody started, where they listen, and work in a process that leaves nothing behind."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: PR_SET_CHILD_SUBREAPER of prctl.
ADOPT = 36


def descendants(ancestor: int) -> set[int]:
    """The processes that a process started, and those that these started, without those that have ended."""
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            # The name stands in parentheses and may hold anything.
            state, parent = (process / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            parents[int(process.name)] = int(parent)
    found, more = set[int](), {ancestor}
    while more:
        more = {process for process, parent in parents.items() if parent in more} - found
        found |= more
    return found


def command_of(process: int) -> str:
    """The command line of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def listening(processes: set[int]) -> dict[str, str]:
    """The addresses at which processes wait for connections, as the kernel writes them, and the command of each."""
    owners = {}
    for process in processes:
        try:
            links = [os.readlink(link) for link in Path(f"/proc/{process}/fd").iterdir()]
        except OSError:
            continue
        owners |= {link[len("socket:[") : -1]: process for link in links if link.startswith("socket:[")}
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, _, _, _, _, _, inode, *_ = line.split()
            if state == "0A" and inode in owners:
                found[local] = command_of(owners[inode])
    return found


def is_loopback(address: str) -> bool:
    """Whether an address of /proc/net is that of this machine alone: 127.0.0.1, the same as IPv6 writes it, or ::1."""
    host = address.rpartition(":")[0]
    return host in ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


def alone(work: Callable[..., None], *arguments: Any, limit: float, patience: float = 30.0) -> None:
    """Has work done by a new process, which is killed with all it started after `limit` seconds. What it started must have ended
    `patience` seconds after the work."""
    process = multiprocessing.get_context("spawn").Process(target=_watched, args=(work, arguments, patience))
    process.start()
    process.join(limit)
    late = process.exitcode is None
    if late:
        kill({process.pid or 0, *descendants(process.pid or 0)})
        process.join()
    assert not late, f"{work.__name__} had not ended after {limit:.0f} s"
    assert process.exitcode == 0, f"{work.__name__} failed: its output says why"


def kill(processes: set[int]) -> None:
    """Kills processes, some of which may have ended."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def adopt() -> None:
    """Processes whose parent ends become children of this one."""
    ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)


def end_of(others: set[int], patience: float) -> list[str]:
    """Waits for the end of all that this process started but `others`; the commands of those that did not end and were killed."""
    deadline = time.monotonic() + patience
    while left := descendants(os.getpid()) - others:
        if time.monotonic() > deadline:
            commands = [command_of(process) for process in left]
            kill(left)
            return commands
        time.sleep(0.1)
    return []


def _watched(work: Callable[..., None], arguments: tuple[Any, ...], patience: float) -> None:
    adopt()
    others = descendants(os.getpid())
    work(*arguments)
    left = end_of(others, patience)
    assert not left, f"processes are left behind: {left}"
