"""Builds what users download, and tries it where nothing else is installed.

    python3 release/build.py              both: target/dist/srrd-VERSION-cp311-abi3-….whl and target/dist/srrd-VERSION-PLATFORM
    python3 release/build.py wheel        one of them
    python3 release/build.py command

The wheel serves Python 3.11 and all later ones (abi3), on systems whose glibc is not older than the one here. It is tried in a new
environment, with nothing but what pip installs for it. The command is linked statically: it needs no library of the system, not even
libc, and is tried in an empty folder that it sees as the whole file system (chroot, as root) or, for other users, with an empty
environment.

Needs Rust, a C compiler with the static parts of its library (on Debian they come with it) and Python 3.11 or later with `venv`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
DIST = TARGET / "dist"
STARTED = time.monotonic()

#: What must work after `pip install`: the compiled part, the package's own data, and the command that it brings.
TRY_PACKAGE = """
import numpy as np, srrd
s, n = (index.ravel() for index in np.indices((20, 20)))
a = srrd.RewardSample(s, n % 3, n, np.sin(s * n + 3.0 * s))
b = a.with_rewards(2 * a.rewards + 1)
found = srrd.compare(a, b, "projected", ends="none")
assert found.verdict == "same", found
print(srrd.__version__, found.sentences[0])
"""


def say(text: str) -> None:
    print(f"== {time.monotonic() - STARTED:.0f} s: {text}", flush=True)


def call(*command: str | Path, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def output(*command: str | Path) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def version() -> str:
    found = re.search(r'^version = "(.+)"$', (ROOT / "Cargo.toml").read_text(), flags=re.MULTILINE)
    assert found is not None, "Cargo.toml has no version"
    return found.group(1)


def environment(folder: Path) -> Path:
    """The Python of a new, empty environment."""
    venv.create(folder, with_pip=True, clear=True)
    return folder / "bin" / "python"


def build_wheel() -> Path:
    say("the wheel")
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder))
        # As pyproject.toml asks for it.
        call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "maturin>=1.9,<2")
        for old in DIST.glob("srrd-*.whl"):
            old.unlink()
        call(python, "-m", "maturin", "build", "--quiet", "--strip", "--out", DIST, cwd=ROOT)
    (wheel,) = DIST.glob("srrd-*.whl")
    if "-abi3-" not in wheel.name:
        sys.exit(f"{wheel.name} serves one version of Python only: it must be built with abi3")
    return wheel


def try_wheel(wheel: Path) -> None:
    say(f"{wheel.name} in a new environment")
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        empty.mkdir()
        python = environment(Path(folder) / "env")
        call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        # Nothing of this shell and of this folder is seen.
        bare = {"PATH": str(python.parent), "HOME": str(empty)}
        call(python, "-W", "error", "-c", TRY_PACKAGE, cwd=empty, env=bare)
        call(python.parent / "srrd", "demo", cwd=empty, env=bare, stdout=subprocess.DEVNULL)
        if not (empty / "srrd-demo" / "report.html").exists():
            sys.exit("the command of the wheel wrote no report")


def build_command() -> Path:
    host = re.search(r"^host: (.+)$", output("rustc", "--version", "--verbose"), flags=re.MULTILINE)
    assert host is not None, "rustc does not say what it builds for"
    target = host.group(1)
    say(f"the command, linked statically for {target}")
    # How libraries of the system are linked is decided when the program is. With the static parts of glibc it is as fast as ever; musl is
    # slow to copy memory, and reading and writing tables would take up to 1.8 times as long.
    options = ["--quiet", "--release", "--package", "srrd-cli", "--bin", "srrd"]
    call("cargo", "rustc", *options, "--", "-C", "target-feature=+crt-static", cwd=ROOT)
    made = DIST / f"srrd-{version()}-{target}"
    shutil.copy2(TARGET / "release" / "srrd", made)
    call("strip", made)
    return made


def try_command(command: Path) -> None:
    headers = output("readelf", "--program-headers", "--dynamic", command)
    if "INTERP" in headers or "NEEDED" in headers:
        sys.exit(f"{command.name} needs a library of the system:\n{headers}")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copy2(command, root / "srrd")
        if os.geteuid() == 0:
            say(f"{command.name} as the only file there is")
            run = ["chroot", folder, "/srrd"]
        else:
            say(f"{command.name} with an empty environment")
            run = [str(root / "srrd")]
        call(*run, "--version", cwd=root, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        call(*run, "demo", cwd=root, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, stdout=subprocess.DEVNULL)
        if not (root / "srrd-demo" / "report.html").exists():
            sys.exit("the command wrote no report")


def main() -> None:
    wanted = sys.argv[1:] or ["wheel", "command"]
    if not set(wanted) <= {"wheel", "command"}:
        sys.exit(__doc__)
    DIST.mkdir(parents=True, exist_ok=True)
    made = []
    if "wheel" in wanted:
        made.append(build_wheel())
        try_wheel(made[-1])
    if "command" in wanted:
        made.append(build_command())
        try_command(made[-1])
    # Of what an earlier call made, too.
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(DIST.glob("srrd-*"))}
    (DIST / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    for file in made:
        say(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
