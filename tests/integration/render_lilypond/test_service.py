"""The whole service as a process: comes up, describes itself, answers, drains."""

import json
import signal
import subprocess
import sys

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

START_SECONDS = 90


def request(music, **given):
    score = f'\\version "2.24.0"\n{{ {music} }}\n'.encode()
    return pb.RenderRequest(id=given.pop("id", "one"), lilypond=pb.LilypondSource(score=score), **given)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service(tmp_path_factory):
    announcement = tmp_path_factory.mktemp("service") / "address.json"
    command = [
        sys.executable,
        "-m",
        "i2s_render_lilypond",
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--slots",
        "1",
    ]
    command += ["--announce", announcement, "--warm-spare", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        line = process.stderr.readline()
        assert b"listening" in line, line + process.stderr.read()
        address = json.loads(announcement.read_text())["address"]
        async with grpc.aio.insecure_channel(address) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            async for answer in health.Watch(health_pb2.HealthCheckRequest(), timeout=START_SECONDS):
                if answer.status == health_pb2.HealthCheckResponse.SERVING:
                    break
            yield RenderServiceStub(channel)
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        assert process.wait(30) == 0


async def test_it_describes_itself(service):
    told = await service.Describe(pb.DescribeRequest())
    assert (told.service, list(told.sources)) == ("render-lilypond", ["lilypond"])
    assert (told.engine.name, told.engine.version) == ("lilypond", told.versions["lilypond"])
    assert len(told.engine.digest) == len(told.fonts_digest) == 64
    assert {"ghostscript", "convert-ly rules", "device"} <= set(told.versions)
    assert {one.kind for one in told.warm} == {"zygote", "converter"}
    assert told.defaults.page.dpi == 101
    assert told.isolation.mechanisms


async def test_it_renders_and_echoes(service):
    answer = await service.Render(request("c'4", limits=pb.Limits(cpu_seconds=7)))
    assert (answer.id, answer.verdict) == ("one", pb.VERDICT_RENDERED)
    assert answer.limits.cpu_seconds == 7
    assert answer.pictures[0].png.startswith(b"\x89PNG")
    assert [stage.name for stage in answer.stages] == ["queue", "compile", "raster", "crop"]
    assert (answer.engine.name, answer.total_pages) == ("lilypond", 1)


async def test_errors_come_with_their_place(service):
    answer = await service.Render(request("c'4 \\what"))
    assert answer.verdict == pb.VERDICT_RENDERED_WITH_ERRORS
    assert (answer.error.line, answer.error.undefined.name) == (2, "what")


async def test_what_it_does_not_serve_is_refused(service):
    for wrong in (
        pb.RenderRequest(latex=pb.LatexSource(document=b"x")),
        request("c'4", options=pb.RenderOptions(latex=pb.LatexOptions())),
        pb.RenderRequest(lilypond=pb.LilypondSource(score=b"{ c }", assume_version="old")),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await service.Render(wrong)
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_stream_answers_every_item_and_one_failure_ends_nothing(service):
    async def items():
        for number in range(4):
            yield request("c'4", id=f"item {number}")
        yield request("c'4", id="")

    answers = [answer async for answer in service.RenderStream(items())]
    good = {answer.id: answer.response.verdict for answer in answers if answer.HasField("response")}
    assert good == {f"item {number}": pb.VERDICT_RENDERED for number in range(4)}
    assert [answer.failure.code for answer in answers if answer.HasField("failure")] == [3]


async def test_a_deadline_ends_the_job_and_the_next_one_is_served(service):
    endless = pb.RenderRequest(lilypond=pb.LilypondSource(score=b"#(let loop () (loop))"))
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await service.Render(endless, timeout=1)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert (await service.Render(request("c'4"), timeout=60)).verdict == pb.VERDICT_RENDERED
