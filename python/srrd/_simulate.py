"""Rollouts of built-in worlds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

WORLDS = ("gridworld", "bouncing-balls", "drone-combat")
#: Has the command run in a process of its own, with this package.
_COMMAND = (
    "import sys; at = sys.argv.pop(1); sys.path.insert(0, at); import srrd.__main__ as command; sys.path.remove(at); "
    "sys.exit(command.main())"
)


def simulate(
    world: str,
    *,
    rollouts: int | None = None,
    size: str | tuple[int, int] | None = None,
    epsilon: float | None = None,
    obstacles: int | None = None,
    policy: str | Sequence[float] | None = None,
    classes: bool = False,
    sets: int | None = None,
    model: Literal["linear", "polynomial", "sinusoidal", "random"] | None = None,
    shaped: bool = False,
    gamma: float | None = None,
    factor: float | None = None,
    noise: float | None = None,
    seed: int | None = None,
    reward_seed: int | None = None,
    output: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Rollouts of a built-in world as columns, which `srrd.from_frame` takes: all that ``srrd simulate`` does.

    Parameters
    ----------
    world
        ``"gridworld"``, ``"bouncing-balls"`` or ``"drone-combat"``.
    rollouts
        How many episodes to play, for every sample: 10 unless given.
    size, epsilon, obstacles
        The world: (width, height) in cells, (20, 20) unless given; the probability that a step leads to a random cell,
        0; how many obstacles there are, 5, of bouncing-balls.
    policy
        The weight of every action, such as ``[10, 10, 40, 40]``, or ``"uniform"``, and for gridworld ``"diagonal"``,
        ``"top"``, ``"left"``.
    classes, sets
        Play the ten agents of the paper instead, with the columns ``sample`` and ``label``; so many samples of each,
        100 unless given.
    model, reward_seed
        How the reward depends on the features, ``"random"`` unless given; another seed for it, to have one reward in
        several tables.
    shaped, gamma, factor
        Add potential shaping, with this discount factor (0.9) and strength (drawn from 1 to 5 unless given).
    noise
        Add noise between ``-noise`` and ``noise`` to the reward of every transition.
    seed
        The seed of everything random: 0 unless given.
    output
        Write the table there instead, in the format of its extension; returned is a summary, that of ``srrd simulate
        --json``.

    Examples
    --------
    >>> import srrd
    >>> columns = srrd.simulate("gridworld", size=(5, 5), rollouts=3, seed=1)
    >>> list(columns)[:4]
    ['episode', 'step', 'state.x', 'state.y']
    >>> (sample,) = srrd.from_frame(columns)
    >>> sample.episodes
    3
    """
    given: dict[str, Any] = {
        "rollouts": rollouts,
        "size": f"{size[0]}x{size[1]}" if isinstance(size, (tuple, list)) else size,
        "epsilon": epsilon,
        "obstacles": obstacles,
        "policy": policy
        if policy is None or isinstance(policy, str)
        else ",".join(_number("policy", w) for w in policy),
        "sets": sets,
        "model": model,
        "gamma": gamma,
        "factor": factor,
        "noise": noise,
        "seed": seed,
        "reward_seed": reward_seed,
    }
    arguments = [f"--{name}" for name, asked in (("classes", classes), ("shaped", shaped)) if asked]
    for name, value in given.items():
        if value is not None:
            text = value if isinstance(value, str) else _number(name, value)
            arguments.append(f"--{name.replace('_', '-')}={text}")
    world = str(world).replace("_", "-")
    if world not in WORLDS:
        raise ValueError(f"world: '{world}' is not one of {', '.join(WORLDS)}")
    if output is not None:
        path = os.fspath(output)
        if path == "-":
            raise ValueError("output: name a file")
        told: dict[str, Any] = json.loads(_command([*arguments, f"--output={path}", "--json", world]))
        return told
    with tempfile.TemporaryDirectory(prefix="srrd-") as folder:
        table = Path(folder, "table.npz")
        _command([*arguments, f"--output={table}", "--json", world])
        with np.load(table, allow_pickle=False) as columns:
            return {name: columns[name] for name in columns.files}


def _number(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name}: {value!r} is not a number")
    return repr(value.item() if isinstance(value, np.generic) else value)


def _command(arguments: list[str]) -> str:
    """What ``srrd simulate`` prints.

    In a process of its own: in this one, what it prints would go to the user's terminal past Python, nobody could stop
    it by Ctrl-C, and the reason of a failure would be lost.
    """
    package = str(Path(__file__).resolve().parent.parent)
    call = [sys.executable, "-P", "-c", _COMMAND, package, "simulate", *arguments]
    ended = subprocess.run(
        call, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if ended.returncode == 0:
        return ended.stdout
    message = ended.stderr.strip() or f"the command ended with status {ended.returncode}"
    message = message.removeprefix("error: ").split("\n\nUsage:")[0].split("\n\nFor more information")[0].strip()
    # As Python users know them: `--reward-seed <SEED>` is `reward_seed` to them.
    message = re.sub(r"'(--[a-z-]+) <[^>]*>'", r"\1", message)
    message = re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", lambda found: found[1].replace("-", "_"), message)
    if ended.returncode == 2:
        raise ValueError(message)
    raise OSError(message)
