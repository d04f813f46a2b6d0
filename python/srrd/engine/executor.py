"""The threads and processes of a ``concurrent.futures.Executor``."""

from __future__ import annotations

import collections
import concurrent.futures
import os
import shutil
import tempfile
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from .. import _srrd
from .._worker import Parcel, digest, pack, perform
from .backend import Backend, Groups, Lost, Task

#: How long to wait for tasks that are not wanted any more, in seconds: an interrupt is answered within 0.4 s.
_PATIENCE = 0.2


class Executed(Backend):
    """What executors have in common."""

    def __init__(self, executor: Executor, groups: Groups) -> None:
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
        concurrent.futures.wait(running, timeout=_PATIENCE)


class Processes(Executed):
    """The processes of an executor, on this machine or others.

    A group of samples is written to a file once; every process reads it once and keeps it. Processes elsewhere do not
    see the file: they get the samples with their tasks, until every process should have them, and say so if one has
    not.
    """

    def __init__(self, executor: Executor, groups: Groups) -> None:
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
            samples = self._groups(group)
            if isinstance(samples, Parcel):
                return samples
            data = pack(samples)
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
