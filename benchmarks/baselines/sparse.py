"""EPIC, DARD and SRRD with scipy.sparse: the estimators `double` (marginal, batch = all states) and `unbiased`.

The arrays of distinct transitions go in, canonical rewards in the same order come out; building the matrices is part
of what is measured. Work is done once per state wherever the formula allows it:

* the sums over a cross product of X and succ(X) need no product: R is zero outside succ, so they are row sums;
* |succ(succ(x))| and the sums over it come from one boolean product A @ A and two (or four) matrix-vector products;
* only DARD's cross term needs (A R A^T)[s, s'] on the edges, see `edge_products`.

State ids are small non-negative integers (the matrices have max + 1 rows). Choices made by timing, with scipy 1.17:
`A @ A` in float64 (its matrix-vector products then need no cast), two single products rather than one with two
columns, and one complex matrix holding sums and counts rather than two real ones.
"""

import numpy as np
import scipy.sparse as sp

from baselines.named import by_name

METRICS = ("direct", "epic", "dard", "srrd")
PATHS_AT_ONCE = 4_000_000


class Graph:
    """The sampled pairs (s, s') as sparse matrices over the state ids, with what both estimators read from them."""

    def __init__(self, states, next_states, rewards):
        self.states, self.next_states, self.rewards = states, next_states, rewards
        self.size = int(max(states.max(), next_states.max())) + 1
        shape = (self.size, self.size)
        # One conversion gives both the sum over actions (real part) and their number (imaginary part).
        self.sums_and_counts = sp.csr_array((rewards + 1j, (states, next_states)), shape=shape)
        self.successors = self.with_data(np.ones(self.sums_and_counts.nnz))
        self.degree = np.diff(self.successors.indptr).astype(float)
        self.is_initial = self.degree > 0
        self.is_subsequent = np.zeros(self.size, bool)
        self.is_subsequent[next_states] = True

    def with_data(self, data):
        """A matrix on the sampled pairs that shares their index arrays."""
        pairs = self.sums_and_counts
        matrix = sp.csr_array((data, pairs.indices, pairs.indptr), shape=pairs.shape)
        matrix.has_canonical_format = True
        return matrix

    def second_successors(self):
        """The boolean matrix of succ(succ(x)), as ones."""
        product = self.successors @ self.successors
        product.data.fill(1.0)
        return product

    def explored(self):
        """The number of explored states."""
        return np.count_nonzero(self.is_initial | self.is_subsequent)

    def combine(self, gamma, after_next, after_start, constant):
        """R(s,a,s') + gamma F(s') - G(s) - constant."""
        return self.rewards + gamma * after_next[self.next_states] - after_start[self.states] - constant


def ratio(numerator, denominator):
    """The quotient, and 0 where the denominator is 0: an empty set makes its term 0."""
    return np.divide(numerator, denominator, out=np.zeros(len(numerator)), where=denominator > 0)


def double_epic(graph, gamma):
    mean_reward = graph.sums_and_counts.data.real / graph.sums_and_counts.data.imag
    explored = graph.explored()
    rows = graph.with_data(mean_reward) @ np.ones(graph.size) / explored
    return graph.combine(gamma, rows, rows, gamma * mean_reward.sum() / explored**2)


def double_dard(graph, gamma):
    R = graph.with_data(graph.sums_and_counts.data.real / graph.sums_and_counts.data.imag)
    means = ratio(R @ np.ones(graph.size), graph.degree)
    sizes = graph.degree[graph.states] * graph.degree[graph.next_states]
    return graph.combine(gamma, means, means, gamma * ratio(edge_products(graph, R), sizes))


