"""Agents told apart by their rewards, after scikit-learn's conventions."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _srrd
from ._options import Options, choices
from ._sample import RewardSample

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d
except ImportError as error:  # pragma: no cover
    raise ImportError("RewardKNN needs scikit-learn: pip install 'srrd[sklearn]'") from error

#: The name for the share of common transitions, which is no metric of rewards.
OVERLAP = "overlap"


class RewardKNN(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Who acted? The k nearest neighbours of reward samples vote, as in ``srrd classify``.

    X is a sequence of `RewardSample` (a list, or an array of objects) and y their classes, texts or numbers. Whoever is as near as the
    last of the k nearest votes, too; a training sample at an undefined distance has no vote. Among classes with equally many votes
    the one with the nearest neighbour wins, then the one with the smaller sum of distances, then the first. A sample without any
    defined distance gets the most frequent class. The order of the training samples decides nothing.

    Parameters
    ----------
    n_neighbors
        How many training samples vote (all of them, where there are fewer).
    metric
        That of `srrd.distance`; or ``"overlap"``: the share of common transitions, without a look at rewards. A metric that is no
        better than that tells nothing about rewards.
    shrinkage
        λ in ρ · n / (n + λ): how far correlations over few shared transitions n are drawn to 0, since few correlate by chance. (For
        `projected` n is the degrees of freedom.) None: as in ``srrd classify``.
    gamma, estimator, regression, actions, batch, seed, min_common, correlation, support, potential, ends, dynamics, threads
        Those of `srrd.distance` (see `srrd.Options`). ``gamma="auto"`` is found from the training samples, once, in `fit`.

    Attributes
    ----------
    classes_
        The classes, ascending: the columns of `predict_proba`.
    samples_
        The training samples.
    gamma_
        The discount factor that is used.
    n_samples_fit_
        How many training samples there are.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> states = np.arange(40)
    >>> def agent(pace):
    ...     return srrd.RewardSample(states, states % 3, (7 * states + 1) % 40, np.sin(pace * states))
    >>> train = [agent(1.0), agent(1.01), agent(3.0), agent(3.01)]
    >>> knn = srrd.RewardKNN(n_neighbors=1).fit(train, ["calm", "calm", "wild", "wild"])
    >>> knn.predict([agent(3.005), agent(1.005)])
    array(['wild', 'calm'], dtype='<U4')
    """

    classes_: npt.NDArray[Any]
    samples_: list[RewardSample]
    gamma_: float
    n_samples_fit_: int

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        metric: str = "srrd",
        shrinkage: float | None = None,
        gamma: float | Literal["auto"] = 0.9,
        estimator: Literal["double", "unbiased", "regressed"] = "double",
        regression: Literal["linear", "tree"] | None = None,
        actions: Literal["marginal", "joint"] = "marginal",
        batch: int | Literal["all"] = "all",
        seed: int = 0,
        min_common: int = 3,
        correlation: Literal["pearson", "spearman"] = "pearson",
        support: Literal["pair", "own", "space"] = "pair",
        ends: Literal["auto", "marked", "sinks", "none"] = "auto",
        potential: str = "tabular",
        dynamics: str = "deterministic",
        threads: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.shrinkage = shrinkage
        self.gamma = gamma
        self.estimator = estimator
        self.regression = regression
        self.actions = actions
        self.batch = batch
        self.seed = seed
        self.min_common = min_common
        self.correlation = correlation
        self.support = support
        self.ends = ends
        self.potential = potential
        self.dynamics = dynamics
        self.threads = threads

    def fit(self, X: Sequence[RewardSample], y: npt.ArrayLike) -> RewardKNN:
        """Takes labelled samples."""
        _count(self.n_neighbors)
        if y is None:
            raise ValueError(
                "RewardKNN requires y to be passed, but the target y is None: give the class of every sample"
            )
        samples = _samples(X)
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        check_consistent_length(samples, labels)
        if not samples:
            raise ValueError("there are 0 samples: there is nothing to learn from")
        # Wrong options and samples are refused now, not when the first sample is predicted.
        self._shrinkage()
        self.gamma_ = _srrd.settle([sample._core for sample in samples], self._choices(self.gamma), self.threads)
        self.classes_, self._classes = np.unique(labels, return_inverse=True)
        self.samples_ = samples
        self.n_samples_fit_ = len(samples)
        return self

    def predict(self, X: Sequence[RewardSample]) -> npt.NDArray[Any]:
        """The class of every sample."""
        votes, nearest, sums = self._votes(X)
        # Most votes win, then the nearest neighbour, then the smaller sum; the order is stable: then the first class.
        best = np.lexsort((sums, nearest, -votes), axis=1)[:, 0] if len(votes) else np.zeros(0, dtype=np.intp)
        winners: npt.NDArray[Any] = self.classes_[best]
        return winners

    def predict_proba(self, X: Sequence[RewardSample]) -> npt.NDArray[np.float64]:
        """The share of the votes that every class has: (samples, classes). Ties are not broken here, as they are in `predict`.

        Where nobody has a vote: the share of the training samples that every class has.
        """
        votes, _, _ = self._votes(X)
        shares: npt.NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def kneighbors(
        self,
        X: Sequence[RewardSample] | None = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """The nearest training samples of every sample: (distances, indices), or the indices alone; nearest first.

        Distances are those that decide who votes, with `shrinkage`. Undefined ones, which have no vote, come last and are nan. Without
        `X`, the neighbours of the training samples themselves, of which none is its own.
        """
        check_is_fitted(self)
        count = _count(self.n_neighbors if n_neighbors is None else n_neighbors)
        distances = self._cross(self.samples_) if X is None else self._distances(X)
        ranked = np.where(np.isnan(distances), np.inf, distances)
        if X is None:
            # Behind all others, undefined ones included, and then cut off.
            count = min(count, self.n_samples_fit_ - 1)
            own = np.eye(self.n_samples_fit_, dtype=bool)
            order = np.lexsort((ranked, own), axis=1)[:, :count]
        else:
            order = np.argsort(ranked, axis=1, kind="stable")[:, :count]
        if not return_distance:
            return order
        return np.take_along_axis(distances, order, axis=1), order

    def _distances(self, X: Sequence[RewardSample]) -> npt.NDArray[np.float64]:
        samples = _samples(X)
        # `fit` has warned about the training samples.
        _srrd.settle([sample._core for sample in samples], self._choices(self.gamma_), self.threads)
        distances = self._cross(samples)
        lost = int(np.isnan(distances).all(axis=1).sum())
        if lost:
            _srrd.warn(
                f"{lost} of {len(samples)} samples have no defined distance to any training sample: the most frequent class is "
                "predicted for them, which says nothing about them"
            )
        return distances

    def _votes(
        self, X: Sequence[RewardSample]
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """The votes of every class, the distance of its nearest neighbour, and the sum of the distances of its neighbours."""
        check_is_fitted(self)
        count = min(_count(self.n_neighbors), self.n_samples_fit_)
        distances = self._distances(X)
        distances = np.where(np.isnan(distances), np.inf, distances)
        order = np.argsort(distances, axis=1, kind="stable")
        distances = np.take_along_axis(distances, order, axis=1)
        votes = (distances <= distances[:, count - 1 : count]) & np.isfinite(distances)
        classes = self._classes[order]
        shape = (len(distances), len(self.classes_))
        counts, nearest, sums = np.zeros(shape, dtype=np.intp), np.zeros(shape), np.zeros(shape)
        for number in range(len(self.classes_)):
            mine = votes & (classes == number)
            counts[:, number] = mine.sum(axis=1)
            nearest[:, number] = np.where(mine, distances, np.inf).min(axis=1)
            # One after the other, nearest first, as the command adds: sums that tie there tie here.
            sums[:, number] = np.cumsum(np.where(mine, distances, 0.0), axis=1)[:, -1]
        lost = ~votes.any(axis=1)
        counts[lost] = np.bincount(self._classes, minlength=len(self.classes_))
        return counts, nearest, sums

    def _cross(self, samples: list[RewardSample]) -> npt.NDArray[np.float64]:
        """The distances of samples to the training samples."""
        rows, columns = ([sample._core for sample in group] for group in (samples, self.samples_))
        chosen = self._choices(self.gamma_)
        if self.metric == OVERLAP:
            return _srrd.overlap_distances(rows, columns, chosen, self.threads)
        return _srrd.neighbour_distances(rows, columns, chosen, self._shrinkage(), self.threads)

    def _shrinkage(self) -> float:
        if self.shrinkage is None:
            return _srrd.default_shrinkage()
        if isinstance(self.shrinkage, bool) or not isinstance(self.shrinkage, Real) or not 0 <= self.shrinkage < np.inf:
            raise ValueError(f"shrinkage: {self.shrinkage!r} is not a number from 0 on")
        return float(self.shrinkage)

    def _choices(self, gamma: float | Literal["auto"]) -> _srrd.Choices:
        # The parameters of this class are named as they are.
        options = {name: getattr(self, name) for name in Options.__annotations__}
        return choices("direct" if self.metric == OVERLAP else self.metric, gamma, options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Samples are neither rows of numbers nor of texts.
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags


def _count(n_neighbors: Any) -> int:
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, Integral) or n_neighbors < 1:
        raise ValueError(f"n_neighbors: {n_neighbors!r} is not a whole number from 1 on")
    return int(n_neighbors)


def _samples(X: Any) -> list[RewardSample]:
    if isinstance(X, RewardSample):
        raise TypeError("X is one RewardSample: give a list of them")
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1:
        X = X[:, 0]
    try:
        samples = list(X)
    except TypeError as error:
        raise TypeError(f"X must be a sequence of RewardSample, not {type(X).__name__}") from error
    for row, sample in enumerate(samples):
        if not isinstance(sample, RewardSample):
            raise TypeError(
                f"X must be a sequence of RewardSample, but entry {row} is a {type(sample).__name__}: make samples with "
                "srrd.RewardSample, or read them with srrd.read"
            )
    return samples
