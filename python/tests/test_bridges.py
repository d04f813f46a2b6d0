"""Gymnasium, Minari, imitation: samples out of what they keep."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import types
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import srrd

gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")


def test_a_small_world_is_sampled_the_same_way_again() -> None:
    first = srrd.from_gymnasium(gymnasium.make("FrozenLake-v1"), episodes=30, seed=3)
    again = srrd.from_gymnasium(gymnasium.make("FrozenLake-v1"), episodes=30, seed=3)
    other = srrd.from_gymnasium(gymnasium.make("FrozenLake-v1"), episodes=30, seed=4)
    assert first == again
    assert first != other
    assert first.episodes == 30
    assert first.name == "FrozenLake-v1"
    assert set(first.states) <= set(range(16))
    assert len(first.actions) == 4


def test_a_policy_is_asked_and_episodes_are_cut() -> None:
    asked = []

    def policy(observation: int) -> int:
        asked.append(observation)
        return 1

    sample = srrd.from_gymnasium(gymnasium.make("CliffWalking-v1"), policy, episodes=2, max_steps=5)
    assert len(asked) <= 10
    assert sample.actions == [1]


def test_observations_that_are_arrays_are_features_or_what_state_makes_of_them() -> None:
    env = gymnasium.make("CartPole-v1")
    plain = srrd.from_gymnasium(env, episodes=3)
    assert len(plain.states[0]) == 4  # type: ignore[arg-type]
    coarse = srrd.from_gymnasium(env, episodes=3, state=lambda observation: tuple(np.round(observation)))
    assert len(coarse.states) < len(plain.states)


class DictWorld(gymnasium.Env):  # type: ignore[misc]
    """Observations in parts."""

    observation_space = gymnasium.spaces.Dict(
        {"goal": gymnasium.spaces.Discrete(3), "at": gymnasium.spaces.Box(0, 9, (2,))}
    )
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.observe(), {}

    def observe(self) -> dict[str, Any]:
        return {"goal": 1, "at": np.array([self.steps, 2.0], dtype=np.float32)}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return self.observe(), float(action), self.steps == 4, False, {}


def test_parts_of_observations_lie_side_by_side() -> None:
    sample = srrd.from_gymnasium(DictWorld(), episodes=4)
    assert sample.states[0] == (0.0, 2.0, 1.0)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="vector of environments"):
        srrd.from_gymnasium(gymnasium.make_vec("CartPole-v1", num_envs=2))
    with pytest.raises(ValueError, match="not at least 1"):
        srrd.from_gymnasium(gymnasium.make("CartPole-v1"), episodes=0)


def test_minari_datasets(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari", reason="minari is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = gymnasium.make("FrozenLake-v1")
    env.action_space.seed(0)
    buffers, met = [], 0
    for number in range(5):
        buffer = minari.data_collector.EpisodeBuffer(id=number)
        observations, actions, rewards, terminations, truncations = [env.reset(seed=number)[0]], [], [], [], []
        while not (terminations and (terminations[-1] or truncations[-1])):
            actions.append(env.action_space.sample())
            observation, reward, terminated, truncated, _ = env.step(actions[-1])
            observations.append(observation)
            rewards.append(reward)
            terminations.append(terminated)
            truncations.append(truncated)
        parts = {"observations": observations, "actions": actions, "rewards": rewards}
        ends = {"terminations": terminations, "truncations": truncations}
        buffers.append(dataclasses.replace(buffer, **parts, **ends))
        met += len(actions)
    dataset = minari.create_dataset_from_buffers(
        "frozen/random-v0",
        buffers,
        env=env,
        algorithm_name="random",
        author="tests",
        author_email="none",
        code_permalink="none",
    )
    sample = srrd.from_minari(dataset)
    assert sample.name == "frozen/random-v0"
    assert sample.episodes == 5
    assert sample.counts["rows"] == met
    assert srrd.from_minari("frozen/random-v0") == sample
    assert srrd.from_minari(dataset, episodes=2).episodes == 2


@dataclass
class Trajectory:
    """What imitation's class of that name holds."""

    obs: np.ndarray
    acts: np.ndarray
    infos: Any = None
    terminal: bool = True


@dataclass
class TrajectoryWithRew(Trajectory):
    """With rewards."""

    rews: Any = None


@dataclass
class Transitions:
    """What imitation's class of that name holds."""

    obs: np.ndarray
    acts: np.ndarray
    next_obs: np.ndarray
    dones: np.ndarray


class RewardNet:
    """What imitation's class of that name offers to those who have NumPy arrays."""

    def predict_processed(
        self, state: np.ndarray, action: np.ndarray, next_state: np.ndarray, done: np.ndarray
    ) -> np.ndarray:
        assert done.dtype == bool and not done.any()
        return next_state.sum(axis=1) - state.sum(axis=1) + action


