"""DARD as it is defined and as the paper's code computes it, by loops over sets: a check of `--as-published` that shares no code with it.

    python3 benchmarks/published.py            needs numpy; a minute

Gridworld, 20 x 20, two samples of 100 uniform walks, rewards and potentials uniform in [-1, 1], the second sample shaped, gamma 0.7, every
step as it is chosen. The distance of such pairs should be 0. It depends on how strong the shaping is, so that is varied: the mean size of the
shaping over that of the rewards. `srrd reproduce coverage` draws it between 1 and 5.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Collection

import numpy as np

GAMMA, SIDE, WALKS, STEPS = 0.7, 20, 100, 200
END = SIDE * SIDE - 1
MOVES = ((0, -1), (-1, 0), (0, 1), (1, 0))
Transition = tuple[int, int, int]
Edges = dict[tuple[int, int], float]
Successors = dict[int, set[int]]
Term = Callable[[Edges, Successors, int, int], float]


def walked(rng: np.random.Generator) -> list[Transition]:
    """The transitions that uniform walks meet."""
    met = set()
    for _ in range(WALKS):
        x = y = 0
        for _ in range(STEPS):
            open_moves = [a for a, (dx, dy) in enumerate(MOVES) if 0 <= x + dx < SIDE and 0 <= y + dy < SIDE]
            action = int(rng.choice(open_moves))
            before = x * SIDE + y
            x, y = x + MOVES[action][0], y + MOVES[action][1]
            met.add((before, action, x * SIDE + y))
            if x * SIDE + y == END:
                break
    return sorted(met)


def total(edges: Edges, starts: Collection[int], ends: Collection[int]) -> float:
    """The sum of the mean rewards from one set to another; 0 where nothing was sampled."""
    return sum(edges.get((x, y), 0.0) for x in starts for y in ends)


def defined(edges: Edges, after: Successors, s: int, t: int) -> float:
    """What DARD adds to the reward of s, t: X' are the successors of s, X'' those of t."""
    first, second = after[s], after.get(t, set())
    mean = lambda a, b: total(edges, a, b) / (len(a) * len(b)) if a and b else 0.0  # noqa: E731
    return GAMMA * mean([t], second) - mean([s], first) - GAMMA * mean(first, second)


def published(edges: Edges, after: Successors, s: int, t: int) -> float:
    """The same as the published code has it: the successors of s in all three places, and no discount in the last term."""
    near = after[s]
    n = len(near)
    return (
        GAMMA * total(edges, [t], near) / n - total(edges, [s], near) / n - total(edges, near, near) / n**2
    )


def canonical(rows: list[Transition], rewards: np.ndarray, term: Term | None) -> dict[Transition, float]:
    """Canonical rewards by transition."""
    sums: dict[tuple[int, int], list[float]] = defaultdict(list)
    after: Successors = defaultdict(set)
    for (s, _, t), reward in zip(rows, rewards, strict=True):
        sums[s, t].append(float(reward))
        after[s].add(t)
    edges = {edge: float(np.mean(values)) for edge, values in sums.items()}
    add = (lambda s, t: term(edges, after, s, t)) if term else (lambda s, t: 0.0)
    return {row: float(reward) + add(row[0], row[2]) for row, reward in zip(rows, rewards, strict=True)}


def distance(a: dict[Transition, float], b: dict[Transition, float]) -> float:
    """sqrt((1 - correlation) / 2) over what both have."""
    both = [row for row in a if row in b]
    return float(np.sqrt((1 - np.corrcoef([a[row] for row in both], [b[row] for row in both])[0, 1]) / 2))


def trial(seed: int, strength: str) -> list[float]:
    """Distances of one pair: direct, as defined, as published."""
    rng = np.random.default_rng(seed)
    first, second = walked(rng), walked(rng)
    rewards = {row: rng.uniform(-1, 1) for row in sorted({*first, *second})}
    potential = rng.uniform(-1, 1, SIDE * SIDE)
    potential[END] = 0.0
    shaping = np.array([GAMMA * potential[t] - potential[s] for s, _, t in second])
    plain, other = (np.array([rewards[row] for row in rows]) for rows in (first, second))
    factor = rng.uniform(1, 5) if strength == "1 to 5" else float(strength)
    other = other + shaping * factor * np.abs(other).mean() / np.abs(shaping).mean()
    terms: tuple[Term | None, ...] = (None, defined, published)
    return [distance(canonical(first, plain, term), canonical(second, other, term)) for term in terms]


def main() -> None:
    """Prints a table of means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=6, help="pairs of samples (default 6)")
    args = parser.parse_args()
    print("| shaping over rewards | DIRECT | DARD as defined | DARD as published |\n|---|---|---|---|")
    for strength in ("1", "1.5", "2", "3", "1 to 5"):
        means = np.mean([trial(seed, strength) for seed in range(args.pairs)], axis=0)
        print(f"| {strength} | {means[0]:.3f} | {means[1]:.3f} | {means[2]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
