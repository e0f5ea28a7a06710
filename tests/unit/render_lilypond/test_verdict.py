"""What is said of a job."""

from i2s_chassis.limits import Limits
from i2s_render_lilypond.raster import BACKENDS, PaperSize
from i2s_render_lilypond.verdict import of_pages, of_paper, with_pictures, without_pages
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.source_error import SourceError

LIMITS = Limits(pages=3, pixels=1_000_000)
BACKEND = BACKENDS[LilypondBackend.GHOSTSCRIPT]


def test_no_pages_are_an_error_where_there_was_one():
    assert without_pages(None).verdict is Verdict.NO_OUTPUT
    judgement = without_pages(SourceError("syntax error", line=3))
    assert judgement.verdict is Verdict.COMPILE_ERROR
    assert judgement.message == "LilyPond stopped on line 3: syntax error"


def test_a_picture_with_an_error_is_rendered_with_errors():
    assert with_pictures(None).verdict is Verdict.RENDERED
    assert with_pictures(SourceError("x", line=1)).verdict is Verdict.RENDERED_WITH_ERRORS


def test_too_many_pages_are_a_page_limit_and_too_few_no_output():
    assert of_pages(4, 1, LIMITS).verdict is Verdict.PAGE_LIMIT
    assert of_pages(3, 4, LIMITS).verdict is Verdict.NO_OUTPUT
    assert of_pages(3, 3, LIMITS) is None


def test_paper_is_judged_before_it_is_drawn():
    assert of_paper(PaperSize(10_000, 10_000), BACKEND, 101, LIMITS).verdict is Verdict.PIXEL_LIMIT
    assert of_paper(PaperSize(0.1, 100), BACKEND, 101, LIMITS).verdict is Verdict.NO_OUTPUT
    assert of_paper(None, BACKEND, 101, LIMITS).verdict is Verdict.NO_OUTPUT
    assert of_paper(PaperSize(595, 842), BACKEND, 101, LIMITS) is None
