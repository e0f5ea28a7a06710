"""The ladder as a table and as an image."""

from __future__ import annotations

from xml.etree import ElementTree

from i2s_sdk.report.ladder import ladder_markdown, ladder_notes, ladder_svg
from i2s_sdk.stats.ladder import GradedValue, TaskLadder, metric_orders
from i2s_sdk.tasks.graded import Rung

_ANSWERS = [
    GradedValue("a", rung, name, {"ems": value})
    for rung, name, value in (
        (Rung.PERFECT, "perfect", 1.0),
        (Rung.HALF_MISSING, "half missing", 0.8),
        (Rung.EQUIVALENT, "another size", 0.7),
    )
]
_TASK = TaskLadder("latex", "", 1, 2, 3, tuple(metric_orders(_ANSWERS, ["ems"])))


def test_a_note_names_the_forms_that_a_metric_puts_below_half_an_answer() -> None:
    notes = list(ladder_notes(_TASK))
    left_out = "2 that did not render or could not be made are left out"
    assert notes[0] == f"latex: instances 1, answers 3; {left_out}"
    assert "ems puts right answers below half an answer: in another size (0.000 of pairs right)" in notes[1]


def test_the_tables_have_a_row_for_each_metric_and_each_kind_of_pair() -> None:
    lines = ladder_markdown([_TASK]).splitlines()
    assert lines[2] == "| `ems` | 1.000 | – | – | 0.000 | – | 1 |"
    assert lines[-1] == "| `ems` | 0.000 |"


def test_the_image_has_a_mark_at_the_mean_of_each_grade() -> None:
    image = ElementTree.fromstring(ladder_svg([_TASK]))
    marks = [one for one in image.iter() if len(one) and one.tag.endswith("circle")]
    texts = ["half missing: 0.800", "another size: 0.700", "perfect: 1.000"]
    assert [mark[0].text for mark in marks] == texts, "perfect lies above the others"
    half, size, perfect = (float(mark.attrib["cx"]) for mark in marks)
    assert size < half < perfect
