"""Reward models side by side, against pandas and SciPy."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srrd

pd = pytest.importorskip("pandas")
scipy_stats = pytest.importorskip("scipy.stats")


def log(rng: np.random.Generator, prompts: int, ties: bool) -> Any:
    """Scores of unequally many responses per prompt; whole numbers, so that some are equal, or real ones."""
    rows = []
    for prompt in range(prompts):
        shift = rng.normal() * 5
        for response in range(int(rng.integers(1, 10))):
            quality, other = rng.normal(), rng.normal()
            scores = [quality, quality + other + shift, rng.normal()]
            rows.append([f"p{prompt}", f"r{prompt}-{response}", *(np.round(scores) if ties else scores)])
    table = pd.DataFrame(rows, columns=["prompt", "completion", "a", "b", "c"])
    return table.sample(frac=1, random_state=1)


def by_hand(table: Any, a: str, b: str) -> dict[str, Any]:
    """The definitions, one pair of responses and one choice of n at a time."""
    groups = [group for _, group in table.groupby("prompt") if len(group) > 1]
    residual = {
        name: np.concatenate([(group[name] - group[name].mean()).to_numpy() for group in groups]) for name in (a, b)
    }
    cosine = residual[a] @ residual[b] / np.linalg.norm(residual[a]) / np.linalg.norm(residual[b])
    alike, differ, taus, top = 0, 0, [], []
    for group in groups:
        x, y = group[a].to_numpy(), group[b].to_numpy()
        for i, j in itertools.combinations(range(len(x)), 2):
            if x[i] != x[j] and y[i] != y[j]:
                alike += (x[i] > x[j]) == (y[i] > y[j])
                differ += (x[i] > x[j]) != (y[i] > y[j])
        taus.append(scipy_stats.kendalltau(x, y).statistic)
        best_x, best_y = x == x.max(), y == y.max()
        top.append((best_x & best_y).sum() / best_x.sum() / best_y.sum())
    freedom = sum(len(group) for group in groups) - len(groups)
    deviation = math.sqrt(residual[b] @ residual[b] / freedom)
    losses = {}
    for n in (2, 4, 8):
        of_prompt = []
        for group in groups:
            if len(group) < n:
                continue
            x, y = group[a].to_numpy(), group[b].to_numpy()
            chosen = [list(c) for c in itertools.combinations(range(len(x)), n)]
            by_a = np.mean([y[c][x[c] == x[c].max()].mean() for c in chosen])
            of_prompt.append(np.mean([y[c].max() for c in chosen]) - by_a)
        losses[str(n)] = np.mean(of_prompt) / deviation if of_prompt else math.nan
    return {
        "distance": math.sqrt((1 - cosine) / 2),
        "accuracy": alike / (alike + differ),
        "tau_b": np.nanmean(taus),
        "top1": np.mean(top),
        "best_of_n": losses,
    }


@pytest.mark.parametrize("ties", [False, True])
def test_the_numbers_are_those_of_the_definitions(ties: bool, tmp_path: Path) -> None:
    table = log(np.random.default_rng(3), 40, ties)
    path = tmp_path / "log.csv"
    table.to_csv(path, index=False)
    found = srrd.models(path, rewards=["a", "b", "c"])
    sizes = table.groupby("prompt").size()
    assert (found["prompts"], found["single"]) == ((sizes > 1).sum(), (sizes == 1).sum())
    assert found["responses"] == sizes[sizes > 1].sum()
    assert found["models"] == ["a", "b", "c"]
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in found["pairs"]:
        wanted = by_hand(table, pair["a"], pair["b"])
        for name in ("accuracy", "tau_b", "top1"):
            assert pair[name] == pytest.approx(wanted[name], abs=1e-12), name
        assert pair["distance"] == pytest.approx(wanted["distance"], abs=1e-9)
        for n, loss in wanted["best_of_n"].items():
            assert pair["best_of_n"][n] == pytest.approx(loss, abs=1e-12), n
        for name in ("distance", "accuracy", "tau_b", "top1"):
            low, high = pair["intervals"][name]
            assert low <= pair[name] <= high
        assert sum(margin["pairs"] for margin in pair["by_margin"]) > 0
    # As the command measures it.
    samples = srrd.from_frame(table, rewards=["a", "b"])
    assert found["pairs"][0]["distance"] == pytest.approx(srrd.distance(*samples, metric="projected"), abs=1e-9)


def test_frames_files_and_samples_say_the_same(tmp_path: Path) -> None:
    table = log(np.random.default_rng(4), 30, False)
    table["step"], table["advantage"] = 1, 0.5
    path = tmp_path / "log.parquet"
    table.to_parquet(path, index=False)
    of_file = srrd.models(path)
    assert of_file["models"] == ["a", "b", "c"]
    assert of_file.pop("notes")[0].message.endswith("read as trl, with the rewards `a`, `b`, `c`")
    # Scores are found in frames as in files, whatever else there is.
    for frame in (table.assign(info=[[{"k": 1}]] * len(table)), table.to_dict("list") | {"info": [[1]] * len(table)}):
        of_frame = srrd.models(frame)
        assert of_frame.pop("notes")[0].kind == "log" and of_frame == of_file
    plain = table.drop(columns="advantage")
    found = srrd.models(plain)
    assert found.pop("notes")[0].message == "the DataFrame: comparing the scores a, b, c; choose others with rewards"
    assert found == of_file
    # A row of a log that has only some of its rewards counts for the pairs of these.
    some = srrd.models(table.assign(c=table["c"].where(table["prompt"] != "p1")))
    assert [pair.prompts for pair in some.pairs] == [of_file.prompts, of_file.prompts - 1, of_file.prompts - 1]
    assert [note.kind for note in some.notes] == ["log", "some_rewards"]
    named = srrd.models(plain, rewards=["a", "b", "c"])
    assert named.pop("notes")[0].kind == "recognised" and named == of_file
    of_samples = srrd.models(srrd.from_frame(plain, rewards=["a", "b", "c"], next="none"))
    assert of_samples.pop("notes") == []
    # Samples have no texts any more, so that nothing is known of their length.
    for pair in of_samples["pairs"]:
        assert pair["explained"] == {}
    for pair in of_file["pairs"]:
        pair["explained"] = {}
    assert of_file == of_samples
    gold = srrd.models(path, rewards=["b", "c"], gold="a")
    assert [(pair["a"], pair["b"]) for pair in gold["pairs"]] == [("b", "a"), ("c", "a"), ("b", "c")]
    with pytest.raises(ValueError, match="only `a` is found among .* name them with `rewards="):
        srrd.models(plain.drop(columns=["b", "c"]))
    with pytest.raises(ValueError, match="only 'a'"):
        srrd.models(table, rewards=["a"])


def test_intervals_hold_what_they_should() -> None:
    """The share of samples whose interval holds the accuracy of the population: independent prompts of equal size."""
    rng = np.random.default_rng(5)
    held = 0
    trials, prompts, responses = 200, 60, 4
    # P(two normal pairs of correlation ρ are ordered alike) = 1/2 + arcsin(ρ)/π, with ρ = 1/√2.
    truth = 0.75
    for trial in range(trials):
        a = rng.normal(size=(prompts, responses))
        b = a + rng.normal(size=a.shape)
        table = {
            "prompt": np.repeat(np.arange(prompts), responses),
            "response": np.arange(a.size),
            "a": a.ravel(),
            "b": b.ravel(),
        }
        found = srrd.models(table, rewards=["a", "b"], draws=200, seed=trial)
        low, high = found["pairs"][0]["intervals"]["accuracy"]
        held += low <= truth <= high
    assert 0.9 <= held / trials <= 0.99, held


def test_same_bytes_on_any_number_of_threads() -> None:
    table = log(np.random.default_rng(6), 3000, False)
    assert srrd.models(table, rewards=["a", "b"], threads=1) == srrd.models(table, rewards=["a", "b"], threads=2)
