"""Pictures of distances, on matplotlib: ``pip install 'srrd[plot]'``.

Every function draws on `ax` (a new figure by default) and returns it. Colour-blind people can tell the colours apart, and
every class has a marker of its own besides.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from ._compare import GammaEstimate, degrees_of_freedom, embed, pairwise
from ._options import MetricChoice
from ._sample import RewardSample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["embedding", "gamma_profile", "heat_map"]

#: The distance of unrelated rewards.
UNRELATED = float(np.sqrt(0.5))

#: The colours of Okabe and Ito, but for yellow, which is hard to see on white.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
#: Markers with thin arms need more room to be seen as well.
_SIZES = {"*": 110, "P": 70, "X": 60, "^": 55, "v": 55, "<": 55, ">": 55}
#: So many names are still legible beside a heat map.
_NAMES = 80
#: How high the tree is, as a part of the matrix.
_TREE = 0.16
#: How much colour is left to pairs that rest on little.
_FADED = 0.25
_UNDEFINED = "#BBBBBB"


def heat_map(
    distances: npt.ArrayLike | Sequence[RewardSample],
    names: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    ax: Axes | None = None,
    cluster: bool = True,
    *,
    freedom: npt.ArrayLike | None = None,
    enough: int = 10,
    metric: MetricChoice = "projected",
    gamma: float = 0.9,
) -> Axes:
    """The distances of all pairs, from 0 (dark) to 1 (bright), with the tree of clusters above; grey where they are undefined.

    Parameters
    ----------
    distances
        A square matrix, such as `srrd.pairwise` gives. Or samples: they are compared by `metric` and `gamma`, and their names, labels
        and degrees of freedom are taken unless given.
    names
        What the samples are called, or the samples. More than 80 are not written.
    labels
        The class of every sample, shown as a coloured strip.
    cluster
        Whether samples that are near each other are brought together (average linkage), with the tree above; otherwise they keep their
        order.
    freedom
        What every distance rests on, as `srrd.degrees_of_freedom` gives it: pairs with less than `enough` are faded.

    Examples
    --------
    >>> import srrd
    >>> ax = srrd.plot.heat_map([[0.0, 0.2, 0.7], [0.2, 0.0, 0.7], [0.7, 0.7, 0.0]], names="abc")
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['a', 'b', 'c']
    """
    samples = _samples(distances)
    if samples:
        distances = pairwise(samples, metric, gamma)
        names = samples if names is None else names
        if labels is None and any(sample.label is not None for sample in samples):
            labels = ["no label" if sample.label is None else sample.label for sample in samples]
        freedom = degrees_of_freedom(samples, metric, gamma) if freedom is None else freedom
    matrix = _square(cast(npt.ArrayLike, distances))
    size = len(matrix)
    names = _listed("names", names, size)
    classes = _listed("labels", labels, size)
    few = None if freedom is None else _square(freedom) < enough
    if few is not None and few.shape != matrix.shape:
        raise ValueError(f"freedom: there are {size} samples, but its shape is {few.shape}")
    texts = None if names is None or size > _NAMES else [_name(name) for name in names]
    if ax is None:
        side = min(max(3.2, 0.24 * size), 9.0)
        room = 0.07 * max(map(len, texts)) if texts else 0.2
        ax = _new(side + room + 1.9, side * (1 + _TREE * cluster) + room + 0.9)
    order, tree = _tree(matrix) if cluster else (np.arange(size), [])
    _cells(ax, matrix[np.ix_(order, order)], None if few is None else few[np.ix_(order, order)])
    if texts is not None:
        flat = max(map(len, texts)) <= 2
        # As large as a cell allows.
        points = min(8.0, 0.75 * 72 * ax.get_window_extent().width / ax.figure.dpi / size)
        ax.set_xticks(range(size), [texts[i] for i in order], rotation=0 if flat else 90, fontsize=points)
        ax.set_yticks(range(size), [texts[i] for i in order], fontsize=points)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{size} samples" + (", clustered" if cluster else ""))
    ax.tick_params(length=0, pad=2)
    for spine in ax.spines.values():
        spine.set_visible(False)
    handles: list[Any] = []
    if classes is not None:
        handles += _strips(ax, [classes[i] for i in order])
    if cluster and size > 1:
        _dendrogram(ax, order, tree)
    from matplotlib.patches import Patch

    if np.isnan(matrix).any():
        handles.append(Patch(color=_UNDEFINED, label="undefined"))
    if few is not None and (few & ~np.isnan(matrix))[~np.eye(size, dtype=bool)].any():
        handles.append(Patch(color="#31688e", alpha=_FADED, label=f"faded: freedom < {enough}"))
    if handles:
        # So many columns that the legend is no wider than the matrix.
        wide = 0.07 * max(len(handle.get_label()) for handle in handles) + 0.35
        columns = max(1, int(ax.get_window_extent().width / ax.figure.dpi / wide))
        ax.legend(
            handles=handles, loc="lower left", bbox_to_anchor=(0, 1.03 + _TREE * (cluster and size > 1)), ncols=columns, frameon=False,
            fontsize=8, borderaxespad=0, handlelength=1, columnspacing=1.2,
        )  # fmt: skip
    return ax


def embedding(
    distances: npt.ArrayLike,
    labels: Sequence[Any] | None = None,
    names: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The samples as points in the plane whose distances are close to the given ones (`srrd.embed`).

    Undefined distances count as 1. `labels` are the classes, with a colour and a marker each; `names` are written beside the
    points.

    Examples
    --------
    >>> import srrd
    >>> ax = srrd.plot.embedding([[0.0, 0.2, 0.7], [0.2, 0.0, 0.7], [0.7, 0.7, 0.0]], labels=["calm", "calm", "wild"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['calm', 'wild']
    """
    matrix = _square(distances)
    points = embed(np.where(np.isnan(matrix), 1.0, matrix))
    classes = _listed("labels", labels, len(matrix))
    names = _listed("names", names, len(matrix))
    if ax is None:
        ax = _new(6.0 if classes is not None else 4.8, 4.6)
    if classes is None:
        ax.scatter(points[:, 0], points[:, 1], s=36, color=_COLOURS[0], alpha=0.85, edgecolors="white", linewidths=0.6)
    else:
        for label, (colour, marker) in _class_styles(classes).items():
            of = np.array([one == label for one in classes])
            ax.scatter(
                points[of, 0], points[of, 1], s=_SIZES.get(marker, 42), color=colour, marker=marker, alpha=0.85, edgecolors="white",
                linewidths=0.6, label=str(label),
            )  # fmt: skip
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
    if names is not None:
        near = 0.03 * max(float(np.ptp(points)), 1e-9)
        for i, name in enumerate(names):
            # Names of points that all but coincide go below each other.
            below = int((np.hypot(*(points[:i] - points[i]).T) < near).sum())
            place = (5, 3 - 8 * below)
            ax.annotate(str(name), points[i], xytext=place, textcoords="offset points", fontsize=7, color="#444444")
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.set_xlabel("first coordinate")
    ax.set_ylabel("second coordinate")
    _plain(ax)
    return ax


