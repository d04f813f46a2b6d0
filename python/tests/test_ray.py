"""Ray gives the bytes of the local engine, also when a worker process is killed, and keeps to this machine and its temporary folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from clusters import after, samples
from processes import alone, command_of, descendants, is_loopback, listening
from test_run import PLAN, same

import srrd

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes and their sockets are looked up in /proc")

SAMPLES = samples(19)
#: How long a test may take, in seconds. When a worker dies, Ray takes up to 40 s to go on.
LIMIT = 240.0


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def quietly() -> None:
    """What samples are warned of is no matter here."""
    warnings.simplefilter("ignore", srrd.DataWarning)


def kill_a_worker() -> None:
    """Kills one of the processes in which the Ray of this process runs tasks."""
    import ray

    os.kill(ray.get(ray.remote(lambda: os.getpid()).remote()), signal.SIGKILL)


def a_ray_of_its_own() -> None:
    import ray

    quietly()
    expected = srrd.pairwise(SAMPLES).tobytes()
    assert srrd.pairwise(SAMPLES, engine="ray", block=2, progress=after(1, kill_a_worker)).tobytes() == expected
    assert not ray.is_initialized()


def test_a_call_gives_the_same_bytes_although_a_worker_is_killed_and_leaves_no_process(home: Path) -> None:
    alone(a_ray_of_its_own, limit=LIMIT)
    assert list(home.rglob("*")) == []


def a_ray_that_runs(folder: Path) -> None:
    import ray
    from ray._common.usage import usage_lib

    from srrd.engine.ray import Ray

    quietly()
    backend = Ray(lambda number: SAMPLES)
    own = Path(backend._folder or "")
    assert own.is_dir() and "RAY_AUTH_TOKEN" not in os.environ
    expected = srrd.pairwise(SAMPLES).tobytes()
    assert srrd.pairwise(SAMPLES, engine="ray", block=5).tobytes() == expected
    other = srrd.RewardSample([0, 1], [0, 0], [1, 0], [1.0, 2.0])
    with pytest.raises(ValueError, match="can share no transition"):
        srrd.pairwise([SAMPLES[0], other], engine="ray")
    srrd.run(PLAN, folder / "here")
    srrd.run(PLAN, folder / "there", engine="ray")
    same(folder / "there", folder / "here")
    # It is not ours to end.
    assert ray.is_initialized()

    # All of Ray's processes are there by now.
    found = listening(descendants(os.getpid()))
    assert found, "Ray waits for connections somewhere"
    assert all(map(is_loopback, found)), found
    assert not any("dashboard.py" in command for command in found.values()), found
    assert ray.get_runtime_context().gcs_address.startswith("127.0.0.1:")
    assert not usage_lib.usage_stats_enabled()
    assert ray.get(ray.remote(lambda: os.getenv("RAY_USAGE_STATS_ENABLED")).remote()) == "0"
    backend.close([])
    assert not ray.is_initialized() and not own.exists()


def test_ray_stays_on_loopback_without_dashboard_telemetry_or_files_in_the_home_folder(
    home: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    alone(a_ray_that_runs, tmp_path_factory.mktemp("runs"), limit=LIMIT)
    assert list(home.rglob("*")) == []


def starts_another(seconds: float) -> None:
    subprocess.Popen(["sleep", "60"])
    time.sleep(seconds)


@pytest.mark.parametrize(("seconds", "patience"), [(60.0, 30.0), (0.0, 0.2)], ids=["hangs", "leaves a process"])
def test_work_that_hangs_or_leaves_processes_is_told(seconds: float, patience: float) -> None:
    before = descendants(os.getpid())
    with pytest.raises(AssertionError, match="starts_another"):
        alone(starts_another, seconds, limit=4.0, patience=patience)
    assert not any("sleep" in command_of(process) for process in descendants(os.getpid()) - before)


def test_addresses_that_others_can_reach_are_told_from_loopback() -> None:
    assert is_loopback("0100007F:1F90") and is_loopback("0000000000000000FFFF00000100007F:1F90")
    for address in ("00000000:1F90", "00000000000000000000000000000000:1F90", "0205A8C0:1F90"):
        assert not is_loopback(address)
