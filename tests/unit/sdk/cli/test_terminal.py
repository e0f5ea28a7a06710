"""What stands in data, or is said by servers, does not steer the terminal."""

from __future__ import annotations

import io
import json
import logging
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.cli.main import run
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.visible import VisibleFormatter, visible, visible_line
from run_folders import instances, options, record_of, write_run
from tiny_formulas import write_tiny_formulas

EVIL = "s\x1b]0;owned\x07\x9b31m\u202e\r\ud800\u2066"


def steers(text: str) -> list[str]:
    return [
        one
        for one in text
        if (one not in "\n\t" and unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp"))
        or one in "\u202e\u2066"
    ]


@given(st.text())
def test_nothing_that_steers_is_left_and_printable_text_is_as_it_was(text: str) -> None:
    assert steers(visible(text)) == []
    assert "\n" not in visible_line(text)
    assert visible(visible(text)) == visible(text)
    assert not text.isprintable() or visible(text) == text


def with_evil_subsets(folder: Path) -> Path:
    write_tiny_formulas(folder, 2)
    index = folder / "instances.jsonl"
    lines = [json.loads(line) for line in index.read_text().splitlines()]
    index.write_text("".join(json.dumps({**line, "subset": EVIL + "\nfake  line"}) + "\n" for line in lines))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["dataset", "list", "{data}"],
        ["dataset", "list", "{data}", "--subset", "\x1b[2J"],
        ["evaluate", "--data", "{data}", "--model", "\x1b[2J"],
        ["evaluate", "--\x1b[2J"],
        ["dataset", "validate", "no\x1b[2J"],
        ["evaluate", "--data", "{data}", "--limit", "\x1b[2J"],
    ],
)
def test_commands_print_no_control_characters(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    data = with_evil_subsets(tmp_path / "data")
    run([one.format(data=data) for one in command])
    told = capfd.readouterr()
    assert told.out + told.err
    assert steers(told.out + told.err) == []
    assert "\nfake" not in told.out


def test_tables_of_runs_print_no_control_characters(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    planned = instances(4)
    path = write_run(
        tmp_path / "run",
        planned,
        {one.id: record_of(one) for one in planned},
        options(model=EVIL.replace("\ud800", "")),
    )
    run(["table", str(path)])
    told = capfd.readouterr()
    assert "owned" in told.out
    assert steers(told.out) == []


def test_progress_and_log_lines_are_visible() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as progress:
        progress.show({"samples": 0}, 1, None)
        progress.show({"samples": 1}, 1, EVIL)
    assert steers(stream.getvalue()) == []
    record = logging.LogRecord("x", logging.WARNING, "", 0, "left out %s", (EVIL,), None)
    assert steers(VisibleFormatter("%(message)s").format(record)) == []
