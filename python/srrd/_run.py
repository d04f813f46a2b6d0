"""The paper's experiments, from Python: here, or on the workers of an engine."""

from __future__ import annotations

import csv
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import _srrd
from ._numbers import threads_or_none, whole
from ._progress import Meter, Progress

if TYPE_CHECKING:
    from .engine import Backend, Engine

#: How many parts a run has at least where it is divided: so much is lost with a worker.
_LEAST_SHARDS = 16
_FILES = ("run.json", "trials.csv")


class Plan:
    """What to run: an experiment, a preset, and the parameters that differ from it.

    Parameters
    ----------
    what
        An experiment of ``srrd reproduce``, whose help lists them: ``"coverage"``, ``"classification"``, ``"regret"``, …
    preset
        ``"quick"``, or ``"paper"`` for the paper's numbers.
    parameters
        Those of ``srrd reproduce``, a value or a list each: ``rollouts=[1, 5]``, ``trials=20``, ``size=(10, 10)``,
        ``min_common=5``, ``as_published=True``.

    Examples
    --------
    >>> import srrd
    >>> plan = srrd.Plan("coverage", rollouts=[1, 5], trials=2)
    >>> plan.trials
    32
    >>> plan.command
    'srrd reproduce coverage -o DIR --preset quick --rollouts 1,5 --trials 2 --seed 0'
    >>> srrd.Plan("coverage", rollouts=0)
    Traceback (most recent call last):
    ValueError: rollouts: whole numbers from 1 to 1000000 are possible, not '0'
    """

    __slots__ = ("_found", "_replaced", "parameters", "preset", "what")
    what: str
    preset: str
    parameters: Mapping[str, Any]

    def __init__(self, what: str, preset: str = "quick", **parameters: Any) -> None:
        self.what = what
        self.preset = preset
        self.parameters = MappingProxyType(dict(parameters))
        self._replaced = [(name.replace("_", "-"), _text(name, value)) for name, value in parameters.items()]
        self._found = _srrd.plan(what, preset, self._replaced)

    @property
    def trials(self) -> int:
        """How many trials there are."""
        return int(self._found["trials"])

    @property
    def command(self) -> str:
        """The command that does the same."""
        return str(self._found["command"])

    def __reduce__(self) -> tuple[Any, ...]:
        return _plan, (self.what, self.preset, dict(self.parameters))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.command == other.command

    def __hash__(self) -> int:
        return hash(self.command)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"Plan({self.what!r}, preset={self.preset!r}{given})"


def _plan(what: str, preset: str, parameters: dict[str, Any]) -> Plan:
    return Plan(what, preset, **parameters)