def test_trajectories_of_imitation() -> None:
    obs = np.arange(12.0).reshape(6, 2)
    rollouts = [TrajectoryWithRew(obs, np.zeros(5, dtype=int), rews=np.arange(5.0))] * 2
    sample = srrd.from_imitation(rollouts)
    assert (len(sample), sample.episodes) == (5, 2)
    assert sample.rewards.tolist() == [0, 1, 2, 3, 4]


def test_demonstrations_get_their_rewards_from_a_net() -> None:
    obs = np.arange(12.0).reshape(6, 2)
    demonstrations = [Trajectory(obs, np.arange(5))]
    with pytest.raises(ValueError, match="reward_net"):
        srrd.from_imitation(demonstrations)
    sample = srrd.from_imitation(demonstrations, reward=srrd.reward_net(RewardNet()))
    assert sample.rewards.tolist() == [4, 5, 6, 7, 8]
    flat = Transitions(obs[:-1], np.arange(5), obs[1:], np.zeros(5, dtype=bool))
    assert srrd.from_imitation(flat, reward=srrd.reward_net(RewardNet())).rewards.tolist() == [4, 5, 6, 7, 8]
    with pytest.raises(ValueError, match="no rewards"):
        srrd.from_imitation(flat)


def test_what_is_no_net_is_refused() -> None:
    with pytest.raises(TypeError, match="neither a reward net nor a torch module"):
        srrd.reward_net(3)


class FakeTensor:
    def __init__(self, values: Any) -> None:
        self.values = values

    def cpu(self) -> FakeTensor:
        return self

    def numpy(self) -> Any:
        return self.values


class Module:
    """What a torch module can do, as far as it matters here."""

    def parameters(self) -> Any:
        return iter(())

    def __call__(self, *inputs: Any) -> Any:
        return self.forward(*inputs)  # type: ignore[attr-defined]


class Three(Module):
    def forward(self, state: Any, action: Any, next_state: Any) -> Any:
        return FakeTensor(next_state.values.sum(axis=1) - state.values.sum(axis=1) + action.values)


class One(Module):
    def forward(self, input: Any) -> Any:
        return FakeTensor(input.values.sum(axis=1, keepdims=True))


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = types.ModuleType("torch")
    vars(fake).update(
        float32=np.float32, no_grad=contextlib.nullcontext,
        as_tensor=lambda values, device, dtype: FakeTensor(np.asarray(values, dtype=dtype)),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", fake)


def test_modules_of_three_inputs_are_reward_functions(torch: None) -> None:
    obs = np.arange(12.0).reshape(6, 2)
    transitions = (obs[:-1], np.arange(5), obs[1:])
    assert srrd.RewardSample.from_callable(Three(), transitions).rewards.tolist() == [4, 5, 6, 7, 8]
    assert srrd.RewardSample.from_callable(srrd.reward_net(Three()), transitions).rewards.tolist() == [4, 5, 6, 7, 8]


def test_modules_of_one_input_work_or_say_what_to_do(torch: None) -> None:
    obs = np.arange(12.0).reshape(6, 2)
    transitions = (obs[:-1], np.arange(5), obs[1:])
    with pytest.raises(
        ValueError, match=r"One takes 1 input: say what it is a function of, such as inputs=\('state', 'action'\)"
    ):
        srrd.RewardSample.from_callable(One(), transitions)
    by_state = srrd.RewardSample.from_callable(srrd.reward_net(One(), inputs=("state",)), transitions)
    assert by_state.rewards.tolist() == obs[:-1].sum(axis=1).tolist()
    both = srrd.RewardSample.from_callable(srrd.reward_net(One(), inputs=("state", "action")), transitions)
    assert both.rewards.tolist() == (obs[:-1].sum(axis=1) + np.arange(5)).tolist()
    with pytest.raises(ValueError, match=r"inputs: \('reward',\) must be some of 'state', 'action' and 'next_state'"):
        srrd.reward_net(One(), inputs=("reward",))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="inputs are for torch modules, and RewardNet is none"):
        srrd.reward_net(RewardNet(), inputs=("state",))
    with pytest.raises(TypeError, match="a reward function of states, actions and next states is needed, not int"):
        srrd.RewardSample.from_callable(3, transitions)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the reward 'net' is a One: give a function"):
        srrd.record("FrozenLake-v1", rewards={"net": One()})


def test_environments_may_be_given_by_their_ids() -> None:
    by_id = srrd.from_gymnasium("FrozenLake-v1", episodes=5)
    assert by_id == srrd.from_gymnasium(gymnasium.make("FrozenLake-v1"), episodes=5)
    (recorded,) = srrd.record("FrozenLake-v1", env_reward=True, episodes=5)
    assert recorded.rewards.tolist() == by_id.rewards.tolist()
    with pytest.raises(gymnasium.error.NameNotFound, match="NoSuchLake"):
        srrd.from_gymnasium("NoSuchLake-v1")
    with pytest.raises(
        TypeError, match="env: int is no Gymnasium environment: give what gymnasium.make returns, or an id"
    ):
        srrd.from_gymnasium(3)
