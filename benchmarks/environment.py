"""Where the benchmarks run: the Python environment they need, and the machine. Standard library only."""

import datetime
import importlib.metadata
import os
import platform
import re
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
VENV = HERE / ".venv"


def pinned():
    """The versions that requirements.txt asks for."""
    lines = REQUIREMENTS.read_text().split()
    return dict(line.split("==") for line in lines)


def satisfied():
    """Whether this interpreter has the pinned versions."""
    try:
        return all(importlib.metadata.version(name) == version for name, version in pinned().items())
    except importlib.metadata.PackageNotFoundError:
        return False


def ensure():
    """Return with the pinned packages at hand, if need be by starting the script again in `benchmarks/.venv`."""
    if satisfied():
        return
    python = VENV / "bin" / "python"
    if not python.exists():
        print(f"environment: making {VENV.relative_to(HERE.parent)}", flush=True)
        venv.create(VENV, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", REQUIREMENTS], check=True)
    if Path(sys.prefix) == VENV:
        sys.exit(f"environment: {VENV} does not have the versions of {REQUIREMENTS.name}; delete it and run again")
    os.execv(python, [python, *sys.argv])


def cpu_model():
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else None
    return found.group(1) if found else platform.processor() or "unknown"


def output_of(*command):
    """The first line that a command prints, or a word that says it could not be run."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=HERE)
    except OSError:
        return "not found"
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 else "unknown"


def describe():
    """What a reader needs to judge the numbers, as (name, value) pairs."""
    load = ", ".join(f"{x:.2f}" for x in os.getloadavg())
    return [
        ("machine", f"{cpu_model()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"),
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
        ("load average at the start (1, 5, 15 minutes)", load),
        ("commit", output_of("git", "describe", "--always", "--dirty")),
        ("rustc", output_of("rustc", "--version")),
        ("Python", platform.python_version()),
        *((name, importlib.metadata.version(name)) for name in pinned()),
    ]
