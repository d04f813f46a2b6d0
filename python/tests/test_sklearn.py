"""scikit-learn's conventions: the classifier, matrices of distances, discretizers."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.exceptions import NotFittedError
from sklearn.manifold import MDS
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data
from tables import agents, answer, random_sample

import srrd

pytestmark = pytest.mark.filterwarnings("ignore::srrd.DataWarning")


def labelled(seed: int = 0, sets: int = 4) -> tuple[list[srrd.RewardSample], list[str]]:
    samples = srrd.read(agents(seed, sets))
    return samples, [str(sample.label) for sample in samples]


class OfRows(srrd.RewardKNN):
    """The classifier with rows of numbers for samples: scikit-learn's checks know no other input."""

    def fit(self, X: Any, y: Any) -> OfRows:
        X, y = validate_data(self, X, y)
        super().fit(self._made(X), y)
        return self

    def _distances(self, X: Any) -> Any:
        return super()._distances(self._made(validate_data(self, X, reset=False)))

    @staticmethod
    def _made(X: Any) -> list[srrd.RewardSample]:
        count = X.shape[1] + 3
        states = np.arange(count)
        base = srrd.RewardSample(states, states * 0, (states + 1) % count, states * 0.0)
        return [base.with_rewards([*row, 0.0, 1.0, 0.3]) for row in X]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False
        return tags


