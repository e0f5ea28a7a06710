"""Processes of a job that are killed from outside: the job is run once more, and its second result counts."""

from __future__ import annotations

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import running_of
from killed_jobs import is_forked_job, is_program, killed_while_busy
from renderers import LILYPOND

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]
running = running_of(LILYPOND)

LIMITS = pb.Limits(cpu_seconds=100)
#: A warm LilyPond serves jobs with the default limit on memory; for others one is started.
COLD = pb.Limits(cpu_seconds=100, memory_bytes=900 << 20)
#: LilyPond counts for about a second.
SLOW_TO_TYPESET = b"#(let loop ((i 0)) (if (< i 5000000) (loop (+ i 1))))\n{ c'4 }\n"
#: Ghostscript counts for about a second.
SLOW_TO_DRAW = b'{ c\'4^\\markup \\postscript "0 1 10000000 { pop } for" }\n'


THE_OTHER = pytest.mark.nightly(instead="a warm LilyPond, and Ghostscript after a cold one")


@pytest.mark.parametrize(
    ("wanted", "music", "limits"),
    [
        (is_forked_job, SLOW_TO_TYPESET, LIMITS),
        pytest.param(is_program("lilypond"), SLOW_TO_TYPESET, COLD, marks=THE_OTHER),
        pytest.param(is_program("gs"), SLOW_TO_DRAW, LIMITS, marks=THE_OTHER),
        (is_program("gs"), SLOW_TO_DRAW, COLD),
    ],
    ids=["child of a warm LilyPond", "LilyPond", "Ghostscript of a warm LilyPond", "Ghostscript"],
)
async def test_a_program_that_is_killed_once_changes_no_picture(running, wanted, music, limits):
    source = pb.LilypondSource(score=b'\\version "2.24.0"\n' + music)
    quiet = await running.render(source, limits=limits)
    assert quiet.verdict == pb.VERDICT_RENDERED
    answer = await killed_while_busy(running, wanted, source, limits=limits)
    assert (answer.verdict, answer.message) == (pb.VERDICT_RENDERED, "")
    assert answer.pictures[0].png == quiet.pictures[0].png
