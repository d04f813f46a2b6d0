"""Cells of `srrd discretize` against scikit-learn: k-means within 1 % of its inertia, principal components to 1e-6."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

cluster = pytest.importorskip("sklearn.cluster")
decomposition = pytest.importorskip("sklearn.decomposition")


def blobs(rng: np.random.Generator) -> np.ndarray:
    """Twenty groups, some of which touch, in features of very different size."""
    centres = rng.normal(size=(20, 4)) * 5
    return np.asarray((centres[rng.integers(20, size=3000)] + rng.normal(size=(3000, 4))) * [1000, 1, 0.01, 1])


def walk(rng: np.random.Generator) -> np.ndarray:
    """Places along a way, as recordings have them."""
    return np.cumsum(rng.normal(size=(2000, 6)) @ rng.normal(size=(6, 6)), axis=0)


def cloud(rng: np.random.Generator) -> np.ndarray:
    """No groups at all."""
    return np.asarray(rng.normal(size=(1500, 8)))


def fitted(folder: Path, places: np.ndarray, *options: str) -> tuple[dict[str, object], np.ndarray]:
    """The saved cells of states, and the rows they were fitted on: states and next states at one spread."""
    width = places.shape[1]
    with open(folder / "walk.csv", "w", newline="") as file:
        writer = csv.writer(file)
        names = [f"{role}.{at}" for role in ("state", "next_state") for at in range(width)]
        writer.writerow([*names, "action", "reward"])
        writer.writerows([*row, 0, 1.0] for row in np.hstack([places[:-1], places[1:]]).tolist())
    saved = folder / "cells.json"
    command = [sys.executable, "-m", "srrd", "discretize", str(folder / "walk.csv"), "--save", str(saved), *options]
    subprocess.run(command, check=True, capture_output=True)
    rows = np.concatenate([places[:-1], places[1:]])
    cells: dict[str, object] = json.loads(saved.read_text())["states"]
    return cells, (rows - rows.mean(axis=0)) / rows.std(axis=0)


@pytest.mark.parametrize("kind", [blobs, walk, cloud])
def test_kmeans_finds_what_scikit_learn_finds(tmp_path: Path, kind: Callable[..., np.ndarray]) -> None:
    places = kind(np.random.default_rng(1))
    found, rows = fitted(tmp_path, places, "--cells", "20")
    centres = np.array(found["cells"]["centres"]).reshape(20, -1)  # type: ignore[index]
    inertia = ((rows[:, None] - centres) ** 2).sum(axis=2).min(axis=1).sum()
    best = cluster.KMeans(20, n_init=10, random_state=0).fit(rows).inertia_
    assert inertia <= 1.01 * best
    # Far below the best would mean that the rows are not the same.
    assert inertia >= 0.95 * best


@pytest.mark.parametrize("kind", [blobs, walk, cloud])
def test_principal_components_are_those_of_scikit_learn(tmp_path: Path, kind: Callable[..., np.ndarray]) -> None:
    found, rows = fitted(tmp_path, kind(np.random.default_rng(2)), "--cells", "2", "--pca", "3")
    components: dict[str, list[float]] = found["components"]  # type: ignore[assignment]
    pca = decomposition.PCA(3).fit(rows)
    np.testing.assert_allclose(components["variances"], pca.explained_variance_, rtol=1e-6)
    share = np.sum(components["variances"]) / components["total"]
    np.testing.assert_allclose(share, pca.explained_variance_ratio_.sum(), atol=1e-6)
    along = np.abs(np.array(components["directions"]).reshape(3, -1) @ pca.components_.T)
    np.testing.assert_allclose(along, np.eye(3), atol=1e-6)
