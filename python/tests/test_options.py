"""Options are declared once, in the compiled part: what Python writes down of them agrees with it."""

from __future__ import annotations

import inspect
import os
import re
import textwrap
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
from tables import random_sample

import srrd
from srrd import _options, _srrd, irl

ROOT = Path(__file__).parents[2]

#: The options by their names: group, type, default, and what each is for.
TABLE = {name: rest for name, *rest in _srrd.options()}
#: Those that functions have as parameters of their own.
APART = ("metric", "gamma")


def of_groups(*groups: str) -> dict[str, list[Any]]:
    return {name: rest for name, rest in TABLE.items() if rest[0] in groups}


def without_quotes(text: str) -> str:
    return text.replace('"', "'")


def written(heading: str, about: str, groups: tuple[str, ...]) -> str:
    """A class of options as the table makes it."""
    options = {name: rest for name, rest in of_groups(*groups).items() if name not in APART}
    lines = [heading, f'    """{about}', ""]
    for name, (_, _, _, what) in options.items():
        lines += [f"    {name}", *textwrap.wrap(what, 119, initial_indent=" " * 8, subsequent_indent=" " * 8)]
    lines += ['    """', "", *(f"    {name}: {kind}" for name, (_, kind, _, _) in options.items())]
    return "\n".join(lines) + "\n\n\n"


def test_typed_options_are_those_of_the_table() -> None:
    wanted = written(
        "class Options(TypedDict, total=False):",
        "What all comparisons take by keyword, beside `metric`, `gamma` and `threads`.",
        ("canonicalize", "compare"),
    ) + written(
        "class CompareOptions(Options, total=False):",
        "What `srrd.compare` takes besides `Options`: how sure a distance is.",
        ("certainty",),
    )
    path = ROOT / "python" / "srrd" / "_options.py"
    source = path.read_text(encoding="utf-8")
    first, last = source.index("class Options("), source.index("def choices(")
    if os.environ.get("SRRD_WRITE_DOCS"):
        path.write_text(source[:first] + wanted + source[last:], encoding="utf-8")
    else:
        assert source[first:last] == wanted, "SRRD_WRITE_DOCS=1 python3 python/test.py -k options writes it anew"
        # What is installed is that, too.
        assert list(srrd.CompareOptions.__annotations__) == [
            name for name in of_groups("canonicalize", "compare", "certainty") if name not in APART
        ]


#: Functions with a choice of their own: the parameter, and a call with a value that it does not take.
WALK = {
    "sample": [0, 0],
    "episode": [0, 0],
    "state": [0, 1],
    "action": [0, 0],
    "next_state": [1, 0],
    "reward": [0.0, 1.0],
}
CHOICES: list[tuple[Any, str, Any]] = [
    (srrd.from_frame, "duplicates", lambda value: srrd.from_frame(WALK, duplicates=value)),
    (srrd.from_frame, "next", lambda value: srrd.from_frame(WALK, next=value)),
    (srrd.simulate, "model", lambda value: srrd.simulate("gridworld", model=value)),
    *(
        (function, name, lambda value, function=function, name=name: function(WALK, **{name: value}))
        for function, names in (
            (irl.maxent, ("reward", "form")),
            (irl.airl, ("write", "generator")),
            (irl.ptirl, ("objective",)),
        )
        for name in names
    ),
    (irl.preferences, "form", lambda value: irl.preferences(WALK, [(0, 0)], form=value)),
]


@pytest.mark.parametrize(("function", "name", "call"), CHOICES)
def test_choices_are_those_of_the_compiled_part(function: Any, name: str, call: Any) -> None:
    kind = get_type_hints(function)[name]
    written = [choice for choice in get_args(kind) if isinstance(choice, str)] or [
        choice for literal in get_args(kind) for choice in get_args(literal)
    ]
    with pytest.raises(ValueError, match=f"^({name}: )?'nothing' is") as error:
        call("nothing")
    # Each front end says what can be chosen in the words of the one table.
    told = re.split(r"one of |from |neither ", str(error.value), maxsplit=1)[1]
    assert re.split(r", | nor ", told.split(";")[0]) == written


def test_docstrings_name_all_choices() -> None:
    def quoted(choices: Any, *functions: Any) -> None:
        for function in functions:
            doc = inspect.getdoc(function) or ""
            assert all(f'``"{choice}"``' in doc for choice in choices), (function, choices)

    quoted(get_args(_options.Duplicates), srrd.RewardSample)
    quoted(_srrd.worlds(), srrd.simulate)
    with pytest.raises(ValueError, match="'nothing' is neither (.*) nor (.*)") as error:
        srrd.Plan("coverage", "nothing")
    quoted(str(error.value).split("neither ")[1].split(" nor "), srrd.Plan)
    actions = get_type_hints(srrd.RewardSample.with_callable)["actions"]
    assert get_args(actions) == get_args(get_type_hints(srrd.Options)["actions"])


