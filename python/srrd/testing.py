"""Checks of rewards in tests: before a changed reward function is merged.

With the package installed, pytest shows the verdict of a failed `assert_same_behaviour` in full; the fixture ``same_behaviour`` is the
same function.
"""

from __future__ import annotations

from typing import Literal, Unpack

from ._compare import compare
from ._options import CompareOptions
from ._result import Comparison
from ._sample import RewardSample


class NotEnoughData(AssertionError):
    """The samples do not tell whether two rewards ask for the same behaviour."""


def assert_same_behaviour(
    a: RewardSample,
    b: RewardSample,
    gamma: float | Literal["auto"] = 0.9,
    **options: Unpack[CompareOptions],
) -> None:
    """Passes when two rewards ask for the same behaviour, as ``srrd check`` does.

    Raises
    ------
    AssertionError
        The rewards differ. The message has the verdict and, where there is one, two paths that the rewards rank oppositely.
    NotEnoughData
        The data do not tell; the message says what would decide it.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> from srrd.testing import assert_same_behaviour
    >>> s, n = (index.ravel() for index in np.indices((20, 20)))
    >>> old = srrd.RewardSample(s, n, n, np.sin(s * n + 3.0 * s))
    >>> assert_same_behaviour(old, old.with_rewards(2 * old.rewards + 1), ends="none")
    >>> assert_same_behaviour(old, old.with_rewards(-old.rewards), ends="none")
    Traceback (most recent call last):
        ...
    AssertionError: the rewards differ: ...
    """
    # Frames of this module say nothing to whoever reads the failure.
    __tracebackhide__ = True
    found = compare(a, b, "projected", gamma, **options)
    if found.verdict == "same":
        return
    failure = NotEnoughData if found.verdict == "unknown" else AssertionError
    notes = "".join(f"\n  note: {warning.message}" for warning in found.warnings)
    raise failure(found.sentences[0] + _shown(found) + notes)


def _shown(found: Comparison) -> str:
    if "witness" not in found:
        return ""
    # Samples of one name are told apart by their places.
    names = (found.a.name, found.b.name) if found.a.name != found.b.name else ("a", "b")
    lines = []
    for number, (path, returns) in enumerate(zip(found["witness"], found["witness_returns"], strict=True), start=1):
        steps = [f"{step['state']} -[{step['action']}]-> {step['next_state']}" for step in path]
        lines.append(
            f"  path {number}: {', '.join(steps)}: return {returns[0]:.4g} by {names[0]}, {returns[1]:.4g} by {names[1]}"
        )
    return "\n" + "\n".join(lines) + f"\n  {names[0]} prefers path 1, {names[1]} prefers path 2."
