"""Pictures: what is in them. How they look was looked at."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tables import ENVIRONMENT, random_sample

import srrd
from srrd import plot

NEAR = np.array([[0.0, 0.9, 0.1, 0.9], [0.9, 0.0, 0.8, 0.1], [0.1, 0.8, 0.0, 0.9], [0.9, 0.1, 0.9, 0.0]])


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def texts(labels: Any) -> list[str]:
    return [label.get_text() for label in labels]


def drawn(ax: Any) -> Any:
    ax.figure.canvas.draw()
    return ax


def test_heat_maps_bring_near_samples_together() -> None:
    ax = drawn(plot.heat_map(NEAR, names="abcd", labels=["x", "y", "x", "y"]))
    order = "".join(texts(ax.get_yticklabels()))
    assert order in ("acbd", "acdb", "cabd", "cadb", "bdac", "bdca", "dbac", "dbca")
    assert texts(ax.get_legend().get_texts()) == ["x", "y"]
    image = ax.images[0]
    assert image.get_clim() == (0, 1)
    at = ["abcd".index(name) for name in order]
    assert (image.get_array() == NEAR[np.ix_(at, at)]).all()
    kept = drawn(plot.heat_map(NEAR, cluster=False))
    assert (kept.images[0].get_array() == NEAR).all()
    assert kept.get_xlabel() == "4 samples"
    bar = ax.figure.axes[1]
    assert "0.71  unrelated" in texts(bar.get_yticklabels())


def test_heat_maps_show_what_is_undefined_and_draw_where_they_are_told() -> None:
    holes = NEAR.copy()
    holes[0, 1] = holes[1, 0] = np.nan
    _, ax = plt.subplots()
    assert drawn(plot.heat_map(holes, ax=ax)) is ax
    assert texts(ax.get_legend().get_texts()) == ["undefined"]
    assert ax.images[0].get_array().mask.sum() == 2
    # Many samples of many classes, some of them with a colour twice.
    size = 24
    matrix = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / size
    drawn(plot.heat_map(matrix, labels=[i % 12 for i in range(size)], names=[f"sample {i}" for i in range(size)]))
    drawn(plot.heat_map(np.zeros((1, 1))))


def test_heat_maps_have_a_tree_whose_branches_join_at_mean_distances() -> None:
    ax = drawn(plot.heat_map(NEAR))
    (tree,) = ax.child_axes
    (branches,) = tree.collections
    tops = [max(y for _, y in path.vertices) for path in branches.get_paths()]
    assert tops == pytest.approx([0.1, 0.1, 0.875])
    assert tree.get_xlim() == ax.get_xlim()
    assert not drawn(plot.heat_map(NEAR, cluster=False)).child_axes


def test_heat_maps_fade_pairs_that_rest_on_little() -> None:
    freedom = np.full((4, 4), 30)
    freedom[0, 1] = freedom[1, 0] = 9
    ax = drawn(plot.heat_map(NEAR, freedom=freedom, cluster=False))
    alpha = np.asarray(ax.images[0].get_alpha())
    assert (alpha < 1).sum() == 2 and alpha[0, 1] == alpha[1, 0] < 1
    assert texts(ax.get_legend().get_texts()) == ["faded: freedom < 10"]
    with pytest.raises(ValueError, match="freedom: there are 4 samples"):
        plot.heat_map(NEAR, freedom=freedom[:3, :3])


def test_heat_maps_of_samples_know_names_labels_and_freedom() -> None:
    samples = [random_sample(i, name=f"reward {i}", label="xy"[i % 2]) for i in range(3)]
    part = samples[0].transitions
    few = srrd.RewardSample(
        part.states[:18], part.actions[:18], part.next_states[:18], np.arange(18.0) % 5, name="few", label="x"
    )
    ax = drawn(plot.heat_map([*samples, few]))
    assert set(texts(ax.get_yticklabels())) == {"reward 0", "reward 1", "reward 2", "few"}
    legend = texts(ax.get_legend().get_texts())
    assert legend[:2] == ["x", "y"] and legend[-1] == "faded: freedom < 10"
    distances = srrd.pairwise(samples, "projected")
    shown = drawn(plot.heat_map(samples, cluster=False)).images[0].get_array()
    assert np.asarray(shown).tolist() == distances.tolist()
    # Fifty reward functions still have their names.
    names = [f"reward function {i}" for i in range(50)]
    ax = drawn(plot.heat_map(np.abs(np.subtract.outer(np.arange(50), np.arange(50))) / 50.0, names=names))
    assert sorted(texts(ax.get_yticklabels())) == sorted(names)


def test_degrees_of_freedom_are_those_of_each_comparison() -> None:
    samples = [random_sample(1), random_sample(2, rows=40), random_sample(3, rows=14)]
    freedom = srrd.degrees_of_freedom(samples, ends="none")
    shared = srrd.degrees_of_freedom(samples, "srrd")
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            found = srrd.compare(a, b, "projected", ends="none")
            assert (freedom[i, j], shared[i, j]) == (found.results[0].degrees_of_freedom, found.common)


def test_the_order_is_that_of_a_line() -> None:
    place = np.random.default_rng(0).permutation(12)
    ordered = place[plot._tree(np.abs(np.subtract.outer(place, place)) / 12.0)[0]]
    # Each neighbour on the line is near in the order.
    assert np.abs(np.diff(ordered)).mean() < 2


def test_embeddings() -> None:
    ax = drawn(plot.embedding(NEAR, labels=[1, 2, 1, 2], names="abcd"))
    assert texts(ax.get_legend().get_texts()) == ["1", "2"]
    assert {text.get_text() for text in ax.texts} == set("abcd")
    points = np.concatenate([part.get_offsets() for part in ax.collections])
    np.testing.assert_allclose(points, srrd.embed(NEAR)[[0, 2, 1, 3]])
    holes = NEAR.copy()
    holes[0, 1] = holes[1, 0] = np.nan
    assert np.isfinite(drawn(plot.embedding(holes)).collections[0].get_offsets()).all()


def test_gamma_profiles() -> None:
    estimate = srrd.estimate_gamma(random_sample(1))
    ax = drawn(plot.gamma_profile(estimate))
    assert (ax.lines[0].get_ydata() == estimate["profile_unexplained"]).all()
    assert any(text.startswith("γ = ") for text in texts(ax.get_legend().get_texts()))
    assert bool(ax.get_title()) != estimate["identified"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot.heat_map(np.zeros((2, 3))), "must be a square"),
        (lambda: plot.heat_map(np.zeros((0, 0))), "must be a square"),
        (lambda: plot.heat_map(NEAR, names="ab"), "names: there are 4 samples, but 2 names are given"),
        (lambda: plot.embedding(NEAR, labels=[1]), "labels: there are 4 samples"),
    ],
)
def test_wrong_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_without_matplotlib_the_message_says_what_to_install() -> None:
    script = "import sys; sys.modules['matplotlib'] = None\nimport srrd\nsrrd.plot.embedding([[0.0, 1.0], [1.0, 0.0]])"
    ran = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, env=ENVIRONMENT)
    assert "pip install 'srrd[plot]'" in ran.stderr
