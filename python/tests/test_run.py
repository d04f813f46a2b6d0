"""Runs are the same files whoever computes their parts."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from clusters import Cluster, after, cluster_of_tests  # noqa: F401

import srrd
from srrd import _run

PLAN = srrd.Plan(
    "coverage", world="gridworld", size=(5, 5), model="linear", rollouts=[1, 3], trials=3, metric=["direct", "srrd"]
)
FILES = ("trials.csv", "summary.csv", "report.html", "run.json")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return srrd.run(PLAN, tmp_path_factory.mktemp("local")).folder


def same(folder: Path, local: Path) -> None:
    for name in FILES:
        assert (folder / name).read_bytes() == (local / name).read_bytes(), name
    assert {path.name for path in folder.iterdir()} == {path.name for path in local.iterdir()}


def test_a_plan_says_what_it_does() -> None:
    assert PLAN.trials == 12
    assert PLAN.what == "coverage"
    assert "--size 5x5" in PLAN.command
    assert "--rollouts 1,3" in PLAN.command
    assert repr(srrd.Plan("theory", seed=7)) == "Plan('theory', preset='quick', seed=7)"
    assert eval(repr(PLAN), {"Plan": srrd.Plan}) == PLAN
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN
    assert len({PLAN, srrd.Plan("theory"), pickle.loads(pickle.dumps(PLAN))}) == 2
    assert PLAN != srrd.Plan("coverage")


def test_parameters_are_those_of_the_command() -> None:
    import numpy as np

    plan = srrd.Plan("classification", min_common=5, k=np.array([3, 5]), gamma=np.float64(0.5), sets=2)
    for part in ("--min-common 5", "--k 3,5", "--gamma 0.5", "--sets 2"):
        assert part in plan.command
    assert "--size 3x4,5x5" in srrd.Plan("coverage", size=[(3, 4), "5x5"]).command
    assert "--epsilon 0.00001" in srrd.Plan("coverage", epsilon=1e-5).command


@pytest.mark.parametrize(
    ("what", "parameters", "message"),
    [
        ("nonsense", {}, "nonsense"),
        ("coverage", {"preset": "slow"}, "slow"),
        ("coverage", {"rollouts": 0}, "rollouts: whole numbers from 1 to 1000000 are possible, not '0'"),
        ("coverage", {"nonsense": 1}, "nonsense"),
        ("coverage", {"k": 3}, "no such parameter"),
        ("coverage", {"trials": [1, 2]}, "not a list"),
        ("coverage", {"trials": True}, "trials: .* not 'yes'"),
    ],
)
def test_wrong_plans(what: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        srrd.Plan(what, **parameters)


def test_wrong_calls(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a Plan is needed"):
        srrd.run("coverage", tmp_path)  # type: ignore[arg-type]
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(ValueError, match="shards: 0 is not a whole number between 1 and"),
    ):
        srrd.run(PLAN, tmp_path, engine=pool, shards=0)
    with pytest.raises(TypeError, match="engine: a dask"):
        srrd.run(PLAN, tmp_path, engine=3)  # type: ignore[arg-type]


def test_the_command_writes_the_same(local: Path, tmp_path: Path) -> None:
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    command = PLAN.command.replace("-o DIR", f"-o {tmp_path / 'run'}").split()[1:]
    subprocess.run([sys.executable, "-m", "srrd", *command], env=env, check=True, capture_output=True)
    same(tmp_path / "run", local)


def test_a_run_tells_its_results(local: Path) -> None:
    told: list[tuple[int, int]] = []
    run = srrd.run(PLAN, local, progress=lambda done, of: told.append((done, of)))
    assert told[0] == (12, 12), "nothing is computed twice"
    assert {row["metric"] for row in run.summary()} == {"direct", "srrd"}
    assert "<html" in run.report.read_text(encoding="utf-8")
    assert run.trials.exists()
    assert str(local) in repr(run)
    assert "DIRECT" in run.text


@pytest.mark.parametrize("shards", [1, 5, None, 100])
def test_threads(local: Path, tmp_path: Path, shards: int | None) -> None:
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as pool:
        srrd.run(PLAN, tmp_path, engine=pool, shards=shards, progress=lambda done, of: told.append((done, of)))
    same(tmp_path, local)
    assert told[0] == (0, 12)
    assert told[-1] == (12, 12)


def test_processes(local: Path, tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        srrd.run(PLAN, tmp_path, engine=pool)
    same(tmp_path, local)


class Stop(Exception):
    pass


def stopped(folder: Path, pool: Executor, **how: Any) -> None:
    """A run that ends when three parts are there."""

    def stop() -> None:
        raise Stop

    with pytest.raises(Stop):
        srrd.run(PLAN, folder, engine=pool, progress=after(3, stop), **how)


def test_finished_parts_are_kept(local: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        stopped(tmp_path, pool, shards=12)
        parts = list((tmp_path / "parts").iterdir())
        assert len(parts) >= 3
        # One that is damaged and one that was being written are no parts.
        (parts[0] / "trials.csv").write_text("nonsense\n")
        (tmp_path / "parts" / ".9-of-12-x").mkdir()
        told: list[int] = []
        # Into as many parts as before, though another number is the default.
        srrd.run(PLAN, tmp_path, engine=pool, progress=lambda done, of: told.append(done))
    assert told[0] == len(parts) - 1
    same(tmp_path, local)


def test_a_divided_run_goes_on_here_and_the_other_way(local: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        stopped(tmp_path / "a", pool, shards=12)
        srrd.run(PLAN, tmp_path / "a")
        shutil.rmtree(tmp_path / "a" / "parts")
        same(tmp_path / "a", local)

        # As a local run leaves it that is killed while it writes.
        (tmp_path / "b").mkdir()
        (tmp_path / "b" / "run.json").write_bytes((local / "run.json").read_bytes())
        (tmp_path / "b" / "trials.csv").write_bytes((local / "trials.csv").read_bytes()[:-100])
        srrd.run(PLAN, tmp_path / "b", engine=pool)
        same(tmp_path / "b", local)


def test_a_folder_of_another_run_is_refused_before_anything_is_computed(local: Path) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="the folder holds another run"):
        srrd.run(srrd.Plan("theory"), local, engine=pool)
    assert not (local / "parts").exists()


shard_of = _run.shard_of


def dying(plan: srrd.Plan, shard: tuple[int, int], *others: Any) -> dict[str, bytes]:
    """A part; the fifth is the end of the process."""
    if shard[0] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return shard_of(plan, shard, *others)


def test_a_broken_pool_says_how_to_go_on(local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(_run, "shard_of", dying)
    with (
        ProcessPoolExecutor(1, mp_context=fork) as pool,
        pytest.raises(RuntimeError, match="new executor and call again"),
    ):
        srrd.run(PLAN, tmp_path, engine=pool, shards=12)
    monkeypatch.undo()
    assert {path.name for path in (tmp_path / "parts").iterdir()} == {f"{index}-of-12" for index in range(1, 5)}
    with ProcessPoolExecutor(1, mp_context=fork) as new:
        srrd.run(PLAN, tmp_path, engine=new)
    same(tmp_path, local)


INTERRUPTED = """
import sys, time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import srrd
plan = srrd.Plan("coverage", preset="paper", world="gridworld", trials=2, rollouts=[1, 2000])
def progress(done, of):
    print("started", flush=True)
