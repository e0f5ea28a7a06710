"""What data sets, commands and reports know of ScImage."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.tasks.human_scoring import HumanCriterion, HumanScoring
from i2s_sdk.tasks.published import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.schemas import Schema, fields
from i2s_sdk.tasks.scimage.document import OUTPUTS
from i2s_sdk.tasks.scimage.rubric import RUBRIC
from i2s_sdk.tasks.scimage.task import PROMPTS, ScimageTask
from i2s_sdk.tasks.scimage.view import view
from i2s_sdk.tasks.spec import TaskSpec

#: What the prompts are about: attributes, numbers, places, and all that two or three of them make.
KINDS = ("a", "n", "s", "ns", "sa", "na", "nsa")

INPUTS: Schema = fields(
    {"prompt": {"type": "string", "minLength": 1}, "output": {"enum": list(OUTPUTS)}},
    {"language": {"enum": list(PROMPTS)}, "kind": {"enum": list(KINDS)}},
)
#: Code that draws the figure, where somebody has written it.
TARGET: Schema = {
    "type": ["object", "null"],
    "properties": {"code": {"type": "string", "minLength": 1}},
    "required": ["code"],
    "additionalProperties": False,
}
#: The files that the authors released have three scores from 0 to 5 for each figure.
HUMAN_SCORING = HumanScoring(
    (
        HumanCriterion("correctness", "Correct", "corr."),
        HumanCriterion("relevance", "Relevance", "rel."),
        HumanCriterion("scientific", "Scientific", "sci."),
    ),
    highest=5.0,
)


def _answer(content: Content, question: Question) -> str:
    return str(content.target["code"]) if content.target else ""


SCIMAGE = TaskSpec(
    name="scimage",
    title="ScImage",
    published=published_tables("i2s_sdk.tasks.scimage"),
    main_metric="compiled",
    subsets=tuple(f"{language}-{output}" for language in PROMPTS for output in OUTPUTS),
    language="python",
    open=ScimageTask,
    answer=_answer,
    inputs=INPUTS,
    target=TARGET,
    view=view,
    rubric=RUBRIC,
    human_scoring=HUMAN_SCORING,
    human_table="scimage human",
)
