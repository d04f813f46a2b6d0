"""Environments of Gymnasium, and those like them, as the compiled part acts in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt


def maker(env: Any) -> tuple[Callable[[], Acted], bool]:
    """What makes environments, and whether there is only one to be had."""
    # A class has the methods, too, but makes environments.
    if hasattr(env, "reset") and hasattr(env, "step") and not isinstance(env, type):
        acted = Acted(env)
        return lambda: acted, True
    if callable(env):
        return lambda: Acted(env()), False
    raise TypeError(
        f"env: {env!r} is neither an environment, nor a function that makes one, nor the name of a built-in world"
    )


class Acted:
    """An environment with numbered actions, whose observations are rows of numbers or numbers of states."""

    def __init__(self, env: Any) -> None:
        for name in ("reset", "step", "action_space", "observation_space"):
            if not hasattr(env, name):
                raise TypeError(f"env: {env!r} has no `{name}`: environments are those of Gymnasium, or like them")
        self._env = env
        actions, states = _discrete(env.action_space), _discrete(env.observation_space)
        if actions is None:
            raise ValueError(f"env: actions are {env.action_space}, but PPO needs numbered ones (Discrete)")
        self.actions, self.first_action = actions
        self.numbered = states is not None
        if states is not None:
            self.inputs, self.first_state = states
        else:
            shape = getattr(env.observation_space, "shape", None)
            if shape is None or not hasattr(env.observation_space, "low"):
                raise ValueError(
                    f"env: observations are {env.observation_space}, but PPO needs rows of numbers (Box) or numbers (Discrete): "
                    "flatten them first, as gymnasium.wrappers.FlattenObservation does"
                )
            self.inputs, self.first_state = math.prod(shape), 0

    def reset(self, seed: int | None) -> npt.NDArray[np.float64]:
        """Begins an episode."""
        answer = self._env.reset(seed=seed) if seed is not None else self._env.reset()
        if not (isinstance(answer, tuple) and len(answer) == 2):
            raise TypeError("env: `reset` must return (observation, info), as in Gymnasium")
        return self._seen(answer[0])

    def step(self, action: int) -> tuple[npt.NDArray[np.float64], bool, bool]:
        """Takes an action: what is seen then, and whether the task is over or was cut off."""
        answer = self._env.step(self.first_action + action)
        if not (isinstance(answer, tuple) and len(answer) == 5):
            raise TypeError(
                "env: `step` must return (observation, reward, terminated, truncated, info), as in Gymnasium"
            )
        return self._seen(answer[0]), bool(answer[2]), bool(answer[3])

    def _seen(self, observation: Any) -> npt.NDArray[np.float64]:
        if self.numbered:
            number = int(observation) - self.first_state
            if not 0 <= number < self.inputs:
                raise ValueError(f"env: the observation {observation!r} is outside of its observation_space")
            seen = np.zeros(self.inputs)
            seen[number] = 1.0
            return seen
        seen = np.asarray(observation, dtype=np.float64).ravel()
        if len(seen) != self.inputs or not np.isfinite(seen).all():
            raise ValueError(f"env: the observation {observation!r} is not {self.inputs} finite numbers")
        return seen


def _discrete(space: Any) -> tuple[int, int] | None:
    """How many numbers a space has, and the first of them."""
    if not hasattr(space, "n") or getattr(space, "shape", ()) != ():
        return None
    return int(space.n), int(getattr(space, "start", 0))
