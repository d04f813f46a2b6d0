"""The self check of the baselines: against one another on random graphs, and against the golden values."""

import json

import numpy as np

from baselines import dense, literal, pairwise, projected, sparse

RELATIVE, ABSOLUTE = 1e-9, 1e-12


def agree(found, expected):
    """Whether two arrays agree to 1e-9 relative (1e-12 absolute near zero), undefined entries in the same places."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    return found.shape == expected.shape and np.allclose(found, expected, RELATIVE, ABSOLUTE, equal_nan=True)


def agree_distances(found, expected):
    """As `agree`, on rho = 1 - 2 D^2: near D = 0 the square root magnifies the rounding of rho without bound."""
    return agree(1.0 - 2.0 * np.square(found), 1.0 - 2.0 * np.square(expected))


def agree_residuals(found, expected):
    """As `agree`, to 1e-8 of the largest: what an iteration leaves of an error does not depend on the size of an entry."""
    return found.shape == expected.shape and np.abs(found - expected).max() <= 1e-8 * np.abs(expected).max()


def random_graph(rng, states, actions, transitions, self_loops=True):
    """Distinct random transitions on ids with gaps: terminal states, self-loops and parallel actions occur."""
    ids = rng.permutation(2 * states)[:states]
    initial = ids[: max(1, (3 * states) // 4)]
    triples = {(rng.choice(initial), rng.integers(actions), rng.choice(ids)) for _ in range(transitions)}
    triples = sorted((s, a, t) for s, a, t in triples if self_loops or s != t)
    return rng.permutation(np.array(triples, np.int32).reshape(-1, 3))


def graphs(rng):
    """Named arrays of transitions (s, a, s') that cover what the baselines could get wrong."""
    yield "single transition", np.array([[3, 0, 5]], np.int32)
    yield "self-loop", np.array([[2, 1, 2]], np.int32)
    yield "two actions, one edge", np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    for states, actions, transitions in ((5, 1, 8), (12, 3, 40), (30, 2, 60), (40, 4, 400), (25, 1, 2000)):
        yield f"random, {states} states", random_graph(rng, states, actions, transitions)
    islands = [random_graph(rng, 8, 2, 20, self_loops=False) + [offset, 0, offset] for offset in (0, 16, 50)]
    yield "islands", np.concatenate(islands).astype(np.int32)
    everything = np.array([(s, a, t) for s in range(9) for a in range(2) for t in range(9)], np.int32)
    yield "full coverage", everything


def check_graphs():
    """sparse.py and dense.py against literal.py."""
    rng = np.random.default_rng(7)
    for name, triples in graphs(rng):
        rewards = rng.normal(size=len(triples))
        columns = [np.ascontiguousarray(column) for column in triples.T]
        rows = [(*map(int, triple), reward) for triple, reward in zip(triples, rewards)]
        for estimator in ("double", "unbiased"):
            for metric in literal.METRICS:
                expected = literal.canonicalize(rows, metric, 0.9, estimator)
                for baseline in (sparse, dense):
                    found = baseline.canonicalize(*columns, rewards, metric, 0.9, estimator)
                    yield f"{baseline.__name__} {estimator} {metric}: {name}", agree(found, expected)


def check_edge_products():
    """Both ways of sparse.py to DARD's cross term against the dense product, whichever of them it would choose."""
    rng = np.random.default_rng(8)
    triples = random_graph(rng, 60, 3, 500)
    rewards = rng.normal(size=len(triples))
    graph = sparse.Graph(triples[:, 0].copy(), triples[:, 2].copy(), rewards)
    A, R = graph.successors.toarray(), graph.sums_and_counts.toarray()
    expected = (A @ R @ A.T)[graph.states, graph.next_states]
    chosen = sparse.edge_products(graph, graph.sums_and_counts)
    P = graph.successors @ graph.sums_and_counts
    P.sort_indices()
    by_blocks = sparse.sums_over_paths(graph, P, searches=50 * sparse.PATHS_AT_ONCE)
    yield "sparse edge products, chosen way", np.allclose(chosen, expected, RELATIVE, ABSOLUTE)
    yield "sparse edge products, over paths in blocks", np.allclose(by_blocks, expected, RELATIVE, ABSOLUTE)


def check_pairwise():
    """pairwise.py against numpy.corrcoef, with samples that share too little, are constant or are equal."""
    rng = np.random.default_rng(9)
    M = (rng.random((40, 60)) < 0.3).astype(float)
    X = rng.normal(5.0, 2.0, M.shape)
    X[3] = 4.25
    X[4] = X[5]
    M[6] = 0.0
    M[7] = M[8] = 0.0
    M[7, :2] = M[8, :3] = 1.0
    X *= M
    yield "pairwise", agree_distances(pairwise.distances(X, M), pairwise.distances_by_loop(X, M))


def check_projected():
    """projected.py: the residual is orthogonal to all shaping, and shaping leaves nothing."""
    rng = np.random.default_rng(10)
    triples = random_graph(rng, 40, 3, 300)
    states, next_states, gamma = triples[:, 0].copy(), triples[:, 2].copy(), 0.9
    potential = rng.normal(size=81)
    shaping = gamma * potential[next_states] - potential[states]
    rewards = rng.normal(size=len(triples))
    left = projected.canonicalize(states, next_states, rewards, gamma)
    gradient = gamma * np.bincount(next_states, left, 81) - np.bincount(states, left, 81)
    yield "projected, orthogonal to shaping", np.abs(gradient).max() < 1e-9
    yield "projected, shaping", np.abs(projected.canonicalize(states, next_states, shaping, gamma)).max() < 1e-9
    moved = projected.canonicalize(states, next_states, rewards + shaping, gamma)
    yield "projected, invariant", agree_residuals(moved, left)
    samples = [(states, triples[:, 1], next_states, values) for values in (rewards, rewards + shaping, -rewards)]
    D = projected.distances(samples, gamma)
    yield "projected, distances", np.allclose(D, [[0, 0, 1], [0, 0, 1], [1, 1, 0]], atol=1e-6)


def check_golden(folder):
    """literal.py, and where they apply sparse.py and dense.py, against the values worked out term by term."""
    cases = json.loads((folder / "canonical.json").read_text())["cases"]
    for case in cases:
        rows, batch = case["transitions"], case.get("batch")
        settings = case["gamma"], case["estimator"], case["actions"]
        name = f"{case['sample']} {' '.join(map(str, settings))}"
        for metric, expected in case["canonical"].items():
            found = literal.canonicalize(rows, metric, *settings, batch)
            yield f"literal {metric} golden: {name}", agree(found, expected)
            if batch is None and case["actions"] == "marginal":
                columns, rewards = as_arrays(rows)
                for baseline in (sparse, dense):
                    found = baseline.canonicalize(*columns, rewards, metric, case["gamma"], case["estimator"])
                    yield f"{baseline.__name__} {metric} golden: {name}", agree(found, expected)


def as_arrays(rows):
    """Id arrays (states, actions, next states) and rewards of rows of tokens."""
    tokens = sorted({token for s, a, t, _ in rows for token in (s, a, t)})
    number = {token: i for i, token in enumerate(tokens)}
    ids = np.array([[number[s], number[a], number[t]] for s, a, t, _ in rows], np.int32)
    return [np.ascontiguousarray(column) for column in ids.T], np.array([row[3] for row in rows])


def check_baselines(golden):
    """Run every check, print a summary and the failures; True when all passed."""
    groups = [("graphs", check_graphs()), ("edge products", check_edge_products()), ("pairwise", check_pairwise())]
    groups.append(("projected", check_projected()))
    if (golden / "canonical.json").is_file():
        groups.append(("golden", check_golden(golden)))
    else:
        print(f"golden: skipped, no canonical.json in {golden} (give its folder with --golden)")
    passed = True
    for group, results in groups:
        results = list(results)
        failed = [name for name, ok in results if not ok]
        passed = passed and not failed
        print(f"{group}: {len(results) - len(failed)} of {len(results)} agree")
        for name in failed:
            print(f"  differs: {name}")
    return passed
