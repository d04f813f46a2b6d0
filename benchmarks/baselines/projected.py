"""`projected` with scipy and numpy: rewards without their least-squares projection on the space of all shaping vectors.

A has one row per transition: -1 at s and gamma at s' (gamma - 1 where they are one). The residual of rewards r is r - A x, x the
least-squares solution of A x = r. On one large sample `scipy.sparse.linalg.lsmr` finds x, for which columns are scaled to
length 1: without that it takes longer. Distances take the residual on the transitions that two samples share, some dozens: there a
dense `numpy.linalg.lstsq` is faster than anything sparse.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

# Of the largest reward: what of a residual may be rounding.
ROUNDING = 1e-10


def canonicalize(states, next_states, rewards, gamma):
    """The residual of the rewards of one sample."""
    rows, size = np.arange(len(states)), int(max(states.max(), next_states.max())) + 1
    entries = np.concatenate([np.full(len(states), -1.0), np.full(len(states), gamma)])
    places = np.concatenate([rows, rows]), np.concatenate([states, next_states])
    A = sp.csr_array((entries, places), shape=(len(states), size))
    lengths = np.sqrt(A.multiply(A).sum(axis=0))
    A = A @ sp.diags_array(1.0 / np.where(lengths > 0.0, lengths, 1.0))
    x = lsmr(A, rewards, atol=1e-14, btol=1e-14, conlim=0.0, maxiter=10_000)[0]
    return rewards - A @ x


def distances(samples, gamma, min_common=3):
    """D = sqrt((1 - rho) / 2) of the residuals of all pairs of samples (states, actions, next states, rewards) on what each pair
    shares; nan where that is too little, shaping explains everything or a residual is constant."""
    n = len(samples)
    held = [dict(zip(zip(*(ids.tolist() for ids in triples)), rewards.tolist())) for *triples, rewards in samples]
    largest = [max(map(abs, rewards_of.values())) for rewards_of in held]
    D = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i, n):
            shared = held[i].keys() & held[j].keys()
            if len(shared) >= min_common:
                pair = np.array([[held[i][triple], held[j][triple]] for triple in shared])
                D[i, j] = D[j, i] = distance(list(shared), pair, gamma, ROUNDING * np.array([largest[i], largest[j]]))
    return D


def distance(triples, pair, gamma, noise):
    """Of one pair: its rewards on the shared transitions, side by side."""
    numbers, rows = {}, np.arange(len(triples))
    ends = [[numbers.setdefault(state, len(numbers)) for state in (s, t)] for s, _, t in triples]
    A = np.zeros((len(triples), len(numbers)))
    source, target = np.array(ends).T
    A[rows, source] -= 1.0
    A[rows, target] += gamma
    x, _, rank, _ = np.linalg.lstsq(A, pair)
    if rank == len(triples):
        return np.nan
    left = pair - A @ x
    left -= left.mean(axis=0)
    squares = np.square(left).sum(axis=0)
    if np.any(squares <= len(triples) * noise**2):
        return np.nan
    rho = (left[:, 0] @ left[:, 1]) / np.sqrt(squares.prod())
    return np.sqrt((1.0 - np.clip(rho, -1.0, 1.0)) / 2.0)
