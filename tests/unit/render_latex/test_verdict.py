import pytest

from i2s_chassis.jail import Cause, Ended, Excerpt, Usage
from i2s_chassis.limits import Limits
from i2s_render_latex.compile import Compiled
from i2s_render_latex.log import read_log
from i2s_render_latex.raster import Page
from i2s_render_latex.verdict import of_compilation, of_page, of_pictures
from i2s_wire.render.rendering import Verdict

EMPTY = Excerpt(b"", b"", 0)
LIMITS = Limits(pages=3)


def compiled(cause=Cause.EXITED, exit_code=0, pdf=b"", log=""):
    ended = Ended(cause, exit_code, 0, Usage(), EMPTY)
    return Compiled(ended, pdf, Excerpt(log.encode(), b"", len(log)), read_log(log), (), ())


def verdict(**given):
    judgement = of_compilation(compiled(**given), LIMITS)
    return judgement.verdict if judgement else None


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (Cause.CPU_LIMIT, Verdict.TIME_LIMIT),
        (Cause.WALL_LIMIT, Verdict.TIME_LIMIT),
        (Cause.MEMORY_LIMIT, Verdict.MEMORY_LIMIT),
        (Cause.PROCESS_LIMIT, Verdict.PROCESS_LIMIT),
        (Cause.DISK_LIMIT, Verdict.OUTPUT_LIMIT),
        (Cause.SIGNALED, Verdict.CRASHED),
    ],
)
def test_a_limit_is_a_verdict(cause, expected):
    assert verdict(cause=cause) is expected


@pytest.mark.parametrize("cause", [Cause.CPU_LIMIT, Cause.DISK_LIMIT])
def test_pages_without_end_are_told_whatever_stopped_them(cause):
    assert verdict(cause=cause, log="[1] [2] [3] [4]") is Verdict.PAGE_LIMIT
    assert verdict(cause=cause, log="[1] [2] [3]") is not Verdict.PAGE_LIMIT


def test_a_pdf_is_looked_at_whatever_the_log_says():
    assert verdict(exit_code=0, pdf=b"%PDF", log="! I am a forged error.\n") is None


def test_a_pdf_beside_a_run_that_stopped_is_forged():
    # TeX writes none when it stops at an error; a document can write one of its own.
    assert verdict(exit_code=1, pdf=b"%PDF", log="x.tex:1: Wrong.\n") is Verdict.COMPILE_ERROR


def test_an_error_without_pdf_is_a_compile_error_whatever_the_exit_code():
    assert verdict(log="! Undefined control sequence.\nl.1 \\x\n") is Verdict.COMPILE_ERROR


def test_message_names_line_and_error():
    judgement = of_compilation(compiled(log="./document.tex:7: Missing $ inserted.\n"), LIMITS)
    assert judgement.message == "TeX stopped on line 7: Missing $ inserted."


def test_no_pages_without_error_is_no_output():
    assert verdict(log="No pages of output.\n") is Verdict.NO_OUTPUT


def test_dvi_is_no_output():
    assert verdict(log="Output written on document.dvi (1 page, 2 bytes).\n") is Verdict.NO_OUTPUT


def test_silence_without_pdf_is_a_compile_error():
    assert verdict(exit_code=1, log="garbage") is Verdict.COMPILE_ERROR


def test_a_page_within_the_limit_is_drawn():
    assert of_page(Page(1, 612, 792), 200, Limits(pixels=1700 * 2200)) is None


def test_a_page_above_the_limit_is_not():
    judgement = of_page(Page(1, 612, 792), 200, Limits(pixels=1700 * 2200 - 1))
    assert judgement.verdict is Verdict.PIXEL_LIMIT
    assert "1700 x 2200" in judgement.message


def test_a_page_without_area_is_no_output():
    assert of_page(Page(1, 0, 792), 200, LIMITS).verdict is Verdict.NO_OUTPUT


def test_pictures_within_all_bounds_are_no_objection():
    assert of_pictures(1.0, 10, Limits(cpu_seconds=1.0), 10) is None


def test_time_spent_on_finishing_pictures_counts():
    said = of_pictures(1.1, 10, Limits(cpu_seconds=1.0), 10)
    assert said.verdict is Verdict.TIME_LIMIT


def test_too_many_bytes_of_pictures_are_an_output_limit():
    said = of_pictures(0.1, 11, Limits(cpu_seconds=1.0), 10)
    assert said.verdict is Verdict.OUTPUT_LIMIT
    assert "10 bytes" in said.message
