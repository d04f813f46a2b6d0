"""Reward samples: transitions with one reward each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _query, _srrd, _table
from ._options import Duplicates, Next
from ._transitions import Token, Transitions


class RewardSample:
    """A set of transitions with one reward each. It never changes.

    Parameters
    ----------
    states, actions, next_states
        One entry per transition: integers, texts, or features (a 2-D array with one row per transition). `next_states=None` is a
        one-step problem: bandits, scored responses.
    rewards
        Finite numbers.
    terminated
        Whether the task is over after each transition; not for time limits. What shaping may do depends on it, so give it where it is
        known (in one-step problems every transition ends one).
    episodes
        Which rollout a transition is of, if that is known: what intervals resample.
    name, label
        What the sample is called, and the class of the agent that it is of.
    duplicates
        The reward of a transition that occurs several times: ``"mean"``, ``"first"``, ``"last"``, or ``"error"``.
    state_features, action_features
        The names of features, as in the columns ``state.NAME`` of tables.

    Examples
    --------
    >>> import srrd
    >>> a = srrd.RewardSample(["hall", "hall", "door"], ["walk", "wait", "wait"], ["door", "hall", "door"], [1, -0.1, 0])
    >>> a
    RewardSample(3 transitions, 2 states, 2 actions, coverage 37.5 %)
    >>> a.transitions[0]
    Transition(state='door', action='wait', next_state='door')
    >>> a.rewards
    array([ 0. ,  1. , -0.1])
    """

    __slots__ = ("_core",)
    _core: _srrd.Sample

    def __init__(
        self,
        states: npt.ArrayLike,
        actions: npt.ArrayLike,
        next_states: npt.ArrayLike | None,
        rewards: npt.ArrayLike,
        *,
        terminated: npt.ArrayLike | None = None,
        episodes: npt.ArrayLike | None = None,
        name: str | None = None,
        label: str | None = None,
        duplicates: Duplicates = "mean",
        state_features: Sequence[str] | None = None,
        action_features: Sequence[str] | None = None,
    ) -> None:
        columns = _table.role("state", states, state_features) | _table.role("action", actions, action_features)
        if next_states is not None:
            columns |= _table.role("next_state", next_states, state_features)
        columns["reward"] = _rewards(rewards)
        if terminated is not None:
            columns["terminated"] = _flags(terminated)
        if episodes is not None:
            columns["episode"] = _table.column("episode", episodes)
        (core,) = _srrd.samples_of_columns(columns, "the arrays", name or "sample", _table.reading(duplicates))
        self._core = core if label is None else core.renamed(core.name, str(label))

    @classmethod
    def _of(cls, core: _srrd.Sample) -> RewardSample:
        sample = cls.__new__(cls)
        sample._core = core
        return sample

    @classmethod
    def from_frame(
        cls, frame: Any, *, name: str = "frame", label: str | None = None, duplicates: Duplicates = "mean", **table: Any
    ) -> RewardSample:
        """The one sample of a frame (pandas, polars, pyarrow, DuckDB, …) or a dict of arrays. `table` is as in `srrd.from_frame`.

        Examples
        --------
        >>> import srrd
        >>> columns = {"state": [0, 1], "action": ["go", "go"], "next_state": [1, 0], "reward": [1.0, 0.5]}
        >>> len(srrd.RewardSample.from_frame(columns))
        2
        """
        return _only(from_frame(frame, name=name, duplicates=duplicates, **table), "the frame", label)

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], *, sample: str | None = None, duplicates: Duplicates = "mean", **table: Any
    ) -> RewardSample:
        """The sample of a table: CSV, TSV, JSONL (also compressed), Parquet, Arrow or NPZ. `sample` names one of several.

        `table` is as in `srrd.read`.
        """
        samples = read(path, duplicates=duplicates, **table)
        if sample is not None:
            named = [one for one in samples if one.name == sample]
            if not named:
                known = ", ".join(one.name for one in samples[:5])
                raise ValueError(f"{os.fspath(path)}: there is no sample '{sample}': the table holds {known}")
            return named[0]
        return _only(samples, os.fspath(path), None)

    @classmethod
    def from_episodes(
        cls,
        episodes: Iterable[Any],
        *,
        name: str | None = None,
        label: str | None = None,
        duplicates: Duplicates = "mean",
        state_features: Sequence[str] | None = None,
        action_features: Sequence[str] | None = None,
    ) -> RewardSample:
        """A sample of whole rollouts.

        An episode is (states, actions, rewards) or (states, actions, rewards, terminated) with one state more than actions, the last
        being where it ended; `terminated` says whether the task was over there (False for a time limit, None if nobody knows). Or it is
        an object with `obs`, `acts`, `rews` and `terminal` (imitation) or `observations`, `actions`, `rewards` and `terminations`
        (Minari).

        Examples
        --------
        >>> import srrd
        >>> srrd.RewardSample.from_episodes([([0, 1, 2], [0, 0], [0.0, 1.0]), ([0, 2], [1], [0.5])]).episodes
        2
        """
        parts: list[tuple[Any, Any, Any]] = []
        steps: list[tuple[int, bool | None]] = []
        for number, episode in enumerate(episodes):
            *arrays, terminated = _parts(episode, number)
            states, actions, rewards = (_table.as_array(part) for part in arrays)
            if not len(states) == len(actions) + 1 == len(rewards) + 1:
                raise ValueError(
                    f"episode {number}: {len(states)} states, {len(actions)} actions and {len(rewards)} rewards; there must be "
                    "as many actions as rewards and one state more: the one it ended in"
                )
            parts.append((states, actions, rewards))
            steps.append((len(actions), terminated))
        if not sum(length for length, _ in steps):
            raise ValueError("there are no episodes: a reward sample needs at least one transition")
        states, actions, rewards = (np.concatenate(part) for part in zip(*parts, strict=True))
        core = _srrd.sample_of_episodes(
            _table.role("state", states, state_features),
            _table.role("action", actions, action_features),
            _rewards(rewards),
            steps,
            name or "sample",
            None if label is None else str(label),
            duplicates,
        )
        return cls._of(core)

    @classmethod
    def from_callable(
        cls,
        fn: _query.RewardFunction,
        transitions: RewardSample | tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
        *,
        unsampled: bool = False,
        batch_size: int = 4096,
        name: str | None = None,
        label: str | None = None,
    ) -> RewardSample:
        """What a reward function says of some transitions, and with `unsampled` of all others between their states.

        Parameters
        ----------
        fn
            ``fn(states, actions, next_states)`` returns one reward per row. It gets arrays: integers, texts, or one row of
            features per transition, and may return tensors. A torch module of three inputs can be given as it is; for others see
            `srrd.reward_net`.
        transitions
            A `RewardSample`, whose rewards are not used, or (states, actions, next_states).
        unsampled
            Also ask for every transition between explored states, so that EPIC, DARD and SRRD count what the function says
            instead of 0 where nothing was sampled (see `with_callable`).
        batch_size
            How many transitions the function gets at once.

        Examples
        --------
        >>> import numpy as np, srrd
        >>> sample = srrd.RewardSample.from_callable(lambda s, a, n: n - 0.5 * s, ([0, 1], [0, 0], [1, 2]))
        >>> sample.rewards
        array([1. , 1.5])
        """
        if not isinstance(transitions, RewardSample):
            states, actions, next_states = transitions
            transitions = cls(states, actions, next_states, np.zeros(len(_table.as_array(states))))
        sample = transitions.with_rewards(_query.sampled(fn, transitions, batch_size))
        if name is not None or label is not None:
            sample = sample.renamed(name or sample.name, label)
        return sample.with_callable(fn, batch_size=batch_size) if unsampled else sample

    def with_callable(
        self, fn: _query.RewardFunction, *, actions: Literal["marginal", "joint"] = "marginal", batch_size: int = 4096
    ) -> RewardSample:
        """The same sample; for transitions that it lacks, EPIC, DARD and SRRD (double batch) take what `fn` says instead of 0.

        `fn` is asked for every (state, action, next state) of the explored ones: states² · actions rewards.
        ``actions="joint"`` keeps all of them; ``"marginal"`` only their mean over actions: what the default estimator needs.
        """
        return RewardSample._of(self._core.with_reward_table(_query.everywhere(fn, self, actions, batch_size)))

    def with_rewards(self, rewards: npt.ArrayLike) -> RewardSample:
        """The same transitions with other rewards, in the order of `transitions`."""
        return RewardSample._of(self._core.with_rewards(_rewards(rewards)))

    def renamed(self, name: str, label: str | None = None) -> RewardSample:
        """The same sample with another name and, if one is given, another label."""
        return RewardSample._of(self._core.renamed(name, self.label if label is None else str(label)))

    @property
    def transitions(self) -> Transitions:
        """The distinct transitions, in the order of `rewards` and of canonical rewards."""
        return Transitions(self._core)

    @property
    def rewards(self) -> npt.NDArray[np.float64]:
        """The reward of every transition."""
        return self._core.rewards

    @property
    def terminated(self) -> npt.NDArray[np.bool_] | None:
        """Whether the task is over after each transition; None where nobody said."""
        return self._core.ends

    @property
    def states(self) -> list[Token]:
        """The explored states: those that start or end a transition."""
        return self._core.states()

    @property
    def actions(self) -> list[Token]:
        """The explored actions."""
        return self._core.actions()

    @property
    def coverage(self) -> float:
        """Sampled transitions / (explored states × explored actions × explored states)."""
        return self._core.coverage()

    def coverage_of(self, states: int, actions: int) -> float:
        """Sampled transitions / all transitions of a world of so many states and actions."""
        return self._core.coverage((states, actions))

    @property
    def counts(self) -> dict[str, int]:
        """Transitions, states, actions, terminal states; rows given, rows repeated, transitions of unequal rewards."""
        return self._core.counts()

    @property
    def name(self) -> str:
        """What the sample is called."""
        return self._core.name

    @property
    def label(self) -> str | None:
        """The class of the agent that the sample is of."""
        return self._core.label

    @property
    def notes(self) -> list[str]:
        """What was understood of the table that it was read from: which columns were taken for what, and which rows were left out."""
        return self._core.notes

    @property
    def episodes(self) -> int | None:
        """The number of episodes, if they are known."""
        return self._core.episodes

    @property
    def answers_unsampled(self) -> bool:
        """Whether a reward function answers for transitions that were not sampled."""
        return self._core.has_reward_table

    def to_frame(self) -> Any:
        """The transitions and rewards as a pandas frame, in the columns that tables have; where it is known which transitions end an
        episode, with a column ``terminated``."""
        import pandas as pd

        columns: dict[str, Any] = {}
        transitions = self.transitions
        for role, values, features in (
            ("state", transitions.states, self._core.state_features),
            ("action", transitions.actions, self._core.action_features),
            ("next_state", transitions.next_states, self._core.state_features),
        ):
            if role == "next_state" and self._core.one_step:
                continue
            if values.ndim == 1:
                columns[role] = values
            else:
                names = features or [str(k) for k in range(values.shape[1])]
                columns |= {f"{role}.{feature}": values[:, k] for k, feature in enumerate(names)}
        columns["reward"] = self.rewards
        # Without it a table of this sample could never be called the same as another.
        if not self._core.one_step and self.terminated is not None:
            columns["terminated"] = self.terminated
        return pd.DataFrame(columns)

    def to_bytes(self) -> bytes:
        """The sample as bytes, which `from_bytes` reads back. Bytes that are damaged are refused; nothing in them is executed."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> RewardSample:
        """A sample that `to_bytes` has written."""
        return cls._of(_srrd.Sample.from_bytes(data))

    def __reduce__(self) -> tuple[Callable[..., RewardSample], tuple[Any, ...]]:
        return RewardSample.from_bytes, (self.to_bytes(),)

    def __len__(self) -> int:
        return len(self._core)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RewardSample) and self._core == other._core

    def __hash__(self) -> int:
        return hash((self.name, self.label, len(self), self.rewards.tobytes()))

    def __repr__(self) -> str:
        counts = self.counts
        what = [_counted(counts["transitions"], "transition"), _counted(counts["states"], "state")]
        what.append(_counted(counts["actions"], "action"))
        what.append(f"coverage {_percent(self.coverage)}")
        if self.episodes is not None:
            what.append(_counted(self.episodes, "episode"))
        if counts["averaged"]:
            what.append(f"{counts['averaged']:,} averaged")
        named = [] if self.name in ("sample", "frame") else [repr(self.name)]
        labelled = [] if self.label is None else [f"label {self.label!r}"]
        return f"{type(self).__name__}({', '.join(named + labelled + what)})"


