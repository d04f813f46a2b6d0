"""Continuous states as tokens, so that different walks meet the same states."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ._options import Duplicates
from ._sample import RewardSample

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:  # pragma: no cover
    raise ImportError("discretizers need scikit-learn: pip install 'srrd[sklearn]'") from error

#: From so many rows on clusters are found from small batches of them.
_MANY = 20_000
#: More bins than this are not made of a feature.
_MOST = 1_000_000


class _Discretizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What discretizers share: how they take samples."""

    def fit_samples(self, *samples: RewardSample, of: Literal["states", "actions"] = "states") -> Self:
        """Fits on the states of samples, next states included, or on their actions.

        Samples can only be compared if one discretizer made the tokens of all of them: fit it on all of them together.
        """
        if not samples:
            raise ValueError("there are no samples to fit on")
        parts = [part for sample in samples for part in _features(sample, of)]
        widths = sorted({part.shape[1] for part in parts})
        if len(widths) > 1:
            raise ValueError(f"the samples have different numbers of features, {widths[0]} and {widths[-1]}")
        fitted: Self = self.fit(np.concatenate(parts))
        return fitted

    def discretize(
        self, sample: RewardSample, *, of: Literal["states", "actions"] = "states", duplicates: Duplicates = "mean"
    ) -> RewardSample:
        """The sample with tokens instead of the features of its states (or of its actions).

        Transitions that become one get the mean of their rewards (`duplicates` as in `RewardSample`). Which episode a
        transition is of, and a reward function for unsampled transitions, are lost: where they matter, `transform` arrays
        before making a sample.
        """
        tokens = [self.transform(part) for part in _features(sample, of)]
        transitions, core = sample.transitions, sample._core
        states, actions, next_states = transitions.states, transitions.actions, transitions.next_states
        state_features, action_features = core.state_features, core.action_features
        if of == "states":
            states, next_states, state_features = tokens[0], tokens[-1], None
        else:
            actions, action_features = tokens[0], None
        return RewardSample(
            states,
            actions,
            None if core.one_step else next_states,
            sample.rewards,
            name=sample.name,
            label=sample.label,
            duplicates=duplicates,
            state_features=state_features,
            action_features=action_features,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Tokens are integers, whatever the features are.
        tags.transformer_tags.preserves_dtype = []
        return tags


class GridDiscretizer(_Discretizer):
    """Cuts every feature into bins; the token of a row is the number of its cell.

    Parameters
    ----------
    n_bins
        How many bins a feature gets: one number for all, or one number per feature.
    strategy
        ``"uniform"``: bins of equal width. ``"quantile"``: bins with equally many rows.
    bounds
        Where ``"uniform"`` bins begin and end, (low, high): one number for all or one per feature: the least and the
        greatest value by default. Rows beyond them fall into the outermost bins.

    Attributes
    ----------
    edges_
        For every feature where its bins begin and end.
    n_bins_
        How many bins a feature has: a feature that never changes has one, and quantiles that coincide are merged.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> grid = srrd.GridDiscretizer(n_bins=2).fit([[0.0, 0.0], [1.0, 4.0]])
    >>> grid.transform([[0.1, 0.5], [0.1, 3.0], [0.9, 3.0]])
    array([0, 1, 3])
    >>> grid.inverse_transform([0, 3])
    array([[0.25, 1.  ],
           [0.75, 3.  ]])

    The states of two samples, with the same cells for both:

    >>> rng = np.random.default_rng(0)
    >>> walks = [rng.uniform(size=(50, 2)).cumsum(axis=0) for _ in range(2)]
    >>> a, b = (srrd.RewardSample(w[:-1], np.zeros(49, int), w[1:], w[1:].sum(axis=1)) for w in walks)
    >>> grid = srrd.GridDiscretizer(n_bins=5).fit_samples(a, b)
    >>> grid.discretize(a)
    RewardSample(17 transitions, 9 states, 1 action, coverage 21.0 %, 8 averaged)
    """

    edges_: list[npt.NDArray[np.float64]]
    n_bins_: npt.NDArray[np.intp]

    def __init__(
        self,
        n_bins: int | npt.ArrayLike = 10,
        *,
        strategy: Literal["uniform", "quantile"] = "uniform",
        bounds: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.bounds = bounds

    def fit(self, X: npt.ArrayLike, y: None = None) -> GridDiscretizer:
        """Finds the bins of every feature: X has one row per state."""
        array = validate_data(self, X, dtype=np.float64)
        width = array.shape[1]
        if self.strategy not in ("uniform", "quantile"):
            raise ValueError(f"strategy: {self.strategy!r} is not one of 'uniform', 'quantile'")
        counts = _one_each("n_bins", self.n_bins, width)
        if counts.dtype.kind not in "iu" or (counts < 1).any():
            raise ValueError(f"n_bins: {self.n_bins!r} must be whole numbers from 1 on")
        if np.log2(counts).sum() >= 63 or counts.max() > _MOST:
            raise ValueError(
                f"{width} features in so many bins make more cells than can be counted: take fewer bins, or a ClusterDiscretizer"
            )
        if self.strategy == "quantile":
            if self.bounds is not None:
                raise ValueError("bounds are for strategy='uniform': quantiles have none")
            edges = [np.unique(np.quantile(array[:, k], np.linspace(0, 1, counts[k] + 1))) for k in range(width)]
        else:
            given = (array.min(axis=0), array.max(axis=0)) if self.bounds is None else self.bounds
            low, high = (_one_each("bounds", bound, width).astype(np.float64) for bound in given)
            if not (np.isfinite(low).all() and np.isfinite(high).all() and (low <= high).all()):
                raise ValueError("bounds: (low, high) must be finite, and low at most high")
            edges = [np.linspace(low[k], high[k], counts[k] + 1 if low[k] < high[k] else 1) for k in range(width)]
        # A feature with one value has one bin, of no width.
        edges = [np.repeat(edge, 2) if len(edge) == 1 else edge for edge in edges]
        bins = np.array([len(edge) - 1 for edge in edges])
        self.edges_, self.n_bins_ = edges, bins
        return self

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The token of every row."""
        check_is_fitted(self)
        array = validate_data(self, X, dtype=np.float64, reset=False)
        tokens = np.zeros(len(array), dtype=np.int64)
        for k, edges in enumerate(self.edges_):
            # Only the edges between bins: beyond the outermost ones there is no other bin.
            tokens = tokens * self.n_bins_[k] + np.searchsorted(edges[1:-1], array[:, k], side="right")
        return tokens

    def inverse_transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The middle of the cell of every token."""
        check_is_fitted(self)
        tokens = _tokens(X, int(np.prod(self.n_bins_)))
        places = np.unravel_index(tokens, tuple(self.n_bins_))
        middles = [(edges[:-1] + edges[1:]) / 2 for edges in self.edges_]
        return np.stack([middle[place] for middle, place in zip(middles, places, strict=True)], axis=1)


class ClusterDiscretizer(_Discretizer):
    """Groups rows by k-means; the token of a row is the number of the nearest centre. For many features.

    Parameters
    ----------
    n_clusters
        How many groups (as many as there are different rows, where those are fewer).
    seed
        Of the first centres.
    scale
        Whether features are brought to the same spread first, so that none decides by its unit alone.

    Attributes
    ----------
    centers_
        The centres, in the units of the features: (clusters, features).
    n_clusters_
        How many there are.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> clusters = srrd.ClusterDiscretizer(n_clusters=2).fit([[0.0, 0.0], [0.2, 0.0], [9.0, 9.0]])
    >>> near, _, far = clusters.transform([[0.0, 0.1], [0.1, 0.1], [8.0, 8.0]])
    >>> clusters.inverse_transform([near, far])
    array([[0.1, 0. ],
           [9. , 9. ]])
    """

    centers_: npt.NDArray[np.float64]
    n_clusters_: int
    _centers: npt.NDArray[np.float64]
    _spread: npt.NDArray[np.float64]

    def __init__(self, n_clusters: int = 100, *, seed: int = 0, scale: bool = True) -> None:
        self.n_clusters = n_clusters
        self.seed = seed
        self.scale = scale

    def fit(self, X: npt.ArrayLike, y: None = None) -> ClusterDiscretizer:
        """Finds the centres: X has one row per state."""
        array = validate_data(self, X, dtype=np.float64)
        count = self.n_clusters
        if isinstance(count, bool) or not isinstance(count, Integral) or count < 1:
            raise ValueError(f"n_clusters: {count!r} is not a whole number from 1 on")
        spread = array.std(axis=0) if self.scale else np.ones(array.shape[1])
        self._spread = np.where(spread > 0, spread, 1.0)
        scaled = array / self._spread
        rows = np.unique(scaled, axis=0)
        if len(rows) <= count:
            centers = rows
        else:
            kind = MiniBatchKMeans if len(scaled) > _MANY else KMeans
            centers = kind(n_clusters=int(count), random_state=self.seed, n_init=1).fit(scaled).cluster_centers_
        self._centers = np.ascontiguousarray(centers)
        self.centers_ = self._centers * self._spread
        self.n_clusters_ = len(centers)
        return self

    def transform(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The token of every row."""
        check_is_fitted(self)
        array = validate_data(self, X, dtype=np.float64, reset=False) / self._spread
        tokens = np.empty(len(array), dtype=np.int64)
        # The square of the difference, not the faster |x|² - 2xc + |c|²: a token must not depend on which other rows are asked for.
        step = max(1, 4_000_000 // self._centers.size)
        for first in range(0, len(array), step):
            part = array[first : first + step, None, :] - self._centers
            tokens[first : first + step] = np.einsum("ijk,ijk->ij", part, part).argmin(axis=1)
        return tokens

    def inverse_transform(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The centre of every token."""
        check_is_fitted(self)
        centers: npt.NDArray[np.float64] = self.centers_[_tokens(X, self.n_clusters_)]
        return centers


def _one_each(name: str, given: Any, width: int) -> npt.NDArray[Any]:
    array = np.asarray(given)
    if array.ndim == 0:
        return np.repeat(array, width)
    if array.shape != (width,):
        raise ValueError(f"{name}: there are {width} features, but {array.size} numbers are given")
    return array


def _tokens(given: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    tokens = np.asarray(given)
    if tokens.ndim != 1 or (tokens.size and tokens.dtype.kind not in "iu"):
        raise ValueError("tokens are integers, one per row")
    if tokens.size and not (tokens.min() >= 0 and tokens.max() < count):
        raise ValueError(f"tokens are from 0 to {count - 1}, those that `transform` gives")
    return tokens.astype(np.int64)


def _features(sample: RewardSample, of: str) -> list[npt.NDArray[np.float64]]:
    """The features of states and next states, or of actions, of every transition."""
    if of not in ("states", "actions"):
        raise ValueError(f"of: {of!r} is not one of 'states', 'actions'")
    if not isinstance(sample, RewardSample):
        raise TypeError(f"a RewardSample is needed, not {type(sample).__name__}; arrays are for `fit` and `transform`")
    transitions = sample.transitions
    if of == "actions":
        parts = [transitions.actions]
    elif sample._core.one_step:
        parts = [transitions.states]
    else:
        parts = [transitions.states, transitions.next_states]
    if parts[0].ndim != 2:
        raise ValueError(
            f"the {of} of {sample.name!r} are tokens already, not features: there is nothing to discretize"
        )
    return parts
