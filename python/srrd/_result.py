"""What calls return: mappings with attributes that people can read, in a terminal and in a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

if TYPE_CHECKING:
    import pandas as pd

#: What the compiled part tells: values, what the command prints of them, and sentences for people.
Told = tuple[dict[str, Any], str, list[str]]

#: Characters that cannot be seen and change what stands around them: control characters and those of the direction of text.
_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Record(dict[str, Any]):
    """A dict whose entries are attributes as well: ``found["distance"]`` is ``found.distance``.

    Examples
    --------
    >>> import srrd
    >>> a = srrd.RewardSample([0, 1, 2], [0, 0, 0], [1, 2, 0], [0.0, 1.0, 0.5])
    >>> srrd.compare(a, a, metric="direct").results[0].distance
    0.0
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"{type(self).__name__} has no '{name}': it has {', '.join(map(str, self))}")

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in self if isinstance(name, str) and name.isidentifier())]


class Result(Record):
    """An answer: a mapping with what ``srrd … --json`` tells, whose entries are attributes as well.

    Printed, it reads as the command's answer does; a notebook shows it as a table.
    """

    __slots__ = ("sentences", "text")
    #: What people should know first: the verdict of `srrd.compare`, the advice of `srrd.inspect`, what `srrd.models`, `srrd.explain` and
    #: `srrd.regret` found.
    sentences: list[str]
    #: What the command prints.
    text: str

    #: Which entry is a list of rows, …
    _rows: ClassVar[str] = "results"
    #: … and which of its columns a notebook shows, where they are there; all if none is named.
    _shown: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _of(cls, told: Told) -> Self:
        values, text, sentences = told
        made = cls((name, _records(value)) for name, value in values.items())
        made.text, made.sentences = text.rstrip("\n"), sentences
        return made

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The same as plain dicts and lists, such as ``json.dumps`` writes."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def to_frame(self, of: str | None = None) -> pd.DataFrame:
        """The main list of the answer, or the list called `of`, as a pandas frame with one row per entry.

        Entries of entries become columns such as ``interval.low``; longer lists are left out (`to_dict` has them).
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'srrd[pandas]'") from error
        return pd.DataFrame([dict(_flat(row)) for row in self._table(of)])

    def _table(self, of: str | None = None) -> Sequence[Mapping[str, Any]]:
        """The rows that `to_frame` and notebooks show."""
        rows = self.get(of or self._rows)
        if isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows):
            return rows
        lists = [name for name, value in self.items() if isinstance(value, list) and value and _is_rows(value)]
        raise ValueError(
            f"there is no list '{of or self._rows}' to make a frame of: there is {', '.join(lists) or 'none'}"
        )

    def _repr_html_(self) -> str:
        rows = [dict(_flat(row)) for row in self._table()]
        there = list(dict.fromkeys(name for row in rows for name in row))
        columns = [name for name in self._shown if name in there] or there
        head, *more = [_escaped(sentence) for sentence in self.sentences] or [""]
        warnings = [_escaped(f"Warning: {warning['message']}") for warning in self.get("warnings", ())]
        parts = [f"<p><strong>{head}</strong></p>" if head else ""]
        parts += [f"<p>{sentence}</p>" for sentence in more + warnings]
        if rows:
            cells = "".join(f"<th>{_escaped(name)}</th>" for name in columns)
            body = ("".join(f"<td>{_cell(row.get(name))}</td>" for name in columns) for row in rows)
            parts += [f"<table><thead><tr>{cells}</tr></thead><tbody>", *(f"<tr>{row}</tr>" for row in body)]
            parts += ["</tbody></table>"]
        parts += [f"<details><summary>As text</summary><pre>{_escaped(self.text, lines=True)}</pre></details>"]
        return f'<div class="srrd-result">{"".join(parts)}</div>'


class Comparison(Result):
    """What `srrd.compare` tells of two rewards."""

    __slots__ = ()
    _shown = (
        "metric", "distance", "interval.low", "interval.high", "correlation", "chance.p", "degrees_of_freedom", "undefined",
    )  # fmt: skip

    #: Names and sizes of the samples.
    a: Record
    b: Record
    #: How many transitions they share.
    common: int
    gamma: float
    #: Each metric's ``distance``, ``correlation`` and what else is known of it.
    results: list[Record]
    #: The metric that fits these data; None where none does.
    advised: str | None
    #: Whether the rewards ask for the same behaviour, and why that is known or not; None without the metric projected.
    verdict: Literal["same", "different", "unknown"] | None
    reason: str | None
    #: What to know before the numbers are trusted: ``kind`` and ``message`` each.
    warnings: list[Record]
    #: What was understood of the tables that the samples were read from: ``kind`` and ``message`` each.
    notes: list[Record]
    #: What was used.
    settings: Record

    @property
    def distance(self) -> float | None:
        """The distance by the one metric that was asked for; by several, see `results`."""
        return self._only("distance")

    @property
    def correlation(self) -> float | None:
        """The correlation by the one metric that was asked for."""
        return self._only("correlation")

    def _only(self, name: str) -> float | None:
        if len(self.results) != 1:
            several = ", ".join(found.metric for found in self.results)
            raise ValueError(f"there are distances by {several}: take one of `results`, or ask for one metric=…")
        value: float | None = self.results[0][name]
        return value


class Explanation(Result):
    """What `srrd.explain` tells of where two rewards differ."""

    __slots__ = ()
    _rows = "transitions"
    _shown = ("state", "action", "next_state", "reward_a", "reward_b", "difference", "share")

    a: Record
    b: Record
    metric: str
    distance: float | None
    correlation: float | None
    #: How many transitions carry half of the squared distance.
    half: int
    #: The transitions that carry most, with the ``share`` of each.
    transitions: list[Record]
    #: The states that carry most: the share that starts and that ends there.
    states: list[Record]
    warnings: list[Record]
    #: What was understood of the tables that the samples were read from: ``kind`` and ``message`` each.
    notes: list[Record]


class Inspection(Result):
    """What `srrd.inspect` tells of samples. Of two samples, ``sentences`` are advice."""

    __slots__ = ()
    _rows = "samples"
    _shown = (
        "name", "label", "transitions", "states", "actions", "terminal_states", "rows", "repeated", "coverage", "reward.least",
        "reward.mean", "reward.largest",
    )  # fmt: skip

    #: Each sample by itself.
    samples: list[Record]
    #: How many transitions two samples share.
    common: int | None
    #: The advice on two samples as data.
    advice: Record | None
    warnings: list[Record]
    #: What was understood of the tables that the samples were read from: ``kind`` and ``message`` each.
    notes: list[Record]


class Models(Result):
    """What `srrd.models` tells of reward models, pair by pair."""

    __slots__ = ()
    _rows = "pairs"
    _shown = ("a", "b", "distance", "accuracy", "tau_b", "top1", "best_of_n.4")

    prompts: int
    responses: int
    #: The names of the models.
    models: list[str]
    pairs: list[Record]
    #: What was understood of the table, and what was left out of it: ``kind`` and ``message`` each.
    notes: list[Record]

    def _table(self, of: str | None = None) -> Sequence[Mapping[str, Any]]:
        # The lists of pairs, such as their groups, are one list with the names of the pair before each row.
        name = "groups" if of == "by" else of
        if name is None or not any(isinstance(pair.get(name), list) for pair in self.pairs):
            return super()._table(of)
        return [{"a": pair.a, "b": pair.b, **row} for pair in self.pairs for row in pair[name] or ()]


class Returns(Result):
    """What `srrd.returns` tells of whole episodes."""

    __slots__ = ()
    #: Pearson's correlation of returns, the same without shaping, and Kendall's τ_b: ``value`` and ``interval`` each.
    correlation: Record
    correlation_without_shaping: Record
    tau_b: Record
    #: For each reward, how many preferences it agrees with.
    preferences: list[Record]
    #: What was understood of the tables: ``kind`` and ``message`` each.
    notes: list[Record]

    def _table(self, of: str | None = None) -> Sequence[Mapping[str, Any]]:
        if of is not None or "tau_b" not in self:
            return super()._table(of or "preferences")
        names = ("correlation", "correlation_without_shaping", "tau_b")
        return [{"measure": name, **self[name]} for name in names]


class Regret(Result):
    """What `srrd.regret` tells of acting on the wrong reward."""

    __slots__ = ()
    #: Acting on a, judged by b: ``regret``, ``optimal``, ``earned``, ``worst``; and the other way round.
    a_under_b: Record
    b_under_a: Record
    #: What was understood of the tables that the samples were read from: ``kind`` and ``message`` each.
    notes: list[Record]

    def _table(self, of: str | None = None) -> Sequence[Mapping[str, Any]]:
        if of is not None:
            return super()._table(of)
        pairs = (("a", "b"), ("b", "a"))
        return [{"acting on": self[x], "judged by": self[y], **self[f"{x}_under_{y}"]} for x, y in pairs]


class Evaluation(Result):
    """What `srrd.evaluate` tells of how well agents are told apart."""

    __slots__ = ()
    _shown = ("metric", "accuracy.mean", "accuracy.sd", "precision.mean", "recall.mean", "f1.mean")

    results: list[Record]
    #: What the share of common transitions alone achieves.
    overlap: Record
    warnings: list[Record]
    #: What was understood of the tables that the samples were read from: ``kind`` and ``message`` each.
    notes: list[Record]


def _records(value: Any) -> Any:
    if isinstance(value, dict):
        return Record((name, _records(entry)) for name, entry in value.items())
    return [_records(entry) for entry in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def _is_rows(value: list[Any]) -> bool:
    return all(isinstance(row, Mapping) for row in value)


def _flat(row: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The entries of a row, those of its entries with their names in front. Two numbers are a range; other lists are no cells."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        elif isinstance(value, list):
            if len(value) == 2 and all(isinstance(end, int | float) for end in value):
                yield from ((f"{before}{name}.low", value[0]), (f"{before}{name}.high", value[1]))
        else:
            yield before + name, value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else _escaped(str(value))


def _escaped(text: str, lines: bool = False) -> str:
    """Text for a page: names come from files and may hold anything. What is hidden is spelled out; with `lines`, line ends stay."""

    def spelled(found: re.Match[str]) -> str:
        character = found[0]
        if lines and character == "\n":
            return character
        known = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
        return known.get(character, f"\\u{{{ord(character):x}}}")

    return html.escape(_HIDDEN.sub(spelled, text))
