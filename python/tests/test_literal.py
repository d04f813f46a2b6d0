"""The compiled part against the definitions, written out as loops, and against values worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import srrd

pytestmark = pytest.mark.filterwarnings("ignore::srrd.DataWarning")

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
PAPER = ("direct", "epic", "dard", "srrd")

#: (s, a, s') to the reward of it.
Rewards = dict[tuple[int, int, int], float]


def mean(values: Iterable[float]) -> float:
    """An empty set makes its term 0."""
    values = list(values)
    return float(np.mean(values)) if values else 0.0


def literal(rewards: Rewards, metric: str, gamma: float, estimator: str) -> Rewards:
    """Every canonical reward, term by term."""
    explored = {x for s, _, n in rewards for x in (s, n)}
    initial = {s for s, _, _ in rewards}
    subsequent = {n for _, _, n in rewards}

    def succ(of: set[int]) -> set[int]:
        return {n for s, _, n in rewards if s in of}

    def marginal(x: int, y: int) -> float:
        """The mean over sampled actions; an unsampled transition adds 0 to the sum."""
        return mean(r for (s, _, n), r in rewards.items() if (s, n) == (x, y))

    def double(xs: set[int], ys: set[int]) -> float:
        return mean(marginal(x, y) for x, y in product(sorted(xs), sorted(ys)))

    def unbiased(xs: set[int], ys: set[int]) -> float:
        """The mean over the sampled transitions, every action by itself."""
        return mean(r for (s, _, n), r in rewards.items() if s in xs and n in ys)

    expected: Callable[[set[int], set[int]], float] = double if estimator == "double" else unbiased
    canonical: Rewards = {}
    for (s, a, n), reward in rewards.items():
        if metric == "direct":
            terms = 0.0
        elif metric == "epic":
            terms = gamma * expected({n}, explored) - expected({s}, explored) - gamma * expected(explored, explored)
        elif metric == "dard":
            of_s, of_n = succ({s}), succ({n})
            terms = gamma * expected({n}, of_n) - expected({s}, of_s) - gamma * expected(of_s, of_n)
        else:
            s1, s2 = succ({n}), succ({s})
            if estimator == "double":
                s2 &= initial
            s5, s6 = succ(s1), succ(s2)
            terms = (
                gamma * expected({n}, s1)
                - expected({s}, s2)
                - gamma * expected(initial, subsequent)
                + gamma**2 * expected(s1, s5)
                - gamma * expected(s2, s6)
                + gamma * expected(initial, s6)
                - gamma**2 * expected(subsequent, s5)
            )
        canonical[s, a, n] = reward + terms
    return canonical


def pearson_distance(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a - a.mean(), b - b.mean()
    rho = float(a @ b / np.sqrt((a @ a) * (b @ b)))
    return float(np.sqrt((1 - min(max(rho, -1.0), 1.0)) / 2))


def sample_of(rewards: Rewards) -> srrd.RewardSample:
    states, actions, next_states = (np.array(part) for part in zip(*rewards, strict=True))
    return srrd.RewardSample(states, actions, next_states, list(rewards.values()))


def in_order(canonical: Rewards, sample: srrd.RewardSample) -> np.ndarray:
    return np.array([canonical[tuple(transition)] for transition in sample.transitions])  # type: ignore[index]


@st.composite
def graphs(draw: st.DrawFn, least: int = 1) -> list[tuple[int, int, int]]:
    states, actions = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    state, action = st.integers(0, states - 1), st.integers(0, actions - 1)
    return draw(st.lists(st.tuples(state, action, state), min_size=least, max_size=25, unique=True))


numbers = st.integers(-1000, 1000).map(lambda value: value / 64)
gammas = st.sampled_from([0.0, 0.3, 0.9, 1.0])
quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@quick
@given(st.data(), graphs(), gammas, st.sampled_from(["double", "unbiased"]))
def test_canonical_rewards(data: st.DataObject, graph: list[Any], gamma: float, estimator: str) -> None:
    rewards: Rewards = {transition: data.draw(numbers) for transition in graph}
    sample = sample_of(rewards)
    for metric in PAPER:
        found = srrd.canonicalize(sample, metric, gamma, estimator=estimator, threads=1)
        np.testing.assert_allclose(found, in_order(literal(rewards, metric, gamma, estimator), sample), atol=1e-9)


@quick
@given(st.data(), graphs(least=3), gammas, st.sampled_from(["double", "unbiased"]))
def test_distances(data: st.DataObject, graph: list[Any], gamma: float, estimator: str) -> None:
    # Two samples that share some transitions.
    sides = [data.draw(st.lists(st.sampled_from(graph), min_size=3, unique=True)) for _ in range(2)]
    a, b = ({transition: data.draw(numbers) for transition in side} for side in sides)
    common = sorted(a.keys() & b.keys())
    for metric in PAPER:
        found = srrd.distance(sample_of(a), sample_of(b), metric, gamma, estimator=estimator, threads=1)
        forms = [literal(side, metric, gamma, estimator) for side in (a, b)]
        x, y = (np.array([form[t] for t in common]) for form in forms)
        if len(common) < 3:
            assert np.isnan(found)
            continue
        spread = min(np.ptp(x), np.ptp(y))
        if spread < 1e-6:
            # Constant but for rounding: undefined, where it is seen.
            assert np.isnan(found) or spread > 0
            continue
        # The root makes much of a rounding error near 0.
        assert found**2 == pytest.approx(pearson_distance(x, y) ** 2, abs=1e-8)


@quick
@given(st.data(), graphs(least=3), gammas)
def test_projections(data: st.DataObject, graph: list[Any], gamma: float) -> None:
    a, b = ({transition: data.draw(numbers) for transition in graph} for _ in range(2))
    samples = sample_of(a), sample_of(b)
    transitions = samples[0].transitions
    shaping = np.zeros((len(transitions), 7))
    for row, (s, _, n) in enumerate(transitions):
        shaping[row, n] += gamma  # type: ignore[index]
        shaping[row, s] -= 1  # type: ignore[index]
    # Where nothing ends, a shift changes no behaviour; with a discount it is shaping anyway.
    shaping[:, 6] = gamma == 1
    left = []
    for sample in samples:
        potential = np.linalg.lstsq(shaping, sample.rewards, rcond=None)[0]
        left.append(sample.rewards - shaping @ potential)
        found = srrd.canonicalize(sample, "projected", gamma, threads=1)
        np.testing.assert_allclose(found, left[-1], atol=1e-7)
    found = srrd.distance(*samples, "projected", gamma, threads=1)
    if len(transitions) == np.linalg.matrix_rank(shaping):
        assert np.isnan(found)
    elif min(map(np.ptp, left)) > 1e-6:
        assert found**2 == pytest.approx(pearson_distance(*left) ** 2, abs=1e-7)


@quick
@given(st.data(), graphs(least=3))
def test_shaping_is_invisible_to_projections(data: st.DataObject, graph: list[Any]) -> None:
    rewards: Rewards = {transition: data.draw(numbers) for transition in graph}
    potential = [data.draw(numbers) for _ in range(6)]
    scale = data.draw(st.integers(1, 8))
    shaped = {(s, a, n): scale * r + 0.9 * potential[n] - potential[s] for (s, a, n), r in rewards.items()}
    found = srrd.distance(sample_of(rewards), sample_of(shaped), "projected", 0.9, threads=1)
    assert np.isnan(found) or found < 1e-5


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text())


def of_rows(rows: list[Any]) -> tuple[srrd.RewardSample, list[int]]:
    states, actions, next_states, rewards = zip(*rows, strict=True)
    sample = srrd.RewardSample(states, actions, next_states, rewards, duplicates="error")
    place = {tuple(transition): i for i, transition in enumerate(sample.transitions)}
    return sample, [place[tuple(row[:3])] for row in rows]


def options(case: Any) -> dict[str, Any]:
    return {name: case[name] for name in ("gamma", "estimator", "actions")}


def test_golden_canonical_rewards() -> None:
    # Batches that are named cannot be given here: they are drawn.
    cases = [case for case in golden("canonical.json")["cases"] if "batch" not in case]
    assert len(cases) >= 30
    for case in cases:
        sample, place = of_rows(case["transitions"])
        for metric in PAPER:
            found = srrd.canonicalize(sample, metric, **options(case))[place]
            np.testing.assert_allclose(found, case["canonical"][metric], rtol=1e-9, atol=1e-12)


def test_golden_distances() -> None:
    for case in golden("distance.json")["pairs"]:
        (a, _), (b, _) = of_rows(case["a"]), of_rows(case["b"])
        told = srrd.compare(a, b, metric=PAPER, **options(case))
        assert told["common"] == case["common"]
        for result in told["results"]:
            wanted = case["distance"][result["metric"]]
            assert result["distance"] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
            assert srrd.distance(a, b, result["metric"], **options(case)) == result["distance"]


def test_golden_exact_forms() -> None:
    for case in golden("exact.json")["cases"]:
        world = srrd.Tabular(case["state_distribution"], case["action_distribution"], case["transition"])
        reward, potential = np.array(case["reward"]), np.array(case["potential"])
        shaped = reward + case["gamma"] * potential[None, None, :] - potential[:, None, None]
        for metric, wanted in case["canonical"].items():
            found = world.canonicalize(reward, metric, case["gamma"])
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
            asked = world.canonicalize(
                lambda s, a, n, reward=reward: reward[s, a, n], metric, case["gamma"], batch_size=5
            )
            assert (asked == found).all()
            distance = world.distance(reward, shaped, metric, case["gamma"])
            other = world.canonicalize(shaped, metric, case["gamma"])
            assert distance**2 == pytest.approx(pearson_distance(found.ravel(), other.ravel()) ** 2, abs=1e-9)
        for metric, wanted in case["canonical_shared"].items():
            found = world.canonicalize(reward, metric, case["gamma"], actions="shared")
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
