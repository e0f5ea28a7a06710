"""What data sets, commands and reports know of the tasks of VisualWebBench."""

from __future__ import annotations

from functools import partial

from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.benchmark import Benchmark
from i2s_sdk.tasks.published import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import TaskSpec
from i2s_sdk.tasks.visualwebbench.inputs import inputs_schema, instance_fault, target_schema
from i2s_sdk.tasks.visualwebbench.kinds import KINDS, SEVEN, Form, Kind
from i2s_sdk.tasks.visualwebbench.letters import LETTERS
from i2s_sdk.tasks.visualwebbench.ocr import answer_of
from i2s_sdk.tasks.visualwebbench.prompts import MAX_TOKENS
from i2s_sdk.tasks.visualwebbench.task import WebUnderstandingTask
from i2s_sdk.tasks.visualwebbench.view import view


def _answer(kind: Kind, content: Content, question: Question) -> str:
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


def _spec(kind: Kind) -> TaskSpec:
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
