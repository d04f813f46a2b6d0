"""Several reward functions asked on the transitions of one environment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from ._bridges import Reading, flatten, opened, play
from ._query import is_module
from ._sample import RewardSample

#: What a reward function is asked: observation, action and next observation.
RewardFunction: TypeAlias = "Callable[[Any, Any, Any], Any]"


def record(
    env: Any,
    rewards: Iterable[RewardFunction] | Mapping[str, RewardFunction] = (),
    policy: Callable[[Any], Any] | None = None,
    *,
    episodes: int = 10,
    seed: int = 0,
    max_steps: int | None = None,
    state: Reading | None = None,
    action: Reading | None = None,
    env_reward: bool = False,
) -> list[RewardSample]:
    """Plays episodes in a Gymnasium environment once and asks every reward function on the same transitions.

    Parameters
    ----------
    env
        A single environment, which is not closed, or the id of one, such as ``"CartPole-v1"``.
    rewards
        Functions of (observation, action, next observation), with names if it is a dict: by default they are called as they are named.
    policy, episodes, seed, max_steps, state, action
        As in `srrd.from_gymnasium`. Reward functions see observations and actions as the environment has them.
    env_reward
        Whether the environment's own reward comes first, as ``"env"``.

    Returns
    -------
    list of RewardSample
        One per reward, on the same transitions. Where the task was over is marked; time limits are not ends.

    Examples
    --------
    >>> import gymnasium, srrd
    >>> def old(obs, action, next_obs):
    ...     return float(next_obs == 15)
    >>> def new(obs, action, next_obs):
    ...     return 10.0 * (next_obs == 15)
    >>> env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> a, b = srrd.record(env, rewards=[old, new], episodes=300)
    >>> a.name, b.name, round(srrd.distance(a, b, metric="projected"), 6)
    ('old', 'new', 0.0)
    """
    named = dict(rewards) if isinstance(rewards, Mapping) else _named(rewards)
    if env_reward and "env" in named:
        raise ValueError("a reward function is called 'env' as the environment's own reward is: give it another name")
    if not named and not env_reward:
        raise ValueError("there is no reward to record: give reward functions, or env_reward=True")
    for name, reward in named.items():
        if not callable(reward) or is_module(reward):
            raise TypeError(
                f"the reward '{name}' is a {type(reward).__name__}: give a function of (observation, action, next observation), such as "
                "lambda obs, action, next_obs: float(net(torch.as_tensor(next_obs)))"
            )
    read_state, read_action = state or flatten, action or flatten
    walks: list[tuple[list[Any], list[Any], bool]] = []
    scores: dict[str, list[list[float]]] = {name: [] for name in (["env"] if env_reward else []) + list(named)}
    with opened(env) as env:
        for observations, actions, own, terminated in play(env, policy, episodes, seed, max_steps):
            steps = list(zip(observations, actions, observations[1:], strict=False))
            for name, reward in named.items():
                scores[name].append([_number(name, reward(*step)) for step in steps])
            if env_reward:
                scores["env"].append(own)
            states = [read_state(seen) for seen in observations]
            walks.append((states, [read_action(chosen) for chosen in actions], terminated))
    return [
        RewardSample.from_episodes(
            [(states, actions, of_walk, ends) for (states, actions, ends), of_walk in zip(walks, of_name, strict=True)],
            name=name,
        )
        for name, of_name in scores.items()
    ]


def _named(rewards: Iterable[RewardFunction]) -> dict[str, RewardFunction]:
    named: dict[str, RewardFunction] = {}
    for number, reward in enumerate(rewards):
        name = getattr(reward, "__name__", "<lambda>")
        # Several functions may be called alike, as lambdas are.
        named[f"reward{number}" if name in named or name == "<lambda>" else name] = reward
    return named


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the reward function '{name}' returned {value!r}, which is not a number") from error
