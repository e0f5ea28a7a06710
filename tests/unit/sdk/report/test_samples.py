"""Panels of a task's view, as the script of a report reads them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from i2s_sdk.report import samples
from i2s_sdk.report.samples import details
from i2s_sdk.run.storage.codec import read_record, read_rendering, record_line, rendering_line
from i2s_sdk.run.storage.record import FirstError, Outcome, QuestionPart, ReadingNote, Record, StoredQuestion
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.view import (
    ImageMark,
    ImageMarkKind,
    MarkedImage,
    Panel,
    RowMark,
    ShownSample,
    TextPanel,
    TreePanel,
    TreeRow,
)
from run_folders import instances, record_of, rendered_of
from sample_records import changed, flat_record

RECORD = flat_record(
    "a", "latex", "s", "", outcome=Outcome.SCORED, completion="said", detail={"one": {"box": [0, 1]}}
)
Set = Callable[[Callable[[ShownSample], tuple[Panel, ...]]], None]


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> Set:
    def set_view(made: Callable[[ShownSample], tuple[Panel, ...]]) -> None:
        monkeypatch.setitem(SPECS, "latex", replace(SPECS["latex"], view=made))

    return set_view


def test_a_task_without_view_has_no_panel() -> None:
    assert samples.panels_of(RECORD) == []


def test_a_view_sees_the_sample_and_its_panels_are_plain(view: Set) -> None:
    def made(shown: ShownSample) -> tuple[Panel, ...]:
        return (
            TextPanel("Said", shown.completion or "", "latex"),
            MarkedImage("Marks", (ImageMark(ImageMarkKind.GOLD, (0.5, 0.6, 0.1, 0.2), "B"),)),
            TreePanel("Fields", (TreeRow(0, "x", "1", "2", RowMark.MISSED),)),
        )

    view(made)
    assert samples.panels_of(RECORD) == [
        {"kind": "text", "title": "Said", "text": "said", "language": "latex"},
        {"kind": "image", "title": "Marks", "marks": [["gold", [0.1, 0.2, 0.5, 0.6], "B"]]},
        {"kind": "tree", "title": "Fields", "rows": [[0, "x", "1", "2", "missed"]], "left": 0},
    ]


@pytest.mark.parametrize("box", [(-1.0, 0.0, 9.0, 0.5), (0.0, 0.0, 1.0, 0.5)])
def test_marks_stay_within_the_image(view: Set, box: tuple[float, float, float, float]) -> None:
    view(lambda shown: (MarkedImage("Marks", (ImageMark(ImageMarkKind.ANSWER, box),)),))
    assert samples.panels_of(RECORD)[0]["marks"] == [["answer", [0.0, 0.0, 1.0, 0.5], ""]]


def test_a_record_that_the_view_does_not_expect_has_no_panel(view: Set) -> None:
    view(lambda shown: (TextPanel("x", shown.detail["two"]["text"]),))
    assert samples.panels_of(RECORD) == []


def test_a_large_tree_is_cut(view: Set) -> None:
    view(lambda shown: (TreePanel("x", tuple(TreeRow(1, str(at)) for at in range(samples.MOST_ROWS + 7))),))
    (found,) = samples.panels_of(RECORD)
    assert (len(found["rows"]), found["left"]) == (samples.MOST_ROWS, 7)


def _record(**changes: object) -> Record:
    return changed(record_of(instances(1)[0]), structure="a", **changes)  # type: ignore[arg-type]


def test_a_question_has_its_texts_and_the_places_of_its_images() -> None:
    asked = StoredQuestion(
        (QuestionPart("Look."), QuestionPart(sha256="e" * 64, file="e.png"), QuestionPart(file="b.pdf")),
        "Sys",
    )
    found = details(_record(), None, (("page-1", asked),), {"e" * 64: 7})
    assert found["asked"] == [["page-1", "Sys", ["Look.", 7, ["b.pdf"]], ""]]


def test_the_first_cause_stands_beside_the_last_error() -> None:
    first, last = FirstError("missing $", "OTHER", 3), FirstError("no \\end", "OTHER", 9)
    found = details(_record(error=last, error_before_repair=first), None, (), {})
    assert (found["error_before_repair"]["line"], found["error"]["line"]) == (3, 9)
    plain = record_line(_record())
    assert "error_before_repair" not in plain
    assert read_record(plain).rendering.error_before_repair is None
    again = read_record(record_line(_record(error_before_repair=first)))
    assert again.rendering.error_before_repair == first


def test_a_document_that_is_the_structure_is_known_as_such_and_a_dropped_one_is_said() -> None:
    own = hashlib.sha256(b"a").hexdigest()
    assert details(_record(document_sha256=own), None, (), {})["document"] == 0
    dropped = details(_record(document_sha256="0" * 64), None, (), {})
    assert "document" not in dropped
    assert "more than 50000 characters" in dropped["dropped"]


def test_a_log_has_no_control_characters() -> None:
    record = _record()
    kept = rendered_of(record, log="! error\x1b[2J", target="b")
    found = details(record, kept, (), {})
    assert (found["log"], found["target"]) == ("! error\\x1b[2J", "b")
    _, again = read_rendering(rendering_line(record.instance, kept))
    assert (again.log, again.target) == (kept.log, kept.target)


def test_reasoning_and_the_choice_among_blocks_stand_beside_the_answer() -> None:
    completion = "<think>Maybe.</think>```x``` or ```y```<|im_end|>"
    reading = ReadingNote(21, len(completion) - 10, 2, (2,))
    found = details(_record(completion=completion, reading=reading), None, (), {})
    assert found["unread"] == "<think>Maybe.</think>\n…\n<|im_end|>"
    assert "blocks: 2, taken: 2" in found["facts"]
