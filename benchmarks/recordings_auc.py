"""Are rewards that ask for the same told from others on recorded states, which never repeat? Areas under the ROC curve.

    python3 collectors/robosuite_lift.py -o recordings/robomimic       (in its own environment, see collectors/README.md)
    python3 benchmarks/recordings_auc.py lift recordings/robomimic     needs numpy and h5py, and `cargo build --release`
    python3 collectors/smax_battle.py -o recordings/starcraft
    python3 benchmarks/recordings_auc.py smax recordings/starcraft

Six reward functions judge the same recorded transitions. Each has copies: scaled by a number between 0.3 and 3, and
shaped by γφ(s') − φ(s) with a φ that no basis of `--potential` holds: a random net of 32 tanh units, or the distance
to a random place. Shaping is as strong as the reward (equal standard deviation). A pair is *equivalent* if both come
from one reward function, and *different* otherwise. The area is the chance that an equivalent pair has a smaller
distance than a different one; undefined distances count as the largest.

With `--apart` no transition is judged twice: one copy of each reward function, shaped by a net, judges every other episode, and one shaped by a
distance judges the rest. `srrd` then predicts each reward where the other was sampled (`--support space`).
"""

from __future__ import annotations

import argparse
import copy
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

GAMMA = 0.99
ROOT = Path(__file__).resolve().parent.parent
METRICS = ("direct", "epic", "dard", "srrd", "projected")


class Transitions:
    """Recorded steps: features of s and s', actions, which steps end the task, and of which episode they are."""

    def __init__(self, parts: list[dict[str, np.ndarray]]) -> None:
        self.state, self.after, self.action, self.done = (
            np.concatenate([part[key] for part in parts]) for key in ("state", "after", "action", "done")
        )
        self.episode = np.repeat(np.arange(len(parts)), [len(part["state"]) for part in parts])

    def only(self, rows: np.ndarray) -> Transitions:
        """Some of them."""
        found = copy.copy(self)
        for key, values in vars(self).items():
            setattr(found, key, values[rows])
        return found


def lift(folder: Path, episodes: int) -> Transitions:
    """Where the cube and the hand are, of some episodes of each class."""
    import h5py

    keys = ("object", "robot0_eef_pos", "robot0_gripper_qpos")
    parts = []
    for path in sorted(folder.glob("lift/*/*.hdf5")):
        with h5py.File(path) as file:
            for name in sorted(file["data"], key=lambda name: int(name[5:]))[:episodes]:
                demo = file["data"][name]
                state, after = (np.hstack([demo[f"{of}/{key}"][()] for key in keys]) for of in ("obs", "next_obs"))
                parts.append(
                    {"state": state, "after": after, "action": demo["actions"][()], "done": demo["dones"][()] > 0}
                )
    return Transitions(parts)


def lift_rewards(data: Transitions) -> dict[str, np.ndarray]:
    """Six tasks for the arm; the cube is at 0 to 2, the way from hand to cube at 7 to 9, the hand at 10 to 12."""
    cube, gap, hand = data.after[:, :3], np.linalg.norm(data.after[:, 7:10], axis=1), data.after[:, 10:13]
    return {
        "reach": -gap,
        "lift": cube[:, 2],
        "near": 1 - np.tanh(10 * gap),
        "centre": -np.linalg.norm(cube[:, :2], axis=1) - 0.1 * np.linalg.norm(hand[:, :2], axis=1),
        "effort": -(data.action[:, :6] ** 2).sum(axis=1),
        "high": hand[:, 2],
    }


def smax(folder: Path, episodes: int) -> Transitions:
    """How many units both sides have and where their centres are; the action is how many allied units attack."""
    parts = []
    for path in sorted(path for kind in folder.glob("c*-*") for path in sorted(kind.glob("*.csv"))[:episodes]):
        rows: dict[int, list[dict[str, str]]] = {}
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                rows.setdefault(int(row["iteration"]), []).append(row)
        states, attacking = [], []
        for at in sorted(rows):
            state = []
            for side in ("is_mine", "is_enemy"):
                places = [(float(row["x_pos"]), float(row["y_pos"])) for row in rows[at] if row[side] == "True"]
                state += [float(len(places)), *(np.mean(places, axis=0) if places else (16.0, 16.0))]
            states.append(state)
            attacking.append([sum(row["is_mine"] == "True" and row["is_attacking"] == "True" for row in rows[at])])
        done = np.arange(len(states) - 1) == len(states) - 2
        state = np.array(states)
        parts.append({"state": state[:-1], "after": state[1:], "action": np.array(attacking[:-1], float), "done": done})
    return Transitions(parts)


