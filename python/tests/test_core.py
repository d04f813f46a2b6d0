"""Samples, distances and what goes with them."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tables import ENVIRONMENT, agents, answer, command, random_sample

import srrd

quiet = pytest.mark.filterwarnings("ignore::srrd.DataWarning")

ROWS = [("hall", "walk", "door", 1.0), ("hall", "wait", "hall", -0.1), ("door", "wait", "door", 0.0)]


def of_rows(rows: Any, **options: Any) -> srrd.RewardSample:
    states, actions, next_states, rewards = zip(*rows, strict=True)
    return srrd.RewardSample(states, actions, next_states, rewards, **options)


class TestSamples:
    def test_what_a_sample_tells(self) -> None:
        sample = of_rows(ROWS, name="house", label="guest", episodes=[0, 0, 1])
        assert repr(sample) == (
            "RewardSample('house', label 'guest', 3 transitions, 2 states, 2 actions, coverage 37.5 %, 2 episodes)"
        )
        assert len(sample) == 3
        assert sample.states == ["door", "hall"]
        assert sample.actions == ["wait", "walk"]
        assert (sample.name, sample.label, sample.episodes) == ("house", "guest", 2)
        assert sample.coverage == 3 / 8
        assert sample.coverage_of(10, 2) == 3 / 200
        assert sample.counts["transitions"] == 3
        assert not sample.answers_unsampled

    def test_transitions_are_a_sequence_in_the_order_of_results(self) -> None:
        sample = of_rows(ROWS)
        transitions = sample.transitions
        wanted = [("door", "wait", "door"), ("hall", "walk", "door"), ("hall", "wait", "hall")]
        assert list(transitions) == wanted
        assert transitions == wanted
        assert transitions[-1] == wanted[-1]
        assert transitions[1:] == wanted[1:]
        assert transitions[0].next_state == "door"
        assert ("hall", "wait", "hall") in transitions
        assert sample.rewards.tolist() == [0.0, 1.0, -0.1]
        assert transitions.states.tolist() == ["door", "hall", "hall"]
        assert transitions.actions.tolist() == ["wait", "walk", "wait"]
        assert transitions.next_states.tolist() == ["door", "door", "hall"]
        assert repr(transitions).startswith("<3 transitions: ('door', 'wait', 'door')")
        with pytest.raises(IndexError, match="there are 3 transitions"):
            transitions[3]
        with pytest.raises(TypeError):
            hash(transitions)
        assert transitions != "abc"

    @pytest.mark.parametrize(
        "make",
        [
            lambda s, a, n, r: srrd.RewardSample(s, a, n, r),
            lambda s, a, n, r: srrd.RewardSample(*map(np.array, (s, a, n, r))),
            lambda s, a, n, r: srrd.RewardSample(np.uint8(s), np.int16(a), np.array(n, dtype=object), np.float32(r)),
            lambda s, a, n, r: srrd.RewardSample(tuple(s), a, pd.Categorical(n), np.array(r)[:, None]),
            lambda s, a, n, r: srrd.RewardSample(pd.Series(s), pd.Series(a), pl.Series(n), pl.Series(r)),
            lambda s, a, n, r: srrd.RewardSample.from_frame({"state": s, "action": a, "next_state": n, "reward": r}),
            lambda s, a, n, r: srrd.RewardSample.from_frame(
                pd.DataFrame({"state": s, "action": a, "next_state": n, "reward": r, "note": "kept out"})
            ),
            lambda s, a, n, r: srrd.RewardSample.from_frame(
                pl.DataFrame({"state": s, "action": a, "next_state": n, "reward": r})
            ),
            lambda s, a, n, r: srrd.RewardSample.from_frame(
                pa.table({"state": s, "action": a, "next_state": n, "reward": r})
            ),
        ],
    )
    def test_integers_come_in_many_forms(self, make: Any) -> None:
        s, a, n, r = [3, 0, 1, 10], [0, 1, 0, 1], [1, 3, 10, 0], [0.5, 1.0, -1.0, 2.0]
        sample = make(s, a, n, r)
        assert sample.states == [0, 1, 3, 10]
        assert list(sample.transitions) == [(0, 1, 3), (1, 0, 10), (3, 0, 1), (10, 1, 0)]
        assert sample.rewards.tolist() == [1.0, -1.0, 0.5, 2.0]
        assert sample.transitions.states.dtype == np.int64

    def test_mixed_tokens_and_features(self) -> None:
        mixed = np.array([1, "end", np.int64(2), 3.0, True, b"x"], dtype=object)
        sample = srrd.RewardSample(mixed, range(6), [1] * 6, range(6))
        assert sample.states == ["1", "2", "3", "end", "true", "x"]
        # Integers and texts that name them are the same state.
        texts, integers = (srrd.RewardSample(s, [0, 0, 0], s[::-1], [1, 2, 4]) for s in (["1", "5", "9"], [1, 5, 9]))
        assert (texts.states, integers.states) == (["1", "5", "9"], [1, 5, 9])
        with pytest.warns(srrd.DataWarning, match="only 3"):
            assert srrd.distance(texts, integers, "direct") == 0
        features = np.array([[0.0, 1.5], [2.0, 1.0]])
        for states in (features, features.tolist(), [tuple(row) for row in features]):
            sample = srrd.RewardSample(states, [0, 1], features[::-1], [1.0, 2.0], state_features=["x", "y"])
            assert sample.states == [(0.0, 1.5), (2.0, 1.0)]
            assert sample.transitions.states.tolist() == features.tolist()
            assert sample.to_frame().columns[:2].tolist() == ["state.x", "state.y"]
        # Names of features are matched, whatever their order.
        turned = srrd.RewardSample(
            features[:, ::-1], [0, 1], features[::-1, ::-1], [1.0, 2.0], state_features=["y", "x"]
        )
        assert turned.transitions == sample.transitions

    def test_tensors(self) -> None:
        class Tensor:
            """What a tensor of torch can do, as far as it matters here."""

            def __init__(self, values: Any) -> None:
                self.values = np.asarray(values)

            def detach(self) -> Tensor:
                return Tensor(self.values)

            def cpu(self) -> Tensor:
                return self

            def numpy(self) -> np.ndarray:
                return self.values

            def __array__(self, *_: Any, **__: Any) -> np.ndarray:
                return self.values

            def __len__(self) -> int:
                return len(self.values)

        sample = srrd.RewardSample(*map(Tensor, ([0, 1], [0, 0], [1, 0], [0.5, 1.0])))
        assert sample == srrd.RewardSample([0, 1], [0, 0], [1, 0], [0.5, 1.0])
        asked = srrd.RewardSample.from_callable(lambda s, a, n: Tensor(1.0 * s[:, None]), sample)
        assert asked.rewards.tolist() == [0.0, 1.0]

    def test_one_step_problems(self) -> None:
        sample = srrd.RewardSample(["p", "q", "r"], [0, 1, 0], None, [1.0, 2.0, 4.0])
        assert sample.to_frame().columns.tolist() == ["state", "action", "reward"]
        other = sample.with_rewards([2.0, 4.0, 8.0])
        with pytest.warns(srrd.DataWarning, match="only 3 transitions"):
            assert srrd.distance(sample, other) == pytest.approx(0.0, abs=1e-7)

    def test_repeated_transitions(self) -> None:
        s, a, n, r = [0, 0, 1], [0, 0, 0], [1, 1, 0], [1.0, 3.0, 5.0]
        for duplicates, wanted in (("mean", 2.0), ("first", 1.0), ("last", 3.0)):
            sample = srrd.RewardSample(s, a, n, r, duplicates=duplicates)
            assert sample.rewards.tolist() == [wanted, 5.0]
        assert "1 averaged" in repr(srrd.RewardSample(s, a, n, r))
        with pytest.raises(ValueError, match="the reward 3 here and 1 in row 1"):
            srrd.RewardSample(s, a, n, r, duplicates="error")
        with pytest.raises(ValueError, match="median"):
            srrd.RewardSample(s, a, n, r, duplicates="median")

    def test_episodes(self) -> None:
        class Walk:
            obs = np.array([0, 1, 2])
            acts = np.array([0, 0])
            rews = np.array([0.5, 1.0])

        wanted = [(0, 0, 1), (1, 0, 2)]
        for episode in (
            Walk(),
            ([0, 1, 2], [0, 0], [0.5, 1.0]),
            {"observations": [0, 1, 2], "actions": [0, 0], "rewards": [0.5, 1.0]},
        ):
            sample = srrd.RewardSample.from_episodes([episode], name="walk", label="me")
            assert sample.transitions == wanted
            assert (sample.episodes, sample.name, sample.label) == (1, "walk", "me")
        actions, rewards = [0, 1, 0], [0.5, 1.0, 2.0]
        for states in ([0, 1, 2, 1], ["a", "b", "7", "b"], [[0.0, 1.0], [1.0, 1.0], [2.0, 0.5], [1.0, 1.0]]):
            whole = srrd.RewardSample.from_episodes([(states, actions, rewards)] * 2)
            rows = srrd.RewardSample(
                states[:-1] * 2, actions * 2, states[1:] * 2, rewards * 2, episodes=[0, 0, 0, 1, 1, 1]
            )
            assert whole == rows
            assert (whole.states, whole.transitions == rows.transitions) == (rows.states, True)
        with pytest.raises(ValueError, match="episode 0"):
            srrd.RewardSample.from_episodes([([0, 1], [0, 0], [0.5, 1.0])])
        with pytest.raises(ValueError, match="episode 1: give"):
            srrd.RewardSample.from_episodes([Walk(), 3])
        with pytest.raises(ValueError):
            srrd.RewardSample.from_episodes([])

    def test_functions(self) -> None:
        base = random_sample(1)
        asked: list[int] = []

        def reward(states: Any, actions: Any, next_states: Any) -> Any:
            asked.append(len(states))
            return states + 10.0 * actions - next_states

        sample = srrd.RewardSample.from_callable(reward, base, batch_size=50, name="f", label="g")
        t = base.transitions
        assert sample.rewards.tolist() == (t.states + 10.0 * t.actions - t.next_states).tolist()
        assert (sample.name, sample.label) == ("f", "g")
        assert max(asked) == 50
        with pytest.raises(ValueError, match=r"returned an array of shape \(3,\)"):
            srrd.RewardSample.from_callable(lambda s, a, n: [1, 2, 3], base)
        with pytest.raises(ValueError, match="returned nan for"):
            srrd.RewardSample.from_callable(lambda s, a, n: s * np.nan, base)
        with pytest.raises(ValueError, match="batch_size"):
            srrd.RewardSample.from_callable(reward, base, batch_size=0)

    @quiet
    def test_functions_answer_for_what_was_not_sampled(self) -> None:
        base = random_sample(1, rows=30, states=6)
        table = np.random.default_rng(0).normal(size=(6, 2, 6))
        potential = np.random.default_rng(1).normal(size=6)

        def shaped(s: Any, a: Any, n: Any) -> Any:
            return table[s, a, n] + 0.9 * potential[n] - potential[s]

        for actions in ("marginal", "joint"):
            plain, other = (
                srrd.RewardSample.from_callable(fn, base).with_callable(fn, actions=actions, batch_size=7)
                for fn in (lambda s, a, n: table[s, a, n], shaped)
            )
            assert plain.answers_unsampled
            # EPIC knows all it needs: shaping is taken out to the last bit or two.
            assert srrd.distance(plain, other, "epic", actions=actions) < 1e-6
        without = [srrd.RewardSample.from_callable(fn, base) for fn in (lambda s, a, n: table[s, a, n], shaped)]
        assert srrd.distance(*without, "epic") > 0.1
        with pytest.raises(ValueError, match="not one of marginal, joint"):
            plain.with_callable(shaped, actions="all")

    def test_samples_are_compared_hashed_and_pickled(self) -> None:
        a, b = random_sample(1), random_sample(2)
        assert a == random_sample(1)
        assert hash(a) == hash(random_sample(1))
        assert a != b
        assert a != 3
        other = a.with_rewards(b.rewards)
        assert other.transitions == b.transitions
        assert (other.rewards == b.rewards).all()
        walks = random_sample(1, episodes=np.arange(120) // 10)
        assert walks.with_rewards(b.rewards).episodes == walks.episodes == 12
        renamed = a.renamed("a", "x")
        assert (renamed.name, renamed.label, renamed.renamed("b").label) == ("a", "x", "x")
        features = srrd.RewardSample([[0.5], [1.5]], ["x", 2], [[1.5], [0.5]], [1, 2], episodes=[0, 1], label="l")
        for sample in (renamed, features, of_rows(ROWS)):
            again = pickle.loads(pickle.dumps(sample))
            assert again == sample
            assert (again.name, again.label, again.episodes) == (sample.name, sample.label, sample.episodes)
            assert srrd.RewardSample.from_bytes(sample.to_bytes()) == sample
        data = bytearray(a.to_bytes())
        data[len(data) // 2] ^= 255
        for broken in (bytes(data), b"", b"nonsense", a.to_bytes()[:-1]):
            with pytest.raises(ValueError):
                srrd.RewardSample.from_bytes(broken)

    def test_frames_and_files_of_several_samples(self, tmp_path: Path) -> None:
        frame = pd.DataFrame(
            {
                "sample": ["a", "a", "b"],
                "label": ["x", "x", "y"],
                "state": [0, 1, 0],
                "action": [0, 0, 1],
                "next_state": [1, 0, 1],
                "reward": [1.0, 2.0, 3.0],
            }
        )
        samples = srrd.from_frame(frame)
        assert [(one.name, one.label, len(one)) for one in samples] == [("a", "x", 2), ("b", "y", 1)]
        path = tmp_path / "two.csv"
        frame.to_csv(path, index=False)
        assert srrd.read(path) == samples
        assert srrd.RewardSample.from_file(path, sample="b") == samples[1]
        frame.to_parquet(tmp_path / "two.parquet")
        assert srrd.read(tmp_path / "two.parquet") == samples
        with pytest.raises(ValueError, match="there are 2 samples"):
            srrd.RewardSample.from_frame(frame)
        with pytest.raises(ValueError, match="there is no sample 'c'"):
            srrd.RewardSample.from_file(path, sample="c")
        with pytest.raises((ValueError, OSError), match=r"nowhere\.csv"):
            srrd.read(tmp_path / "nowhere.csv")
        assert srrd.RewardSample.from_frame(samples[0].to_frame()).rewards.tolist() == [1.0, 2.0]

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (([0], [0], [1], ["much"]), ValueError, "`rewards` must be numbers"),
            (([0], [0], [1], [np.nan]), ValueError, "(?i)nan"),
            (([0], [0], [1], [np.inf]), ValueError, "(?i)inf"),
            (([0, 1], [0], [1, 0], [1, 2]), ValueError, "action"),
            (([0], [0], [1], [[1, 2]]), ValueError, "dimensions"),
            (([], [], [], []), ValueError, "at least one transition is needed"),
            (([None], [0], [1], [1]), ValueError, "state"),
            (([[1.0, np.nan]], [0], [[1.0, 2.0]], [1]), ValueError, "(?i)nan"),
            (([{1}], [0], [1], [1]), TypeError, "neither a number nor a text"),
            (([np.array([1.0]), np.array([1.0, 2.0])], [0, 0], [1, 1], [1, 1]), ValueError, "different lengths"),
            (([2**64 - 1], [0], [1], [1]), ValueError, r"beyond 2\*\*63"),
            (([["a", "b"]], [0], [1], [1]), ValueError, "features must be numbers"),
        ],
    )
    def test_wrong_arrays(self, arguments: Any, error: type[Exception], message: str) -> None:
        with pytest.raises(error, match=message):
            srrd.RewardSample(*arguments)

    def test_wrong_features_and_frames(self) -> None:
        with pytest.raises(ValueError, match="has 2 features, but 1 names are given"):
            srrd.RewardSample([[1, 2]], [0], [[1, 2]], [0], state_features=["x"])
        with pytest.raises(ValueError, match="has no features to name"):
            srrd.RewardSample([1], [0], [2], [0], state_features=["x"])
        with pytest.raises(TypeError, match="a frame with columns is needed"):
            srrd.from_frame([1, 2])
        with pytest.raises(ValueError, match="reward"):
            srrd.from_frame({"state": [1], "action": [1], "next_state": [2]})
        twice = pd.DataFrame([[0, 0, 1, 1.0, 2.0]], columns=["state", "action", "next_state", "reward", "reward"])
        with pytest.raises(ValueError, match="several columns `reward`"):
            srrd.from_frame(twice)
        with pytest.raises(ValueError):
            random_sample(1).with_rewards([1.0])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pair")
    for seed, shaped in ((1, ["--shaped"]), (2, [])):
        command(
            "simulate", "gridworld", "-o", folder / f"{seed}.csv", "--size", "6x6", "--rollouts", 8, "--seed", seed,
            "--reward-seed", 7, *shaped,
        )  # fmt: skip
    return folder / "1.csv", folder / "2.csv"


class TestAnswersOfTheCommand:
    """The same numbers as the command's, to the last bit."""

    @pytest.mark.parametrize(
        ("given", "options"),
        [
            ([], {}),
            (["--gamma", "0.5", "--estimator", "unbiased"], {"gamma": 0.5, "estimator": "unbiased"}),
            (["--actions", "joint", "--batch", "9", "--seed", "3"], {"actions": "joint", "batch": 9, "seed": 3}),
            (["--correlation", "spearman", "--gamma", "auto"], {"correlation": "spearman", "gamma": "auto"}),
            (
                ["--estimator", "regressed", "--regression", "tree", "--metric", "srrd"],
                {"estimator": "regressed", "regression": "tree", "metric": "srrd"},
            ),
            (["--support", "own", "--metric", "projected"], {"support": "own", "metric": "projected"}),
            (["--interval", "0.9", "--chance", "--draws", "100"], {"interval": 0.9, "chance": True, "draws": 100}),
        ],
    )
    @quiet
    def test_compare(self, pair: tuple[Path, Path], given: list[str], options: dict[str, Any]) -> None:
        metric = [] if "--metric" in given else ["--metric", "all"]
        told = answer("distance", *pair, *metric, *given)
        a, b = (srrd.RewardSample.from_file(path) for path in pair)
        found = srrd.compare(a, b, **options)
        assert found["results"] == told["results"]
        assert found["common"] == told["common"]
        # A step at a time, from arrays instead of the file.
        arrays = []
        for sample in (a, b):
            t = sample.transitions
            arrays.append(
                srrd.RewardSample(t.states, t.actions, t.next_states, sample.rewards, terminated=sample.terminated)
            )
        for result in found["results"]:
            plain = {k: v for k, v in options.items() if k not in ("interval", "chance", "draws", "metric")}
            assert srrd.distance(*arrays, result["metric"], **plain) == result["distance"]

    @quiet
    def test_canonicalize(self, pair: tuple[Path, Path], tmp_path: Path) -> None:
        sample = srrd.RewardSample.from_file(pair[0])
        for metric in srrd.METRICS:
            command("canonicalize", pair[0], "-o", tmp_path / "out.csv", "--metric", metric)
            frame = pl.read_csv(tmp_path / "out.csv")
            names = ["state.x", "state.y", "action.dx", "action.dy", "next_state.x", "next_state.y"]
            told = {tuple(row): value for *row, value in frame[[*names, "canonical"]].iter_rows()}
            found = srrd.canonicalize(sample, metric)
            for (s, a, n), value in zip(sample.transitions, found, strict=True):
                assert told[(*s, *a, *n)] == value  # type: ignore[misc]

    @quiet
    def test_pairwise(self, tmp_path: Path) -> None:
        samples = srrd.read(agents())
        for metric in ("srrd", "projected"):
            command("matrix", agents(), "-o", tmp_path / "out.npy", "--metric", metric)
            told = np.load(tmp_path / "out.npy")
            found = srrd.pairwise(samples, metric)
            assert found.tobytes() == told.tobytes()
            assert srrd.cross(samples[:3], samples, metric).tobytes() == found[:3].tobytes()
            filled = srrd.pairwise(samples, metric, undefined=1.0)
            defined = ~np.isnan(found)
            assert (filled[defined] == found[defined]).all()
            assert (np.diag(filled) == 0).all()
            assert (filled[~defined & ~np.eye(len(samples), dtype=bool)] == 1).all()
            assert found[0, 1] == srrd.distance(samples[0], samples[1], metric)

    @quiet
    def test_explain_inspect_and_evaluate(self, pair: tuple[Path, Path]) -> None:
        a, b = (srrd.RewardSample.from_file(path) for path in pair)
        told, found = answer("explain", *pair, "--top", 3), srrd.explain(a, b, top=3)
        assert found["transitions"] == told["transitions"]
        assert found["states"] == told["states"]
        told, found = answer("inspect", *pair), srrd.inspect(a, b)
        assert found.keys() == told.keys()
        assert found["advice"] == told["advice"]
        assert srrd.inspect(a, space=(36, 4))["samples"] == answer("inspect", pair[0], "--space", "36x4")["samples"]
        samples = srrd.read(agents())
        told = answer("classify", agents(), "--gamma", "0.5,0.9", "--k", "1,3", "--repeats", 5)
        found = srrd.evaluate(samples, gamma=[0.5, 0.9], k=[1, 3], repeats=5)
        assert found == told | {"inputs": found["inputs"]} if "inputs" in found else found == told
        labels = [sample.label for sample in samples]
        bare = [srrd.RewardSample.from_frame(sample.to_frame(), name=sample.name) for sample in samples]
        assert srrd.evaluate(bare, labels, gamma=[0.5, 0.9], k=[1, 3], repeats=5)["results"] == found["results"]
        with pytest.raises(ValueError, match="40 samples and 3 labels"):
            srrd.evaluate(samples, ["a", "b", "c"])

    def test_gamma(self, pair: tuple[Path, Path]) -> None:
        a, b = (srrd.RewardSample.from_file(path) for path in pair)
        estimate = srrd.estimate_gamma(a, b)
        assert estimate["low"] <= estimate["gamma"] <= estimate["high"]
        assert estimate["profile_gamma"].shape == estimate["profile_unexplained"].shape
        told = answer("distance", *pair, "--gamma", "auto")
        assert told["gamma"] == estimate["gamma"]


