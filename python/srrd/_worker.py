"""What an engine's workers do: unpack samples, keep them, compute blocks."""

from __future__ import annotations

import collections
import hashlib
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from . import _srrd
from ._options import choices
from ._table import reading

#: How many bytes of samples a worker keeps unpacked, counted packed. Those of the task at hand are kept in any case.
KEPT_BYTES = 256 << 20


@dataclass(frozen=True)
class Parcel:
    """A group of samples on its way to a worker: as bytes, in a file, as files of one sample each, or known by what it
    hashes to."""

    digest: str
    size: int
    path: str | None = None
    data: bytes | None = None
    tables: tuple[str, ...] = ()


class Missing(Exception):
    """A worker has no access to a group of samples: it has to come with the task."""


def parcel_of_tables(paths: Sequence[str]) -> Parcel:
    """Samples that workers read themselves, one from each file."""
    known = digest("\0".join(paths).encode())
    return Parcel(known, sum(Path(path).stat().st_size for path in paths if Path(path).exists()), tables=tuple(paths))


def read_one(path: str) -> _srrd.Sample:
    """The only sample of a file."""
    samples = _srrd.read(path, reading("mean", None, None, "auto"))
    if len(samples) != 1:
        raise ValueError(
            f"{path}: there are {len(samples)} samples, but one per file is needed: read them with srrd.read"
        )
    return samples[0]


def pack(samples: Sequence[_srrd.Sample]) -> bytes:
    """Samples as bytes: of each its length in 8 bytes, then itself."""
    parts = []
    for sample in samples:
        data = sample.to_bytes()
        parts += [len(data).to_bytes(8, "little"), data]
    return b"".join(parts)


def unpack(data: bytes) -> list[_srrd.Sample]:
    """What `pack` has packed. Bytes that are damaged are refused; nothing in them is executed."""
    samples, at = [], 0
    while at < len(data):
        end = at + 8 + int.from_bytes(data[at : at + 8], "little")
        if end > len(data):
            raise ValueError("these are not the bytes of samples: they end too early")
        samples.append(_srrd.Sample.from_bytes(data[at + 8 : end]))
        at = end
    return samples


def digest(data: bytes) -> str:
    """What a group is known by."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class _Kept:
    """The groups that a worker has unpacked, the latest last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: collections.OrderedDict[str, tuple[int, list[_srrd.Sample]]] = collections.OrderedDict()

    def get(self, parcel: Parcel) -> list[_srrd.Sample]:
        with self._lock:
            found = self._groups.get(parcel.digest)
            if found is not None:
                self._groups.move_to_end(parcel.digest)
                return found[1]
        samples = [read_one(path) for path in parcel.tables] or unpack(_data(parcel))
        with self._lock:
            self._groups[parcel.digest] = (parcel.size, samples)
            while len(self._groups) > 2 and sum(size for size, _ in self._groups.values()) > KEPT_BYTES:
                self._groups.popitem(last=False)
        return samples


_kept = _Kept()


def _data(parcel: Parcel) -> bytes:
    if parcel.data is not None:
        return parcel.data
    try:
        data = Path(cast(str, parcel.path)).read_bytes()
    except (OSError, TypeError):
        raise Missing from None
    # A file of that name may be there on another machine, too.
    if digest(data) != parcel.digest:
        raise Missing
    return data


def perform(
    version: str, function: Callable[..., Any], arguments: Sequence[Any], *groups: Parcel | list[_srrd.Sample]
) -> Any:
    """Does a task on a worker: `function`, called with the groups of samples and then the arguments."""
    if version != _srrd.__version__:
        raise RuntimeError(
            f"a worker has srrd {_srrd.__version__} and the client {version}: install the same version, "
            "or results may differ"
        )
    return function(*(group if isinstance(group, list) else _kept.get(group) for group in groups), *arguments)


def is_cancelled() -> bool:
    """Whether the Dask task that calls this is not wanted any more; False elsewhere."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        worker = distributed.get_worker()
        return bool(worker.state.tasks[worker.get_current_task()].state == "cancelled")
    except (AttributeError, KeyError, ValueError):
        # No task of Dask, or a Dask that keeps such things elsewhere: then the task goes on to its end.
        return False


@dataclass(frozen=True)
class Question:
    """What to compute of two groups: picklable, unlike the compiled part's own options."""

    metric: str
    gamma: float
    options: Mapping[str, Any]
    threads: int | None

    def choices(self) -> _srrd.Choices:
        """As the compiled part takes it."""
        return choices(self.metric, self.gamma, self.options)


def block_of(
    rows: list[_srrd.Sample], columns: list[_srrd.Sample], question: Question
) -> tuple[npt.NDArray[np.float64], int]:
    """The distances of a block off the diagonal, nan where undefined, and how many are over few shared transitions."""
    return _srrd.block(rows, columns, question.choices(), question.threads)


def diagonal_block_of(samples: list[_srrd.Sample], question: Question) -> tuple[npt.NDArray[np.float64], int]:
    """As `block_of`, on the diagonal."""
    return _srrd.block(samples, None, question.choices(), question.threads)
