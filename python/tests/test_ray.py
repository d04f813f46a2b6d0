"""Ray gives the bytes of the local engine, also when a worker process is killed. Only where Ray is installed: it has 284 MB."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from clusters import after, samples

import srrd

pytestmark = pytest.mark.filterwarnings("ignore::srrd.DataWarning")
ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'srrd[ray]'")

SAMPLES = samples(19)


def kill_a_worker() -> None:
    """Kills one of the processes in which the Ray of this test runs tasks."""
    os.kill(ray.get(ray.remote(lambda: os.getpid()).remote()), signal.SIGKILL)


def test_ray_gives_the_same_bytes() -> None:
    expected = srrd.pairwise(SAMPLES).tobytes()
    assert srrd.pairwise(SAMPLES, engine="ray", block=5).tobytes() == expected
    assert not ray.is_initialized()
    killed = after(1, kill_a_worker)
    assert srrd.pairwise(SAMPLES, engine="ray", block=2, progress=killed).tobytes() == expected


def test_errors_of_tasks_are_those_of_the_local_engine() -> None:
    other = srrd.RewardSample([0, 1], [0, 0], [1, 0], [1.0, 2.0])
    with pytest.raises(ValueError, match="can share no transition"):
        srrd.pairwise([SAMPLES[0], other], engine="ray")


def test_ray_writes_nothing_to_the_home_folder_and_stays_on_loopback(tmp_path: Path) -> None:
    code = """
import os, sys
sys.path.insert(0, sys.argv[1])
from clusters import samples
import srrd, ray
from srrd.engine.ray import Ray
backend = Ray(lambda number: samples(3))
assert ray.get_runtime_context().gcs_address.startswith("127.0.0.1:")
assert ray.util.get_node_ip_address() == "127.0.0.1"
from ray._common.usage import usage_lib
assert not usage_lib.usage_stats_enabled()
assert "RAY_AUTH_TOKEN" not in os.environ
backend.close([])
"""
    env = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(Path(srrd.__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", code, str(Path(__file__).parent)], env=env, check=True, timeout=120)
    assert list(tmp_path.iterdir()) == []