def smax_rewards(data: Transitions) -> dict[str, np.ndarray]:
    """Six tasks for the allied side: units at 0 and 3, centres at 1 to 2 and 4 to 5."""
    after, before = data.after, data.state
    gap = np.linalg.norm(after[:, 1:3] - after[:, 4:6], axis=1)
    return {
        "kill": before[:, 3] - after[:, 3],
        "keep": after[:, 0] - before[:, 0],
        "close": -gap,
        "attack": data.action[:, 0],
        "centre": -np.linalg.norm(after[:, 1:3] - 16, axis=1),
        "forward": after[:, 1],
    }


def potential(kind: str, data: Transitions, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """φ(s) and φ(s') of a random potential."""
    mean, spread = data.state.mean(axis=0), data.state.std(axis=0) + 1e-9
    before, after = (data.state - mean) / spread, (data.after - mean) / spread
    if kind == "distance":
        place = before[rng.integers(len(before))]
        return np.linalg.norm(before - place, axis=1), np.linalg.norm(after - place, axis=1)
    inner = rng.normal(size=(before.shape[1], 32)) / np.sqrt(before.shape[1])
    shift, outer = rng.normal(size=32), rng.normal(size=32)
    return np.tanh(before @ inner + shift) @ outer, np.tanh(after @ inner + shift) @ outer


def copies(data: Transitions, rewards: dict[str, np.ndarray], rng: np.random.Generator) -> tuple[list[str], np.ndarray]:
    """Every reward function as it is and with both kinds of shaping; what each column comes from, and the columns."""
    names, columns = [], []
    for name, reward in rewards.items():
        names.append(name)
        columns.append(reward)
        for kind in ("net", "distance"):
            before, after = potential(kind, data, rng)
            shaping = GAMMA * np.where(data.done, 0.0, after) - before
            scale = np.exp(rng.uniform(np.log(0.3), np.log(3)))
            names.append(name)
            columns.append(scale * (reward + shaping * reward.std() / shaping.std()))
    return names, np.stack(columns, axis=1)


def write(path: Path, data: Transitions, columns: np.ndarray) -> None:
    """A table with a column per reward."""
    parts = {"state": data.state, "action": data.action, "next_state": data.after}
    names = [f"{role}.{at}" for role, values in parts.items() for at in range(values.shape[1])]
    rewards = [f"r{at}" for at in range(columns.shape[1])]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, *rewards, "terminated", "episode"])
        for at in range(len(data.state)):
            numbers = np.concatenate([values[at] for values in parts.values()] + [columns[at]])
            writer.writerow([*map(repr, numbers.tolist()), str(bool(data.done[at])).lower(), data.episode[at]])


def area(names: list[str], matrix: np.ndarray) -> float:
    """The chance that an equivalent pair is nearer than a different one; ties count half."""
    matrix = np.where(np.isnan(matrix), 2.0, matrix)
    same = np.array([[a == b for a in names] for b in names])
    above = np.triu(np.ones_like(same), 1)
    near, far = matrix[same & above], matrix[~same & above]
    return float(((near[:, None] < far).mean() + (near[:, None] <= far).mean()) / 2)


def measured(command: list[str]) -> float:
    """Runs a command; the processor seconds it took."""
    before = os.times()
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def apart(srrd: str, work: Path, data: Transitions, rewards: dict[str, np.ndarray], seed: int) -> tuple[float, float]:
    """The area where copies of a reward share no transition, over 6 equivalent pairs and 30 different ones; CPU seconds."""
    names, columns = copies(data, rewards, np.random.default_rng(seed))
    halves = []
    for half, kind in ((0, 1), (1, 2)):
        rows = data.episode % 2 == half
        table = work / f"half{half}.csv"
        write(table, data.only(rows), columns[rows][:, kind::3])
        halves.append(table)
    assert names[1::3] == names[2::3]
    kinds, out = names[1::3], work / "apart.npy"
    options = ["--metric", "projected", "--potential", "auto", "--support", "space", "--gamma", str(GAMMA)]
    seconds = measured([srrd, "matrix", *map(str, halves), "-o", str(out), "--rewards", every_of(len(kinds)), *options])
    order = json.loads(out.with_suffix(".json").read_text())["names"]
    place = {(table.name, at): order.index(f"{table}#r{at}") for table in halves for at in range(len(kinds))}
    at = [[place[table.name, number] for number in range(len(kinds))] for table in halves]
    return area_between(np.load(out)[np.ix_(*at)]), seconds


