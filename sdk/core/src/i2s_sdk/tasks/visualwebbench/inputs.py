"""What an instance of each task must hold: schemas of inputs and targets, and what schemas cannot say.

The inputs that only the question needs are asked for if an instance has its files. A completion that is
scored by itself needs the target alone and, if it is a box or a point, the options.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from i2s_sdk.instances.instance import Instance
from i2s_sdk.tasks.schemas import FILE, Schema
from i2s_sdk.tasks.visualwebbench.kinds import RAW_IMAGE, Form, Kind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_sdk.tasks.visualwebbench.rouge import sentences

#: A box in ratios of width and height: left, top, right, bottom.
BOX: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}

_TEXT: Schema = {"type": "string"}
_MOST_RATIO = 2.0  # elements may reach beyond the picture, and pixels are far greater


def inputs_schema(kind: Kind) -> Schema:
    """Return the JSON Schema of the inputs of a task."""
    option = BOX if kind.boxes else _TEXT
    properties: dict[str, Schema] = {
        "image": FILE,
        RAW_IMAGE: FILE,
        "website": _TEXT,
        "question": _TEXT,
        "elem_desc": _TEXT,
        "instruction": _TEXT,
        "bbox": BOX,
        "options": {"type": "array", "items": option, "minItems": 1, "maxItems": len(LETTERS)},
    }
    needed = ["image", "options"] if kind.form in (Form.BOX, Form.POINT) else ["image"]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def target_schema(kind: Kind) -> Schema:
    """Return the JSON Schema of the target of a task: a text, a list of texts, or the index of an option."""
    if kind.several_golds:
        return {"type": "array", "items": _TEXT, "minItems": 1}
    if kind.form in (Form.DESCRIPTION, Form.ELEMENT_TEXT, Form.PLAIN_TEXT):
        return _TEXT
    return {"type": "integer", "minimum": 0, "maximum": len(LETTERS) - 1}


def instance_fault(kind: Kind, instance: Instance) -> str:
    """Return what is wrong with an instance beyond its schemas, empty for nothing."""
    return next(_faults(kind, instance), "")


def _faults(kind: Kind, instance: Instance) -> Iterator[str]:
    inputs, target = instance.inputs, instance.target
    options: list[Any] = inputs.get("options", [])
    if options and isinstance(target, int) and target >= len(options):
        yield f"target {target} names none of the {len(options)} options, which are counted from 0"
    if not instance.files:
        return
    for name in kind.inputs:
        if name not in inputs:
            yield f"inputs: {name!r} is a required property"
    boxes = [inputs["bbox"]] if "bbox" in inputs else []
    if kind.boxes:
        boxes += options
    if any(abs(number) > _MOST_RATIO for box in boxes for number in box):
        yield "inputs: boxes are ratios of width and height, not pixels"
    for gold in target if isinstance(target, list) else [target]:
        if isinstance(gold, str) and not any(sentences(gold)):
            yield f"target: {gold!r} has no word"
