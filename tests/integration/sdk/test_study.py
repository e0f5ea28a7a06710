"""The commands of the page about a study do what the page says, on fewer instances."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command_terminal import Terminal
from documentation_pages import blocks, commands, section

pytestmark = pytest.mark.integration

PAGE = "study.md"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
#: As few instances as have an interval, of the task whose renderer is the fastest.
FEWER = ("--task", "latex", "--limit", "5", "--set", "reference_points=no")


@pytest.fixture
def terminal(tmp_path: Path, light_endpoints: dict[str, str]) -> Terminal:
    (tmp_path / "examples").symlink_to(EXAMPLES)
    return Terminal(tmp_path, light_endpoints)


def metrics(run: Path) -> dict[str, dict[str, float]]:
    """The values of the samples of a run, by id."""
    records = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    return {record["id"]: record["metrics"] for record in records}


def test_a_study_from_the_data_to_the_figure(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    (evaluation,) = commands(section(PAGE, "3. Evaluate"))
    assert terminal.run(evaluation, *FEWER).count("5 of 5") == 2
    compare, *_ = commands(section(PAGE, "5. Compare"))
    (ems,) = re.findall(r"^  latex +ems .*$", terminal.run(compare), flags=re.MULTILINE)
    instances, _needed = ems.split()[-2:]
    assert instances == "5"
    lowest, *_ = commands(section(PAGE, "6. Look at samples"))
    assert terminal.run(lowest).count("latex/") == 3
    tables, *_ = commands(section(PAGE, "7. A table for the paper"))
    assert r"\toprule" in terminal.run(tables.partition(" > ")[0])
    (figure,) = blocks(section(PAGE, "8. A figure"), "python")
    monkeypatch.chdir(terminal.folder)
    monkeypatch.setenv("MPLBACKEND", "agg")
    exec(compile(figure, PAGE, "exec"), {})
    assert (terminal.folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    *_, again = commands(section(PAGE, "9. Keep and publish"))
    terminal.run(again, "--task", "latex")
    repeated = metrics(terminal.folder / "runs/again")
    assert len(repeated) == 3
    assert repeated.items() <= metrics(terminal.folder / "runs/study/replay-full-size.jsonl").items()
