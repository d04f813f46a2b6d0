"""Which backend does the work of an engine."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Literal, TypeAlias

from .backend import Backend, Groups, Here
from .dask import Dask, DaskClient
from .executor import Processes, Threads

#: What `engine=` takes.
Engine: TypeAlias = Executor | DaskClient | Literal["ray"]


def backend_of(engine: Engine | None, groups: Groups) -> Backend:
    """How to have work done by `engine`."""
    if engine is None:
        return Here(groups)
    if engine == "ray":
        from .ray import Ray

        return Ray(groups)
    if isinstance(engine, ThreadPoolExecutor):
        return Threads(engine, groups)
    if isinstance(engine, Executor):
        return Processes(engine, groups)
    from_dask = any(kind.__module__.split(".")[0] == "distributed" for kind in type(engine).__mro__)
    if from_dask and hasattr(engine, "scatter"):
        return Dask(engine, groups)
    hint = "; of a Dask cluster make a client: dask.distributed.Client(cluster)" if from_dask else ""
    raise TypeError(
        "engine: a dask.distributed.Client, a concurrent.futures.Executor or 'ray' is needed, "
        f"not {type(engine).__name__}{hint}"
    )


@contextmanager
def working(engine: Engine | None, groups: Groups) -> Iterator[Backend]:
    """A backend, closed in the end."""
    backend = backend_of(engine, groups)
    try:
        yield backend
    finally:
        backend.close([])
