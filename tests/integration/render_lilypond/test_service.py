"""The contract of renderers over LilyPond, and what is its own: warm processes, errors, versions."""

import grpc
import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import contract_of
from renderers import LILYPOND

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

running, TestContract = contract_of(LILYPOND)


def request(music, **given):
    score = f'\\version "2.24.0"\n{{ {music} }}\n'.encode()
    return pb.RenderRequest(id=given.pop("id", "one"), lilypond=pb.LilypondSource(score=score), **given)


@pytest.fixture
def service(running):
    return running.stub


async def test_it_describes_warm_processes_and_what_decides_pictures(service):
    told = await service.Describe(pb.DescribeRequest())
    assert told.engine.version == told.versions["lilypond"]
    assert {"ghostscript", "convert-ly rules", "device"} <= set(told.versions)
    assert {one.kind for one in told.warm} == {"zygote", "converter"}
    assert told.defaults.page.dpi == 101


async def test_a_score_goes_through_its_stages(service):
    answer = await service.Render(request("c'4"))
    assert [stage.name for stage in answer.stages] == ["queue", "compile", "raster", "crop"]


async def test_the_answer_names_what_drew_it_and_cairo_only_draws_where_it_is_asked_for(service):
    plain = await service.Render(request("c'4"))
    assert plain.lilypond_backend == pb.LILYPOND_BACKEND_GHOSTSCRIPT
    options = pb.RenderOptions(lilypond=pb.LilypondOptions(backend=pb.LILYPOND_BACKEND_CAIRO))
    drawn = await service.Render(request("c'4", options=options))
    assert drawn.verdict == pb.VERDICT_RENDERED
    assert drawn.lilypond_backend == pb.LILYPOND_BACKEND_CAIRO
    assert [stage.name for stage in drawn.stages] == ["queue", "compile", "crop"]


async def test_errors_come_with_their_place(service):
    answer = await service.Render(request("c'4 \\what"))
    assert answer.verdict == pb.VERDICT_RENDERED_WITH_ERRORS
    assert (answer.error.line, answer.error.undefined.name) == (2, "what")


async def test_what_is_no_version_is_refused(running):
    source = pb.LilypondSource(score=b"{ c }", assume_version="old")
    error = await running.refusal(pb.RenderRequest(lilypond=source))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details().startswith("lilypond.assume_version")
