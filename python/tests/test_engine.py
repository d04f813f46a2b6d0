"""The same bytes wherever a matrix is computed, also when workers die."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clusters import Cluster, after, cluster_of_tests, samples  # noqa: F401

import srrd
from srrd import _worker
from srrd import engine as engines
from srrd.engine import pairwise as blocks

pytestmark = pytest.mark.filterwarnings("ignore::srrd.DataWarning")

SAMPLES = samples(19)
SETTINGS: list[dict[str, Any]] = [
    {"metric": "direct"},
    {"metric": "epic", "gamma": 0.7, "actions": "joint"},
    {"metric": "dard", "estimator": "unbiased"},
    {"metric": "srrd"},
    {},
    {"metric": "auto"},
    {"metric": "srrd", "batch": 5, "seed": 3, "undefined": 1.0},
    {"metric": "srrd", "estimator": "regressed", "regression": "linear"},
    {"metric": "srrd", "gamma": "auto"},
    {"metric": "direct", "correlation": "spearman", "undefined": 0.5},
    {"metric": "projected", "min_common": 25},
    {"metric": "projected", "support": "own", "undefined": 1.0},
]


def with_warnings(**settings: Any) -> tuple[np.ndarray, list[tuple[str, str]]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        matrix = srrd.pairwise(SAMPLES, **settings)
    return matrix, [(str(one.message), one.filename) for one in told]


def same(settings: dict[str, Any], **how: Any) -> None:
    expected, told = with_warnings(**settings)
    assert np.isnan(expected).any() or "undefined" in settings
    matrix, told_too = with_warnings(**settings, **how)
    assert matrix.tobytes() == expected.tobytes()
    assert told_too == told


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_blocks_on_threads_are_the_same_bytes_and_warnings(settings: dict[str, Any]) -> None:
    with ThreadPoolExecutor(2) as pool:
        same(settings, engine=pool, block=5)


@pytest.mark.parametrize("block", [1, 7, 19, 100, None])
def test_the_size_of_blocks_does_not_matter(block: int | None) -> None:
    same({"metric": "dard"}, block=block, progress=lambda done, of: None)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        for settings in SETTINGS[3:7]:
            same(settings, engine=pool, block=5)
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_no_samples_and_one() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert srrd.pairwise([], engine=pool).shape == (0, 0)
        assert srrd.pairwise(SAMPLES[1:2], engine=pool).tolist() == [[0.0]]


def test_what_is_asked_is_checked_before_anything_is_sent(tmp_path: Path) -> None:
    refuses = Refusing()
    other = srrd.RewardSample(["a", "b"], [0, 0], ["b", "a"], [1, 2], name="other")
    for call, message in [
        ({"metric": "nonsense"}, "nonsense"),
        ({"metric": ["direct", "srrd"]}, "one metric"),
        ({"correlation": "kendall"}, "kendall"),
        ({"block": 0}, "block: 0 is not a whole number between 1 and"),
        ({"out": tmp_path / "d.txt"}, "must end in .npy"),
    ]:
        with pytest.raises(ValueError, match=re.escape(message)):
            srrd.pairwise(SAMPLES, engine=refuses, **call)
    with pytest.raises(ValueError, match="can share no transition"):
        srrd.pairwise([*SAMPLES, other], engine=refuses)
    with pytest.raises(TypeError, match="a RewardSample is needed"):
        srrd.pairwise([1, 2], engine=refuses)  # type: ignore[list-item]
    with pytest.raises(
        TypeError, match="engine: a dask.distributed.Client, a concurrent.futures.Executor or 'ray' is needed"
    ):
        srrd.pairwise(SAMPLES, engine="dask")  # type: ignore[arg-type]


class Refusing(Executor):
    def submit(self, *_: Any, **__: Any) -> Future[Any]:  # type: ignore[override]
        raise AssertionError("nothing should be sent")


def failing(*_: Any) -> np.ndarray:
    raise ValueError("something that only a worker can know")


def test_errors_of_a_worker_are_those_of_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    task = blocks._task
    monkeypatch.setattr(
        blocks, "_task", lambda key, question: dataclasses.replace(task(key, question), function=failing)
    )
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=fork) as pool, pytest.raises(ValueError) as there:
        srrd.pairwise(SAMPLES, engine=pool)
    assert str(there.value) == "something that only a worker can know"


def test_what_is_wrong_is_said_in_the_words_of_the_local_engine() -> None:
    plain = [srrd.RewardSample([0, 1], [0, 0], [1, 0], [1.0, k], name=f"plain {k}") for k in range(3)]
    with pytest.raises(ValueError, match='estimator="regressed"') as local:
        srrd.pairwise(plain, estimator="regressed", regression="linear")
    with pytest.raises(ValueError) as there:
        srrd.pairwise(plain, estimator="regressed", regression="linear", engine=Refusing())
    assert str(there.value) == str(local.value)


class Elsewhere(Executor):
    """Workers that see no file of the client, as on other machines: what they get, they get as bytes."""

    max_workers = 2

    def __init__(self) -> None:
        self.tasks = self.bytes = 0

    def submit(self, function: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        import pickle

        arguments = tuple(
            dataclasses.replace(one, path=None) if isinstance(one, _worker.Parcel) else one for one in arguments
        )
        data = pickle.dumps((function, arguments))
        self.tasks += 1
        self.bytes += len(data)
        future: Future[Any] = Future()
        try:
            function, arguments = pickle.loads(data)
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(pickle.loads(pickle.dumps(error)))
        return future


def test_workers_without_the_clients_files_get_samples_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_worker, "_kept", _worker._Kept())
    there = Elsewhere()
    same({"metric": "srrd"}, engine=there, block=5)
    # 10 blocks, and those again that were sent before it was known that files are not seen.
    assert there.tasks <= 10 + there.max_workers
    every = len(_worker.pack([sample._core for sample in SAMPLES]))
    assert there.bytes < (there.max_workers + 1) * every + 1_000 * there.tasks


def test_a_worker_keeps_what_it_has_unpacked_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_worker, "KEPT_BYTES", 1)
    kept = _worker._Kept()
    parcels = []
    for sample in SAMPLES[:5]:
        data = _worker.pack([sample._core])
        parcels.append(_worker.Parcel(_worker.digest(data), len(data), data=data))
        assert kept.get(parcels[-1]) is kept.get(parcels[-1])
    assert len(kept._groups) == 2
    with pytest.raises(_worker.Missing):
        kept.get(_worker.Parcel(parcels[0].digest, 1, path=__file__))
    with pytest.raises(ValueError, match="not the bytes"):
        _worker.unpack(parcels[0].data[:-1])  # type: ignore[index]


def test_a_worker_of_another_version_is_refused() -> None:
    with pytest.raises(RuntimeError, match="a worker has srrd .* and the client 0.0: install the same version"):
        _worker.perform("0.0", len, ())


def test_the_default_block_gives_every_worker_several() -> None:
    for count in (64, 1000, 100_000):
        for workers in (1, 2, 100):
            block = engines.default_block(count, workers)
            groups = -(-count // block)
            assert 64 <= block <= 1024
            assert block in (64, count) or groups * (groups + 1) / 2 >= engines.TASKS_PER_WORKER * workers


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    srrd.pairwise(SAMPLES[1:5], block=2, progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    srrd.pairwise(SAMPLES[1:5], block=2, progress=True)
    assert capsys.readouterr().err == "0 of 3 blocks\n3 of 3 blocks\n"


def test_a_file_holds_the_same_matrix_and_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "distances.npy"
    for how in ({}, {"engine": ThreadPoolExecutor(2)}):
        same({"metric": "direct", "undefined": 1.0}, out=out, block=5, **how)
        assert [path.name for path in tmp_path.iterdir()] == ["distances.npy"]
    matrix = srrd.pairwise(SAMPLES[1:5], out=out)
    assert not matrix.flags.writeable
    assert np.load(out).tobytes() == srrd.pairwise(SAMPLES[1:5]).tobytes()
    assert srrd.pairwise([], out=out).shape == (0, 0)


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
import clusters, srrd
clusters_samples = clusters.samples(19)
def progress(done, of):
    if done == 6:
        os.kill(os.getpid(), signal.SIGKILL)
from srrd import _matrix_file
_matrix_file._NOTE = _matrix_file._REST = 0.0
srrd.pairwise(clusters_samples, "direct", out=sys.argv[1], block=4, progress=progress)
"""


