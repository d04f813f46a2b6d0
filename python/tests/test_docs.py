"""Examples in docstrings and in the documentation run as they are written."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import srrd

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["srrd", *(module.name for module in pkgutil.walk_packages(srrd.__path__, "srrd."))]
PAGES = sorted((ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("name", [name for name in MODULES if name not in ("srrd._srrd", "srrd.__main__")])
def test_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_documentation(page: Path, tmp_path: Path) -> None:
    """All blocks of a page that are marked as Python, one after another in one process."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    if blocks:
        done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_explained() -> None:
    for name in srrd.__all__:
        value = getattr(srrd, name)
        assert name in ("METRICS", "Metric", "__version__") or value.__doc__, name
    assert set(srrd.__all__) <= set(dir(srrd))
    with pytest.raises(AttributeError, match="nothing"):
        _ = srrd.nothing
