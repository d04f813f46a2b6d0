"""Reward functions that can be called: asked in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from . import _table
from ._options import Options

if TYPE_CHECKING:
    from ._sample import RewardSample

#: A function of states, actions and next states, arrays with one entry per transition, that returns one reward for each.
RewardFunction: TypeAlias = "Callable[[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]], npt.ArrayLike]"

#: More rewards than this are not asked for everywhere: it would take 3 GB and, with a neural net, hours.
MOST = 400_000_000


def ask(
    fn: RewardFunction, states: npt.NDArray[Any], actions: npt.NDArray[Any], next_states: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """The rewards of a batch, checked."""
    rewards = _table.as_array(fn(states, actions, next_states))
    if rewards.shape not in ((len(states),), (len(states), 1)):
        raise ValueError(
            f"the reward function returned an array of shape {rewards.shape} for {len(states)} transitions: it must return one "
            "number each"
        )
    rewards = np.ascontiguousarray(rewards.reshape(-1), dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(rewards))
    if len(wrong):
        at = wrong[0]
        raise ValueError(
            f"the reward function returned {rewards[at]} for ({states[at]}, {actions[at]}, {next_states[at]}): rewards must be "
            "finite"
        )
    return rewards


def is_module(fn: Any) -> bool:
    """Whether it is a torch module, which takes tensors, not arrays."""
    return hasattr(fn, "forward") and hasattr(fn, "parameters")


def _function(fn: Any) -> RewardFunction:
    if is_module(fn):
        from ._bridges import reward_net

        return reward_net(fn)
    if not callable(fn):
        raise TypeError(f"a reward function of states, actions and next states is needed, not {type(fn).__name__}")
    function: RewardFunction = fn
    return function


def _check(batch_size: int) -> None:
    if batch_size < 1:
        raise ValueError(f"batch_size: {batch_size} is not at least 1")


def sampled(fn: RewardFunction, sample: RewardSample, batch_size: int) -> npt.NDArray[np.float64]:
    """The rewards of the sample's transitions."""
    _check(batch_size)
    fn = _function(fn)
    transitions = sample.transitions
    states, actions, next_states = transitions.states, transitions.actions, transitions.next_states
    rewards = np.empty(len(states))
    for first in range(0, len(states), batch_size):
        part = slice(first, first + batch_size)
        rewards[part] = ask(fn, states[part], actions[part], next_states[part])
    return rewards


def everywhere(fn: RewardFunction, sample: RewardSample, actions: str, batch_size: int) -> npt.NDArray[np.float64]:
    """The rewards of all transitions between explored states: (states, states), the mean over actions, or
    (states, actions, states)."""
    _check(batch_size)
    if actions not in (known := get_args(get_type_hints(Options)["actions"])):
        raise ValueError(f"actions: '{actions}' is not one of {', '.join(known)}")
    if sample._core.one_step:
        raise ValueError(
            "a one-step problem has no other next states to ask for: leave out unsampled=True, and give all transitions instead"
        )
    return table(
        fn,
        _table.token_array(sample.states),
        _table.token_array(sample.actions),
        batch_size,
        mean=actions == "marginal",
    )


def table(
    fn: RewardFunction, states: npt.NDArray[Any], actions: npt.NDArray[Any], batch_size: int, *, mean: bool = False
) -> npt.NDArray[np.float64]:
    """What a function says of all transitions between states: (states, actions, states), or the mean over actions."""
    _check(batch_size)
    fn = _function(fn)
    n, m = len(states), len(actions)
    if n * m * n > MOST:
        raise ValueError(
            f"{n:,} states and {m:,} actions have {n * m * n:,} transitions, more than can be asked for: take fewer states, a "
            "discretizer, or a metric that needs only sampled transitions (projected)"
        )
    rewards = np.zeros((n, n) if mean else (n, m, n))
    for part, (source, action, target) in _grid(n, m, batch_size):
        answered = ask(fn, states[source], actions[action], states[target])
        if mean:
            np.add.at(rewards, (source, target), answered)
        else:
            rewards.reshape(-1)[part] = answered
    return rewards / m if mean else rewards


def _grid(n: int, m: int, size: int) -> Iterator[tuple[slice, tuple[Any, Any, Any]]]:
    for first in range(0, n * m * n, size):
        place = np.arange(first, min(first + size, n * m * n))
        yield slice(first, first + len(place)), (place // (m * n), place // n % m, place % n)
