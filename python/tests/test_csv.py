"""CSV as others read it: the rows of Python's csv module, pandas, polars and pyarrow, or an error that says where."""

from __future__ import annotations

import csv
import io
import os
import random
import re
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest

import srrd

#: So many files of each kind.
FILES = 500
#: What values are made of: whatever has a meaning in CSV, and some that has none.
PARTS = ["a", "b7", "007", "-1", " ", "é", "状", ",", '"', '""', "\n", "\r\n", "\t", ";", "'", "NA", "null", "#", "\\"]


def draw_table(draw: random.Random) -> list[list[str]]:
    """The header and the rows of a table of transitions."""

    def text() -> str:
        return "".join(draw.choices(PARTS, k=draw.randrange(1, 4)))

    extras = draw.randrange(3)
    header = ["state", "action", "next_state", "reward", *(f"more{k}" for k in range(extras))]
    rows = []
    for _ in range(draw.randrange(1, 30)):
        reward = draw.choice(["0", "-1.5", "2e3", f"{draw.random()}"])
        rows.append([text(), text(), text(), reward, *(text() if draw.random() < 0.7 else "" for _ in range(extras))])
    return [header, *rows]


def write(draw: random.Random, table: list[list[str]]) -> bytes:
    """The table as some program or other may write it."""
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    end = draw.choice(["\n", "\r\n"])
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting, lineterminator=end).writerows(table)
    text = out.getvalue()
    if draw.random() < 0.3:
        text = text.removesuffix(end)
    return text.encode("utf-8-sig" if draw.random() < 0.2 else "utf-8")


def damage(draw: random.Random, data: bytes) -> bytes:
    """Something wrong, somewhere."""
    for _ in range(draw.randrange(1, 4)):
        at = draw.randrange(len(data) + 1)
        if draw.random() < 0.6:
            wrong = [b'"', b'"', b",", b"\n", b"\r", b"\r\n", b"\n\n", b"\0", b"\xff", b'"zz', b"1e400", b"nan", b" "]
            data = data[:at] + draw.choice(wrong) + data[at:]
        elif draw.random() < 0.6:
            data = data[:at] + data[at + draw.randrange(1, 4) :]
        else:
            data = data[: max(at, 1)]
    return data


def of_python(data: bytes) -> list[list[str]]:
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline="")
    return [row for row in csv.reader(text) if row]


def of_pandas(data: bytes) -> list[list[str]]:
    frame = pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False)
    return [list(frame.columns), *frame.to_numpy().tolist()]


def of_polars(data: bytes) -> list[list[str]]:
    frame = pl.read_csv(data, infer_schema=False).fill_null("")
    return [frame.columns, *map(list, frame.rows())]


def of_pyarrow(data: bytes) -> list[list[str]]:
    names = of_python(data)[0]
    convert = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    parse = pa.csv.ParseOptions(newlines_in_values=True)
    frame = pa.csv.read_csv(io.BytesIO(data), parse_options=parse, convert_options=convert)
    return [frame.column_names, *(list(row.values()) for row in frame.to_pylist())]


def ours(folder: Path, data: bytes) -> list[list[str]] | str:
    """The rows that a copy has, or what is said to be wrong."""
    path, copy = folder / "t.csv", folder / "copy.csv"
    path.write_bytes(data)
    copy.unlink(missing_ok=True)
    with TemporaryFile() as told:
        sys.stderr.flush()
        before = os.dup(2)
        os.dup2(told.fileno(), 2)
        try:
            status = srrd.command(["convert", path, "-o", copy])
        finally:
            os.dup2(before, 2)
            os.close(before)
        told.seek(0)
        message = told.read().decode()
    assert status in (0, 2), message
    assert (status == 0) == copy.exists(), message
    return of_python(copy.read_bytes()) if status == 0 else message


@pytest.mark.parametrize("others", [of_python, of_pandas, of_polars, of_pyarrow], ids=lambda read: read.__name__)
def test_well_formed_files_have_the_rows_that_others_read(tmp_path: Path, others) -> None:
    for seed in range(FILES):
        draw = random.Random(seed)
        table = draw_table(draw)
        data = write(draw, table)
        rows = ours(tmp_path, data)
        assert rows == table, f"seed {seed}: {data!r}"
        assert rows == others(data), f"seed {seed}: {data!r}"


def test_malformed_files_have_the_rows_of_python_or_an_error_that_says_where(tmp_path: Path) -> None:
    refused = 0
    for seed in range(FILES):
        draw = random.Random(-1 - seed)
        data = damage(draw, write(draw, draw_table(draw)))
        found = ours(tmp_path, data)
        if isinstance(found, str):
            refused += 1
            # What is wrong with the names, or that there are no rows, is nowhere else.
            names = r"column is missing|spaces around it|columns \d+ and \d+"
            whole = re.search(rf"the file is empty|only blank lines|no data rows|{names}", found)
            assert whole or re.search(r"\b(row|line) \d+\b", found), f"seed {seed}: {data!r}: {found}"
        else:
            assert found == of_python(data), f"seed {seed}: {data!r}"
    assert FILES // 4 < refused < FILES
