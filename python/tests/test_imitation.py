"""Learned rewards beside imitation, where it is installed: its trajectories, and its maximum causal entropy."""

from __future__ import annotations

import numpy as np
import pytest

import srrd

mce_irl = pytest.importorskip("imitation.algorithms.mce_irl", reason="imitation is not installed")
types = pytest.importorskip("imitation.data.types")
base_envs = pytest.importorskip("seals.base_envs")

SIDE, HORIZON, WALKS = 4, 12, 100
MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))


def grid() -> np.ndarray:
    model = np.zeros((SIDE * SIDE, 4, SIDE * SIDE))
    for state in range(SIDE * SIDE):
        for action, (dx, dy) in enumerate(MOVES):
            x, y = np.clip(state % SIDE + dx, 0, SIDE - 1), np.clip(state // SIDE + dy, 0, SIDE - 1)
            model[state, action, y * SIDE + x] = 1
    return model


def problem(starts: np.ndarray, reward: np.ndarray) -> object:
    return base_envs.TabularModelPOMDP(
        transition_matrix=grid(),
        observation_matrix=np.eye(SIDE * SIDE, dtype=np.float32),
        reward_matrix=reward,
        horizon=HORIZON,
        initial_state_dist=starts,
    )


def test_states_are_visited_as_often_as_demonstrated() -> None:
    states = SIDE * SIDE
    rng = np.random.default_rng(5)
    truth = rng.uniform(-1, 1, states)
    _, _, policy = mce_irl.mce_partition_fh(problem(np.full(states, 1 / states), truth))
    walks = []
    for _ in range(WALKS):
        seen, taken = [int(rng.integers(states))], []
        for step in range(HORIZON):
            taken.append(int(rng.choice(4, p=policy[step, seen[-1]])))
            seen.append(int(np.argmax(grid()[seen[-1], taken[-1]])))
        walks.append(types.Trajectory(obs=np.array(seen), acts=np.array(taken), infos=None, terminal=False))
    # All actions can be chosen, also those that nobody took.
    froms, actions, tos = np.nonzero(grid())
    model = srrd.RewardSample(froms, actions, tos, np.ones(len(froms)))
    [learned] = srrd.irl.maxent(walks, horizon=HORIZON, gamma=1.0, ridge=1e-6, model=model)
    reward = np.zeros(states)
    reward[learned.transitions.states.astype(int)] = learned.rewards
    starts = np.bincount([walk.obs[0] for walk in walks], minlength=states) / WALKS
    shown = np.bincount(np.concatenate([walk.obs[:-1] for walk in walks]), minlength=states) / WALKS
    # Visits by imitation's own passes through time, under the reward that was learned here.
    visited, _ = mce_irl.mce_occupancy_measures(problem(starts, truth), reward=reward)
    assert np.abs(visited[:HORIZON].sum(axis=0) - shown).max() < 1e-3
