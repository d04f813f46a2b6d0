"""How long recorded data takes to be read, converted and cut into cells; prints tables.

    python3 benchmarks/recordings.py [--gigabytes 2] [--work DIR]     needs h5py and scikit-learn beside benchmarks/requirements.txt,
                                                                      and `cargo build --release -p srrd-cli -p srrd-bench`

Cases:
    convert     a robomimic file of so many gigabytes (1,000 demonstrations, doubles) to Parquet; within 2 minutes and 1 GB of memory
    read        the same arrays read by srrd (piece by piece, as columns) and by h5py (whole arrays), processor time of either
    cells       k-means of `srrd discretize` (reading and writing included) and of scikit-learn with ten starts, one thread each; inertia of
                srrd over that of scikit-learn

Processor time is user and system of all threads: on a machine that does other things it says more than wall time.
Memory is the most that was resident, as the system counts it; pages of the file that are mapped count, too.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PARTS = {"obs/object": 20, "obs/robot": 33, "next_obs/object": 20, "next_obs/robot": 33, "actions": 7}
READ = [*PARTS, "rewards", "dones"]
DEMONSTRATIONS = 1000


def make(path: Path, gigabytes: float) -> None:
    """A file as robomimic writes it, with `states` that are not read."""
    rng = np.random.default_rng(0)
    parts = PARTS | {"states": 32}
    steps = max(1, round(gigabytes * 1e9 / DEMONSTRATIONS / 8 / (sum(parts.values()) + 2)))
    blocks = {key: rng.normal(size=(steps, width)) for key, width in parts.items()}
    with h5py.File(path, "w") as file:
        for demo in range(DEMONSTRATIONS):
            group = file.create_group(f"data/demo_{demo}")
            group.attrs["num_samples"] = steps
            for key, block in blocks.items():
                group[key] = block + demo
            group["rewards"] = rng.random(steps)
            group["dones"] = (np.arange(steps) == steps - 1).astype("i8")


def measured(*command: str) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and the most memory in megabytes of a command."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)}\n{said}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def by_h5py(path: Path) -> tuple[float, float]:
    """Wall and processor seconds of h5py, for the arrays that srrd reads."""
    start, before = time.monotonic(), time.process_time()
    with h5py.File(path) as file:
        for demo in file["data"].values():
            for key in READ:
                demo[key][()]
    return time.monotonic() - start, time.process_time() - before


def cells(srrd: str, work: Path) -> None:
    """k-means beside scikit-learn."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, 2)) * 10
    sets = {
        "50 groups in 2 features": (centres[rng.integers(50, size=20_000)] + rng.normal(size=(20_000, 2)), 50),
        "a cloud in 8 features": (rng.normal(size=(6_000, 8)), 20),
        "a cloud in 6 features": (rng.normal(size=(40_000, 6)) @ rng.normal(size=(6, 6)), 50),
    }
    print(
        "\n| rows | features, cells | srrd discretize, CPU | scikit-learn, 10 starts, CPU | inertia, srrd over scikit-learn |"
    )
    print("|---|---|---|---|---|")
    for name, (places, count) in sets.items():
        table, saved, width = work / "places.csv", work / "cells.json", places.shape[1]
        with open(table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*(f"state.{at}" for at in range(width)), "action", "reward"])
            writer.writerows([*row, 0, 1.0] for row in places.tolist())
        command = (
            srrd,
            "discretize",
            str(table),
            "-o",
            str(work / "cells.csv"),
            "--cells",
            str(count),
            "--next",
            "none",
        )
        _, ours, _ = measured(*command, "--save", str(saved), "--threads", "1")
        rows = (places - places.mean(axis=0)) / places.std(axis=0)
        found = np.array(json.loads(saved.read_text())["states"]["cells"]["centres"]).reshape(-1, width)
        pieces = np.array_split(rows, 20)
        inertia = sum(((piece[:, None] - found) ** 2).sum(axis=2).min(axis=1).sum() for piece in pieces)
        with threadpool_limits(1):
            before = time.process_time()
            best = KMeans(count, n_init=10, random_state=0).fit(rows).inertia_
            theirs = time.process_time() - before
        print(f"| {len(rows):,}: {name} | {width}, {count} | {ours:.2f} s | {theirs:.2f} s | {inertia / best:.4f} |")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0, help="size of the HDF5 file (default 2)")
    parser.add_argument("--work", type=Path, help="folder for the files (default: a temporary one)")
    parser.add_argument(
        "--bin", type=Path, default=ROOT / "target/release", metavar="DIR", help="where srrd and srrd-bench are"
    )
    args = parser.parse_args()
    srrd, bench = str(args.bin / "srrd"), args.bin / "srrd-bench"
    with tempfile.TemporaryDirectory(dir=args.work) as folder:
        work = Path(folder)
        path = work / "big.hdf5"
        make(path, args.gigabytes)
        print(f"load average {os.getloadavg()[0]:.1f}; the file has {path.stat().st_size / 1e9:.2f} GB\n")
        print("| case | wall | CPU | most memory |\n|---|---|---|---|")
        wall, cpu, memory = measured(srrd, "convert", str(path), "-o", str(work / "big.parquet"))
        print(f"| convert to Parquet | {wall:.1f} s | {cpu:.1f} s | {memory:.0f} MB |")
        if bench.exists():
            wall, cpu, memory = measured(str(bench), "read", str(path))
            print(f"| read, srrd | {wall:.1f} s | {cpu:.2f} s | {memory:.0f} MB |")
        wall, cpu = by_h5py(path)
        print(f"| read, h5py | {wall:.1f} s | {cpu:.2f} s | |")
        path.unlink()
        cells(srrd, work)


if __name__ == "__main__":
    main()
