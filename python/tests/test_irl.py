"""Rewards from demonstrations and preferences."""

from __future__ import annotations

import csv
from pathlib import Path
from types import SimpleNamespace

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


def test_preferences_between_answers() -> None:
    answers = {"episode": ["a", "b", "c"], "prompt": ["hello"] * 3, "response": ["kind", "curt", "rude"]}
    said = [("a", "b")] * 3 + [("b", "a")] + [("b", "c")] * 2 + [("c", "b")]
    with pytest.warns(srrd.DataWarning):
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
