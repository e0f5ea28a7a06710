"""What is wrong with an instance of SO-Bench."""

from __future__ import annotations

from typing import Any

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.sobench.labels import label_fault
from i2s_sdk.tasks.sobench.schema_check import schema_fault

#: JSON Schema of ``inputs``.
INPUTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "format": "file"},
        "schema": {"type": ["object", "boolean"]},
        "intent": {"type": "string"},
    },
    "required": ["image", "schema", "intent"],
    "additionalProperties": False,
}

#: JSON Schema of ``target``.
TARGET: dict[str, Any] = {
    "type": "object",
    "properties": {"answer": {}, "labels": {"type": ["object", "array", "string", "null"]}},
    "required": ["answer"],
    "additionalProperties": False,
}


def instance_fault(instance: Instance) -> str:
    """Return what is wrong with schema, intent and target of an instance, empty for nothing.

    A schema has to be valid under its metaschema, its patterns have to compile, and its references have to lead to
    places inside of it. Labels have to have the shape of the answer.
    """
    if "schema" not in instance.inputs:
        return "inputs have no 'schema'"
    if said := schema_fault(instance.inputs["schema"]):
        return f"the JSON Schema cannot be used: {said}"
    if not isinstance(instance.inputs.get("intent"), str):
        return "inputs have no text 'intent'"
    return target_fault(instance.target)


def target_fault(target: Any) -> str:  # noqa: ANN401 - a JSON value
    """Return what is wrong with a target, empty for nothing; there may be none."""
    if target is None:
        return ""
    if not isinstance(target, dict) or "answer" not in target:
        return (
            "the target must be an object of 'answer' and, if fields are compared in different ways, 'labels'"
        )
    return label_fault(target["answer"], target.get("labels"))
