"""Rewards from demonstrations and preferences: inverse reinforcement learning.

>>> import srrd
>>> walks = srrd.simulate("gridworld", rollouts=20, size=(5, 5), seed=1)
>>> [learned] = srrd.irl.maxent(walks, std_errors=True)
>>> len(learned) == len(learned.std_errors)
True

Every function takes demonstrations in one of these forms and gives a list of `LearnedReward`, one for every set:

- a table (a path, a frame, or a dict of arrays) with the columns ``state``, ``action``, ``next_state`` (or features of them),
  ``episode``, ``step`` and, for several sets, ``sample`` and ``label``; ``terminated`` says which episodes were over. Rewards need not be
  there, and do not count;
- episodes, which are one set: tuples (states, actions) or (states, actions, terminated) with one state more than actions, or objects
  with ``obs``, ``acts`` and ``terminal`` (imitation) or ``observations``, ``actions`` and ``terminations`` (Minari);
- a dict of such lists of episodes: the sets by their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _environments, _returns, _srrd, _table
from ._options import Metric, Next
from ._sample import RewardSample

__all__ = ["METHODS", "LearnedReward", "airl", "maxent", "preferences", "ptirl"]

#: The names of the methods.
METHODS: tuple[str, ...] = tuple(name for name, _, _ in _srrd.irl_methods())

#: Demonstrations: a table, episodes, or lists of episodes by the names of their sets.
Demonstrations: TypeAlias = "str | os.PathLike[str] | Any"


#: What rewards are functions of.
Depends: TypeAlias = Literal["state", "next-state", "state-action"]


class LearnedReward(RewardSample):
    """A reward that was learned from one set of demonstrations: a `RewardSample` with what is known of its making."""

    __slots__ = ("_more",)
    _more: dict[str, Any]

    @classmethod
    def _learned(cls, core: _srrd.Sample, more: dict[str, Any]) -> LearnedReward:
        made = cls._of(core)
        assert isinstance(made, LearnedReward)
        made._more = more
        return made

    def __reduce__(self) -> tuple[Callable[..., RewardSample], tuple[Any, ...]]:
        return _restored, (self.to_bytes(), self._more)

    @property
    def std_errors(self) -> npt.NDArray[np.float64] | None:
        """How uncertain each reward is, in the order of `transitions`, NaN where nothing was learned; None unless asked for."""
        std_errors: npt.NDArray[np.float64] | None = self._more["std_errors"]
        return std_errors

    @property
    def draws(self) -> list[RewardSample]:
        """Further rewards that explain the demonstrations about as well, as many as were asked for."""
        return [self.with_rewards(rewards) for rewards in self._more["draws"]]

    @property
    def trace(self) -> dict[str, npt.NDArray[np.float64]]:
        """By iteration: ``objective``, ``gradient``, ``distance`` (from the reward of the iteration before), ``accuracy``, ``returns``."""
        trace: dict[str, npt.NDArray[np.float64]] = self._more["trace"]
        return trace

    @property
    def iterations(self) -> int:
        """How many iterations it took."""
        iterations: int = self._more["iterations"]
        return iterations

    @property
    def gradient(self) -> float | None:
        """The largest element of the gradient per step at the end, where there is one."""
        gradient: float | None = self._more["gradient"]
        return gradient

    @property
    def warnings(self) -> list[tuple[str, str]]:
        """What there is to know before the reward is trusted: (kind, message)."""
        warnings: list[tuple[str, str]] = self._more["warnings"]
        return warnings


def _restored(data: bytes, more: dict[str, Any]) -> LearnedReward:
    return LearnedReward._learned(_srrd.Sample.from_bytes(data), more)


def maxent(
    demonstrations: Demonstrations,
    *,
    reward: Depends = "state",
    form: Literal["free", "linear", "mlp"] = "free",
    horizon: int | None = None,
    gamma: float = 0.9,
    model: str | os.PathLike[str] | RewardSample = "set",
    ridge: float = 1e-3,
    std_errors: bool = False,
    draws: int = 0,
    seed: int = 0,
    iterations: int = 200,
    stop: float | None = None,
    trace: bool = False,
    trace_metric: Metric = "projected",
    columns: Mapping[str, str] | None = None,
    next: Next = "auto",
    threads: int | None = None,
) -> list[LearnedReward]:
    """The rewards under which agents that act as randomly as their rewards allow do what was demonstrated (maximum causal entropy).

    Parameters
    ----------
    demonstrations
        See the module.
    reward
        What rewards are functions of: ``"state"``, ``"next-state"`` or ``"state-action"``.
    form
        ``"free"``, a number for each, ``"linear"`` in features, or ``"mlp"``, a net of features (without standard errors and draws).
    horizon
        How many steps agents know they have, for free rewards of states (γ may be 1 then); None: they act as if episodes went on.
    model
        Where actions lead: counted from each ``"set"``, ``"pooled"`` over all, a file of probabilities, or a `RewardSample` whose rewards
        are probabilities.
    ridge
        How strongly values (or weights) are drawn to 0.
    std_errors, draws, seed
        Whether rewards get standard errors, and how many further rewards are drawn.
    iterations, stop
        The most iterations, and the distance between the rewards of two successive ones that is close enough.
    trace, trace_metric
        Whether a trace is kept, and by which metric it compares rewards.
    columns, next
        As in `srrd.from_frame`, for tables.

    Examples
    --------
    >>> import srrd
    >>> shown = [(["hall", door, "street"], [door, "leave"], True) for door in ("left", "left", "right", "left")]
    >>> [learned] = srrd.irl.maxent(shown)
    >>> bool(learned.rewards[learned.transitions.states == "left"] > learned.rewards[learned.transitions.states == "right"])
    True
    """
    options = {
        "reward": reward,
        "form": form,
        "horizon": horizon,
        "gamma": float(gamma),
        "model": _model(model),
        "ridge": float(ridge),
        "std_errors": bool(std_errors),
        "draws": draws,
        "seed": seed,
        "iterations": iterations,
        "stop": stop,
        "trace": bool(trace),
        "trace_metric": trace_metric,
    }
    return _learn("maxent", _walks(demonstrations, columns, next), options, None, threads)


def airl(
    demonstrations: Demonstrations,
    *,
    reward: Depends = "state",
    write: Literal["g", "f"] = "g",
    generator: Literal["exact", "ppo"] = "exact",
    gamma: float = 0.9,
    model: str | os.PathLike[str] | RewardSample = "set",
    ridge: float = 1e-3,
    steps: int = 100_000,
    batch: int = 2048,
    minibatch: int = 256,
    epochs: int = 10,
    rate: float = 1e-4,
    clip: float = 0.2,
    lambda_: float = 0.95,
    discriminator_steps: int = 32,
    hidden: Sequence[int] = (256, 128),
    env: Any = None,
    environments: int | None = None,
    size: str | tuple[int, int] | None = None,
    epsilon: float | None = None,
    obstacles: int | None = None,
    seed: int = 0,
    iterations: int | None = None,
    stop: float | None = None,
    trace: bool = False,
    trace_metric: Metric = "projected",
    columns: Mapping[str, str] | None = None,
    next: Next = "auto",
    threads: int | None = None,
) -> list[LearnedReward]:
    """The rewards that tell demonstrations from those of a policy that learns them (adversarial inverse reinforcement learning).

    The discriminator is f(s, a, s') = g + γ h(s') − h(s).

    Parameters
    ----------
    demonstrations, reward, model, ridge, stop, trace, trace_metric, columns, next
        As in `maxent`; `reward` is what g is a function of.
    write
        Which reward is given: ``"g"``, without shaping, or ``"f"``.
    generator
        ``"exact"``: soft value iteration on the model; ``"ppo"``: proximal policy optimization in the model or in `env`, with nets.
    steps, batch, minibatch, epochs, rate, clip, lambda_, discriminator_steps, hidden, seed
        Of ``"ppo"``: steps in all and per round, steps of a gradient, passes over a batch, the learning rate, how far the ratio of
        probabilities counts, λ of the advantages, steps of the discriminator per round, the hidden layers of all nets.
    env, environments
        Of ``"ppo"``: what the policy acts in instead of the model. A function without arguments that makes an environment of Gymnasium (or
        one like it), for example ``lambda: gymnasium.make("CartPole-v1")``, which is called `environments` times (8 unless given); one
        environment; or the name of a built-in world, ``"gridworld"`` or ``"bouncing-balls"``. Actions are numbered (Discrete),
        observations are numbers (Discrete) or arrays (Box), and the states of the demonstrations are such observations; they need not
        repeat.
    size, epsilon, obstacles
        Of a built-in world, as in `srrd.simulate`.
    iterations
        The most iterations: 200 with ``"exact"`` unless given.

    Examples
    --------
    >>> import srrd
    >>> shown = [(["hall", door, "street"], [door, "leave"], True) for door in ("left", "left", "right", "left")]
    >>> [learned] = srrd.irl.airl(shown, trace=True)
    >>> len(learned.trace["distance"]) == learned.iterations
    True
    """
    options = {
        "reward": reward,
        "write": write,
        "generator": generator,
        "gamma": float(gamma),
        "model": _model(model),
        "ridge": float(ridge),
        "steps": steps,
        "batch": batch,
        "minibatch": minibatch,
        "epochs": epochs,
        "rate": float(rate),
        "clip": float(clip),
        "lambda_": float(lambda_),
        "discriminator_steps": discriminator_steps,
        "hidden": list(hidden),
        "seed": seed,
        "env": None,
        "iterations": 200 if iterations is None and generator == "exact" else iterations,
        "stop": stop,
        "trace": bool(trace),
        "trace_metric": trace_metric,
    }
    walks = _walks(demonstrations, columns, next)
    if env is None:
        if any(option is not None for option in (environments, size, epsilon, obstacles)):
            raise ValueError("environments, size, epsilon and obstacles are about `env`: give it, or leave them out")
        return _learn("airl", walks, options, None, threads)
    if generator != "ppo":
        raise ValueError('env: only a policy that learns acts in an environment: give generator="ppo"')
    if model != "set":
        raise ValueError("model: with `env` the environment says where actions lead; leave it out")
    if isinstance(env, str):
        cells = f"{size[0]}x{size[1]}" if isinstance(size, tuple) else size
        options |= {"env": env, "world": (cells, epsilon, obstacles)}
        if environments is not None:
            raise ValueError("environments: a built-in world is acted in eight times at once; leave it out")
        return _learn("airl", walks, options, None, threads)
    if any(option is not None for option in (size, epsilon, obstacles)):
        raise ValueError("size, epsilon and obstacles are about built-in worlds: make the environment as it should be")
    make, single = _environments.maker(env)
    if single and (len(walks) > 1 or environments not in (None, 1)):
        raise ValueError(
            "env: one environment is for one set and `environments` = 1: give a function that makes environments"
        )
    options |= {"env": make, "environments": 1 if single else 8 if environments is None else environments}
    return _learn("airl", walks, options, None, threads)


def ptirl(
    demonstrations: Demonstrations,
    *,
    target: str | None = None,
    objective: Literal["near", "spread"] = "near",
    cap: float = 100.0,
    alpha: float = 1.0,
    others: int | None = 10,
    model: str | os.PathLike[str] | RewardSample = "pooled",
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    next: Next = "auto",
    threads: int | None = None,
) -> list[LearnedReward]:
    """The rewards that set the episodes of every set apart from those of sets with other labels (PTIRL).

    Parameters
    ----------
    demonstrations
        See the module: several sets, with labels (names count where there are none).
    target
        The label (or name, where there are no labels) of the sets that rewards are wanted of; all by default.
    objective
        ``"near"``: the one reward nearest to cap · (P_target − P_other); ``"spread"``: one of the many with the largest spread.
    cap, alpha
        Rewards lie within ± cap; every walk of the target is worth more than every other one, by alpha at least.
    others
        How many walks of others are drawn for every set; None for all.

    Examples
    --------
    >>> import srrd
    >>> walk = lambda door: [(["hall", door, "street"], [door, "leave"], True)]
    >>> left, right = srrd.irl.ptirl({"left": walk("left"), "right": walk("right")})
    >>> left.name, bool(left.rewards.min() > 0)
    ('left', True)
    """
    options = {
        "objective": objective,
        "cap": float(cap),
        "alpha": float(alpha),
        "others": others,
        "model": _model(model),
        "seed": seed,
        "target": target,
    }
    return _learn("ptirl", _walks(demonstrations, columns, next), options, None, threads)


def preferences(
    segments: Demonstrations,
    preferred: Any,
    *,
    reward: Depends = "state-action",
    form: Literal["free", "linear", "mlp"] = "free",
    gamma: float = 1.0,
    ridge: float = 0.1,
    std_errors: bool = False,
    draws: int = 0,
    seed: int = 0,
    iterations: int = 200,
    stop: float | None = None,
    trace: bool = False,
    trace_metric: Metric = "projected",
    columns: Mapping[str, str] | None = None,
    next: Next = "auto",
    threads: int | None = None,
) -> LearnedReward:
    """The reward whose sums over episodes agree with which of two was preferred (Bradley and Terry).

    Parameters
    ----------
    segments
        See the module: one set. Episodes of a list are called 0, 1, 2, …
    preferred
        Pairs (better, worse) that name episodes, or a table with these columns.
    reward, form, gamma, ridge
        As in `maxent`; γ counts later steps of a segment less.

    Examples
    --------
    >>> import srrd
    >>> answers = {"episode": [0, 1, 2], "state": ["hello"] * 3, "action": ["kind", "curt", "rude"]}
    >>> learned = srrd.irl.preferences(answers, [(0, 1), (1, 2), (0, 2)])
    >>> bool(dict(zip(learned.transitions.actions, learned.rewards))["rude"] < 0)
    True
    """
    options = {
        "reward": reward,
        "form": form,
        "gamma": float(gamma),
        "ridge": float(ridge),
        "std_errors": bool(std_errors),
        "draws": draws,
        "seed": seed,
        "iterations": iterations,
        "stop": stop,
        "trace": bool(trace),
        "trace_metric": trace_metric,
    }
    pairs = _returns._pairs(preferred)
    [learned] = _learn("preferences", _walks(segments, columns, next), options, pairs, threads)
    return learned


def _learn(
    method: str,
    walks: list[_srrd.Walks],
    options: dict[str, Any],
    pairs: list[tuple[str, str]] | None,
    threads: int | None,
) -> list[LearnedReward]:
    return [LearnedReward._learned(core, more) for core, more in _srrd.irl(method, walks, options, pairs, threads)]


def _model(model: str | os.PathLike[str] | RewardSample) -> Any:
    return model._core if isinstance(model, RewardSample) else os.fspath(model)


def _walks(demonstrations: Any, columns: Mapping[str, str] | None, next: str) -> list[_srrd.Walks]:
    reading = _srrd.Reading("mean", list((columns or {}).items()), [], next, [], True)
    sets = _episode_sets(demonstrations)
    if sets is None:
        return _returns._walks(demonstrations, reading, list((columns or {}).values()))
    return _srrd.walks_of_columns(_columns(sets), "the episodes", "demonstrations", reading)


def _episode_sets(demonstrations: Any) -> dict[str, Sequence[Any]] | None:
    """The sets of episodes by their names; None where it is a table."""
    if isinstance(demonstrations, Mapping):
        values = list(demonstrations.values())
        if values and all(
            isinstance(value, (list, tuple)) and len(value) and _is_episode(value[0]) for value in values
        ):
            return {str(name): list(episodes) for name, episodes in demonstrations.items()}
        return None
    if isinstance(demonstrations, (str, os.PathLike)) or hasattr(demonstrations, "columns"):
        return None
    if hasattr(demonstrations, "iterate_episodes"):
        return {"demonstrations": list(demonstrations.iterate_episodes())}
    if isinstance(demonstrations, Iterable):
        episodes = list(demonstrations)
        if episodes and _is_episode(episodes[0]):
            return {"demonstrations": episodes}
    return None


def _is_episode(value: Any) -> bool:
    tuple_like = isinstance(value, tuple) and len(value) in (2, 3) and all(np.ndim(part) > 0 for part in value[:2])
    return tuple_like or hasattr(value, "acts") or hasattr(value, "observations")


def _parts(episode: Any, place: str) -> tuple[Any, Any, bool | None]:
    if hasattr(episode, "acts"):
        terminal = getattr(episode, "terminal", None)
        parts = (episode.obs, episode.acts, None if terminal is None else bool(terminal))
    elif hasattr(episode, "observations"):
        over = getattr(episode, "terminations", None)
        parts = (episode.observations, episode.actions, None if over is None else bool(np.any(over)))
    else:
        terminated = episode[2] if len(episode) == 3 else None
        parts = (episode[0], episode[1], None if terminated is None else bool(terminated))
    states, actions = (_table.as_array(part) for part in parts[:2])
    if len(states) != len(actions) + 1:
        raise ValueError(
            f"{place}: {len(states)} states and {len(actions)} actions; there must be one state more: the one it ended in"
        )
    return states, actions, parts[2]


def _columns(sets: dict[str, Sequence[Any]]) -> dict[str, Any]:
    """The columns of a table with one row per step."""
    names, numbers, steps, froms, actions, tos, over = [], [], [], [], [], [], []
    known = True
    for name, episodes in sets.items():
        for number, episode in enumerate(episodes):
            states, taken, terminated = _parts(episode, f"{name}, episode {number}")
            count = len(taken)
            names += [name] * count
            # Names of episodes are sorted as texts.
            numbers.append(np.full(count, number))
            steps.append(np.arange(count))
            froms.append(states[:-1])
            tos.append(states[1:])
            actions.append(taken)
            known &= terminated is not None
            over.append(np.arange(count) == (count - 1 if terminated else count))
    if not names:
        raise ValueError("there are no episodes to learn from")
    columns = {"sample": names, "episode": np.concatenate(numbers), "step": np.concatenate(steps)}
    columns |= _table.role("state", np.concatenate(froms))
    columns |= _table.role("action", np.concatenate(actions))
    columns |= _table.role("next_state", np.concatenate(tos))
    if known:
        columns["terminated"] = np.concatenate(over)
    return columns
