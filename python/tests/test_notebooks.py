"""The notebooks run, and are stored with small outputs and without errors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tables import PACKAGE

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))


def printed(cell: Any) -> str:
    """What a cell prints, however it came in pieces."""
    outputs = cell.get("outputs", ())
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def test_there_are_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS][:2] == ["agents", "neural_rewards"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nbformat.read(path, as_version=4)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")]))
    # Small matrices are slower on several threads, most of all where others compute as well.
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    stored = [printed(cell) for cell in book.cells]
    NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("SRRD_WRITE_DOCS"):
        for cell in book.cells:
            # When it ran, on which version: of no use to a reader, and other on every machine.
            cell.metadata.pop("execution", None)
        book.metadata = {"kernelspec": book.metadata["kernelspec"], "language_info": {"name": "python"}}
        nbformat.write(book, path)
    elif path.stem == "agents":
        # Nothing in it depends on the machine. (Networks, in the other one, are trained by its linear algebra.)
        assert [printed(cell) for cell in book.cells] == stored, "SRRD_WRITE_DOCS=1 python3 python/test.py -k notebook"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_stored_with_its_outputs(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    outputs = [output for cell in cells for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert all(cell.execution_count for cell in cells)
    for output in outputs:
        assert output.output_type != "error"
        assert len(output.get("data", {}).get("image/png", "")) < 100_000 * 4 // 3
        assert "ipykernel" not in str(output.get("text", ""))
