"""Where large work is done: here, in the processes of an executor, or on a cluster.

`srrd.pairwise` and `srrd.run` take ``engine=``: a ``dask.distributed.Client``, or any ``concurrent.futures.Executor``.
Blocks of the matrix and shards of a plan are the tasks. Results are those of the local engine, to the last bit.

>>> import numpy as np, srrd
>>> from concurrent.futures import ThreadPoolExecutor
>>> rng = np.random.default_rng(0)
>>> s, a, n = (rng.integers(k, size=200) for k in (10, 3, 10))
>>> samples = [srrd.RewardSample(s, a, n, rng.normal(size=200)) for _ in range(6)]
>>> with ThreadPoolExecutor(2) as pool:
...     there = srrd.pairwise(samples, engine=pool, block=2)
>>> there.tobytes() == srrd.pairwise(samples).tobytes()
True
"""

from __future__ import annotations

import collections
import concurrent.futures
import hashlib
import itertools
import math
import os
import queue
import shutil
import tempfile
import time
import uuid
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from . import _srrd
from ._compare import GammaEstimate, _core, choices, estimate_gamma
from ._matrix_file import Concern, MatrixFile
from ._progress import Meter, Progress
from ._sample import RewardSample
from ._worker import Missing, Parcel, Question, block_of, diagonal_block_of, digest, pack, perform, quiet


class DaskClient(Protocol):
    """What is used of a ``dask.distributed.Client``."""

    @property
    def status(self) -> str: ...
    @property
    def asynchronous(self) -> bool: ...
    def submit(self, func: Any, *args: Any, **kwargs: Any) -> Any: ...
    def scatter(self, data: Any, **kwargs: Any) -> Any: ...
    def cancel(self, futures: Any, **kwargs: Any) -> Any: ...
    def nthreads(self) -> Any: ...


#: What `engine=` takes.
Engine: TypeAlias = Executor | DaskClient

#: How many samples a block has at least and at most, where `block` is not given. Smaller ones cost more than they
#: bring; the result of a larger one takes more than 8 MB.
LEAST_BLOCK, MOST_BLOCK = 64, 1024
#: How many tasks a worker gets, or more: so that none waits long for the last one.
TASKS_A_WORKER = 8
#: How often a task is done again whose worker was lost.
MOST_TRIES = 5
#: How often lost tasks and interrupts are looked for, in seconds.
_LOOK = 0.5
#: How often the workers of a cluster are counted, in seconds.
_RECOUNT = 5.0
#: With fewer degrees of freedom an estimate is mostly noise (`FEW_COMMON` of the compiled part).
_FEW = 20


# ------------------------------------------------------------------------------------------ on the client


@dataclass(frozen=True)
class Task:
    """A part of the work: a function of some groups of samples and of arguments."""

    #: What the caller knows it by.
    key: Any
    #: What Dask's dashboard shows.
    name: str
    function: Callable[..., Any]
    groups: tuple[int, ...] = ()
    arguments: tuple[Any, ...] = ()


class Lost(Exception):
    """A task came to nothing through no fault of its own: it has to be done again."""


class Backend(ABC):
    """Starts tasks somewhere."""

    #: How many tasks can run at once.
    workers: int
    #: How many threads a task takes unless told.
    threads: int | None = 1
    #: A folder that exists as long as the work is wanted, for workers that see it.
    folder: str | None = None

    def __init__(self, groups: Callable[[int], list[_srrd.Sample]]) -> None:
        self._groups = groups

    @property
    def window(self) -> int:
        """How many tasks to have under way: enough that no worker waits, but results must not pile up."""
        return max(32, 4 * self.workers)

    @abstractmethod
    def start(self, task: Task, tries: int) -> Any:
        """Starts a task, the how manieth time (from 0) it is; returns a future."""

    def lost(self, future: Any) -> bool:
        """Whether a future that has not reported never will."""
        return False

    def result(self, future: Any) -> Any:
        """What came out; `Lost` when it has to be done again."""
        try:
            return future.result()
        except Missing:
            raise Lost("a worker did not get its samples") from None
        except BrokenExecutor as error:
            raise RuntimeError(
                "a worker process ended abruptly (was it killed, or short of memory?), and with it the executor. "
                "What is finished is kept where there is a file for it (out=, or the folder of a run): "
                "make a new executor and call again"
            ) from error

    def drop(self, group: int) -> None:
        """No task needs this group any more."""

    def close(self, running: list[Any]) -> None:
        """The end, also a bad one: tasks that still run are not wanted any more."""
        for future in running:
            future.cancel()


