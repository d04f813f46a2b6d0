"""A matrix of distances in blocks, each of which is a task."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from .. import _srrd
from .._matrix_file import Concern, MatrixFile
from .._numbers import threads_or_none, whole
from .._options import choices
from .._progress import Meter, Progress
from .._worker import Parcel, Question, block_of, diagonal_block_of, parcel_of_tables, read_one
from .backend import TASKS_PER_WORKER, Backend, Task, work
from .choose import Engine, working

#: How many samples a block has at least and at most, where `block` is not given. Smaller ones cost more than they
#: bring; the result of a larger one takes more than 8 MB.
LEAST_BLOCK, MOST_BLOCK = 64, 1024


def default_block(samples: int, workers: int) -> int:
    """How many samples the side of a block has: several tasks per worker, but none too small or too large.

    Examples
    --------
    >>> default_block(100_000, 100), default_block(1_000, 2), default_block(50, 2)
    (1024, 167, 50)
    """
    # So many groups have half their square of blocks.
    groups = math.ceil(math.sqrt(2 * TASKS_PER_WORKER * workers))
    block = math.ceil(samples / groups)
    return max(1, min(samples, MOST_BLOCK, max(LEAST_BLOCK, block)))


def pairwise_on(
    engine: Engine | None,
    cores: Sequence[_srrd.Sample] | Sequence[str],
    metric: str | None,
    gamma: float | Literal["auto"],
    options: Mapping[str, Any],
    undefined: float | None = None,
    threads: int | None = None,
    block: int | None = None,
    progress: Progress = False,
    out: str | os.PathLike[str] | None = None,
) -> npt.NDArray[np.float64]:
    """`srrd.pairwise` in blocks, on an engine (None: here), in memory or into the file `out`. Paths are read by workers."""
    tables = [core for core in cores if isinstance(core, str)]
    block = None if block is None else whole("block", block, 1)
    threads = threads_or_none(threads)
    # Before anything is sent, and from all samples together: a block would find a discount factor of its own.
    samples = [core for core in cores if not isinstance(core, str)]
    if tables:
        settled, named, advised = _given(metric, gamma)
    else:
        settled, named, advised = _srrd.settle_matrix(samples, choices(metric, gamma, options), threads)
    asked = Question(named, settled, options, threads)
    if not callable(progress):
        progress = bool(progress)
    side = 1

    def group(number: int) -> list[_srrd.Sample] | Parcel:
        part = slice(number * side, (number + 1) * side)
        return parcel_of_tables(tables[part]) if tables else list(cast(Sequence[_srrd.Sample], cores[part]))

    with working(engine, group) as backend:
        file = None if out is None else MatrixFile(out, len(cores))
        try:
            side = block or (file.block if file else None) or default_block(len(cores), backend.workers)
            if file is not None:
                file.begin(side, _fingerprint(cores, asked, undefined))
            asked = replace(asked, threads=threads or backend.threads)
            matrix, (count, first, few) = _blocks(
                backend, len(cores), side, asked, undefined, file, Meter(progress, "blocks")
            )
            if file is not None:
                matrix = file.done()
        finally:
            if file is not None:
                file.close()
    shown = None
    if first is not None:
        a, b = (read_one(core) if isinstance(core, str) else core for core in (cores[place] for place in first))
        shown = (a, b)
    _srrd.warn_of_matrix(len(cores), asked.choices(), count, shown, first or (0, 0), few, advised)
    return matrix


def _blocks(
    backend: Backend,
    size: int,
    side: int,
    question: Question,
    undefined: float | None,
    file: MatrixFile | None,
    meter: Meter,
) -> tuple[npt.NDArray[np.float64], Concern]:
    """The matrix, and what there is to know about all of it."""
    matrix = np.empty((size, size)) if file is None else file.matrix
    concerns: dict[tuple[int, int], Concern] = {} if file is None else dict(file.finished)
    # A column of blocks after the other: what was sent last is used at once.
    keys = [(i, j) for j in range(math.ceil(size / side)) for i in range(j + 1)]
    tasks = [_task(key, question) for key in keys if key not in concerns]

    def finished(task: Task, found: tuple[npt.NDArray[np.float64], int]) -> None:
        (i, j), (distances, few) = task.key, found
        missing = np.isnan(distances)
        if missing.any():
            concerns[task.key] = (*_concern(missing, i * side, j * side), few)
            if undefined is not None:
                distances = np.where(missing, undefined, distances)
                if i == j:
                    # As those who take precomputed distances expect.
                    distances[np.diag(np.diagonal(missing))] = 0.0
        else:
            concerns[task.key] = (0, None, few)
        rows = slice(i * side, i * side + distances.shape[0])
        columns = slice(j * side, j * side + distances.shape[1])
        matrix[rows, columns] = distances
        matrix[columns, rows] = distances.T
        if file is not None:
            file.note(task.key, concerns[task.key])
        meter.tell(len(concerns))

    meter.start(len(concerns), len(keys))
    try:
        work(backend, tasks, finished)
    finally:
        meter.end()
    firsts = [first for _, first, _ in concerns.values() if first is not None]
    undefined = sum(count for count, _, _ in concerns.values())
    few = sum(few for _, _, few in concerns.values())
    return matrix, (undefined, min(firsts, default=None), few)


def _task(key: tuple[int, int], question: Question) -> Task:
    i, j = key
    if i == j:
        return Task(key, f"srrd-diagonal-{i}", diagonal_block_of, (i,), (question,))
    return Task(key, f"srrd-block-{i}-{j}", block_of, (i, j), (question,))


def _concern(missing: npt.NDArray[np.bool_], row: int, column: int) -> tuple[int, tuple[int, int] | None]:
    """How many pairs have no distance in the block that begins at this row and column, and the first of them."""
    if row == column:
        missing = np.triu(missing, 1)
    pairs = np.argwhere(missing)
    return len(pairs), (row + int(pairs[0, 0]), column + int(pairs[0, 1])) if len(pairs) else None


def _given(metric: str | None, gamma: float | Literal["auto"]) -> tuple[float, str, None]:
    """A discount factor and a metric that are not to be found from the samples."""
    for name, value in (("gamma", gamma), ("metric", metric)):
        if value == "auto":
            raise ValueError(f'{name}: "auto" needs all samples at once, which are read by workers here: name one')
    return float(gamma), metric or "srrd", None


def _content(core: _srrd.Sample | str) -> bytes:
    """What tells a sample from others: a file by its name, its size and when it was changed."""
    if not isinstance(core, str):
        return core.to_bytes()
    found = os.stat(core) if os.path.exists(core) else None
    return repr((core, found and (found.st_size, found.st_mtime_ns))).encode()


def _fingerprint(cores: Sequence[_srrd.Sample | str], question: Question, undefined: float | None) -> str:
    """What finished blocks must have been computed from to be of use."""
    settings = [_srrd.__version__, question.metric, repr(question.gamma), repr(undefined)]
    settings += [f"{name}={question.options[name]!r}" for name in sorted(question.options)]
    found = hashlib.blake2b("\0".join(settings).encode(), digest_size=16)
    for core in cores:
        data = _content(core)
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()
