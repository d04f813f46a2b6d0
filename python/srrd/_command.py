"""The command, called from Python."""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import _srrd


def command(arguments: Sequence[str | os.PathLike[str]]) -> int:
    """Runs ``srrd`` with these arguments and returns its exit status: 0 done, 1 it failed, 2 the call or the input was wrong.

    For what has no function of its own here, such as ``convert``. Results go to standard output, past ``sys.stdout``; what is wrong
    is told on standard error.

    Examples
    --------
    >>> import srrd
    >>> srrd.command(["convert", "rewards.csv", "-o", "rewards.parquet"])  # doctest: +SKIP
    0
    """
    return _srrd.command(["srrd", *(os.fspath(argument) for argument in arguments)])