class Here(Backend):
    """This process, one task after the other, each on all cores."""

    workers = 1
    threads = None

    @property
    def window(self) -> int:
        return 1

    def start(self, task: Task, tries: int) -> Any:
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()
        groups = [self._groups(group) for group in task.groups]
        future.set_result(perform(_srrd.__version__, task.function, task.arguments, *groups))
        return future


class Executed(Backend):
    """What executors have in common."""

    def __init__(self, executor: Executor, groups: Callable[[int], list[_srrd.Sample]]) -> None:
        super().__init__(groups)
        self._executor = executor
        self.workers = _workers(executor)
        self._end = _End()
        self.folder = self._end.folder


class Threads(Executed):
    """The threads of an executor: samples are theirs as they are."""

    def start(self, task: Task, tries: int) -> Any:
        groups = [self._groups(group) for group in task.groups]
        return self._executor.submit(perform, _srrd.__version__, task.function, task.arguments, *groups)

    def close(self, running: list[Any]) -> None:
        self._end.come()
        super().close(running)
        # What runs has nothing to stop it, but a block does not take long.
        concurrent.futures.wait(running, timeout=_LOOK)


class Processes(Executed):
    """The processes of an executor, on this machine or others.

    A group of samples is written to a file once; every process reads it once and keeps it. Processes elsewhere do not
    see the file: they get the samples with their tasks, until every process should have them, and say so if one has
    not.
    """

    def __init__(self, executor: Executor, groups: Callable[[int], list[_srrd.Sample]]) -> None:
        super().__init__(executor, groups)
        self._parcels: dict[int, Parcel] = {}
        #: Whether files are seen: of other executors it is not known until the first tasks are done.
        self._seen = True if isinstance(executor, ProcessPoolExecutor) else None
        self._sent: collections.Counter[int] = collections.Counter()

    @property
    def window(self) -> int:
        return self.workers if self._seen is None else super().window

    def _parcel(self, group: int, tries: int) -> Parcel:
        parcel = self._parcels.get(group)
        if parcel is None:
            data = pack(self._groups(group))
            path = Path(self._end.folder, str(group))
            path.write_bytes(data)
            parcel = self._parcels[group] = Parcel(digest(data), len(data), str(path))
        if tries or (self._seen is False and self._sent[group] < self.workers):
            self._sent[group] += 1
            return replace(parcel, path=None, data=Path(cast(str, parcel.path)).read_bytes())
        return parcel

    def start(self, task: Task, tries: int) -> Any:
        groups = [self._parcel(group, tries) for group in task.groups]
        return self._executor.submit(perform, _srrd.__version__, task.function, task.arguments, *groups)

    def result(self, future: Any) -> Any:
        try:
            result = super().result(future)
        except Lost:
            self._seen = False
            raise
        if self._seen is None:
            self._seen = True
        return result

    def drop(self, group: int) -> None:
        parcel = self._parcels.pop(group, None)
        if parcel is not None:
            Path(cast(str, parcel.path)).unlink(missing_ok=True)

    def close(self, running: list[Any]) -> None:
        self._end.come()
        super().close(running)


