"""Reward models side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _srrd
from ._compare import _core
from ._numbers import whole
from ._options import Duplicates
from ._result import Models
from ._sample import RewardSample, from_frame, read


def models(
    table: str | os.PathLike[str] | Sequence[RewardSample] | Any,
    rewards: str | Sequence[str] | None = None,
    *,
    gold: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: Duplicates = "mean",
    interval: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    top: int = 3,
    threads: int | None = None,
) -> Models:
    """Scores of the same responses to the same prompts, by several models: what ``srrd models --json`` tells.

    Only differences within prompts count: a model that adds a number per prompt chooses the same responses.

    Parameters
    ----------
    table
        One row per response: a path, a frame or a dict of arrays with the columns ``prompt``, ``response`` (or ``completion``, ``state``,
        ``action``) and one column per model; or one-step samples of the same responses.
    rewards
        The columns of scores, by name or by a pattern such as ``"rewards/*"``. In a file all that look like scores, unless given.
    gold
        A column to hold the others against: it is ``b`` in its pairs, and these come first.
    top
        Of each pair, how many of the prompts on which the models disagree most.

    Returns
    -------
    Models
        ``pairs``: for each pair ``a``, ``b``, ``distance`` (0 same choices, 0.71 unrelated, 1 opposite), ``accuracy`` (the share of pairs
        of responses of one prompt, neither scored equal, that both order alike), ``tau_b``, ``top1``, ``best_of_n`` (by n, what b loses
        when a chooses the best of n, in b's standard deviations within prompts), ``by_margin``, ``disagreements``, and ``intervals`` of
        all.

    Examples
    --------
    >>> import srrd
    >>> log = {"prompt": ["p", "p", "p", "q", "q"], "response": list("abcde")}
    >>> log |= {"old": [1.0, 2.0, 3.0, 0.0, 1.0], "new": [1.0, 3.0, 2.0, 10.0, 11.0]}
    >>> found = srrd.models(log, rewards=["old", "new"])
    >>> found.prompts, found.pairs[0].accuracy, found["pairs"][0]["top1"]
    (2, 0.75, 0.5)
    """
    samples: list[RewardSample]
    if isinstance(table, (list, tuple)) and all(isinstance(sample, RewardSample) for sample in table):
        samples = list(table)
    else:
        chosen = [rewards] if isinstance(rewards, str) else list(rewards or ())
        path = os.fspath(table) if isinstance(table, (str, os.PathLike)) else None
        if not chosen:
            if path is None:
                raise ValueError("name the columns of scores with rewards=[…]")
            chosen = _srrd.score_columns_of_file(path)
        if gold is not None and gold not in chosen:
            chosen.append(gold)
        if path is None:
            samples = from_frame(table, rewards=chosen, columns=columns, duplicates=duplicates, next="none")
        else:
            samples = read(path, rewards=chosen, columns=columns, duplicates=duplicates, next="none")
    cores = [_core(sample) for sample in samples]
    counts = (whole("draws", draws), whole("seed", seed), whole("top", top))
    return Models._of(_srrd.models(cores, gold, float(interval), *counts, threads))
