"""Records Gymnasium's Pendulum-v1 with three players as Minari data sets.

    python3 minari_pendulum.py -o DIR [--quick] [--layout arrow]     needs gymnasium-requirements.txt

A data set per class: `pendulum/{expert,medium,random}-v0`. The class is in the name of the folder.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from argparse import Namespace
from pathlib import Path

import gymnasium
from common import Progress, count_of, options, positive, run, whole
from pendulum import CLASSES, STEPS, episodes


def record(kind: str, args: Namespace, progress: Progress, path: Path) -> None:
    """A data set made in a folder of its own, and moved to its place when it is whole."""
    with tempfile.TemporaryDirectory() as work:
        os.environ["MINARI_DATASETS_PATH"] = work
        import minari
        from minari.data_collector import EpisodeBuffer

        buffers = []
        for number, episode in enumerate(episodes(kind, count_of(args), args.seed, args.steps)):
            buffers.append(
                EpisodeBuffer(
                    id=number,
                    seed=episode.seed,
                    options=None,
                    observations=list(episode.observations),
                    actions=list(episode.actions),
                    rewards=list(episode.rewards),
                    terminations=list(episode.terminations),
                    truncations=list(episode.truncations),
                    infos={},
                )
            )
            progress.step(f"{kind}, return {episode.rewards.sum():.0f}")
        env = gymnasium.make("Pendulum-v1")
        minari.create_dataset_from_buffers(
            dataset_id=f"pendulum/{kind}-v0", buffer=buffers, env=env, eval_env=env, data_format=args.layout,
            algorithm_name=f"srrd collectors, {kind}", author="srrd", author_email="none", code_permalink="none",
            description=f"Pendulum-v1, scripted, seed {args.seed}",
        )  # fmt: skip
        with whole(path) as part:
            shutil.copytree(Path(work) / "pendulum" / f"{kind}-v0", part)


def main() -> None:
    """Records the classes that are not there yet."""
    parser = options(__doc__, quick=5, full=50, unit="episodes")
    parser.add_argument(
        "--layout", choices=("hdf5", "arrow"), default="hdf5", help="how Minari stores it (default hdf5)"
    )
    parser.add_argument(
        "--steps", type=positive, default=STEPS, metavar="N", help=f"length of episodes (default {STEPS})"
    )
    args = parser.parse_args()
    missing = [kind for kind in CLASSES if not (args.output / "pendulum" / f"{kind}-v0").exists()]
    progress = Progress(count_of(args) * len(missing))
    for kind in missing:
        path = args.output / "pendulum" / f"{kind}-v0"
        record(kind, args, progress, path)
        print(path)


if __name__ == "__main__":
    run(main)