def _text(name: str, value: Any) -> str:
    """A parameter as the command takes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if name == "size" and isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], (str, tuple)):
        return f"{value[0]}x{value[1]}"
    if hasattr(value, "tolist"):
        # NumPy's numbers have another repr.
        value = value.tolist()
    if isinstance(value, Iterable):
        return ",".join(_text(name, one) for one in value)
    return repr(value)


class Run:
    """A finished run: a folder with ``trials.csv``, ``summary.csv``, ``report.html``, ``run.json`` and ``figures/``."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        #: What the command prints.
        self.text = text

    @property
    def report(self) -> Path:
        """The report, which needs no network."""
        return self.folder / "report.html"

    @property
    def trials(self) -> Path:
        """The table of results, one row per result."""
        return self.folder / "trials.csv"

    def summary(self) -> list[dict[str, str]]:
        """The rows of ``summary.csv``; ``pandas.DataFrame(run.summary())`` makes a frame of them."""
        with (self.folder / "summary.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def __repr__(self) -> str:
        return f"<run in {self.folder}>"


def run(
    plan: Plan,
    folder: str | os.PathLike[str],
    *,
    engine: Engine | None = None,
    shards: int | None = None,
    threads: int | None = None,
    progress: Progress = False,
) -> Run:
    """Runs a plan in a folder. A run that was stopped goes on where it was, and ends with the same bytes.

    Parameters
    ----------
    engine
        Where it is computed: here by default, or on a ``dask.distributed.Client`` or any
        ``concurrent.futures.Executor``. The files are the same. Workers need no access to the folder; finished parts
        are kept in its subfolder ``parts`` until all are there.
    shards
        Into how many parts an engine divides it: by default several per worker, at least 16. Here it is not divided.
    threads
        How many to use: all cores here, one for every part on an engine.
    progress
        True shows on standard error how far it is; a function is called with the number of trials done and of all.

    Examples
    --------
    >>> import srrd, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = srrd.run(srrd.Plan("separation", trials=1, rollouts=2, size="5x5", metric="direct"), folder)
    ...     len(done.summary()) > 0, done.report.name
    (True, 'report.html')
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"a Plan is needed, such as srrd.Plan('coverage'), not {type(plan).__name__}")
    shards = None if shards is None else whole("shards", shards, 1)
    threads = threads_or_none(threads)
    to = Path(folder)
    meter = Meter(progress, "trials")
    if engine is None:
        _here(plan, to, threads, meter)
    else:
        _elsewhere(plan, to, engine, shards, threads, meter)
    return Run(to, _srrd.publish_run(str(to)))


def _here(plan: Plan, folder: Path, threads: int | None, meter: Meter) -> None:
    started = False

    def tell(done: int, of: int) -> None:
        nonlocal started
        if started:
            meter.tell(done)
        else:
            started = True
            meter.start(done, of)

    try:
        _srrd.run_part(str(folder), plan.what, plan.preset, plan._replaced, (1, 1), threads, tell)
    finally:
        meter.end()


def _elsewhere(plan: Plan, folder: Path, engine: Engine, shards: int | None, threads: int | None, meter: Meter) -> None:
    from .engine import TASKS_PER_WORKER, working

    # Also claims the folder: nothing is computed for one that holds another run.
    done, of = _found(plan, folder, (1, 1))
    if done == of:
        return
    parts = folder / "parts"
    with working(engine, lambda _: []) as backend:
        count = min(of, shards or _begun(parts) or max(_LEAST_SHARDS, TASKS_PER_WORKER * backend.workers))
        parts.mkdir(exist_ok=True)
        _divided(plan, parts, count, backend, threads, meter)
    _srrd.merge_parts([str(_part(parts, index, count)) for index in range(1, count + 1)], str(folder))
    shutil.rmtree(parts)


def _divided(plan: Plan, parts: Path, count: int, backend: Backend, threads: int | None, meter: Meter) -> None:
    """Has the parts computed that are missing."""
    from .engine import Task, work

    done = 0
    tasks = []
    for index in range(1, count + 1):
        if _is_finished(plan, _part(parts, index, count), (index, count)):
            done += _trials(plan, index, count)
        else:
            name = f"srrd-{plan.what}-{index}-of-{count}"
            arguments = (plan, (index, count), threads or backend.threads, backend.folder)
            tasks.append(Task(index, name, shard_of, (), arguments))

    def finished(task: Task, files: Mapping[str, bytes]) -> None:
        nonlocal done
        _keep(_part(parts, task.key, count), files)
        done += _trials(plan, task.key, count)
        meter.tell(done)

    meter.start(done, plan.trials)
    try:
        work(backend, tasks, finished)
    finally:
        meter.end()


def shard_of(plan: Plan, shard: tuple[int, int], threads: int | None, wanted: str | None) -> dict[str, bytes]:
    """Computes a part of a plan on a worker and returns its files: there may be no file system in common.

    `wanted` is a folder that exists as long as anybody waits for the part, if it is seen from here.
    """
    from ._worker import is_cancelled

    watched = wanted is not None and os.path.isdir(wanted)

    def look(_done: int, _of: int) -> None:
        if (watched and not os.path.isdir(str(wanted))) or is_cancelled():
            raise RuntimeError("nobody waits for this part any more")

    with tempfile.TemporaryDirectory(prefix="srrd-") as folder:
        _srrd.run_part(folder, plan.what, plan.preset, plan._replaced, shard, threads, look)
        return {name: Path(folder, name).read_bytes() for name in _FILES}


def _trials(plan: Plan, index: int, count: int) -> int:
    return len(range(index - 1, plan.trials, count))


def _part(parts: Path, index: int, count: int) -> Path:
    return parts / f"{index}-of-{count}"


def _begun(parts: Path) -> int | None:
    """Into how many parts an earlier call has divided the run; of several numbers that with the most finished parts."""
    counts: list[int] = []
    for path in parts.glob("*-of-*") if parts.is_dir() else ():
        index, _, count = path.name.partition("-of-")
        if index.isdecimal() and count.isdecimal() and int(count) > 0:
            counts.append(int(count))
    return max(counts, key=lambda count: (counts.count(count), count), default=None)


class _Stop(Exception):
    pass


def _found(plan: Plan, folder: Path, shard: tuple[int, int]) -> tuple[int, int]:
    """How many trials of a part a folder holds, and how many there are. Nothing is computed."""
    told: list[tuple[int, int]] = []

    def tell(done: int, of: int) -> None:
        told.append((done, of))
        raise _Stop

    try:
        _srrd.run_part(str(folder), plan.what, plan.preset, plan._replaced, shard, 1, tell)
    except _Stop:
        pass
    return told[0]


def _is_finished(plan: Plan, part: Path, shard: tuple[int, int]) -> bool:
    if not part.is_dir():
        return False
    try:
        done, of = _found(plan, part, shard)
        if done == of:
            return True
    except ValueError:
        # Files that were damaged, or are of another version: computed again.
        pass
    shutil.rmtree(part)
    return False


def _keep(part: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files of a part beside its place and renames the folder: it is there completely or not at all."""
    beside = Path(tempfile.mkdtemp(prefix=f".{part.name}-", dir=part.parent))
    try:
        # Only these: what a worker sends must not choose its place here.
        for name in _FILES:
            with (beside / name).open("wb") as file:
                file.write(files[name])
                file.flush()
                os.fsync(file.fileno())
        os.rename(beside, part)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