def from_frame(
    frame: Any,
    *,
    name: str = "frame",
    duplicates: Duplicates = "mean",
    columns: Mapping[str, str] | None = None,
    rewards: str | Sequence[str] | None = None,
    next: Next = "auto",
) -> list[RewardSample]:
    """The samples of a frame, or of a dict of arrays: one, or as many as its column ``sample`` names.

    A frame that speaks Arrow (pandas with pyarrow, polars, pyarrow, DuckDB, Hugging Face datasets) is read where it lies, without a
    copy in Python. The columns are those of tables: ``state``, ``action``, ``next_state`` (or features such as ``state.x``), ``reward``
    and, where there are any, ``sample``, ``label`` and ``episode``. Usual other names (``obs``, ``rew``, …) are recognised, and a
    warning says so. A row may also be a whole episode, whose cells hold arrays or lists with an entry per step (``observations`` one more).

    Parameters
    ----------
    columns
        Which column is which, such as ``{"state": "obs", "reward": "rew"}``.
    rewards
        The reward columns, by name or by a pattern such as ``"rewards/*"``: one sample for each, named by the column.
    next
        Where next states come from in a table without them: ``"shift"`` takes those of the row after in the episode, ``"none"`` makes it a
        one-step problem, ``"auto"`` shifts where there are both ``episode`` and ``step``.

    Examples
    --------
    >>> import srrd
    >>> log = {"prompt": ["a", "a"], "response": ["x", "y"], "old": [1.0, 2.0], "new": [1.0, 3.0]}
    >>> [sample.name for sample in srrd.from_frame(log, rewards=["old", "new"])]
    ['old', 'new']
    """
    reading = _table.reading(duplicates, columns, rewards, next)
    origin = f"the {type(frame).__name__}"
    frame = _table.in_arrow(frame)
    nested = _table.with_lists(frame)
    frame = frame if nested is None else nested
    if _table.speaks_arrow(frame):
        if hasattr(frame, "columns"):
            _table.names_of(frame)
        try:
            cores = _srrd.samples_of_arrow(frame, origin, name, reading)
        except Exception as error:
            if not _table.is_of_pyarrow(error):
                raise
            cores = None
        if cores is not None:
            return [RewardSample._of(core) for core in cores]
    wanted = [*(columns or {}).values(), *([rewards] if isinstance(rewards, str) else rewards or ())]
    cores = _srrd.samples_of_columns(_table.of_frame(frame, wanted), origin, name, reading)
    return [RewardSample._of(core) for core in cores]