class Dask(Backend):
    """A Dask cluster.

    A group of samples is scattered to one worker; others that need it take it from there and keep it. Dask runs the
    tasks of a lost worker again, but scattered data it cannot make again: then its tasks are cancelled, and are
    started again with new data.
    """

    def __init__(self, client: DaskClient, groups: Callable[[int], list[_srrd.Sample]]) -> None:
        super().__init__(groups)
        if client.asynchronous:
            raise TypeError("engine: this Dask client is asynchronous: make one with asynchronous=False")
        self._client = client
        self._scattered: dict[int, Any] = {}
        self._sources: dict[str, tuple[tuple[int, ...], list[Any]]] = {}
        self._id = uuid.uuid4().hex[:8]
        self._wait_for_workers()
        self.workers = sum(client.nthreads().values())
        self._counted = time.monotonic()

    @property
    def window(self) -> int:
        # Clusters grow and shrink while they work.
        if time.monotonic() - self._counted > _RECOUNT:
            self.workers = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return super().window

    def _group(self, group: int) -> Any:
        future = self._scattered.get(group)
        if future is None or future.status != "finished":
            data = pack(self._groups(group))
            parcel = Parcel(digest(data), len(data), data=data)
            while True:
                try:
                    # Not hashed: the same name would bring back what was lost.
                    (future,) = self._client.scatter([parcel], hash=False, broadcast=False)
                    break
                except TimeoutError:
                    self._wait_for_workers()
            self._scattered[group] = future
        return future

    def _wait_for_workers(self) -> None:
        """Those of a batch system may take hours to come, or to come back."""
        while self._client.status == "running" and not self._client.nthreads():
            time.sleep(_LOOK)

    def start(self, task: Task, tries: int) -> Any:
        groups = [self._group(group) for group in task.groups]
        key = f"{task.name}-{self._id}-{tries}"
        self._sources[key] = (task.groups, groups)
        return self._client.submit(
            perform, _srrd.__version__, task.function, task.arguments, *groups, key=key, pure=False
        )

    def lost(self, future: Any) -> bool:
        return bool(future.status == "cancelled")

    def result(self, future: Any) -> Any:
        sources, used = self._sources.pop(future.key)
        try:
            return super().result(future)
        except Exception as error:
            names = {kind.__name__ for kind in type(error).__mro__}
            if not names & {"CancelledError", "KilledWorker"}:
                raise
            if self._client.status != "running":
                raise RuntimeError(
                    "the connection to Dask's scheduler is lost. What is finished is kept where there is a file for it "
                    "(out=, or the folder of a run): connect again and call again"
                ) from error
            # Also those that are believed to be there: the news of their loss may be on its way.
            for group, future_of in zip(sources, used, strict=True):
                if self._scattered.get(group) is future_of:
                    del self._scattered[group]
            raise Lost(str(error)) from error

    def drop(self, group: int) -> None:
        self._scattered.pop(group, None)

    def close(self, running: list[Any]) -> None:
        self._scattered.clear()
        self._sources.clear()
        if running and self._client.status == "running":
            self._client.cancel(running)