def test_the_groups_are_known() -> None:
    assert {group for group, *_ in TABLE.values()} == {"canonicalize", "read", "compare", "certainty"}


def test_metrics_are_those_of_the_table() -> None:
    names = tuple(name for name, _, _ in _srrd.metrics())
    assert srrd.METRICS == names == get_args(srrd.Metric)
    assert all(title and about for _, title, about in _srrd.metrics())


def test_defaults_are_those_of_the_table() -> None:
    for function in (
        srrd.distance, srrd.compare, srrd.canonicalize, srrd.pairwise, srrd.cross, srrd.explain, srrd.inspect
    ):  # fmt: skip
        assert str(inspect.signature(function).parameters["gamma"].default) == TABLE["gamma"][2]
    parameters = inspect.signature(srrd.RewardKNN).parameters
    # How far few shared transitions count less is for neighbours alone.
    assert list(parameters) == [
        "n_neighbors",
        "metric",
        "shrinkage",
        *list(of_groups("canonicalize", "compare"))[1:],
        "threads",
    ]
    for name, (_, kind, default, _) in of_groups("canonicalize", "compare").items():
        parameter = parameters[name]
        # One metric only, and the table has no default for it, since some functions take all.
        assert parameter.default == "srrd" if name == "metric" else str(parameter.default) == str(default), name
        assert name == "metric" or without_quotes(str(parameter.annotation)) == without_quotes(kind), name


