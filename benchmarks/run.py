"""All benchmarks with one command; it writes benchmarks/RESULTS.md.

    python3 benchmarks/run.py                     everything (about ten minutes)
    python3 benchmarks/run.py --quick             smaller graphs, fewer repeats (about one minute)
    python3 benchmarks/run.py --baselines-only    without the Rust side; prints the tables
    python3 benchmarks/run.py --check-baselines   do the baselines agree with one another and with the golden values?

It needs Python 3.11 or later; numpy and scipy come from requirements.txt, in `benchmarks/.venv` unless this interpreter
has exactly those versions. Exit status: 0 done, 1 something failed to run or gave other values than its baseline. A
target that is missed is reported, and is no failure.

What is measured
    Baselines and Rust get the same arrays of ids and rewards in memory and end with an array of results; reading files is
    not part of the time. On the Rust side two times are taken: building a RewardSample from the arrays (ids ranked, rows
    sorted, duplicates looked for), which a user does once, and computing from a sample. The targets are held against the
    computing; the ratio with the building included stands beside it. The time of a baseline is all it does from the
    arrays on, its sparse or dense matrices included. srrd-bench allocates with mimalloc, which is told to keep freed memory
    (ALLOCATOR): repeats do not wait for the system to zero fresh pages. (The command runs as it is.) Best of several
    repeats after a warm-up, in each of ROUNDS rounds that go through all cases: a machine that is slow for some seconds, as
    shared ones are, then spoils one round and not the comparison. A baseline that takes longer than LONG is measured in the
    first round only: its time is as certain as one round is. The literal loops run once, without a warm-up, when they take longer than LITERAL_BUDGET; with
    --quick they run on LITERAL_SUBSET random transitions only (with the sets of the whole sample), and the time is scaled
    to all of them.
    For `pairwise` the baseline gets its dense arrays ready-made, which is in its favour. Baselines use all the cores
    they want (BLAS threads), Rust is measured with each of THREADS.

The Rust side
    `cargo build --release -p srrd-bench -p srrd-cli` makes `srrd-bench` and `srrd`. The calls are in CALLS below.
    srrd-bench CASE [OPTION...] FILE... reads raw little-endian arrays (`.u32`, `.f64`, one entry per row, in the order
    states, actions, next, rewards; pairwise has sample before them), runs once to warm up and then --repeats times,
    writes its results to --out as raw little-endian f64, and prints one line of JSON:

        {"case": "canonicalize", "metric": "srrd", "threads": 1, "transitions": 3500, "build_seconds": 0.0001,
         "seconds": 0.0001}

    (in one line) with the least times of the repeats for building and for computing. Results: of `canonicalize`,
    the canonical reward of every row in the order of the rows (estimator double, marginal, batch all); of `pairwise`,
    the distance of every pair of samples, row by row (n x n), of the rewards as they are (metric direct) or of their residuals
    on what the two share (projected), nan where it is undefined.
"""

import environment

environment.ensure()

# The other imports come after it: numpy need not be there before.
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import data
from baselines import dense, job, literal, pairwise, projected, sparse
from checks import agree, agree_distances, agree_residuals, check_baselines
from report import Result, Scaling, render

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
GOLDEN = ROOT / "tests" / "golden"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
GAMMA = 0.9
MIN_COMMON = 3
THREADS = (1, 2)
# Without it memory goes back to the system after some milliseconds, which large arrays take to fill.
ALLOCATOR = {"MIMALLOC_PURGE_DELAY": "-1"}
ROUNDS = 3
LONG = 1.0
LITERAL_SUBSET = 350
LITERAL_BUDGET = 3.0
ALL = ("epic", "dard", "srrd")
SIZES = ("1e5", "1e6", "1e7")

CALLS = {
    "canonicalize": "{bench} canonicalize --metric {metric} --threads {threads} --gamma {gamma} --repeats {repeats} "
    "--out {out} {files}",
    "pairwise": "{bench} pairwise --metric {metric} --threads {threads} --min-common {min_common} --gamma {gamma} "
    "--repeats {repeats} --out {out} {files}",
    "csv": "{command} canonicalize {files} -o {out} --metric {metric} --gamma {gamma} --threads {threads}",
}


