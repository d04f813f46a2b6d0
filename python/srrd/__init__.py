"""Do these two reward functions ask for the same behaviour?

>>> import srrd
>>> a = srrd.RewardSample([0, 1, 2, 0], [0, 0, 0, 1], [1, 2, 0, 2], [0.0, 1.0, 0.5, 2.0])
>>> b = a.with_rewards(3 * a.rewards + 1)
>>> round(srrd.distance(a, b, metric="direct"), 9)
0.0

`RewardSample` holds transitions with rewards; `distance`, `compare`, `canonicalize`, `pairwise` compare them; `explain` and
`inspect` say where they differ and whether the data suffice; `RewardKNN` tells agents apart; `run` repeats the paper's
experiments; `models` sets reward models side by side; `record` asks several reward functions in one environment;
``srrd.testing`` checks them in tests; ``srrd.irl`` learns rewards from demonstrations and preferences; ``srrd.plot`` draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._command import command
from ._compare import (
    GammaEstimate,
    canonicalize,
    compare,
    cross,
    degrees_of_freedom,
    distance,
    embed,
    estimate_gamma,
    evaluate,
    explain,
    inspect,
    pairwise,
)
from ._exact import Tabular
from ._figures import Picture, cluster, picture
from ._models import models
from ._options import METRICS, CompareOptions, Metric, Options
from ._regret import regret
from ._result import Comparison, Evaluation, Explanation, Inspection, Models, Record, Regret, Result, Returns
from ._returns import returns
from ._sample import RewardSample, from_frame, read
from ._srrd import DataWarning, __version__
from ._transitions import Transition, Transitions

if TYPE_CHECKING:
    from . import irl as irl
    from . import plot as plot
    from ._bridges import from_gymnasium, from_imitation, from_minari, reward_net
    from ._discretize import ClusterDiscretizer, GridDiscretizer
    from ._knn import RewardKNN
    from ._record import record
    from ._run import Plan, run
    from ._simulate import simulate

#: What is imported when it is first used, with the module it is in: scikit-learn alone takes a second to import.
_LATER = {
    "ClusterDiscretizer": "_discretize",
    "GridDiscretizer": "_discretize",
    "Plan": "_run",
    "RewardKNN": "_knn",
    "from_gymnasium": "_bridges",
    "from_imitation": "_bridges",
    "from_minari": "_bridges",
    "record": "_record",
    "reward_net": "_bridges",
    "run": "_run",
    "simulate": "_simulate",
}

__all__ = [
    "METRICS",
    "ClusterDiscretizer",
    "CompareOptions",
    "Comparison",
    "DataWarning",
    "Evaluation",
    "Explanation",
    "GammaEstimate",
    "GridDiscretizer",
    "Inspection",
    "Metric",
    "Models",
    "Options",
    "Picture",
    "Plan",
    "Record",
    "Regret",
    "Result",
    "Returns",
    "RewardKNN",
    "RewardSample",
    "Tabular",
    "Transition",
    "Transitions",
    "__version__",
    "canonicalize",
    "cluster",
    "command",
    "compare",
    "cross",
    "degrees_of_freedom",
    "distance",
    "embed",
    "estimate_gamma",
    "evaluate",
    "explain",
    "from_frame",
    "from_gymnasium",
    "from_imitation",
    "from_minari",
    "inspect",
    "irl",
    "models",
    "pairwise",
    "picture",
    "plot",
    "read",
    "record",
    "regret",
    "returns",
    "reward_net",
    "run",
    "simulate",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name in ("plot", "engine", "irl", "testing"):
        return importlib.import_module(f".{name}", __name__)
    if name in _LATER:
        value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
