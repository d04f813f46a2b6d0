"""A Ray cluster, or Ray on this machine. Ray is imported when it is asked for."""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

from .. import _srrd
from .._worker import Parcel, digest, pack, perform
from .backend import Backend, Groups, Lost, Task

#: How often Ray itself runs a task again whose worker was lost, before it is started again from here.
_RETRIES = 3
#: What the processes of a Ray that is started here know one another by. Ray keeps the first one it reads, so it is one per process.
_TOKEN = secrets.token_hex(32)


@contextlib.contextmanager
def _alone(ray: Any) -> Iterator[None]:
    """While Ray starts: on loopback alone, and without a token in the home folder. What is set here goes on to the processes of Ray.

    Elsewhere than on Windows and macOS Ray takes the address of the network even where loopback is asked for, unless it is told that
    there are no other machines.
    """
    settings = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    if "RAY_AUTH_TOKEN_PATH" not in os.environ and "RAY_AUTH_TOKEN" not in os.environ:
        settings["RAY_AUTH_TOKEN"] = _TOKEN
    before = {name: os.environ.get(name) for name in settings}
    constants: Any = getattr(ray._private, "ray_constants", None)
    clusters = getattr(constants, "ENABLE_RAY_CLUSTER", None)
    os.environ.update(settings)
    if clusters is not None:
        constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        if clusters is not None:
            constants.ENABLE_RAY_CLUSTER = clusters
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def begin() -> tuple[Any, str | None]:
    """Ray, and the folder that is to be removed in the end if it was started here.

    A Ray that runs already is used as it is. Otherwise one is started on this machine alone: on loopback, without a
    dashboard, without reports of usage, and with its files in a temporary folder.
    """
    # Before the import, which reads it.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise ImportError("engine='ray': Ray is not installed: pip install 'srrd[ray]'") from None
    if ray.is_initialized():
        return ray, None
    # Short: the names of sockets have a longest length.
    folder = tempfile.mkdtemp(prefix="srrd-ray-", dir="/tmp" if os.path.isdir("/tmp") else None)
    try:
        with _alone(ray):
            ray.init(
                address="local",
                include_dashboard=False,
                log_to_driver=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=folder,
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return ray, folder


class Ray(Backend):
    """Ray. A group of samples is one object of its store, which every worker reads.

    Ray runs the tasks of a lost worker again. An object that was lost with its machine it cannot make again: its tasks
    are started again with a new one.
    """

    def __init__(self, groups: Groups) -> None:
        super().__init__(groups)
        self._ray, self._folder = begin()
        self.workers = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._call = self._ray.remote(max_retries=_RETRIES)(perform)
        self._objects: dict[int, Any] = {}
        self._references: dict[concurrent.futures.Future[Any], tuple[Any, tuple[int, ...]]] = {}

    def _group(self, group: int) -> Any:
        if group not in self._objects:
            samples = self._groups(group)
            if isinstance(samples, Parcel):
                return samples
            data = pack(samples)
            self._objects[group] = self._ray.put(Parcel(digest(data), len(data), data=data))
        return self._objects[group]

    def start(self, task: Task, tries: int) -> Any:
        groups = [self._group(group) for group in task.groups]
        reference = self._call.options(name=task.name).remote(_srrd.__version__, task.function, task.arguments, *groups)
        future: concurrent.futures.Future[Any] = reference.future()
        self._references[future] = (reference, task.groups)
        return future

    def result(self, future: Any) -> Any:
        _, groups = self._references.pop(future)
        try:
            return super().result(future)
        except self._ray.exceptions.RayTaskError as error:
            # What went wrong in the task itself, as it would have gone wrong here.
            raise error.as_instanceof_cause() from None
        except self._ray.exceptions.RayError as error:
            if not self._ray.is_initialized():
                raise RuntimeError("Ray was shut down. Connect again and call again") from error
            for group in groups:
                self._objects.pop(group, None)
            raise Lost(str(error)) from error

    def drop(self, group: int) -> None:
        self._objects.pop(group, None)

    def close(self, running: list[Any]) -> None:
        for future in running:
            found = self._references.pop(future, None)
            if found is not None and self._ray.is_initialized():
                self._ray.cancel(found[0], force=True)
        self._objects.clear()
        self._references.clear()
        if self._folder is not None:
            self._ray.shutdown()
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
