"""How much faster a matrix and a run are on two workers than on one: the table of docs/cluster.md.

    python3 benchmarks/cluster.py [--samples 1500] [--trials 12] [--repeats 3]

Starts a Dask scheduler and one, then two worker processes on loopback, and pools of processes; prints the table. All
workers compute the same bytes as the local engine, which is checked. Run it on a quiet machine with at least two cores.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import srrd


def samples(count: int) -> list[srrd.RewardSample]:
    """Samples of 400 transitions each, any two of which share some."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(count):
        s, a = rng.integers(60, size=400), rng.integers(4, size=400)
        n = (s + rng.integers(1, 4, size=400)) % 60
        made.append(srrd.RewardSample(s, a, n, rng.normal(size=400), name=str(number)))
    return made


@contextlib.contextmanager
def dask(workers: int) -> Iterator[Any]:
    """A client of a cluster on loopback."""
    from distributed import Client, LocalCluster

    quiet = {"host": "127.0.0.1", "dashboard_address": None, "processes": True}
    with LocalCluster(n_workers=workers, threads_per_worker=1, **quiet) as cluster, Client(cluster) as client:
        yield client


def timed(work: Callable[[], bytes], repeats: int, expected: bytes | None) -> tuple[float, bytes]:
    """The median time, and the result."""
    times = []
    result = b""
    for _ in range(repeats):
        began = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - began)
        assert expected is None or result == expected, "the bytes differ"
    return statistics.median(times), result


def trials_of(plan: srrd.Plan, **how: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return srrd.run(plan, folder, **how).trials.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--projected", type=int, default=160)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    many = samples(given.samples)
    plan = srrd.Plan("coverage", rollouts=[5, 100], trials=given.trials)
    jobs: dict[str, Callable[..., bytes]] = {
        f"SRRD matrix of {given.samples:,} samples": lambda **how: srrd.pairwise(many, "srrd", **how).tobytes(),
        f"projected matrix of {given.projected:,} samples": (
            lambda **how: srrd.pairwise(many[: given.projected], "projected", **how).tobytes()
        ),
        f"run of {plan.trials:,} trials": lambda **how: trials_of(plan, **how),
    }
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| work | local, 1 thread | local, 2 threads | engine | 1 worker | 2 workers | speed-up |")
    print("|---|---|---|---|---|---|---|")
    for name, job in jobs.items():
        one, expected = timed(lambda job=job: job(threads=1), given.repeats, None)
        two, _ = timed(lambda job=job: job(threads=2), given.repeats, expected)
        for engine, start in (("Dask", dask), ("ProcessPoolExecutor", ProcessPoolExecutor)):
            times = []
            for workers in (1, 2):
                with start(workers) as running:
                    # Starting workers and importing there are not what is measured.
                    srrd.pairwise(many[:4], engine=running, block=1)
                    times.append(
                        timed(lambda job=job, running=running: job(engine=running), given.repeats, expected)[0]
                    )
            cells = [f"{t:.2f} s" for t in (one, two)], [f"{t:.2f} s" for t in times]
            print(
                f"| {name} | {' | '.join(cells[0])} | {engine} | {' | '.join(cells[1])} | {times[0] / times[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