def read(
    path: str | os.PathLike[str],
    *,
    duplicates: Duplicates = "mean",
    columns: Mapping[str, str] | None = None,
    rewards: str | Sequence[str] | None = None,
    next: Next = "auto",
    dataset: Mapping[str, Any] | None = None,
) -> list[RewardSample]:
    """The samples of a table in a file, in order: CSV, TSV, JSONL (also ``.gz`` and ``.zst``), Parquet, Arrow or NPZ; or of a
    recorded data set (robomimic, Minari, D4RL and others: docs/datasets.md).

    `columns`, `rewards` and `next` are as in `srrd.from_frame`. `dataset` says how recorded data sets are read, such as
    ``{"keys": ["object"], "filter": "train"}``; ``{"from": "minari"}`` which kind it is.
    """
    reading = _table.reading(duplicates, columns, rewards, next, dataset)
    return [RewardSample._of(core) for core in _srrd.read(os.fspath(path), reading)]


def _only(samples: list[RewardSample], origin: str, label: str | None) -> RewardSample:
    if len(samples) != 1:
        names = ", ".join(sample.name for sample in samples[:5]) + (", …" if len(samples) > 5 else "")
        raise ValueError(
            f"{origin}: there are {len(samples)} samples ({names}), but one is needed: take srrd.read or srrd.from_frame"
        )
    return samples[0] if label is None else samples[0].renamed(samples[0].name, label)


