"""Where large work is done: here, in the processes of an executor, or on a cluster.

`srrd.pairwise` and `srrd.run` take ``engine=``: a ``dask.distributed.Client``, or any ``concurrent.futures.Executor``.
Blocks of the matrix and shards of a plan are the tasks. Results are those of the local engine, to the last bit.

>>> import numpy as np, srrd
>>> from concurrent.futures import ThreadPoolExecutor
>>> rng = np.random.default_rng(0)
>>> s, a, n = (rng.integers(k, size=200) for k in (10, 3, 10))
>>> samples = [srrd.RewardSample(s, a, n, rng.normal(size=(10, 3, 10))[s, a, n]) for _ in range(6)]
>>> with ThreadPoolExecutor(2) as pool:
...     there = srrd.pairwise(samples, engine=pool, block=2)
>>> there.tobytes() == srrd.pairwise(samples).tobytes()
True
"""

from __future__ import annotations

from .backend import TASKS_PER_WORKER, Backend, Here, Lost, Task, work
from .choose import Engine, backend_of, working
from .dask import Dask, DaskClient
from .executor import Processes, Threads
from .pairwise import default_block, pairwise_on

__all__ = [
    "TASKS_PER_WORKER",
    "Backend",
    "Dask",
    "DaskClient",
    "Engine",
    "Here",
    "Lost",
    "Processes",
    "Task",
    "Threads",
    "backend_of",
    "default_block",
    "pairwise_on",
    "work",
    "working",
]
