"""Which λ of MaxEnt r(s) predicts walks best that it did not see; labels and rewards play no part.

    srrd simulate gridworld -o walks.csv --classes --sets 100 --rollouts 5
    python3 benchmarks/ridge.py walks.csv          (NumPy; some minutes)

Of every tenth set each walk in turn is left out, V is found from the others by Newton's steps, and the likelihood of the one
left out is printed per step. Where actions lead is counted from the whole set.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter

import numpy as np
import numpy.typing as npt

GAMMA = 0.9
RIDGES = (1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
Floats = npt.NDArray[np.float64]
Step = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], bool]


class Choices:
    """The pairs (s, a) of a set, and γ P (1 − ended) of each by state."""

    def __init__(self, walks: list[list[Step]]) -> None:
        steps = [step for walk in walks for step in walk]
        places = {
            state: at for at, state in enumerate(sorted({state for step in steps for state in (step[0], step[2])}))
        }
        self.pair = {pair: at for at, pair in enumerate(sorted({step[:2] for step in steps}))}
        self.states = len(places)
        self.state = np.array([places[pair[0]] for pair in self.pair])
        taken = Counter(step[:2] for step in steps)
        self.ahead = np.zeros((len(self.pair), self.states))
        for state, action, after, ended in steps:
            self.ahead[self.pair[state, action], places[after]] += GAMMA * (not ended) / taken[state, action]

    def counts(self, walks: list[list[Step]]) -> Floats:
        counts = np.zeros(len(self.pair))
        for walk in walks:
            for step in walk:
                counts[self.pair[step[:2]]] += 1
        return counts

    def log_policy(self, values: Floats) -> Floats:
        worth = self.ahead @ values
        most = np.full(self.states, -np.inf)
        np.maximum.at(most, self.state, worth)
        total = np.zeros(self.states)
        np.add.at(total, self.state, np.exp(worth - most[self.state]))
        return np.asarray(worth - most[self.state] - np.log(total[self.state]))

    def by_state(self, of_pairs: Floats) -> Floats:
        sums = np.zeros((self.states, *of_pairs.shape[1:]))
        np.add.at(sums, self.state, of_pairs)
        return sums

    def values(self, counts: Floats, ridge: float, start: Floats) -> Floats:
        """The V of largest likelihood less λ/2 |V|²."""
        values, visits = start, self.by_state(counts)

        def objective(at: Floats) -> float:
            return float(counts @ self.log_policy(at) - 0.5 * ridge * at @ at)

        for _ in range(60):
            policy = np.exp(self.log_policy(values))
            slope = self.ahead.T @ (counts - visits[self.state] * policy) - ridge * values
            if np.abs(slope).max() < 1e-7:
                break
            weighted = self.ahead * policy[:, None]
            mean = self.by_state(weighted)
            curvature = self.ahead.T @ (weighted * visits[self.state][:, None]) - mean.T @ (mean * visits[:, None])
            step = np.linalg.solve(curvature + ridge * np.eye(self.states), slope)
            length = 1.0
            while objective(values + length * step) < objective(values) - 1e-12 and length > 1e-9:
                length *= 0.5
            values = values + length * step
        return values


def read(path: str) -> list[list[list[Step]]]:
    """The walks of every tenth set."""
    sets: dict[str, dict[str, list[Step]]] = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            of = [
                tuple(row[name] for name in row if name.startswith(role)) for role in ("state", "action", "next_state")
            ]
            step = (of[0], of[1], of[2], row["done"] == "true")
            sets.setdefault(row["sample"], {}).setdefault(row["episode"], []).append(step)
    return [list(walks.values()) for walks in list(sets.values())[::10]]


def main() -> None:
    total, steps = np.zeros(len(RIDGES)), 0
    for walks in read(sys.argv[1]):
        choices = Choices(walks)
        for out, walk in enumerate(walks):
            shown, hidden = choices.counts(walks[:out] + walks[out + 1 :]), choices.counts([walk])
            values = np.zeros(choices.states)
            for at in reversed(range(len(RIDGES))):
                values = choices.values(shown, RIDGES[at], values)
                total[at] += hidden @ choices.log_policy(values)
            steps += len(walk)
    for ridge, likelihood in zip(RIDGES, total / steps, strict=True):
        print(f"λ = {ridge:g}: {likelihood:.4f} per step")


if __name__ == "__main__":
    main()
