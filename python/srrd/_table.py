"""Arrays and frames as the columns that the compiled part reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from . import _srrd
from ._options import Next

#: The names of columns that mean something: those of the roles, and others that are taken for them.
_NAMES = frozenset(name for role, aliases in _srrd.roles() for name in (role, *aliases))


def reading(
    duplicates: str,
    columns: Mapping[str, str] | None = None,
    rewards: str | Sequence[str] | None = None,
    next: Next = "auto",
    dataset: Mapping[str, Any] | None = None,
) -> _srrd.Reading:
    """How a table becomes samples, checked as the command checks it."""
    if rewards is None:
        rewards = ()
    elif isinstance(rewards, str):
        rewards = (rewards,)
    said = [(name, value if isinstance(value, str) else _listed(value)) for name, value in (dataset or {}).items()]
    return _srrd.Reading(duplicates, list((columns or {}).items()), list(rewards), next, said)


def _listed(value: Any) -> str:
    """A value of an option as the command has it: lists with commas."""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def as_array(values: Any, name: str | None = None) -> np.ndarray:
    """`values` as an array: torch tensors (also those with gradients), series of pandas and polars, lists; `name` is for messages."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    if isinstance(values, np.ndarray):
        return _plain(values, name)
    if hasattr(values, "to_numpy"):
        return _plain(np.asarray(values.to_numpy()), name)
    if isinstance(values, (list, tuple)) and any(isinstance(value, str) for value in values[:1]):
        # NumPy would make texts of fixed width of it, in which zeros at the end are lost.
        return np.asarray(values, dtype=object)
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(
            "the entries have different lengths: give numbers, texts, or feature tuples of one length"
        ) from error


def _plain(array: np.ndarray, name: str | None) -> np.ndarray:
    """An array of numbers, texts or objects; others would lose what they mean."""
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            raise ValueError(f"{_called(name)} has masked entries: fill them in, or leave their rows out")
        return np.asarray(array.data)
    if array.dtype.kind in "MmcV":
        of = "" if name is None else f"`{name}`: "
        raise TypeError(f"{of}entries of type {array.dtype} are neither numbers nor texts: convert them first")
    return array


def _called(name: str | None) -> str:
    return "the array" if name is None else f"`{name}`"


def contiguous(array: Any, dtype: Any = None) -> np.ndarray:
    """The array in one piece, and aligned, as the compiled part takes it; a copy only where it is not."""
    return np.require(array, dtype, ["C_CONTIGUOUS", "ALIGNED"])


def column(name: str, values: Any) -> Any:
    """One column in the form the compiled part takes."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"`{name}` has {array.ndim} dimensions: a column has one")
    kind = array.dtype.kind
    if kind == "b":
        return contiguous(array)
    if kind in "iu":
        if kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
            raise ValueError(f"`{name}` holds integers beyond 2**63 - 1: give them as texts")
        return contiguous(array, dtype=np.int64)
    if kind == "f":
        return contiguous(array, dtype=np.float64)
    if kind == "U" and array.size and array.dtype.itemsize:
        points = contiguous(array, dtype=array.dtype.newbyteorder("=")).view(np.uint32)
        return points.reshape(len(array), -1)
    if kind == "O" and name == "reward":
        try:
            return contiguous(array, dtype=np.float64)
        except (TypeError, ValueError):
            pass
    return [_text(name, row, value) for row, value in enumerate(array.tolist())]


def _text(name: str, row: int, value: Any) -> str | None:
    """A token as text: texts of digits are the integers they name, so that 3 and "3" are one state."""
    if isinstance(value, str):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 9e15 else repr(value)
    raise TypeError(
        f"row {row + 1}, column `{name}`: {value!r} is neither a number nor a text; give features as a 2-D array"
    )


def role(name: str, values: Any, features: Sequence[str] | None = None) -> dict[str, Any]:
    """The columns of a role: one of tokens, or one per feature where `values` has two dimensions."""
    array = as_array(values, name)
    if array.dtype.kind == "O" and array.ndim == 1 and len(array) and isinstance(array[0], (tuple, list, np.ndarray)):
        array = as_array([tuple(value) for value in array])
    if array.ndim <= 1:
        if features is not None:
            raise ValueError(f"`{name}` has no features to name: give a 2-D array, one row per transition")
        return {name: column(name, np.atleast_1d(array) if array.ndim == 0 else array)}
    # Images and other boxes are features, too, once they are flat.
    flat = array.reshape(len(array), -1)
    if flat.dtype.kind not in "biuf":
        raise ValueError(f"`{name}`: features must be numbers")
    count = flat.shape[1]
    if features is None:
        # Names are sorted as texts, so they need the same number of digits.
        features = [str(k).zfill(len(str(count - 1))) for k in range(count)]
    elif len(features) != count:
        raise ValueError(f"`{name}` has {count} features, but {len(features)} names are given")
    return {f"{name}.{feature}": contiguous(flat[:, k], dtype=np.float64) for k, feature in enumerate(features)}


def speaks_arrow(frame: Any) -> bool:
    """Whether a frame hands out its memory by Arrow's C interface."""
    return hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")