def gamma_profile(estimate: GammaEstimate, ax: Axes | None = None) -> Axes:
    """How much of the rewards shaping leaves unexplained, by γ: the lowest point is the estimate (`srrd.estimate_gamma`).

    Examples
    --------
    >>> import numpy as np, srrd
    >>> rng = np.random.default_rng(0)
    >>> s, n, potential = rng.integers(9, size=200), rng.integers(9, size=200), rng.normal(size=9)
    >>> sample = srrd.RewardSample(s, np.zeros(200, int), n, 0.8 * potential[n] - potential[s] + rng.normal(size=200))
    >>> srrd.plot.gamma_profile(srrd.estimate_gamma(sample)).get_xlabel()
    'discount factor γ'
    """
    if ax is None:
        ax = _new(5.6, 3.4)
    ax.plot(estimate["profile_gamma"], estimate["profile_unexplained"], color=_COLOURS[0], linewidth=1.8)
    gamma, low, high = estimate["gamma"], estimate["low"], estimate["high"]
    ax.axvspan(low, high, color=_COLOURS[0], alpha=0.12, linewidth=0, label=f"95 % interval: {low:.3g} to {high:.3g}")
    ax.axvline(gamma, color=_COLOURS[1], linewidth=1.5, linestyle="--", label=f"γ = {gamma:.3g}")
    if not estimate["identified"]:
        ax.set_title("the data cannot tell γ", fontsize=10, color=_COLOURS[1])
    ax.set_xlabel("discount factor γ")
    ax.set_ylabel("share that shaping leaves")
    ax.set_xlim(float(np.min(estimate["profile_gamma"])), float(np.max(estimate["profile_gamma"])))
    ax.legend(frameon=False, fontsize=8)
    _plain(ax)
    return ax