class TestComputing:
    def test_embedding(self) -> None:
        corners = np.array([[0.0, 0.0], [0.6, 0.0], [0.0, 0.3]])
        distances = np.linalg.norm(corners[:, None] - corners, axis=2)
        points = srrd.embed(distances)
        np.testing.assert_allclose(np.linalg.norm(points[:, None] - points, axis=2), distances, atol=1e-9)
        with pytest.raises(ValueError, match="must be a square"):
            srrd.embed(np.zeros((2, 3)))

    def test_warnings_say_what_is_wrong(self) -> None:
        few, other = of_rows(ROWS), of_rows(ROWS[:2])
        with pytest.warns(srrd.DataWarning, match="fewer than the 3"):
            assert np.isnan(srrd.distance(few, other))
        constant = random_sample(1).with_rewards(np.ones(len(random_sample(1))))
        with pytest.warns(srrd.DataWarning, match="the direct distance is undefined"):
            assert np.isnan(srrd.distance(constant, random_sample(1), "direct"))
        with pytest.warns(srrd.DataWarning, match="distances are undefined"):
            srrd.pairwise([constant, random_sample(1)], "direct")
        with pytest.warns(srrd.DataWarning):
            assert srrd.compare(few, other)["results"][0]["distance"] is None
        assert issubclass(srrd.DataWarning, UserWarning)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"metric": "srd"}, "srd"),
            ({"gamma": 1.5}, "1.5"),
            ({"gamma": "often"}, "often"),
            ({"estimator": "triple"}, "triple"),
            ({"estimator": "regressed"}, "feature"),
            ({"regression": "forest"}, "forest"),
            ({"actions": "both"}, "both"),
            ({"batch": 0}, "batch|0"),
            ({"seed": -1}, "seed: '-1' is not a whole number"),
            ({"seed": True}, "seed: 'true' is not a whole number"),
            ({"min_common": 0}, "min_common: it must be at least 1"),
            ({"correlation": "kendall"}, "kendall"),
            ({"support": "all"}, "all"),
            ({"threads": 0}, "threads|0"),
        ],
    )
    def test_wrong_options(self, options: dict[str, Any], message: str) -> None:
        with pytest.raises((ValueError, OverflowError), match=message):
            srrd.distance(random_sample(1), random_sample(2), **options)

    def test_only_samples_are_compared(self) -> None:
        with pytest.raises(TypeError, match="a RewardSample is needed, not list"):
            srrd.distance([1], random_sample(1))  # type: ignore[arg-type]

    def test_tabular_problems_refuse_wrong_input(self) -> None:
        rng = np.random.default_rng(0)
        world = srrd.Tabular(3, 2, rng.dirichlet(np.ones(3), size=(3, 2)))
        assert world.shape == (3, 2, 3)
        reward = rng.normal(size=(3, 2, 3))
        assert world.distance(reward, 2 * reward + 1) == pytest.approx(0, abs=1e-7)
        with pytest.raises(ValueError, match=r"shape \(2, 2\) where \(3, 2, 3\) is needed"):
            world.canonicalize(np.zeros((2, 2)))
        with pytest.raises(ValueError, match="not at least 1"):
            srrd.Tabular(0, 2)
        with pytest.raises(ValueError):
            srrd.Tabular([0.5, 0.6], 2)
        with pytest.raises(ValueError, match="srrd needs a transition model: build the problem with `dynamics=`"):
            srrd.Tabular(3, 2).canonicalize(reward, "srrd")
        with pytest.raises(ValueError, match="one dimension"):
            srrd.Tabular([[0.5, 0.5]], 2)

    @quiet
    def test_the_number_of_threads_changes_nothing(self) -> None:
        samples = srrd.read(agents())
        for metric in ("srrd", "projected"):
            one, two = (srrd.pairwise(samples, metric, threads=threads) for threads in (1, 2))
            assert one.tobytes() == two.tobytes()
        one, two = (srrd.canonicalize(samples[0], "srrd", threads=threads) for threads in (1, 2))
        assert one.tobytes() == two.tobytes()

    def test_a_forked_child_computes_after_its_parent_did(self) -> None:
        a, b = random_sample(1), random_sample(2)
        wanted = srrd.distance(a, b, threads=2)
        context = multiprocessing.get_context("fork")
        receive, send = context.Pipe(duplex=False)

        def child() -> None:
            send.send(srrd.distance(a, b, threads=2))

        process = context.Process(target=child)
        process.start()
        assert receive.poll(20)
        assert receive.recv() == wanted
        process.join(20)
        assert process.exitcode == 0

    def test_other_threads_go_on_during_a_long_call(self) -> None:
        samples = [random_sample(seed, rows=3000, states=150) for seed in range(14)]
        counted = [0]
        stop = threading.Event()

        def count() -> None:
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before, began = counted[0], time.monotonic()
        srrd.pairwise(samples, "projected", threads=1)
        took, after = time.monotonic() - began, counted[0]
        stop.set()
        thread.join()
        assert took > 0.05
        # A lock held throughout would leave at most one.
        assert after - before > 5


