"""Hostile scores that are drawn with cairo: limits before and after the drawing, files, forged drawings."""

from pathlib import Path

import pytest
import pytest_asyncio

from i2s_chassis.limits import Limits
from i2s_wire.render.options import LilypondBackend
from i2s_wire.render.rendering import Verdict
from lilypond_attacked import LIMITS, SMALL, attacked_engine, chosen_tiers

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

CAIRO = LilypondBackend.CAIRO
#: A score that does the drawing itself, and lies about its size; DRAW is what it does.
LIE = """
#(module-set! (resolve-module '(lily framework-cairo)) 'output-stencils
   (lambda (base stencils header paper formats)
     (define (note name text) (with-output-to-file (string-append "score." name) (lambda () (display text))))
     (note "paper" "100 100\\n")
     (note "pages" "1\\n")
     DRAW))
{ c'4 }
"""
DRAW = '(ly:cairo-output-stencils "page1" stencils header paper formats)'


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=chosen_tiers())
async def render(request):
    async with attacked_engine(request.param) as attacked:

        async def render(music, limits=LIMITS, **options):
            return await attacked.render(music, limits=limits, backend=CAIRO, **options)

        yield render


@pytest.mark.parametrize("cold", [False, True])
@pytest.mark.parametrize("size", ["10000\\mm", "100000\\mm"])
async def test_enormous_paper_is_a_pixel_limit_before_anything_is_drawn(render, size, cold):
    rendering = await render(f"\\paper {{ paper-width = {size} paper-height = {size} }} {{ c'4 }}", cold=cold)
    assert rendering.verdict is Verdict.PIXEL_LIMIT
    assert b"page1.png" not in rendering.log.whole


async def test_more_pages_than_allowed_are_a_page_limit_before_anything_is_drawn(render):
    music = "{ \\repeat unfold 4 { c'1 \\pageBreak } }"
    rendering = await render(music, Limits(processes=12, pages=3))
    assert rendering.verdict is Verdict.PAGE_LIMIT
    assert b"page1.png" not in rendering.log.whole


async def test_a_drawing_that_is_larger_than_it_should_be_is_a_pixel_limit(render):
    music = LIE.replace("DRAW", f"(ly:set-option 'resolution 400) {DRAW}")
    limits = Limits(cpu_seconds=10.0, processes=12, pixels=1_000_000)
    assert (await render(music, limits)).verdict is Verdict.PIXEL_LIMIT


async def test_a_drawing_without_end_stays_within_the_limits(render):
    music = LIE.replace("DRAW", f"(ly:set-option 'resolution 2700) {DRAW} (let again () {DRAW} (again))")
    rendering = await render(music)
    assert rendering.verdict in (
        Verdict.TIME_LIMIT,
        Verdict.MEMORY_LIMIT,
        Verdict.OUTPUT_LIMIT,
        Verdict.PIXEL_LIMIT,
        Verdict.NO_OUTPUT,
    )


@pytest.mark.parametrize(
    "draw",
    [
        '(symlink "/etc/passwd" "page1.png")',
        '(symlink "SECRETFILE" "page1.png")',
        '(mkdir "page1.png")',
        '(with-output-to-file "page1.png" (lambda () (display "%!PS\\n(SECRETFILE) run")))',
        '(with-output-to-file "page1.png" (lambda () (display "\\x89;PNG\\r\\n")))',
        "#f",
    ],
)
async def test_what_is_no_drawing_is_no_output(render, draw):
    assert (await render(LIE.replace("DRAW", draw))).verdict is Verdict.NO_OUTPUT


@pytest.mark.parametrize("name", ["../x", "/tmp/i2s-attack", "a/../../x"])
async def test_output_under_another_name_is_drawn_and_stays_in_the_sandbox(render, name):
    rendering = await render(f'\\book {{ \\bookOutputName "{name}" {{ c\'4 }} }}')
    assert rendering.verdict is Verdict.RENDERED
    for path in ("/tmp/i2s-attack.ps", "/tmp/i2s-attack.png", "/tmp/x.ps", "/tmp/x.png"):
        assert not Path(path).exists()


async def test_pictures_of_others_are_not_read(render):
    rendering = await render('\\markup \\epsfile #X #5 "SECRETFILE"')
    assert rendering.verdict in (Verdict.RENDERED, Verdict.RENDERED_WITH_ERRORS, Verdict.COMPILE_ERROR)


async def test_postscript_of_a_score_is_not_run(render):
    rendering = await render('\\markup \\postscript "{} loop"', SMALL)
    assert rendering.verdict in (Verdict.NO_OUTPUT, Verdict.RENDERED)


@pytest.mark.parametrize(
    ("music", "verdict"),
    [
        ("#(let loop () (loop))", Verdict.TIME_LIMIT),
        ("#(let loop ((kept '())) (loop (cons (make-vector 1000000 0) kept)))", Verdict.MEMORY_LIMIT),
        (
            "#(let loop ((n 0)) (close (open-output-file (number->string n))) (loop (+ n 1)))",
            Verdict.OUTPUT_LIMIT,
        ),
        ("#(kill (getpid) SIGSEGV) { c'4 }", Verdict.CRASHED),
    ],
)
async def test_limits_are_those_of_the_other_back_end(render, music, verdict):
    assert (await render(music, Limits(cpu_seconds=20, processes=12))).verdict is verdict
