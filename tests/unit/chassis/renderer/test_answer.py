"""What came of a job, as the wire has it."""

import enum
from dataclasses import dataclass

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Excerpt, PolicyEvent, PolicyKind, Usage
from i2s_chassis.renderer.answer import fill_answer
from i2s_chassis.renderer.model import ErrorKind, Picture, Rendering, SourceError, Stage, Undefined, Verdict


class Kind(enum.IntEnum):
    PACKAGE = 1


@dataclass(frozen=True)
class Package:
    name: str
    kind: Kind = Kind.PACKAGE


RENDERING = Rendering(
    Verdict.COMPILE_ERROR,
    "The engine stopped.\x1b",
    pictures=(Picture(b"png", 3, 4, 2),),
    total_pages=2,
    error=SourceError(
        "Undefined", ErrorKind.UNDEFINED_COMMAND, 5, "a.tex", "x", Undefined("t", (Package("p"),))
    ),
    log=Excerpt(b"log\0", b"", 4),
    stages=(Stage("compile", Usage(1.0, 0.5, 10, 1), "format"), Stage("raster", Usage(1.0, 0.25, 20, 1))),
    events=(PolicyEvent(PolicyKind.EXECUTE, "ls"),),
)


def answer_to(rendering: Rendering) -> pb.RenderResponse:
    answer = pb.RenderResponse(id="id")
    fill_answer(answer, rendering, 0.125)
    return answer


def test_a_rendering_is_answered_completely():
    answer = answer_to(RENDERING)
    assert (answer.id, answer.verdict, answer.total_pages) == ("id", pb.VERDICT_COMPILE_ERROR, 2)
    assert (answer.error.line, answer.error.file, answer.error.context) == (5, "a.tex", "x")
    assert answer.error.undefined.providers[0].name == "p"
    assert [(stage.name, stage.detail) for stage in answer.stages] == [
        ("queue", ""),
        ("compile", "format"),
        ("raster", ""),
    ]
    assert answer.stages[0].usage.wall_seconds == 0.125
    assert (answer.usage.cpu_seconds, answer.usage.peak_memory_bytes) == (0.75, 20)
    assert answer.policy_events[0].kind == pb.POLICY_KIND_EXECUTE
    picture = answer.pictures[0]
    assert (picture.png, picture.width, picture.height, picture.page) == (b"png", 3, 4, 2)
    assert picture.sha256 == RENDERING.pictures[0].sha256


def test_what_a_job_said_is_printable():
    answer = answer_to(RENDERING)
    assert "\x1b" not in answer.message
    assert "\0" not in answer.log.head


def test_without_an_error_there_is_none_on_the_wire():
    answer = answer_to(Rendering(Verdict.RENDERED, ""))
    assert not answer.HasField("error")
    assert len(answer.pictures) == 0


def test_an_undefined_name_may_have_no_providers():
    error = SourceError("x", ErrorKind.UNDEFINED_COMMAND, undefined=Undefined("foo"))
    assert answer_to(Rendering(Verdict.COMPILE_ERROR, "", error=error)).error.undefined.name == "foo"
