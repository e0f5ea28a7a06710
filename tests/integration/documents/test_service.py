"""The documents service behind the wire: what it shares with renderers, and its two methods."""

from __future__ import annotations

import asyncio
import hashlib
import io
import subprocess

import grpc
import grpc.aio
import pypdfium2
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2
from PIL import Image

from documents_service import ENDLESS, GOOD, LATEX, MARKDOWN, documents_service, fragment, pdf
from i2s.documents.v1 import documents_pb2 as pb
from i2s.render.v1 import render_pb2
from i2s_chassis.contract import HANG_SECONDS, NOT_SERVING, QUEUE, SERVING, SLOTS

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

TABLE = "\\begin{tabular}{l|r}\n\\hline\na & $x^2$ \\\\\n\\multicolumn{2}{c}{b} \\\\\n\\end{tabular}"
SHORT = render_pb2.Limits(cpu_seconds=1)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def running():
    async with documents_service() as service:
        yield service


def pandoc(text, source):
    command = ["pandoc", "--sandbox", "-f", source, "-t", "html"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout.decode()


def drawn_by_pypdfium2(document, page, dpi):
    bitmap = pypdfium2.PdfDocument(document)[page - 1].render(scale=dpi / 72)
    return bitmap.to_pil().convert("RGB")


async def test_health_is_serving_once_it_serves_and_not_before(running):
    assert set(running.process.health[:-1]) <= {NOT_SERVING}
    state = await running.health.Check(health_pb2.HealthCheckRequest(), timeout=HANG_SECONDS)
    assert state.status == SERVING


async def test_it_describes_itself(running):
    about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
    assert about.service == "documents"
    assert [engine.name for engine in about.engines] == ["pandoc", "pdfium"]
    version = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True).stdout
    assert about.engines[0].version == about.versions["pandoc"] == version.split()[1]
    assert {len(engine.digest) for engine in about.engines} == {len(about.fonts_digest)} == {64}
    assert about.isolation.tier > render_pb2.ISOLATION_TIER_NONE
    assert (about.slots, about.queue) == (SLOTS, QUEUE)
    assert len(about.default_limits.ListFields()) == len(render_pb2.Limits.DESCRIPTOR.fields)
    for limit, value in about.default_limits.ListFields():
        assert 0 < value <= getattr(about.max_limits, limit.name), limit.name
    assert (about.max_fragments, about.max_fragment_bytes, about.max_pages_drawn) == (256, 1 << 20, 16)


async def test_fragments_are_what_pandoc_makes_of_them(running):
    about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
    fragments = [
        fragment(TABLE, LATEX, "first"),
        fragment(GOOD, MARKDOWN, "second"),
        fragment("", name="third"),
    ]
    answer = await running.convert(*fragments, id="whole")
    assert answer.id == "whole"
    assert [conversion.id for conversion in answer.conversions] == ["first", "second", "third"]
    wanted = [pandoc(TABLE, "latex"), pandoc(GOOD, "markdown"), pandoc("", "markdown")]
    assert [conversion.html for conversion in answer.conversions] == wanted
    assert (answer.limits, answer.isolation) == (about.default_limits, about.isolation)
    assert answer.engine == about.engines[0]
    assert answer.usage.cpu_seconds > 0


async def test_a_fragment_that_pandoc_refuses_has_its_first_error(running):
    answer = await running.convert(fragment("\\begin{tabular}{ll} a", LATEX), fragment("good", LATEX))
    refused, good = answer.conversions
    assert refused.failure.verdict == render_pb2.VERDICT_COMPILE_ERROR
    assert refused.failure.message.startswith('Error at "source" (line 1, column 1):')
    assert "WARNING" not in refused.failure.message
    assert good.html == "<p>good</p>\n"


@pytest.mark.parametrize(
    ("text", "limits", "verdict"),
    [
        (ENDLESS, SHORT, render_pb2.VERDICT_TIME_LIMIT),
        ("[" * 1_000_000, render_pb2.Limits(memory_bytes=256 << 20), render_pb2.VERDICT_MEMORY_LIMIT),
        ("x " * 50_000, render_pb2.Limits(file_bytes=1000), render_pb2.VERDICT_OUTPUT_LIMIT),
        ("x" * (1 << 20), render_pb2.Limits(disk_bytes=4096), render_pb2.VERDICT_OUTPUT_LIMIT),
        ("x" * ((1 << 20) + 1), None, render_pb2.VERDICT_INVALID_INPUT),
        (b"x\xed\xb2\x80", None, render_pb2.VERDICT_INVALID_INPUT),
    ],
    ids=["time", "memory", "output", "disk", "too large", "surrogate"],
)
async def test_a_fragment_at_a_limit_does_not_lose_the_others(running, text, limits, verdict):
    about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
    many = [fragment("before"), fragment(text), fragment("after")]
    answer = await running.convert(*many, limits=limits)
    before, bad, after = answer.conversions
    assert bad.failure.verdict == verdict, bad
    assert bad.failure.message
    if verdict != render_pb2.VERDICT_OUTPUT_LIMIT or limits.file_bytes:
        assert (before.html, after.html) == ("<p>before</p>\n", "<p>after</p>\n")
    for limit, value in (limits or render_pb2.Limits()).ListFields():
        assert getattr(answer.limits, limit.name) == value <= getattr(about.max_limits, limit.name)


