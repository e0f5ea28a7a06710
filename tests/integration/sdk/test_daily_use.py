"""Commands of docs/daily-use.md do what the page says; their data sets need no service."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from documentation_pages import blocks, commands, section
from i2s_sdk.data import read_folder

pytestmark = pytest.mark.integration

PAGE = "daily-use.md"
EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
PROGRAM = Path(sys.executable).with_name("i2s-sdk")


class Terminal:
    """Runs command lines in a folder with a data set ``my-set``, without services."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(EXAMPLES / "sobench", folder / "my-set")
        own = {
            "XDG_CACHE_HOME": str(folder / "cache"),
            "I2S_REFERENCE_POINTS": "no",
            "I2S_START_SECONDS": "1",
        }
        self.environ = {name: text for name, text in os.environ.items() if not name.startswith("I2S_")} | own

    def run(self, line: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a line that begins with i2s-sdk."""
        name, *words = shlex.split(line, comments=True)
        assert name == "i2s-sdk"
        ended = subprocess.run(
            [str(PROGRAM), *words],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=280,
        )
        assert ended.returncode == code, f"{line}\n{ended.stdout}\n{ended.stderr}"
        return ended

    def about(self, run: str) -> dict[str, str]:
        """Return the facts of a run."""
        about: dict[str, str] = json.loads((self.folder / run / "manifest.json").read_text())["about"]
        return about


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


def test_a_label_is_the_name_of_a_run_everywhere(terminal: Terminal) -> None:
    lines = commands(section(PAGE, "Names and notes"))
    printed = [terminal.run(line).stdout for line in lines]
    about = terminal.about("runs/first")
    assert (about["label"], about["note"]) == ("first try", "before the prompt was shortened")
    assert "first try:" in printed[0]
    assert terminal.about("runs/second")["label"] == "second try"  # given when all its samples had ended
    page = (terminal.folder / "both/index.html").read_text()
    assert all(text in page for text in ("first try", "second try", "before the prompt was shortened"))
    rows = list(csv.DictReader((terminal.folder / "first.csv").open()))
    assert {row["label"] for row in rows} == {"first try"}


def test_a_start_that_fails_leaves_no_folder_and_says_why_in_one_line(terminal: Terminal) -> None:
    model, data = commands(section(PAGE, "A start that fails"))
    assert "127.0.0.1:9" in terminal.run(model, code=2).stderr
    assert "my-sett" in terminal.run(data, code=2).stderr
    assert not (terminal.folder / "runs").exists()


def test_a_model_and_a_scorer_in_one_file_give_values_and_changed_ones_another_run(
    terminal: Terminal,
) -> None:
    terminal.run(commands(section(PAGE, "Names and notes"))[0])
    page = section(PAGE, "A scorer or a model in one Python file")
    (program,) = blocks(page, "python")
    (terminal.folder / "my.py").write_text(program)
    printed = [terminal.run(line).stdout for line in commands(page)]
    assert all("quotes" in text for text in printed)
    own = json.loads((terminal.folder / "runs/own/results.json").read_text())["tasks"]["sobench"]["values"]
    assert own["quotes"] == pytest.approx(0.04)
    report = terminal.run("i2s-sdk report runs/own runs/first-scored --out both")  # needs no my.py
    assert "quotes" in (terminal.folder / "both/index.html").read_text(), report.stderr

    (terminal.folder / "my.py").write_text(program.replace("/ 100", "/ 50"))
    changed = terminal.run(commands(page)[0], code=2).stderr
    assert "another version of its file" in changed
    refused = terminal.run("i2s-sdk score-run runs/first --scorer my.py:score", code=2).stderr
    assert "--model replay:runs/first --scorer my.py:score --out FOLDER" in refused
    again = terminal.run(commands(page)[1], code=2).stderr
    assert "--model replay:runs/first-scored --scorer my.py:score --out FOLDER" in again


def test_a_file_of_settings_in_the_working_folder_names_no_code(terminal: Terminal) -> None:
    (terminal.folder / "my.py").write_text("raise SystemExit('it ran')")
    for line in ('model = "my.py:model"', 'scorer = "my.py:score"', 'scorer = ["my.py:score"]'):
        (terminal.folder / "i2s.toml").write_text(f"[evaluate]\n{line}\n")
        refused = terminal.run("i2s-sdk evaluate --data my-set", code=2).stderr
        assert "a program" in refused
        assert "it ran" not in refused


def test_files_of_prompts_are_runs_beside_each_other_that_are_named_after_them(terminal: Terminal) -> None:
    (program,) = blocks(section(PAGE, "A scorer or a model in one Python file"), "python")
    (terminal.folder / "my.py").write_text(program)
    page = section(PAGE, "Variants of a prompt")
    (prompts,) = blocks(page, "toml")
    (terminal.folder / "short.toml").write_text(prompts)
    (terminal.folder / "brief.toml").write_text(prompts.replace("Answer by the schema", "Be brief"))
    (line,) = commands(page)
    ended = terminal.run(f"{line} --json")
    assert json.loads(ended.stdout)["runs"].keys() == {"short", "brief"}
    assert terminal.about("runs/prompts/short")["label"] == "short"
    answers = [
        (terminal.folder / f"runs/prompts/{one}/answers.jsonl").read_text() for one in ("short", "brief")
    ]
    assert ["Answer by the schema" in answer for answer in answers] == [True, False]
    page_text = (terminal.folder / "runs/prompts/index.html").read_text()
    assert "Prompts of sobench differ" in page_text
    results = terminal.folder / "runs/prompts/short/results.json"
    before = results.read_bytes()
    (terminal.folder / "brief.toml").write_text(prompts)
    assert "prompts" in terminal.run(line, code=2).stderr  # another variant of that name is another run
    assert results.read_bytes() == before


def test_an_error_names_the_line_of_what_was_given(
    terminal: Terminal, light_endpoints: dict[str, str]
) -> None:
    page = section(PAGE, "The line of an error")
    (source,) = blocks(page, "tex")
    (terminal.folder / "broken.tex").write_text(source)
    terminal.environ |= light_endpoints
    (line,) = commands(page)
    said = terminal.run(line, code=1).stderr
    assert "Undefined control sequence" in said
    assert "the error is in line 2 of what was given" in said

    (instance,) = (one for one in read_folder(EXAMPLES).instances if one.id == "equation-block-inverse")
    answer = {"id": instance.id, "completion": f"Here it is:\n```latex\n{source}```\n"}
    (terminal.folder / "answer.jsonl").write_text(json.dumps(answer))
    terminal.run(
        "i2s-sdk evaluate --model replay:answer.jsonl --sample-id equation-block-inverse --out runs/broken"
    )
    assert "line 4 of the answer" in terminal.run("i2s-sdk show runs/broken equation-block-inverse").stdout
