"""Numbers that callers give, checked where they come in: what is wrong is said with what is allowed."""

from __future__ import annotations

import operator
from typing import Any

#: The largest number that the compiled part takes.
MOST = 2**64 - 1
#: More threads than any machine has cores only get in each other's way.
MOST_THREADS = 1024


def whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """A whole number from `least` to `most`.

    >>> whole("top", 3)
    3
    >>> whole("top", -1)
    Traceback (most recent call last):
    ...
    ValueError: top: -1 is not a whole number between 0 and 18446744073709551615
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise ValueError(f"{name}: {value!r} is not a whole number between {least} and {most}")
    return number


def threads_or_none(threads: Any) -> int | None:
    """How many threads; None for all cores."""
    return None if threads is None else whole("threads", threads, 1, MOST_THREADS)


def number(name: str, value: Any) -> float:
    """A number; nan is one."""
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name}: {value!r} is not a number that a float can hold") from None
