"""Logs of training and evaluation as their projects write them: one call, and the numbers of a pandas and SciPy script."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_models import by_hand

import srrd

pd = pytest.importorskip("pandas")
pytest.importorskip("scipy.stats")
pytest.importorskip("pyarrow")

LOGS = Path(__file__).resolve().parents[2] / "crates" / "srrd-data" / "tests" / "fixtures" / "logs"


def text(messages: Any) -> str:
    """Texts, or chats of one message."""
    if isinstance(messages, str):
        return messages or "(empty)"
    (message,) = messages
    return message["content"] or "(empty)"


def lines(*paths: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def trl(name: str) -> tuple[Any, list[str]]:
    parts = sorted((LOGS / name / "completions").iterdir())
    table = pd.concat([pd.read_parquet(part) for part in parts])
    table["prompt"], table["completion"] = table["prompt"].map(text), table["completion"].map(text)
    return table, ["digits", "short", "even"]


def verl() -> tuple[Any, list[str]]:
    table = pd.DataFrame(lines(*sorted((LOGS / "verl").iterdir())))
    table = table.rename(columns={"input": "prompt", "output": "completion"})
    return table.assign(acc=table["acc"].astype(float)), ["score", "acc", "format", "style"]


def openrlhf() -> tuple[Any, list[str]]:
    tables = [pd.DataFrame(lines(LOGS / f"openrlhf_{name}.jsonl")) for name in "ab"]
    table = tables[0].merge(tables[1], on=["input", "output"], suffixes=("_a", "_b"))
    names = ["openrlhf_a.jsonl", "openrlhf_b.jsonl"]
    return table.set_axis(["prompt", "completion", *names], axis=1), names


def rewardbench(version: int) -> tuple[Any, list[str]]:
    rows: dict[Any, dict[str, Any]] = {}
    for name in ("first", "second"):
        raw = json.loads((LOGS / f"rewardbench{version}_{name}.json").read_text())
        for k, number in enumerate(raw["id"]):
            if version == 1:
                texts = [raw["text_chosen"][k], raw["text_rejected"][k]]
                scores, correct = [raw["scores_chosen"][k], raw["scores_rejected"][k]], 1
            else:
                texts, scores, correct = raw["text"][k], np.ravel(raw["scores"][k]).tolist(), raw["num_correct"][k]
            for place, (response, score) in enumerate(zip(texts, scores, strict=True)):
                row = rows.setdefault((number, response), {"prompt": str(number), "completion": response})
                row |= {f"org/{name}": score, "chosen": float(place < correct), "subset": raw["subset"][k]}
    return pd.DataFrame(rows.values()), ["org/first", "org/second", "chosen"]


def nemo_gym() -> tuple[Any, list[str]]:
    rows = lines(LOGS / "nemo_gym.jsonl")

    def response(row: dict[str, Any]) -> str:
        call, message = row["response"]["output"]
        return json.dumps([call["arguments"], message["content"][0]["text"]])

    table = pd.DataFrame(
        {
            "prompt": [row["responses_create_params"]["input"][0]["content"] for row in rows],
            "completion": [response(row) for row in rows],
            "reward": [row["reward"] for row in rows],
            "correctness": [row["correctness"] for row in rows],
            "format": [row["reward_components"]["format"] for row in rows],
        }
    )
    return table, ["reward", "correctness", "format"]


CASES = {
    "trl_text": (["trl_text"], lambda: trl("trl_text")),
    "trl_chat": (["trl_chat/completions"], lambda: trl("trl_chat")),
    "verl": (["verl"], verl),
    "openrlhf": (["openrlhf_a.jsonl", "openrlhf_b.jsonl"], openrlhf),
    "rewardbench1": (["rewardbench1_first.json", "rewardbench1_second.json"], lambda: rewardbench(1)),
    "rewardbench2": (["rewardbench2_first.json", "rewardbench2_second.json"], lambda: rewardbench(2)),
    "nemo_gym": (["nemo_gym.jsonl"], nemo_gym),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::srrd.DataWarning")
def test_one_call_gives_the_numbers_of_a_script(name: str) -> None:
    files, script = CASES[name]
    table, rewards = script()
    paths = [LOGS / file for file in files]
    found = srrd.models(paths if len(paths) > 1 else paths[0])
    assert sorted(found["models"]) == sorted(rewards)
    # Rows without any reward are left out, of a pair those without one of the two; a response that comes twice counts once.
    table = table.dropna(subset=rewards, how="all").groupby(["prompt", "completion"], as_index=False)[rewards].mean()
    sizes = table.groupby("prompt").size()
    assert (found["prompts"], found["responses"]) == ((sizes > 1).sum(), sizes[sizes > 1].sum())
    assert len(found["pairs"]) == math.comb(len(rewards), 2)
    for pair in found["pairs"]:
        both = table.dropna(subset=[pair["a"], pair["b"]])
        sizes = both.groupby("prompt").size()
        assert (pair["prompts"], pair["responses"]) == ((sizes > 1).sum(), sizes[sizes > 1].sum())
        wanted = by_hand(both, pair["a"], pair["b"])
        for number in ("accuracy", "tau_b", "top1"):
            assert pair[number] == pytest.approx(wanted[number], abs=1e-12), (pair["a"], pair["b"], number)
        assert pair["distance"] == pytest.approx(wanted["distance"], abs=1e-9)
        for n, loss in wanted["best_of_n"].items():
            if n in pair["best_of_n"]:
                assert pair["best_of_n"][n] == pytest.approx(loss, abs=1e-12)


def residual(values: Any, prompts: Any) -> Any:
    return (values - values.groupby(prompts).transform("mean")).to_numpy()


@pytest.mark.filterwarnings("ignore::srrd.DataWarning")
def test_length_explains_what_least_squares_say() -> None:
    rng = np.random.default_rng(1)
    responses = ["x" * int(n) + "\n# y" * int(k) for n, k in rng.integers((1, 0), (80, 4), (400, 2))]
    table = pd.DataFrame(
        {"prompt": np.repeat(np.arange(80), 5), "response": [f"{k}{r}" for k, r in enumerate(responses)]}
    )
    length, lines = table["response"].str.len(), table["response"].str.count("\n") + 1
    table["a"] = rng.normal(size=400)
    table["b"] = table["a"] + 0.05 * length - 0.4 * lines + 0.5 * rng.normal(size=400)
    (pair,) = srrd.models(table, rewards=["a", "b"])["pairs"]
    a, b, x = (residual(values, table["prompt"]) for values in (table["a"], table["b"], length.astype(float)))
    # Blank lines do not count, and every line but the first is a heading: both are the same property.
    features = np.column_stack([x, residual(lines.astype(float), table["prompt"])])
    d = a / np.linalg.norm(a) - b / np.linalg.norm(b)

    def share(columns: Any) -> float:
        fit = columns @ np.linalg.lstsq(columns, d, rcond=None)[0]
        return float(fit @ fit / (d @ d))

    assert pair["explained"]["length"]["share"] == pytest.approx(share(features[:, :1]), abs=1e-12)
    assert pair["explained"]["both"]["share"] == pytest.approx(share(features), abs=1e-9)
    assert pair["explained"]["length"]["correlation_b"] == pytest.approx(
        float(x @ b / np.linalg.norm(x) / np.linalg.norm(b)), abs=1e-12
    )


def training(steps: int, change: int | None) -> Any:
    """A proxy that begins to like long responses."""
    rng = np.random.default_rng(2)
    rows = []
    for step in range(steps):
        for prompt in range(24):
            for _ in range(4):
                gold, length = rng.normal(), int(rng.integers(5, 60))
                hacked = 0.08 * length if change is not None and step >= change else 0.0
                rows.append((step, f"{step}-{prompt}", "x" * length, gold + 0.3 * rng.normal() + hacked, gold, 0.0))
    return pd.DataFrame(rows, columns=["step", "prompt", "completion", "proxy", "gold", "advantage"])


def test_distances_over_training_and_where_they_change(tmp_path: Path) -> None:
    table = training(30, 18)
    (pair,) = srrd.models(table, rewards=["proxy"], gold="gold", by="step")["pairs"]
    assert [group["first"] for group in pair["groups"]] == list(range(30))
    for group in pair["groups"][::7]:
        step = table[table["step"] == group["first"]].groupby(["prompt", "completion"], as_index=False).mean()
        wanted = by_hand(step, "proxy", "gold")
        assert group["distance"] == pytest.approx(wanted["distance"], abs=1e-9)
        assert group["tau_b"] == pytest.approx(wanted["tau_b"], abs=1e-12)
        low, high = group["intervals"]["distance"]
        assert low <= group["distance"] <= high
    (change,) = pair["changes"]
    assert change["at"] == 18 and change["before"] < change["after"] and change["p_value"] <= 0.05
    assert pair["explained"]["length"]["share"] > 0.2
    (calm,) = srrd.models(training(30, None), rewards=["proxy", "gold"], by="step")["pairs"]
    assert calm["changes"] == []
    # The same of a log in parts, and of any number of threads.
    folder = tmp_path / "run" / "completions"
    folder.mkdir(parents=True)
    for step, part in table.groupby("step"):
        part.to_parquet(folder / f"completions_{step:05d}.parquet", index=False)
    of_log = srrd.models(tmp_path / "run", gold="gold", by="step", threads=1)
    assert of_log["pairs"] == [pair]
    assert of_log.notes[0].kind == "log" and "read as trl" in of_log.notes[0].message
    frame = of_log.to_frame("groups")
    assert len(frame) == len(pair["groups"]) and {"a", "b", "name", "prompts", "distance"} <= set(frame.columns)
    assert frame.equals(of_log.to_frame("by")) and len(of_log.to_frame("changes")) == 1
    assert any("changes at step 18" in sentence for sentence in of_log.sentences)
    page, line = tmp_path / "page.html", tmp_path / "line.svg"
    srrd.models(table, rewards=["proxy", "gold"], by="step", report=page, plot=line)
    assert "changes at step 18" in page.read_text() and "between changes" in line.read_text()


@pytest.mark.filterwarnings("ignore::srrd.DataWarning")
def test_groups_by_criterion() -> None:
    paths = [LOGS / f"rewardbench1_{name}.json" for name in ("first", "second")]
    found = srrd.models(paths, criterion="subset")
    assert found["by"] == "subset"
    table, _ = rewardbench(1)
    for pair in found["pairs"]:
        assert sorted(group["name"] for group in pair["groups"]) == sorted(table["subset"].unique())
        for group in pair["groups"]:
            wanted = by_hand(table[table["subset"] == group["name"]], pair["a"], pair["b"])
            assert group["distance"] == pytest.approx(wanted["distance"], abs=1e-9)
            assert group["accuracy"] == pytest.approx(wanted["accuracy"], abs=1e-12)
    assert {pair["b"] for pair in found["pairs"][:2]} == {"chosen"}, "held against what was chosen first"


@pytest.mark.filterwarnings("ignore::srrd.DataWarning")
def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="by or criterion"):
        srrd.models(LOGS / "verl", by="step", criterion="pred")
    with pytest.raises(ValueError, match="is no number"):
        srrd.models(LOGS / "verl", by="request_id")
    with pytest.raises(ValueError, match="there is no such column"):
        srrd.models(LOGS / "verl", criterion="subject")
    with pytest.raises(ValueError, match="score no response in common"):
        srrd.models([LOGS / "openrlhf_a.jsonl", LOGS / "rewardbench1_first.json"])
    shutil.copy(LOGS / "nemo_gym.jsonl", tmp_path / "log.jsonl")
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"responses_create_params": {}, "response": {"output": []}, "reward": 1}\n')
    with pytest.raises(ValueError, match=r"row 21 \(line 21\), column `prompt`: the row has no prompt"):
        srrd.models(tmp_path / "log.jsonl")
