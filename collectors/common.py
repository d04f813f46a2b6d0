"""What all collectors share: options, seeds, progress, and files that appear whole or not at all."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np


def options(about: str, *, quick: int, full: int, unit: str) -> argparse.ArgumentParser:
    """The options that every collector takes; `quick` and `full` are recordings per class."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder of the recordings")
    parser.add_argument("--count", type=positive, metavar="N", help=f"{unit} per class (default {full})")
    parser.add_argument("--quick", action="store_true", help=f"only {quick} {unit} per class")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="other recordings of the same kind (default 0)"
    )
    parser.set_defaults(quick_count=quick, full_count=full)
    return parser


def positive(text: str) -> int:
    """A whole number that is at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not at least 1")
    return value


def count_of(args: argparse.Namespace) -> int:
    """How many recordings per class were asked for."""
    return args.count or (args.quick_count if args.quick else args.full_count)


def generator(seed: int, *names: object) -> np.random.Generator:
    """Random numbers of their own for every class and recording: adding a class changes no other."""
    return np.random.default_rng([seed, *(zlib.crc32(str(name).encode()) for name in names)])


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, file or folder, that becomes `path` when all went well and disappears otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part{path.suffix}")
    remove(part)
    try:
        yield part
        remove(path)
        part.rename(path)
    finally:
        remove(part)


def remove(path: Path) -> None:
    """Deletes a file or a folder if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Progress:
    """A line on standard error that tells how far a collector is."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.start, self.shown = total, 0, time.monotonic(), 0.0

    def step(self, what: str) -> None:
        """One recording more is there."""
        self.done += 1
        now = time.monotonic()
        if sys.stderr.isatty() or now - self.shown > 10 or self.done == self.total:
            left = (now - self.start) / self.done * (self.total - self.done)
            end = "\r" if sys.stderr.isatty() and self.done < self.total else "\n"
            print(
                f"{self.done} of {self.total}: {what}, about {left:.0f} s left   ", end=end, file=sys.stderr, flush=True
            )
            self.shown = now


def run(main: object) -> None:
    """Calls a collector; Ctrl-C ends it without a traceback, and leaves no half file."""
    try:
        main()  # type: ignore[operator]
    except KeyboardInterrupt:
        sys.exit("stopped; recordings that were finished are kept")
