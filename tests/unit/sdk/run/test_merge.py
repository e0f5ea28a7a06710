"""Shards that become one run."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from i2s_sdk.errors import RunConflictError, UsageError
from i2s_sdk.run.merge import merge
from i2s_sdk.run.storage.codec import record_line
from i2s_sdk.run.storage.folder import RESULTS, image_name, read_run
from i2s_sdk.run.storage.manifest import PlannedInstance
from i2s_sdk.stats.aggregate import results_document, summarize_run
from run_folders import instances, make_run, options, record_of, write_run

NUMBER = 40


def _shards(folder: Path, count: int, **changes: object) -> list[Path]:
    planned = instances(NUMBER)
    paths = []
    for index in range(1, count + 1):
        path = folder / f"part-{index}"
        records = [record_of(one, folder=path) for one in planned]
        random.Random(index).shuffle(records)
        given = options(shard=f"{index}/{count}", **changes)
        paths.append(write_run(path, planned, {record.instance.id: record for record in records}, given))
    return paths


def _results(run: Path) -> bytes:
    stored = read_run(run)
    return results_document(summarize_run(stored), stored.manifest)


@pytest.mark.parametrize("profile", ["paper", "helm"])
def test_three_shards_have_the_numbers_of_one_run_byte_for_byte(tmp_path: Path, profile: str) -> None:
    whole = make_run(tmp_path / "whole", NUMBER, pictures=False, profile=profile)
    parts = _shards(tmp_path, 3, profile=profile)
    assert all(0 < len(read_run(part).planned) < NUMBER for part in parts)
    random.Random(0).shuffle(parts)
    result = merge(parts, tmp_path / "merged")
    assert result.missing == ()
    assert (tmp_path / "merged" / RESULTS).read_bytes() == _results(whole)
    assert _results(tmp_path / "merged") == _results(whole)


def test_a_merged_run_is_a_run_without_shard_that_holds_every_picture(tmp_path: Path) -> None:
    merge(_shards(tmp_path, 2), tmp_path / "merged")
    stored = read_run(tmp_path / "merged")
    assert stored.manifest.options == options()
    assert [one.instance.id for one in stored.ordered()] == [instance.id for instance in instances(NUMBER)]
    digests = {one.instance.reference_sha256 for one in stored.ordered()}
    digests |= {one.rendering.sha256 for one in stored.ordered()} - {""}
    assert all((tmp_path / "merged" / image_name(digest)).is_file() for digest in digests)
    assert (tmp_path / "merged" / "index.html").is_file()


def test_missing_shards_are_said_and_are_not_scored(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 3)
    result = merge([parts[0], parts[2]], tmp_path / "merged")
    assert result.missing == tuple(one.id for one in read_run(parts[1]).planned)
    assert result.summary.planned == NUMBER
    counts = [
        group.outcomes.get("cancelled", 0) for task in result.summary.tasks.values() for group in task.groups
    ]
    assert sum(counts) == len(result.missing)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "model-b"}, "model: model-a there, model-b now"),
        ({"profile": "helm"}, "profile: paper there, helm now"),
        ({"engines": {"render-latex": "e2"}}, "engines"),
        ({"metrics": {"ems": "2"}}, "metrics"),
        ({"shard": "2/3"}, "shards: 2 there, 3 now"),
        ({"shard": ""}, "shards: 1 there, 2 now"),
    ],
)
def test_foreign_runs_are_refused_with_the_difference(
    tmp_path: Path, change: dict[str, str], said: str
) -> None:
    parts = _shards(tmp_path, 2)
    planned = instances(NUMBER)
    given = options(**{"shard": "2/2", **change})
    records = {one.id: record_of(one) for one in planned}
    parts[1] = write_run(tmp_path / "foreign", planned, records, given)
    with pytest.raises(RunConflictError, match=said):
        merge(parts, tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_an_engine_that_one_shard_did_not_need_is_no_difference(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 2)
    planned = instances(NUMBER)
    given = options(shard="2/2", engines={"render-html": "h1"})
    parts[1] = write_run(tmp_path / "other", planned, {one.id: record_of(one) for one in planned}, given)
    merge(parts, tmp_path / "merged")
    assert read_run(tmp_path / "merged").manifest.options.engines == {
        "render-latex": "e1",
        "render-html": "h1",
    }


def test_other_instances_are_a_difference(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 2)
    planned = [*instances(NUMBER), PlannedInstance("one-more", "latex", "equation")]
    records = {one.id: record_of(one) for one in planned}
    parts[1] = write_run(tmp_path / "longer", planned, records, options(shard="2/2"))
    with pytest.raises(RunConflictError, match="one-more not in both"):
        merge(parts, tmp_path / "merged")


def test_the_same_shard_twice_is_an_overlap(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 2)
    first = read_run(parts[0]).planned[0].id
    with pytest.raises(RunConflictError, match=f"overlap.*{first}"):
        merge([*parts, parts[0]], tmp_path / "merged")


def test_a_record_of_another_shard_is_refused(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 2)
    stranger = read_run(parts[1]).ordered()[0]
    with (parts[0] / "records.jsonl").open("a") as records:
        records.write(json.dumps(record_line(stranger)) + "\n")
    with pytest.raises(RunConflictError, match=f"not of shard 1/2: {stranger.instance.id}"):
        merge(parts[:1], tmp_path / "merged")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    parts = _shards(tmp_path, 2)
    with pytest.raises(UsageError, match="holds a run already"):
        merge(parts, parts[0])
    with pytest.raises(UsageError, match="is not the folder of a run"):
        merge([tmp_path], tmp_path / "merged")
