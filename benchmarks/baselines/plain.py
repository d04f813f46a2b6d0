"""SRRD with scipy.sparse as the formula stands: a matrix a set, a product a term.

`sparse.py` computes the same values and was tuned by timing; this is what one writes first. It is here for the comparison with a
whole command. The estimator is `double` (marginal, batch = all states).
"""

import numpy as np
import scipy.sparse as sp


def canonicalize(states, actions, next_states, rewards, metric, gamma):
    """Canonical rewards of distinct transitions, in their order. `actions` only makes the transitions distinct."""
    if metric != "srrd":
        raise ValueError(f"there is no plain version of {metric}")
    size = int(max(states.max(), next_states.max())) + 1
    shape = (size, size)
    sums = sp.csr_array((rewards, (states, next_states)), shape=shape)
    counts = sp.csr_array((np.ones(len(rewards)), (states, next_states)), shape=shape)
    # Both have their entries in the same places.
    R = sp.csr_array((sums.data / counts.data, sums.indices, sums.indptr), shape=shape)
    A = sp.csr_array((np.ones(R.nnz), R.indices, R.indptr), shape=shape)
    second = A @ A
    second.data[:] = 1.0

    degree, second_size = A.sum(axis=1), second.sum(axis=1)
    initial, subsequent = (degree > 0).astype(float), (A.sum(axis=0) > 0).astype(float)
    inner_degree = A @ initial
    rows, columns = R.sum(axis=1), R.sum(axis=0)
    forward = A @ rows

    near_1, near_2 = mean(rows, degree), mean(R @ initial, inner_degree)
    cross_15, cross_26 = mean(forward, degree * second_size), mean(forward, inner_degree * second_size)
    cross_36 = mean(second @ columns, initial.sum() * second_size)
    cross_45 = mean(second @ (R.T @ subsequent), subsequent.sum() * second_size)
    cross_34 = rows.sum() / (initial.sum() * subsequent.sum())

    after_next = near_1 + gamma * (cross_15 - cross_45)
    after_start = near_2 + gamma * (cross_26 - cross_36)
    return rewards + gamma * after_next[next_states] - after_start[states] - gamma * cross_34


def mean(sums, sizes):
    """The quotients, and 0 for an empty set."""
    return np.divide(sums, sizes, out=np.zeros(len(sums)), where=sizes > 0)
