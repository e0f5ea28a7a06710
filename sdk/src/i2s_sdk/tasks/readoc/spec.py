"""What data sets, commands and reports know of READOC."""

from __future__ import annotations

from i2s_sdk.instances.content import Content
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.readoc.scorer import COLUMNS
from i2s_sdk.tasks.readoc.task import DOCUMENT, ReadocTask
from i2s_sdk.tasks.schemas import FILE, STRUCTURE, fields
from i2s_sdk.tasks.spec import TaskSpec, text_fault


def _answer(content: Content, question: Question) -> str:
    return content.structure if content.structure is not None else str(content.target or "")


READOC = TaskSpec(
    name="readoc",
    title="READOC",
    published_table="readoc",
    main_metric="average",
    hub_name="",
    subsets=("arxiv", "github", "zenodo"),
    wild_subsets=(),
    structure_suffix=".md",
    structure_is_site=False,
    language="markdown",
    canary=None,
    open=ReadocTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=fields({DOCUMENT: FILE}),
    target={"anyOf": [{"type": "string"}, STRUCTURE]},
    averages=(Average("average", COLUMNS),),
)