class _End:
    """A folder that is removed when work is not wanted any more: tasks that see it stop."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="srrd-")

    def come(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _workers(executor: Executor) -> int:
    for name in ("_max_workers", "num_workers", "max_workers"):
        workers = getattr(executor, name, None)
        if isinstance(workers, int) and workers > 0:
            return workers
    return os.cpu_count() or 1


def backend_of(engine: Engine | None, groups: Callable[[int], list[_srrd.Sample]]) -> Backend:
    """How to have work done by `engine`. Dask is not imported: who has a client of it has done that."""
    if engine is None:
        return Here(groups)
    if isinstance(engine, ThreadPoolExecutor):
        return Threads(engine, groups)
    if isinstance(engine, Executor):
        return Processes(engine, groups)
    from_dask = any(kind.__module__.split(".")[0] == "distributed" for kind in type(engine).__mro__)
    if from_dask and hasattr(engine, "scatter"):
        return Dask(engine, groups)
    hint = "; of a Dask cluster make a client: dask.distributed.Client(cluster)" if from_dask else ""
    raise TypeError(
        "engine: a dask.distributed.Client or a concurrent.futures.Executor is needed, "
        f"not {type(engine).__name__}{hint}"
    )


@contextmanager
def working(engine: Engine | None, groups: Callable[[int], list[_srrd.Sample]]) -> Iterator[Backend]:
    """A backend, closed in the end."""
    backend = backend_of(engine, groups)
    try:
        yield backend
    finally:
        backend.close([])


def work(backend: Backend, tasks: Sequence[Task], finished: Callable[[Task, Any], None]) -> None:
    """Has all tasks done, those of lost workers again, and hands each result to `finished` as soon as it is there."""
    waiting = collections.deque((task, 0) for task in tasks)
    needed = collections.Counter(group for task in tasks for group in task.groups)
    running: dict[int, tuple[Task, int, Any]] = {}
    done: queue.SimpleQueue[int] = queue.SimpleQueue()
    numbers = itertools.count()
    try:
        while waiting or running:
            while waiting and len(running) < backend.window:
                task, tries = waiting.popleft()
                future = backend.start(task, tries)
                number = next(numbers)
                running[number] = (task, tries, future)
                future.add_done_callback(lambda _, number=number: done.put(number))
            for number in _reported(done, running, backend):
                task, tries, future = running.pop(number)
                try:
                    result = backend.result(future)
                except Lost as error:
                    if tries + 1 >= MOST_TRIES:
                        raise RuntimeError(
                            f"the task {task.name} was lost {MOST_TRIES} times with its workers: "
                            f"have they enough memory? {error}"
                        ) from error
                    waiting.appendleft((task, tries + 1))
                    continue
                finished(task, result)
                needed.subtract(task.groups)
                for group in set(task.groups):
                    if not needed[group]:
                        backend.drop(group)
    finally:
        backend.close([future for _, _, future in running.values()])


def _reported(
    done: queue.SimpleQueue[int], running: Mapping[int, tuple[Task, int, Any]], backend: Backend
) -> list[int]:
    """The numbers of tasks that have come to an end; none after a while, so that interrupts are seen."""
    try:
        numbers = [done.get(timeout=_LOOK)]
    except queue.Empty:
        return [number for number, (_, _, future) in running.items() if backend.lost(future)]
    while not done.empty():
        numbers.append(done.get())
    # One that was found lost may report later.
    return [number for number in dict.fromkeys(numbers) if number in running]


# ------------------------------------------------------------------------------------------ the matrix


def default_block(samples: int, workers: int) -> int:
    """How many samples a side of a block has: several tasks a worker, but none too small or too large.

    >>> default_block(100_000, 100), default_block(1_000, 2), default_block(50, 2)
    (1024, 167, 50)
    """
    # So many groups have half their square of blocks.
    groups = math.ceil(math.sqrt(2 * TASKS_A_WORKER * workers))
    block = math.ceil(samples / groups)
    return max(1, min(samples, MOST_BLOCK, max(LEAST_BLOCK, block)))


def pairwise_on(
    engine: Engine | None,
    samples: Sequence[RewardSample],
    metric: str,
    gamma: float | Literal["auto"],
    undefined: float | None = None,
    threads: int | None = None,
    block: int | None = None,
    progress: Progress = False,
    options: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> npt.NDArray[np.float64]:
    """`srrd.pairwise` in blocks, on an engine (None: here), in memory or into the file `out`."""
    options = dict(options or {})
    cores = [_core(sample) for sample in samples]
    if block is not None and block < 1:
        raise ValueError("block: it must be at least 1")
    # What must hold for all samples together is checked at once, before anything is sent.
    _srrd.cross(cores, [], choices(metric, 0.0), threads)
    choices(metric, gamma, **options)
    if gamma == "auto":
        # Once, from all samples: a block would find a discount factor of its own.
        estimate = estimate_gamma(*samples, threads=threads)
        for concern in _concerns_of_gamma(estimate):
            warnings.warn(concern, _srrd.DataWarning, stacklevel=3)
        gamma = estimate["gamma"]
    asked = Question(metric, float(gamma), options, threads)
    if not callable(progress):
        progress = bool(progress)
    side = 1

    def group(number: int) -> list[_srrd.Sample]:
        return cores[number * side : (number + 1) * side]

    with working(engine, group) as backend:
        file = None if out is None else MatrixFile(out, len(cores))
        try:
            side = block or (file.block if file else None) or default_block(len(cores), backend.workers)
            if file is not None:
                file.begin(side, _fingerprint(cores, asked, undefined))
            asked = replace(asked, threads=threads or backend.threads)
            matrix, count, first = _blocks(backend, len(cores), side, asked, undefined, file, Meter(progress, "blocks"))
            if file is not None:
                matrix = file.done()
        finally:
            if file is not None:
                file.close()
    if first is not None:
        i, j = first
        pairs = len(cores) * (len(cores) - 1) // 2
        warnings.warn(
            f"{count} of {pairs} distances are undefined; the first is that of samples {i} and {j}: "
            + _why(cores[i], cores[j], asked),
            _srrd.DataWarning,
            stacklevel=3,
        )
    return matrix


def _blocks(
    backend: Backend,
    size: int,
    side: int,
    question: Question,
    undefined: float | None,
    file: MatrixFile | None,
    meter: Meter,
) -> tuple[npt.NDArray[np.float64], int, tuple[int, int] | None]:
    """The matrix, how many distances are undefined in it, and the first of them."""
    matrix = np.empty((size, size)) if file is None else file.matrix
    concerns: dict[tuple[int, int], Concern] = {} if file is None else dict(file.finished)
    # A column of blocks after the other: what was sent last is used at once.
    keys = [(i, j) for j in range(math.ceil(size / side)) for i in range(j + 1)]
    tasks = [_task(key, question) for key in keys if key not in concerns]

    def finished(task: Task, distances: npt.NDArray[np.float64]) -> None:
        i, j = task.key
        missing = np.isnan(distances)
        if missing.any():
            concerns[task.key] = _concern(missing, i * side, j * side)
            if undefined is not None:
                distances = np.where(missing, undefined, distances)
                if i == j:
                    # As those who take precomputed distances expect.
                    distances[np.diag(np.diagonal(missing))] = 0.0
        else:
            concerns[task.key] = (0, None)
        rows = slice(i * side, i * side + distances.shape[0])
        columns = slice(j * side, j * side + distances.shape[1])
        matrix[rows, columns] = distances
        matrix[columns, rows] = distances.T
        if file is not None:
            file.note(task.key, concerns[task.key])
        meter.tell(len(concerns))

    meter.start(len(concerns), len(keys))
    quiet()
    try:
        work(backend, tasks, finished)
    finally:
        meter.end()
    firsts = [first for _, first in concerns.values() if first is not None]
    return matrix, sum(count for count, _ in concerns.values()), min(firsts, default=None)


def _task(key: tuple[int, int], question: Question) -> Task:
    i, j = key
    if i == j:
        return Task(key, f"srrd-diagonal-{i}", diagonal_block_of, (i,), (question,))
    return Task(key, f"srrd-block-{i}-{j}", block_of, (i, j), (question,))


def _concern(missing: npt.NDArray[np.bool_], row: int, column: int) -> Concern:
    """How many pairs have no distance in the block that begins at this row and column, and the first of them."""
    if row == column:
        missing = np.triu(missing, 1)
    pairs = np.argwhere(missing)
    return len(pairs), (row + int(pairs[0, 0]), column + int(pairs[0, 1])) if len(pairs) else None


def _why(a: _srrd.Sample, b: _srrd.Sample, question: Question) -> str:
    """Why two samples have no distance, in the words of the compiled part."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _srrd.pairwise([a, b], question.choices(), None, 1)
    texts = [str(warning.message) for warning in told]
    return next((text.split(": ", 1)[1] for text in texts if "distances are undefined" in text), "it has no value")