def _new(width: float, height: float) -> Axes:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("srrd.plot needs matplotlib: pip install 'srrd[plot]'") from error
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def _plain(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)


def _square(distances: npt.ArrayLike) -> npt.NDArray[np.float64]:
    matrix = np.asarray(distances, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ValueError(
            f"the distances have the shape {matrix.shape}: they must be a square, as srrd.pairwise gives it"
        )
    return matrix


def _listed(what: str, given: Sequence[Any] | None, size: int) -> list[Any] | None:
    if given is None:
        return None
    values = list(given)
    if len(values) != size:
        raise ValueError(f"{what}: there are {size} samples, but {len(values)} {what} are given")
    return values


def _class_styles(classes: Iterable[Hashable]) -> dict[Any, tuple[str, str]]:
    """A colour and a marker for every class; seven colours and twelve markers make 84 pairs."""
    distinct = sorted(set(classes), key=lambda label: (str(type(label)), label))
    return {label: (_COLOURS[i % len(_COLOURS)], _MARKERS[i % len(_MARKERS)]) for i, label in enumerate(distinct)}


def _strips(ax: Axes, classes: list[Any]) -> list[Any]:
    """Draws the classes as strips on two sides, and returns what the legend shows."""
    from matplotlib.colors import ListedColormap
    from matplotlib.lines import Line2D

    styles = _class_styles(classes)
    numbers = {label: i for i, label in enumerate(styles)}
    strip = np.array([numbers[label] for label in classes])
    colours = ListedColormap([colour for colour, _ in styles.values()])
    limits = {"vmin": -0.5, "vmax": len(styles) - 0.5, "cmap": colours, "interpolation": "nearest"}
    size = len(classes)
    # Between the matrix and its names, in the units of the matrix.
    near, far = -0.5 - 0.01 * size, -0.5 - 0.01 * size - max(0.03 * size, 0.15)
    ax.imshow(strip[:, None], extent=(far, near, size - 0.5, -0.5), **limits)  # type: ignore[arg-type]
    ax.imshow(strip[None, :], extent=(-0.5, size - 0.5, near, far), **limits)  # type: ignore[arg-type]
    ax.set_xlim(far, size - 0.5)
    ax.set_ylim(size - 0.5, far)
    repeated = len(styles) > len(_COLOURS)
    if repeated and size <= _NAMES:
        # Colours come twice: the markers tell them apart.
        middle = (near + far) / 2
        for i, label in enumerate(classes):
            for place in ((i, middle), (middle, i)):
                ax.plot(*place, marker=styles[label][1], color="white", markersize=4.5, markeredgewidth=0)
    return [
        Line2D(
            [], [], linestyle="none", marker=marker if repeated else "s", color=colour, markersize=7, label=str(label)
        )
        for label, (colour, marker) in styles.items()
    ]


def _samples(given: Any) -> list[RewardSample]:
    """The samples, where these are given instead of distances."""
    samples = given if isinstance(given, Sequence) else ()
    return list(samples) if all(isinstance(one, RewardSample) for one in samples) else []


def _name(given: Any) -> str:
    return given.name if isinstance(given, RewardSample) else str(given)


def _cells(ax: Axes, matrix: npt.NDArray[np.float64], few: npt.NDArray[np.bool_] | None) -> None:
    """The matrix and its colour bar."""
    import matplotlib as mpl

    colours = mpl.colormaps["viridis"].with_extremes(bad=_UNDEFINED)
    alpha = None if few is None else np.where(few & ~np.eye(len(few), dtype=bool) & ~np.isnan(matrix), _FADED, 1.0)
    shown = np.ma.masked_invalid(matrix)
    image = ax.imshow(shown, cmap=colours, vmin=0, vmax=1, interpolation="nearest", aspect="equal", alpha=alpha)
    # Not of the image itself: its bar would fade as well.
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0, 1), colours)
    bar = ax.figure.colorbar(scale, ax=ax, fraction=0.046, pad=0.03, shrink=0.9)
    image.colorbar = bar
    bar.ax.set_title("distance", fontsize=9, loc="left")
    bar.set_ticks(
        [0, 0.25, 0.5, UNRELATED, 1], labels=["0  equivalent", "0.25", "0.5", "0.71  unrelated", "1  opposite"]
    )
    bar.ax.axhline(UNRELATED, color="white", linewidth=1.5)
    bar.outline.set_visible(False)


