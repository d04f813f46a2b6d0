"""Rollouts from Python are those of the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srrd
from srrd import _srrd


def test_the_documentation_names_every_world() -> None:
    assert all(f'"{world}"' in (srrd.simulate.__doc__ or "").replace("``", "") for world in _srrd.worlds())


@pytest.mark.parametrize("world", _srrd.worlds())
def test_columns_are_samples(world: str) -> None:
    columns = srrd.simulate(world, rollouts=2)
    (sample,) = srrd.from_frame(columns)
    assert sample.episodes == 2
    assert sample.counts["rows"] == len(columns["reward"])
    assert columns["reward"].dtype == np.float64


def test_it_is_the_command(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "size": (6, 5), "epsilon": 0.1, "rollouts": 3, "policy": [1, 2.5, 3, np.float64(4)], "model": "linear",
        "shaped": True, "gamma": 0.8, "factor": 2, "noise": np.float64(0.25), "seed": np.int64(3), "reward_seed": 4,
    }  # fmt: skip
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    command = "simulate gridworld --size 6x5 --epsilon 0.1 --rollouts 3 --policy 1,2.5,3,4 --model linear "
    command += "--shaped --gamma 0.8 --factor 2 --noise 0.25 --seed 3 --reward-seed 4 -o"
    csv = tmp_path / "a.csv"
    subprocess.run([sys.executable, "-m", "srrd", *command.split(), str(csv)], env=env, check=True, capture_output=True)
    summary = srrd.simulate("gridworld", **options, output=tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_bytes() == csv.read_bytes()
    assert summary["episodes"] == 3
    assert summary["size"] == "6x5"
    (sample,) = srrd.from_frame(srrd.simulate("gridworld", **options))
    assert sample.rewards.tolist() == srrd.read(csv)[0].rewards.tolist()


def test_agents_are_labelled_samples() -> None:
    samples = srrd.from_frame(
        srrd.simulate("bouncing_balls", classes=True, sets=2, rollouts=1, size="5x5", obstacles=1)
    )
    assert len(samples) == 20
    assert len({sample.label for sample in samples}) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world": "nonsense"}, "world: 'nonsense' is not one of gridworld, bouncing-balls, drone-combat"),
        ({"world": "--help"}, "world: '--help' is not one of"),
        ({"size": "1x1"}, "size: a grid of 1x1 cells"),
        ({"seed": -1}, "'-1' for seed"),
        ({"world": "drone-combat", "reward_seed": 3}, "reward_seed: the reward of drone-combat is its score"),
        ({"output": "-"}, "output: name a file"),
        ({"output": "/nowhere/at/all.csv"}, "does not exist"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_python(
    options: dict[str, Any], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=message):
        srrd.simulate(**{"world": "gridworld"} | options)
    assert capfd.readouterr() == ("", "")


def test_tables_in_memory_are_those_in_files(tmp_path: Path) -> None:
    options: dict[str, Any] = {"classes": True, "sets": 2, "rollouts": 2, "size": (5, 4), "shaped": True, "noise": 0.5}
    srrd.simulate("gridworld", **options, output=tmp_path / "a.npz")
    columns = srrd.simulate("gridworld", **options)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as table:
        assert list(columns) == table.files
        for name, values in columns.items():
            assert values.dtype == table[name].dtype
            assert values.tolist() == table[name].tolist()


def test_ctrl_c_ends_it() -> None:
    code = (
        "import _thread, threading, srrd\n"
        "threading.Timer(1.0, _thread.interrupt_main).start()\n"
        "try:\n"
        "    srrd.simulate('gridworld', rollouts=10_000_000, size=(200, 200))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=30, check=True
    )
    assert ended.stdout == "interrupted\n"


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(TypeError, match="rollouts: True is not a number"):
        srrd.simulate("gridworld", rollouts=True)
    with pytest.raises(TypeError, match="policy: 'a' is not a number"):
        srrd.simulate("gridworld", policy=["a"])  # type: ignore[list-item]
