"""The examples in the documentation are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import matplotlib as mpl
import pytest
import srrd

mpl.use("Agg")

MODULES = sorted(
    module.name for module in pkgutil.iter_modules(srrd.__path__) if module.name not in ("_srrd", "__main__")
)


@pytest.mark.parametrize("name", ["", *MODULES])
@pytest.mark.filterwarnings("ignore::srrd.DataWarning")
def test_examples(name: str) -> None:
    module = importlib.import_module(f"srrd.{name}" if name else "srrd")
    assert doctest.testmod(module).failed == 0
