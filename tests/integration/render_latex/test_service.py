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
from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_render_latex.paths import index_file
from i2s_render_latex.texindex import Provider, ProviderKind, current_digest, tree_roots
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.store import write

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

PREAMBLE = b"\\documentclass{article}\n\\usepackage{amsmath}\n"
START_SECONDS = 60


def source(body):
    return pb.LatexSource(document=PREAMBLE + b"\\begin{document}" + body + b"\\end{document}")


def request(body, **given):
    return pb.RenderRequest(id=given.pop("id", "one"), latex=source(body), **given)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def service(open_folder):
    folder = open_folder / "service"
    folder.mkdir()
    # An index of this installation with one name: a full one takes minutes to build.
    row = (Category.COMMAND, "toprule", [Provider(ProviderKind.PACKAGE, "booktabs")])
    write(index_file(folder), current_digest(tree_roots()), [row])
    preamble, announcement = folder / "amsmath.tex", folder / "address.json"
    preamble.write_bytes(PREAMBLE)
    command = [sys.executable, "-m", "i2s_render_latex", "serve", "--listen", "127.0.0.1:0", "--slots", "2"]
    command += ["--announce", announcement, "--state-dir", folder, "--preamble", preamble]
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
        assert process.wait(20) == 0


async def test_service_describes_itself_completely(service):
    answer = await service.Describe(pb.DescribeRequest())
    assert (answer.service, answer.engine.name, list(answer.sources)) == ("render-latex", "pdftex", ["latex"])
    assert {"pdftex", "texlive", "poppler", "texmf", "fonts"} <= set(answer.versions)
    assert len(answer.engine.digest) == len(answer.fonts_digest) == 64
    assert answer.isolation.tier > pb.ISOLATION_TIER_NONE
    assert answer.default_limits.cpu_seconds == DEFAULT_LIMITS.cpu_seconds
    assert answer.defaults.page.dpi == 200
    assert [(one.kind, one.name) for one in answer.warm] == [
        ("format", "amsmath, begun"),
        ("format", "amsmath"),
    ]
    assert (answer.slots, answer.max_files) == (2, 256)


async def test_a_document_is_answered_with_everything(service):
    answer = await service.Render(request(b"$x$"))
    assert (answer.id, answer.verdict) == ("one", pb.VERDICT_RENDERED)
    assert answer.pictures[0].png.startswith(b"\x89PNG")
    assert [(stage.name, stage.detail) for stage in answer.stages] == [
        ("queue", ""),
        ("compile", "format"),
        ("raster", ""),
        ("crop", ""),
    ]
    assert answer.usage.cpu_seconds > 0
    assert answer.limits.cpu_seconds == DEFAULT_LIMITS.cpu_seconds
    assert answer.engine.digest
    assert answer.isolation.mechanisms
    assert answer.log.total_bytes > 0


async def test_an_undefined_command_comes_with_its_package(service):
    error = (await service.Render(request(b"\n\\toprule"))).error
    assert (error.line, error.undefined.name) == (4, "toprule")
    assert [one.name for one in error.undefined.providers] == ["booktabs"]


async def test_wanted_limits_are_clamped_and_echoed(service):
    limits = pb.Limits(cpu_seconds=1e6, pages=7)
    answer = await service.Render(request(b"x", limits=limits))
    assert (answer.limits.cpu_seconds, answer.limits.pages) == (120, 7)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"options": pb.RenderOptions(page=pb.PageOptions(dpi=0))}, "options.page.dpi"),
        ({"options": pb.RenderOptions(page=pb.PageOptions(dpi=1e6))}, "options.page.dpi"),
        ({"limits": pb.Limits(cpu_seconds=-1)}, "limits.cpu_seconds"),
        ({"id": "x" * 300}, "id"),
    ],
)
async def test_what_has_no_meaning_is_refused_with_the_field(service, given, field):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await service.Render(request(b"x", **given))
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details().startswith(field)


async def test_another_source_is_refused(service):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await service.Render(pb.RenderRequest(lilypond=pb.LilypondSource(score=b"c")))
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_an_empty_document_is_a_verdict(service):
    answer = await service.Render(pb.RenderRequest(latex=pb.LatexSource()))
    assert answer.verdict == pb.VERDICT_INVALID_INPUT
    assert "latex.document" in answer.message


async def test_a_stream_answers_every_item_and_one_failure_ends_nothing(service):
    async def items():
        for number in range(6):
            yield request(str(number).encode(), id=f"item {number}")
        yield request(b"x", id="")
        yield request(b"x", id="bad", options=pb.RenderOptions(page=pb.PageOptions(dpi=-1)))

    answers = [answer async for answer in service.RenderStream(items())]
    good = {answer.id: answer.response.verdict for answer in answers if answer.HasField("response")}
    assert good == {f"item {number}": pb.VERDICT_RENDERED for number in range(6)}
    failed = {answer.id: answer.failure.code for answer in answers if answer.HasField("failure")}
    assert failed == {"": 3, "bad": 3}


async def test_a_deadline_ends_the_job(service):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await service.Render(request(b"\\loop\\iftrue\\repeat"), timeout=0.5)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert (await service.Render(request(b"x"), timeout=10)).verdict == pb.VERDICT_RENDERED
