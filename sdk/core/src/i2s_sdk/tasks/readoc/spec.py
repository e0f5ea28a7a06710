"""What data sets, commands and reports know of READOC."""

from __future__ import annotations

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.instances.pdf import pdf_fault
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.readoc.ocr import pages_as_markdown
from i2s_sdk.tasks.readoc.scorer import COLUMNS
from i2s_sdk.tasks.readoc.task import DOCUMENT, MAX_TOKENS, ReadocTask
from i2s_sdk.tasks.readoc.view import view
from i2s_sdk.tasks.spec import FILE, STRUCTURE, TaskSpec, fields, text_fault


def _answer(content: Content, question: Question) -> str:
    return content.structure if content.structure is not None else str(content.target or "")


def _document_fault(instance: Instance) -> str:
    document = instance.files.get(DOCUMENT)
    said = pdf_fault(document) if document is not None else ""
    return f"{DOCUMENT} {document.name}: {said}" if document is not None and said else ""


READOC = TaskSpec(
    name="readoc",
    max_tokens=MAX_TOKENS,
    title="READOC",
    published=published_tables("i2s_sdk.tasks.readoc"),
    main_metric="average",
    subsets=("arxiv", "github", "zenodo"),
    structure_suffix=".md",
    language="markdown",
    open=ReadocTask,
    answer=_answer,
    structure_fault=text_fault,
    inputs=fields({DOCUMENT: FILE}),
    files_fault=_document_fault,
    target={"anyOf": [{"type": "string"}, STRUCTURE]},
    view=view,
    averages=(Average("average", COLUMNS),),
    subset_tables={"arxiv": "readoc arxiv", "github": "readoc github"},
    ocr_answer=pages_as_markdown,
    shows_pages=True,
)
