"""The notebooks run from top to bottom and print what they were stored with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.integration

NOTEBOOKS = Path(__file__).resolve().parents[3] / "examples/notebooks"
SECONDS = 250


def printed(notebook: Any) -> list[str]:
    """What each cell of code wrote to standard output."""
    return [
        "".join(
            output.text
            for output in cell.outputs
            if output.output_type == "stream" and output.name == "stdout"
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def displayed(notebook: Any) -> int:
    """The number of images that cells display."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
@pytest.mark.nightly(instead="examples of the pages on Python (integrations/test_pages)")
def test_a_notebook_runs_and_prints_what_it_holds(
    path: Path, light_endpoints: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in light_endpoints.items():
        monkeypatch.setenv(name, value)
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert any(printed(stored))
    run = nbformat.read(path, as_version=4)
    NotebookClient(run, timeout=SECONDS, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(run) == printed(stored)
    assert displayed(run) == displayed(stored)


def test_there_are_two_notebooks_without_paths_of_a_machine() -> None:
    notebooks = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert len(notebooks) == 2
    assert all("/tmp/" not in path.read_text(encoding="utf-8") for path in notebooks)
