"""Exact forms, for rewards that are known everywhere."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _query, _srrd

#: A reward: R[s, a, s'] as an array, or a function of ids.
Reward: TypeAlias = "npt.ArrayLike | _query.RewardFunction"
#: Whether the action that is rewarded and the one that leads to a state are drawn apart.
Draws: TypeAlias = Literal["independent", "shared"]


class Tabular:
    """A small problem whose states, actions and dynamics are known.

    Parameters
    ----------
    state_distribution, action_distribution
        How often states and actions are drawn; a number stands for so many, drawn uniformly.
    dynamics
        T[s, a, s'], the probability of s' after s and a. DARD and SRRD need it.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> rng = np.random.default_rng(1)
    >>> world = srrd.Tabular(5, 2, dynamics=rng.dirichlet(np.ones(5), size=(5, 2)))
    >>> reward, potential = rng.normal(size=(5, 2, 5)), rng.normal(size=5)
    >>> shaped = reward + 0.9 * potential[None, None, :] - potential[:, None, None]
    >>> bool(world.distance(reward, shaped, metric="epic") < 1e-6)
    True
    """

    def __init__(
        self,
        state_distribution: int | npt.ArrayLike,
        action_distribution: int | npt.ArrayLike,
        dynamics: npt.ArrayLike | None = None,
    ) -> None:
        self._core = _srrd.Tabular(
            _distribution(state_distribution),
            _distribution(action_distribution),
            None if dynamics is None else np.ascontiguousarray(dynamics, dtype=np.float64),
        )

    @property
    def shape(self) -> tuple[int, int, int]:
        """(states, actions, states)"""
        return self._core.shape

    def canonicalize(
        self,
        reward: Reward,
        metric: str = "srrd",
        gamma: float = 0.9,
        *,
        actions: Draws = "independent",
        batch_size: int = 4096,
    ) -> npt.NDArray[np.float64]:
        """The exact canonical form of a reward, of the shape of the problem.

        The reward is an array or a function ``fn(states, actions, next_states)`` of ids, asked for all in batches.
        ``actions="shared"``: in DARD and SRRD the action that is rewarded is the one that moves, as in the DARD paper and in STARC's
        published code.
        """
        return self._core.canonicalize(self._array(reward, batch_size), metric, float(gamma), actions)

    def distance(
        self,
        a: Reward,
        b: Reward,
        metric: str = "srrd",
        gamma: float = 0.9,
        *,
        actions: Draws = "independent",
        batch_size: int = 4096,
    ) -> float:
        """The Pearson distance of two exact canonical forms over all transitions; nan when it is undefined."""
        both = self._array(a, batch_size), self._array(b, batch_size)
        return self._core.distance(*both, metric, float(gamma), actions)

    def _array(self, reward: Any, batch_size: int) -> npt.NDArray[np.float64]:
        if not callable(reward) or isinstance(reward, np.ndarray):
            array = np.ascontiguousarray(reward, dtype=np.float64)
            if array.shape != self.shape:
                raise ValueError(f"the reward has the shape {array.shape} where {self.shape} is needed: R[s, a, s']")
            return array
        states, actions, _ = self.shape
        return _query.table(reward, np.arange(states), np.arange(actions), batch_size)


def _distribution(given: int | npt.ArrayLike) -> npt.NDArray[np.float64]:
    if isinstance(given, (int, np.integer)):
        if given < 1:
            raise ValueError(f"{given} is not at least 1")
        return np.full(given, 1 / given)
    array = np.ascontiguousarray(given, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError("a distribution has one dimension")
    return array
