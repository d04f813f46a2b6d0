"""The command under attack, a folder, and what was found."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

#: How long a command may take that must end by itself.
TIMEOUT = 60.0


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Whatever takes longer ends with a TimeoutError."""

    def late(*_: object) -> None:
        raise TimeoutError(f"it had not ended after {seconds:.0f} s")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def least(tries: int, enough: float, measure: Callable[[], float | None]) -> float | None:
    """The least of some measured times, of which no more are taken once one is short enough: a busy machine is late by chance, a broken
    promise is broken again. None where there was nothing to measure."""
    times: list[float] = []
    for _ in range(tries):
        took = measure()
        if took is not None:
            times.append(took)
        if took is None or took <= enough:
            break
    return min(times, default=None)


class Attack:
    """The command, a folder, and what was found so far."""

    def __init__(self, srrd: Path, folder: Path, seed: int) -> None:
        self.srrd, self.folder, self.random = srrd, folder, random.Random(seed)
        #: What was attacked, how, how often, what was measured, and how many promises were broken.
        self.rows: list[tuple[str, str, int, str, int]] = []
        self.broken: list[str] = []

    def call(self, *arguments: str | Path, limit: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(part) for part in (self.srrd, *arguments)]
        return subprocess.run(
            command,
            cwd=self.folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT,
            preexec_fn=limit,
            check=False,
        )

    def tried(self, *arguments: str | Path, limit: Callable[[], None] | None = None) -> int | None:
        """The exit status of a command that must end by itself, and say what is wrong; None when it did not."""
        try:
            done = self.call(*arguments, limit=limit)
        except subprocess.TimeoutExpired:
            self.broken.append(f"hangs: {arguments}")
            return None
        raw = [character for character in done.stdout + done.stderr if character in RAW]
        if raw:
            self.broken.append(f"writes {raw[0]!r} as it is: {arguments}")
        if done.returncode not in (0, 1, 2, 3) or "panicked" in done.stderr:
            self.broken.append(f"exit {done.returncode}: {arguments}: {done.stderr[-300:]}")
            return None
        if done.returncode in (1, 2) and not done.stderr.strip():
            self.broken.append(f"fails without a word: {arguments}")
            return None
        return done.returncode

    def keep(self, path: Path) -> None:
        """Keeps a file that broke something."""
        shutil.copy(path, self.folder.parent / f"broken-{len(self.broken)}{''.join(path.suffixes)}")

    def note(self, what: str, how: str, count: int, broken_before: int, measured: str = "") -> None:
        self.rows.append((what, how, count, measured, len(self.broken) - broken_before))

    def leftovers(self) -> list[str]:
        return [name for name in os.listdir(self.folder) if name.endswith(".tmp")]

    def table(self) -> str:
        lines = ["| attack | what | times | measured | broken |", "|---|---|---|---|---|"]
        lines += [
            f"| {what} | {how} | {count:,} | {measured} | {broken} |"
            for what, how, count, measured, broken in self.rows
        ]
        return "\n".join(lines)


#: Characters that a terminal obeys, or that turn the direction of text: they must never reach one.
RAW = {chr(code) for code in range(32) if chr(code) not in "\n\t"} | set("\x7f\x9b\u202a\u202d\u202e\u2066\u2069\u200f")


def base_table(rows: int) -> str:
    """Three samples with labels, episodes and ends."""
    lines = ["sample,state,action,next_state,reward,done"]
    for row in range(rows):
        lines.append(f"{row % 3},s{row * 7 % 23},{row % 4},s{row * 11 % 23},{row % 17 - 5.5},{int(row % 13 == 0)}")
    return "\n".join(lines) + "\n"


def scores(prompts: int) -> str:
    """Scores of two reward models, for `srrd models`."""
    rows = (f"{p},{r},{(p * 7 + r * 3) % 13},{(p * 5 + r * r) % 11}\n" for p in range(prompts) for r in range(4))
    return "prompt,response,old,new\n" + "".join(rows)


def features(rows: int) -> str:
    """Numbers that hardly repeat, for `srrd discretize`."""
    lines = (f"{r % 997 / 7},{r % 991 / 5},{r % 3},{r % 983 / 7},{r % 977 / 5},{r % 5}\n" for r in range(rows))
    return "state.x,state.y,action,next_state.x,next_state.y,reward\n" + "".join(lines)


def walks(sets: int) -> str:
    """Demonstrations, for `srrd irl`."""
    lines = ["sample,label,episode,step,state,action,next_state,reward,terminated"]
    for number in range(sets):
        for episode in range(4):
            place = 0
            for step in range(30):
                move = (step * 7 + episode * 3 + number + step // 4) % 4 - 1
                then = min(19, max(0, place + move))
                over = str(step == 29).lower()
                lines.append(f"{number},{number % 2},{episode},{step},{place},{move},{then},{move + 2},{over}")
                place = then
    return "\n".join(lines) + "\n"
