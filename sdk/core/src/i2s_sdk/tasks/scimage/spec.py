"""The specification of ScImage: names, schemas, criteria of judges and people, and its view in the report."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.rubric import HumanCriterion, HumanScoring, Rubric
from i2s_sdk.tasks.scimage.document import OUTPUTS
from i2s_sdk.tasks.scimage.scorer import NAME
from i2s_sdk.tasks.scimage.task import PROMPTS, ScimageTask
from i2s_sdk.tasks.spec import Schema, TaskSpec, fields
from i2s_sdk.tasks.view import Panel, ShownSample, TextPanel

#: Criteria of the people who judged in the benchmark: 1 to 5 in halves, and 0 without a figure.
CRITERIA = ("correctness", "relevance", "scientific")


def _prompt(detail: Mapping[str, Any]) -> str:
    of_scorer = detail.get(NAME)
    return str(of_scorer.get("prompt", "")) if isinstance(of_scorer, Mapping) else ""


RUBRIC = Rubric(
    text=files(__package__).joinpath("rubric.txt").read_text("utf-8"),
    criteria=CRITERIA,
    lowest=1.0,
    highest=5.0,
    step=0.5,
    prompt=_prompt,
)


def view(shown: ShownSample) -> tuple[Panel, ...]:
    """Return the prompt, nothing for a sample that was not scored."""
    prompt = shown.detail.get(NAME, {}).get("prompt", "")
    return (TextPanel("Prompt", str(prompt)),) if prompt else ()


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
