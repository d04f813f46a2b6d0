"""Groups and pictures are those of the command."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

import srrd


def columns(kind: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """States of three features, actions, next states and one of two rewards."""
    places = np.random.default_rng(3).normal(size=(12, 3))
    s, a = np.repeat(np.arange(12), 6), np.tile(np.arange(6), 12)
    n = (s + a + 1) % 12
    return places[s], a, places[n], np.sin(5.0 * s + 3.0 * a) if kind == 0 else np.cos(2.0 * s * a)


def test_groups_are_the_clearest_by_silhouette() -> None:
    rng = np.random.default_rng(0)
    for groups in (2, 3, 5):
        places = np.concatenate([rng.normal(size=(8, 2)) * 0.05 + rng.normal(size=2) for _ in range(groups)])
        distances = np.minimum(np.linalg.norm(places[:, None] - places[None], axis=-1), 1.0)
        labels = srrd.cluster(distances)
        assert labels.dtype == np.int64 and labels.min() == 1
        best = silhouette_score(distances, labels, metric="precomputed")
        for count in range(2, 12):
            other = silhouette_score(distances, srrd.cluster(distances, count), metric="precomputed")
            assert other <= best + 1e-12, (groups, count)


def test_wrong_matrices_and_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="square matrix is needed, not 2 x 3"):
        srrd.cluster(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="clusters: 3 clusters of 2 samples"):
        srrd.cluster(np.zeros((2, 2)), 3)
    with pytest.raises(ValueError, match="clusters: 'many' is neither"):
        srrd.cluster(np.zeros((2, 2)), "many")  # type: ignore[arg-type]


def test_labels_and_pictures_are_those_of_the_command(tmp_path: Path) -> None:
    samples, files = [], []
    for name, kind in (("a", 0), ("b", 1), ("c", 0)):
        states, actions, following, rewards = columns(kind)
        samples.append(srrd.RewardSample(states, actions, following, rewards, name=name))
        files.append(str(tmp_path / f"{name}.csv"))
        with open(files[-1], "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(
                [f"state.{k}" for k in range(3)] + ["action"] + [f"next_state.{k}" for k in range(3)] + ["reward"]
            )
            for row in zip(states, actions, following, rewards, strict=True):
                table.writerow([*map(float, row[0]), int(row[1]), *map(float, row[2]), float(row[3])])
    out = str(tmp_path / "d.csv")
    assert srrd.command(["matrix", *files, "-o", out, "--metric", "direct", "--clusters", "auto", "-q"]) == 0
    with open(tmp_path / "d.clusters.csv", encoding="utf-8") as file:
        written = [int(row["cluster"]) for row in csv.DictReader(file)]
    assert srrd.cluster(srrd.pairwise(samples, "direct")).tolist() == written == [1, 2, 1]
    drawn = srrd.picture(samples[0], samples[1], "direct")
    assert "main direction 1" in drawn.svg and drawn._repr_svg_() == drawn.svg
    drawn.save(tmp_path / "mine.png")
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="must end in .svg or .png"):
        drawn.save(tmp_path / "mine.pdf")


def test_nothing_to_draw_is_an_error() -> None:
    a = srrd.RewardSample([0, 1, 2], [0, 0, 0], [1, 2, 0], [1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="there is nothing to draw: the direct distance is undefined"):
        srrd.picture(a, a, "direct")
