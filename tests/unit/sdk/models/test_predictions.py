"""Folders of predictions: their layouts, and what is missing from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, answers_whole
from i2s_sdk.models.predictions import Predictions, find_predictions
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import SPECS

INSTANCES = [
    Instance("1004.3799", "readoc", "arxiv", None),
    Instance("108110", "readoc", "github", None),
]
NOTHING = Question(())


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


async def _answers(folder: Path, system: str = "") -> dict[str, Completion]:
    (found,) = find_predictions(folder, INSTANCES, (system,) if system else ())
    model = Predictions(found)
    return {instance.id: await model.complete(instance, NOTHING) for instance in INSTANCES}


@pytest.mark.parametrize("layout", ["{subset}/tool/{id}.md", "{subset}/{id}.md", "{id}.md"])
async def test_every_layout_is_found(tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "tool"
    _write(
        folder,
        **{
            layout.format(subset=instance.subset, id=instance.id): f"# {instance.id}"
            for instance in INSTANCES
        },
    )
    (found,) = find_predictions(folder, INSTANCES)
    assert found.system == "tool"
    answers = await _answers(folder)
    assert {name: answer.text for name, answer in answers.items()} == {
        "1004.3799": "# 1004.3799",
        "108110": "# 108110",
    }
    assert answers_whole(Predictions(found))


async def test_a_missing_file_is_an_empty_answer_that_is_marked(tmp_path: Path) -> None:
    answers = await _answers(
        _write(tmp_path, **{"arxiv/marker/1004.3799.md": "text", "github/marker/x.md": ""})
    )
    assert answers["1004.3799"] == Completion("text", Finish.STOP)
    assert answers["108110"] == Completion("", Finish.MISSING)


def test_systems_are_sorted_and_can_be_chosen(tmp_path: Path) -> None:
    _write(tmp_path, **{"arxiv/b/1004.3799.md": "", "github/a/108110.md": "", "github/.git/108110.md": ""})
    assert [prediction.system for prediction in find_predictions(tmp_path, INSTANCES)] == ["a", "b"]
    assert [prediction.system for prediction in find_predictions(tmp_path, INSTANCES, ["b"])] == ["b"]
    with pytest.raises(UnknownNameError, match="no system is called 'c'"):
        find_predictions(tmp_path, INSTANCES, ["c"])


def test_a_folder_without_predictions_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"arxiv/SYSTEM/1004\.3799\.md and 1004\.3799\.md"):
        find_predictions(_write(tmp_path, **{"other.md": ""}), INSTANCES)
    with pytest.raises(UsageError, match="is not a folder"):
        find_predictions(tmp_path / "none", INSTANCES)


def test_tasks_without_text_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="replay:FILE"):
        find_predictions(tmp_path, [Instance("a", "webpage", "css", None)])


def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    secret = _write(tmp_path, **{"secret": "root"}) / "secret"
    folder = _write(tmp_path / "predictions", **{"108110.md": ""})
    (folder / "1004.3799.md").symlink_to(secret)
    with pytest.raises(DataError, match="leads out of"):
        find_predictions(folder, INSTANCES)


async def test_long_and_odd_files_are_bounded(tmp_path: Path) -> None:
    _write(tmp_path, **{"108110.md": "x" * 100})
    (tmp_path / "1004.3799.md").write_bytes(b"a\xff\xfeb")
    (found,) = find_predictions(tmp_path, INSTANCES)
    model = Predictions(found, most_characters=50)
    answers = [await model.complete(instance, NOTHING) for instance in INSTANCES]
    assert [answer.finish for answer in answers] == [Finish.STOP, Finish.TOO_LONG]
    assert answers[0].text == "a\ufffd\ufffdb"


def test_other_files_are_another_fingerprint(tmp_path: Path) -> None:
    prints = set()
    for text in ("a", "b"):
        (found,) = find_predictions(_write(tmp_path, **{"108110.md": text}), INSTANCES)
        prints.add(Predictions(found).fingerprint)
    (found,) = find_predictions(_write(tmp_path, **{"1004.3799.md": ""}), INSTANCES)
    assert len(prints | {Predictions(found).fingerprint}) == 3


def test_folders_beside_each_other_are_systems_if_nothing_else_is_there(tmp_path: Path) -> None:
    _write(tmp_path, **{"b/1004.3799.md": "", "a/108110.md": "", "other/readme.txt": ""})
    assert [prediction.system for prediction in find_predictions(tmp_path, INSTANCES)] == ["a", "b"]
    _write(tmp_path, **{"108110.md": ""})
    assert [prediction.system for prediction in find_predictions(tmp_path, INSTANCES)] == [tmp_path.name]


def test_suffixes_of_predictions_are_tried_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPECS["readoc"], prediction_suffixes=(".md", "_repeat1.md"))
    monkeypatch.setitem(SPECS, "readoc", spec)
    _write(tmp_path, **{"arxiv/1004.3799_repeat1.md": "", "108110.md": "", "github/108110_repeat1.md": ""})
    (found,) = find_predictions(tmp_path, INSTANCES)
    assert {name: path.name for name, path in found.files.items()} == {
        "1004.3799": "1004.3799_repeat1.md",
        "108110": "108110.md",
    }
