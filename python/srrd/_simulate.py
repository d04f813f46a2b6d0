"""Rollouts of built-in worlds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from . import _srrd


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
    asked: dict[str, Any] = {
        "rollouts": _count("rollouts", rollouts),
        "size": f"{size[0]}x{size[1]}" if isinstance(size, (tuple, list)) else size,
        "epsilon": _number("epsilon", epsilon),
        "obstacles": _count("obstacles", obstacles),
        "policy": policy if policy is None or isinstance(policy, str) else [_number("policy", w) for w in policy],
        "classes": bool(classes),
        "sets": _count("sets", sets),
        "model": model,
        "shaped": bool(shaped),
        "gamma": _number("gamma", gamma),
        "factor": _number("factor", factor),
        "noise": _number("noise", noise),
        "seed": _count("seed", seed),
        "reward_seed": _count("reward_seed", reward_seed),
    }
    world = str(world).replace("_", "-")
    if output is not None:
        path = os.fspath(output)
        if path == "-":
            raise ValueError("output: name a file")
        summary: dict[str, Any] = _srrd.simulate(world, asked, path)[0]
        return summary
    columns, samples = _srrd.simulate(world, asked, None)
    if not samples:
        return columns
    names, labels, rows = zip(*samples, strict=True)
    return {"sample": np.repeat(names, rows), "label": np.repeat(labels, rows)} | columns


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name}: {value!r} is not a number")
    return float(value)


def _count(name: str, value: Any) -> int | None:
    """A whole number, as large as the compiled part takes it."""
    if _number(name, value) is None:
        return None
    if not 0 <= value < 2**64 or int(value) != value:
        raise ValueError(f"invalid value '{value}' for {name}: it must be a whole number from 0 to 2**64 - 1")
    return int(value)