def _rewards(rewards: Any) -> npt.NDArray[np.float64]:
    array = _table.as_array(rewards, "rewards")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"`rewards` has {array.ndim} dimensions: give one number per transition")
    try:
        return _table.contiguous(array, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`rewards` must be numbers: {error}") from error


def _parts(episode: Any, number: int) -> tuple[Any, Any, Any, bool | None]:
    for names in (("obs", "acts", "rews"), ("observations", "actions", "rewards"), ("states", "actions", "rewards")):
        if all(hasattr(episode, name) for name in names):
            states, actions, rewards = (getattr(episode, name) for name in names)
            return states, actions, rewards, _came_to_an_end(lambda name: getattr(episode, name, None))
        if isinstance(episode, dict) and all(name in episode for name in names):
            states, actions, rewards = (episode[name] for name in names)
            return states, actions, rewards, _came_to_an_end(episode.get)
    try:
        states, actions, rewards, *rest = episode
        (terminated,) = rest or (None,)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"episode {number}: give (states, actions, rewards) or (states, actions, rewards, terminated), or an object with obs, acts "
            "and rews or with observations, actions and rewards"
        ) from error
    return states, actions, rewards, None if terminated is None else bool(terminated)


def _came_to_an_end(part: Callable[[str], Any]) -> bool | None:
    """Whether the last step of an episode ended it, by the names that libraries have for that; None where none is there."""
    for name in ("terminal", "terminated", "terminations"):
        flags = part(name)
        if flags is not None:
            flags = np.ravel(_table.as_array(flags))
            return bool(flags[-1]) if flags.size else None
    return None


def _flags(flags: Any) -> npt.NDArray[np.bool_]:
    array = np.ravel(_table.as_array(flags, "terminated"))
    if array.dtype != np.bool_ and not np.isin(array, (0, 1)).all():
        raise ValueError("`terminated` must be true or false (1 or 0) for every transition")
    return array.astype(np.bool_)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _percent(fraction: float) -> str:
    percent = 100 * fraction
    return (
        f"{percent:.1f} %"
        if percent >= 0.1 or not percent
        else f"{percent:.1g} %"
        if percent >= 1e-4
        else "under 0.0001 %"
    )
