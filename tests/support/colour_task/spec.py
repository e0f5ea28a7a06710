"""What data sets, commands and reports know of the task."""

from __future__ import annotations

from colour_task.task import ColourTask
from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields


def _answer(content: Content, question: Question) -> str:
    return f"I think that it is:\n{content.target[0]}"


COLOUR = TaskSpec(
    name="colour",
    title="Colours",
    main_metric="accepted",
    hub_name="colour",
    subsets=("plain",),
    open=ColourTask,
    answer=_answer,
    inputs=fields({"image": FILE}),
    target={"type": "array", "items": {"type": "string"}, "minItems": 1},
)