def test_options_that_a_function_does_not_take() -> None:
    a, b = random_sample(1), random_sample(2)
    for call in (
        lambda **options: srrd.distance(a, b, **options),
        lambda **options: srrd.pairwise([a, b], **options),
        lambda **options: srrd.pairwise([a, b], block=1, **options),
        lambda **options: srrd.canonicalize(a, **options),
    ):
        with pytest.raises(TypeError, match=r"no option 'min_comon' here: the options are metric.*min_common"):
            call(min_comon=3)
        with pytest.raises(TypeError, match=r"no option 'interval' here: only srrd\.compare takes it"):
            call(interval=0.9)
        with pytest.raises(TypeError, match="no option 'duplicates' here: give it where the samples are made"):
            call(duplicates="first")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"min_common": [3]}, TypeError, "min_common: int is needed, not list"),
        ({"min_common": 2**200}, ValueError, "min_common: .* is too large"),
        ({"min_common": 2.0}, ValueError, "min_common: '2' is not a whole number"),
        ({"gamma": object()}, TypeError, "gamma: float .* is needed, not object"),
        ({"metric": 3}, ValueError, "metric: .*3"),
        ({"chance": 1}, ValueError, "chance: '1'"),
        ({"interval": 95}, ValueError, "interval: "),
        ({"draws": 0}, ValueError, "draws: "),
    ],
)
def test_values_that_an_option_does_not_take(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        srrd.compare(random_sample(1), random_sample(2), **options)


def test_numbers_come_in_many_forms() -> None:
    a, b = random_sample(1), random_sample(2)
    wanted = srrd.distance(a, b, gamma=0.5, batch=3, seed=7)
    for gamma in (np.float64(0.5), np.float32(0.5), np.array(0.5), Fraction(1, 2)):
        assert srrd.distance(a, b, gamma=gamma, batch=np.int64(3), seed=np.array(7)) == wanted  # type: ignore[arg-type]
    # To the last bit: a number does not become a text on its way.
    gamma = np.nextafter(0.9, 1)
    assert srrd.compare(a, b, gamma=gamma)["gamma"] == gamma
    assert srrd.distance(a, b, gamma=1) == srrd.distance(a, b, gamma=1.0)


def test_none_is_the_default() -> None:
    a, b = random_sample(1), random_sample(2)
    nothing: Any = dict.fromkeys(srrd.Options.__annotations__)
    assert srrd.distance(a, b, **nothing) == srrd.distance(a, b)


def test_equal_options_are_checked_once() -> None:
    first = _options.choices("srrd", 0.9, {"seed": 1})
    assert _options.choices("srrd", 0.9, {"seed": 1}) is first
    assert _options.choices(["direct", "srrd"], 0.9, {}) is _options.choices(("direct", "srrd"), 0.9, {})
    # True equals 1, but is no seed.
    with pytest.raises(ValueError, match="seed: 'true' is not a whole number"):
        _options.choices("srrd", 0.9, {"seed": True})
    # What cannot be kept is taken all the same.
    assert _options.choices("srrd", np.array(0.9), {}).metrics == ["srrd"]  # type: ignore[arg-type]


def test_answers_tell_how_duplicates_were_merged() -> None:
    s, a, n, r = [0, 0, 1, 2], [0, 0, 0, 1], [1, 1, 2, 0], [1.0, 3.0, 5.0, 2.0]
    made = {how: srrd.RewardSample(s, a, n, r, duplicates=how) for how in ("mean", "first", "last")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for how, sample in made.items():
            found = srrd.compare(sample, sample)
            assert found["duplicates"] == found["settings"]["duplicates"] == how
            assert found["a"]["duplicates"] == how
        assert srrd.compare(made["mean"], made["first"])["duplicates"] is None


def test_answers_tell_the_kind_of_correlation_among_their_settings() -> None:
    a, b = random_sample(1), random_sample(2)
    for found in (srrd.compare(a, b, correlation="spearman"), srrd.explain(a, b, correlation="spearman")):
        assert found["settings"]["correlation"] == "spearman"
    assert isinstance(srrd.explain(a, b)["correlation"], float)
    assert "correlation" not in srrd.compare(a, b)
    assert all(isinstance(result["correlation"], float) for result in srrd.compare(a, b)["results"])


def merged(name: str) -> srrd.RewardSample:
    """A sample with two transitions that had unequal rewards."""
    s = np.array([0, 0, 1, 1, *range(2, 40)])
    rewards = np.sin(np.arange(len(s)))
    return srrd.RewardSample(s, s * 0, (s + 1) % 40, rewards, name=name, duplicates="first")


CALLS: dict[str, Any] = {
    "distance": lambda a, b: srrd.distance(a, b),
    "compare": lambda a, b: srrd.compare(a, b),
    "pairwise": lambda a, b: srrd.pairwise([a, b]),
    "pairwise in blocks": lambda a, b: srrd.pairwise([a, b], block=1),
    "cross": lambda a, b: srrd.cross([a], [b]),
    "explain": lambda a, b: srrd.explain(a, b),
    "inspect": lambda a, b: srrd.inspect(a, b),
    "RewardKNN": lambda a, b: srrd.RewardKNN().fit([a, b], [0, 1]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_averaged_duplicates_and_constant_rewards_are_warned_about_at_the_users_line(call: Any) -> None:
    a = merged("twice")
    constant = a.with_rewards(np.full(len(a), 2.5)).renamed("flat")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call(a, constant)
    said = [str(one.message) for one in told]
    assert said.count("twice: 2 transitions occurred with unequal rewards; the first was taken (duplicates)") == 1
    assert sum(text.startswith("flat: all rewards are 2.5") for text in said) == 1
    assert {one.category for one in told} == {srrd.DataWarning}
    assert {one.filename for one in told} == {__file__}


def test_a_classifier_warns_of_its_training_samples_once() -> None:
    a, b = merged("a"), merged("b")
    elsewhere = srrd.RewardSample(["x", "y", "z"], [0, 0, 0], ["y", "z", "x"], [1.0, 2.0, 0.0], name="elsewhere")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        knn = srrd.RewardKNN(1).fit([a, merged("c")], [0, 1])
    assert [str(one.message)[:2] for one in told] == ["a:", "c:"]
    for call in (knn.predict, knn.predict_proba, knn.kneighbors):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call([b, elsewhere])
        said = [str(one.message) for one in told]
        assert len(said) == 2
        assert said[0].startswith("b: 2 transitions occurred with unequal rewards")
        assert said[1].startswith("1 of 2 samples have no defined distance to any training sample")
        assert {one.filename for one in told} == {__file__}


def test_one_number_without_a_metric_says_where_another_one_fits() -> None:
    rng = np.random.default_rng(3)
    s, n = (values.ravel() for values in np.meshgrid(np.arange(12), np.arange(12)))
    a, b = (srrd.RewardSample(s, s * 0, n, rng.normal(size=len(s)), terminated=s * 0 > 0) for _ in range(2))
    for call in (lambda **how: srrd.distance(a, b, **how), lambda **how: srrd.pairwise([a, b], **how)[0, 1]):
        with pytest.warns(srrd.DataWarning, match="srrd is the default, but projected fits these data better"):
            by_default = call()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert call(metric="srrd") == by_default
            assert call(metric="auto") == call(metric="projected")
