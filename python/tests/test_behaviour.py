"""Episodes that end and actions whose outcome is chance, on Gymnasium's toy worlds."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

import srrd

GAMMA = 0.9
WORLDS = {
    "lake": ("FrozenLake-v1", {"is_slippery": False}),
    "slippery lake": ("FrozenLake-v1", {"is_slippery": True}),
    "taxi": ("Taxi-v4", {}),
    "cliff": ("CliffWalking-v1", {}),
}

Rows = list[tuple[int, int, int, bool]]
Array = npt.NDArray[np.float64]


def model(env: Any) -> dict[tuple[int, int], dict[tuple[int, bool], float]]:
    """The probabilities of (next state, ends) for every (state, action)."""
    found: dict[tuple[int, int], dict[tuple[int, bool], float]] = {}
    for state, actions in env.unwrapped.P.items():
        for action, outcomes in actions.items():
            for probability, following, _, ends in outcomes:
                of_pair = found.setdefault((int(state), int(action)), {})
                key = (int(following), bool(ends))
                of_pair[key] = of_pair.get(key, 0.0) + probability
    return found


def walk(env: Any, steps: int, seed: int) -> Rows:
    """Steps of a random agent, which starts anew where an episode ends."""
    rng = np.random.default_rng(seed)
    state, _ = env.reset(seed=seed)
    rows: Rows = []
    for _ in range(steps):
        action = int(rng.integers(env.action_space.n))
        following, _, ends, cut, _ = env.step(action)
        rows.append((int(state), action, int(following), bool(ends)))
        state = env.reset()[0] if ends or cut else following
    return rows


def sample(rows: Rows, rewards: npt.ArrayLike) -> srrd.RewardSample:
    states, actions, following, ends = zip(*rows, strict=True)
    return srrd.RewardSample(states, actions, following, rewards, terminated=ends)


def distance(a: srrd.RewardSample, b: srrd.RewardSample, **options: Any) -> float:
    return srrd.distance(a, b, metric="projected", gamma=GAMMA, **options)


@pytest.fixture(params=WORLDS)
def world(request: pytest.FixtureRequest) -> Any:
    name, options = WORLDS[request.param]
    return gymnasium.make(name, **options)


def test_shaping_is_invisible_unless_it_moves_ends(world: Any) -> None:
    rng = np.random.default_rng(1)
    rows = sorted(set(walk(world, 20_000, 1)))
    states = world.observation_space.n
    rewards = rng.normal(size=len(rows))
    potential = 3 * rng.normal(size=states)
    ahead = np.array([0.0 if ends else GAMMA * potential[following] for _, _, following, ends in rows])
    behind = potential[[state for state, *_ in rows]]
    plain = sample(rows, rewards)
    assert plain.terminated is not None
    assert plain.terminated.any()
    assert distance(plain, sample(rows, 2 * rewards + ahead - behind)) < 1e-9
    # Something for where episodes end is no shaping. How far apart it is, is told by least squares written down anew.
    moved = np.array([float(ends) for *_, ends in rows])
    moved *= np.sqrt(len(rows) / moved.sum())
    matrix = shaping_of(rows, states)
    for times in (1.0, 2.0):
        wanted = angle(matrix, rewards, rewards + times * moved)
        assert distance(plain, sample(rows, rewards + times * moved)) == pytest.approx(wanted, abs=1e-9)
        # What is shaping is below 1e-9.
        assert wanted > 1e-6


def shaping_of(rows: Rows, states: int) -> Array:
    """What a potential of 1 in a state, and 0 elsewhere, adds to every row."""
    matrix = np.zeros((len(rows), states))
    for row, (state, _, following, ends) in zip(matrix, rows, strict=True):
        row[state] -= 1
        if not ends:
            row[following] += GAMMA
    return matrix


def angle(matrix: Array, x: Array, y: Array) -> float:
    """The distance of two rewards when the columns of a matrix are taken out of both."""
    x, y = (v - matrix @ np.linalg.lstsq(matrix, v, rcond=None)[0] for v in (x, y))
    return float(np.linalg.norm(x / np.linalg.norm(x) - y / np.linalg.norm(y)) / 2)


def redistributed(known: dict[tuple[int, int], dict[tuple[int, bool], float]], seed: int) -> list[dict[Any, float]]:
    """A reward, and the same with as much again moved between next states: their mean stays."""
    rng = np.random.default_rng(seed)
    reward = {(s, a, n): rng.normal() for (s, a), outcomes in known.items() for n, _ in outcomes}
    moved = dict(reward)
    for (s, a), outcomes in known.items():
        extra = {n: rng.normal() for n, _ in outcomes}
        mean = sum(p * extra[n] for (n, _), p in outcomes.items())
        for n in extra:
            moved[s, a, n] += extra[n] - mean
    return [reward, moved]


def expected(known: Any, rows: Rows, reward: dict[Any, float], moved: dict[Any, float]) -> tuple[float, float]:
    """What the squared distance of moved rewards is in the mean over walks with these visits, as its root, and how many squares of equal
    size it is like.

    Every pair of state and action has the error e of a mean over n visits, with the variance v/n, v that of what was moved. To first order
    the angle between the two rewards is what shaping and the reward itself leave of e, over the length of what shaping leaves of the
    reward, and the distance is half the angle.
    """
    visits: dict[tuple[int, int], int] = {}
    for state, action, *_ in rows:
        visits[state, action] = visits.get((state, action), 0) + 1
    pairs = sorted(visits)
    matrix = np.zeros((len(pairs), 1 + max(max(s, n) for (s, _), outcomes in known.items() for n, _ in outcomes)))
    means, variances = np.zeros(len(pairs)), np.zeros(len(pairs))
    for i, pair in enumerate(pairs):
        matrix[i, pair[0]] -= 1
        for (following, ends), p in known[pair].items():
            key = (*pair, following)
            matrix[i, following] += 0 if ends else GAMMA * p
            means[i] += p * reward[key]
            variances[i] += p * (moved[key] - reward[key]) ** 2 / visits[pair]
    left = means - matrix @ np.linalg.lstsq(matrix, means, rcond=None)[0]
    basis, sizes, _ = np.linalg.svd(np.column_stack([matrix, left / np.linalg.norm(left)]), full_matrices=False)
    basis = basis[:, sizes > 1e-9]
    errors = (np.eye(len(pairs)) - basis @ basis.T) * np.sqrt(np.outer(variances, variances))
    squares = np.linalg.eigvalsh(errors)
    return float(np.sqrt(squares.sum() / (left @ left)) / 2), float(squares.sum() ** 2 / (squares**2).sum())


def test_what_sampled_dynamics_leave_of_moved_rewards_is_what_chance_makes_of_means() -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    known = model(env)
    ratios: dict[int, list[float]] = {12_500: [], 50_000: []}
    theory: dict[int, list[float]] = {12_500: [], 50_000: []}
    variance = 0.0
    for seed in range(6):
        rows = walk(env, 50_000, 100 + seed)
        rewards = redistributed(known, seed)
        for steps in ratios:
            pair = (sample(rows[:steps], [of[s, a, t] for s, a, t, _ in rows[:steps]]) for of in rewards)
            root, dimensions = expected(known, rows[:steps], *rewards)
            ratios[steps].append((distance(*pair, dynamics="sampled") / root) ** 2)
            theory[steps].append(root)
            variance = max(variance, 2 / dimensions)
    # The mean of six squares like chi-squared ones is within four standard errors of what is expected.
    for found in ratios.values():
        assert abs(np.mean(found) - 1) < 4 * np.sqrt(variance / 6), (ratios, variance)
    # What is expected goes like 1/sqrt(n): a quarter of the steps, twice the distance, but for the visits of rare pairs.
    assert np.median(np.divide(theory[12_500], theory[50_000])) == pytest.approx(2, rel=0.1)


def test_rewards_moved_between_next_states_are_the_same_behaviour(tmp_path: Path) -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    known = model(env)
    reward, moved = redistributed(known, 2)
    path = tmp_path / "model.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["state", "action", "next_state", "probability"])
        for (s, a), outcomes in known.items():
            by_state: dict[int, float] = {}
            for (n, _), p in outcomes.items():
                by_state[n] = by_state.get(n, 0.0) + p
            writer.writerows([s, a, n, p] for n, p in by_state.items())
    rows = walk(env, 50_000, 3)
    pair = [sample(rows, [of[s, a, n] for s, a, n, _ in rows]) for of in (reward, moved)]
    assert distance(*pair) > 0.2
    root, dimensions = expected(known, rows, reward, moved)
    # A chi-squared of so many dimensions is that large once in some 10,000 times.
    assert distance(*pair, dynamics="sampled") < root * np.sqrt(1 + 5 * np.sqrt(2 / dimensions))
    assert distance(*pair, dynamics=str(path)) < 1e-9


def test_the_verdict_tells_goals_apart() -> None:
    rows = [(s, a, t, t in (0, 10)) for s in range(1, 10) for a, t in ((0, s - 1), (1, s + 1), (2, s))]
    left, right = (sample(rows, [1.0 if t == goal else -0.01 for _, _, t, _ in rows]) for goal in (0, 10))
    found = srrd.compare(left, right, gamma=GAMMA)
    assert found["verdict"] == "different"
    first, second = found["witness"]
    assert first[0]["state"] == second[0]["state"]
    assert distance(left, right) > 0.5
    unmarked = [s.with_rewards(s.rewards) for s in (left, right)]
    assert all(s.terminated is not None for s in unmarked)
    open_ended = [
        srrd.RewardSample(s.transitions.states, s.transitions.actions, s.transitions.next_states, s.rewards)
        for s in (left, right)
    ]
    with pytest.warns(srrd.DataWarning, match="unknown where episodes end"):
        assert srrd.compare(*open_ended, "projected", GAMMA)["verdict"] == "unknown"


def test_a_file_of_probabilities_is_read_anew(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pairs = [(state, action) for state in range(15) for action in range(3)]
    rows = [(s, a, n) for s, a in pairs for n in rng.choice(15, 2, replace=False).tolist()]
    rewards = rng.normal(size=(len(pairs), 2))
    # Moved between the two next states: nothing to who meets both as often.
    moved = rewards + rng.normal(size=(len(pairs), 1)) * [1.0, -1.0]
    samples = [srrd.RewardSample(*np.array(rows).T, values.ravel()) for values in (rewards, moved)]
    path = tmp_path / "model.csv"
    found = []
    for share in (0.5, 0.9):
        shares = [share, 1 - share] * len(pairs)
        lines = [f"{s},{a},{n},{p}" for (s, a, n), p in zip(rows, shares, strict=True)]
        path.write_text("\n".join(["state,action,next_state,probability", *lines]))
        found.append(srrd.distance(*samples, metric="projected", ends="none", dynamics=str(path)))
    assert found[0] < 1e-9 and found[1] > 0.1
