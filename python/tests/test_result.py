"""What calls return: mappings with attributes, text, tables for notebooks, and frames."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import warnings
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tables import ENVIRONMENT, command, random_sample

import srrd

SCORES = {
    "prompt": [prompt for prompt in "pqrstu" for _ in range(3)],
    "response": list("abcdefghijklmnopqr"),
    "old": [1.0, 2.0, 3.0, 0.0, 1.0, 5.0] * 3,
    "new": [1.0, 3.0, 2.0, 10.0, 11.0, 11.5] * 2 + [3.0, 2.0, 1.0, 0.0, 2.0, 1.0],
}
LOG = {"episode": [0, 0, 1, 2, 3], "state": list("abaca"), "action": ["x"] * 5, "next_state": list("bcabb")}
REWARDS = {"old": [0.0, 1.0, 2.0, 3.0, 5.0], "new": [0.0, 1.0, 4.0, 6.0, 9.0]}


def pair() -> tuple[srrd.RewardSample, srrd.RewardSample]:
    a = random_sample(3)
    return a.renamed("a <1>"), a.with_rewards(np.random.default_rng(0).normal(size=len(a))).renamed("b & c")


def answers() -> dict[str, srrd.Result]:
    a, b = pair()
    return {
        "compare": srrd.compare(a, b, interval=0.9, chance=True, draws=100),
        "explain": srrd.explain(a, b, top=4),
        "inspect": srrd.inspect(a, b),
        "models": srrd.models(SCORES, rewards=["old", "new"], draws=100),
        "returns": srrd.returns(LOG | REWARDS, rewards=("old", "new")),
        "preferences": srrd.returns(LOG | REWARDS, rewards="old", preferences=[(3, 0), (1, 2)]),
        "regret": srrd.regret(a, b),
        "evaluate": srrd.evaluate([a, b] * 6, ["x", "y"] * 6, k=[1], gamma=[0.9], repeats=3),
    }


@pytest.fixture(scope="module")
def found() -> dict[str, srrd.Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", srrd.DataWarning)
        return answers()


#: How many rows each frame has, and some of its columns.
FRAMES: dict[str, tuple[int, set[str]]] = {
    "compare": (5, {"metric", "distance", "interval.low", "interval.high", "chance.p", "degrees_of_freedom"}),
    "explain": (4, {"state", "action", "next_state", "share"}),
    "inspect": (2, {"name", "transitions", "reward.mean"}),
    "models": (1, {"a", "b", "distance", "best_of_n.2", "intervals.distance.low"}),
    "returns": (3, {"measure", "value"}),
    "preferences": (1, {"reward", "agreed", "tau_b.value"}),
    "regret": (2, {"acting on", "judged by", "regret"}),
    "evaluate": (1, {"metric", "accuracy.mean"}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_all_answers_are_mappings_and_more(found: dict[str, srrd.Result], name: str) -> None:
    answer = found[name]
    plain = answer.to_dict()
    assert isinstance(answer, dict) and answer == plain and plain == answer
    assert type(plain) is dict and json.loads(json.dumps(plain)) == json.loads(json.dumps(answer))
    # No entry is hidden by a method.
    assert all(getattr(answer, key) == value for key, value in answer.items())
    assert set(answer) <= set(dir(answer))
    for again in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer), copy.copy(answer)):
        assert type(again) is type(answer) and again == answer
        assert (again.text, again.sentences) == (answer.text, answer.sentences)
    assert str(answer) == repr(answer) == answer.text and "{" not in answer.text
    with pytest.raises(AttributeError, match=f"{type(answer).__name__} has no 'nothing': it has {next(iter(answer))}"):
        _ = answer.nothing
    with pytest.raises(AttributeError):
        answer.nothing = 3  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", FRAMES)
def test_frames_have_one_row_per_entry(found: dict[str, srrd.Result], name: str) -> None:
    rows, columns = FRAMES[name]
    frame = found[name].to_frame()
    assert len(frame) == rows and columns <= set(frame.columns)
    with pytest.raises(ValueError, match="there is no list 'nothing'"):
        found[name].to_frame("nothing")


@pytest.mark.parametrize("name", FRAMES)
def test_notebooks_get_a_table(found: dict[str, srrd.Result], name: str) -> None:
    # Every tag is closed, and names are escaped.
    page = ElementTree.fromstring(found[name]._repr_html_())
    rows = page.findall("./table/tbody/tr")
    assert len(rows) == FRAMES[name][0]
    assert all(len(row) == len(page.findall("./table/thead/tr/th")) for row in rows)
    assert "".join(page.find("./details/pre").itertext()) == found[name].text  # type: ignore[union-attr]


def test_notebooks_show_hidden_characters_of_names() -> None:
    a, b = pair()
    name = "a\x1b[31m\r\u202eb\u2066<i>"
    page = srrd.inspect(a.renamed(name), b)._repr_html_()
    assert not set("\x1b\r\u202e\u2066") & set(page)
    assert r"a\u{1b}[31m\r\u{202e}b\u{2066}&lt;i&gt;" in page


def test_frames_of_other_lists(found: dict[str, srrd.Result]) -> None:
    assert list(found["explain"].to_frame("states").columns) == ["state", "transitions", "starting", "ending"]
    assert found["compare"].to_frame()["distance"].tolist() == [r["distance"] for r in found["compare"]["results"]]


def test_attributes_go_all_the_way_down(found: dict[str, srrd.Result]) -> None:
    compared = found["compare"]
    assert isinstance(compared, srrd.Comparison)
    assert compared.results[0].interval.low == compared["results"][0]["interval"]["low"]
    assert compared.settings.correlation == "pearson"
    assert "metric" in dir(compared.results[0])
    with pytest.raises(ValueError, match="there are distances by direct, epic, dard, srrd, projected: take one of"):
        _ = compared.distance


def test_one_metric_has_its_distance_at_hand() -> None:
    a, b = pair()
    one = srrd.compare(a, b, "direct")
    assert one.distance == srrd.distance(a, b, "direct")
    assert one.correlation == one.results[0].correlation


def test_answers_read_as_the_commands(tmp_path: Any) -> None:
    a, b = pair()
    files = []
    for number, sample in enumerate((a, b)):
        files.append(str(tmp_path / f"{number}.csv"))
        sample.to_frame().to_csv(files[-1], index=False)
    samples = [srrd.RewardSample.from_file(file) for file in files]
    assert str(srrd.compare(*samples)) + "\n" == command("distance", *files)
    assert str(srrd.explain(*samples)) + "\n" == command("explain", *files)
    # Options are named as Python names them.
    by_command = command("inspect", *files)
    assert "--metric" in by_command
    inspected = srrd.inspect(*samples)
    assert 'metric="' in inspected.sentences[0] and "--" not in inspected.text
    assert inspected.text.splitlines()[:3] == by_command.splitlines()[:3]


def test_advice_and_verdicts_are_sentences() -> None:
    a, b = pair()
    far = srrd.RewardSample([100, 101], [0, 0], [101, 100], [1.0, 2.0])
    assert srrd.inspect(a, far).sentences[0] == "These samples cannot be compared: they share no transition."
    assert srrd.inspect(a).sentences == []
    (verdict,) = srrd.compare(a, b).sentences
    assert verdict.startswith(("the rewards differ: ", "not enough data to tell: ")) and verdict.endswith(".")
    open_ended = srrd.RewardSample(range(30), [0] * 30, range(1, 31), np.sin(np.arange(30)))
    said = " ".join(srrd.inspect(open_ended, open_ended).sentences)
    assert 'ends="none" (they go on) or ends="sinks"' in said


def test_answers_about_episodes_say_how_tables_were_read() -> None:
    renamed = {"state": "obs", "next_state": "next_obs"}
    log = {renamed.get(name, name): values for name, values in LOG.items()}
    read = "reading `obs` as state, `next_obs` as next_state"
    for more in ({"rewards": ("old", "new")}, {"rewards": "old", "preferences": [(3, 0), (1, 2)]}):
        found = srrd.returns(log | REWARDS, **more)
        assert [(note.kind, note.message) for note in found.notes] == [("recognised", f"the dict: {read}")]
    tables = [log | {"reward": values} for values in REWARDS.values()]
    # What both tables say is said once.
    assert len(srrd.returns(*tables).notes) == 1
    assert srrd.returns(LOG | REWARDS, rewards=("old", "new")).notes == []
    steps = log | {"step": [0, 1, 0, 0, 0], "action": list("xxxxy")}
    for learned in (srrd.irl.maxent(steps)[0], srrd.irl.preferences(steps, [(3, 0), (1, 2)])):
        (note,) = learned.notes
        assert read in note and [told.message for told in srrd.inspect(learned).notes] == [note]


def test_what_was_found_is_said_first(found: dict[str, srrd.Result]) -> None:
    (models, *_) = found["models"].sentences
    assert models.startswith("The distance of old and new is ")
    (explained,) = found["explain"].sentences
    assert explained.startswith("The srrd distance is ") and explained in found["explain"].text
    assert [said.split(":")[0] for said in found["regret"].sentences] == [
        "Acting on a <1>, judged by b & c",
        "Acting on b & c, judged by a <1>",
    ]


def test_frames_without_pandas() -> None:
    script = (
        "import sys; sys.modules['pandas'] = None\nimport srrd\n"
        "a = srrd.RewardSample([0, 1, 2], [0, 0, 0], [1, 2, 0], [0.0, 1.0, 0.5])\n"
        "srrd.compare(a, a, 'direct').to_frame()"
    )
    ran = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, env=ENVIRONMENT)
    assert "to_frame needs pandas: pip install 'srrd[pandas]'" in ran.stderr
