"""The specification of olmOCR-bench."""

from __future__ import annotations

from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.instances.pdf import document_fault
from i2s_sdk.scoring.scorer import Average
from i2s_sdk.tasks.benchmark import published_tables
from i2s_sdk.tasks.olmocrbench.grades import GRADES, known_markdown
from i2s_sdk.tasks.olmocrbench.page_test import RELATIONS, TEST, PageTest, TestKind, page_tests, test_fault
from i2s_sdk.tasks.olmocrbench.scorer import GROUPS
from i2s_sdk.tasks.olmocrbench.task import DOCUMENT, MAX_TOKENS, PAGE, OlmOcrBenchTask
from i2s_sdk.tasks.olmocrbench.view import view
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.readoc.spec import pages_as_markdown
from i2s_sdk.tasks.spec import FILE, TaskSpec, fields


def _answer(content: Content, question: Question) -> str:
    """Return the Markdown of the page; if it is not known, one on which its tests pass as far as they can."""
    markdown = known_markdown(content)
    if markdown is not None:
        return markdown
    return "\n\n".join(block for test in page_tests(content.target) for block in _blocks(test))


def _blocks(test: PageTest) -> list[str]:
    said = {name: str(test.fields.get(name) or "") for name in ("text", "before", "after", "math")}
    match test.kind:
        case TestKind.PRESENT:
            return [said["text"]]
        case TestKind.ORDER:
            return [said["before"], said["after"]]
        case TestKind.MATH:
            return [f"$$\n{said['math']}\n$$"]
        case TestKind.TABLE:
            return [_table(test)]
        case TestKind.BASELINE if test.number("max_length") is None:
            return ["A page."]
    return []


def _table(test: PageTest) -> str:
    cells = {name: str(test.fields.get(name) or "") for name in ("cell", *RELATIONS)}
    column = [cells["top_heading"], cells["up"], cells["cell"], cells["down"]]
    left = ["", "", f"<td>{cells['left']}</td>", ""]
    rows = [
        f"<tr><th>{cells['left_heading'] if number == 2 else ''}</th>{left[number] or '<td></td>'}"
        f"<{'th' if number == 0 else 'td'}>{text}</{'th' if number == 0 else 'td'}>"
        f"<td>{cells['right'] if number == 2 else ''}</td></tr>"
        for number, text in enumerate(column)
        if text or number == 2
    ]
    return f"<table>{''.join(rows)}</table>"


def _instance_fault(instance: Instance) -> str:
    faults = (test_fault(test.fields) for test in page_tests(instance.target))
    return next((fault for fault in faults if fault), "")


OLMOCRBENCH = TaskSpec(
    name="olmocrbench",
    max_tokens=MAX_TOKENS,
    title="olmOCR-bench",
    published_table="olmocrbench",
    published=published_tables("i2s_sdk.tasks.olmocrbench"),
    main_metric="overall",
    subsets=(
        "arxiv_math",
        "old_scans_math",
        "tables",
        "old_scans",
        "headers_footers",
        "multi_column",
        "long_tiny_text",
    ),
    prediction_suffixes=(".md", "_repeat1.md"),
    language="markdown",
    open=OlmOcrBenchTask,
    answer=_answer,
    inputs=fields({DOCUMENT: FILE}, {PAGE: {"type": "integer", "minimum": 1}}),
    target=fields(
        {"tests": {"type": "array", "minItems": 1, "items": TEST}}, {"markdown": {"type": "string"}}
    ),
    instance_fault=_instance_fault,
    files_fault=document_fault,
    view=view,
    averages=(Average("overall", GROUPS),),
    ocr_answer=pages_as_markdown,
    shows_pages=True,
    grades=GRADES,
)