def _concerns_of_gamma(estimate: GammaEstimate) -> list[str]:
    """What the local engine says about an estimated discount factor."""
    freedom = estimate["degrees_of_freedom"]
    if not estimate["identified"]:
        why = f"the 95 % interval is {estimate['low']:.3f} to {estimate['high']:.3f}"
        if not freedom:
            why = "shaping with any gamma explains all rewards (no degrees of freedom are left)"
        used = f"{estimate['gamma']:g} is used: give the one that the rewards were made for"
        return [f"gamma auto: the data cannot tell gamma: {why}; {used}"]
    if freedom < _FEW:
        return [f"gamma auto: gamma is estimated from {freedom} degree{'' if freedom == 1 else 's'} of freedom: few"]
    return []


def _fingerprint(cores: Sequence[_srrd.Sample], question: Question, undefined: float | None) -> str:
    """What finished blocks must have been computed from to be of use."""
    settings = [_srrd.__version__, question.metric, repr(question.gamma), repr(undefined)]
    settings += [f"{name}={question.options[name]!r}" for name in sorted(question.options)]
    found = hashlib.blake2b("\0".join(settings).encode(), digest_size=16)
    for core in cores:
        data = core.to_bytes()
        found.update(len(data).to_bytes(8, "little") + data)
    return found.hexdigest()
