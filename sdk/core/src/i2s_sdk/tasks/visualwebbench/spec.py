"""The specifications of the tasks of VisualWebBench, and what their instances must hold.

The inputs that only the question needs are asked for if an instance has its files. A completion that is
scored by itself needs the target alone and, if it is a box or a point, the options.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.tasks.benchmark import Benchmark, published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, Schema, TaskSpec
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, RAW_IMAGE, SEVEN, Form, TaskKind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_sdk.tasks.visualwebbench.ocr import answer_of
from i2s_sdk.tasks.visualwebbench.task import MAX_TOKENS, WebUnderstandingTask
from i2s_sdk.tasks.visualwebbench.view import view
from i2s_sdk.tasks.visualwebbench.word_overlap import sentences

#: A box in ratios of width and height: left, top, right, bottom.
BOX: Schema = {"type": "array", "items": {"type": "number"}, "minItems": 4, "maxItems": 4}

_TEXT: Schema = {"type": "string"}
_MOST_RATIO = 2.0  # elements may reach beyond the image, and pixels are far greater


def inputs_schema(kind: TaskKind) -> Schema:
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


def target_schema(kind: TaskKind) -> Schema:
    """Return the JSON Schema of the target of a task: a text, a list of texts, or the index of an option."""
    if kind.several_golds:
        return {"type": "array", "items": _TEXT, "minItems": 1}
    if kind.form in (Form.DESCRIPTION, Form.ELEMENT_TEXT, Form.PLAIN_TEXT):
        return _TEXT
    return {"type": "integer", "minimum": 0, "maximum": len(LETTERS) - 1}


def instance_fault(kind: TaskKind, instance: Instance) -> str:
    """Return what is wrong with an instance beyond its schemas, empty for nothing."""
    return next(_faults(kind, instance), "")


def _faults(kind: TaskKind, instance: Instance) -> Iterator[str]:
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


def _answer(kind: TaskKind, content: Content, question: Question) -> str:
    """Return what a model that knows the target answers, such that both profiles read it."""
    target = content.target
    match kind.form:
        case Form.DESCRIPTION:
            plain = not set(target) & set('"&<>\n')
            return f'<meta name="description" content="{target}">' if plain else str(target)
        case Form.ELEMENT_TEXT:
            return f"The text content within the red bounding box is: {target}"
        case Form.PLAIN_TEXT:
            return str(target[0] if isinstance(target, list) else target)
        case Form.LETTER:
            return LETTERS[target]
    x1, y1, x2, y2 = map(float, content.inputs["options"][target])
    # The rules of reading want numbers with a decimal point and without an exponent.
    place = (x1, y1, x2, y2) if kind.form is Form.BOX else ((x1 + x2) / 2, (y1 + y2) / 2)
    return f"[{', '.join(f'{number:.6f}' for number in place)}]"


def _spec(kind: TaskKind) -> TaskSpec:
    return TaskSpec(
        name=kind.name,
        max_tokens=MAX_TOKENS,
        title=kind.title,
        published_table="visualwebbench grounding" if kind.raw else "visualwebbench",
        published=published_tables("i2s_sdk.tasks.visualwebbench"),
        main_metric=kind.main_metric,
        subsets=(),
        open=partial(WebUnderstandingTask, kind),
        answer=partial(_answer, kind),
        inputs=inputs_schema(kind),
        target=target_schema(kind),
        instance_fault=partial(instance_fault, kind),
        view=partial(view, kind),
        ocr_answer=answer_of(kind.name),
    )


#: All tasks and forms.
VISUALWEBBENCH = tuple(map(_spec, KINDS))

#: The seven tasks with their mean.
VISUALWEBBENCH_MEAN = Benchmark(
    "visualwebbench",
    "VisualWebBench",
    {one.name: one.main_metric for one in KINDS if one.name in SEVEN},
    published_table="visualwebbench",
    published=published_tables("i2s_sdk.tasks.visualwebbench"),
)
