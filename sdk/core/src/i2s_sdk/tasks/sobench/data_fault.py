"""What an instance of SO-Bench has, and what can be wrong with it."""

from __future__ import annotations

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.schemas import FILE, fields
from i2s_sdk.tasks.sobench.labels import label_fault
from i2s_sdk.tasks.sobench.schema_check import schema_fault

#: JSON Schema of ``inputs``: the image, the JSON Schema of the answer, and what the user wants.
INPUTS = fields({"image": FILE, "schema": {"type": ["object", "boolean"]}}, {"intent": {"type": "string"}})

#: JSON Schema of ``target``: the gold answer, any JSON value, and its labels, as ``labels`` describes them.
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
