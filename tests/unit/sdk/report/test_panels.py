"""Panels of a task's view, as the script of a report reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from i2s_sdk.report import panels
from i2s_sdk.runlog.outcome import Outcome
from i2s_sdk.runlog.record import Record
from i2s_sdk.tasks.registry import SPECS
from i2s_sdk.tasks.view import (
    Mark,
    MarkedImage,
    MarkKind,
    Panel,
    RowMark,
    Shown,
    TextPanel,
    TreePanel,
    TreeRow,
)

RECORD = Record(
    "a", "latex", "s", "", outcome=Outcome.SCORED, completion="said", detail={"one": {"box": [0, 1]}}
)
Set = Callable[[Callable[[Shown], tuple[Panel, ...]]], None]


@pytest.fixture
def view(monkeypatch: pytest.MonkeyPatch) -> Set:
    def set_view(made: Callable[[Shown], tuple[Panel, ...]]) -> None:
        monkeypatch.setitem(SPECS, "latex", replace(SPECS["latex"], view=made))

    return set_view


def test_a_task_without_view_has_no_panel() -> None:
    assert panels.panels_of(RECORD) == []


def test_a_view_sees_the_sample_and_its_panels_are_plain(view: Set) -> None:
    def made(shown: Shown) -> tuple[Panel, ...]:
        return (
            TextPanel("Said", shown.completion or "", "latex"),
            MarkedImage("Marks", (Mark(MarkKind.GOLD, (0.5, 0.6, 0.1, 0.2), "B"),)),
            TreePanel("Fields", (TreeRow(0, "x", "1", "2", RowMark.MISSED),)),
        )

    view(made)
    assert panels.panels_of(RECORD) == [
        {"kind": "text", "title": "Said", "text": "said", "language": "latex"},
        {"kind": "image", "title": "Marks", "marks": [["gold", [0.1, 0.2, 0.5, 0.6], "B"]]},
        {"kind": "tree", "title": "Fields", "rows": [[0, "x", "1", "2", "missed"]], "left": 0},
    ]


@pytest.mark.parametrize("box", [(-1.0, 0.0, 9.0, 0.5), (0.0, 0.0, 1.0, 0.5)])
def test_marks_stay_within_the_image(view: Set, box: tuple[float, float, float, float]) -> None:
    view(lambda shown: (MarkedImage("Marks", (Mark(MarkKind.ANSWER, box),)),))
    assert panels.panels_of(RECORD)[0]["marks"] == [["answer", [0.0, 0.0, 1.0, 0.5], ""]]


def test_a_record_that_the_view_does_not_expect_has_no_panel(view: Set) -> None:
    view(lambda shown: (TextPanel("x", shown.detail["two"]["text"]),))
    assert panels.panels_of(RECORD) == []


def test_a_large_tree_is_cut(view: Set) -> None:
    view(lambda shown: (TreePanel("x", tuple(TreeRow(1, str(at)) for at in range(panels.MOST + 7))),))
    (found,) = panels.panels_of(RECORD)
    assert (len(found["rows"]), found["left"]) == (panels.MOST, 7)
