"""A real Dask cluster on loopback: a scheduler and workers, each a process of its own that can be killed."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srrd


def samples(count: int, *, transitions: int = 60, states: int = 12, seed: int = 0) -> list[srrd.RewardSample]:
    """Samples of features; every ninth reward is constant, so that distances are undefined; the last share little."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        s = rng.integers(states, size=transitions)
        a = rng.integers(3, size=transitions)
        n = (s + rng.integers(1, 4, size=transitions)) % states
        rewards = rng.normal(size=transitions) if number % 9 else np.ones(transitions)
        features = np.stack([np.arange(states), np.arange(states) ** 2 % 7], axis=1)
        if number == count - 1:
            features = features + 1000
        made.append(srrd.RewardSample(features[s], a, features[n], rewards, name=f"sample {number}", episodes=s // 4))
    return made


class Cluster:
    """A scheduler and two workers."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="srrd-test-")
        self._file = str(Path(self._folder, "scheduler.json"))
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers: list[subprocess.Popen[bytes]] = []
        self._start("scheduler", "--port", "0", "--scheduler-file", self._file)
        self.add_worker()
        self.add_worker()
        from distributed import Client

        self.client = Client(scheduler_file=self._file, timeout="30s", set_as_default=False)
        self.ready()

    def _start(self, what: str, *arguments: str) -> subprocess.Popen[bytes]:
        env = os.environ | {
            "PYTHONPATH": str(Path(srrd.__file__).parent.parent),
            # A connection to a worker that was killed is given up sooner than after the usual 30 s.
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s",
        }
        module = f"distributed.cli.dask_{what}"
        call = [sys.executable, "-m", module, "--host", "127.0.0.1", "--no-dashboard", *arguments]
        with Path(self._folder, f"{what}-{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(call, env=env, stdout=log, stderr=log, cwd=self._folder)
        self._processes.append(process)
        return process

    def add_worker(self) -> None:
        worker = ["--nthreads", "1", "--no-nanny", "--local-directory", self._folder]
        self._workers.append(self._start("worker", *worker, "--scheduler-file", self._file))

    def kill_worker(self) -> None:
        self._workers.pop(0).send_signal(signal.SIGKILL)

    def ready(self) -> None:
        """Two workers are there."""
        while len(self._workers) < 2:
            self.add_worker()
        deadline = time.monotonic() + 30
        while len(self.client.nthreads()) != 2:
            assert time.monotonic() < deadline, "the workers did not come"
            time.sleep(0.05)

    def stop(self) -> None:
        with contextlib.suppress(Exception):
            self.client.close(timeout=2)
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


@functools.cache
def _started() -> Cluster:
    cluster = Cluster()
    atexit.register(cluster.stop)
    return cluster


@pytest.fixture(name="cluster")
def cluster_of_tests() -> Cluster:
    """The cluster of all tests; `ready` brings it back to two workers."""
    return _started()


def after(count: int, then: Callable[[], Any]) -> Callable[[int, int], None]:
    """Progress that does something once, when so many parts are done."""
    happened = []

    def progress(done: int, of: int) -> None:
        if done >= count and done < of and not happened:
            happened.append(done)
            then()

    return progress
