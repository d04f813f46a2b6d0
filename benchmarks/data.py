"""The workloads of the benchmarks, the same on every machine: each has its own seed.

    python3 benchmarks/data.py [--out FOLDER] [NAME...]

A workload is a folder of raw little-endian arrays with one entry per row: `states.u32`, `actions.u32`, `next.u32`,
`rewards.f64` and, when there are several samples, `sample.u32`. The transitions of a sample are distinct. Rewards are
standard normal. `CSV_FILES` names the tables that are written from them, with the columns `state`, `action`,
`next_state`, `reward`. What exists already is kept, unless it was written by another version of this file.
"""

import argparse
import shutil
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

VERSION = "1"
DEFAULT_FOLDER = Path(__file__).resolve().parent / ".data"
COLUMNS = {"sample": "<u4", "states": "<u4", "actions": "<u4", "next": "<u4", "rewards": "<f8"}
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True)
class Workload:
    """The rows of a workload. Ids fit a signed 32-bit integer, the index type that scipy.sparse is fastest with."""

    states: np.ndarray
    actions: np.ndarray
    next: np.ndarray
    rewards: np.ndarray
    sample: np.ndarray | None = None

    def __len__(self):
        return len(self.rewards)


def neighbours(side):
    """The cell that each of the four moves leads to from each cell of a grid; a wall leaves it where it is."""
    y, x = np.divmod(np.arange(side * side), side)
    ends = [np.clip(y + dy, 0, side - 1) * side + np.clip(x + dx, 0, side - 1) for dx, dy in MOVES]
    return np.stack(ends, axis=1)


def with_rewards(rng, states, actions, next_states):
    return Workload(states, actions, next_states, rng.normal(size=len(states)))


def policy_grid(side, transitions, jumps, seed):
    """A sample as a random policy in a slippery grid gives it, in the order it was met.

    A step goes to a random neighbour, whatever the action, and with probability `jumps` to a random cell.
    """
    rng = np.random.default_rng(seed)
    ends, cells, seen = neighbours(side), side * side, {}
    while len(seen) < transitions:
        state, action = int(rng.integers(cells)), int(rng.integers(len(MOVES)))
        jump = rng.random() < jumps
        end = int(rng.integers(cells)) if jump else int(ends[state, rng.integers(len(MOVES))])
        seen[state, action, end] = None
    return with_rewards(rng, *np.array(list(seen)).T)


def full_graph(states, seed):
    """Every pair of states, by one action."""
    start, end = np.divmod(np.arange(states * states), states)
    return with_rewards(np.random.default_rng(seed), start, np.zeros_like(start), end)


def local_grid(transitions, seed):
    """All four moves from every cell, cell by cell; the side is the one that comes closest to `transitions`."""
    side = round((transitions / len(MOVES)) ** 0.5)
    states, actions = np.divmod(np.arange(len(MOVES) * side * side), len(MOVES))
    return with_rewards(np.random.default_rng(seed), states, actions, neighbours(side).ravel())