def test_a_killed_call_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "distances.npy"
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    call = [sys.executable, "-W", "ignore", "-c", KILLED, str(out), str(Path(__file__).parent)]
    ended = subprocess.run(call, env=env, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not out.exists()
    notes = json.loads((tmp_path / "distances.npy.partial.json").read_text())
    assert len(notes["finished"]) >= 5
    told: list[int] = []
    # The size of blocks is that of the beginning.
    same({"metric": "direct"}, out=out, progress=lambda done, of: told.append(done))
    assert told[0] == len(notes["finished"])
    assert told[-1] == 15
    # Other samples or settings start anew.
    for other in ({"metric": "epic"}, {"metric": "direct", "min_common": 9}):
        (tmp_path / "distances.npy.partial.json").write_text(json.dumps(notes))
        same(other, out=out, progress=lambda done, of: told.append(done))
        assert 0 in told[-17:]
    # So do notes without their data, or notes that are none.
    (tmp_path / "distances.npy.partial.json").write_text(json.dumps(notes))
    same({"metric": "direct"}, out=out)
    (tmp_path / "distances.npy.partial.json").write_text("[")
    same({"metric": "direct"}, out=out)


def test_an_interrupted_call_keeps_its_blocks(tmp_path: Path) -> None:
    out = tmp_path / "d.npy"

    def interrupt() -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(KeyboardInterrupt):
            srrd.pairwise(SAMPLES, "direct", engine=pool, block=4, out=out, progress=after(3, interrupt))
        told: list[int] = []
        same({"metric": "direct"}, engine=pool, out=out, progress=lambda done, of: told.append(done))
    assert told[0] >= 3


def test_two_calls_do_not_write_one_file(tmp_path: Path) -> None:
    out = tmp_path / "d.npy"

    def another() -> None:
        with warnings.catch_warnings(), pytest.raises(ValueError, match="being written by another"):
            warnings.simplefilter("ignore")
            srrd.pairwise(SAMPLES, "direct", out=out)

    same({"metric": "direct"}, block=4, out=out, progress=after(1, another))


calls = 0


def dying(rows: list[Any], columns: list[Any], question: _worker.Question) -> np.ndarray:
    """A block; the fifth is the last one of the process."""
    global calls
    calls += 1
    if calls == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return _worker.block_of(rows, columns, question)


def test_a_broken_pool_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "d.npy"
    fork = multiprocessing.get_context("fork")
    task = blocks._task
    monkeypatch.setattr(
        blocks,
        "_task",
        lambda key, question: (
            dataclasses.replace(task(key, question), function=dying) if key[0] != key[1] else task(key, question)
        ),
    )
    with (
        ProcessPoolExecutor(1, mp_context=fork) as pool,
        pytest.raises(RuntimeError, match=r"ended abruptly.*new executor and call again"),
    ):
        srrd.pairwise(SAMPLES, "direct", engine=pool, block=3, out=out)
    monkeypatch.undo()
    told: list[int] = []
    with ProcessPoolExecutor(1, mp_context=fork) as new:
        same({"metric": "direct"}, engine=new, out=out, progress=lambda done, of: told.append(done))
    assert told[0] >= 4


#
# ---------------------------------------------------------------------------------------------------------------- Dask


@pytest.mark.parametrize("settings", [SETTINGS[0], SETTINGS[5], SETTINGS[6]], ids=str)
def test_dask(cluster: Cluster, settings: dict[str, Any]) -> None:
    same(settings, engine=cluster.client, block=7)


def test_dask_with_scattered_samples_lost(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[str] = []
    result = engines.Dask.result

    def counted(self: engines.Dask, future: Any) -> Any:
        try:
            return result(self, future)
        except engines.Lost as error:
            lost.append(str(error))
            raise

    scattered: list[Any] = []

    def cancel() -> None:
        cluster.client.cancel(scattered, force=True)

    group = engines.Dask._group

    def noted(self: engines.Dask, number: int) -> Any:
        future = group(self, number)
        scattered.append(future)
        return future

    monkeypatch.setattr(engines.Dask, "result", counted)
    monkeypatch.setattr(engines.Dask, "_group", noted)
    same({"metric": "srrd"}, engine=cluster.client, block=2, progress=after(1, cancel))
    assert lost


def test_dask_with_a_worker_killed_in_the_middle(cluster: Cluster) -> None:
    cluster.ready()
    # Early, when the worker is the only one to have some of the samples.
    same({"metric": "srrd"}, engine=cluster.client, block=2, progress=after(1, cluster.kill_worker))
    assert len(cluster.client.nthreads()) == 1


def test_dask_with_a_worker_that_dies_while_it_gets_samples(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed.comm.core import CommClosedError

    cluster.ready()
    scatter, failures = cluster.client.scatter, [CommClosedError("in scatter"), TimeoutError(), ConnectionResetError()]

    def broken(*arguments: Any, **keywords: Any) -> Any:
        if failures:
            raise failures.pop()
        return scatter(*arguments, **keywords)

    monkeypatch.setattr(cluster.client, "scatter", broken)
    same({"metric": "srrd"}, engine=cluster.client, block=5)
    assert not failures


def test_files_are_read_where_the_work_is_done(tmp_path: Path) -> None:
    paths = []
    for number in range(7):
        rows = [f"{row % 5},{row % 3},{(row + number) % 5},{row * 7 % 11 + number}" for row in range(40)]
        paths.append(tmp_path / f"{number}.csv")
        paths[-1].write_text("\n".join(["state,action,next_state,reward", *rows]) + "\n")
    expected = srrd.pairwise([srrd.read(path)[0] for path in paths]).tobytes()
    assert srrd.pairwise(paths).tobytes() == expected
    with ThreadPoolExecutor(2) as threads:
        assert srrd.pairwise(paths, engine=threads, block=2).tobytes() == expected
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert srrd.pairwise(paths, engine=pool, block=2, out=tmp_path / "out.npy").tobytes() == expected
    with pytest.raises(ValueError, match="gamma"):
        srrd.pairwise(paths, gamma="auto")
    with pytest.raises(TypeError, match="either samples or paths"):
        srrd.pairwise([paths[0], SAMPLES[0]])


def test_tasks_that_are_lost_again_and_again_are_given_up() -> None:
    class Losing(engines.Here):
        def result(self, future: Any) -> Any:
            raise engines.Lost("no memory")

    task = engines.Task(0, "srrd-x", lambda: None)
    with pytest.raises(RuntimeError, match="srrd-x was lost 5 times with its workers: have they enough memory"):
        engines.work(Losing(lambda _: []), [task], lambda task, result: None)


def test_a_cluster_is_not_a_client() -> None:
    cluster = type("LocalCluster", (), {"__module__": "distributed.deploy.local"})()
    with pytest.raises(TypeError, match="make a client: dask.distributed.Client"):
        srrd.pairwise(SAMPLES, engine=cluster)


def test_dask_is_not_imported_by_others() -> None:
    code = "import sys, srrd, srrd.engine, srrd._run; assert not {'dask', 'distributed'} & set(sys.modules)"
    env = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
