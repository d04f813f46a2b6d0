"""Rewards from demonstrations and preferences."""

from __future__ import annotations

import csv
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srrd
from srrd import irl

WALKS = srrd.simulate("gridworld", classes=True, sets=1, rollouts=5, size=(5, 5), seed=2)


def doors(*taken: str) -> list[tuple[list[str], list[str], bool]]:
    return [(["hall", door, "street"], [door, "leave"], True) for door in taken]


def reward_of(learned: srrd.RewardSample, state: str) -> float:
    return float(learned.rewards[learned.transitions.states == state][0])


def test_every_method_gives_samples_of_all_sets() -> None:
    for learn in (irl.maxent, irl.airl, irl.ptirl):
        learned = learn(WALKS)
        assert len(learned) == 10 and all(isinstance(one, irl.LearnedReward) for one in learned)
        assert len({one.label for one in learned}) == 10
        assert learned[0].terminated is not None and len(learned[0].rewards) == len(learned[0])
        assert np.isfinite(srrd.distance(learned[0], learned[1], metric="direct", min_common=2))
    assert irl.METHODS == ("maxent", "airl", "ptirl", "preferences")


def test_the_same_as_the_command_to_the_last_bit(tmp_path: Path) -> None:
    srrd.simulate("gridworld", classes=True, sets=1, rollouts=5, size=(5, 5), seed=2, output=tmp_path / "walks.csv")
    options = ["--std-error", "--draws", "2", "--seed", "4", "--model", "pooled", "--reward", "next-state"]
    assert srrd.command(["irl", "maxent", tmp_path / "walks.csv", "-o", tmp_path / "r.csv", *options]) == 0
    with (tmp_path / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    learned = irl.maxent(WALKS, std_errors=True, draws=2, seed=4, model="pooled", reward="next-state")
    of = lambda name, column: [float(row[column]) for row in rows if row["sample"] == name]  # noqa: E731
    for one in learned:
        assert of(one.name, "reward") == one.rewards.tolist()
        assert one.std_errors is not None and of(one.name, "std_error") == one.std_errors.tolist()
        assert of(f"{one.name}/2", "reward") == one.draws[1].rewards.tolist()
    again = irl.maxent(
        tmp_path / "walks.csv", std_errors=True, draws=2, seed=4, model="pooled", reward="next-state", threads=1
    )
    assert [one.rewards.tolist() for one in again] == [one.rewards.tolist() for one in learned]


def test_episodes_of_other_libraries() -> None:
    tuples = doors("left", "left", "right")
    [expected] = irl.maxent(tuples)
    imitation = [SimpleNamespace(obs=s, acts=a, infos=None, terminal=t) for s, a, t in tuples]
    minari = [SimpleNamespace(observations=s, actions=a, terminations=[False, t]) for s, a, t in tuples]
    for episodes in (imitation, minari, iter(tuples)):
        [learned] = irl.maxent(episodes)
        assert learned.rewards.tolist() == expected.rewards.tolist()
    dataset = SimpleNamespace(iterate_episodes=lambda: iter(minari))
    assert irl.maxent(dataset)[0].rewards.tolist() == expected.rewards.tolist()
    by_name = irl.maxent({"a": doors("left", "right"), "b": doors("left", "left", "right")})
    assert [one.name for one in by_name] == ["a", "b"]
    assert by_name[1].rewards.tolist() == expected.rewards.tolist()
    features = [(np.array([[0.0, 0.0], [1.0, float(k % 2)], [2.0, 0.0]]), np.array([k % 2, 0]), True) for k in range(5)]
    [learned] = irl.maxent(features, form="linear", std_errors=True)
    assert learned.transitions.states.shape[1] == 2


def test_traces_and_stopping() -> None:
    [learned] = irl.airl(doors("left", "left", "right", "left"), trace=True)
    assert len(learned.trace["accuracy"]) == learned.iterations
    import pickle

    copy = pickle.loads(pickle.dumps(learned))
    assert copy == learned and copy.iterations == learned.iterations
    [early] = irl.maxent(doors("left", "left", "right", "left"), iterations=1)
    assert early.iterations == 1


def test_generators_of_airl() -> None:
    shown = doors("left", "left", "right", "left")
    few = {"steps": 64, "batch": 32, "minibatch": 16, "epochs": 1, "hidden": (8,), "trace": True}
    [nets] = irl.airl(shown, generator="ppo", seed=3, **few)
    assert nets.iterations == 2 and np.isfinite(nets.trace["returns"]).all()
    assert irl.airl(shown, generator="ppo", seed=3, threads=1, **few)[0].rewards.tolist() == nets.rewards.tolist()
    with pytest.raises(ValueError, match="neither exact nor ppo"):
        irl.airl(shown, generator="else")


FEW: dict[str, Any] = {"generator": "ppo", "steps": 256, "batch": 64, "minibatch": 32, "epochs": 2, "hidden": (8,)}


class Line:
    """Five cells, of which the last one is the goal; one step too many, and the episode is cut off."""

    def __init__(self, features: bool = False, broken: bool = False) -> None:
        self.features, self.broken, self.seeds = features, broken, []
        low = np.zeros(2)
        self.observation_space = SimpleNamespace(low=low, shape=(2,)) if features else SimpleNamespace(n=5, start=1)
        self.action_space = SimpleNamespace(n=2)

    def seen(self) -> Any:
        return np.array([self.cell, 1.0]) if self.features else self.cell + 1

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.seeds.append(seed)
        self.cell, self.steps = 0, 0
        return self.seen(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self.broken and self.steps == 3:
            raise OSError("the robot fell over")
        self.cell = min(4, self.cell + 1) if action else max(0, self.cell - 1)
        self.steps += 1
        return self.seen(), 0.0, self.cell == 4, self.steps == 12, {}

    def walks(self, count: int) -> list[tuple[Any, Any, bool]]:
        random = np.random.default_rng(3)
        walks = []
        for _ in range(count):
            seen, actions, over = [self.reset()[0]], [], (False, False)
            while not any(over):
                actions.append(int(random.random() < 0.8))
                state, _, *over, _ = self.step(actions[-1])
                seen.append(state)
            walks.append((np.array(seen), np.array(actions), over[0]))
        return walks


@pytest.mark.parametrize("features", [False, True])
def test_policies_act_in_environments_of_python(features: bool) -> None:
    shown = Line(features).walks(10)
    made: list[Line] = []

    def make() -> Line:
        made.append(Line(features))
        return made[-1]

    [learned] = irl.airl(shown, env=make, environments=3, seed=4, trace=True, **FEW)
    assert learned.iterations == 4 and np.isfinite(learned.rewards).all() and np.ptp(learned.rewards) > 0
    # Every environment gets a seed of its own, once.
    first = [env.seeds[0] for env in made]
    assert (
        len(made) == 3 and len(set(first)) == 3 and None not in first and all(set(e.seeds[1:]) == {None} for e in made)
    )
    [again] = irl.airl(shown, env=make, environments=3, seed=4, threads=1, **FEW)
    assert again.rewards.tolist() == learned.rewards.tolist()
    [alone] = irl.airl(shown, env=Line(features), seed=4, **FEW)
    assert alone.rewards.tolist() != learned.rewards.tolist()
    by_name = irl.airl({"a": shown, "b": shown}, env=make, **FEW)
    assert [one.name for one in by_name] == ["a", "b"]


def test_policies_act_in_gymnasium_and_in_built_in_worlds() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed")
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    shown = []
    for seed in range(5):
        env.action_space.seed(seed)
        seen, actions, over = [env.reset(seed=seed)[0]], [], (False, False)
        while not any(over):
            actions.append(int(env.action_space.sample()))
            state, _, *over, _ = env.step(actions[-1])
            seen.append(state)
        shown.append((np.array(seen), np.array(actions), bool(over[0])))
    [learned] = irl.airl(shown, env=lambda: gymnasium.make("FrozenLake-v1", is_slippery=False), environments=2, **FEW)
    assert np.isfinite(learned.rewards).all()
    walks = srrd.simulate("gridworld", size=(4, 4), rollouts=5, seed=2)
    [learned] = irl.airl(walks, env="gridworld", size=(4, 4), seed=1, **FEW)
    assert learned.iterations == 4
    with pytest.raises(ValueError, match="no such state"):
        irl.airl(walks, env="gridworld", size=(3, 3), **FEW)


def test_environments_that_do_not_fit_are_refused() -> None:
    shown = Line().walks(5)
    with pytest.raises(OSError, match="the robot fell over"):
        irl.airl(shown, env=lambda: Line(broken=True), **FEW)
    with pytest.raises(
        ValueError, match="the state 1 of the demonstrations: observations of the environment are 2 numbers"
    ):
        irl.airl(shown, env=lambda: Line(features=True), **FEW)
    with pytest.raises(ValueError, match="actions of the environment are the numbers 0 to 1"):
        irl.airl([(states, actions + 7, over) for states, actions, over in shown], env=Line(), **FEW)
    with pytest.raises(ValueError, match='give generator="ppo"'):
        irl.airl(shown, env=Line)
    with pytest.raises(ValueError, match="one environment is for one set"):
        irl.airl({"a": shown, "b": shown}, env=Line(), **FEW)
    with pytest.raises(ValueError, match=r"env: 'FrozenLake-v1' is not one of gridworld.*lambda: gymnasium.make"):
        irl.airl(shown, env="FrozenLake-v1", **FEW)
    with pytest.raises(TypeError, match="neither an environment, nor a function"):
        irl.airl(shown, env=3, **FEW)
    continuous = Line()
    continuous.action_space = SimpleNamespace(shape=(1,), low=0)
    with pytest.raises(ValueError, match="needs numbered ones"):
        irl.airl(shown, env=continuous, **FEW)
    old = Line()
    old.reset = lambda seed=None: 1  # type: ignore[assignment,return-value,misc]
    with pytest.raises(TypeError, match="`reset` must return"):
        irl.airl(shown, env=old, **FEW)
    with pytest.raises(ValueError, match="are about `env`"):
        irl.airl(shown, size=(3, 3), **FEW)


def test_preferences_between_answers() -> None:
    answers = {"episode": ["a", "b", "c"], "prompt": ["hello"] * 3, "response": ["kind", "curt", "rude"]}
    said = [("a", "b")] * 3 + [("b", "a")] + [("b", "c")] * 2 + [("c", "b")]
    learned = irl.preferences(answers, said, std_errors=True, draws=3, ridge=0.01)
    rewards = dict(zip(learned.transitions.actions.tolist(), learned.rewards.tolist(), strict=True))
    assert rewards["kind"] > rewards["curt"] > rewards["rude"]
    assert len(learned.draws) == 3 and learned.std_errors is not None and (learned.std_errors > 0).all()
    assert [kind for kind, _ in learned.warnings] == ["open_constants"]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="in no state were two different actions taken"):
        irl.maxent(doors("left", "left"))
    with pytest.raises(ValueError, match="3 states and 3 actions"):
        irl.maxent([(["a", "b", "c"], [0, 1, 1])])
    with pytest.raises(ValueError, match="reward: 'everything' is not one of"):
        irl.maxent(doors("left", "right"), reward="everything")
    with pytest.raises(ValueError, match="ridge"):
        irl.maxent(doors("left", "right"), ridge=0.0)
    with pytest.raises(ValueError, match="functions of features need columns"):
        irl.maxent(doors("left", "right"), form="linear")
    with pytest.raises(ValueError, match="no set has the label"):
        irl.ptirl({"a": doors("left"), "b": doors("right")}, target="c")
    with pytest.raises(ValueError, match="names the episode '9'"):
        irl.preferences({"episode": [0, 1], "state": ["s", "s"], "action": ["x", "y"]}, [(0, 9)])
