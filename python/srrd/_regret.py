"""What it costs to act on the wrong reward."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from . import _srrd
from ._compare import _core
from ._result import Regret
from ._sample import RewardSample
from ._transitions import Token


def regret(
    a: RewardSample,
    b: RewardSample,
    gamma: float = 0.9,
    *,
    starts: Iterable[Token] | None = None,
    dynamics: str | os.PathLike[str] | Any = None,
    threads: int | None = None,
) -> Regret:
    """The normalized regret of acting optimally for one reward under the other, in both directions: what ``srrd regret --json`` tells.

    (optimal − earned) / (optimal − worst): 0 where nothing is lost, 1 where the policy is as bad as can be, None where all policies
    earn the same. Among actions that are equally good for a reward, each is taken as often.

    Parameters
    ----------
    gamma
        The discount factor, below 1.
    starts
        The states that episodes start in, equally likely; by default all in which an action is available.
    dynamics
        Transition probabilities, as a table with the columns ``state``, ``action``, ``next_state`` and ``probability``: a path, a
        frame or a dict of arrays. By default they are counted from both samples together. An action is available where both samples
        have a reward of it; a transition that ends an episode leads nowhere.

    Examples
    --------
    >>> import srrd
    >>> a = srrd.RewardSample(["s", "s"], ["left", "right"], ["x", "y"], [1.0, 0.0])
    >>> found = srrd.regret(a, a.with_rewards([0.0, 1.0]))
    >>> found.a_under_b.regret
    1.0
    """
    model, file = None, None
    if isinstance(dynamics, (str, os.PathLike)):
        file = os.fspath(dynamics)
    elif dynamics is not None:
        model = _core(RewardSample.from_frame(dynamics, duplicates="error", columns={"reward": "probability"}))
    names = [_name(state) for state in starts or ()]
    return Regret._of(_srrd.regret(_core(a), _core(b), model, file, float(gamma), names, threads))


def _name(state: Token) -> str:
    if isinstance(state, tuple):
        raise TypeError("starts: states that are tuples of features cannot be named; leave `starts` out")
    return str(state)
