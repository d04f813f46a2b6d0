"""Makes knn.json: what scikit-learn's KNeighborsClassifier predicts from precomputed distances.

    python3 -m venv venv && venv/bin/pip install scikit-learn && venv/bin/python crates/srrd/tests/data/knn.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(11)
size, classes, train = 45, 4, 30
labels = rng.integers(0, classes, size)
points = rng.normal(size=(size, 3)) + 1.1 * np.eye(classes, 3)[labels]
distances = np.linalg.norm(points[:, None] - points[None], axis=2)
distances /= distances.max()
cases = []
for k in (1, 2, 3, 4, 5, 8, 13, 30):
    knn = KNeighborsClassifier(k, metric="precomputed").fit(distances[:train, :train], labels[:train])
    test = distances[train:, :train]
    votes = np.rint(knn.predict_proba(test) * k).astype(int)
    top = np.sort(votes, axis=1)
    # Where two classes have equally many votes, the rule for ties decides, and ours is another one.
    decided = top[:, -1] > top[:, -2]
    cases.append({"k": k, "predicted": knn.predict(test).tolist(), "decided": decided.tolist()})
out = {
    "sklearn": sklearn.__version__,
    "size": size,
    "train": train,
    "labels": labels.tolist(),
    "distances": [float(d) for d in distances.ravel()],
    "cases": cases,
}
Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
