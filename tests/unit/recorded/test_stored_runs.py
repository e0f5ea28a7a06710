"""Stored runs of version 0.1.0 open, report, merge and export as it is recorded, without any service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from current_recordings import compare_json, compare_lines, compare_text, condensed, masked, visible_lines
from i2s_sdk.cli.main import group
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import MANIFEST, RECORDS, RESULTS, read_records
from recorded import recorded_run

RUNS = ("finished", "interrupted", "shard-1", "shard-2")

#: Commands that need no service, in a folder with the stored runs and their data.
COMMANDS = {
    "compare": "compare shard-1 finished",
    "correlations": "correlations finished",
    "dataset-list": "dataset list data",
    "dataset-validate": "dataset validate data",
    "dry-run": "evaluate --data data --model replay:answers.jsonl --out new --dry-run",
    "export": "export finished -o table.csv",
    "merge": "merge shard-1 shard-2 --out merged --fail-on-error 10",
    "repeats": "repeats finished shard-1",
    "report": "report finished",
    "report-two": "report finished interrupted --out both",
    "show": "show finished",
    "show-one": "show finished tiny-3",
    "table": "table finished --intervals",
    "table-by-difficulty": "table finished interrupted --by-difficulty",
    "table-latex": "table finished --format latex --published",
    "table-markdown": "table finished --format markdown --mean rendered",
}
#: Commands without JSON: an option chooses their form, or these runs are an error.
_WITHOUT_JSON = ("repeats", "table-latex", "table-markdown")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with all stored runs and their data; a terminal would be as wide as here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    for name in RUNS:
        recorded_run(name, tmp_path)
    return tmp_path


def printed(words: str, folder: Path) -> tuple[str, str]:
    """Run a command in this process, and return its standard output, and its errors with the exit code."""
    done = CliRunner().invoke(group, words.split(), catch_exceptions=True)
    ended = f"{done.stderr}exit code {done.exit_code}, {done.exception!r}\n"
    return masked(done.stdout, folder), masked(ended, folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_as_they_did(name: str, folder: Path) -> None:
    out, ended = printed(COMMANDS[name], folder)
    compare_text(f"stored/{name}.txt", f"{out}--- standard error\n{ended}")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in _WITHOUT_JSON])
def test_commands_print_the_json_that_they_did(name: str, folder: Path) -> None:
    out, _ = printed(f"{COMMANDS[name]} --json", folder)
    compare_json(f"stored/{name}.json", json.loads(out))


@pytest.mark.parametrize("name", RUNS)
def test_records_are_read_as_they_were(name: str, folder: Path) -> None:
    compare_lines(
        f"stored/{name}.jsonl", (record_line(record) for record in read_records(folder / name).values())
    )


@pytest.mark.parametrize("name", RUNS)
def test_reports_say_what_they_said(name: str, folder: Path) -> None:
    printed(f"report {name}", folder)
    page = (folder / name / "index.html").read_text(encoding="utf-8")
    compare_text(f"stored/{name}-report.txt", masked(visible_lines(page), folder))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_exports_have_the_columns_and_values_that_they_had(ending: str, folder: Path) -> None:
    printed(f"export finished -o table.{ending}", folder)
    table = (folder / f"table.{ending}").read_bytes().decode()
    compare_text(f"stored/finished-export.{ending}", table.replace("\r", "\\r"))


def test_merged_shards_have_the_files_that_they_had(folder: Path) -> None:
    printed(COMMANDS["merge"], folder)
    merged = folder / "merged"
    manifest = json.loads((merged / MANIFEST).read_text(encoding="utf-8"))
    files = sorted(
        str(file.relative_to(merged))
        for file in merged.rglob("*")
        if file.is_file() and "thumbnails" not in file.parts
    )
    compare_json("stored/merged.json", {"files": files, "manifest": manifest})
    compare_json("stored/merged-results.json", json.loads((merged / RESULTS).read_text(encoding="utf-8")))
    lines = (merged / RECORDS).read_text(encoding="utf-8").splitlines()
    compare_lines("stored/merged.jsonl", (condensed(json.loads(line)) for line in lines))