def outcomes(estimator: Any) -> dict[str, set[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None)
    found: dict[str, set[str]] = {}
    for result in results:
        found.setdefault(result["status"], set()).add(result["check_name"])
    return found


#: scikit-learn runs it only where SciPy is told to take arrays of other libraries.
NOT_RUN = {"check_array_api_input"}


def test_check_estimator_knows_that_samples_are_no_rows_of_numbers() -> None:
    with pytest.warns(UserWarning, match="Can't test estimator RewardKNN"):
        results = check_estimator(srrd.RewardKNN())
    assert [result["status"] for result in results] == ["passed"]


def test_every_check_passes_on_rows_that_become_samples() -> None:
    found = outcomes(OfRows(1, metric="direct", threads=1))
    assert found.keys() <= {"passed", "skipped"}, found
    assert found.get("skipped", set()) <= NOT_RUN
    assert len(found["passed"]) > 45


def test_predictions_are_those_of_the_command() -> None:
    (train, y), (new, _) = labelled(), labelled(seed=5, sets=2)
    for metric, k in (("srrd", 5), ("direct", 1), ("epic", 7), ("projected", 4)):
        told = answer(
            "classify", agents(), "--predict", agents(5, 2), "--gamma", "0.9", "--k", k, "--metric", metric
        )["predictions"]  # fmt: skip
        knn = srrd.RewardKNN(k, metric=metric).fit(train, y)
        assert knn.predict(new).tolist() == [one["label"] for one in told]
        shares = knn.predict_proba(new)
        for row, one in zip(shares, told, strict=True):
            total = sum(one["votes"].values())
            assert dict(zip(knn.classes_, row * total, strict=True)) == pytest.approx(
                {c: one["votes"].get(c, 0) for c in knn.classes_}
            )
        distances, order = knn.kneighbors(new)
        for found, at, one in zip(distances, order, told, strict=True):
            # Who is as near as the k-th votes, too.
            assert found.tolist() == [n["distance"] for n in one["neighbours"]][:k]
            assert {train[i].name for i in at[found < found[-1]]} <= {n["sample"] for n in one["neighbours"]}


def test_the_order_of_the_training_samples_decides_nothing() -> None:
    (train, y), (new, _) = labelled(), labelled(seed=5, sets=2)
    order = np.random.default_rng(0).permutation(len(train))
    for metric in ("direct", "srrd", "projected", "overlap"):
        for k in (1, 4, 11):
            knn = srrd.RewardKNN(k, metric=metric).fit(train, y)
            other = srrd.RewardKNN(k, metric=metric).fit([train[i] for i in order], [y[i] for i in order])
            assert knn.predict(new).tolist() == other.predict(new).tolist()
            assert knn.predict_proba(new).tolist() == other.predict_proba(new).tolist()


def test_few_shared_transitions_count_less_and_overlap_counts_alone() -> None:
    (train, y), (new, _) = labelled(), labelled(seed=5, sets=2)
    plain = srrd.RewardKNN(3, metric="direct", shrinkage=0).fit(train, y)
    shrunk = srrd.RewardKNN(3, metric="direct", shrinkage=5).fit(train, y)
    assert srrd.RewardKNN(metric="direct").fit(train, y)._shrinkage() > 0
    n = len(train)
    raw, at = plain.kneighbors(new, n_neighbors=n)
    drawn, there = shrunk.kneighbors(new, n_neighbors=n)
    for i, one in enumerate(new):
        of = dict(zip(there[i].tolist(), drawn[i].tolist(), strict=True))
        for j, distance in zip(at[i].tolist(), raw[i].tolist(), strict=True):
            shared = srrd.compare(one, train[j], metric="direct")["common"]
            expected = np.sqrt((1 - (1 - 2 * distance**2) * shared / (shared + 5)) / 2)
            assert of[j] == pytest.approx(expected, nan_ok=True)
    overlap = srrd.RewardKNN(3, metric="overlap").fit(train, y)
    distances, order = overlap.kneighbors(new, n_neighbors=n)
    frames = [sample.to_frame().drop(columns="reward") for sample in [*train, *new]]
    keys = [
        set(frame.drop(columns=["sample", "label"], errors="ignore").itertuples(index=False, name=None))
        for frame in frames
    ]
    for i, (row, at) in enumerate(zip(distances, order, strict=True)):
        own = keys[n + i]
        for distance, j in zip(row, at, strict=True):
            share = len(own & keys[j]) / len(own | keys[j])
            assert distance == pytest.approx(1 - share) if share else np.isnan(distance)


def test_ties_go_to_the_nearest_and_undefined_distances_have_no_vote() -> None:
    a, b = random_sample(1), random_sample(2)
    near = a.with_rewards(a.rewards + 0.1 * b.rewards)
    knn = srrd.RewardKNN(2, metric="direct").fit([b, near], ["z", "a"])
    assert knn.predict([b, near]).tolist() == ["z", "a"]
    assert knn.predict_proba([b]).tolist() == [[0.5, 0.5]]
    elsewhere = srrd.RewardSample(["x", "y", "z"], [0, 0, 0], ["y", "z", "x"], [1.0, 2.0, 0.0])
    knn = srrd.RewardKNN(3, metric="direct").fit([elsewhere, b, near], [0, 1, 2])
    distances, order = knn.kneighbors([b])
    assert order.tolist() == [[1, 2, 0]]
    assert np.isnan(distances[0, 2])
    assert knn.predict_proba([b]).tolist() == [[0.0, 0.5, 0.5]]
    with pytest.warns(srrd.DataWarning, match="1 of 2 samples have no defined distance"):
        knn.predict([b, random_sample(1).with_rewards(np.zeros(len(b)))])
    # Without any neighbour: the most frequent class, of several the first.
    knn = srrd.RewardKNN(1, metric="direct").fit([b, near, a, elsewhere], [1, 2, 2, 1])
    with pytest.warns(srrd.DataWarning, match="the most frequent class"):
        assert knn.predict([b.with_rewards(np.zeros(len(b)))]).tolist() == [1]


def test_labels_of_any_kind_and_samples_in_any_sequence() -> None:
    samples, _ = labelled(sets=2)
    numbers = [int(str(sample.label)[-2:]) for sample in samples]
    array = np.empty(len(samples), dtype=object)
    array[:] = samples
    for X in (samples, tuple(samples), array, array[:, None]):
        knn = srrd.RewardKNN(1).fit(X, np.array(numbers))
        assert knn.predict(X).tolist() == numbers
        assert knn.score(X, numbers) == 1.0
    assert knn.classes_.tolist() == list(range(1, 11))
    assert knn.predict([]).shape == (0,)
    # Fewer training samples than neighbours: all of them vote.
    assert srrd.RewardKNN(50).fit(samples[:2], [0, 1]).predict_proba(samples[:1]).tolist() == [[0.5, 0.5]]


def test_neighbours_of_the_training_samples_leave_out_themselves() -> None:
    samples, y = labelled(sets=2)
    knn = srrd.RewardKNN(3, shrinkage=0).fit(samples, y)
    distances, order = knn.kneighbors()
    matrix = srrd.pairwise(samples)
    for i, (row, at) in enumerate(zip(distances, order, strict=True)):
        assert i not in at
        assert np.array_equal(row, matrix[i, at], equal_nan=True)
    assert knn.kneighbors(samples[:1], n_neighbors=2, return_distance=False).shape == (1, 2)


def test_parameters_clone_and_pickle() -> None:
    samples, y = labelled(sets=2)
    knn = srrd.RewardKNN(2, gamma="auto", metric="projected")
    assert clone(knn).get_params() == knn.get_params()
    assert "gamma='auto'" in repr(knn)
    knn.set_params(n_neighbors=1, gamma=0.8).fit(samples, y)
    assert knn.gamma_ == 0.8
    again = pickle.loads(pickle.dumps(knn))
    assert again.predict(samples).tolist() == knn.predict(samples).tolist()
    assert 0 <= srrd.RewardKNN(gamma="auto").fit(samples, y).gamma_ <= 1


def test_searches_pipelines_and_cross_validation() -> None:
    samples, y = labelled()
    assert cross_val_score(srrd.RewardKNN(3), samples, y, cv=2).mean() > 0.3
    array = np.empty(len(samples), dtype=object)
    array[:] = samples
    assert len(cross_val_predict(srrd.RewardKNN(3), array, y, cv=2)) == len(samples)
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    grid = GridSearchCV(srrd.RewardKNN(), {"gamma": [0.5, 0.9], "n_neighbors": [1, 3]}, cv=folds)
    search = grid.fit(samples, y)
    assert search.best_params_["gamma"] in (0.5, 0.9)
    assert search.best_estimator_.gamma_ == search.best_params_["gamma"]
    halved = FunctionTransformer(lambda X: [sample.with_rewards(sample.rewards / 2) for sample in X])
    pipeline = make_pipeline(halved, srrd.RewardKNN(1)).fit(samples, y)
    assert pipeline.score(samples, y) == 1.0


@pytest.mark.parametrize(
    ("options", "X", "y", "error", "message"),
    [
        ({"n_neighbors": 0}, [random_sample(1)], [0], ValueError, "n_neighbors: 0 is not a whole number from 1 on"),
        ({"n_neighbors": 1.5}, [random_sample(1)], [0], ValueError, "n_neighbors: 1.5"),
        ({"shrinkage": -1}, [random_sample(1)], [0], ValueError, "shrinkage: -1 is not a number from 0 on"),
        ({"metric": "srd"}, [random_sample(1)], [0], ValueError, "srd"),
        ({"gamma": 1.5}, [random_sample(1)], [0], ValueError, "1.5"),
        ({}, [random_sample(1)], None, ValueError, "requires y"),
        ({}, [random_sample(1)], [0, 1], ValueError, "inconsistent numbers of samples"),
        ({}, [random_sample(1)] * 9, np.linspace(0, 1, 9), ValueError, "Unknown label type"),
        ({}, [], [], ValueError, "nothing to learn from"),
        ({}, random_sample(1), [0], TypeError, "give a list of them"),
        ({}, [[1.0, 2.0]], [0], TypeError, "entry 0 is a list"),
        ({}, 3, [0], TypeError, "not int"),
    ],
)
def test_what_is_refused(options: Any, X: Any, y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        srrd.RewardKNN(**options).fit(X, y)


def test_an_unfitted_classifier_says_so() -> None:
    with pytest.raises(NotFittedError):
        srrd.RewardKNN().predict([random_sample(1)])
    with pytest.raises(NotFittedError):
        srrd.RewardKNN().kneighbors()


def test_matrices_go_into_whatever_takes_precomputed_distances() -> None:
    samples, y = labelled()
    distances = srrd.pairwise(samples, metric="projected", undefined=1.0)
    assert (np.diag(distances) == 0).all()
    assert (distances == distances.T).all()
    knn = KNeighborsClassifier(3, metric="precomputed").fit(distances, y)
    assert knn.score(distances, y) > 0.5
    train, test = np.arange(0, len(samples), 2), np.arange(1, len(samples), 2)
    own = srrd.RewardKNN(1, metric="projected", shrinkage=0).fit([samples[i] for i in train], np.array(y)[train])
    theirs = KNeighborsClassifier(1, metric="precomputed").fit(distances[np.ix_(train, train)], np.array(y)[train])
    agree = own.predict([samples[i] for i in test]) == theirs.predict(distances[np.ix_(test, train)])
    assert agree.mean() > 0.8
    tree = AgglomerativeClustering(10, metric="precomputed", linkage="average").fit(distances)
    assert adjusted_rand_score(y, tree.labels_) > 0.3
    sure = srrd.pairwise(samples, metric="projected", undefined=1.0, min_common=20)
    assert len(set(DBSCAN(eps=1e-6, min_samples=2, metric="precomputed").fit(sure).labels_)) > 3
    try:
        scaling = MDS(2, metric="precomputed", n_init=1, init="random", random_state=0)
        points = scaling.fit_transform(distances)
    except (TypeError, ValueError):  # scikit-learn before 1.8
        scaling = MDS(2, dissimilarity="precomputed", n_init=1, random_state=0)
        points = scaling.fit_transform(distances)
    assert points.shape == (len(samples), 2)


@pytest.mark.parametrize(
    "estimator",
    [
        srrd.GridDiscretizer(),
        srrd.GridDiscretizer(n_bins=4, strategy="quantile"),
        srrd.ClusterDiscretizer(),
        srrd.ClusterDiscretizer(n_clusters=3, scale=False),
    ],
)
def test_discretizers_pass_every_check(estimator: Any) -> None:
    found = outcomes(estimator)
    assert found.keys() <= {"passed", "skipped"}, found
    assert found.get("skipped", set()) <= NOT_RUN


def test_grids() -> None:
    X = np.random.default_rng(0).uniform(-2, 3, size=(200, 3))
    X[:, 2] = 1.0
    for strategy in ("uniform", "quantile"):
        grid = srrd.GridDiscretizer(n_bins=[4, 5, 6], strategy=strategy).fit(X)
        assert grid.n_bins_.tolist() == [4, 5, 1]
        tokens = grid.transform(X)
        assert tokens.dtype == np.int64
        assert set(tokens) <= set(range(20))
        # The middle of a cell is in it.
        assert (grid.transform(grid.inverse_transform(tokens)) == tokens).all()
        for k in range(3):
            edges = grid.edges_[k]
            place = tokens // [5, 1, 1][k] % grid.n_bins_[k] if k < 2 else tokens * 0
            assert (edges[place] <= X[:, k]).all()
            assert (X[:, k] <= edges[place + 1]).all()
    counts = np.unique(srrd.GridDiscretizer(n_bins=4, strategy="quantile").fit_transform(X[:, :1]), return_counts=True)[
        1
    ]
    assert counts.tolist() == [50, 50, 50, 50]
    bounded = srrd.GridDiscretizer(n_bins=2, bounds=(0, [1, 1, 2])).fit(X)
    assert bounded.edges_[2].tolist() == [0, 1, 2]
    # Beyond the bounds are the outermost cells.
    assert bounded.transform([[-9.0, 9.0, 0.0]]).tolist() == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bins": 0}, "whole numbers from 1 on"),
        ({"n_bins": [2]}, "there are 3 features, but 1 numbers are given"),
        ({"n_bins": 2.5}, "whole numbers"),
        ({"n_bins": 2**40}, "more cells than can be counted"),
        ({"n_bins": 2_100_000}, "more cells than can be counted"),
        ({"strategy": "kmeans"}, "is not one of 'uniform', 'quantile'"),
        ({"strategy": "quantile", "bounds": (0, 1)}, "bounds are for strategy='uniform'"),
        ({"bounds": (1, 0)}, "low at most high"),
    ],
)
def test_wrong_grids(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        srrd.GridDiscretizer(**options).fit(np.random.default_rng(0).normal(size=(9, 3)))


def test_clusters() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(3, size=300)
    X = np.array([[0, 0], [1, 1000], [2, 0]])[groups] + rng.normal(scale=[0.1, 100], size=(300, 2))
    clusters = srrd.ClusterDiscretizer(n_clusters=3).fit(X)
    assert adjusted_rand_score(groups, clusters.transform(X)) > 0.95
    assert clusters.centers_.shape == (3, 2)
    assert (clusters.inverse_transform([2, 0]) == clusters.centers_[[2, 0]]).all()
    assert (srrd.ClusterDiscretizer(n_clusters=3).fit(X).transform(X) == clusters.transform(X)).all()
    assert srrd.ClusterDiscretizer(n_clusters=9).fit(X[:4]).n_clusters_ == 4
    with pytest.raises(ValueError, match="n_clusters: 0"):
        srrd.ClusterDiscretizer(n_clusters=0).fit(X)
    with pytest.raises(ValueError, match="tokens are from 0 to 2"):
        clusters.inverse_transform([3])
    with pytest.raises(ValueError, match="tokens are integers"):
        clusters.inverse_transform([0.5])


def continuous(seed: int) -> srrd.RewardSample:
    rng = np.random.default_rng(seed)
    states = rng.uniform(size=(301, 2))
    actions = rng.normal(size=(300, 1))
    rewards = np.sin(5 * states[:-1, 0]) + states[1:, 1]
    return srrd.RewardSample(
        states[:-1], actions, states[1:], rewards, name=f"walk{seed}", label="x", state_features=["x", "y"],
        action_features=["push"],
    )  # fmt: skip


def test_samples_with_features_get_states_in_common() -> None:
    a, b = continuous(1), continuous(2)
    assert np.isnan(srrd.distance(a, b))
    for made in (srrd.GridDiscretizer(n_bins=4), srrd.ClusterDiscretizer(n_clusters=16)):
        states = made.fit_samples(a, b)
        actions = srrd.GridDiscretizer(n_bins=2, strategy="quantile").fit_samples(a, b, of="actions")
        small = [actions.discretize(states.discretize(one), of="actions") for one in (a, b)]
        assert small[0].counts["states"] == 16
        assert small[0].actions == [0, 1]
        assert (small[0].name, small[0].label) == ("walk1", "x")
        assert srrd.distance(*small) < 0.5
        # By hand.
        t = a.transitions
        again = srrd.RewardSample(
            states.transform(t.states), actions.transform(t.actions), states.transform(t.next_states), a.rewards
        )
        assert again.transitions == small[0].transitions
        np.testing.assert_allclose(again.rewards, small[0].rewards, atol=1e-12)
    only = states.discretize(a)
    assert only.to_frame().columns.tolist() == ["state", "action.push", "next_state", "reward"]


def test_one_step_samples_and_refused_ones() -> None:
    bandit = srrd.RewardSample([[0.1], [0.9], [0.95]], [0, 1, 1], None, [0.0, 1.0, 2.0])
    small = srrd.GridDiscretizer(n_bins=2).fit_samples(bandit).discretize(bandit)
    assert small.to_frame().columns.tolist() == ["state", "action", "reward"]
    assert small.rewards.tolist() == [0.0, 1.5]
    grid = srrd.GridDiscretizer()
    with pytest.raises(ValueError, match="tokens already, not features"):
        grid.fit_samples(random_sample(1))
    with pytest.raises(ValueError, match="there are no samples"):
        grid.fit_samples()
    with pytest.raises(ValueError, match="different numbers of features, 1 and 2"):
        grid.fit_samples(bandit, continuous(1))
    with pytest.raises(TypeError, match="arrays are for `fit`"):
        grid.fit_samples(np.zeros((3, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="is not one of 'states', 'actions'"):
        grid.fit_samples(bandit, of="rewards")  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        grid.discretize(bandit)