def in_arrow(frame: Any) -> Any:
    """The frame, or what speaks Arrow in its place where it does not by itself; other frames stay as they are."""
    if speaks_arrow(frame):
        return _without_what_arrow_lacks(frame)
    if hasattr(frame, "collect"):
        # A lazy frame of polars.
        return _without_what_arrow_lacks(frame.collect())
    if hasattr(frame, "with_format"):
        # Of Hugging Face.
        if isinstance(frame, Mapping):
            raise ValueError(f"the {type(frame).__name__} holds several data sets: give one of {', '.join(frame)}")
        frame = frame.with_format("arrow")
        if hasattr(frame, "__len__"):
            return frame[:]
        import pyarrow as pa

        # It streams: nobody knows how many rows come.
        return pa.concat_tables(frame.iter(batch_size=10_000))
    return frame


def _without_what_arrow_lacks(frame: Any) -> Any:
    """A frame of polars without columns of types that the C interface does not carry: nobody can need a column of nothing but nulls."""
    if not type(frame).__module__.startswith("polars") or not hasattr(frame, "schema"):
        return frame
    lacking = [name for name, kind in frame.schema.items() if str(kind) in ("Null", "Int128", "UInt128", "Object")]
    return frame.drop(lacking) if lacking else frame


def with_lists(frame: Any) -> Any:
    """A frame of pandas with lists in its cells in place of arrays of several dimensions, of which pyarrow makes no column; None where
    there are none.
    """
    if not type(frame).__module__.startswith("pandas"):
        return None
    nested = [name for name in frame.columns if len(frame) and getattr(frame[name].iloc[0], "ndim", 0) > 1]
    if not nested:
        return None
    return frame.assign(**{name: [as_array(cell).tolist() for cell in frame[name]] for name in nested})


def is_of_pyarrow(error: Exception) -> bool:
    """Whether a frame speaks Arrow only by pyarrow, which is not installed, or could not make one of its columns, such as one of numbers
    and texts. Then the columns that are needed are made here, one by one.
    """
    return isinstance(error, ImportError) or type(error).__module__.startswith("pyarrow")


def names_of(frame: Any) -> list[str]:
    """The names of a frame's columns, each once."""
    if isinstance(frame, Mapping):
        names = list(frame)
    elif hasattr(frame, "column_names"):
        names = list(frame.column_names)
    elif hasattr(frame, "columns"):
        names = list(frame.columns)
    else:
        raise TypeError(
            f"a frame with columns is needed (pandas, polars, pyarrow, or a dict of arrays), not {type(frame).__name__}"
        )
    names = [str(name) for name in names]
    for name in {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ():
        raise ValueError(f"the frame has several columns `{name}`: drop or rename all but one")
    return names


def of_frame(frame: Any, named: Sequence[str] = ()) -> dict[str, Any]:
    """The columns of a frame or a mapping of arrays that may make samples: by their usual names, or among `named` (patterns)."""
    columns: dict[str, Any] = {}
    for name in names_of(frame):
        if _means_something(name, named):
            # An array of two dimensions has a row of features in each row.
            several = getattr(frame[name], "ndim", 1) > 1
            columns.update(role(name, frame[name]) if several else {name: column(name, frame[name])})
    return columns


def numbers_of(frame: Any) -> list[str]:
    """The names of the columns that hold one number per row."""

    def is_numbers(name: str) -> bool:
        values = frame[name]
        if not hasattr(values, "dtype"):
            # Columns of anything else, such as lists, are not in the way.
            return isinstance(values, (list, tuple)) and all(
                isinstance(value, (int, float, np.number)) for value in values
            )
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
        return array.ndim == 1 and array.dtype.kind in "iufb"

    return [name for name in names_of(frame) if is_numbers(name)]


def _means_something(name: str, named: Sequence[str]) -> bool:
    group = name.partition(".")[0]
    return name in _NAMES or group in _NAMES or any(fnmatchcase(name, one) or group == one for one in named)


def token_array(tokens: list[Any]) -> np.ndarray:
    """Tokens as an array: integers, texts, a row of features each, or objects where they are mixed."""
    if len({type(token) for token in tokens}) == 1:
        return np.asarray(tokens)
    mixed = np.empty(len(tokens), dtype=object)
    mixed[:] = tokens
    return mixed