@dataclass(frozen=True)
class Case:
    """A workload, the metrics to run on it and the ratio asked for by (metric, baseline)."""

    workload: str
    metrics: tuple
    baselines: tuple
    targets: dict


CASES = (
    Case("policy_3500", ALL, ("literal", "sparse"), {("srrd", "literal"): 2000, ("srrd", "sparse"): 10}),
    Case("full_400", ALL, ("sparse", "dense"), {(m, "sparse"): 10 for m in ALL} | {(m, "dense"): 1 for m in ALL}),
    *(Case(f"grid_{size}", ALL, ("sparse",), {}) for size in SIZES),
    *(Case(f"random_{size}", ALL, ("sparse",), {}) for size in SIZES),
)
PAIRWISE = {"workload": "samples_1000", "target": 5}
# `projected` of one sample and of all pairs of many: the workload and the most seconds, with the most threads. A repeat takes long.
PROJECTED = {
    "canonicalize": {"workload": "random_1e6", "limit": 10.0, "repeats": 1},
    "pairwise": {"workload": "samples_200", "limit": 20.0, "repeats": 3},
}
# The whole command on a table, against the whole job in Python: the ratio asked for by baseline.
TABLES = {"names": tuple(data.CSV_FILES), "targets": {"pandas + scipy.sparse": 5, "polars + scipy.sparse": 1.5}}
# By family of graphs: how much the time per transition may grow from the smallest to the largest.
SCALING = {"grid": 1.5, "random": 4, "power": 4, "star": 4}
# What only growth is measured of. In a power law and in a star, matrices of the baselines would not fit a memory. DARD's last term is like
# counting four-cycles: its growth is reported, not limited.
GROWTH = [(family, metric) for family in SCALING for metric in (*ALL, "projected") if family in ("power", "star") or metric == "projected"]
UNLIMITED = {("power", "dard")}
LEFT_OUT_WHEN_QUICK = {
    "workloads": {"grid_1e7", "random_1e7"},
    "sizes": {"1e7"},
    "projected": {"pairwise"},
    "tables": {"grid_1e6_tokens", "random_1e6", "grid_5e6"},
}

NOT_MEASURED = {}, {}, None


class Failures(list):
    """What did not run or did not agree; printed at once and counted at the end."""

    def add(self, message):
        print(f"FAILED: {message}", flush=True)
        self.append(message)


def best_of(repeats, function, budget=30.0):
    """The least time of several runs after a warm-up, and the result; a run that uses up the budget is the last."""
    times, spent = [], 0.0
    while len(times) <= repeats and spent < budget:
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
        spent += times[-1]
    return min(times[1:] or times), result


