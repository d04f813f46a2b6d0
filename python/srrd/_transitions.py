"""The transitions of a sample, as Python sees them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from . import _srrd, _table

#: What a state or an action is: an integer, a text, or a tuple of features.
Token: TypeAlias = "int | str | tuple[float, ...]"


class Transition(NamedTuple):
    """A state, an action, and the state that followed."""

    state: Token
    action: Token
    next_state: Token


class Transitions(Sequence[Transition]):
    """The transitions of a sample, in the order that results are in: by state, next state and action.

    A sequence of `Transition`; nothing is built until it is asked for. `states`, `actions` and `next_states` are all of them as
    arrays.
    """

    def __init__(self, core: _srrd.Sample) -> None:
        self._core = core

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, index: int) -> Transition: ...
    @overload
    def __getitem__(self, index: slice) -> list[Transition]: ...
    def __getitem__(self, index: int | slice) -> Transition | list[Transition]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = int(index)
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} transitions")
        return Transition(*self._core.transition(at))

    def __iter__(self) -> Iterator[Transition]:
        states, actions = self._core.states(), self._core.actions()
        for s, a, n in zip(*(ids.tolist() for ids in self._core.ids()), strict=True):
            yield Transition(states[s], actions[a], states[n])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Transitions, list, tuple)):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(tuple(t)) for t in self[:3])
        return f"<{len(self):,} transitions: {shown}{', …' if len(self) > 3 else ''}>"

    @property
    def states(self) -> npt.NDArray[Any]:
        """The state of every transition: integers, texts, or a row of features each."""
        return _of_ids(self._core.states(), self._core.ids()[0])

    @property
    def actions(self) -> npt.NDArray[Any]:
        """The action of every transition."""
        return _of_ids(self._core.actions(), self._core.ids()[1])

    @property
    def next_states(self) -> npt.NDArray[Any]:
        """The next state of every transition."""
        return _of_ids(self._core.states(), self._core.ids()[2])


def _of_ids(tokens: list[Token], ids: npt.NDArray[np.uint32]) -> npt.NDArray[Any]:
    """The tokens of ids. Those without an id here do not count: the end of one-step problems is a state without features."""
    used, place = np.unique(ids, return_inverse=True)
    return _table.token_array([tokens[i] for i in used.tolist()])[place]
