"""A matrix that is written to a file block by block: there completely or not at all, and what is finished survives."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

#: How many distances of a block are undefined, which is the first (row and column in the whole matrix), and how many are over
#: few shared transitions.
Concern: TypeAlias = "tuple[int, tuple[int, int] | None, int]"
Key: TypeAlias = "tuple[int, int]"

#: How long finished blocks are not noted, in seconds (what is lost when the process is killed), and by how much longer
#: than noting took: large files take long to get to the disk, and most of the time should be work.
_NOTE, _REST = 2.0, 10.0


class MatrixFile:
    """A square matrix in ``NAME.npy``, written to ``NAME.npy.partial``; ``….partial.json`` names finished blocks."""

    def __init__(self, path: str | os.PathLike[str], size: int) -> None:
        self.path = Path(path)
        if self.path.suffix != ".npy":
            raise ValueError(f"out: {self.path} must end in .npy")
        self.finished: dict[Key, Concern] = {}
        #: The side of the blocks of a matrix that was begun.
        self.block: int | None = None
        self._size = size
        self._data = self.path.with_name(self.path.name + ".partial")
        self._notes = self.path.with_name(self.path.name + ".partial.json")
        self._fingerprint: str | None = None
        self._lock: int | None = None
        self._noted = 0.0
        self._pause = _NOTE
        self._matrix: npt.NDArray[np.float64] | None = None
        self._before = self._read()
        if isinstance(self._before.get("block"), int) and self._before["block"] > 0:
            self.block = self._before["block"]

    @property
    def matrix(self) -> npt.NDArray[np.float64]:
        """Where blocks are written to."""
        assert self._matrix is not None, "begin comes first"
        return self._matrix

    def begin(self, block: int, fingerprint: str) -> None:
        """Opens the file; blocks that are finished in one of the same samples and settings are kept."""
        self._take_lock()
        self.block, self._fingerprint = block, fingerprint
        if self._before.get("fingerprint") == fingerprint and self._before.get("block") == block:
            self.finished = _finished(self._before, self._size, block)
        try:
            if self.finished:
                self._matrix = np.lib.format.open_memmap(self._data, mode="r+")
                if self._matrix.shape != (self._size, self._size) or self._matrix.dtype != np.float64:
                    self.finished = {}
        except (OSError, ValueError):
            self.finished = {}
        if not self.finished:
            self._matrix = None
            self._notes.unlink(missing_ok=True)
            self._matrix = self._create()

    def _create(self) -> npt.NDArray[np.float64]:
        if self._size == 0:
            np.save(self._data.open("wb"), np.empty((0, 0)))
            return np.empty((0, 0))
        matrix = np.lib.format.open_memmap(self._data, mode="w+", dtype=np.float64, shape=(self._size, self._size))
        if hasattr(os, "posix_fallocate"):
            # A full disk should be an error now, not the end of the process when a page is written.
            with self._data.open("rb+") as file:
                try:
                    os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)
                except OSError as error:
                    del matrix
                    self._data.unlink(missing_ok=True)
                    raise OSError(error.errno, f"{self.path}: there is no room for {self._size}² distances") from error
        return matrix

    def _take_lock(self) -> None:
        """Keeps others from writing the same matrix. The lock ends with the process, however that ends."""
        if fcntl is None:
            return
        self._lock = os.open(self.path.with_name(self.path.name + ".partial.lock"), os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._release()
            raise ValueError(
                f"out: {self.path} is being written by another process; wait for it, or name another file"
            ) from error

    def _release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _read(self) -> Mapping[str, Any]:
        try:
            notes = json.loads(self._notes.read_bytes())
        except (OSError, ValueError):
            return {}
        return notes if isinstance(notes, dict) else {}

    def note(self, key: Key, concern: Concern) -> None:
        """A block has been written to `matrix`."""
        self.finished[key] = concern
        now = time.monotonic()
        if now - self._noted >= self._pause:
            self._write_notes()
            self._noted = time.monotonic()
            self._pause = max(_NOTE, _REST * (self._noted - now))

    def _write_notes(self) -> None:
        if isinstance(self._matrix, np.memmap):
            self._matrix.flush()
        blocks = [[i, j, *concern] for (i, j), concern in self.finished.items()]
        text = json.dumps({"fingerprint": self._fingerprint, "block": self.block, "finished": blocks})
        beside = self._notes.with_name(self._notes.name + ".new")
        beside.write_text(text + "\n")
        os.replace(beside, self._notes)

    def done(self) -> npt.NDArray[np.float64]:
        """All blocks are there: gives the file its name and returns the matrix in it, read-only."""
        if isinstance(self._matrix, np.memmap):
            self._matrix.flush()
        self._matrix = None
        os.replace(self._data, self.path)
        self._notes.unlink(missing_ok=True)
        self.path.with_name(self.path.name + ".partial.lock").unlink(missing_ok=True)
        self.finished = {}
        matrix: npt.NDArray[np.float64] = np.load(self.path, mmap_mode="r" if self._size else None, allow_pickle=False)
        return matrix

    def close(self) -> None:
        """The end, also a bad one: what is finished is noted."""
        if self._matrix is not None and self.finished:
            self._write_notes()
        self._matrix = None
        self._release()


def _finished(notes: Mapping[str, Any], size: int, block: int) -> dict[Key, Concern]:
    """The blocks that notes name; none where they are not as they were written: then all are computed again."""
    found: dict[Key, Concern] = {}
    most = -(-size // block)
    try:
        for i, j, count, first, few in notes["finished"]:
            at = None if first is None else (int(first[0]), int(first[1]))
            if not (0 <= int(i) <= int(j) < most and (at is None or 0 <= at[0] < at[1] < size)):
                return {}
            found[int(i), int(j)] = (int(count), at, int(few))
    except (KeyError, IndexError, OverflowError, TypeError, ValueError):
        return {}
    return found
