from dataclasses import replace

import pytest

from i2s_sdk.instances.instance import Content
from i2s_sdk.tasks import Repair, RepairKind, Structure
from i2s_sdk.tasks.latex import LatexDocument, LatexTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import BlankPage, Crop
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import SourceError

MATHS = Rendering(Verdict.COMPILE_ERROR, error=SourceError("Missing $ inserted."))


RENDERED = Rendering(Verdict.RENDERED)


def _content(structure: str | None, text: str | None = None) -> Content:
    return Content(b"", structure=structure, text=text)


@pytest.mark.parametrize(
    ("profile", "blank"), [(Profile.HELM, BlankPage.KEEP), (Profile.PAPER, BlankPage.NO_OUTPUT)]
)
def test_the_page_is_cut_and_cropped_as_the_references_were(profile: Profile, blank: BlankPage) -> None:
    page = LatexTask(profile).page()
    assert (page.dpi, page.first_page, page.page_count, page.cut_bottom) == (200.0, 1, 1, 0.2)
    assert (page.crop, page.blank_page) == (Crop.INK, blank)


@pytest.mark.parametrize(("profile", "most"), [(Profile.HELM, 3), (Profile.PAPER, 5)])
def test_repairs_are_bounded_by_the_profile(profile: Profile, most: int) -> None:
    task = LatexTask(profile)
    document = task.document(Structure("x_1"))
    past = [Repair(RepairKind.ADD_PACKAGE, str(number), "") for number in range(most)]
    assert task.repair(document, MATHS, past) is None
    assert task.repair(document, MATHS, past[1:]) is not None


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.COMPILE_ERROR])
def test_only_a_compile_error_is_repaired(verdict: Verdict) -> None:
    task = LatexTask()
    assert task.repair(task.document(Structure("x_1")), replace(MATHS, verdict=verdict)) is None


def test_a_document_of_another_task_cannot_be_repaired() -> None:
    class Foreign(LatexDocument):
        source = text = "x"

    with pytest.raises(TypeError, match="Foreign"):
        LatexTask().repair(Foreign(), MATHS)


def test_the_text_of_a_reference_is_made_like_that_of_an_answer() -> None:
    structure = "\\begin{equation}\n  x   + y \\label{a}\n\\end{equation}"
    for profile in Profile:
        task = LatexTask(profile)
        answer = task.structure_from(f"```latex\n{structure}\n```")
        assert isinstance(answer, Structure)
        assert task.truth(_content(structure)) == task.text_for_edit(task.document(answer), RENDERED)


def test_helm_prefers_the_text_of_the_data_set_and_paper_the_structure() -> None:
    assert LatexTask(Profile.HELM).truth(_content("$x$", "given")) == "given"
    assert LatexTask(Profile.PAPER).truth(_content("$x$", "given")) == "$x$"
    assert LatexTask(Profile.PAPER).truth(_content(None, "given")) == "given"
    assert LatexTask(Profile.PAPER).truth(_content(None)) is None