pools = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor}
engine = None if sys.argv[2] == "local" else pools[sys.argv[2]](2)
try:
    srrd.run(plan, sys.argv[1], engine=engine, progress=progress)
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
    if engine is not None:
        engine.shutdown()
    print(time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("engine", ["local", "threads", "processes"])
def test_an_interrupt_ends_it_within_a_second(tmp_path: Path, engine: str) -> None:
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    call = [sys.executable, "-c", INTERRUPTED, str(tmp_path), engine]
    with subprocess.Popen(call, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        told = [line for line in process.stdout.read().split() if line != "started"]
        assert process.wait() == 0
    returned, ended = (float(moment) - sent for moment in told)
    assert returned < 1
    assert ended < 3, "what runs in a pool stops, too"


#
# ---------------------------------------------------------------------------------------------------------------- Dask


def test_a_part_that_nobody_waits_for_stops_on_dask(cluster: Cluster, tmp_path: Path) -> None:
    plan = srrd.Plan("coverage", preset="paper", world="gridworld", trials=100, rollouts=2000)
    future = cluster.client.submit(_run.shard_of, plan, (1, 4), 1, None, pure=False)
    while not any(cluster.client.processing().values()):
        time.sleep(0.05)
    time.sleep(0.3)
    began = time.monotonic()
    future.cancel()
    # One thread per worker: all answer only when the part has stopped, which would take a minute.
    answers = cluster.client.map(abs, range(8), pure=False)
    cluster.client.gather(answers)
    assert time.monotonic() - began < 3


def test_dask_with_a_worker_killed_in_the_middle(cluster: Cluster, local: Path, tmp_path: Path) -> None:
    cluster.ready()
    srrd.run(PLAN, tmp_path, engine=cluster.client, shards=12, progress=after(2, cluster.kill_worker))
    same(tmp_path, local)
    assert len(cluster.client.nthreads()) == 1
