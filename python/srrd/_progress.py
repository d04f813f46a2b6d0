"""How far long work is: a line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO, TypeAlias

#: What `progress=` takes: whether to show it, or what is called with the parts done and all.
Progress: TypeAlias = "bool | Callable[[int, int], object]"


class Meter:
    """Tells how much of some work is done, as `progress` says.

    Examples
    --------
    >>> import sys
    >>> meter = Meter(True, "blocks", sys.stdout)
    >>> meter.start(0, 2)
    0 of 2 blocks
    >>> meter.tell(1), meter.tell(2), meter.end()
    2 of 2 blocks
    (None, None, None)
    """

    #: How often a line changes, and how often a new one is written where lines stay.
    _CHANGES, _STAYS = 0.2, 10.0

    def __init__(self, progress: Progress, what: str, to: TextIO | None = None) -> None:
        self._call = progress if callable(progress) else None
        self._shown = progress is True
        self._what = what
        self._to = to
        self._began = self._last = 0.0
        self._before = self._all = 0
        self._width = 0

    def start(self, done: int, of: int) -> None:
        """Begins, with `done` parts that are there from an earlier time."""
        self._began = time.monotonic()
        self._before, self._all = done, of
        self.tell(done, at_once=True)

    def tell(self, done: int, *, at_once: bool = False) -> None:
        """So many parts are done now."""
        if self._call is not None:
            self._call(done, self._all)
        if not self._shown:
            return
        to = self._to or sys.stderr
        now = time.monotonic()
        changes = to.isatty()
        if not at_once and done < self._all and now - self._last < (self._CHANGES if changes else self._STAYS):
            return
        self._last = now
        text = f"{done:,} of {self._all:,} {self._what}"
        spent, new = now - self._began, done - self._before
        # A first guess from a few milliseconds would only jump about.
        if new and done < self._all and spent > 0.5:
            text += f", {_time(spent * (self._all - done) / new)} left"
        if changes:
            to.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            to.write(text + "\n")
        to.flush()

    def end(self) -> None:
        """Nothing more is told."""
        to = self._to or sys.stderr
        if self._shown and to.isatty():
            to.write("\n")
            to.flush()


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{max(whole, 1)} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
