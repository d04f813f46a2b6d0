"""The Python package: interrupts of long calls, and clusters whose workers die. It must be importable, and Dask or Ray installed."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

from .base import TIMEOUT, Attack, least, limited
from .kills import SOON, TRIES

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "python" / "tests"))

#: How long a call on a cluster may take whose worker dies, in seconds: Ray needs up to 40 to go on.
LIMIT = 300.0


def python_interrupts(attack: Attack, seconds: float) -> None:
    """Ctrl-C in the long calls of the package, at random moments."""
    from test_edges import LONG, SCRIPT

    rows = "".join(f"{row % 9973},{row % 5},{row * 7 % 9973},{row % 11}\n" for row in range(100_000))
    (attack.folder / "large.csv").write_text("state,action,next_state,reward\n" + rows * 60)
    before, count, worst, end = len(attack.broken), 0, (0.0, ""), time.monotonic() + seconds
    while count < len(LONG) or time.monotonic() < end:
        name, moment = sorted(LONG)[count % len(LONG)], attack.random.uniform(0.05, 0.6)
        script = SCRIPT.replace("CALL", LONG[name])
        took = least(TRIES, SOON, lambda name=name, script=script, moment=moment: interrupted(attack, name, script, moment))
        worst = max(worst, (took or 0.0, name))
        count += 1
    if worst[0] > SOON:
        attack.broken.append(f"Ctrl-C in Python: {worst[1]} took {worst[0]:.2f} s")
    measured = f"at most {worst[0]:.2f} s ({worst[1]})"
    attack.note("Ctrl-C in Python", f"{len(LONG)} calls: KeyboardInterrupt within {SOON} s", count, before, measured)


def interrupted(attack: Attack, name: str, script: str, moment: float) -> float | None:
    """How long a call took to end that got Ctrl-C at this moment; None if it had ended before."""
    with tempfile.TemporaryDirectory(dir=attack.folder) as folder:
        call = [sys.executable, "-W", "ignore", "-c", script, "large.csv", f"{folder}/run"]
        with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, cwd=attack.folder) as child:
            assert child.stdout is not None
            # Reading ends as well when the call does not.
            end = threading.Timer(TIMEOUT, child.kill)
            end.start()
            child.stdout.readline()
            time.sleep(moment)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            said = child.stdout.readline()
            took = time.monotonic() - sent
            end.cancel()
            child.kill()
    if said not in ("interrupted\n", "done\n"):
        attack.broken.append(f"Ctrl-C in Python: {name} says {said!r}")
    return took if said == "interrupted\n" else None


def dask_workers(attack: Attack, seconds: float) -> None:
    """Matrices on two workers, one of which is killed in the middle of every call and replaced."""
    from clusters import Cluster, after, samples

    import srrd

    warnings.simplefilter("ignore")
    made = samples(40)
    expected = srrd.pairwise(made).tobytes()
    # It tells of every worker that is killed.
    logging.getLogger("distributed").setLevel(logging.ERROR)
    cluster = Cluster()
    before, count, end = len(attack.broken), 0, time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            cluster.ready()
            dies = after(attack.random.randrange(1, 30), cluster.kill_worker)
            try:
                with limited(LIMIT):
                    found = srrd.pairwise(made, engine=cluster.client, block=4, progress=dies).tobytes()
                if found != expected:
                    attack.broken.append("a matrix with a killed worker has other bytes")
            except Exception as error:
                attack.broken.append(f"a killed worker fails a call: {type(error).__name__}: {error}")
            count += 1
    finally:
        cluster.stop()
    attack.note("Dask", "matrices with a worker killed in the middle: no call fails, same bytes", count, before)


def ray_workers(attack: Attack, seconds: float) -> None:
    """The same on Ray."""
    import ray
    from clusters import after, samples
    from processes import adopt, descendants, end_of

    import srrd

    adopt()
    warnings.simplefilter("ignore")
    made = samples(20)
    expected = srrd.pairwise(made).tobytes()

    def kill() -> None:
        os.kill(ray.get(ray.remote(lambda: os.getpid()).remote()), signal.SIGKILL)

    before, count, end = len(attack.broken), 0, time.monotonic() + seconds
    while time.monotonic() < end:
        dies = after(attack.random.randrange(1, 20), kill)
        others = descendants(os.getpid())
        try:
            with limited(LIMIT):
                found = srrd.pairwise(made, engine="ray", block=3, progress=dies).tobytes()
            if found != expected:
                attack.broken.append("a matrix on Ray with a killed worker has other bytes")
        except Exception as error:
            attack.broken.append(f"a killed worker of Ray fails a call: {type(error).__name__}: {error}")
        left = end_of(others, 30.0)
        if left:
            attack.broken.append(f"Ray leaves processes: {left}")
        count += 1
    how = "matrices with a worker killed in the middle: no call fails, same bytes, no process left"
    attack.note("Ray", how, count, before)
