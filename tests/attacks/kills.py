"""Commands that are killed and started again, and commands that get Ctrl-C."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from .base import Attack, features, least, scores, walks

PLAN = ["--world", "gridworld", "--size", "6x6", "--rollouts", "2,4", "--trials", "12", "--epsilon", "0.1"]
#: A signal must be answered within so many seconds.
SOON = 0.4
#: What takes longer is tried so often in all.
TRIES = 3


def killed(attack: Attack, *arguments: str, patience: float) -> None:
    """Starts a command and kills it after a random time, if it has not ended by then."""
    with started(attack, *arguments) as process, contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(attack.random.uniform(0, patience))


@contextlib.contextmanager
def started(attack: Attack, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that runs, and is killed in the end."""
    command = [str(attack.srrd), *arguments]
    process = subprocess.Popen(command, cwd=attack.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def kills(attack: Attack, seconds: float) -> None:
    """Runs and merges, the journals of `irl`, matrices of every kind of file: the same bytes after all."""
    (attack.folder / "walks.csv").write_text(walks(40))
    (attack.folder / "samples.csv").write_text(many_samples(110))
    run = ["reproduce", "coverage", *PLAN, "-o"]
    for part in ("1", "2"):
        attack.call("reproduce", "coverage", *PLAN, "--shard", f"{part}/2", "-o", f"part{part}").check_returncode()
    merge = ["reproduce", "merge", "part1", "part2", "-o"]
    irl = ["irl", "maxent", "walks.csv", "--std-error", "--resume", "walks.journal", "-o"]
    matrix = ["matrix", "samples.csv", "--metric", "projected", "-o"]
    both = ["trials.csv", "summary.csv"]
    jobs: list[tuple[str, list[str], str, list[str]]] = [
        ("runs", run, "run", both),
        ("merges", merge, "merge", both),
        ("irl", irl, "learned.csv", [""]),
        ("matrices", matrix, "d.csv", [""]),
        ("matrices", matrix, "d.npy", [""]),
        ("matrices", matrix, "d.parquet", [""]),
    ]
    wholes = []
    for _, command, output, files in jobs:
        began = time.monotonic()
        subprocess.run([str(attack.srrd), *command, f"whole-{output}"], cwd=attack.folder, check=True, capture_output=True)
        wholes.append((time.monotonic() - began, contents(attack.folder / f"whole-{output}", files)))
    for what, how in (
        ("runs", "runs killed, then finished: same bytes"),
        ("merges", "merges killed, then finished: same bytes"),
        ("irl", "`srrd irl` with a journal killed, then finished: same bytes"),
        ("matrices", "matrices (CSV, Parquet, NPY) killed, then finished: same bytes, nothing left"),
    ):
        chosen = [(job, whole) for job, whole in zip(jobs, wholes, strict=True) if job[0] == what]
        before, count, end, round_ = len(attack.broken), 0, time.monotonic() + seconds / 4, 0
        while time.monotonic() < end:
            (_, command, output, files), (took, expected) = chosen[round_ % len(chosen)]
            round_ += 1
            for _ in range(3):
                killed(attack, *command, output, patience=took)
                count += 1
            done = subprocess.run([str(attack.srrd), *command, output], cwd=attack.folder, capture_output=True, check=False)
            if done.returncode != 0:
                attack.broken.append(f"{what} that were killed do not go on: {done.stderr[-300:]!r}")
            elif contents(attack.folder / output, files) != expected:
                attack.broken.append(f"{what} that were killed have other bytes")
            left = [*attack.leftovers(), *(path.name for path in attack.folder.glob("*.unfinished"))]
            if left:
                attack.broken.append(f"{what} that were killed and finished leave {left}")
            remove(attack.folder / output)
        attack.note(f"kills of {what}", how, count, before)


def contents(path: Path, files: list[str]) -> list[bytes]:
    return [(path / name if name else path).read_bytes() for name in files]


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def many_samples(count: int) -> str:
    """So many samples that a matrix of `projected` takes some seconds, and is kept while it is computed."""
    lines = ["sample,state,action,next_state,reward"]
    for sample in range(count):
        for row in range(1500):
            s, t = row * 2654435761 % 331, row * 40503 % 337
            lines.append(f"{sample},{s},{row % 3},{t},{(row * (sample + 3)) % 7}")
    return "\n".join(lines) + "\n"


#: Commands that take longer than anybody waits.
LONG: dict[str, list[str]] = {
    "reading": ["inspect", "huge.csv"],
    "distance": ["distance", "huge.csv#0", "huge.csv#1", "--metric", "projected", "--interval", "0.95", "--chance"],
    "matrix": ["matrix", "samples.csv", "--metric", "projected", "-o", "d.csv"],
    "convert": ["convert", "huge.csv", "-o", "out.parquet"],
    "canonicalize": ["canonicalize", "huge.csv", "-o", "out.csv", "--metric", "all"],
    "classify": ["classify", "walks.csv", "--metric", "all", "--repeats", "10000"],
    "simulate": ["simulate", "gridworld", "-o", "out.csv", "--rollouts", "100000000"],
    "irl": ["irl", "airl", "walks.csv", "-o", "out.csv", "--generator", "ppo"],
    "models": ["models", "scores.csv", "--draws", "10000000"],
    "discretize": ["discretize", "features.csv", "-o", "out.csv", "--method", "kmeans", "--cells", "200"],
    "reproduce": ["reproduce", "coverage", "-o", "endless"],
    "explain": ["explain", "huge.csv#0", "huge.csv#1", "--metric", "projected"],
    "check": ["check", "huge.csv#0", "huge.csv#1"],
    "returns": ["returns", "walks.csv#0", "walks.csv#1", "--draws", "10000000"],
    "regret": ["regret", "huge.csv#0", "huge.csv#1", "--gamma", "0.999"],
    "report": ["report", "huge.csv#0", "huge.csv#1", "-o", "page.html"],
    "groups": ["matrix", "samples.csv", "--metric", "projected", "-o", "d.csv", "--clusters", "4", "--plot", "heat.svg"],
    "several": ["inspect", "huge.csv", "samples.csv", "features.csv"],
    "demo": ["demo", "-o", "endless"],
}


def interrupts(attack: Attack, seconds: float) -> None:
    """Ctrl-C at random moments: the process ends by the signal, soon, and leaves nothing."""
    inputs(attack.folder)
    before, count, worst, end = len(attack.broken), 0, (0.0, ""), time.monotonic() + seconds
    while count < len(LONG) or time.monotonic() < end:
        name, moment = list(LONG)[count % len(LONG)], attack.random.uniform(0.15, 1.2)
        took = least(TRIES, SOON, lambda name=name, moment=moment: interrupted(attack, name, moment))
        worst = max(worst, (took or 0.0, name))
        count += 1
    if worst[0] > SOON:
        attack.broken.append(f"Ctrl-C: {worst[1]} took {worst[0]:.2f} s")
    measured = f"at most {worst[0]:.2f} s ({worst[1]})"
    attack.note("Ctrl-C", f"{len(LONG)} commands interrupted: end within {SOON} s, nothing left", count, before, measured)


def interrupted(attack: Attack, name: str, moment: float) -> float | None:
    """How long a command took to end that got Ctrl-C at this moment; None if it had ended before."""
    took = None
    with started(attack, *LONG[name]) as process:
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
                took = time.monotonic() - sent
            except subprocess.TimeoutExpired:
                attack.broken.append(f"Ctrl-C: {name} does not end")
    if took is not None and process.returncode not in (-signal.SIGINT, 0):
        attack.broken.append(f"Ctrl-C: {name} ends with {process.returncode}")
    if took is not None and attack.leftovers():
        attack.broken.append(f"Ctrl-C: {name} leaves {attack.leftovers()}")
    shutil.rmtree(attack.folder / "endless", ignore_errors=True)
    return took


def inputs(folder: Path) -> None:
    """Large tables for commands that take long."""
    (folder / "walks.csv").write_text(walks(40))
    (folder / "samples.csv").write_text(many_samples(110))
    rows = "".join(f"{r % 2},s{r * 7 % 9973},{r % 4},s{r * 11 % 9973},{r % 17 - 5.5}\n" for r in range(50_000))
    (folder / "huge.csv").write_text("sample,state,action,next_state,reward\n" + rows * 60)
    (folder / "scores.csv").write_text(scores(20_000))
    (folder / "features.csv").write_text(features(200_000))
