"""The Pearson distance of all pairs of reward samples with masked matrix products in numpy.

The n samples are the rows of a dense n x T array over the T distinct transitions, with a mask of what each one holds.
Every moment over the transitions that two samples share is then a matrix product:

    n_common = M M^T,  Sx = X M^T,  Sxx = (X * X) M^T,  Sxy = X X^T,  and Sy = Sx^T, Syy = Sxx^T.
"""

import numpy as np

# A variance below this fraction of the second moment is rounding: the shared values are constant.
CONSTANT = 1e-12


def dense(sample, transition, rewards, samples, transitions):
    """The arrays X (0 where unsampled) and M (0 or 1) from rows (sample, transition, reward)."""
    X = np.zeros((samples, transitions))
    M = np.zeros((samples, transitions))
    X[sample, transition] = rewards
    M[sample, transition] = 1.0
    return X, M


def distances(X, M, min_common=3):
    """D = sqrt((1 - rho) / 2) of all pairs; nan where fewer than `min_common` are shared or a side is constant."""
    # A shift of a whole sample does not change rho; it keeps the one-pass moments accurate.
    held = np.maximum(M.sum(axis=1, keepdims=True), 1.0)
    X = (X - X.sum(axis=1, keepdims=True) / held) * M
    mask = M.astype(np.float32)
    n_common = (mask @ mask.T).astype(float)
    Sx = X @ M.T
    Sxx = (X * X) @ M.T
    Sxy = X @ X.T

    with np.errstate(invalid="ignore", divide="ignore"):
        variance = Sxx - Sx * Sx / n_common
        covariance = Sxy - Sx * Sx.T / n_common
        rho = covariance / np.sqrt(variance * variance.T)
        varies = variance > CONSTANT * Sxx
    defined = (n_common >= min_common) & varies & varies.T
    return np.where(defined, np.sqrt((1.0 - np.clip(rho, -1.0, 1.0)) / 2.0), np.nan)


def distances_by_loop(X, M, min_common=3):
    """The same, pair by pair with numpy.corrcoef on the shared entries: what `distances` is checked against."""
    n = len(X)
    D = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(n):
            shared = (M[i] > 0) & (M[j] > 0)
            x, y = X[i, shared], X[j, shared]
            if len(x) < min_common or np.ptp(x) == 0 or np.ptp(y) == 0:
                continue
            rho = np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0)
            D[i, j] = np.sqrt((1.0 - rho) / 2.0)
    return D
