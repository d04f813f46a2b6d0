"""`srrd models` on a TRL log of a million responses with four rewards, against a script of pandas and SciPy.

    python3 benchmarks/models.py [--responses 1000000] [--share 0.02] [--command target/release/srrd]

Makes the log (Parquet, one file per step, chat messages) in a temporary folder, runs the command three times, and runs the script on a share
of the prompts, whose time is scaled up: the script's work is the same for every prompt. Both compute for all six pairs of rewards: the distance
within prompts, pairwise accuracy, mean tau_b per prompt, agreement on the best and the best-of-n regrets. The command makes bootstrap
intervals besides, and counts by margin; the script does not. Needs numpy, pandas, pyarrow and scipy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

REWARDS = ["correct", "format", "length", "model"]
RESPONSES = 8
PER_STEP = 512


def make(folder: Path, responses: int) -> None:
    """A log as GRPOTrainer writes it: chats of one message, one column per reward function."""
    rng = np.random.default_rng(0)
    prompts = responses // RESPONSES
    words = "the answer follows because we add both sides and simplify the result".split()
    for step, first in enumerate(range(0, prompts, PER_STEP)):
        count = min(PER_STEP, prompts - first) * RESPONSES
        quality, lengths = rng.normal(size=count), rng.integers(5, 40, size=count)
        picks = rng.integers(0, len(words), size=(count, 40))
        texts = [" ".join(words[w] for w in picks[k, : lengths[k]]) for k in range(count)]
        rows = {
            "step": np.full(count, step),
            "prompt": [[{"content": f"What is {first + k // RESPONSES} squared?", "role": "user"}] for k in range(count)],
            "completion": [[{"content": f"{text} {k}", "role": "assistant"}] for k, text in enumerate(texts)],
            "correct": (quality > 0).astype(float),
            "format": rng.integers(0, 3, size=count) / 2,
            "length": -lengths / 40,
            "model": quality + 0.02 * lengths + 0.5 * rng.normal(size=count),
            "advantage": rng.normal(size=count),
        }
        pd.DataFrame(rows).to_parquet(folder / f"completions_{step:05d}.parquet", index=False)


def best_of(n: int, by: np.ndarray, of: np.ndarray) -> float:
    """The mean of `of` over the best of n by `by`; among equal ones the mean counts."""
    m = len(by)
    order = np.argsort(by, kind="stable")
    weights = np.array([math.comb(k, n - 1) / math.comb(m, n) for k in range(m)])
    total = 0.0
    for value in np.unique(by):
        block = order[by[order] == value]
        ranks = np.flatnonzero(by[order] == value)
        total += weights[ranks].sum() * of[block].mean()
    return total


def script(table: pd.DataFrame) -> dict[str, float]:
    groups = [group for _, group in table.groupby("prompt", sort=False) if len(group) > 1]
    found = {}
    for a, b in itertools.combinations(REWARDS, 2):
        residual = {c: table[c] - table.groupby("prompt")[c].transform("mean") for c in (a, b)}
        cosine = residual[a] @ residual[b] / np.linalg.norm(residual[a]) / np.linalg.norm(residual[b])
        alike = differ = top = 0.0
        taus, losses = [], []
        for group in groups:
            x, y = group[a].to_numpy(), group[b].to_numpy()
            signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
            alike, differ = alike + (signs > 0).sum(), differ + (signs < 0).sum()
            taus.append(kendalltau(x, y).statistic)
            best_x, best_y = x == x.max(), y == y.max()
            top += (best_x & best_y).sum() / best_x.sum() / best_y.sum()
            losses.append([best_of(n, y, y) - best_of(n, x, y) for n in (2, 4, 8)])
        found[f"{a},{b}"] = {
            "distance": math.sqrt((1 - cosine) / 2),
            "accuracy": alike / (alike + differ),
            "tau_b": float(np.nanmean(taus)),
            "top1": top / len(groups),
            "best_of_n": np.mean(losses, axis=0).tolist(),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--share", type=float, default=0.02, help="of the prompts that the script gets")
    parser.add_argument("--command", default="target/release/srrd")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "completions"
        folder.mkdir()
        make(folder, arguments.responses)
        size = sum(part.stat().st_size for part in folder.iterdir()) / 1e6
        print(f"{arguments.responses} responses, {len(REWARDS)} rewards, {size:.0f} MB of Parquet in {len(os.listdir(folder))} files")
        times, told = [], ""
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            told = subprocess.run(
                [arguments.command, "models", folder, "--json"], check=True, capture_output=True, text=True
            ).stdout
            wall = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append((wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime))
        wall, processor = min(times)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
        print(f"srrd models: {wall:.1f} s, {processor:.1f} s of processor time, {memory:.0f} MB (best of three)")
        start = time.process_time()
        table = pd.concat([pd.read_parquet(part) for part in sorted(folder.iterdir())], ignore_index=True)
        for column in ("prompt", "completion"):
            table[column] = [chat[0]["content"] for chat in table[column]]
        reading = time.process_time() - start
        prompts = pd.unique(table["prompt"])
        kept = prompts[: max(1, int(len(prompts) * arguments.share))]
        start = time.process_time()
        wanted = script(table[table["prompt"].isin(kept)])
        scaled = reading + (time.process_time() - start) * len(prompts) / len(kept)
        print(
            f"script: {scaled:.0f} s of processor time ({reading:.0f} s to read, the rest scaled up from {len(kept)} of {len(prompts)} "
            f"prompts), {scaled / processor:.0f} times as much"
        )
        if arguments.share == 1:
            for pair in json.loads(told)["pairs"]:
                for number in ("distance", "accuracy", "tau_b", "top1"):
                    assert abs(pair[number] - wanted[f"{pair['a']},{pair['b']}"][number]) < 1e-9, (pair, number)
            print("all numbers agree")


if __name__ == "__main__":
    main()
