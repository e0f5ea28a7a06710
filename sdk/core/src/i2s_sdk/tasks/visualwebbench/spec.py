"""The specifications of the tasks of VisualWebBench: inputs of their instances, answers of baselines.

The inputs that only the question needs are asked for if an instance has its files. A completion that is
scored by itself needs the target alone and, if it is a box or a point, the options. ``baseline/ocr`` can say
what a program can that only reads: texts are compared by the F1 of their words, and a line belongs to a box
if its middle lies in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.tasks.benchmark import Benchmark, published_tables
from i2s_sdk.tasks.ocr_page import OcrAnswer, OcrLine, OcrPage
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, Schema, TaskSpec
from i2s_sdk.tasks.visualwebbench.boxes import Box, contains
from i2s_sdk.tasks.visualwebbench.grades import grades_of
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, RAW_IMAGE, SEVEN, Form, TaskKind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_sdk.tasks.visualwebbench.task import MAX_TOKENS, WebUnderstandingTask
from i2s_sdk.tasks.visualwebbench.view import view
from i2s_sdk.tasks.visualwebbench.word_overlap import sentences, squad_f1

_CAPTION_LINES = 3
_QUOTES = str.maketrans("“”‘’«»", "      ")  # the F1 of words knows ASCII punctuation alone

#: Returns an answer for the lines of an image and the inputs of an instance.
Answerer = Callable[[OcrPage, Mapping[str, Any]], str]


def caption(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the tallest line and those behind it as the description of the page."""
    lines = page.lines[_tallest(page) :][:_CAPTION_LINES] if page.lines else ()
    said = " ".join(line.text for line in lines).replace('"', "'")
    return f'<meta name="description" content="{said}">'


def heading(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the tallest line."""
    return page.lines[_tallest(page)].text if page.lines else ""


def element_text(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the lines in the box that the question names."""
    return f"The text content within the red bounding box is: {_text_in(page, inputs['bbox'])}"


def answer(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the line that has most words of the question."""
    best = _best(page.lines, str(inputs["question"]))
    return best.text if best else ""


def element_choice(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the letter of the box whose text is most like what is asked for."""
    return _most_alike([_text_in(page, box) for box in inputs["options"]], _asked(inputs))


def page_choice(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the letter of the description that is most like the text of the element."""
    return _most_alike(list(map(str, inputs["options"])), _text_in(page, inputs["bbox"]))


def box(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the box of the line that is most like what is asked for."""
    best = _best(page.lines, _asked(inputs))
    if best is None:
        return ""
    left, right = best.left / page.width, best.right / page.width
    top, bottom = best.top / page.height, best.bottom / page.height
    return f"[{left:.4f}, {top:.4f}, {right:.4f}, {bottom:.4f}]"


def point(page: OcrPage, inputs: Mapping[str, Any]) -> str:
    """Return the middle of the line that is most like what is asked for."""
    best = _best(page.lines, _asked(inputs))
    if best is None:
        return ""
    x, y = _middle(best, page)
    return f"[{x:.4f}, {y:.4f}]"


#: Functions by task.
ANSWERERS: Mapping[str, Answerer] = {
    "web_caption": caption,
    "webqa": answer,
    "heading_ocr": heading,
    "element_ocr": element_text,
    "element_ground": element_choice,
    "action_prediction": page_choice,
    "action_ground": element_choice,
    "element_ground_box": box,
    "element_ground_point": point,
    "action_ground_box": box,
    "action_ground_point": point,
}


def answer_of(task: str) -> OcrAnswer:
    """Return what answers the questions of a task, which show one image."""
    return lambda pages, inputs: ANSWERERS[task](pages[0], inputs)


def _asked(inputs: Mapping[str, Any]) -> str:
    return str(inputs.get("elem_desc") or inputs.get("instruction") or "").translate(_QUOTES)


def _tallest(page: OcrPage) -> int:
    return max(range(len(page.lines)), key=lambda place: page.lines[place].height)


def _middle(line: OcrLine, page: OcrPage) -> tuple[float, float]:
    return (line.left + line.right) / 2 / page.width, (line.top + line.bottom) / 2 / page.height


def _text_in(page: OcrPage, given: Sequence[float]) -> str:
    x1, y1, x2, y2 = map(float, given)
    where: Box = (x1, y1, x2, y2)
    return " ".join(line.text for line in page.lines if contains(where, _middle(line, page)))


def _most_alike(texts: Sequence[str], wanted: str) -> str:
    """Return the letter of the text that is most like another, the first of equals."""
    values = [squad_f1(text, wanted) for text in texts]
    return LETTERS[values.index(max(values))]


def _best(lines: Sequence[OcrLine], wanted: str) -> OcrLine | None:
    return max(lines, key=lambda line: squad_f1(line.text, wanted), default=None)


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
        grades=grades_of(kind.form),
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
    {kind.name: kind.main_metric for kind in KINDS if kind.name in SEVEN},
    published_table="visualwebbench",
    published=published_tables("i2s_sdk.tasks.visualwebbench"),
)
