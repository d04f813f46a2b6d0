"""The metrics of the field against NumPy and SciPy, on random problems."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import srrd

scipy_stats = pytest.importorskip("scipy.stats")
scipy_optimize = pytest.importorskip("scipy.optimize")

Array = npt.NDArray[np.float64]

#: How many random problems; linear programs of SciPy take milliseconds each.
PROBLEMS = 1000


def problem(rng: np.random.Generator) -> tuple[srrd.Tabular, Array, Array, float]:
    """A small world with sparse dynamics, its dynamics, a reward of whole or real numbers, and a discount factor."""
    states, actions = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    weights = rng.uniform(0.05, 1, size=(states, actions, states)) * (rng.random((states, actions, states)) < 0.6)
    weights[..., 0] += weights.sum(axis=2) == 0
    dynamics = weights / weights.sum(axis=2, keepdims=True)
    shape = dynamics.shape
    reward = rng.integers(-1, 2, size=shape).astype(float) if rng.random() < 0.5 else rng.uniform(-1, 1, size=shape)
    return srrd.Tabular(states, actions, dynamics), dynamics, reward, float(rng.choice([0.0, 0.3, 0.9, 0.95]))


def moves(dynamics: Array, gamma: float, redistribution: bool) -> Array:
    """What changes no behaviour, as columns: potential shaping and, where asked for, S'-redistribution."""
    states, actions, _ = dynamics.shape
    columns = []
    for x in range(states):
        phi = np.eye(states)[x]
        columns.append(np.broadcast_to(gamma * phi[None, None, :] - phi[:, None, None], dynamics.shape).ravel())
    for s in range(states if redistribution else 0):
        for a in range(actions):
            first = int(np.argmax(dynamics[s, a]))
            for t in range(states):
                if t != first:
                    change = np.zeros(dynamics.shape)
                    change[s, a, t], change[s, a, first] = dynamics[s, a, first], -dynamics[s, a, t]
                    columns.append(change.ravel())
    return np.array(columns).T


def values(dynamics: Array, reward: Array, policy: Array, gamma: float) -> Array:
    step = np.einsum("sa,sat->st", policy, dynamics)
    earned = np.einsum("sa,sat,sat->s", policy, dynamics, reward)
    return np.linalg.solve(np.eye(len(step)) - gamma * step, earned)


def test_value_forms() -> None:
    rng = np.random.default_rng(1)
    for number in range(PROBLEMS):
        world, dynamics, reward, gamma = problem(rng)
        shape = dynamics.shape[:2]
        policy = rng.dirichlet(np.ones(shape[1]), size=shape[0]) if number % 2 else np.full(shape, 1 / shape[1])
        v = values(dynamics, reward, policy, gamma)
        shaped = reward + gamma * v[None, None, :] - v[:, None, None]
        given = policy if number % 2 else None
        found = world.starc(reward, "val-potential", gamma, policy=given)
        np.testing.assert_allclose(found, shaped, rtol=0, atol=1e-8)
        mean = np.broadcast_to((dynamics * shaped).sum(axis=2, keepdims=True), reward.shape)
        np.testing.assert_allclose(world.starc(reward, "val", gamma, policy=given), mean, rtol=0, atol=1e-8)


def least(matrix: Array, target: Array, order: float) -> float:
    """The least norm of target + matrix @ x: by least squares, or by a linear program."""
    count, unknowns = matrix.shape
    if order == 2:
        solution = np.linalg.lstsq(matrix, -target, rcond=None)[0]
        return float(np.linalg.norm(target + matrix @ solution))
    bounds = 1 if order == math.inf else count
    cost = np.concatenate([np.zeros(unknowns), np.ones(bounds)])
    beside = -np.ones((count, 1)) if order == math.inf else -np.eye(count)
    above = np.block([[matrix, beside], [-matrix, beside]])
    right = np.concatenate([-target, target])
    free = [(None, None)] * unknowns + [(0, None)] * bounds
    return float(scipy_optimize.linprog(cost, A_ub=above, b_ub=right, bounds=free, method="highs").fun)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", [1, 2, math.inf])