def double_srrd(graph, gamma):
    R = graph.with_data(graph.sums_and_counts.data.real / graph.sums_and_counts.data.imag)
    A, degree = graph.successors, graph.degree
    initial, subsequent = graph.is_initial.astype(float), graph.is_subsequent.astype(float)
    rows = R @ np.ones(graph.size)
    columns = np.bincount(R.indices, weights=R.data, minlength=graph.size)
    columns_from_s4 = subsequent @ R
    second = graph.second_successors()
    second_size = np.diff(second.indptr)
    inner_degree = A @ initial
    # Terminal states have no successors: S1 and S2 differ in size, the sums over S1 x S5 and S2 x S6 do not.
    forward = A @ rows
    count_s3, count_s4 = initial.sum(), subsequent.sum()

    after_next = ratio(rows, degree)
    after_next += gamma * ratio(forward, degree * second_size)
    after_next -= gamma * ratio(second @ columns_from_s4, count_s4 * second_size)
    after_start = ratio(R @ initial, inner_degree)
    after_start += gamma * ratio(forward, inner_degree * second_size)
    after_start -= gamma * ratio(second @ columns, count_s3 * second_size)
    return graph.combine(gamma, after_next, after_start, gamma * rows.sum() / (count_s3 * count_s4))


def row_sums_and_counts(graph):
    """The sum of rewards and the number of transitions that leave each state."""
    sums = np.bincount(graph.states, weights=graph.rewards, minlength=graph.size)
    return sums, np.bincount(graph.states, minlength=graph.size).astype(float)


def unbiased_epic(graph, gamma):
    rows = ratio(*row_sums_and_counts(graph))
    return graph.combine(gamma, rows, rows, gamma * graph.rewards.mean())


def unbiased_dard(graph, gamma):
    rows = ratio(*row_sums_and_counts(graph))
    cross = edge_products(graph, graph.sums_and_counts)
    return graph.combine(gamma, rows, rows, gamma * ratio(cross.real, cross.imag))


def unbiased_srrd(graph, gamma):
    A = graph.successors
    sums, counts = row_sums_and_counts(graph)
    columns = np.bincount(graph.next_states, weights=graph.rewards, minlength=graph.size)
    column_counts = np.bincount(graph.next_states, minlength=graph.size).astype(float)
    from_s4 = graph.is_subsequent.astype(complex) @ graph.sums_and_counts
    second = graph.second_successors()

    first_term = ratio(sums, counts)
    forward = ratio(A @ sums, A @ counts)
    into_second = ratio(second @ columns, second @ column_counts)
    from_s4_into_second = ratio(second @ from_s4.real.copy(), second @ from_s4.imag.copy())
    after_next = first_term + gamma * (forward - from_s4_into_second)
    after_start = first_term + gamma * (forward - into_second)
    return graph.combine(gamma, after_next, after_start, gamma * graph.rewards.mean())


def edge_products(graph, R):
    """(A R A^T)[s, s'] for every transition: the sum of R over succ(s) x succ(s').

    With P = A R, either the whole of P A^T is formed and read at the edges, or P is read at (s, v) for every v after
    s' and the values are summed. The first costs one multiply-add per (entry of P, predecessor of its column), the
    second one binary search per (transition, v); a search costs about two multiply-adds.
    """
    searches = int(graph.degree[graph.next_states].sum())
    if searches == 0:
        return np.zeros(len(graph.rewards), R.dtype)
    P = graph.successors @ R
    in_degree = np.bincount(graph.successors.indices, minlength=graph.size)
    multiply_adds = in_degree[P.indices].sum()
    if multiply_adds < 2 * searches:
        product = P @ graph.successors.T.tocsr()
        product.sort_indices()
        return product[graph.states, graph.next_states]
    P.sort_indices()
    return sums_over_paths(graph, P, searches)


def sums_over_paths(graph, P, searches):
    """The sum of P[s, v] over v in succ(s'), for every transition, in blocks that fit the memory."""
    total = np.zeros(len(graph.rewards), P.dtype)
    block = max(1, int(len(total) * PATHS_AT_ONCE / searches))
    for start in range(0, len(total), block):
        here = slice(start, start + block)
        after_next = graph.successors[graph.next_states[here]]
        lengths = np.diff(after_next.indptr)
        if not after_next.nnz:
            continue
        values = P[np.repeat(graph.states[here], lengths), after_next.indices]
        sums = sp.csr_array((values, after_next.indices, after_next.indptr), shape=after_next.shape)
        total[here] = sums @ np.ones(graph.size)
    return total


canonicalize = by_name(Graph, globals())