def test_the_command_runs_as_a_module() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "srrd", "--version"], check=True, capture_output=True, text=True, env=ENVIRONMENT
    )
    assert ran.stdout == f"srrd {srrd.__version__}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="it has other signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_a_signal_ends_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    endless = ["simulate", "gridworld", "-o", "out.csv", "--rollouts", "100000000"]
    with subprocess.Popen([sys.executable, "-m", "srrd", *endless], cwd=tmp_path, env=ENVIRONMENT) as child:
        patience = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < patience:
            time.sleep(0.01)
        child.send_signal(number)
        assert child.wait(60) == -number
    assert list(tmp_path.iterdir()) == []


def test_what_is_loaded_later() -> None:
    assert set(srrd.__all__) <= set(dir(srrd)) | {"__version__"}
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = srrd.nonsense
    # Nothing heavy comes with the package itself.
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, srrd; print([m for m in ('sklearn', 'matplotlib', 'pandas') if m in sys.modules])",
        ],
        check=True,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert ran.stdout == "[]\n"


def test_features_of_arrays_can_be_named_as_those_of_tables_are() -> None:
    states, actions, rewards = np.arange(60.0).reshape(30, 2), np.zeros(30, dtype=int), np.sin(np.arange(30))
    columns = {"state.x": states[:, 0], "state.y": states[:, 1], "action": actions, "reward": rewards}
    columns |= {"next_state.x": states[::-1, 0], "next_state.y": states[::-1, 1]}
    table = srrd.RewardSample.from_frame(columns)
    plain = srrd.RewardSample(states, actions, states[::-1], rewards)
    named = srrd.RewardSample(states, actions, states[::-1], rewards, state_features=["x", "y"])
    assert srrd.distance(table, named, metric="direct") == 0
    with pytest.raises(ValueError, match=r"features x, y .* features 0, 1.*`state_features`"):
        srrd.distance(table, plain)


@pytest.mark.parametrize("threads", [0, -1, 10**30, float("nan"), 2.5, 1025])
def test_threads_say_what_is_allowed(threads: Any) -> None:
    a = srrd.RewardSample([0, 1, 2, 0], [0, 0, 0, 1], [1, 2, 0, 2], [0.0, 1.0, 0.5, 2.0])
    with pytest.raises(ValueError, match="threads: .* is not a whole number between 1 and 1024"):
        srrd.distance(a, a, threads=threads)


def test_a_matrix_that_does_not_fit_is_a_memory_error() -> None:
    with pytest.raises(
        MemoryError, match="10000000 samples take at least 800.0 TB of memory, and .* free; give `out=`"
    ):
        srrd._srrd.check_matrix(10_000_000)
