"""A Dask cluster. Dask is not imported: whoever has a client of it has done that."""

from __future__ import annotations

import time
import uuid
from typing import Any, Protocol

from .. import _srrd
from .._worker import Parcel, digest, pack, perform
from .backend import LOOK, Backend, Groups, Lost, Task

#: How often the workers of a cluster are counted, in seconds.
_RECOUNT = 5.0


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


class Dask(Backend):
    """A Dask cluster.

    A group of samples is scattered to one worker; others that need it take it from there and keep it. Dask runs the
    tasks of a lost worker again, but scattered data it cannot make again: then its tasks are cancelled, and are
    started again with new data.
    """

    def __init__(self, client: DaskClient, groups: Groups) -> None:
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
            samples = self._groups(group)
            if isinstance(samples, Parcel):
                # The names of files go with the task: there is nothing that could get lost.
                return samples
            data = pack(samples)
            parcel = Parcel(digest(data), len(data), data=data)
            future = self._scattered[group] = self._scatter(parcel)
        return future

    def _scatter(self, parcel: Parcel) -> Any:
        """Sends a group to a worker: to another one if that dies meanwhile, which breaks the connection to it."""
        while True:
            try:
                # Not hashed: the same name would bring back what was lost.
                (future,) = self._client.scatter([parcel], hash=False, broadcast=False)
            except OSError as error:
                # Also timeouts, and closed connections of Dask.
                self._check_connection(error)
                time.sleep(LOOK / 10)
                self._wait_for_workers()
            else:
                return future

    def _check_connection(self, error: BaseException) -> None:
        if self._client.status != "running":
            raise RuntimeError(
                "the connection to Dask's scheduler is lost. What is finished is kept where there is a file for it "
                "(out=, or the folder of a run): connect again and call again"
            ) from error

    def _wait_for_workers(self) -> None:
        """Those of a batch system may take hours to come, or to come back."""
        while self._client.status == "running" and not self._client.nthreads():
            time.sleep(LOOK)

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
            if not names & {"CancelledError", "KilledWorker", "CommClosedError"}:
                raise
            self._check_connection(error)
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
