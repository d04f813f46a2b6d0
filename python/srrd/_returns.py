"""How alike two rewards judge whole episodes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from . import _srrd, _table
from ._numbers import whole
from ._options import Next
from ._result import Returns

#: A table of episodes: a path, a frame, or a dict of arrays.
Table: TypeAlias = "str | os.PathLike[str] | Any"


def returns(
    a: Table,
    b: Table | None = None,
    *,
    preferences: Table | Iterable[tuple[Any, Any]] | None = None,
    gamma: float = 0.9,
    interval: float | None = None,
    draws: int = 1000,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    rewards: str | Sequence[str] | None = None,
    next: Next = "auto",
    threads: int | None = None,
) -> Returns:
    """How alike two rewards judge the same episodes, by their returns: what ``srrd returns --json`` tells.

    Parameters
    ----------
    a, b
        Tables with a column ``episode``: paths, frames or dicts of arrays. The same episodes have the same names in both. With
        ``rewards=("old", "new")`` one table holds both rewards.
    preferences
        Pairs (better, worse) that name episodes, or a table with these columns. With it, one reward suffices.
    gamma
        The discount factor of returns.
    interval
        The level of intervals, such as 0.95, by drawing episodes.
    columns, rewards, next
        As in `srrd.from_frame`.

    Returns
    -------
    Returns
        ``correlation``: Pearson's correlation of the returns; ``correlation_without_shaping``: the same without what potentials of
        first and last states explain; ``tau_b``: Kendall's. Each has ``value`` (None where ``undefined`` says why) and ``interval``.
        ``preferences``: for each reward how many it agrees with, and its τ_b.

    Examples
    --------
    >>> import srrd
    >>> log = {"episode": [0, 0, 1, 2, 3], "state": "abaca", "action": "xxxxx", "next_state": "bcabb"}
    >>> log |= {"old": [0.0, 1.0, 2.0, 3.0, 5.0], "new": [0.0, 1.0, 4.0, 6.0, 9.0]}
    >>> log = {name: list(values) for name, values in log.items()}
    >>> srrd.returns(log, rewards=("old", "new")).tau_b.value
    1.0
    >>> srrd.returns(log, rewards="old", preferences=[(3, 0), (1, 2)])["preferences"][0]["accuracy"]
    0.5
    """
    reading = _table.reading("mean", columns, rewards, next)
    wanted = [*(columns or {}).values(), *([rewards] if isinstance(rewards, str) else rewards or ())]
    walks = _walks(a, reading, wanted)
    if b is not None:
        walks = [_only(walks, "the first"), _only(_walks(b, reading, wanted), "the second")]
    if len(walks) != 2 and (len(walks) != 1 or preferences is None):
        raise ValueError(
            f"two rewards are compared, and the table holds {len(walks)}: give a second table, rewards=(A, B), or preferences"
        )
    pairs = None if preferences is None else _pairs(preferences)
    counts = (whole("draws", draws), whole("seed", seed))
    return Returns._of(_srrd.returns(walks, pairs, float(gamma), interval, *counts, threads))


def _walks(table: Table, reading: _srrd.Reading, wanted: Sequence[str]) -> list[_srrd.Walks]:
    if isinstance(table, (str, os.PathLike)):
        return _srrd.walks_of_file(os.fspath(table), reading)
    origin = f"the {type(table).__name__}"
    if hasattr(table, "collect") and not _table.speaks_arrow(table):
        table = table.collect()
    return _srrd.walks_of_columns(_table.of_frame(table, wanted), origin, "frame", reading)


def _only(walks: list[_srrd.Walks], which: str) -> _srrd.Walks:
    if len(walks) != 1:
        raise ValueError(f"{which} table holds {len(walks)} rewards, but one is needed")
    return walks[0]


def _pairs(preferences: Any) -> list[tuple[str, str]]:
    if isinstance(preferences, (str, os.PathLike)):
        return _srrd.preferences_of_file(os.fspath(preferences))
    if isinstance(preferences, Mapping) or hasattr(preferences, "columns") or hasattr(preferences, "column_names"):
        names = _table.names_of(preferences)
        wanted = ("better", "worse") if "better" in names or "chosen" not in names else ("chosen", "rejected")
        for name in wanted:
            if name not in names:
                what = "preferences have the columns `better` and `worse` (or `chosen` and `rejected`)"
                raise ValueError(f"the column `{name}` is missing: {what}")
        better, worse = (_table.as_array(preferences[name]) for name in wanted)
        preferences = zip(better.tolist(), worse.tolist(), strict=True)
    return [(str(better), str(worse)) for better, worse in preferences]
