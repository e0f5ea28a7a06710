"""What a report says to people who do not have the machine of its run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from i2s_sdk.report import write_report
from i2s_sdk.report.sharing import is_digest, licences, repeat_command, shareable_facts
from i2s_sdk.report.view import RunView, views_of
from i2s_sdk.runlog.planned import Planned, parse_planned, planned_lines
from i2s_sdk.runlog.reader import read_run
from run_folders import instances, options, record_of, write_run


def view(folder: Path, about: dict[str, str], **changes: object) -> RunView:
    planned = [replace(one, licence="CC0-1.0", source=f"page {one.id}") for one in instances(5)]
    write_run(folder, planned, {one.id: record_of(one) for one in planned}, options(**changes))
    plain = json.loads((folder / "manifest.json").read_text())
    plain["about"] |= about
    (folder / "manifest.json").write_text(json.dumps(plain))
    return views_of([read_run(folder)])[0]


def test_no_path_of_the_machine_is_in_a_report(tmp_path: Path) -> None:
    about = {"data": "/nowhere/somebody/my-set", "merged from": "/nowhere/somebody/a, /nowhere/somebody/b"}
    one = view(tmp_path / "run", about)
    assert shareable_facts(one)["data"] == "my-set"
    assert shareable_facts(one)["merged from"] == "2 shards"
    page = Path(str(write_report([tmp_path / "run"]).path)).read_text()
    assert "somebody" not in page
    assert str(tmp_path) not in page


def test_the_command_makes_the_run_again(tmp_path: Path) -> None:
    one = view(tmp_path / "a", {"data": "/x/my set"}, model="openai/m", limit=3, seed=1, tasks=("latex",))
    assert repeat_command(one) == (
        "i2s-sdk evaluate --data 'my set' --model openai/m --profile paper --task latex --limit 3 --seed 1"
    )
    hub = view(tmp_path / "b", {"data": "/x/y", "data set": "hf:stanford-crfm/i2s-latex"})
    assert "--data hf:stanford-crfm/i2s-latex " in repeat_command(hub)


def test_licences_and_sources_are_those_of_the_instances(tmp_path: Path) -> None:
    one = view(tmp_path / "run", {})
    assert licences([one]) == [("CC0-1.0", 5)]
    page = Path(str(write_report([tmp_path / "run"]).path)).read_text()
    assert "CC0-1.0: 5" in page
    assert "Licence: CC0-1.0. page equation-0000" in page


def test_instances_without_licence_are_written_as_before() -> None:
    plain = planned_lines([Planned("a", "latex", "equation")])
    assert plain == b'{"id": "a", "task": "latex", "subset": "equation", "difficulty": ""}\n'
    assert parse_planned(plain, "x") == (Planned("a", "latex", "equation"),)


def test_digests_are_folded_away() -> None:
    assert is_digest("ab" * 32)
    assert not is_digest("2026-11-24T00:00:00+00:00")
