"""EPIC, DARD and SRRD with dense numpy products: the estimators `double` (marginal, batch = all states) and `unbiased`.

The form for small, well-covered problems: R and the adjacency are square arrays over the state ids, so memory grows
with the square of the number of states. The arrays of distinct transitions go in, canonical rewards in the same order
come out; filling the square arrays is part of what is measured. The matrix products run on BLAS, with all its threads.
"""

import numpy as np

from baselines.named import by_name

METRICS = ("direct", "epic", "dard", "srrd")


class Square:
    """Sums of rewards, numbers of actions and adjacency of every pair of states."""

    def __init__(self, states, next_states, rewards):
        self.states, self.next_states, self.rewards = states, next_states, rewards
        self.size = int(max(states.max(), next_states.max())) + 1
        flat = states.astype(np.int64) * self.size + next_states
        shape = (self.size, self.size)
        self.sums = np.bincount(flat, weights=rewards, minlength=self.size**2).reshape(shape)
        self.counts = np.bincount(flat, minlength=self.size**2).astype(float).reshape(shape)
        self.adjacency = (self.counts > 0).astype(float)
        self.degree = self.adjacency.sum(axis=1)
        self.is_initial = (self.degree > 0).astype(float)
        self.is_subsequent = self.adjacency.any(axis=0).astype(float)

    def mean_reward(self):
        """R(x, y): the mean over the actions sampled for the pair, 0 where there are none."""
        return self.sums / np.maximum(self.counts, 1.0)

    def second_successors(self):
        """The boolean matrix of succ(succ(x)), as ones. Single precision counts exactly up to 2^24 states."""
        A = self.adjacency.astype(np.float32)
        return (A @ A > 0).astype(float)

    def on_edges(self, matrix):
        """The entries of a square array at every transition."""
        return matrix[self.states, self.next_states]

    def combine(self, gamma, after_next, after_start, constant):
        """R(s,a,s') + gamma F(s') - G(s) - constant."""
        return self.rewards + gamma * after_next[self.next_states] - after_start[self.states] - constant


def ratio(numerator, denominator):
    """The quotient, and 0 where the denominator is 0: an empty set makes its term 0."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def double_epic(square, gamma):
    explored = np.count_nonzero(square.is_initial + square.is_subsequent)
    rows = square.mean_reward().sum(axis=1) / explored
    return square.combine(gamma, rows, rows, gamma * rows.sum() / explored)


def double_dard(square, gamma):
    R, A, degree = square.mean_reward(), square.adjacency, square.degree
    means = ratio(R.sum(axis=1), degree)
    cross = square.on_edges(A @ R @ A.T)
    sizes = degree[square.states] * degree[square.next_states]
    return square.combine(gamma, means, means, gamma * ratio(cross, sizes))


def double_srrd(square, gamma):
    R, A, degree = square.mean_reward(), square.adjacency, square.degree
    rows = R.sum(axis=1)
    second = square.second_successors()
    second_size = second.sum(axis=1)
    inner_degree = A @ square.is_initial
    forward = A @ rows
    count_s3, count_s4 = square.is_initial.sum(), square.is_subsequent.sum()

    after_next = ratio(rows, degree)
    after_next += gamma * ratio(forward, degree * second_size)
    after_next -= gamma * ratio(second @ (square.is_subsequent @ R), count_s4 * second_size)
    after_start = ratio(R @ square.is_initial, inner_degree)
    after_start += gamma * ratio(forward, inner_degree * second_size)
    after_start -= gamma * ratio(second @ R.sum(axis=0), count_s3 * second_size)
    return square.combine(gamma, after_next, after_start, gamma * rows.sum() / (count_s3 * count_s4))


def unbiased_epic(square, gamma):
    rows = ratio(square.sums.sum(axis=1), square.counts.sum(axis=1))
    return square.combine(gamma, rows, rows, gamma * square.rewards.mean())


def unbiased_dard(square, gamma):
    A = square.adjacency
    rows = ratio(square.sums.sum(axis=1), square.counts.sum(axis=1))
    cross = ratio(square.on_edges(A @ square.sums @ A.T), square.on_edges(A @ square.counts @ A.T))
    return square.combine(gamma, rows, rows, gamma * cross)


def unbiased_srrd(square, gamma):
    A, S4 = square.adjacency, square.is_subsequent
    sums, counts = square.sums.sum(axis=1), square.counts.sum(axis=1)
    second = square.second_successors()

    first_term = ratio(sums, counts)
    forward = ratio(A @ sums, A @ counts)
    into_second = ratio(second @ square.sums.sum(axis=0), second @ square.counts.sum(axis=0))
    from_s4_into_second = ratio(second @ (S4 @ square.sums), second @ (S4 @ square.counts))
    after_next = first_term + gamma * (forward - from_s4_into_second)
    after_start = first_term + gamma * (forward - into_second)
    return square.combine(gamma, after_next, after_start, gamma * square.rewards.mean())


canonicalize = by_name(Square, globals())
