"""The measurements as RESULTS.md."""

from dataclasses import dataclass, field

MISSING = "–"
AGAINST_BASELINES = (
    "Best of several repeats after a warm-up, in the best of several rounds. The baselines use all the cores they want, and start from arrays of ids and "
    "rewards. The time of srrd is from a reward sample in memory to the results; *built* is what making that sample of the "
    "arrays takes, once, and the last ratio has it included. A ratio is baseline time over srrd time; *same values* compares "
    "every number to 1e-9."
)
PROJECTED = (
    "The residual of one large sample against `scipy.sparse.linalg.lsmr`, and all pairs of samples, each on what the two share, "
    "against a dense `numpy.linalg.lstsq` per pair. The target is a time, with all threads."
)
WHOLE_COMMAND = (
    "`srrd canonicalize IN.csv -o OUT.csv --metric srrd` by wall clock, against the whole job as a user would do it in Python: "
    "`read_csv`, states numbered, scipy.sparse arithmetic, `to_csv`. Importing the libraries is not part of their time."
)


@dataclass
class Result:
    """One line of the main table: a case and metric against one baseline.

    `rust` holds the seconds of computing and `build` those of building the sample by number of threads, `target` the least ratio
    baseline / rust that is asked for, `limit` the most seconds with the most threads, and `agrees` whether the values were the
    same (None: not compared).
    """

    case: str
    metric: str
    rows: int
    baseline: str
    baseline_seconds: float | None
    rust: dict[int, float] = field(default_factory=dict)
    build: dict[int, float] = field(default_factory=dict)
    target: float | None = None
    agrees: bool | None = None
    note: str = ""
    limit: float | None = None


@dataclass
class Scaling:
    """The time per transition of one metric on growing graphs: `nanoseconds[threads][size]`."""

    family: str
    metric: str
    nanoseconds: dict[int, dict[str, float]]
    limit: float | None


def duration(seconds):
    """Seconds with three digits, in the unit that suits them."""
    if seconds is None:
        return MISSING
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 999.5 else f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def times(ratio):
    """A ratio with three digits, written out."""
    if ratio is None:
        return MISSING
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def verdict(met_by_threads):
    """Whether a target is met, from {threads: met}; "no" only when no number of threads meets it."""
    if not met_by_threads:
        return "not measured"
    met = [threads for threads, ok in met_by_threads.items() if ok]
    if len(met) == len(met_by_threads):
        return "yes"
    return f"with {', '.join(map(str, met))} threads" if met else "**no**"


def table(header, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    return "\n".join(lines)


def result_row(result, threads):
    ratios = {t: result.baseline_seconds / result.rust[t] for t in threads if t in result.rust}
    target, met = MISSING, {}
    if result.target:
        target, met = f"≥ {times(result.target)}", {t: ratio >= result.target for t, ratio in ratios.items()}
    elif result.limit:
        most = max(threads)
        target, met = f"≤ {duration(result.limit)}", {t: s <= result.limit for t, s in result.rust.items() if t == most}
    return [
        result.case,
        result.metric,
        f"{result.rows:,}",
        result.baseline + (f" ({result.note})" if result.note else ""),
        duration(result.baseline_seconds),
        *(duration(result.rust.get(t)) for t in threads),
        *(times(ratios.get(t)) for t in threads),
        duration(result.build.get(max(threads))),
        times(with_build(result, max(threads))),
        target,
        verdict(met) if target != MISSING else MISSING,
        {None: MISSING, True: "yes", False: "**NO**"}[result.agrees],
    ]


def with_build(result, threads):
    """The ratio with the building of the sample included, where that was measured."""
    if threads not in result.build:
        return None
    return result.baseline_seconds / (result.rust[threads] + result.build[threads])


def results_table(results, threads):
    header = ["case", "metric", "rows", "baseline", "baseline time"]
    header += [f"srrd, {t} thread{'s' * (t > 1)}" for t in threads] + [f"ratio, {t}" for t in threads]
    header += [f"built, {max(threads)}", f"ratio with it, {max(threads)}"]
    return table(header + ["target", "met", "same values"], [result_row(result, threads) for result in results])


def scaling_rows(scaling):
    """One row per number of threads."""
    for threads, by_size in scaling.nanoseconds.items():
        first, *_, last = by_size.values()
        growth = last / first
        sizes = ", ".join(f"{size}: {ns:.1f}" for size, ns in by_size.items())
        target, met = MISSING, MISSING
        if scaling.limit is not None:
            target, met = f"≤ {scaling.limit}", "yes" if growth <= scaling.limit else "**no**"
        yield [scaling.family, scaling.metric, str(threads), sizes, f"{growth:.2f}", target, met]


def scaling_table(scalings):
    header = ["graph", "metric", "threads", "ns per transition", "growth", "target", "met"]
    rows = [row for scaling in scalings for row in scaling_rows(scaling)]
    return table(header, rows) if rows else "Not measured."


def threads_table(results, threads):
    """How much faster the most threads are than the fewest, once per case and metric."""
    few, many = min(threads), max(threads)
    measured = {(r.case, r.metric): r for r in results if few in r.rust and many in r.rust}
    rows = [[case, metric, times(r.rust[few] / r.rust[many])] for (case, metric), r in measured.items()]
    return table(["case", "metric", f"{many} threads over {few}"], rows) if rows else "Not measured."


def render(description, results, projected, tables, scalings, threads, quick):
    """The text of RESULTS.md."""
    command = "python3 benchmarks/run.py" + (" --quick" if quick else "")
    parts = [
        "# Benchmark results",
        f"Written by `{command}`, which says what each case measures.",
        "\n".join(f"- {name}: {value}" for name, value in description),
        "## Against the Python baselines",
        AGAINST_BASELINES,
        results_table(results, threads),
        "## Shaping taken out by least squares",
        PROJECTED,
        results_table(projected, threads),
        "## A whole job, from table to table",
        WHOLE_COMMAND,
        results_table(tables, threads),
        "## Growth with the number of transitions",
        scaling_table(scalings),
        "## Threads",
        threads_table(results + projected + tables, threads),
    ]
    return "\n\n".join(parts) + "\n"
