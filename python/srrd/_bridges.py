"""Samples from the libraries that agents live in: Gymnasium, Minari, imitation. None of them is needed to import this."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _query, _table
from ._sample import RewardSample

#: What makes a state or an action of what a library gives: a number, a text, or features.
Reading: TypeAlias = "Callable[[Any], Any]"


def flatten(value: Any) -> Any:
    """An observation or action as a token or as features: the parts of dicts (by name) and tuples side by side."""
    if isinstance(value, Mapping):
        parts = [np.ravel(flatten(value[key])) for key in sorted(value)]
        return np.concatenate(parts) if parts else np.zeros(0)
    if isinstance(value, (tuple, list)):
        parts = [np.ravel(flatten(part)) for part in value]
        return np.concatenate(parts) if parts else np.zeros(0)
    if isinstance(value, (str, bytes)):
        return value
    array = _table.as_array(value)
    if array.ndim == 0:
        return array.item()
    return array.ravel().copy() if array.size > 1 else array.ravel()[0].item()


def from_gymnasium(
    env: Any,
    policy: Callable[[Any], Any] | None = None,
    *,
    episodes: int = 10,
    seed: int = 0,
    max_steps: int | None = None,
    state: Reading | None = None,
    action: Reading | None = None,
    name: str | None = None,
    label: str | None = None,
) -> RewardSample:
    """The rewards that an agent meets in a Gymnasium environment.

    Parameters
    ----------
    env
        A single environment (not a vector of them), which is not closed, or the id of one, such as ``"CartPole-v1"``.
    policy
        The action for an observation; random ones of the action space unless given.
    episodes, max_steps
        How many rollouts, and after how many steps each is cut if the environment does not end it.
    seed
        Of the environment and of random actions: the same seed gives the same sample.
    state, action
        What makes a state of an observation and an action of an action, for example ``lambda obs: tuple(np.round(obs, 1))``. By
        default numbers and texts stay what they are and arrays become features.

    Examples
    --------
    >>> import srrd
    >>> sample = srrd.from_gymnasium("FrozenLake-v1", episodes=50)
    >>> sample.name, len(sample.actions)
    ('FrozenLake-v1', 4)
    """
    read_state, read_action = state or flatten, action or flatten
    with opened(env) as env:
        spec = getattr(env, "spec", None)
        collected = [
            (
                [read_state(seen) for seen in observations],
                [read_action(chosen) for chosen in actions],
                rewards,
                terminated,
            )
            for observations, actions, rewards, terminated in play(env, policy, episodes, seed, max_steps)
        ]
    return _sample(collected, name or getattr(spec, "id", None), label)


@contextlib.contextmanager
def opened(env: Any) -> Iterator[Any]:
    """An environment as it is given; one that is made from its id is closed afterwards."""
    if not isinstance(env, str):
        if not hasattr(env, "step"):
            raise TypeError(
                f"env: {type(env).__name__} is no Gymnasium environment: give what gymnasium.make returns, or an id such as 'CartPole-v1'"
            )
        yield env
        return
    try:
        import gymnasium
    except ImportError as error:
        raise ImportError("an environment's id needs gymnasium: pip install 'srrd[gymnasium]'") from error
    made = gymnasium.make(env)
    try:
        yield made
    finally:
        made.close()


def play(
    env: Any, policy: Callable[[Any], Any] | None, episodes: int, seed: int, max_steps: int | None
) -> Iterator[tuple[list[Any], list[Any], list[float], bool]]:
    """Rollouts: observations (one more than actions), actions, rewards, and whether the task was over at the end."""
    if episodes < 1:
        raise ValueError(f"episodes: {episodes} is not at least 1")
    if hasattr(env, "num_envs"):
        raise ValueError("a vector of environments was given: make one with gymnasium.make, or collect episodes yourself and use "
                         "RewardSample.from_episodes")  # fmt: skip
    if policy is None:
        env.action_space.seed(seed)
    for number in range(episodes):
        # Seeding again would play the same episode again.
        observation, _ = env.reset(seed=seed) if number == 0 else env.reset()
        # Some environments write into the array that they returned before.
        observations: list[Any] = [copy.deepcopy(observation)]
        actions: list[Any] = []
        rewards: list[float] = []
        terminated = False
        while max_steps is None or len(actions) < max_steps:
            chosen = env.action_space.sample() if policy is None else policy(observation)
            observation, reward, terminated, truncated, _ = env.step(chosen)
            actions.append(chosen)
            rewards.append(float(reward))
            observations.append(copy.deepcopy(observation))
            if terminated or truncated:
                break
        if actions:
            # A time limit, the environment's or ours, ends no task.
            yield observations, actions, rewards, bool(terminated)


def from_minari(
    dataset: Any,
    *,
    episodes: int | Iterable[int] | None = None,
    state: Reading | None = None,
    action: Reading | None = None,
    name: str | None = None,
    label: str | None = None,
) -> RewardSample:
    """The rewards of a Minari dataset, given as such or by its id (it is then read from disk, never fetched).

    `episodes` are how many, or which; all by default. `state` and `action` are as in `from_gymnasium`.
    """
    if isinstance(dataset, str):
        import minari

        dataset = minari.load_dataset(dataset)
    indices = range(episodes) if isinstance(episodes, int) else episodes
    chosen = dataset.iterate_episodes() if indices is None else dataset.iterate_episodes(list(indices))
    read_state, read_action = state or flatten, action or flatten
    collected = [
        (
            [read_state(observation) for observation in _steps(episode.observations)],
            [read_action(taken) for taken in _steps(episode.actions)],
            np.asarray(episode.rewards, dtype=np.float64),
            bool(np.any(episode.terminations)),
        )
        for episode in chosen
    ]
    spec = getattr(dataset, "spec", None)
    return _sample(collected, name or getattr(spec, "dataset_id", None), label)


def from_imitation(
    data: Any,
    *,
    reward: _query.RewardFunction | None = None,
    name: str | None = None,
    label: str | None = None,
    batch_size: int = 4096,
) -> RewardSample:
    """The rewards of imitation's trajectories (a list of them) or transitions.

    Those without rewards, as demonstrations are, need `reward`: a function of states, actions and next states, such as
    `reward_net` makes of a reward net. With it, rewards in the data are not used.
    """
    if hasattr(data, "next_obs"):
        states, actions, next_states = (
            [flatten(entry) for entry in part] for part in (data.obs, data.acts, data.next_obs)
        )
        given = getattr(data, "rews", None)
        if given is None and reward is None:
            raise ValueError("the transitions have no rewards: give `reward`, such as srrd.reward_net(net)")
        rewards = np.zeros(len(states)) if given is None else _table.as_array(given)
        dones = getattr(data, "dones", None)
        sample = RewardSample(states, actions, next_states, rewards, terminated=dones, name=name, label=label)
    else:
        trajectories = list(data)
        if reward is None and not all(hasattr(trajectory, "rews") for trajectory in trajectories):
            raise ValueError("a trajectory has no rewards: give `reward`, such as srrd.reward_net(net)")
        collected = [
            (
                [flatten(observation) for observation in _steps(trajectory.obs)],
                [flatten(taken) for taken in _steps(trajectory.acts)],
                np.asarray(getattr(trajectory, "rews", np.zeros(len(trajectory.acts))), dtype=np.float64),
                getattr(trajectory, "terminal", None),
            )
            for trajectory in trajectories
        ]
        sample = _sample(collected, name, label)
    if reward is None:
        return sample
    return RewardSample.from_callable(reward, sample, batch_size=batch_size)


#: What a reward net may be asked with.
Input: TypeAlias = Literal["state", "action", "next_state"]
_INPUTS: tuple[Input, ...] = ("state", "action", "next_state")


def reward_net(net: Any, *, inputs: Sequence[Input] | None = None, done: bool = False) -> _query.RewardFunction:
    """A reward net of imitation, or a torch module, as a function that `RewardSample.from_callable` takes.

    A net of imitation is asked through its `predict_processed` or `predict`, with `done` for all transitions. A torch module gets
    float tensors on its own device and returns one reward each: states, actions and next states, or those that `inputs` names. A
    module of one input, such as ``torch.nn.Sequential``, gets them side by side in one tensor: ``inputs=("state", "action")`` for a net
    of [state, action], ``inputs=("state",)`` for one of states alone.
    """
    if inputs is not None and not _query.is_module(net):
        raise TypeError(f"inputs are for torch modules, and {type(net).__name__} is none")
    predict = None if inputs else getattr(net, "predict_processed", None) or getattr(net, "predict", None)
    if predict is not None:

        def ask(states: npt.NDArray[Any], actions: npt.NDArray[Any], next_states: npt.NDArray[Any]) -> npt.ArrayLike:
            answer: npt.ArrayLike = predict(states, actions, next_states, np.full(len(states), done))
            return answer

        return ask
    if not hasattr(net, "parameters"):
        raise TypeError(f"{type(net).__name__} is neither a reward net nor a torch module: give a function instead")

    chosen, together = _asked(net, inputs)

    def forward(states: npt.NDArray[Any], actions: npt.NDArray[Any], next_states: npt.NDArray[Any]) -> npt.ArrayLike:
        import torch

        given = dict(zip(_INPUTS, (states, actions, next_states), strict=True))
        parts = [given[name] for name in chosen]
        if together:
            parts = [np.column_stack([part.reshape(len(part), -1) for part in parts])]
        first = next(iter(net.parameters()), None)
        device = "cpu" if first is None else first.device
        dtype = torch.float32 if first is None else first.dtype
        with torch.no_grad():
            tensors = (torch.as_tensor(part, device=device, dtype=dtype) for part in parts)
            answer: npt.ArrayLike = net(*tensors).cpu().numpy()
            return answer

    return forward


def _asked(net: Any, inputs: Sequence[Input] | None) -> tuple[list[Input], bool]:
    """Which inputs a module gets, and whether as one tensor."""
    try:
        parameters = inspect.signature(net.forward).parameters.values()
    except (AttributeError, TypeError, ValueError):
        parameters = inspect.signature(lambda *inputs: None).parameters.values()
    many = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    takes = len(positional)
    needs = sum(one.default is one.empty for one in positional)
    chosen = list(_INPUTS if inputs is None else inputs)
    wrong = [name for name in chosen if name not in _INPUTS]
    if wrong or not chosen:
        raise ValueError(
            f"inputs: {inputs!r} must be some of 'state', 'action' and 'next_state', such as inputs=('state', 'action')"
        )
    if many or needs <= len(chosen) <= takes:
        return chosen, False
    if inputs is not None and needs <= 1 <= takes:
        return chosen, True
    counted = f"{takes} input{'' if takes == 1 else 's'}"
    raise ValueError(
        f"{type(net).__name__} takes {counted}: say what it is a function of, such as inputs=('state', 'action') or inputs=('state',) "
        "(a module of one input gets them side by side in one tensor), or give a function of states, actions and next states"
    )


def _steps(values: Any) -> Iterable[Any]:
    """The entries of what a library keeps step by step: an array, or a dict or tuple of arrays."""
    if isinstance(values, Mapping):
        names = list(values)
        return [
            dict(zip(names, parts, strict=True))
            for parts in zip(*(_steps(values[name]) for name in names), strict=True)
        ]
    if isinstance(values, tuple):
        return list(zip(*(_steps(part) for part in values), strict=True))
    # imitation wraps observations that are dicts.
    if hasattr(values, "unwrap"):
        return _steps(values.unwrap())
    return values  # type: ignore[no-any-return]


def _sample(
    collected: Sequence[tuple[list[Any], list[Any], Any, bool | None]], name: str | None, label: str | None
) -> RewardSample:
    try:
        return RewardSample.from_episodes(collected, name=name, label=label)
    except ValueError as error:
        if "dimensions" in str(error) or "inhomogeneous" in str(error):
            raise ValueError(
                "observations differ in shape: give `state`, a function that makes features of one"
            ) from error
        raise