def _dendrogram(ax: Axes, order: npt.NDArray[np.intp], tree: list[tuple[int, int, float]]) -> None:
    """The tree above the matrix: branches join at the mean distance of their samples."""
    from matplotlib.collections import LineCollection

    above = ax.inset_axes((0, 1.01, 1, _TREE - 0.01))
    place = {int(leaf): (float(i), 0.0) for i, leaf in enumerate(order)}
    branches = []
    for i, j, height in tree:
        (left, low), (right, other) = place[i], place[j]
        branches.append([(left, low), (left, height), (right, height), (right, other)])
        place[i] = ((left + right) / 2, height)
    above.add_collection(LineCollection(branches, colors="#666666", linewidths=0.9))
    above.set_xlim(ax.get_xlim())
    above.set_ylim(0, max(height for _, _, height in tree) * 1.04 or 1.0)
    above.set_axis_off()


def _tree(matrix: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.intp], list[tuple[int, int, float]]]:
    """An average-linkage tree: the order of its leaves, and which two clusters join at which distance, each called as its first sample
    is. Undefined distances count as 1. O(n³), with a small factor."""
    size = len(matrix)
    near = np.where(np.isnan(matrix), 1.0, matrix)
    near = (near + near.T) / 2
    np.fill_diagonal(near, np.inf)
    groups = [[i] for i in range(size)]
    joins: list[tuple[int, int, float]] = []
    for _ in range(size - 1):
        i, j = sorted(int(k) for k in np.unravel_index(np.argmin(near), near.shape))
        joins.append((i, j, float(near[i, j])))
        one, other = len(groups[i]), len(groups[j])
        joined = (one * near[i] + other * near[j]) / (one + other)
        # Turned so that the ends that meet are near each other.
        a, b = groups[i], groups[j]
        turns = [(a, b), (a[::-1], b), (a, b[::-1]), (a[::-1], b[::-1])]
        a, b = min(turns, key=lambda turn: _gap(matrix, turn[0][-1], turn[1][0]))
        groups[i], groups[j] = a + b, []
        near[i], near[:, i] = joined, joined
        near[i, i] = np.inf
        near[j], near[:, j] = np.inf, np.inf
    return np.array(groups[0], dtype=np.intp), joins


def _gap(matrix: npt.NDArray[np.float64], i: int, j: int) -> float:
    return 1.0 if np.isnan(matrix[i, j]) else float(matrix[i, j])
