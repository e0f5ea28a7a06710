"""Shards of a run, put together again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.run.merge import merge
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.settings import Settings
from tiny_formulas import write_tiny_formulas

pytestmark = pytest.mark.integration

COUNT = 25


def test_three_shards_put_together_have_the_numbers_of_one_run_byte_for_byte(
    tmp_path: Path, running_without_networks: Settings
) -> None:
    data = write_tiny_formulas(tmp_path / "data", COUNT)
    answers = tmp_path / "answers.jsonl"
    rows = ({"id": name, "completion": text} for name, text in data.answers().items())
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(name: str, shard: str | None) -> int:
        result = evaluate(
            data.folder,
            f"replay:{answers}",
            out=tmp_path / name,
            shard=shard,
            settings=running_without_networks,
        )
        assert result.covered
        return result.summary.planned

    assert run("whole", None) == COUNT
    parts = [run(f"shard-{number}", f"{number}/3") for number in (1, 2, 3)]
    assert sum(parts) == COUNT
    assert all(parts)
    merge([tmp_path / f"shard-{number}" for number in (3, 1, 2)], tmp_path / "merged")
    whole, merged = ((tmp_path / name / "results.json").read_bytes() for name in ("whole", "merged"))
    assert merged == whole
    ours, theirs = read_records(tmp_path / "merged"), read_records(tmp_path / "whole")
    assert {name: record.rendering.sha256 for name, record in ours.items()} == {
        name: record.rendering.sha256 for name, record in theirs.items()
    }
