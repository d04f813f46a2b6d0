"""How long the questions about behaviour take on large samples; prints a table.

    python3 benchmarks/behaviour.py [--repeats N] [--skip-lsmr]

Cases, all with gamma 0.9 and two threads on the Rust side:
    projected   the residual of 1,000,000 transitions over 100,000 states (10 random successors per state), against
                `scipy.sparse.linalg.lsmr` on the same system, solved to the same accuracy
    interval    the distance of two rewards on these transitions and its 95 % interval: 20 projections of each reward
    potential   the distance of two rewards on 1,000,000 transitions of 6 features with 256 random Fourier features
    regret      what acting on the wrong one of the two rewards costs, 100,000 states

Wall time and processor time (user, of all threads) stand side by side, the least of the repeats: on a machine that does other things
the processor time says more. It needs what benchmarks/run.py needs, and `cargo build --release -p srrd-bench`.
"""

import environment

environment.ensure()

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from baselines import projected

GAMMA, STATES, ROWS, FEATURES = 0.9, 100_000, 1_000_000, 6


def bench_binary():
    root = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parent.parent / "target"))
    binary = root / "release" / "srrd-bench"
    if not binary.exists():
        sys.exit(f"{binary} is not there: cargo build --release -p srrd-bench")
    return binary


def data(folder):
    """The arrays of all cases, as raw files; states, next states and rewards are returned."""
    rng = np.random.default_rng(0)
    states = np.repeat(np.arange(STATES, dtype=np.uint32), ROWS // STATES)
    actions = np.tile(np.arange(ROWS // STATES, dtype=np.uint32), STATES)
    following = rng.integers(STATES, size=ROWS, dtype=np.uint32)
    first = rng.normal(size=ROWS)
    second = 0.8 * first + 0.6 * rng.normal(size=ROWS)
    places = rng.normal(size=(ROWS, FEATURES))
    moved = places + 0.3 * rng.normal(size=(ROWS, FEATURES))
    arrays = {"s.u32": states, "a.u32": actions, "n.u32": following, "x.f64": first, "y.f64": second,
              "ps.f64": places, "pn.f64": moved}
    for name, values in arrays.items():
        values.astype(values.dtype.newbyteorder("<")).tofile(folder / name)
    return states, following, first


def timed(call):
    """Wall and user seconds, children included, and what the call returns."""
    def used():
        return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

    user, wall = used(), time.perf_counter()
    result = call()
    return time.perf_counter() - wall, used() - user, result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--skip-lsmr", action="store_true")
    options = parser.parse_args()
    print("\n".join(f"{name}: {value}" for name, value in environment.describe()), "\n")
    print("| case | wall, computing only | processor time of a whole call | result |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        states, following, rewards = data(folder)
        files = {name: [str(folder / f"{file}") for file in of.split()] for name, of in {
            "canonicalize": "s.u32 a.u32 n.u32 x.f64",
            "interval": "s.u32 a.u32 n.u32 x.f64 y.f64",
            "regret": "s.u32 a.u32 n.u32 x.f64 y.f64",
            "potential": "ps.f64 pn.f64 x.f64 y.f64",
        }.items()}
        more = {"potential": ["--potential", "fourier:256", "--features", str(FEATURES)]}
        residual = None
        for case, paths in files.items():
            out = folder / "out.f64"
            command = [bench_binary(), case, "--metric", "projected", "--gamma", str(GAMMA), "--threads", "2",
                       "--repeats", str(options.repeats), "--out", str(out), *more.get(case, []), *paths]
            _, user, done = timed(lambda: subprocess.run(command, check=True, capture_output=True, text=True))
            seconds = json.loads(done.stdout)["seconds"]
            values = np.fromfile(out)
            if case == "canonicalize":
                residual = values
            shown = "" if case == "canonicalize" else ", ".join(f"{value:.4f}" for value in values)
            # One call to warm up, then the repeats.
            print(f"| srrd {case} | {seconds:.2f} s | {user / (options.repeats + 1):.2f} s | {shown} |", flush=True)
        if not options.skip_lsmr:
            wall, user, found = timed(lambda: projected.canonicalize(states, following, rewards, GAMMA))
            apart = np.abs(found - residual).max()
            print(f"| scipy lsmr | {wall:.2f} s | {user:.2f} s | residuals differ by at most {apart:.1e} |")


if __name__ == "__main__":
    main()
