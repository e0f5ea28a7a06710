"""Runs of version 0.1.0, whose records say nothing of their targets, beside runs of this version."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from i2s_sdk.report.analyses import compare_two
from i2s_sdk.report.compared import ComparedRuns, compare_views
from i2s_sdk.report.samples import sample_rows
from i2s_sdk.report.view import views_of
from i2s_sdk.run.storage.folder import RECORDS, read_run
from recorded import recorded_run


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return recorded_run("finished", tmp_path)


def with_targets(run: Path, name: str, **targets: str) -> Path:
    """Return a copy of a run with digests of targets, by instance where they are not those of all."""
    copy = run.with_name(name)
    shutil.copytree(run, copy)
    lines = [json.loads(line) for line in (copy / RECORDS).read_text().splitlines()]
    for line in lines:
        text = targets.get(line["id"].replace("-", "_"), "$x$")
        line["target_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (copy / RECORDS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return copy


def compared(*runs: Path) -> ComparedRuns:
    return compare_views(views_of([read_run(run) for run in runs]))


def test_a_run_of_an_earlier_version_is_compared_as_before(old: Path) -> None:
    assert all("target_sha256" not in json.loads(line) for line in (old / RECORDS).read_text().splitlines())
    again = shutil.copytree(old, old.with_name("again"))
    before = compared(old, again).by_task["latex"]
    beside_new = compared(old, with_targets(old, "new")).by_task["latex"]
    assert before.common == beside_new.common
    assert len(before.common or ()) > 5
    found = {
        comparison.metric: comparison
        for comparison in compare_two(old, with_targets(old, "newer")).versus.comparisons
    }
    assert found["ems"].equal == len((before.common or frozenset()) - {"wild-0"})


def test_runs_of_this_version_are_not_compared_where_the_text_of_the_target_differs(old: Path) -> None:
    one = with_targets(old, "one")
    other = with_targets(old, "other", tiny_0="$y$")
    found = compared(one, other)
    common = compared(old, one).by_task["latex"].common or frozenset()
    assert found.by_task["latex"].common == common - {"tiny-0"}
    assert any("Targets of 1 instance of latex differ" in note for note in found.notes(["latex"]))
    ems = next(
        comparison for comparison in compare_two(one, other).versus.comparisons if comparison.metric == "ems"
    )
    assert ems.equal == len(common - {"tiny-0", "wild-0"})


def test_the_gallery_has_a_row_for_each_target(old: Path) -> None:
    views = views_of(
        [read_run(one) for one in (with_targets(old, "one"), with_targets(old, "b", tiny_0="$y$"))]
    )
    rows = [
        row
        for row in sample_rows(views)
        if any(one is not None and one.instance.id == "tiny-0" for one in row)
    ]
    assert [[one is not None for one in row] for row in rows] == [[True, False], [False, True]]
    both = views_of([read_run(one) for one in (old, with_targets(old, "new"))])
    assert all(None not in row for row in sample_rows(both))
