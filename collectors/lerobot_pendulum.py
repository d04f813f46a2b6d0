"""Records Gymnasium's Pendulum-v1 with three players in the layout of LeRobot, version 2.1 or 3.0, without videos.

    python3 lerobot_pendulum.py -o DIR [--quick] [--version v3.0]    needs gymnasium-requirements.txt

A folder per class: `pendulum_{expert,medium,random}`. Beside the data lies `rewards/progress.parquet`, the progress
of the task by frame: how far upright the pendulum is (`progress_dense`), and whether it is up (`progress_sparse`,
missing in each episode's first ten frames as it is in data sets whose labels start late).
"""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import Progress, count_of, options, positive, run, whole
from pendulum import CLASSES, STEPS, Episode, episodes

FPS = 20
UNLABELLED = 10
FEATURES = {
    "observation.state": {"dtype": "float32", "shape": [3], "names": ["cosine", "sine", "speed"]},
    "action": {"dtype": "float32", "shape": [1], "names": ["torque"]},
    "next.reward": {"dtype": "float32", "shape": [1], "names": None},
    "next.done": {"dtype": "bool", "shape": [1], "names": None},
    "timestamp": {"dtype": "float32", "shape": [1], "names": None},
    **{
        name: {"dtype": "int64", "shape": [1], "names": None}
        for name in ("frame_index", "episode_index", "index", "task_index")
    },
}
DATA_PATH = {
    "v2.1": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
    "v3.0": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
}
EPISODES_PER_FILE = 20


def frames_of(episode: Episode, number: int, first: int) -> pa.Table:
    """The frames of an episode; `next.done` is what ends it, by the task or by the clock."""
    steps = len(episode.actions)
    lists = pa.list_(pa.float32())
    return pa.table(
        {
            "observation.state": pa.array(list(episode.observations[:-1].astype("f4")), type=lists),
            "action": pa.array(list(episode.actions.astype("f4")), type=lists),
            "next.reward": episode.rewards.astype("f4"),
            "next.done": episode.terminations,
            "timestamp": np.arange(steps, dtype="f4") / FPS,
            "frame_index": np.arange(steps),
            "episode_index": np.full(steps, number),
            "index": first + np.arange(steps),
            "task_index": np.zeros(steps, dtype="i8"),
        }
    )


def progress_of(table: pa.Table) -> pa.Table:
    """A reward table on the same frames."""
    cosine = np.array([state[0] for state in table["observation.state"].to_pylist()], dtype="f4")
    late = table["frame_index"].to_numpy() < UNLABELLED
    keys = {name: table[name] for name in ("index", "episode_index", "frame_index")}
    sparse = pa.array((cosine > 0.95).astype("f4"), mask=late)
    return pa.table(keys | {"progress_sparse": sparse, "progress_dense": (cosine + 1) / 2})


def write(tables: list[pa.Table], version: str, kind: str, folder: Path) -> None:
    """A whole data set."""
    for part in ("meta", "data/chunk-000", "rewards"):
        (folder / part).mkdir(parents=True)
    lengths = [len(table) for table in tables]
    info = {
        "codebase_version": version, "robot_type": "pendulum", "total_episodes": len(tables), "total_frames": sum(lengths),
        "total_tasks": 1, "chunks_size": 1000, "fps": FPS, "splits": {"train": f"0:{len(tables)}"},
        "data_path": DATA_PATH[version], "video_path": None, "features": FEATURES,
    }  # fmt: skip
    (folder / "meta/info.json").write_text(json.dumps(info, indent=1) + "\n")
    task = f"swing the pendulum up ({kind})"
    if version == "v2.1":
        lines = [
            json.dumps({"episode_index": at, "tasks": [task], "length": length}) for at, length in enumerate(lengths)
        ]
        (folder / "meta/episodes.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "meta/tasks.jsonl").write_text(json.dumps({"task_index": 0, "task": task}) + "\n")
        for number, table in enumerate(tables):
            pq.write_table(table, folder / f"data/chunk-000/episode_{number:06d}.parquet", compression="zstd")
    else:
        write_v3(tables, lengths, task, folder)
    pq.write_table(progress_of(pa.concat_tables(tables)), folder / "rewards/progress.parquet", compression="zstd")


def write_v3(tables: list[pa.Table], lengths: list[int], task: str, folder: Path) -> None:
    """Several episodes per file, and a table that says where each is."""
    (folder / "meta/episodes/chunk-000").mkdir(parents=True)
    pq.write_table(pa.table({"task_index": [0], "task": [task]}), folder / "meta/tasks.parquet")
    ends = np.cumsum(lengths)
    files = np.arange(len(tables)) // EPISODES_PER_FILE
    about = {
        "episode_index": np.arange(len(tables)), "tasks": [[task]] * len(tables), "length": lengths,
        "data/chunk_index": np.zeros(len(tables), dtype="i8"), "data/file_index": files,
        "dataset_from_index": ends - lengths, "dataset_to_index": ends,
    }  # fmt: skip
    pq.write_table(pa.table(about), folder / "meta/episodes/chunk-000/file-000.parquet")
    for file in range(int(files.max()) + 1):
        held = [table for table, at in zip(tables, files, strict=True) if at == file]
        pq.write_table(pa.concat_tables(held), folder / f"data/chunk-000/file-{file:03d}.parquet", compression="zstd")


def record(kind: str, args: Namespace, progress: Progress, path: Path) -> None:
    """All episodes of one class."""
    tables: list[pa.Table] = []
    for number, episode in enumerate(episodes(kind, count_of(args), args.seed, args.steps)):
        tables.append(frames_of(episode, number, sum(map(len, tables))))
        progress.step(f"{kind}, return {episode.rewards.sum():.0f}")
    with whole(path) as part:
        write(tables, args.version, kind, part)


def main() -> None:
    """Records the classes that are not there yet."""
    parser = options(__doc__, quick=5, full=50, unit="episodes")
    parser.add_argument("--version", choices=tuple(DATA_PATH), default="v3.0", help="of the layout (default v3.0)")
    parser.add_argument(
        "--steps", type=positive, default=STEPS, metavar="N", help=f"length of episodes (default {STEPS})"
    )
    args = parser.parse_args()
    missing = [kind for kind in CLASSES if not (args.output / f"pendulum_{kind}").exists()]
    progress = Progress(count_of(args) * len(missing))
    for kind in missing:
        path = args.output / f"pendulum_{kind}"
        record(kind, args, progress, path)
        print(path)


if __name__ == "__main__":
    run(main)