def area_between(matrix: np.ndarray) -> float:
    """The chance that a pair on the diagonal is nearer than one beside it; ties count half."""
    matrix = np.where(np.isnan(matrix), 2.0, matrix)
    same = np.eye(len(matrix), dtype=bool)
    near, far = matrix[same], matrix[~same]
    return float(((near[:, None] < far).mean() + (near[:, None] <= far).mean()) / 2)


def every_of(count: int) -> str:
    """The reward columns, as options name them."""
    return ",".join(f"r{at}" for at in range(count))


def distances(srrd: str, table: Path, count: int, *options: str) -> tuple[np.ndarray, float]:
    """The distances of all rewards of a table, in the order of its columns."""
    out = table.with_suffix(".npy")
    rewards = ["--rewards", every_of(count)]
    seconds = measured([srrd, "matrix", str(table), "-o", str(out), "--gamma", str(GAMMA), *rewards, *options])
    order = [
        name.rsplit("#", 1)[-1].removeprefix("r") for name in json.loads(out.with_suffix(".json").read_text())["names"]
    ]
    place = {int(name): at for at, name in enumerate(order)}
    at = [place[column] for column in range(count)]
    return np.load(out)[np.ix_(at, at)], seconds


def main() -> None:
    """Prints a table of areas."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("lift", "smax"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--episodes", type=int, default=8, help="of each class (default 8)")
    parser.add_argument("--seeds", type=int, default=3, help="draws of the copies (default 3)")
    parser.add_argument("--cells", default="20", help="numbers of cells of k-means, with commas (default 20)")
    parser.add_argument(
        "--potentials", default="auto", help="for --potential, with commas; empty for none (default auto)"
    )
    parser.add_argument("--srrd", default=str(ROOT / "target/release/srrd"), metavar="PATH", help="the command")
    parser.add_argument("--apart", action="store_true", help="copies share no transition")
    args = parser.parse_args()
    data = {"lift": lift, "smax": smax}[args.what](args.folder, args.episodes)
    rewards = {"lift": lift_rewards, "smax": smax_rewards}[args.what](data)
    print(
        f"{len(data.state)} transitions of {data.episode.max() + 1} episodes, {data.state.shape[1]} features, gamma {GAMMA}"
    )
    if args.apart:
        print("| seed | area, no shared transition | CPU s |\n|---|---|---|")
        with tempfile.TemporaryDirectory() as work:
            for seed in range(args.seeds):
                value, seconds = apart(args.srrd, Path(work), data, rewards, seed)
                print(f"| {seed} | {value:.3f} | {seconds:.1f} |", flush=True)
        return
    print("| states | metric | area by seed | mean | CPU s per matrix |\n|---|---|---|---|---|")
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as work:
        for seed in range(args.seeds):
            names, columns = copies(data, rewards, np.random.default_rng(seed))
            table = Path(work) / "rewards.csv"
            write(table, data, columns)
            cutting = ["--rewards", every_of(len(names))]
            for kind in filter(None, args.potentials.split(",")):
                matrix, seconds = distances(args.srrd, table, len(names), "--metric", "projected", "--potential", kind)
                found.setdefault((f"features, `--potential {kind}`", "projected"), []).append(
                    (area(names, matrix), seconds)
                )
            for cells in filter(None, args.cells.split(",")):
                cut = Path(work) / "cells.csv"
                measured(
                    [
                        args.srrd,
                        "discretize",
                        str(table),
                        "-o",
                        str(cut),
                        *cutting,
                        "--cells",
                        cells,
                        "--seed",
                        str(seed),
                    ]
                )
                for metric in METRICS:
                    matrix, seconds = distances(args.srrd, cut, len(names), "--metric", metric)
                    found.setdefault((f"k-means {cells}", metric), []).append((area(names, matrix), seconds))
    for (states, metric), results in found.items():
        areas = [result[0] for result in results]
        each = ", ".join(f"{value:.3f}" for value in areas)
        print(
            f"| {states} | `{metric}` | {each} | {np.mean(areas):.3f} | {np.mean([result[1] for result in results]):.1f} |"
        )


if __name__ == "__main__":
    main()
