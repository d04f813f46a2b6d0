"""Groups of samples by their distances, and where two samples differ as a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np
import numpy.typing as npt

from . import _srrd
from ._compare import _core
from ._options import choices

if TYPE_CHECKING:
    from ._options import MetricChoice, Options
    from ._sample import RewardSample

__all__ = ["Picture", "cluster", "picture"]


def cluster(distances: npt.ArrayLike, clusters: int | Literal["auto"] = "auto") -> npt.NDArray[np.int64]:
    """The group of every sample, as ``srrd matrix --clusters`` writes them: from 1 on, the largest group first.

    Parameters
    ----------
    distances
        A square matrix such as `pairwise` gives; nan, which stands for undefined, counts as 1.
    clusters
        How many groups; ``"auto"`` takes the number with the largest mean silhouette, where that reaches 0.25. Where none does, all samples
        are one group if their mean distance is at most 0.35, and else each is its own.

    Examples
    --------
    >>> import srrd
    >>> srrd.cluster([[0.0, 0.7, 0.1], [0.7, 0.0, 0.7], [0.1, 0.7, 0.0]])
    array([1, 2, 1])
    """
    matrix = np.ascontiguousarray(distances, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"distances: a square matrix is needed, not {matrix.ndim} dimensions")
    labels, _ = _srrd.cluster(matrix, str(clusters))
    return labels


class Picture:
    """A picture: shown in notebooks, and saved as SVG or PNG by the name of the file. `svg` is its text."""

    def __init__(self, svg: str, png: bytes) -> None:
        self.svg = svg
        self._png = png

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture; the name ends in .svg or .png."""
        name = Path(path)
        match name.suffix.lower():
            case ".svg":
                name.write_text(self.svg, encoding="utf-8")
            case ".png":
                name.write_bytes(self._png)
            case _:
                raise ValueError(f"{name}: the name must end in .svg or .png")

    def __repr__(self) -> str:
        return f"Picture({len(self.svg)} characters of SVG)"


def picture(
    a: RewardSample,
    b: RewardSample,
    metric: MetricChoice = "srrd",
    gamma: float | Literal["auto"] = 0.9,
    *,
    threads: int | None = None,
    **options: Unpack[Options],
) -> Picture:
    """Where two samples differ, as ``srrd explain --plot`` draws it, to the last byte.

    A grid world (features x and y, whole numbers from 0 up), a plane of two other features or of the two main directions of more, or the
    states that carry most as bars. Greys are shares of the squared distance; orange and blue are signs, orange where `a` gives more.

    Examples
    --------
    >>> import numpy as np, srrd
    >>> s = np.arange(60) % 12
    >>> n = (s + 1 + np.arange(60) // 12) % 12
    >>> a = srrd.RewardSample(s, s % 3, n, np.sin(7.0 * s * n))
    >>> b = srrd.RewardSample(s, s % 3, n, np.sin(7.0 * s * n) + (s == 4))
    >>> srrd.picture(a, b, "projected").svg[:4]
    '<svg'
    """
    return Picture(*_srrd.picture(_core(a), _core(b), choices(metric, gamma, options), threads))
