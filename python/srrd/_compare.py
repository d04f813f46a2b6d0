"""Distances, canonical rewards, and what there is to know about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast

import numpy as np
import numpy.typing as npt

from . import _srrd
from ._numbers import number, whole
from ._options import CompareOptions, Metric, MetricChoice, MetricChoices, Options, choices
from ._result import Comparison, Evaluation, Explanation, Inspection
from ._sample import RewardSample

if TYPE_CHECKING:
    from ._progress import Progress
    from .engine import Engine


class GammaEstimate(TypedDict):
    """What samples say about the discount factor."""

    gamma: float
    low: float
    high: float
    identified: bool
    degrees_of_freedom: int
    profile_gamma: npt.NDArray[np.float64]
    profile_unexplained: npt.NDArray[np.float64]


def distance(
    a: RewardSample,
    b: RewardSample,
    metric: MetricChoice | None = None,
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[Options],
) -> float:
    """The distance of two rewards: 0 equivalent, 0.71 unrelated, 1 opposite; nan, with a warning, when it is undefined.

    Parameters
    ----------
    metric
        ``"direct"``, ``"epic"``, ``"dard"``, ``"srrd"``, ``"projected"`` or ``"npec"``; ``"auto"`` takes the one that fits the data. Unless
        it is given, ``"srrd"``, with a warning where another one fits the data better.
    gamma
        The discount factor that the rewards were made for; ``"auto"`` finds it from the samples.
    threads
        How many to use: all cores by default. Results do not depend on it.
    options
        `estimator`, `regression`, `actions`, `batch`, `seed`, `min_common`, `correlation`, `support`, `potential`: see
        `srrd.Options`.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> rng = np.random.default_rng(0)
    >>> s, a, n = (rng.integers(k, size=400) for k in (20, 4, 20))
    >>> reward, potential = rng.normal(size=(20, 4, 20)), rng.normal(size=20)
    >>> plain = srrd.RewardSample(s, a, n, reward[s, a, n])
    >>> shaped = srrd.RewardSample(s, a, n, reward[s, a, n] + 0.9 * potential[n] - potential[s])
    >>> round(srrd.distance(plain, shaped, metric="direct"), 2), srrd.distance(plain, shaped, metric="projected") < 1e-6
    (0.43, True)
    """
    return _srrd.distance(_core(a), _core(b), choices(metric, gamma, options), threads)


def compare(
    a: RewardSample,
    b: RewardSample,
    metric: MetricChoices = "all",
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison:
    """The distances of two rewards by several metrics, how sure they are, and the verdict: what ``srrd distance`` tells.

    `options` are those of `distance`, and those of `srrd.CompareOptions`: `interval` is the level of an interval, such as 0.95;
    `chance` tests whether the rewards are more alike than chance; `draws` says how many draws both make.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> states = np.arange(30)
    >>> a = srrd.RewardSample(states, states % 3, (states + 1) % 30, np.sin(states))
    >>> b = a.with_rewards(np.sin(a.transitions.states + 0.3))
    >>> result = srrd.compare(a, b, metric=["direct", "srrd"], interval=0.95)
    >>> [(r.metric, round(r.distance, 3), round(r.interval.high, 2)) for r in result.results]
    [('direct', 0.153, 0.2), ('srrd', 0.152, 0.2)]
    >>> result["results"][0]["metric"], list(result.to_frame()["metric"])
    ('direct', ['direct', 'srrd'])
    >>> srrd.compare(a, a, metric="projected", ends="none").verdict
    'unknown'
    """
    chosen = choices(metric, gamma, options, certainty=True)
    return Comparison._of(_srrd.compare(_core(a), _core(b), chosen, threads))


def canonicalize(
    sample: RewardSample,
    metric: MetricChoice = "srrd",
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[Options],
) -> npt.NDArray[np.float64]:
    """The rewards without shaping, in the order of ``sample.transitions``. `options` are those of `distance`."""
    return _srrd.canonicalize(_core(sample), choices(metric, gamma, options), threads)


def pairwise(
    samples: Sequence[RewardSample] | Sequence[str | os.PathLike[str]],
    metric: MetricChoice | None = None,
    gamma: float | Literal["auto"] = 0.9,
    *,
    undefined: float | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
    block: int | None = None,
    progress: Progress = False,
    out: str | os.PathLike[str] | None = None,
    **options: Unpack[Options],
) -> npt.NDArray[np.float64]:
    """The distances of all pairs, a square matrix, ready for scikit-learn's ``metric="precomputed"``.

    Parameters
    ----------
    samples
        Samples, or paths of files with one sample each. Files are read where the work is done: by the workers of an engine, which need to
        see them under the same paths, and not all at once.
    metric
        As for `distance`. Of files that workers read, nothing is said where another one fits the data better.
    undefined
        What stands where a distance is undefined (with 0 on the diagonal): nan unless given. 1 is the farthest. In
        `RewardKNN` an undefined distance has no vote.
    engine
        Where it is computed: here by default, or on a ``dask.distributed.Client``, any ``concurrent.futures.Executor``, or ``"ray"``
        (the Ray that this process is connected to, or one on this machine alone). The result is the same, to the last bit.
    threads
        How many to use: all cores here, one for every task on an engine. Results do not depend on it.
    block
        How many samples the side of a block has, where the matrix is computed in blocks (with any of `engine`, `progress`, `out`).
        By default so many that every worker gets several blocks, from 64 to 1024.
    progress
        True shows on standard error how far it is; a function is called with the number of blocks done and of all.
    out
        A file ``NAME.npy`` for a matrix that is larger than the memory. It is there completely or not at all; the same call goes on where
        one was killed. Returned is the matrix in the file, which is read-only.
    options
        Those of `distance`.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> s, a, n = np.arange(30), np.arange(30) % 3, (np.arange(30) + 1) % 30
    >>> samples = [srrd.RewardSample(s, a, n, np.sin(s + shift)) for shift in (0, 0.1, 3)]
    >>> srrd.pairwise(samples, "srrd").round(2)
    array([[0.  , 0.05, 1.  ],
           [0.05, 0.  , 0.99],
           [1.  , 0.99, 0.  ]])
    """
    undefined = None if undefined is None else number("undefined", undefined)
    paths = [os.fspath(sample) for sample in samples if isinstance(sample, str | os.PathLike)]
    if paths and len(paths) < len(samples):
        raise TypeError("samples: give either samples or paths, not both")
    cores: list[Any] = paths or [_core(cast(RewardSample, sample)) for sample in samples]
    if engine is None and out is None and block is None and not progress and not paths:
        return _srrd.pairwise(cores, choices(metric, gamma, options), undefined, threads)
    if out is None:
        _srrd.check_matrix(len(cores))
    from .engine import pairwise_on

    return pairwise_on(engine, cores, metric, gamma, options, undefined, threads, block, progress, out)


def cross(
    rows: Sequence[RewardSample],
    columns: Sequence[RewardSample],
    metric: MetricChoice = "srrd",
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[Options],
) -> npt.NDArray[np.float64]:
    """The distance of every row sample to every column sample; nan where undefined. `options` are those of `distance`."""
    chosen = choices(metric, gamma, options)
    return _srrd.cross([_core(row) for row in rows], [_core(column) for column in columns], chosen, threads)


def explain(
    a: RewardSample,
    b: RewardSample,
    metric: MetricChoice = "srrd",
    gamma: float | Literal["auto"] = 0.9,
    *,
    top: int = 10,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Explanation:
    """Where two rewards differ: the `top` transitions and states that carry most of the distance.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> states = np.arange(30)
    >>> a = srrd.RewardSample(states, states % 3, (states + 1) % 30, np.sin(states))
    >>> b = a.with_rewards(np.where(a.transitions.states == 7, 5.0, a.rewards))
    >>> srrd.explain(a, b, metric="direct").transitions[0].state
    7
    """
    chosen = choices(metric, gamma, options)
    return Explanation._of(_srrd.explain(_core(a), _core(b), chosen, whole("top", top), threads))


def inspect(
    *samples: RewardSample,
    metric: MetricChoices = "all",
    gamma: float | Literal["auto"] = 0.9,
    space: tuple[int, int] | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Inspection:
    """What is in samples, and how much of what every metric needs was sampled; of two samples also advice.

    `space` is the number of states and of actions of the whole world, for the coverage of it.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> rng = np.random.default_rng(0)
    >>> s, a, n = (rng.integers(k, size=300) for k in (20, 4, 20))
    >>> sample = srrd.RewardSample(s, a, n, np.sin(s * n + a))
    >>> found = srrd.inspect(sample, sample.with_rewards(2 * sample.rewards))
    >>> found.sentences[0]
    'Use metric="projected": 273 shared transitions with 253 degrees of freedom; 10 or more are enough.'
    """
    chosen = choices(metric, gamma, options)
    if space is not None:
        space = (whole("space", space[0], 1), whole("space", space[1], 1))
    return Inspection._of(_srrd.inspect([_core(sample) for sample in samples], chosen, space, threads))


def estimate_gamma(*samples: RewardSample, threads: int | None = None) -> GammaEstimate:
    """The discount factor at which shaping explains most of the rewards, with its 95 % interval and the profile."""
    return _srrd.estimate_gamma([_core(sample) for sample in samples], threads)


def evaluate(
    samples: Sequence[RewardSample],
    labels: Sequence[Any] | None = None,
    *,
    metric: Metric | Literal["all"] | Iterable[Metric] = "srrd",
    gamma: Iterable[float] = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    k: Iterable[int] = tuple(range(10, 101, 10)),
    train: float = 0.7,
    repeats: int = 200,
    shrinkage: float | None = None,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Evaluation:
    """How well agents are told apart by k-NN over their rewards: everything that ``srrd classify --json`` tells.

    Over random splits, the same share of every class in both parts; `gamma` and `k` are chosen by cross-validation within the
    training part. `labels` are those of the samples unless they are given. `shrinkage` is that of `RewardKNN`. ``overlap`` in the
    answer is what the share of common transitions alone achieves, without a look at rewards: a metric that is no better tells
    nothing about rewards.
    """
    if labels is not None:
        if len(labels) != len(samples):
            raise ValueError(f"there are {len(samples)} samples and {len(labels)} labels: give one each")
        samples = [sample.renamed(sample.name, str(label)) for sample, label in zip(samples, labels, strict=True)]
    chosen = choices(metric, None, options)
    told = _srrd.classify(
        [_core(sample) for sample in samples],
        chosen,
        [float(value) for value in gamma],
        [whole("k", value, 1) for value in k],
        train,
        whole("repeats", repeats, 1),
        shrinkage,
        threads,
    )
    return Evaluation._of(told)


def degrees_of_freedom(
    samples: Sequence[RewardSample],
    metric: MetricChoice = "projected",
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[Options],
) -> npt.NDArray[np.uintp]:
    """How much the distance of every pair rests on, a square matrix.

    For ``"projected"`` these are the degrees of freedom that shaping leaves on what two samples share: below 10 a distance is mostly
    noise. For other metrics they are the shared transitions: below 20 it is.

    Examples
    --------
    >>> import srrd
    >>> a = srrd.RewardSample([0, 1, 2, 0, 1], [0] * 5, [1, 2, 0, 2, 0], [0.0, 1.0, 0.5, 2.0, 3.0])
    >>> srrd.degrees_of_freedom([a, a])
    array([[2, 2],
           [2, 2]], dtype=uint64)
    """
    return _srrd.degrees_of_freedom([_core(sample) for sample in samples], choices(metric, gamma, options), threads)


def embed(distances: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Points in the plane whose distances are close to the given ones (classical multidimensional scaling): (samples, 2)."""
    return _srrd.embed(np.ascontiguousarray(distances, dtype=np.float64))


def _core(sample: RewardSample) -> _srrd.Sample:
    if not isinstance(sample, RewardSample):
        raise TypeError(
            f"a RewardSample is needed, not {type(sample).__name__}: make one with srrd.RewardSample(states, actions, next_states, "
            "rewards), or read one with srrd.read"
        )
    return sample._core
