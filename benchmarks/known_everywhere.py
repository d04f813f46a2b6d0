"""What is left of an exact copy where a reward function answers for every transition: the table in docs/python.md.

    python3 benchmarks/known_everywhere.py

Rewards are functions of whole transitions. The copy is the same reward plus shaping. Needs the package and gymnasium.
"""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np

import srrd

METRICS = ("direct", "epic", "dard", "srrd", "projected")
GAMMA = 0.9
SEEDS = 20


def tabular(rng: np.random.Generator, states: int, actions: int, steps: int, walk: bool) -> list[srrd.RewardSample]:
    """Transitions drawn one by one, so that some states lead nowhere, or one walk, in which all but the last lead on."""
    reward, potential = rng.normal(size=(states, actions, states)), rng.normal(size=states)
    sources, chosen, targets = (rng.integers(k, size=steps) for k in (states, actions, states))
    if walk:
        sources = np.concatenate([sources[:1], targets[:-1]])

    def plain(s, a, n):
        return reward[s, a, n]

    def shaped(s, a, n):
        return reward[s, a, n] + GAMMA * potential[n] - potential[s]

    transitions = (sources, chosen, targets)
    return [srrd.RewardSample.from_callable(fn, transitions, unsampled=True) for fn in (plain, shaped)]


def cart_pole(rng: np.random.Generator, seed: int) -> list[srrd.RewardSample]:
    """Random actions in CartPole; a smooth random reward and a smooth random potential of its four features."""
    sample = srrd.from_gymnasium(gymnasium.make("CartPole-v1"), episodes=10, seed=seed)
    weights, potential = rng.normal(size=(9, 6)), rng.normal(size=(4, 6))
    out, out_of_potential = rng.normal(size=6), rng.normal(size=6)

    def plain(s, a, n):
        return np.tanh(np.column_stack([s, a, n]) @ weights) @ out

    def phi(s):
        return np.tanh(s @ potential) @ out_of_potential

    def shaped(s, a, n):
        return plain(s, a, n) + GAMMA * phi(n) - phi(s)

    return [srrd.RewardSample.from_callable(fn, sample, unsampled=True) for fn in (plain, shaped)]


def main() -> None:
    warnings.simplefilter("ignore")
    cases = {
        "20 states, 30 transitions": lambda rng, seed: tabular(rng, 20, 2, 30, False),
        "20 states, 60 transitions": lambda rng, seed: tabular(rng, 20, 2, 60, False),
        "20 states, 400 transitions": lambda rng, seed: tabular(rng, 20, 2, 400, False),
        "20 states, one walk of 30 steps": lambda rng, seed: tabular(rng, 20, 2, 30, True),
        "20 states, one walk of 60 steps": lambda rng, seed: tabular(rng, 20, 2, 60, True),
        "CartPole, 10 episodes": cart_pole,
    }
    print("| distance of a copy, mean (largest) of", SEEDS, "seeds |", " | ".join(f"`{m}`" for m in METRICS), "|")
    for name, make in cases.items():
        found = []
        for seed in range(SEEDS):
            a, b = make(np.random.default_rng(seed), seed)
            found.append([srrd.distance(a, b, metric, GAMMA) for metric in METRICS])
        columns = np.array(found).T
        cells = [
            "undefined" if np.isnan(c).all() else f"{np.nanmean(c):.2f} ({np.nanmax(c):.2f})" for c in columns
        ]
        print(f"| {name} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