def repeats_for(rows, quick):
    """More repeats where one is short."""
    return max(1 if quick else 3, min(500, 3_000_000 // rows) // (5 if quick else 1))


class Baselines:
    """Times of the canonicalizing baselines; each is measured once a round, and kept."""

    def __init__(self, folder, quick):
        self.folder, self.quick = folder, quick
        self.kept = {}

    def measure(self, name, workload, metric):
        """(seconds, canonical values or None, note) of one baseline."""
        key = name, workload, metric
        if key not in self.kept:
            rows = data.load(self.folder, workload)
            self.kept[key] = self.literal(rows, metric) if name == "literal" else self.arrays(name, rows, metric)
            print(f"{workload} {metric}: {name} {self.kept[key][0]:.4g} s", flush=True)
        return self.kept[key]

    def forget_short(self):
        """Measure again what does not take long."""
        self.kept = {key: measured for key, measured in self.kept.items() if measured[0] > LONG}

    def arrays(self, name, rows, metric):
        canonicalize = {"sparse": sparse, "dense": dense}[name].canonicalize
        columns = rows.states, rows.actions, rows.next, rows.rewards
        seconds, values = best_of(repeats_for(len(rows), self.quick), lambda: canonicalize(*columns, metric, GAMMA))
        return seconds, values, ""

    def literal(self, rows, metric):
        columns = rows.states, rows.actions, rows.next, rows.rewards
        transitions = list(zip(*(column.tolist() for column in columns)))

        def run(only):
            return best_of(3, lambda: literal.canonicalize(transitions, metric, GAMMA, only=only), LITERAL_BUDGET)

        if not self.quick:
            return *run(None), ""
        subset = np.random.default_rng(0).permutation(len(rows))[:LITERAL_SUBSET].tolist()
        once, _ = run([])
        seconds, _ = run(subset)
        scaled = once + (seconds - once) * len(rows) / len(subset)
        return scaled, None, f"scaled from {len(subset)} transitions"


class Rust:
    """Runs the Rust side; every method gives seconds by number of threads and the values of the last run."""

    def __init__(self, folder, quick, failures):
        self.folder, self.quick, self.failures = folder, quick, failures

    @staticmethod
    def build():
        build = ["cargo", "build", "--release", "-p", "srrd-bench", "-p", "srrd-cli"]
        try:
            subprocess.run(build, cwd=ROOT, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"{' '.join(build)}: {error}\nNothing was measured; --baselines-only does without the Rust side.")

    def call(self, kind, files, out, **settings):
        """Run one call of CALLS: (wall-clock seconds, standard output), or None when it failed."""
        fixed = {"bench": TARGET / "srrd-bench", "command": TARGET / "srrd", "gamma": GAMMA, "min_common": MIN_COMMON}
        words = []
        for word in CALLS[kind].split():
            words += map(str, files) if word == "{files}" else [word.format(**fixed, **settings, out=out)]
        variables = os.environ | (ALLOCATOR if kind != "csv" else {})
        start = time.perf_counter()
        try:
            done = subprocess.run(words, check=False, capture_output=True, text=True, env=variables)
        except OSError as error:
            self.failures.add(f"{' '.join(words)}: {error}")
            return None
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            self.failures.add(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
            return None
        return seconds, done.stdout

    def bench(self, case, workload, metric, repeats):
        """srrd-bench, with each number of threads: seconds of computing, seconds of building, values."""
        seconds, build, values = {}, {}, None
        files = data.raw_files(self.folder, workload)
        for threads in THREADS:
            with tempfile.TemporaryDirectory() as scratch:
                out = Path(scratch) / "out.f64"
                answer = self.call(case, files, out, metric=metric, threads=threads, repeats=repeats)
                if answer is None:
                    continue
                try:
                    line = json.loads(answer[1].strip().splitlines()[-1])
                    if (line["case"], line["metric"], line["threads"]) != (case, metric, threads):
                        raise ValueError(f"measured something else: {line}")
                    seconds[threads], build[threads] = float(line["seconds"]), float(line["build_seconds"])
                    values = np.fromfile(out, "<f8")
                except (ValueError, KeyError, IndexError, OSError) as error:
                    self.failures.add(f"srrd-bench {case} {metric} on {workload}: {error!r}")
                    continue
            print(f"{workload} {metric}: srrd with {threads} threads {seconds[threads]:.4g} s", flush=True)
        return seconds, build, values

    def table(self, name, metric):
        """`srrd canonicalize` by wall clock; the values are the rows of the table it wrote."""
        seconds, rows = {}, None
        repeats = 2 if self.quick else 9
        for threads in THREADS:
            with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
                out = Path(scratch) / "out.csv"
                for _ in range(repeats + 1):
                    # A new file every time: when one is replaced, the file system first writes out the other.
                    out.unlink(missing_ok=True)
                    answer = self.call("csv", [data.csv_file(self.folder, name)], out, metric=metric, threads=threads)
                    if answer is None:
                        break
                    seconds[threads] = min(seconds.get(threads, answer[0]), answer[0])
                else:
                    rows = read_columns(out, "state", "action", "next_state", "canonical")
                    print(f"{name}.csv {metric}: srrd with {threads} threads {seconds[threads]:.4g} s", flush=True)
        return seconds, rows


def read_columns(file, *names):
    """The named columns of a CSV file as lists of text."""
    with open(file, newline="") as lines:
        reader = csv.reader(lines)
        header = next(reader)
        where = [header.index(name) for name in names]
        return list(zip(*([row[i] for i in where] for row in reader)))


def canonicalize_results(cases, baselines, rust, failures):
    """Every case, metric and baseline of CASES."""
    for case in cases:
        for metric in case.metrics:
            measured = {name: baselines.measure(name, case.workload, metric) for name in case.baselines}
            rows = len(data.load(baselines.folder, case.workload))
            repeats = repeats_for(rows, baselines.quick)
            measured_rust = rust.bench("canonicalize", case.workload, metric, repeats) if rust else NOT_MEASURED
            seconds, build, values = measured_rust
            for name, (time_of_baseline, expected, note) in measured.items():
                same = None if values is None or expected is None else agree(values, expected)
                if same is False:
                    failures.add(f"{case.workload} {metric}: srrd and {name} differ")
                target = case.targets.get((metric, name))
                yield Result(case.workload, metric, rows, name, time_of_baseline, seconds, build, target, same, note)


def pairwise_result(folder, quick, rust, failures):
    """All pairs of PAIRWISE's samples."""
    workload = PAIRWISE["workload"]
    rows = data.load(folder, workload)
    triples = np.stack([rows.states, rows.actions, rows.next], axis=1)
    distinct, transition = np.unique(triples, axis=0, return_inverse=True)
    X, M = pairwise.dense(rows.sample, transition, rows.rewards, int(rows.sample.max()) + 1, len(distinct))
    time_of_baseline, expected = best_of(3 if quick else 10, lambda: pairwise.distances(X, M, MIN_COMMON))
    print(f"{workload} direct: numpy {time_of_baseline:.4g} s", flush=True)
    repeats = repeats_for(len(rows), quick)
    seconds, build, values = rust.bench("pairwise", workload, "direct", repeats) if rust else NOT_MEASURED
    same = None if values is None else agree_distances(values, expected.ravel())
    if same is False:
        failures.add(f"{workload}: srrd and numpy differ")
    target = PAIRWISE["target"]
    return Result(workload, "pairwise", len(rows), "masked products", time_of_baseline, seconds, build, target, same)


def projected_results(kinds, folder, rust, failures):
    """`projected` of one sample and of all pairs."""
    for kind in kinds:
        workload, limit, repeats = PROJECTED[kind]["workload"], PROJECTED[kind]["limit"], PROJECTED[kind]["repeats"]
        rows = data.load(folder, workload)
        if kind == "canonicalize":
            name, same_values = "scipy lsmr", agree_residuals
            run = partial(projected.canonicalize, rows.states, rows.next, rows.rewards, GAMMA)
        else:
            name, same_values = "numpy lstsq, pair by pair", agree_distances
            columns = rows.states, rows.actions, rows.next, rows.rewards
            places = np.flatnonzero(np.diff(rows.sample)) + 1
            samples = list(zip(*(np.split(column, places) for column in columns)))
            run = partial(projected.distances, samples, GAMMA, MIN_COMMON)
        # Once: these baselines take long.
        time_of_baseline, expected = best_of(0, run)
        print(f"{workload} projected: {name} {time_of_baseline:.4g} s", flush=True)
        seconds, build, values = rust.bench(kind, workload, "projected", repeats) if rust else NOT_MEASURED
        same = None if values is None else same_values(values, expected.ravel())
        if same is False:
            failures.add(f"{workload} projected: srrd and {name} differ")
        metric = "projected" if kind == "canonicalize" else "projected, pairwise"
        yield Result(workload, metric, len(rows), name, time_of_baseline, seconds, build, None, same, limit=limit)


def table_results(names, folder, quick, rust, failures):
    """The whole command on every table, against the whole job in Python."""
    for name in names:
        table = data.csv_file(folder, name)
        seconds, written = rust.table(name, "srrd") if rust else ({}, None)
        keys = written and read_columns(table, "state", "action", "next_state")
        for baseline, run_job in job.JOBS.items():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                out = Path(scratch) / "out.csv"
                time_of_baseline, expected = best_of(1 if quick else 4, partial(run_job, table, out, GAMMA))
            print(f"{name}.csv srrd: {baseline} {time_of_baseline:.4g} s", flush=True)
            same = None
            if written is not None:
                same = written[:3] == keys and agree(np.array(written[3], float), expected)
                if not same:
                    failures.add(f"{name}.csv: srrd wrote other rows or values than {baseline}")
            case, target = f"{name}.csv", TABLES["targets"][baseline]
            yield Result(case, "srrd", len(expected), baseline, time_of_baseline, dict(seconds), {}, target, same)


def least(rounds):
    """The results of several rounds, each with its least times."""
    merged = rounds[0]
    for results in rounds[1:]:
        for ours, theirs in zip(merged, results, strict=True):
            ours.baseline_seconds = min(ours.baseline_seconds, theirs.baseline_seconds)
            for kept, more in ((ours.rust, theirs.rust), (ours.build, theirs.build)):
                kept |= {threads: min(seconds, kept.get(threads, seconds)) for threads, seconds in more.items()}
            if theirs.agrees is False:
                ours.agrees = False
    return merged


def scalings(results):
    """The time per transition by size, from results that were measured anyway."""
    for family, limit in SCALING.items():
        for metric in ALL:
            members = [r for r in results if r.case.startswith(f"{family}_1e") and r.metric == metric]
            by_threads = {
                threads: {r.case.removeprefix(f"{family}_"): 1e9 * r.rust[threads] / r.rows for r in members}
                for threads in THREADS
                if len(members) > 1 and all(threads in r.rust for r in members)
            }
            if by_threads:
                yield Scaling(family, metric, by_threads, limit)


def growth(sizes, folder, rust):
    """The time per transition by size of what has no baseline."""
    for family, metric in GROWTH:
        by_threads = {threads: {} for threads in THREADS}
        for size in sizes:
            workload = f"{family}_{size}"
            rows = len(data.load(folder, workload))
            seconds, _, _ = rust.bench("canonicalize", workload, metric, 3 if rows < 10**6 else 1)
            for threads, value in seconds.items():
                by_threads[threads][size] = 1e9 * value / rows
        if all(len(measured) == len(sizes) for measured in by_threads.values()):
            limit = None if (family, metric) in UNLIMITED else max(SCALING[family], 4 if metric == "projected" else 0)
            yield Scaling(family, metric, by_threads, limit)


def run(options):
    """Measure everything and write the results; the exit status."""
    description, failures = environment.describe(), Failures()
    cases, kinds, tables = list(CASES), list(PROJECTED), list(TABLES["names"])
    if options.quick:
        kinds = [kind for kind in kinds if kind not in LEFT_OUT_WHEN_QUICK["projected"]]
        cases = [case for case in cases if case.workload not in LEFT_OUT_WHEN_QUICK["workloads"]]
        tables = [name for name in tables if name not in LEFT_OUT_WHEN_QUICK["tables"]]
    sizes = [size for size in SIZES if not (options.quick and size in LEFT_OUT_WHEN_QUICK["sizes"])]
    if not options.baselines_only:
        Rust.build()
    workloads = [case.workload for case in cases] + [PAIRWISE["workload"]] + [PROJECTED[kind]["workload"] for kind in kinds]
    workloads += [f"{family}_{size}" for family, _ in GROWTH for size in sizes]
    data.ensure(options.data, workloads, tables)

    rust = None if options.baselines_only else Rust(options.data, options.quick, failures)
    baselines = Baselines(options.data, options.quick)
    rounds, rounds_of_commands = [], []
    for _ in range(1 if options.quick else ROUNDS):
        baselines.forget_short()
        results = list(canonicalize_results(cases, baselines, rust, failures))
        rounds.append([*results, pairwise_result(options.data, options.quick, rust, failures)])
        rounds_of_commands.append(list(table_results(tables, options.data, options.quick, rust, failures)))
    results, commands = least(rounds), least(rounds_of_commands)
    by_least_squares = list(projected_results(kinds, options.data, rust, failures))
    grown = [*scalings(results), *(growth(sizes, options.data, rust) if rust else ())]
    text = render(description, results, by_least_squares, commands, grown, THREADS, options.quick)
    output = options.output or (None if options.baselines_only else HERE / "RESULTS.md")
    if output is None:
        print(text)
    else:
        output.write_text(text)
        print(f"wrote {output}" + (f"; {len(failures)} failed" if failures else ""))
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description="Run the benchmarks and write RESULTS.md.")
    parser.add_argument("--quick", action="store_true", help="smaller graphs and fewer repeats")
    parser.add_argument("--baselines-only", action="store_true", help="do not build or run the Rust side")
    parser.add_argument("--check-baselines", action="store_true", help="only check that the baselines are right")
    parser.add_argument("--golden", type=Path, default=GOLDEN, help="folder of golden values")
    parser.add_argument("--data", type=Path, default=data.DEFAULT_FOLDER, help="folder for the workloads")
    parser.add_argument("--output", type=Path, help="where the results go (default: benchmarks/RESULTS.md)")
    options = parser.parse_args()
    if options.check_baselines:
        return 0 if check_baselines(options.golden) else 1
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
