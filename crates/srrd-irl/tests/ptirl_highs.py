"""The largest spread and the nearest reward by SciPy: the values in ptirl_highs.rs, and the time that HiGHS takes.

    pip install numpy scipy && python3 crates/srrd-irl/tests/ptirl_highs.py

The walks are those of ptirl_highs.rs: both draw them by the same linear congruential generator.
"""

import time

import numpy as np
from scipy.optimize import linprog, minimize

MASK = (1 << 64) - 1


def walks(state, count, steps, side, east):
    """Random walks on a grid: `east` of 10 steps go right. Transitions are 4 * cell + action."""
    found = []
    for _ in range(count):
        x = y = 0
        walk = []
        for _ in range(steps):
            state = (state * 6364136223846793005 + 1442695040888963407) & MASK
            draw = (state >> 33) % 10
            action = 0 if draw < east else 1 + draw % 3
            walk.append(4 * (y * side + x) + action)
            dx, dy = [(1, 0), (0, 1), (-1, 0), (0, -1)][action]
            x, y = min(max(x + dx, 0), side - 1), min(max(y + dy, 0), side - 1)
        found.append(walk)
    return state, found


def rows(seed, targets, others, steps, side):
    state, target = walks(seed, targets, steps, side, 4)
    _, other = walks(state, others, steps, side, 2)
    taken = sorted({at for walk in target + other for at in walk})
    matrix = np.zeros((targets + others, len(taken)))
    for row, walk in enumerate(target + other):
        for at in walk:
            matrix[row, taken.index(at)] += 1.0 - 0.1 * (at % 5)
    share = [np.bincount([taken.index(at) for walk in part for at in walk], minlength=len(taken)) for part in (target, other)]
    return matrix, 100.0 * (share[0] / share[0].sum() - share[1] / share[1].sum())


def largest(matrix, targets):
    walks_, columns = matrix.shape
    sign = np.where(np.arange(walks_) < targets, -1.0, 1.0)[:, None]
    bound = np.zeros((walks_, 2))
    bound[:targets, 0], bound[targets:, 1] = 1.0, -1.0
    constraints = np.hstack([sign * matrix, bound])
    cost = np.r_[np.zeros(columns), -1.0, 1.0]
    limits = [(-100.0, 100.0)] * columns + [(None, None)] * 2
    start = time.process_time()
    solved = linprog(cost, constraints, np.zeros(walks_), bounds=limits, method="highs")
    return -solved.fun, columns, time.process_time() - start


def nearest(matrix, center, targets, alpha):
    """Minimise the distance over rewards and the middle b of the spread."""
    sign = np.where(np.arange(len(matrix)) < targets, 1.0, -1.0)
    # In units of the cap and of the longest walk, which is what the method likes.
    longest = matrix.sum(axis=1).max()
    constraints = np.hstack([sign[:, None] * matrix / longest, -sign[:, None]])
    center, alpha = center / 100.0, alpha / 100.0 / longest
    solved = minimize(
        lambda v: 0.5 * np.sum((v[:-1] - center) ** 2),
        np.r_[center, 0.0],
        jac=lambda v: np.r_[v[:-1] - center, 0.0],
        bounds=[(-1.0, 1.0)] * len(center) + [(None, None)],
        constraints={"type": "ineq", "fun": lambda v: constraints @ v - alpha / 2, "jac": lambda v: constraints},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert solved.success, solved.message
    return 100.0 * solved.x[:-1]


if __name__ == "__main__":
    for seed in range(1, 6):
        matrix, _ = rows(seed, 5, 10, 200, 20)
        value, columns, seconds = largest(matrix, 5)
        print(f"(seed {seed}, transitions {columns}, spread {value:.9f}) {1000 * seconds:.2f} ms")
    for seed, share in [(1, 0.2), (2, 0.6), (3, 0.9)]:
        matrix, center = rows(seed, 3, 4, 30, 4)
        value, columns, _ = largest(matrix, 3)
        found = nearest(matrix, center, 3, share * value)
        print(f"near: seed {seed}, share {share}, {columns} transitions, spread {value:.9f}")
        print("  first", ", ".join(f"{r:.8f}" for r in found[:5]), "norm", f"{np.linalg.norm(found):.8f}")
