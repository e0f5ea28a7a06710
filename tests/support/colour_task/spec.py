"""What data sets, commands and reports know of the task."""

from __future__ import annotations

from colour_task.task import ColourTask
from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import FILE, fields
from i2s_sdk.tasks.spec import TaskSpec


def _answer(content: Content, question: Question) -> str:
    return f"I think that it is:\n{content.target[0]}"


def _no_fault(content: Content) -> str:
    return ""


COLOUR = TaskSpec(
    name="colour",
    title="Colours",
    published_table="",
    main_metric="accepted",
    hub_name="colour",
    subsets=("plain",),
    wild_subsets=(),
    structure_suffix="",
    structure_is_site=False,
    language="",
    canary=None,
    open=ColourTask,
    answer=_answer,
    structure_fault=_no_fault,
    inputs=fields({"image": FILE}),
    target={"type": "array", "items": {"type": "string"}, "minItems": 1},
)
