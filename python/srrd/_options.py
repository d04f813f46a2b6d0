"""The options of comparisons and the metrics. The compiled part declares them; tests hold what is written here against it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypedDict, cast

from . import _srrd

#: The name of a metric.
Metric: TypeAlias = Literal["direct", "epic", "dard", "srrd", "projected", "npec"]
#: A metric, or the one that fits the data.
MetricChoice: TypeAlias = Metric | Literal["auto"]
#: One metric or several.
MetricChoices: TypeAlias = Metric | Literal["all", "auto"] | Iterable[Metric]
#: The reward of a transition that occurs several times.
Duplicates: TypeAlias = Literal["mean", "first", "last", "error"]
#: Where next states come from: a column, or else the rows of an episode; the row that follows; nowhere, in one-step problems.
Next: TypeAlias = Literal["auto", "shift", "none"]
#: The names of all metrics.
METRICS: tuple[Metric, ...] = tuple(cast(Metric, name) for name, _, _ in _srrd.metrics())


# The next two classes are made of the compiled part's table: `SRRD_WRITE_DOCS=1 python3 python/test.py -k options` writes
# them anew.


class Options(TypedDict, total=False):
    """What all comparisons take by keyword, beside `metric`, `gamma` and `threads`.

    estimator
        How expectations are estimated: over all pairs of two sets, unsampled ones counting 0 (double) or as predicted
        from feature columns (regressed), or over the sampled ones (unbiased)
    regression
        What predicts rewards from feature columns, for the regressed estimator; linear unless given
    actions
        How actions enter the double batch: averaged, or as pairs of state and action
    batch
        How many of the explored states (or pairs) the double batch holds; not for unbiased
    seed
        The seed of the batch and of all draws
    min_common
        How many transitions two samples must share for a distance
    correlation
        What is correlated: the values, or their ranks, which a few huge rewards cannot dominate
    support
        Where projected takes shaping out: on what a pair shares (exact), on each sample's own transitions (fast for
        many), or, with a potential of feature columns, in their space, where each reward is predicted (also where a
        pair shares too little)
    ends
        Which transitions end an episode, for projected: those marked in the table (auto, or marked where they must
        be), those into states that start nothing (sinks), or none
    potential
        What potentials projected takes shaping to be made of: a number per state, or functions of feature columns, for
        states that hardly repeat; auto takes the functions that explain most of the rewards where they were not fitted
    dynamics
        What decides where an action leads, for projected: deterministic, sampled (rewards count as means over next
        states, by how often each occurs), or a FILE with state, action, next_state and probability
    """

    estimator: Literal["double", "unbiased", "regressed"]
    regression: Literal["linear", "tree"] | None
    actions: Literal["marginal", "joint"]
    batch: int | Literal["all"]
    seed: int
    min_common: int
    correlation: Literal["pearson", "spearman"]
    support: Literal["pair", "own", "space"]
    ends: Literal["auto", "marked", "sinks", "none"]
    potential: str
    dynamics: str


class CompareOptions(Options, total=False):
    """What `srrd.compare` takes besides `Options`: how sure a distance is.

    interval
        Also give an interval that contains the true distance with this probability, such as 0.95
    chance
        Also test whether the rewards are more alike than chance would make them
    draws
        How many draws intervals and tests make
    within
        The margin of the verdict: rewards that are farther apart by projected are different
    """

    interval: float | None
    chance: bool
    draws: int
    within: float


def choices(
    metric: str | Iterable[str] | None,
    gamma: float | Literal["auto"] | None,
    options: Mapping[str, Any],
    *,
    certainty: bool = False,
) -> _srrd.Choices:
    """Options, checked as the command checks them. `certainty`: those of `CompareOptions` as well."""
    if not isinstance(metric, str) and isinstance(metric, Iterable):
        metric = tuple(metric)
    given = {"metric": metric, "gamma": gamma, **options}
    try:
        hash(tuple(given.values()))
    except TypeError:
        return _srrd.Choices(given, certainty)
    if given.get("dynamics") not in (None, "deterministic", "sampled"):
        # A file, which may be another one the next time.
        return _srrd.Choices(given, certainty)
    return _kept(certainty, tuple(given), *given.values())


# Loops over many small samples give the same options again and again. Typed: True is no seed, although it equals 1.
@functools.lru_cache(maxsize=64, typed=True)
def _kept(certainty: bool, names: tuple[str, ...], *values: Any) -> _srrd.Choices:
    return _srrd.Choices(dict(zip(names, values, strict=True)), certainty)
