"""Too little room, too little memory, and graphs with a hub."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from pathlib import Path

from .base import Attack, base_table
from .files import FORMATS
from .kills import killed


def full_disks(attack: Attack, seconds: float) -> None:
    """Files may not grow beyond a limit; and, as root, a disk of half a megabyte."""
    (attack.folder / "large.csv").write_text(base_table(20_000))
    before, count, end = len(attack.broken), 0, time.monotonic() + seconds
    disk = attack.folder / "disk"
    disk.mkdir(exist_ok=True)
    mounted = os.geteuid() == 0 and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode
    try:
        while time.monotonic() < end:
            limit = attack.random.randrange(1, 200_000)

            def full(limit: int = limit) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            on_disk = mounted and count % 2 == 0
            folder = disk if on_disk else attack.folder
            name = f"full.{attack.random.choice(FORMATS)}"
            command = ["convert", "large.csv"] if attack.random.random() < 0.7 else ["canonicalize", "large.csv", "--metric", "all"]
            filled = attack.random.randrange(0, 500_000) if on_disk else 0
            (folder / "filler").write_bytes(b"x" * filled)
            status = attack.tried(*command, "-o", folder / name, limit=None if on_disk else full)
            (folder / "filler").unlink()
            if (folder / name).exists() != (status == 0):
                attack.broken.append(f"a full disk leaves half of {name}")
            left = [entry for entry in os.listdir(folder) if entry.endswith((".tmp", ".unfinished"))]
            if left:
                attack.broken.append(f"a full disk leaves {left}")
            (folder / name).unlink(missing_ok=True)
            count += 1
    finally:
        if mounted:
            subprocess.run(["umount", str(disk)], capture_output=True, check=False)
    how = "files that may not grow" + (", and a disk of 512 kB" if mounted else "") + ": an error, and nothing left"
    attack.note("full disks", how, count, before)


def star(path: Path, states: int) -> None:
    """A hub and leaves, there and back."""
    with path.open("w") as to:
        to.write("state,action,next_state,reward\n")
        for leaf in range(1, states):
            to.write(f"0,x,{leaf},{leaf % 7}\n{leaf},x,0,{leaf % 11}\n")


def power_law(path: Path, states: int) -> None:
    """A few states with many successors, and many with few: the k-th has about states / k."""
    with path.open("w") as to:
        to.write("state,action,next_state,reward\n")
        for state in range(states):
            for row in range(min(states // (state + 1), 4000) + 2):
                to.write(f"{state},x,{(row * 7919 + state * 31) % states},{(row + state) % 13}\n")


def hubs(attack: Attack) -> None:
    before, count, growths = len(attack.broken), 0, []
    sizes = [20_000, 80_000]
    for make in (star, power_law):
        for states in sizes:
            make(attack.folder / f"{make.__name__}{states}.csv", states)
        rows = [(attack.folder / f"{make.__name__}{states}.csv").read_bytes().count(b"\n") for states in sizes]
        for command in ("epic", "dard", "srrd", "projected", "inspect"):
            used = []
            for states in sizes:
                path = f"{make.__name__}{states}.csv"
                if command == "inspect":
                    arguments = ["inspect", path]
                else:
                    arguments = ["canonicalize", path, "-o", "o.csv", "--metric", command]
                start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                attack.tried(*arguments)
                used.append(max(0.05, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start))
                count += 1
            growth = used[1] / used[0] / (rows[1] / rows[0])
            # What DARD counts is like counting cycles of four: it is told, and not bounded here.
            if command != "dard" or make is star:
                growths.append((growth, f"{command}, {make.__name__}"))
    if max(growths)[0] > 2:
        attack.broken.append(f"hubs: {max(growths)[1]} takes {max(growths)[0]:.1f} times as long per row")
    measured = f"at most {max(growths)[0]:.2f} times ({max(growths)[1]})"
    how = "stars and power laws of 20,000 and 80,000 states: at most twice the processor time per row"
    attack.note("hubs", how, count, before, measured)


def memory(attack: Attack) -> None:
    before, count = len(attack.broken), 0
    with (attack.folder / "many.csv").open("w") as to:
        to.write("sample,state,action,next_state,reward\n")
        to.writelines(f"{sample},a,x,b,1\n" for sample in range(1_000_000))
    for more in (["-o", "many.npy"], ["-o", "many.csv.gz", "--plot", "many.svg"]):
        if attack.tried("matrix", "many.csv", *more) != 2:
            attack.broken.append(f"a matrix of 8 TB is not refused: {more}")
        count += 1
    (attack.folder / "base.csv").write_text(base_table(120))
    for _ in range(20):
        killed(attack, "simulate", "gridworld", "-o", "endless.csv", "--rollouts", "100000000", patience=0.3)
        attack.tried("convert", "base.csv", "-o", "next.csv")
        count += 1
        if attack.leftovers():
            attack.broken.append(f"what a killed process left stays: {attack.leftovers()}")
    attack.note("refusals", "matrices of 1,000,000 samples are refused; leftovers of killed processes are removed", count, before)


def low_memory(attack: Attack, seconds: float) -> None:
    """Too little address space: a command may be ended by the system, but leaves nothing that looks finished or cannot be removed."""
    (attack.folder / "large.csv").write_text(base_table(200_000))
    (attack.folder / "base.csv").write_text(base_table(120))
    before, count, ended, end = len(attack.broken), 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        bytes_ = attack.random.randrange(60, 700) << 20

        def low(bytes_: int = bytes_) -> None:
            resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        command = attack.random.choice((["convert", "large.csv", "-o"], ["canonicalize", "large.csv", "-o"], ["matrix", "large.csv", "-o"]))
        name = "low.csv"
        try:
            done = attack.call(*command, name, limit=low)
            if (attack.folder / name).exists() != (done.returncode == 0):
                attack.broken.append(f"little memory leaves half of a file: {command}")
            ended += done.returncode < 0
            if done.returncode > 0 and not done.stderr.strip():
                attack.broken.append(f"little memory fails without a word: {command}")
        except subprocess.TimeoutExpired:
            attack.broken.append(f"little memory hangs: {command}")
        (attack.folder / name).unlink(missing_ok=True)
        attack.tried("convert", "base.csv", "-o", "next.csv")
        if attack.leftovers():
            attack.broken.append(f"little memory leaves {attack.leftovers()}")
        count += 1
    how = "60 to 700 MB of address space: no output that is not whole, and nothing left after the next command"
    attack.note("low memory", how, count, before, f"{ended} ended by the system")