def random_graph(transitions, out_degree, seed):
    """`out_degree` actions from every state, each to a state drawn at random; state by state."""
    rng = np.random.default_rng(seed)
    states, actions = np.divmod(np.arange(transitions), out_degree)
    return with_rewards(rng, states, actions, rng.integers(transitions // out_degree, size=transitions))


def power_graph(transitions, out_degree, seed):
    """Like `random_graph`, but a few states are entered by very many: the i-th as often as i^-1/2, a power law with exponent 3."""
    rng = np.random.default_rng(seed)
    count = transitions // out_degree
    states, actions = np.divmod(np.arange(transitions), out_degree)
    return with_rewards(rng, states, actions, (count * rng.random(transitions) ** 2).astype(np.int64))


def star_graph(transitions, seed):
    """One state from which all others are reached, and which all others lead back to."""
    leaves = np.arange(1, transitions // 2 + 1)
    hub = np.zeros_like(leaves)
    states, ends = np.concatenate([hub, leaves]), np.concatenate([leaves, hub])
    return with_rewards(np.random.default_rng(seed), states, np.zeros_like(states), ends)


def many_samples(samples, held, side, seed):
    """Samples that each hold `held` transitions, drawn at random from the local moves of one grid."""
    rng = np.random.default_rng(seed)
    ends = neighbours(side)
    drawn = np.concatenate([rng.permutation(ends.size)[:held] for _ in range(samples)])
    states, actions = np.divmod(drawn, len(MOVES))
    rewards = rng.normal(size=len(drawn))
    return Workload(states, actions, ends[states, actions], rewards, np.repeat(np.arange(samples), held))


WORKLOADS = {
    "policy_3500": partial(policy_grid, side=20, transitions=3500, jumps=0.15, seed=1),
    "full_400": partial(full_graph, states=400, seed=2),
    "grid_1e5": partial(local_grid, transitions=10**5, seed=35),
    "grid_1e6": partial(local_grid, transitions=10**6, seed=36),
    "grid_1e7": partial(local_grid, transitions=10**7, seed=37),
    "random_1e5": partial(random_graph, transitions=10**5, out_degree=10, seed=45),
    "random_1e6": partial(random_graph, transitions=10**6, out_degree=10, seed=46),
    "random_1e7": partial(random_graph, transitions=10**7, out_degree=10, seed=47),
    "power_1e5": partial(power_graph, transitions=10**5, out_degree=10, seed=55),
    "power_1e6": partial(power_graph, transitions=10**6, out_degree=10, seed=56),
    "power_1e7": partial(power_graph, transitions=10**7, out_degree=10, seed=57),
    "star_1e5": partial(star_graph, transitions=10**5, seed=65),
    "star_1e6": partial(star_graph, transitions=10**6, seed=66),
    "star_1e7": partial(star_graph, transitions=10**7, seed=67),
    "grid_5e6": partial(local_grid, transitions=5 * 10**6, seed=38),
    "samples_200": partial(many_samples, samples=200, held=200, side=20, seed=6),
    "samples_1000": partial(many_samples, samples=1000, held=130, side=20, seed=5),
}

# Name of the table: the workload it is written from, and the width of the grid for tokens like `12_7` (None: integers).
CSV_FILES = {
    "grid_1e6": ("grid_1e6", None),
    "grid_1e6_tokens": ("grid_1e6", 500),
    "random_1e6": ("random_1e6", None),
    "grid_5e6": ("grid_5e6", None),
}


def raw_files(folder, name):
    """The raw files of a workload, in the order of `COLUMNS`."""
    columns = [c for c in COLUMNS if c != "sample" or WORKLOADS[name].func is many_samples]
    return [folder / name / f"{c}.{'f64' if COLUMNS[c] == '<f8' else 'u32'}" for c in columns]


def load(folder, name):
    """Read a workload back."""
    arrays = {}
    for file in raw_files(folder, name):
        array = np.fromfile(file, COLUMNS[file.stem])
        arrays[file.stem] = array if file.stem == "rewards" else array.astype(np.int32)
    return Workload(**arrays)


def write_raw(folder, name):
    """Make a workload's folder; it appears complete or not at all."""
    workload = WORKLOADS[name]()
    unfinished = folder / f"{name}.part"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for file in raw_files(folder, name):
        getattr(workload, file.stem).astype(COLUMNS[file.stem]).tofile(unfinished / file.name)
    unfinished.rename(folder / name)


def csv_file(folder, name):
    return folder / f"{name}.csv"


def write_csv(folder, name):
    """Write a table; the rewards are written so that they read back to the same bits."""
    source, width = CSV_FILES[name]
    rows = load(folder, source)
    states, next_states = tokens(rows.states, width), tokens(rows.next, width)
    lines = (
        f"{s},{a},{t},{r!r}\n" for s, a, t, r in zip(states, rows.actions.tolist(), next_states, rows.rewards.tolist())
    )
    unfinished = folder / f"{name}.csv.part"
    with open(unfinished, "w", newline="") as out:
        out.write("state,action,next_state,reward\n")
        while block := "".join(islice(lines, 10_000)):
            out.write(block)
    unfinished.rename(csv_file(folder, name))


def tokens(ids, width):
    """State ids as written in a table: as integers, or as `x_y` in a grid of the given width."""
    if width is None:
        return ids.tolist()
    return [f"{i % width}_{i // width}" for i in ids.tolist()]


def discard_other_version(folder):
    """Empty the folder of what another version of this file wrote there."""
    stamp = folder / "VERSION"
    if stamp.is_file() and stamp.read_text() != VERSION:
        for name in WORKLOADS:
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in CSV_FILES:
            csv_file(folder, name).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    stamp.write_text(VERSION)


def ensure(folder, workloads, tables):
    """Write what is missing of the named workloads and tables."""
    discard_other_version(folder)
    for name in dict.fromkeys([*workloads, *(CSV_FILES[table][0] for table in tables)]):
        if not (folder / name).is_dir():
            print(f"data: {name}", flush=True)
            write_raw(folder, name)
    for name in tables:
        if not csv_file(folder, name).is_file():
            print(f"data: {name}.csv", flush=True)
            write_csv(folder, name)


def main():
    parser = argparse.ArgumentParser(description="Write the workloads of the benchmarks.")
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER, help="the folder (default: benchmarks/.data)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(WORKLOADS)}; all, with the tables")
    options = parser.parse_args()
    unknown = set(options.names) - set(WORKLOADS)
    if unknown:
        parser.error(f"no workload is called {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    ensure(options.out, options.names or WORKLOADS, () if options.names else CSV_FILES)


if __name__ == "__main__":
    main()
