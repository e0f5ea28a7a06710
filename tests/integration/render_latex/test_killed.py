"""Processes of a job that are killed from outside: the job is run once more, and its second result counts."""

from __future__ import annotations

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import running_of
from killed_jobs import is_program, killed_while_busy
from renderers import LATEX

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]
running = running_of(LATEX)

LIMITS = pb.Limits(cpu_seconds=100)
_LOOP = b"\\newcount\\n\\loop%s\\advance\\n1\\ifnum\\n<%d\\repeat"
#: TeX counts for about a second.
SLOW_TO_COMPILE = b"\\documentclass{article}\\begin{document}Slow" + _LOOP % (b"", 2_500_000)
#: Poppler draws lines for about a second.
SLOW_TO_DRAW = b"\\documentclass{article}\\begin{document}Slow" + _LOOP % (
    b"\\pdfliteral{0 0 m 300 -500 l S}",
    10_000,
)


OTHER_ENGINE = pytest.mark.nightly(instead="pdfTeX, which the same code runs")


@pytest.mark.parametrize(
    ("program", "document", "engine"),
    [
        ("pdflatex", SLOW_TO_COMPILE, pb.LATEX_ENGINE_PDFLATEX),
        pytest.param("lualatex", SLOW_TO_COMPILE, pb.LATEX_ENGINE_LUALATEX, marks=OTHER_ENGINE),
        pytest.param("xelatex", SLOW_TO_COMPILE, pb.LATEX_ENGINE_XELATEX, marks=OTHER_ENGINE),
        ("pdftoppm", SLOW_TO_DRAW, pb.LATEX_ENGINE_PDFLATEX),
    ],
    ids=["pdfTeX", "LuaTeX", "XeTeX", "pdftoppm"],
)
async def test_a_program_that_is_killed_once_changes_no_picture(running, program, document, engine):
    source = pb.LatexSource(document=document + b"\\end{document}")
    given = {"limits": LIMITS, "options": pb.RenderOptions(latex=pb.LatexOptions(engine=engine))}
    quiet = await running.render(source, **given)
    assert quiet.verdict == pb.VERDICT_RENDERED
    answer = await killed_while_busy(running, is_program(program), source, **given)
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png
