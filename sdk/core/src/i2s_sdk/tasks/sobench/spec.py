"""The specification of SO-Bench: names, schemas, faults of instances, and its view in the report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.sobench.field_match import label_fault
from i2s_sdk.tasks.sobench.grades import GRADES
from i2s_sdk.tasks.sobench.json_schema import schema_fault
from i2s_sdk.tasks.sobench.scorer import NAME
from i2s_sdk.tasks.sobench.task import MAX_TOKENS, SOBenchTask
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields
from i2s_sdk.tasks.view import Panel, RowMark, ShownSample, TreePanel, TreeRow

#: JSON Schema of ``inputs``: the image, the JSON Schema of the answer, and what the user wants.
INPUTS = fields({"image": FILE, "schema": {"type": ["object", "boolean"]}}, {"intent": {"type": "string"}})

#: JSON Schema of ``target``: the gold answer, any JSON value, and its labels; see ``field_match``.
TARGET = fields({"answer": {}}, {"labels": {"type": ["object", "array", "string", "null"]}})


def instance_fault(instance: Instance) -> str:
    """Return what is wrong with the JSON Schema and the labels of an instance, empty for nothing.

    The schema has to be valid under its metaschema, its patterns have to compile, and its references have to
    lead to places inside of it. Each leaf of the labels has to be a known word or null.
    """
    fault = schema_fault(instance.inputs.get("schema", True))
    if fault:
        return f"instance {instance.id!r}: the JSON Schema cannot be used: {fault}"
    fault = label_fault((instance.target or {}).get("labels"))
    return f"instance {instance.id!r}: {fault}" if fault else ""


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the tree of the gold fields with what was predicted for each, then what else was predicted.

    A field of which nothing is compared is marked "ignored". A sample that is not usable has no predicted
    values.
    """
    detail: Mapping[str, Any] = shown.detail.get(NAME, {})
    rows = tuple(
        TreeRow(depth, name, gold, answer, RowMark(mark))
        for depth, name, gold, answer, mark in detail.get("rows", ())
    )
    left_out = detail.get("left_out", 0)
    if left_out:
        rows += (TreeRow(0, f"… and {left_out} more"),)
    return (TreePanel("Fields", rows),) if rows else ()


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
    grades=GRADES,
)
