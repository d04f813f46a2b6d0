"""Frames of other libraries, and tables as people have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import srrd

COLUMNS: dict[str, Any] = {
    "state": [0, 1, 2, 0],
    "action": ["x", "x", "y", "y"],
    "next_state": [1, 2, 0, 2],
    "reward": [1.0, 0.5, -2.0, 4.0],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, lambda c: pa.record_batch(c)])
def test_frames_give_the_sample_of_their_columns(make: Any) -> None:
    assert srrd.RewardSample.from_frame(make(COLUMNS)) == srrd.RewardSample.from_frame(COLUMNS)


@pytest.mark.parametrize(
    "reward", ["reward", "reward::decimal(10, 2)", "sum(reward::int)", "sum(reward)", "max(reward::float)"]
)
def test_queries_of_duckdb_are_frames(reward: str) -> None:
    rows = pa.table(COLUMNS)  # noqa: F841, the query names it
    found = duckdb.connect().sql(f"select state, action, next_state, {reward} as reward from rows group by all")
    expected = COLUMNS | {"reward": [round(r) for r in COLUMNS["reward"]] if "int" in reward else COLUMNS["reward"]}
    # A relation runs again whenever it is asked.
    for _ in range(2):
        assert srrd.RewardSample.from_frame(found) == srrd.RewardSample.from_frame(expected)


def test_columns_of_duckdb_have_any_type_of_integer() -> None:
    rows = pa.table(COLUMNS)  # noqa: F841, the query names it
    query = "select state::hugeint as state, action::enum('x', 'y') as action, next_state::utinyint as next_state, reward from rows"
    assert srrd.RewardSample.from_frame(duckdb.connect().sql(query)) == srrd.RewardSample.from_frame(COLUMNS)


def test_data_sets_of_hugging_face_are_frames() -> None:
    expected = srrd.RewardSample.from_frame(COLUMNS)
    data = datasets.Dataset.from_dict(COLUMNS)
    for one in (data, data.select([3, 1, 0, 2]), data.with_format("numpy"), data.to_iterable_dataset()):
        assert srrd.RewardSample.from_frame(one) == expected
    with pytest.raises(ValueError, match="holds several data sets: give one of train, test"):
        srrd.from_frame(datasets.DatasetDict({"train": data, "test": data}))
    features = datasets.Dataset.from_dict(
        COLUMNS | {name: [[i, 0.5] for i in COLUMNS[name]] for name in ("state", "next_state")}
    )
    assert srrd.RewardSample.from_frame(features).states == [(0.0, 0.5), (1.0, 0.5), (2.0, 0.5)]


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table])
def test_numbers_are_read_where_they_lie(make: Any) -> None:
    frame = make({"reward": np.arange(1000.0)})
    column = frame["reward"]
    column = column.chunk(0) if make is pa.table else column.to_arrow()
    address = column.buffers()[1].address
    assert srrd._srrd.arrow_addresses(frame) == [("reward", address)]


def test_lists_are_features() -> None:
    frame = pa.table(
        {
            "observation": [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]],
            "action": [0, 1, 0],
            "next_observation": [[1.0, 1.0], [0.0, 0.0], [0.0, 1.0]],
            "reward": [1.0, 2.0, 3.0],
        }
    )
    sample = srrd.RewardSample.from_frame(frame)
    assert sample.notes == ["the Table: reading `observation` as state, `next_observation` as next_state"]
    assert sample.states == [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]


def test_columns_have_any_names(tmp_path: Path) -> None:
    renamed = {"s": "state", "a": "action", "t": "next_state", "r": "reward"}
    frame = pd.DataFrame({short: COLUMNS[role] for short, role in renamed.items()})
    columns = {role: short for short, role in renamed.items()}
    expected = srrd.RewardSample.from_frame(COLUMNS)
    assert srrd.RewardSample.from_frame(frame, columns=columns) == expected
    assert srrd.RewardSample.from_frame(frame.to_dict("list"), columns=columns) == expected
    frame.to_csv(tmp_path / "frame", index=False)
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = srrd.RewardSample.from_file(tmp_path / "t.csv", columns=columns)
    assert read.rewards.tolist() == expected.rewards.tolist()
    with pytest.raises(ValueError, match="columns: `stat` is no role"):
        srrd.from_frame(frame, columns={"stat": "s"})


def test_several_rewards_make_several_samples() -> None:
    log = {
        "prompt": ["p", "p", "q"],
        "response": ["x", "y", "x"],
        "rewards/old": [1.0, 2.0, 3.0],
        "rewards/new": [1.0, 2.0, 0.0],
    }
    for frame in (log, pd.DataFrame(log)):
        samples = srrd.from_frame(frame, rewards="rewards/*")
        assert all("`prompt` as state" in sample.notes[0] for sample in samples)
        assert [sample.name for sample in samples] == ["rewards/old", "rewards/new"]
        assert samples[1].rewards.tolist() == [1.0, 2.0, 0.0]


def test_next_states_come_by_shifting(caplog: pytest.LogCaptureFixture) -> None:
    walk = {
        "state": ["a", "b", "c"],
        "action": [0, 1, 0],
        "reward": [1.0, 2.0, 3.0],
        "episode": [0, 0, 0],
        "step": [0, 1, 2],
    }
    # A note is no warning: it is in the log of the package and with the sample.
    with caplog.at_level("INFO", logger="srrd"):
        (sample,) = srrd.from_frame(walk)
    assert "state of the row after it" in caplog.text and "state of the row after it" in sample.notes[0]
    assert srrd.compare(sample, sample, "direct").notes[0].kind == "shifted"
    assert [tuple(t) for t in sample.transitions] == [("a", 0, "b"), ("b", 1, "c")]
    (one_step,) = srrd.from_frame(walk, next="none")
    assert len(one_step) == 3
    with pytest.raises(ValueError, match="next: 'sideways' is not one of auto, shift, none"):
        srrd.from_frame(walk, next="sideways")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("states", [["a", "b", "c", "a", "b", "c"], [0, 1, 2, 0, 1, 2]])
def test_next_states_may_be_missing_where_episodes_end(make: Any, states: list[Any]) -> None:
    table: dict[str, Any] = {
        "episode": [0, 0, 0, 1, 1, 1],
        "state": states,
        "action": ["x", "y", "x", "y", "x", "y"],
        "next_state": [states[1], states[2], None, states[1], states[2], None],
        "reward": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        "done": [False, False, True, False, False, False],
    }
    sample = srrd.from_frame(make(table))[0]
    shifted = {name: values for name, values in table.items() if name != "next_state"}
    assert sample == srrd.from_frame(make(shifted), next="shift")[0]
    assert any("2 rows have no next state (1 ends its episode" in note for note in sample.notes), sample.notes
    table["next_state"] = [states[1], None, None, states[1], states[2], None]
    with pytest.raises(ValueError, match="row 2, column `next_state`: the value is missing: fill it in, drop the row"):
        srrd.from_frame(make(table))


@pytest.mark.parametrize("rewards", [
    np.array(["2020-01-01"] * 4, dtype="M8[D]"),
    np.array([1, 2, 3, 4], dtype="m8[s]"),
    np.array([1j, 2, 3, 4]),
    np.zeros(4, dtype=[("a", float)]),
])  # fmt: skip
def test_what_is_no_number_is_refused(rewards: Any) -> None:
    with pytest.raises(TypeError, match="neither numbers nor texts"):
        srrd.RewardSample(COLUMNS["state"], COLUMNS["action"], COLUMNS["next_state"], rewards)


def test_masked_entries_are_refused_and_others_taken() -> None:
    masked = np.ma.array(COLUMNS["reward"], mask=[False, True, False, False])
    with pytest.raises(ValueError, match="`rewards` has masked entries"):
        srrd.RewardSample(COLUMNS["state"], COLUMNS["action"], COLUMNS["next_state"], masked)
    with pytest.raises(ValueError, match="`state` has masked entries"):
        srrd.RewardSample(masked, COLUMNS["action"], COLUMNS["next_state"], COLUMNS["reward"])
    plain = srrd.RewardSample(
        COLUMNS["state"], COLUMNS["action"], COLUMNS["next_state"], np.ma.array(COLUMNS["reward"])
    )
    assert plain == srrd.RewardSample(*(COLUMNS[name] for name in ("state", "action", "next_state", "reward")))


def test_misaligned_arrays_work() -> None:
    buffer = np.zeros(33, dtype=np.uint8)
    rewards = buffer[1:].view(np.float64)
    rewards[:] = COLUMNS["reward"]
    assert not rewards.flags.aligned
    sample = srrd.RewardSample(COLUMNS["state"], COLUMNS["action"], COLUMNS["next_state"], rewards)
    assert sorted(sample.rewards) == sorted(COLUMNS["reward"])


ROWS = {"state": ["a", "b", "c"], "action": [0, 1, 0], "next_state": ["b", "c", "a"], "reward": [1.0, 2.0, 4.0]}


def test_columns_that_nobody_needs_do_not_hinder() -> None:
    expected = srrd.from_frame(pd.DataFrame(ROWS))[0]
    # Numbers and texts, which pyarrow refuses; nothing but nulls, which the C interface does not carry.
    for extra in ([1, "a", None], [1 + 2j, 0j, 3j], [np.zeros((2, 2))] * 3):
        assert srrd.from_frame(pd.DataFrame(ROWS).assign(extra=extra))[0] == expected
    nulls = pl.DataFrame({**ROWS, "note": [None, None, None]})
    assert srrd.from_frame(nulls)[0] == expected
    assert srrd.from_frame(nulls.lazy())[0] == expected
    mixed = pd.DataFrame(ROWS).assign(state=["a", 7, "c"], next_state=[7, "c", "a"])
    assert sorted(map(str, srrd.from_frame(mixed)[0].states)) == ["7", "a", "c"]


def test_arrays_of_features_in_a_dict_are_features() -> None:
    obs = np.arange(8.0).reshape(4, 2)
    batch = {"obs": obs, "action": [0, 1, 0, 1], "next_obs": obs[::-1], "reward": [1.0, 2.0, 3.0, 5.0]}
    sample = srrd.from_frame(batch)[0]
    expected = srrd.RewardSample(obs, batch["action"], obs[::-1], batch["reward"])
    assert np.array_equal(sample.states, obs) and np.array_equal(sample.rewards, expected.rewards)
    assert srrd.distance(sample, expected, metric="direct") == 0


def test_rewards_that_are_truths_are_numbers_everywhere(tmp_path: Path) -> None:
    truths = {**COLUMNS, "reward": [True, False, True, True]}
    expected = srrd.RewardSample.from_frame({**COLUMNS, "reward": [1, 0, 1, 1]})
    pd.DataFrame(truths).to_csv(tmp_path / "frame.csv", index=False)
    pd.DataFrame(truths).to_parquet(tmp_path / "frame.parquet")
    for one in (
        srrd.RewardSample.from_frame(truths),
        srrd.RewardSample.from_frame(pd.DataFrame(truths)),
        srrd.RewardSample(*truths.values()),
        *srrd.read(tmp_path / "frame.csv"),
        *srrd.read(tmp_path / "frame.parquet"),
    ):
        assert one.transitions == expected.transitions
        assert one.rewards.tolist() == expected.rewards.tolist()


def test_arrays_that_became_text_in_csv_are_features(tmp_path: Path) -> None:
    """What pandas writes of arrays in cells, and what it reads of that."""
    states = np.random.default_rng(0).normal(size=(5, 3))
    frame = pd.DataFrame({"state": list(states[:-1]), "action": 0, "next_state": list(states[1:]), "reward": range(4)})
    expected = srrd.RewardSample.from_frame(frame)
    frame.to_csv(tmp_path / "arrays.csv", index=False)
    (read,) = srrd.read(tmp_path / "arrays.csv")
    assert len(read) == 4
    assert np.allclose(sorted(read.states), sorted(expected.states), atol=1e-7)
    assert srrd.RewardSample.from_frame(pd.read_csv(tmp_path / "arrays.csv")).states == read.states
    lists = frame.assign(**{name: [cell.tolist() for cell in frame[name]] for name in ("state", "next_state")})
    lists.to_csv(tmp_path / "lists.csv", index=False)
    (read,) = srrd.read(tmp_path / "lists.csv")
    assert read.states == expected.states
    long = frame.assign(state=[np.zeros(2000)] * 4)
    long.to_csv(tmp_path / "long.csv", index=False)
    with pytest.raises(ValueError, match="save the table as Parquet or NPZ"):
        srrd.read(tmp_path / "long.csv")


def _episodes() -> list[dict[str, Any]]:
    """Episodes as Minari has them."""
    rng = np.random.default_rng(0)
    return [
        {
            "id": number,
            "observations": rng.normal(size=(steps + 1, 2)),
            "actions": rng.integers(3, size=steps),
            "rewards": rng.normal(size=steps),
            "terminations": np.arange(steps) == steps - 1,
            "truncations": np.zeros(steps, dtype=bool),
        }
        for number, steps in enumerate([4, 1, 3])
    ]


def test_a_row_may_be_an_episode(tmp_path: Path) -> None:
    episodes = _episodes()
    expected = srrd.RewardSample.from_episodes(episodes)
    frame = pd.DataFrame(episodes)
    lists = frame.assign(observations=[one.tolist() for one in frame["observations"]])
    lists.to_parquet(tmp_path / "episodes.parquet")
    lists.to_json(tmp_path / "episodes.jsonl", orient="records", lines=True, double_precision=15)
    (found,) = srrd.from_frame(frame)
    assert any("each row is an episode" in note for note in found.notes)
    assert [found] == srrd.from_frame(lists) == srrd.from_frame(pl.from_pandas(lists))
    for one in (found, *srrd.read(tmp_path / "episodes.parquet"), *srrd.read(tmp_path / "episodes.jsonl")):
        assert np.allclose(one.states, expected.states)
        assert np.allclose(one.rewards, expected.rewards)
        assert one.to_frame()["terminated"].tolist() == expected.to_frame()["terminated"].tolist()
