"""Which data set a stage alone goes on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.errors import UsageError
from i2s_sdk.run import stages
from run_folders import instances, options, write_run


def test_the_data_set_is_opened_with_the_subsets_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", instances(1), {}, options(subsets=("wild",)))
    asked: list[tuple[object, object]] = []

    def refuse(name: object, *, subsets: object = ()) -> None:
        asked.append((name, subsets))
        raise UsageError("seen")

    monkeypatch.setattr(stages, "open_data", refuse)
    with pytest.raises(UsageError, match="seen"):
        stages.render_run(run, data="hf:someone/set")
    assert asked == [("hf:someone/set", ("wild",))]


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no run"):
        stages.score_run(tmp_path)