async def test_the_log_has_the_digest_and_the_verdict_of_each_call(running) -> None:
    metadata = (("x-request-id", "audited"),)
    good, endless, document = GOOD.encode(), ENDLESS.encode(), pdf()
    for request in (
        pb.ConvertRequest(fragments=[fragment(good)]),
        pb.ConvertRequest(fragments=[fragment(endless)], limits=SHORT),
    ):
        await running.stub.Convert(request, timeout=HANG_SECONDS, metadata=metadata)
    await running.stub.DrawPages(
        pb.DrawPagesRequest(pdf=document, dpi=72), timeout=HANG_SECONDS, metadata=metadata
    )
    lines = [line for line in running.process.lines("call") if line.get("request_id") == "audited"]
    assert [(line["source_sha256"], line["verdict"]) for line in lines] == [
        (hashlib.sha256(b"%d %d\n" % (MARKDOWN, len(good)) + good).hexdigest(), "rendered"),
        (hashlib.sha256(b"%d %d\n" % (MARKDOWN, len(endless)) + endless).hexdigest(), "time_limit"),
        (hashlib.sha256(document).hexdigest(), "rendered"),
    ]


async def test_what_has_no_meaning_is_refused_with_its_field(running):
    bad = [
        (pb.ConvertRequest(limits=render_pb2.Limits(cpu_seconds=-1)), "limits.cpu_seconds"),
        (pb.ConvertRequest(id="x" * 257), "id"),
        (pb.ConvertRequest(fragments=[fragment("x", name="x" * 257)]), "fragments[0].id"),
        (pb.ConvertRequest(fragments=[fragment("x"), fragment("x", 0)]), "fragments[1].format"),
        (pb.ConvertRequest(fragments=[fragment("x")] * 257), "fragments"),
        (pb.DrawPagesRequest(id="x" * 257), "id"),
        (pb.DrawPagesRequest(dpi=0), "dpi"),
        (pb.DrawPagesRequest(dpi=float("nan")), "dpi"),
        (pb.DrawPagesRequest(first_page=0), "first_page"),
        (pb.DrawPagesRequest(page_count=0), "page_count"),
        (pb.DrawPagesRequest(jpeg_quality=101), "jpeg_quality"),
        (pb.DrawPagesRequest(format=9), "format"),
    ]
    for request, named in bad:
        error = await running.refusal(request)
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT, request
        assert error.details().startswith(f"{named}:")


async def test_pages_are_those_of_pypdfium2_byte_for_byte(running):
    document = pdf([b"0 0 1 rg 5 5 50 20 re f 1 0 0 RG 3 w 0 0 m 71 35 l S"] * 3, "0 0 72.3 36.4")
    answer = await running.draw(document, id="whole", first_page=2)
    assert (answer.id, answer.verdict, answer.message) == ("whole", render_pb2.VERDICT_RENDERED, "")
    assert (answer.total_pages, [one.page for one in answer.pages]) == (3, [2, 3])
    wanted = drawn_by_pypdfium2(document, 2, 216)
    output = io.BytesIO()
    wanted.save(output, "JPEG", quality=95)
    for page in answer.pages:
        assert (page.width, page.height) == wanted.size
        assert page.image == output.getvalue()
        assert page.sha256 == hashlib.sha256(page.image).hexdigest()
    assert [stage.name for stage in answer.stages] == ["queue", "draw", "encode", "draw", "encode"]
    again = await running.draw(document, first_page=2)
    assert list(again.pages) == list(answer.pages)


async def test_png_has_every_pixel(running):
    document = pdf([b"0 0.5 0 rg 5 5 50 20 re f"])
    answer = await running.draw(document, format=pb.IMAGE_FORMAT_PNG, dpi=100)
    with Image.open(io.BytesIO(answer.pages[0].image)) as image:
        assert (image.format, image.mode) == ("PNG", "RGB")
        assert image.tobytes() == drawn_by_pypdfium2(document, 1, 100).tobytes()


async def test_a_job_ends_with_its_call(running):
    good = await running.html()
    for call in await running.fill(cpu_seconds=100):
        call.cancel()
    assert await running.html() == good


async def test_a_job_ends_at_its_deadline(running):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await running.send(pb.ConvertRequest(fragments=[fragment(ENDLESS)]), timeout=0.5)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert await running.html()


async def test_nothing_is_left_behind(running):
    await running.html()
    before = len(set(running.jobs.iterdir()))
    await running.convert(fragment(ENDLESS), limits=SHORT)
    await running.draw(pdf())
    async with asyncio.timeout(HANG_SECONDS):
        while len(set(running.jobs.iterdir())) > before:
            await asyncio.sleep(0.05)
