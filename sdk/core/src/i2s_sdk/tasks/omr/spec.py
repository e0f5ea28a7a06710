"""The specification of OMR: names, ground truth, the answers of baselines, and its view in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_sdk.instances.instance import Content
from i2s_sdk.scoring.omr_ned import score_fault
from i2s_sdk.tasks.omr.grades import GRADES
from i2s_sdk.tasks.omr.scorer import NAME, SIMILARITY
from i2s_sdk.tasks.omr.task import MAX_TOKENS, OmrTask
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, STRUCTURE, TaskSpec, fields, text_fault
from i2s_sdk.tasks.view import Panel, ShownSample, TextPanel

_BLANK = "**kern\n*clefG2\n*-\n"
_CONSTANT = (
    "**kern\n*clefG2\n*k[]\n*M4/4\n=1\n4c\n4d\n4e\n4f\n=2\n4g\n4a\n4b\n4cc\n=3\n4cc\n4b\n4a\n4g\n=4\n4f\n4e\n4d\n4c\n"
    "==\n*-\n"
)


def structure_fault(content: Content) -> str:
    """Return what is wrong with the text of a ground truth, without reading its music; empty for nothing."""
    return text_fault(content) or score_fault(content.structure or "")


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the numbers of symbols and the differences, bar by bar: the answer has "-", the target "+"."""
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    if "edits" not in detail:
        return ()
    counts = (
        f"{detail['edits']} symbols to be deleted or inserted, of {detail['prediction']} of the answer and "
        f"{detail['truth']} of the target"
    )
    return (TextPanel("Differences", "\n".join((counts, *detail["differences"]))),)


def _answer(content: Content, question: Question) -> str:
    return f"```\n{(content.structure or '').strip()}\n```"


OMR = TaskSpec(
    name="omr",
    max_tokens=MAX_TOKENS,
    title="OMR",
    main_metric=SIMILARITY,
    subsets=(),
    structure_suffix=".krn",
    open=OmrTask,
    answer=_answer,
    structure_fault=structure_fault,
    inputs=fields({"image": FILE}),
    target=STRUCTURE,
    view=view,
    blank=lambda size: _BLANK,
    constant=_CONSTANT,
    grades=GRADES,
)
