"""Builds the wheel, installs it into an empty environment, runs the README's Python example there as written, then all tests of
the package.

    python3 python/test.py              everything
    python3 python/test.py -k sample    arguments go on to pytest, and nothing but pytest runs

The environment is `target/python-env`; it is made anew when Python or the requirements have changed.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ENVIRONMENT = TARGET / "python-env"
WHEELS = TARGET / "wheelhouse"
PYTHON = ENVIRONMENT / "bin" / "python"
REQUIREMENTS = HERE / "requirements-test.txt"
REQUIREMENTS_OF_SITE = HERE / "requirements-docs.txt"
#: How long `import srrd` may take, NumPy included.
IMPORT_SECONDS = 0.3
#: When this began.
STARTED = time.monotonic()


def say(text: str) -> None:
    """What comes next, and how long everything before it took."""
    print(f"== {time.monotonic() - STARTED:.0f} s: {text}", flush=True)


def call(*command: str | Path, cwd: Path = ROOT) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=cwd)


def build() -> Path:
    """The wheel of this working tree."""
    shutil.rmtree(WHEELS, ignore_errors=True)
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", WHEELS, ROOT)
    (wheel,) = WHEELS.glob("srrd-*.whl")
    return wheel


def run_readme_example() -> None:
    """The README's Python example, in a folder of its own."""
    readme = (ROOT / "README.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", readme, flags=re.DOTALL | re.MULTILINE)
    if not examples:
        sys.exit("README.md has no Python example")
    folder = TARGET / "readme-example"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for example in examples:
        call(PYTHON, "-W", "error", "-c", example, cwd=folder)


def check_import_time() -> None:
    """The fastest of some imports: the first reads files that are not in memory yet."""
    measure = "import time; start = time.perf_counter(); import srrd; print(time.perf_counter() - start)"
    times = [float(subprocess.check_output([PYTHON, "-c", measure], cwd=WHEELS)) for _ in range(5)]
    say(f"import srrd takes {min(times):.3f} s")
    if min(times) > IMPORT_SECONDS:
        sys.exit(f"that is more than {IMPORT_SECONDS} s")


def prepare(wheel: Path) -> None:
    """An environment with the wheel and, after the README's example has run without them, what tests need."""
    stamp = ENVIRONMENT / "stamp"
    requirements = REQUIREMENTS.read_bytes() + REQUIREMENTS_OF_SITE.read_bytes()
    wanted = hashlib.sha256(requirements + sys.version.encode()).hexdigest()
    ready = stamp.exists() and stamp.read_text() == wanted
    if not ready:
        say("a new environment")
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
    call(
        PYTHON,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--force-reinstall",
        "--no-deps",
        wheel,
    )
    if not ready:
        call(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        say("the README's example, with nothing else installed")
        run_readme_example()
        check_import_time()
        say("what the tests need")
        call(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", REQUIREMENTS)
        stamp.write_text(wanted)
    else:
        run_readme_example()


def main() -> None:
    say("the wheel")
    prepare(build())
    if len(sys.argv) == 1:
        say("types, stubs and style")
        call(PYTHON, "-m", "mypy", "--strict", "python/srrd")
        # Against the compiled part as it is: names, arguments and their order.
        call(PYTHON, "-m", "mypy.stubtest", "srrd._srrd", "--ignore-disjoint-bases", cwd=HERE / "tests")
        call(PYTHON, "-m", "ruff", "check", "python")
        call(PYTHON, "-m", "ruff", "format", "--check", "python")
        say("the documentation site: every page, link and docstring")
        call(PYTHON, "-m", "mkdocs", "--quiet", "build", "--strict")
    say("tests")
    # Not from the root: `python/srrd` has no compiled part and must not be imported instead of what is installed.
    tests = [PYTHON, "-m", "pytest", "--rootdir", HERE, "-q", *(sys.argv[1:] or [HERE / "tests"])]
    code = subprocess.run([str(part) for part in tests], cwd=HERE / "tests", check=False).returncode
    say("done")
    sys.exit(code)


if __name__ == "__main__":
    main()
