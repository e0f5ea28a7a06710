"""What is said of the task: published rows, faults of instances, questions and readings of answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.run.generate import DocumentPages
from i2s_sdk.run.runner import _has_document
from i2s_sdk.tasks.omnidocbench.spec import OMNIDOCBENCH, markdown_of
from i2s_sdk.tasks.omnidocbench.task import OmniDocBenchTask
from i2s_sdk.tasks.question import FilePart, ImagePart
from i2s_sdk.tasks.structure import Structure
from i2s_wire.metrics.profile import Profile
from omnidocbench_page import annotation

TASK = OmniDocBenchTask()
IMAGE, DOCUMENT = Path("a.png"), Path("a.pdf")


def instance(**fields) -> Instance:
    return Instance("a", "omnidocbench", "book", fields.pop("image", None), **fields)


def test_published_rows_are_means_of_their_parts() -> None:
    for table in OMNIDOCBENCH.published.values():
        for model in table.rows:
            values = table.values(model)
            parts = [values[main_part] for main_part in OMNIDOCBENCH.main_parts]
            assert abs(sum(parts) / 3 - values["overall"]) < 0.002, model
    assert "reading_order" not in OMNIDOCBENCH.published["omnidocbench v1.6"].values("PaddleOCR-VL-1.6")


def test_an_image_is_shown_as_it_is_and_a_document_by_its_page() -> None:
    shown = instance(image=IMAGE, files={"image": IMAGE})
    assert TASK.document_of(shown) is None
    assert TASK.questions(shown)[0].parts[1] == ImagePart(IMAGE)
    assert TASK.whole_question(shown) == TASK.questions(shown)[0]
    drawn = instance(files={"document": DOCUMENT}, pages=(Path("page-1.jpg"),))
    assert TASK.document_of(drawn) == DOCUMENT
    assert TASK.questions(drawn)[0].parts[1] == ImagePart(Path("page-1.jpg"))
    assert TASK.whole_question(drawn).parts[1] == FilePart(DOCUMENT)


def test_a_document_of_several_pages_and_nothing_to_show_are_faults() -> None:
    with pytest.raises(DataError, match="has several pages"):
        TASK.questions(instance(files={"document": DOCUMENT}, pages=(Path("1.jpg"), Path("2.jpg"))))
    with pytest.raises(DataError, match="has neither image nor document"):
        TASK.document_of(instance())


def test_a_fault_of_the_annotation_names_the_instance() -> None:
    assert OMNIDOCBENCH.instance_fault(instance(target={"layout_dets": [1]})).startswith(
        "instance 'a': element 1"
    )
    assert OMNIDOCBENCH.instance_fault(instance(target=annotation())) == ""


def test_paper_takes_a_fence_and_reasoning_off() -> None:
    answer = "<think>hm</think>```markdown\n# A\n```"
    assert TASK.structure_from(TASK.join([answer])) == Structure("# A")
    reference = OmniDocBenchTask(Profile.HELM)
    assert reference.structure_from(reference.join(["```markdown\n# A\n```"])) == Structure(
        "```markdown\n# A\n```"
    )


def test_the_markdown_of_a_page_has_what_counts_in_order() -> None:
    assert markdown_of(annotation()).split("\n\n")[:3] == [
        "# On the tides",
        "The tide at $x_1$ rises by 3.5 m in the first hour of the day.",
        "$$\nE=mc^2\n$$",
    ]


class NoDocuments:
    """A documents service that nobody may ask."""


@pytest.mark.asyncio
async def test_no_page_is_drawn_for_an_image() -> None:
    shown = instance(image=IMAGE, files={"image": IMAGE})
    pages = DocumentPages(NoDocuments())
    async with pages.shown(shown, TASK) as one, pages.sketched(shown, TASK) as other:
        assert one == other == shown
    assert not _has_document(TASK, shown)
    assert _has_document(TASK, instance(files={"document": DOCUMENT}))
    assert not _has_document(TASK, instance())
