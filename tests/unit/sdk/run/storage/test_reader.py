"""Runs as their readers see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import RECORDS
from i2s_sdk.run.storage.manifest import INSTANCES
from i2s_sdk.run.storage.reader import read_run
from i2s_sdk.run.storage.record import Outcome
from run_folders import instances, make_run, options, record_of, write_run
from sample_records import flat_record


def test_texts_are_read_when_they_are_wanted(tmp_path: Path) -> None:
    run = read_run(make_run(tmp_path / "run", 20, pictures=False))
    for one, planned in zip(run.ordered(), instances(20), strict=True):
        assert one.answer.completion == ""
        assert run.with_texts(one) == record_of(planned)


def test_of_several_lines_of_one_sample_the_last_counts_and_a_torn_one_does_not(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", 3, pictures=False)
    first = instances(1)[0]
    again = flat_record(
        first.id, first.task, first.subset, first.difficulty, outcome=Outcome.REFUSED, completion="No."
    )
    with (path / RECORDS).open("a") as lines:
        lines.write(json.dumps(record_line(again)) + "\n" + '{"id": "torn", "ta')
    run = read_run(path)
    assert len(run.records) == 3
    assert run.with_texts(run.records[first.id]) == again


def test_a_shard_has_its_own_instances(tmp_path: Path) -> None:
    planned = instances(30)
    parts = [
        read_run(write_run(tmp_path / str(at), planned, {}, options(shard=f"{at}/3"))).planned
        for at in (1, 2, 3)
    ]
    assert sorted(one.id for part in parts for one in part) == sorted(one.id for one in planned)


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not the folder of a run"):
        read_run(tmp_path)
    path = make_run(tmp_path / "run", 1, pictures=False)
    (path / RECORDS).write_text('{"id": "a"}\n')
    with pytest.raises(DataError, match=r"records.jsonl:1: is not a record"):
        read_run(path)
    (path / INSTANCES).write_text('{"name": "a"}\n')
    (path / RECORDS).write_text("")
    with pytest.raises(UsageError, match=r"instances.jsonl, line 1"):
        read_run(path)
    (path / INSTANCES).unlink()
    with pytest.raises(UsageError, match=r"holds no instances.jsonl"):
        read_run(path)
