"""Checks of changed rewards: the recorder, the assertion, the plugin."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import srrd
from srrd.testing import NotEnoughData, assert_same_behaviour

gymnasium = pytest.importorskip("gymnasium")


def goal(obs: int, action: int, next_obs: int) -> float:
    return float(next_obs == 15)


def distance_to_goal(state: int) -> float:
    return float(abs(3 - state // 4) + abs(3 - state % 4))


def shaped(obs: int, action: int, next_obs: int) -> float:
    over = next_obs in (5, 7, 11, 12, 15)
    return (
        5 * goal(obs, action, next_obs) + (0.0 if over else -0.9 * distance_to_goal(next_obs)) + distance_to_goal(obs)
    )


def holes(obs: int, action: int, next_obs: int) -> float:
    return float(next_obs in (5, 7, 11, 12)) - float(next_obs == 15)


@pytest.fixture(scope="module")
def recorded() -> list[srrd.RewardSample]:
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    return srrd.record(env, rewards=[goal, shaped, holes], episodes=2000, seed=1, env_reward=True)


def test_every_reward_is_asked_on_the_same_transitions(recorded: list[srrd.RewardSample]) -> None:
    assert [sample.name for sample in recorded] == ["env", "goal", "shaped", "holes"]
    env, own, *_ = recorded
    assert np.array_equal(env.rewards, own.rewards)
    for sample in recorded[1:]:
        assert np.array_equal(sample.transitions.states, env.transitions.states)
    assert srrd.distance(recorded[1], recorded[2], metric="projected") < 1e-6


def test_the_assertion_is_the_verdict(recorded: list[srrd.RewardSample], same_behaviour: Callable[..., None]) -> None:
    _, own, copy, other = recorded
    for check in (assert_same_behaviour, same_behaviour):
        found = srrd.compare(own, copy, "projected")
        if found["verdict"] == "same":
            check(own, copy)
        else:
            with pytest.raises(NotEnoughData, match="not enough data"):
                check(own, copy)
        with pytest.raises(AssertionError, match="the rewards differ: .*\n  path 1: "):
            check(own, other)


def test_mistakes_are_named() -> None:
    env = gymnasium.make("FrozenLake-v1")
    with pytest.raises(ValueError, match="no reward to record"):
        srrd.record(env)
    with pytest.raises(ValueError, match="returned 'x', which is not a number"):
        srrd.record(env, rewards={"bad": lambda obs, action, next_obs: "x"}, episodes=1)
    with pytest.raises(ValueError, match="called 'env'"):
        srrd.record(env, rewards={"env": goal}, env_reward=True)
    samples = srrd.record(env, rewards=[lambda s, a, n: 1.0, lambda s, a, n: float(n)], episodes=3)
    assert [sample.name for sample in samples] == ["reward0", "reward1"]


def test_time_limits_are_no_ends() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    (sample,) = srrd.record(env, rewards=[goal], episodes=20, max_steps=1)
    # One step from the start no episode of this lake is over: the first hole is two steps away.
    assert srrd.inspect(sample)["samples"][0]["ending"] == 0


def test_a_failed_check_says_what_to_do_about_continuous_states() -> None:
    def speed(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> float:
        return float(next_obs[2])

    a, b = srrd.record("Pendulum-v1", rewards=[speed, lambda s, a, n: 2 * speed(s, a, n)], episodes=1)
    with (
        pytest.warns(srrd.DataWarning, match="states hardly repeat"),
        pytest.raises(
            NotEnoughData, match='note: states hardly repeat .* choose metric="projected" with potential="auto"'
        ),
    ):
        assert_same_behaviour(a, b)


def falls(obs: int, action: int, next_obs: int) -> float:
    return -100.0 if (next_obs == 36 and obs not in (24, 36)) or (obs, action) == (36, 1) else -1.0


def nearer(obs: int, action: int, next_obs: int) -> float:
    def nearness(cell: int) -> int:
        return -abs(cell // 12 - 3) - abs(cell % 12 - 11)

    return 2 * falls(obs, action, next_obs) + 0.99 * nearness(next_obs) - nearness(obs)


def careless(obs: int, action: int, next_obs: int) -> float:
    return -1.0


def test_a_recorded_change_is_checked_by_the_command(tmp_path: Path) -> None:
    rewards = {"old": falls, "new": nearer, "careless": careless}
    env, *samples = srrd.record("CliffWalking-v1", rewards=rewards, episodes=20, env_reward=True)
    assert np.array_equal(env.rewards, samples[0].rewards)
    for sample in samples:
        frame = sample.to_frame()
        # The goal is the only end.
        assert frame["terminated"].tolist() == (frame["next_state"] == 47).tolist()
        again = srrd.RewardSample.from_frame(frame)
        assert np.array_equal(again.rewards, sample.rewards) and np.array_equal(again.terminated, sample.terminated)
        frame.to_csv(tmp_path / f"{sample.name}.csv", index=False)
    for new, status, annotation in (("new", 0, "notice"), ("careless", 1, "error")):
        call = [sys.executable, "-m", "srrd", "check", "old.csv", f"{new}.csv", "--gamma", "0.99", "--github"]
        done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == status, done
        assert done.stdout.startswith(f"::{annotation} title=srrd check::"), done.stdout
    assert_same_behaviour(samples[0], samples[1], gamma=0.99)
