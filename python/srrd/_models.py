"""Reward models side by side."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _srrd, _table
from ._compare import _core
from ._numbers import whole
from ._options import Duplicates
from ._result import Models
from ._sample import RewardSample


def models(
    table: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Sequence[RewardSample] | Any,
    rewards: str | Sequence[str] | None = None,
    *,
    gold: str | None = None,
    by: str | None = None,
    criterion: str | None = None,
    columns: Mapping[str, str] | None = None,
    dataset: Mapping[str, Any] | None = None,
    duplicates: Duplicates = "mean",
    interval: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    top: int = 3,
    report: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
    threads: int | None = None,
) -> Models:
    """Scores of the same responses to the same prompts, by several models: what ``srrd models --json`` tells.

    Only differences within prompts count: a model that adds a number per prompt chooses the same responses.

    Parameters
    ----------
    table
        One row per response: a path, a frame or a dict of arrays with the columns ``prompt``, ``response`` (or ``completion``, ``state``,
        ``action``) and one column per model; a log of TRL, verl, OpenRLHF, RewardBench or NeMo Gym; a list of paths with one model each; or
        one-step samples of the same responses.
    rewards
        The columns of scores, by name or by a pattern such as ``"rewards/*"``. By default all that look like scores: columns of numbers
        that count no steps, letters or rows.
    gold
        A column to hold the others against: it is ``b`` in its pairs, and these come first.
    by
        A column of numbers such as ``"step"``: the distances over training, and where they change. A prompt that comes back at another
        step is a prompt of its own, in all numbers. Not together with ``criterion``.
    criterion
        A column that groups prompts, such as ``"subset"``: the numbers of every group.
    dataset
        How logs are read, as in `srrd.read`: ``{"from": "trl"}`` says which kind it is.
    top
        Of each pair, how many of the prompts on which the models disagree most.
    report, plot
        Files to write: everything as a page (``.html``), and the distances as a picture (``.svg``), over training with ``by``.

    Returns
    -------
    Models
        ``pairs``: for each pair ``a``, ``b``, ``distance`` (0 same choices, 0.71 unrelated, 1 opposite), ``accuracy`` (the share of pairs
        of responses of one prompt, neither scored equal, that both order alike), ``tau_b``, ``top1``, ``best_of_n`` (by n, what b loses
        when a chooses the best of n, in b's standard deviations within prompts), ``by_margin``, ``disagreements``, ``explained`` (the
        share of the squared distance that length and format of responses explain), ``groups`` and ``changes`` (with ``by`` and
        ``criterion``), and ``intervals`` of all. ``to_frame("groups")`` has the groups of all pairs, one row each. ``notes`` says how the
        table was read and what was left out.

    Examples
    --------
    >>> import srrd
    >>> log = {"prompt": ["p", "p", "p", "q", "q"], "response": list("abcde")}
    >>> log |= {"old": [1.0, 2.0, 3.0, 0.0, 1.0], "new": [1.0, 3.0, 2.0, 10.0, 11.0]}
    >>> found = srrd.models(log)
    >>> found.prompts, found.pairs[0].accuracy, found["pairs"][0]["top1"]
    (2, 0.75, 0.5)
    """
    files = [None if path is None else os.fspath(path) for path in (report, plot)]
    counts = (whole("draws", draws), whole("seed", seed), whole("top", top))
    asked = _srrd.ModelsAsked(gold, by, criterion, float(interval), *counts, *files)
    given: list[Any] = list(table) if isinstance(table, (list, tuple)) and table else [table]
    if all(isinstance(sample, RewardSample) for sample in given):
        return Models._of(_srrd.models([_core(sample) for sample in given], asked, threads))
    if all(isinstance(path, (str, os.PathLike)) for path in given):
        reading = _table.reading(duplicates, columns, rewards, "none", dataset)
        return Models._of(_srrd.models_of_files([os.fspath(path) for path in given], reading, asked, threads))
    chosen = [rewards] if isinstance(rewards, str) else list(rewards or ())
    reading = _table.reading(duplicates, columns, chosen, "none")
    origin = f"the {type(table).__name__}"
    frame = _table.in_arrow(table)
    if _table.speaks_arrow(frame):
        if hasattr(frame, "columns"):
            _table.names_of(frame)
        try:
            return Models._of(_srrd.models_of_arrow(frame, origin, reading, asked, threads))
        except Exception as error:
            if not _table.is_of_pyarrow(error):
                raise
    chosen = chosen or _table.numbers_of(frame)
    wanted = [*(columns or {}).values(), *chosen, *(name for name in (gold, by, criterion) if name is not None)]
    return Models._of(_srrd.models_of_columns(_table.of_frame(frame, wanted), origin, reading, asked, threads))
