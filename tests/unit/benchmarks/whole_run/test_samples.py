"""The samples of the comparison."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.harness.command import MeasurementError
from benchmarks.whole_run.samples import choose, evenly, lay_down
from i2s_sdk.data import open_data


def test_instances_are_taken_at_equal_distances() -> None:
    assert evenly(list(range(17)), 4) == [0, 4, 8, 12]
    assert evenly(list(range(3)), 0) == [0, 1, 2]
    assert evenly(list(range(3)), 5) == [0, 1, 2]


def test_so_many_samples_of_each_task_are_chosen() -> None:
    tasks = [one.task for one in choose(None, (), 2)]
    assert tasks == ["latex"] * 2 + ["webpage"] * 2 + ["music"] * 2


def test_data_without_a_task_is_refused(tmp_path: Path) -> None:
    lay_down([choose(None, (), 1)[0]], tmp_path)
    with pytest.raises(MeasurementError, match="task webpage"):
        choose(tmp_path / "data", (), 2)


def test_what_is_laid_down_is_a_data_set_with_answers_of_both_models(tmp_path: Path) -> None:
    samples = lay_down(choose(None, (), 1), tmp_path)
    ids = [sample.id for sample in samples]
    assert [instance.id for instance in open_data(tmp_path / "data").instances] == ids
    for model in ("first", "second"):
        lines = (tmp_path / f"{model}.jsonl").read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == ids


def test_the_procedure_renders_what_the_second_model_answered(tmp_path: Path) -> None:
    latex, page, music = lay_down(choose(None, (), 1), tmp_path)
    assert "What a second model gives" in latex.source.read_text()
    assert "What a second model gives" in (page.source / "index.html").read_text()
    assert "What a second model gives" in music.source.read_text()
