"""Python's edges: numbers that are none, interrupts, and processes that were forked or spawned after threads were used."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srrd
import srrd.irl

pytestmark = pytest.mark.filterwarnings("ignore::srrd.DataWarning")

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(srrd.__file__).parent.parent)}


def sample(name: str, seed: int = 0, rows: int = 60) -> srrd.RewardSample:
    rng = np.random.default_rng(seed)
    s, a, n = rng.integers(7, size=rows), rng.integers(2, size=rows), rng.integers(7, size=rows)
    return srrd.RewardSample(s, a, n, rng.normal(size=rows), duplicates="first", name=name, label=name[0])


A, B = sample("a", 1), sample("b", 1)
FOUR = [sample(name, seed) for seed, name in enumerate(["a1", "a2", "b1", "b2"])]
WALKS = [(["hall", "left", "street"], ["turn", "leave"], True), (["hall", "right", "street"], ["go", "leave"], True)]
SCORES = {"prompt": list("ppqq"), "response": list("abcd"), "old": [1.0, 2.0, 3.0, 1.0], "new": [1.0, 3.0, 2.0, 1.0]}
EPISODES = {"episode": [0, 0, 1, 1], "old": [1.0, 2.0, 3.0, 1.0], "new": [1.0, 3.0, 2.0, 1.0]}
EPISODES |= {"state": list("abab"), "action": [0] * 4, "next_state": list("bcbc")}

#: Every public function that takes threads, called with them.
CALLS: dict[str, Callable[[Any], Any]] = {
    "srrd.RewardKNN": lambda n: srrd.RewardKNN(n_neighbors=1, threads=n).fit([A, B], ["x", "y"]),
    "srrd.canonicalize": lambda n: srrd.canonicalize(A, threads=n),
    "srrd.compare": lambda n: srrd.compare(A, B, threads=n),
    "srrd.cross": lambda n: srrd.cross([A], [B], threads=n),
    "srrd.degrees_of_freedom": lambda n: srrd.degrees_of_freedom([A, B], threads=n),
    "srrd.distance": lambda n: srrd.distance(A, B, threads=n),
    "srrd.estimate_gamma": lambda n: srrd.estimate_gamma(A, B, threads=n),
    "srrd.evaluate": lambda n: srrd.evaluate(FOUR, k=[1], repeats=1, threads=n),
    "srrd.explain": lambda n: srrd.explain(A, B, threads=n),
    "srrd.inspect": lambda n: srrd.inspect(A, threads=n),
    "srrd.models": lambda n: srrd.models(SCORES, rewards=["old", "new"], draws=100, threads=n),
    "srrd.pairwise": lambda n: srrd.pairwise([A, B], threads=n),
    "srrd.picture": lambda n: srrd.picture(A, B, threads=n),
    "srrd.regret": lambda n: srrd.regret(A, B, threads=n),
    "srrd.returns": lambda n: srrd.returns(EPISODES, rewards=("old", "new"), threads=n),
    "srrd.run": lambda n: srrd.run(srrd.Plan("coverage", trials=1), os.devnull, threads=n),
    "srrd.irl.airl": lambda n: srrd.irl.airl(WALKS, threads=n),
    "srrd.irl.maxent": lambda n: srrd.irl.maxent(WALKS, threads=n),
    "srrd.irl.preferences": lambda n: srrd.irl.preferences(EPISODES, [(0, 1)], threads=n),
    "srrd.irl.ptirl": lambda n: srrd.irl.ptirl(WALKS, threads=n),
}
#: Numbers that are no number of threads.
WRONG = [0, -1, 1025, 10**30, -(10**30), float("nan"), float("inf"), 2.5]


def taking(parameter: str) -> set[str]:
    found = set()
    for module in (srrd, srrd.irl):
        for name in dir(module):
            call = getattr(module, name)
            if not name.startswith("_") and callable(call) and call.__module__.startswith("srrd"):
                try:
                    parameters = inspect.signature(call).parameters
                except ValueError:
                    continue
                if parameter in parameters:
                    found.add(f"{module.__name__}.{name}")
    return found


def test_all_functions_that_take_threads_are_tried() -> None:
    assert taking("threads") == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_threads_say_what_is_allowed(name: str) -> None:
    for threads in WRONG:
        with pytest.raises(ValueError, match="threads: .* is not a whole number between 1 and 1024"):
            CALLS[name](threads)


def test_threads_of_files_and_engines_say_what_is_allowed(tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b"):
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("state,action,next_state,reward\n0,0,1,1\n1,0,0,2\n1,1,1,3\n")
    with ThreadPoolExecutor(1) as pool:
        for threads in WRONG:
            for samples, engine in ((paths, None), (paths, pool), ([A, B], pool)):
                with pytest.raises(ValueError, match="threads: .* is not a whole number between 1 and 1024"):
                    srrd.pairwise(samples, engine=engine, block=1, threads=threads)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda n: srrd.explain(A, B, top=n), "top"),
        (lambda n: srrd.evaluate(FOUR, k=[n], repeats=1), "k"),
        (lambda n: srrd.evaluate(FOUR, k=[1], repeats=n), "repeats"),
        (lambda n: srrd.pairwise([A, B], block=n), "block"),
        (lambda n: srrd.inspect(A, space=(n, 4)), "space"),
        (lambda n: srrd.models(SCORES, rewards=["old", "new"], draws=n), "draws"),
        (lambda n: srrd.returns(EPISODES, rewards=("old", "new"), seed=n), "seed"),
        (lambda n: srrd.distance(A, B, seed=n), "seed"),
        (lambda n: srrd.distance(A, B, batch=n), "batch"),
        (lambda n: srrd.compare(A, B, interval=0.95, draws=n), "draws"),
        (lambda n: srrd.simulate("gridworld", rollouts=n), "rollouts"),
        (lambda n: srrd.Plan("coverage", trials=n), "trials"),
        (lambda n: srrd.irl.maxent(WALKS, draws=n), "draws"),
        (lambda n: srrd.irl.maxent(WALKS, iterations=n), "iterations"),
    ],
)
def test_counts_say_what_is_allowed(call: Callable[[Any], Any], name: str) -> None:
    for value in (-1, 10**30, -(10**30), float("nan"), 2.5):
        with pytest.raises(ValueError, match=name):
            call(value)


def test_a_number_that_no_float_holds_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="undefined: .* is not a number that a float can hold"):
        srrd.pairwise([A, B], undefined=10**400)


def distances(_: int) -> list[float]:
    """With a pool (a matrix), on the calling thread (a small distance), and by threads of an executor."""
    with ThreadPoolExecutor(2) as pool:
        blocks = srrd.pairwise([A, B], engine=pool, block=1)
    return [*srrd.pairwise([A, B], threads=2).ravel(), srrd.distance(A, B), *blocks.ravel()]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_a_process_that_used_threads_do_not_hang(method: str) -> None:
    expected = distances(0)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(distances, range(4)).get(timeout=60) == [expected] * 4


def test_a_child_that_is_forked_while_other_threads_work_does_not_hang() -> None:
    large = [sample(f"s{seed}", seed, rows=3000) for seed in range(12)]
    expected = distances(0)
    with ThreadPoolExecutor(1) as pool:
        busy = pool.submit(srrd.pairwise, large, "projected", threads=2)
        receive, send = multiprocessing.get_context("fork").Pipe(duplex=False)
        child = multiprocessing.get_context("fork").Process(target=lambda: send.send(distances(0)))
        child.start()
        assert receive.poll(60)
        assert receive.recv() == expected
        child.join(20)
        assert child.exitcode == 0
        busy.result()


#: Calls that take minutes, each with what it needs.
LONG = {
    "reading": "srrd.read(path)",
    "simulate": 'srrd.simulate("gridworld", rollouts=10**9)',
    "interval": 'srrd.compare(big, other, "direct", interval=0.95, draws=10**6)',
    "matrix": 'srrd.pairwise([big] * 300, "projected")',
    "blocks": 'srrd.pairwise([big] * 300, "projected", block=1)',
    "maxent": "srrd.irl.maxent(walks, horizon=20_000, gamma=1.0, iterations=10**8)",
    "models": 'srrd.models(scores, rewards=["a", "b"], draws=10**7)',
    "evaluate": "srrd.evaluate(labelled, repeats=10**6)",
    "run": 'srrd.run(srrd.Plan("coverage", trials=2000), folder)',
}
SCRIPT = """
import sys, tempfile
import numpy as np, srrd, srrd.irl
rng = np.random.default_rng(0)
s, a, n = (rng.integers(k, size=9000) for k in (900, 4, 900))
big = srrd.RewardSample(s, a, n, rng.normal(size=9000), duplicates="first")
other = big.with_rewards(rng.normal(size=len(big.transitions)))
labelled = [big.renamed(f"s{k}", str(k % 2)) for k in range(60)]
walks = [(rng.integers(400, size=201), rng.integers(4, size=200), True) for _ in range(60)]
scores = {"prompt": np.repeat(np.arange(20000), 4), "response": np.arange(80000)}
scores |= {"a": rng.normal(size=80000), "b": rng.normal(size=80000)}
path, folder = sys.argv[1:]
print("go", flush=True)
try:
    CALL
    print("done", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("name", sorted(LONG))
def test_an_interrupt_ends_every_long_call(name: str, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    if name == "reading":
        rows = "".join(f"{row % 9973},{row % 5},{row * 7 % 9973},{row % 11}\n" for row in range(100_000))
        path.write_text("state,action,next_state,reward\n" + rows * 100)
    script = SCRIPT.replace("CALL", LONG[name])
    call = [sys.executable, "-W", "ignore", "-c", script, str(path), str(tmp_path / "run")]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "go\n"
        time.sleep(0.2)
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        said = child.stdout.readline()
        took = time.monotonic() - sent
        child.kill()
    assert said == "interrupted\n"
    # 0.4 s on a machine that has nothing else to do, which `tests/attack.py` measures.
    assert took < 1.5
