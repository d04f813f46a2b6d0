"""What several tests need: tables, and the command."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import Any

import numpy as np

import srrd
from srrd import command as main

PACKAGE = Path(srrd.__file__).parent.parent
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE), "PYTHONWARNINGS": "ignore"}


def command(*arguments: Any) -> str:
    """What the command prints. It runs here: a process of its own takes longer to start than most answers."""
    with TemporaryFile() as printed:
        sys.stdout.flush()
        before = os.dup(1)
        os.dup2(printed.fileno(), 1)
        try:
            status = main([str(argument) for argument in arguments])
        finally:
            os.dup2(before, 1)
            os.close(before)
        printed.seek(0)
        assert status == 0
        return printed.read().decode()


def answer(*arguments: Any) -> Any:
    """What the command prints with ``--json``."""
    return json.loads(command(*arguments, "--json"))


@cache
def agents(seed: int = 0, sets: int = 4) -> Path:
    """Ten agents in a small grid world, some samples each; all seeds have the same rewards."""
    path = Path(mkdtemp(prefix="srrd-tests-")) / f"agents{seed}.csv"
    command(
        "simulate", "gridworld", "-o", path, "--classes", "--sets", sets, "--size", "6x6", "--rollouts", 3, "--shaped",
        "--seed", seed, "--reward-seed", 0,
    )  # fmt: skip
    return path


def random_sample(seed: int, rows: int = 120, states: int = 12, actions: int = 2, **options: Any) -> srrd.RewardSample:
    """A sample of integers: the same transitions for every seed, other rewards."""
    walk = np.random.default_rng(7)
    s, a, n = (walk.integers(k, size=rows) for k in (states, actions, states))
    rewards = np.random.default_rng(seed).normal(size=(states, actions, states))
    return srrd.RewardSample(s, a, n, rewards[s, a, n], **options)
