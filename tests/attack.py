"""A standing attack on the command `srrd`: what it promises must hold whatever files, signals and limits do to it.

    python3 tests/attack.py --srrd target/release/srrd [--minutes 10] [--seed 0] [--cluster]

It prints a table (docs/trust.md shows one) and exits with 1 if any promise was broken. Needs nothing but Python and the command;
`--cluster` also kills workers of a Dask cluster on loopback, for which the Python package and Dask must be installed.

- mutations: files of every format, damaged at random, are read. Exit 0, 1 or 2 within 20 s, never a signal or a panic.
- kills: runs and merges are killed at random moments and started again. The trials and the summary get the same bytes as without.
- full disks: files may not grow beyond a limit. Exit 1 or 2, and nothing half written stays.
- hubs: stars of growing size. The time per row of every metric and of `inspect` must not grow.
- memory: what cannot be had is refused with a message, not by an abort; what a killed process left is removed by the next.
- workers: matrices on a cluster whose workers are killed. No call fails, and the bytes are those without a cluster.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TIMEOUT = 20.0
FORMATS = ["csv", "tsv", "jsonl", "csv.gz", "csv.zst", "jsonl.gz", "parquet", "arrow", "npz"]
#: How the minutes are shared; hubs and memory take what they take.
SHARES = {"mutations": 0.5, "kills": 0.3, "full disks": 0.1, "workers": 0.1}


class Attack:
    """The command, a folder, and what was found so far."""

    def __init__(self, srrd: Path, folder: Path, seed: int) -> None:
        self.srrd, self.folder, self.random = srrd, folder, random.Random(seed)
        self.rows: list[tuple[str, str, int, int]] = []
        self.broken: list[str] = []

    def call(self, *arguments: str | Path, limit: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(part) for part in (self.srrd, *arguments)]
        return subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, preexec_fn=limit
        )

    def tried(self, *arguments: str | Path, limit: Callable[[], None] | None = None) -> int | None:
        """The exit status of a command that must end by itself, and say what is wrong; None when it did not."""
        try:
            done = self.call(*arguments, limit=limit)
        except subprocess.TimeoutExpired:
            self.broken.append(f"hangs: {arguments}")
            return None
        if done.returncode not in (0, 1, 2) or "panicked" in done.stderr:
            self.broken.append(f"exit {done.returncode}: {arguments}: {done.stderr[-200:]}")
            return None
        if done.returncode and not done.stderr.strip():
            self.broken.append(f"fails without a word: {arguments}")
            return None
        return done.returncode

    def note(self, what: str, how: str, count: int, broken_before: int) -> None:
        self.rows.append((what, how, count, len(self.broken) - broken_before))

    def leftovers(self) -> list[str]:
        return [name for name in os.listdir(self.folder) if name.endswith(".tmp")]


def base_table(rows: int) -> str:
    lines = ["sample,state,action,next_state,reward,done"]
    for row in range(rows):
        lines.append(f"{row % 3},s{row * 7 % 23},{row % 4},s{row * 11 % 23},{row % 17 - 5.5},{int(row % 13 == 0)}")
    return "\n".join(lines) + "\n"


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Some bytes changed, removed, doubled, moved or invented."""
    found = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 5, 20))):
        if not found:
            break
        at = draw.randrange(len(found))
        length = draw.choice((1, 1, 2, 8, 64))
        kind = draw.randrange(6)
        if kind == 0:
            found[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del found[at : at + length]
        elif kind == 2:
            found[at:at] = found[at : at + length]
        elif kind == 3:
            found[at:at] = draw.randbytes(length)
        elif kind == 4:
            del found[at:]
        else:
            evil = [b"\x00", b"nan", b"1e999", b'"', b"\xff\xfe", b"\xe2\x80\xae", b",,,,", b"\n" * 9, b"9" * 40]
            found[at:at] = draw.choice(evil)
    return bytes(found)


def mutations(attack: Attack, seconds: float) -> None:
    (attack.folder / "base.csv").write_text(base_table(120))
    bases = {}
    for name in FORMATS:
        path = attack.folder / f"base.{name}"
        if name != "csv":
            attack.call("convert", "base.csv", "-o", path).check_returncode()
        bases[name] = path.read_bytes()
    commands: list[list[str]] = [
        ["inspect", "X"],
        ["convert", "X", "-o", "out.csv"],
        ["distance", "X", "base.csv", "--metric", "srrd"],
        ["matrix", "X", "-o", "out.npy"],
    ]
    count, before, end = 0, len(attack.broken), time.monotonic() + seconds
    while time.monotonic() < end:
        name = attack.random.choice(FORMATS)
        path = attack.folder / f"evil.{name}"
        path.write_bytes(mutated(bases[name], attack.random))
        command = attack.random.choice(commands)
        if attack.tried(*(str(path) if part == "X" else part for part in command)) is None:
            kept = attack.folder.parent / f"broken-{len(attack.broken)}.{name}"
            shutil.copy(path, kept)
        count += 1
    attack.note("mutations", f"damaged files of {len(FORMATS)} formats read by {len(commands)} commands", count, before)


PLAN = ["--world", "gridworld", "--size", "6x6", "--rollouts", "2,4", "--trials", "12", "--epsilon", "0.1"]
RESULTS = ["trials.csv", "summary.csv"]


def killed(attack: Attack, *arguments: str, patience: float) -> None:
    """Starts a command and kills it after a random time, if it has not ended by then."""
    process = subprocess.Popen(
        [str(attack.srrd), *arguments], cwd=attack.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(attack.random.uniform(0, patience))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()


def results(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in RESULTS]


def kills(attack: Attack, seconds: float) -> None:
    run = ["reproduce", "coverage", *PLAN, "-o"]
    began = time.monotonic()
    attack.call(*run, "whole").check_returncode()
    took = time.monotonic() - began
    expected = results(attack.folder / "whole")
    for part in ("1", "2"):
        attack.call("reproduce", "coverage", *PLAN, "--shard", f"{part}/2", "-o", f"part{part}").check_returncode()
    merge = ["reproduce", "merge", "part1", "part2", "-o"]
    before, count, end, round_ = len(attack.broken), 0, time.monotonic() + seconds, 0
    while time.monotonic() < end:
        round_ += 1
        for what, command in (("run", run), ("merge", merge)):
            folder = f"{what}{round_}"
            for _ in range(3):
                killed(attack, *command, folder, patience=took)
                count += 1
            if attack.tried(*command, folder) != 0:
                attack.broken.append(f"a killed {what} does not go on")
            elif results(attack.folder / folder) != expected:
                attack.broken.append(f"a killed {what} has other bytes")
            shutil.rmtree(attack.folder / folder, ignore_errors=True)
    attack.note("kills", "runs and merges killed, then finished: same bytes", count, before)


def full_disks(attack: Attack, seconds: float) -> None:
    (attack.folder / "large.csv").write_text(base_table(20_000))
    before, count, end = len(attack.broken), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        limit = attack.random.randrange(1, 200_000)

        def full(limit: int = limit) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        name = f"full.{attack.random.choice(FORMATS)}"
        status = attack.tried("convert", "large.csv", "-o", name, limit=full)
        there = (attack.folder / name).exists()
        if there != (status == 0) or attack.leftovers():
            attack.broken.append(f"a full disk leaves something behind: {name}, {limit} bytes, {attack.leftovers()}")
        (attack.folder / name).unlink(missing_ok=True)
        count += 1
    attack.note("full disks", "tables written to a disk with too little room", count, before)


def star(path: Path, states: int) -> None:
    with path.open("w") as to:
        to.write("state,action,next_state,reward\n")
        for leaf in range(1, states):
            to.write(f"0,x,{leaf},{leaf % 7}\n{leaf},x,0,{leaf % 11}\n")


def hubs(attack: Attack) -> None:
    before, count = len(attack.broken), 0
    sizes = [20_000, 80_000]
    for states in sizes:
        star(attack.folder / f"star{states}.csv", states)
    for command in ("epic", "dard", "srrd", "projected", "inspect"):
        used = []
        for states in sizes:
            path = f"star{states}.csv"
            arguments = ["inspect", path] if command == "inspect" else ["canonicalize", path, "-o", "o.csv", "--metric", command]
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            attack.tried(*arguments)
            used.append(max(0.02, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start))
            count += 1
        growth = used[1] / used[0] / (sizes[1] / sizes[0])
        if growth > 2:
            attack.broken.append(f"hubs: {command} takes {growth:.1f} times as long per row on {sizes[1]} states")
    attack.note("hubs", "stars of 20,000 and 80,000 states: at most twice the processor time per row", count, before)


def memory(attack: Attack) -> None:
    before, count = len(attack.broken), 0
    with (attack.folder / "many.csv").open("w") as to:
        to.write("sample,state,action,next_state,reward\n")
        to.writelines(f"{sample},a,x,b,1\n" for sample in range(200_000))
    if attack.tried("matrix", "many.csv", "-o", "many.npy") != 2:
        attack.broken.append("a matrix of 320 GB is not refused")
    count += 1
    for _ in range(20):
        killed(attack, "simulate", "gridworld", "-o", "endless.csv", "--rollouts", "100000000", patience=0.3)
        attack.tried("convert", "base.csv", "-o", "next.csv")
        count += 1
        if attack.leftovers():
            attack.broken.append(f"what a killed process left stays: {attack.leftovers()}")
    attack.note("memory", "a matrix that no machine holds is refused; leftovers of killed processes are removed", count, before)


def workers(attack: Attack, seconds: float) -> None:
    """Matrices on two workers, one of which is killed in the middle of every call and replaced."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python" / "tests"))
    import warnings

    from clusters import Cluster, after, samples

    import srrd

    warnings.simplefilter("ignore")
    made = samples(40)
    expected = srrd.pairwise(made).tobytes()
    cluster = Cluster()
    before, count, end = len(attack.broken), 0, time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            cluster.ready()
            dies = after(attack.random.randrange(1, 30), cluster.kill_worker)
            try:
                if srrd.pairwise(made, engine=cluster.client, block=4, progress=dies).tobytes() != expected:
                    attack.broken.append("a matrix with a killed worker has other bytes")
            except Exception as error:
                attack.broken.append(f"a killed worker fails a call: {type(error).__name__}: {error}")
            count += 1
    finally:
        cluster.stop()
    attack.note("workers", "matrices on Dask with a worker killed in the middle: same bytes", count, before)


def main() -> int:
    parser = argparse.ArgumentParser(description="A standing attack on the command srrd.")
    parser.add_argument("--srrd", type=Path, required=True, help="the command")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long, about")
    parser.add_argument("--seed", type=int, default=0, help="what damages and moments depend on")
    parser.add_argument("--cluster", action="store_true", help="also kill workers of a Dask cluster")
    chosen = parser.parse_args()
    seconds = {name: 60 * chosen.minutes * share for name, share in SHARES.items()}
    with tempfile.TemporaryDirectory(prefix="srrd-attack-") as folder:
        (Path(folder) / "work").mkdir()
        attack = Attack(chosen.srrd.resolve(), Path(folder) / "work", chosen.seed)
        mutations(attack, seconds["mutations"])
        kills(attack, seconds["kills"])
        full_disks(attack, seconds["full disks"])
        hubs(attack)
        memory(attack)
        if chosen.cluster:
            workers(attack, seconds["workers"])
        for path in Path(folder).glob("broken-*"):
            shutil.copy(path, Path.cwd() / path.name)
    print("| attack | what | times | broken |\n|---|---|---|---|")
    for what, how, count, broken in attack.rows:
        print(f"| {what} | {how} | {count:,} | {broken} |")
    for line in attack.broken:
        print(f"broken: {line}", file=sys.stderr)
    return 1 if attack.broken else 0


if __name__ == "__main__":
    sys.exit(main())
