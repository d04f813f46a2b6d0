"""The Python package beside numpy, scipy.sparse and the Rust library it binds.

    pip install . -r benchmarks/requirements.txt
    python3 benchmarks/python_package.py            prints the table of docs/python.md

Everything starts from a sample or arrays in memory and ends with an array. `overhead` is what calling from Python adds to the
time that srrd-bench measures in Rust for the same arrays (`cargo build --release -p srrd-bench` makes it). Best of several
repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import data  # noqa: E402
from baselines import pairwise as masked  # noqa: E402
from baselines import sparse  # noqa: E402
from checks import agree_distances  # noqa: E402

import srrd  # noqa: E402

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target")) / "release"
GAMMA = 0.9


def best(repeats: int, *functions: Callable[[], object]) -> list[float]:
    """The least time of each, one after another, as srrd-bench measures: in three rounds, so that a busy moment hits all."""
    times = [float("inf")] * len(functions)
    for _ in range(3):
        for k, function in enumerate(functions):
            function()
            for _ in range(-(-repeats // 3)):
                start = time.perf_counter()
                function()
                times[k] = min(times[k], time.perf_counter() - start)
    return times


def in_rust(case: str, folder: Path, workload: str, metric: str, repeats: int) -> float | None:
    """What srrd-bench measures for the same arrays, on all cores."""
    program = TARGET / "srrd-bench"
    if not program.exists():
        return None
    with tempfile.TemporaryDirectory() as scratch:
        command = [program, case, "--metric", metric, "--threads", str(os.cpu_count()), "--repeats", str(repeats)]
        command += ["--gamma", str(GAMMA)] if case == "canonicalize" else ["--min-common", "3"]
        command += ["--out", Path(scratch) / "out.f64", *data.raw_files(folder, workload)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(json.loads(told.strip().splitlines()[-1])["seconds"])


def canonicalizing(folder: Path, workload: str, repeats: int) -> list[str]:
    """SRRD on one workload."""
    rows = data.load(folder, workload)
    columns = rows.states, rows.actions, rows.next, rows.rewards
    sample = srrd.RewardSample(*columns)
    ours, theirs = best(
        repeats,
        lambda: srrd.canonicalize(sample, metric="srrd", gamma=GAMMA),
        lambda: sparse.canonicalize(*columns, "srrd", GAMMA),
    )
    rust = min(filter(None, (in_rust("canonicalize", folder, workload, "srrd", repeats) for _ in range(3))), default=None)
    name = f"`srrd.canonicalize`, SRRD, {len(sample):,} transitions ({workload})"
    return [name, "scipy.sparse", shown(theirs), shown(ours), f"{theirs / ours:.1f}x", shown(rust), overhead(ours, rust)]


def all_pairs(folder: Path, workload: str, repeats: int) -> list[str]:
    """All pairs of many small samples, of the rewards as they are."""
    rows = data.load(folder, workload)
    assert rows.sample is not None
    count = int(rows.sample.max()) + 1
    samples = [
        srrd.RewardSample(*(column[rows.sample == i] for column in (rows.states, rows.actions, rows.next, rows.rewards)))
        for i in range(count)
    ]
    triples = np.stack([rows.states, rows.actions, rows.next], axis=1)
    distinct, transition = np.unique(triples, axis=0, return_inverse=True)
    X, M = masked.dense(rows.sample, transition.ravel(), rows.rewards, count, len(distinct))
    ours, theirs = best(repeats, lambda: srrd.pairwise(samples, metric="direct"), lambda: masked.distances(X, M))
    if not agree_distances(srrd.pairwise(samples, metric="direct").ravel(), masked.distances(X, M).ravel()):
        sys.exit(f"{workload}: the package and numpy differ")
    rust = min(filter(None, (in_rust("pairwise", folder, workload, "direct", repeats) for _ in range(3))), default=None)
    name = f"`srrd.pairwise`, {count:,} samples of {len(samples[0])} transitions"
    return [name, "numpy, masked products", shown(theirs), shown(ours), f"{theirs / ours:.1f}x", shown(rust), overhead(ours, rust)]


def shown(seconds: float | None) -> str:
    if seconds is None:
        return "not measured"
    return f"{1e6 * seconds:.0f} µs" if seconds < 1e-3 else f"{1e3 * seconds:.1f} ms"


def overhead(ours: float, rust: float | None) -> str:
    return "–" if rust is None else f"{100 * (ours - rust) / rust:+.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description="The Python package beside numpy, scipy.sparse and Rust.")
    parser.add_argument("--data", type=Path, default=data.DEFAULT_FOLDER, help="where the workloads are (benchmarks/.data)")
    folder = parser.parse_args().data
    # The samples share few transitions; that is not what is looked at here.
    warnings.simplefilter("ignore", srrd.DataWarning)
    canonicalized = {"policy_3500": 300, "full_400": 30, "grid_1e6": 10, "random_1e6": 10}
    data.ensure(folder, [*canonicalized, "samples_1000"], [])
    rows = [canonicalizing(folder, workload, repeats) for workload, repeats in canonicalized.items()]
    rows.append(all_pairs(folder, "samples_1000", 10))
    head = ["call", "beside", "its time", "srrd in Python", "ratio", "the same in Rust", "overhead"]
    for row in [head, ["---"] * len(head), *rows]:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
