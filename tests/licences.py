"""The licences of everything that the command and the Python package are built from: docs/licences.md.

    python3 tests/licences.py            writes the page
    python3 tests/licences.py --check    exits with 1 if the page is not what it would write, or a licence is not known to fit

Asks `cargo metadata` about this workspace, offline. What only tests and build scripts use is not in what is given to others, and is
left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
#: Licences under which a part may go into a program that is given to others under MIT or Apache-2.0.
FITTING = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OFL-1.1",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
}
HEAD = """# Licences of what srrd is built from

Written by `python3 tests/licences.py` from `cargo metadata`; `./test.sh` checks that it is up to date and that every licence allows what
srrd does with it. What only tests and build scripts use is left out.

| package | version | licence |
|---|---|---|
"""


def packages() -> list[tuple[str, str, str]]:
    """The packages that end up in the program, by name."""
    call = ["cargo", "metadata", "--format-version", "1", "--offline", "--locked"]
    found = json.loads(subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    by_id = {package["id"]: package for package in found["packages"]}
    edges = {
        node["id"]: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        for node in found["resolve"]["nodes"]
    }
    reached, waiting = set(), list(found["workspace_members"])
    while waiting:
        package = waiting.pop()
        if package not in reached:
            reached.add(package)
            waiting += edges[package]
    others = (by_id[package] for package in reached if by_id[package]["source"] is not None)
    return sorted((one["name"], one["version"], one["license"] or "none named") for one in others)


def fits(licence: str) -> bool:
    """Whether one of the alternatives of a licence fits, in all of its parts."""
    plain = licence.replace("/", " OR ").replace("(", " ").replace(")", " ")
    parts = [part.strip() for part in plain.split(" AND ")]
    return all(any(choice.strip() in FITTING for choice in part.split(" OR ")) for part in parts)


def main() -> int:
    rows = packages()
    page = HEAD + "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in rows)
    unfit = [f"{name} {version}: {licence}" for name, version, licence in rows if not fits(licence)]
    for line in unfit:
        print(f"not known to fit: {line}", file=sys.stderr)
    if "--check" not in sys.argv:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        print("docs/licences.md is not up to date: python3 tests/licences.py", file=sys.stderr)
        return 1
    return 1 if unfit else 0


if __name__ == "__main__":
    sys.exit(main())
