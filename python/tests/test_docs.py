"""Examples in docstrings and in the documentation run as they are written."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shutil
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
        # The same files that the commands of the page have.
        shutil.copytree(ROOT / "docs" / "data", tmp_path, dirs_exist_ok=True)
        done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_explained() -> None:
    for name in srrd.__all__:
        value = getattr(srrd, name)
        assert name in ("METRICS", "Metric", "__version__") or value.__doc__, name
    assert set(srrd.__all__) <= set(dir(srrd))
    with pytest.raises(AttributeError, match="nothing"):
        _ = srrd.nothing


def test_every_public_name_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "api.md").read_text()
    shown = re.findall(r"^::: srrd\.(.+)$", reference, flags=re.MULTILINE)
    names = {name.rsplit(".", 1)[1] for name in shown}
    assert len(names) == len(shown)
    modules = {"irl", "plot", "__version__"}
    of_modules = {*srrd.irl.__all__, *srrd.plot.__all__, "NotEnoughData", "assert_same_behaviour"} - {"METHODS"}
    assert names == (set(srrd.__all__) - modules) | of_modules


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"^ +- .*: ([\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE))
    assert listed == {page.name for page in PAGES}


def test_neighbouring_examples_become_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs", reason="python/test.py installs it")
    monkeypatch.syspath_prepend(ROOT / "python")
    tabbed = importlib.import_module("site_hooks").tabbed
    pair = "One:\n\n```sh\nsrrd a\n```\n\n```python\na()\n\nb()\n```\n\nend\n"
    assert tabbed(pair) == (
        'One:\n\n\n=== "Command"\n\n    ```sh\n    srrd a\n    ```\n\n=== "Python"\n\n    ```python\n    a()\n\n    b()\n    ```\n\n\nend\n'
    )
    for apart in (pair.replace("```\n\n```python", "```\n\nOr:\n\n```python"), pair.replace("python", "yaml")):
        assert tabbed(apart) == apart