def test_the_least_norm(order: float, weighted: bool) -> None:
    rng = np.random.default_rng(2)
    # Every problem is solved with and without redistribution: a thousand in all for each norm.
    for _ in range(PROBLEMS // 2):
        world, dynamics, reward, gamma = problem(rng)
        weight = {1: dynamics, 2: np.sqrt(dynamics), math.inf: dynamics}[order] if weighted else np.ones(dynamics.shape)
        for name, redistribution in (("minimal", True), ("minimal-potential", False)):
            matrix = moves(dynamics, gamma, redistribution) * weight.ravel()[:, None]
            wanted = least(matrix, (reward * weight).ravel(), order)
            found = world.starc(reward, name, gamma, norm=order, weighted=weighted)  # type: ignore[arg-type]
            assert np.linalg.norm((found * weight).ravel(), order) == pytest.approx(wanted, abs=1e-8)
            # One move away.
            plain, change = moves(dynamics, gamma, redistribution), (found - reward).ravel()
            left = change - plain @ np.linalg.lstsq(plain, change, rcond=None)[0]
            assert np.abs(left).max() < 1e-8


def test_standardized_distances() -> None:
    rng = np.random.default_rng(3)
    for _ in range(PROBLEMS // 4):
        world, dynamics, reward, gamma = problem(rng)
        other = reward + rng.normal(size=reward.shape)
        for name in ("val", "val-potential", "minimal", "minimal-potential"):
            for order in (1, 2, math.inf):
                first, second = (world.starc(r, name, gamma, norm=order) for r in (reward, other))  # type: ignore[arg-type]
                sizes = [float(np.linalg.norm(c.ravel(), order)) for c in (first, second)]
                if min(sizes) < 1e-6:
                    continue
                wanted = np.linalg.norm((first / sizes[0] - second / sizes[1]).ravel(), order) / 2
                found = world.starc_distance(reward, other, name, gamma, norm=order)  # type: ignore[arg-type]
                assert found == pytest.approx(wanted, abs=1e-8)


def test_what_starc_refuses() -> None:
    world, reward = srrd.Tabular(2, 1), np.zeros((2, 1, 2))
    with pytest.raises(ValueError, match="val needs a transition model: build the problem with `dynamics=`"):
        world.starc(reward)
    with pytest.raises(ValueError, match="norm: 3 is none of 1, 2 and math.inf"):
        world.starc(reward, norm=3)
    with pytest.raises(ValueError, match="canonicalization: "):
        world.starc(reward, "median")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"the policy has the shape \(2,\) where \(2, 1\) is needed"):
        world.starc(reward, policy=[1.0, 1.0])
    with pytest.raises(ValueError, match="actions: "):
        world.canonicalize(reward, "epic", actions="both")  # type: ignore[arg-type]


def test_npec() -> None:
    rng = np.random.default_rng(4)
    compared = 0
    for _ in range(PROBLEMS):
        states, gamma = int(rng.integers(2, 6)), float(rng.choice([0.0, 0.5, 0.9]))
        rows = np.unique(rng.integers([states, 3, states], size=(int(rng.integers(4, 40)), 3)), axis=0)
        x = rng.uniform(-1, 1, size=len(rows))
        y = 0.3 * x + rng.uniform(-1, 1, size=len(rows))
        a = srrd.RewardSample(rows[:, 0], rows[:, 1], rows[:, 2], x)
        b = srrd.RewardSample(rows[:, 0], rows[:, 1], rows[:, 2], y)
        shaping = gamma * np.eye(states)[rows[:, 2]] - np.eye(states)[rows[:, 0]]
        left = [v - shaping @ np.linalg.lstsq(shaping, v, rcond=None)[0] for v in (x, y)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", srrd.DataWarning)
            found = srrd.distance(a, b, metric="npec", gamma=gamma)
        if math.isnan(found):
            continue
        # The nearest multiple of the other, which is not to be negative.
        scale = max(left[0] @ left[1], 0) / (left[1] @ left[1])
        assert found == pytest.approx(np.linalg.norm(left[0] - scale * left[1]) / np.linalg.norm(left[0]), abs=1e-8)
        compared += 1
    assert compared > 0.7 * PROBLEMS
    assert "npec" in srrd.METRICS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", srrd.DataWarning)
        shown = [result["metric"] for result in srrd.compare(a, b, metric="all")["results"]]
    assert "npec" not in shown and "projected" in shown


def log(rng: np.random.Generator) -> dict[str, Any]:
    """Episodes with two rewards, in any order of rows."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("episode", "step", "state", "action", "next_state", "old", "new", "terminated")
    }
    states = int(rng.integers(1, 6))
    for episode in range(int(rng.integers(3, 30))):
        visited = rng.integers(states, size=int(rng.integers(2, 7)))
        over = bool(rng.random() < 0.5)
        for step in range(len(visited) - 1):
            old = rng.integers(-8, 8) / 4
            values = (episode, step, visited[step], 0, visited[step + 1], old, old / 2 + rng.integers(-4, 4) / 4)
            for name, value in zip(columns, (*values, over and step == len(visited) - 2), strict=True):
                columns[name].append(value)
    order = rng.permutation(len(columns["episode"]))
    return {name: np.array(values)[order] for name, values in columns.items()}


def test_returns() -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(PROBLEMS):
        table, gamma = log(rng), float(rng.choice([0.0, 0.5, 0.9, 1.0]))
        found = srrd.returns(table, rewards=("old", "new"), gamma=gamma)
        count = int(table["episode"].max()) + 1
        assert found["episodes"] == count and found["unknown_ends"] == 0
        old, new, shaping = np.zeros(count), np.zeros(count), np.zeros((count, 6))
        for row in range(len(table["step"])):
            episode, step = table["episode"][row], table["step"][row]
            old[episode] += gamma ** int(step) * table["old"][row]
            new[episode] += gamma ** int(step) * table["new"][row]
            if step == 0:
                shaping[episode, table["state"][row]] -= 1
            last = step == table["step"][table["episode"] == episode].max()
            if last and not table["terminated"][row]:
                shaping[episode, table["next_state"][row]] += gamma ** int(step + 1)
        if found["correlation"]["value"] is not None:
            assert found["correlation"]["value"] == pytest.approx(scipy_stats.pearsonr(old, new)[0], abs=1e-8)
            compared += 1
        rounded = np.round(old, 10), np.round(new, 10)
        if found["tau_b"]["value"] is not None:
            assert found["tau_b"]["value"] == pytest.approx(scipy_stats.kendalltau(*rounded)[0], abs=1e-8)
        assert found["degrees_of_freedom"] == count - np.linalg.matrix_rank(shaping)
        without = found["correlation_without_shaping"]["value"]
        if without is not None:
            left = [v - shaping @ np.linalg.lstsq(shaping, v, rcond=None)[0] for v in (old, new)]
            assert without == pytest.approx(scipy_stats.pearsonr(*left)[0], abs=1e-8)
    assert compared > 0.9 * PROBLEMS


def test_returns_of_tables_and_preferences(tmp_path: Path) -> None:
    table = log(np.random.default_rng(6))
    names = ("episode", "step", "state", "action", "next_state", "terminated")
    for reward in ("old", "new"):
        columns = [table[name] for name in names] + [table[reward]]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        text = "\n".join([",".join([*names, "reward"]), *(",".join(map(str, row)) for row in rows)])
        (tmp_path / f"{reward}.csv").write_text(text + "\n")
    (tmp_path / "said.csv").write_text("better,worse\n0,1\n2,1\n1,2\n")
    both = srrd.returns(table, rewards=("old", "new"), interval=0.9, draws=200, preferences=[(0, 1), (2, 1), (1, 2)])
    files = srrd.returns(
        tmp_path / "old.csv", tmp_path / "new.csv", interval=0.9, draws=200, preferences=tmp_path / "said.csv", threads=1
    )
    for name in ("correlation", "correlation_without_shaping", "tau_b", "episodes", "degrees_of_freedom"):
        assert both[name] == files[name]
    assert [p["tau_b"] for p in both["preferences"]] == [p["tau_b"] for p in files["preferences"]]
    assert both["preferences"][0]["agreed"] + both["preferences"][0]["contradicted"] + both["preferences"][0]["tied"] == 3
    with pytest.raises(ValueError, match="`episode`.*the column is missing: rewards are summed over episodes"):
        srrd.returns({name: table[name] for name in ("state", "action", "next_state", "old", "new")}, rewards=("old", "new"))
    with pytest.raises(ValueError, match="two rewards are compared, and the table holds 1"):
        srrd.returns(tmp_path / "old.csv")


def test_regret() -> None:
    rng = np.random.default_rng(7)
    states, actions, gamma = 5, 3, 0.9
    s, a, t = (ids.ravel() for ids in np.meshgrid(*map(np.arange, (states, actions, states)), indexing="ij"))
    for _ in range(50):
        dynamics = rng.dirichlet(np.ones(states), size=(states, actions))
        rewards = rng.normal(size=(2, states, actions, states))
        samples = [srrd.RewardSample(s, a, t, reward.ravel()) for reward in rewards]
        model = {"state": s, "action": a, "next_state": t, "probability": dynamics.ravel()}
        found = srrd.regret(*samples, gamma=gamma, dynamics=model)
        expected = (dynamics * rewards).sum(axis=3)

        def solved(r: Array, policy: Array | None = None, dynamics: Array = dynamics) -> tuple[Array, Array]:
            v = np.zeros(states)
            for _ in range(600):
                q = r + gamma * dynamics @ v
                v = q.max(axis=1) if policy is None else q[np.arange(states), policy]
            return v, (r + gamma * dynamics @ v).argmax(axis=1)

        best, own = solved(expected[1])
        _, other = solved(expected[0])
        earned, worst = solved(expected[1], other)[0].mean(), -solved(-expected[1])[0].mean()
        wanted = (best.mean() - earned) / (best.mean() - worst)
        assert found["a_under_b"]["regret"] == pytest.approx(wanted, abs=1e-8)
        assert found["available"] == states * actions and len(own) == states
    one = srrd.RewardSample(["s", "s"], ["l", "r"], ["x", "y"], [1.0, 0.0])
    assert srrd.regret(one, one.with_rewards([0.0, 1.0]), starts=["s"])["b_under_a"]["regret"] == 1.0
    with pytest.raises(ValueError, match="no action is available in the state 'x'"):
        srrd.regret(one, one, starts=["x"])
    with pytest.raises(ValueError, match="the discount factor is 1"):
        srrd.regret(one, one, gamma=1)
