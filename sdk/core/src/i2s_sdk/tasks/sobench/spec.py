"""What data sets, commands and reports know of SO-Bench."""

from __future__ import annotations

import json

from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.sobench.data_fault import INPUTS, TARGET, instance_fault
from i2s_sdk.tasks.sobench.task import MAX_TOKENS, SOBenchTask
from i2s_sdk.tasks.sobench.view import view
from i2s_sdk.tasks.spec import TaskSpec


def _answer(content: Content, question: Question) -> str:
    return f"```json\n{json.dumps(content.target['answer'], indent=2)}\n```"


SOBENCH = TaskSpec(
    name="sobench",
    max_tokens=MAX_TOKENS,
    title="SO-Bench",
    main_metric="fma",
    subsets=("sobench",),
    language="json",
    open=SOBenchTask,
    answer=_answer,
    inputs=INPUTS,
    target=TARGET,
    instance_fault=instance_fault,
    view=view,
    blank=lambda size: "{}",
    constant="{}",
)
