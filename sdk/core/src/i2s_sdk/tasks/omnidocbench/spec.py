"""The specification of OmniDocBench: names, schemas, the answer of the oracle, and the view in the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.instances.pdf import document_fault
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.omnidocbench.annotation import BlockKind, TrueBlock, annotation_fault, true_blocks
from i2s_sdk.tasks.omnidocbench.grades import GRADES
from i2s_sdk.tasks.omnidocbench.page import bare_latex
from i2s_sdk.tasks.omnidocbench.scorer import PARTS
from i2s_sdk.tasks.omnidocbench.task import DOCUMENT, MAX_TOKENS, OmniDocBenchTask
from i2s_sdk.tasks.omnidocbench.view import attributes, view
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.spec import FILE, Schema, TaskSpec, fields

#: JSON Schema of ``target``: the annotation of a page in the released layout.
TARGET: Schema = {
    "type": ["object", "null"],
    "properties": {
        "layout_dets": {"type": "array", "items": {"type": "object"}},
        "page_info": {"type": "object"},
        "extra": {"type": "object"},
    },
    "required": ["layout_dets"],
}


def markdown_of(annotation: Mapping[str, Any]) -> str:
    """Return the Markdown of an annotation: what counts, in the order of reading."""
    return "\n\n".join(
        _markdown(true_block)
        for true_block in true_blocks(annotation)
        if true_block.kind is not BlockKind.IGNORED and true_block.content
    )


def _markdown(block: TrueBlock) -> str:
    content = block.content.strip()
    if block.kind is BlockKind.FORMULA:
        return f"$$\n{bare_latex(content)}\n$$"
    if block.category == "code_txt":
        return f"```\n{content}\n```"
    if block.category == "title" and not content.startswith("#"):
        return f"# {content}"
    return content


def _answer(content: Content, question: Question) -> str:
    return markdown_of(content.target or {"layout_dets": []})


def _instance_fault(instance: Instance) -> str:
    said = annotation_fault(instance.target) if instance.target is not None else ""
    return f"instance {instance.id!r}: {said}" if said else ""


OMNIDOCBENCH = TaskSpec(
    name="omnidocbench",
    title="OmniDocBench",
    main_metric="overall",
    max_tokens=MAX_TOKENS,
    subsets=(
        "academic_literature", "book", "colorful_textbook", "exam_paper", "magazine", "newspaper", "note",
        "PPT2PDF", "research_report",
    ),
    published_table="omnidocbench",
    published=published_tables("i2s_sdk.tasks.omnidocbench"),
    prediction_suffixes=(".md", ".mmd", ".jpg.md", ".png.md"),
    language="markdown",
    open=OmniDocBenchTask,
    answer=_answer,
    inputs=fields({}, {"image": FILE, DOCUMENT: FILE}),
    target=TARGET,
    instance_fault=_instance_fault,
    files_fault=document_fault,
    averages=(Average("overall", PARTS),),
    shows_pages=True,
    view=view,
    attributes=attributes,
    grades=GRADES,
)  # fmt: skip
