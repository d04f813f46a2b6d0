"""Continuous states: potentials that are functions of features take shaping out of rewards on tasks of Gymnasium."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

import srrd

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

GAMMA = 0.99
Array = npt.NDArray[np.float64]


class Rollouts:
    """Transitions of a task under random actions."""

    def __init__(self, task: str, count: int, seed: int = 0) -> None:
        env = gymnasium.make(task)
        env.action_space.seed(seed)
        state, _ = env.reset(seed=seed)
        rows = []
        while len(rows) < count:
            action = env.action_space.sample()
            following, reward, terminated, truncated, _ = env.step(action)
            rows.append((state, np.atleast_1d(action), following, reward, terminated))
            state = env.reset()[0] if terminated or truncated else following
        columns = [np.array(column, dtype=float) for column in zip(*rows, strict=True)]
        self.states, self.actions, self.following, self.rewards, ends = columns
        self.ends = ends.astype(bool)

    def smooth(self, generator: np.random.Generator) -> Array:
        """A smooth random function of states and actions."""
        return waves(np.hstack([self.states, self.actions]), generator)[0]

    def shaping(self, generator: np.random.Generator) -> Array:
        """Shaping by a smooth random potential, 0 where episodes end."""
        before, after = waves(self.states, generator, self.following)
        return GAMMA * after * ~self.ends - before

    def sample(self, rewards: Array) -> srrd.RewardSample:
        def named(kind: str, values: Array) -> dict[str, Array]:
            return {f"{kind}.{i}": column for i, column in enumerate(values.T)}

        columns = named("state", self.states) | named("action", self.actions) | named("next_state", self.following)
        return srrd.RewardSample.from_frame(pd.DataFrame(columns | {"reward": rewards, "terminated": self.ends}))


def waves(points: Array, generator: np.random.Generator, *others: Array) -> list[Array]:
    """A sum of 30 random waves, at some points and at others."""
    mean, spread = points.mean(axis=0), points.std(axis=0) + 1e-12
    frequencies = generator.normal(size=(30, points.shape[1])) / 2
    phases, heights = generator.uniform(0, 2 * np.pi, 30), generator.normal(size=30)
    return [np.cos((p - mean) / spread @ frequencies.T + phases) @ heights for p in (points, *others)]


def projected(a: srrd.RewardSample, b: srrd.RewardSample, potential: str) -> dict[str, object]:
    found: dict[str, object] = srrd.compare(a, b, "projected", GAMMA, potential=potential)["results"][0]
    return found


@pytest.mark.parametrize("task", ["Pendulum-v1", "MountainCar-v0", "CartPole-v1"])
def test_shaped_copies_are_equal_and_unrelated_rewards_are_not(task: str) -> None:
    rollouts, generator = Rollouts(task, 2000), np.random.default_rng(1)
    # The rewards of two of these tasks are constant: they get a smooth random one.
    varies = np.ptp(rollouts.rewards) > 0
    rewards = rollouts.rewards if varies else rollouts.smooth(generator)
    shaping = rollouts.shaping(generator)
    shaping *= 3 * rewards.std() / shaping.std()
    plain, shaped = rollouts.sample(rewards), rollouts.sample(2 * (rewards + shaping))
    assert srrd.distance(plain, shaped, "direct") > 0.4
    found = projected(plain, shaped, "auto")
    assert isinstance(found["distance"], float)
    assert found["distance"] <= 0.01, found
    assert str(found["basis"]).startswith("fourier:")
    noise = [rollouts.sample(generator.normal(size=2000) + shaping) for _ in range(2)]
    for a, b in [(plain, noise[0]), (shaped, noise[1]), (noise[0], noise[1])]:
        assert abs(srrd.distance(a, b, "projected", GAMMA, potential="auto") - 0.71) <= 0.05


def test_rewards_on_other_rollouts_are_predicted() -> None:
    ours, theirs = Rollouts("CartPole-v1", 800), Rollouts("CartPole-v1", 800, seed=1)

    def upright(rollouts: Rollouts) -> Array:
        return np.cos(8 * rollouts.following[:, 2]) - 0.3 * rollouts.states[:, 0] ** 2 + 0.1 * rollouts.actions[:, 0]

    def fast(rollouts: Rollouts) -> Array:
        return np.tanh(2 * rollouts.states[:, 1]) * (rollouts.actions[:, 0] - 0.3)

    def shaping(rollouts: Rollouts) -> Array:
        potential = [3 * np.linalg.norm(states - 0.1, axis=1) for states in (rollouts.states, rollouts.following)]
        return GAMMA * potential[1] * ~rollouts.ends - potential[0]

    plain = ours.sample(upright(ours))
    copy, other = (theirs.sample(2 * reward(theirs) + shaping(theirs)) for reward in (upright, fast))
    same, apart = (srrd.compare(plain, b, "projected", GAMMA, potential="auto", interval=0.95) for b in (copy, other))
    assert same["common"] == 0
    results = [found["results"][0] for found in (same, apart)]
    assert results[0]["distance"] < 0.25 < results[1]["distance"], results
    assert all(min(found["overlap"]) > 0.8 and min(found["skill"]) > 0.5 for found in results), results
    assert results[0]["interval"]["low"] < 0.05, results[0]
    assert results[0]["interval"]["method"] == "prediction-errors"
    assert same["verdict"] != "different"


def test_plain_distances_warn_where_states_hardly_repeat() -> None:
    rollouts, generator = Rollouts("Pendulum-v1", 300), np.random.default_rng(1)
    a, b = rollouts.sample(rollouts.rewards), rollouts.sample(rollouts.smooth(generator))
    warnings = srrd.compare(a, b, "srrd", GAMMA)["warnings"]
    assert "states_hardly_repeat" in [warning["kind"] for warning in warnings]
    with pytest.raises(ValueError, match="fourier:N"):
        srrd.distance(a, b, "projected", GAMMA, potential="rbf")
