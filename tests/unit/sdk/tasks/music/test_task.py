"""The music task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s.render.v1 import render_pb2 as pb
from i2s_sdk.tasks import NoStructure, RepairKind, Structure, render_with_repairs
from i2s_sdk.tasks.music import LilypondDocument, MusicTask
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.messages import render_request
from i2s_wire.render.options import BlankPage, Crop, LilypondConvert
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import LilypondSource
from i2s_wire.render.source_error import SourceError

PAPER, HELM = MusicTask(Profile.PAPER), MusicTask(Profile.HELM)
CODE = "\\version \"2.24.0\"\n{ c'4 d' }"
REFUSED = Rendering(Verdict.COMPILE_ERROR, error=SourceError("syntax error, unexpected '}'"))


@pytest.mark.parametrize(
    "completion",
    [CODE, f"```lilypond\n{CODE}\n```", f"Here:\n```\n{CODE}\n```\nEnjoy!", f"```ly\n{CODE}"],
)
def test_paper_strips_fences_and_prose_around_them(completion: str) -> None:
    structure = PAPER.structure_from(completion)
    assert isinstance(structure, Structure)
    assert structure.code == CODE


def test_helm_takes_the_completion_verbatim() -> None:
    completion = f"  Here:\n```lilypond\n{CODE}\n```\n"
    structure = HELM.structure_from(completion)
    assert isinstance(structure, Structure)
    assert structure.code == completion.strip()


@pytest.mark.parametrize("completion", ["", " \n", "```lilypond\n```"])
def test_nothing_is_no_structure_in_paper_only(completion: str) -> None:
    assert isinstance(PAPER.structure_from(completion), NoStructure)
    assert isinstance(HELM.structure_from(completion), Structure)


def test_paper_shows_page_1_cropped_without_footers() -> None:
    request = PAPER.request(LilypondDocument(CODE))
    page, lilypond = request.options.page, request.options.lilypond
    assert (page.dpi, page.first_page, page.page_count, page.cut_bottom) == (101.0, 1, 1, 0.0)
    assert (page.crop, page.blank_page) == (Crop.INK, BlankPage.NO_OUTPUT)
    assert (lilypond.convert, lilypond.no_footers, request.limits) == (LilypondConvert.AUTO, True, None)


@pytest.mark.parametrize("task", [PAPER, HELM])
def test_pages_are_always_drawn_by_the_renderers_default(task: MusicTask) -> None:
    document = LilypondDocument(CODE)
    requests = [task.request(document), task.request(LilypondDocument("{ c'4 }", "2.18.0"))]
    sent = [render_request(request).options.lilypond.backend for request in requests]
    assert sent == [pb.LILYPOND_BACKEND_UNSPECIFIED] * 2


def test_helm_needs_a_conversion_and_a_single_page_and_cuts_the_foot() -> None:
    request = HELM.request(LilypondDocument(CODE))
    page, lilypond = request.options.page, request.options.lilypond
    assert (page.dpi, page.cut_bottom, page.blank_page) == (101.0, 0.2, BlankPage.KEEP)
    assert (lilypond.convert, lilypond.no_footers) == (LilypondConvert.REQUIRED, False)
    assert request.limits is not None
    assert request.limits.pages == 1
    assert HELM.size_policy is PAPER.size_policy is SizePolicy.PAD
    assert HELM.scorers == ()


def test_a_score_without_version_is_converted_from_older_ones_in_turn() -> None:
    attempts = render_with_repairs(PAPER, LilypondDocument("{ c'4 }"), lambda score: REFUSED)
    assert [(repair.kind, repair.detail) for repair in attempts.repairs] == [
        (RepairKind.ASSUME_VERSION, version) for version in ("2.12.0", "2.18.0", "2.22.0")
    ]
    assert len(attempts.renderings) == 4
    source = PAPER.request(attempts.document).source
    assert source == LilypondSource(b"{ c'4 }", "2.22.0")


def test_the_first_version_that_renders_ends_the_attempts() -> None:
    def render(score: LilypondDocument) -> Rendering:
        return Rendering(Verdict.RENDERED) if score.assume_version == "2.18.0" else REFUSED

    attempts = render_with_repairs(PAPER, LilypondDocument("{ c'4 }"), render)
    assert attempts.document.assume_version == "2.18.0"
    assert attempts.document.source.startswith("% converted from 2.18.0\n")


@pytest.mark.parametrize(
    "verdict", [one for one in Verdict if one.name not in ("COMPILE_ERROR", "NO_OUTPUT")]
)
def test_only_a_score_that_gave_nothing_is_converted(verdict: Verdict) -> None:
    assert PAPER.repair(LilypondDocument("{ c'4 }"), Rendering(verdict)) is None


def test_a_score_that_states_its_version_is_never_converted_from_another() -> None:
    assert PAPER.repair(LilypondDocument(CODE), REFUSED) is None
    assert PAPER.repair(LilypondDocument('% \\version "2.10"\n{ c }'), REFUSED) is not None
    assert HELM.repair(LilypondDocument("{ c'4 }"), REFUSED) is None


@given(st.text(max_size=80))
def test_any_answer_gives_a_score_or_a_reason(completion: str) -> None:
    for task in (PAPER, HELM):
        structure = task.structure_from(completion)
        if isinstance(structure, Structure):
            assert isinstance(task.request(task.document(structure)).source, LilypondSource)
