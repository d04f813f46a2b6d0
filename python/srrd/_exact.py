"""Exact forms, for rewards that are known everywhere."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _query, _srrd

#: A reward: R[s, a, s'] as an array, or a function of ids.
Reward: TypeAlias = "npt.ArrayLike | _query.RewardFunction"
#: Whether the action that is rewarded and the one that leads to a state are drawn apart.
Draws: TypeAlias = Literal["independent", "shared"]
#: STARC's ways to make a reward canonical.
Canonicalization: TypeAlias = Literal["val", "val-potential", "minimal", "minimal-potential"]


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

    def starc(
        self,
        reward: Reward,
        canonicalization: Canonicalization = "val",
        gamma: float = 0.9,
        *,
        norm: float = 2,
        weighted: bool = False,
        policy: npt.ArrayLike | None = None,
        batch_size: int = 4096,
    ) -> npt.NDArray[np.float64]:
        """The canonical form of a reward by STARC, of the shape of the problem.

        Parameters
        ----------
        canonicalization
            ``"val"``: E[R(s, a, S') + γV(S')] − V(s). ``"val-potential"``: R(s, a, s') + γV(s') − V(s). ``"minimal"``: the least of
            what potential shaping and S'-redistribution make of R. ``"minimal-potential"``: by shaping alone.
        norm, weighted
            By which norm it is the least: 1, 2 or ``math.inf``; weighted by transition probabilities or not.
        policy
            π(a | s) as an array of states by actions, whose values V is; uniform by default.

        Examples
        --------
        >>> import numpy as np, srrd
        >>> world = srrd.Tabular(2, 1, dynamics=[[[0.1, 0.9]], [[0.6, 0.4]]])
        >>> world.starc([[[1.0, 0.0]], [[2.0, 0.0]]], "minimal", norm=1).round(6).tolist()
        [[[0.0, 0.0]], [[0.0, 0.0]]]
        """
        given = self._array(reward, batch_size)
        return self._core.starc(given, canonicalization, _norm(norm, weighted), float(gamma), self._policy(policy))

    def starc_distance(
        self,
        a: Reward,
        b: Reward,
        canonicalization: Canonicalization = "val",
        gamma: float = 0.9,
        *,
        norm: float = 2,
        weighted: bool = False,
        policy: npt.ArrayLike | None = None,
        batch_size: int = 4096,
    ) -> float:
        """Half the norm of the difference of the canonical rewards, each divided by its norm: between 0 and 1.

        STARC's published code leaves the half out. A canonical reward of 0 is not divided.

        Examples
        --------
        >>> import numpy as np, srrd
        >>> rng = np.random.default_rng(1)
        >>> world = srrd.Tabular(5, 2, dynamics=rng.dirichlet(np.ones(5), size=(5, 2)))
        >>> reward, potential = rng.normal(size=(5, 2, 5)), rng.normal(size=5)
        >>> shaped = reward + 0.9 * potential[None, None, :] - potential[:, None, None]
        >>> bool(world.starc_distance(reward, 2 * shaped, "minimal-potential", norm=1) < 1e-6)
        True
        """
        both = self._array(a, batch_size), self._array(b, batch_size)
        size = _norm(norm, weighted)
        return self._core.starc_distance(*both, canonicalization, size, float(gamma), self._policy(policy))

    def _policy(self, policy: npt.ArrayLike | None) -> npt.NDArray[np.float64] | None:
        if policy is None:
            return None
        array, needed = np.ascontiguousarray(policy, dtype=np.float64), self.shape[:2]
        if array.shape != needed:
            raise ValueError(f"the policy has the shape {array.shape} where {needed} is needed: π(a | s)")
        return array

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


def _norm(norm: float, weighted: bool) -> str:
    names = {1: "1", 2: "2", math.inf: "inf"}
    if norm not in names:
        raise ValueError(f"norm: {norm} is none of 1, 2 and math.inf")
    return ("weighted-" if weighted else "") + names[norm]
